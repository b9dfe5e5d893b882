// This file defines how people spread the queued runs at once.

package place

import (
	"context"
	"maps"

	"github.com/ptc-lang/ptc/cluster/member"
)

// Rebalance has the same number of queued runs prefer each node, whatever the thresholds of the balance are, and
// returns how many were moved. Runs stay where no other node may take them.
func (q *Queue) Rebalance(ctx context.Context) (moved int, err error) {
	s := q.members.Now()
	if s == nil {
		return 0, member.ErrLost
	}
	if q.opts.Topology == ActivePassive {
		return 0, nil
	}
	excess, mean := q.uneven()
	for from, most := range excess {
		moved += q.move(ctx, s.Holds(), moving{from: from, to: (*member.Node).Usable, most: most, below: mean + 1})
	}
	return moved, nil
}

// uneven returns how many runs too many wait for nodes, and the number that should wait for each.
func (q *Queue) uneven() (excess map[string]int, mean int) {
	nodes := q.members.Nodes()
	q.mu.Lock()
	defer q.mu.Unlock()
	usable, all := make(map[string]bool), 0
	for i := range nodes {
		if n := &nodes[i]; n.Usable() {
			usable[n.Name] = true
		}
	}
	for _, n := range q.waits {
		all += n
	}
	if len(usable) == 0 {
		return nil, 0
	}
	mean, excess = (all+len(usable)-1)/len(usable), make(map[string]int)
	for name, n := range q.waits {
		if !usable[name] {
			excess[name] = n
		} else if n > mean {
			excess[name] = n - mean
		}
	}
	return excess, mean
}

// ByNode returns how many runs each node leads, and how many wait and prefer it.
func (q *Queue) ByNode() (led, waits map[string]int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return maps.Clone(q.led), maps.Clone(q.waits)
}
