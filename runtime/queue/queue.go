// Package queue orders executions: each action has one queue, in which an execution waits, first in
// first out, until fewer than the action's limit are under way. Policies set the limit of an action
// and bound the number of its calls.
//
//   - Set: the queues of all actions. EnqueueAndWait returns when the execution may
//     start; Complete ends it.
//   - Policies: the bounds that an operator sets for an action, for its pack (aws.ec2_start belongs
//     to the pack aws) and for everything: a number at once, a rate, and a number in a window of
//     time.
//   - Enforcer: a set with policies, which can be replaced at any time. A call uses its Action:
//     Admit checks the policies, Start waits, Leave completes.
//
// # The order of a call
//
// A call always passes, in this order,
//
//	policy -> locks -> queue -> token -> call
//
// The policies come first because they refuse and never wait: a call whose action has used up its quota
// fails immediately, and not after an hour in a queue, where it would have taken a place from a call that
// may run. The locks (of a host, or the global one, see package guard) come before the queue: a program can
// hold locks around its calls, and package guard finds cycles of waits for locks, but not for places in a
// queue. So an execution that has left the queue must wait only for time. Then there is no cycle of waits,
// if a call makes no further call of the same action while it is under way. The token bucket comes last, so
// that a token is spent only when the call is made.
//
// # Guarantees
//
// Executions of an action that have the same priority start in the order of their arrival. Each priority
// has its own lane, and the lanes take turns by weight (see WeightHigh), so that none of them is starved. A
// completion wakes one waiter, if there is one and the limit allows it; no waiter polls. Every way out of a
// queue is counted once, so that at any moment
//
//	Enqueued = Waiting + Active + Completed + Cancelled + TimedOut
//
// The elements of a parallel operation run on several goroutines, so their calls arrive in an order
// that timing decides. A program whose calls must start in the order of its elements makes them in
// one evaluation, with doseq or map.
//
// The newest limit applies. When it is raised, as many as now fit start, waiters before the
// execution that raised it. When it is lowered, none is interrupted, and none starts until enough
// have completed.
//
// Queues are bounded in length, waiting is bounded in time, and the queues of actions that are no
// longer used are bounded in number. Actions share only a table that is read without a lock.
package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// The default bounds of a set.
const (
	// DefaultLength bounds the memory of one lane to some 4 MB beside the goroutines. A longer one is a
	// mistake of the caller.
	DefaultLength = 10_000
	// DefaultWait is longer than all runs except intentionally long ones.
	DefaultWait = time.Hour
	// DefaultIdle exceeds the number of actions of most installations, so that their totals last as
	// long as the set.
	DefaultIdle = 1_000
)

// NoLimit is the limit of an action without a limit.
const NoLimit = math.MaxInt

// Options are the bounds of a set. A bound of 0 is the default; none can be switched off.
type Options struct {
	Length int           // maximum number of waiting executions of one action and priority
	Wait   time.Duration // maximum time for which each of them waits
	Idle   int           // approximate number of actions without executions whose totals are kept
}

// Set holds the queues of any number of actions, for any number of goroutines. The zero Set is ready for use, with
// the default bounds.
type Set struct {
	options Options   // with the defaults if there has been a line; see begin
	err     error     // of the bounds
	start   time.Time // the origin of times; since the first line

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

// EnqueueAndWait waits until the execution, which has normal priority, may start: until those of its
// priority that came before it have started and fewer than limit are under way. After a nil error it
// is active, and the caller must Complete it.
//
// The name of an execution must differ from those of the waiting and active executions of the same action,
// and limit be at least 1; all else is an error.
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
	if err := s.mayEnter(ctx, action, execution, limits{limit, NoLimit}); err != nil {
		return err
	}
	var block func(wait func(), ahead int)
	if blocking != nil {
		block = func(wait func(), _ int) { blocking(wait) }
	}
	return s.open(action, nil).enter(ctx, execution, nil, limits{limit, NoLimit}, block)
}

// mayEnter returns an error for an execution that must not even queue.
func (s *Set) mayEnter(ctx context.Context, action, execution string, most limits) error {
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
	return nil
}

// Complete ends an execution that EnqueueAndWait has started, and lets the next one start if the
// limit allows it. If the execution is not active, it changes nothing and returns a *NotActive: a
// completion too many would be a start too many.
func (s *Set) Complete(action, execution string) error {
	l := s.find(action)
	if l == nil || !l.complete(execution, effect.Succeeded) {
		return &NotActive{action, execution}
	}
	return nil
}

// Cancel removes a waiting execution from its queue, and reports whether there was one. Its
// EnqueueAndWait returns *Cancelled. An active execution is not touched.
func (s *Set) Cancel(action, execution string) bool {
	l := s.find(action)
	return l != nil && l.cancel(execution)
}

// Clear removes all waiting executions of an action from its queue, as Cancel does, and returns their
// number. Active executions are not changed.
func (s *Set) Clear(action string) int {
	if l := s.find(action); l != nil {
		return l.clear()
	}
	return 0
}

// ClearAll is Clear of all actions. It is for emergencies.
func (s *Set) ClearAll() int {
	n := 0
	for l := range s.all {
		n += l.clear()
	}
	return n
}

// now returns the time since the set was made, by the monotonic clock.
func (s *Set) now() time.Duration { return time.Since(s.start) }
