// This file defines which node is preferred for a run.

package place

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/cluster/member"
)

// Strategy is how the preferred node of a run is found. The preferred node has a head start; any node may take the run
// afterwards.
type Strategy string

// The strategies. A strategy that considers the load counts the runs that a node leads and the runs that wait for it.
const (
	RoundRobin Strategy = "round-robin" // one after the other
	Capacity   Strategy = "capacity"    // the fewest runs for its capacity
	Affinity   Strategy = "affinity"    // always the same node for an affinity, else the region, else Capacity
	Adaptive   Strategy = "adaptive"    // Affinity while that node's load is acceptable, else Capacity
)

func (s Strategy) valid() bool {
	return slices.Contains([]Strategy{RoundRobin, Capacity, Affinity, Adaptive}, s)
}

// acceptable is the score up to which Adaptive keeps to an affinity, unless the node is over a threshold.
const acceptable = 0.8

// assign sets the preferred node of a unit, and the region whose nodes may take it; the caller holds the lock.
func (q *Queue) assign(u *Unit, nodes []member.Node) {
	u.Prefer, u.Within = "", ""
	var can []*member.Node
	for i := range nodes {
		n := &nodes[i]
		if n.Usable() && !(q.leaving && n.Name == q.self) && q.unfit(&unit{Unit: *u}, n) == "" {
			can = append(can, n)
		}
	}
	if q.opts.Topology == ActivePassive {
		if h, ok := q.members.Holder(DutyActive); ok {
			u.Prefer = h.Node
		}
		return
	}
	if len(can) == 0 {
		return
	}
	if in := q.regional(u, can); len(in) > 0 {
		can = in
	}
	switch q.opts.Strategy {
	case RoundRobin:
		q.next++
		u.Prefer = can[q.next%len(can)].Name
	case Capacity:
		u.Prefer = q.least(can).Name
	default:
		u.Prefer = q.affine(u, can).Name
	}
}

// regional returns the nodes of the region of a unit. With the topology Hierarchical a unit without one gets the region
// with the most room, and only then a node of it.
func (q *Queue) regional(u *Unit, can []*member.Node) []*member.Node {
	within := u.Region
	of := func(region string) (in []*member.Node) {
		for _, n := range can {
			if n.Region == region {
				in = append(in, n)
			}
		}
		return in
	}
	if q.opts.Topology != Hierarchical {
		if within == "" {
			return nil
		}
		return of(within)
	}
	if within == "" || len(of(within)) == 0 {
		within = q.leastRegion(can)
	}
	u.Within = within
	return of(within)
}

// leastRegion returns the region whose nodes together have the fewest runs for their capacity.
func (q *Queue) leastRegion(can []*member.Node) string {
	type sum struct{ runs, capacity int }
	sums := make(map[string]sum)
	for _, n := range can {
		s := sums[n.Region]
		sums[n.Region] = sum{s.runs + q.runs(n), s.capacity + max(n.Capacity, 1)}
	}
	names := slices.Sorted(maps.Keys(sums))
	return slices.MinFunc(names, func(a, b string) int {
		return cmp.Compare(sums[a].runs*sums[b].capacity, sums[b].runs*sums[a].capacity)
	})
}

// affine returns the node for the affinity of a unit, or the one with the fewest runs.
func (q *Queue) affine(u *Unit, can []*member.Node) *member.Node {
	least := q.least(can)
	if u.Affinity == "" {
		return least
	}
	n := slices.MaxFunc(can, func(a, b *member.Node) int {
		return cmp.Compare(weight(u.Affinity, a.Name), weight(u.Affinity, b.Name))
	})
	if q.opts.Strategy == Adaptive && (n.Load.Score() > acceptable || q.overloaded(n) || q.crowded(n, least)) {
		return least
	}
	return n
}

// crowded reports whether a node has twice its capacity to do, while another one has room.
func (q *Queue) crowded(n, least *member.Node) bool {
	return q.runs(n) >= 2*max(n.Capacity, 1) && q.runs(least) < max(least.Capacity, 1)
}

// runs returns how many runs a node leads or is to lead.
func (q *Queue) runs(n *member.Node) int { return q.led[n.Name] + q.waits[n.Name] + q.adding[n.Name] }

// least returns the node with the fewest runs for its capacity; of several nodes, the one with the lowest score.
func (q *Queue) least(can []*member.Node) *member.Node {
	return slices.MinFunc(can, func(a, b *member.Node) int {
		return cmp.Or(cmp.Compare(q.runs(a)*max(b.Capacity, 1), q.runs(b)*max(a.Capacity, 1)),
			cmp.Compare(a.Load.Score(), b.Load.Score()), cmp.Compare(a.Name, b.Name))
	})
}

// unfit returns why a node can never run a unit as they are; "" if it can.
func (q *Queue) unfit(u *unit, n *member.Node) string {
	switch missing := n.Missing(u.Tools); {
	case n.Witness:
		return "is a witness"
	case len(missing) > 0:
		return "does not grant " + strings.Join(missing, ", ")
	case u.Strict && u.Region != n.Region:
		return fmt.Sprintf("is in the region %q instead of %q", n.Region, u.Region)
	case u.Within != "" && u.Within != n.Region && q.opts.Topology == Hierarchical:
		return fmt.Sprintf("is not in the region %q, which has the run", u.Within)
	case n.Memory > 0 && u.Memory > n.Memory:
		return fmt.Sprintf("has %d bytes for runs instead of %d", n.Memory, u.Memory)
	}
	for name, value := range u.Labels {
		if n.Labels[name] != value {
			return fmt.Sprintf("has the label %s=%q instead of %q", name, n.Labels[name], value)
		}
	}
	return ""
}

// Why returns a sentence with the reason why a run waits in the queue, or with the node that leads it; "" if it is not
// in the queue.
func (q *Queue) Why(run string) string {
	nodes := q.members.Nodes()
	q.mu.Lock()
	defer q.mu.Unlock()
	u := q.units[run]
	switch {
	case u == nil:
		return ""
	case q.isLed(u):
		return "led by " + u.Leader
	case u.From > q.clock:
		return fmt.Sprintf("waits for another %s", u.From-q.clock)
	}
	var reasons, can []string
	for i := range nodes {
		switch n := &nodes[i]; {
		case n.State == member.Left:
		case n.State != member.Alive:
			reasons = append(reasons, fmt.Sprintf("%s is %s", n.Name, n.State))
		case n.Draining:
			reasons = append(reasons, n.Name+" is draining")
		default:
			if why := q.unfit(u, n); why != "" {
				reasons = append(reasons, n.Name+" "+why)
			} else {
				can = append(can, n.Name)
			}
		}
	}
	if len(can) > 0 {
		return "waits for room on " + strings.Join(can, ", ")
	}
	return "no node can take it: " + strings.Join(reasons, "; ")
}
