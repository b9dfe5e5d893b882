package jregex

// This file defines the stack of the backtracking engine. It consists of blocks, so that it grows
// without copying, and each block is charged.

func (m *machine) push(f frame) {
	at := m.height
	block := at / blockFrames
	if block == len(m.blocks) {
		m.grow(blockFrames)
	}
	b := m.blocks[block]
	if at%blockFrames >= len(b) { // the first block, which is small at first
		m.grow(min(4*len(b), blockFrames) - len(b))
		b = m.blocks[0]
	}
	b[at%blockFrames] = f
	m.height++
}

// grow adds a block, or n frames to the first block.
func (m *machine) grow(n int) {
	size := int64(n) * frameBytes
	if len(m.blocks) == 1 && len(m.blocks[0]) < blockFrames {
		size = int64(n+len(m.blocks[0])) * frameBytes
	}
	if m.poll != nil && m.err == nil {
		m.held += size
		m.err = m.poll(0, size)
	}
	if first := m.blocks[0]; len(first) < blockFrames {
		m.blocks[0] = make([]frame, len(first)+n)
		copy(m.blocks[0], first)
		return
	}
	m.blocks = append(m.blocks, make([]frame, n))
}

// release drops the stack except for a small part.
func (m *machine) release() {
	m.height = 0
	if m.held == 0 {
		return
	}
	m.blocks = [][]frame{m.blocks[0][:firstFrames:firstFrames]}
	if len(m.blocks[0]) > 0 {
		m.blocks[0] = make([]frame, firstFrames)
	}
	if m.err == nil {
		m.err = m.poll(0, -m.held)
	}
	m.held = 0
}

func (m *machine) pop() frame {
	m.height--
	return m.blocks[m.height/blockFrames][m.height%blockFrames]
}

// truncate drops the frames above a height. Groups that were set there keep their values, as in
// Java, even if the attempt goes back to before.
func (m *machine) truncate(height int) { m.height = height }

// set changes a register, until the attempt goes back.
func (m *machine) set(reg, v int) {
	m.push(frame{kind: frameReg, at: reg, pos: m.regs[reg]})
	m.regs[reg] = v
}

func (m *machine) setGroup(group, start, end int) {
	m.push(frame{frameGroup, group, m.regs[2*group], m.regs[2*group+1]})
	m.regs[2*group], m.regs[2*group+1] = start, end
}
