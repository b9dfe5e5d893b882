// This file defines liveness: which registers, and which captured values, an
// instruction may still read.
//
// A running program clears no registers. When the account is full, the machine asks Live which
// registers of each frame are live, and clears the others. Then neither the mark nor Go's collector
// finds values that the program can no longer reach, such as the head of a lazy sequence that a
// loop walks. The function of a lazy sequence or a delay runs only once, so its captured values can
// be cleared in the same way.

package compile

// liveness holds, for each instruction, the set of the registers and then of the captured values
// that are live before it. If words is 0, the code is too large, and everything counts as live.
type liveness struct {
	vars  int // registers and captured values
	words int // of one set
	bits  []uint64
}

// maxLiveness bounds the words of one liveness, for which no account is charged: 256 KB. They
// suffice for a function of 10,000 instructions and 200 registers.
const maxLiveness = 1 << 15

// maxPasses bounds the passes over the code. Each pass covers one more level of nested loops.
const maxPasses = 32

func (l *liveness) at(pc int) []uint64 { return l.bits[pc*l.words : (pc+1)*l.words] }

// Live returns, for each register and then for each captured value, whether it is live at pc:
// before the instruction, or, if called is set, after the call there, before it delivers its
// result.
func (p *Proto) Live(pc int, called bool, visit func(i int, live bool)) {
	l := p.live.Load()
	if l == nil {
		l = p.computeLiveness()
		p.live.Store(l)
	}
	if l.words == 0 {
		for r := range p.Regs {
			visit(r, true)
		}
		return
	}
	set := l.at(pc)
	if called {
		e := p.operandsAt(pc)
		set = append([]uint64(nil), l.at(pc+e.size)...)
		e.define(set)
		if h := p.handlerAt(pc); h != nil {
			mergeHandler(set, l.at(int(h.Target)), int(h.Reg))
		}
	}
	for i := range l.vars {
		visit(i, set[i>>6]>>(i&63)&1 != 0)
	}
}

// captured returns the number of captured values that the code reads.
func (p *Proto) captured() int {
	n := 0
	for pc := 0; pc < len(p.Code); {
		e := p.operandsAt(pc)
		p.reads(pc, &e, func(i int) { n = max(n, i+1-p.Regs) })
		pc += e.size
	}
	return n
}

// handlerAt returns the innermost handler around an instruction.
func (p *Proto) handlerAt(pc int) *Handler {
	for i := range p.Handlers {
		if h := &p.Handlers[i]; pc >= int(h.Start) && pc < int(h.End) {
			return h
		}
	}
	return nil
}

// computeLiveness solves the data-flow equations backwards until nothing changes.
func (p *Proto) computeLiveness() *liveness {
	vars := p.Regs + p.captured()
	words := (vars + 63) / 64
	if words*(len(p.Code)+1) > maxLiveness {
		return &liveness{}
	}
	l := &liveness{vars, words, make([]uint64, words*(len(p.Code)+1))}
	table := make([]operands, len(p.Code))
	for pc := 0; pc < len(p.Code); pc += table[pc].size {
		table[pc] = p.operandsAt(pc)
	}
	handlers := p.innermostHandlers()
	out := make([]uint64, words)
	for range maxPasses {
		changed := false
		for pc := len(p.Code) - 1; pc >= 0; pc-- {
			e := &table[pc]
			if e.size == 0 { // the second word of the previous instruction
				continue
			}
			clear(out)
			for _, s := range e.succ {
				if s >= 0 {
					merge(out, l.at(s))
				}
			}
			e.define(out)
			if h := handlers[pc]; h != nil {
				mergeHandler(out, l.at(int(h.Target)), int(h.Reg))
			}
			p.reads(pc, e, func(i int) { out[i>>6] |= 1 << (i & 63) })
			changed = merge(l.at(pc), out) || changed
		}
		if !changed {
			return l
		}
	}
	return &liveness{}
}

// innermostHandlers returns handlerAt for every instruction.
func (p *Proto) innermostHandlers() []*Handler {
	at := make([]*Handler, len(p.Code))
	for i := len(p.Handlers) - 1; i >= 0; i-- {
		h := &p.Handlers[i]
		for pc := h.Start; pc < h.End; pc++ {
			at[pc] = h
		}
	}
	return at
}

// merge adds the members of t to s and reports whether s grew.
func merge(s, t []uint64) bool {
	grew := false
	for i, w := range t {
		if n := s[i] | w; n != s[i] {
			s[i], grew = n, true
		}
	}
	return grew
}

// mergeHandler adds the registers and values that are live at a handler, which writes reg itself.
func mergeHandler(s, handler []uint64, reg int) {
	had := s[reg>>6]>>(reg&63)&1 != 0
	merge(s, handler)
	if !had {
		s[reg>>6] &^= 1 << (reg & 63)
	}
}

// operands are the registers that an instruction reads and writes, and the instructions that can
// follow it.
type operands struct {
	size    int
	read    [3]int // registers; -1: none
	from, n int    // further registers read: n from from on
	def     int    // the first register written; -1: none
	defs    int    // the number of them
	succ    [2]int // instructions; -1: none
}

// define removes the registers that the instruction writes.
func (e *operands) define(set []uint64) {
	for r := e.def; r < e.def+e.defs; r++ {
		set[r>>6] &^= 1 << (r & 63)
	}
}

// reads visits the registers and then the captured values that the instruction at pc reads.
func (p *Proto) reads(pc int, e *operands, visit func(int)) {
	for _, r := range e.read {
		if r >= 0 {
			visit(r)
		}
	}
	for i := range e.n {
		visit(e.from + i)
	}
	switch in := p.Code[pc]; in.Op() {
	case OpUp:
		visit(p.Regs + int(in.B()))
	case OpClosure:
		for _, w := range p.Code[pc+1 : pc+1+int(in.C())] {
			switch homeKind(w.A()) {
			case inReg:
				visit(int(w.B()))
			case inUp:
				visit(p.Regs + int(w.B()))
			}
		}
	}
}

// Operands visits the registers that the instruction at pc reads, in their order.
func (p *Proto) Operands(pc int, visit func(reg int)) {
	e := p.operandsAt(pc)
	p.reads(pc, &e, func(i int) {
		if i < p.Regs {
			visit(i)
		}
	})
}

// operandsAt returns the operands of the instruction at pc. It is long on purpose: one case per
// group of operations.
func (p *Proto) operandsAt(pc int) operands {
	in := p.Code[pc]
	a, b, c := int(in.A()), int(in.B()), int(in.C())
	e := operands{size: 1, read: [3]int{-1, -1, -1}, succ: [2]int{-1, -1}}
	next := func() { e.succ[0] = pc + e.size }
	jump := func() { e.succ[1] = pc + 1 + in.Off() }
	write := func(r, n int) { e.def, e.defs = r, n }
	switch in.Op() {
	case OpNop, OpUnbind:
		next()
	case OpConst, OpNil, OpInt, OpUp, OpSelf, OpGlobal, OpDynamic:
		write(a, 1)
		next()
	case OpAssoc, OpAssocLast:
		e.size = CallSize
		e.read = [3]int{b, c, int(p.Code[pc+1].A())}
		write(a, 1)
		next()
	case OpMove, OpShare, OpNot, OpIsNil, OpLazy, OpSeq, OpFirst, OpNext, OpRest, OpDeref, OpAddI, OpGetK, OpCatch:
		e.read[0] = b
		write(a, 1)
		next()
	case OpDef:
		e.read[0] = a
		next()
	case OpThrow, OpReturn, OpReturnShare:
		e.read[0] = a
	case OpAdd, OpSub, OpMul, OpDiv, OpDivDouble, OpQuot, OpRem, OpMod, OpLt, OpLe, OpEq, OpNumEq, OpSame, OpGet,
		OpCons, OpCell, OpPush:
		e.read[0], e.read[1] = b, c
		write(a, 1)
		next()
	case OpTest:
		e.size, e.read[0] = CallSize, b
		write(a, 1)
		next()
	case OpNthK:
		e.size, e.read[0] = CallSize, b
		write(a, 1)
		next()
	case OpNth, OpNthOr:
		e.size = CallSize
		e.read[0], e.read[1] = b, c
		write(a, 1)
		next()
	case OpJump, OpLoop:
		e.succ[0] = pc + 1 + int(int32(in.Wide()))
	case OpJTrue, OpJFalse, OpJNil, OpJNotNil, OpJLtK, OpJNLtK, OpJLeK, OpJNLeK, OpJGtK, OpJNGtK, OpJGeK, OpJNGeK, OpJEqK,
		OpJNEqK,
		OpReduced:
		e.read[0] = a
		next()
		jump()
	case OpJLt, OpJNLt, OpJLe, OpJNLe, OpJEq, OpJNEq:
		e.read[0], e.read[1] = a, b
		next()
		jump()
	case OpCall, OpMethod, OpMethodN, OpApply:
		e.size, e.from, e.n = CallSize, a, b+1
		write(c, 1)
		next()
	case OpCallG, OpCallS, OpCallN, OpCallK:
		e.size, e.from, e.n = CallSize, a+1, b
		write(c, 1)
		next()
	case OpClosure:
		e.size = 1 + c
		write(a, 1)
		next()
	case OpPatch:
		e.read[0], e.read[1] = a, c
		next()
	case OpVector, OpMap, OpSet:
		e.from, e.n = b, c
		write(a, 1)
		next()
	case OpVectorIn:
		e.from, e.n = b, c&7+1
		write(a, 1)
		next()
	case OpRecord:
		e.from, e.n = b, len(p.Consts[c].AsChunk().Vals)
		write(a, 1)
		next()
	case OpIter:
		e.read[0] = b
		write(a, 3)
		next()
	case OpIterNext:
		e.from, e.n = a, 3
		write(b, 1)
		next()
		jump()
	case OpIterRest:
		e.from, e.n, e.read[0] = a, 3, b
		write(c, 1)
		next()
	case OpSortNext:
		e.from, e.n = a, 2
		write(b+1, 2)
		next()
		jump()
	case OpBind, OpSetDyn:
		e.size, e.read[0] = 2, b
		next()
	}
	return e
}
