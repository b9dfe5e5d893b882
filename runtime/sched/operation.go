// This file defines how an operation begins, is worked on and ends.

package sched

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// operation is one call of Do.
type operation struct {
	pool  *Pool
	job   Job
	slots Slots
	n     int64
	alone bool         // its elements are run by Do's own goroutine only
	sure  bool         // it is not refused
	next  atomic.Int64 // first element that nobody has claimed
	bound atomic.Int64 // elements above are not needed: cancelled, or not begun

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
// made needless by StopAbove. It fails with *Full, and has begun nothing, if no slot
// is free. A panic of a worker becomes Do's own, after the other workers have ended.
func (e *Evaluation) Do(job Job, n int) error { return e.do(job, n, false, false) }

// Redo runs a job again that an earlier run had: that one found a slot, and so this one
// goes on without one if none is free, on the goroutine of the caller. Others join only if
// slots fall free. If the job is known to have ended in the earlier run, it need not wait for
// anything, and runs alone: its elements in order, on that goroutine.
func (e *Evaluation) Redo(job Job, n int, ended bool) error { return e.do(job, n, true, ended) }

func (e *Evaluation) do(job Job, n int, sure, alone bool) error {
	if n < 0 || n > MaxElements {
		return fmt.Errorf("sched: %d elements, want 0 to %d", n, MaxElements)
	}
	if n == 0 {
		return nil
	}
	op := &operation{pool: e.pool, job: job, slots: e.slots, n: int64(n), sure: sure, alone: alone}
	op.bound.Store(op.n)
	w, err := op.begin(e)
	if err != nil {
		return err
	}
	op.work(w)
	op.end(e)
	if op.failure != nil {
		panic(op.failure.value)
	}
	return nil
}

// begin takes the first slot, and has others start.
func (op *operation) begin(parent *Evaluation) (*Evaluation, error) {
	p := op.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	slot := op.slots.TryAcquire()
	if !slot && !op.sure {
		p.stats.Refused++
		return nil, p.full()
	}
	p.stats.Operations++
	parent.child = op
	if parent.Cancelled() {
		op.bound.Store(-1)
	}
	p.ops = append(p.ops, op)
	p.stats.MostQueued = max(p.stats.MostQueued, p.queued())
	w := op.join()
	w.own, w.slotless = true, !slot
	if op.n > 1 {
		p.start()
	}
	return w, nil
}

// join gives the operation one more worker, for whom a slot is taken. The caller
// holds mu.
func (op *operation) join() *Evaluation {
	w := &Evaluation{pool: op.pool, slots: op.slots, op: op, number: op.pool.number()}
	w.index.Store(-1)
	op.workers = append(op.workers, w)
	op.arriving++
	alive := 0
	for _, o := range op.pool.ops {
		alive += len(o.workers)
	}
	op.pool.stats.Peak = max(op.pool.stats.Peak, alive)
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
		if i > op.bound.Load() {
			continue
		}
		w.Run(int(i))
		e.completed.Add(1)
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
	p.numbers = append(p.numbers, e.number)
	p.stats.Completed += e.completed.Load()
	if !e.slotless {
		op.slots.Release()
	}
	if op.done != nil && len(op.workers) == 0 {
		close(op.done)
	}
}

// end waits for the workers that are still at it. The operation has no other work,
// or its own worker would not have left.
func (op *operation) end(parent *Evaluation) {
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
	parent.child = nil
	p.ops = slices.DeleteFunc(p.ops, func(o *operation) bool { return o == op })
	if p.running.Load() < int64(p.procs) {
		p.start() // the slots that have fallen free
	}
}
