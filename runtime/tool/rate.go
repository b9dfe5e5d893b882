// This file changes the rate limits of calls, as services ask for it.

package tool

import (
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// pause pauses the rate limit of a call, if it has one, until the call may be repeated.
func (r *Run) pause(in *call, ms int64) {
	if ms <= 0 {
		return
	}
	r.change(in, func(rate effect.Hint) error {
		return r.opts.Guards.Pause(rate.Key, time.Now().Add(time.Duration(ms)*time.Millisecond))
	})
}

// allow returns the function for Allow; nil if the call has no rate limit.
func (r *Run) allow(in *call) func(calls int, within time.Duration) {
	if in.tool.rate == nil && in.hint.Kind&effect.RateLimited == 0 {
		return nil
	}
	return func(calls int, within time.Duration) {
		r.change(in, func(rate effect.Hint) error {
			until := time.Now().Add(within)
			if calls < 1 {
				return r.opts.Guards.Pause(rate.Key, until)
			}
			perSecond := float64(calls) / within.Seconds()
			return r.opts.Guards.Slow(rate.Key, min(max(perSecond, effect.MinPerSecond), effect.MaxPerSecond), until)
		})
	}
}

// change changes the rate limit of a call, if it has one.
func (r *Run) change(in *call, by func(rate effect.Hint) error) {
	err := r.byHost("a rate", func() error {
		rate := in.tool.rateOf(in.Args, in.facts)
		if rate.Key == "" {
			return nil
		}
		return by(rate)
	})
	if err != nil {
		r.opts.Log.Warn("rate limit not changed", "tool", in.tool.name, "error", err)
	}
}
