// This file compares the rate limits of package guard with the usual token bucket, which
// has no names and no queue.

package bench

import (
	"testing"

	"golang.org/x/time/rate"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
)

// BenchmarkToken takes an available token.
func BenchmarkToken(b *testing.B) {
	b.Run("guard", func(b *testing.B) {
		s := guard.NewSet(guard.Options{})
		r := effect.GuardRequest{Hint: effect.Hint{Kind: effect.RateLimited, Key: "api", PerSecond: 1e9, Burst: 1000}}
		for b.Loop() {
			if _, err := s.Acquire(b.Context(), &r); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("x-time-rate", func(b *testing.B) {
		l := rate.NewLimiter(1e9, 1000)
		for b.Loop() {
			if !l.Allow() {
				b.Fatal("there is no token")
			}
		}
	})
}
