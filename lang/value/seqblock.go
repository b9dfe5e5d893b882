// This file defines Advance, which takes many elements of a sequence at a time.

package value

import "unicode/utf8"

// Advance copies the first elements of s to buf, without realising anything.
// It returns their number and the rest of the sequence: nil, a sequence, or a lazy one. s must be a
// sequence or nil. Walking a view of a collection one step at a time would allocate an object for
// each element. Advance is long on purpose: one case per kind of sequence.
func (t *Task) Advance(s Value, buf []Value) (n int, rest Value) {
	t.Work(int64(len(buf)/4 + 1))
	for n < len(buf) {
		switch s.Kind() {
		case KindNil:
			return n, Nil
		case KindList, KindCons:
			c := s.AsCons()
			if c.kind == KindList && c.Count == 0 {
				return n, Nil
			}
			buf[n], s = c.First, Of(c.Rest)
			n++
		case KindLazy:
			l := t.LocalCopy(as[Lazy](s))
			if l.Fn != nil {
				return n, s
			}
			s = Of(l.Seq)
		case KindChunkedCons:
			c := as[ChunkedCons](s)
			k := copy(buf[n:], c.Chunk.Vals[c.Off:c.End])
			n += k
			if s = Of(c.Rest); k < int(c.End-c.Off) {
				s = t.ChunkCons(c.Chunk, s)
				part := as[ChunkedCons](s)
				part.Off, part.End = c.Off+int32(k), c.End
			}
		case KindRange:
			r := as[Range](s)
			k := min(int64(len(buf)-n), rangeCount(r))
			for i := range k {
				buf[n] = Int(r.Start + i*r.Step)
				n++
			}
			s = t.rangeFrom(r, k)
		case KindVecSeq:
			q := as[VecSeq](s)
			i := q.Index
			for ; n < len(buf) && i >= 0 && i < q.Vec.Count; i += q.Step {
				buf[n] = VecNth(q.Vec, int(i))
				n++
			}
			if s = Nil; i >= 0 && i < q.Vec.Count {
				s = t.vecSeq(q.Vec, i, q.Step)
			}
		case KindStrSeq:
			n, s = t.advanceStr(as[StrSeq](s), buf, n)
		case KindMapSeq:
			n, s = t.advanceMap(as[MapSeq](s), buf, n)
		default:
			s = t.Seq(s)
		}
	}
	return n, s
}

func (t *Task) advanceStr(q *StrSeq, buf []Value, n int) (int, Value) {
	off := int(q.Off)
	for n < len(buf) && off < len(q.Str.S) {
		r, size := utf8.DecodeRuneInString(q.Str.S[off:])
		buf[n] = Char(r)
		n++
		off += size
	}
	if off == len(q.Str.S) {
		return n, Nil
	}
	return n, t.strSeq(q.Str, off)
}

func (t *Task) advanceMap(q *MapSeq, buf []Value, n int) (int, Value) {
	coll := Of(q.Coll)
	it := MapIter{desc: q.Desc}
	it.init(coll, int(q.Index))
	i := int(q.Index)
	for n < len(buf) && it.Next() {
		buf[n] = t.mapItem(q.Coll.kind, q.Mode, it.Key, it.Val)
		n++
		i++
	}
	if i == collCount(coll) {
		return n, Nil
	}
	return n, t.mapSeq(q.Coll, int32(i), q.Mode, q.Desc)
}
