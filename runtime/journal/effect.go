// This file defines effects, their outcomes and the entries that a journal makes of them.

package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Kind says what an effect is.
type Kind string

// The kinds.
const (
	Call  Kind = "call"  // of a tool
	Time  Kind = "time"  // a reading of the clock, or of what is left of the bounds
	Print Kind = "print" // its arguments are what was printed
	Guard Kind = "guard" // a wait for a guard or a queue
	Pause Kind = "pause" // the program slept
	// Choice is a decision of the runtime that depended on timing and that the program
	// can see: which element won a pany, at which moment the bound of a scope was hit, that
	// no slot was free. Without it neither a replay nor a resumed run could decide in the
	// same way.
	Choice Kind = "choice"
)

// Class says what may be done with an effect that was begun and whose outcome is not
// known.
type Class string

// The classes.
const (
	ReadOnly   Class = "read-only"  // changes nothing: it is done again
	Idempotent Class = "idempotent" // twice with the same arguments is as once: it is done again
	Write      Class = "write"      // it is in doubt
)

// MaxID is the most bytes of an id: 150 operations that nest, and a thousand of a few
// elements each. Who makes ids refuses deeper ones.
const MaxID = 4 << 10

// Effect is something that a program does to the world, or learns from it.
type Effect struct {
	ID     string // the path of its evaluation, '#', its number there; see the package comment
	Kind   Kind
	Name   string // of the tool, guard or operation; may be empty
	Class  Class
	Args   json.RawMessage // canonical JSON on one line, with secrets replaced; nil is null
	Hidden *Hidden         // of Args, if they had secrets
	Worker int             // which worker does it; no part of what the effect is
	Waits  []effect.Wait   // what it waited for before it began; no part of it either
}

func (e *Effect) check() error {
	switch e.Kind {
	case Call, Time, Print, Guard, Pause, Choice:
	default:
		return fmt.Errorf("journal: effect %q has kind %q", cut(e.ID, 0), e.Kind)
	}
	switch e.Class {
	case ReadOnly, Idempotent, Write:
	default:
		return fmt.Errorf("journal: effect %q has class %q", cut(e.ID, 0), e.Class)
	}
	if !utf8.ValidString(e.Name) {
		return fmt.Errorf("journal: the name of effect %q is not UTF-8", cut(e.ID, 0))
	}
	return checkID(e.ID)
}

// clone gives a copy on the heap, for an error to keep: the effect that a caller of
// Begin hands over costs no allocation.
func (e *Effect) clone() *Effect {
	c := *e
	return &c
}

// changesWorld says whether the effect must be on the disk before it happens.
func (e *Effect) changesWorld() bool { return e.Class != ReadOnly }

// String gives "call search {…}", cut.
func (e *Effect) String() string {
	parts := []string{string(e.Kind)}
	if e.Name != "" {
		parts = append(parts, cut(e.Name, 0))
	}
	if len(e.Args) > 0 {
		parts = append(parts, cut(string(e.Args), 0))
	}
	return strings.Join(parts, " ")
}

// Outcome is how an effect ended: with a result, or with an error. Both are JSON on
// one line, with secrets replaced. Neither is a result that is null.
//
// A recorded one that is given back has its secrets, if the journal has their key; otherwise
// Hidden is set.
type Outcome struct {
	Result json.RawMessage
	Error  json.RawMessage
	Hidden *Hidden // of the one that there is, if it had secrets
}

// Failed says whether the effect ended with an error.
func (o Outcome) Failed() bool { return o.Error != nil }

// payload gives the one of the two that there is.
func (o *Outcome) payload() *json.RawMessage {
	if o.Failed() {
		return &o.Error
	}
	return &o.Result
}

// Entry is what a journal knows of an effect. Its bytes are shared and must not be
// changed.
type Entry struct {
	Effect
	Attempt  int // 1, and one more each time a resumed run did it again
	Session  int // 0, and one more for each time the run was resumed before it was begun
	Start    time.Time
	Duration time.Duration
	Done     bool // Outcome and Duration are known
	Outcome  Outcome
	// Recalled says that this run has not done the effect, but was given the recorded
	// outcome.
	Recalled bool
	// ArgsHashed and OutcomeHashed say that the bytes were left out for want of room,
	// and that the text "sha256:…" stands in their place.
	ArgsHashed, OutcomeHashed bool
}

// Final is the outcome of the whole run. Nothing in it may depend on timing: a
// replay compares it byte by byte.
type Final struct {
	Value string          // the program's value as text; of a run that succeeded
	Error json.RawMessage // the error, as JSON on one line; of a run that failed
	// Hidden is what the one that there is hides, if it had secrets. Its Clear is the text of
	// the value, or the JSON of the error.
	Hidden *Hidden
}

// text returns what is compared of the end of a run.
func (f *Final) text() []byte {
	if f.Error != nil {
		return f.Error
	}
	return []byte(f.Value)
}

// ended reports whether a run ends as the recorded one.
func (all vaults) ended(recorded, actual *Final) bool {
	return (recorded.Error == nil) == (actual.Error == nil) &&
		all.same(finalPlace, recorded.text(), recorded.Hidden, actual.text(), actual.Hidden)
}

// String gives the text that a divergence shows.
func (f Final) String() string {
	if f.Error != nil {
		return "the error " + string(f.Error)
	}
	return "the value " + f.Value
}
