// This file defines the slow paths of single instructions.

package machine

import (
	"unsafe"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

func (m *Machine) less(x, y *value.Value) bool {
	if x.IsInt() && y.IsInt() {
		return x.AsInt() < y.AsInt()
	}
	if x.IsFloat() && y.IsFloat() {
		return x.AsFloat() < y.AsFloat()
	}
	return value.Lt(&m.Task, *x, *y)
}

func (m *Machine) lessEq(x, y *value.Value) bool {
	if x.IsInt() && y.IsInt() {
		return x.AsInt() <= y.AsInt()
	}
	if x.IsFloat() && y.IsFloat() {
		return x.AsFloat() <= y.AsFloat()
	}
	return value.Lte(&m.Task, *x, *y)
}

func (m *Machine) equal(x, y *value.Value) bool {
	if x.IsInt() && y.IsInt() {
		return x.AsInt() == y.AsInt()
	}
	return value.Equal(&m.Task, *x, *y)
}

// compareK reports whether a comparison with a constant jumps.
func (m *Machine) compareK(op compile.Op, x, k *value.Value) bool {
	switch op {
	case compile.OpJLtK:
		return m.less(x, k)
	case compile.OpJLeK:
		return m.lessEq(x, k)
	case compile.OpJGtK:
		return m.less(k, x)
	case compile.OpJGeK:
		return m.lessEq(k, x)
	case compile.OpJNLeK:
		return !m.lessEq(x, k)
	case compile.OpJNGtK:
		return !m.less(k, x)
	default:
		return !m.lessEq(k, x)
	}
}

// divide is quot, rem or mod of integers, for a positive divisor.
func divide(op compile.Op, x, y int64) int64 {
	switch op {
	case compile.OpQuot:
		return x / y
	case compile.OpRem:
		return x % y
	}
	if r := x % y; r < 0 {
		return r + y
	} else {
		return r
	}
}

// passes reports whether an integer passes a test of OpTest.
func passes(test uint16, x int64) bool {
	switch test {
	case compile.TestZero:
		return x == 0
	case compile.TestEven:
		return x&1 == 0
	}
	return x&1 != 0
}

func (m *Machine) divide(op compile.Op, x, y value.Value) value.Value {
	switch op {
	case compile.OpQuot:
		return value.Quot(&m.Task, x, y)
	case compile.OpRem:
		return value.Rem(&m.Task, x, y)
	}
	return value.Mod(&m.Task, x, y)
}

// asLazy is AsLazy for a value that is known to be a lazy sequence. Unlike AsLazy it is inlined.
func asLazy(v value.Value) *value.Lazy { return (*value.Lazy)(unsafe.Pointer(v.Header())) }

// cell returns the cell that v is, or that it was realised to; nil if it is anything else.
func cell(v value.Value) *value.Cons {
	h := v.Header()
	if h == nil {
		return nil
	}
	if h.Kind() == value.KindLazy {
		l := asLazy(v)
		if h = l.Seq; h == nil || l.Fn != nil {
			return nil
		}
	}
	if h.Kind() != value.KindCons {
		return nil
	}
	return (*value.Cons)(unsafe.Pointer(h))
}

// realise begins to realise v if it is an unrealised lazy sequence. It reports whether it did: then
// the instruction must run again.
func (m *Machine) realise(v value.Value) bool {
	if v.Kind() != value.KindLazy {
		return false
	}
	l := asLazy(v)
	if l.Fn == nil || m.settle(l) {
		return false
	}
	m.force(l)
	return true
}

func (m *Machine) nth(coll, i value.Value) value.Value {
	x, ok := m.Nth(coll, int(value.ToLong(&m.Task, i)))
	if !ok {
		if coll.IsNil() {
			return value.Nil
		}
		if coll.IsString() || coll.Kind() == value.KindBuilder {
			m.FailClass("java.lang.StringIndexOutOfBoundsException", diag.OutOfRange,
				"String index out of range: %s", value.Show(&m.Task, i))
		}
		m.Fail(diag.OutOfRange, "nth: index %s out of range [0, %d)", value.Show(&m.Task, i), m.Count(coll))
	}
	return x
}

// nthSeq calls the prelude function that walks a sequence to an element. A builtin would realise
// too much.
func (m *Machine) nthSeq(coll, i value.Value, dst uint16) {
	base := m.windowEnd()
	if need := base + 2; need > len(m.stack) {
		m.growStack(need)
	}
	m.stack[base], m.stack[base+1] = coll, i
	m.enter(compile.PreludeFn(builtins.Lookup(compile.CoreNS, "%nth-seq")).AsFn(), base, 2, frameCall, dst)
}

// nthOr returns the i-th element of a vector or map entry, nil if there is none. known is false for
// other values.
func nthOr(coll value.Value, i int64) (x value.Value, known bool) {
	switch coll.Kind() {
	case value.KindVector:
		if v := coll.AsVector(); uint64(i) < uint64(v.Count) {
			return value.VecNth(v, int(i)), true
		}
	case value.KindMapEntry:
		if uint64(i) < 2 {
			return value.VecAt(coll, int(i)), true
		}
	case value.KindNil:
	default:
		return value.Nil, false
	}
	return value.Nil, true
}

// callNth calls the prelude function for an element of any collection, nil if there is none.
func (m *Machine) callNth(coll, i value.Value, dst uint16) {
	base := m.windowEnd()
	if need := base + 3; need > len(m.stack) {
		m.growStack(need)
	}
	m.stack[base], m.stack[base+1], m.stack[base+2] = coll, i, value.Nil
	m.enter(compile.PreludeFn(builtins.Lookup(compile.CoreNS, "nth")).AsFn(), base, 3, frameCall, dst)
}

// throw throws a value, which must be an exception.
func (m *Machine) throw(v value.Value) {
	switch v.Kind() {
	case value.KindException:
		m.Throw(v.AsException())
	case value.KindNil:
		m.Fail(diag.NilValue, "throw: got nil, want an exception")
	}
	m.FailHint(diag.WrongType, "make one with (ex-info \"message\" {…})",
		"throw: got %s, want an exception", value.Describe(&m.Task, v))
}

// catches reports whether a catch clause takes an exception: by class, by error
// code, or by the symbol default.
func catches(clause value.Value, e *value.Exception) bool {
	switch clause.Kind() {
	case value.KindKeyword:
		name := clause.AsKeyword().Name
		return name == "default" || name == string(e.Code)
	case value.KindType:
		return diag.ClassExtends(e.Class, clause.AsType().Name)
	}
	return true
}

// returned ends a frame that the machine pushed for itself.
func (m *Machine) returned(fr *frame, v value.Value) {
	kind, base, fn := fr.kind, int(fr.base), fr.fn
	if kind == frameForce && (v.Kind() == value.KindCons || v.Kind() == value.KindChunkedCons) { // nothing to make
		realised(asLazy(m.stack[base-1]), asLazy(m.stack[base-2]), v)
		m.fp--
		if fn != nil {
			m.EndThunk(fn)
		}
		return
	}
	m.result = v // a root, while delivering may charge
	if kind == frameForce {
		// Making the sequence may unwind; then this return runs again.
		m.deliver(kind, base, v)
		m.fp--
		if fn != nil {
			m.EndThunk(fn)
		}
	} else {
		m.fp--
		m.deliver(kind, base, v)
	}
	m.result = value.Nil
}
