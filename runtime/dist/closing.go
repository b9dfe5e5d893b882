// This file defines how operations end on a node.

package dist

import (
	"fmt"
	"slices"
)

// End implements sched.Chooser.
func (s *sharing) End(last int64) {
	n := s.n
	n.mu.Lock()
	defer n.mu.Unlock()
	s.over, s.wake, s.stop = true, nil, nil
	delete(n.sharing, s.op.path)
	clear(s.following) // of elements that were cancelled: a claim under way is for nobody
	s.flush()
	if n.over != nil {
		return
	}
	for u, h := range s.op.holders {
		// Also if the outcomes of all its elements are on their way: they may come after the end of the operation, and
		// then they do not count.
		if h == n.opts.Name && !s.op.complete(u) {
			n.enqueue(&Record{Kind: Release, ID: s.op.path, Unit: u}, nil)
		}
	}
	n.closeOperation(s, int(last))
}

// closeOperation records that the elements above last are not needed, if this node decides that, and waits
// until no other node works at one of them, so that the following effects never happen beside theirs. An
// element that failed because of an effect that may still be settled decides nothing. The caller holds mu.
func (n *Node) closeOperation(s *sharing, last int) {
	o := s.op
	decides := func() bool {
		return n.over == nil && n.st.owner(o.parent) == n.opts.Name && !n.st.unneeded(o.parent)
	}
	if s.unsettled && n.st.holds(doubtsDoNotClose) || last >= o.n-1 || !decides() {
		return
	}
	if !o.closed {
		counts, err := n.append(n.ctx, &Record{Kind: Close, ID: o.path, Last: last})
		if err == nil && !counts && decides() {
			n.end(ErrRestart, fmt.Sprintf("operation %s can't be closed after element %d", o.path, last))
		}
	}
	for n.st.holds(closeWaits) && decides() && o.busy(last, n.opts.Name) {
		if n.wait(n.ctx) != nil {
			return
		}
	}
}

// reactClose handles the end of an operation on this node. The caller holds mu.
func (n *Node) reactClose(r *Record) {
	s := n.sharing[r.ID]
	if s == nil || r.Node == n.opts.Name || s.stop == nil {
		return
	}
	if r.Last < 0 { // its owner will know how
		n.end(ErrRestart, "the owner has ended operation "+r.ID)
		return
	}
	last, stop := r.Last, s.stop
	n.later = append(n.later, func() { stop(last) })
}

// reactOpen has this node follow an element in which another node shares an operation. The caller holds mu.
func (n *Node) reactOpen(r *Record) {
	o := n.st.operations[r.ID]
	if o == nil || o.within == nil {
		return
	}
	s := n.sharing[o.within.path]
	if s == nil || s.issued[o.element] || slices.Contains(s.nested, o.element) {
		return
	}
	s.nested = append(s.nested, o.element)
	n.wake(s)
}
