// This file defines how Decoder reads sequences and queues.

package value

// sequence reads a sequence or a queue.
func (d *Decoder) sequence(tag codecTag) Value {
	t := d.t
	switch tag {
	case tagList:
		n := d.count(1)
		if d.err != nil || n == 0 {
			return EmptyList
		}
		var head, last *Cons
		if d.cells(n, &head, &last); d.err != nil {
			return Nil
		}
		return Value{h: &head.Header}
	case tagSeq:
		return d.segments()
	case tagRange:
		start, end, step := d.int(), d.int(), d.int()
		skip := d.uint(vecMask)
		if d.err != nil || step == 0 || step > 0 && start >= end || step < 0 && start <= end {
			d.fail("range without elements")
			return Nil
		}
		v := t.Range(start, end, step)
		v.AsRange().Skip = int32(skip)
		return v
	case tagVecSeq:
		if v := d.vector(d.uint(vecMask)); d.filled(v) {
			return t.vecSeq(v.AsVector(), 0, 1)
		}
	case tagVecRSeq:
		if v := d.vector(0); d.filled(v) {
			return t.vecSeq(v.AsVector(), v.AsVector().Count-1, -1)
		}
	case tagStrSeq:
		s := d.text()
		if s == "" {
			d.fail("sequence of an empty string")
			return Nil
		}
		return t.strSeq(t.CopyString(s).AsString(), 0)
	case tagMapSeq:
		return d.mapSeq()
	default:
		return d.queue()
	}
	return Nil
}

// filled fails for a vector without values.
func (d *Decoder) filled(v Value) bool {
	if d.err == nil && v.AsVector().Count == 0 {
		d.fail("sequence of an empty vector")
	}
	return d.err == nil
}

func (d *Decoder) mapSeq() Value {
	flags := d.byte()
	mode, desc := SeqMode(flags&^mapSeqDesc), flags&mapSeqDesc != 0
	i := d.uint(maxCount)
	coll := d.body(codecTag(d.byte()))
	switch {
	case d.err != nil:
		return Nil
	case mode > SeqVals || !coll.Is(Maps|Sets) || desc && !coll.Is(Kinds(KindSortedMap, KindSortedSet)):
		d.fail("sequence of the wrong kind of collection")
		return Nil
	case i >= collCount(coll):
		d.fail("sequence begins after the end of its collection")
		return Nil
	}
	return d.t.mapSeq(coll.h, int32(i), mode, desc)
}

// queue reads a queue: a list, or the rest of a vector, and a vector.
func (d *Decoder) queue() Value {
	front, rear := d.next(), d.next()
	if d.err != nil {
		return Nil
	}
	n := 0
	switch front.Kind() {
	case KindNil:
		if rear.h == nil {
			return EmptyQueue
		}
	case KindList:
		n = int(front.AsCons().Count)
	case KindVecSeq:
		if s := front.AsVecSeq(); s.Step > 0 {
			n = int(s.Vec.Count)
		}
	}
	if n == 0 || rear.h != nil && (rear.Kind() != KindVector || rear.AsVector().Count == 0) {
		d.fail("parts of a queue have wrong types")
		return Nil
	}
	if rear.h != nil {
		n += int(rear.AsVector().Count)
	}
	return d.t.queue(front, rear, int32(n), nil)
}

// cells reads n promised elements of a counted list, sets *head to the first cell and *last to the
// last one. The counts of the cells are right if nothing follows.
func (d *Decoder) cells(n int, head, last **Cons) {
	t := d.t
	var prev *Cons
	for i := range n {
		x := d.value()
		if d.err != nil {
			return
		}
		c := t.Cons(x, Nil).AsCons()
		c.kind, c.Count = KindList, int32(n-i)
		if prev == nil {
			*head = c
		} else {
			prev.Rest = &c.Header
		}
		prev = c
	}
	*last = prev
}

// segments reads a sequence cell by cell, from the first on.
func (d *Decoder) segments() Value {
	var first *Header
	at := &first   // where the next cell goes
	meta := Nil    // of the next cell
	var list *Cons // the first cell of the counted list that is being read
	segs, runs := 0, 0
	for {
		kind := d.byte()
		if d.err != nil {
			return Nil
		}
		d.t.Work(1)
		segs++
		if list != nil && kind != segEnd && kind != segMeta && (kind != segList || meta.h == nil) {
			d.fail("a counted list continues with other cells")
		}
		if meta.h != nil && (kind == segMeta || kind == segEnd || kind == segRest) {
			d.fail("metadata without a cell")
		}
		switch kind {
		case segEnd:
			if first == nil || segs == 2 && list != nil {
				d.fail("sequence is not canonical")
			}
			d.countCells(list, runs)
		case segRest:
			*at = d.rest().h
			if first == nil || segs == 1 {
				d.fail("sequence without cells")
			}
		case segMeta:
			if meta = d.next(); segs == 1 || !meta.Is(Maps) {
				d.fail("metadata of a cell is not canonical")
			}
		case segList:
			n := d.count(1)
			if d.err != nil || n == 0 {
				d.fail("run of no cells")
				break
			}
			var head, last *Cons
			if d.cells(n, &head, &last); d.err == nil {
				if list == nil {
					list = head
				}
				runs += n
				head.Meta = meta.h
				*at, at, meta = &head.Header, &last.Rest, Nil
			}
		default:
			at, meta = d.cell(kind, at, meta), Nil
		}
		if d.err != nil {
			return Nil
		}
		if kind == segEnd || kind == segRest {
			return Of(first)
		}
	}
}

// countCells sets the counts of a list of n cells.
func (d *Decoder) countCells(c *Cons, n int) {
	d.t.Work(int64(n) / 4)
	for ; c != nil && d.err == nil; n-- {
		c.Count = int32(n)
		if c.Rest == nil {
			return
		}
		c = pointer[Cons](c.Rest)
	}
}

// restKinds are the kinds of the end of a sequence. A lazy sequence may end in any collection or string.
var restKinds = Colls | Kinds(KindString)

// rest reads the end of a sequence that is not made of cells.
func (d *Decoder) rest() Value {
	v := d.next()
	if d.err == nil && (!v.Is(restKinds) || v.Is(cellKinds) && (v.h.kind != KindList || v.AsCons().Count > 0)) {
		d.fail("rest of a sequence is not canonical")
	}
	return v
}

// cell reads a cell with metadata and stores it. It returns where the next cell goes.
func (d *Decoder) cell(kind byte, at **Header, meta Value) (next **Header) {
	t := d.t
	switch kind {
	case segCons:
		x := d.next()
		c := t.Cons(x, Nil).AsCons()
		c.Meta = meta.h
		*at = &c.Header
		return &c.Rest
	case segChunk:
		n := d.count(1)
		if n == 0 || n > BlockVals {
			d.fail("chunk of %d elements", n)
			return at
		}
		vals := t.Vals(n)
		for i := range vals {
			vals[i] = d.value()
		}
		c := as[ChunkedCons](t.ChunkCons(t.Chunk(vals), Nil))
		c.Meta = meta.h
		*at = &c.Header
		return &c.Rest
	case segLazy:
		l := as[Lazy](t.RealisedLazy(Nil))
		l.Meta = meta.h
		*at = &l.Header
		return &l.Seq
	}
	d.fail("unknown segment %d", kind)
	return at
}
