// This file defines SeqBlock, which takes a sequence apart many elements at a time.

package value

// seqBlock is how many elements SeqBlock gives at most.
const seqBlock = 32

// SeqBlock gives the next elements of a sequence that is a view of a collection
// (of a map, a string, or a vector backwards) as a new block, and the rest of
// the sequence, nil if nothing is left; ok is false for other sequences. Walking
// such a view one step at a time would make an object, and look the place up in
// the collection, for each element.
func (t *Task) SeqBlock(s Value) (vals []Value, rest Value, ok bool) {
	left := 0
	switch s.Kind() {
	case KindMapSeq, KindVecSeq:
		left, _ = counted(s)
	case KindStrSeq:
		left = len(as[StrSeq](s).Str.S) - int(as[StrSeq](s).Off)
	default:
		return nil, Nil, false
	}
	vals = t.Vals(min(left, seqBlock))
	it := t.Iter(s)
	n := 0
	for n < len(vals) {
		if vals[n], ok = it.Next(); !ok {
			break // characters of several bytes
		}
		n++
	}
	return vals[:n], t.seqFrom(s, n, it), true
}

// seqFrom gives the view s without its first n elements, which it has walked.
func (t *Task) seqFrom(s Value, n int, it *Iter) Value {
	switch s.Kind() {
	case KindMapSeq:
		q := as[MapSeq](s)
		if int(q.Index)+n >= collCount(Of(q.Coll)) {
			return Nil
		}
		return t.mapSeq(q.Coll, q.Index+int32(n), q.Mode, q.Desc)
	case KindVecSeq:
		q := as[VecSeq](s)
		i := int(q.Index) + n*int(q.Step)
		if i < 0 || i >= int(q.Vec.Count) {
			return Nil
		}
		return t.vecSeq(q.Vec, int32(i), q.Step)
	}
	q := as[StrSeq](s)
	if it.str == "" {
		return Nil
	}
	return t.strSeq(q.Str, len(q.Str.S)-len(it.str))
}
