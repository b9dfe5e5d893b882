package jregex

// This file runs the programs of backtrack.go.

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type frameKind uint8

const (
	frameBranch  frameKind = iota // continue with instruction at, at pos
	frameReg                      // register at was pos
	frameGroup                    // group at was pos, end
	frameRun                      // the doRun before at: pos, back to end at the least
	frameLazyRun                  // the doLazyRun at: pos after end code points
	frameBack                     // the doBack at: pos, and end code points further back
)

// frame is an entry of the stack of alternatives.
type frame struct {
	kind     frameKind
	at       int
	pos, end int
}

const (
	frameBytes  = 32
	firstFrames = 32 // capacity of a new stack
	// blockFrames is the size of a block of the stack, of 64 KB. Making one takes microseconds, so a
	// search can be cancelled at any time.
	blockFrames = 1 << 11
	// machineSteps is the number of steps between two polls: 100 to 200 µs.
	machineSteps = 1 << 13
)

// machine is a search.
type machine struct {
	*backtrack
	s      string
	poll   Poll
	err    error
	left   int // steps until the next poll
	start  *item
	regs   []int // the groups come first
	blocks [][]frame
	height int   // frames on the stack
	held   int64 // bytes reported to poll
	pc     int
	pos    int
	full   bool
}

func newMachine(b *backtrack, s string, poll Poll) *machine {
	return &machine{backtrack: b, s: s, poll: poll, start: b.first(), regs: make([]int, b.regs), left: machineSteps,
		blocks: [][]frame{make([]frame, firstFrames)}}
}

// find searches from pos on, or matches the whole string. See Regexp.Find.
func (m *machine) find(dst []int, pos int, full bool) ([]int, error) {
	m.full = full
	for i := range m.regs {
		m.regs[i] = -1
	}
	found := false
	for pos < len(m.s) && !utf8.RuneStart(m.s[pos]) {
		pos++
	}
	for ; pos <= len(m.s) && m.err == nil; pos = stepOver(m.s, pos) {
		if m.start != nil && !full {
			if pos = m.skip(pos); pos == len(m.s) {
				break
			}
		}
		if found = m.match(pos); found || full {
			break
		}
	}
	m.flush()
	m.release()
	if !found || m.err != nil {
		return nil, m.err
	}
	m.regs[0], m.regs[1] = pos, m.pos
	return append(dst, m.regs[:2*m.groups]...), nil
}

// skip returns the first position from pos on at which a match can begin, or the length of the
// string.
func (m *machine) skip(pos int) int {
	for pos < len(m.s) && m.err == nil {
		size, ok := m.start.has(m.s, pos)
		if ok {
			return pos
		}
		if size == 0 {
			_, size = utf8.DecodeRuneInString(m.s[pos:])
		}
		pos += size
		if pos&7 == 0 {
			m.count(1)
		}
	}
	return len(m.s)
}

func (m *machine) count(n int) {
	if m.left -= n; m.left < 0 {
		m.flush()
	}
}

// flush reports the steps to poll.
func (m *machine) flush() {
	if n := machineSteps - m.left; n > 0 && m.poll != nil && m.err == nil {
		m.err = m.poll(int64(n), 0)
	}
	m.left = machineSteps
}

// match attempts a match at a position.
func (m *machine) match(pos int) bool {
	m.pc, m.pos, m.height = 0, pos, 0
	for m.err == nil {
		m.count(1)
		in := &m.code[m.pc]
		m.pc++
		if in.op == doMatch && (!m.full || m.pos == len(m.s)) {
			return true
		}
		if !m.step(in) && !m.backtrackTo() {
			return false
		}
	}
	return false
}

// step executes an instruction. It reports whether the attempt continues. The switch is long
// because it is the inner loop.
func (m *machine) step(in *instr) bool {
	switch in.op {
	case doText:
		if !strings.HasPrefix(m.s[m.pos:], in.text) {
			return false
		}
		m.pos += len(in.text)
		m.count(len(in.text) / 16)
	case doChar:
		if m.pos >= len(m.s) {
			return false
		}
		size, ok := in.item.has(m.s, m.pos)
		m.pos += size
		return ok
	case doRun:
		return m.run(in)
	case doLazyRun:
		return m.lazyRun(in, m.pos, 0, in.min)
	case doJump:
		m.pc = in.to
	case doSplit:
		m.push(frame{kind: frameBranch, at: in.to, pos: m.pos})
	case doLazySplit:
		m.push(frame{kind: frameBranch, at: m.pc, pos: m.pos})
		m.pc = in.to
	case doBegin:
		m.set(in.reg, m.pos)
	case doEnd:
		m.setGroup(in.index, m.regs[in.reg], m.pos)
	case doAssert:
		return m.holds(in.assert)
	case doBackref:
		return m.backref(in)
	case doAtomic:
		m.regs[in.reg], m.regs[in.reg+1] = m.height, m.pos
	case doCommit:
		m.truncate(m.regs[in.reg])
	case doAhead:
		m.truncate(m.regs[in.reg])
		m.pos = m.regs[in.reg+1]
	case doRefuse:
		m.truncate(m.regs[in.reg])
		return false
	case doBack:
		return m.back(in)
	case doThere:
		return m.pos == m.regs[in.reg+1]
	case doLoop:
		return m.loopStep(in)
	default: // doMatch before the end of the string
		return false
	}
	return true
}

// backtrackTo continues with the last alternative. It returns false if there is none.
func (m *machine) backtrackTo() bool {
	for m.height > 0 && m.err == nil {
		m.count(1)
		f := m.pop()
		switch f.kind {
		case frameBranch:
			m.pc, m.pos = f.at, f.pos
			return true
		case frameReg:
			m.regs[f.at] = f.pos
		case frameGroup:
			m.regs[2*f.at], m.regs[2*f.at+1] = f.pos, f.end
		case frameRun:
			_, size := utf8.DecodeLastRuneInString(m.s[f.end:f.pos])
			m.pc, m.pos = f.at, f.pos-size
			if m.pos > f.end {
				m.push(frame{frameRun, f.at, m.pos, f.end})
			}
			return true
		case frameLazyRun:
			m.pc = f.at + 1
			if m.lazyRun(&m.code[f.at], f.pos, f.end, f.end+1) {
				return true
			}
		case frameBack:
			m.pc = f.at + 1
			if m.stepBack(f.at, f.pos, f.end) {
				return true
			}
		}
	}
	return false
}

// run matches as much as possible of a class.
func (m *machine) run(in *instr) bool {
	pos, least, n := m.pos, m.pos, 0
	for n != in.max && pos < len(m.s) && m.err == nil {
		size, ok := in.item.has(m.s, pos)
		if !ok {
			break
		}
		pos += size
		if n++; n == in.min {
			least = pos
		}
		if n&7 == 0 {
			m.count(1)
		}
	}
	if n < in.min {
		return false
	}
	m.pos = pos
	if pos > least {
		m.push(frame{frameRun, m.pc, pos, least})
	}
	return true
}

// lazyRun matches want code points of a class; the first n of them end at pos.
func (m *machine) lazyRun(in *instr, pos, n, want int) bool {
	at := m.pc - 1
	for n < want && m.err == nil {
		if n == in.max || pos >= len(m.s) {
			return false
		}
		size, ok := in.item.has(m.s, pos)
		if !ok {
			return false
		}
		pos += size
		n++
		m.count(1)
	}
	m.pos = pos
	m.push(frame{frameLazyRun, at, pos, n})
	return true
}

// back goes to the first position at which a lookbehind can begin.
func (m *machine) back(in *instr) bool {
	if in.min > in.max {
		return false
	}
	pos := m.pos
	for range in.min {
		if pos == 0 || m.err != nil {
			return false
		}
		_, size := utf8.DecodeLastRuneInString(m.s[:pos])
		pos -= size
		m.count(1)
	}
	m.pos = pos
	if in.max > in.min && pos > 0 {
		m.push(frame{frameBack, m.pc - 1, pos, in.max - in.min})
	}
	return true
}

// stepBack goes one code point further back.
func (m *machine) stepBack(at, pos, more int) bool {
	_, size := utf8.DecodeLastRuneInString(m.s[:pos])
	m.pos = pos - size
	if more > 1 && m.pos > 0 {
		m.push(frame{frameBack, at, m.pos, more - 1})
	}
	return true
}

// backref matches the string of a group again.
func (m *machine) backref(in *instr) bool {
	if in.index >= m.groups || m.regs[2*in.index] < 0 {
		return false
	}
	text := m.s[m.regs[2*in.index]:m.regs[2*in.index+1]]
	if in.assert.fold == 0 {
		m.count(len(text) / 16)
		if !strings.HasPrefix(m.s[m.pos:], text) {
			return false
		}
		m.pos += len(text)
		return true
	}
	for text != "" && m.err == nil {
		if m.pos >= len(m.s) {
			return false
		}
		want, n := utf8.DecodeRuneInString(text)
		got, size := utf8.DecodeRuneInString(m.s[m.pos:])
		if !sameFolded(want, got, in.assert.fold) {
			return false
		}
		text = text[n:]
		m.pos += size
		m.count(1)
	}
	return true
}

func sameFolded(a, b rune, fold flag) bool {
	if a == b {
		return true
	}
	if fold&flagUnicodeCase != 0 {
		a, b = unicode.ToUpper(a), unicode.ToUpper(b)
		return a == b || unicode.ToLower(a) == unicode.ToLower(b)
	}
	return a|0x20 == b|0x20 && isAlpha(a) && isAlpha(b)
}
