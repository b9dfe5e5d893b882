// This file defines how an operator spreads the queued runs immediately.

package place

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/cluster/member"
)

// Rebalance spreads the queued runs so that the same number prefers each node, whatever the thresholds of
// the balance are, and returns how many were moved. It ignores the strategy, but runs stay in their region,
// and do not move if no other node may take them.
func (q *Queue) Rebalance(ctx context.Context) (moved int, err error) {
	s := q.members.Now()
	if s == nil {
		return 0, member.ErrLost
	}
	if q.opts.Topology == ActivePassive {
		return 0, nil
	}
	excess, room := q.uneven()
	_, before := q.ByNode()
	for from, most := range excess {
		for to, n := range room {
			n = min(n, most)
			if n == 0 {
				continue
			}
			is := func(k *member.Node) bool { return k.Name == to }
			n = q.move(ctx, s.Holds(), moving{from: from, to: is, most: n, below: math.MaxInt})
			moved, most, room[to] = moved+n, most-n, room[to]-n
			q.seen(ctx, from, before[from]-excess[from]+most)
		}
	}
	return moved, nil
}

// seenTime bounds the wait of seen: runs that are added meanwhile hide the moves.
const seenTime = time.Second

// seen waits until this node has seen its moves, so that at most so many runs wait for a node: the next move would
// choose the same runs.
func (q *Queue) seen(ctx context.Context, from string, most int) {
	ctx, cancel := context.WithTimeout(ctx, seenTime)
	defer cancel()
	for {
		q.mu.Lock()
		there := q.waits[from] <= most
		q.mu.Unlock()
		if there {
			return
		}
		select {
		case <-time.After(seenTime / 200):
		case <-ctx.Done():
			return
		}
	}
}

// uneven returns how many runs too many wait for nodes, and how many more should wait for others.
func (q *Queue) uneven() (excess, room map[string]int) {
	nodes := q.members.Nodes()
	q.mu.Lock()
	defer q.mu.Unlock()
	all := 0
	for _, n := range q.waits {
		all += n
	}
	excess, room = maps.Clone(q.waits), make(map[string]int)
	var usable []string
	for i := range nodes {
		if n := &nodes[i]; n.Usable() {
			usable = append(usable, n.Name)
		}
	}
	// The nodes with the most waiting runs keep one more if the number can't be divided.
	slices.SortStableFunc(usable, func(a, b string) int { return q.waits[b] - q.waits[a] })
	for i, name := range usable {
		want := all / len(usable)
		if i < all%len(usable) {
			want++
		}
		excess[name], room[name] = max(q.waits[name]-want, 0), max(want-q.waits[name], 0)
	}
	if len(usable) == 0 {
		return nil, nil
	}
	return excess, room
}

// ByNode returns how many runs each node leads, and how many wait and prefer it.
func (q *Queue) ByNode() (led, waits map[string]int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return maps.Clone(q.led), maps.Clone(q.waits)
}
