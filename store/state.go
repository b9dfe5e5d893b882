// This file defines the states of a run, and which may follow which.

package store

import "slices"

// State is the state of a run.
type State string

// The states.
const (
	Queued    State = "queued"    // waits to be started
	Running   State = "running"   // runs in a process
	Waiting   State = "waiting"   // runs in a process, and all that is left of it waits for pending effects
	Parked    State = "parked"    // waits for pending effects or a time; only its journal is left of it
	InDoubt   State = "in-doubt"  // has writes of unknown outcome, which must be settled before it continues
	Succeeded State = "succeeded" // has a value
	Failed    State = "failed"    // has an error
	Cancelled State = "cancelled" // was ended by a person, or by another program
	Poisoned  State = "poisoned"  // was set aside, because the process died each time that it ran
)

// followers returns the states that may follow a state. A final state has none.
//
// A run that was running when its process ended continues, or is queued again. One that was not running can't have
// ended the process, so it does not become poisoned, except in the queue, where it may be on its way back from a crash.
func (s State) followers() []State {
	switch s {
	case Queued:
		return []State{Running, InDoubt, Failed, Cancelled, Poisoned}
	case Running:
		return []State{Queued, Waiting, Parked, InDoubt, Succeeded, Failed, Cancelled, Poisoned}
	case Waiting:
		return []State{Queued, Running, Parked, InDoubt, Succeeded, Failed, Cancelled, Poisoned}
	case Parked:
		return []State{Queued, Running, InDoubt, Failed, Cancelled}
	case InDoubt:
		return []State{Queued, Running, Failed, Cancelled}
	}
	return nil
}

// States returns all states, in the order in which a run can pass through them.
func States() []State {
	return []State{Queued, Running, Waiting, Parked, InDoubt, Succeeded, Failed, Cancelled, Poisoned}
}

// Valid reports whether the state is one of States.
func (s State) Valid() bool { return slices.Contains(States(), s) }

// Final reports whether a run in this state has ended. Then it never changes again.
func (s State) Final() bool { return s.Valid() && len(s.followers()) == 0 }

// May reports whether a run may change from this state to another one. A state may follow itself unless it is final.
func (s State) May(next State) bool {
	return s == next && s.Valid() && !s.Final() || slices.Contains(s.followers(), next)
}
