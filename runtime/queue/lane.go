// This file defines the lanes of a queue, one for each priority.

package queue

import (
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// The weights of the lanes: while all of them have waiters, 21 successive starts are 16 of high, 4 of
// normal and 1 of low priority.
//
// So a lane is never starved. Of the other lanes at most 2 executions start before the head of the
// high lane, at most 5 before that of the normal lane, and at most 21 before that of the low lane.
const (
	WeightHigh   = 16
	WeightNormal = 4
	WeightLow    = 1
)

// strides are inversely proportional to the weights.
var strides = [...]uint64{1, WeightHigh / WeightNormal, WeightHigh / WeightLow}

// lane is the part of a queue for one priority: first in, first out.
type lane struct {
	head, tail *waiter
	length     int
	// pass is the virtual time of the next start: the lane with the lowest one is next. A start adds
	// the stride.
	pass   uint64
	totals totals
}

// totals counts the executions of a lane by how they left the queue.
type totals struct {
	enqueued, cancelled, timedOut, refused int64
	waited, longest                        time.Duration // of all waits that are over
}

// laneOf returns the lane of a priority, which is valid.
func (l *line) laneOf(p effect.Priority) *lane { return &l.lanes[p-effect.HighPriority] }

// next returns the head of the lane whose turn it is, and ends the turn. There is a waiter. The
// caller holds mu.
func (l *line) next() *waiter {
	best := -1
	for i := range l.lanes {
		if a := &l.lanes[i]; a.head != nil && (best < 0 || a.pass < l.lanes[best].pass) {
			best = i
		}
	}
	a := &l.lanes[best]
	l.turn = a.pass
	a.pass += strides[best]
	return a.head
}

// push appends a waiter to its lane. A lane that was empty waits a whole stride for its turn, so that it
// gains nothing by being empty from time to time. The caller holds mu.
func (l *line) push(w *waiter) {
	a := l.laneOf(w.priority)
	if a.tail == nil {
		a.head = w
		a.pass = l.turn + strides[w.priority-effect.HighPriority]
	} else {
		a.tail.next, w.previous = w, a.tail
	}
	a.tail = w
	a.length++
	if len(l.waiting) > 1 {
		return
	}
	if l.timer == nil {
		l.timer = time.AfterFunc(l.set.options.Wait, l.expire)
	} else {
		l.timer.Reset(l.set.options.Wait)
	}
}

// remove removes a waiter from the queue at a time, and wakes it. The timer is not changed: when it
// fires, it is set again for the first of the heads at that time. The caller holds mu.
func (l *line) remove(w *waiter, now time.Duration) {
	a := l.laneOf(w.priority)
	if w.previous != nil {
		w.previous.next = w.next
	} else {
		a.head = w.next
	}
	if w.next != nil {
		w.next.previous = w.previous
	} else {
		a.tail = w.previous
	}
	w.previous, w.next = nil, nil
	a.length--
	waited := now - w.since
	a.totals.waited += waited
	a.totals.longest = max(a.totals.longest, waited)
	delete(l.waiting, w.execution)
	if len(l.waiting) == 0 {
		l.timer.Stop()
	}
	close(w.left)
}

// expire removes the waiters that have timed out from the queue. Those of a lane have arrived one after the other, so
// none after one that is too young can have timed out. Those before it may have been idle, and are checked again
// after a while.
func (l *line) expire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, wait := l.set.now(), l.set.options.Wait
	rest := wait
	for i := range l.lanes {
		a := &l.lanes[i]
		for w, next := a.head, (*waiter)(nil); w != nil; w = next {
			next = w.next
			waited := now - w.since
			if waited < wait {
				rest = min(rest, wait-waited)
				break
			}
			if waited -= w.idleSince(); waited < wait {
				rest = min(rest, max(wait-waited, wait/idleChecks))
				continue
			}
			l.refuse(w, &a.totals.timedOut, now, &TimedOut{
				Action: l.action, Execution: w.execution, Waited: waited, Active: len(l.running), Limit: l.limit,
			})
		}
	}
	if len(l.waiting) > 0 {
		l.timer.Reset(rest)
	}
}

// idleChecks is the maximum number of times that the queue checks, during the maximum time of a wait,
// whether a waiter is no longer idle. So a waiter times out at most one hundredth too late.
const idleChecks = 100
