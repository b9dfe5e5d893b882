// This file defines the events of a run.

package wire

import (
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/store"
)

// Event is something that happened in a run.
type Event struct {
	// ID orders the events of a run, over restarts of the service too: the attempt in the upper 32 bits, and a number.
	ID   uint64
	Time time.Time
	Data EventData
}

// EventData is one of Changed, Printed, CallBegun, CallEnded, WaitBegun, Waited, Progressed and Dropped.
type EventData interface {
	Event() string // the name of the event
}

// Changed is the event of a new state.
type Changed struct {
	State    store.State `json:"state"`
	Reason   string      `json:"reason,omitempty"`
	Attempts int         `json:"attempts,omitempty"`
	Pending  int         `json:"pending,omitempty"` // the number of effects that wait for settlements
	Revision uint64      `json:"revision"`
}

// Printed is the event of a print. A run that is resumed prints again from its beginning, with the same text at the
// same place.
type Printed struct {
	Element string `json:"element,omitempty"` // the path of the parallel element; "" for the main evaluation
	At      int    `json:"at"`                // the bytes that the run had printed before
	Text    string `json:"text"`
	Bytes   int    `json:"bytes,omitempty"` // of the print, if Text is only its beginning
}

// CallBegun is the event of a tool call before its waits. It has no arguments, which may have secrets; the journal has
// them without.
type CallBegun struct {
	Call   string       `json:"call"` // the id of the effect
	Tool   string       `json:"tool"`
	Class  effect.Class `json:"class"`
	Worker int          `json:"worker"` // 0 is the main evaluation
}

// CallEnded is the event of the end of a call.
type CallEnded struct {
	Call     string        `json:"call"`
	Tool     string        `json:"tool"`
	Kind     diag.Code     `json:"kind,omitempty"` // of the failure; "" if the call succeeded
	Code     string        `json:"code,omitempty"` // the tool's own
	Duration time.Duration `json:"duration"`       // nanoseconds, with the waits
}

// WaitBegun is the event of the beginning of a wait; Waited is that of its end. The wait of a call begins after
// CallBegun.
type WaitBegun struct {
	Effect string          `json:"effect"` // the id of the call, or of the body
	Kind   effect.WaitKind `json:"kind"`   // as of Waited
	Key    string          `json:"key,omitempty"`
	Ahead  int             `json:"ahead"` // the waiters for the same that came before
}

// Waited is the event of the end of a wait of a call, or of a body of the program that takes guards.
type Waited struct {
	Effect   string          `json:"effect"` // the id of the call, or of the body
	Kind     effect.WaitKind `json:"kind"`   // for a host, the global guard, a token or a place in a queue
	Key      string          `json:"key,omitempty"`
	Duration time.Duration   `json:"duration"` // nanoseconds
}

// Progressed is the event of progress. It is sent once a second while somebody follows a run and something changes.
type Progressed struct {
	Elements int64 `json:"elements"` // of parallel operations that were run
	Waiting  int   `json:"waiting"`  // elements that no worker has claimed
	Workers  int   `json:"workers"`  // alive
	Calls    int64 `json:"calls"`    // of tools
	Steps    int64 `json:"steps"`
	Memory   int64 `json:"memory"` // bytes in the account of the main evaluation
}

// Dropped replaces events that are not kept any more, because the subscriber was too slow or came too late.
// Their contents are in the run and in its journal.
type Dropped struct {
	Events uint64 `json:"events,omitempty"` // how many; 0 if that is not known
}

// Event implements EventData.
func (Changed) Event() string { return "state" }

// Event implements EventData.
func (Printed) Event() string { return "print" }

// Event implements EventData.
func (CallBegun) Event() string { return "call-begun" }

// Event implements EventData.
func (CallEnded) Event() string { return "call-ended" }

// Event implements EventData.
func (WaitBegun) Event() string { return "wait-begun" }

// Event implements EventData.
func (Waited) Event() string { return "wait" }

// Event implements EventData.
func (Progressed) Event() string { return "progress" }

// Event implements EventData.
func (Dropped) Event() string { return "dropped" }

// Events returns one event of each kind.
func Events() []EventData {
	return []EventData{Changed{}, Printed{}, CallBegun{}, CallEnded{}, WaitBegun{}, Waited{}, Progressed{}, Dropped{}}
}
