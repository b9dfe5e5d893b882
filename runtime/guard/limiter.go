// This file defines rate limits: a token bucket and the queue before it.

package guard

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/internal/bucket"
)

// limiter is the bucket of a key. The mutex of its Set guards it. Its times are by the
// clock of the Set.
//
// A token is taken when it is granted, and never reserved. So a waiter that leaves the queue has
// nothing to return, and even after a late timer at most a full bucket is granted in one step. The
// tokens of the lost time are granted later if the bucket has room for them; with a burst of 1 it
// has none.
type limiter struct {
	queue
	set    *Set
	hint   effect.Hint   // its key and rate; no rate while the key is only paused
	bucket bucket.Bucket // if there is a rate
	until  time.Duration // paused till then; 0 if it has not been
	slow   slowing
	timer  *time.Timer // runs while there are waiters
}

const (
	// maxLimiters bounds the rate limits of a Set. A program can invent keys faster than their
	// buckets fill, and no account is charged for their memory, up to 15 MB.
	maxLimiters = 10_000
	// enoughToSweep is the number of limiters below which sweep does nothing.
	enoughToSweep = 64
	// sweepPause is the least time between two sweeps of a full table: a sweep takes half a
	// millisecond, which not every refused caller may cost.
	sweepPause = time.Second
)

// limiterOf returns the limiter of a key, a new one if there is none. The caller holds mu.
func (s *Set) limiterOf(key string, now time.Duration) (*limiter, *Error) {
	if l := s.limiters[key]; l != nil {
		return l, nil
	}
	s.sweep(now)
	if len(s.limiters) >= maxLimiters {
		return nil, tooMany(key)
	}
	if s.limiters == nil {
		s.limiters = map[string]*limiter{}
	}
	key = strings.Clone(key) // it may be part of a long string
	l := &limiter{set: s, hint: effect.Hint{Kind: effect.RateLimited, Key: key}}
	s.limiters[key] = l
	return l, nil
}

// sweep drops the limiters that equal new ones, when there are twice as many as after the last
// sweep. So at most twice the limiters in use are kept, and each new key pays for the examination
// of two.
func (s *Set) sweep(now time.Duration) {
	full := len(s.limiters) >= maxLimiters && now-s.swept >= sweepPause
	if len(s.limiters) < max(s.sweepAt, enoughToSweep) && !full {
		return
	}
	for key, l := range s.limiters {
		if l.idle(now) {
			delete(s.limiters, key)
		}
	}
	s.sweepAt, s.swept = 2*len(s.limiters), now
}

// rated reports whether the limiter has a rate.
func (l *limiter) rated() bool { return l.hint.Burst > 0 }

func (l *limiter) idle(now time.Duration) bool {
	return l.length == 0 && now >= l.until && now >= l.slow.until && (!l.rated() || l.bucket.Full(now))
}

// setRate sets the rate of the limiter, unless it is in use with another one.
func (l *limiter) setRate(h *effect.Hint, now time.Duration) *Error {
	if l.hint.PerSecond == h.PerSecond && l.hint.Burst == h.Burst {
		return nil
	}
	if l.rated() {
		if !l.idle(now) {
			return conflict(*h, l.hint)
		}
		l.until = 0 // the pause is over
	}
	l.hint.PerSecond, l.hint.Burst = h.PerSecond, h.Burst
	l.bucket = bucket.New(bucket.PerSecond(h.PerSecond), h.Burst, now)
	if since := l.set.emptied; !since.IsZero() {
		l.bucket = bucket.Restored(bucket.PerSecond(h.PerSecond), h.Burst, 0, 0, since.Sub(l.set.start))
	}
	if l.until > 0 {
		l.startLow()
	}
	if l.slow.until > now {
		l.slowDown(now)
	}
	return nil
}

// startLow lets the bucket have one token at the end of a pause: the service has reported that it
// is at its limit, so the tokens of the pause must not be used all at once.
func (l *limiter) startLow() { l.bucket.StartAt(l.until) }

// pause grants no token before until.
func (l *limiter) pause(until, now time.Duration) {
	if until <= l.until || until <= now {
		return
	}
	l.until = until
	if !l.rated() {
		return
	}
	if l.bucket.Wait(now, 1) <= until-now {
		l.startLow()
	}
	l.refuseLate(now)
	l.arm(now)
}

// refuseLate fails the waiters whose deadline is before their turn.
func (l *limiter) refuseLate(now time.Duration) {
	ahead := 0
	for w := l.first; w != nil; {
		next := w.next
		if err := l.tooLate(w.ctx, ahead, now); err != nil {
			l.fail(w, err)
		} else {
			ahead++
		}
		w = next
	}
}

// tryToken takes a token, or puts the caller into the queue, unless its deadline would pass
// before its turn.
func (s *Set) tryToken(ctx context.Context, h *effect.Hint, o *Owner) (*limiter, *waiter, *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now() // under the mutex, so that the bucket gets the times in their order
	l, err := s.limiterOf(h.Key, now)
	if err == nil {
		l.speedUp(now)
		err = l.setRate(h, now)
	}
	if err != nil {
		s.counts.Refused++
		return nil, nil, err
	}
	if l.length == 0 && l.take(now) {
		s.counts.Tokens++
		return nil, nil, nil
	}
	err = l.tooLate(ctx, l.length, now)
	if ctx.Err() != nil {
		err = l.ended(ctx, l.length, 0)
	}
	if err != nil {
		s.counts.GaveUp++
		return nil, nil, err
	}
	w := &waiter{ctx: ctx, since: time.Now(), ready: make(chan struct{}), ahead: l.length}
	if o != nil {
		w.run, w.name = o.run, o.name
	}
	l.push(w)
	if l.length == 1 {
		l.arm(now)
	}
	s.counts.Waited++
	return l, w, nil
}

// token takes a token.
func (s *Set) token(ctx context.Context, r *effect.GuardRequest) *Error {
	o, _ := r.Owner.(*Owner)
	l, w, err := s.tryToken(ctx, &r.Hint, o)
	var waited time.Duration
	if w != nil {
		began := time.Now()
		effect.BeginWait(ctx, effect.Begun{Kind: effect.WaitToken, Key: r.Hint.Key, Ahead: w.ahead})
		given := w.wait(r.Blocker)
		waited = noteWait(r, effect.WaitToken, r.Hint.Key, began, w.ahead)
		if given {
			err = w.err
		} else {
			err = l.leave(w, began)
		}
	}
	if err == nil && s.log != nil {
		s.tell(ctx, "token taken", "rate limit "+effect.QuoteGuard(r.Hint.Key), o, waited)
	}
	return err
}

// take takes a token if there is one.
func (l *limiter) take(now time.Duration) bool {
	if now < l.until || l.bucket.Wait(now, 1) > 0 {
		return false
	}
	l.bucket.Take()
	return true
}

// wait returns the time until the waiters ahead and one more have their tokens.
func (l *limiter) wait(now time.Duration, ahead int) time.Duration {
	return max(l.until-now, l.slow.wait(l, now, ahead+1))
}

// tooLate returns an error if the deadline of a caller with so many ahead passes before its turn.
func (l *limiter) tooLate(ctx context.Context, ahead int, now time.Duration) *Error {
	deadline, ok := ctx.Deadline()
	if !ok {
		return nil
	}
	if wait, left := l.wait(now, ahead), time.Until(deadline); wait > left {
		return hopeless(l.hint, wait, left)
	}
	return nil
}

// arm sets the timer for the first in the queue, or stops it. The caller holds mu.
func (l *limiter) arm(now time.Duration) {
	switch {
	case l.length == 0:
		if l.timer != nil {
			l.timer.Stop()
		}
	case l.timer == nil:
		l.timer = time.AfterFunc(l.wait(now, 0), l.serve)
	default:
		l.timer.Reset(l.wait(now, 0))
	}
}

// serve grants the free tokens to the waiters. The timer calls it, sometimes just after it was
// stopped.
func (l *limiter) serve() {
	l.set.mu.Lock()
	defer l.set.mu.Unlock()
	now := l.set.now()
	l.speedUp(now)
	for l.length > 0 && l.take(now) {
		w := l.first
		l.remove(w)
		l.set.counts.Tokens++
		w.ticket = 1
		close(w.ready)
	}
	l.arm(now)
}

// fail ends a wait with an error.
func (l *limiter) fail(w *waiter, err *Error) {
	l.remove(w)
	l.set.counts.GaveUp++
	w.err = err
	close(w.ready)
}

// leave removes a waiter whose context has ended, unless it was granted a token in the meantime.
func (l *limiter) leave(w *waiter, since time.Time) *Error {
	l.set.mu.Lock()
	defer l.set.mu.Unlock()
	if w.ticket != 0 || w.err != nil {
		return w.err
	}
	ahead := l.before(w)
	l.remove(w)
	l.arm(l.set.now())
	l.set.counts.GaveUp++
	return l.ended(w.ctx, ahead, time.Since(since))
}

// ended returns the error of a wait that its context has ended.
func (l *limiter) ended(ctx context.Context, ahead int, waited time.Duration) *Error {
	what := fmt.Sprintf("rate limit %s (%s)", effect.QuoteGuard(l.hint.Key), l.hint.Rate())
	return ended(ctx, what, fmt.Sprintf("%d ahead in the queue", ahead), waited)
}
