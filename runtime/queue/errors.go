// This file defines the errors.

package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Full is the error of an execution that finds the lane of its priority full.
type Full struct {
	Action   string
	Priority effect.Priority
	Waiting  int // executions in the lane, the maximum
	Active   int
	Limit    int // of those under way
}

// Code returns diag.QueueFull.
func (e *Full) Code() diag.Code { return diag.QueueFull }

// Failure returns the failure that the error is to a program.
func (e *Full) Failure() *effect.Failure { return refused(e) }

func (e *Full) Error() string {
	what := "executions"
	if e.Priority != effect.NormalPriority {
		what += " of " + e.Priority.String() + " priority"
	}
	return fmt.Sprintf("the queue of %s is full: %d %s wait, which is the limit, and %s are under way",
		e.Action, e.Waiting, what, ofLimit(e.Active, e.Limit))
}

// TimedOut is the error of an execution that has waited for the maximum time.
type TimedOut struct {
	Action    string
	Execution string
	Waited    time.Duration
	Active    int // executions under way, on which it has waited
	Limit     int
}

// Code returns diag.QueueTimeout.
func (e *TimedOut) Code() diag.Code { return diag.QueueTimeout }

// Failure returns the failure that the error is to a program.
func (e *TimedOut) Failure() *effect.Failure { return refused(e) }

func (e *TimedOut) Error() string {
	return fmt.Sprintf("%s waited %s in the queue of %s, which is the limit, while %s were under way",
		e.Execution, diag.Duration(e.Waited), e.Action, ofLimit(e.Active, e.Limit))
}

// Cancelled is the error of an execution that an operator has removed from its queue.
type Cancelled struct {
	Action    string
	Execution string
	Cleared   bool // by Clear or ClearAll, with all others that waited
}

// Code returns diag.QueueCancelled.
func (e *Cancelled) Code() diag.Code { return diag.QueueCancelled }

// Failure returns the failure that the error is to a program. It is not retryable: the execution would
// be in the queue again.
func (e *Cancelled) Failure() *effect.Failure {
	f := refused(e)
	f.Retryable, f.Hint = false, "the operator wants it not to run: ask before you call it again"
	return f
}

func (e *Cancelled) Error() string {
	if e.Cleared {
		return fmt.Sprintf("%s did not start: an operator cleared the queue while it waited for %s", e.Execution, e.Action)
	}
	return fmt.Sprintf("%s did not start: an operator cancelled it while it waited for %s", e.Execution, e.Action)
}

// NotActive is the error of a completion for an execution that is not active.
type NotActive struct {
	Action    string
	Execution string
}

func (e *NotActive) Error() string {
	return fmt.Sprintf("queue: Complete of %s of %s, which is not active", e.Execution, e.Action)
}

// stoppedError is the error of an execution whose context has ended.
type stoppedError struct {
	action, execution string
	cause             error
}

func stopped(ctx context.Context, action, execution string) error {
	return &stoppedError{action, execution, context.Cause(ctx)}
}

func (e *stoppedError) Error() string {
	return fmt.Sprintf("%s stopped waiting for %s: %v", e.execution, e.action, e.cause)
}

// Unwrap returns the cause of the context's end.
func (e *stoppedError) Unwrap() error { return e.cause }

// Failure returns the failure that the error is to a program.
func (e *stoppedError) Failure() *effect.Failure {
	return &effect.Failure{Kind: diag.Cancelled, Code: effect.CodeCancelled, Message: e.Error()}
}

// refused returns the failure of an execution that can succeed later.
func refused(err interface {
	error
	Code() diag.Code
}) *effect.Failure {
	return &effect.Failure{Kind: err.Code(), Code: string(err.Code()), Message: err.Error(), Retryable: true,
		Hint: "call it less often, or have the operator change the policy"}
}

func ofLimit(active, limit int) string {
	if limit == NoLimit {
		return fmt.Sprint(active)
	}
	return fmt.Sprintf("%d of at most %d", active, limit)
}
