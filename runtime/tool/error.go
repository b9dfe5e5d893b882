// This file defines the errors of tools, and what a program sees of them.

package tool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Error is how a tool says why it failed. Any other error of a tool is one of code
// CodeFailed with its text as message.
type Error struct {
	Code       string // that a program sees as :code; "" is CodeFailed
	Message    string
	Retryable  bool          // the same call may well succeed later
	RetryAfter time.Duration // no sooner than that, if above 0: the tool's rate limiter pauses
	Data       any           // that a program sees as :data; it must have JSON
	Err        error
}

func (e *Error) Error() string {
	switch {
	case e.Message == "" && e.Err != nil:
		return e.Err.Error()
	case e.Err != nil:
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// The codes of failures that are not the tool's own to choose.
const (
	CodeFailed       = "failed"        // the tool failed and does not say more
	CodeTimeout      = "timeout"       // the call took longer than the tool may; may be retried
	CodeCancelled    = "cancelled"     // the call was cancelled by the host
	CodePanic        = "panic"         // the tool has a bug
	CodeBadArguments = "bad-arguments" // the arguments do not match the schema
	CodeBadResult    = "bad-result"    // the result does not match the schema
	CodeTooLarge     = "too-large"     // arguments or result are larger than a call's may be
	CodeStuck        = "stuck"         // too many calls of the run have not ended in time
)

// Failure is a failed call as a program sees it, and as a journal keeps it.
type Failure struct {
	Kind      diag.Code `json:"kind"` // of the exception
	Code      string    `json:"code"` // the tool's own
	Message   string    `json:"message"`
	Hint      string    `json:"hint,omitempty"`
	Retryable bool      `json:"retryable,omitempty"`
	// RetryAfter is how many milliseconds a repetition should wait at least.
	RetryAfter int64           `json:"retry_after_ms,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
	// Err is what the tool's function returned; nil if the call was refused, or is recorded. It may hold secrets.
	Err error `json:"-"`
}

// maxMessage bounds the text of a tool's error, in bytes.
const maxMessage = 2000

// maxErrorData bounds the data of a tool's error, in bytes of JSON.
const maxErrorData = 64 << 10

// failureOf makes a failure of what a tool's function gave. Its data may have secrets.
func (t *Tool) failureOf(ctx context.Context, err error) *Failure {
	f := &Failure{Kind: diag.ToolFailed, Code: CodeFailed, Message: clip(err.Error(), maxMessage), Err: err}
	var own *Error
	var bad *Mismatch
	switch {
	case errors.As(err, &own):
		if own.Code != "" {
			f.Code = clip(own.Code, maxName)
		}
		f.Retryable = own.Retryable || own.RetryAfter > 0
		f.RetryAfter = int64((own.RetryAfter + time.Millisecond - 1) / time.Millisecond) // no sooner
		if own.Data != nil {
			if data, err := marshal(own.Data); err == nil && len(data) <= maxErrorData {
				f.Data = data
			}
		}
	case errors.As(err, &bad):
		f.Code, f.Hint = CodeBadResult, "the tool does not keep to its own schema"
		f.Message = "its result does not match its schema: " + bad.Error()
	case ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded):
		f.Code, f.Retryable = CodeTimeout, true
		f.Message = "it took longer than " + diag.Duration(t.timeout)
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		f.Code = CodeCancelled
	}
	return f
}

// clip gives a text of a tool's error, of so many bytes at most. What is no UTF-8 is
// replaced: a journal could not keep it, and a replay would differ.
func clip(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
