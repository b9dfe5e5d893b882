// This file defines Steps: a number of steps that several meters draw from.

package limits

import (
	"sync/atomic"
	"time"
)

// Steps holds the remaining steps of the evaluations that share it. Meters draw slices from it, so
// that they access it rarely.
type Steps struct {
	left  atomic.Int64
	limit int64  // initial number
	outer *Steps // the steps that this is a part of; nil for that of the run
}

// slice is the largest number of steps that a meter draws at a time, about 40 microseconds of work. A
// draw takes 30 to 100 ns. Near the end, slices get smaller, so that no meter is refused while
// another holds many. When no steps are left, only steps that running meters have drawn and not
// taken can be missing.
const (
	slice      = 1 << 12
	leastSlice = 1 << 6
)

// draw returns some steps, or 0 and the Steps that are exhausted. If beyond is set, it ignores the
// steps of scopes, because they are known to have sufficed.
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

// Share returns the steps that this meter and the evaluations below it draw from.
func (m *Meter) Share() *Steps {
	if m.steps == nil {
		m.steps = &Steps{limit: m.maxSteps}
		m.steps.left.Store(m.maxSteps - m.Steps())
		m.maxSteps = m.Steps()
	}
	return m.steps
}

// Worker holds the bounds of an evaluation that another one waits for.
type Worker struct {
	Memory        int64 // cap of its memory in bytes
	Fragmentation int64 // limit of the bytes that the allocator may hold for it, see FragmentationOf
	// Poll is called at each poll of the meter. It reports whether the evaluation must end.
	Poll func() (cancelled bool)
}

// Join prepares the meter for an evaluation that p waits for. Other bounds than those in w are p's.
// Leave ends it.
func (m *Meter) Join(p *Meter, w Worker) {
	m.used, m.cap, m.most = max(m.used, 0), w.Memory, 0
	m.course = course{steps: p.Share(), timeout: p.timeout, ctx: p.ctx, done: p.done, deadline: p.deadline, run: p.run,
		poll: w.Poll}
	m.scoped, m.assisting, m.decided = p.scoped, false, p.decided
	m.Born, m.fragmentation = Counts{}, fragmentation{cycle: w.Memory, limit: w.Fragmentation}
}

// Assist prepares the meter for work that the evaluation of p does itself with a separate account.
// All bounds but the cap are p's. Leave ends it.
func (m *Meter) Assist(p *Meter, memory int64) {
	m.Join(p, Worker{Memory: memory, Fragmentation: FragmentationOf(memory), Poll: p.poll})
	m.assisting = true
}

// Leave ends the work begun by Join or Assist. It returns the steps that were drawn and not taken.
func (m *Meter) Leave() {
	m.Yield()
	m.Holds(0)
}

// Yield returns the steps that were drawn and not taken, because the evaluation is about to wait.
func (m *Meter) Yield() {
	m.show()
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
	Memory  int64 // cap in bytes
	Timeout time.Duration
	Until   time.Time
	Scoped  bool // whether Until is earlier than the run's
	Steps   *Steps
}

// Narrow narrows the bounds of the evaluation, and returns the former ones. bytes counts beyond the
// bytes held; timeout and steps count from now. A bound that is 0, or would be wider, stays
// unchanged.
func (m *Meter) Narrow(bytes int64, timeout time.Duration, steps int64) (was Bounds) {
	was = m.Bounds()
	was.Steps = m.Share()
	if bytes > 0 && bytes < m.cap-m.used { // a sum could overflow
		m.cap = m.used + bytes
	}
	if until := time.Now().Add(timeout - m.lost()); timeout > 0 && until.Before(m.deadline) {
		m.timeout, m.deadline, m.scoped = timeout, until, true
	}
	if steps > 0 && steps < m.StepsLeft() { // so that scopes in a recursion do not form a chain
		m.Yield()
		m.steps = &Steps{limit: steps, outer: m.steps}
		m.steps.left.Store(steps)
	}
	return was
}

// Widen restores the bounds that Narrow returned.
func (m *Meter) Widen(was Bounds) {
	m.Yield()
	m.cap, m.timeout, m.deadline, m.scoped, m.steps = was.Memory, was.Timeout, was.Until, was.Scoped, was.Steps
}

// Bounds returns the current bounds.
func (m *Meter) Bounds() Bounds { return Bounds{m.cap, m.timeout, m.deadline, m.scoped, m.steps} }

// Scoped reports whether the deadline is that of a scope, not the run's.
func (m *Meter) Scoped() bool { return m.scoped }

// FailLate unwinds like a poll that finds that the time has passed. It is called after an effect
// was interrupted.
func (m *Meter) FailLate() {
	panic(Stop{Bound: BoundTime, Limit: int64(m.timeout), Late: true, At: Moment{At: AtEffect}})
}

// StepsLeft returns the number of steps that may still be taken.
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

// TotalSteps returns the steps of this evaluation, which must be the run's main one, and of all
// evaluations below it.
func (m *Meter) TotalSteps() int64 {
	if m.steps == nil {
		return m.Steps()
	}
	return m.steps.limit - m.steps.left.Load() - (m.maxSteps - m.Steps())
}
