// This file defines the mark at a safepoint: which values the machine holds.

package eval

import (
	"github.com/ptc-lang/ptc/lang/value"
)

// mark finds what is live, clears every slot that the program can no longer read,
// sets the account to the live bytes and gives them.
func (m *Machine) mark() int64 {
	mk := m.BeginMark()
	m.markStack(mk)
	mk.Vals(m.globals)
	for _, cell := range m.cells {
		mk.Value(cell)
	}
	for i := range m.dyn {
		mk.Value(m.dyn[i].val)
	}
	for o := &m.memo; o != nil; o = o.outer {
		mk.Vals(o.results)
	}
	mk.Value(m.result)
	mk.Value(m.uncaught)
	live := mk.End(m.ownBytes() + m.outBytes())
	m.Work(mk.Seen() / 8)
	return live
}

// markStack marks from the live slots and clears the others. Frame i governs the
// slots from its base up to the base of the next frame.
func (m *Machine) markStack(mk *value.Marker) {
	for i := 0; i <= m.fp; i++ {
		fr := &m.frames[i]
		end := len(m.stack)
		called := false
		if i < m.fp {
			end = int(m.frames[i+1].base)
			called = m.frames[i+1].kind == frameCall
		}
		m.markFrame(mk, fr, end, called, i == m.fp)
		if fn := fr.fn; fn != nil {
			mk.Value(value.Of(&fn.Header))
		}
	}
	clear(m.frames[m.fp+1:])
}

// markFrame marks a frame's live registers, and the two slots below the next
// frame's base if that is one of the machine's own.
func (m *Machine) markFrame(mk *value.Marker, fr *frame, end int, called, top bool) {
	base := int(fr.base)
	next := base
	if fr.proto != nil {
		fr.proto.Live(int(fr.pc), called, func(reg int, live bool) {
			slot := base + reg
			if slot >= end {
				return
			}
			if live {
				mk.Value(m.stack[slot])
			} else {
				m.stack[slot] = value.Nil
			}
		})
		next += fr.proto.Regs
	}
	if next > end {
		return
	}
	if top || called {
		clear(m.stack[next:end])
		return
	}
	mk.Vals(m.stack[next:end])
}
