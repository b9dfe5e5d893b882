// This file defines rate limits: a token bucket and the queue before it.

package guard

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// limiter is the bucket of a key. The mutex of its Set guards it.
//
// A token is taken at the moment when it is given, never reserved before: so there is
// nothing to give back when somebody leaves the queue, and however late a timer is,
// no more than a bucketful goes at once. The time by which a timer is late is caught
// up as far as the bucket has room; with a burst of 1 it has none.
type limiter struct {
	queue
	set    *Set
	hint   Hint          // its rate; without one while the key is only paused
	bucket *rate.Limiter // nil likewise
	until  time.Time     // paused till then
	timer  *time.Timer   // runs while somebody waits
}

const (
	// maxLimiters bounds the rate limits of a Set: a program can make up keys faster
	// than their buckets fill, and what they take, up to 15 MB, is on nobody's account.
	maxLimiters = 10_000
	// enoughToSweep is the fewest among which idle ones are looked for.
	enoughToSweep = 64
	// sweepPause is how often they are looked for when there can be no more: a look
	// takes half a millisecond, which callers who are refused must not repeat.
	sweepPause = time.Second
)

// limiterOf gives the limiter of a key, making it if need be. The caller holds mu.
func (s *Set) limiterOf(key string, now time.Time) (*limiter, *Error) {
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
	l := &limiter{set: s}
	s.limiters[strings.Clone(key)] = l // which may be a piece of a long text
	return l, nil
}

// sweep forgets the limiters that are no different from new ones, when there are twice
// as many as were left the last time: so what is kept is at most twice what is in use,
// and a new key costs the look at two.
func (s *Set) sweep(now time.Time) {
	full := len(s.limiters) >= maxLimiters && now.Sub(s.swept) >= sweepPause
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

func (l *limiter) idle(now time.Time) bool {
	return l.length == 0 && !now.Before(l.until) && (l.bucket == nil || l.bucket.TokensAt(now) >= float64(l.hint.Burst))
}

// setRate gives the limiter its rate, unless it is in use with another one.
func (l *limiter) setRate(h Hint, now time.Time) *Error {
	h.Kind = RateLimited
	if l.hint == h {
		return nil
	}
	if l.bucket != nil && !l.idle(now) {
		return conflict(h, l.hint)
	}
	if l.bucket != nil {
		l.until = time.Time{} // a pause that is long over
	}
	l.hint = h
	l.bucket = rate.NewLimiter(rate.Limit(h.PerSecond), h.Burst)
	l.startLow()
	return nil
}

// startLow has a bucket hold one token at the end of a pause: the service has said
// that it is at its limit, so what would have flown in meanwhile must not go at once.
func (l *limiter) startLow() {
	if !l.until.IsZero() {
		l.bucket.AllowN(l.until, l.hint.Burst-1)
	}
}

// pause gives no token before until.
func (l *limiter) pause(until, now time.Time) {
	if !until.After(l.until) || !until.After(now) {
		return
	}
	l.until = until
	if l.bucket == nil {
		return
	}
	if l.bucket.TokensAt(until) >= 1 {
		l.bucket = rate.NewLimiter(rate.Limit(l.hint.PerSecond), l.hint.Burst)
		l.startLow()
	}
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
	l.arm(now)
}

// tryToken takes a token, or puts the caller into the queue, unless his deadline would pass
// before it is his turn.
func (s *Set) tryToken(ctx context.Context, h Hint) (*limiter, *waiter, *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now() // in here, so that the bucket sees the times in their order
	l, err := s.limiterOf(h.Key, now)
	if err == nil {
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
	w := &waiter{ctx: ctx, ready: make(chan struct{})}
	l.push(w)
	if l.length == 1 {
		l.arm(now)
	}
	s.counts.Waited++
	return l, w, nil
}

// token takes a token.
func (s *Set) token(ctx context.Context, r *Request) *Error {
	l, w, err := s.tryToken(ctx, r.Hint)
	var waited time.Duration
	if w != nil {
		began := time.Now()
		if w.wait(r.Blocker) {
			err = w.err
		} else {
			err = l.leave(w, began)
		}
		waited = time.Since(began)
	}
	if err == nil && s.log != nil {
		s.tell(ctx, "token taken", "rate limit "+quote(r.Hint.Key), r.Owner, waited)
	}
	return err
}

func (l *limiter) take(now time.Time) bool {
	return !now.Before(l.until) && l.bucket.AllowN(now, 1)
}

// wait is how long it takes until those ahead and one more have had their tokens. A
// wait that is not over is at least a nanosecond: what is less, the bucket gives.
func (l *limiter) wait(now time.Time, ahead int) time.Duration {
	from := now
	if now.Before(l.until) {
		from = l.until
	}
	missing := float64(ahead+1) - l.bucket.TokensAt(from)
	ns := float64(from.Sub(now)) + max(0, math.Ceil(missing/l.hint.PerSecond*1e9))
	return time.Duration(min(ns, 1<<62))
}

// tooLate says whether the deadline of somebody with so many ahead passes before his
// turn comes.
func (l *limiter) tooLate(ctx context.Context, ahead int, now time.Time) *Error {
	deadline, ok := ctx.Deadline()
	if !ok {
		return nil
	}
	if wait, left := l.wait(now, ahead), deadline.Sub(now); wait > left {
		return hopeless(l.hint, wait, left)
	}
	return nil
}

// arm sets the timer for the first in the queue, or stops it. The caller holds mu.
func (l *limiter) arm(now time.Time) {
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

// serve gives the tokens that there are to those who wait. The timer calls it, at
// times when it has just been stopped.
func (l *limiter) serve() {
	l.set.mu.Lock()
	defer l.set.mu.Unlock()
	now := time.Now()
	for l.length > 0 && l.take(now) {
		w := l.first
		l.remove(w)
		l.set.counts.Tokens++
		w.ticket = 1
		close(w.ready)
	}
	l.arm(now)
}

// fail ends somebody's wait.
func (l *limiter) fail(w *waiter, err *Error) {
	l.remove(w)
	l.set.counts.GaveUp++
	w.err = err
	close(w.ready)
}

// leave takes from the queue somebody whose context has ended, unless that comes too
// late.
func (l *limiter) leave(w *waiter, since time.Time) *Error {
	l.set.mu.Lock()
	defer l.set.mu.Unlock()
	if w.ticket != 0 || w.err != nil {
		return w.err
	}
	ahead := l.ahead(w)
	l.remove(w)
	now := time.Now()
	l.arm(now)
	l.set.counts.GaveUp++
	return l.ended(w.ctx, ahead, now.Sub(since))
}

// ended is the error of a wait that its context has ended.
func (l *limiter) ended(ctx context.Context, ahead int, waited time.Duration) *Error {
	what := fmt.Sprintf("rate limit %s (%s)", quote(l.hint.Key), l.hint.rate())
	return ended(ctx, what, fmt.Sprintf("%d ahead in the queue", ahead), waited)
}
