// This file defines native iteration over any sequence: OpIter and OpIterNext.

package machine

import (
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/value"
)

type iterState uint8

const (
	iterElement iterState = iota // there is an element
	iterDone                     // there is no element left
	iterAgain                    // a frame was pushed; the instruction must run again
)

// iter begins an iteration over coll. src holds the rest of the walk, idx the index in it, leaf the
// block of a vector that idx is in.
func (m *Machine) iter(src, idx, leaf *value.Value, coll value.Value) {
	i := int64(0)
	switch coll.Kind() {
	case value.KindVector, value.KindLazy, value.KindNil, value.KindString, value.KindArrayMap, value.KindHashMap,
		value.KindHashSet,
		value.KindSortedMap, value.KindSortedSet, value.KindList, value.KindCons, value.KindChunkedCons, value.KindRange,
		value.KindBox:
	case value.KindVecSeq:
		if s := coll.AsVecSeq(); s.Step == 1 {
			coll, i = value.Of(&s.Vec.Header), int64(s.Index)
		}
	case value.KindMapSeq:
	default:
		coll = m.Seq(coll)
	}
	*src, *idx, *leaf = coll, value.Int(i), value.Nil
}

// iterNext moves to the next element. It changes the state only when nothing can unwind any more.
func (m *Machine) iterNext(src, idx, leaf, out *value.Value) iterState {
	for {
		switch src.Kind() {
		case value.KindNil:
			return iterDone
		case value.KindVector:
			return vectorNext(src.AsVector(), idx, leaf, out)
		case value.KindChunkedCons:
			c := src.AsChunkedCons()
			i := int(idx.AsInt()) + int(c.Off)
			if i < int(c.End) {
				*out = c.Chunk.Vals[i]
				idx.SetInt(idx.AsInt() + 1)
				return iterElement
			}
			*src = value.Of(c.Rest)
			idx.SetInt(0)
			m.startRest(src, idx)
		case value.KindLazy:
			if m.realise(*src) {
				return iterAgain
			}
			*src = value.Of(m.LocalCopy(src.AsLazy()).Seq)
			idx.SetInt(0)
			m.startRest(src, idx)
		case value.KindRange:
			r := src.AsRange()
			x := r.Start + idx.AsInt()*r.Step
			if r.Step > 0 && x >= r.End || r.Step < 0 && x <= r.End {
				return iterDone
			}
			*out = value.Int(x)
			idx.SetInt(idx.AsInt() + 1)
			return iterElement
		case value.KindList, value.KindCons:
			c := src.AsCons()
			if c.Header.Kind() == value.KindList && c.Count == 0 {
				return iterDone
			}
			*out = c.First
			*src = value.Of(c.Rest) // unchanged: see iterRest
			idx.SetInt(0)
			return iterElement
		case value.KindString:
			s := src.AsString().S[idx.AsInt():]
			if s == "" {
				return iterDone
			}
			r, n := utf8.DecodeRuneInString(s)
			*out = value.Char(r)
			idx.SetInt(idx.AsInt() + int64(n))
			return iterElement
		case value.KindBox:
			b := src.AsBox()
			i := idx.AsInt()
			if i >= int64(b.Len()) {
				return iterDone
			}
			*out = *b.At(int(i))
			idx.SetInt(i + 1)
			return iterElement
		case value.KindArrayMap, value.KindHashMap, value.KindSortedMap, value.KindHashSet, value.KindSortedSet:
			return m.collNext(src, idx, out)
		case value.KindVecSeq: // backward, or the rest of a cell
			s := src.AsVecSeq()
			i := idx.AsInt()
			at := int64(s.Index) + i*int64(s.Step)
			if at < 0 || at >= int64(s.Vec.Count) {
				return iterDone
			}
			*out = value.VecNth(s.Vec, int(at))
			idx.SetInt(i + 1)
			return iterElement
		case value.KindMapSeq:
			i := idx.AsInt()
			x, ok := m.MapSeqAt(src.AsMapSeq(), int(i))
			if !ok {
				return iterDone
			}
			*out = x
			idx.SetInt(i + 1)
			return iterElement
		case value.KindObject: // the rest of a sequence that a program's type defines
			*src = m.Seq(*src)
		default:
			*out = m.First(*src)
			rest := m.Rest(*src)
			*src = rest
			idx.SetInt(0)
			return iterElement
		}
	}
}

// iterRest returns the sequence of x, which is the last element of iterNext, and of the rest of the
// walk. It has the chunks of the collection: x begins the rest of its chunk. An index that is not
// the first is the one after x.
func (m *Machine) iterRest(src value.Value, idx int64, x value.Value) value.Value {
	if idx == 0 || src.IsString() {
		return m.Cons(x, m.SeqAt(src, idx))
	}
	return m.SeqAt(src, idx-1)
}

// startRest replaces a sequence over a vector, which is the rest of another sequence, by the vector
// and the index in it.
func (m *Machine) startRest(src, idx *value.Value) {
	if src.Kind() == value.KindVecSeq {
		if s := src.AsVecSeq(); s.Step == 1 {
			idx.SetInt(int64(s.Index))
			*src = value.Of(&s.Vec.Header)
		}
	}
}

func vectorNext(v *value.Vector, idx, leaf, out *value.Value) iterState {
	i := int(idx.AsInt())
	if i >= int(v.Count) {
		return iterDone
	}
	*out = value.VecNth(v, i)
	idx.SetInt(int64(i + 1))
	return iterElement
}

func (m *Machine) collNext(src, idx, out *value.Value) iterState {
	i := int(idx.AsInt())
	if i >= m.Count(*src) {
		return iterDone
	}
	k, v := value.EntryAt(*src, i)
	if src.Is(value.Sets) {
		*out = k
	} else {
		*out = m.Entry(k, v)
	}
	idx.SetInt(int64(i + 1))
	return iterElement
}
