// This file builds lists, vectors, maps and sets when their bracket closes, and checks for
// duplicate keys.

package parser

import (
	"fmt"
	"math/bits"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// collect builds the collection of a frame whose bracket closes before byte end.
func (r *reader) collect(f *frame, end int) value.Value {
	items := r.items[f.base:]
	switch f.kind {
	case frameList:
		return r.list(f.start, items...)
	case frameVector:
		return r.t.Vector(items...)
	case frameFn:
		return r.closeFn(f, items)
	case frameSet:
		if i := r.duplicate(items, 1); i >= 0 {
			r.failDuplicate(f, i, "element", "a set literal names each element once")
			return value.Nil
		}
		return r.t.SetLiteral(items)
	}
	if len(items)%2 != 0 {
		r.failOdd(f, end)
		return value.Nil
	}
	if f.qualified {
		for i := 0; i < len(items); i += 2 {
			items[i] = r.qualify(items[i], f.text)
		}
	}
	if i := r.duplicate(items, 2); i >= 0 {
		r.failDuplicate(f, i, "key", "a map literal names each key once")
		return value.Nil
	}
	return r.t.MapLiteral(items)
}

// list builds a list that begins at byte start.
func (r *reader) list(start int, vals ...value.Value) value.Value {
	l := r.t.List(vals...)
	if len(vals) > 0 {
		l.AsCons().Pos = r.file.Pos(start)
	}
	return l
}

// smallSet is the number of keys up to which each key is compared with every other.
const smallSet = 8

// duplicate returns the index of the first of items, by step, that equals an earlier one, or -1.
func (r *reader) duplicate(items []value.Value, step int) int {
	n := len(items) / step
	if n > smallSet {
		return r.duplicateByHash(items, step)
	}
	for i := 1; i < n; i++ {
		for j := range i {
			if r.equal(items[i*step], items[j*step]) {
				return i * step
			}
		}
	}
	return -1
}

// duplicateByHash is duplicate with a hash table.
func (r *reader) duplicateByHash(items []value.Value, step int) int {
	n := len(items) / step
	width := bits.Len(uint(n)) + 1
	size := 1 << width
	r.t.Charge(limits.BytesSize(4 * size))
	table := make([]int32, size) // index+1 of an item
	for i := range n {
		v := items[i*step]
		// Fibonacci hashing, because the hashes of characters differ in few bits.
		slot := int(value.Hash(r.t, v) * 0x9e3779b9 >> (32 - width))
		for table[slot] != 0 {
			if r.equal(v, items[table[slot]-1]) {
				return i * step
			}
			r.t.Work(1)
			slot = (slot + 1) & (size - 1)
		}
		table[slot] = int32(i*step) + 1
	}
	return -1
}

// equal is =, with shortcuts for common keys.
func (r *reader) equal(a, b value.Value) bool {
	switch {
	case value.Identical(a, b) && !a.IsFloat(): // ##NaN is not = to itself
		return true
	case a.IsKeyword() && b.IsKeyword():
		ka, kb := a.AsKeyword(), b.AsKeyword()
		return ka.Name == kb.Name && ka.NS == kb.NS
	case a.IsSymbol() && b.IsSymbol():
		sa, sb := a.AsSymbol(), b.AsSymbol()
		return sa.Name == sb.Name && sa.NS == sb.NS
	case a.IsString() && b.IsString():
		return a.AsString().S == b.AsString().S
	}
	return value.Equal(r.t, a, b)
}

func (r *reader) failDuplicate(f *frame, i int, what, hint string) {
	at := r.spans[f.base+i]
	first := -1
	for j := range r.spans[f.base : f.base+i] {
		if r.equal(r.items[f.base+j], r.items[f.base+i]) {
			first = f.base + j
			break
		}
	}
	message := fmt.Sprintf("duplicate %s %s", what, r.quote(at.start, at.end))
	if first >= 0 {
		message += ", first at " + r.lineCol(r.spans[first].start)
	}
	r.failAt(at.start, at.end, message, hint)
}

func (r *reader) failOdd(f *frame, end int) {
	n := len(r.items) - f.base
	last := r.spans[len(r.spans)-1]
	r.failAt(f.start, end, fmt.Sprintf("a map needs pairs of keys and values, but has %s; the last, %s, has no value",
		diag.Counted(n, "form"), r.quote(last.start, last.end)),
		"add the missing value or key; #_ and comments do not count as forms")
}
