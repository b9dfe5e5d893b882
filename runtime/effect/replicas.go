// This file defines how the evaluations of one run on several nodes share its work.

package effect

import "context"

// Replicas connects the evaluation of a run on one node with those of the same run on other nodes. Every node evaluates
// the whole program; each effect is performed by one node, and the others take its outcome from the log of the run.
// Package runtime/dist implements it.
//
// A path names an evaluation, as in the ids of its effects. The node that decides for a path performs its effects, and
// may end it by a bound.
type Replicas interface {
	// Share returns how the elements of an operation are divided among the nodes; nil if this node runs all of them,
	// with the outcomes of effects from the log where another node decides. It waits until the node that decides for the
	// evaluation has begun the operation. An error ends the run here.
	Share(ctx context.Context, op SharedOperation) (Sharing, error)
	// Follows reports whether this node does not decide for the evaluation at a path.
	Follows(path string) bool
	// Await waits until the outcome of an effect is known, or this node decides for its evaluation, or nobody needs it.
	Await(ctx context.Context, id string)
	// Borrow returns a guard that another node holds, for an evaluation that this node follows. It is released as one
	// that is held. If this node comes to decide for the evaluation in the meantime, the evaluation begins again from the
	// log.
	Borrow(path string) Held
	// OnSettled sets a function that is called with the id of an effect that is pending here and whose outcome another
	// node has recorded. It must not wait.
	OnSettled(f func(id string))
	// Halt records that the run has ended with an error that a bound depends on, as JSON, so that all nodes end with
	// it. It returns an error if this node does not decide for the run: then its end is not that of the run.
	Halt(failure []byte) error
}

// SharedOperation is an operation that may be shared.
type SharedOperation struct {
	Path     string // of the operation
	Elements int
	// Effects is the number of effects of the evaluation before the operation, and Shape a hash of the facts
	// that all nodes must agree on. They show whether the nodes evaluate the same program.
	Effects int
	Shape   uint64
	// Computes is optional. It reports whether the elements can have no effect and never wait, alike on all nodes.
	Computes func() bool
}

// Sharing is an operation whose elements several nodes run. The methods that decide which elements run here are those
// of sched.Chooser.
type Sharing interface {
	// Begin is called before the first element. limit returns the number of elements without those at the end that are
	// not needed. wake has workers started if there is work; stopAbove cancels the elements above an index. Neither must
	// be called with a lock that HasWork takes.
	Begin(limit func() int64, wake func(), stopAbove func(i int))
	// Next returns the next element for a worker, each once. ok is false if the worker has to leave: the
	// operation's own worker, of the evaluation that waits, leaves when no needed element is left, and
	// otherwise waits, and notifies w of the wait.
	Next(own bool, w WaitingWorker) (i int64, ok bool)
	// Until is called before Begin with the context that ends the wait for other nodes.
	Until(ctx context.Context)
	// HasWork reports whether more than n elements are ready for workers.
	HasWork(n int64) bool
	// Lowered is called when the limit has become less.
	Lowered()
	// End is called when no worker is left. last is the index of the last element that was needed.
	End(last int64)

	// Take returns the next step for an element that Next has returned.
	Take(i int) Taken
	// Give records the outcome of an element that has ended here. An error ends the run.
	Give(i int, g Given) error
	// Settled waits for the outcome of an element that was run as a follower. mine reports that it has none, and this
	// node has come to decide for it: then the caller calls Give.
	Settled(ctx context.Context, i int) (g Given, mine bool, err error)
	// Unsettled records that an element has failed by something that may still be settled: nothing follows from it.
	Unsettled()
}

// WaitingWorker is notified when a worker waits: Block and Unblock are called around a wait, and in between Rest if
// nothing in this process ends the wait, and Wake when it is over.
type WaitingWorker = interface {
	Block()
	Unblock()
	Rest()
	Wake()
}

// Doing is the next step for an element of a shared operation.
type Doing uint8

// The steps for an element.
const (
	DoRun    Doing = iota // it runs here, and Give records its outcome
	DoTake                // its value is known
	DoRepeat              // its value is no data: it runs again, with the outcomes of its effects from the log
	DoFollow              // another node runs it; it runs here too, to share the operations in it
	DoLook                // the time of the evaluation may be over: check its bounds, and run nothing
)

// Taken is the next step for an element, with its outcome if that is known.
type Taken struct {
	Doing
	Given
}

// Given is the outcome of an element that has ended. Without Plain only its effects are known, and the element runs
// again where it is needed.
type Given struct {
	Plain   bool   // Value is the value of the element, encoded
	Value   []byte // not changed
	Prints  string
	Marks   []PrintMark
	Dropped int   // bytes of prints beyond the limit
	Steps   int64 // with those of the elements below
	Calls   int64 // of tools, with those of the elements below
}

// PrintMark is the byte from which on prints are those of the evaluation at a path, "" for the element itself.
type PrintMark struct {
	From int
	Path string
}
