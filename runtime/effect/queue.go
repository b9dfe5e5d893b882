// This file defines the queues of calls.

package effect

import (
	"context"
	"fmt"
	"time"
)

// Queues are the queues of actions, with policies in front of them. *queue.Enforcer is the
// implementation for one process.
type Queues interface {
	// Action returns the queue of an action. A caller that makes many calls keeps it.
	Action(name string) Action
	// Waiters returns the waiters in the order of actions, and of each action in the order of lanes,
	// the first of each lane first; at most n.
	Waiters(n int) []Waiter
	// Approvals returns the calls that the policies have wait for an approval. It is asked at each call.
	Approvals() Approvals
}

// Action is one action behind its policies. Its errors are ones that FailureOf knows.
type Action interface {
	// Admit checks the rates and quotas of the policies, and counts the call. It does not wait in a
	// queue.
	Admit(ctx context.Context) error
	// Start waits in the queue until the execution may begin. After a nil error the caller must
	// call Leave, and must not change e before. The Wait is zero if the execution did not have to
	// wait.
	Start(ctx context.Context, e *Execution) (Wait, error)
	// Leave ends an execution that has started. It returns an error if the execution was no longer
	// under way.
	Leave(execution string, how Ending) error
	// Bounds returns the policies of the action in short, "" for none.
	Bounds() string
}

// Execution is a call in the queue of its action.
type Execution struct {
	// Name differs from those of the other executions of the action that wait or are under way.
	Name string `json:"name"`
	// Most is a bound on the executions of the action under way, in addition to the policies; 0 is
	// no bound.
	Most     int      `json:"-"`
	Priority Priority `json:"priority"`
	// Idle returns the time for which the run has waited for settlements only, so far: it does not count
	// towards the limit of a wait. It must not wait, nor call the queue. It is optional.
	Idle func() time.Duration `json:"-"`
	// Rester is notified when the execution begins to wait, and before a wait ends because it may start. It must not
	// wait, nor call the queue. It is optional.
	Rester Rester `json:"-"`

	// The other fields are for operators, and optional.

	Run  string    `json:"run,omitempty"`    // the host's name of the run
	ID   string    `json:"id,omitempty"`     // of the effect: see Call.ID
	Host string    `json:"host,omitempty"`   // that the call holds
	At   time.Time `json:"arrived,omitzero"` // when the call came to its queue
}

// Priority is the lane of an execution in the queue of its action. The zero Priority is normal.
type Priority int8

// The priorities.
const (
	HighPriority   Priority = -1
	NormalPriority Priority = 0
	LowPriority    Priority = 1
)

// Priorities are all priorities, the highest first.
var Priorities = [...]Priority{HighPriority, NormalPriority, LowPriority}

var priorityNames = [...]string{"high", "normal", "low"}

// Valid reports whether the priority is one of the three.
func (p Priority) Valid() bool { return p >= HighPriority && p <= LowPriority }

// String returns "high", "normal" or "low".
func (p Priority) String() string {
	if !p.Valid() {
		return fmt.Sprintf("unknown(%d)", int8(p))
	}
	return priorityNames[p-HighPriority]
}

// MarshalText returns the name of the priority.
func (p Priority) MarshalText() ([]byte, error) {
	if !p.Valid() {
		return nil, fmt.Errorf("effect: there is no priority %d", int8(p))
	}
	return []byte(p.String()), nil
}

// UnmarshalText reads the name of a priority; "" is normal.
func (p *Priority) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*p = NormalPriority
		return nil
	}
	for i, name := range priorityNames {
		if string(text) == name {
			*p = Priorities[i]
			return nil
		}
	}
	return fmt.Errorf("there is no priority %.100q, want high, normal or low", text)
}

// Ending is how an execution that had started ended. The zero Ending is success.
type Ending uint8

// The endings.
const (
	Succeeded    Ending = iota
	EndFailed           // the call failed
	EndTimedOut         // its time was over
	EndCancelled        // it was cancelled, or never made
)

var endingNames = [...]string{"success", "failure", "timeout", "cancel"}

// EndingOf returns the ending of a call with a failure; nil is none.
func EndingOf(f *Failure) Ending {
	switch {
	case f == nil:
		return Succeeded
	case f.Code == CodeTimeout:
		return EndTimedOut
	case f.Code == CodeCancelled:
		return EndCancelled
	}
	return EndFailed
}

// String returns "success", "failure", "timeout" or "cancel".
func (e Ending) String() string {
	if int(e) >= len(endingNames) {
		return fmt.Sprintf("unknown(%d)", uint8(e))
	}
	return endingNames[e]
}

// MarshalText returns the name of the ending.
func (e Ending) MarshalText() ([]byte, error) {
	if int(e) >= len(endingNames) {
		return nil, fmt.Errorf("effect: there is no ending %d", uint8(e))
	}
	return []byte(e.String()), nil
}

// UnmarshalText reads the name of an ending.
func (e *Ending) UnmarshalText(text []byte) error {
	for i, name := range endingNames {
		if string(text) == name {
			*e = Ending(i)
			return nil
		}
	}
	return fmt.Errorf("effect: there is no ending %.100q, want success, failure, timeout or cancel", text)
}
