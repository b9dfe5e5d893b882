package ptc_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
)

// scalars are values that have JSON, one or more of each kind.
var scalars = []string{
	"nil", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808N", "-1N",
	"0.0", "-0.0", "1.0", "1.5", "1e21", "1e-7", "123456789.25", "1.0E300", "4.9E-324", "0.1", "100.0", "12345678.9",
	"1/3", "-22/7", "100000000000000000000000/3", "1M", "1.50M", "-0.000M", "1E+20M", "1e-30M", "123456789012345678901234567890.5M",
	`""`, `"a"`, `"<&> \" \\ \n\t é 漢 \u2028 😀"`, `"\u0001\u007f"`, ":a", ":a/b", "'c", "'c/d", `\a`, `\newline`, `\é`,
	`#uuid "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"`, `#inst "2026-02-03T04:05:06.789Z"`, `#inst "2026-02-03"`,
	`#"a+\d"`, "(atom 1)", "#'inc", "inc", "(ex-info \"m\" {:a 1})", "(volatile! [1 2])",
	"(tagged-literal 'x 1)", "(reduced 1)", "(delay 1)",
}

// generated returns an expression for a nested value.
func generated(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(3) == 0 {
		return scalars[r.IntN(len(scalars))]
	}
	parts := make([]string, r.IntN(4))
	for i := range parts {
		parts[i] = generated(r, depth-1)
	}
	switch all := strings.Join(parts, " "); r.IntN(7) {
	case 0:
		return "[" + all + "]"
	case 1:
		return "(list " + all + ")"
	case 2:
		return "(set [" + all + "])"
	case 3:
		return "(map identity [" + all + "])"
	case 4:
		return "(into (sorted-map) {" + strconv.Itoa(r.IntN(9)) + " [" + all + "]})"
	case 5:
		return "(first {:entry [" + all + "]})"
	}
	var members []string
	for i, p := range parts {
		key := scalars[r.IntN(len(scalars))]
		members = append(members, "["+strconv.Itoa(i)+" "+key+"] "+p)
		if i == 0 {
			members = append(members, key+" "+p)
		}
	}
	return "{" + strings.Join(members, " ") + "}"
}

// TestValueIsJSON requires the JSON of the Go value to be the JSON of the result.
func TestValueIsJSON(t *testing.T) {
	sources := append([]string{}, scalars...)
	for _, s := range scalars {
		sources = append(sources, "{"+s+" 1}")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		sources = append(sources, generated(r, 4))
	}
	for _, source := range sources {
		res, err := ptc.Run(t.Context(), source, ptc.Options{})
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		text, jerr := res.JSON(false)
		v, verr := res.Value()
		if (jerr == nil) != (verr == nil) {
			t.Errorf("%s: JSON: %v, Value: %v", source, jerr, verr)
		}
		if jerr != nil || verr != nil {
			continue
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if !sameJSON(decoded(t, text), decoded(t, string(again))) {
			t.Errorf("%s:\nJSON  %s\nValue %s", source, text, again)
		}
	}
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// sameJSON compares values of JSON. Numbers are the same if they are equal, or denote the same float64.
func sameJSON(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && sameNumber(string(a), string(b))
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameJSON(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k := range a {
			if x, ok := b[k]; !ok || !sameJSON(a[k], x) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

func sameNumber(a, b string) bool {
	x, ok := new(big.Rat).SetString(a)
	y, ok2 := new(big.Rat).SetString(b)
	if ok && ok2 && x.Cmp(y) == 0 {
		return true
	}
	f, err := strconv.ParseFloat(a, 64)
	g, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && f == g && strings.ContainsAny(a, ".eE")
}

// TestValues has the one exception of the mapping, and the kinds of Go values.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		source, json string
		want         any
	}{
		{"1/4", "0.25", 0.25},
		{"1.50M", "1.50", json.Number("1.50")},
		{"1E+20M", "1E+20", json.Number("1E+20")},
		{"9223372036854775808", "9223372036854775808", new(big.Int).Lsh(big.NewInt(1), 63)},
		{"{nil 1}", `{"null":1}`, map[string]any{"null": int64(1)}},
		{`{\a 1}`, `{"a":1}`, map[string]any{"a": int64(1)}},
		{`#inst "2026-02-03T04:05:06Z"`, `"2026-02-03T04:05:06Z"`, "2026-02-03T04:05:06Z"},
		{`#uuid "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"`, `"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"`, "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
	} {
		res, err := ptc.Run(t.Context(), c.source, ptc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := res.JSON(false)
		got, verr := res.Value()
		if err != nil || verr != nil || text != c.json || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %s %v, %#v %v", c.source, text, err, got, verr)
		}
	}
	res, err := ptc.Run(t.Context(), "[##NaN ##Inf]", ptc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := res.JSON(false)
	v, _ := res.Value()
	if _, err := json.Marshal(v); text != "[null,null]" || err == nil {
		t.Errorf("got %s, %v", text, err)
	}
}

func TestDecode(t *testing.T) {
	type order struct {
		ID    int               `json:"id"`
		Total float64           `json:"total"`
		Tags  []string          `json:"tags"`
		Sizes map[string]string `json:"sizes"`
	}
	res, err := ptc.Run(t.Context(), `[{:id 7 :total 1/4 :tags #{:new} :sizes {:a/b "c" 3 "x"}}]`, ptc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []order
	want := []order{{7, 0.25, []string{"new"}, map[string]string{"a/b": "c", "3": "x"}}}
	if err := res.Decode(&got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	var wrong struct{ X int }
	err = res.Decode(&wrong)
	var mismatch *json.UnmarshalTypeError
	if !errors.Is(err, &ptc.Error{Code: "wrong-type"}) || !errors.As(err, &mismatch) {
		t.Errorf("got %v", err)
	}
	if err := (&ptc.Result{}).Decode(&got); err != nil || got != nil {
		t.Errorf("nil: got %v, %v", got, err)
	}
	twice, err := ptc.Run(context.Background(), `{:a 1 "a" 2}`, ptc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := twice.Decode(&wrong); !errors.Is(err, &ptc.Error{Code: "illegal-argument"}) {
		t.Errorf("got %v", err)
	}
}
