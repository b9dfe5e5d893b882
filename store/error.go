// This file defines the errors of a store.

package store

import (
	"errors"
	"fmt"
)

// Error is an error that has a code, which is API. errors.Is finds the errors below by their codes.
type Error struct {
	Code    string
	Message string
	Err     error // the cause; may be nil
}

// The errors of a store.
var (
	ErrNotFound   = &Error{Code: "not-found", Message: "there is nothing of this name"}
	ErrDamaged    = &Error{Code: "damaged", Message: "the files of the run can't be read"}
	ErrKeyReused  = &Error{Code: "key-reused", Message: "the key was used for another submission"}
	ErrTransition = &Error{Code: "wrong-state", Message: "the state must not follow the one before"}
	ErrEnded      = &Error{Code: "run-ended", Message: "the run has ended"}
	ErrNotEnded   = &Error{Code: "run-not-ended", Message: "the run has not ended"}
	ErrInvalid    = &Error{Code: "invalid", Message: "the request makes no sense"}
	ErrConflict   = &Error{Code: "version-conflict", Message: "the version is not the next one"}
	ErrInUse      = &Error{Code: "in-use", Message: "another process uses the store"}
	ErrClosed     = &Error{Code: "closed", Message: "the store was closed"}
)

func (e *Error) Error() string { return "store: " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is an Error of the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// With returns an error of the same code with another message. A %w in the format is the cause.
func (e *Error) With(format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: e.Code, Message: err.Error(), Err: errors.Unwrap(err)}
}
