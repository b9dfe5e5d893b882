// This file defines sorting: a merge sort for comparators that are builtins, and
// one that gives out the pairs to compare, for those of the program.

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
	{NS: "clojure.core", Name: "%sort-start", Args: "cmp keys:box", Private: true, Cost: PerElement, Fn: sortStart,
		Doc: "The state of a sort by a comparator of the program; its first two values are what to compare next."},
	{NS: "clojure.core", Name: "%sort-first", Args: "state:box", Private: true, Cost: Constant, Fn: sortFirst,
		Doc: "Begins a sort; says whether there is something to compare."},
	{NS: "clojure.core", Name: "%sort-next", Args: "state:box r", Private: true, Cost: Constant, Fn: sortNext,
		Doc: "Takes the comparator's value for the pair; says whether there is another pair."},
	{NS: "clojure.core", Name: "%sort-end", Args: "state:box vals:box", Private: true, Cost: PerElement, Fn: sortEnd,
		Doc: "The sequence of vals in the order that was found."},
}

func isNative(_ *value.Task, args []value.Value) value.Value {
	return value.Bool(args[0].Kind() == value.KindNative)
}

func sortBoxes(t *value.Task, args []value.Value) value.Value {
	keys, vals := args[1].AsBox().Vals, args[2].AsBox().Vals
	n := len(vals)
	if n < 2 {
		return plainSeq(t, copyVals(t, vals))
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
	copy(out, vals)
	return out
}

// lessBy gives the order of a builtin comparator: direct comparison where all keys
// are integers or all are strings, else the comparator itself.
func lessBy(t *value.Task, cmp value.Value, keys []value.Value) func(a, b *value.Value) bool {
	name := cmp.AsNative().Name
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
		return isBefore(t, cmp.AsNative().Fn(t, pair))
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

// isBefore says whether a comparator's value means that the first argument comes first: true,
// or a number whose integer part is below 0.
func isBefore(t *value.Task, r value.Value) bool {
	switch r.Kind() {
	case value.KindBool:
		return r.AsBool()
	case value.KindInt:
		return int32(r.AsInt()) < 0
	case value.KindNil:
		t.Fail(diag.NilValue, "comparator: got nil, want a number or a boolean")
	}
	if !r.Is(value.Numbers) {
		t.Fail(diag.WrongType, "comparator: got %s, want a number or a boolean", value.Describe(t, r))
	}
	return value.ToDouble(t, r) <= -1
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
	s.t.Work(int64(hi - lo))
	if !s.less(&s.keys[mid], &s.keys[mid-1]) {
		return
	}
	s.merge(lo, mid, hi)
}

func (s *sorter) insert(lo, hi int) {
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

// The places in the state of a sort by a comparator of the program. It is a merge
// sort from the bottom up of the places of the keys, which lie in the boxes src and
// dst: runs of width are merged in pairs, src[i:mid] and src[mid:hi] to dst[k:].
// All of it lies in a box, where the machine finds it, and stepping allocates
// nothing.
const (
	sortRight = iota // the key to compare, from the right run
	sortLeft         // and the one from the left run
	sortKeys
	sortSrc
	sortDst
	sortI
	sortJ
	sortK
	sortMid
	sortHi
	sortWidth
	sortProbe // whether the pair is the border between the runs
	sortState
)

// sortableBy are the kinds that Clojure takes as a comparator.
var sortableBy = value.Kinds(value.KindFn, value.KindNative, value.KindProtocolFn, value.KindRecord, value.KindObject)

func sortStart(t *value.Task, args []value.Value) value.Value {
	n := len(args[1].AsBox().Vals)
	if n > 0 && !args[0].Is(sortableBy) {
		t.Fail(diag.WrongType, "sort: got %s, want a function as comparator", value.Describe(t, args[0]))
	}
	t.Work(int64(n))
	src := t.Vals(n)
	for i := range src {
		src[i] = value.Int(int64(i))
	}
	st := t.Vals(sortState)
	st[sortKeys] = args[1]
	st[sortSrc], st[sortDst] = t.Box(src), t.Box(copyVals(t, src))
	for i := sortI; i <= sortHi; i++ {
		st[i] = value.Int(0)
	}
	st[sortWidth], st[sortProbe] = value.Int(1), value.False
	return t.Box(st)
}

// sortRun is the state of a sort, taken out of its box.
type sortRun struct {
	st             []value.Value
	src, dst       []value.Value
	i, j, k        int
	mid, hi, width int
}

func (r *sortRun) load(st []value.Value) {
	r.st, r.src, r.dst = st, st[sortSrc].AsBox().Vals, st[sortDst].AsBox().Vals
	r.i, r.j, r.k = int(st[sortI].AsInt()), int(st[sortJ].AsInt()), int(st[sortK].AsInt())
	r.mid, r.hi, r.width = int(st[sortMid].AsInt()), int(st[sortHi].AsInt()), int(st[sortWidth].AsInt())
}

// ask stores the state with the keys to compare next.
func (r *sortRun) ask(probe bool) value.Value {
	st, keys := r.st, r.st[sortKeys].AsBox().Vals
	left := r.i
	if probe {
		left = r.mid - 1
	}
	st[sortRight], st[sortLeft] = keys[r.src[r.j].AsInt()], keys[r.src[left].AsInt()]
	st[sortI], st[sortJ], st[sortK] = value.Int(int64(r.i)), value.Int(int64(r.j)), value.Int(int64(r.k))
	st[sortMid], st[sortHi] = value.Int(int64(r.mid)), value.Int(int64(r.hi))
	st[sortProbe] = value.Bool(probe)
	return value.True
}

// flush copies what is left of the two runs.
func (r *sortRun) flush() {
	r.k += copy(r.dst[r.k:], r.src[r.i:r.mid])
	copy(r.dst[r.k:], r.src[r.j:r.hi])
}

// nextRuns finds the next pair of runs to merge; false says that all is sorted.
func (r *sortRun) nextRuns() value.Value {
	for n := len(r.src); ; {
		lo := r.hi
		if lo >= n {
			r.src, r.dst = r.dst, r.src
			r.st[sortSrc], r.st[sortDst] = r.st[sortDst], r.st[sortSrc]
			r.width *= 2
			r.st[sortWidth] = value.Int(int64(r.width))
			r.hi = 0
			if r.width >= n {
				return value.False
			}
			continue
		}
		r.mid, r.hi = min(lo+r.width, n), min(lo+2*r.width, n)
		r.i, r.j, r.k = lo, r.mid, lo
		if r.mid < n {
			return r.ask(r.width > 1)
		}
		r.flush()
	}
}

func sortFirst(_ *value.Task, args []value.Value) value.Value {
	var r sortRun
	r.load(args[0].AsBox().Vals)
	if len(r.src) < 2 {
		return value.False
	}
	return r.nextRuns()
}

func sortNext(t *value.Task, args []value.Value) value.Value {
	before := isBefore(t, args[1])
	var r sortRun
	r.load(ownBox(t, args[0]).Vals)
	switch {
	case r.st[sortProbe].AsBool():
		if before {
			return r.ask(false)
		}
		t.Work(int64(r.hi - r.i))
		r.flush()
		return r.nextRuns()
	case before:
		r.dst[r.k] = r.src[r.j]
		r.j++
	default:
		r.dst[r.k] = r.src[r.i]
		r.i++
	}
	r.k++
	if r.i < r.mid && r.j < r.hi {
		return r.ask(false)
	}
	r.flush()
	return r.nextRuns()
}

func sortEnd(t *value.Task, args []value.Value) value.Value {
	order, vals := args[0].AsBox().Vals[sortSrc].AsBox().Vals, args[1].AsBox().Vals
	t.Work(int64(len(vals)))
	out := t.Vals(len(vals))
	for i := range out {
		out[i] = vals[order[i].AsInt()]
	}
	return plainSeq(t, out)
}
