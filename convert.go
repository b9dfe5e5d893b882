// This file defines how Go values become values of the language.

package ptc

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/lang/jsonio"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// maxDepth bounds the nesting of converted values. It is that of JSON, so a journal can hold all of them.
const maxDepth = 512

// maxIntegerBits bounds converted integers: an integer of this many bits has no more decimal digits than a
// JSON number may have.
const maxIntegerBits = 13_600

// importer converts one input. Each Go value becomes the value of the JSON that package encoding/json writes for it,
// with two exceptions: a float stays a float, and methods of pointers are called whether or not the value has an
// address.
type importer struct {
	t        *value.Task
	types    *goTypes
	keywords bool // keys of maps and structs become keywords, and strings otherwise
	known    value.Interner
	shapes   [value.MaxRecord + 1][maxShapes]*shape
	keys     map[*goType][]value.Value // of the members of structs
	json     *jsonio.Reader            // nil until it is needed
}

func newImporter(t *value.Task, types *goTypes, keywords bool) *importer {
	return &importer{t: t, types: types, keywords: keywords, known: value.NewInterner(t, keywords)}
}

// converted converts an input outside of a run, under the bounds of one, and calls use with the value.
func converted(ctx context.Context, name string, x any, o *Options, types *goTypes,
	use func(t *value.Task, v value.Value)) (err *diag.Error) {
	l := o.Limits.OrDefault()
	a := eval.Afterwards{Limits: l, Memory: l.Memory + roomAfter}
	failed := a.Do(ctx, func(t *value.Task) {
		v, verr := newImporter(t, types, !o.StringKeys).value(x, 0)
		if verr != nil {
			err = wrongData(name, verr)
			return
		}
		use(t, v)
	})
	switch {
	case failed == nil:
		return err
	case failed.Code == diag.MemoryExceeded:
		return diag.New(diag.MemoryExceeded, token.Span{}, "data/%s: got data that takes more than %s, the memory of a run",
			name, diag.Counted(l.Memory, "byte")).WithHint("pass less data, or raise the memory limit (--memory)")
	}
	return causedBy(ctx, failed)
}

// value converts any Go value. Types of inputs that are made without structs have cases of their own, for speed.
func (c *importer) value(x any, depth int) (value.Value, error) {
	switch x := x.(type) {
	case nil:
		return value.Nil, nil
	case bool:
		return value.Bool(x), nil
	case int:
		return value.Int(int64(x)), nil
	case int64:
		return value.Int(x), nil
	case float64:
		return c.float(x)
	case string:
		return c.text(x)
	case []any:
		if x == nil {
			return value.Nil, nil
		}
		return c.list(len(x), depth, func(i int) (value.Value, error) { return c.value(x[i], depth+1) })
	case map[string]any:
		return c.anys(x, depth)
	}
	v := reflect.ValueOf(x)
	return c.reflected(v, c.types.of(v.Type()), depth)
}

func (c *importer) float(f float64) (value.Value, error) {
	if f != f || math.IsInf(f, 0) {
		return value.Nil, &misfit{got: strconv.FormatFloat(f, 'g', -1, 64), want: "a finite number",
			hint: "pass nil or a string: JSON, which a journal has, knows neither NaN nor infinities"}
	}
	return value.Float(f), nil
}

// text converts a string. Each byte that is not UTF-8 becomes U+FFFD, as in encoding/json: no string of the language
// has other bytes.
func (c *importer) text(s string) (value.Value, error) {
	if jsonio.ValidText(c.t, s) {
		return c.known.String(s), nil
	}
	valid, size := c.valid(s)
	defer c.t.Credit(size)
	return c.t.CopyString(valid), nil
}

// valid returns s with U+FFFD for each byte that is not UTF-8, and its size, which is charged.
func (c *importer) valid(s string) (valid string, size int64) {
	size = limits.BytesSize(len(s) * len("\ufffd"))
	c.t.Charge(size)
	c.t.Work(int64(len(s)) / 8)
	var b strings.Builder
	b.Grow(len(s) * len("\ufffd"))
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String(), size
}

// key returns the key of a name.
func (c *importer) key(name string) value.Value {
	if jsonio.ValidText(c.t, name) {
		return c.known.Key(name)
	}
	valid, size := c.valid(name)
	defer c.t.Credit(size)
	return c.known.Key(valid)
}

func (c *importer) bigInt(n *big.Int) (value.Value, error) {
	switch {
	case n.IsInt64():
		return value.Int(n.Int64()), nil
	case n.BitLen() > maxIntegerBits:
		return value.Nil, &misfit{got: fmt.Sprintf("an integer of %d bits", n.BitLen()),
			want: fmt.Sprintf("at most %d bits", maxIntegerBits), hint: "pass it as a string"}
	}
	return c.t.CopyBigInt(n), nil
}

// list makes a vector of n elements, which at returns.
func (c *importer) list(n, depth int, at func(i int) (value.Value, error)) (value.Value, error) {
	if depth >= maxDepth {
		return value.Nil, tooDeep()
	}
	var failed error
	v := c.t.VectorOf(n, func(block []value.Value, from int) {
		for i := 0; i < len(block) && failed == nil; i++ {
			c.t.Work(1)
			v, err := at(from + i)
			if err != nil {
				failed = within(err, from+i)
			}
			block[i] = v
		}
	})
	return v, failed
}

// anys makes a map. Its keys are in order, because Go's maps have none.
func (c *importer) anys(m map[string]any, depth int) (value.Value, error) {
	switch {
	case m == nil:
		return value.Nil, nil
	case depth >= maxDepth:
		return value.Nil, tooDeep()
	case len(m) <= value.MaxRecord:
		return c.record(m, depth)
	}
	return c.large(m, depth)
}

// large makes a map of any number of keys.
func (c *importer) large(m map[string]any, depth int) (value.Value, error) {
	table := limits.ObjectSize(len(m) * wordsBytes)
	c.t.Charge(table)
	defer c.t.Credit(table)
	names := make([]string, 0, len(m))
	for name := range m {
		c.t.Work(4)
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		c.t.Work(4)
		return value.CompareText(c.t, a, b)
	})
	out := c.t.Transient(value.EmptyMap)
	for _, name := range names {
		v, err := c.value(m[name], depth+1)
		if err != nil {
			return value.Nil, within(err, name)
		}
		c.t.TAssoc(out, c.key(name), v)
	}
	return c.t.Persistent(out), nil
}

// shape has the keys that small maps share. Records have the same keys again and again, so the keys are sorted and
// made keywords only once.
type shape struct {
	keys  value.Shape // in the order of their names
	names []string    // in the order in which Go gave them at first
	place []int       // of each name in keys
}

const (
	// maxShapes is the number of shapes of maps of one size that are kept.
	maxShapes = 4
	// A shape takes shapeBytes at most, and shapeKeyBytes for each of its keys.
	shapeBytes    = 256
	shapeKeyBytes = 32
)

// record makes a map of few keys.
func (c *importer) record(m map[string]any, depth int) (value.Value, error) {
	var block [value.MaxRecord]any
	var vals [value.MaxRecord]value.Value
	given := block[:len(m)]
	s := c.shapeOf(m, given)
	if s == nil {
		return c.large(m, depth)
	}
	c.t.Work(int64(len(m)))
	for i, x := range given {
		v, err := c.value(x, depth+1)
		if err != nil {
			return value.Nil, within(err, slices.Sorted(maps.Keys(m))[i])
		}
		vals[i] = v
	}
	return s.keys.Map(c.t, vals[:len(m)]), nil
}

// shapeOf returns the shape of a map, and puts its values into vals in the order of
// the shape's keys. It returns nil if a key is not UTF-8.
func (c *importer) shapeOf(m map[string]any, vals []any) *shape {
	known := &c.shapes[len(m)]
	for _, s := range known {
		if s != nil && s.take(m, vals) {
			return s
		}
	}
	for name := range m {
		if !jsonio.ValidText(c.t, name) {
			return nil
		}
	}
	c.t.Charge(int64(len(m))*shapeKeyBytes + shapeBytes)
	if known[maxShapes-1] != nil { // which is let go
		c.t.Credit(int64(len(m))*shapeKeyBytes + shapeBytes)
	}
	s := c.newShape(m)
	copy(known[1:], known[:])
	known[0] = s
	s.take(m, vals)
	return s
}

// take puts the values of m into vals. It reports false if the keys of m differ from those of s. Go
// iterates over a small map in a fixed order that starts anywhere, so the next name is usually the next one
// of s.
func (s *shape) take(m map[string]any, vals []any) bool {
	at := 0
	for name, x := range m {
		for i := 0; s.names[at] != name; i++ {
			if i == len(s.names) {
				return false
			}
			if at++; at == len(s.names) {
				at = 0
			}
		}
		vals[s.place[at]] = x
		if at++; at == len(s.names) {
			at = 0
		}
	}
	return true
}

// newShape makes the shape of a map. The names belong to the host, and are dropped with the importer.
func (c *importer) newShape(m map[string]any) *shape {
	s := &shape{names: slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m)), place: make([]int, len(m))}
	sorted := slices.Sorted(slices.Values(s.names))
	keys := make([]value.Value, len(m))
	for i, name := range s.names {
		s.place[i], _ = slices.BinarySearch(sorted, name)
		keys[s.place[i]] = c.known.Key(name)
	}
	s.keys = value.NewShape(keys)
	return s
}

// reader returns the reader of JSON in the input.
func (c *importer) reader() *jsonio.Reader {
	if c.json == nil {
		c.json = jsonio.NewReader(c.t, c.keywords)
	}
	return c.json
}

// raw converts JSON of the host.
func (c *importer) raw(text json.RawMessage, depth int) (value.Value, error) {
	if text == nil {
		return value.Nil, nil
	}
	v, err := c.reader().Value(text, depth)
	if err != nil {
		return value.Nil, &misfit{got: "a json.RawMessage", want: "JSON", err: err}
	}
	return v, nil
}

// number converts a json.Number. The zero one is 0, as in encoding/json.
func (c *importer) number(n json.Number) (value.Value, error) {
	if n == "" {
		return value.Int(0), nil
	}
	digits := strings.TrimPrefix(string(n), "-")
	if i, err := n.Int64(); err == nil && n[0] != '+' && (digits[0] != '0' || n == "0") {
		return value.Int(i), nil
	}
	if strings.ContainsAny(string(n[0]), "-0123456789") && n[len(n)-1] <= '9' && n[len(n)-1] >= '0' {
		if v, err := c.reader().Value([]byte(n), 0); err == nil {
			return v, nil
		}
	}
	return value.Nil, &misfit{got: "the json.Number " + quoted(string(n)), want: "a number as JSON writes it"}
}
