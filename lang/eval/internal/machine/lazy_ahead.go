// This file defines how lazy sequences are realised for builtins.
//
// A builtin that asks for a realisation runs again from its start afterwards. To avoid this for
// each element, the machine looks ahead: along the sequence, and then through the rest of the
// builtin's arguments, in the order in which a builtin would walk them. With each further request
// of the same execution it looks twice as far.

package machine

import (
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/value"
)

const (
	// deepAhead is the number of realisations ahead from which the arguments of the builtin are
	// walked too.
	deepAhead = 4
	maxAhead  = 1 << 40
	// A walk for n realisations examines up to walkStart + n*walkEach values.
	walkStart, walkEach = 1024, 64
)

// forceAhead realises l and some of its successors.
func (m *Machine) forceAhead(l *value.Lazy) {
	if m.leavePure() {
		return
	}
	m.Remember()
	n := min(max(m.memo.ahead*2, 1), maxAhead)
	f := compile.PreludeFn(builtins.Lookup(compile.CoreNS, "%force-ahead"))
	w := value.Nil
	if n >= deepAhead {
		w = m.newWalk(n)
	}
	m.interrupt(frameIgnore, f, value.Of(&l.Header), value.Int(n), w, walkNext)
	m.memos[len(m.memos)-1].ahead = n
}

// newWalk returns a walk through the operands of the running instruction: a box of the number of
// slots in use, the number of values that it may still examine, and then pairs of a value and the
// index in it.
func (m *Machine) newWalk(n int64) value.Value {
	fr := &m.frames[m.fp]
	count := 0
	fr.proto.Operands(int(fr.pc), func(int) { count++ })
	vals := m.Vals(walkHead + 2*count)
	at := len(vals)
	fr.proto.Operands(int(fr.pc), func(reg int) { // the first one on top
		at -= 2
		vals[at], vals[at+1] = m.stack[int(fr.base)+reg], value.Int(0)
	})
	vals[0], vals[1] = value.Int(int64(len(vals))), value.Int(walkStart+walkEach*n)
	return m.Box(vals)
}

const walkHead = 2

// walkNext is the builtin that returns the next unrealised lazy sequence of a walk, nil at its end.
// The next call continues inside that sequence.
var walkNext = value.ConstNative(value.Native{Name: "%walk-next", Min: 1, Max: 1, Fn: nextOfWalk})

func nextOfWalk(t *value.Task, args []value.Value) value.Value {
	w := args[0].AsBox()
	for used := w.Vals[0].AsInt(); used > walkHead; used = w.Vals[0].AsInt() {
		if w.Vals[1].AsInt() <= 0 {
			return value.Nil
		}
		t.Work(1)
		growWalk(t, w, int(used)+2)
		w.Vals[1] = value.Int(w.Vals[1].AsInt() - 1)
		top := w.Vals[used-2 : used]
		if top[0].Kind() == value.KindLazy && t.LocalCopy(top[0].AsLazy()).Fn != nil {
			return top[0]
		}
		x, more := walkItem(t, top)
		if !more {
			w.Vals[0] = value.Int(used - 2)
		} else if x.Is(value.Colls) {
			w.Vals[used], w.Vals[used+1] = x, value.Int(0)
			w.Vals[0] = value.Int(used + 2)
		}
	}
	return value.Nil
}

// growWalk makes room for need slots.
func growWalk(t *value.Task, w *value.Box, need int) {
	if need <= len(w.Vals) {
		return
	}
	vals := t.Vals(2 * need)
	copy(vals, w.Vals)
	w.Vals = vals
}

// walkItem returns the next value in a collection and moves on. more is false at the end.
// A step without a value returns nil.
func walkItem(t *value.Task, at []value.Value) (x value.Value, more bool) {
	coll, i := at[0], int(at[1].AsInt())
	at[1] = value.Int(int64(i + 1))
	into := func(rest value.Value) { at[0], at[1] = rest, value.Int(0) }
	switch coll.Kind() {
	case value.KindLazy:
		into(value.Of(t.LocalCopy(coll.AsLazy()).Seq))
		return value.Nil, true
	case value.KindList, value.KindCons:
		c := coll.AsCons()
		into(value.Of(c.Rest))
		return c.First, true
	case value.KindChunkedCons:
		c := coll.AsChunkedCons()
		if i += int(c.Off); i < int(c.End) {
			return c.Chunk.Vals[i], true
		}
		into(value.Of(c.Rest))
		return value.Nil, true
	case value.KindVector:
		if v := coll.AsVector(); i < int(v.Count) {
			return value.VecNth(v, i), true
		}
	case value.KindVecSeq:
		into(value.Of(&coll.AsVecSeq().Vec.Header))
		return value.Nil, true
	case value.KindMapSeq:
		into(value.Of(coll.AsMapSeq().Coll))
		return value.Nil, true
	case value.KindMapEntry:
		return [2]value.Value{coll.AsEntry().Key, coll.AsEntry().Val}[i&1], i < 2
	case value.KindArrayMap, value.KindHashMap, value.KindSortedMap, value.KindRecord, value.KindHashSet,
		value.KindSortedSet:
		if i/2 < value.MapCount(coll) {
			k, v := value.EntryAt(coll, i/2)
			return [2]value.Value{k, v}[i&1], true
		}
	}
	return value.Nil, false
}
