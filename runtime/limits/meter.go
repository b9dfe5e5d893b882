// This file defines the Meter: the memory account, the step count and the
// deadline of one evaluation.

package limits

import (
	"context"
	"time"
)

// Refused is what Charge unwinds with when the cap would be passed. The run
// loop catches it, marks, and runs the instruction again.
type Refused struct{ Bytes int64 }

// A Stop is what a poll unwinds with when a bound of the whole run is hit. A
// program cannot catch it.
type Stop struct {
	Bound Bound
	Limit int64  // the bound's value: steps, calls, or nanoseconds; 0 for the deadline of the context
	Empty *Steps // of BoundSteps: where none were left, if they were drawn from there
	Spent *Calls // of BoundCalls: where none were left
	At    Moment
	// Late says of BoundTime that an effect was cut short, in this run or an earlier one: the
	// time of the nearest scope was over.
	Late bool
	// Decided says that an earlier run was ended so, or its scope of the given number.
	Decided bool
	Scope   int
}

// Bound names a bound of the whole run.
type Bound uint8

// The bounds a poll can hit.
const (
	BoundSteps Bound = iota + 1
	BoundTime
	BoundCancelled
	BoundCalls
)

// How many steps of the machine, and units of builtin work, pass between two looks at
// the clock and the context, which take 0.1 microseconds: about 20 to 50 microseconds.
// A step may call a builtin that takes some microseconds itself (an update of a large
// map, a product of large numbers), a unit of work is never more than 10 nanoseconds.
const (
	pollSteps = 1024
	pollUnits = 4096
)

// Meter measures one evaluation. It is used by one goroutine.
type Meter struct {
	used, cap int64 // bytes: live at the last mark and charged since; the most allowed

	// Fuel is the number of machine steps until the next poll. The machine
	// decrements it at calls and backward jumps and calls Poll below zero.
	Fuel    int64
	granted int64 // machine steps handed out through Fuel
	work    int64 // units of builtin work until the next poll
	worked  int64 // units of builtin work handed out through work

	maxSteps  int64
	steps     *Steps                  // where further ones are drawn from; nil if maxSteps is all
	poll      func() (cancelled bool) // see Worker
	deadline  time.Time
	timeout   time.Duration
	scoped    bool // the deadline is that of a scope
	assisting bool // see Assist
	decided   bool // see Decide
	run       *deadline
	ctx       context.Context
	done      <-chan struct{}

	looks  int64 // see Look
	origin origin
	halt   *Halt

	// Born counts the blocks made in this cycle, see spread. Whoever makes a block of a
	// class increments it.
	Born   Counts
	spread spread
}

// deadline is that of the run, whatever scopes there are.
type deadline struct {
	at      time.Time
	timeout time.Duration
}

// Start makes the meter ready for a run under a memory cap of memory bytes.
// The deadline is timeout from now, or the context's if that is earlier.
func (m *Meter) Start(ctx context.Context, memory, steps int64, timeout time.Duration) {
	*m = Meter{cap: memory, maxSteps: steps, timeout: timeout, ctx: ctx, done: ctx.Done(),
		deadline: time.Now().Add(timeout), used: m.used, Born: m.Born, spread: m.spread}
	m.run = &deadline{m.deadline, timeout}
	m.SetUsed(max(m.used, 0))
	m.spread.cycle, m.spread.limit = memory, SpreadOf(memory)
	m.refill()
	m.refillWork()
}

// Elapse counts time that the run has taken already: its deadline is so much earlier.
func (m *Meter) Elapse(d time.Duration) {
	m.deadline = m.deadline.Add(-d)
	m.run.at = m.deadline
}

// Context gives the context that cancels the run.
func (m *Meter) Context() context.Context { return m.ctx }

// Left gives the time until the deadline.
func (m *Meter) Left() time.Duration { return time.Until(m.deadline) }

// SetUsed sets what is live, at the start of a run say. The difference is not charged.
func (m *Meter) SetUsed(n int64) {
	m.spread.from += n - m.used
	m.used = n
}

// Used gives the bytes live at the last mark plus those charged since.
func (m *Meter) Used() int64 { return m.used }

// Cap gives the most bytes that Used may reach.
func (m *Meter) Cap() int64 { return m.cap }

// SetCap sets the most bytes that Used may reach.
func (m *Meter) SetCap(n int64) { m.cap = n }

// Charge takes n bytes from the account, before they are allocated. Past the
// cap it does not return: it unwinds to the run loop, and nothing is taken.
func (m *Meter) Charge(n int64) {
	if !charging {
		return
	}
	u := m.used + n
	if u > m.cap {
		m.refuse(n)
	}
	m.used = u
	if probing {
		probe(m, n)
	}
}

// Need unwinds as Charge does if n bytes do not fit, and takes nothing. Charges of as much that follow at once are not
// refused: an operation that knows the exact size of its result only at its end charges that then.
func (m *Meter) Need(n int64) {
	if charging && m.used+n > m.cap {
		m.refuse(n)
	}
}

//go:noinline
func (m *Meter) refuse(n int64) { panic(Refused{Bytes: n}) }

// Holds tells the probe how many bytes an evaluation holds that waits while others
// add to what it holds.
func (m *Meter) Holds(n int64) {
	if probing {
		probeHolds(m, n)
	}
}

// Work accounts for n units of a builtin's work (about 10 ns each) and polls
// when enough have passed, so that a loop over program data can be stopped.
func (m *Meter) Work(n int64) {
	if probing {
		probeWork(m, n)
	}
	m.work -= n
	if m.work < 0 {
		m.pollWork()
	}
}

// Spend accounts for n units of work without a poll: the next Work polls.
func (m *Meter) Spend(n int64) { m.work -= n }

// Worked gives the units of builtin work done.
func (m *Meter) Worked() int64 { return m.worked - m.work }

// GiveBack takes n units of work back that were done for others too.
func (m *Meter) GiveBack(n int64) { m.work += n }

func (m *Meter) pollWork() {
	m.check(AtWork)
	m.refillWork()
}

// Poll is called by the machine when Fuel is below zero.
func (m *Meter) Poll() {
	m.check(AtStep)
	m.refill()
}

// Look polls at once. A builtin calls it between blocks of memory that it copies or
// writes first, whose work is accounted for as a whole.
func (m *Meter) Look() {
	m.looks++
	m.check(AtLook)
}

// LookBeyond polls for what ends more than a scope. It is no moment of the evaluation.
func (m *Meter) LookBeyond() {
	decided := m.decided
	defer func() { m.decided = decided }()
	m.decided = true
	m.check(AtLook)
}

func (m *Meter) refill() {
	grant := m.grant(pollSteps)
	if m.halt != nil {
		grant = m.fuelUntilHalt(grant)
	}
	grant -= m.Fuel
	m.granted += grant
	m.Fuel += grant
}

func (m *Meter) refillWork() {
	grant := m.grant(pollUnits)
	if m.halt != nil {
		grant = m.workUntilHalt(grant)
	}
	grant -= m.work
	m.worked += grant
	m.work += grant
}

// grant gives how many steps may pass until the next poll, n at most.
func (m *Meter) grant(n int64) int64 { return max(min(n, m.maxSteps-m.Steps()), 0) }

// MachineSteps gives the calls and backward jumps done, which together with a
// place in the code identify one execution of an instruction.
func (m *Meter) MachineSteps() int64 { return m.granted - m.Fuel }

// Steps gives the machine's steps plus the builtins' work.
func (m *Meter) Steps() int64 { return m.MachineSteps() + m.Worked() }

// more draws further steps.
func (m *Meter) more(at Point) {
	if m.steps == nil {
		panic(Stop{Bound: BoundSteps, Limit: m.maxSteps, At: m.moment(at)})
	}
	n, empty := m.steps.draw(m.decided)
	if n == 0 {
		panic(Stop{Bound: BoundSteps, Limit: empty.limit, Empty: empty, At: m.moment(at)})
	}
	m.maxSteps += n
}

func (m *Meter) check(at Point) {
	if probing {
		probePoll(m)
	}
	select {
	case <-m.done:
		if m.ctx.Err() == context.DeadlineExceeded {
			panic(Stop{Bound: BoundTime, At: m.moment(at)})
		}
		panic(Stop{Bound: BoundCancelled})
	default:
	}
	if m.poll != nil && m.poll() {
		panic(Stop{Bound: BoundCancelled})
	}
	if m.halt != nil {
		m.checkHalt(at)
	}
	for m.Steps() >= m.maxSteps {
		m.more(at)
	}
	until, timeout := m.deadline, m.timeout
	if m.decided {
		until, timeout = m.run.at, m.run.timeout
	}
	if time.Now().After(until) {
		panic(Stop{Bound: BoundTime, Limit: int64(timeout), At: m.moment(at)})
	}
}
