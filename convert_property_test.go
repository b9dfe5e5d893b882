// This file tests the conversion of Go values by comparison: with encoding/json, and of runs with recorded ones.

package ptc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// pointerJSON and pointerText marshal themselves by methods of their pointers, valueJSON by one of its value.
type (
	pointerJSON struct{ N int }
	pointerText struct{ N int }
	valueJSON   struct{ N int }
)

func (p *pointerJSON) MarshalJSON() ([]byte, error) {
	if p == nil { // in an interface
		return []byte("null"), nil
	}
	return fmt.Appendf(nil, `{"json":[%d]}`, p.N), nil
}

func (p *pointerText) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "text %d", p.N), nil }
func (v valueJSON) MarshalJSON() ([]byte, error)    { return fmt.Appendf(nil, `[%d]`, v.N), nil }

// zeroAtSeven has an IsZero of its own.
type zeroAtSeven int

func (z zeroAtSeven) IsZero() bool { return z == 7 }

// zeroPointer has it by its pointer.
type zeroPointer struct{ N int }

func (z *zeroPointer) IsZero() bool { return z.N == 1 }

// textKey is a key that marshals itself.
type textKey struct{ N int }

func (k textKey) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "k%d", k.N), nil }

// The types below are embedded in others: with tags, without, behind pointers, several times, and not exported.
type (
	Base struct {
		A int `json:"a"`
		B string
		X any `json:"x,omitempty"`
	}
	hidden struct {
		A   int `json:"A"`
		Own float64
		sec int
	}
	Deep struct {
		Base
		*hidden
		C []int `json:"c"`
	}
	Other struct {
		*Base `json:",omitempty"`
		B     int
	}
	Named   int
	hidden2 int
	Loop    struct {
		*Loop
		Z int
	}
	Both struct {
		Base
		Other
	}
	Tagged struct {
		Base    `json:"base"`
		*hidden `json:"hid"`
		Named
		hidden2
	}
	Rival1 struct{ Q, R int }
	Rival2 struct {
		Q int
		R int `json:"R"`
	}
	Rivals struct {
		Rival1
		Rival2
	}
	Twice struct {
		Deep
		*Other
		Rivals
		Tagged `json:"-"`
		Named  `json:"named,string"`
	}
	Marshals struct {
		time.Time
		N int
	}
	Error struct{ error }
)

// structShapes are Go types whose visible fields are hard to tell.
var structShapes = []reflect.Type{
	reflect.TypeFor[Base](), reflect.TypeFor[hidden](), reflect.TypeFor[Deep](), reflect.TypeFor[Other](), reflect.TypeFor[Loop](),
	reflect.TypeFor[Both](), reflect.TypeFor[Tagged](), reflect.TypeFor[Rivals](), reflect.TypeFor[Twice](), reflect.TypeFor[Marshals](),
	reflect.TypeFor[order](), reflect.TypeFor[Error](),
	ints(`json:"B"`, ``, `json:"c"`, `json:"c"`, `json:"-,"`, `json:"a\"b"`, `json:"é/漢 !#"`, `json:",string,omitempty"`,
		`json:"i, omitempty"`, `json:j`, `not a tag`, `json:"-"`),
}

// ints returns a struct of integers with tags.
func ints(tags ...string) reflect.Type {
	fields := make([]reflect.StructField, len(tags))
	for i, tag := range tags {
		fields[i] = reflect.StructField{Name: string(rune('A' + i)), Type: reflect.TypeFor[int](), Tag: reflect.StructTag(tag)}
	}
	return reflect.StructOf(fields)
}

// leaves are types of fields.
var leaves = []reflect.Type{
	reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](), reflect.TypeFor[float64](),
	reflect.TypeFor[float32](), reflect.TypeFor[bool](), reflect.TypeFor[string](), reflect.TypeFor[[]int](), reflect.TypeFor[[3]byte](),
	reflect.TypeFor[[0]int](), reflect.TypeFor[[]byte](), reflect.TypeFor[map[string]int](), reflect.TypeFor[map[int]float64](),
	reflect.TypeFor[map[textKey]any](), reflect.TypeFor[*int](), reflect.TypeFor[**string](), reflect.TypeFor[any](),
	reflect.TypeFor[time.Time](), reflect.TypeFor[*time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[pointerJSON](),
	reflect.TypeFor[*pointerJSON](), reflect.TypeFor[pointerText](), reflect.TypeFor[valueJSON](), reflect.TypeFor[[]pointerJSON](),
	reflect.TypeFor[[2]pointerText](), reflect.TypeFor[zeroAtSeven](), reflect.TypeFor[zeroPointer](), reflect.TypeFor[json.Number](),
	reflect.TypeFor[json.RawMessage](), reflect.TypeFor[big.Int](), reflect.TypeFor[*big.Int](), reflect.TypeFor[Named](),
	reflect.TypeFor[map[string]any](), reflect.TypeFor[[]any](), reflect.TypeFor[json.Marshaler](), reflect.TypeFor[level](),
	reflect.TypeFor[struct{}](), reflect.TypeFor[fmt.Stringer](),
}

// inInterfaces are types of values in interfaces. encoding/json ignores methods of pointers there.
var inInterfaces = append(slices.DeleteFunc(slices.Clone(leaves), func(t reflect.Type) bool {
	return slices.Contains([]reflect.Type{reflect.TypeFor[pointerJSON](), reflect.TypeFor[pointerText](), reflect.TypeFor[[2]pointerText](),
		reflect.TypeFor[big.Int]()}, t)
}), structShapes[0], reflect.TypeFor[*Twice]())

var tags = []string{"", "", "", "a", "b", "A", "-", "-,", ",omitempty", "a,omitempty", ",string", "b,string,omitempty", ",omitzero",
	"c,omitzero", "c,omitempty,omitzero", "é", "a b", `q\"`, "a,unknown", ",omitempty ", "p/q"}

// anyStruct returns a struct type with fields of any kind and tag, some of them embedded.
func anyStruct(r *rand.Rand, depth int) reflect.Type {
	fields := make([]reflect.StructField, r.IntN(12))
	for i := range fields {
		f := reflect.StructField{Name: string(rune('A' + i)), Type: leaves[r.IntN(len(leaves))]}
		if depth > 0 && r.IntN(4) == 0 {
			f.Type, f.Anonymous = anyStruct(r, depth-1), r.IntN(2) == 0
			if r.IntN(3) == 0 {
				f.Type = reflect.PointerTo(f.Type)
			}
		}
		f.Tag = reflect.StructTag(`json:"` + tags[r.IntN(len(tags))] + `"`)
		fields[i] = f
	}
	return reflect.StructOf(fields)
}

// fill sets a value and its parts, each to zero or not.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	if !v.CanSet() || r.IntN(4) == 0 || depth == 0 {
		return
	}
	switch x := v.Addr().Interface().(type) {
	case *json.Number:
		*x = []json.Number{"", "1", "1.0", "-0", "1e3", "123456789012345678901234567890"}[r.IntN(6)]
		return
	case *json.RawMessage:
		*x = json.RawMessage([]string{"null", `{"b":[1.0, 2],"a":null}`, "  7 ", `"\u00e9"`}[r.IntN(4)])
		return
	case *big.Int:
		x.Lsh(big.NewInt(int64(r.IntN(5)-2)), uint(r.IntN(100)))
		return
	case *time.Time:
		*x = time.Unix(r.Int64N(1e10), r.Int64N(1e9)).UTC()
		return
	case *json.Marshaler:
		*x = []json.Marshaler{valueJSON{1}, &pointerJSON{2}, (*pointerJSON)(nil)}[r.IntN(3)]
		return
	case *level:
		*x = level(r.IntN(2))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{1, 7, -1, math.MaxInt8}[r.IntN(4)])
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(r.Uint64() >> (uint(r.IntN(2)) * 58))
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{2, 2.5, 1e21, 1e-7, math.Copysign(0, -1), 0.1, 1 << 30, math.MaxFloat32}[r.IntN(8)])
	case reflect.String:
		v.SetString([]string{"x", "<&>\u2028", "\xff", "2", strings.Repeat("long ", 20)}[r.IntN(5)])
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(14) {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			if key.Kind() == reflect.Struct {
				key.Field(0).SetInt(r.Int64N(20))
			} else {
				fill(r, key, depth-1)
			}
			if key.Kind() == reflect.String {
				key.SetString(string(rune('a' + r.IntN(20))))
			}
			fill(r, elem, depth-1)
			v.SetMapIndex(key, elem)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem(), depth-1)
	case reflect.Interface:
		if v.NumMethod() == 0 {
			x := reflect.New(inInterfaces[r.IntN(len(inInterfaces))]).Elem()
			fill(r, x, depth-1)
			v.Set(x)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i), depth-1)
		}
	}
}

// goValues returns pointers to values of many Go types.
func goValues(t *testing.T, n int) []any {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var values []any
	for i := range n {
		var typ reflect.Type
		switch {
		case i%4 == 0:
			typ = structShapes[i/4%len(structShapes)]
		case i%4 == 1:
			typ = leaves[i/4%len(leaves)]
		default:
			typ = anyStruct(r, 2)
		}
		v := reflect.New(typ)
		fill(r, v.Elem(), 6)
		values = append(values, v.Interface())
	}
	return values
}

// TestGoValuesAreTheirJSON compares converted values with encoding/json: names, omitted fields, order, and all else but
// the points of floats.
func TestGoValuesAreTheirJSON(t *testing.T) {
	progs := map[bool]*ptc.Program{}
	for _, stringKeys := range []bool{false, true} {
		p, err := ptc.Compile(t.Context(), "p", "data/x", ptc.Options{StringKeys: stringKeys})
		require.NoError(t, err)
		progs[stringKeys] = p
	}
	refused := 0
	for i, x := range goValues(t, 4000) {
		want, werr := json.Marshal(x)
		res, err := progs[i%3 == 0].Run(t.Context(), ptc.RunOptions{Data: map[string]any{"x": x}})
		if werr != nil {
			refused++
			require.Error(t, err, "%T %s", x, werr)
			continue
		}
		require.NoError(t, err, "%T\n%s", x, want)
		got, err := res.JSON(false)
		require.NoError(t, err)
		if !sameJSON(decoded(t, string(want)), decoded(t, got)) {
			t.Fatalf("%T:\ngot  %s\nwant %s", x, got, want)
		}
		if w, g := memberNames(string(want)), memberNames(got); len(w) <= 8 && reflect.TypeOf(x).Elem().Kind() == reflect.Struct {
			require.Equal(t, w, g, "%T", x)
		}
	}
	assert.Less(t, refused, 400)
}

// memberNames returns the names of the members of an object, in their order.
func memberNames(text string) (names []string) {
	d := json.NewDecoder(strings.NewReader(text))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, _ := d.Token()
		names = append(names, name.(string))
		var skipped json.RawMessage
		_ = d.Decode(&skipped)
	}
	return names
}

// TestRunsSeeWhatRecordedRunsSee compares the data that a program prints in a run, in a recorded one, in its replay, in
// one that is resumed, and in a session.
func TestRunsSeeWhatRecordedRunsSee(t *testing.T) {
	values := append(goValues(t, 200), []any{nil, []any(nil), map[string]any(nil), []int(nil), map[string]int(nil), []any{}, map[string]any{},
		2.0, -0.0, math.Copysign(0, -1), float32(0.1), float32(3), 1e300, 5e-324, math.MaxFloat64, math.MaxInt64, uint64(math.MaxUint64),
		new(big.Int).Lsh(big.NewInt(1), 13_000), *big.NewInt(-5), json.Number("1.0"), json.Number("-0"), json.Number("-0.0"),
		json.RawMessage(`{"a":1,"a":2.0,"b/c":null,"":1e300}`), json.RawMessage("1e400"), json.RawMessage("[-1e-400]"), "\xff\u2028\x00", map[string]any{"a/b": 1, "/": 2, "": 3, "a b": 4, "é": []any{}},
		map[string]float64{"x": 1}, map[string]any{"x": struct{ Y float64 }{2}}, []float32{1, 2.5}, [][]byte{nil, {}, {1}}}...)
	big := map[string]any{}
	for i := range 2000 {
		big[fmt.Sprint("key", i)] = float64(i)
	}
	values = append(values, big)
	dir := t.TempDir()
	for i, x := range values {
		opts := ptc.Options{StringKeys: i%2 == 0}
		const source = "(pr-str data/x)"
		given := ptc.RunOptions{Data: map[string]any{"x": x}}
		p, err := ptc.Compile(t.Context(), "p", source, opts)
		require.NoError(t, err)
		res, err := p.Run(t.Context(), given)
		file := ptc.JournalFile{Path: filepath.Join(dir, fmt.Sprint(i))}
		if err != nil {
			_, rerr := p.Record(t.Context(), file, given)
			var ran, recorded *ptc.Error
			require.True(t, errors.As(err, &ran) && errors.As(rerr, &recorded), "%T: %v, %v", x, err, rerr)
			require.Equal(t, []any{ran.Code, ran.Message, ran.Hint}, []any{recorded.Code, recorded.Message, recorded.Hint})
			require.NoFileExists(t, file.Path)
			require.EqualError(t, ptc.NewSession(opts).SetData(given.Data), rerr.Error())
			continue
		}
		want := edn(t, res, err)
		res, err = p.Record(t.Context(), file, given)
		require.Equal(t, want, edn(t, res, err), "recorded %T", x)
		res, err = ptc.Replay(t.Context(), file, opts, ptc.RunOptions{})
		require.Equal(t, want, edn(t, res, err), "replayed %T", x)
		res, err = ptc.Replay(t.Context(), file, opts, given)
		require.Equal(t, want, edn(t, res, err), "replayed %T with the data", x)
		if i%8 == 0 {
			require.Equal(t, want, resumed(t, file.Path+".resumed", opts, given), "resumed %T", x)
		}
		s := ptc.NewSession(opts)
		require.NoError(t, s.SetData(given.Data))
		res, err = s.Eval(t.Context(), source, ptc.EvalOptions{})
		require.Equal(t, want, edn(t, res, err), "session %T", x)
	}
}

// resumed returns what a run prints of data/x that was stopped before it read it, and resumed.
func resumed(t *testing.T, path string, opts ptc.Options, given ptc.RunOptions) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	opts.Tools = ptctest.Tools(t, tool.New("stop", "Stops the first run.", func(context.Context, struct{}) (bool, error) {
		stop()
		return true, nil
	}, tool.ReadOnly()))
	p, err := ptc.Compile(t.Context(), "p", "(tool/stop) (pr-str data/x)", opts)
	require.NoError(t, err)
	_, err = p.Record(ctx, ptc.JournalFile{Path: path}, given)
	require.ErrorIs(t, err, context.Canceled)
	res, err := ptc.Resume(t.Context(), ptc.JournalFile{Path: path}, opts, ptc.RunOptions{})
	return edn(t, res, err)
}

// TestFloatsStayFloats has one rule for floats, wherever they are.
func TestFloatsStayFloats(t *testing.T) {
	p, err := ptc.Compile(t.Context(), "p", "data/x", ptc.Options{})
	require.NoError(t, err)
	for _, c := range []struct {
		x    any
		want string
	}{
		{2.0, "2.0"}, {float32(2), "2.0"}, {float32(0.1), "0.1"}, {math.Copysign(0, -1), "-0.0"}, {[]any{2.0}, "[2.0]"},
		{map[string]any{"x": 2.0}, "{:x 2.0}"}, {struct{ X float64 }{2}, "{:X 2.0}"}, {&struct{ X *float64 }{new(float64)}, "{:X 0.0}"},
		{map[string]float64{"x": 2}, "{:x 2.0}"}, {map[int]float32{1: 1e10}, "{:1 1.0E10}"}, {[]float64{1, 2.5}, "[1.0 2.5]"},
		{struct {
			X float64 `json:",string"`
		}{2}, `{:X "2"}`},
	} {
		res, err := p.Run(t.Context(), ptc.RunOptions{Data: map[string]any{"x": c.x}})
		assert.Equal(t, c.want, edn(t, res, err), "%#v", c.x)
	}
}

// TestMethodsOfPointers has methods of pointers called where encoding/json would not, because nothing has an address.
func TestMethodsOfPointers(t *testing.T) {
	p, err := ptc.Compile(t.Context(), "p", "data/x", ptc.Options{})
	require.NoError(t, err)
	for _, c := range []struct {
		x    any
		want string
	}{
		{pointerJSON{1}, "{:json [1]}"}, {pointerText{1}, `"text 1"`}, {[]pointerJSON{{1}}, "[{:json [1]}]"},
		{[1]pointerText{{1}}, `["text 1"]`}, {map[string]pointerJSON{"a": {1}}, "{:a {:json [1]}}"},
		{map[string]any{"a": pointerText{1}}, `{:a "text 1"}`}, {struct{ F pointerJSON }{pointerJSON{1}}, "{:F {:json [1]}}"},
		{struct {
			F zeroPointer `json:",omitzero"`
		}{zeroPointer{1}}, "{}"},
	} {
		res, err := p.Run(t.Context(), ptc.RunOptions{Data: map[string]any{"x": c.x}})
		assert.Equal(t, c.want, edn(t, res, err), "%#v", c.x)
	}
}

// failing and panicking marshal themselves badly.
type failingJSON struct{}

func (failingJSON) MarshalJSON() ([]byte, error) { return nil, errFailing }

var errFailing = errors.New("no such rate")

type panickingText struct{}

func (panickingText) MarshalText() ([]byte, error) { panic("out of ink") }

type brokenJSON struct{}

func (brokenJSON) MarshalJSON() ([]byte, error) { return []byte("[1"), nil }

// TestDataErrors wants who, what was got, where, and what was wanted.
func TestDataErrors(t *testing.T) {
	cycle := map[string]any{"n": 1}
	cycle["self"] = []any{cycle}
	type ring struct{ Next *ring }
	round := &ring{}
	round.Next = round
	p, err := ptc.Compile(t.Context(), "p", "data/x", ptc.Options{})
	require.NoError(t, err)
	for _, c := range []struct {
		x    any
		code diag.Code
		want string
	}{
		{math.NaN(), diag.WrongType, "data/x: got NaN, want a finite number"},
		{map[string]any{"rows": []any{map[string]any{"price": math.Inf(-1)}}}, diag.WrongType, `data/x: got -Inf at ["rows" 0 "price"], want a finite number`},
		{struct{ Price float32 }{float32(math.Inf(1))}, diag.WrongType, `data/x: got +Inf at ["Price"], want a finite number`},
		{map[string]float64{"a": 1, "b": math.NaN()}, diag.WrongType, `data/x: got NaN at ["b"], want a finite number`},
		{struct{ C chan int }{}, diag.WrongType, `data/x: got a Go chan int at ["C"], want data`},
		{map[any]any{}, diag.WrongType, `data/x: got a Go map[interface {}]interface {}, want data`},
		{[]any{complex(1, 2)}, diag.WrongType, `data/x: got a Go complex128 at [0], want data`},
		{cycle, diag.NestingTooDeep, `data/x: got data nested deeper at ["self" 0 "self" 0 "self" 0 "self" 0 "self" 0 "self" 0 … 500 more], want at most 512 levels`},
		{round, diag.NestingTooDeep, "want at most 512 levels"},
		{[]any{failingJSON{}}, diag.WrongType, "data/x: got a Go value of type ptc_test.failingJSON at [0], want JSON from its MarshalJSON: no such rate"},
		{map[string]any{"k": panickingText{}}, diag.WrongType, `want text from its MarshalText: it panicked: out of ink`},
		{brokenJSON{}, diag.WrongType, "want JSON from its MarshalJSON: JSON error at byte 2: unexpected end of text"},
		{[]any{json.RawMessage("1 2")}, diag.WrongType, "data/x: got a json.RawMessage at [0], want JSON: JSON error at byte 2: unexpected '2' after the value"},
		{json.RawMessage{}, diag.WrongType, "got a json.RawMessage, want JSON: JSON error at byte 0: unexpected end of text"},
		{[]json.Number{"true"}, diag.WrongType, `data/x: got the json.Number "true" at [0], want a number as JSON writes it`},
		{json.Number("+1"), diag.WrongType, `got the json.Number "+1", want`},
		{json.Number(" 1"), diag.WrongType, `got the json.Number " 1", want`},
		{new(big.Int).Lsh(big.NewInt(1), 20_000), diag.WrongType, "data/x: got an integer of 20001 bits, want at most 13600 bits"},
		{json.RawMessage("-1e400"), diag.WrongType, "data/x: got a json.RawMessage, want JSON: JSON error at byte 6: number -1e400 is too large for a float"},
		{json.Number("1e400"), diag.WrongType, `got the json.Number "1e400"`},
		{map[*textKey]int{nil: 1, {1}: 2, {2}: 3}, "", ""},
		{map[*textKey]int{{1}: 2, {N: 1}: 3}, diag.WrongType, `data/x: got two keys whose text is "k1", want keys of different texts`},
	} {
		given := ptc.RunOptions{Data: map[string]any{"x": c.x}}
		_, err := p.Run(t.Context(), given)
		_, rerr := p.Record(t.Context(), ptc.JournalFile{Path: filepath.Join(t.TempDir(), "j")}, given)
		for _, err := range []error{err, rerr} {
			if c.want == "" {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, &ptc.Error{Code: c.code}, c.want)
			require.ErrorContains(t, err, c.want)
		}
	}
	_, err = p.Run(t.Context(), ptc.RunOptions{Data: map[string]any{"x": failingJSON{}}})
	require.ErrorIs(t, err, errFailing)
}

// TestBadDataOfASession has data refused when it is set, and the data before kept.
func TestBadDataOfASession(t *testing.T) {
	s := ptc.NewSession(ptc.Options{Limits: ptc.Limits{Memory: 1 << 20}})
	data := map[string]any{"a": 1}
	require.NoError(t, s.SetData(data))
	data["a"], data["b"] = make(chan int), 2 // the session has a map of its own
	for i := range 2 {
		err := s.SetData(map[string]any{"a": 2, "bad": []any{make(chan int)}})
		require.ErrorIs(t, err, &ptc.Error{Code: diag.WrongType})
		require.ErrorContains(t, err, "data/bad: got a Go chan int at [0], want data")
		err = s.SetData(map[string]any{"large": make([]int, 1<<20)})
		require.ErrorIs(t, err, &ptc.Error{Code: diag.MemoryExceeded})
		require.ErrorContains(t, err, "data/large")
		res, err := s.Eval(t.Context(), "(inc data/a)", ptc.EvalOptions{})
		require.Equal(t, "2", edn(t, res, err), i)
	}
	require.Error(t, ptc.NewSession(ptc.Options{Limits: ptc.Limits{Memory: -1}}).SetData(nil))
}
