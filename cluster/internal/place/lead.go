// This file defines the leadership of a run.

package place

import (
	"context"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/member"
)

// Lead is the right of this node to run a run, while its context lasts.
type Lead struct {
	Unit
	// Fence grows with each leader of a run. Tools that know it refuse calls of earlier leaders.
	Fence engine.Revision
	// Expired is set if the deadline of the run passed while it waited: the worker ends it without running it.
	Expired bool

	q     *Queue
	ctx   context.Context
	end   context.CancelCauseFunc
	began time.Time
	// Guarded by q.mu.
	closing bool // it is about to end in order
	ended   bool
	leave   func() bool // forgets the lead at the end of the session
}

// Context ends when the lead does, before another node can lead the run, unless this process was stopped in
// the meantime. Its cause is ErrLost, or that of the session of the node. Deadline is the time that the run
// had left when it was taken.
func (l *Lead) Context() context.Context { return l.ctx }

// Holds is the condition that the lead has not ended.
func (l *Lead) Holds() engine.Condition { return Leading(l.Run, l.Fence) }

// lead makes a lead that this node has; the caller holds the lock.
func (q *Queue) lead(u Unit, s *member.Session, fence engine.Revision) *Lead {
	l := &Lead{Unit: u, Fence: fence, q: q, began: time.Now(), Expired: u.Until > 0 && u.Until <= q.clock}
	l.ctx, l.end = context.WithCancelCause(s.Context())
	if u.Until > q.clock {
		l.Deadline = u.Until - q.clock
	}
	l.leave = context.AfterFunc(s.Context(), func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		l.over(0, ErrLost)
	})
	q.leads[u.Run] = l
	q.stats.Taken++
	if l.Expired {
		q.stats.Expired++
	}
	return l
}

// over ends the lead at a revision, with nil for one that has ended in order; the caller holds the lock.
func (l *Lead) over(at engine.Revision, cause error) {
	if l.ended {
		return
	}
	l.ended = true
	l.leave()
	if l.q.leads[l.Run] == l {
		delete(l.q.leads, l.Run)
	}
	if at > l.q.revision {
		l.q.ahead[l.Run] = at
	}
	if cause != nil {
		l.q.stats.Lost++
	}
	l.end(cause)
}

// Finish ends the lead of a run that does not continue on its own, and removes the run from the queue. The error is
// ErrLost if the lead was lost before. The state of the run must be durable already.
func (l *Lead) Finish(ctx context.Context) error {
	return l.close(ctx, func(s *Stats) { s.Finished++ }, engine.Delete(keyUnit+l.Run))
}

// Return ends the lead of a run that is to continue: it waits again, after a delay, for a reason.
func (l *Lead) Return(ctx context.Context, reason string, delay time.Duration) error {
	u := l.Unit
	u.Leader, u.Incarnation, u.Reason, u.From = "", 0, reason, 0
	nodes := l.q.members.Nodes()
	l.q.mu.Lock()
	if delay > 0 {
		u.From = l.q.clock + delay
	}
	l.q.assign(&u, nodes)
	l.q.mu.Unlock()
	return l.close(ctx, func(s *Stats) { s.Returned++ }, engine.Put(keyUnit+l.Run, encode(&u)))
}

// closeRetry is the time between attempts to end a lead.
const closeRetry = 100 * time.Millisecond

// close ends the lead with a change of its unit.
func (l *Lead) close(ctx context.Context, count func(*Stats), op engine.Op) error {
	q := l.q
	q.mu.Lock()
	l.closing = true
	q.mu.Unlock()
	for tried := false; ; tried = true {
		res, err := q.apply(ctx, []engine.Condition{l.Holds()}, op, engine.Delete(keyLead+l.Run))
		if err == nil {
			q.mu.Lock()
			lost := l.ended
			l.over(res.Revision, nil)
			if res.Done {
				count(&q.stats)
			}
			q.mu.Unlock()
			if !res.Done && (lost || !tried) {
				return fmt.Errorf("%w: %s", ErrLost, l.Run)
			}
			q.Kick()
			if q.opts.Ended != nil && op.Delete {
				q.opts.Ended(l.Job, time.Since(l.began))
			}
			return nil // if it was not done now, then by an attempt whose answer was lost
		}
		t := time.NewTimer(closeRetry)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return fmt.Errorf("the end of the lead of run %s can't be kept: %w", l.Run, err)
		}
		q.mu.Lock()
		lost := l.ended
		q.mu.Unlock()
		if lost {
			return fmt.Errorf("%w: %s", ErrLost, l.Run)
		}
	}
}
