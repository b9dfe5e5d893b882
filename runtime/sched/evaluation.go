// This file defines Evaluation, the node of a goroutine in the tree of operations.

package sched

import (
	"sync/atomic"

	"github.com/ptc-lang/ptc/runtime/budget"
)

// Evaluation is the node of the run's main evaluation, or of one worker, in the tree of operations.
type Evaluation struct {
	pool  *Pool
	slots Slots
	op    *operation // the operation whose elements it runs; nil for the root
	own   bool       // whether its goroutine is that of Do
	// slotless means that it holds no slot, but runs in the slot of its parent.
	slotless bool

	number    int          // see Number
	span      span         // elements that it has claimed and not begun
	index     atomic.Int64 // the element that it runs
	completed atomic.Int64
	pace      pace
	polls     int // number of polls since its element began, see Poll
	turn      turn
	waited    bool // whether the element has waited; guarded by pool.mu while its own operation runs

	// Guarded by pool.mu.
	child    *operation // the operation that it waits for
	onCancel func()
	resting  bool // see Rest
}

// Number returns a number that is unique among the evaluations that hold slots. The root has 0. A
// worker gets the smallest number from 1 on that is free when it begins. A worker that runs in the
// slot of its parent has its parent's number.
func (e *Evaluation) Number() int { return e.number }

// Cancelled reports whether the current element must end because its result is no longer needed.
func (e *Evaluation) Cancelled() bool {
	return e.op != nil && e.index.Load() > e.op.bound.Load()
}

// StopAbove cancels the elements above i of the operation that the evaluation works on: running
// elements are cancelled, and others are not begun. With -1, it cancels all elements, but a worker
// that calls it may finish its current one. A worker that fails at i calls StopAbove(i), so that
// the lowest failing element is found.
func (e *Evaluation) StopAbove(i int) {
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	e.op.lower(int64(i))
}

// OnCancel registers f, which is called when the current element must end, or immediately if it
// must end already. f must not block or call the pool. The caller must remove f with OnCancel(nil)
// before the element ends.
func (e *Evaluation) OnCancel(f func()) {
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	e.onCancel = f
	if f != nil && e.Cancelled() {
		f()
	}
}

// cancel cancels the element that an evaluation runs: it cancels the operation that the element
// waits for, and calls the registered function. The caller holds mu and has lowered the bound.
func (e *Evaluation) cancel() {
	e.wake()
	e.pool.processors.skip(&e.turn)
	if e.onCancel != nil {
		e.onCancel()
	}
	if e.child != nil {
		e.child.lower(-1)
	}
}

// Block must be called before the goroutine waits. It frees its processor for another worker.
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

// Unblock must be called when the goroutine runs again. For a moment, more goroutines may run than
// there are processors. Workers that are about to claim elements then end.
func (e *Evaluation) Unblock() {
	p := e.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unblock()
}

// Poll must be called by a computing goroutine, about every 20 microseconds. It reports whether the
// current element is cancelled. If as many goroutines run as the pool has processors, and there are
// unclaimed elements and a free slot, Poll starts one more worker, because its element may be one
// that waits. The more such workers exist, the later it starts the next.
//
// If more goroutines compute than there are processors, Poll may wait for the goroutine's next turn. If
// they use all processors of Go, it yields, so that a goroutine whose wait has ended can run. Without
// this, the Go runtime lets a computing goroutine run for 10 ms.
func (e *Evaluation) Poll() (cancelled bool) {
	p := e.pool
	if extra := p.running.Load() - p.processors.n; extra >= 0 {
		if e.polls++; e.polls >= probeAfter<<min(extra, maxProbes) {
			e.polls = 0
			p.probe()
		}
	}
	p.processors.poll(&e.turn, p.done)
	return e.Cancelled()
}

// An additional element is begun when a computing element has run for probeAfter polls, which is
// some milliseconds. Shorter elements end soon enough. The time doubles with each additional
// element that computes too: with 8 slots on 2 processors, all slots are in use after 60 times as
// long.
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
	p.leave()
	p.start()
	p.assess()
}

func (p *Pool) unblock() {
	p.stats.Blocked--
	p.enter()
	p.assess()
}

// Narrow has the operations of this evaluation, and all below, take no more than n slots. restore
// ends that; it is nil if it was so before.
func (e *Evaluation) Narrow(n int) (restore func()) {
	was := e.slots
	if n >= was.Capacity() {
		return nil
	}
	e.slots = Part{Of: was, Own: budget.New(n)}
	return func() { e.slots = was }
}

// Free returns how many slots are free for the operations of this evaluation.
func (e *Evaluation) Free() int { return e.slots.Available() }
