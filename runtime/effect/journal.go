// This file defines what a run asks of its journal.

package effect

import (
	"context"
	"errors"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Journal records the effects of one run, and knows those of an earlier one. *journal.Journal is
// the implementation on a file or in memory. An error ends the run: see RunError.
type Journal interface {
	Past

	// Begin is called before an effect. If do is true the caller has it happen and calls
	// End; otherwise record is how it ended in the earlier run. The effect must not happen after
	// an error. The end of ctx may end a wait for other processes.
	Begin(ctx context.Context, e Effect) (record Record, do bool, err error)
	// Recall returns how an effect ended in the earlier run. A caller that must wait before an
	// effect can happen calls it first. If done is false, Begin is still to be called.
	Recall(e Effect) (record Record, done bool, err error)
	// End is called when an effect has happened. An effect whose outcome does not reach the
	// program, since the run is being stopped, is not ended.
	End(id string, r Record) error
	// Withdraw is called instead of End when an effect that Begin has accepted did not happen and
	// never will. A resumed run does it, of whatever class it is.
	Withdraw(id string) error
	// Excuse tells that the elements of an operation (a path) from one on were not needed: some
	// of their effects may have happened.
	Excuse(operation string, from int)
	// Key returns the idempotency key of an effect, which no effect of another run has.
	Key(id string) string
}

// Past is what a journal knows of an earlier run.
type Past interface {
	// Recalls reports whether there is an earlier run.
	Recalls() bool
	// Replays reports whether nothing is to happen that the earlier run had not.
	Replays() bool
	// Ahead returns what the earlier run had of the evaluation at a path after the effect and the
	// operation of these numbers.
	Ahead(path string, effect int, operation uint64) Ahead
	// Cut reports whether the earlier run began an effect and did not learn its outcome.
	Cut(id string) bool
	// Had reports whether the earlier run had effects in an operation (a path).
	Had(operation string) bool
}

// Ahead is what an earlier run had of an evaluation from some effect and operation on.
type Ahead struct {
	// Known reports whether it had a further effect, or effects in a further operation.
	Known bool
	Next  *Effect // its next effect, nil if it had none
	// Stop is how a bound stopped the run: of the main evaluation, if the journal replays it.
	Stop []byte
}

// RunError returns the error of a run that an error of its journal ends; nil for nil. An error
// that has a method Diag() *diag.Error decides itself, and errors.Is finds the one given.
func RunError(err error) *diag.Error {
	var e *diag.Error
	if err == nil || errors.As(err, &e) && e != nil {
		return e
	}
	e = &diag.Error{Code: diag.JournalFailed, Message: strings.TrimPrefix(err.Error(), "journal: ")} // the code has it
	var own interface{ Diag() *diag.Error }
	if errors.As(err, &own) {
		e = own.Diag()
	}
	e.Err = err
	return e
}
