// This file defines Evaluation, a goroutine's place in the tree of operations.

package sched

import (
	"runtime"
	"sync/atomic"
)

// Evaluation is the place of the run's main evaluation, or of one worker, in the tree
// of operations.
type Evaluation struct {
	pool  *Pool
	slots Slots
	op    *operation // whose elements it runs; nil for the root
	own   bool       // its goroutine is that of Do
	// slotless says that it holds no slot of its own, but runs in that of its parent.
	slotless bool

	number    int          // see Number
	span      span         // of elements that it has claimed and not begun
	index     atomic.Int64 // of the element that it runs
	completed atomic.Int64
	pace      pace
	polls     int  // since its element began, see Poll
	waited    bool // the element has; guarded by pool.mu while an operation of its own runs

	// Guarded by pool.mu.
	child    *operation // that it waits for
	onCancel func()
}

// Number tells a worker from the others that hold slots. The root has 0, workers the least
// number from 1 on that is free when they begin; one that runs in the slot of its parent has
// the number of that.
func (e *Evaluation) Number() int { return e.number }

// Cancelled says whether the element that runs is to end, since what it gives is not
// needed any more.
func (e *Evaluation) Cancelled() bool {
	return e.op != nil && e.index.Load() > e.op.bound.Load()
}

// StopAbove makes the elements above i of the operation that the evaluation works on
// needless: those that run are cancelled, others are not begun. With -1 that is all,
// but what a worker runs while it says so it may end. A worker that fails at i says
// StopAbove(i), which is how the failure of the lowest element is found.
func (e *Evaluation) StopAbove(i int) {
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	e.op.lower(int64(i))
}

// OnCancel has f called when the element that runs is to end, at once if that is so
// already. f must not block, nor call the pool. Whoever gives an f takes it back with
// OnCancel(nil) before the element ends.
func (e *Evaluation) OnCancel(f func()) {
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	e.onCancel = f
	if f != nil && e.Cancelled() {
		f()
	}
}

// cancel ends the element that an evaluation runs: the operation that it waits for,
// and what it has asked to be told. The caller holds mu and has lowered the bound.
func (e *Evaluation) cancel() {
	if e.onCancel != nil {
		e.onCancel()
	}
	if e.child != nil {
		e.child.lower(-1)
	}
}

// Block says that the goroutine is going to wait: its processor is another worker's.
func (e *Evaluation) Block() {
	p := e.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := e; w.op != nil && !(w.waited && w.op.waits.Load()); w = w.op.parent {
		w.waited = true
		w.op.waits.Store(true)
	}
	p.block()
}

// Unblock says that the goroutine runs again. For a moment more may run than there
// are processors; workers that are about to claim elements then end.
func (e *Evaluation) Unblock() {
	p := e.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unblock()
}

// Poll is called by a goroutine that computes, every 20 microseconds or so, and reports
// whether the element that runs is cancelled. When as many goroutines run as the pool has
// processors, and elements are left that a slot is free for, it has one begin beside those that
// compute, as it may be one that waits; the more of them there are already, the later.
//
// When as many run as Go has processors it gives up its own for a moment, so that a goroutine
// whose wait is over need not wait for it too: without that, the runtime of Go lets it run for
// 10 ms. With a processor to spare it does not: whoever becomes runnable runs there.
func (e *Evaluation) Poll() (cancelled bool) {
	p := e.pool
	running := p.running.Load()
	if extra := running - int64(p.procs); extra >= 0 {
		if e.polls++; e.polls >= probeAfter<<min(extra, maxProbes) {
			e.polls = 0
			p.probe()
		}
	}
	if running >= p.yield {
		runtime.Gosched()
	}
	return e.Cancelled()
}

// An element is begun beside those that compute when one of them has run for probeAfter
// polls, some milliseconds: what is shorter ends soon enough by itself. With each that has
// been begun so, and computes too, it takes twice as long: with 8 slots on 2 processors all
// are in use after 60 times as long.
const (
	probeAfter = 64
	maxProbes  = 32
)

// probe starts a worker although all processors are in use.
func (p *Pool) probe() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if op := p.claimable(0); op != nil {
		p.spawnWorker(op)
	}
}

func (p *Pool) block() {
	p.stats.Blocked++
	p.stats.MostBlocked = max(p.stats.MostBlocked, p.stats.Blocked)
	p.running.Add(-1)
	p.start()
}

func (p *Pool) unblock() {
	p.stats.Blocked--
	p.running.Add(1)
}

// Slots gives what the operations of this evaluation take their slots from.
func (e *Evaluation) Slots() Slots { return e.slots }

// SetSlots has them take it from s.
func (e *Evaluation) SetSlots(s Slots) { e.slots = s }
