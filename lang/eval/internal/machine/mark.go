// This file defines the mark at a safepoint, which finds the values that the machine holds.

package machine

import (
	"github.com/ptc-lang/ptc/lang/value"
)

// Mark finds the live values, clears every slot that the program can no longer read, sets the
// account to the live bytes and returns them. If a bound of the run is hit in the meantime, Mark unwinds
// and the account is unchanged.
func (m *Machine) Mark() int64 {
	m.dropSpent()
	return m.MarkWaiting()
}

// MarkWaiting is Mark for an evaluation that waits for others on its loan. They may read the
// values that the functions of its lazy sequences have captured.
func (m *Machine) MarkWaiting() int64 {
	mk := m.BeginMark()
	m.forget()
	m.markStack(mk)
	mk.Vals(m.globals)
	for _, cell := range m.cells {
		mk.Value(cell)
	}
	for i := range m.dyn {
		mk.Value(m.dyn[i].val)
	}
	m.memo.mark(mk)
	for i := range m.memos {
		m.memos[i].mark(mk)
	}
	mk.Value(m.result)
	mk.Value(m.uncaught)
	mk.LocalCopies()
	m.tree.Mark(mk)
	if m.env != nil {
		for i := range m.env.Globals {
			mk.Value(m.env.Globals[i].ArgLists)
			mk.Value(m.env.Globals[i].Meta)
		}
	}
	m.marked = mk.End(m.OwnBytes())
	return m.marked
}

// forget clears the machine's own stacks beyond their ends, and the memo of a builtin that
// has ended.
func (m *Machine) forget() {
	clear(m.frames[m.fp+1:])
	clear(m.dyn[len(m.dyn):cap(m.dyn)])
	clear(m.outs[len(m.outs):cap(m.outs)])
	clear(m.memos[len(m.memos):cap(m.memos)])
	if m.memo.of != m.now() {
		m.memo = memo{}
	}
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
}

// spent replaces a captured value that was dropped, because the function runs for the last time and
// does not read it again.
var spent = value.Unbound

// dropSpent drops the captured values that the functions of lazy sequences and delays,
// which run only once, will not read again.
func (m *Machine) dropSpent() {
	for i := 0; i <= m.fp; i++ {
		fr := &m.frames[i]
		if fr.kind != frameForce && fr.kind != frameDelay || fr.fn == nil || fr.fn.Owner() != m.Owner || len(fr.fn.Up) == 0 {
			continue
		}
		called := i < m.fp && m.frames[i+1].kind == frameCall
		fr.proto.Live(int(fr.pc), called, func(i int, live bool) {
			if u := i - fr.proto.Regs; u >= 0 && !live {
				fr.fn.Up[u] = spent
			}
		})
	}
}

// markFrame marks a frame's live registers, and the two slots below the next
// frame's base if that is one of the machine's own.
func (m *Machine) markFrame(mk *value.Marker, fr *frame, end int, called, top bool) {
	base := int(fr.base)
	next := base
	if fr.proto != nil {
		fr.proto.Live(int(fr.pc), called, func(i int, live bool) {
			slot := base + i
			switch {
			case i >= fr.proto.Regs, slot >= end:
			case live:
				mk.Value(m.stack[slot])
			default:
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
