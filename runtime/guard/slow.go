// This file defines how a rate limit is slowed, because a service has told how many calls it still allows.

package guard

import (
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/internal/bucket"
)

// slowing is a lower rate that holds for a time. While it does, the bucket of the limiter has this rate, and holds one
// token at most, so that the calls are spread over the time.
type slowing struct {
	perSecond float64
	until     time.Duration // 0 if the limiter has its own rate
	on        bool          // the bucket has this rate
}

// Slow lowers the rate limit of a key until a time, at most MaxPause ahead: see effect.Guards. A service
// states how many calls it still allows until a time, and all runs that share the Set obey it. Waiters
// whose deadline is before their turn then fail immediately.
func (s *Set) Slow(key string, perSecond float64, until time.Time) error {
	h := effect.Hint{Kind: effect.RateLimited, Key: key, PerSecond: perSecond, Burst: 1}
	if err := h.Validate(); err != nil {
		return invalid(err)
	}
	return s.change(key, until, func(l *limiter, until, now time.Duration) {
		l.speedUp(now)
		if l.rated() && perSecond >= l.hint.PerSecond {
			l.slow.until = now
			l.speedUp(now)
		} else if l.slow.perSecond, l.slow.until = perSecond, until; l.rated() {
			l.slowDown(now)
			l.refuseLate(now)
		}
		l.arm(now)
	})
}

// slowDown sets the lower rate of the bucket, which keeps its tokens.
func (l *limiter) slowDown(now time.Duration) {
	if l.slow.perSecond >= l.hint.PerSecond {
		l.slow = slowing{}
		return
	}
	has := l.bucket.Wait(now, 1)
	b := bucket.New(bucket.PerSecond(l.slow.perSecond), 1, now)
	if has > 0 { // the part of a token that it has is kept, at the speed of the lower rate
		next := time.Duration(float64(time.Second) / l.slow.perSecond)
		if l.slow.on {
			next = min(next, has)
		}
		b.StartAt(now + next)
	}
	l.bucket, l.slow.on = b, true
}

// speedUp restores the rate of the bucket when the time of the lower one is over. It then holds as much as
// before, and not a burst, because the service has had many calls.
func (l *limiter) speedUp(now time.Duration) {
	if l.slow.until == 0 || now < l.slow.until {
		return
	}
	if end := l.slow.until; l.slow.on {
		wait := l.bucket.Wait(end, 1)
		l.bucket = bucket.New(bucket.PerSecond(l.hint.PerSecond), l.hint.Burst, end)
		l.bucket.StartAt(end + min(wait, time.Duration(float64(time.Second)/l.hint.PerSecond)))
	}
	l.slow = slowing{}
}

// wait returns the time until n tokens have flown in.
func (s *slowing) wait(l *limiter, now time.Duration, n int) time.Duration {
	wait := l.bucket.Wait(now, n)
	if !s.on || now+wait <= s.until {
		return wait
	}
	// The rest comes at the own rate of the limiter.
	own := time.Duration(min(float64(n)*float64(time.Second)/l.hint.PerSecond, float64(MaxPause)*1e6))
	return min(wait, max(s.until-now, 0)+own)
}
