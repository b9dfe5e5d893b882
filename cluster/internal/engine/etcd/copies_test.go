package etcd

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// TestCopies adds two members that stay learners. Each does everything that a voter does except vote, and
// the death of either one blocks nothing.
func TestCopies(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, 4)
	dir := t.TempDir()
	open := func(i int, start Start, known ...int) *Engine {
		o := n.options(i, filepath.Join(dir, nodeName(i)))
		o.Start, o.Members = start, map[string]string{nodeName(i): n.peers[i]}
		for _, k := range known {
			o.Members[nodeName(k)] = n.peers[k]
		}
		e, err := Open(t.Context(), o)
		require.NoError(t, err)
		t.Cleanup(func() { e.Close() })
		return e
	}
	first := open(0, New)
	ready(t, first)
	admin := first.Admin(n.peers[1], n.peers[2])
	o := n.options(1, filepath.Join(dir, "node2"))
	o.Start, o.Members = Join, map[string]string{"node1": n.peers[0], "node2": n.peers[1]}
	var second *Engine
	opened := make(chan error, 1)
	go func() { // it waits until it is added
		var err error
		second, err = Open(t.Context(), o)
		opened <- err
	}()
	put(t, first, "k", "v")
	require.NoError(t, admin.AddCopy(t.Context(), "node2", n.peers[1]))
	require.NoError(t, admin.AddCopy(t.Context(), "node3", n.peers[2])) // it does not run yet
	require.NoError(t, <-opened)
	ready(t, second)
	put(t, second, "k", "v2")
	e, ok, err := first.Get(t.Context(), "k")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "v2", string(e.Value))
	leased, err := second.Grant(t.Context(), time.Minute)
	require.NoError(t, err)
	_, err = second.Apply(t.Context(), nil, engine.Op{Key: "leased", Lease: leased.ID()})
	require.NoError(t, err)
	seen := errors.New("seen")
	require.ErrorIs(t, second.Watch(t.Context(), "k", e.Created, func(c engine.Commit) error { return seen }), seen)
	answered, gone := leased.(*lease).renewed(t.Context(), time.Minute)
	require.True(t, answered && !gone, "the lease of a copy is not renewed")

	// A voter joins while node3 does not run, and a copy is removed that has never run.
	_, err = first.Admin().AddLearner(t.Context(), "node4", n.peers[3])
	require.ErrorIs(t, err, ErrRisky)
	_, err = admin.AddLearner(t.Context(), "node4", n.peers[3])
	require.NoError(t, err)
	require.NoError(t, admin.Remove(t.Context(), n.peers[2]))
	fourth := open(3, Join, 0, 1)
	require.NoError(t, fourth.Admin(n.peers[1]).Promote(t.Context(), "node4"))
	ready(t, fourth)

	// A copy restarts, and one that is wiped is refused as a voter is.
	require.NoError(t, second.Close())
	put(t, first, "k", "v3")
	second = open(1, Join, 0)
	put(t, second, "k", "v4")
	require.NoError(t, second.Close())
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "node2")))
	_, err = Open(t.Context(), o)
	require.ErrorIs(t, err, ErrWiped)
	require.NoError(t, admin.Remove(t.Context(), "node2"))
	o.Start = New
	_, err = Open(t.Context(), o)
	require.ErrorContains(t, err, "let it join with a token")
}
