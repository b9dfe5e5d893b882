// This file defines the journal of a run.

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

	// Begin is called before an effect. If do is true, the caller performs the effect and calls
	// End; otherwise record is its outcome in the earlier run. After an error the effect must not
	// happen. The end of ctx may end a wait for other processes.
	Begin(ctx context.Context, e Effect) (record Record, do bool, err error)
	// Recall returns the outcome of an effect in the earlier run. A caller that must wait before an
	// effect can happen calls it first. If done is false, the caller has to call Begin. The end of ctx ends a wait for
	// other processes.
	Recall(ctx context.Context, e Effect) (record Record, done bool, err error)
	// End is called when an effect has happened. An effect whose outcome does not reach the
	// program, since the run is being stopped, is not ended.
	End(id string, r Record) error
	// Skip records that an effect did not happen and never will, and has an outcome: a call that was refused. It is
	// called instead of Begin and End. The end of ctx ends a wait for other processes.
	Skip(ctx context.Context, e Effect, r Record) error
	// Withdraw is called instead of End when an effect that Begin has accepted did not happen and
	// never will. A resumed run performs the effect, whatever its class.
	Withdraw(id string) error
	// Announce records that an effect is pending before it can begin: a call that has to be approved, or a question.
	// The record is durable when Announce returns. left reports that the earlier run has left the effect pending for
	// this reason, or in doubt: then nothing is recorded. The error is ErrSettled if the effect has been settled
	// since Recall was called. Announce may wait for a call of another node that is dead, until ctx ends; by, which is
	// optional, rests in the meantime.
	Announce(ctx context.Context, e Effect, kind PendingKind, place string, by Rester) (left bool, err error)
	// Suspend records that an effect which has begun ends later, by a settlement. The record is durable when Suspend
	// returns. token is the tool's name for the work.
	Suspend(id, token, place string) error
	// Settle records the settlement of a pending effect, and is durable when it returns. r is the outcome, unless the
	// verdict is Approve or Retry: with an outcome the effect has ended, and End may replace the outcome only for an
	// effect that was suspended.
	Settle(id string, as Verdict, r Record) error
	// Excuse records that the elements of an operation (a path) from index from on were not needed,
	// although some of their effects may have happened.
	Excuse(operation string, from int)
	// Key returns the idempotency key of an effect, which no effect of another run has.
	Key(id string) string
}

// ErrUnrecorded is the error of an effect of a replay that the earlier run did not have. errors.Is finds it.
var ErrUnrecorded = errors.New("the recording does not have the effect")

// Past is the knowledge of a journal about an earlier run.
type Past interface {
	// Recalls reports whether there is an earlier run.
	Recalls() bool
	// Replays reports whether no effect may happen that the earlier run did not have.
	Replays() bool
	// Ahead returns how the evaluation at a path continued in the earlier run after the effect and
	// the operation with these numbers.
	Ahead(path string, effect int, operation uint64) Ahead
	// Cut reports whether the earlier run began an effect and has no outcome of it.
	Cut(id string) bool
	// Pending returns the effect of an id that the earlier run has left pending or in doubt, and is not settled.
	Pending(id string) (Pending, bool)
	// Approved reports whether a call was approved.
	Approved(id string) bool
	// Excused reports whether an effect of the earlier run is in an element that was not needed, see Excuse.
	Excused(id string) bool
	// Had reports whether the earlier run had effects in an operation (a path).
	Had(operation string) bool
}

// Ahead is how an evaluation of an earlier run continued after some effect and operation.
type Ahead struct {
	// Known reports whether it had another effect, or effects in another operation.
	Known bool
	Next  *Effect // its next effect, nil if it had none
	// Stop is the record of the bound that stopped the run. Only the main evaluation of a replay
	// has it.
	Stop []byte
}

// RunError returns the error of a run that err, an error of its journal, ends; nil for nil. An
// error with a method Diag() *diag.Error has its own. errors.Is finds err in the result.
func RunError(err error) *diag.Error {
	if err == nil { // the usual case allocates nothing
		return nil
	}
	return runError(err)
}

func runError(err error) *diag.Error {
	var e *diag.Error
	if errors.As(err, &e) && e != nil {
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
