// This file defines tests of internal state, and of moments that a test of the API cannot choose.

package guard

import (
	"context"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// lockFor takes a lock, or has the owner wait for it.
func lockFor(t *testing.T, s *Set, host string, o *Owner) {
	_, _, _, err := s.tryLock(t.Context(), host, o, nil)
	require.Nil(t, err)
}

// TestSearchComesOnceToEach: a search visits an owner once, even if many paths lead to it. Here there are 2
// to the power of 1,000.
func TestSearchComesOnceToEach(t *testing.T) {
	s := NewSet(Options{})
	owners := make([]*Owner, 1001)
	for i := range owners {
		owners[i] = NewOwner(nil, fmt.Sprint(i))
		lockFor(t, s, fmt.Sprint(i), owners[i])
	}
	for i := range 1000 {
		for worker := range 2 {
			lockFor(t, s, fmt.Sprint(i+1), NewOwner(owners[i], fmt.Sprint(i, ".", worker)))
		}
	}
	lockFor(t, s, "0", NewOwner(nil, "last"))
	require.Less(t, cap(s.search.seen), 5000)
	_, _, _, err := s.tryLock(t.Context(), "0", owners[1000], nil)
	require.Len(t, err.Cycle, 1001)
	require.Less(t, len(err.Message), 1000, "it tells of some only")
}

// TestNoneOvertakesTheQueue: a free token belongs to the first waiter, though
// the timer that grants it may be late.
func TestNoneOvertakesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSet(Options{})
		h := effect.Hint{Kind: effect.RateLimited, Key: "api", PerSecond: 1, Burst: 1}
		for range 2 {
			_, _, err := s.tryToken(t.Context(), &h, nil)
			require.Nil(t, err)
		}
		l := s.limiters["api"]
		require.True(t, l.timer.Stop())
		time.Sleep(time.Second)
		_, w, err := s.tryToken(t.Context(), &h, nil)
		require.Nil(t, err)
		require.NotNil(t, w, "the last caller got the token")
		l.serve()
		require.Equal(t, 1, l.length)
		require.Zero(t, w.ticket)
		l.timer.Stop()
	})
}

// TestNoTimerWhileNobodyWaits: it could be one of years, and would keep the Set.
func TestNoTimerWhileNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSet(Options{})
		ctx, cancel := context.WithCancel(t.Context())
		h := effect.Hint{Kind: effect.RateLimited, Key: "api", PerSecond: effect.MinPerSecond, Burst: 1}
		_, _, err := s.tryToken(ctx, &h, nil)
		require.Nil(t, err)
		l, w, err := s.tryToken(ctx, &h, nil)
		require.Nil(t, err)
		require.InDelta(t, 1e18, float64(l.wait(s.now(), 0)), 1e9)
		require.Equal(t, time.Duration(1<<62), l.wait(s.now(), math.MaxInt32), "the longest there is")
		cancel()
		require.NotNil(t, l.leave(w, time.Now()))
		require.False(t, l.timer.Stop(), "the timer runs on")
	})
}

// TestTokenThatComesTooLate: a waiter that is granted a token while it leaves has it.
func TestTokenThatComesTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSet(Options{})
		h := effect.Hint{Kind: effect.RateLimited, Key: "api", PerSecond: 1, Burst: 1}
		_, _, _ = s.tryToken(t.Context(), &h, nil)
		l, w, err := s.tryToken(t.Context(), &h, nil)
		require.Nil(t, err)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Nil(t, l.leave(w, time.Now()))
		require.Zero(t, l.length)
	})
}

// resting is an evaluation that knows whether it rests.
type resting struct{ rests bool }

func (r *resting) Rest() { r.rests = true }
func (r *resting) Wake() { r.rests = false }

// TestLeavesAwake: a waiter whose time is over no longer rests when it has left the queue, although an evaluation of
// its run got the lock after the end of its wait.
func TestLeavesAwake(t *testing.T) {
	s, run := NewSet(Options{}), NewOwner(nil, "run")
	lockFor(t, s, "a", NewOwner(nil, "another run"))
	lockFor(t, s, "a", NewOwner(run, "first"))
	ctx, cancel := context.WithCancel(t.Context())
	r := &resting{}
	l, _, w, err := s.tryLock(ctx, "a", NewOwner(run, "second"), r)
	require.Nil(t, err)
	require.False(t, r.rests, "another run holds the lock")
	cancel()
	require.False(t, w.wait(nil))
	require.NoError(t, s.unlock(l, l.ticket))
	require.True(t, r.rests)
	require.NotNil(t, s.leaveLock(w, time.Now()))
	require.False(t, r.rests)
}
