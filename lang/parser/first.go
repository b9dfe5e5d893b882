// This file defines First, by which an interactive program knows when a form is complete.

package parser

import (
	"context"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// Found is the result of First.
type Found uint8

// The possible beginnings of a source.
const (
	Nothing    Found = iota // only white space and comments
	Form                    // a form
	Unfinished              // the beginning of a form: more text could complete it
	Malformed               // a text that no further text could make a form
)

// First finds the first form of a source. end is the offset after the form, or the length of the source if there is
// none. A form that takes more than opts.Limits allow is Malformed.
func First(source string, opts Options) (found Found, end int) {
	l := opts.Limits.OrDefault()
	t := &value.Task{}
	t.Start(context.Background(), l.Memory, l.Steps, l.Timeout)
	defer func() {
		if recover() != nil { // a bound was hit; the evaluation of the source reports it
			found, end = Malformed, len(source)
		}
	}()
	var eof bool
	var err *diag.Error
	_, end, eof, err = ParseOne(t, token.NewFile("", source), 0, opts)
	switch {
	case incomplete(err):
		return Unfinished, len(source)
	case err != nil:
		return Malformed, len(source)
	case eof:
		return Nothing, len(source)
	}
	return Form, end
}
