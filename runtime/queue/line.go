// This file defines line, the queue of one action.

package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// line is the queue of one action, and the count of its executions under way.
type line struct {
	set    *Set
	action string

	mu      sync.Mutex
	running map[string]running // the executions under way
	waiting map[string]*waiter // those in the lanes; nil until the first one has to wait
	limit   int                // the newest one
	most    limits             // the newest ones; limit is the lower of them
	lanes   [len(effect.Priorities)]lane
	turn    uint64 // the pass of the last start from a lane
	arrived uint64 // the number of the last waiter

	completed, failed int64
	// timer runs while the queue is not empty. All may wait equally long, so one timer is enough: see expire.
	timer     *time.Timer
	used      bool // since the last search for idle lines
	forgotten bool // it is no longer in the table of its set
}

// limits bound the executions of an action that are under way: one by the policies, one by the
// action itself.
type limits struct{ policy, own int }

// of returns the lower limit.
func (l limits) of() int { return min(l.policy, l.own) }

// running is an execution under way.
type running struct {
	about *effect.Execution // nil if only its name is known
	began time.Duration     // by the clock of the set; 0 if it did not have to wait
}

// waiter is an execution that waits.
type waiter struct {
	previous, next *waiter // in its lane
	execution      string
	about          *effect.Execution // nil if only its name is known
	ahead          int               // waiters before it in its lane when it arrived
	since          time.Duration     // by the clock of the set
	idle           time.Duration     // of its run when it arrived; see effect.Execution.Idle
	number         uint64            // in the order of arrival
	priority       effect.Priority
	left           chan struct{} // closed when it has left the queue
	err            error         // why it must not start; set before left is closed
}

// enter waits until an execution may start. The caller holds mu, which enter releases. blocking gets the number of
// waiters before the execution in its lane.
func (l *line) enter(ctx context.Context, execution string, about *effect.Execution, most limits,
	blocking func(wait func(), ahead int)) error {
	w, err := l.arrive(execution, about, most)
	if w == nil {
		return err
	}
	if blocking == nil {
		w.wait(ctx)
	} else {
		blocking(func() { w.wait(ctx) }, w.ahead)
	}
	return l.settle(ctx, w)
}

// arrive lets an execution start, or puts it into the queue and returns its waiter. about may be
// nil. The caller holds mu, which arrive releases.
func (l *line) arrive(execution string, about *effect.Execution, most limits) (*waiter, error) {
	defer l.mu.Unlock()
	_, here := l.running[execution]
	if _, waits := l.waiting[execution]; here || waits {
		return nil, fmt.Errorf("queue: %s of %s waits or is active already", execution, l.action)
	}
	l.used = true
	limit := most.of()
	l.most, l.limit = most, limit
	if len(l.waiting) > 0 {
		l.fill()
	}
	priority := effect.NormalPriority
	if about != nil {
		priority = about.Priority
	}
	lane := l.laneOf(priority)
	switch {
	case len(l.running) < limit: // so nothing waits, or it would have started
		lane.totals.enqueued++
		l.running[execution] = running{about: about}
		return nil, nil
	case lane.length >= l.set.options.Length:
		lane.totals.refused++
		return nil, &Full{Action: l.action, Priority: priority, Waiting: lane.length, Active: len(l.running),
			Limit: limit}
	}
	l.arrived++
	w := &waiter{execution: execution, about: about, ahead: lane.length, since: l.set.now(), number: l.arrived,
		priority: priority, left: make(chan struct{})}
	w.idle = w.idleSince()
	lane.totals.enqueued++
	if l.waiting == nil {
		l.waiting = map[string]*waiter{}
	}
	l.waiting[execution] = w
	l.push(w)
	if about != nil && about.Rester != nil {
		about.Rester.Rest()
	}
	return w, nil
}

// fill lets the next waiters start, as many as the limit allows. The caller holds mu.
func (l *line) fill() {
	if len(l.waiting) == 0 || len(l.running) >= l.limit {
		return
	}
	now := l.set.now()
	for len(l.waiting) > 0 && len(l.running) < l.limit {
		w := l.next()
		l.running[w.execution] = running{w.about, now}
		if w.about != nil && w.about.Rester != nil {
			w.about.Rester.Wake()
		}
		l.remove(w, now)
	}
}

// relimit sets the limit of the policy.
func (l *line) relimit(policy int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limit == 0 { // nothing has arrived yet
		return
	}
	l.most.policy = policy
	l.limit = l.most.of()
	l.fill()
}

// complete ends an active execution. It reports whether the execution was active.
func (l *line) complete(execution string, how effect.Ending) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := len(l.running)
	if delete(l.running, execution); len(l.running) == before {
		return false
	}
	l.completed++
	if how != effect.Succeeded {
		l.failed++
	}
	l.fill()
	return true
}

// cancel removes an execution from the queue. It reports whether it was in the queue.
func (l *line) cancel(execution string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.waiting[execution]
	if w == nil {
		return false
	}
	l.refuse(w, &l.laneOf(w.priority).totals.cancelled, l.set.now(), &Cancelled{Action: l.action, Execution: execution})
	return true
}

// clear removes all waiters from the queue, and returns their number.
func (l *line) clear() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, now := len(l.waiting), l.set.now()
	for i := range l.lanes {
		for a := &l.lanes[i]; a.head != nil; {
			l.refuse(a.head, &a.totals.cancelled, now,
				&Cancelled{Action: l.action, Execution: a.head.execution, Cleared: true})
		}
	}
	return n
}

// refuse removes an execution from the queue without letting it start. The caller holds mu.
func (l *line) refuse(w *waiter, total *int64, now time.Duration, err error) {
	w.err = err
	*total++
	l.remove(w, now)
}

// idleSince returns the time for which the run of the execution has been idle since it arrived.
func (w *waiter) idleSince() time.Duration {
	if w.about == nil || w.about.Idle == nil {
		return 0
	}
	return w.about.Idle() - w.idle
}

// wait waits until the execution has left the queue or ctx ends.
func (w *waiter) wait(ctx context.Context) {
	select {
	case <-w.left:
	case <-ctx.Done():
	}
}

// out reports whether the execution has left the queue.
func (w *waiter) out() bool {
	select {
	case <-w.left:
		return true
	default:
		return false
	}
}

// settle returns the outcome of a wait. An execution that is still in the queue leaves it because
// ctx ended. One that was allowed to start at the last moment stays active: a start is never
// undone.
func (l *line) settle(ctx context.Context, w *waiter) error {
	if w.out() { // the usual case, which needs no lock
		return w.err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.out() {
		return w.err
	}
	now, lane := l.set.now(), l.laneOf(w.priority)
	total := &lane.totals.cancelled
	switch ctx.Err() {
	case nil:
		l.refuse(w, total, now, errors.New("queue: blocking returned without having waited"))
		return w.err
	case context.DeadlineExceeded:
		total = &lane.totals.timedOut
	}
	l.refuse(w, total, now, stopped(ctx, l.action, w.execution))
	return w.err
}
