// This file defines sorting: a merge sort for comparators that are builtins, and the beginning and
// the end of a sort by a comparator of the program.

package colls

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var sortNatives = []entry.Entry{
	{NS: "clojure.core", Name: "%native?", Args: "f", Private: true, Cost: entry.Constant, Fn: isNative,
		Doc: "Returns true if f is a builtin written in Go, which a builtin may call."},
	{NS: "clojure.core", Name: "%sort", Args: "cmp keys:box vals:box", Private: true, Cost: entry.Sorts, Fn: sortBoxes,
		Doc: "Returns the sequence of vals sorted by keys with a builtin comparator; keys and vals may be the same box."},
	{NS: "clojure.core", Name: "%sort-start", Args: "cmp keys:box vals:box", Private: true, Cost: entry.PerElement,
		Fn:  sortStart,
		Doc: "Begins to sort vals by keys with a comparator of the program; keys and vals may be the same box."},
	{NS: "clojure.core", Name: "%sort-end", Args: "state", Private: true, Cost: entry.PerElement, Fn: sortEnd,
		Doc: "Returns the sequence of the sorted values."},
}

func isNative(_ *value.Task, args []value.Value) value.Value {
	return value.Bool(args[0].Kind() == value.KindNative)
}

func sortBoxes(t *value.Task, args []value.Value) value.Value {
	keys, vals := &args[1].AsBox().Blocks, &args[2].AsBox().Blocks
	if vals.Len() < 2 {
		return plainSeq(t, vals, 0)
	}
	less := lessBy(t, args[0], keys)
	ownKeys := t.CopyBlocks(keys)
	if args[1].Header() == args[2].Header() {
		sortRows(t, less, &ownKeys, nil)
		return plainSeq(t, &ownKeys, 0)
	}
	ownVals := t.CopyBlocks(vals)
	sortRows(t, less, &ownKeys, &ownVals)
	return plainSeq(t, &ownVals, 0)
}

// lessBy returns the order of a builtin comparator, nil for compare: direct comparison where all keys
// are integers or all are strings, else the comparator itself.
func lessBy(t *value.Task, cmp value.Value, keys *value.Blocks) func(a, b *value.Value) bool {
	name := "compare"
	if !cmp.IsNil() {
		name = cmp.AsNative().Name
	}
	if name == "compare" || name == "<" || name == ">" {
		switch {
		case allOf(t, keys, value.KindInt) && name == ">":
			return func(a, b *value.Value) bool { return a.AsInt() > b.AsInt() }
		case allOf(t, keys, value.KindInt):
			return func(a, b *value.Value) bool { return a.AsInt() < b.AsInt() }
		case name == "compare":
			return func(a, b *value.Value) bool { return value.Compare(t, *a, *b) < 0 }
		}
	}
	pair := make([]value.Value, 2)
	return func(a, b *value.Value) bool {
		pair[0], pair[1] = *a, *b
		return value.IsBefore(t, cmp.AsNative().Fn(t, pair))
	}
}

func allOf(t *value.Task, row *value.Blocks, k value.Kind) bool {
	for _, vals := range row.All() {
		t.Look()
		for i := range vals {
			if vals[i].Kind() != k {
				return false
			}
		}
	}
	return true
}

// sortRows sorts keys, and vals along with them if there are any: each block separately, and then the
// sorted blocks are merged.
func sortRows(t *value.Task, less func(a, b *value.Value) bool, keys, vals *value.Blocks) {
	n := keys.Len()
	m := merger{t: t, less: less, keys: keys, tmpKeys: t.Blocks(n), both: vals != nil}
	if m.both {
		m.vals, m.tmpVals = vals, t.Blocks(n)
	}
	for from, block := range keys.All() {
		s := sorter{t: t, less: less, keys: block, tmpKeys: m.tmpKeys.From(0), both: m.both}
		s.vals, s.tmpVals = s.keys, s.tmpKeys
		if m.both {
			s.vals, s.tmpVals = vals.From(from), m.tmpVals.From(0)
		}
		s.sort(0, len(block))
	}
	for width := value.BlockVals; width < n; width *= 2 {
		for lo := 0; lo < n; lo += 2 * width {
			m.merge(lo, min(lo+width, n), min(lo+2*width, n))
		}
		m.swap()
	}
}

// sorter is a merge sort of keys, and of vals along with them, in one block.
type sorter struct {
	t             *value.Task
	less          func(a, b *value.Value) bool
	keys, tmpKeys []value.Value
	vals, tmpVals []value.Value
	both          bool // vals is another block than keys
}

// insertionMax is the length up to which insertion is faster than merging.
const insertionMax = 12

func (s *sorter) sort(lo, hi int) {
	if hi-lo <= insertionMax {
		s.insert(lo, hi)
		return
	}
	mid := int(uint(lo+hi) >> 1)
	s.sort(lo, mid)
	s.sort(mid, hi)
	if !s.less(&s.keys[mid], &s.keys[mid-1]) {
		return
	}
	s.merge(lo, mid, hi)
}

func (s *sorter) insert(lo, hi int) {
	s.t.Work(int64(hi - lo))
	for i := lo + 1; i < hi; i++ {
		k, v := s.keys[i], s.vals[i]
		j := i
		for ; j > lo && s.less(&k, &s.keys[j-1]); j-- {
			s.keys[j] = s.keys[j-1]
			if s.both {
				s.vals[j] = s.vals[j-1]
			}
		}
		s.keys[j] = k
		if s.both {
			s.vals[j] = v
		}
	}
}

// merge merges two sorted runs; equal elements stay in order.
func (s *sorter) merge(lo, mid, hi int) {
	copy(s.tmpKeys[lo:mid], s.keys[lo:mid])
	if s.both {
		copy(s.tmpVals[lo:mid], s.vals[lo:mid])
	}
	i, j, k := lo, mid, lo
	for ; i < mid && j < hi; k++ {
		s.t.Work(1)
		if s.less(&s.keys[j], &s.tmpKeys[i]) {
			s.keys[k] = s.keys[j]
			if s.both {
				s.vals[k] = s.vals[j]
			}
			j++
			continue
		}
		s.keys[k] = s.tmpKeys[i]
		if s.both {
			s.vals[k] = s.tmpVals[i]
		}
		i++
	}
	copy(s.keys[k:], s.tmpKeys[i:mid])
	if s.both {
		copy(s.vals[k:], s.tmpVals[i:mid])
	}
}

// merger merges sorted runs of keys, and of vals along with them, in several blocks.
type merger struct {
	t          *value.Task
	less       func(a, b *value.Value) bool
	keys, vals *value.Blocks
	tmpKeys    value.Blocks
	tmpVals    value.Blocks
	both       bool
}

// swap makes the merged rows the keys and values.
func (m *merger) swap() {
	*m.keys, m.tmpKeys = m.tmpKeys, *m.keys
	if m.both {
		*m.vals, m.tmpVals = m.tmpVals, *m.vals
	}
}

// merge merges the runs from lo to mid and from there to hi to their place in tmpKeys;
// equal elements stay in order.
func (m *merger) merge(lo, mid, hi int) {
	i, j, k := lo, mid, lo
	for ; i < mid && j < hi; k++ {
		m.t.Work(1)
		from := i
		if m.less(m.keys.At(j), m.keys.At(i)) {
			from = j
			j++
		} else {
			i++
		}
		*m.tmpKeys.At(k) = *m.keys.At(from)
		if m.both {
			*m.tmpVals.At(k) = *m.vals.At(from)
		}
	}
	m.rest(k, i, mid)
	m.rest(k+mid-i, j, hi)
}

// rest copies the rest of a run.
func (m *merger) rest(k, from, to int) {
	m.tmpKeys.Move(m.t, k, m.keys, from, to)
	if m.both {
		m.tmpVals.Move(m.t, k, m.vals, from, to)
	}
}

// sortableBy are the kinds that Clojure accepts as a comparator.
var sortableBy = value.Kinds(value.KindFn, value.KindNative, value.KindProtocolFn, value.KindRecord, value.KindObject)

func sortStart(t *value.Task, args []value.Value) value.Value {
	keys, vals := &args[1].AsBox().Blocks, &args[2].AsBox().Blocks
	if keys.Len() > 0 && !args[0].Is(sortableBy) {
		t.Fail(diag.WrongType, "sort: got %s, want a function as comparator", value.Describe(t, args[0]))
	}
	if args[1].Header() == args[2].Header() {
		return t.Sorting(t.CopyBlocks(keys), value.Blocks{})
	}
	return t.Sorting(t.CopyBlocks(keys), t.CopyBlocks(vals))
}

func sortEnd(t *value.Task, args []value.Value) value.Value {
	return plainSeq(t, args[0].AsSorting().Sorted(), 0)
}
