package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/store"
)

// TestClusterRoom kills the nodes of a cluster all the time, so that none lives as long as the time between two
// compactions of the engine. The engine is compacted all the same.
func TestClusterRoom(t *testing.T) {
	testlevel.System(t)
	t.Parallel()
	const every = 6 * time.Second
	c := prepareCluster(t)
	c.set("cluster:\n  storage: {compaction_interval_ms: 6000}\n")
	c.startAll()
	started := make(map[string]time.Time)
	for _, name := range c.names() {
		started[name] = time.Now()
	}
	const metric = "etcd_debugging_mvcc_compact_revision"
	compacted, kills, long := map[float64]bool{}, 0, 0
	for begin := time.Now(); len(compacted) < 3; kills++ {
		require.Less(t, time.Since(begin), 5*time.Minute, "compacted %v after %d kills", compacted, kills)
		name := nodeName(1 + kills%3)
		compacted[c.metrics(name)[metric]] = true
		if time.Since(started[name]) >= every {
			long++
		}
		c.nodes[name].Kill()
		started[name] = time.Now()
		c.start(name).Ready()
		time.Sleep(every / 12) // each node is killed long before the interval is over
	}
	t.Logf("%s: %d kills, %d of nodes that had lived for %v, compacted to %v", load(), kills, long, every, compacted)
	s, err := c.at("node1").Cluster(t.Context())
	require.NoError(t, err)
	require.Empty(t, s.Engine.Alarms)
	run, err := c.at("node1").Submit(t.Context(), store.Submission{Source: `(+ 1 2)`}, time.Minute)
	require.NoError(t, err)
	assert.Equal(t, "3", run.Text)
}
