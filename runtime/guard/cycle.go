// This file defines the search for cycles of waits.

package guard

import "slices"

// search finds cycles of waits in a Set, whose mutex guards it. It runs only when a wait begins.
//
// An owner depends on another one if it waits for a lock that the other one holds, or if the other
// one is a worker below it, for which it waits. The owners ahead in a queue wait for the same
// holder and nothing else, so edges to them would close no additional cycle.
//
// Only a wait can close a cycle. An owner that is granted a lock, or begins workers, runs, and so depends
// on no other owner. So the search runs when a wait begins. It starts from the holder of the lock, and
// looks for the new waiter or an owner above it. If the holder runs, as is usual, the search ends immediately.
type search struct {
	number uint64 // of the last one
	seen   []step // of the last search; its capacity is kept for the next
}

// step is an owner that a search has reached.
type step struct {
	owner *Owner
	from  int     // index of the previous step, -1 for the first
	via   *waiter // the wait that led here; nil from a parent to its child
}

// cycle returns the shortest cycle that a wait would close, nil if there is none. It visits the
// owners on which the holder depends, breadth first.
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
		// An owner whose context has ended is about to leave its queue.
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
