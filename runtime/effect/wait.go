// This file defines waits that are over and waits that continue.

package effect

import (
	"context"
	"time"
)

// WaitKind is the kind of resource or settlement that a wait is for.
type WaitKind string

// The kinds of resources, in the order in which a call can wait for them.
const (
	WaitGlobal WaitKind = "global" // the global guard
	WaitHost   WaitKind = "host"   // a host that another evaluation holds
	WaitQueue  WaitKind = "queue"  // the turn among the executions of an action
	WaitToken  WaitKind = "token"  // a token of a rate limit, or the end of its pause
)

// The kinds of waits for settlements, in this process. A settlement that arrives while the run is parked is no wait.
const (
	WaitApproval = WaitKind(PendingApproval)
	WaitQuestion = WaitKind(PendingQuestion)
	WaitOutcome  = WaitKind(PendingOutcome)
	WaitDoubt    = WaitKind(PendingDoubt)
)

// WaitKinds are the kinds of resources, in their order.
var WaitKinds = [...]WaitKind{WaitGlobal, WaitHost, WaitQueue, WaitToken}

// Wait is the time for which something waited for a resource or a settlement. Taking a free resource is not
// a wait.
type Wait struct {
	Kind     WaitKind
	Key      string // the host, the action, the rate limit or the tool; "" for the global guard and a question
	Start    time.Time
	Duration time.Duration
	Ahead    int // waiters before it when it began; journals do not keep it
}

// Begun is a wait that begins.
type Begun struct {
	Kind   WaitKind
	Key    string // as in Wait
	Ahead  int    // waiters before it in the queue
	Holder string // of the host or the global guard
	Worker int    // that waits, of a body of the program; 0 is the main evaluation
}

// begunKey is the key of the function of WithBegun in a context.
type begunKey struct{}

// WithBegun returns a context with which Guards and Queues call report when a wait begins. The waiter has its place by
// then. report must return soon, and is called by the goroutine that waits.
func WithBegun(ctx context.Context, report func(Begun)) context.Context {
	if ctx == nil || report == nil {
		return ctx
	}
	return context.WithValue(ctx, begunKey{}, report)
}

// BeginWait calls the function of WithBegun, if ctx has one. Implementations of Guards and Queues call it for each
// wait, and not for a resource that is free.
func BeginWait(ctx context.Context, b Begun) {
	if ctx == nil {
		return
	}
	if report, ok := ctx.Value(begunKey{}).(func(Begun)); ok {
		report(b)
	}
}

// Waiter is an evaluation or an execution that is waiting.
type Waiter struct {
	Kind  WaitKind  `json:"kind"`
	Key   string    `json:"key,omitempty"`  // as in Wait
	Run   string    `json:"run,omitempty"`  // the host's name of the run
	Name  string    `json:"name,omitempty"` // of the evaluation or the execution; "" if it is not known
	Since time.Time `json:"since"`
}

// Late reports whether a context has ended and its deadline has passed. Such a context may have been
// cancelled by another goroutine that noticed it first.
func Late(ctx context.Context) bool {
	if ctx == nil {
		return false
	}
	until, ok := ctx.Deadline()
	return ok && ctx.Err() != nil && !time.Now().Before(until)
}
