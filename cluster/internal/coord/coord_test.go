// This file defines clusters in one process for the tests, and tests how a cluster shares guards.

package coord_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/cluster/internal/coord"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/runtime/effect"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cluster is a cluster in a bubble of synctest.
type cluster struct {
	t      *testing.T
	engine *memory.Cluster
	net    *peer.Memory
	names  []string
	nodes  map[string]*coord.Node
	links  map[string]*peer.MemoryNode
}

const lease = coord.DefaultLease

// start starts a cluster of n nodes, and waits until there is a coordinator.
func start(t *testing.T, n int, seed uint64) *cluster {
	c := &cluster{t: t, net: peer.NewMemory(seed), nodes: make(map[string]*coord.Node),
		links: make(map[string]*peer.MemoryNode)}
	for i := range n {
		c.names = append(c.names, fmt.Sprintf("node%d", i+1))
	}
	c.engine = memory.New(memory.Options{Timeout: time.Second}, c.names...)
	for _, name := range c.names {
		c.join(name)
	}
	t.Cleanup(func() {
		for _, name := range c.names {
			c.leave(name)
		}
		for _, name := range c.names {
			c.engine.Crash(name)
		}
	})
	return c
}

// join starts a node.
func (c *cluster) join(name string) *coord.Node {
	c.links[name] = c.net.Join(name)
	n, err := coord.New(coord.Options{Engine: c.engine.Member(name), Network: c.links[name]})
	require.NoError(c.t, err)
	c.nodes[name] = n
	return n
}

// leave ends a node as a process that stops.
func (c *cluster) leave(name string) {
	if n := c.nodes[name]; n != nil {
		require.NoError(c.t, n.Close())
		c.links[name].Close()
		delete(c.nodes, name)
	}
}

// ready waits until all nodes have a session.
func (c *cluster) ready() {
	for _, n := range c.nodes {
		require.NoError(c.t, n.Ready(c.t.Context()))
	}
	synctest.Wait()
}

// coordinator waits for a coordinator, and returns its name.
func (c *cluster) coordinator() string {
	for {
		for _, name := range c.names {
			if n := c.nodes[name]; n != nil {
				if at, _ := n.Coordinator(); at == name {
					return name
				}
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// evaluation returns an owner on a node.
func evaluation(n *coord.Node, run, path string) effect.Owner {
	g := n.Guards()
	return g.Owner(g.Owner(nil, run, "run"), run, path)
}

var (
	exclusive = effect.Hint{Kind: effect.HostExclusive}
	global    = effect.Hint{Kind: effect.GlobalExclusive}
)

// take acquires a guard that must be given.
func take(t *testing.T, n *coord.Node, h effect.Hint, host string, o effect.Owner) effect.Held {
	t.Helper()
	held, err := n.Guards().Acquire(t.Context(), &effect.GuardRequest{Hint: h, Host: host, Owner: o})
	require.NoError(t, err)
	return held
}

// TestShared: a host is held by one node at a time, and the one that waits gets it when it is released.
func TestShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 3, 1)
		a, b := c.nodes["node1"], c.nodes["node2"]
		first := take(t, a, exclusive, "db1", evaluation(a, "r1", "0"))
		require.Positive(t, first.Fence())
		got := make(chan effect.Held)
		go func() { got <- take(t, b, exclusive, "db1", evaluation(b, "r2", "0")) }()
		time.Sleep(time.Minute)
		select {
		case <-got:
			require.Fail(t, "two nodes hold a host")
		default:
		}
		stats, err := a.Guards().Stats(t.Context(), 10)
		require.NoError(t, err)
		nodes, err := b.States(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, stats.Held)
		require.Equal(t, 1, stats.Waiting)
		require.Len(t, nodes, 3)
		require.NoError(t, first.Release())
		second := <-got
		require.Greater(t, second.Fence(), first.Fence())
		require.NoError(t, second.Release())
		require.NoError(t, second.Lost().Err())
	})
}
