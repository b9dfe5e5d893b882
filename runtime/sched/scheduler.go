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
	slots, procs int
	watcher      Watcher
	pool         atomic.Pointer[Pool]
}

// Init sets the number of slots, and of goroutines that compute at once as in New. w is optional.
func (r *Root) Init(slots, procs int, w Watcher) { r.slots, r.procs, r.watcher = slots, procs, w }

func (r *Root) evaluation() *Evaluation {
	p := r.pool.Load()
	if p == nil {
		p = New(budget.New(r.slots), r.procs)
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

// Poll implements Scheduler. While the main evaluation runs, no worker does.
func (r *Root) Poll() bool { return false }

// Block implements Scheduler. While the main evaluation runs, no operation could use its processor.
func (r *Root) Block() {}

// Unblock implements Scheduler.
func (r *Root) Unblock() {}

// Rest implements Scheduler.
func (r *Root) Rest() { r.evaluation().Rest() }

// Wake implements Scheduler.
func (r *Root) Wake() { r.evaluation().Wake() }

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
