// This file defines the search for cycles of waits.

package guard

import "slices"

// search finds cycles of waits in a Set, whose mutex guards it. It runs only before
// a wait.
//
// An owner depends on another in two ways: it waits for a lock that the other holds,
// or the other is a worker below it, for which it waits. The owners ahead in a queue
// wait for the same holder and for nothing else, so that edges to them would close no
// further cycle.
//
// A cycle is closed by the wait that is its last edge. Nothing else adds an edge that
// could: an owner that is granted a lock, or begins workers, runs, and so depends on no other. So
// the search is made where a wait begins, from the holder of the lock, and what it
// looks for is the new waiter or an owner above it. If the holder runs, as is usual,
// it ends at once.
type search struct {
	number uint64 // of the last one
	seen   []step // of that one; its room is kept for the next
}

// step is an owner that a search has come to.
type step struct {
	owner *Owner
	from  int     // index of the step before, -1 for the first
	via   *waiter // the wait that led here; nil from a parent to its child
}

// cycle returns the shortest cycle that a wait would close, if there is one. It goes
// through all that the holder depends on, breadth first.
func (s *search) cycle(w *waiter) []Link {
	s.number++
	defer func() {
		clear(s.seen)
		s.seen = s.seen[:0]
	}()
	s.visit(step{w.lock.holder, -1, w})
	for i := 0; i < len(s.seen); i++ {
		o := s.seen[i].owner
		if w.owner.within(o) {
			return s.links(i)
		}
		// An owner whose context has ended is about to leave, and waits no more.
		if o.wait != nil && o.wait.ctx.Err() == nil {
			s.visit(step{o.wait.lock.holder, i, o.wait})
		}
		for child := o.first; child != nil; child = child.right {
			s.visit(step{child, i, nil})
		}
	}
	return nil
}

func (s *search) visit(next step) {
	if next.owner.mark != s.number {
		next.owner.mark = s.number
		s.seen = append(s.seen, next)
	}
}

// links returns the waits that led to the last step of a search.
func (s *search) links(last int) []Link {
	var links []Link
	for i := last; i >= 0; i = s.seen[i].from {
		if via := s.seen[i].via; via != nil {
			links = append(links, Link{via.owner.String(), via.lock.String(), via.lock.holder.String()})
		}
	}
	slices.Reverse(links)
	return links
}
