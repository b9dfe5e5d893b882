package jregex

// This file defines the errors of this package.

import "strconv"

// ErrorKind says what an Error is about.
type ErrorKind uint8

// The kinds of errors.
const (
	Syntax      ErrorKind = iota // not a Java regex either
	Unsupported                  // Java has it, RE2 has not
	Limit                        // too long, too deep or too large
)

// Error is an error of a pattern or of a replacement. Message names the
// construct and is followed by the place: "lookahead is not supported: (?= near
// index 3". Syntax errors have Java's wording.
type Error struct {
	Kind    ErrorKind
	Message string
	Index   int // in code points, -1 if there is no place
}

// Error returns the message and the place.
func (e *Error) Error() string {
	if e.Index < 0 {
		return e.Message
	}
	return e.Message + " near index " + strconv.Itoa(e.Index)
}
