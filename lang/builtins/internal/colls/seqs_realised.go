// This file defines the natives with which the prelude takes many realised elements at a time from
// a sequence.

package colls

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// A box of ready elements holds the rest of the sequence first, then the elements.
var readyNatives = []entry.Entry{
	{NS: "clojure.core", Name: "%ready", Args: "n:num s", Private: true, Cost: entry.PerElement, Fn: ready,
		Doc: "Returns a box of the first elements of the sequence s that are realised, at most n and 32."},
	{NS: "clojure.core", Name: "%lone?", Args: "s", Private: true, Cost: entry.Constant, Fn: isLone,
		Doc: "Returns true if only the first element of the sequence s is realised."},
	{NS: "clojure.core", Name: "%ready-of", Args: "coll:seqable rest", Private: true, Cost: entry.PerElement, Fn: readyOf,
		Doc: "Returns a box of ready elements: those of coll, which are realised, before rest."},
	{NS: "clojure.core", Name: "%gather!", Args: "b:box n:int", Private: true, Cost: entry.PerElement, Fn: gather,
		Doc: "Adds realised elements of the rest to a box of ready elements until it holds n. Returns the box."},
	{NS: "clojure.core", Name: "%ready-count", Args: "b:box", Private: true, Cost: entry.Constant, Fn: readyCount,
		Doc: "Returns the number of elements in a box of ready elements."},
	{NS: "clojure.core", Name: "%ready-cells", Args: "b:box rest", Private: true, Cost: entry.PerElement, Fn: readyCells,
		Doc: "Returns the elements of a box of ready elements before rest, one cell each."},
	{NS: "clojure.core", Name: "%ready-seq", Args: "b:box", Private: true, Cost: entry.PerElement, Fn: readySeq,
		Doc: "Returns the elements of a box of ready elements as an unchunked sequence."},
}

func ready(t *value.Task, args []value.Value) value.Value {
	room := cellBlock
	if value.Lt(t, args[0], value.Int(cellBlock)) {
		room = max(int(value.ToLong(t, args[0])), 0)
		if value.Lt(t, value.Int(int64(room)), args[0]) {
			room++ // a fraction counts as one more
		}
	}
	vals := t.Vals(room + 1)
	n, rest := t.Advance(args[1], vals[1:])
	vals[0] = rest
	return t.Box(vals[:n+1])
}

func readyOf(t *value.Task, args []value.Value) value.Value {
	coll := t.Elements(args[0])
	all := t.Blocks(t.Count(coll) + 1)
	*all.At(0) = args[1]
	i := 0
	t.Each(coll, func(x value.Value) bool {
		i++
		*all.At(i) = x
		return true
	})
	return t.BoxOf(all)
}

// gather allocates blocks as large as the elements so far, so that a short sequence does not cost a
// whole large group. The box has each block before the next is charged.
func gather(t *value.Task, args []value.Value) value.Value {
	b := t.OwnBox(args[0])
	want := int(args[1].AsInt()) + 1
	for have := b.Len(); have < want && !isUnready(t, *b.At(0)); have = b.Len() {
		room := b.Room(t, min(want-have, max(have, cellBlock)))
		n, rest := t.Advance(*b.At(0), room)
		b.Vals = b.Vals[:len(b.Vals)+n]
		*b.At(0) = rest
	}
	return args[0]
}

// isUnready reports whether a rest is empty or must be realised first.
func isUnready(t *value.Task, rest value.Value) bool {
	return rest.IsNil() || rest.Kind() == value.KindLazy && t.LocalCopy(rest.AsLazy()).Fn != nil
}

func readyCount(_ *value.Task, args []value.Value) value.Value {
	return value.Int(int64(args[0].AsBox().Len() - 1))
}

func readyCells(t *value.Task, args []value.Value) value.Value {
	return consRow(t, &args[0].AsBox().Blocks, 1, seqOrNil(t, args[1]))
}

func readySeq(t *value.Task, args []value.Value) value.Value {
	return t.RealisedLazy(t.Seq(plainSeq(t, &args[0].AsBox().Blocks, 1)))
}

func isLone(t *value.Task, args []value.Value) value.Value {
	s := args[0]
	return value.Bool(s.Kind() == value.KindCons && isUnready(t, value.Of(s.AsCons().Rest)))
}
