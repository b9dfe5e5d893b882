// This file defines how lazy sequences and delays are realised.

package eval

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// settle says whether l is realised, or becomes so at once because what its
// function gave, another lazy sequence, is realised by now.
func (m *Machine) settle(l *value.Lazy) bool {
	if l.Fn == nil {
		return true
	}
	if l.Fn.Kind() != value.KindLazy {
		return false
	}
	if in := value.Of(l.Fn).AsLazy(); in.Fn == nil {
		l.Seq, l.Fn = in.Seq, nil
		return true
	}
	return false
}

// force begins to realise l. The running instruction is run again afterwards.
func (m *Machine) force(l *value.Lazy) {
	inner := l
	for inner.Fn.Kind() == value.KindLazy {
		next := value.Of(inner.Fn).AsLazy()
		if next.Fn == nil {
			inner.Seq, inner.Fn = next.Seq, nil
			return
		}
		inner = next
	}
	m.step()
	m.push(frameForce, value.Of(inner.Fn), nil, value.Of(&l.Header), value.Of(&inner.Header))
}

// forced takes what the function of the lazy sequence inner gave; outer is the
// one that was asked for, and leads to inner. If that is another unrealised lazy
// sequence, outer leads to it from now on, and it is next.
func (m *Machine) forced(outer, inner *value.Lazy, got value.Value) {
	if got.Kind() == value.KindLazy {
		if l := got.AsLazy(); l.Fn != nil {
			inner.Fn, outer.Fn = got.Header(), got.Header()
			return
		}
		got = value.Of(got.AsLazy().Seq)
	} else {
		got = m.Seq(got)
	}
	inner.Seq, inner.Fn = got.Header(), nil
	outer.Seq, outer.Fn = got.Header(), nil
}

// deref gives the value of a cell. For a delay that is not realised it begins to
// realise it and gives false.
func (m *Machine) deref(v value.Value) (value.Value, bool) {
	switch v.Kind() {
	case value.KindAtom:
		return v.AsAtom().Val, true
	case value.KindVolatile:
		return v.AsVolatile().Val, true
	case value.KindReduced:
		return v.AsReduced().Val, true
	case value.KindVar:
		return m.VarGet(v.AsVar()), true
	case value.KindDelay:
		d := v.AsDelay()
		if !d.Fail.IsNil() {
			m.Throw(d.Fail.AsException())
		}
		if d.Fn == nil {
			return d.Val, true
		}
		m.step()
		m.push(frameDelay, value.Of(d.Fn), nil, v, value.Nil)
		return value.Nil, false
	}
	if v.IsNil() {
		m.Fail(diag.NilValue, "deref: got nil, want an atom, delay, var, volatile or reduced value")
	}
	m.Fail(diag.WrongType, "deref: got %s, want an atom, delay, var, volatile or reduced value", value.Describe(&m.Task, v))
	return value.Nil, false
}

// step counts one machine step outside of the loop.
func (m *Machine) step() {
	m.Fuel--
	if m.Fuel < 0 {
		m.Poll()
	}
}

// deliver gives the value of a frame that the machine pushed for itself to what it
// was for. base is where its window began.
func (m *Machine) deliver(kind frameKind, base int, result value.Value) {
	switch kind {
	case frameForce:
		m.forced(m.stack[base-1].AsLazy(), m.stack[base-2].AsLazy(), result)
	case frameDelay:
		d := m.stack[base-1].AsDelay()
		d.Val, d.Fn = result, nil
	case frameUpcall:
		m.endUpcall(result)
	case frameIgnore:
		m.ahead.of = m.now()
	}
}
