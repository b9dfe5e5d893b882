// This file tests what happens when nodes die, and when they can't reach each other.

package coord_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// kill ends a node as kill -9 does.
func (c *cluster) kill(name string) {
	c.engine.Crash(name)
	c.links[name].Close()
	require.NoError(c.t, c.nodes[name].Close())
	delete(c.nodes, name)
}

// others returns the nodes that are not the coordinator.
func (c *cluster) others() (names []string) {
	at := c.coordinator()
	for _, name := range c.names {
		if name != at && c.nodes[name] != nil {
			names = append(names, name)
		}
	}
	return names
}

// TestCoordinatorDies: the other nodes keep their guards and fences, and the waiters keep their order.
func TestCoordinatorDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 5, 1)
		c.ready()
		dead, rest := c.coordinator(), c.others()
		a := c.nodes[rest[0]]
		both := effect.Hint{Kind: effect.HostExclusive | effect.GlobalExclusive}
		first := take(t, a, both, "db1", evaluation(a, "r1", "0"))
		gone := take(t, c.nodes[dead], exclusive, "db2", evaluation(c.nodes[dead], "r2", "0"))
		var mu sync.Mutex
		var order []int
		var all sync.WaitGroup
		last := first.Fence()
		for i := range 20 { // three submitters and more, in turns
			n := c.nodes[rest[i%len(rest)]]
			all.Go(func() {
				h := take(t, n, exclusive, "db1", evaluation(n, fmt.Sprint("w", i), "0"))
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
				require.Greater(t, h.Fence(), last)
				last = h.Fence()
				require.NoError(t, h.Release())
			})
			synctest.Wait()
		}
		c.kill(dead)
		require.Error(t, gone.Lost().Err())
		began := time.Now()
		b := c.nodes[rest[1]]
		second := take(t, b, exclusive, "db2", evaluation(b, "r3", "0"))
		require.Greater(t, second.Fence(), gone.Fence())
		t.Logf("a guard of the dead coordinator is free after %s, with a lease of %s", time.Since(began), lease)
		require.NoError(t, first.Lost().Err(), "it was held over the change")
		fence := first.Fence()
		require.Empty(t, order)
		require.NoError(t, first.Release())
		all.Wait()
		require.True(t, slices.IsSorted(order), "got %v", order)
		require.Equal(t, fence, first.Fence())
		require.NoError(t, take(t, b, global, "", evaluation(b, "r4", "0")).Release())
		require.NoError(t, second.Release())
	})
}

// TestStepDown: when the coordinator leaves in an orderly way, another one follows immediately, and no guard is lost.
func TestStepDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 3, 1)
		c.ready()
		before := c.coordinator()
		a, b := c.nodes[c.others()[0]], c.nodes[c.others()[1]]
		first := take(t, a, exclusive, "db1", evaluation(a, "r1", "0"))
		began := time.Now()
		c.leave(before)
		second := take(t, b, exclusive, "db2", evaluation(b, "r2", "0"))
		require.Less(t, time.Since(began), lease/2)
		require.Greater(t, second.Fence(), first.Fence())
		require.NoError(t, first.Lost().Err())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := b.Guards().Acquire(ctx, &effect.GuardRequest{Hint: exclusive, Host: "db1", Owner: evaluation(b, "r3", "0")})
		require.ErrorIs(t, err, context.DeadlineExceeded, "it is held")
		require.NoError(t, first.Release())
		require.NoError(t, second.Release())
	})
}

// TestHolderDies: the guards of a node that dies are free after a lease.
func TestHolderDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 3, 1)
		c.ready()
		a, b := c.nodes[c.others()[0]], c.nodes[c.others()[1]]
		first := take(t, a, exclusive, "db1", evaluation(a, "r1", "0"))
		began := time.Now()
		c.kill(c.others()[0])
		second := take(t, b, exclusive, "db1", evaluation(b, "r2", "0"))
		require.GreaterOrEqual(t, time.Since(began), lease/2)
		require.LessOrEqual(t, time.Since(began), lease)
		require.Greater(t, second.Fence(), first.Fence())
		require.NoError(t, second.Release())
	})
}

// TestCutOff: a node that can't reach the coordinator loses its guards before others get them. Its requests wait, and
// their errors name the reason. When the link is back, all continues.
func TestCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 3, 1)
		c.ready()
		at := c.coordinator()
		name := c.others()[0]
		a, b := c.nodes[name], c.nodes[c.others()[1]]
		first := take(t, a, exclusive, "db1", evaluation(a, "r1", "0"))
		body, stop := effect.WhileHeld(t.Context(), first)
		defer stop()
		var lost, granted time.Time
		var all sync.WaitGroup
		all.Go(func() {
			<-body.Done()
			lost = time.Now()
		})
		all.Go(func() {
			h := take(t, b, exclusive, "db1", evaluation(b, "r2", "0"))
			granted = time.Now()
			require.NoError(t, h.Release())
		})
		began := time.Now()
		c.net.Cut(name, at)
		all.Wait()
		t.Logf("lost after %s, granted to another node after %s", lost.Sub(began), granted.Sub(began))
		require.ErrorIs(t, context.Cause(body), effect.ErrGuardLost)
		require.Less(t, lost, granted)
		require.ErrorContains(t, first.Release(), "lost before it was released")

		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := a.Guards().Acquire(ctx, &effect.GuardRequest{Hint: exclusive, Host: "db1", Owner: evaluation(a, "r3", "0")})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, diag.GuardTimeout, effect.FailureOf(err).Kind)
		require.ErrorContains(t, err, fmt.Sprintf("node %s can't reach the coordinator %s since ", name, at))

		got := make(chan effect.Held, 1)
		go func() { got <- take(t, a, exclusive, "db1", evaluation(a, "r4", "0")) }()
		time.Sleep(time.Minute)
		c.net.Heal(name, at)
		began = time.Now()
		require.NoError(t, (<-got).Release())
		require.Less(t, time.Since(began), lease)
	})
}

// TestMinority: a coordinator without a majority grants nothing any more when another one does.
func TestMinority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 5, 1)
		c.ready()
		old := c.coordinator()
		a := c.nodes[old]
		b := c.nodes[c.others()[0]]
		mine := take(t, a, exclusive, "db1", evaluation(a, "r1", "0"))
		theirs := take(t, b, exclusive, "db2", evaluation(b, "r2", "0"))
		c.engine.Cut(old)
		for _, name := range c.names {
			if name != old {
				c.net.Cut(old, name)
			}
		}
		h := take(t, b, exclusive, "db1", evaluation(b, "r3", "0"))
		require.Error(t, mine.Lost().Err(), "it was lost before")
		require.NoError(t, theirs.Lost().Err())
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		_, err := a.Guards().Acquire(ctx, &effect.GuardRequest{Hint: exclusive, Host: "db9", Owner: evaluation(a, "r4", "0")})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, h.Release())
		require.NoError(t, theirs.Release())
		c.engine.Heal()
		c.net.HealAll()
		require.NoError(t, take(t, a, exclusive, "db1", evaluation(a, "r5", "0")).Release())
	})
}

// TestRateOverTerms: over three nodes, and over deaths of the coordinator, no window has more tokens than
// the burst and the inflow.
func TestRateOverTerms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const perSecond, burst = 20, 10
		c := start(t, 5, 1) // two of them die
		c.ready()
		h := effect.Hint{Kind: effect.RateLimited, Key: "api", PerSecond: perSecond, Burst: burst}
		began := time.Now()
		var mu sync.Mutex
		var times []time.Duration
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var all sync.WaitGroup
		for _, name := range c.names[:3] {
			n := c.nodes[name]
			for range 20 {
				all.Go(func() {
					for ctx.Err() == nil {
						if _, err := n.Guards().Acquire(ctx, &effect.GuardRequest{Hint: h}); err != nil {
							return // the node is dead, or the time is over
						}
						mu.Lock()
						times = append(times, time.Since(began))
						taken := len(times)
						mu.Unlock()
						if taken%97 == 0 {
							time.Sleep(time.Second) // so that the bucket fills from time to time
						}
					}
				})
			}
		}
		for range 2 {
			time.Sleep(15 * time.Second)
			c.kill(c.coordinator())
		}
		all.Wait()
		slices.Sort(times)
		worst := 0.0
		for i := range times {
			for j := i; j < len(times); j++ {
				worst = max(worst, float64(j-i+1)-perSecond*(times[j]-times[i]).Seconds())
			}
		}
		t.Logf("%d tokens in a minute; at most %.2f more than flowed in, with a burst of %d", len(times), worst, burst)
		require.LessOrEqual(t, worst, burst+1e-6)
		require.Greater(t, len(times), 900)
	})
}
