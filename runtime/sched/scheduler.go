// This file defines Scheduler, which runs the elements of an evaluation's operations, and that of
// the main evaluation.

package sched

import (
	"sync/atomic"

	"github.com/ptc-lang/ptc/runtime/budget"
)

// Scheduler belongs to one evaluation in the tree of a run's parallel operations. It decides where
// and when the elements of its operations run. See Evaluation for the methods.
type Scheduler interface {
	Do(job Job, n int) error
	TryDo(job Job, n int) error
	DoInOrder(job Job, n int) error
	DoChosen(job Job, n int, c Chooser) error
	Poll() (cancelled bool)
	StopAbove(i int)
	Cancelled() bool
	OnCancel(f func())
	Block()
	Unblock()
	Rest()
	Wake()
	Narrow(n int) (restore func())
	Free() int
	Number() int
}

// Root is the Scheduler of a run's main evaluation. Its pool is made when a program first runs
// something in parallel, which most programs do not. Only Stats may be called by other goroutines.
type Root struct {
	slots      int
	processors *Processors
	own        Processors
	done       <-chan struct{}
	turn       turn
	watcher    Watcher
	pool       atomic.Pointer[Pool]
}

// Begin begins a run with a number of slots. processors and w are optional: without processors, the run
// uses up to GOMAXPROCS. done ends the waits for turns. End must be called.
func (r *Root) Begin(slots int, processors *Processors, done <-chan struct{}, w Watcher) {
	if processors == nil {
		r.own.set(0)
		processors = &r.own
	}
	r.slots, r.processors, r.done, r.watcher = slots, processors, done, w
	processors.begin()
}

// End ends the run. Its workers must have ended, unless a function of the host has ended a goroutine of theirs.
func (r *Root) End() {
	n := int64(1)
	if p := r.pool.Load(); p != nil {
		n = p.running.Load()
	}
	r.processors.end(n)
}

func (r *Root) evaluation() *Evaluation {
	p := r.pool.Load()
	if p == nil {
		p = newPool(budget.New(r.slots), r.processors, r.done)
		p.watcher = r.watcher
		if !r.pool.CompareAndSwap(nil, p) { // the wait of the main evaluation may be ended by several goroutines
			p = r.pool.Load()
		}
	}
	return p.Root()
}

// Do implements Scheduler.
func (r *Root) Do(j Job, n int) error { return r.evaluation().Do(j, n) }

// TryDo implements Scheduler.
func (r *Root) TryDo(j Job, n int) error { return r.evaluation().TryDo(j, n) }

// DoInOrder implements Scheduler.
func (r *Root) DoInOrder(j Job, n int) error { return r.evaluation().DoInOrder(j, n) }

// DoChosen implements Scheduler.
func (r *Root) DoChosen(j Job, n int, c Chooser) error { return r.evaluation().DoChosen(j, n, c) }

// Narrow implements Scheduler.
func (r *Root) Narrow(n int) (restore func()) { return r.evaluation().Narrow(n) }

// Free implements Scheduler.
func (r *Root) Free() int { return r.evaluation().Free() }

// Number implements Scheduler.
func (r *Root) Number() int { return 0 }

// StopAbove implements Scheduler. The main evaluation is not an element.
func (r *Root) StopAbove(int) {}

// Cancelled implements Scheduler.
func (r *Root) Cancelled() bool { return false }

// OnCancel implements Scheduler.
func (r *Root) OnCancel(func()) {}

// Poll implements Scheduler. While the main evaluation runs, no worker does, but other runs may.
func (r *Root) Poll() bool {
	r.processors.poll(&r.turn, r.done)
	return false
}

// Block implements Scheduler. Other runs use the processor.
func (r *Root) Block() { r.processors.end(1) }

// Unblock implements Scheduler.
func (r *Root) Unblock() { r.processors.begin() }

// Rest implements Scheduler.
func (r *Root) Rest() { r.evaluation().Rest() }

// Wake implements Scheduler.
func (r *Root) Wake() { r.evaluation().Wake() }

// Used reports whether anything has run in parallel. It may be called at any time.
func (r *Root) Used() bool { return r.pool.Load() != nil }

// Stats returns the counts so far; none if nothing has run in parallel. It may be called at any
// time.
func (r *Root) Stats() Stats {
	if p := r.pool.Load(); p != nil {
		return p.Stats()
	}
	return Stats{}
}

// Wait waits until the goroutines of the pool have ended.
func (r *Root) Wait() {
	if p := r.pool.Load(); p != nil {
		p.Wait()
	}
}
