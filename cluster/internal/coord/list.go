// This file lists what is held and who waits in the whole cluster.

package coord

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
)

// NodeState is a node as the coordinator sees it.
type NodeState struct {
	Node     string        `json:"node"`
	Since    time.Time     `json:"since"` // of its session
	Silent   time.Duration `json:"silent"`
	Held     int           `json:"held"`     // guards, and places in queues
	Waiting  int           `json:"waiting"`  // requests
	Requests int64         `json:"requests"` // of the session
	Granted  int64         `json:"granted"`
}

// ErrNoCoordinator means that no node is the coordinator, or that it can't be reached. It may be tried again.
var ErrNoCoordinator = unreached("this node can't reach the coordinator of the cluster, or there is none at the "+
	"moment; try again", nil)

// list asks the coordinator.
func (c *client) list(ctx context.Context, l listing) (answer listed, err error) {
	at, _ := c.node.current()
	if at.Node == "" {
		return listed{}, ErrNoCoordinator
	}
	err = c.call(ctx, at.Node, methodList, l, &answer, c.node.lease)
	var refusal *peer.Error
	switch {
	case errors.As(err, &refusal) && refusal.Code == codeBadRequest:
		return listed{}, errors.New(refusal.Message)
	case err != nil:
		return listed{}, errors.Join(ErrNoCoordinator, err)
	}
	return answer, nil
}

// Stats returns who holds guards and who waits, as guard.Set.Stats. The error is ErrNoCoordinator.
func (g *Guards) Stats(ctx context.Context, n int) (guard.Stats, error) {
	l, err := g.client.list(ctx, listing{Most: n})
	if err != nil || l.Guards == nil {
		return guard.Stats{}, err
	}
	return *l.Guards, nil
}

// States returns the nodes as the coordinator sees them, by name. The error is ErrNoCoordinator.
func (n *Node) States(ctx context.Context) ([]NodeState, error) {
	l, err := n.client.list(ctx, listing{})
	return l.Nodes, err
}

// Waiters implements effect.Guards. It returns none if there is no coordinator.
func (g *Guards) Waiters(n int) []effect.Waiter {
	l, err := g.client.list(context.Background(), listing{Most: n})
	if err != nil || l.Guards == nil {
		return nil
	}
	return l.Guards.Waiters
}

// list answers a listing.
func (t *term) list(l listing) (listed, error) {
	answer, err := l.of(t.queues.Queues())
	if l.Action == "" {
		stats := t.guards.Stats(l.Most)
		answer.Guards = &stats
	}
	answer.Nodes = t.nodes()
	return answer, err
}

// nodes returns the nodes that have a session.
func (t *term) nodes() []NodeState {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []NodeState
	for _, s := range t.sessions {
		n := NodeState{Node: s.node, Since: s.began, Silent: time.Since(s.renewed), Requests: s.requests, Granted: s.granted}
		for _, it := range s.items {
			if it.held != nil || it.active {
				n.Held++
			} else {
				n.Waiting++
			}
		}
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b NodeState) int { return cmp.Compare(a.Node, b.Node) })
	return all
}
