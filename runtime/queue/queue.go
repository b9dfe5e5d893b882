// Package queue orders executions: each action has one queue, in which an execution
// waits, first in first out, until fewer than the action's limit are under way. In
// front of the queues are policies: they set the limit of an action, and how often it may be called.
//
//   - Set: the queues of all actions. EnqueueAndWait returns when the execution may
//     start; Complete ends it.
//   - Policies: what an operator sets for an action, for its pack (aws.ec2_start
//     belongs to the pack aws) and for everything: how many at once, at which rate, how
//     many in a window of time.
//   - Enforcer: policies in front of a set, which can be replaced at any time. Its Action is
//     the way of a call: Admit checks the policies, Start waits, Leave completes.
//
// # The order of a call
//
// What a call passes on its way is always, and in this order,
//
//	policy -> locks -> queue -> token -> call
//
// The policies come first because they refuse and never wait: an execution that has used
// up its quota learns that at once, and not after an hour in a queue, where it would
// have taken a place from one that may run. The locks (of a host, or the global one, see
// package guard) come before the queue: a program can hold locks around its calls, and
// package guard finds cycles of waits for locks, but not for places in a queue. So an
// execution that has left the queue must wait for nothing but time: then there is no
// cycle of waits, if a call makes no further call of the same action while
// it is under way. The token bucket comes last, so that a token is gone only when the
// call is really made.
//
// # What a set promises
//
// Executions of an action start in the order of their arrival. A completion wakes one
// waiter, if there is one and the limit allows it; no waiter polls. Every way out of a
// queue is counted once, so that at any moment
//
//	Enqueued = Waiting + Active + Completed + Cancelled + TimedOut
//
// The newest limit counts: when it is raised, as many as now fit start, those that have
// waited before the one that brought it; when it is lowered, none is interrupted, and
// none starts until enough have completed.
//
// Queues are bounded in length, waiting is bounded in time, and the queues of actions
// that are no longer used are bounded in number. Actions share nothing but a table
// that is read without a lock.
package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// The bounds of a set whose options do not say otherwise.
const (
	// DefaultLength bounds what one queue can hold in memory, to some 3 MB beside the
	// goroutines. A longer queue is a fault of the caller.
	DefaultLength = 10_000
	// DefaultWait is beyond all runs but those that are meant to last.
	DefaultWait = time.Hour
	// DefaultIdle is above the number of actions of most installations, so that their
	// totals last as long as the set.
	DefaultIdle = 1_000
)

// NoLimit is the limit of an action of which any number may be under way.
const NoLimit = math.MaxInt

// Options bound a set. A bound that is 0 has its default; there is no way to have none.
type Options struct {
	Length int           // executions that wait for one action
	Wait   time.Duration // for how long each of them
	Idle   int           // actions without executions whose totals are kept, about
}

// Set holds the queues of any number of actions, for any number of goroutines. The zero Set is ready for use, with
// the default bounds.
type Set struct {
	options Options   // with the defaults if there has been a line; see begin
	err     error     // of the bounds
	start   time.Time // what times are counted from; since the first line

	lines  sync.Map // of an action to its *line
	adding sync.Mutex
	count  int // of the lines
	sweep  int // the number of lines at which idle ones are looked for
}

// New returns a set without executions. A negative bound is an error of NewEnforcer and of each execution.
func New(o Options) *Set { return &Set{options: o, err: o.check()} }

// check returns the error of bounds that no set can have.
func (o *Options) check() error {
	if o.Length < 0 || o.Wait < 0 || o.Idle < 0 {
		return fmt.Errorf("queue: got the bounds %d, %s and %d, want none below 0", o.Length, o.Wait, o.Idle)
	}
	return nil
}

// begin sets the defaults of a set that has had no line. The caller holds adding.
func (s *Set) begin() {
	if !s.start.IsZero() {
		return
	}
	o := &s.options
	o.Length, o.Wait, o.Idle = cmp.Or(o.Length, DefaultLength), cmp.Or(o.Wait, DefaultWait), cmp.Or(o.Idle, DefaultIdle)
	s.start, s.sweep = time.Now(), o.Idle
}

// EnqueueAndWait waits until the execution may start: until those that came before it
// have started and fewer than limit are under way. After a nil error it is active, and
// the caller must Complete it.
//
// The name of an execution must differ from those that wait or are active for the same
// action, and limit be at least 1; all else is an error.
//
// If the execution really has to wait, and only then, blocking is called, unless it is
// nil, with the function that does so: by then it has its place in the queue. A
// scheduler can thus learn that a goroutine blocks. blocking must call wait.
//
// The errors are *Full and *TimedOut, when a bound of the set is hit; *Cancelled, after
// Cancel and ClearAll; and one that wraps the cause of ctx, when that ends first. An
// execution that may start when ctx ends at the same moment may return either.
func (s *Set) EnqueueAndWait(ctx context.Context, action, execution string, limit int,
	blocking func(wait func())) error {
	return s.enter(ctx, action, execution, limits{limit, NoLimit}, blocking)
}

// enter is EnqueueAndWait with both limits.
func (s *Set) enter(ctx context.Context, action, execution string, most limits, blocking func(wait func())) error {
	switch {
	case s.err != nil:
		return s.err
	case ctx == nil:
		return errors.New("queue: got a nil context, want one")
	case most.of() < 1:
		return fmt.Errorf("queue: the limit of %s is %d, want at least 1", action, most.of())
	}
	if ctx.Err() != nil {
		return stopped(ctx, action, execution)
	}
	l := s.open(action)
	w, err := l.arrive(execution, most)
	if w == nil {
		return err
	}
	if blocking == nil {
		w.wait(ctx)
	} else {
		blocking(func() { w.wait(ctx) })
	}
	return l.settle(ctx, w)
}

// Complete ends an execution that EnqueueAndWait has let start, and lets the next one
// start if the limit allows it. If the execution is not active, it changes nothing and returns a *NotActive: a
// completion too many would be a start too many.
func (s *Set) Complete(action, execution string) error {
	l := s.find(action)
	if l == nil || !l.complete(execution) {
		return &NotActive{action, execution}
	}
	return nil
}

// Cancel takes a waiting execution out of its queue, and reports whether there was
// one. Its EnqueueAndWait returns *Cancelled. An active execution is not touched.
func (s *Set) Cancel(action, execution string) bool {
	l := s.find(action)
	return l != nil && l.cancel(execution)
}

// ClearAll takes all executions that wait out of their queues, as Cancel does, and
// returns their number. It is for emergencies. The active ones stay active, since they
// are under way, and are to be completed as ever.
func (s *Set) ClearAll() int {
	n := 0
	for l := range s.all {
		n += l.clear()
	}
	return n
}

// now returns the time since the set was made, by the monotonic clock.
func (s *Set) now() time.Duration { return time.Since(s.start) }
