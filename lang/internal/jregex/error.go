package jregex

// This file defines the errors of this package.

import "strconv"

// ErrorKind is the category of an Error.
type ErrorKind uint8

// The kinds of errors.
const (
	Syntax      ErrorKind = iota // not a valid Java regex
	Unsupported                  // valid in Java, but not supported by RE2
	Limit                        // too long, too deep or too large
)

// Error is an error in a pattern or in a replacement. Message names the construct; the error string
// adds the index: "lookahead is not supported: (?= near index 3". Syntax errors have Java's
// wording.
type Error struct {
	Kind    ErrorKind
	Message string
	Index   int // in code points; -1 if unknown
}

// Error returns the message and the index.
func (e *Error) Error() string {
	if e.Index < 0 {
		return e.Message
	}
	return e.Message + " near index " + strconv.Itoa(e.Index)
}
