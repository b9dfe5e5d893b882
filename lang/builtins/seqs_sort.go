// This file defines sorting: a merge sort for comparators that are builtins, and
// the beginning and end of one by a comparator of the program.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

var sortNatives = []Entry{
	{NS: "clojure.core", Name: "%native?", Args: "f", Private: true, Cost: Constant, Fn: isNative,
		Doc: "Says whether f is a builtin written in Go, which a builtin may call."},
	{NS: "clojure.core", Name: "%sort", Args: "cmp keys:box vals:box", Private: true, Cost: Sorts, Fn: sortBoxes,
		Doc: "The sequence of vals sorted by keys with a builtin comparator; keys and vals may be the same box."},
	{NS: "clojure.core", Name: "%sort-start", Args: "cmp keys:box vals:box", Private: true, Cost: PerElement, Fn: sortStart,
		Doc: "Begins to sort vals by keys with a comparator of the program; keys and vals may be the same box."},
	{NS: "clojure.core", Name: "%sort-end", Args: "state", Private: true, Cost: PerElement, Fn: sortEnd,
		Doc: "The sequence of what was sorted."},
}

func isNative(_ *value.Task, args []value.Value) value.Value {
	return value.Bool(args[0].Kind() == value.KindNative)
}

func sortBoxes(t *value.Task, args []value.Value) value.Value {
	keys, vals := args[1].AsBox().Vals, args[2].AsBox().Vals
	n := len(vals)
	if n < 2 {
		return plainSeq(t, vals)
	}
	s := sorter{t: t, less: lessBy(t, args[0], keys)}
	same := args[1].Header() == args[2].Header()
	s.vals, s.tmpVals = copyVals(t, vals), t.Vals(n)
	if same {
		s.keys, s.tmpKeys = s.vals, s.tmpVals
	} else {
		s.keys, s.tmpKeys = copyVals(t, keys), t.Vals(n)
	}
	s.both = !same
	s.sort(0, n)
	return plainSeq(t, s.vals)
}

func copyVals(t *value.Task, vals []value.Value) []value.Value {
	out := t.Vals(len(vals))
	t.CopyVals(out, vals)
	return out
}

// lessBy gives the order of a builtin comparator, nil for compare: direct comparison where all keys
// are integers or all are strings, else the comparator itself.
func lessBy(t *value.Task, cmp value.Value, keys []value.Value) func(a, b *value.Value) bool {
	name := "compare"
	if !cmp.IsNil() {
		name = cmp.AsNative().Name
	}
	if name == "compare" || name == "<" || name == ">" {
		switch {
		case allOf(keys, value.KindInt) && name == ">":
			return func(a, b *value.Value) bool { return a.AsInt() > b.AsInt() }
		case allOf(keys, value.KindInt):
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

func allOf(vals []value.Value, k value.Kind) bool {
	for i := range vals {
		if vals[i].Kind() != k {
			return false
		}
	}
	return true
}

// sorter is a merge sort of keys, and of vals along with them.
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

// sortableBy are the kinds that Clojure takes as a comparator.
var sortableBy = value.Kinds(value.KindFn, value.KindNative, value.KindProtocolFn, value.KindRecord, value.KindObject)

func sortStart(t *value.Task, args []value.Value) value.Value {
	keys, vals := args[1].AsBox().Vals, args[2].AsBox().Vals
	if len(keys) > 0 && !args[0].Is(sortableBy) {
		t.Fail(diag.WrongType, "sort: got %s, want a function as comparator", value.Describe(t, args[0]))
	}
	t.Work(int64(len(keys)))
	if args[1].Header() == args[2].Header() {
		return t.Sorting(copyVals(t, keys), nil)
	}
	return t.Sorting(copyVals(t, keys), copyVals(t, vals))
}

func sortEnd(t *value.Task, args []value.Value) value.Value {
	return plainSeq(t, args[0].AsSorting().Sorted())
}
