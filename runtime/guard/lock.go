// This file defines how locks are taken, waited for and released.

package guard

import (
	"context"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// lock is the lock of a host, or the global one.
type lock struct {
	host   string        // "" for the global lock
	holder *Owner        // nil if it is free
	ticket uint64        // of the holder; 0 if it is free
	since  time.Duration // when it was granted, by the clock of the Set
	queue                // of the waiters
}

func (l *lock) String() string {
	if l.host == "" {
		return "the global guard"
	}
	return "host " + effect.QuoteGuard(l.host)
}

// lock takes the lock of a host, or the global one for "".
func (s *Set) lock(ctx context.Context, host string, o *Owner, r *effect.GuardRequest) (*lock, uint64, *Error) {
	l, ticket, w, err := s.tryLock(ctx, host, o, r.Rester)
	if err != nil {
		return nil, 0, err
	}
	var waited time.Duration
	if w != nil {
		began := time.Now()
		effect.BeginWait(ctx, effect.Begun{Kind: l.waitKind(), Key: host, Ahead: w.ahead, Holder: w.holder})
		given := w.wait(r.Blocker)
		waited = noteWait(r, l.waitKind(), host, began, w.ahead)
		if !given {
			if err := s.leaveLock(w, began); err != nil {
				return nil, 0, err
			}
		}
		ticket = w.ticket
	}
	if s.log != nil {
		s.tell(ctx, "guard taken", l.String(), o, waited)
	}
	return l, ticket, nil
}

// waitKind returns the kind of a wait for the lock.
func (l *lock) waitKind() effect.WaitKind {
	if l.host == "" {
		return effect.WaitGlobal
	}
	return effect.WaitHost
}

// noteWait adds a wait that ends now to a request, and returns how long it was.
func noteWait(r *effect.GuardRequest, kind effect.WaitKind, key string, began time.Time, ahead int) time.Duration {
	d := time.Since(began)
	r.Waits = append(r.Waits, effect.Wait{Kind: kind, Key: key, Start: began, Duration: d, Ahead: ahead})
	return d
}

// tryLock takes a lock for an owner if it is free. Otherwise the owner is in its queue,
// unless that is an error.
func (s *Set) tryLock(ctx context.Context, host string, o *Owner,
	rests effect.Rester) (*lock, uint64, *waiter, *Error) {
	s.mu.Lock()
	l := &s.global
	if host != "" {
		l = s.lockOf(host)
	}
	if l.holder == nil {
		ticket := s.grant(l, o)
		s.mu.Unlock()
		return l, ticket, nil, nil
	}
	defer s.mu.Unlock()
	w, err := s.queueFor(ctx, l, o)
	if w != nil && rests != nil {
		w.rests = rests
		l.settle(w)
	}
	return l, 0, w, err
}

// lockOf returns the lock of a host, a new one if it is free. The caller holds mu.
func (s *Set) lockOf(host string) *lock {
	l := s.locks[host]
	if l == nil {
		if s.locks == nil {
			s.locks = map[string]*lock{}
		}
		l = &lock{host: host}
		s.locks[host] = l
	}
	return l
}

// grant makes an owner the holder of a lock. The caller holds mu.
func (s *Set) grant(l *lock, o *Owner) uint64 {
	s.ticket++
	s.counts.Taken++
	l.holder, l.ticket, l.since = o, s.ticket, s.now()
	return l.ticket
}

// queueFor puts an owner into the queue of a lock. The caller holds mu.
func (s *Set) queueFor(ctx context.Context, l *lock, o *Owner) (*waiter, *Error) {
	if err := l.refuses(o); err != nil {
		s.counts.Refused++
		return nil, err
	}
	if ctx.Err() != nil { // no wait, and so no cycle
		s.counts.GaveUp++
		return nil, l.ended(ctx, l.length, 0)
	}
	w := &waiter{ctx: ctx, owner: o, run: o.run, name: o.name, lock: l, since: time.Now(), ready: make(chan struct{}),
		ahead: l.length, holder: l.holder.name}
	if links := s.search.cycle(w); links != nil {
		s.counts.Refused++
		return nil, cycle(links)
	}
	l.push(w)
	o.begin(w)
	s.counts.Waited++
	return w, nil
}

// refuses returns the error of an owner that would wait for itself, for an owner that waits for it,
// or for a call that one of these has abandoned. The caller holds mu.
func (l *lock) refuses(o *Owner) *Error {
	switch h := l.holder; {
	case !h.abandoned.IsZero() && o.within(h.parent):
		return busy(l.String(), h)
	case o.within(h):
		return held(l.String(), o, h)
	}
	return nil
}

// abandon makes an abandoned call the holder of a lock, unless the lock was released in the meantime.
func (s *Set) abandon(l *lock, ticket uint64, call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.ticket == ticket {
		l.holder = &Owner{parent: l.holder, run: l.holder.run, name: call, abandoned: time.Now()}
		l.settleAll()
	}
}

// settle makes a waiter rest while an evaluation of its own run holds the lock. An abandoned call ends on
// its own, and so does the hold of another run. The caller holds mu.
func (l *lock) settle(w *waiter) {
	switch h := l.holder; {
	case w.rests == nil:
	case h.abandoned.IsZero() && h.ancestor() == w.owner.ancestor():
		w.rests.Rest()
	default:
		w.rests.Wake()
	}
}

// settleAll does the same for all waiters. The caller holds mu.
func (l *lock) settleAll() {
	for w := l.queue.first; w != nil; w = w.next {
		l.settle(w)
	}
}

// leaveLock removes a waiter whose context has ended. If the lock was granted in the meantime, the waiter
// holds it, and there is no error.
func (s *Set) leaveLock(w *waiter, since time.Time) *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.ticket != 0 {
		return nil
	}
	ahead := w.lock.before(w)
	w.lock.remove(w)
	w.owner.end()
	if w.rests != nil { // only now: another holder may have made it rest again
		w.rests.Wake()
	}
	s.counts.GaveUp++
	return w.lock.ended(w.ctx, ahead, time.Since(since))
}

// ended returns the error of a wait that its context has ended.
func (l *lock) ended(ctx context.Context, ahead int, waited time.Duration) *Error {
	return ended(ctx, l.String(), fmt.Sprintf("%d ahead in the queue, held by %s", ahead, l.holder), waited)
}

// unlock passes a lock to the first in its queue, or frees it.
func (s *Set) unlock(l *lock, ticket uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.ticket != ticket {
		return &Error{Code: diag.IllegalState, Message: l.String() + ": it was released before",
			Hint: "call Release once for each Acquire"}
	}
	if w := l.first; w != nil {
		l.remove(w)
		w.owner.end()
		before := l.holder
		w.ticket = s.grant(l, w.owner)
		if w.rests != nil {
			w.rests.Wake()
		}
		if !before.abandoned.IsZero() || before.ancestor() != w.owner.ancestor() {
			l.settleAll()
		}
		close(w.ready)
		return nil
	}
	l.holder, l.ticket = nil, 0
	if l.host != "" {
		delete(s.locks, l.host)
	}
	return nil
}
