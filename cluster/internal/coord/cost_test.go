// This file measures how many messages a guard costs, and how long it takes.

package coord_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/coord"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// sent returns how many calls a node has sent to another one.
func (c *cluster) sent(from, to string) int {
	n, _ := c.net.Sent(from, to)
	return n
}

// TestCost: a free guard costs one round trip to the coordinator, and many guards taken at the same time
// share messages.
func TestCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const way = 5 * time.Millisecond
		c := start(t, 3, 1)
		c.ready()
		at, name := c.coordinator(), c.others()[0]
		n := c.nodes[name]
		c.net.Delay(way, way)
		time.Sleep(time.Second)
		began, before := time.Now(), c.sent(name, at)
		const calls = 100
		for i := range calls {
			one := time.Now()
			h := take(t, n, exclusive, fmt.Sprint("db", i), evaluation(n, "r1", "0"))
			// The release of the last one may be under way.
			require.LessOrEqual(t, time.Since(one), 4*way)
			require.NoError(t, h.Release())
		}
		messages, took := c.sent(name, at)-before, time.Since(began)
		t.Logf("one after the other: %.2f calls and %s for each", float64(messages)/calls, took/calls)
		require.LessOrEqual(t, messages, 2*calls+10)

		began, before = time.Now(), c.sent(name, at)
		var all sync.WaitGroup
		for i := range 50 * calls {
			all.Go(func() {
				h := take(t, n, exclusive, fmt.Sprint("db", i), evaluation(n, "r1", "0"))
				require.NoError(t, h.Release())
			})
		}
		all.Wait()
		messages, took = c.sent(name, at)-before, time.Since(began)
		t.Logf("5,000 at once: %.3f calls for each, %s for all", float64(messages)/(50*calls), took)
		require.Less(t, messages, 5*calls)

		before = c.sent(name, at)
		time.Sleep(time.Minute)
		t.Logf("idle: %d calls in a minute", c.sent(name, at)-before)
		require.Less(t, c.sent(name, at)-before, 200)

		// A guard that is passed on: its release and its grant are one way each.
		h := take(t, n, exclusive, "db1", evaluation(n, "r1", "0"))
		other := c.nodes[c.others()[1]]
		got := make(chan time.Time)
		go func() {
			h := take(t, other, exclusive, "db1", evaluation(other, "r2", "0"))
			got <- time.Now()
			require.NoError(t, h.Release())
		}()
		time.Sleep(10 * time.Second)
		began = time.Now()
		require.NoError(t, h.Release())
		took = (<-got).Sub(began)
		t.Logf("passed on to another node after %s", took)
		require.LessOrEqual(t, took, 4*way)
	})
}

// BenchmarkGuard takes and releases a host that is free, on a network that takes no time: on the coordinator's own
// node, and on another one.
func BenchmarkGuard(b *testing.B) {
	engine := memory.New(memory.Options{}, "node1", "node2")
	net := peer.NewMemory(1)
	nodes := make(map[string]*coord.Node)
	for _, name := range []string{"node1", "node2"} {
		link := net.Join(name)
		defer link.Close()
		n, err := coord.New(coord.Options{Engine: engine.Member(name), Network: link})
		require.NoError(b, err)
		defer func() { require.NoError(b, n.Close()) }()
		require.NoError(b, n.Ready(b.Context()))
		nodes[name] = n
	}
	at, _ := nodes["node1"].Coordinator()
	for name, n := range nodes {
		where := "other"
		if name == at {
			where = "same"
		}
		o := evaluation(n, "r1", "0")
		acquire := func(b *testing.B, i int) {
			r := &effect.GuardRequest{Hint: exclusive, Host: fmt.Sprint(name, i), Owner: o}
			h, err := n.Guards().Acquire(b.Context(), r)
			require.NoError(b, err)
			require.NoError(b, h.Release())
		}
		b.Run(where, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				acquire(b, i)
			}
		})
		b.Run(where+"/at once", func(b *testing.B) {
			var mu sync.Mutex
			next := 0
			b.SetParallelism(200)
			b.RunParallel(func(pb *testing.PB) {
				mu.Lock()
				next++
				i := next
				mu.Unlock()
				for pb.Next() {
					acquire(b, i)
				}
			})
		})
	}
}
