// This file defines how an operation begins, how workers run it, and how it ends.

package sched

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// operation is one call of Do.
type operation struct {
	pool   *Pool
	job    Job
	slots  Slots
	n      int64
	alone  bool         // only Do's own goroutine runs its elements
	parent *Evaluation  // the evaluation that waits for it
	next   atomic.Int64 // first unclaimed element
	bound  atomic.Int64 // elements above are not needed: they are cancelled, or not begun

	// chooser decides which elements run here, and when; nil if all do, in order.
	chooser Chooser

	// waits reports whether the last of its elements that waited or ended did wait.
	waits atomic.Bool

	// Guarded by pool.mu.
	workers []*Evaluation
	// arriving counts the workers that have not claimed an element yet. An element is reserved for
	// each of them, because otherwise further workers would be started for it.
	arriving int64
	done     chan struct{} // closed when the last worker leaves; made by a Do that waits
	failure  *failure
}

// failure is a panic of a worker.
type failure struct{ value any }

// MaxElements is the largest number of elements of an operation.
const maxElements = 1<<31 - 1

// Do runs the n elements of a job. It returns when all have been run, or cancelled by StopAbove. If
// no slot is free, it runs the elements in order in the slot of the caller, whose goroutine would
// only wait otherwise. Other workers join when slots become free. If a worker panics, Do panics
// with the same value after the other workers have ended. The only error is that n is not in [0,
// MaxElements].
func (e *Evaluation) Do(job Job, n int) error { return e.do(job, n, false, false, nil) }

// TryDo is Do, except that it fails with *Full, without having begun anything, if no slot is free.
func (e *Evaluation) TryDo(job Job, n int) error { return e.do(job, n, true, false, nil) }

// DoInOrder is Do, except that no other worker joins: the elements run one after another.
func (e *Evaluation) DoInOrder(job Job, n int) error { return e.do(job, n, false, true, nil) }

// DoChosen is Do, except that c decides which elements run here. The others have run elsewhere when it returns, or are
// not needed.
func (e *Evaluation) DoChosen(job Job, n int, c Chooser) error { return e.do(job, n, false, false, c) }

func (e *Evaluation) do(job Job, n int, strict, alone bool, c Chooser) error {
	if n < 0 || n > maxElements {
		return fmt.Errorf("sched: %d elements, want 0 to %d", n, maxElements)
	}
	if n == 0 {
		return nil
	}
	op := &operation{pool: e.pool, job: job, slots: e.slots, parent: e, n: int64(n), alone: alone}
	op.bound.Store(op.n)
	if op.chooser = c; c != nil {
		op.next.Store(op.n) // no worker claims in order
		c.Begin(op.limit, e.pool.wakeUp, op.stopAbove)
		defer func() { c.End(op.limit() - 1) }()
	}
	w, err := op.begin(strict)
	if err != nil {
		return err
	}
	func() {
		defer op.end() // also if a function of the host ends the goroutine
		op.work(w)
	}()
	if op.failure != nil {
		panic(op.failure.value)
	}
	return nil
}

// begin takes the first slot, or uses that of the parent if none is free, and starts other workers.
func (op *operation) begin(strict bool) (*Evaluation, error) {
	p, parent := op.pool, op.parent
	p.mu.Lock()
	defer p.mu.Unlock()
	slot := op.slots.TryAcquire()
	switch {
	case slot:
	case strict:
		p.stats.Refused++
		return nil, p.full()
	default:
		p.stats.Slotless++
	}
	p.stats.Operations++
	parent.child = op
	if parent.Cancelled() {
		op.bound.Store(-1)
	}
	p.ops = append(p.ops, op)
	p.largest = max(p.largest, op.n)
	p.stats.MostQueued = max(p.stats.MostQueued, p.queued())
	w := op.newWorker()
	w.own = true
	if slot {
		op.join(w)
	} else {
		w.slotless, w.number = true, parent.number
	}
	if op.n > 1 {
		p.start()
	}
	return w, nil
}

// newWorker adds a worker to the operation. The caller holds mu.
func (op *operation) newWorker() *Evaluation {
	w := &Evaluation{pool: op.pool, slots: op.slots, op: op}
	w.index.Store(-1)
	op.workers = append(op.workers, w)
	op.arriving++
	return w
}

// join adds w as a worker that has a slot. The caller holds mu.
func (op *operation) join(w *Evaluation) *Evaluation {
	p := op.pool
	w.number = p.number()
	p.alive++
	p.stats.Peak = max(p.stats.Peak, p.alive)
	return w
}

// work runs a worker in an operation until it ends.
func (op *operation) work(e *Evaluation) {
	defer op.leave(e)
	reserved := e.pace.began // an element for it; zero for the worker of Do
	w := op.job.NewWorker(e)
	defer w.Close()
	i, ok := op.claim(e)
	op.arrived(reserved, ok)
	for ; ok; i, ok = op.claim(e) {
		e.index.Store(i)
		e.polls, e.waited = 0, false
		if i > op.bound.Load() {
			continue
		}
		w.Run(int(i))
		e.completed.Add(1)
		if !e.waited && op.waits.Load() {
			op.waits.Store(false)
		}
	}
}

// arrived records that a worker has claimed its first element, or found none, and when one was reserved for it.
func (op *operation) arrived(reserved time.Time, found bool) {
	p := op.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if found && !reserved.IsZero() {
		p.stats.Start.add(int64(time.Since(reserved)))
	}
	op.arriving--
	p.start() // for a reserved element, if the worker has left it
}

// lower cancels the elements above i. The caller holds mu.
func (op *operation) lower(i int64) {
	if op.bound.Load() <= i {
		return
	}
	op.bound.Store(i)
	if op.chooser != nil {
		op.chooser.Lowered()
	}
	for _, w := range op.workers {
		if w.Cancelled() {
			w.cancel()
		}
	}
}

// leave removes a worker from the operation and returns its slot. It stores the worker's panic for
// Do.
func (op *operation) leave(e *Evaluation) {
	r := recover()
	p := op.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if r != nil {
		if op.failure == nil {
			op.failure = &failure{r}
		}
		op.lower(-1)
	}
	op.workers = slices.DeleteFunc(op.workers, func(w *Evaluation) bool { return w == e })
	p.stats.Completed += e.completed.Load()
	if !e.slotless {
		p.numbers = append(p.numbers, e.number)
		p.alive--
		op.slots.Release()
	}
	if op.done != nil && len(op.workers) == 0 {
		p.joining-- // now, because its goroutine is about to run
		close(op.done)
	}
}

// end waits for the remaining workers. The operation has no other work, because otherwise its own
// worker would not have left.
func (op *operation) end() {
	p := op.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(op.workers) > 0 {
		op.done = make(chan struct{})
		p.joining++
		p.block()
		p.mu.Unlock()
		<-op.done
		p.mu.Lock()
		p.unblock()
	}
	op.parent.child = nil
	p.ops = slices.DeleteFunc(p.ops, func(o *operation) bool { return o == op })
	p.start() // for the slots that have become free
}
