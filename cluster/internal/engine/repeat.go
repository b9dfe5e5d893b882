// This file defines commits that may be made twice.

package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Attempt bounds one attempt of Repeat. It is well over the time of a commit. A request that was on its way to a leader
// that has died is never answered, and the next attempt finds the new leader. Where a commit takes longer, because a
// disk or a machine is that busy, no attempt would be answered: after quick ones, each has twice the time of the one
// before it, up to maxAttempt.
const (
	Attempt    = 500 * time.Millisecond
	quick      = 4
	maxAttempt = 16 * Attempt
)

// Repeat is Apply for a commit that may be made twice, or that a condition keeps from being made twice. It tries until
// an attempt is answered, for as long as timeout, and then returns ErrUnavailable.
//
// If the conditions do not hold, an attempt that was not answered may have made the commit: the caller recognises its
// own in Result.Found, such as by an id in the key or the lease of the entry.
func Repeat(ctx context.Context, e Engine, timeout time.Duration, conditions []Condition, ops ...Op) (Result, error) {
	within := Attempt
	for end, n := time.Now().Add(timeout), 1; ; n++ {
		if n > quick {
			within = min(2*within, maxAttempt)
		}
		attempt, cancel := context.WithTimeout(ctx, min(within, max(Attempt, time.Until(end))))
		r, err := e.Apply(attempt, conditions, ops...)
		cancel()
		switch {
		case err == nil:
			return r, nil
		case ctx.Err() != nil:
			return Result{}, ctx.Err()
		case !errors.Is(err, ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded):
			return Result{}, err
		case !time.Now().Before(end):
			return Result{}, fmt.Errorf("%w in %v", ErrUnavailable, timeout)
		}
	}
}
