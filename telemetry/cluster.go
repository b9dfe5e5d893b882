// This file defines the metrics of a cluster.

package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// ClusterCounts are the counts of a node about its cluster and its own work for it.
type ClusterCounts struct {
	Nodes     int     // that are alive
	Elections int     // of nodes for duties, as far as this node has seen them
	Ended     int     // runs that this node has led to their end
	Active    int     // runs that this node leads
	Moves     int     // times that this node has moved queued runs from one node to another
	Alarms    int     // of the engine, as long as which nothing is written
	Score     float64 // the load of this node, from 0 to 1
}

// Cluster are the metrics of a node of a cluster, as one collector.
type Cluster struct {
	counts                  func() ClusterCounts
	checkpoints             prometheus.Counter
	duration, records, sync prometheus.Histogram
}

// NewCluster returns the metrics of a node; counts is called for each collection, and must not wait.
func NewCluster(counts func() ClusterCounts) *Cluster {
	if counts == nil {
		counts = func() ClusterCounts { return ClusterCounts{} }
	}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
	}
	times := prometheus.ExponentialBuckets(0.001, 4, 10) // 1 ms to 262 s
	return &Cluster{counts: counts,
		checkpoints: prometheus.NewCounter(prometheus.CounterOpts{Name: "ptc_cluster_checkpoints_created_total",
			Help: "Appends to the logs of runs: a run continues after the last one when its node dies."}),
		duration: histogram("ptc_cluster_unit_duration_seconds", "Time for which a node led a run that ended there.", times),
		records: histogram("ptc_cluster_checkpoint_size_bytes", "Size of the appends to the logs of runs.",
			prometheus.ExponentialBuckets(64, 4, 9)), // to 4 MB
		sync: histogram("ptc_cluster_state_sync_duration_seconds",
			"Time in which the facts in memory were compared with those of the cluster.", times),
	}
}

// Led counts a run that has ended on this node, and the time for which the node led it.
func (c *Cluster) Led(d time.Duration) {
	if c.made() {
		c.duration.Observe(d.Seconds())
	}
}

// Checkpoint counts an append of some bytes to the log of a run.
func (c *Cluster) Checkpoint(bytes int) {
	if c.made() {
		c.checkpoints.Inc()
		c.records.Observe(float64(bytes))
	}
}

// Synced counts a comparison of the facts in memory with those of the cluster.
func (c *Cluster) Synced(d time.Duration) {
	if c.made() {
		c.sync.Observe(d.Seconds())
	}
}

// made reports whether NewCluster has made c. Others are no metrics.
func (c *Cluster) made() bool { return c != nil && c.counts != nil }

// The metrics that Collect reads.
var (
	clusterNodesDesc     = prometheus.NewDesc("ptc_cluster_nodes_active", "Nodes that are alive.", nil, nil)
	clusterElectionsDesc = prometheus.NewDesc("ptc_cluster_leader_elections_total",
		"Times that a node was elected for a duty of the cluster.", nil, nil)
	clusterUnitsDesc = prometheus.NewDesc("ptc_cluster_units_total",
		"Runs that this node has led until they ended, or were parked.", nil, nil)
	clusterActiveDesc = prometheus.NewDesc("ptc_cluster_units_active", "Runs that this node leads.", nil, nil)
	clusterMovesDesc  = prometheus.NewDesc("ptc_cluster_rebalance_operations_total",
		"Times that this node has moved queued runs between nodes.", nil, nil)
	clusterAlarmsDesc = prometheus.NewDesc("ptc_cluster_engine_alarms",
		"Alarms of the engine: while there is one, nothing is written.", nil, nil)
	clusterScoreDesc = prometheus.NewDesc("ptc_cluster_load_score", "Load of this node, from 0 to 1.", nil, nil)
)

// Describe implements prometheus.Collector.
func (c *Cluster) Describe(to chan<- *prometheus.Desc) {
	if !c.made() {
		return
	}
	for _, own := range []prometheus.Collector{c.checkpoints, c.duration, c.records, c.sync} {
		own.Describe(to)
	}
	for _, d := range []*prometheus.Desc{clusterNodesDesc, clusterElectionsDesc, clusterUnitsDesc, clusterActiveDesc,
		clusterMovesDesc, clusterAlarmsDesc, clusterScoreDesc} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *Cluster) Collect(to chan<- prometheus.Metric) {
	if !c.made() {
		return
	}
	for _, own := range []prometheus.Collector{c.checkpoints, c.duration, c.records, c.sync} {
		own.Collect(to)
	}
	n := c.counts()
	gauge(to, clusterNodesDesc, float64(n.Nodes))
	counter(to, clusterElectionsDesc, int64(n.Elections))
	counter(to, clusterUnitsDesc, int64(n.Ended))
	gauge(to, clusterActiveDesc, float64(n.Active))
	counter(to, clusterMovesDesc, int64(n.Moves))
	gauge(to, clusterAlarmsDesc, float64(n.Alarms))
	gauge(to, clusterScoreDesc, n.Score)
}
