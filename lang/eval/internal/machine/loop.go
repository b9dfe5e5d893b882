// This file defines the loop that runs instructions.

package machine

import (
	"runtime"
	"runtime/debug"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// Run runs a compiled top-level form and returns its value. The machine keeps its
// globals, and can run the next form even if this one failed.
func (m *Machine) Run(p *compile.Proto) (value.Value, *diag.Error) {
	if m.form == nil || p.EntersNS || p.NS != m.form.NS {
		m.EnterNS(p.NS)
	}
	m.form = p
	if err := m.reserve(p); err != nil {
		return value.Nil, err
	}
	return m.Drive()
}

// reserve makes p the bottom frame. The stack holds nothing of an earlier run, so a larger one can
// replace it. A form counts as a call, so that its instructions and those of the previous form
// differ in identity.
func (m *Machine) reserve(p *compile.Proto) *diag.Error {
	m.Fuel--
	m.fp = 0
	m.frames[0] = frame{proto: p, kind: frameTop}
	if p.Regs <= len(m.stack) {
		return nil
	}
	clear(m.stack)
	need := value.ValsSize(2*p.Regs) - value.ValsSize(len(m.stack))
	if _, err := m.Import(func(t *value.Task) (value.Value, *diag.Error) {
		t.Charge(need)
		return value.Nil, nil
	}); err != nil {
		return m.Place(err)
	}
	m.frames[0] = frame{proto: p, kind: frameTop}
	m.stack = make([]value.Value, 2*p.Regs)
	return nil
}

// Drive runs the loop until the bottom frame returns, and handles the panics of instructions.
func (m *Machine) Drive() (value.Value, *diag.Error) {
	for {
		r := m.caught()
		if r == nil {
			v := m.result
			m.result = value.Nil
			return v, nil
		}
		if goOn, err := m.handle(r); !goOn {
			v := value.Nil
			if m.returnedEarly {
				v = m.result
			}
			m.result = value.Nil
			m.Drop()
			return v, err
		}
	}
}

// caught runs the loop and returns the panic with which it unwound, nil if it ended.
func (m *Machine) caught() (unwound any) {
	ended := false
	defer func() {
		if ended { // as almost always: recover takes longer
			return
		}
		unwound = recover()
		if bug, ok := unwound.(runtime.Error); ok {
			unwound = crash{bug, debug.Stack()} // which is lost after this
		}
	}()
	m.loop()
	ended = true
	return nil
}

// reg returns register i of the window at regs. The compiler ensures that i is in the
// window, and enter that the window is in the stack.
func reg(regs unsafe.Pointer, i uint16) *value.Value {
	return (*value.Value)(unsafe.Add(regs, uintptr(i)*unsafe.Sizeof(value.Value{})))
}

func fetch(code unsafe.Pointer, pc int) compile.Instr {
	return *(*compile.Instr)(unsafe.Add(code, uintptr(pc)*unsafe.Sizeof(compile.Instr(0))))
}

// loop runs instructions until the bottom frame returns. It is one long function
// on purpose: its locals are the machine's registers.
//
// An instruction that may unwind first stores its pc in the frame; it changes nothing before it can
// no longer unwind, since it will be run again.
func (m *Machine) loop() {
	var (
		fr     *frame
		code   unsafe.Pointer
		regs   unsafe.Pointer
		pc     int
		in     compile.Instr
		callee value.Value
		fn     *value.Fn
		p      *compile.Proto
		base   int
	)
reload:
	fr = &m.frames[m.fp]
	p = fr.proto
	code = unsafe.Pointer(unsafe.SliceData(p.Code))
	regs = unsafe.Pointer(&m.stack[fr.base])
	pc = int(fr.pc)
next:
	in = fetch(code, pc)
	switch in.Op() {
	case compile.OpNop:
		pc++
		goto next
	case compile.OpMove:
		*reg(regs, in.A()) = *reg(regs, in.B())
		pc++
		goto next
	case compile.OpShare:
		v := *reg(regs, in.B())
		value.Disown(v)
		*reg(regs, in.A()) = v
		pc++
		goto next
	case compile.OpConst:
		*reg(regs, in.A()) = p.Consts[in.Wide()]
		pc++
		goto next
	case compile.OpNil:
		*reg(regs, in.A()) = value.Nil
		pc++
		goto next
	case compile.OpInt:
		reg(regs, in.A()).SetInt(int64(int16(in.B())))
		pc++
		goto next
	case compile.OpUp:
		*reg(regs, in.A()) = fr.fn.Up[in.B()]
		pc++
		goto next
	case compile.OpSelf:
		*reg(regs, in.A()) = value.Of(&fr.fn.Header)
		pc++
		goto next
	case compile.OpGlobal:
		v := m.globals[in.Wide()]
		if value.Identical(v, value.Unbound) {
			fr.pc = int32(pc)
			m.global(in.Wide())
		}
		*reg(regs, in.A()) = v
		pc++
		goto next
	case compile.OpDynamic:
		fr.pc = int32(pc)
		v, ok := m.dynamic(in.Wide())
		if !ok {
			v = m.global(in.Wide())
		}
		*reg(regs, in.A()) = v
		pc++
		goto next
	case compile.OpDef:
		if m.loan != nil {
			fr.pc = int32(pc)
			m.mayDefine(in.Wide())
		}
		m.globals[in.Wide()] = *reg(regs, in.A())
		pc++
		goto next

	case compile.OpAdd:
		x, y := reg(regs, in.B()), reg(regs, in.C())
		if x.IsInt() && y.IsInt() {
			a, b := x.AsInt(), y.AsInt()
			if s := a + b; (s^a)&(s^b) >= 0 {
				reg(regs, in.A()).SetInt(s)
				pc++
				goto next
			}
		} else if x.IsFloat() && y.IsFloat() {
			reg(regs, in.A()).SetFloat(x.AsFloat() + y.AsFloat())
			pc++
			goto next
		}
		fr.pc = int32(pc)
		*reg(regs, in.A()) = value.Add(&m.Task, *x, *y)
		pc++
		goto next
	case compile.OpAddI:
		x := reg(regs, in.B())
		if x.IsInt() {
			a, b := x.AsInt(), int64(int16(in.C()))
			if s := a + b; (s^a)&(s^b) >= 0 {
				reg(regs, in.A()).SetInt(s)
				pc++
				goto next
			}
		}
		fr.pc = int32(pc)
		*reg(regs, in.A()) = value.Add(&m.Task, *x, value.Int(int64(int16(in.C()))))
		pc++
		goto next
	case compile.OpSub:
		x, y := reg(regs, in.B()), reg(regs, in.C())
		if x.IsInt() && y.IsInt() {
			a, b := x.AsInt(), y.AsInt()
			if s := a - b; (a^b)&(s^a) >= 0 {
				reg(regs, in.A()).SetInt(s)
				pc++
				goto next
			}
		} else if x.IsFloat() && y.IsFloat() {
			reg(regs, in.A()).SetFloat(x.AsFloat() - y.AsFloat())
			pc++
			goto next
		}
		fr.pc = int32(pc)
		*reg(regs, in.A()) = value.Sub(&m.Task, *x, *y)
		pc++
		goto next
	case compile.OpMul:
		x, y := reg(regs, in.B()), reg(regs, in.C())
		if x.IsInt() && y.IsInt() {
			a, b := x.AsInt(), y.AsInt()
			if int64(int32(a)) == a && int64(int32(b)) == b {
				reg(regs, in.A()).SetInt(a * b)
				pc++
				goto next
			}
		} else if x.IsFloat() && y.IsFloat() {
			reg(regs, in.A()).SetFloat(x.AsFloat() * y.AsFloat())
			pc++
			goto next
		}
		fr.pc = int32(pc)
		*reg(regs, in.A()) = value.Mul(&m.Task, *x, *y)
		pc++
		goto next
	case compile.OpDiv:
		fr.pc = int32(pc)
		*reg(regs, in.A()) = value.DivNonzero(&m.Task, *reg(regs, in.B()), *reg(regs, in.C()))
		pc++
		goto next
	case compile.OpDivDouble:
		fr.pc = int32(pc)
		*reg(regs, in.A()) = value.Div(&m.Task, *reg(regs, in.B()), *reg(regs, in.C()))
		pc++
		goto next
	case compile.OpQuot, compile.OpRem, compile.OpMod:
		x, y := reg(regs, in.B()), reg(regs, in.C())
		if x.IsInt() && y.IsInt() && y.AsInt() > 0 {
			reg(regs, in.A()).SetInt(divide(in.Op(), x.AsInt(), y.AsInt()))
			pc++
			goto next
		}
		fr.pc = int32(pc)
		*reg(regs, in.A()) = m.divide(in.Op(), *x, *y)
		pc++
		goto next

	case compile.OpLt:
		if x, y := reg(regs, in.B()), reg(regs, in.C()); x.IsInt() && y.IsInt() {
			*reg(regs, in.A()) = value.Bool(x.AsInt() < y.AsInt())
			pc++
			goto next
		}
		fr.pc = int32(pc)
		*reg(regs, in.A()) = value.Bool(m.less(reg(regs, in.B()), reg(regs, in.C())))
		pc++
		goto next
	case compile.OpLe:
		fr.pc = int32(pc)
		*reg(regs, in.A()) = value.Bool(m.lessEq(reg(regs, in.B()), reg(regs, in.C())))
		pc++
		goto next
	case compile.OpEq:
		fr.pc = int32(pc)
		*reg(regs, in.A()) = value.Bool(m.equal(reg(regs, in.B()), reg(regs, in.C())))
		pc++
		goto next
	case compile.OpNumEq:
		fr.pc = int32(pc)
		*reg(regs, in.A()) = value.Bool(value.NumEqual(&m.Task, *reg(regs, in.B()), *reg(regs, in.C())))
		pc++
		goto next
	case compile.OpNot:
		*reg(regs, in.A()) = value.Bool(!reg(regs, in.B()).Truthy())
		pc++
		goto next
	case compile.OpIsNil:
		*reg(regs, in.A()) = value.Bool(reg(regs, in.B()).IsNil())
		pc++
		goto next
	case compile.OpSame:
		*reg(regs, in.A()) = value.Bool(value.Same(*reg(regs, in.B()), *reg(regs, in.C())))
		pc++
		goto next

	case compile.OpJump:
		pc += 1 + int(int32(in.Wide()))
		goto next
	case compile.OpLoop:
		m.Fuel--
		if m.Fuel < 0 {
			fr.pc = int32(pc)
			m.Poll()
		}
		pc += 1 + int(int32(in.Wide()))
		goto next
	case compile.OpJTrue:
		pc++
		if reg(regs, in.A()).Truthy() {
			pc += in.Off()
		}
		goto next
	case compile.OpJFalse:
		pc++
		if !reg(regs, in.A()).Truthy() {
			pc += in.Off()
		}
		goto next
	case compile.OpJNil:
		pc++
		if reg(regs, in.A()).IsNil() {
			pc += in.Off()
		}
		goto next
	case compile.OpJNotNil:
		pc++
		if !reg(regs, in.A()).IsNil() {
			pc += in.Off()
		}
		goto next
	case compile.OpJLt:
		fr.pc = int32(pc)
		if m.less(reg(regs, in.A()), reg(regs, in.B())) {
			pc += in.Off()
		}
		pc++
		goto next
	case compile.OpJNLt:
		x, y := reg(regs, in.A()), reg(regs, in.B())
		if x.IsInt() && y.IsInt() {
			if x.AsInt() >= y.AsInt() {
				pc += in.Off()
			}
			pc++
			goto next
		}
		fr.pc = int32(pc)
		if !m.less(x, y) {
			pc += in.Off()
		}
		pc++
		goto next
	case compile.OpJLe:
		fr.pc = int32(pc)
		if m.lessEq(reg(regs, in.A()), reg(regs, in.B())) {
			pc += in.Off()
		}
		pc++
		goto next
	case compile.OpJNLe:
		x, y := reg(regs, in.A()), reg(regs, in.B())
		if x.IsInt() && y.IsInt() {
			if x.AsInt() > y.AsInt() {
				pc += in.Off()
			}
			pc++
			goto next
		}
		fr.pc = int32(pc)
		if !m.lessEq(x, y) {
			pc += in.Off()
		}
		pc++
		goto next
	case compile.OpJEq:
		fr.pc = int32(pc)
		if m.equal(reg(regs, in.A()), reg(regs, in.B())) {
			pc += in.Off()
		}
		pc++
		goto next
	case compile.OpJNEq:
		fr.pc = int32(pc)
		if !m.equal(reg(regs, in.A()), reg(regs, in.B())) {
			pc += in.Off()
		}
		pc++
		goto next
	case compile.OpJLtK, compile.OpJLeK, compile.OpJGtK, compile.OpJGeK, compile.OpJNLeK, compile.OpJNGtK, compile.OpJNGeK:
		x, k := reg(regs, in.A()), &p.Consts[in.B()]
		fr.pc = int32(pc)
		if m.compareK(in.Op(), x, k) {
			pc += in.Off()
		}
		pc++
		goto next
	case compile.OpJNLtK:
		x, k := reg(regs, in.A()), &p.Consts[in.B()]
		if x.IsInt() {
			if x.AsInt() >= k.AsInt() {
				pc += in.Off()
			}
			pc++
			goto next
		}
		fr.pc = int32(pc)
		if !m.less(x, k) {
			pc += in.Off()
		}
		pc++
		goto next
	case compile.OpJEqK:
		x, k := reg(regs, in.A()), &p.Consts[in.B()]
		fr.pc = int32(pc)
		if m.equal(x, k) {
			pc += in.Off()
		}
		pc++
		goto next
	case compile.OpJNEqK:
		x, k := reg(regs, in.A()), &p.Consts[in.B()]
		if value.Identical(*x, *k) {
			pc++
			goto next
		}
		fr.pc = int32(pc)
		if !m.equal(x, k) {
			pc += in.Off()
		}
		pc++
		goto next

	case compile.OpCallG:
		callee = m.globals[fetch(code, pc+1).Wide()]
		base = int(fr.base) + int(in.A()) + 1
		if callee.Kind() == value.KindFn {
			fn = callee.AsFn()
			goto callFn
		}
		goto callOther
	case compile.OpCall:
		callee = *reg(regs, in.A())
		base = int(fr.base) + int(in.A()) + 1
		if callee.Kind() == value.KindFn {
			fn = callee.AsFn()
			goto callFn
		}
		goto callOther
	case compile.OpCallK:
		fn = p.Consts[fetch(code, pc+1).Wide()].AsFn()
		base = int(fr.base) + int(in.A()) + 1
		goto callFn
	case compile.OpCallS:
		fn = fr.fn
		base = int(fr.base) + int(in.A()) + 1
		goto callFn
	case compile.OpCallN:
		fr.pc = int32(pc)
		base = int(fr.base) + int(in.A()) + 1
		v := p.Natives[fetch(code, pc+1).Wide()](&m.Task, m.stack[base:base+int(in.B()):base+int(in.B())])
		*reg(regs, in.C()) = v
		pc += compile.CallSize
		goto next
	case compile.OpMethod, compile.OpMethodN:
		fr.pc = int32(pc)
		base = int(fr.base) + int(in.A()) + 1
		callee = value.Nil
		if x := m.stack[base]; x.Is(value.Typed) {
			callee = m.Method(x, *reg(regs, in.A()))
			if in.Op() == compile.OpMethod && in.B() == 1 && (callee.IsNil() || callee.Kind() == value.KindFn &&
				compile.FnOf(callee.AsFn()).For(1) == nil) { // (.x object) is the field, unless a method takes the object alone
				if v, ok := entry.OwnField(&m.Task, x, *reg(regs, in.A())); ok {
					*reg(regs, in.C()) = v
					pc += compile.CallSize
					goto next
				}
			}
		}
		if !callee.IsNil() {
			if m.leavePure() {
				goto reload
			}
			if callee.Kind() == value.KindFn {
				fn = callee.AsFn()
				goto callFn
			}
			goto callOther
		}
		{
			first, end := base, base+int(in.B())
			if in.Op() == compile.OpMethod {
				first--
			}
			v := p.Natives[fetch(code, pc+1).Wide()](&m.Task, m.stack[first:end:end])
			*reg(regs, in.C()) = v
		}
		pc += compile.CallSize
		goto next
	case compile.OpApply:
		fr.pc = int32(pc)
		v, done := m.apply(int(fr.base)+int(in.A()), int(in.B()), in.C())
		m.step()
		if !done {
			goto reload
		}
		regs = unsafe.Pointer(&m.stack[fr.base])
		*reg(regs, in.C()) = v
		pc += compile.CallSize
		goto next
	case compile.OpReturnShare:
		value.Disown(*reg(regs, in.A()))
		fallthrough
	case compile.OpReturn:
		{
			kind, dst := fr.kind, fr.dst
			v := *reg(regs, in.A())
			if kind == frameCall {
				m.fp--
				fr = &m.frames[m.fp]
				p = fr.proto
				code = unsafe.Pointer(unsafe.SliceData(p.Code))
				regs = unsafe.Pointer(&m.stack[fr.base])
				*reg(regs, dst) = v
				pc = int(fr.pc) + compile.CallSize
				goto next
			}
			fr.pc = int32(pc)
			if kind == frameTop {
				m.result = v
				return
			}
			m.returned(fr, v)
			goto reload
		}
	case compile.OpThrow:
		fr.pc = int32(pc)
		m.throw(*reg(regs, in.A()))
	case compile.OpClosure:
		fr.pc = int32(pc)
		f := m.Fn(&p.Fns[in.B()].FnCode, int(in.C()))
		for i := range int(in.C()) {
			w := fetch(code, pc+1+i)
			switch w.A() {
			case 0:
				f.Up[i] = *reg(regs, w.B())
			case 1:
				f.Up[i] = fr.fn.Up[w.B()]
			default:
				f.Up[i] = value.Of(&fr.fn.Header)
			}
		}
		*reg(regs, in.A()) = value.Of(&f.Header)
		pc += 1 + int(in.C())
		goto next
	case compile.OpPatch:
		reg(regs, in.A()).AsFn().Up[in.B()] = *reg(regs, in.C())
		pc++
		goto next

	case compile.OpVector:
		fr.pc = int32(pc)
		*reg(regs, in.A()) = m.Vector(unsafe.Slice(reg(regs, in.B()), int(in.C()))...)
		pc++
		goto next
	case compile.OpVectorIn:
		fr.pc = int32(pc)
		{
			old := reg(regs, in.C()>>3)
			v := m.VectorIn(*old, unsafe.Slice(reg(regs, in.B()), int(in.C()&7)+1))
			*old = value.Nil // it may be v, which another literal must not take
			*reg(regs, in.A()) = v
		}
		pc++
		goto next
	case compile.OpMap:
		fr.pc = int32(pc)
		*reg(regs, in.A()) = m.MapLiteral(unsafe.Slice(reg(regs, in.B()), int(in.C())))
		pc++
		goto next
	case compile.OpRecord:
		fr.pc = int32(pc)
		{
			keys := p.Consts[in.C()].AsChunk()
			*reg(regs, in.A()) = m.RecordMap(keys, unsafe.Slice(reg(regs, in.B()), len(keys.Vals)))
		}
		pc++
		goto next
	case compile.OpSet:
		fr.pc = int32(pc)
		*reg(regs, in.A()) = m.SetLiteral(unsafe.Slice(reg(regs, in.B()), int(in.C())))
		pc++
		goto next
	case compile.OpLazy:
		fr.pc = int32(pc)
		*reg(regs, in.A()) = m.Lazy(*reg(regs, in.B()), in.C() != 0)
		pc++
		goto next
	case compile.OpPush:
		fr.pc = int32(pc)
		m.PushTo(*reg(regs, in.B()), *reg(regs, in.C()))
		*reg(regs, in.A()) = *reg(regs, in.B())
		pc++
		goto next
	case compile.OpCell:
		fr.pc = int32(pc)
		if fr.kind == frameForce && m.returnCell(fr, *reg(regs, in.B()), *reg(regs, in.C())) {
			goto reload
		}
		*reg(regs, in.A()) = m.ConsOnto(*reg(regs, in.B()), *reg(regs, in.C()))
		pc++
		goto next
	case compile.OpCons:
		fr.pc = int32(pc)
		*reg(regs, in.A()) = m.ConsOnto(*reg(regs, in.B()), *reg(regs, in.C()))
		pc++
		goto next
	case compile.OpGetK:
		fr.pc = int32(pc)
		*reg(regs, in.A()) = m.Get(*reg(regs, in.B()), p.Consts[in.C()], value.Nil)
		pc++
		goto next
	case compile.OpGet:
		fr.pc = int32(pc)
		*reg(regs, in.A()) = m.Get(*reg(regs, in.B()), *reg(regs, in.C()), value.Nil)
		pc++
		goto next
	case compile.OpNth:
		x, i := reg(regs, in.B()), reg(regs, in.C())
		fr.pc = int32(pc)
		if x.Kind() == value.KindVector && i.IsInt() {
			v := x.AsVector()
			if vals := v.Short(); uint64(i.AsInt()) < uint64(len(vals)) {
				*reg(regs, in.A()) = vals[i.AsInt()]
				pc += compile.CallSize
				goto next
			}
			if uint64(i.AsInt()) < uint64(v.Count) {
				*reg(regs, in.A()) = value.VecNth(v, int(i.AsInt()))
				pc += compile.CallSize
				goto next
			}
		}
		if x.Is(value.Seqs) {
			m.nthSeq(*x, *i, in.A())
			m.step()
			goto reload
		}
		*reg(regs, in.A()) = m.nth(*x, *i)
		pc += compile.CallSize
		goto next

	case compile.OpTest:
		x := reg(regs, in.B())
		if x.IsInt() {
			*reg(regs, in.A()) = value.Bool(passes(in.C(), x.AsInt()))
			pc += compile.CallSize
			goto next
		}
		fr.pc = int32(pc)
		*reg(regs, in.A()) = p.Natives[fetch(code, pc+1).Wide()](&m.Task, unsafe.Slice(x, 1))
		pc += compile.CallSize
		goto next
	case compile.OpNthK:
		x := reg(regs, in.B())
		if x.Kind() == value.KindVector {
			if vals := x.AsVector().Short(); int(in.C()) < len(vals) {
				*reg(regs, in.A()) = vals[in.C()]
				pc += compile.CallSize
				goto next
			}
		}
		if v, known := nthOr(*x, int64(in.C())); known {
			*reg(regs, in.A()) = v
			pc += compile.CallSize
			goto next
		}
		fr.pc = int32(pc)
		m.callNth(*x, value.Int(int64(in.C())), in.A())
		m.step()
		goto reload
	case compile.OpNthOr:
		x, i := reg(regs, in.B()), reg(regs, in.C())
		if i.IsInt() {
			v, known := nthOr(*x, i.AsInt())
			if known {
				*reg(regs, in.A()) = v
				pc += compile.CallSize
				goto next
			}
		}
		fr.pc = int32(pc)
		value.Disown(*x)
		m.callNth(*x, *i, in.A())
		m.step()
		goto reload

	case compile.OpAssoc:
		fr.pc = int32(pc)
		{
			x := *reg(regs, in.B())
			value.Disown(x)
			*reg(regs, in.A()) = m.Assoc(x, *reg(regs, in.C()), *reg(regs, fetch(code, pc+1).A()))
		}
		pc += compile.CallSize
		goto next
	case compile.OpAssocLast:
		fr.pc = int32(pc)
		*reg(regs, in.A()) = m.AssocLast(*reg(regs, in.B()), *reg(regs, in.C()), *reg(regs, fetch(code, pc+1).A()))
		pc += compile.CallSize
		goto next

	case compile.OpSeq:
		if c := cell(*reg(regs, in.B())); c != nil {
			*reg(regs, in.A()) = value.Of(&c.Header)
			pc++
			goto next
		}
		fr.pc = int32(pc)
		if m.realise(*reg(regs, in.B())) {
			goto reload
		}
		*reg(regs, in.A()) = m.SeqView(*reg(regs, in.B()))
		pc++
		goto next
	case compile.OpFirst:
		if c := cell(*reg(regs, in.B())); c != nil {
			*reg(regs, in.A()) = c.First
			pc++
			goto next
		}
		fr.pc = int32(pc)
		if m.realise(*reg(regs, in.B())) {
			goto reload
		}
		*reg(regs, in.A()) = m.First(*reg(regs, in.B()))
		pc++
		goto next
	case compile.OpNext:
		if c := cell(*reg(regs, in.B())); c != nil {
			if c = cell(value.Of(c.Rest)); c != nil {
				*reg(regs, in.A()) = value.Of(&c.Header)
				pc++
				goto next
			}
		}
		fr.pc = int32(pc)
		if m.realise(*reg(regs, in.B())) {
			goto reload
		}
		if next, ok := m.OwnNext(*reg(regs, in.B())); ok {
			*reg(regs, in.A()) = next
		} else {
			rest := m.Rest(*reg(regs, in.B()))
			if m.realise(rest) {
				goto reload
			}
			*reg(regs, in.A()) = m.SeqView(rest)
		}
		pc++
		goto next
	case compile.OpRest:
		if c := cell(*reg(regs, in.B())); c != nil && c.Rest != nil {
			*reg(regs, in.A()) = value.Of(c.Rest)
			pc++
			goto next
		}
		fr.pc = int32(pc)
		if m.realise(*reg(regs, in.B())) {
			goto reload
		}
		*reg(regs, in.A()) = m.Rest(*reg(regs, in.B()))
		pc++
		goto next
	case compile.OpIter:
		fr.pc = int32(pc)
		m.iter(reg(regs, in.A()), reg(regs, in.A()+1), reg(regs, in.A()+2), *reg(regs, in.B()))
		pc++
		goto next
	case compile.OpIterNext:
		fr.pc = int32(pc)
		switch m.iterNext(reg(regs, in.A()), reg(regs, in.A()+1), reg(regs, in.A()+2), reg(regs, in.B())) {
		case iterDone:
			pc += in.Off()
		case iterAgain:
			goto reload
		}
		pc++
		goto next
	case compile.OpIterRest:
		fr.pc = int32(pc)
		*reg(regs, in.C()) = m.iterRest(*reg(regs, in.A()), reg(regs, in.A()+1).AsInt(), *reg(regs, in.B()))
		pc++
		goto next
	case compile.OpSortNext:
		fr.pc = int32(pc)
		{
			right, left, more := reg(regs, in.A()).AsSorting().Next(&m.Task, *reg(regs, in.A()+1))
			if more {
				*reg(regs, in.B()+1), *reg(regs, in.B()+2) = *right, *left
				pc += in.Off()
			}
		}
		pc++
		goto next
	case compile.OpReduced:
		pc++
		if x := reg(regs, in.A()); x.Kind() == value.KindReduced {
			*x = x.AsReduced().Val
			pc += in.Off()
		}
		goto next

	case compile.OpDeref:
		fr.pc = int32(pc)
		{
			v, ok := m.deref(*reg(regs, in.B()))
			if !ok {
				goto reload
			}
			*reg(regs, in.A()) = v
		}
		pc++
		goto next
	case compile.OpBind:
		fr.pc = int32(pc)
		m.bind(fetch(code, pc+1).Wide(), *reg(regs, in.B()))
		pc += 2
		goto next
	case compile.OpUnbind:
		m.dyn = m.dyn[:len(m.dyn)-int(in.A())]
		pc++
		goto next
	case compile.OpSetDyn:
		fr.pc = int32(pc)
		m.setBinding(fetch(code, pc+1).Wide(), *reg(regs, in.B()))
		pc += 2
		goto next
	case compile.OpCatch:
		*reg(regs, in.A()) = value.Bool(catches(p.Consts[in.C()], reg(regs, in.B()).AsException()))
		pc++
		goto next
	}
	panic("eval: unknown instruction")

callFn:
	// A call of a compiled function with its arguments at base. The frame is made here if the
	// function has an arity of exactly that many parameters and the stacks have room.
	fr.pc = int32(pc)
	m.Fuel--
	if m.Fuel < 0 {
		m.Poll()
	}
	{
		f := compile.FnOf(fn)
		n := int(in.B())
		if n < len(f.ByArity) {
			if np := f.ByArity[n]; np != nil && base+np.Regs <= len(m.stack) && m.fp+1 < len(m.frames) {
				m.fp++
				fr = &m.frames[m.fp]
				fr.proto, fr.fn, fr.base, fr.dst, fr.kind = np, fn, int32(base), in.C(), frameCall
				p = np
				code = unsafe.Pointer(unsafe.SliceData(np.Code))
				regs = unsafe.Pointer(&m.stack[base])
				pc = 0
				goto next
			}
		}
	}
	// The step counts after the frame is made. Until then the instruction may run again, and must
	// keep its identity.
	m.Fuel++
	m.enter(fn, base, int(in.B()), frameCall, in.C())
	m.Fuel--
	goto reload

callOther:
	// The step is counted afterwards, for the same reason.
	fr.pc = int32(pc)
	{
		v, done := m.invoke(callee, base, int(in.B()), frameCall, in.C())
		m.step()
		if !done {
			goto reload
		}
		regs = unsafe.Pointer(&m.stack[fr.base])
		*reg(regs, in.C()) = v
	}
	pc += compile.CallSize
	goto next
}
