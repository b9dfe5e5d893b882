// Package diag defines the one error type of the language, its codes and the rendering of errors.
//
// An Error has a code (stable, for programs), a message (for people: who failed, what was got, what was
// wanted), a span, a hint, the active frames and the cause. Error returns one line. Render adds the source
// line with a caret, and the trace. MarshalJSON returns the machine-readable form.
package diag

import (
	"context"
	"fmt"

	"github.com/ptc-lang/ptc/lang/token"
)

// Error is an error of the reader, the compiler or a run.
type Error struct {
	Code    Code
	Class   string // the Java class of an exception, "" for other errors
	Message string
	Span    token.Span
	Hint    string // the next step for the user; may be empty
	// Replacement is the text that fixes the error if it replaces the text of Span. It is "" unless
	// the fix is certain.
	Replacement string
	Frames      []Frame // innermost first
	// Elements are the elements of parallel operations in which the error happened, innermost
	// first.
	Elements []Element
	Data     any // the data of ex-info or fail: a string, printed by the language, truncated if long
	Cause    *Error
	// Err is the Go error behind an error without Cause: the one that the function of a tool
	// returned, or that of a context. It is nil for others, and in a replay. It is the host's own:
	// it may hold secrets, and stands in no message and no JSON.
	Err    error
	Others []*Error // further errors found by the same compilation
	Stack  []byte   // the Go stack of an internal error
}

// Frame is one active call.
type Frame struct {
	Function string
	Span     token.Span
}

// Element is an element of a parallel operation.
type Element struct {
	Operation string // "pmap"
	Span      token.Span
	Index     int
	Text      string // the printed element, truncated
	Completed int    // elements completed when the error happened
	Of        int    // elements in the operation
}

// String describes the element in one line.
func (e Element) String() string {
	where := ""
	if !e.Span.IsZero() {
		where = fmt.Sprintf(" (%s)", e.Span)
	}
	return fmt.Sprintf("%d of %d of %s%s: %s; %d had been completed",
		e.Index, e.Of, e.Operation, where, e.Text, e.Completed)
}

// New returns an error at a span.
func New(code Code, span token.Span, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Span: span}
}

// WithHint sets the hint and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	if e == nil {
		return nil
	}
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Error returns "file:line:col: code: message".
func (e *Error) Error() string {
	if e == nil {
		return "no error"
	}
	if e.Span.IsZero() {
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("%s: %s: %s", e.Span, e.Code, e.Message)
}

// Unwrap returns Cause, and Err if there is no Cause.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	if e.Cause == nil {
		return e.Err
	}
	return e.Cause
}

// Is reports whether target is an Error of the same code, such as &diag.Error{Code: diag.Timeout}. An error of
// code Timeout is also context.DeadlineExceeded, whichever deadline has passed, and one of code Cancelled is
// context.Canceled.
func (e *Error) Is(target error) bool {
	if e == nil {
		return false
	}
	switch target {
	case context.DeadlineExceeded:
		return e.Code == Timeout
	case context.Canceled:
		return e.Code == Cancelled
	}
	t, ok := target.(*Error)
	return ok && t != nil && t.Code == e.Code && (t.Message == "" || t.Message == e.Message)
}
