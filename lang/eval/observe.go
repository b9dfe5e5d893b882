// This file defines how an operation is observed by the host.

package eval

import (
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/sched"
)

// observe announces an operation to the observer of the run. ended must be called when it has ended; it is nil if
// nothing observes operations. The elements of an observed operation run on other workers than those of others, so that
// a run without an observer does nothing for it at each element.
func (m *Evaluation) observe(op *operation) (ended func()) {
	if m.opts.World == nil {
		return nil
	}
	o := m.opts.World.Observer
	if o == nil || o.Operation == nil && o.Element == nil {
		return nil
	}
	id := string(m.operationPath(op))
	if o.Element != nil {
		op.watch = &watch{o.Element, id}
	}
	if o.Operation == nil {
		return nil
	}
	e := effect.Operation{ID: id, Name: op.Name, Elements: op.n, Worker: m.worker()}
	if !op.span.IsZero() {
		e.Place = op.span.String()
	}
	if f := o.Operation(e); f != nil {
		return func() { f(op.outcome()) }
	}
	return nil
}

// outcome returns the code of the failure of an operation that has ended, "" if it succeeded.
func (op *operation) outcome() diag.Code {
	f := op.failure()
	switch {
	case op.full != nil:
		return diag.CapacityExceeded
	case !op.done:
		return diag.Cancelled
	case f.index == op.n || f.early:
		return ""
	case f.err != nil:
		return f.err.Code
	}
	return f.value.AsException().Code
}

// watch gets the reports of the workers of an operation.
type watch struct {
	element   func(effect.Element)
	operation string // its ID
}

// watched is a worker whose elements are reported.
type watched struct {
	worker
	at sched.Scheduler
}

// Run implements sched.Worker.
func (w *watched) Run(i int) {
	began, op := time.Now(), w.op
	w.failed = false
	w.worker.Run(i)
	if !op.skips(i) {
		op.watch.element(effect.Element{Operation: op.watch.operation, Index: i, Worker: w.at.Number(), Start: began,
			Duration: time.Since(began), Failed: w.failed})
	}
}
