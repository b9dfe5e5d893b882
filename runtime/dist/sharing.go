// This file decides which elements of an operation run on a node.

package dist

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// sharing is a shared operation on this node. The node's mu guards it.
type sharing struct {
	n         *Node
	op        *operation
	limit     func() int64
	wake      func()
	stop      func(i int)
	issued    []bool // elements that Next has returned, except for looks
	count     int    // of them
	queue     []int  // claimed here, and not begun
	ready     []int  // outcomes of other nodes, not delivered yet; those that may end the operation come first
	nested    []int  // elements of other nodes with operations that this node can share
	following map[int]bool
	asked     map[int]bool // units
	from      int          // units below are held or complete
	look      map[int]bool // elements returned to look at the bounds of the evaluation
	over      bool         // the own worker has left
	waits     bool         // the own worker waits, so this node has room
	unsettled bool
	out       []ElementValue // outcomes on their way
	outBytes  int
	timer     *time.Timer
	ctx       context.Context
}

// The bounds of the outcomes that are appended as one record.
const (
	flushBytes = 32 << 10
	flushTime  = 5 * time.Millisecond
)

// Share implements effect.Replicas.
func (n shared) Share(ctx context.Context, op effect.SharedOperation) (effect.Sharing, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	policy := n.st.sharing
	size := policy.unit(op.Elements)
	if size == 0 || !policy.Computing && op.Computes != nil && op.Computes() {
		return nil, nil
	}
	parent := parentOf(op.Path)
	for {
		if n.over != nil {
			return nil, n.over
		}
		o := n.st.operations[op.Path]
		mine := n.st.owner(parent) == n.opts.Name
		open := &Record{Kind: Open, ID: op.Path, Elements: op.Elements, Size: size, Effects: op.Effects, Shape: op.Shape}
		switch {
		case o != nil && (o.n != op.Elements || o.effects != op.Effects || o.shape != op.Shape):
			return nil, n.restart("operation %s has %d elements and %d effects before it in the log, %d and %d here, or "+
				"another function", op.Path, o.n, o.effects, op.Elements, op.Effects)
		case o != nil && o.closed && o.last < 0 && !mine:
			// A bound has ended it: how, its owner records, and then the evaluation here does not come to it.
			if e := n.st.effects[fmt.Sprintf("%s#%d", parent, op.Effects+1)]; e != nil && e.Done || n.st.final != nil {
				return nil, n.restart("operation %s was ended by a bound", op.Path)
			}
			if n.st.unneeded(parent) || n.st.ended(parent) {
				return nil, &journal.Divergence{Text: "operation " + op.Path + " is one of an element that has ended"}
			}
		case o != nil && !(o.closed && o.last < 0):
			return n.newSharing(o), nil
		case n.st.unneeded(parent):
			return nil, &journal.Divergence{Text: "operation " + op.Path + " is one of an element that is not needed"}
		case n.st.finished(parent):
			return nil, nil
		case mine:
			if _, err := n.append(ctx, open); err != nil {
				return nil, err
			}
			continue
		}
		if err := n.waitAt(ctx, parent); err != nil {
			return nil, err
		}
	}
}

// newSharing makes an operation one that runs here. The caller holds mu.
func (n shared) newSharing(o *operation) *sharing {
	s := &sharing{n: n.Node, op: o, issued: make([]bool, o.n), following: map[int]bool{}, asked: map[int]bool{},
		look: map[int]bool{}, ctx: context.Background()}
	for i, g := range o.given {
		if g != nil {
			s.add(i, g)
		}
	}
	for _, in := range o.inner {
		s.nested = append(s.nested, in.element)
	}
	n.sharing[o.path] = s
	return s
}

// Begin implements sched.Chooser.
func (s *sharing) Begin(limit func() int64, wake func(), stopAbove func(i int)) {
	n := s.n
	n.mu.Lock()
	s.limit, s.wake, s.stop = limit, wake, stopAbove
	closed, last := s.op.closed, s.op.last
	n.mu.Unlock()
	if closed && last >= 0 { // before this node came here
		stopAbove(last)
	}
}

// Until implements effect.Sharing.
func (s *sharing) Until(ctx context.Context) {
	s.n.mu.Lock()
	defer s.n.mu.Unlock()
	s.ctx = ctx
}

// pop removes the first element of a list that may be issued.
func (s *sharing) pop(list *[]int, limit int64) (int, bool) {
	for len(*list) > 0 {
		i := (*list)[0]
		*list = (*list)[1:]
		if !s.issued[i] && int64(i) < limit {
			s.issue(i)
			return i, true
		}
	}
	return 0, false
}

// Next implements sched.Chooser.
func (s *sharing) Next(own bool, w effect.WaitingWorker) (next int64, more bool) {
	n := s.n
	n.mu.Lock()
	defer n.mu.Unlock()
	defer func() {
		if own && !more {
			s.over = true
		}
	}()
	for n.over == nil && !s.over {
		limit := s.limit()
		if own && s.ctx.Err() != nil {
			for i := range min(limit, int64(s.op.n)) {
				if !s.issued[i] {
					s.look[int(i)] = true
					return i, true
				}
			}
		}
		if len(s.ready) > 0 && !s.op.given[s.ready[0]].Plain {
			if i, ok := s.pop(&s.ready, limit); ok {
				return int64(i), true
			}
		}
		if i, ok := s.pop(&s.queue, limit); ok {
			s.request()
			return int64(i), true
		}
		s.request()
		if i, ok := s.pop(&s.ready, limit); ok {
			return int64(i), true
		}
		// The operation's own worker does not follow: it runs only the units that this node holds. Otherwise two
		// nodes could each wait for an element that the other has claimed and not begun.
		if !own {
			if i, ok := s.follow(limit); ok {
				return int64(i), true
			}
		}
		if i, ok := s.remaining(limit); ok {
			return int64(i), true
		}
		s.flush()
		if !own || s.all(limit) {
			return 0, false
		}
		rests := len(n.pends) > 0
		n.mu.Unlock()
		w.Block()
		if rests { // the run may wait only for the pending effects of this node
			w.Rest()
		}
		n.mu.Lock()
		s.waits = true
		s.request() // for units that have become free in the meantime
		for n.over == nil && s.ctx.Err() == nil && len(s.queue)+len(s.ready) == 0 && !s.all(s.limit()) &&
			rests == (len(n.pends) > 0) && !n.st.finished(s.op.parent) {
			if n.wait(s.ctx) != nil {
				break
			}
		}
		s.waits = false
		n.mu.Unlock()
		w.Wake()
		w.Unblock()
		n.mu.Lock()
	}
	return 0, false
}

// all reports whether all elements below the limit were issued.
func (s *sharing) all(limit int64) bool {
	if s.count == s.op.n {
		return true
	}
	for i := range min(limit, int64(s.op.n)) {
		if !s.issued[i] {
			return false
		}
	}
	return true
}

// HasWork implements sched.Chooser.
func (s *sharing) HasWork(beyond int64) bool {
	s.n.mu.Lock()
	defer s.n.mu.Unlock()
	if s.n.over != nil || s.over {
		return false
	}
	ready := int64(len(s.queue) + len(s.ready))
	limit := s.limit()
	for k := 0; k < len(s.nested) && ready <= beyond; k++ {
		if s.follows(s.nested[k], limit) {
			ready++
		}
	}
	return ready > beyond
}

// follows reports whether an element with operations in it is one to follow: another node is at it.
func (s *sharing) follows(i int, limit int64) bool {
	holder := s.op.holders[i/s.op.size]
	return !s.issued[i] && int64(i) < limit && s.op.given[i] == nil && holder != "" && holder != s.n.opts.Name
}

// follow returns an element to follow.
func (s *sharing) follow(limit int64) (int, bool) {
	s.nested = slices.DeleteFunc(s.nested, func(i int) bool { return s.issued[i] })
	for _, i := range s.nested {
		if s.follows(i, limit) {
			s.issue(i)
			s.following[i] = true
			s.n.stats.Followed++
			return i, true
		}
	}
	return 0, false
}

// remaining returns an element that nobody runs any more, because the evaluation around the operation has ended. It is
// run here with the outcomes of its effects, to come to that end.
func (s *sharing) remaining(limit int64) (int, bool) {
	if !s.n.st.finished(s.op.parent) {
		return 0, false
	}
	for i := range min(limit, int64(s.op.n)) {
		if !s.issued[i] {
			s.issue(int(i))
			return int(i), true
		}
	}
	return 0, false
}

// issue notes that a worker has an element.
func (s *sharing) issue(i int) {
	s.issued[i] = true
	s.count++
}

// Lowered implements sched.Chooser.
func (s *sharing) Lowered() {
	s.n.mu.Lock()
	defer s.n.mu.Unlock()
	s.n.changed()
}
