// This file defines the functions that make, split and fill sequences without calling the program.
// Functions that take a function, or consume a lazy sequence, are in the prelude.

package colls

import (
	"math"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var seqMakers = []entry.Entry{
	{NS: "clojure.core", Name: "cons", Args: "x coll", Cost: entry.Constant, Purity: entry.Reads,
		Intrinsic: entry.IntrinsicCons, Fn: consOnto,
		Doc:      "Returns the sequence of x followed by the elements of coll.",
		Examples: []string{"(cons 1 [2 3]) => (1 2 3)", "(cons 1 nil) => (1)", "(cons 1 2) !illegal-argument"}},
	{NS: "clojure.core", Name: "list", Args: "& xs", Cost: entry.PerArg, Purity: entry.Total, Many: manyListed,
		Fn:  makeList,
		Doc: "Returns a list of the arguments.", Examples: []string{"(list 1 2) => (1 2)"}},
	{NS: "clojure.core", Name: "list*", Args: "x & more", Cost: entry.PerArg, Purity: entry.Realises, Fn: listStar,
		Doc:      "Returns the sequence of the arguments and of the elements of the last one.",
		Examples: []string{"(list* 1 2 [3 4]) => (1 2 3 4)", "(list* []) => nil", "(list* 1 2) !illegal-argument"}},
	{NS: "clojure.core", Name: "rseq", Args: "coll", Cost: entry.Constant, Purity: entry.Realises, Fn: rseq,
		Doc:      "Returns the elements of a vector or sorted collection in reverse order, nil if it is empty.",
		Examples: []string{"(rseq [1 2 3]) => (3 2 1)", "(rseq []) => nil", "(rseq '(1)) !wrong-type"}},
	{NS: "clojure.core", Name: "keys", Args: "m", Cost: entry.Constant, Purity: entry.Realises, Fn: keysOf,
		Doc:      "Returns the sequence of a map's keys, nil if it is empty.",
		Examples: []string{"(keys {:a 1 :b 2}) => (:a :b)", "(keys {}) => nil", "(keys [1]) !wrong-type"}},
	{NS: "clojure.core", Name: "vals", Args: "m", Cost: entry.Constant, Purity: entry.Realises, Fn: valsOf,
		Doc:      "Returns the sequence of a map's values, nil if it is empty.",
		Examples: []string{"(vals {:a 1 :b 2}) => (1 2)", "(vals {}) => nil", "(vals [1]) !wrong-type"}},
	{NS: "clojure.core", Name: "%range", Args: "start end step", Private: true, Cost: entry.Constant, Fn: intRange,
		Doc: "Returns a range of 64-bit integers; nil if an argument is another number."},
	{NS: "clojure.core", Name: "%repeat", Args: "x", Private: true, Cost: entry.Constant, Fn: repeatForever,
		Doc: "Returns the infinite sequence of x."},
	{NS: "clojure.core", Name: "%repeat-onto", Args: "n:num x rest", Private: true, Cost: entry.PerElement, Fn: repeatOnto,
		Doc: "Returns the sequence of n times x followed by rest."},
	{NS: "clojure.core", Name: "%cycle", Args: "coll", Private: true, Cost: entry.PerElement, Fn: cycleOf,
		Doc: "Returns the infinite sequence of repetitions of the elements of coll."},
}

// seqOrNil returns the rest of a sequence: a sequence, an unrealised lazy sequence, or nil.
func seqOrNil(t *value.Task, coll value.Value) value.Value {
	if coll.Kind() == value.KindLazy {
		return coll
	}
	return t.SeqView(coll)
}

func consOnto(t *value.Task, args []value.Value) value.Value {
	return t.ConsOnto(args[0], args[1])
}

func makeList(t *value.Task, args []value.Value) value.Value { return t.List(args...) }

func listStar(t *value.Task, args []value.Value) value.Value {
	n := len(args) - 1
	s := args[n]
	if n == 0 {
		return t.SeqView(s)
	}
	s = seqOrNil(t, s)
	for i := n - 1; i >= 0; i-- {
		s = t.Cons(args[i], s)
	}
	return s
}

func rseq(t *value.Task, args []value.Value) value.Value {
	if args[0].IsNil() {
		t.Fail(diag.NilValue, "rseq: got nil, want a vector or sorted collection")
	}
	return t.RSeq(args[0])
}

func keysOf(t *value.Task, args []value.Value) value.Value {
	return entryParts(t, args[0], value.SeqKeys)
}

func valsOf(t *value.Task, args []value.Value) value.Value {
	return entryParts(t, args[0], value.SeqVals)
}

// entryParts returns the keys or values of a map or of a sequence of entries.
func entryParts(t *value.Task, coll value.Value, mode value.SeqMode) value.Value {
	if coll.Is(value.Maps) {
		return t.MapSeqOf(coll, mode, false)
	}
	if coll.Kind() == value.KindObject || !held(t, coll) {
		return t.LazyParts(coll, mode)
	}
	buf := t.ValBuf()
	objects := false
	t.Each(coll, func(x value.Value) bool {
		if objects = x.Kind() == value.KindObject; objects {
			return false
		}
		if x.Kind() != value.KindMapEntry {
			code := diag.WrongType
			if x.IsNil() {
				code = diag.NilValue
			}
			t.FailHint(code, "keys and vals take a map, or a sequence of its entries",
				"got %s in the collection, want a map entry", value.Describe(t, x))
		}
		if mode == value.SeqKeys {
			buf.Add(x.AsEntry().Key)
		} else {
			buf.Add(x.AsEntry().Val)
		}
		return true
	})
	switch {
	case objects:
		return entryParts(t, t.PlainEntries(coll), mode)
	case buf.Len() == 0:
		return value.Nil
	}
	row := buf.Vals()
	return plainSeq(t, &row, 0)
}

// plainSeq makes a sequence of a row's values from an index on, which it copies. The sequence has
// no chunks, like Clojure's sequences over arrays, so that a lazy map over it runs one element at a
// time. A longer one is the reverse of a vector that has the values from the last to the first.
func plainSeq(t *value.Task, row *value.Blocks, start int) value.Value {
	n := row.Len()
	if n == start {
		return value.EmptyList
	}
	if n-start <= 4 {
		s := value.Nil
		for i := n - 1; i >= start; i-- {
			s = t.Cons(*row.At(i), s)
		}
		return s
	}
	return t.RSeq(t.VectorOf(n-start, func(block []value.Value, from int) {
		for i := range block {
			block[i] = *row.At(n - 1 - from - i)
		}
	}))
}

func intRange(t *value.Task, args []value.Value) value.Value {
	if !args[0].IsInt() || !args[1].IsInt() || !args[2].IsInt() {
		return value.Nil
	}
	start, end, step := args[0].AsInt(), args[1].AsInt(), args[2].AsInt()
	if step == 0 && start != end {
		return repeatForever(t, args)
	}
	if step == 0 {
		return value.EmptyList
	}
	if r := t.Range(start, end, step); !r.IsNil() {
		return r
	}
	return value.EmptyList
}

// repeatForever makes a cell whose rest is the cell itself.
func repeatForever(t *value.Task, args []value.Value) value.Value {
	s := t.Cons(args[0], value.Nil)
	s.AsCons().Rest = s.Header()
	return s
}

func repeatOnto(t *value.Task, args []value.Value) value.Value {
	n := math.Ceil(value.ToDouble(t, args[0]))
	s := seqOrNil(t, args[2])
	for range int(n) {
		t.Work(1)
		s = t.Cons(args[1], s)
	}
	return s
}

// cycleOf makes a ring of cells.
func cycleOf(t *value.Task, args []value.Value) value.Value {
	wantSeqable(t, args[0])
	row := t.BlocksOf(args[0])
	n := row.Len()
	if n == 0 {
		return value.EmptyList
	}
	last := t.Cons(*row.At(n - 1), value.Nil)
	s := last
	for i := n - 2; i >= 0; i-- {
		t.Work(1)
		s = t.Cons(*row.At(i), s)
	}
	last.AsCons().Rest = s.Header()
	return s
}

// SequentialKinds are the kinds of sequential collections.
var SequentialKinds = value.Seqs | value.Vectors | value.Kinds(value.KindQueue)
