package jregex

// This file compiles patterns that only backtracking can match: those with lookahead, lookbehind,
// back-references, atomic groups or possessive quantifiers, and those with counts above maxRepeat.
// machine.go runs them.
//
// A program is a list of instructions. An attempt keeps the alternatives that it has not tried on its own
// stack, together with the old values of groups and registers, so the depth of a match is bounded by memory
// that is charged, and not by the stack of the goroutine. The order of the alternatives, and the groups
// after backtracking, are those of java.util.regex. A part without alternatives, such as an atomic group,
// ends by dropping what it has pushed.

import "unicode/utf8"

type instrOp uint8

const (
	doText      instrOp = iota // text
	doChar                     // one code point of item
	doRun                      // item, min to max times
	doLazyRun                  // the same, as few as possible
	doJump                     // continue at to
	doSplit                    // continue at the next instruction, and if that fails at to
	doLazySplit                // continue at to, and if that fails at the next instruction
	doBegin                    // begin of a group: reg is its position
	doEnd                      // end of group index, which began at the position in reg
	doAssert                   // an assertion
	doBackref                  // the string of group index
	doAtomic                   // begin of a part without alternatives: reg is the height of the stack, reg+1 the position
	doCommit                   // its end
	doAhead                    // end of a lookahead that must match
	doRefuse                   // end of a condition that must not match
	doBack                     // go back min to max code points
	doThere                    // fails except at the position of the doAtomic with the same reg
	doLoop                     // a loop: see loop.go
	doMatch                    // the end of the pattern
)

type instr struct {
	op       instrOp
	to       int
	reg      int
	index    int // a group
	min, max int // max -1: no limit
	text     string
	item     *item
	assert   *node // doAssert, doBackref
	loop     loopOp
	lazy     bool
}

// backtrack is a compiled pattern.
type backtrack struct {
	code   []instr
	groups int // including the whole match
	regs   int // positions of groups and other registers
	spans  int // ranges of its classes
}

// parsedBacktrack completes Parse for a pattern that needs backtracking.
func parsedBacktrack(pattern string, p *parser, root *node, limits Limits) (*Pattern, error) {
	b := &backtrack{groups: p.groups + 1, regs: 2 * (p.groups + 1)}
	b.node(root)
	b.add(instr{op: doMatch})
	n := len(b.code) + b.spans/spansPerInstruction
	if n > limits.Instructions {
		return nil, limitError("pattern", n, "instructions", limits.Instructions)
	}
	return &Pattern{text: pattern, names: p.names, root: root, back: b, instructions: n}, nil
}

// add appends an instruction and returns its index.
func (b *backtrack) add(in instr) int {
	b.code = append(b.code, in)
	return len(b.code) - 1
}

// registers reserves n registers.
func (b *backtrack) registers(n int) int {
	b.regs += n
	return b.regs - n
}

// land makes an instruction continue at the next one that is added.
func (b *backtrack) land(at int) { b.code[at].to = len(b.code) }

func (b *backtrack) node(n *node) {
	switch n.op {
	case opSet:
		b.add(instr{op: doChar, item: b.item(n)})
	case opLiteral:
		b.add(instr{op: doText, text: string(n.text)})
	case opSeq:
		for _, k := range n.kids {
			b.node(k)
		}
	case opAlt:
		b.alternatives(n)
	case opGroup:
		reg := b.registers(1)
		b.add(instr{op: doBegin, reg: reg})
		b.node(n.kids[0])
		b.add(instr{op: doEnd, reg: reg, index: n.index})
	case opRepeat:
		b.repeat(n)
	case opLook:
		b.look(n)
	case opAtomic:
		reg := b.registers(2)
		b.add(instr{op: doAtomic, reg: reg})
		b.node(n.kids[0])
		b.add(instr{op: doCommit, reg: reg})
	case opBackref:
		b.add(instr{op: doBackref, index: n.index, assert: n})
	case opLineBreak:
		b.lineBreak()
	default:
		b.add(instr{op: doAssert, assert: n})
	}
}

// item returns the item for a node of one code point.
func (b *backtrack) item(n *node) *item {
	s := n.set
	if n.op == opLiteral {
		s = single(n.text[0])
	}
	b.spans += len(s)
	it := newItem(s, 1, 1)
	return &it
}

func (b *backtrack) alternatives(n *node) {
	var ends []int
	for i, k := range n.kids {
		if i == len(n.kids)-1 {
			b.node(k)
			break
		}
		split := b.add(instr{op: doSplit})
		b.node(k)
		ends = append(ends, b.add(instr{op: doJump}))
		b.land(split)
	}
	for _, at := range ends {
		b.land(at)
	}
}

// lineBreak adds \R: \r\n, or else one character.
func (b *backtrack) lineBreak() {
	split := b.add(instr{op: doSplit})
	b.add(instr{op: doText, text: "\r\n"})
	end := b.add(instr{op: doJump})
	b.land(split)
	b.add(instr{op: doChar, item: b.item(&node{op: opSet, set: vertical})})
	b.land(end)
}

func (b *backtrack) look(n *node) {
	reg := b.registers(2)
	b.add(instr{op: doAtomic, reg: reg})
	split := -1
	if n.negative {
		split = b.add(instr{op: doSplit})
	}
	if n.behind {
		b.add(instr{op: doBack, min: n.min, max: n.max})
	}
	b.node(n.kids[0])
	if n.behind {
		b.add(instr{op: doThere, reg: reg})
	}
	if !n.negative {
		b.add(instr{op: doAhead, reg: reg})
		return
	}
	b.add(instr{op: doRefuse, reg: reg})
	b.land(split)
}

// machineBytes bounds the bytes that a machine allocates at first.
func (b *backtrack) machineBytes() int64 {
	return 512 + 8*int64(b.regs) + firstFrames*frameBytes
}

// first returns the item that every match begins with, or nil.
func (b *backtrack) first() *item {
	for i := range b.code {
		switch in := &b.code[i]; in.op {
		case doBegin:
		case doChar:
			return in.item
		case doRun, doLazyRun:
			if in.min == 0 {
				return nil
			}
			return in.item
		case doText:
			r, _ := utf8.DecodeRuneInString(in.text)
			it := newItem(single(r), 1, 1)
			return &it
		default:
			return nil
		}
	}
	return nil
}
