// This file defines how the errors of guard and queue travel.

package coord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// fault is an error of guard or queue in a message.
type fault struct {
	Type string          `json:"type"`
	Body json.RawMessage `json:"body"`
}

// The types of faults.
const (
	faultGuard     = "guard"
	faultViolation = "violation"
	faultUncounted = "uncounted"
	faultFull      = "full"
	faultTimedOut  = "timed-out"
	faultCancelled = "cancelled"
	faultOther     = "other"
)

// plainFault is the body of a fault that has no type in package queue.
type plainFault struct {
	Code    diag.Code       `json:"code,omitempty"`
	Message string          `json:"message"`
	Hint    string          `json:"hint,omitempty"`
	Cycle   []guard.Link    `json:"cycle,omitempty"`
	Late    bool            `json:"late,omitempty"` // a deadline is the cause
	Action  string          `json:"action,omitempty"`
	Failure *effect.Failure `json:"failure,omitempty"`
}

// faultOf returns the form in which an error is sent.
func faultOf(err error) *fault {
	var (
		g         *guard.Error
		violation *queue.Violation
		uncounted *queue.Uncounted
		full      *queue.Full
		timedOut  *queue.TimedOut
		cancelled *queue.Cancelled
	)
	switch {
	case errors.As(err, &g):
		return newFault(faultGuard, plainFault{Code: g.Code, Message: g.Message, Hint: g.Hint, Cycle: g.Cycle,
			Late: errors.Is(err, context.DeadlineExceeded)})
	case errors.As(err, &violation):
		return newFault(faultViolation, violation)
	case errors.As(err, &uncounted):
		return newFault(faultUncounted, plainFault{Action: uncounted.Action, Message: fmt.Sprint(uncounted.Err)})
	case errors.As(err, &full):
		return newFault(faultFull, full)
	case errors.As(err, &timedOut):
		return newFault(faultTimedOut, timedOut)
	case errors.As(err, &cancelled):
		return newFault(faultCancelled, cancelled)
	}
	return newFault(faultOther, plainFault{Message: err.Error(), Failure: effect.FailureOf(err)})
}

func newFault(kind string, body any) *fault {
	text, err := json.Marshal(body)
	if err != nil { // strings and numbers have JSON
		kind, text = faultOther, fmt.Appendf(nil, `{"message":%q}`, err.Error())
	}
	return &fault{kind, text}
}

// err returns the error that was sent.
func (f *fault) err() error {
	if f == nil {
		return errors.New("the coordinator refuses the request without a reason")
	}
	switch f.Type {
	case faultViolation:
		return decoded[queue.Violation](f)
	case faultFull:
		return decoded[queue.Full](f)
	case faultTimedOut:
		return decoded[queue.TimedOut](f)
	case faultCancelled:
		return decoded[queue.Cancelled](f)
	}
	var p plainFault
	if err := json.Unmarshal(f.Body, &p); err != nil {
		return fmt.Errorf("the coordinator refuses the request, and its reason can't be read: %w", err)
	}
	switch f.Type {
	case faultGuard:
		e := &guard.Error{Code: p.Code, Message: p.Message, Hint: p.Hint, Cycle: p.Cycle}
		if p.Late {
			return &guardError{e, context.DeadlineExceeded}
		}
		return e
	case faultUncounted:
		return &queue.Uncounted{Action: p.Action, Err: errors.New(p.Message)}
	}
	return &failure{p.Message, p.Failure, nil}
}

// decoded returns the error in the body of a fault.
func decoded[T any, E interface {
	*T
	error
}](f *fault) error {
	e := E(new(T))
	if err := json.Unmarshal(f.Body, e); err != nil {
		return fmt.Errorf("the coordinator refuses the request (%s), and its reason can't be read: %w", f.Type, err)
	}
	return e
}

// ofGuard is guard.Error, embedded under a name that is not that of its method.
type ofGuard = guard.Error

// guardError is an error of a guard with a cause.
type guardError struct {
	*ofGuard
	cause error
}

// Unwrap returns the error of the guard, and its cause.
func (e *guardError) Unwrap() []error { return []error{e.ofGuard, e.cause} }

// failure is an error that has no specific type.
type failure struct {
	message string
	failure *effect.Failure
	cause   error
}

func (e *failure) Error() string { return e.message }

// Unwrap returns the cause; nil for none.
func (e *failure) Unwrap() error { return e.cause }

// Failure returns the failure that a program sees.
func (e *failure) Failure() *effect.Failure {
	if e.failure != nil {
		return e.failure
	}
	return &effect.Failure{Kind: diag.HostFailed, Code: effect.CodeFailed, Message: e.message}
}

// codeUnavailable is the code of failures to reach a node.
const codeUnavailable = "unavailable"

// unreached returns the error of a request that a node could not be asked. It may be tried again.
func unreached(message string, cause error) error {
	return &failure{message, &effect.Failure{Kind: diag.HostFailed, Code: codeUnavailable, Message: message,
		Retryable: true}, cause}
}

// endedWait returns the error of a wait for a guard that its context has ended.
func endedWait(ctx context.Context, what, detail string, waited time.Duration) error {
	e := &guard.Error{Code: diag.Cancelled}
	verb := "was cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e.Code, verb = diag.GuardTimeout, "ran out of time"
		e.Hint = "raise the timeout, or hold the guard for a shorter time"
	}
	e.Message = fmt.Sprintf("%s: the wait %s after %s%s", what, verb, waited.Round(time.Millisecond), detail)
	return &guardError{e, context.Cause(ctx)}
}

// stopped returns the error of a call whose context has ended in a queue, or before it was counted.
func stopped(ctx context.Context, action, execution, detail string) error {
	cause := context.Cause(ctx)
	message := fmt.Sprintf("%s stopped waiting for %s: %v%s", execution, action, cause, detail)
	return &failure{message, &effect.Failure{Kind: diag.Cancelled, Code: effect.CodeCancelled, Message: message}, cause}
}
