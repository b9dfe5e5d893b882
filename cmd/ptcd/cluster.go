// This file defines the section of the file of settings about the cluster of a node.

package main

import (
	"context"
	"log/slog"
	"path/filepath"

	"github.com/goccy/go-yaml/ast"

	"github.com/ptc-lang/ptc/cluster"
	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/cmd/internal/buildinfo"
	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/cmd/internal/state"
	"github.com/ptc-lang/ptc/internal/ending"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/telemetry"
	"github.com/ptc-lang/ptc/tools/grant"
)

// sections are the keys of the file of flags that are no flags.
func (s *settings) sections() map[string]func(*configReader, ast.Node) {
	all := s.accessSettings.sections()
	all["cluster"] = s.readCluster
	return all
}

// readCluster reads the section cluster.
func (s *settings) readCluster(r *configReader, n ast.Node) {
	c, problems := config.Read(n)
	for _, p := range problems {
		r.mistake(p.At, "%s", p.Text)
	}
	s.cluster = c
}

// node returns the name of the node; "" for a standalone service.
func (s *settings) node() string {
	if s.cluster == nil || !s.cluster.Enabled {
		return ""
	}
	return s.cluster.Node
}

// openNode opens the node, and waits for a majority of the nodes.
func (s *settings) openNode(ctx context.Context, ends *ending.Steps, log *slog.Logger) (store.Store, *cluster.Node,
	error) {
	var node *cluster.Node
	s.nodeMetrics = telemetry.NewCluster(func() telemetry.ClusterCounts { return nodeCounts(node) })
	node, err := cluster.Open(ctx, cluster.Options{Config: s.cluster, Dir: s.dir, Release: buildinfo.Version(version),
		Observe: cluster.Observer{Ended: s.nodeMetrics.Led, Appended: s.nodeMetrics.Checkpoint, Synced: s.nodeMetrics.Synced},
		Ends:    ends, Log: log})
	if err != nil {
		return nil, nil, err
	}
	if most := s.cluster.Storage.Retention; s.keep.Age == 0 || s.keep.Age > most {
		s.keep.Age = most
	}
	return nodeStore{node.Store(), node}, node, nil
}

// nodeCounts returns the counts of a node; zero before it is a member.
func nodeCounts(node *cluster.Node) (c telemetry.ClusterCounts) {
	m := node.Members()
	if m == nil {
		return c
	}
	for _, n := range m.Nodes() {
		if n.Self || n.State == member.Alive {
			c.Nodes++
		}
	}
	stats := node.Stats()
	c.Elections, c.Ended, c.Active, c.Moves = m.Elections(), stats.Finished, stats.Led, stats.Moves
	c.Alarms = node.Alarms()
	c.Score = node.Load().Score()
	return c
}

// clusterFiles returns the files of the node that no tool may change, or read if they are secret.
func (s *settings) clusterFiles() []grant.Protected {
	c := s.cluster
	if c == nil {
		return nil
	}
	const open, secret = false, true
	var all []grant.Protected
	add := func(what string, secret bool, paths ...string) {
		for _, path := range paths {
			if path != "" {
				all = append(all, grant.Protected{Path: files.Absolute(path), What: what, Secret: secret})
			}
		}
	}
	add("the directory of the node", secret, c.Dir)
	add("the master key of the cluster", secret, c.Encryption.MasterKey)
	add("an old master key of the cluster", secret, c.Encryption.OldMasterKeys...)
	add("the key of the authority of the cluster", secret, c.MTLS.CAKey)
	add("the key of the node's certificate", secret, c.MTLS.Key)
	add("the key of the node for other regions", secret, c.Regions.Key)
	add("the certificates of the regions", open, c.Regions.Cert, c.Regions.CACert)
	add("the certificate of the node", open, c.MTLS.Cert)
	add("the authority of the cluster", open, c.MTLS.CACert)
	return all
}

// nodeStore is the store of a node. Its end is that of the node.
type nodeStore struct {
	store.Store
	node *cluster.Node
}

// Close implements store.Store.
func (s nodeStore) Close() error { return s.node.Close() }

// journalKey returns the key of the journals: the key of the cluster, or of the directory of a standalone service.
func (s *settings) journalKey(node *cluster.Node) (journal.Key, error) {
	if node != nil {
		return node.Key(), nil
	}
	return state.MakeKey(filepath.Join(s.dir, keyFile))
}

// shareHosts has the grants of a node share its facts and its connections to hosts. The load of the node counts them.
func (s *settings) shareHosts(node *cluster.Node, granted *grant.Set) {
	c := s.cluster.Connections
	granted.FactSource = node.Facts()
	granted.SSH = grant.Connections{Max: c.Max, PerHost: c.MaxPerHost, Idle: max(c.Idle, 1),
		Retries: s.cluster.Failures.ConnectionRetries}
	node.CountConnections(granted.Connections)
}

// join makes the node a member that grants the tools of the later engine, and sets the shared resources of its runs.
func join(node *cluster.Node, o *serve.Options, granted *grant.Set) error {
	info := member.Info{Memory: o.Memory, Reaches: granted.Digests()}
	for _, t := range o.Run.Tools.All() {
		info.Tools = append(info.Tools, t.Name())
	}
	if err := node.Join(info); err != nil {
		return err
	}
	o.Placement, o.Run.Guards, o.Views = node.Placement(), node.Guards(), node.Views()
	o.Nodes, o.Cluster, o.Replicas = node.Nodes(), node.Cluster(), node.Replicas()
	return nil
}
