//go:build unix

package main

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/store"
)

// TestClusterEnd requires a node with a run that all nodes share to end in order after SIGTERM, also if the
// others do not answer any more. Without a majority it can't record that it has left the run.
func TestClusterEnd(t *testing.T) {
	t.Parallel() // it mostly waits
	calls := newSlow(t, 20*time.Millisecond)
	c := prepareCluster(t, calls.flags()...)
	c.set("timeout: 1h\nworkers: 4\ncluster:\n  work_distribution: {work_unit_size: 5, share_from: 3}\n")
	c.startAll()
	run, err := c.at("node1").Submit(t.Context(), store.Submission{Source: `
		(count (pmap (fn [i] (tool/http.get (str "` + calls.URL + `/?i=" i))) (range 1000000)))`}, 0)
	require.NoError(t, err)
	for _, alone := range []bool{false, true} {
		require.Eventually(t, func() bool {
			all, err := c.at("node1").Units(t.Context(), run.ID)
			return err == nil && len(all) == 3
		}, time.Minute, 20*time.Millisecond)
		leader, _ := c.leaders(t.Context(), run.ID)
		for _, name := range c.names() {
			if alone && name != leader {
				require.NoError(t, c.nodes[name].Signal(syscall.SIGSTOP))
			}
		}
		begin := time.Now()
		require.Zero(t, c.nodes[leader].End(syscall.SIGTERM), "%s", c.nodes[leader].Log())
		t.Logf("%s: alone %v: ended after %v", load(), alone, time.Since(begin))
		if !alone {
			c.start(leader).Ready()
			c.settle(t.Context(), leader)
		}
	}
}

// TestClusterShortLease starts a node with the shortest lease that the settings allow.
func TestClusterShortLease(t *testing.T) {
	testlevel.System(t)
	t.Parallel()
	c := prepareNodes(t, 1, nil)
	c.set("cluster:\n  membership: {lease_ms: 1000, heartbeat_interval_ms: 500}\n")
	c.startAll()
	run, err := c.at("node1").Submit(t.Context(), store.Submission{Source: "42"}, time.Minute)
	require.NoError(t, err)
	require.Equal(t, "42", run.Text)
}
