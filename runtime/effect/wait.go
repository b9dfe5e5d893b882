// This file defines waits that are over and waits that continue.

package effect

import (
	"context"
	"time"
)

// WaitKind is the kind of resource that a wait is for.
type WaitKind string

// The kinds, in the order in which a call can wait for them.
const (
	WaitGlobal WaitKind = "global" // the global guard
	WaitHost   WaitKind = "host"   // a host that another evaluation holds
	WaitQueue  WaitKind = "queue"  // the turn among the executions of an action
	WaitToken  WaitKind = "token"  // a token of a rate limit, or the end of its pause
)

// WaitKinds are all kinds, in their order.
var WaitKinds = [...]WaitKind{WaitGlobal, WaitHost, WaitQueue, WaitToken}

// Wait is the time for which something waited for a resource. A resource that is free at once is no
// wait.
type Wait struct {
	Kind     WaitKind
	Key      string // the host, the action or the rate limit; "" for the global guard
	Start    time.Time
	Duration time.Duration
}

// Waiter is an evaluation or an execution that is waiting.
type Waiter struct {
	Kind  WaitKind
	Key   string // as in Wait
	Name  string // of the evaluation or the execution; "" if it is not known
	Since time.Time
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
