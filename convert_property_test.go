// This file tests the conversion of Go values by comparison: with encoding/json, and of runs with recorded ones.

package ptc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/tool"
)

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
	values := goValues(t, testlevel.Size(1500, 4000))
	for i, x := range values {
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
		isStruct := reflect.TypeOf(x).Elem().Kind() == reflect.Struct
		if w, g := memberNames(string(want)), memberNames(got); isStruct && len(w) <= 8 {
			require.Equal(t, w, g, "%T", x)
		}
	}
	assert.Less(t, refused, len(values)/10)
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

// TestRunsSeeWhatRecordedRunsSee compares the data that a program prints in a run, in a recorded run, in
// its replay, in a resumed run, and in a session.
func TestRunsSeeWhatRecordedRunsSee(t *testing.T) {
	values := append(goValues(t, 200), []any{nil, []any(nil), map[string]any(nil), []int(nil), map[string]int(nil),
		[]any{}, map[string]any{}, 2.0, math.Copysign(0, -1), float32(0.1), float32(3), 1e300, 5e-324, math.MaxFloat64,
		math.MaxInt64, uint64(math.MaxUint64), new(big.Int).Lsh(big.NewInt(1), 13_000), *big.NewInt(-5),
		json.Number("1.0"), json.Number("-0"), json.Number("-0.0"),
		json.RawMessage(`{"a":1,"a":2.0,"b/c":null,"":1e300}`), json.RawMessage("1e400"),
		json.RawMessage("[-1e-400]"), "\xff\u2028\x00", map[string]any{"a/b": 1, "/": 2, "": 3, "a b": 4, "é": []any{}},
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

// resumed stops a run before it reads data/x, resumes it, and returns the printed form of data/x.
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

// TestTypesAreMetAtOnce has many runs of one program meet types that refer to each other.
func TestTypesAreMetAtOnce(t *testing.T) {
	type tree struct {
		N     float64
		Left  *tree
		Right []tree
		Any   map[string]*tree
	}
	x := tree{1, &tree{N: 2}, []tree{{N: 3}}, map[string]*tree{"a": {N: 4}}}
	p, err := ptc.Compile(t.Context(), "p", "(reduce + (filter number? (tree-seq coll? seq data/x)))", ptc.Options{})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for _, x := range []any{x, &x, x.Right, x.Any, x.Left}[i%5:] {
				_, err := p.Run(t.Context(), ptc.RunOptions{Data: map[string]any{"x": x}})
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	res, err := p.Run(t.Context(), ptc.RunOptions{Data: map[string]any{"x": x}})
	assert.Equal(t, "10.0", edn(t, res, err))
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
