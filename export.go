// This file defines how values of the language become Go values.

package ptc

import (
	"encoding/json"
	"math/big"
	"slices"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/jsonio"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// plainKinds are the values that become Go values of a fixed size.
var plainKinds = value.Kinds(value.KindNil, value.KindBool, value.KindInt, value.KindFloat,
	value.KindString, value.KindChar)

// maxExported bounds the nesting of values that become Go values, on the Go stack. It is that of printing.
const maxExported = 2000

// The sizes of Go values, in bytes. The sizes of maps are those of Go 1.26 (internal/runtime/maps):
// TestGoValuesAreCharged compares all of them with the running release.
const (
	wordsBytes   = 16 // an interface, or the header of a string
	sliceBytes   = 24 // the header of a slice
	bigBytes     = 32 // a big.Int
	scalarBytes  = 8  // a number in an interface, or a character
	stringBytes  = 64 // a string of the language that holds a text
	mapBytes     = 48 // the header of a map
	groupEntries = 8
	groupBytes   = 8 + groupEntries*2*wordsBytes // the entries, and a mark for each used one
	tableBytes   = 64                            // the header of a table of groups
	tableMost    = 896                           // entries of a table, which is split beyond
	// Beyond one table a map takes up to 92 bytes for an entry: each of its tables, of 40 KB, is at least half full.
	largeEntry = 96
)

// goMapSize returns the most bytes that a map[string]any of n entries takes, without its keys and values.
func goMapSize(n int) int64 {
	switch {
	case n == 0:
		return mapBytes
	case n <= groupEntries:
		return mapBytes + limits.ObjectSize(groupBytes)
	case n <= tableMost:
		groups := 2
		for groups*groupEntries*7/8 < n {
			groups *= 2
		}
		return mapBytes + 2*tableBytes + limits.ObjectSize(groups*groupBytes)
	}
	return mapBytes + int64(n)*largeEntry + limits.ObjectSize(128*groupBytes)
}

// exporter makes a Go value. It charges everything before it makes it. A Go value shares only the bytes of strings,
// which are immutable.
type exporter struct {
	t     *value.Task
	path  jsonio.Path
	depth int
}

// toGo makes a Go value of a realised value. A value of another kind (a function, a pattern …) becomes the
// string that it is in JSON.
func (e *exporter) toGo(v value.Value) any {
	switch {
	case v.Is(value.Maps):
		return e.toMap(v)
	case v.Is(value.Colls):
		return e.toSlice(v)
	case v.Kind() == value.KindBigInt:
		return e.bigInt(v.AsBigInt().N)
	case v.Kind() == value.KindRatio:
		e.t.Charge(limits.BytesSize(scalarBytes))
		held := e.t.Used()
		f := value.ToDouble(e.t, v)
		e.t.SetUsed(held) // without the memory of the division
		return f
	case v.Kind() == value.KindDecimal:
		e.t.Charge(limits.ObjectSize(wordsBytes))
		return json.Number(e.text(func() string { return e.t.Str(v).AsString().S }))
	case v.IsKeyword(), v.IsSymbol():
		e.t.Charge(limits.ObjectSize(wordsBytes))
		return e.keyText(v)
	case v.Is(plainKinds):
		e.t.Charge(limits.BytesSize(scalarBytes))
		if v.IsString() || v.Kind() == value.KindChar {
			e.t.Charge(limits.ObjectSize(wordsBytes))
		}
		return plain(v)
	}
	e.t.Charge(limits.ObjectSize(wordsBytes))
	return e.text(func() string { return jsonio.TextOf(e.t, v) })
}

// text returns a new string. Only the string stays charged, and not the memory that was used to make it.
func (e *exporter) text(made func() string) string {
	held := e.t.Used()
	text := made()
	e.t.SetUsed(held + stringBytes + limits.BytesSize(len(text)))
	return text
}

// plain makes a Go value of a value of plainKinds.
func plain(v value.Value) any {
	switch v.Kind() {
	case value.KindBool:
		return v.AsBool()
	case value.KindInt:
		return v.AsInt()
	case value.KindFloat:
		return v.AsFloat()
	case value.KindString:
		return v.AsString().S
	case value.KindChar:
		return string(v.AsChar())
	}
	return nil
}

func (e *exporter) bigInt(n *big.Int) any {
	e.t.Charge(limits.ObjectSize(bigBytes) + limits.BytesSize(len(n.Bits())*8))
	out := new(big.Int).SetBits(slices.Clone(n.Bits()))
	if n.Sign() < 0 {
		out.Neg(out)
	}
	return out
}

// enter and leave bracket the values in a collection.
func (e *exporter) enter() {
	if e.depth++; e.depth > maxExported {
		e.t.FailHint(diag.NestingTooDeep, "build a flatter value", "data nested deeper than %d levels", maxExported)
	}
}

func (e *exporter) leave() { e.depth-- }

// maxGoMap is the number of entries for which a Go map is allocated. A larger map grows in steps, and the
// run can be stopped between them: allocating a million entries at once takes some 30 milliseconds.
const maxGoMap = 1 << 14

func (e *exporter) toMap(v value.Value) map[string]any {
	e.enter()
	n := value.MapCount(v)
	if jsonio.MixedKeys(v) {
		e.path.WantDistinct(e.t, v, e.keyText)
	}
	e.t.Charge(goMapSize(n))
	out := make(map[string]any, min(n, maxGoMap))
	for it := value.NewMapIter(v); it.Next(); {
		e.t.Work(4)
		e.path.Enter(it.Key)
		x := e.toGo(it.Val)
		e.path.Leave()
		out[e.keyText(it.Key)] = x
	}
	e.leave()
	return out
}

func (e *exporter) toSlice(v value.Value) []any {
	e.enter()
	n := e.t.Count(v)
	e.t.Charge(limits.ObjectSize(sliceBytes) + limits.ObjectSize(n*wordsBytes))
	out := make([]any, 0, n)
	e.t.Each(v, func(x value.Value) bool {
		e.t.Work(1)
		e.path.Enter(value.Int(int64(len(out))))
		out = append(out, e.toGo(x)) // within the capacity
		e.path.Leave()
		return true
	})
	e.leave()
	return out
}

// keyText returns the text that a key of a map becomes.
func (e *exporter) keyText(k value.Value) string {
	if k.IsString() {
		return k.AsString().S
	}
	if k.IsKeyword() && k.AsKeyword().NS == "" {
		return k.AsKeyword().Name
	}
	return e.text(func() string { return jsonio.KeyText(e.t, k) })
}
