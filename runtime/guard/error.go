// This file defines the errors of guards.

package guard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Error is the error of a guard that was not granted. The code is one of
//
//   - diag.GuardHeld: the evaluation, or one that waits for it, holds the guard already;
//   - diag.GuardBusy: a call that one of these has abandoned still holds it (see Held.Abandon);
//   - diag.GuardCycle: the wait would close a cycle of waits (see Cycle);
//   - diag.GuardTimeout: the deadline has passed, or would pass before a token is free;
//   - diag.GuardConflict: a rate limit is in use with another rate;
//   - diag.Cancelled: the context was cancelled during the wait;
//   - diag.IllegalState: there are too many rate limits;
//   - diag.IllegalArgument: the request is malformed.
//
// It has no position in a program: the caller adds it.
type Error struct {
	Code    diag.Code
	Message string // the failing call, the value it got and the value it wanted
	Hint    string // how to fix it
	Cycle   []Link // of GuardCycle: each waits for the next, the last for the first
	cause   error
}

// Link is a part of a cycle of waits: one evaluation wants a guard that another one holds.
// The holder wants the guard of the next link, or waits for a worker that does.
type Link struct {
	Waiter string // the evaluation that waits
	Guard  string // the guard that it wants, such as `host "db1"`
	Holder string // the evaluation that holds the guard
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap returns the cause of the context, if that ended the wait.
func (e *Error) Unwrap() error { return e.cause }

// Failure returns the failure that a program sees for the error.
func (e *Error) Failure() *effect.Failure {
	return &effect.Failure{Kind: e.Code, Code: string(e.Code), Message: e.Message, Hint: e.Hint,
		Retryable: e.Code == diag.GuardBusy}
}

func invalid(err error) *Error { return &Error{Code: diag.IllegalArgument, Message: err.Error()} }

// held returns the error of an owner that wants a guard which it holds itself, or which is held by
// an evaluation that waits for it.
func held(what string, owner, holder *Owner) *Error {
	if owner == holder {
		return &Error{
			Code:    diag.GuardHeld,
			Message: fmt.Sprintf("%s: evaluation %s requests it and already holds it", what, owner),
			Hint:    "leave the inner one out: the outer one covers its body",
		}
	}
	return &Error{
		Code: diag.GuardHeld,
		Message: fmt.Sprintf("%s: evaluation %s requests it, but evaluation %s holds it and waits for %s to end",
			what, owner, holder, owner),
		Hint: "take it around the parallel operation or inside of it, not both",
	}
}

// busy returns the error of an owner that wants the guard of an abandoned call.
func busy(what string, call *Owner) *Error {
	return &Error{
		Code: diag.GuardBusy,
		Message: fmt.Sprintf("%s: %s still has it, and was abandoned %s ago, when it did not end in time",
			what, call, short(time.Since(call.abandoned))),
		Hint: "try again later: it is free when that call ends; have the tool heed the end of its context",
	}
}

// maxLinks is the maximum number of links of a cycle that a message shows.
const maxLinks = 10

// cycle returns the error of an owner whose wait would never end.
func cycle(links []Link) *Error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s would wait forever: ", links[0].Guard, links[0].Waiter)
	for i, l := range links {
		if i == maxLinks {
			fmt.Fprintf(&b, "; and %d more", len(links)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s wants %s, which %s holds", l.Waiter, l.Guard, l.Holder)
		if next := links[(i+1)%len(links)].Waiter; next != l.Holder {
			fmt.Fprintf(&b, " while it waits for %s to end", next)
		}
	}
	return &Error{
		Code:    diag.GuardCycle,
		Message: b.String(),
		Hint:    "take guards in the same order everywhere: the global one first, then hosts in the order of their names",
		Cycle:   links,
	}
}

// ended returns the error of a wait that its context has ended. detail describes the queue and the
// holder.
func ended(ctx context.Context, what, detail string, waited time.Duration) *Error {
	e := &Error{Code: diag.Cancelled, cause: context.Cause(ctx)}
	verb := "was cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e.Code, verb = diag.GuardTimeout, "ran out of time"
		e.Hint = "raise the timeout, or hold the guard for a shorter time"
	}
	e.Message = fmt.Sprintf("%s: the wait %s after %s, with %s", what, verb, waited.Round(time.Millisecond), detail)
	return e
}

// hopeless returns the error of a wait for a token that would be longer than the remaining time.
func hopeless(h effect.Hint, wait, left time.Duration) *Error {
	return &Error{
		Code: diag.GuardTimeout,
		Message: fmt.Sprintf("rate limit %s (%s): the next free token is %s away, and %s are left",
			effect.QuoteGuard(h.Key), h.Rate(), short(wait), short(max(left, 0))),
		Hint:  "raise the timeout, or make fewer calls",
		cause: context.DeadlineExceeded,
	}
}

func conflict(want, have effect.Hint) *Error {
	return &Error{
		Code: diag.GuardConflict,
		Message: fmt.Sprintf("rate limit %s: got %s, but it is in use with %s",
			effect.QuoteGuard(want.Key), want.Rate(), have.Rate()),
		Hint: "give one key the same rate everywhere, or use two keys",
	}
}

func tooMany(key string) *Error {
	return &Error{
		Code: diag.IllegalState,
		Message: fmt.Sprintf("rate limit %s: %d others have not filled up again, and there can be no more",
			effect.QuoteGuard(key), maxLimiters),
		Hint: "use fewer keys: one for each service, not one for each call",
	}
}

// short returns a duration without meaningless digits.
func short(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}
