// This file defines the conditions between the settings of a section.

package config

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml/token"

	"github.com/ptc-lang/ptc/cluster/pki"
)

// at returns the place of a key, or of the section that it is missing in.
func (r *reader) at(names ...string) *token.Token {
	for _, n := range names {
		if t := r.places[n]; t != nil {
			return t
		}
	}
	return nil
}

// check reports contradictions between keys.
func (r *reader) check(c *Config) {
	if len(c.Controllers) > 0 {
		r.checkControllers(c)
		r.checkVotes(c)
	}
	r.checkTimes(c)
	r.checkSecurity(c)
	for _, word := range c.Capabilities {
		if strings.Contains(word, ".") {
			r.problem(r.at("capabilities"), "cluster: capabilities: %q has the form of the name of a tool: want a word without "+
				"a point, and grant the tool", word)
		}
	}
	r.checkRegions(c)
}

// checkControllers reports nodes that can't be told apart, and a node that is not there.
func (r *reader) checkControllers(c *Config) {
	seen := make(map[string]string) // the key of each name and address
	self := false
	for i, k := range c.Controllers {
		self = self || k.Name == c.Node
		prefix := fmt.Sprintf("controllers[%d].", i)
		for _, x := range []struct{ kind, key, value string }{
			{"the name", "name", k.Name}, {"the address", "address", k.Address},
			{"the address", "engine_address", k.EngineAddress}, {"the address", "api_address", k.APIAddress},
		} {
			if x.value == "" {
				continue
			}
			if first, twice := seen[x.kind+x.value]; twice {
				r.problem(r.at(prefix+x.key), "cluster: %s%s: %s %s is that of %s too: want another one", prefix, x.key,
					x.kind, x.value, first)
				continue
			}
			seen[x.kind+x.value] = prefix + x.key
		}
		if c.Topology == Hierarchical && k.Region == "" {
			r.problem(r.at(prefix+"name", prefix), "cluster: %sregion is missing: in the topology hierarchical each node "+
				"has one", prefix)
		}
	}
	if c.Node != "" && !self {
		r.problem(r.at("node"), "cluster: node is %q, which is not one of controllers: want the name of one of them, or "+
			"add it", c.Node)
	}
}

// checkVotes reports numbers of votes with which a cluster stops although it need not.
func (r *reader) checkVotes(c *Config) {
	votes, workers := c.Votes(), 0
	for _, k := range c.Controllers {
		if k.Role != Witness {
			workers++
		}
	}
	at := r.at("controllers")
	switch {
	case c.Join: // the controllers are the nodes of a moment, between two changes of the cluster
	case votes == 0:
		r.problem(at, "cluster: no controller votes: want one, three or five with the role voter")
	case votes == 2:
		r.problem(at, "cluster: two controllers vote: if one fails, the other is no majority, and stops. Add a third one, "+
			"with role: witness if it shall take no runs")
	case votes%2 == 0:
		r.problem(at, "cluster: %d controllers vote: one more than %d survives no further failure. Want an odd number: "+
			"leave one out, or add one", votes, votes-1)
	case votes > 7:
		r.problem(at, "cluster: %d controllers vote: each write waits for a majority of them. Want at most 7", votes)
	}
	if workers == 0 {
		r.problem(at, "cluster: all controllers are witnesses, and no node takes runs: want one with the role voter")
	}
	if workers > 0 && c.Storage.Replicas > workers {
		r.problem(r.at("storage.replicas", "controllers"), "cluster: storage.replicas is %d, and only %d controllers keep "+
			"copies: want at most %d", c.Storage.Replicas, workers, workers)
	}
}

// checkTimes reports times that don't fit each other.
func (r *reader) checkTimes(c *Config) {
	raft, m, w := c.Raft, c.Membership, c.Work
	ms := time.Duration.Milliseconds
	for _, x := range []struct {
		key, other  string
		value, want int64
		than, why   string
	}{
		{"raft.election_timeout_max_ms", "raft.election_timeout_min_ms", ms(raft.ElectionMax), ms(raft.ElectionMin) + 1,
			"more than", ""},
		{"raft.election_timeout_max_ms", "raft.heartbeat_interval_ms", ms(raft.ElectionMax), 5 * ms(raft.Heartbeat),
			"at least 5 times", ": a single lost heartbeat must not begin an election"},
		{"membership.lease_ms", "membership.heartbeat_interval_ms", ms(m.Lease), 2 * ms(m.Heartbeat),
			"at least twice", ": a single late heartbeat must not kill a node"},
		{"membership.lease_ms", "raft.election_timeout_max_ms", ms(m.Lease), 2 * ms(raft.ElectionMax),
			"at least twice", ": an election must not kill all nodes"},
		{"work_distribution.region_start_ms", "work_distribution.head_start_ms", ms(w.RegionStart), ms(w.HeadStart),
			"at least", ""},
		{"connections.max", "connections.max_per_host", int64(c.Connections.Max), int64(c.Connections.MaxPerHost),
			"at least", ""},
	} {
		if x.value < x.want {
			r.problem(r.at(x.key, x.other), "cluster: %s is %d, want %s %s, %d or more%s", x.key, x.value, x.than, x.other,
				x.want, x.why)
		}
	}
	if m.Lease%time.Second != 0 {
		r.problem(r.at("membership.lease_ms"), "cluster: membership.lease_ms is %d, want whole seconds, such as %d",
			ms(m.Lease), ms(m.Lease.Truncate(time.Second)+time.Second))
	}
}

// checkSecurity reports nodes that can't connect, and keys that are missing.
func (r *reader) checkSecurity(c *Config) {
	m, e := c.MTLS, c.Encryption
	if !m.Enabled {
		r.problem(r.at("security.mtls.enabled"), "cluster: security.mtls.enabled is false: nodes always have certificates; "+
			"ptcd cluster init makes them for a trial")
	}
	if allow, err := pki.Allow(c.ClusterID, m.AllowedIdentities...); err != nil {
		for _, one := range split(err) {
			r.problem(r.at("security.mtls.allowed_identities"), "cluster: security.mtls.allowed_identities: %v", one)
		}
	} else if len(m.AllowedIdentities) > 0 {
		for _, k := range c.Controllers {
			if k.Name != "" && !allow(k.Name) {
				r.problem(r.at("security.mtls.allowed_identities"), "cluster: security.mtls.allowed_identities: the controller %s "+
					"is not one of them, and could not connect: add it, or remove the list", k.Name)
			}
		}
	}
	switch file, command := e.MasterKey != "", len(e.MasterKeyCommand) > 0; {
	case !e.Enabled:
	case file && command:
		r.problem(r.at("security.encryption.master_key_command"), "cluster: security.encryption has master_key and "+
			"master_key_command: want one of them")
	case !file && !command:
		r.problem(r.at("security.encryption.enabled", "security.encryption", "security", "cluster_id"), "cluster: "+
			"security.encryption.master_key is missing: want a file of 32 random bytes in hexadecimal digits, of mode 0600, "+
			"the same one on all nodes, or enabled: false")
	}
}

// checkRegions reports regions that can't be reached.
func (r *reader) checkRegions(c *Config) {
	g := c.Regions
	for _, x := range []struct {
		key   string
		given bool
	}{{"listen", g.Listen != ""}, {"ca_cert", g.CACert != ""}, {"cert", g.Cert != ""}, {"key", g.Key != ""},
		{"peers", len(g.Peers) > 0}, {"name", g.Name != ""}} {
		if !x.given && r.places["regions"] != nil {
			r.problem(r.at("regions"), "cluster: regions.%s is missing: with regions, name, listen, ca_cert, cert, key and "+
				"peers are required", x.key)
		}
	}
	if g.Name == "" {
		return
	}
	if err := pki.CheckName("node", RegionName(c.ClusterID, c.Node)); err != nil {
		r.problem(r.at("regions.name"), "cluster: the node is %s for other regions, which is too long: want shorter names",
			RegionName(c.ClusterID, c.Node))
	}
	names := map[string]bool{RegionName(c.ClusterID, c.Node): true}
	for _, p := range g.Peers {
		name := RegionName(p.Cluster, p.Node)
		if names[name] && p.Cluster != c.ClusterID {
			r.problem(r.at("regions.peers"), "cluster: regions.peers: %s/%s is %s for other regions, which is the name of "+
				"another node: want each node once, and other names for clusters or nodes", p.Cluster, p.Node, name)
		}
		names[name] = true
		if p.Cluster == c.ClusterID {
			r.problem(r.at("regions.peers"), "cluster: regions.peers has %s/%s, which is of this cluster: its nodes have the "+
				"same facts already", p.Cluster, p.Node)
		}
	}
}

// split returns the errors that an error joins.
func split(err error) []error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		return joined.Unwrap()
	}
	return []error{err}
}
