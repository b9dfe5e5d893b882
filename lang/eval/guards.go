// This file defines the guards that an evaluation takes for bodies of its program. They
// are given back however a body ends: by the program's own code where it goes on, by the
// machine where the evaluation, or a scope around the body, is over.

package eval

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval/internal/machine"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// heldSize is what the world outside keeps of a guard taken.
const heldSize = 256

// entering asks the machine to take a guard for a builtin.
type entering struct{ guard value.Guard }

// EnterGuard implements value.Host.
func (m *Machine) EnterGuard(g value.Guard) *value.ToolFailure {
	if m.Consented() {
		return nil
	}
	if c, ok := m.Answer().(*called); ok {
		return c.Failure
	}
	if m.opts.Effects == nil {
		m.FailHint(diag.NotSupported, "use it in a function that the running program calls", "no guard can be taken while a program is compiled")
	}
	panic(entering{g})
}

// takeGuard takes a guard. What it may fail with comes before; that the guard is refused
// is kept in the memo, as the outcome of a call is, and thrown by the builtin: the charges
// of an exception may run it again.
func (m *Machine) takeGuard(g value.Guard) {
	m.RememberConsent()
	if n := cap(m.holds); len(m.holds) == n {
		m.Charge(limits.ObjectSize(max(4, 2*n) * holdSize))
		grown := make([]func(), n, max(4, 2*n))
		copy(grown, m.holds)
		m.Credit(limits.ObjectSize(n * holdSize))
		m.holds = grown
	}
	m.Charge(heldSize)
	m.Look()
	ctx, end := m.bounded()
	defer end()
	m.Yield()
	release, err, fatal := m.opts.Effects.Enter(ctx, GuardWish{ID: m.effectID(), Actor: m.actor(), Guard: g, Waiting: m.opts.Place, Scoped: m.Scoped(), Settled: m.settled()})
	if fatal {
		m.LookBeyond() // the run's own end comes first
		machine.EndIf(err)
	}
	if err != nil {
		m.Look() // likewise
		if err.Code == diag.Timeout {
			m.FailLate()
		}
		m.KeepCharged(&called{value.ToolOutcome{Failure: &value.ToolFailure{Kind: err.Code, Code: string(err.Code), Message: err.Message,
			Hint: err.Hint, Retryable: err.Code == diag.GuardBusy}}})
		return
	}
	m.holds = append(m.holds, release)
	m.Consent()
}

// LeaveGuard implements value.Host: it gives back the guard taken last.
func (m *Machine) LeaveGuard() { m.leaveAll(len(m.holds) - 1) }

// leaveAll gives back the guards beyond the first n, the last one first.
func (m *Machine) leaveAll(n int) {
	for len(m.holds) > n {
		last := len(m.holds) - 1
		release := m.holds[last]
		m.holds[last] = nil
		m.holds = m.holds[:last]
		release()
	}
}
