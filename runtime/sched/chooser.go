// This file defines operations whose elements other pools run too.

package sched

// Chooser decides which elements of an operation run in this pool, and when.
type Chooser interface {
	// Begin is called before the first element. limit returns the number of elements without those at the end that are
	// not needed; it takes no lock. wake has workers started if there is work, stopAbove is Evaluation.StopAbove. Neither
	// may be called with a lock that the other methods take.
	Begin(limit func() int64, wake func(), stopAbove func(i int))
	// Next returns an element for a worker, each once, in any order. ok is false if the worker has to leave. The worker on
	// the goroutine of DoChosen is own: it leaves when no element below limit is left, and waits until then, as it tells
	// w. Another worker does not wait, because it holds a slot.
	Next(own bool, w interface {
		Block()
		Unblock()
		Rest()
		Wake()
	}) (i int64, ok bool)
	// HasWork reports whether there are more than n elements for workers now. It must not block, nor call the pool.
	HasWork(n int64) bool
	// Lowered is called when limit returns less. It must not block, nor call the pool.
	Lowered()
	// End is called when all workers have left. last is the index of the last element that was needed.
	End(last int64)
}

// wakeUp starts workers for elements that have become ready.
func (p *Pool) wakeUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start()
}

// stopAbove cancels the elements above i.
func (op *operation) stopAbove(i int) {
	op.pool.mu.Lock()
	defer op.pool.mu.Unlock()
	op.lower(int64(i))
}
