// This file defines Iter, which walks any seqable value from Go.

package value

import (
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Iter walks the elements of a seqable value. It walks chunk by chunk, realises lazy sequences
// through the host, and accounts for the work. Like a MapIter it stays on the caller's stack:
//
//	for it := t.Iter(coll); ; {
//		x, ok := it.Next()
//		if !ok {
//			break
//		}
//	}
type Iter struct {
	t      *Task
	vals   []Value // the current chunk, or a part of it
	at     int     // index into vals
	long   []Value // the part of the chunk after vals
	rest   Value   // after the chunk
	then   Value   // after rest: the rear of a queue
	vec    *Vector // walked chunk by chunk from pos, or backwards
	blocks *Blocks // of an array, walked from pos
	pos    int
	step   int
	num    int64 // of a range: the next number, its step and the numbers left
	inc    int64
	left   int64
	ahead  int    // the number of elements of an object that were requested last
	str    string // the rest of a string
	maps   bool   // whether m is in use
	coll   Kind
	mode   SeqMode
	m      MapIter
}

// Iter begins a walk.
func (t *Task) Iter(coll Value) *Iter {
	return &Iter{t: t, rest: coll}
}

// Next returns the next element. ok is false after the last.
func (it *Iter) Next() (x Value, ok bool) {
	if it.at < len(it.vals) {
		x = it.vals[it.at]
		it.at++
		return x, true
	}
	return it.more()
}

// more continues after a chunk.
func (it *Iter) more() (Value, bool) {
	for {
		switch {
		case it.left > 0:
			it.t.Work(1)
			x := it.num
			it.num += it.inc
			it.left--
			return Int(x), true
		case it.str != "":
			it.t.Work(1)
			r, size := utf8.DecodeRuneInString(it.str)
			it.str = it.str[size:]
			return Char(r), true
		case len(it.long) > 0:
			it.part()
			return it.Next()
		case it.vec != nil:
			if it.moreVec() {
				return it.Next()
			}
		case it.blocks != nil:
			if it.pos >= it.blocks.Len() {
				it.blocks = nil
				continue
			}
			it.long = it.blocks.From(it.pos)
			it.pos += len(it.long)
		case it.maps:
			if it.m.Next() {
				it.t.Work(1)
				return it.t.mapItem(it.coll, it.mode, it.m.Key, it.m.Val), true
			}
			it.maps = false
		default:
			if x, got, done := it.take(); got || done {
				return x, got
			}
		}
	}
}

// maxPart is the largest number of values that are accounted for at a time.
const maxPart = 4096

// part takes the next values of a chunk.
func (it *Iter) part() {
	n := min(len(it.long), maxPart)
	it.vals, it.at, it.long = it.long[:n], 0, it.long[n:]
	it.t.Work(int64(n))
}

// moreVec takes the next chunk of a vector, or the next value when it walks backwards.
func (it *Iter) moreVec() bool {
	if it.pos < 0 || it.pos >= int(it.vec.Count) {
		it.vec = nil
		return false
	}
	vals, first := it.vec.chunkFor(it.pos)
	at := it.pos - first
	if it.step < 0 {
		it.vals, it.at, it.pos = vals[at:at+1], 0, it.pos-1
		it.t.Work(1)
		return true
	}
	it.vals, it.at, it.pos = vals, at, first+len(vals)
	it.t.Work(int64(len(vals)))
	return true
}

// take starts on it.rest. It returns an element, or sets the fields with which more continues. It
// is long on purpose: one case per kind.
func (it *Iter) take() (x Value, got, done bool) {
	v := it.rest
	it.rest = Nil
	switch v.Kind() {
	case KindNil:
		if it.then.h == nil {
			return Nil, false, true
		}
		it.rest, it.then = it.then, Nil
	case KindList, KindCons:
		c := v.AsCons()
		if c.kind == KindList && c.Count == 0 {
			break
		}
		it.t.Work(1)
		it.rest = Of(c.Rest)
		return c.First, true, false
	case KindChunkedCons:
		c := as[ChunkedCons](v)
		it.long, it.rest = c.Chunk.Vals[c.Off:c.End], Of(c.Rest)
		it.part()
		it.at = 1
		return it.vals[0], true, false
	case KindLazy:
		it.rest = it.t.seqOfLazy(as[Lazy](v))
	case KindRange:
		r := as[Range](v)
		it.num, it.inc, it.left = r.Start, r.Step, rangeCount(r)
	case KindVector:
		it.vec, it.pos, it.step = v.AsVector(), 0, 1
	case KindMapEntry:
		it.vec, it.pos, it.step = it.t.AsVec(v), 0, 1
	case KindVecSeq:
		q := as[VecSeq](v)
		it.vec, it.pos, it.step = q.Vec, int(q.Index), int(q.Step)
	case KindString:
		it.str = v.AsString().S
	case KindStrSeq:
		q := as[StrSeq](v)
		it.str = q.Str.S[q.Off:]
	case KindMapSeq:
		q := as[MapSeq](v)
		it.beginMap(Of(q.Coll), int(q.Index), q.Mode, q.Desc)
	case KindArrayMap, KindHashMap, KindSortedMap, KindRecord, KindHashSet, KindSortedSet:
		it.beginMap(v, 0, SeqEntries, false)
	case KindQueue:
		q := as[Queue](v)
		it.rest, it.then = Of(q.Front), Of(q.Rear)
	case KindArray:
		it.blocks, it.pos = &v.AsArray().Blocks, 0
	case KindObject:
		if it.t.Inert { // its methods no longer run
			return v, true, false
		}
		it.rest = it.objects(v)
	case KindBuilder, KindJava:
		it.rest = it.t.Seq(v)
	default:
		it.t.FailSeq(v)
	}
	return Nil, false, false
}

func (it *Iter) beginMap(coll Value, i int, mode SeqMode, desc bool) {
	it.maps, it.coll, it.mode = true, coll.h.kind, mode
	it.m = MapIter{desc: desc}
	it.m.init(coll, i)
}

// Each calls f with the elements of a seqable value in order until f returns false.
func (t *Task) Each(coll Value, f func(x Value) bool) {
	for it := t.Iter(coll); ; {
		x, ok := it.Next()
		if !ok || !f(x) {
			return
		}
	}
}

// maxRequest is the largest number of values in one request: more than any cap allows, and less
// than would overflow a size.
const maxRequest = 1 << 40

// ToVals returns the elements of a seqable value as a new block.
func (t *Task) ToVals(coll Value) []Value {
	coll = t.Elements(coll)
	return t.FirstVals(coll, t.Count(coll))
}

// Elements returns a seqable value whose count is the number of its elements. For an object, whose
// method count may return any number, it returns the sequence of the object. Otherwise it returns
// coll.
func (t *Task) Elements(coll Value) Value {
	if coll.Kind() == KindObject {
		return t.Seq(coll)
	}
	return coll
}

// FirstVals returns the first n elements of a seqable value, which must have at least n.
func (t *Task) FirstVals(coll Value, n int) []Value {
	vals := t.Vals(min(n, maxRequest))
	it := t.Iter(coll)
	for i := range vals {
		vals[i], _ = it.Next()
	}
	return vals
}

// Count returns the number of elements of a countable value. It walks values that do not store
// their count.
func (t *Task) Count(v Value) int {
	if n, ok := t.counted(v); ok {
		return n
	}
	if v.Is(transients) {
		return t.liveCount(v)
	}
	if v.Kind() == KindObject {
		return t.objectCount(v)
	}
	if coll, ok := t.JavaColl(v); ok {
		return t.Count(coll)
	}
	return t.countSeq(v)
}

// counted returns the count of a value that stores it.
func (t *Task) counted(v Value) (n int, ok bool) {
	switch v.Kind() {
	case KindNil:
		return 0, true
	case KindString:
		return t.Length(v.AsString()), true
	case KindVector, KindMapEntry:
		return VecCount(v), true
	case KindArrayMap, KindHashMap, KindSortedMap, KindRecord:
		return MapCount(v), true
	case KindHashSet, KindSortedSet:
		return setCount(v), true
	case KindList:
		return int(v.AsCons().Count), true
	case KindRange:
		return int(rangeCount(as[Range](v))), true
	case KindVecSeq:
		if q := as[VecSeq](v); q.Step == 1 {
			return int(q.Vec.Count - q.Index), true
		}
		return int(as[VecSeq](v).Index) + 1, true
	case KindMapSeq:
		q := as[MapSeq](v)
		return collCount(Of(q.Coll)) - int(q.Index), true
	case KindQueue:
		return int(as[Queue](v).Count), true
	case KindArray:
		return v.AsArray().Len(), true
	case KindBuilder:
		if isCharSequence(v) {
			return t.BuilderLength(v), true
		}
	}
	return 0, false
}

// countSeq counts a sequence by walking it, chunk by chunk.
func (t *Task) countSeq(v Value) int {
	n := 0
	for {
		switch v.Kind() {
		case KindCons:
			t.Work(1)
			n++
			v = Of(v.AsCons().Rest)
		case KindChunkedCons:
			c := as[ChunkedCons](v)
			t.Work(1)
			n += int(c.End - c.Off)
			v = Of(c.Rest)
		case KindLazy:
			v = t.seqOfLazy(as[Lazy](v))
		case KindStrSeq:
			q := as[StrSeq](v)
			return n + t.RuneCount(q.Str.S[q.Off:])
		case KindObject: // the rest of a sequence that a program's type defines
			v = t.Seq(v)
		default:
			more, ok := t.counted(v)
			if !ok {
				t.FailHint(diag.NotSupported, "got "+Describe(t, v)+", want a collection or string",
					"count not supported on this type: %s", simpleName(v))
			}
			return n + more
		}
	}
}
