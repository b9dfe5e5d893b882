// This file defines how an operation begins, is worked on and ends.

package sched

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// operation is one call of Do.
type operation struct {
	pool   *Pool
	job    Job
	slots  Slots
	n      int64
	alone  bool         // its elements are run by Do's own goroutine only
	parent *Evaluation  // that waits for it
	next   atomic.Int64 // first element that nobody has claimed
	bound  atomic.Int64 // elements above are not needed: cancelled, or not begun

	// waits says that the last of its elements which waited, or ended, did wait.
	waits atomic.Bool

	// Guarded by pool.mu.
	workers []*Evaluation
	// arriving are those of the workers that have not claimed anything yet: for each of them
	// an element is set aside, or others would be started for it too.
	arriving int64
	done     chan struct{} // closed when the last worker leaves; made by a Do that waits
	failure  *failure
}

// failure is a panic of a worker.
type failure struct{ value any }

// MaxElements is the most elements that an operation can have.
const MaxElements = 1<<31 - 1

// Do runs the n elements of a job and returns when all have been run, or have been
// made needless by StopAbove. If no slot is free, it runs the elements in order, in the
// slot of the caller, whose goroutine would only have waited; others join it when slots
// fall free. A panic of a worker becomes Do's own, after the other workers have ended.
// The only error is that of an n which is not from 0 to MaxElements.
func (e *Evaluation) Do(job Job, n int) error { return e.do(job, n, false, false) }

// TryDo is Do, but fails with *Full, and has begun nothing, if no slot is free.
func (e *Evaluation) TryDo(job Job, n int) error { return e.do(job, n, true, false) }

// DoInOrder is Do, but no other worker joins: the elements run one after another.
func (e *Evaluation) DoInOrder(job Job, n int) error { return e.do(job, n, false, true) }

func (e *Evaluation) do(job Job, n int, strict, alone bool) error {
	if n < 0 || n > MaxElements {
		return fmt.Errorf("sched: %d elements, want 0 to %d", n, MaxElements)
	}
	if n == 0 {
		return nil
	}
	op := &operation{pool: e.pool, job: job, slots: e.slots, parent: e, n: int64(n), alone: alone}
	op.bound.Store(op.n)
	w, err := op.begin(strict)
	if err != nil {
		return err
	}
	op.work(w)
	op.end()
	if op.failure != nil {
		panic(op.failure.value)
	}
	return nil
}

// begin takes the first slot, or without one uses that of the parent, and has others
// start.
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

// join makes w a worker of its own, for which a slot has been taken. The caller holds mu.
func (op *operation) join(w *Evaluation) *Evaluation {
	p := op.pool
	w.number = p.number()
	p.alive++
	p.stats.Peak = max(p.stats.Peak, p.alive)
	return w
}

// work is the life of a worker in an operation.
func (op *operation) work(e *Evaluation) {
	defer op.leave(e)
	w := op.job.NewWorker(e)
	defer w.Close()
	i, ok := op.claim(e)
	op.arrived()
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

// arrived says that a worker has claimed its first element, or found none.
func (op *operation) arrived() {
	p := op.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	op.arriving--
	p.start() // for an element that was set aside, if the worker has left it
}

// lower makes the elements above i needless. The caller holds mu.
func (op *operation) lower(i int64) {
	if op.bound.Load() <= i {
		return
	}
	op.bound.Store(i)
	for _, w := range op.workers {
		if w.Cancelled() {
			w.cancel()
		}
	}
}

// leave takes a worker from the operation and gives its slot back. A panic of its
// own is kept for Do.
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
		close(op.done)
	}
}

// end waits for the workers that are still at it. The operation has no other work,
// or its own worker would not have left.
func (op *operation) end() {
	p := op.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(op.workers) > 0 {
		op.done = make(chan struct{})
		p.block()
		p.mu.Unlock()
		<-op.done
		p.mu.Lock()
		p.unblock()
	}
	op.parent.child = nil
	p.ops = slices.DeleteFunc(p.ops, func(o *operation) bool { return o == op })
	p.start() // for the slots that have fallen free
}
