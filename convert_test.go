// This file tests the cost of converting inputs.

package ptc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
)

// people returns n records in 20 departments.
func people(n int) []any {
	records := make([]any, n)
	for i := range records {
		records[i] = map[string]any{"id": i, "dept": fmt.Sprintf("dept-%02d", i%20), "salary": i, "age": i}
	}
	return records
}

// A record of an input takes one allocation: its keys, and texts that occur again,
// are there already.
func TestRecordsTakeOneAllocation(t *testing.T) {
	const n = 10_000
	prog, err := ptc.Compile(context.Background(), "count.ptc", "(count data/records)", ptc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	records := people(n)
	text, err := json.Marshal(records)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]any{"values": records, "JSON": json.RawMessage(text)} {
		var memory int64
		allocs := testing.AllocsPerRun(3, func() {
			res, err := prog.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"records": data}})
			if err != nil {
				t.Fatal(err)
			}
			memory = res.Usage.Memory
		})
		if allocs > 1.2*n {
			t.Errorf("%s: %.0f allocations for %d records", name, allocs, n)
		}
		if memory > 256*n {
			t.Errorf("%s: %d bytes charged for %d records", name, memory, n)
		}
	}
}

// Records whose keys differ are told apart, whatever shapes came before.
func TestRecordsOfManyShapes(t *testing.T) {
	var records []any
	for i := range 400 {
		r := map[string]any{"n": i}
		for bit, name := range []string{"a", "b/c", "d", "e", "f", "g", "h", "i", "j"} {
			if i>>bit&1 == 1 {
				r[name] = map[string]any{name: i}
			}
		}
		records = append(records, r)
	}
	text, err := json.Marshal(records)
	if err != nil {
		t.Fatal(err)
	}
	const source = "(= data/values data/text (map #(into {} (reverse %)) data/values) (map #(into (sorted-map) %) data/text))"
	for _, stringKeys := range []bool{false, true} {
		prog, err := ptc.Compile(context.Background(), "same.ptc", source, ptc.Options{StringKeys: stringKeys})
		if err != nil {
			t.Fatal(err)
		}
		res, err := prog.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"values": records, "text": json.RawMessage(text)}})
		if err != nil || ptctest.ValueOf(res) != true {
			t.Errorf("got %v, %v", ptctest.ValueOf(res), err)
		}
	}
}

// The error names the place whose value cannot be converted.
func TestUnconvertible(t *testing.T) {
	records := append(people(40), map[string]any{"id": 1, "dept": func() {}, "salary": 1, "age": 1})
	prog, err := ptc.Compile(context.Background(), "count.ptc", "(count data/records)", ptc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = prog.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"records": records}})
	if err == nil || !strings.Contains(err.Error(), `data/records: got a Go func() at [40 "dept"], want data`) {
		t.Fatalf("got %v", err)
	}
}

// Bytes of an input that are not UTF-8 are replaced, in structs as elsewhere, so results made of them can be written.
func TestInputsThatAreNotUTF8(t *testing.T) {
	type named string
	many := map[string]any{"\xff": 0}
	for i := range 40 {
		many[fmt.Sprint(i)] = i
	}
	for _, c := range []struct {
		name, src, want string
		data            any
	}{
		{"escaped", `(require '[clojure.data.json :as j]) (j/write-str data/x)`, `"\"a\\ufffd\""`, "a\xff"},
		{"one byte", `data/x`, `"�"`, "\xff"},
		{"each byte", `data/x`, `"��b"`, "\xff\xe2b"},
		{"a long string", `(count data/x)`, `70000`, strings.Repeat("\x80", 70000)},
		{"a type of string", `data/x`, `"�"`, named("\xff")},
		{"a struct", `data/x`, `{"A":"�"}`, struct{ A string }{"\xff"}},
		{"a small map", `data/x`, `{"�":[1]}`, map[string]any{"\xff": []any{1}}},
		{"keys that become one", `(count data/x)`, `1`, map[string]any{"\xff": 1, "\xfe": 1}},
		{"a large map", `[(count data/x) (get data/x (keyword "\uFFFD"))]`, `[41,0]`, many},
	} {
		prog, err := ptc.Compile(context.Background(), "utf8.ptc", c.src, ptc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := prog.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"x": c.data}})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, err := res.JSON(false); err != nil || got != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}
