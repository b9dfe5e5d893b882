// This file tests what a node shows right after a change that was made through it.

package member_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/member"
)

// lagging is a member of the engine whose watches lag behind.
type lagging struct{ engine.Engine }

// Watch implements engine.Engine.
func (l lagging) Watch(ctx context.Context, prefix string, after engine.Revision, f func(engine.Commit) error) error {
	return l.Engine.Watch(ctx, prefix, after, func(c engine.Commit) error {
		time.Sleep(50 * time.Millisecond)
		return f(c)
	})
}

// TestShown requires a node to show a change that was made through it as soon as that has returned.
func TestShown(t *testing.T) {
	run(t, 3, func(w *world) {
		w.stop("node1")
		n := &node{link: w.net.Join("node1")}
		var err error
		n.Cluster, err = member.Start(member.Options{Engine: lagging{w.eng.Member("node1")}, Network: n.link,
			Self: member.Info{Name: "node1"}})
		require.NoError(t, err)
		w.nodes["node1"] = n
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		d := &duties{t: t}
		for _, name := range w.names {
			d.elect(ctx, &wg, name, w.nodes[name].Cluster)
		}
		time.Sleep(5 * time.Second)

		for _, on := range []bool{true, false} {
			require.NoError(t, n.Drain(ctx, "node2", on))
			require.Equal(t, on, w.node("node1", "node2").Draining)
		}
		require.NoError(t, n.Drain(ctx, "node2", false), "it does not drain")
		before, ok := n.Holder("coordinator")
		require.True(t, ok)
		require.NoError(t, n.StepDown(ctx, "coordinator"))
		after, ok := n.Holder("coordinator")
		require.True(t, ok)
		require.NotEqual(t, before.Node, after.Node)
		cancel()
		wg.Wait()
	})
}
