// Package effect is the vocabulary of a run's effects on the world. The machine, the tools, the
// guards, the queues and the journal share it, so that none of them converts the types of another
// one.
//
//   - Effect, Kind, Class: something that a program does to the world or learns from it.
//   - Record: how an effect ended, as a journal keeps it.
//   - Tool, Call, Outcome, Failure: one call of a tool.
//   - Hint, GuardRequest, Guards, Held: actions that exclude each other, or that a rate bounds.
//   - Queues, Action: the queues in which calls wait before they begin.
//   - Pending, Settlement, Approvals: effects whose outcome comes from outside, and later.
//   - Wait, Waiter, Begun: a wait that is over, one that continues, and one that begins.
//   - Journal, Ahead: the record of a run, and that of an earlier run.
//
// Guards, Queues and Journal are interfaces: packages guard, queue and journal hold the
// implementations for one process.
package effect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
)

// LevelTrace is the level of messages that are too many for slog.LevelDebug, such as the start of each worker.
const LevelTrace = slog.LevelDebug - 4

// MaxID is the maximum length of the id of an effect in bytes. It suffices for 150 nested
// operations, and for a thousand with few elements each.
const MaxID = 4 << 10

// Kind is the kind of an effect.
type Kind string

// The kinds.
const (
	KindCall  Kind = "call"  // of a tool
	KindTime  Kind = "time"  // a reading of the clock, or of the rest of the bounds
	KindPrint Kind = "print" // its arguments are the printed string
	KindGuard Kind = "guard" // a wait for a guard
	KindPause Kind = "pause" // the program slept
	// KindQuestion is a question of the program to a person.
	KindQuestion Kind = "question"
	// KindChoice is a decision of the runtime that depended on timing and that the program can see:
	// the element that won a pany, the moment at which the bound of a scope was hit, or the lack of a free
	// slot. Without it a replay or a resumed run could decide otherwise.
	KindChoice Kind = "choice"
	// KindElement is an element of a parallel operation, with its path as the id. It is no effect, and no journal has
	// it; profiles do.
	KindElement Kind = "element"
)

// Class is the possible effect of a call on the world. It decides whether an effect that was
// begun, and whose outcome is not known, may be done again.
type Class uint8

// The classes. The zero Class is the unsafe one.
const (
	Write      Class = iota // changes the world each time: its outcome is in doubt
	Idempotent              // can be repeated with the same arguments: it is done again
	ReadOnly                // changes nothing: it is done again
)

var classNames = [...]string{Write: "write", Idempotent: "idempotent", ReadOnly: "read-only"}

// Valid reports whether the class is one of the three.
func (c Class) Valid() bool { return int(c) < len(classNames) }

// String returns "write", "idempotent" or "read-only".
func (c Class) String() string {
	if !c.Valid() {
		return fmt.Sprintf("unknown(%d)", uint8(c))
	}
	return classNames[c]
}

// MarshalText returns the name of the class.
func (c Class) MarshalText() ([]byte, error) {
	if !c.Valid() {
		return nil, fmt.Errorf("effect: there is no class %d", uint8(c))
	}
	return []byte(classNames[c]), nil
}

// UnmarshalText reads the name of a class.
func (c *Class) UnmarshalText(text []byte) error {
	for i, name := range classNames {
		if string(text) == name {
			*c = Class(i)
			return nil
		}
	}
	return fmt.Errorf("effect: there is no class %.100q, want write, idempotent or read-only", text)
}

// Effect is something that a program does to the world, or learns from it.
type Effect struct {
	ID     string // the path of its evaluation, '#', its number there; see package journal
	Kind   Kind
	Name   string // of the tool, guard or operation; may be empty
	Class  Class
	Args   json.RawMessage // canonical JSON on one line; nil is null
	Hidden *Hidden         // of Args, if secrets were taken out of them
	Worker int             // the worker that does it; not part of the effect's identity
	Waits  []Wait          // before it began; not part of the identity either
}

// Record is how an effect ended, as a journal keeps it: with a result or with an error. Both
// are JSON on one line. The zero Record is a result that is null.
type Record struct {
	Result json.RawMessage
	Error  json.RawMessage
	Hidden *Hidden // of Result or Error, if secrets were taken out of it
}

// Failed reports whether the effect ended with an error.
func (r Record) Failed() bool { return r.Error != nil }

// Payload returns Error if the effect failed, and Result otherwise.
func (r *Record) Payload() *json.RawMessage {
	if r.Failed() {
		return &r.Error
	}
	return &r.Result
}

// Hidden is a JSON text that is kept without its secrets.
type Hidden struct {
	// Clear is the whole text, with its secrets. It is written to no file and kept in no
	// entry: a journal makes Sealed of it.
	Clear []byte `json:"-"`
	// Sealed takes the place of Clear in a file. For arguments and for the end of a run it is an
	// authenticator, which can only be compared. For outcomes it is the encrypted text. It is "" if
	// the journal had no key: then only the rest of the text is known.
	Sealed string
}

// Hide returns the Hidden of a text that is replaced by shown, the part without its secrets; nil if
// they are equal.
func Hide(clear, shown []byte) *Hidden {
	if bytes.Equal(clear, shown) {
		return nil
	}
	return &Hidden{Clear: clear}
}

// Whole returns the whole text, where shown is the part without its secrets.
func (h *Hidden) Whole(shown []byte) []byte {
	if h == nil || h.Clear == nil {
		return shown
	}
	return h.Clear
}
