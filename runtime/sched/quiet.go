// This file defines when a pool is quiet.

package sched

// Watcher is notified of the quiet times of a pool. The pool is quiet while each of its evaluations rests,
// or waits for one that rests. The calls are in order, the first one is Quiet(true), and they have the
// locks of the pool: Quiet must not wait, nor call the pool.
type Watcher interface {
	Quiet(quiet bool)
}

// Rest must be called when the evaluation begins to rest: it waits for something that nothing in the pool brings
// about unless another evaluation does, such as an answer of a person, or a lock of an evaluation that may rest. A
// worker that rests has called Block. An evaluation whose element is cancelled does not rest. A second call changes
// nothing.
func (e *Evaluation) Rest() {
	p := e.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.resting || e.Cancelled() {
		return
	}
	e.resting = true
	p.resting++
	p.assess()
}

// Wake must be called when the evaluation no longer rests, before the end of its wait lets it run. Any goroutine
// may call it. It changes nothing for an evaluation that does not rest.
func (e *Evaluation) Wake() {
	p := e.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	e.wake()
}

// wake is Wake for a caller that holds mu.
func (e *Evaluation) wake() {
	if e.resting {
		e.resting = false
		e.pool.resting--
		e.pool.assess()
	}
}

// assess notices whether the pool has become quiet, or is so no longer: nothing runs, and everything that waits
// rests, or waits for the workers of its operation. The main evaluation counts as running while it waits, unless it
// waits for an operation. The caller holds mu.
func (p *Pool) assess() {
	if p.resting == 0 && !p.quiet {
		return
	}
	awake := int(p.running.Load()) + p.stats.Blocked - p.joining - p.resting
	if quiet := awake == 0 && p.resting > 0; quiet != p.quiet {
		p.quiet = quiet
		if p.watcher != nil {
			p.watcher.Quiet(quiet)
		}
	}
}
