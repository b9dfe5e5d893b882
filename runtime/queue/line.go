// This file defines line, the queue of one action.

package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// line is the queue of one action, and the count of its executions under way.
type line struct {
	set    *Set
	action string

	mu         sync.Mutex
	executions map[string]*waiter // waiting and active executions; nil for an active one
	active     int
	limit      int    // the newest one
	most       limits // the newest ones, of which limit is the lower
	head, tail *waiter
	totals     totals
	// timer runs while the queue is not empty. All may wait equally long, so the head is the first
	// to time out, and one timer is enough.
	timer     *time.Timer
	used      bool // since the last search for idle lines
	forgotten bool // it is no longer in the table of its set
}

// limits bound the executions of an action that are under way: one by the policies, one by the
// action itself.
type limits struct{ policy, own int }

// of returns the lower limit.
func (l limits) of() int { return min(l.policy, l.own) }

// totals counts the executions of an action by their outcome.
type totals struct{ enqueued, completed, cancelled, timedOut, refused int64 }

// waiter is an execution that waits.
type waiter struct {
	previous, next *waiter
	execution      string
	since          time.Duration // by the clock of the set
	left           chan struct{} // closed when it has left the queue
	err            error         // why it may not start; set before left is closed
}

// enter waits until an execution may start. The caller holds mu, which enter releases.
func (l *line) enter(ctx context.Context, execution string, most limits, blocking func(wait func())) error {
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

// arrive lets an execution start, or puts it into the queue and returns its waiter. The caller
// holds mu, which arrive releases.
func (l *line) arrive(execution string, most limits) (*waiter, error) {
	defer l.mu.Unlock()
	if _, here := l.executions[execution]; here {
		return nil, fmt.Errorf("queue: %s of %s waits or is active already", execution, l.action)
	}
	l.used = true
	limit := most.of()
	l.most, l.limit = most, limit
	l.fill()
	waiting := l.waiting()
	switch {
	case l.active < limit: // so nothing waits, or it would have started
		l.active++
		l.totals.enqueued++
		l.executions[execution] = nil
		return nil, nil
	case waiting >= l.set.options.Length:
		l.totals.refused++
		return nil, &Full{Action: l.action, Waiting: waiting, Active: l.active, Limit: limit}
	}
	w := &waiter{execution: execution, since: l.set.now(), left: make(chan struct{})}
	l.totals.enqueued++
	l.executions[execution] = w
	l.push(w)
	return w, nil
}

// waiting returns the length of the queue. The caller holds mu.
func (l *line) waiting() int { return len(l.executions) - l.active }

// fill lets the first waiters start, as many as the limit allows. The caller holds mu.
func (l *line) fill() {
	for l.head != nil && l.active < l.limit {
		w := l.head
		l.executions[w.execution] = nil
		l.active++
		l.remove(w)
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
func (l *line) complete(execution string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w, here := l.executions[execution]; !here || w != nil {
		return false
	}
	delete(l.executions, execution)
	l.active--
	l.totals.completed++
	l.fill()
	return true
}

// cancel removes an execution from the queue. It reports whether it was in the queue.
func (l *line) cancel(execution string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.executions[execution]
	if w == nil {
		return false
	}
	l.refuse(w, &l.totals.cancelled, &Cancelled{Action: l.action, Execution: execution})
	return true
}

// clear removes all waiters from the queue, and returns their number.
func (l *line) clear() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.waiting()
	for l.head != nil {
		w := l.head
		l.refuse(w, &l.totals.cancelled, &Cancelled{Action: l.action, Execution: w.execution, Cleared: true})
	}
	return n
}

// expire removes the waiters that have timed out from the queue.
func (l *line) expire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, wait := l.set.now(), l.set.options.Wait
	for l.head != nil && now-l.head.since >= wait {
		w := l.head
		l.refuse(w, &l.totals.timedOut, &TimedOut{
			Action: l.action, Execution: w.execution, Waited: now - w.since, Active: l.active, Limit: l.limit,
		})
	}
	if l.head != nil {
		l.timer.Reset(wait - (now - l.head.since))
	}
}

// refuse removes an execution from the queue without letting it start. The caller holds mu.
func (l *line) refuse(w *waiter, total *int64, err error) {
	w.err = err
	*total++
	delete(l.executions, w.execution)
	l.remove(w)
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
	total := &l.totals.cancelled
	switch ctx.Err() {
	case nil:
		l.refuse(w, total, errors.New("queue: blocking returned without having waited"))
		return w.err
	case context.DeadlineExceeded:
		total = &l.totals.timedOut
	}
	l.refuse(w, total, stopped(ctx, l.action, w.execution))
	return w.err
}

// push appends a waiter to the queue. The caller holds mu.
func (l *line) push(w *waiter) {
	if l.tail != nil {
		l.tail.next, w.previous = w, l.tail
		l.tail = w
		return
	}
	l.head, l.tail = w, w
	if l.timer == nil {
		l.timer = time.AfterFunc(l.set.options.Wait, l.expire)
	} else {
		l.timer.Reset(l.set.options.Wait)
	}
}

// remove removes a waiter from the queue and wakes it. The timer is not changed: when it fires, it
// is set again for the head at that time. The caller holds mu.
func (l *line) remove(w *waiter) {
	if w.previous != nil {
		w.previous.next = w.next
	} else {
		l.head = w.next
	}
	if w.next != nil {
		w.next.previous = w.previous
	} else {
		l.tail = w.previous
	}
	w.previous, w.next = nil, nil
	if l.head == nil {
		l.timer.Stop()
	}
	close(w.left)
}
