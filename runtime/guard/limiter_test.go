package guard_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
)

// TestExactOverALongRun: after the first bucketful, grant i comes when its token has
// flown in, to the rounding of the clock, and however many came before.
func TestExactOverALongRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const grants, perSecond, burst = 60_000, 10, 10
		s := guard.NewSet(guard.Options{})
		began := time.Now()
		worst := time.Duration(0)
		for i := range grants {
			take(t, s, limited("api", perSecond, burst), "", nil)
			due := time.Duration(max(0, i+1-burst)) * time.Second / perSecond
			worst = max(worst, (time.Since(began) - due).Abs())
		}
		require.Less(t, worst, 300*time.Nanosecond)
		require.EqualValues(t, grants, s.Stats(0).Tokens)
	})
}

// TestNoBurstAboveCapacity: callers come and go at random. In no window of time are more tokens granted
// than a bucketful and the inflow.
func TestNoBurstAboveCapacity(t *testing.T) {
	for seed := range uint64(10) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			perSecond, burst := []float64{0.5, 3, 70, 1e6}[r.IntN(4)], 1+r.IntN(20)
			unit := time.Duration(float64(time.Second) / perSecond)
			s := guard.NewSet(guard.Options{})
			var granted record[time.Time]
			for range 500 {
				time.Sleep(time.Duration(r.Int64N(int64(2 * unit))))
				patience := time.Duration(r.Int64N(int64(100 * unit)))
				for range r.IntN(5) {
					go func() {
						ctx, cancel := context.WithCancel(t.Context())
						defer time.AfterFunc(patience, cancel).Stop()
						if _, err := s.Acquire(ctx, &effect.GuardRequest{Hint: limited("api", perSecond, burst)}); err == nil {
							granted.add(time.Now())
						}
					}()
					synctest.Wait()
				}
			}
			time.Sleep(1000 * unit)
			synctest.Wait()
			requireNothing(t, s)
			grants := granted.all
			for i := range grants {
				for j := i; j < len(grants); j++ {
					window := grants[j].Sub(grants[i])
					if most := float64(burst) + window.Seconds()*perSecond + 0.01; float64(j-i+1) > most {
						t.Fatalf("seed %d: %d tokens in %s at %g/s, burst %d", seed, j-i+1, window, perSecond, burst)
					}
				}
			}
		})
	}
}

// TestTokenOrder: 1,000 wait for tokens, and get them in the order in which they came.
func TestTokenOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		take(t, s, limited("api", 1, 1), "", nil)
		var order record[int]
		for i := range 1000 {
			go func() {
				take(t, s, limited("api", 1, 1), "", nil)
				order.add(i)
			}()
			synctest.Wait()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Len(t, order.all, 1000)
		for i, n := range order.all {
			require.Equal(t, i, n)
		}
	})
}

// TestCancelledWaitCostsNoToken: the next waiter moves up when one leaves.
func TestCancelledWaitCostsNoToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		began := time.Now()
		take(t, s, limited("api", 1, 1), "", nil)
		ctx, cancel := context.WithCancel(t.Context())
		for range 5 {
			go func() { refused(t, ctx, s, limited("api", 1, 1), "", nil) }()
		}
		synctest.Wait()
		done := make(chan time.Duration)
		go func() {
			take(t, s, limited("api", 1, 1), "", nil)
			done <- time.Since(began)
		}()
		time.Sleep(time.Second / 2)
		cancel()
		require.Equal(t, time.Second, <-done)
	})
}

// TestDeadlineThatCannotBeMet: the wait is not begun, and delays no other.
func TestDeadlineThatCannotBeMet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		began := time.Now()
		h := limited("api", 2, 1)
		take(t, s, h, "", nil)
		go take(t, s, h, "", nil)
		synctest.Wait()

		ctx, cancel := context.WithTimeout(t.Context(), 999*time.Millisecond)
		defer cancel()
		e := refused(t, ctx, s, h, "", nil)
		require.Equal(t, diag.GuardTimeout, e.Code)
		require.ErrorIs(t, e, context.DeadlineExceeded)
		require.Equal(t, `rate limit "api" (2/s burst 1): the next free token is 1s away, and 999ms are left`, e.Message)
		require.Zero(t, time.Since(began), "it has waited")

		ctx, cancel = context.WithTimeout(t.Context(), time.Second+1)
		defer cancel()
		_, err := s.Acquire(ctx, &effect.GuardRequest{Hint: h})
		require.NoError(t, err, "a deadline that can just be met")
		require.Equal(t, time.Second, time.Since(began))
	})
}

func TestContextThatHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := guard.NewSet(guard.Options{})
	o := guard.NewOwner(nil, "main")
	_, err := s.Acquire(ctx, &effect.GuardRequest{Hint: limited("api", 1, 1)})
	require.NoError(t, err, "what is free needs no wait")
	e := refused(t, ctx, s, limited("api", 1, 1), "", nil)
	require.Equal(t, diag.Cancelled, e.Code)
	h := take(t, s, exclusive, "db1", o)
	defer h.Release()
	e = refused(t, ctx, s, exclusive, "db1", guard.NewOwner(nil, "other"))
	require.Equal(t, diag.Cancelled, e.Code)
	require.ErrorIs(t, e, context.Canceled)
}

// TestPause: nothing goes before its end. Then one goes, and the rest at the rate.
func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		began := time.Now()
		h := limited("api", 1, 5)
		require.NoError(t, s.Pause("api", began.Add(10*time.Second)))
		require.NoError(t, s.Pause("api", began.Add(3*time.Second)), "a shorter one changes nothing")
		require.NoError(t, s.Pause("api", began.Add(-time.Second)), "nor does one that is over")
		for i := range 3 {
			take(t, s, h, "", nil)
			require.Equal(t, time.Duration(10+i)*time.Second, time.Since(began))
		}
		require.NoError(t, s.Pause("api", time.Now().Add(500*time.Millisecond)))
		take(t, s, h, "", nil)
		require.Equal(t, 13*time.Second, time.Since(began), "a pause makes no tokens")
	})
}

// TestPauseOfWaiters: waiters continue waiting, unless that is longer than they have time.
func TestPauseOfWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		h := limited("api", 1, 1)
		take(t, s, h, "", nil)
		began := time.Now()
		var got record[string]
		for _, name := range []string{"patient", "hasty", "last"} {
			ctx, cancel := context.WithTimeout(t.Context(), map[string]time.Duration{"patient": time.Hour, "hasty": 4 * time.Second, "last": 7 * time.Second}[name])
			defer cancel()
			go func() {
				_, err := s.Acquire(ctx, &effect.GuardRequest{Hint: h})
				got.add(fmt.Sprint(name, " ", err == nil, " ", time.Since(began)))
				require.True(t, err == nil || errors.Is(err, context.DeadlineExceeded))
			}()
			synctest.Wait()
		}
		require.NoError(t, s.Pause("api", began.Add(5*time.Second)))
		st := s.Stats(1).Rates[0]
		require.Equal(t, guard.RateStats{Key: "api", PerSecond: 1, Burst: 1, Waiting: 2, Paused: began.Add(5 * time.Second)}, st)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, []string{"hasty false 0s", "patient true 5s", "last true 6s"}, got.all)
	})
}

// TestLongestPause: a service that says a year does not get it.
func TestLongestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		began := time.Now()
		require.NoError(t, s.Pause("api", began.AddDate(1, 0, 0)))
		take(t, s, limited("api", 1, 1), "", nil)
		require.Equal(t, guard.MaxPause, time.Since(began))
	})
}

// TestRateConflict: a key has one rate as long as its bucket is not full again.
func TestRateConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		take(t, s, limited("api", 10, 10), "", nil)
		e := refused(t, t.Context(), s, limited("api", 5, 10), "", nil)
		require.Equal(t, diag.GuardConflict, e.Code)
		require.Equal(t, `rate limit "api": got 5/s burst 10, but it is in use with 10/s burst 10`, e.Message)
		take(t, s, limited("api", 10, 10), "", nil)
		time.Sleep(time.Second)
		take(t, s, limited("api", 5, 10), "", nil)
		require.EqualValues(t, 5, s.Stats(1).Rates[0].PerSecond)
	})
}

// TestIdleLimitersAreDropped: keys that are used once take no room in the end.
func TestIdleLimitersAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		take(t, s, limited("slow", 1e-9, 1), "", nil)
		for i := range 20_000 {
			take(t, s, limited(fmt.Sprint(i), 1, 1), "", nil)
			time.Sleep(time.Second / 10)
		}
		require.Less(t, s.Stats(0).Limiters, 500, "10 are in use")
		e := refused(t, t.Context(), s, limited("slow", 1, 1), "", nil)
		require.Equal(t, diag.GuardConflict, e.Code, "one that is in use is kept")
	})
}

// TestTooManyLimiters: keys are bounded, until some are idle again.
func TestTooManyLimiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		for i := range 10_000 {
			take(t, s, limited(fmt.Sprint(i), 1, 1), "", nil)
		}
		e := refused(t, t.Context(), s, limited("more", 1, 1), "", nil)
		require.Equal(t, diag.IllegalState, e.Code)
		require.Equal(t, `rate limit "more": 10000 others have not filled up again, and there can be no more`, e.Message)
		require.Error(t, s.Pause("more", time.Now().Add(time.Second)))
		take(t, s, limited("0", 1, 1), "", nil) // which is there
		time.Sleep(time.Second)
		take(t, s, limited("more", 1, 1), "", nil)
		require.Equal(t, 1, s.Stats(0).Limiters)
	})
}

func TestInvalidRequests(t *testing.T) {
	s := guard.NewSet(guard.Options{})
	for want, h := range map[string]effect.Hint{
		`rate limit: got a key of 0 bytes, want 1 to 1024`:                                                                             limited("", 1, 1),
		`rate limit: got a key of 1025 bytes, want 1 to 1024`:                                                                          limited(strings.Repeat("x", 1025), 1, 1),
		`rate limit "a": got 0 tokens a second, want 1e-09 to 1e+09`:                                                                   limited("a", 0, 1),
		`rate limit "a": got a burst of 0, want 1 to 1000000000`:                                                                       limited("a", 1, 0),
		`got the hint host-exclusive, unknown(8), want a combination of RateLimited, HostExclusive and GlobalExclusive`:                {Kind: effect.HostExclusive | 8},
		`got a rate ("a" 1/s burst 1) in a hint that is global-exclusive, want one that is RateLimited`:                                {Kind: effect.GlobalExclusive, Key: "a", PerSecond: 1, Burst: 1},
		`got the hint host-exclusive, rate-limited, unknown(64), want a combination of RateLimited, HostExclusive and GlobalExclusive`: {Kind: 64 | 3},
	} {
		e := refused(t, t.Context(), s, h, "db1", guard.NewOwner(nil, "main"))
		require.Equal(t, want, e.Message)
		require.Equal(t, diag.IllegalArgument, e.Code)
		require.EqualError(t, h.Validate(), want)
	}
	e := refused(t, t.Context(), s, exclusive, "", guard.NewOwner(nil, "main"))
	require.Equal(t, "host-exclusive: got a host of 0 bytes, want 1 to 1024", e.Message)
	require.Error(t, s.Pause("", time.Now()))
	require.Equal(t, guard.Stats{}, s.Stats(1))
}

// slowly requests n tokens of a key together, and returns the time at which each was granted, in milliseconds.
func slowly(t *testing.T, s *guard.Set, h effect.Hint, n int) (at []int64) {
	began := time.Now()
	var mu sync.Mutex
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			_, err := s.Acquire(t.Context(), &effect.GuardRequest{Hint: h})
			assert.NoError(t, err)
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Since(began).Milliseconds())
		})
	}
	all.Wait()
	slices.Sort(at)
	return at
}

// TestSlow: a lower rate holds for its time, spreads the tokens, and ends.
func TestSlow(t *testing.T) {
	h := effect.Hint{Kind: effect.RateLimited, Key: "api", PerSecond: 10, Burst: 5}
	in := func(d time.Duration) time.Time { return time.Now().Add(d) }
	for name, c := range map[string]struct {
		do   func(s *guard.Set) error
		want []int64
	}{
		"not slowed": {func(*guard.Set) error { return nil }, []int64{0, 0, 0, 0, 0, 100, 200, 300}},
		"slowed": {func(s *guard.Set) error { return s.Slow("api", 2, in(2*time.Second)) },
			[]int64{0, 500, 1000, 1500, 2000, 2100, 2200, 2300}},
		"replaced": {func(s *guard.Set) error {
			return errors.Join(s.Slow("api", 1, in(time.Hour)), s.Slow("api", 4, in(time.Second)))
		}, []int64{0, 250, 500, 750, 1000, 1100, 1200, 1300}},
		"ended by a rate that is not lower": {func(s *guard.Set) error {
			return errors.Join(s.Slow("api", 1, in(time.Hour)), s.Slow("api", 10, in(time.Hour)))
		}, []int64{0, 100, 200, 300, 400, 500, 600, 700}},
		"slower than the time": {func(s *guard.Set) error { return s.Slow("api", 0.01, in(time.Second)) },
			[]int64{0, 1100, 1200, 1300, 1400, 1500, 1600, 1700}},
		"paused too": {func(s *guard.Set) error {
			return errors.Join(s.Slow("api", 2, in(2*time.Second)), s.Pause("api", in(time.Second)))
		}, []int64{1000, 1500, 2000, 2100, 2200, 2300, 2400, 2500}},
		"at most for an hour": {func(s *guard.Set) error { return s.Slow("api", 0.0001, in(time.Hour*24*365)) },
			[]int64{0, 3_600_100, 3_600_200, 3_600_300, 3_600_400, 3_600_500, 3_600_600, 3_600_700}},
		"in the past": {func(s *guard.Set) error { return s.Slow("api", 1, in(-time.Second)) },
			[]int64{0, 0, 0, 0, 0, 100, 200, 300}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, used := range []bool{true, false} { // the key is known, or Slow comes before its first use
				synctest.Test(t, func(t *testing.T) {
					s := guard.NewSet(guard.Options{})
					if used {
						slowly(t, s, h, 1)
						time.Sleep(time.Minute)
					}
					require.NoError(t, c.do(s))
					if name == "ended by a rate that is not lower" && !used {
						return // an unknown key has no rate to compare with
					}
					assert.Equal(t, c.want, slowly(t, s, h, 8), "used %v", used)
				})
			}
		})
	}
	require.Error(t, guard.NewSet(guard.Options{}).Slow("", 1, in(time.Second)))
	require.Error(t, guard.NewSet(guard.Options{}).Slow("k", 0, in(time.Second)))
}

// TestSlowAgainAndAgain: a service that tells its allowance with each call gets all calls of it, and no more.
func TestSlowAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		h := effect.Hint{Kind: effect.RateLimited, Key: "api", PerSecond: 100, Burst: 10}
		const window, allowed = 10 * time.Second, 20
		began, left := time.Now(), allowed
		for time.Since(began) < window-time.Millisecond {
			_, err := s.Acquire(t.Context(), &effect.GuardRequest{Hint: h})
			require.NoError(t, err)
			if time.Since(began) >= window {
				break
			}
			if left--; left > 0 {
				require.NoError(t, s.Slow("api", float64(left)/(window-time.Since(began)).Seconds(), began.Add(window)))
			} else {
				require.NoError(t, s.Pause("api", began.Add(window)))
			}
		}
		require.GreaterOrEqual(t, left, 0)
		require.LessOrEqual(t, left, 1, "the allowance is used")
	})
}

// TestSlowFailsTheHopeless: a waiter whose deadline is before its turn at the lower rate fails immediately.
func TestSlowFailsTheHopeless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		h := effect.Hint{Kind: effect.RateLimited, Key: "api", PerSecond: 1, Burst: 1}
		slowly(t, s, h, 1)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		failed := make(chan error)
		go func() {
			_, err := s.Acquire(ctx, &effect.GuardRequest{Hint: h})
			failed <- err
		}()
		synctest.Wait()
		began := time.Now()
		require.NoError(t, s.Slow("api", 0.1, began.Add(time.Minute)))
		require.Error(t, <-failed)
		require.Zero(t, time.Since(began))
	})
}
