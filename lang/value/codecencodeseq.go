// This file defines how Encoder writes sequences and queues. A sequence is written as its cells, not
// as its elements: their kinds are visible to a program as classes, as chunks and as laziness.

package value

import "strconv"

// seq writes a list, or the cells of another sequence. It does not recurse along the sequence. The
// metadata of the first cell is written already.
func (e *Encoder) seq(v Value) error {
	if v.h.kind == KindList {
		c := v.AsCons()
		if n := plainCells(c); n == int(c.Count) {
			e.tag(tagList)
			_, err := e.cells(c, n, 0)
			return err
		}
	}
	e.tag(tagSeq)
	i := 0 // the index of the next element
	for first := true; ; first = false {
		if err := e.fits(0); err != nil {
			return err
		}
		if e.Task != nil {
			e.Task.Work(1)
		}
		if v.h == nil {
			e.bytes(segEnd)
			return nil
		}
		if !v.Is(cellKinds) || v.h.kind == KindList && v.AsCons().Count == 0 {
			e.bytes(segRest)
			return e.value(v)
		}
		if m := *metaField(v.h); m != nil && !first {
			e.bytes(segMeta)
			if err := e.value(Of(m)); err != nil {
				return at(err, func() string { return "metadata" })
			}
		}
		var err error
		if v, i, err = e.segment(v, i); err != nil {
			return err
		}
	}
}

// cellKinds are the kinds of the cells of a tagSeq.
var cellKinds = Kinds(KindList, KindCons, KindChunkedCons, KindLazy)

// segment writes one segment, whose first element is the i-th. It returns the rest of the sequence
// and the index of its first element.
func (e *Encoder) segment(v Value, i int) (rest Value, next int, err error) {
	switch v.h.kind {
	case KindList:
		c := v.AsCons()
		n := plainCells(c)
		e.bytes(segList)
		last, err := e.cells(c, n, i)
		return Of(last), i + n, err
	case KindCons:
		c := v.AsCons()
		e.bytes(segCons)
		return Of(c.Rest), i + 1, e.element(c.First, i)
	case KindChunkedCons:
		c := v.AsChunkedCons()
		e.bytes(segChunk)
		e.uint(int(c.End - c.Off))
		for _, x := range c.Chunk.Vals[c.Off:c.End] {
			if err := e.element(x, i); err != nil {
				return Nil, 0, err
			}
			i++
		}
		return Of(c.Rest), i, nil
	}
	l := v.AsLazy()
	if e.Task != nil {
		l = e.Task.LocalCopy(l)
	}
	if l.Fn != nil {
		return Nil, 0, at(&Refused{Kind: "lazy sequence that is not computed"}, func() string { return strconv.Itoa(i) })
	}
	e.bytes(segLazy)
	return Of(l.Seq), i, nil
}

func (e *Encoder) element(x Value, i int) error {
	if err := e.value(x); err != nil {
		return at(err, func() string { return strconv.Itoa(i) })
	}
	return nil
}

// plainCells returns the number of cells of a list up to the next one with metadata.
func plainCells(c *Cons) int {
	n := 0
	for h := &c.Header; h != nil && (n == 0 || pointer[Cons](h).Meta == nil); h = pointer[Cons](h).Rest {
		if pointer[Cons](h).Count == 0 {
			break
		}
		n++
	}
	return n
}

// cells writes a count, and the elements of n cells of a list, the first of which is the i-th of the
// sequence. It returns the rest of the list.
func (e *Encoder) cells(c *Cons, n, i int) (rest *Header, err error) {
	e.uint(n)
	if e.Task != nil {
		e.Task.Work(int64(n) / 4)
	}
	h := &c.Header
	for end := i + n; i < end; i++ {
		c := pointer[Cons](h)
		if err := e.element(c.First, i); err != nil {
			return nil, err
		}
		h = c.Rest
	}
	return h, nil
}

// view writes a sequence that is a view of another collection, or a queue.
func (e *Encoder) view(v Value) error {
	if err := e.meta(v); err != nil {
		return err
	}
	switch v.h.kind {
	case KindRange:
		r := v.AsRange()
		e.tag(tagRange)
		e.int(r.Start)
		e.int(r.End)
		e.int(r.Step)
		e.uint(int(r.Skip))
	case KindVecSeq:
		return e.vecSeq(v.AsVecSeq())
	case KindStrSeq:
		s := v.asStrSeq()
		e.tag(tagStrSeq)
		return e.text(s.Str.S[s.Off:])
	case KindMapSeq:
		return e.mapSeq(v.AsMapSeq())
	default:
		q := v.asQueue()
		e.tag(tagQueue)
		if err := e.value(Of(q.Front)); err != nil {
			return err
		}
		return e.value(Of(q.Rear))
	}
	return nil
}

// vecSeq writes the part of a vector that its sequence contains.
func (e *Encoder) vecSeq(s *VecSeq) error {
	if s.Step > 0 {
		e.tag(tagVecSeq)
		e.uint((int(s.Vec.start) + int(s.Index)) & vecMask)
		return e.part(s.Vec, int(s.Index), int(s.Vec.Count))
	}
	e.tag(tagVecRSeq)
	return e.part(s.Vec, 0, int(s.Index)+1)
}

// mapSeq writes the whole map or set of its sequence, without the metadata, which is not visible,
// and the index of the first element.
func (e *Encoder) mapSeq(s *MapSeq) error {
	flags := byte(s.Mode)
	if s.Desc {
		flags |= mapSeqDesc
	}
	e.tag(tagMapSeq)
	e.bytes(flags)
	e.uint(int(s.Index))
	coll := Of(s.Coll)
	if coll.Is(Sets) {
		return e.members(coll)
	}
	return e.entries(coll)
}

// mapSeqDesc is the flag of a sequence that runs from the last element to the first.
const mapSeqDesc = 4
