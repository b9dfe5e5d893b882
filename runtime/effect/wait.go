// This file defines waits, those that are over and those that are not.

package effect

import (
	"context"
	"time"
)

// WaitKind is the kind of what is waited for.
type WaitKind string

// The kinds, in the order in which a call can come to them.
const (
	WaitGlobal WaitKind = "global" // the global guard
	WaitHost   WaitKind = "host"   // a host that something else holds
	WaitQueue  WaitKind = "queue"  // a place among the executions of an action
	WaitToken  WaitKind = "token"  // a token of a rate limit, or the end of its pause
)

// WaitKinds are all kinds, in their order.
var WaitKinds = [...]WaitKind{WaitGlobal, WaitHost, WaitQueue, WaitToken}

// Wait is a stretch of time in which something was waited for. A resource that is free at once is no wait.
type Wait struct {
	Kind     WaitKind
	Key      string // the host, the action or the rate limit; "" for the global guard
	Start    time.Time
	Duration time.Duration
}

// Waiter is an evaluation or an execution that waits now.
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
