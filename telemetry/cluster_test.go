package telemetry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/telemetry"
)

// TestCluster has the metrics of a node of a cluster.
func TestCluster(t *testing.T) {
	c := telemetry.NewCluster(func() telemetry.ClusterCounts {
		return telemetry.ClusterCounts{Nodes: 3, Elections: 4, Ended: 5, Active: 6, Moves: 7, Alarms: 1, Score: 0.25}
	})
	c.Led(2 * time.Second)
	c.Checkpoint(100)
	c.Checkpoint(5000)
	c.Synced(time.Millisecond)
	r := prometheus.NewPedanticRegistry()
	require.NoError(t, r.Register(c))
	require.NoError(t, testutil.GatherAndCompare(r, strings.NewReader(`
# HELP ptc_cluster_checkpoints_created_total Appends to the logs of runs: a run continues after the last one when its node dies.
# TYPE ptc_cluster_checkpoints_created_total counter
ptc_cluster_checkpoints_created_total 2
# HELP ptc_cluster_engine_alarms Alarms of the engine: while there is one, nothing is written.
# TYPE ptc_cluster_engine_alarms gauge
ptc_cluster_engine_alarms 1
# HELP ptc_cluster_leader_elections_total Times that a node was elected for a duty of the cluster.
# TYPE ptc_cluster_leader_elections_total counter
ptc_cluster_leader_elections_total 4
# HELP ptc_cluster_load_score Load of this node, from 0 to 1.
# TYPE ptc_cluster_load_score gauge
ptc_cluster_load_score 0.25
# HELP ptc_cluster_nodes_active Nodes that are alive.
# TYPE ptc_cluster_nodes_active gauge
ptc_cluster_nodes_active 3
# HELP ptc_cluster_rebalance_operations_total Times that this node has moved queued runs between nodes.
# TYPE ptc_cluster_rebalance_operations_total counter
ptc_cluster_rebalance_operations_total 7
# HELP ptc_cluster_units_active Runs that this node leads.
# TYPE ptc_cluster_units_active gauge
ptc_cluster_units_active 6
# HELP ptc_cluster_units_total Runs that this node has led until they ended, or were parked.
# TYPE ptc_cluster_units_total counter
ptc_cluster_units_total 5
`), "ptc_cluster_checkpoints_created_total", "ptc_cluster_engine_alarms", "ptc_cluster_leader_elections_total", "ptc_cluster_load_score",
		"ptc_cluster_nodes_active", "ptc_cluster_rebalance_operations_total", "ptc_cluster_units_active",
		"ptc_cluster_units_total"))
	all, err := r.Gather()
	require.NoError(t, err)
	sums := make(map[string]float64)
	for _, family := range all {
		if h := family.GetMetric()[0].GetHistogram(); h != nil {
			sums[family.GetName()] = h.GetSampleSum()
		}
	}
	require.Equal(t, map[string]float64{"ptc_cluster_unit_duration_seconds": 2, "ptc_cluster_checkpoint_size_bytes": 5100,
		"ptc_cluster_state_sync_duration_seconds": 0.001}, sums)
	require.Len(t, all, 11)
}
