// This file defines the state of the cluster for people.

package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/etcd"
	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/cluster/internal/roster"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/serve/wire"
)

// Status implements serve.Cluster.
func (m manager) Status(ctx context.Context) (out wire.Cluster, err error) {
	members, err := m.joined()
	if err != nil {
		return out, err
	}
	status, err := m.engine.Status(ctx)
	if err != nil {
		return out, err
	}
	out = wire.Cluster{ID: m.opts.Config.ClusterID, Node: m.opts.Config.Node, Reach: string(members.Reach()),
		Waiting: m.Stats().Waiting, Engine: m.engineOf(ctx, status), Members: m.membersOf(members, status)}
	for _, d := range duties {
		if d.Node, err = m.holder(ctx, members, d.Duty); err != nil {
			return out, err
		}
		switch {
		case d.Duty == place.DutyActive && m.opts.Config.Topology != config.ActivePassive:
		case d.Duty == DutyRegions && m.regions == nil:
		default:
			out.Duties = append(out.Duties, d)
		}
	}
	out.Warnings = m.warnings(&out)
	if text := m.mastersWarning(ctx); text != "" {
		out.Warnings = append(out.Warnings, text)
	}
	if damaged := m.facts.Damaged(); damaged > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d facts can't be read, and other regions do not get them: "+
			"the log of %s names them. Write them again.", damaged, m.opts.Config.Node))
	}
	return out, nil
}

// Metrics returns the metrics of the engine, whose names begin with etcd_.
func (n *Node) Metrics() prometheus.Gatherer { return etcd.Metrics() }

// Alarms returns the number of alarms of the engine: while there is one, nothing is written.
func (n *Node) Alarms() int { return n.engine.Alarms() }

// engineOf returns the state of the engine.
func (m manager) engineOf(ctx context.Context, s engine.Status) wire.ClusterEngine {
	e := wire.ClusterEngine{Leader: s.Leader, Term: s.Term, Revision: int64(s.Revision), Bytes: s.Bytes, Quota: s.Quota}
	for _, k := range s.Members {
		if !k.Learner {
			e.Votes++
			if k.Healthy {
				e.Running++
			}
		}
	}
	for _, alarm := range s.Alarms {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		damaged, err := m.admin().Damaged(ctx)
		cancel()
		if err != nil {
			m.log.Debug("the data of the members can't be compared", "error", err)
		}
		e.Alarms = append(e.Alarms, wire.ClusterAlarm{Alarm: alarm,
			Repair: repairOf(alarm, m.opts.Config.ClusterID, damaged)})
	}
	return e
}

// membersOf returns the nodes of the list, and other nodes that were seen.
func (m manager) membersOf(members *member.Cluster, s engine.Status) (all []wire.ClusterMember) {
	var led, waits map[string]int
	if q := m.queue.Load(); q != nil {
		led, waits = q.ByNode()
	}
	for _, k := range m.roster.Nodes() {
		one := wire.ClusterMember{Name: k.Name, Role: k.Role, Region: k.Region, State: "joining", Address: k.Address,
			API: k.APIAddress, Engine: engineState(s, k), Runs: led[k.Name], Waiting: waits[k.Name]}
		if n, ok := members.Node(k.Name); ok {
			one.State, one.Draining, one.Admits, one.Missed = string(n.State), n.Draining, n.Admits, n.Missed
			one.Region = cmp.Or(n.Region, one.Region)
			one.PTC, one.Go, one.Arch, one.Problem = n.Versions.PTC, n.Versions.Go, n.Versions.Arch, n.Problem
			one.Capacity = n.Capacity
			if n.State == member.Alive {
				one.Load, one.CPU, one.Memory = n.Load.Score(), n.Load.CPU, n.Load.Memory
				one.Connections = n.Load.Connections
			}
		}
		all = append(all, one)
	}
	return all
}

// engineState returns the state of the engine's member of a node.
func engineState(s engine.Status, k roster.Node) string {
	m := memberAt(s, k.EngineAddress)
	switch {
	case m == nil:
		return "none"
	case !m.Healthy:
		return "down"
	case m.Learner && k.Role == config.Worker:
		return "copies"
	case m.Learner:
		return "joins"
	}
	return "votes"
}

// differing returns the tools that this node and another one grant, and that reach different things.
func (m manager) differing(other string) []string {
	members := m.Members()
	n, ok := members.Node(other)
	if !ok || n.Witness {
		return nil
	}
	self := members.Self()
	both := slices.DeleteFunc(slices.Clone(self.Tools), func(name string) bool {
		return len(n.Missing([]string{name})) > 0
	})
	return n.Differing(both, self.Reaches)
}

// warnings returns the problems that need an operator.
func (m manager) warnings(c *wire.Cluster) (all []string) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if c.Engine.Leader == "" {
		say("The engine has no leader: nothing is written until a majority of the voters runs.")
	}
	if quorum := c.Engine.Votes/2 + 1; c.Engine.Running == quorum && c.Engine.Votes > 1 {
		say("If one more of the %d voters fails, nothing is written any more.", c.Engine.Votes)
	}
	if c.Engine.Votes%2 == 0 {
		say("%d nodes vote: one more than %d survives no further failure. Let another voter join, or remove one.",
			c.Engine.Votes, c.Engine.Votes-1)
	}
	admits := false
	for i := range c.Members {
		k := &c.Members[i]
		admits = admits || k.Admits && k.State == string(member.Alive)
		switch {
		case k.State == string(member.Dead) && k.Role != config.Worker:
			say("%s is dead. Start it, or replace it: its vote counts for the majority that is needed.", k.Name)
		case k.State == string(member.Dead):
			say("%s is dead. Start it, or remove it.", k.Name)
		case k.State == "joining":
			say("%s has not been seen yet. Start it, or remove it.", k.Name)
		case k.Problem != "" && k.State == string(member.Alive):
			say("%s and %s run no replicas of each other's runs: it has %s.", c.Node, k.Name, k.Problem)
		case k.State == string(member.Alive) && k.Name != c.Node:
			if tools := m.differing(k.Name); len(tools) > 0 {
				say("%s and %s grant different things for %s, so they share no run that can call it: give all nodes the same "+
					"grants, or each its capabilities.", c.Node, k.Name, strings.Join(tools, ", "))
			}
		}
	}
	if !admits {
		say("No node that runs has the key of the authority, so no node can join.")
	}
	return all
}
