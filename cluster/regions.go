// This file defines how a node exchanges facts with the nodes of other clusters, each of which is a region.

package cluster

import (
	"context"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/internal/facts"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/cluster/pki"
)

// DutyRegions is the duty to send the facts of this region to the others.
const DutyRegions = "regions"

// connectRegions enters the other regions into the options of the facts. Their nodes reach this one over a
// separate network with separate certificates, which answers only requests about facts.
func (n *Node) connectRegions(o *facts.Options) error {
	c, g := n.opts.Config, n.opts.Config.Regions
	if g.Name == "" {
		return nil
	}
	self := config.RegionName(c.ClusterID, c.Node)
	addresses, others := make(map[string]string), make(map[string][]string)
	for _, p := range g.Peers {
		name := config.RegionName(p.Cluster, p.Node)
		addresses[name] = p.Address
		others[p.Cluster] = append(others[p.Cluster], name)
	}
	allow := func(node string) bool { return addresses[node] != "" }
	id, err := pki.Load(pki.Files{CA: g.CACert, Cert: g.Cert, Key: g.Key}, g.Name, self, allow, n.log)
	if err != nil {
		return err
	}
	n.regions, err = peer.Listen(peer.Config{Identity: id, Address: g.Listen, Release: n.opts.Release, Log: n.log,
		Find: func(node string) (string, bool) { return addresses[node], addresses[node] != "" },
		Dial: c.Network.Connect, Silence: c.Network.Silence})
	if err != nil {
		return err
	}
	o.Node, o.Network, o.Sends = self, n.regions, n.sends.Load
	o.Regions = func() map[string][]string { return others }
	return nil
}

// sendFacts has this node send the facts of its region while it has the duty.
func (n *Node) sendFacts(ctx context.Context) {
	n.sends.Store(true)
	<-ctx.Done()
	n.sends.Store(false)
}
