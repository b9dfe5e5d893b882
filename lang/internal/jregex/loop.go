package jregex

// This file compiles repetitions for the backtracking engine. There are four kinds, because Java
// has them: a class, a group that Java takes to match in one way only (GroupCurly, Curly), another
// group (Loop, LazyLoop), and possessive repetition. They differ in the effect of an empty match, and in
// the groups after it.

// loopOp is a step of a loop. Its registers are the number of iterations, the position at which the
// iteration began, and the height of the stack then.
type loopOp uint8

const (
	loopInit     loopOp = iota // the number of iterations is 0
	loopEnter                  // begins a general loop
	loopAgain                  // the end of an iteration of a general loop
	loopMore                   // begins a further iteration of a lazy loop
	loopCheck                  // before an iteration of a deterministic or possessive loop
	loopBody                   // begins such an iteration
	loopDone                   // the end of an iteration of a deterministic loop
	loopPossess                // the end of an iteration of a possessive loop
	loopRegCount = 0
	loopRegBegin = 1
	loopRegStack = 2
	loopRegs     = 3
)

func (b *backtrack) repeat(n *node) {
	kid := n.kids[0]
	switch {
	case n.max == 0:
	case kid.isChar() && n.possessive:
		reg := b.registers(2)
		b.add(instr{op: doAtomic, reg: reg})
		b.add(instr{op: doRun, item: b.item(kid), min: n.min, max: n.max})
		b.add(instr{op: doCommit, reg: reg})
	case kid.isChar() && n.lazy:
		b.add(instr{op: doLazyRun, item: b.item(kid), min: n.min, max: n.max})
	case kid.isChar():
		b.add(instr{op: doRun, item: b.item(kid), min: n.min, max: n.max})
	case n.possessive:
		b.closedLoop(n, kid, -1, loopPossess)
	case n.option && kid.isGroup():
		b.optional(n, kid)
	case kid.isGroup() && !kid.deterministic():
		b.generalLoop(n, kid)
	case kid.op == opGroup:
		b.closedLoop(n, kid.kids[0], kid.index, loopDone)
	default:
		b.closedLoop(n, kid, -1, loopDone)
	}
}

func (b *backtrack) optional(n, kid *node) {
	op := doSplit
	if n.lazy {
		op = doLazySplit
	}
	split := b.add(instr{op: op})
	b.node(kid)
	b.land(split)
}

// generalLoop adds
//
//	   loopEnter  → exit
//	body:
//	   kid
//	   loopAgain  → body
//	   jump       → exit
//	more: (of a lazy loop)
//	   loopMore   → body
//	exit:
func (b *backtrack) generalLoop(n, kid *node) {
	reg := b.registers(loopRegs)
	enter := b.add(instr{op: doLoop, loop: loopEnter, reg: reg, min: n.min, max: n.max, lazy: n.lazy})
	body := b.add(instr{op: doBegin, reg: reg + loopRegBegin})
	b.node(kid)
	b.add(instr{op: doLoop, loop: loopAgain, reg: reg, min: n.min, max: n.max, lazy: n.lazy, to: body})
	exit := b.add(instr{op: doJump})
	b.add(instr{op: doLoop, loop: loopMore, reg: reg, to: body})
	b.land(enter)
	b.land(exit)
}

// closedLoop adds a loop whose iterations keep no alternatives. An iteration sets group, if it is
// not negative.
//
//	   loopInit
//	check:
//	   loopCheck → exit
//	   loopBody
//	   kid
//	   end       → check
//	exit:
func (b *backtrack) closedLoop(n, kid *node, group int, end loopOp) {
	reg := b.registers(loopRegs)
	lazy := n.lazy && !n.possessive
	b.add(instr{op: doLoop, loop: loopInit, reg: reg})
	check := b.add(instr{op: doLoop, loop: loopCheck, reg: reg, min: n.min, max: n.max, lazy: lazy})
	b.add(instr{op: doLoop, loop: loopBody, reg: reg})
	b.node(kid)
	b.add(instr{op: doLoop, loop: end, reg: reg, index: group, min: n.min, max: n.max, to: check})
	b.land(check)
}

// loopStep executes a doLoop. It reports whether the attempt continues.
func (m *machine) loopStep(in *instr) bool {
	reg := in.reg
	count := m.regs[reg+loopRegCount]
	switch in.loop {
	case loopInit:
		m.set(reg+loopRegCount, 0)
	case loopEnter:
		m.set(reg+loopRegCount, 1)
		switch {
		case in.min > 0:
		case in.lazy:
			m.push(frame{kind: frameBranch, at: m.pc, pos: m.pos})
			m.pc = in.to
		default:
			m.push(frame{kind: frameBranch, at: in.to, pos: m.pos})
		}
	case loopAgain:
		m.again(in, count)
	case loopMore:
		m.set(reg+loopRegCount, count+1)
		m.pc = in.to
	case loopCheck:
		switch {
		case count < in.min:
		case in.max >= 0 && count >= in.max:
			m.pc = in.to
		case in.lazy:
			m.push(frame{kind: frameBranch, at: m.pc, pos: m.pos})
			m.pc = in.to
		default:
			m.push(frame{kind: frameBranch, at: in.to, pos: m.pos})
		}
	case loopBody:
		m.regs[reg+loopRegBegin], m.regs[reg+loopRegStack] = m.pos, m.height
	case loopDone, loopPossess:
		return m.done(in, count)
	}
	return true
}

// again ends an iteration of a general loop. An empty one ends the loop, even before the minimum.
func (m *machine) again(in *instr, count int) {
	reg := in.reg
	if m.pos <= m.regs[reg+loopRegBegin] {
		return
	}
	switch {
	case count < in.min:
	case in.max >= 0 && count >= in.max:
		return
	case in.lazy:
		m.push(frame{kind: frameBranch, at: m.pc + 1, pos: m.pos})
		return
	default:
		m.push(frame{kind: frameBranch, at: m.pc, pos: m.pos})
	}
	if in.min > 1 || in.max >= 0 { // otherwise the number does not matter
		m.set(reg+loopRegCount, count+1)
	}
	m.pc = in.to
}

// done ends an iteration of a closed loop.
func (m *machine) done(in *instr, count int) bool {
	reg := in.reg
	begin := m.regs[reg+loopRegBegin]
	m.truncate(m.regs[reg+loopRegStack])
	empty := m.pos == begin
	optional := count >= in.min
	if in.loop == loopPossess {
		if optional {
			m.truncate(m.height - 1) // the way out that loopCheck pushed
		}
		if empty {
			count = max(count, in.min-1)
		}
		m.regs[reg+loopRegCount] = count + 1
		if empty && optional {
			m.pc = m.exit(in)
			return true
		}
		m.pc = in.to
		return true
	}
	if empty && optional {
		return false // to the way out
	}
	if in.index >= 0 {
		m.setGroup(in.index, begin, m.pos)
	}
	if empty {
		count = in.min - 1
	}
	if !optional || in.max >= 0 { // otherwise the number does not matter
		m.set(reg+loopRegCount, count+1)
	}
	m.pc = in.to
	return true
}

// exit returns the instruction after a closed loop.
func (m *machine) exit(in *instr) int { return m.code[in.to].to }
