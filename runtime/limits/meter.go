// This file defines the Meter: the memory account, the step count and the
// deadline of one evaluation.

package limits

import (
	"context"
	"time"
)

// Refused is the panic value of Charge if the cap would be exceeded. The run loop recovers it,
// marks, and runs the instruction again.
type Refused struct{ Bytes int64 }

// A Stop is the panic value of a poll if a bound of the whole run is hit. A program cannot catch
// it.
type Stop struct {
	Bound Bound
	Limit int64  // the bound's value: steps, calls, or nanoseconds; 0 for the deadline of the context
	Empty *Steps // of BoundSteps: the steps that were exhausted, if any were drawn
	Spent *Calls // of BoundCalls: the calls that were exhausted
	At    Moment
	// Late, of BoundTime, means that an effect was interrupted, in this run or an earlier one,
	// because the time of the nearest scope had passed.
	Late bool
	// Decided means that an earlier run, or its scope with the given number, ended like this.
	Decided bool
	Scope   int
}

// Bound identifies a bound of the whole run.
type Bound uint8

// Bounds that a poll can hit.
const (
	BoundSteps Bound = iota + 1
	BoundTime
	BoundCancelled
	BoundCalls
)

// The number of machine steps, and of units of builtin work, between two checks of the clock and
// the context, which take 0.1 microseconds: about 20 to 50 microseconds. A step may call a builtin
// that takes some microseconds itself (an update of a large map, a product of large numbers). A
// unit of work never takes more than 10 nanoseconds.
const (
	pollSteps = 1024
	pollUnits = 4096
)

// Meter measures one evaluation. It must be used by one goroutine only.
type Meter struct {
	used, cap int64 // bytes: live at the last mark plus charged since; the maximum allowed
	most      int64 // the most that used had when it was reduced last

	course

	// Born counts the blocks allocated in this cycle, see fragmentation. Code that allocates a block of a
	// class increments it.
	Born          Counts
	scoped        bool // whether the deadline is that of a scope; here, the three take no room of their own
	assisting     bool // see Assist
	decided       bool // see Decide
	fragmentation fragmentation
}

// course is the part of a Meter that begins anew with each Start and Join: the steps and the deadline.
type course struct {
	// Fuel is the number of machine steps until the next poll. The machine
	// decrements it at calls and backward jumps and calls Poll below zero.
	Fuel    int64
	granted int64 // machine steps handed out through Fuel
	work    int64 // units of builtin work until the next poll
	worked  int64 // units of builtin work handed out through work

	maxSteps int64
	steps    *Steps                  // source of further steps; nil if maxSteps is all
	poll     func() (cancelled bool) // see Worker
	deadline time.Time
	timeout  time.Duration
	run      *deadline
	ctx      context.Context
	done     <-chan struct{}

	looks  int64 // see Look
	origin origin
	halt   *Halt
}

// deadline is the deadline of the run, independent of scopes. All deadlines are times of the run's clock:
// times of day, less the time that the clock had lost when they were set.
type deadline struct {
	at      time.Time
	timeout time.Duration
	clock   Clock
	// gauge shows the usage of shown, the meter of the main evaluation; nil if nobody wants to see it. They
	// are here because each worker has a Meter, but no deadline of its own.
	gauge *Gauge
	shown *Meter
}

// Start prepares the meter for a run with a memory cap of memory bytes. The deadline is timeout
// from now, or the context's if that is earlier.
func (m *Meter) Start(ctx context.Context, memory, steps int64, timeout time.Duration) {
	at := time.Now().Add(timeout)
	m.course = course{maxSteps: steps, timeout: timeout, ctx: ctx, done: ctx.Done(), deadline: at,
		run: &deadline{at: at, timeout: timeout}}
	m.scoped, m.assisting, m.decided = false, false, false
	m.cap, m.most = memory, 0
	m.SetUsed(max(m.used, 0))
	m.fragmentation.cycle, m.fragmentation.limit = memory, FragmentationOf(memory)
	m.refill()
	m.refillWork()
}

// SetPoll sets the function that is called at each poll; see Worker.
func (m *Meter) SetPoll(f func() (cancelled bool)) { m.poll = f }

// Elapse subtracts time that the run has already taken from its deadline.
func (m *Meter) Elapse(d time.Duration) {
	m.deadline = m.deadline.Add(-d)
	m.run.at = m.deadline
}

// Context returns the context that cancels the run.
func (m *Meter) Context() context.Context { return m.ctx }

// Clock returns the clock of the run.
func (m *Meter) Clock() *Clock { return &m.run.clock }

// Left returns the time until the deadline.
func (m *Meter) Left() time.Duration { return time.Until(m.deadline) + m.lost() }

// Late reports whether a time of the run's clock has passed.
func (m *Meter) Late(until time.Time) bool { return m.late(time.Now(), until) }

func (m *Meter) late(now, until time.Time) bool {
	return !now.Before(until) && !now.Before(until.Add(m.lost()))
}

// lost returns the time for which the clock of the run was stopped.
func (m *Meter) lost() time.Duration {
	if m.run == nil { // not started
		return 0
	}
	return m.run.clock.Lost()
}

// Timed returns a context that ends at the deadline. The caller must call cancel when it no longer needs the context.
func (m *Meter) Timed() (_ context.Context, cancel context.CancelFunc) {
	return m.run.clock.within(m.ctx, m.deadline)
}

// SetUsed sets the live bytes, for example at the start of a run. It does not charge the
// difference.
func (m *Meter) SetUsed(n int64) {
	m.fragmentation.from += n - m.used
	m.most = max(m.most, m.used)
	m.used = n
}

// Peak returns the maximum of Used since Start or Join.
func (m *Meter) Peak() int64 { return max(m.most, m.used) }

// Used returns the bytes live at the last mark plus those charged since.
func (m *Meter) Used() int64 { return m.used }

// Cap returns the maximum of Used.
func (m *Meter) Cap() int64 { return m.cap }

// SetCap sets the maximum of Used.
func (m *Meter) SetCap(n int64) { m.cap = n }

// Charge charges n bytes to the account. It must be called before they are allocated. If the cap
// would be exceeded, it charges nothing and unwinds to the run loop.
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

// Need unwinds as Charge does if n bytes do not fit, and charges nothing. Charges of the same total
// that follow immediately are not refused. So an operation that knows the exact size of its result
// only at its end can charge it then.
func (m *Meter) Need(n int64) {
	if charging && m.used+n > m.cap {
		m.refuse(n)
	}
}

//go:noinline
func (m *Meter) refuse(n int64) { panic(Refused{Bytes: n}) }

// Holds reports to the probe the bytes held by a waiting evaluation, to which others add.
func (m *Meter) Holds(n int64) {
	if probing {
		probeHolds(m, n)
	}
}

// Work accounts for n units of a builtin's work (about 10 ns each) and polls when enough have
// passed, so that a loop over program data can be stopped.
func (m *Meter) Work(n int64) {
	if probing {
		probeWork(m, n)
	}
	m.work -= n
	if m.work < 0 {
		m.pollWork()
	}
}

// Spend accounts for n units of work without a poll. The next Work polls.
func (m *Meter) Spend(n int64) { m.work -= n }

// Worked returns the units of builtin work done.
func (m *Meter) Worked() int64 { return m.worked - m.work }

// GiveBack subtracts n units of work that were done for others too.
func (m *Meter) GiveBack(n int64) { m.work += n }

func (m *Meter) pollWork() {
	m.check(AtWork)
	m.refillWork()
}

// Poll polls. The machine calls it when Fuel is below zero.
func (m *Meter) Poll() {
	m.check(AtStep)
	m.refill()
}

// Look polls immediately. A builtin calls it between blocks of memory that it copies or writes
// first, whose work is accounted for as a whole.
func (m *Meter) Look() {
	m.looks++
	m.check(AtLook)
}

// LookBeyond polls for the bounds that end more than a scope. It does not count as a moment of the
// evaluation.
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

// grant returns how many steps may pass until the next poll, at most n.
func (m *Meter) grant(n int64) int64 { return max(min(n, m.maxSteps-m.Steps()), 0) }

// MachineSteps returns the number of calls and backward jumps so far. Together with a position in
// the code, it identifies one execution of an instruction.
func (m *Meter) MachineSteps() int64 { return m.granted - m.Fuel }

// Steps returns the machine's steps plus the builtins' work.
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
	m.show()
	for m.Steps() >= m.maxSteps {
		m.more(at)
	}
	until, timeout := m.deadline, m.timeout
	if m.decided {
		until, timeout = m.run.at, m.run.timeout
	}
	if m.late(time.Now(), until) {
		panic(Stop{Bound: BoundTime, Limit: int64(timeout), At: m.moment(at)})
	}
}
