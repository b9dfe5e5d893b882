// This file defines Observer, which follows a run beside its calls.

package effect

import (
	"context"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Observer follows the events of a run other than its calls, which Around follows: for telemetry, logs and profiles.
// Each function is optional, and one that is nil costs nothing. Many goroutines call them concurrently, and
// each call delays the goroutine of the run that makes it, so they must return soon. A panic ends the run
// with the code host-failed.
type Observer struct {
	// Operation is called when a parallel operation begins. The function that it returns is called when the operation
	// has ended, on the same goroutine, with the code of the failure, "" if it succeeded; it may be nil.
	Operation func(op Operation) (ended func(failure diag.Code))
	// Element is called after each element of an operation that has run, by the goroutine of its worker.
	Element func(e Element)
	// WaitBegun is called when a wait that Wait reports begins, by the goroutine that waits. An effect waits for one
	// thing at a time.
	WaitBegun func(id string, b Begun)
	// Wait is called after each wait of a call for a guard, a queue or a token, also if the call was refused then, after
	// those of bodies of the program that take guards, and after each wait for a settlement, also if the run was parked
	// then. id is that of the effect. The key of the wait is without secrets. It is not called for waits that an earlier
	// run has recorded.
	Wait func(id string, w Wait)
	// Ready is called after the waits of a call, each time before it is made: it has passed its policies, and has its
	// guards, its place in the queue and its token. The call is not made if ctx, which is that of the call, has ended
	// when Ready returns, so a host that is ending may wait for that. It is not called for outcomes that are recorded.
	Ready func(ctx context.Context, id string)
}

// Operation is a parallel operation that begins.
type Operation struct {
	// ID is the path of the evaluation that waits for the operation, and the number of the operation there: element 2
	// of the operation 0.1 has the path 0.1.2, and its first effect the id 0.1.2#1. It is the same in each run of the
	// program with the same data.
	ID       string
	Name     string // such as "pmap"
	Place    string // in the source; "" if it is not known
	Elements int    // their number
	Worker   int    // that waits for it; 0 is the main evaluation
}

// Element is an element of an operation that has run.
type Element struct {
	Operation string // the ID of its operation
	Index     int
	Worker    int // that has run it
	Start     time.Time
	Duration  time.Duration // from Start, waits and the operations of the element included
	Failed    bool          // it threw an exception, or a bound ended it
}

// Also returns an observer that calls the functions of both, those of o first. Either may be nil.
func (o *Observer) Also(p *Observer) *Observer {
	if o == nil {
		return p
	}
	if p == nil {
		return o
	}
	both := *o
	switch {
	case o.Operation == nil:
		both.Operation = p.Operation
	case p.Operation != nil:
		both.Operation = func(op Operation) (ended func(diag.Code)) {
			return bothEnded(o.Operation(op), p.Operation(op))
		}
	}
	switch {
	case o.Element == nil:
		both.Element = p.Element
	case p.Element != nil:
		both.Element = func(e Element) { o.Element(e); p.Element(e) }
	}
	switch {
	case o.Wait == nil:
		both.Wait = p.Wait
	case p.Wait != nil:
		both.Wait = func(id string, w Wait) { o.Wait(id, w); p.Wait(id, w) }
	}
	switch {
	case o.WaitBegun == nil:
		both.WaitBegun = p.WaitBegun
	case p.WaitBegun != nil:
		both.WaitBegun = func(id string, b Begun) { o.WaitBegun(id, b); p.WaitBegun(id, b) }
	}
	switch {
	case o.Ready == nil:
		both.Ready = p.Ready
	case p.Ready != nil:
		both.Ready = func(ctx context.Context, id string) { o.Ready(ctx, id); p.Ready(ctx, id) }
	}
	return &both
}

func bothEnded(a, b func(diag.Code)) func(diag.Code) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(failure diag.Code) { a(failure); b(failure) }
}
