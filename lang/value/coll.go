// This file defines the operations that work on every kind of collection: get, contains?, assoc,
// nth, conj, empty, peek and pop.

package value

import (
	"fmt"
	"math"
	"math/big"

	"github.com/ptc-lang/ptc/lang/diag"
)

// index converts a key to an index, as Java's Number.intValue does: it takes the lowest 32 bits. ok
// is false for a key that is not an integer.
func index(k Value) (i int, ok bool) {
	switch k.Kind() {
	case KindInt:
		return int(int32(k.AsInt())), true
	case KindBigInt:
		low := new(big.Int).And(as[BigInt](k).N, big.NewInt(1<<32-1))
		return int(int32(low.Uint64())), true
	}
	return 0, false
}

// charKey is index for a string, which accepts doubles too.
func charKey(k Value) (i int, ok bool) {
	if k.IsFloat() {
		return int(max(min(k.AsFloat(), math.MaxInt32), math.MinInt32)), true
	}
	return index(k)
}

// Get returns the value of a key in a map, record or transient, the element at an integer index of
// a vector or string, or the member of a set. It returns notFound for anything else.
func (t *Task) Get(coll, k, notFound Value) Value {
	switch coll.Kind() {
	case KindArrayMap, KindHashMap, KindSortedMap, KindRecord:
		if v, ok := t.MapGet(coll, k); ok {
			return v
		}
	case KindHashSet, KindSortedSet:
		if x, ok := t.SetGet(coll, k); ok {
			return x
		}
	case KindVector, KindMapEntry:
		if i, ok := index(k); ok && i >= 0 && i < VecCount(coll) {
			return VecAt(coll, i)
		}
	case KindString:
		if i, ok := charKey(k); ok && i >= 0 && i < t.Length(coll.AsString()) {
			return t.charIndex(coll.AsString(), i)
		}
	case KindTransientVector, KindTransientMap, KindTransientSet:
		if v, ok := t.TGet(coll, k); ok {
			return v
		}
	case KindArray:
		if i, ok := index(k); ok && i >= 0 && i < coll.AsArray().Len() {
			return *coll.AsArray().At(i)
		}
	case KindObject:
		return t.objectGet(coll, k, notFound)
	case KindProtocol:
		return t.protocolGet(coll, k, notFound)
	case KindTagged:
		return coll.asTagged().get(k, notFound)
	case KindJava:
		if c, ok := t.JavaColl(coll); ok && c.Is(Maps) {
			return t.Get(c, k, notFound)
		}
	}
	return notFound
}

// Contains reports whether a map, set or transient contains a key, or a vector or string an index.
func (t *Task) Contains(coll, k Value) bool {
	ok := false
	switch coll.Kind() {
	case KindNil:
	case KindArrayMap, KindHashMap, KindSortedMap, KindRecord:
		_, ok = t.MapGet(coll, k)
	case KindHashSet, KindSortedSet:
		_, ok = t.SetGet(coll, k)
	case KindVector, KindMapEntry:
		i, isInt := index(k)
		ok = isInt && i >= 0 && i < VecCount(coll)
	case KindArray:
		i, isInt := index(k)
		ok = isInt && i >= 0 && i < coll.AsArray().Len()
	case KindString:
		i, isNum := charKey(k)
		if !isNum {
			t.failContains(coll)
		}
		ok = i >= 0 && i < t.Length(coll.AsString())
	case KindTransientVector, KindTransientMap, KindTransientSet:
		_, ok = t.TGet(coll, k)
	case KindObject:
		ok = t.objectContains(coll, k)
	case KindJava:
		c, held := t.JavaColl(coll)
		if !held || c.Is(Vectors) {
			t.failContains(coll)
		}
		ok = t.Contains(c, k)
	default:
		t.failContains(coll)
	}
	return ok
}

// Assoc sets the value of a key in a map or record, or of an index in a vector.
func (t *Task) Assoc(coll, k, v Value) Value {
	switch coll.Kind() {
	case KindNil, KindArrayMap, KindHashMap, KindSortedMap, KindRecord:
		return t.MapAssoc(coll, k, v)
	case KindVector, KindMapEntry:
		i, ok := index(k)
		if !ok {
			t.FailHint(diag.IllegalArgument, "assoc takes an index for a vector, got "+Describe(t, k), "Key must be integer")
		}
		vec := t.AsVec(coll)
		if i < 0 || i > int(vec.Count) {
			t.Fail(diag.OutOfRange, "assoc: index %d out of range [0, %d]", i, vec.Count)
		}
		return t.vecAssoc(vec, i, v)
	}
	if m, ok := t.own(coll, methodAssoc, k, v); ok {
		return m
	}
	t.failCast("assoc", coll, "clojure.lang.Associative")
	return Nil
}

// Nth returns the i-th element of a sequential value or string. ok is false if there is none. nil
// has no elements.
func (t *Task) Nth(coll Value, i int) (x Value, ok bool) {
	switch coll.Kind() {
	case KindNil:
		return Nil, false
	case KindVector, KindMapEntry:
		if i < 0 || i >= VecCount(coll) {
			return Nil, false
		}
		return VecAt(coll, i), true
	case KindString:
		if i < 0 || i >= t.Length(coll.AsString()) {
			return Nil, false
		}
		return t.charIndex(coll.AsString(), i), true
	case KindTransientVector:
		return t.TGet(coll, Int(int64(i)))
	case KindArray:
		if a := coll.AsArray(); i >= 0 && i < a.Len() {
			return *a.At(i), true
		}
		return Nil, false
	case KindObject:
		if f := t.Method(coll, methodNth); !f.IsNil() {
			return t.Host.Call(f, coll, Int(int64(i))), true
		}
		if s, ok := t.Chars(coll); ok {
			return t.Nth(s, i)
		}
		if t.declares(coll, sequentialInterfaces...) {
			return t.walkTo(t.Seq(coll), i)
		}
	case KindBuilder:
		if isCharSequence(coll) {
			return t.builderNth(coll, i)
		}
	case KindMatcher:
		return t.matcherNth(coll, i)
	case KindJava:
		if c, ok := t.JavaColl(coll); ok && c.Is(Vectors) && !coll.AsJava().Class.Unindexed {
			return t.Nth(c, i)
		}
	}
	if !coll.Is(Seqs | Kinds(KindQueue)) {
		t.FailHint(diag.NotSupported,
			"got "+Describe(t, coll)+", want a vector, sequence or string; nth and destructuring by [a b] take those",
			"nth not supported on this type: %s", simpleName(coll))
	}
	if i < 0 {
		return Nil, false
	}
	return t.seqNth(coll, i)
}

// seqNth returns the i-th element of a sequence. It skips whole chunks where it can.
func (t *Task) seqNth(coll Value, i int) (x Value, ok bool) {
	for {
		switch coll.Kind() {
		case KindRange:
			r := as[Range](coll)
			if int64(i) >= rangeCount(r) {
				return Nil, false
			}
			return Int(r.Start + int64(i)*r.Step), true
		case KindVecSeq:
			q := as[VecSeq](coll)
			at := int(q.Index) + i*int(q.Step)
			if at < 0 || at >= int(q.Vec.Count) {
				return Nil, false
			}
			return VecNth(q.Vec, at), true
		case KindChunkedCons:
			c := as[ChunkedCons](coll)
			t.Work(1)
			if n := int(c.End - c.Off); i >= n {
				coll, i = Of(c.Rest), i-n
				continue
			}
			return c.Chunk.Vals[int(c.Off)+i], true
		case KindCons:
			t.Work(1)
			if i > 0 {
				coll, i = Of(coll.AsCons().Rest), i-1
				continue
			}
			return coll.AsCons().First, true
		case KindLazy:
			coll = t.seqOfLazy(as[Lazy](coll))
			continue
		}
		return t.walkTo(coll, i)
	}
}

func (t *Task) walkTo(coll Value, i int) (x Value, ok bool) {
	for it := t.Iter(coll); ; i-- {
		if x, ok = it.Next(); !ok || i == 0 {
			return x, ok
		}
	}
}

// Conj adds an element at the front or the end, as the kind of collection determines.
func (t *Task) Conj(coll, x Value) Value {
	switch coll.Kind() {
	case KindNil:
		return t.ListConj(x, EmptyList)
	case KindVector:
		return t.vecConj(coll.AsVector(), x)
	case KindMapEntry:
		return t.vecConj(t.AsVec(coll), x)
	case KindArrayMap, KindHashMap, KindSortedMap, KindRecord:
		return t.conjMap(coll, x)
	case KindHashSet, KindSortedSet:
		return t.SetConj(coll, x)
	case KindList:
		l := t.ListConj(x, coll)
		l.AsCons().Meta = coll.AsCons().Meta
		return l
	case KindLazy:
		return t.Cons(x, t.seqOfLazy(as[Lazy](coll)))
	case KindCons, KindChunkedCons, KindRange, KindVecSeq, KindStrSeq, KindMapSeq:
		return t.Cons(x, coll)
	case KindQueue:
		return t.queueConj(as[Queue](coll), x)
	}
	if c, ok := t.own(coll, methodCons, x); ok {
		return c
	}
	t.failCast("conj", coll, "clojure.lang.IPersistentCollection")
	return Nil
}

// conjMap adds an entry, a pair, or all entries of a map or sequence.
func (t *Task) conjMap(m, x Value) Value {
	switch x.Kind() {
	case KindMapEntry:
		e := x.AsEntry()
		return t.MapAssoc(m, e.Key, e.Val)
	case KindVector:
		k, v := t.pairOf("conj", m, x.AsVector())
		return t.MapAssoc(m, k, v)
	case KindArrayMap, KindHashMap, KindSortedMap, KindRecord:
		t.Work(int64(MapCount(x)))
		for it := NewMapIter(x); it.Next(); {
			m = t.MapAssoc(m, it.Key, it.Val)
		}
		return m
	case KindObject:
		if k, ok := t.EntryPart(x, SeqKeys); ok {
			v, _ := t.EntryPart(x, SeqVals)
			return t.MapAssoc(m, k, v)
		}
	}
	t.Each(x, func(e Value) bool {
		k, v := t.entryOf("conj", e)
		m = t.MapAssoc(m, k, v)
		return true
	})
	return m
}

// pairOf returns the key and value that a vector adds to a map. A record accepts a vector of more
// than two elements.
func (t *Task) pairOf(who string, m Value, v *Vector) (key, val Value) {
	switch record := m.h.kind == KindRecord; {
	case v.Count != 2 && !record:
		t.FailHint(diag.IllegalArgument,
			fmt.Sprintf("%s to a map takes [key value], got %s", who, diag.Counted(v.Count, "element")),
			"Vector arg to map conj must be a pair")
	case v.Count < 2:
		t.Fail(diag.OutOfRange, "%s: index %d out of range [0, %d)", who, v.Count, v.Count)
	}
	return VecNth(v, 0), VecNth(v, 1)
}

// Empty returns the empty collection of the same kind, with the same metadata. It returns nil for a
// value that is not a collection.
func (t *Task) Empty(coll Value) Value {
	var empty Value
	switch coll.Kind() {
	case KindVector:
		return t.emptyVector(coll.AsVector().Meta)
	case KindArrayMap:
		return t.arrayMapOf(nil, as[ArrayMap](coll).Meta)
	case KindHashMap:
		return as[HashMap](coll).with(t, nil, nil)
	case KindSortedMap:
		return as[SortedMap](coll).with(t, nil)
	case KindSortedSet:
		return as[SortedSet](coll).with(t, nil)
	case KindHashSet:
		empty = EmptySet
	case KindList:
		empty = EmptyList
	case KindQueue:
		empty = EmptyQueue
	case KindRecord:
		t.Fail(diag.NotSupported, "Can't create empty: %s", as[Record](coll).Type.Name)
	default:
		if coll.Is(Seqs) {
			return EmptyList
		}
		empty, _ = t.own(coll, methodEmpty)
		return empty
	}
	if meta := MetaOf(coll); meta.h != nil {
		return WithMeta(t, empty, meta)
	}
	return empty
}

// Peek returns the last value of a vector, or the first of a list or queue.
func (t *Task) Peek(coll Value) Value {
	switch coll.Kind() {
	case KindNil:
		return Nil
	case KindVector, KindMapEntry:
		if n := VecCount(coll); n > 0 {
			return VecAt(coll, n-1)
		}
		return Nil
	case KindList:
		return coll.AsCons().First
	case KindQueue:
		return t.First(Of(as[Queue](coll).Front))
	}
	if x, ok := t.own(coll, methodPeek); ok {
		return x
	}
	t.failCast("peek", coll, "clojure.lang.IPersistentStack")
	return Nil
}

// Pop returns the collection without the element that Peek returns.
func (t *Task) Pop(coll Value) Value {
	switch coll.Kind() {
	case KindNil:
		return Nil
	case KindVector:
		return t.vecPop(coll.AsVector())
	case KindMapEntry:
		return t.Vector(coll.AsEntry().Key)
	case KindList:
		return t.popList(coll.AsCons())
	case KindQueue:
		return t.queuePop(as[Queue](coll))
	}
	if c, ok := t.own(coll, methodPop); ok {
		return c
	}
	t.failCast("pop", coll, "clojure.lang.IPersistentStack")
	return Nil
}

func (t *Task) popList(l *Cons) Value {
	switch {
	case l.Count == 0:
		t.Fail(diag.IllegalState, "Can't pop empty list")
	case l.Rest != nil:
		return Of(l.Rest)
	case l.Meta != nil:
		return WithMeta(t, EmptyList, Of(l.Meta))
	}
	return EmptyList
}
