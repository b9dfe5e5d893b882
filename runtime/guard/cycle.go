// This file defines waits: who waits for whom, and the search for circles.

package guard

import (
	"slices"
	"sync"
)

// waits is who waits for which lock in a Set. Its mutex is taken after that of a
// shard, and only where somebody waits or has waited.
//
// An owner depends on another in two ways: it waits for a lock that the other holds,
// or the other is a worker below it, for which it waits. The owners ahead in a queue
// wait for the same holder and for nothing else, so edges to them would close no
// further circle.
//
// A circle is closed by the wait that is its last edge. Nothing else adds an edge that
// could: who is given a lock, or begins workers, runs, and so depends on nobody. So
// the search is made where a wait begins, from the holder of the lock, and what it
// looks for is the new waiter or an owner above it. If the holder runs, as is usual,
// it ends at once.
type waits struct {
	mu     sync.Mutex
	search uint64 // number of the last one
	seen   []step // of that search; kept for the next
}

// step is an owner that a search has come to.
type step struct {
	owner *Owner
	from  int     // index of the step before, -1 for the waiter itself
	via   *waiter // the wait that led here; nil from a parent to its child
}

// join puts somebody into the queue of a lock, unless the wait would never end.
func (g *waits) join(w *waiter) *Error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if links := g.find(w); links != nil {
		return cycle(links)
	}
	w.lock.push(w)
	w.owner.begin(w)
	return nil
}

// leave takes somebody out of a queue.
func (g *waits) leave(w *waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	w.lock.remove(w)
	w.owner.end()
}

// next takes the first out of a queue and makes him the holder.
func (g *waits) next(l *lock) *waiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := l.first
	l.remove(w)
	w.owner.end()
	l.holder = w.owner
	return w
}

// find gives the shortest circle that w would close, if there is one: what it goes
// through, breadth first, is what the holder of its lock depends on.
func (g *waits) find(w *waiter) []Link {
	g.search++
	defer func() {
		clear(g.seen)
		g.seen = g.seen[:0]
	}()
	g.visit(step{w.lock.holder, -1, w})
	for i := 0; i < len(g.seen); i++ {
		o := g.seen[i].owner
		if w.owner.within(o) {
			return g.links(i)
		}
		// Whose context has ended is about to leave, and waits no more.
		if o.wait != nil && o.wait.ctx.Err() == nil {
			g.visit(step{o.wait.lock.holder, i, o.wait})
		}
		for child := o.first; child != nil; child = child.right {
			g.visit(step{child, i, nil})
		}
	}
	return nil
}

func (g *waits) visit(s step) {
	if s.owner.mark != g.search {
		s.owner.mark = g.search
		g.seen = append(g.seen, s)
	}
}

// links gives the waits that led to the last step of a search.
func (g *waits) links(last int) []Link {
	var links []Link
	for i := last; i >= 0; i = g.seen[i].from {
		if via := g.seen[i].via; via != nil {
			links = append(links, Link{via.owner.String(), via.lock.String(), via.lock.holder.String()})
		}
	}
	slices.Reverse(links)
	return links
}
