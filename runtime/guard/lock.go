// This file defines how locks are taken, waited for and given back.

package guard

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// shard is a part of the names, with a mutex of its own. The holder and the queue of a
// lock change under that mutex; if somebody waits for it, under that of waits too, so
// that either is enough to read them.
type shard struct {
	mu       sync.Mutex
	locks    table
	limiters map[string]*limiter
	sweep    int    // limiters at which those that are idle are next looked for
	ticket   uint64 // last one given
	counts   Counts
}

func (l *lock) String() string {
	if l.host == "" {
		return "the global guard"
	}
	return "host " + quote(l.host)
}

// give gives a lock that has a new holder its ticket. The caller holds mu.
func (s *shard) give(l *lock) uint64 {
	s.ticket++
	s.counts.Taken++
	l.ticket = s.ticket
	return l.ticket
}

// try gives an owner a lock if it is free. Otherwise the owner is in its queue, unless
// that is an error. The global lock is given as global.
func (s *shard) try(ctx context.Context, waits *waits, global *lock, hash uint64, r *Request) (*lock, uint64, *waiter, *Error) {
	s.mu.Lock()
	l := global
	if l == nil {
		if l = s.locks.find(hash, r.Host); l == nil {
			l = s.locks.add(hash, r.Host)
		}
	}
	if l.holder == nil {
		l.holder = r.Owner
		ticket := s.give(l)
		s.mu.Unlock()
		return l, ticket, nil, nil
	}
	defer s.mu.Unlock()
	w, err := s.join(ctx, waits, l, r.Owner)
	return l, 0, w, err
}

// join puts an owner into the queue of a lock. The caller holds mu.
func (s *shard) join(ctx context.Context, waits *waits, l *lock, o *Owner) (*waiter, *Error) {
	if o.within(l.holder) {
		s.counts.Refused++
		return nil, held(l.String(), o, l.holder)
	}
	if ctx.Err() != nil { // no wait, and so no circle
		s.counts.GaveUp++
		return nil, l.ended(ctx, l.length, 0)
	}
	w := &waiter{ctx: ctx, owner: o, lock: l, ready: make(chan struct{})}
	if err := waits.join(w); err != nil {
		s.counts.Refused++
		return nil, err
	}
	s.counts.Waited++
	return w, nil
}

// leave takes from the queue somebody whose context has ended. There is no error if
// that comes too late, since the lock has been given meanwhile: then it is taken.
func (s *shard) leave(waits *waits, w *waiter, since time.Time) *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.ticket != 0 {
		return nil
	}
	ahead := w.lock.ahead(w)
	waits.leave(w)
	s.counts.GaveUp++
	return w.lock.ended(w.ctx, ahead, time.Since(since))
}

// ended is the error of a wait that its context has ended. The caller holds mu.
func (l *lock) ended(ctx context.Context, ahead int, waited time.Duration) *Error {
	return ended(ctx, l.String(), fmt.Sprintf("%d ahead in the queue, held by %s", ahead, l.holder), waited)
}

// release gives a lock to the first in its queue, or to nobody.
func (s *shard) release(waits *waits, l *lock, ticket uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.ticket != ticket {
		panic("guard: Release of what has been given back already")
	}
	if l.length > 0 {
		w := waits.next(l)
		w.ticket = s.give(l)
		close(w.ready)
		return
	}
	l.holder, l.ticket = nil, 0
	if l.host != "" {
		s.locks.remove(l)
	}
}
