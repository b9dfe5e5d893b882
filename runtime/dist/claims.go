// This file defines which units of an operation a node claims, and when.

package dist

import (
	"context"
	"math/rand/v2"
)

// waitAt waits until something has changed, for an evaluation at a path that another node decides for. If nobody does,
// this node claims the unit that the path is in, however many it has claimed: all workers may be waiting like this
// one. The caller holds mu, and knows that the evaluation is needed and has not ended.
func (n *Node) waitAt(ctx context.Context, path string) error {
	if o, i := n.st.innermost(path); o != nil && o.holders[i/o.size] == "" {
		if s := n.sharing[o.path]; s != nil && !s.asked[i/o.size] {
			s.ask(i / o.size)
		}
	}
	if n.over != nil {
		return n.over
	}
	n.waits[path]++
	err := n.wait(ctx)
	if n.waits[path]--; n.waits[path] == 0 {
		delete(n.waits, path)
	}
	return err
}

// request claims units ahead of the workers. The caller holds mu.
func (s *sharing) request() {
	n := s.n
	if n.over != nil || s.left() || s.limit == nil || s.op.closed || n.st.finished(s.op.parent) {
		return
	}
	limit := s.limit()
	live := 0
	for _, l := range n.st.nodes {
		if l == alive {
			live++
		}
	}
	// Near the end a node claims less ahead, so that the others have something to do.
	most := min(n.opts.Ahead, (s.op.n-s.op.known)/(2*max(live, 1)))
	for ahead := len(s.queue) + len(s.asked)*s.op.size; ahead == 0 || ahead < most; ahead += s.op.size {
		u, ok := s.unit(limit)
		if !ok {
			return
		}
		s.ask(u)
	}
}

// ask claims a unit. A node that holds one has the guards in it: an evaluation there that has passed the guard of
// another node begins again first. The caller holds mu.
func (s *sharing) ask(u int) {
	for path := range s.n.borrowed {
		if o, i := s.n.st.innermost(path); o == s.op && i/o.size == u {
			s.n.end(ErrRestart, "it is to decide for an evaluation that has the guard of another node, "+path)
			return
		}
	}
	s.asked[u] = true
	s.n.stats.Claims++
	s.n.enqueue(&Record{Kind: Claim, ID: s.op.path, Unit: u}, func(counts bool) { s.claimed(u, counts) })
}

// left reports whether no worker is left that needs a unit. One that follows an element needs the unit of it when its
// holder has died.
func (s *sharing) left() bool { return s.over && len(s.following) == 0 }

// unit returns a unit to claim: a random one of the first free units, so that nodes seldom ask for the same
// one. Only the leader claims a unit that another node has left: an effect in it may be pending or in
// doubt, and the leader is the node that asks about it.
func (s *sharing) unit(limit int64) (int, bool) {
	var some [4]int
	k, leads := 0, s.n.st.leader == s.n.opts.Name
	for u := s.from; u < len(s.op.holders) && k < len(some); u++ {
		if int64(u*s.op.size) >= limit {
			break
		}
		if s.op.holders[u] != "" || s.asked[u] || s.op.complete(u) {
			if u == s.from {
				s.from++
			}
			continue
		}
		if s.op.left[u] && !leads {
			continue
		}
		some[k] = u
		k++
	}
	if k == 0 {
		return 0, false
	}
	return some[rand.IntN(k)], true
}

// claimed is called when a claim was read back. The caller holds mu.
func (s *sharing) claimed(u int, counts bool) {
	n := s.n
	delete(s.asked, u)
	switch {
	case !counts:
		n.stats.Lost++
		s.from = min(s.from, u)
		if s.waits {
			s.request()
		}
	case s.left():
		n.enqueue(&Record{Kind: Release, ID: s.op.path, Unit: u}, nil)
	default:
		for i := u * s.op.size; i < min((u+1)*s.op.size, s.op.n); i++ {
			if s.op.given[i] == nil && !s.issued[i] {
				s.queue = append(s.queue, i)
			}
		}
	}
	n.wake(s)
}
