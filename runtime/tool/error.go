// This file defines the errors of tools, and the failures that programs see for them.

package tool

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Error is the error of a tool that failed. Any other error of a tool is one of code
// effect.CodeFailed with its text as message.
type Error struct {
	Code       string // that a program sees as :code; "" is effect.CodeFailed
	Message    string
	Retryable  bool          // the same call may succeed later
	RetryAfter time.Duration // if above 0, the least time until a retry, for which the rate limit pauses
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

// maxMessage bounds the text of a tool's error, in bytes.
const maxMessage = 2000

// maxErrorData bounds the data of a tool's error, in bytes of JSON.
const maxErrorData = 64 << 10

// failureOf returns the failure for an error of the tool's function. Its data may have secrets.
func (t *Tool) failureOf(ctx context.Context, err error) *effect.Failure {
	f := &effect.Failure{Kind: diag.ToolFailed, Code: effect.CodeFailed, Message: clip(err.Error(), maxMessage), Err: err}
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
		f.Code, f.Hint = effect.CodeBadResult, "the tool does not keep to its own schema"
		f.Message = "its result does not match its schema: " + bad.Error()
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), effect.ErrGuardLost):
		f = effect.GuardLost()
	case ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded):
		f.Code, f.Retryable = effect.CodeTimeout, true
		f.Message = "it took longer than " + diag.Duration(t.timeout)
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		f.Code = effect.CodeCancelled
	}
	return f
}

// clip cuts a string of a tool's error to some number of bytes. It replaces bytes that are not UTF-8: a
// journal could not keep them, and a replay would differ.
func clip(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
