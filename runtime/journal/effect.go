// This file defines the entries of a journal for effects, and the end of a run.

package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// check refuses an effect that a journal can't have.
func check(e *effect.Effect) error {
	switch e.Kind {
	case effect.KindCall, effect.KindTime, effect.KindPrint, effect.KindGuard, effect.KindPause, effect.KindQuestion,
		effect.KindChoice:
	default:
		return fmt.Errorf("journal: effect %q has kind %q", cut(e.ID, 0), e.Kind)
	}
	if !e.Class.Valid() {
		return fmt.Errorf("journal: effect %q has class %s", cut(e.ID, 0), e.Class)
	}
	if !utf8.ValidString(e.Name) {
		return fmt.Errorf("journal: the name of effect %q is not UTF-8", cut(e.ID, 0))
	}
	return checkID(e.ID)
}

// clone returns a copy on the heap for an error, so that the effect which a caller passes to Begin
// costs no allocation.
func clone(e *effect.Effect) *effect.Effect {
	c := *e
	return &c
}

// describe returns "call search {…}", cut.
func describe(e *effect.Effect) string {
	parts := []string{string(e.Kind)}
	if e.Name != "" {
		parts = append(parts, cut(e.Name, 0))
	}
	if len(e.Args) > 0 {
		parts = append(parts, cut(string(e.Args), 0))
	}
	return strings.Join(parts, " ")
}

// Entry is the record of an effect. Its bytes are shared and must not be changed.
type Entry struct {
	effect.Effect
	// Attempt is 1, plus the number of times that a resumed run did it again; 0 while it has not begun.
	Attempt  int
	Session  int    // the number of times that the run was resumed before the effect began
	Node     string // on which it began, of a run on several nodes; numbers of workers are those of a node
	Start    time.Time
	Duration time.Duration
	Done     bool // Outcome and Duration are known
	Outcome  effect.Record
	// Withdrawn reports that the effect was begun and has not happened: the run has withdrawn it,
	// or the operator has settled it as such.
	Withdrawn bool
	// Pends is the reason why the effect is pending; "" if it is not. A write in doubt is pending too, but not
	// recorded as such.
	Pends effect.PendingKind
	// Approved reports that the call was approved.
	Approved bool
	// Announced is the time from which the call has waited for an approval, and AnnouncedIn the number of times that
	// the run was resumed before it; the zero time if it needed none.
	Announced   time.Time
	AnnouncedIn int
	Token       string // of a call whose outcome comes later
	Place       string // of an effect that is pending, or was
	// Recalled reports that this run has not done the effect, and has the recorded outcome.
	Recalled bool
	// ArgsHashed and OutcomeHashed report that there was no room for the bytes, and that the string
	// "sha256:…" replaces them.
	ArgsHashed, OutcomeHashed bool

	// replaceable reports that the outcome is a settlement of an effect that was suspended, which may end otherwise in
	// the same run.
	replaceable bool
}

// Final is the outcome of the whole run. It must not depend on timing: a replay compares it byte by
// byte.
type Final struct {
	Value string          // the program's value as text, if the run succeeded
	Error json.RawMessage // the error, as JSON on one line, if the run failed
	// Hidden has the secrets of Value or Error, if there are any. Its Clear is the text of the
	// value, or the JSON of the error.
	Hidden *effect.Hidden
}

// text returns the part of the end of a run that is compared.
func (f *Final) text() []byte {
	if f.Error != nil {
		return f.Error
	}
	return []byte(f.Value)
}

// ended reports whether a run ends as the recorded one.
func (all vaults) ended(recorded, actual *Final) bool {
	return (recorded.Error == nil) == (actual.Error == nil) &&
		all.same(finalLabel, recorded.text(), recorded.Hidden, actual.text(), actual.Hidden)
}

// String returns the text that a divergence shows.
func (f Final) String() string {
	if f.Error != nil {
		return "the error " + string(f.Error)
	}
	return "the value " + f.Value
}
