// This file defines Evaluation, a goroutine's place in the tree of operations.

package sched

import "sync/atomic"

// Evaluation is the place of the run's main evaluation, or of one worker, in the tree
// of operations.
type Evaluation struct {
	pool  *Pool
	slots Slots
	op    *operation // whose elements it runs; nil for the root
	own   bool       // its goroutine is that of Do
	// slotless says that it holds no slot, see Redo.
	slotless bool

	number    int          // see Number
	span      span         // of elements that it has claimed and not begun
	index     atomic.Int64 // of the element that it runs
	completed atomic.Int64
	pace      pace

	// Guarded by pool.mu.
	child    *operation // that it waits for
	onCancel func()
}

// Number tells a worker from the others that are alive. The root has 0, workers the least
// number from 1 on that is free when they begin.
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
