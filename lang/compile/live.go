// This file defines liveness: which registers an instruction may still read.
//
// Nothing is cleared while a program runs. When the account is full, the machine
// asks here which registers of each frame are live, clears the others, and so
// neither the mark nor the collector of Go finds what the program can no longer
// reach: the head of a lazy sequence that a loop walks, say.

package compile

// regset is a set of registers.
type regset []uint64

func (s regset) has(r int) bool { return s[r>>6]>>(r&63)&1 != 0 }
func (s regset) add(r int)      { s[r>>6] |= 1 << (r & 63) }
func (s regset) del(r int)      { s[r>>6] &^= 1 << (r & 63) }

// merge adds the members of t and says whether s grew.
func (s regset) merge(t regset) bool {
	grew := false
	for i := range s {
		if n := s[i] | t[i]; n != s[i] {
			s[i], grew = n, true
		}
	}
	return grew
}

// liveness holds, for each instruction, the registers live before it.
type liveness struct{ in []regset }

// Live says for each register whether it is live at pc: before the instruction,
// or, if called is set, behind the call there, which is still to deliver its
// result.
func (p *Proto) Live(pc int, called bool, visit func(reg int, live bool)) {
	l := p.live.Load()
	if l == nil {
		l = p.computeLiveness()
		p.live.Store(l)
	}
	set := l.in[pc]
	if called {
		e := p.effects(pc)
		set = append(regset(nil), l.in[pc+e.size]...)
		for _, d := range e.defs {
			set.del(d)
		}
		for _, h := range p.Handlers {
			if pc >= int(h.Start) && pc < int(h.End) {
				keep := append(regset(nil), l.in[h.Target]...)
				keep.del(int(h.Reg))
				set.merge(keep)
			}
		}
	}
	for r := range p.Regs {
		visit(r, set.has(r))
	}
}

// computeLiveness solves the data-flow equations backwards until nothing changes.
func (p *Proto) computeLiveness() *liveness {
	words := (p.Regs + 64) / 64
	l := &liveness{in: make([]regset, len(p.Code)+1)}
	for i := range l.in {
		l.in[i] = make(regset, words)
	}
	var starts []int
	for pc := 0; pc < len(p.Code); pc += p.effects(pc).size {
		starts = append(starts, pc)
	}
	out := make(regset, words)
	for changed := true; changed; {
		changed = false
		for i := len(starts) - 1; i >= 0; i-- {
			pc := starts[i]
			e := p.effects(pc)
			clear(out)
			for _, s := range e.succ {
				out.merge(l.in[s])
			}
			for _, d := range e.defs {
				out.del(d)
			}
			for _, h := range p.Handlers {
				if pc >= int(h.Start) && pc < int(h.End) {
					had := out.has(int(h.Reg))
					out.merge(l.in[h.Target])
					if !had {
						out.del(int(h.Reg))
					}
				}
			}
			e.uses(func(r int) { out.add(r) })
			changed = l.in[pc].merge(out) || changed
		}
	}
	return l
}

// effect is what an instruction reads, writes and is followed by.
type effect struct {
	size    int
	read    [3]int // registers, -1: none
	from, n int    // further registers read: n from from on
	extra   []int
	defs    []int
	succ    []int
}

func (e *effect) uses(visit func(int)) {
	for _, r := range e.read {
		if r >= 0 {
			visit(r)
		}
	}
	for i := range e.n {
		visit(e.from + i)
	}
	for _, r := range e.extra {
		visit(r)
	}
}

// effects describes the instruction at pc. It is long on purpose: one case per
// group of operations.
func (p *Proto) effects(pc int) effect {
	in := p.Code[pc]
	a, b, c := int(in.A()), int(in.B()), int(in.C())
	e := effect{size: 1, read: [3]int{-1, -1, -1}}
	next := func() { e.succ = append(e.succ, pc+e.size) }
	jump := func() { e.succ = append(e.succ, pc+1+in.Off()) }
	switch in.Op() {
	case OpNop:
		next()
	case OpConst, OpNil, OpInt, OpUp, OpSelf, OpGlobal, OpDynamic:
		e.defs = []int{a}
		next()
	case OpMove, OpNot, OpIsNil, OpLazy, OpSeq, OpFirst, OpNext, OpRest, OpDeref, OpAddI, OpGetK, OpCatch:
		e.read[0], e.defs = b, []int{a}
		next()
	case OpDef, OpThrow, OpReturn:
		e.read[0] = a
		if in.Op() == OpDef {
			next()
		}
	case OpAdd, OpSub, OpMul, OpDiv, OpQuot, OpRem, OpMod, OpLt, OpLe, OpEq, OpNumEq, OpSame, OpGet, OpNth:
		if in.Op() == OpNth {
			e.size = CallSize
		}
		e.read[0], e.read[1], e.defs = b, c, []int{a}
		next()
	case OpJump, OpLoop:
		e.succ = []int{pc + 1 + int(int32(in.Wide()))}
	case OpJTrue, OpJFalse, OpJNil, OpJNotNil, OpJLtK, OpJNLtK, OpJLeK, OpJNLeK, OpJGtK, OpJNGtK, OpJGeK, OpJNGeK, OpJEqK, OpJNEqK:
		e.read[0] = a
		next()
		jump()
	case OpJLt, OpJNLt, OpJLe, OpJNLe, OpJEq, OpJNEq:
		e.read[0], e.read[1] = a, b
		next()
		jump()
	case OpReduced:
		e.read[0], e.defs = a, nil
		next()
		jump()
	case OpCall, OpApply:
		e.size, e.from, e.n, e.defs = CallSize, a, b+1, []int{c}
		next()
	case OpCallG, OpCallS, OpCallN, OpCallK:
		e.size, e.from, e.n, e.defs = CallSize, a+1, b, []int{c}
		next()
	case OpClosure:
		e.size, e.defs = 1+c, []int{a}
		for _, w := range p.Code[pc+1 : pc+1+c] {
			if placeKind(w.A()) == inReg {
				e.extra = append(e.extra, int(w.B()))
			}
		}
		next()
	case OpPatch:
		e.read[0], e.read[1] = a, c
		next()
	case OpVector, OpMap, OpSet:
		e.from, e.n, e.defs = b, c, []int{a}
		next()
	case OpIter:
		e.read[0], e.defs = b, []int{a, a + 1, a + 2}
		next()
	case OpIterNext:
		e.from, e.n, e.defs = a, 3, []int{b}
		next()
		jump()
	case OpBind, OpSetDyn:
		e.size, e.read[0] = 2, b
		next()
	case OpUnbind:
		next()
	}
	return e
}
