// This file defines Steps: a number of steps that several meters draw from.

package limits

import (
	"sync/atomic"
	"time"
)

// Steps is what is left of a number of steps, for the evaluations that share it.
// Meters draw slices from it, so that it is touched seldom.
type Steps struct {
	left  atomic.Int64
	limit int64  // that it began with
	outer *Steps // in which this is a part; nil for that of the run
}

// slice is the most that a meter draws at once, some 40 microseconds of work, where a
// draw takes 30 to 100 ns. Near the end slices get smaller, so that none is refused while
// another holds much: what those who run have drawn and not taken is all that can be
// missing when there are said to be none.
const (
	slice      = 1 << 12
	leastSlice = 1 << 6
)

// draw gives some steps, 0 if none are left. The second value is where none were. With
// beyond, those of a scope need not be left: it is known that they sufficed.
func (s *Steps) draw(beyond bool) (n int64, empty *Steps) {
	if n = s.take(slice); n == 0 {
		if !beyond || s.outer == nil {
			return 0, s
		}
		n = slice
		s.left.Add(-n)
	}
	if s.outer == nil {
		return n, nil
	}
	m, empty := s.outer.draw(beyond)
	if m < n {
		s.left.Add(n - m)
	} else {
		s.outer.giveBack(m - n)
	}
	return min(n, m), empty
}

func (s *Steps) take(most int64) int64 {
	for {
		left := s.left.Load()
		n := min(most, max(left/16, min(left, leastSlice)))
		if n <= 0 {
			return 0
		}
		if s.left.CompareAndSwap(left, left-n) {
			return n
		}
	}
}

func (s *Steps) giveBack(n int64) {
	for ; s != nil; s = s.outer {
		s.left.Add(n)
	}
}

// Share gives the steps that this meter and the evaluations below it draw from.
func (m *Meter) Share() *Steps {
	if m.steps == nil {
		m.steps = &Steps{limit: m.maxSteps}
		m.steps.left.Store(m.maxSteps - m.Steps())
		m.maxSteps = m.Steps()
	}
	return m.steps
}

// Worker is what an evaluation has of its own that another one waits for.
type Worker struct {
	Memory int64 // bytes that it may hold
	Spread int64 // bytes that the allocator may hold for it, see SpreadOf
	// Poll is called at each poll of the meter, and reports whether the evaluation is to end.
	Poll func() (cancelled bool)
}

// Join makes the meter ready for an evaluation that p waits for: what w does not say is as
// it is for p. Leave ends it.
func (m *Meter) Join(p *Meter, w Worker) {
	*m = Meter{cap: w.Memory, steps: p.Share(), timeout: p.timeout, ctx: p.ctx, done: p.done, deadline: p.deadline, scoped: p.scoped, run: p.run,
		poll: w.Poll, used: max(m.used, 0), decided: p.decided}
	m.spread.cycle, m.spread.limit = w.Memory, w.Spread
}

// Assist makes the meter ready for work that the evaluation of p does itself under an
// account beside its own: all bounds but the cap are those of p. Leave ends it.
func (m *Meter) Assist(p *Meter, memory int64) {
	m.Join(p, Worker{Memory: memory, Spread: SpreadOf(memory), Poll: p.poll})
	m.assisting = true
}

// Leave ends what Join or Assist began: the steps that were drawn and not taken go back.
func (m *Meter) Leave() {
	m.Yield()
	m.Holds(0)
}

// Yield gives back the steps that were drawn and not taken, as the evaluation is going
// to wait.
func (m *Meter) Yield() {
	if m.steps == nil {
		return
	}
	m.granted, m.Fuel = m.granted-m.Fuel, 0
	m.worked, m.work = m.worked-m.work, 0
	m.steps.giveBack(m.maxSteps - m.Steps())
	m.maxSteps = m.Steps()
}

// Bounds are some of an evaluation's bounds.
type Bounds struct {
	Memory  int64 // bytes that it may hold
	Timeout time.Duration
	Until   time.Time
	Scoped  bool // Until is narrower than the run's
	Steps   *Steps
}

// Narrow gives an evaluation narrower bounds, and those that it had: bytes beyond what
// it holds, a time and steps from now on. What is 0, or would be wider, stays.
func (m *Meter) Narrow(bytes int64, timeout time.Duration, steps int64) (was Bounds) {
	was = m.Bounds()
	was.Steps = m.Share()
	if bytes > 0 && bytes < m.cap-m.used { // a sum could overflow
		m.cap = m.used + bytes
	}
	if until := time.Now().Add(timeout); timeout > 0 && until.Before(m.deadline) {
		m.timeout, m.deadline, m.scoped = timeout, until, true
	}
	if steps > 0 && steps < m.StepsLeft() { // so that scopes in a recursion are no chain
		m.Yield()
		m.steps = &Steps{limit: steps, outer: m.steps}
		m.steps.left.Store(steps)
	}
	return was
}

// Widen gives the evaluation back the bounds that Narrow gave.
func (m *Meter) Widen(was Bounds) {
	m.Yield()
	m.cap, m.timeout, m.deadline, m.scoped, m.steps = was.Memory, was.Timeout, was.Until, was.Scoped, was.Steps
}

// Bounds gives the bounds as they are.
func (m *Meter) Bounds() Bounds { return Bounds{m.cap, m.timeout, m.deadline, m.scoped, m.steps} }

// Scoped says whether the deadline is that of a scope, not the run's.
func (m *Meter) Scoped() bool { return m.scoped }

// FailLate unwinds as a poll does that finds the time over, which has cut short an
// effect.
func (m *Meter) FailLate() {
	panic(Stop{Bound: BoundTime, Limit: int64(m.timeout), Late: true, At: Moment{At: AtEffect}})
}

// StepsLeft gives how many steps may still be taken.
func (m *Meter) StepsLeft() int64 {
	left := m.maxSteps - m.Steps()
	if m.steps == nil {
		return left
	}
	least := m.steps.left.Load()
	for s := m.steps.outer; s != nil; s = s.outer {
		least = min(least, s.left.Load())
	}
	return left + least
}

// TotalSteps gives the steps of this evaluation, the run's main one, and all below
// it.
func (m *Meter) TotalSteps() int64 {
	if m.steps == nil {
		return m.Steps()
	}
	return m.steps.limit - m.steps.left.Load() - (m.maxSteps - m.Steps())
}
