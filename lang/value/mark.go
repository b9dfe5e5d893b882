// This file defines the mark: when the account of an evaluation is full, it finds which of the
// evaluation's own objects are live.

package value

import (
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Marker walks the objects that an evaluation owns from its roots and adds up their charged sizes.
// It does not enter objects of other owners. An object is charged to the evaluation that made it,
// and the objects it refers to were made earlier, by the same evaluation or by one that waits for
// it.
type Marker struct {
	t     *Task
	to    uint32 // if not 0, the new owner of the objects found: see Transfer
	fns   bool   // whether it met functions then, of any owner
	stack markStack
	live  int64
	found limits.Counts // objects found live
	// seen counts the objects found live. The work of the first polled of them is accounted for.
	seen, polled int64
}

// BeginMark starts a mark. The caller passes every root to Value, then calls End.
func (t *Task) BeginMark() *Marker {
	t.epoch++
	if t.epoch == 0 { // the epoch of objects that no mark has seen
		t.epoch = 1
	}
	t.marks++
	m := &Marker{t: t}
	if t.spare != nil {
		clear(t.spare[:])
		m.live = sizeSpare
		m.found.Count(spareClass)
	}
	return m
}

// Marks returns the number of marks since ResetMarks.
func (t *Task) Marks() int { return int(t.marks) }

// ResetMarks resets the count of marks, for another run.
func (t *Task) ResetMarks() { t.marks = 0 }

// End sets the account to the live bytes, charges the work as steps and returns the live bytes.
func (m *Marker) End(roots int64) int64 {
	t := m.t
	live := m.live + roots
	t.Marked(live, &m.found)
	m.poll()
	return live
}

// Vals marks from each of vals.
func (m *Marker) Vals(vals []Value) {
	for i := range vals {
		m.Value(vals[i])
	}
}

// Value marks everything reachable from v.
func (m *Marker) Value(v Value) {
	m.push(v.h)
	m.drain(0)
}

func (m *Marker) push(h *Header) {
	if m.to != 0 && h != nil && h.kind == KindFn {
		m.fns = true
	}
	if h == nil || h.owner != m.t.Owner || h.owner == 0 || h.mark == m.t.epoch && m.to == 0 {
		return
	}
	if m.to != 0 {
		h.owner, h.mark = m.to, 0
	} else {
		h.mark = m.t.epoch
	}
	m.seen++
	if isLeaf[h.kind] {
		m.scan(h)
		return
	}
	m.stack.push(h)
}

// isLeaf holds the kinds that refer to no other object. They are never pushed.
var isLeaf = [256]bool{KindString: true, KindKeyword: true, KindBigInt: true, KindRatio: true, KindDecimal: true,
	KindUUID: true, KindInst: true}

// drain processes objects until the stack has its former length.
func (m *Marker) drain(was int) {
	for m.stack.depth > was {
		m.scan(m.stack.pop())
		if m.seen-m.polled >= markPoll {
			m.poll()
		}
	}
}

// markPoll is the number of objects between two checks of the bounds of the run. They take about
// 100 microseconds. Eight of them are a unit of work.
const markPoll = 8192

func (m *Marker) poll() {
	m.t.Work((m.seen - m.polled) / 8)
	m.polled = m.seen
}

// pushVals pushes vals. If there are many, it pushes and processes them part by part, so that the
// stack stays short and the work is accounted for. Each block of this length takes at least 128 KB,
// which bounds the depth to which such blocks are nested.
func (m *Marker) pushVals(vals []Value) {
	for len(vals) > markPoll {
		was := m.stack.depth
		m.pushVals(vals[:markPoll])
		m.drain(was)
		m.t.Spend(markPoll / 64)
		vals = vals[markPoll:]
	}
	for i := range vals {
		m.push(vals[i].h)
	}
}

// blocks is block for an array.
func (m *Marker) blocks(b *Blocks) {
	m.live += tableSize(len(b.full))
	for _, vals := range b.full {
		m.block(vals)
	}
	m.block(b.Vals)
}

// block accounts for a block of values and pushes them. The whole capacity counts, because the
// owner may have appended values beyond the length that this reader sees.
func (m *Marker) block(vals []Value) {
	m.live += ValsSize(cap(vals))
	countVals(&m.found, cap(vals))
	m.pushVals(vals)
}

// name counts the strings of a name and returns their size.
func (m *Marker) name(ns, name string) int64 {
	countBytes(&m.found, len(ns))
	countBytes(&m.found, len(name))
	return limits.BytesSize(len(ns)) + limits.BytesSize(len(name))
}

// scan adds the size of an object and pushes the objects it refers to. It is long on purpose: one
// case per kind.
func (m *Marker) scan(h *Header) {
	if h.flags&joined == 0 {
		m.found.Count(kindClass[h.kind])
	}
	switch h.kind {
	case KindString:
		o := pointer[String](h)
		m.live += stringSize(len(o.S))
		countString(&m.found, o)
	case KindKeyword:
		o := pointer[Keyword](h)
		m.live += sizeKeyword + m.name(o.NS, o.Name)
	case KindSymbol:
		o := pointer[Symbol](h)
		m.live += sizeSymbol + m.name(o.NS, o.Name)
		m.push(o.Meta)
	case KindList, KindCons:
		o := pointer[Cons](h)
		if h.flags&joined != 0 {
			m.push(&o.block().Header)
		} else {
			m.live += sizeCons
		}
		m.push(o.Meta)
		m.push(o.First.h)
		m.push(o.Rest)
	case KindChunk:
		m.live += sizeChunk
		m.block(pointer[Chunk](h).Vals)
	case KindBox, KindBuilder, KindMatcher, KindIterator:
		m.live += sizeBox
		m.blocks(&pointer[Box](h).Blocks)
	case KindSorting:
		o := pointer[Sorting](h)
		m.live += sizeSorting
		for _, b := range []*Blocks{&o.keys, &o.tmpKeys, &o.vals, &o.tmpVals} {
			m.blocks(b)
		}
	case KindChunkedCons:
		o := pointer[ChunkedCons](h)
		m.live += sizeChunkedCons
		m.push(&o.Chunk.Header)
		m.push(o.Rest)
		m.push(o.Meta)
	case KindLazy:
		o := pointer[Lazy](h)
		if h.flags&joined != 0 {
			m.live += sizeLazyCell
			m.found.Count(lazyCellClass)
		} else {
			m.live += sizeLazy
		}
		m.push(o.Fn)
		m.push(o.Seq)
		m.push(o.Meta)
	case KindRange:
		m.live += sizeRange
		m.push(pointer[Range](h).Meta)
	case KindVecSeq:
		o := pointer[VecSeq](h)
		m.live += sizeVecSeq
		m.push(&o.Vec.Header)
		m.push(o.Meta)
	case KindStrSeq:
		o := pointer[StrSeq](h)
		m.live += sizeStrSeq
		m.push(&o.Str.Header)
		m.push(o.Meta)
	case KindMapSeq:
		o := pointer[MapSeq](h)
		m.live += sizeMapSeq
		m.push(o.Coll)
		m.push(o.Meta)
	case KindMapEntry:
		o := pointer[MapEntry](h)
		m.live += sizeMapEntry
		m.push(o.Key.h)
		m.push(o.Val.h)
	case KindBigInt:
		o := pointer[BigInt](h)
		m.live += sizeBigInt + bigSize(o.N)
		countBig(&m.found, o.N)
	case KindRatio:
		o := pointer[Ratio](h)
		m.live += sizeRatio + ratSize(o.R)
		countRat(&m.found, o.R)
	case KindDecimal:
		o := pointer[Decimal](h)
		m.live += sizeDecimal + decimalSize(o.D)
		m.found.Count(decimalClass)
		countBig(&m.found, o.D.Unscaled())
	case KindFn:
		o := pointer[Fn](h)
		m.live += countFn(&m.found, o)
		m.pushVals(o.Up)
		m.push(o.Meta)
	case KindAtom:
		o := pointer[Atom](h)
		m.live += sizeAtom
		m.push(o.Val.h)
		m.push(o.Watches.h)
		m.push(o.Validator.h)
		m.push(o.Meta)
	case KindRef:
		m.scanRef(pointer[Ref](h))
	case KindFuture:
		m.scanFuture(pointer[Future](h))
	case KindRecord:
		o := pointer[Record](h)
		m.live += sizeRecord
		m.push(&o.Type.Header)
		m.block(o.Vals)
		m.push(o.Ext)
		m.push(o.Meta)
	case KindObject:
		o := pointer[Object](h)
		m.live += sizeObject
		m.push(&o.Type.Header)
		m.block(o.Vals)
		m.push(o.Meta)
	case KindJava:
		m.live += sizeJava
		m.block(pointer[Java](h).Vals)
	case KindArray:
		m.live += sizeArray
		m.blocks(&pointer[Array](h).Blocks)
	case KindQueue:
		o := pointer[Queue](h)
		m.live += sizeQueue
		m.push(o.Front)
		m.push(o.Rear)
		m.push(o.Meta)
	case KindException:
		o := pointer[Exception](h)
		m.live += sizeException + o.Way.Size()
		m.push(o.Msg.h)
		m.push(o.Data.h)
		m.push(o.Cause.h)
	default:
		m.scanCell(h)
	}
}

// scanCell is scan for the cells and the rare kinds.
func (m *Marker) scanCell(h *Header) {
	switch h.kind {
	case KindVolatile:
		m.live += sizeVolatile
		m.push(pointer[Volatile](h).Val.h)
	case KindDelay:
		o := pointer[Delay](h)
		m.live += sizeDelay
		m.push(o.Fn)
		m.push(o.Val.h)
		m.push(o.Fail.h)
	case KindReduced:
		m.live += sizeReduced
		m.push(pointer[Reduced](h).Val.h)
	case KindVar:
		o := pointer[Var](h)
		m.live += sizeVar
		m.push(&o.Sym.Header)
		m.push(o.Root.h)
		m.push(o.Meta)
	case KindRegex:
		o := pointer[Regex](h)
		m.live += sizeRegex + limits.BytesSize(len(o.Source)) + o.Size
	case KindUUID:
		m.live += sizeUUID
	case KindInst:
		m.live += sizeInst
	case KindType:
		o := pointer[RecordType](h)
		m.live += sizeRecordType + limits.BytesSize(len(o.Name))
		m.block(o.Fields)
		m.push(o.Impls.h)
		m.push(o.methods.h)
		m.push(o.own.h)
	case KindMultiFn:
		o := pointer[MultiFn](h)
		m.live += sizeMultiFn
		m.pushVals([]Value{o.Dispatch, o.Methods, o.Prefers, o.Hierarchy, o.Default})
	case KindProtocol:
		o := pointer[Protocol](h)
		m.live += sizeProtocol
		m.push(o.Sigs.h)
		m.push(o.Impls.h)
	case KindProtocolFn:
		o := pointer[ProtocolFn](h)
		m.live += sizeProtocolFn
		m.push(&o.Protocol.Header)
		m.push(o.Method.h)
	case KindNamespace:
		m.live += sizeNamespace
	case KindTagged:
		o := pointer[Tagged](h)
		m.live += sizeTagged
		m.push(o.Tag.h)
		m.push(o.Form.h)
	case KindNative:
		m.live += sizeNative
	default:
		m.scanColl(h)
	}
}
