// This file defines what a builtin says of a parallel operation.

package value

import "time"

// Parallel is a parallel operation as a builtin asks for it: Host.Parallel runs it.
type Parallel struct {
	Name  string // of the function that the program called: "pmap"
	Call  ParallelCall
	Until ParallelUntil
	Fn    Value
	Items Value         // a vector
	Need  int           // successes, for UntilEnough
	Delay time.Duration // that the elements behind the first one wait
}

// Narrowed are the bounds of with-limits; what is 0 stays as it is.
type Narrowed struct {
	Timeout time.Duration
	Steps   int64
	Bytes   int64
	Calls   int
	Workers int
}

// ParallelCall says how an element is called.
type ParallelCall uint8

// The ways to call an element.
const (
	CallItem   ParallelCall = iota // (fn item)
	CallSpread                     // (apply fn item), item being a vector
	CallThunk                      // (item)
)

// ParallelUntil says when an operation ends.
type ParallelUntil uint8

// The ends of an operation.
const (
	UntilFailed  ParallelUntil = iota // all are done, or one failed
	UntilSettled                      // all are done or have failed
	UntilEnough                       // Need of them are done, or can't be
)
