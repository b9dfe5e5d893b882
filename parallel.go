// This file joins the machine and the scheduler: what eval asks of its place in the
// tree of parallel operations is done by sched, under the budget of the run.

package ptc

import (
	"sync/atomic"

	"github.com/ptc-lang/ptc/lang/eval"
	"github.com/ptc-lang/ptc/runtime/budget"
	"github.com/ptc-lang/ptc/runtime/sched"
)

// firstWorkerOwner is below the tags of the objects that workers make.
const firstWorkerOwner = 15

// root is the place of the run's main evaluation. Its pool is made when a program
// first runs something in parallel: most do not.
type root struct {
	workers  int
	procs    int
	pool     *sched.Pool
	owners   atomic.Uint32
	progress *Progress // nil if nobody looks
}

func (r *root) prepare(workers, processors int, p *Progress) {
	r.workers, r.procs, r.progress = workers, processors, p
	r.owners.Store(firstWorkerOwner)
}

// Do implements eval.Place.
func (r *root) Do(j eval.Job, n int) error {
	return r.prepared().Do(job{j}, n)
}

// TryDo implements eval.Place.
func (r *root) TryDo(j eval.Job, n int) error {
	return r.prepared().TryDo(job{j}, n)
}

func (r *root) prepared() *sched.Evaluation {
	if r.pool == nil {
		r.pool = sched.New(budget.New(r.workers), r.procs)
		r.progress.pooled(r.pool)
	}
	return r.pool.Root()
}

// Narrow implements eval.Place.
func (r *root) Narrow(n int) (restore func()) { return narrow(r.prepared(), n) }

// Free implements eval.Place.
func (r *root) Free() int { return free(r.prepared().Slots()) }

// Number implements eval.Place.
func (r *root) Number() int { return 0 }

// narrow bounds the slots of an evaluation, if that is a narrower bound than it has.
func narrow(e *sched.Evaluation, n int) (restore func()) {
	was := e.Slots()
	if n >= capacity(was) {
		return nil
	}
	e.SetSlots(sched.Part{Of: was, Own: budget.New(n)})
	return func() { e.SetSlots(was) }
}

// capacity tells how many slots the narrowest part has: that made last.
func capacity(s sched.Slots) int {
	if p, ok := s.(sched.Part); ok {
		s = p.Own
	}
	return s.(*budget.Budget).Capacity()
}

// free tells how many slots are free in the narrowest part.
func free(s sched.Slots) int {
	if p, ok := s.(sched.Part); ok {
		return min(free(p.Of), free(p.Own))
	}
	return s.(*budget.Budget).Available()
}

// finish waits for what is left of the pool, and gives its counts.
func (r *root) finish() sched.Stats {
	if r.pool == nil {
		return sched.Stats{}
	}
	r.pool.Wait()
	return r.pool.Stats()
}

// StopAbove implements eval.Place. The main evaluation is no element.
func (r *root) StopAbove(int) {}

// Cancelled implements eval.Place.
func (r *root) Cancelled() bool { return false }

// OnCancel implements eval.Place.
func (r *root) OnCancel(func()) {}

// DoInOrder implements eval.Place.
func (r *root) DoInOrder(j eval.Job, n int) error {
	return r.prepared().DoInOrder(job{j}, n)
}

// Poll implements eval.Place. While the main evaluation runs, no worker does.
func (r *root) Poll() bool { return false }

// Block implements eval.Place. While the main evaluation runs, no operation does that
// could use its processor.
func (r *root) Block() {}

// Unblock implements eval.Place.
func (r *root) Unblock() {}

// place is the place of a worker.
type place struct{ *sched.Evaluation }

// Do implements eval.Place.
func (p place) Do(j eval.Job, n int) error { return p.Evaluation.Do(job{j}, n) }

// TryDo implements eval.Place.
func (p place) TryDo(j eval.Job, n int) error { return p.Evaluation.TryDo(job{j}, n) }

// DoInOrder implements eval.Place.
func (p place) DoInOrder(j eval.Job, n int) error { return p.Evaluation.DoInOrder(job{j}, n) }

// Narrow implements eval.Place.
func (p place) Narrow(n int) (restore func()) { return narrow(p.Evaluation, n) }

// Free implements eval.Place.
func (p place) Free() int { return free(p.Slots()) }

// job is a job of eval for sched.
type job struct{ j eval.Job }

// Label implements sched.Job.
func (j job) Label() string { return j.j.Label() }

// NewWorker implements sched.Job.
func (j job) NewWorker(e *sched.Evaluation) sched.Worker { return j.j.NewWorker(place{e}) }
