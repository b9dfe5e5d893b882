// This file defines the requests of this node to the coordinator.

package coord

import (
	"context"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// request is a request to the coordinator that waits or was granted.
type request struct {
	of     *client
	op     op     // as it was made
	number uint64 // of its arrival
	state  state
	err    error
	fence  uint64
	call   string // the name of a call that the owner has abandoned

	rester   effect.Rester
	deadline time.Time // zero for none
	waits    []event   // that nobody has looked at
	news     chan struct{}
	over     chan struct{} // closed at the end of the wait; nil if nobody needs it

	lost context.Context // of the held guard
	lose context.CancelCauseFunc
}

// state is the state of a request.
type state uint8

const (
	waiting state = iota
	granted
	refused
	lost // it was granted
)

// errLeaves is the error of requests that a node has when it leaves the cluster.
var errLeaves = &failure{message: "the node leaves the cluster", failure: &effect.Failure{Kind: diag.Cancelled,
	Code: effect.CodeCancelled, Message: "the node leaves the cluster"}}

// again returns the operation that begins the request, or begins it again.
func (r *request) again() op {
	o := r.op
	o.Number = r.number
	if !r.deadline.IsZero() {
		o.Left = max(time.Until(r.deadline), 1)
	}
	return o
}

// tell notifies the goroutine that waits for a request.
func (r *request) tell() {
	select {
	case r.news <- struct{}{}:
	default:
	}
}

// lostNow ends the hold of guards. The caller holds the mutex of the client.
func (r *request) lostNow() {
	if r.state = lost; r.lose != nil {
		r.lose(effect.ErrGuardLost)
	}
}

// end ends a wait. The caller holds the mutex of the client.
func (r *request) end(as state, err error) {
	r.state, r.err = as, err
	if r.rester != nil {
		r.rester.Wake()
	}
	if r.over != nil {
		close(r.over)
	}
}

// giveUp ends a wait whose context has ended. It reports false if the request was granted or refused in the meantime.
func (r *request) giveUp() bool {
	c := r.of
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.state != waiting {
		return false
	}
	delete(c.requests, r.op.ID)
	c.send(op{Kind: opRelease, ID: r.op.ID, How: effect.EndCancelled})
	r.end(refused, nil)
	return true
}

// finish releases the granted guard or slot. It returns an error if that was lost or released before.
func (r *request) finish(how effect.Ending) (was state, first bool) {
	c := r.of
	c.mu.Lock()
	defer c.mu.Unlock()
	was, first = r.state, c.requests[r.op.ID] == r
	if !first {
		return was, false
	}
	delete(c.requests, r.op.ID)
	kind := opRelease
	if r.op.Kind == opStart {
		kind = opLeave
	}
	c.send(op{Kind: kind, ID: r.op.ID, How: how})
	return was, true
}
