// This file defines the sequence operations: seq, first, next, rest and chunks.

package value

import (
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Seq returns the sequence of a seqable value, or nil if it is empty. It is never an object.
func (t *Task) Seq(v Value) Value {
	switch v.Kind() {
	case KindNil, KindCons, KindChunkedCons, KindRange, KindVecSeq, KindStrSeq, KindMapSeq:
		return v
	case KindList:
		if v.AsCons().Count == 0 {
			return Nil
		}
		return v
	case KindLazy:
		return t.seqOfLazy(as[Lazy](v))
	case KindVector:
		if v.AsVector().Count == 0 {
			return Nil
		}
		return t.vecSeq(v.AsVector(), 0, 1)
	case KindMapEntry:
		return t.vecSeq(t.AsVec(v), 0, 1)
	case KindString:
		if v.AsString().S == "" {
			return Nil
		}
		return t.strSeq(v.AsString(), 0)
	case KindArrayMap, KindHashMap, KindSortedMap, KindRecord, KindHashSet, KindSortedSet:
		return t.MapSeqOf(v, SeqEntries, false)
	case KindQueue:
		return t.queueSeq(as[Queue](v))
	case KindArray:
		return t.arraySeq(v.AsArray())
	case KindObject:
		return t.cellOf(t.objectSeq(v))
	case KindJava:
		return t.javaSeq(v)
	case KindBuilder:
		if s, ok := t.Chars(v); ok {
			return t.Seq(s)
		}
	}
	t.FailSeq(v)
	return Nil
}

// SeqAt returns the sequence of the part of src after its first i elements, or nil if nothing
// follows. For a string, i counts bytes. A value that is not a collection of a known length is
// returned unchanged; i must be 0.
func (t *Task) SeqAt(src Value, i int64) Value {
	switch src.Kind() {
	case KindVector:
		if i < int64(src.AsVector().Count) {
			return t.vecSeq(src.AsVector(), int32(i), 1)
		}
	case KindVecSeq:
		q := src.AsVecSeq()
		if at := int64(q.Index) + i*int64(q.Step); at >= 0 && at < int64(q.Vec.Count) {
			return t.vecSeq(q.Vec, int32(at), q.Step)
		}
	case KindChunkedCons:
		c := src.AsChunkedCons()
		if at := c.Off + int32(i); at < c.End {
			s := t.ChunkCons(c.Chunk, Of(c.Rest))
			s.AsChunkedCons().Off, s.AsChunkedCons().End = at, c.End
			return s
		}
		return Of(c.Rest)
	case KindRange:
		return t.rangeFrom(src.AsRange(), i)
	case KindString:
		if s := src.AsString(); i < int64(len(s.S)) {
			return t.strSeq(s, int(i))
		}
	case KindMapSeq:
		q := src.AsMapSeq()
		if i += int64(q.Index); i < int64(collCount(Of(q.Coll))) {
			return t.mapSeq(q.Coll, int32(i), q.Mode, q.Desc)
		}
	case KindArrayMap, KindHashMap, KindSortedMap, KindHashSet, KindSortedSet:
		if i < int64(collCount(src)) {
			return t.mapSeq(src.h, int32(i), SeqEntries, false)
		}
	default:
		return src
	}
	return Nil
}

// RealisedLazy returns a lazy sequence that is already realised, from a sequence or nil. The class
// of a lazy sequence is visible when it is printed.
func (t *Task) RealisedLazy(seq Value) Value {
	t.Charge(sizeLazy)
	return Value{h: &(&Lazy{Header: t.header(KindLazy), Seq: seq.h}).Header}
}

// seqOfLazy realises a lazy sequence and returns its sequence.
func (t *Task) seqOfLazy(l *Lazy) Value {
	for {
		if l = t.LocalCopy(l); l.Fn != nil {
			t.Host.Force(l)
			l = t.LocalCopy(l)
		}
		h := l.Seq
		if h == nil {
			return Nil
		}
		if h.kind != KindLazy {
			return t.Seq(Of(h))
		}
		l = pointer[Lazy](h)
		t.Work(1)
	}
}

func (t *Task) vecSeq(v *Vector, i, step int32) Value {
	t.Charge(sizeVecSeq)
	return Value{h: &(&VecSeq{Header: t.header(KindVecSeq), Vec: v, Index: i, Step: step}).Header}
}

func (t *Task) strSeq(s *String, off int) Value {
	t.Charge(sizeStrSeq)
	return Value{h: &(&StrSeq{Header: t.header(KindStrSeq), Str: s, Off: int32(off)}).Header}
}

// MapSeqOf returns the sequence of the entries, keys or values of a map, or of the members of a
// set, or nil if it is empty. With desc, it runs from the last to the first, which only sorted
// collections support.
func (t *Task) MapSeqOf(coll Value, mode SeqMode, desc bool) Value {
	if collCount(coll) == 0 {
		return Nil
	}
	return t.mapSeq(coll.h, 0, mode, desc)
}

func (t *Task) mapSeq(coll *Header, i int32, mode SeqMode, desc bool) Value {
	t.Charge(sizeMapSeq)
	s := &MapSeq{Header: t.header(KindMapSeq), Coll: coll, Index: i, Mode: mode, Desc: desc}
	return Value{h: &s.Header}
}

// collCount returns the count of a map or set.
func collCount(coll Value) int {
	if coll.Is(Sets) {
		return setCount(coll)
	}
	return MapCount(coll)
}

// RSeq returns the sequence of a vector or sorted collection from the last to the first, or nil if
// it is empty.
func (t *Task) RSeq(coll Value) Value {
	switch coll.Kind() {
	case KindVector, KindMapEntry:
		v := t.AsVec(coll)
		if v.Count == 0 {
			return Nil
		}
		return t.vecSeq(v, v.Count-1, -1)
	case KindSortedMap, KindSortedSet:
		return t.MapSeqOf(coll, SeqEntries, true)
	}
	if s, ok := t.own(coll, methodRSeq); ok {
		return t.ownSeq(coll, s)
	}
	t.Fail(diag.WrongType, "rseq: got %s, want a vector or sorted collection", ClassName(coll))
	return Nil
}

// First returns the first element of a seqable value, or nil if it is empty.
func (t *Task) First(v Value) Value {
	switch v.Kind() {
	case KindNil:
		return Nil
	case KindList, KindCons:
		return v.AsCons().First
	case KindChunkedCons:
		c := as[ChunkedCons](v)
		return c.Chunk.Vals[c.Off]
	case KindRange:
		return Int(as[Range](v).Start)
	case KindVecSeq:
		s := as[VecSeq](v)
		return VecNth(s.Vec, int(s.Index))
	case KindStrSeq:
		s := as[StrSeq](v)
		return charAt(s.Str.S, int(s.Off))
	case KindMapSeq:
		return t.mapSeqFirst(as[MapSeq](v))
	case KindVector, KindMapEntry:
		if VecCount(v) == 0 {
			return Nil
		}
		return VecAt(v, 0)
	case KindString:
		if s := v.AsString().S; s != "" {
			return charAt(s, 0)
		}
		return Nil
	case KindQueue:
		return t.Peek(v)
	}
	if t.isSeq(v) {
		return t.viewFirst(v)
	}
	return t.viewFirst(t.SeqView(v))
}

func charAt(s string, off int) Value {
	if c := s[off]; c < utf8.RuneSelf {
		return Char(rune(c))
	}
	r, _ := utf8.DecodeRuneInString(s[off:])
	return Char(r)
}

// mapSeqFirst returns the first element of a MapSeq.
func (t *Task) mapSeqFirst(s *MapSeq) Value {
	x, _ := t.MapSeqAt(s, 0)
	return x
}

// MapSeqAt returns the i-th element of a MapSeq. It returns false after the last.
func (t *Task) MapSeqAt(s *MapSeq, i int) (Value, bool) {
	coll := Of(s.Coll)
	n := collCount(coll)
	if i += int(s.Index); i >= n {
		return Nil, false
	}
	if s.Desc {
		i = n - 1 - i
	}
	k, v := EntryAt(coll, i)
	return t.mapItem(coll.h.kind, s.Mode, k, v), true
}

// mapItem returns the part of an entry or member that a sequence contains.
func (t *Task) mapItem(kind Kind, mode SeqMode, k, v Value) Value {
	switch {
	case mode == SeqKeys || Sets.Has(kind):
		return k
	case mode == SeqVals:
		return v
	}
	return t.Entry(k, v)
}

// Next returns the sequence after the first element of a seqable value, or nil if it is empty.
func (t *Task) Next(v Value) Value {
	s := t.Seq(v)
	switch s.Kind() {
	case KindNil:
		return Nil
	case KindList, KindCons:
		return t.Seq(Of(s.AsCons().Rest))
	case KindChunkedCons:
		if c := as[ChunkedCons](s); c.Off+1 >= c.End {
			return t.Seq(Of(c.Rest))
		}
		return t.chunkTail(as[ChunkedCons](s))
	case KindRange:
		return t.rangeNext(as[Range](s))
	case KindVecSeq:
		q := as[VecSeq](s)
		i := q.Index + q.Step
		if i < 0 || i >= q.Vec.Count {
			return Nil
		}
		return t.vecSeq(q.Vec, i, q.Step)
	case KindStrSeq:
		q := as[StrSeq](s)
		_, size := utf8.DecodeRuneInString(q.Str.S[q.Off:])
		if int(q.Off)+size >= len(q.Str.S) {
			return Nil
		}
		return t.strSeq(q.Str, int(q.Off)+size)
	}
	q := as[MapSeq](s)
	if int(q.Index)+1 >= collCount(Of(q.Coll)) {
		return Nil
	}
	return t.mapSeq(q.Coll, q.Index+1, q.Mode, q.Desc)
}

func (t *Task) chunkTail(c *ChunkedCons) Value {
	t.Charge(sizeChunkedCons)
	return Value{h: &(&ChunkedCons{Header: t.header(KindChunkedCons), Chunk: c.Chunk, Rest: c.Rest, Off: c.Off + 1,
		End: c.End}).Header}
}

func (t *Task) rangeNext(r *Range) Value {
	return t.rangeFrom(r, 1)
}

// rangeFrom returns a range without its first n elements. The range must have at least n.
func (t *Task) rangeFrom(r *Range, n int64) Value {
	if n >= rangeCount(r) {
		return Nil
	}
	rest := t.Range(r.Start+n*r.Step, r.End, r.Step)
	as[Range](rest).Skip = int32((int64(r.Skip) + n) % vecWidth)
	return rest
}

// RangeChunk returns the first chunk of a range as a range, and the rest of the range, or nil if
// nothing is left.
func (t *Task) RangeChunk(r *Range) (chunk, rest Value) {
	rest = t.rangeFrom(r, int64(vecWidth-r.Skip))
	if rest.h == nil {
		return Value{h: &r.Header}, Nil
	}
	return t.Range(r.Start, as[Range](rest).Start, r.Step), rest
}

// rangeCount returns the number of elements of a range, which may exceed the result of a signed
// subtraction.
func rangeCount(r *Range) int64 {
	var span, step uint64
	if r.Step > 0 {
		span, step = uint64(r.End)-uint64(r.Start), uint64(r.Step)
	} else {
		span, step = uint64(r.Start)-uint64(r.End), -uint64(r.Step)
	}
	n := (span-1)/step + 1
	return int64(min(n, 1<<63-1))
}

// Rest returns the sequence after the first element of a seqable value. It may be an unrealised
// lazy sequence, or ().
func (t *Task) Rest(v Value) Value {
	s := v
	if !t.isSeq(v) {
		s = t.SeqView(v)
	}
	var rest *Header
	switch s.Kind() {
	case KindObject:
		rest = t.viewRest(s).h
	case KindList, KindCons:
		rest = s.AsCons().Rest
	case KindChunkedCons:
		c := as[ChunkedCons](s)
		if c.Off+1 < c.End {
			return t.chunkTail(c)
		}
		rest = c.Rest
	default:
		rest = t.Next(s).h
	}
	if rest == nil {
		return EmptyList
	}
	return Of(rest)
}

// SeqChunk returns the first values of a sequence as a block, and the rest of the sequence (nil, a
// sequence, or an unrealised lazy sequence). ok is false if the sequence is not chunked.
func (t *Task) SeqChunk(s Value) (vals []Value, rest Value, ok bool) {
	switch s.Kind() {
	case KindChunkedCons:
		c := as[ChunkedCons](s)
		return c.Chunk.Vals[c.Off:c.End:c.End], Of(c.Rest), true
	case KindVecSeq:
		q := as[VecSeq](s)
		if q.Step != 1 {
			return nil, Nil, false
		}
		vals, first := q.Vec.chunkFor(int(q.Index))
		if next := first + len(vals); next < int(q.Vec.Count) {
			rest = t.vecSeq(q.Vec, int32(next), 1)
		}
		return vals[int(q.Index)-first:], rest, true
	case KindRange:
		r := as[Range](s)
		n := min(rangeCount(r), int64(vecWidth-r.Skip))
		rest = t.rangeFrom(r, n)
		vals = t.Vals(int(n))
		for i := range vals {
			vals[i] = Int(r.Start + int64(i)*r.Step)
		}
		return vals, rest, true
	}
	return nil, Nil, false
}

// VecSeqOnto returns the block of values at the start of a forward sequence through a vector,
// before the sequence rest. The block is the vector's own, and the whole block stays alive. The
// block of a small vector is copied, because otherwise the vector would stay alive too.
func (t *Task) VecSeqOnto(q *VecSeq, rest Value) Value {
	v, i := q.Vec, int(q.Index)
	if v.small {
		vals := t.Vals(int(v.Count) - i)
		copy(vals, v.tail.Vals[i:])
		return t.ChunkCons(t.Chunk(vals), rest)
	}
	c, first := v.chunkAt(int(v.start) + i)
	s := t.ChunkCons(c, rest)
	s.AsChunkedCons().Off = int32(int(v.start) + i - first)
	s.AsChunkedCons().End = int32(min(v.end()-first, vecWidth))
	return s
}

// queueSeq returns the sequence of a queue: a copy of the front, then the rear.
func (t *Task) queueSeq(q *Queue) Value {
	if q.Count == 0 {
		return Nil
	}
	if q.Rear == nil {
		return t.Seq(Of(q.Front))
	}
	rear := t.Seq(Of(q.Rear))
	front := t.ToVals(Of(q.Front))
	return t.ChunkCons(t.Chunk(front), rear)
}
