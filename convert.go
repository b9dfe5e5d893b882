// This file defines how Go values become values of the language.

package ptc

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"

	"github.com/ptc-lang/ptc/lang/jsonio"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// maxDepth bounds the nesting of converted values.
const maxDepth = 512

// toValue makes a value of a Go value. Keys of maps and structs become keywords
// unless keywords is false.
func toValue(t *value.Task, x any, keywords bool) (value.Value, error) {
	c := &importer{t: t, keywords: keywords, known: value.NewInterner(t, keywords)}
	return c.value(x, 0)
}

// importer converts one input.
type importer struct {
	t        *value.Task
	keywords bool
	known    value.Interner
	shapes   [value.MaxRecord + 1][maxShapes]*shape
}

func (c *importer) value(x any, depth int) (value.Value, error) {
	if depth > maxDepth {
		return value.Nil, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	c.t.Work(1)
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
		return value.Float(x), nil
	case string:
		return c.text(x)
	case json.Number:
		return c.number(x)
	case json.RawMessage:
		return jsonio.Decode(c.t, x, c.keywords)
	case *big.Int:
		if x == nil {
			return value.Nil, nil
		}
		return c.t.CopyBigInt(x), nil
	case []any:
		return c.slice(len(x), func(i int) any { return x[i] }, depth)
	case map[string]any:
		if len(x) <= value.MaxRecord {
			return c.record(x, depth)
		}
		return c.object(x, depth)
	}
	return c.reflected(reflect.ValueOf(x), depth)
}

// text converts a string. One that is not UTF-8 is converted as encoding/json does it, with U+FFFD for each byte
// that is not: no string of the language has other bytes.
func (c *importer) text(s string) (value.Value, error) {
	if !jsonio.ValidText(c.t, s) {
		return c.marshalled(reflect.ValueOf(s))
	}
	return c.known.String(s), nil
}

func (c *importer) number(n json.Number) (value.Value, error) {
	if i, err := n.Int64(); err == nil {
		return value.Int(i), nil
	}
	return jsonio.Decode(c.t, []byte(n), c.keywords)
}

func (c *importer) slice(n int, at func(i int) any, depth int) (value.Value, error) {
	var failed error
	v := c.t.VectorOf(n, func(block []value.Value, from int) {
		for i := 0; i < len(block) && failed == nil; i++ {
			v, err := c.value(at(from+i), depth+1)
			if err != nil {
				failed = fmt.Errorf("[%d]: %w", from+i, err)
			}
			block[i] = v
		}
	})
	return v, failed
}

// object makes a map, with its keys in order: Go's maps have none.
func (c *importer) object(m map[string]any, depth int) (value.Value, error) {
	table := limits.ObjectSize(len(m) * wordsBytes)
	c.t.Charge(table)
	defer c.t.Credit(table)
	names := make([]string, 0, len(m))
	for name := range m {
		c.t.Work(4)
		if !jsonio.ValidText(c.t, name) {
			return c.marshalled(reflect.ValueOf(m))
		}
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
			return value.Nil, fmt.Errorf("%s: %w", name, err)
		}
		c.t.TAssoc(out, c.known.Key(name), v)
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
		return c.marshalled(reflect.ValueOf(m))
	}
	for i, x := range given {
		v, err := c.value(x, depth+1)
		if err != nil {
			return value.Nil, fmt.Errorf("%s: %w", slices.Sorted(maps.Keys(m))[i], err)
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

// take puts the values of m into vals. It reports false if m has other keys than s.
// Go yields the entries of a small map in one order from anywhere in it, so that
// the name to come is mostly the next one of s.
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

// reflected converts the kinds of values that have no case of their own.
func (c *importer) reflected(v reflect.Value, depth int) (value.Value, error) {
	if marshals(v) {
		return c.marshalled(v)
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return value.Int(v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if u := v.Uint(); u > math.MaxInt64 {
			return c.t.BigInt(new(big.Int).SetUint64(u)), nil
		}
		return value.Int(int64(v.Uint())), nil
	case reflect.Float32, reflect.Float64:
		return value.Float(v.Float()), nil
	case reflect.Bool:
		return value.Bool(v.Bool()), nil
	case reflect.String:
		return c.text(v.String())
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			break
		}
		return c.slice(v.Len(), func(i int) any { return v.Index(i).Interface() }, depth)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return value.Nil, nil
		}
		return c.value(v.Elem().Interface(), depth+1)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return value.Nil, fmt.Errorf("a Go %s can't become a value", v.Type())
	}
	return c.marshalled(v)
}

// marshalled converts by way of JSON: structs, bytes, maps with other keys, and values that marshal themselves.
func (c *importer) marshalled(v reflect.Value) (value.Value, error) {
	data, err := json.Marshal(v.Interface())
	if err != nil {
		return value.Nil, err
	}
	size := limits.BytesSize(cap(data))
	c.t.Charge(size)
	defer c.t.Credit(size)
	return jsonio.Decode(c.t, data, c.keywords)
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// marshals reports whether encoding/json asks the value itself for its form.
func marshals(v reflect.Value) bool {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return false
	}
	return v.Type().Implements(marshaler) || v.Type().Implements(textMarshaler)
}
