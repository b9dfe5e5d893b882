// This file defines the chunks of sequences and the boxes in which the prelude collects values.

package colls

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var chunkNatives = []entry.Entry{
	{NS: "clojure.core", Name: "chunked-seq?", Args: "x", Cost: entry.Constant, Purity: entry.Pure, Fn: isChunked,
		Doc:      "Returns true if x is a chunked sequence.",
		Examples: []string{"(chunked-seq? (seq [1])) => true", "(chunked-seq? '(1)) => false"}},
	{NS: "clojure.core", Name: "chunk-first", Args: "s", Cost: entry.Constant, Purity: entry.Pure, Fn: chunkFirst,
		Doc:      "Returns the first chunk of a chunked sequence.",
		Examples: []string{"(count (chunk-first (seq [1 2]))) => 2", "(chunk-first '(1)) !wrong-type"}},
	{NS: "clojure.core", Name: "chunk-rest", Args: "s", Cost: entry.Constant, Purity: entry.Pure, Fn: chunkRest,
		Doc:      "Returns the sequence after the first chunk of a chunked sequence, () if it is empty.",
		Examples: []string{"(chunk-rest (seq [1 2])) => ()", "(chunk-rest '(1)) !wrong-type"}},
	{NS: "clojure.core", Name: "chunk-next", Args: "s", Cost: entry.Constant, Purity: entry.Pure, Fn: chunkNext,
		Doc:      "Returns the sequence after the first chunk of a chunked sequence, nil if it is empty.",
		Examples: []string{"(chunk-next (seq [1 2])) => nil", "(chunk-next '(1)) !wrong-type"}},
	{NS: "clojure.core", Name: "chunk-buffer", Args: "capacity:num", Cost: entry.PerElement, Fn: makeBox,
		Doc:      "Returns a buffer for the elements of a chunk.",
		Examples: []string{"(let [b (chunk-buffer 2)] (chunk-append b 1) (count (chunk b))) => 1"}},
	{NS: "clojure.core", Name: "chunk-append", Args: "buffer:box x", Cost: entry.Constant, Fn: chunkAppend,
		Doc: "Appends x to a chunk buffer.", Examples: []string{"(chunk-append (chunk-buffer 2) 1) => nil", "(chunk-append " +
			"1 2) !wrong-type"}},
	{NS: "clojure.core", Name: "chunk", Args: "buffer:box", Cost: entry.PerElement, Fn: chunkOfBuffer,
		Doc:      "Returns a chunk of the elements of a chunk buffer.",
		Examples: []string{"(count (chunk (chunk-buffer 2))) => 0", "(chunk 1) !wrong-type"}},
	{NS: "clojure.core", Name: "%chunk", Args: "s", Private: true, Cost: entry.Constant, Fn: chunkFirst,
		Doc: "Returns the first chunk of a chunked sequence, as a collection."},
	{NS: "clojure.core", Name: "%chunk-rest", Args: "s", Private: true, Cost: entry.Constant, Fn: chunkTail,
		Doc: "Returns the rest after the first chunk of a chunked sequence: nil, a sequence or an unrealised lazy sequence."},
	{NS: "clojure.core", Name: "%chunk-cons", Args: "b:box rest", Private: true, Cost: entry.Constant, Fn: chunkCons,
		Doc: "Returns the values of a box, which becomes unusable, as a chunk before rest."},
	{NS: "clojure.core", Name: "%cells", Args: "s", Private: true, Cost: entry.Constant, Fn: cellsOf,
		Doc: "Returns a sequence that is a view of a map, a string or a reversed vector as cells, made a block at a time; " +
			"any other sequence itself."},
	{NS: "clojure.core", Name: "%cell", Args: "s", Private: true, Cost: entry.Constant, Fn: cellOf,
		Doc: "Returns a sequence of cells that begins with the first element of s, which is not empty."},
	{NS: "clojure.core", Name: "%chunk-onto", Args: "s rest", Private: true, Cost: entry.Constant, Fn: chunkOnto,
		Doc: "Returns the first chunk of s before rest."},
}

// chunkKinds are the kinds of sequences that may have chunks.
var chunkKinds = value.Kinds(value.KindChunkedCons, value.KindVecSeq, value.KindRange)

func isChunked(_ *value.Task, args []value.Value) value.Value {
	s := args[0]
	return value.Bool(s.Is(chunkKinds) && (s.Kind() != value.KindVecSeq || s.AsVecSeq().Step == 1))
}

// firstChunk returns the first chunk of a chunked sequence, before rest.
func firstChunk(t *value.Task, s, rest value.Value) value.Value {
	if s.Kind() == value.KindChunkedCons {
		c := s.AsChunkedCons()
		out := t.ChunkCons(c.Chunk, rest)
		out.AsChunkedCons().Off, out.AsChunkedCons().End = c.Off, c.End
		return out
	}
	if s.Kind() == value.KindVecSeq && s.AsVecSeq().Step == 1 {
		return t.VecSeqOnto(s.AsVecSeq(), rest)
	}
	vals, _, ok := t.SeqChunk(s)
	if !ok {
		t.Fail(diag.WrongType, "chunk-first: got %s, want a chunked sequence", value.Describe(t, s))
	}
	return t.ChunkCons(t.Chunk(vals), rest)
}

func chunkFirst(t *value.Task, args []value.Value) value.Value {
	s := args[0]
	if s.Kind() == value.KindRange {
		chunk, _ := t.RangeChunk(s.AsRange())
		return chunk
	}
	return firstChunk(t, s, value.Nil)
}

func chunkTail(t *value.Task, args []value.Value) value.Value {
	s := args[0]
	if s.Kind() == value.KindRange {
		_, rest := t.RangeChunk(s.AsRange())
		return rest
	}
	_, rest, ok := t.SeqChunk(s)
	if !ok {
		t.Fail(diag.WrongType, "chunk-rest: got %s, want a chunked sequence", value.Describe(t, s))
	}
	return rest
}

func chunkRest(t *value.Task, args []value.Value) value.Value {
	if rest := chunkTail(t, args); !rest.IsNil() {
		return rest
	}
	return value.EmptyList
}

func chunkNext(t *value.Task, args []value.Value) value.Value { return t.Seq(chunkTail(t, args)) }

func chunkAppend(t *value.Task, args []value.Value) value.Value {
	boxPush(t, args)
	return value.Nil
}

func chunkOfBuffer(t *value.Task, args []value.Value) value.Value {
	b := t.OwnBox(args[0])
	if b.Len() == 0 {
		return value.EmptyVector
	}
	return chunkCons(t, []value.Value{args[0], value.Nil})
}

// chunkCons takes the values out of a box. It copies a box that is less than half full, so that a
// filter with few results does not keep empty blocks.
func chunkCons(t *value.Task, args []value.Value) value.Value {
	b := t.OwnBox(args[0])
	rest := seqOrNil(t, args[1])
	row := b.Blocks
	if n := len(row.Vals); 2*n <= cap(row.Vals) {
		row.Vals = t.Vals(n)
		t.CopyVals(row.Vals, b.Vals)
	}
	s := row.Onto(t, rest)
	b.Blocks = value.Blocks{}
	return s
}

func chunkOnto(t *value.Task, args []value.Value) value.Value {
	return firstChunk(t, args[0], seqOrNil(t, args[1]))
}

// cellsOf spares a walk of a view: each step of that makes an object and looks up an index.
func cellsOf(t *value.Task, args []value.Value) value.Value {
	s := args[0]
	if !s.Is(viewKinds) {
		return s
	}
	var buf [cellBlock]value.Value
	n, rest := t.Advance(s, buf[:])
	return consAll(t, buf[:n], rest)
}

// cellOf spares a walk that takes one element the rest of a sequence.
func cellOf(t *value.Task, args []value.Value) value.Value {
	s := args[0]
	if s.Is(value.Kinds(value.KindList, value.KindCons)) {
		return s
	}
	return t.Cons(t.First(s), value.Nil)
}

// cellBlock is the number of elements that become cells at a time.
const cellBlock = 32

// viewKinds are the kinds of sequences that are views and have no chunks.
var viewKinds = value.Kinds(value.KindMapSeq, value.KindStrSeq, value.KindVecSeq)

// consRow puts the values of a row from an index on before rest, one cell each.
func consRow(t *value.Task, row *value.Blocks, from int, rest value.Value) value.Value {
	for i := row.Len() - 1; i >= from; i-- {
		t.Work(1)
		rest = t.Cons(*row.At(i), rest)
	}
	return rest
}

// consAll puts vals before rest, one cell each.
func consAll(t *value.Task, vals []value.Value, rest value.Value) value.Value {
	t.Work(int64(len(vals)) / 4)
	for i := len(vals) - 1; i >= 0; i-- {
		rest = t.Cons(vals[i], rest)
	}
	return rest
}

var boxNatives = []entry.Entry{
	{NS: "clojure.core", Name: "%box", Args: "capacity:num", Private: true, Cost: entry.PerElement, Fn: makeBox,
		Doc: "Returns an empty box: a growing block of values."},
	{NS: "clojure.core", Name: "%box-for", Args: "coll", Private: true, Cost: entry.PerElement, Fn: boxFor,
		Doc: "Returns an empty box with room for the elements of coll, if their number is known."},
	{NS: "clojure.core", Name: "%box-of", Args: "coll", Private: true, Cost: entry.PerElement, Fn: boxOf,
		Doc: "Returns a box of the elements of coll, which is realised."},
	{NS: "clojure.core", Name: "%push", Args: "b:box x", Private: true, Cost: entry.Constant,
		Intrinsic: entry.IntrinsicPush, Fn: boxPush,
		Doc: "Appends x to a box. Returns the box."},
	{NS: "clojure.core", Name: "%split!", Args: "b:box n:int", Private: true, Cost: entry.PerElement, Fn: boxSplit,
		Doc: "Moves the first n values of a box, or all if there are fewer, to a new box. Returns the new box."},
	{NS: "clojure.core", Name: "%blen", Args: "b:box", Private: true, Cost: entry.Constant, Fn: boxLen,
		Doc: "Returns the number of values in a box."},
	{NS: "clojure.core", Name: "%bget", Args: "b:box i:int", Private: true, Cost: entry.Constant, Fn: boxGet,
		Doc: "Returns the i-th value of a box."},
	{NS: "clojure.core", Name: "%bset!", Args: "b:box i:int x", Private: true, Cost: entry.Constant, Fn: boxSet,
		Doc: "Sets the i-th value of a box."},
	{NS: "clojure.core", Name: "%box-chunk", Args: "b:box", Private: true, Cost: entry.Constant, Fn: boxChunk,
		Doc: "Returns the values of a box, which is not changed any more, as a sequence of one chunk."},
	{NS: "clojure.core", Name: "%box->seq", Args: "b:box", Private: true, Cost: entry.PerElement, Fn: boxSeq,
		Doc: "Returns the values of a box as an unchunked sequence, () if there are none."},
	{NS: "clojure.core", Name: "%box-cells", Args: "b:box rest", Private: true, Cost: entry.PerElement, Fn: boxCells,
		Doc: "Returns the values of a box before rest, one cell each."},
	{NS: "clojure.core", Name: "%fresh!", Args: "b:box seen coll", Private: true, Cost: entry.PerElement, Fn: pushFresh,
		Doc: "Pushes the elements of coll, which is realised, that the set seen lacks to b. Returns the set with them."},
	{NS: "clojure.core", Name: "%leaves!", Args: "b:box x", Private: true, Cost: entry.Walks, Fn: pushLeaves,
		Doc: "Pushes the elements of x that are not sequential to b and returns true; nil if a part of x is lazy."},
	{NS: "clojure.core", Name: "%box->vector", Args: "b:box", Private: true, Cost: entry.PerElement, Fn: boxVector,
		Doc: "Returns the values of a box, which becomes unusable, as a vector."},
}

// maxRoom bounds the initial capacity of a box.
const maxRoom = value.BlockVals

func makeBox(t *value.Task, args []value.Value) value.Value {
	return emptyBox(t, int(min(max(value.ToLong(t, args[0]), 0), maxRoom)))
}

func emptyBox(t *value.Task, room int) value.Value { return t.Box(t.Vals(room)[:0]) }

func boxFor(t *value.Task, args []value.Value) value.Value {
	room := 0
	if held(t, args[0]) && args[0].Is(value.Seqables) {
		room = min(max(t.Count(args[0]), 0), maxRoom)
	}
	return emptyBox(t, room)
}

func boxOf(t *value.Task, args []value.Value) value.Value {
	wantSeqable(t, args[0])
	return t.BoxOf(t.BlocksOf(args[0]))
}

func boxPush(t *value.Task, args []value.Value) value.Value {
	t.PushTo(args[0], args[1])
	return args[0]
}

func boxSplit(t *value.Task, args []value.Value) value.Value {
	b := t.OwnBox(args[0])
	n := min(int(args[1].AsInt()), b.Len())
	out := t.Blocks(n)
	out.Move(t, 0, &b.Blocks, 0, n)
	box := t.BoxOf(out)
	b.DropFirst(t, n)
	return box
}

func boxLen(_ *value.Task, args []value.Value) value.Value {
	return value.Int(int64(args[0].AsBox().Len()))
}

func boxGet(_ *value.Task, args []value.Value) value.Value {
	return *args[0].AsBox().At(int(args[1].AsInt()))
}

func boxSet(t *value.Task, args []value.Value) value.Value {
	*t.OwnBox(args[0]).At(int(args[1].AsInt())) = args[2]
	return value.Nil
}

func boxChunk(t *value.Task, args []value.Value) value.Value {
	return args[0].AsBox().Onto(t, value.Nil)
}

func boxSeq(t *value.Task, args []value.Value) value.Value {
	return plainSeq(t, &args[0].AsBox().Blocks, 0)
}

func boxVector(t *value.Task, args []value.Value) value.Value {
	b := args[0].AsBox()
	if b.Len() <= value.BlockVals {
		return t.VectorFrom(b.Vals)
	}
	return b.Vector(t, 0)
}

func boxCells(t *value.Task, args []value.Value) value.Value {
	return consRow(t, &args[0].AsBox().Blocks, 0, seqOrNil(t, args[1]))
}

// pushFresh pushes to an empty box, so that it can run again.
func pushFresh(t *value.Task, args []value.Value) value.Value {
	b := t.OwnBox(args[0])
	b.Clear()
	seen := t.Transient(args[1])
	n := value.TCount(seen)
	t.Each(args[2], func(x value.Value) bool {
		t.TConj(seen, x)
		if m := value.TCount(seen); m > n {
			n = m
			boxPush(t, []value.Value{args[0], x})
		}
		return true
	})
	return t.Persistent(seen)
}

// maxLeafDepth bounds the nesting that pushLeaves follows on the Go stack. The prelude follows
// deeper ones.
const maxLeafDepth = 200

// pushLeaves pushes to an empty box.
func pushLeaves(t *value.Task, args []value.Value) value.Value {
	b := t.OwnBox(args[0])
	b.Clear()
	if !pushNested(t, args[0], args[1], 0) {
		b.Clear()
		return value.Nil
	}
	return value.True
}

func pushNested(t *value.Task, b, x value.Value, depth int) bool {
	if !x.Is(SequentialKinds) {
		boxPush(t, []value.Value{b, x})
		return true
	}
	if depth > maxLeafDepth || !held(t, x) {
		return false
	}
	ok := true
	t.Each(x, func(y value.Value) bool {
		ok = pushNested(t, b, y, depth+1)
		return ok
	})
	return ok
}
