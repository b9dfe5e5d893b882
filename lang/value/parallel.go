// This file defines how a builtin describes a parallel operation.

package value

import "time"

// Parallel is a parallel operation that a builtin requests. Host.Parallel runs it.
type Parallel struct {
	Name  string // the function that the program called: "pmap"
	Call  ParallelCall
	Until ParallelUntil
	Fn    Value
	Items Value         // a vector
	Need  int           // number of successes, for UntilEnough
	Delay time.Duration // by which elements after the first are delayed
	// Futures means that the items are futures. An element may wait for those before it, and change cells of the
	// evaluations around it after them; see Futures.
	Futures bool
	// Retry, of futures, means that an element which would wait in vain is to begin anew later: its status is nil, and
	// its result true.
	Retry bool
	// Timeout, of futures, is the time after which the elements that have not ended are ended; 0 is no limit.
	Timeout time.Duration
}

// Narrowed holds the bounds of with-limits. A bound of 0 is unchanged.
type Narrowed struct {
	Timeout time.Duration
	Steps   int64
	Bytes   int64
	Calls   int
	Workers int
}

// ParallelCall is the way in which an element is called.
type ParallelCall uint8

// The ways to call an element.
const (
	CallItem   ParallelCall = iota // (fn item)
	CallSpread                     // (apply fn item); item is a vector
	CallThunk                      // (item)
)

// ParallelUntil is the condition that ends an operation.
type ParallelUntil uint8

// The conditions that end an operation.
const (
	UntilFailed  ParallelUntil = iota // all are done, or one has failed
	UntilSettled                      // all are done or have failed
	UntilEnough                       // Need of them are done, or cannot be
)
