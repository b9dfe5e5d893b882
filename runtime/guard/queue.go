// This file defines the queues of waiters.

package guard

import (
	"context"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// waiter is an evaluation that waits for a guard.
type waiter struct {
	ctx   context.Context
	owner *Owner // nil for a token
	lock  *lock  // nil for a token
	run   string // the host's name of the run; "" if it is not known
	name  string // of the waiting evaluation; "" if it is not known
	since time.Time
	// ahead and holder are the waiters before it, and the name of the holder, when the wait began.
	ahead  int
	holder string
	ready  chan struct{} // closed after ticket or err is set
	rests  effect.Rester // optional

	prev, next *waiter
	ticket     uint64 // of the grant; 0 while it waits
	err        *Error // the reason why nothing will be granted
}

// queue is a FIFO queue. Any waiter can leave it.
type queue struct {
	first, last *waiter
	length      int
}

func (q *queue) push(w *waiter) {
	w.prev = q.last
	if q.last == nil {
		q.first = w
	} else {
		q.last.next = w
	}
	q.last = w
	q.length++
}

func (q *queue) remove(w *waiter) {
	if w.prev == nil {
		q.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		q.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.prev, w.next = nil, nil
	q.length--
}

// before returns the number of waiters before w.
func (q *queue) before(w *waiter) int {
	n := 0
	for w = w.prev; w != nil; w = w.prev {
		n++
	}
	return n
}

// wait waits for the grant or the error of w. It returns false if the context ends first.
func (w *waiter) wait(b effect.Blocker) bool {
	if b != nil {
		b.Block()
		defer b.Unblock()
	}
	select {
	case <-w.ready:
		return true
	case <-w.ctx.Done():
		return false
	}
}
