// This file defines how lazy sequences and delays are realised.

package machine

import (
	"unsafe"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// settle reports whether l is realised. A lazy sequence is realised without further calls if its
// function returned another one that is realised by now.
func (m *Machine) settle(l *value.Lazy) bool {
	if l = m.LocalCopy(l); l.Fn == nil {
		return true
	}
	if l.Fn.Kind() != value.KindLazy {
		return false
	}
	if in := m.LocalCopy(value.Of(l.Fn).AsLazy()); in.Fn == nil {
		l = m.OwnLazy(l)
		l.Seq, l.Fn = in.Seq, nil
		return true
	}
	return false
}

// force begins to realise l. The running instruction runs again afterwards.
func (m *Machine) force(l *value.Lazy) {
	if m.leavePure() {
		return
	}
	if l.Fn.Kind() == value.KindFn && l.Owner() == m.Owner { // it is its own innermost one
		m.step()
		m.enterLazy(l, l)
		return
	}
	l = m.OwnLazy(l)
	inner := m.OwnLazy(m.innermost(l))
	if inner.Fn == nil { // l, or one that leads to it, was realised in the meantime
		l.Seq, l.Fn = inner.Seq, nil
		return
	}
	if inner.Fn.Kind() == value.KindException {
		m.Throw(value.Of(inner.Fn).AsException())
	}
	m.step()
	m.enterLazy(l, inner)
}

// enterLazy makes the frame of the function of inner, as push does. The function has captured values only, and mostly
// there is room.
func (m *Machine) enterLazy(l, inner *value.Lazy) {
	fr := &m.frames[m.fp]
	if inner.Fn.Kind() == value.KindFn && fr.proto != nil && m.fp+1 < len(m.frames) {
		fn := (*value.Fn)(unsafe.Pointer(inner.Fn))
		base := int(fr.base) + fr.proto.Regs + windowGap
		if by := compile.FnOf(fn).ByArity; len(by) > 0 && by[0] != nil && base+by[0].Regs+2 <= len(m.stack) {
			m.stack[base-2], m.stack[base-1] = value.Of(&inner.Header), value.Of(&l.Header)
			m.fp++
			fr = &m.frames[m.fp]
			fr.proto, fr.fn, fr.pc, fr.base, fr.kind = by[0], fn, 0, int32(base), frameForce
			m.RunThunk(fn)
			return
		}
	}
	m.push(frameForce, value.Of(inner.Fn), nil, value.Of(&l.Header), value.Of(&inner.Header))
	if inner.Fn.Kind() == value.KindFn {
		m.RunThunk((*value.Fn)(unsafe.Pointer(inner.Fn)))
	}
}

// innermost follows l to the lazy sequence that it leads to.
func (m *Machine) innermost(l *value.Lazy) *value.Lazy {
	for l.Fn != nil && l.Fn.Kind() == value.KindLazy {
		l = m.LocalCopy(value.Of(l.Fn).AsLazy())
		m.Work(1)
	}
	return l
}

// forced stores got, the value that the function of the lazy sequence inner returned. outer is the
// requested sequence, which leads to inner. If got is another unrealised lazy sequence, outer leads
// to it from now on, and it is realised next. If got leads back to inner, the sequence is defined
// as itself, and is empty.
func (m *Machine) forced(outer, inner *value.Lazy, got value.Value) {
	switch {
	case got.Kind() != value.KindLazy:
		got = m.Seq(got)
	case m.LocalCopy(got.AsLazy()).Fn == nil:
		got = value.Of(m.LocalCopy(got.AsLazy()).Seq)
	case m.innermost(got.AsLazy()) == inner:
		got = value.Nil
	default:
		inner.Fn, outer.Fn = got.Header(), got.Header()
		return
	}
	realised(outer, inner, got)
}

// returnCell returns cons of x and rest from a frame that realises a lazy sequence with room for it, and reports
// whether it did.
func (m *Machine) returnCell(fr *frame, x, rest value.Value) bool {
	inner := asLazy(m.stack[fr.base-2])
	c := m.CellIn(inner, x, rest)
	if c == nil {
		return false
	}
	realised(asLazy(m.stack[fr.base-1]), inner, value.Of(&c.Header))
	m.fp--
	m.EndThunk(fr.fn)
	return true
}

// realised stores the sequence that outer and inner have turned out to be.
func realised(outer, inner *value.Lazy, got value.Value) {
	inner.Seq, inner.Fn = got.Header(), nil
	if outer != inner {
		outer.Seq, outer.Fn = got.Header(), nil
	}
}

// spoil handles a lazy sequence whose function threw. On the next request the function runs again,
// unless a mark has dropped one of its captured values: then the sequence throws the same exception
// again.
func (m *Machine) spoil(fr *frame, e *value.Exception) {
	if fr.fn == nil {
		return
	}
	for _, v := range fr.fn.Up {
		if value.Identical(v, spent) {
			m.stack[fr.base-2].AsLazy().Fn = &e.Header
			return
		}
	}
}

// deref returns the value of a cell. If the cell is an unrealised delay, deref begins to realise it
// and returns false.
func (m *Machine) deref(v value.Value) (value.Value, bool) {
	switch v.Kind() {
	case value.KindAtom:
		if a := v.AsAtom(); a.Owner() == m.Owner {
			return a.Val, true
		}
		return m.Host.Futures().Seen(v), true
	case value.KindFuture:
		return m.derefFuture(v), true
	case value.KindRef:
		return m.ReadRef(v), true
	case value.KindVolatile:
		return v.AsVolatile().Val, true
	case value.KindReduced:
		return v.AsReduced().Val, true
	case value.KindVar:
		return m.VarGet(v.AsVar()), true
	case value.KindDelay:
		d := m.LocalDelay(v.AsDelay())
		if !d.Fail.IsNil() {
			m.Throw(d.Fail.AsException())
		}
		if d.Fn == nil {
			return d.Val, true
		}
		d = m.OwnDelay(d)
		m.step()
		m.push(frameDelay, value.Of(d.Fn), nil, value.Of(&d.Header), value.Nil)
		return value.Nil, false
	case value.KindRecord, value.KindObject:
		if f := m.Method(v, value.MethodDeref); !f.IsNil() {
			return m.Call(f, v), true
		}
	}
	if v.IsNil() {
		m.Fail(diag.NilValue, "deref: got nil, want an atom, ref, delay, var, volatile or reduced value")
	}
	m.Fail(diag.WrongType, "deref: got %s, want an atom, ref, delay, var, volatile or reduced value",
		value.Describe(&m.Task, v))
	return value.Nil, false
}

// derefFuture returns the value of a future, promise, agent or latch, and waits for it.
func (m *Machine) derefFuture(v value.Value) value.Value {
	switch f := v.AsFuture(); {
	case f.Sort == value.SortAgent:
		return m.Host.Futures().Seen(v)
	case f.Sort == value.SortFuture && f.State == value.StateDone:
		return f.Val
	}
	return m.Call(compile.PreludeFn(builtins.Lookup(compile.CoreNS, "%deref-future")), v)
}

// step counts one machine step for code that is not in the loop.
func (m *Machine) step() {
	m.Fuel--
	if m.Fuel < 0 {
		m.Poll()
	}
}

// deliver delivers the value of a frame that the machine pushed for itself. base is the beginning
// of the frame's window. The values that the frame was for are below it.
func (m *Machine) deliver(kind frameKind, base int, result value.Value) {
	switch kind {
	case frameForce:
		m.forced(m.stack[base-1].AsLazy(), m.stack[base-2].AsLazy(), result)
	case frameDelay:
		d := m.stack[base-1].AsDelay()
		d.Val, d.Fn = result, nil
	case frameUpcall:
		m.resume()
		m.memo.results = append(m.memo.results, result) // growMemos made room
	case frameIgnore:
		m.resume()
	}
}
