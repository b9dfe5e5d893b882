// This file defines an operation on a node: which of its elements run there.

package dist

import (
	"context"
	"fmt"
	"math/rand/v2"
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
	issued    []bool // elements that Next has returned, but for looks
	count     int    // of them
	queue     []int  // claimed here, and not begun
	ready     []int  // outcomes of other nodes, not delivered yet; first those that may end the operation
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
	size := n.st.sharing.unit(op.Elements)
	if size == 0 {
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
			return n.join(o), nil
		case n.st.unneeded(parent):
			return nil, &journal.Divergence{Text: "operation " + op.Path + " is one of an element that is not needed"}
		case n.st.ended(parent), n.st.final != nil:
			return nil, nil
		case mine:
			if _, err := n.append(ctx, open); err != nil {
				return nil, err
			}
			continue
		}
		if err := n.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// join makes an operation one that runs here. The caller holds mu.
func (n shared) join(o *operation) *sharing {
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

// add makes the outcome of an element ready for a worker.
func (s *sharing) add(i int, g *effect.Given) {
	if g.Plain {
		s.ready = append(s.ready, i)
	} else { // it may have failed, and then the elements above it are not needed
		s.ready = append([]int{i}, s.ready...)
	}
}

// got takes outcomes that were recorded. The caller holds mu.
func (s *sharing) got(values []ElementValue) {
	for i := range values {
		if v := &values[i]; v.Index < s.op.n && s.op.given[v.Index] != nil && !s.issued[v.Index] {
			s.add(v.Index, s.op.given[v.Index])
		}
	}
	s.n.wake(s)
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

// pop removes the first element of a list that is to be issued.
func (s *sharing) pop(list *[]int, limit int64) (int, bool) {
	for len(*list) > 0 {
		i := (*list)[0]
		*list = (*list)[1:]
		if !s.issued[i] && int64(i) < limit {
			s.issued[i] = true
			s.count++
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
		if i, ok := s.pop(&s.nested, limit); ok {
			if s.op.given[i] == nil && s.op.holders[i/s.op.size] != n.opts.Name {
				s.following[i] = true
				n.stats.Followed++
			}
			return int64(i), true
		}
		s.flush()
		if !own || s.all(limit) {
			return 0, false
		}
		rests := len(n.pends) > 0
		n.mu.Unlock()
		w.Block()
		if rests { // what this node has to be asked about may be all that the run waits for
			w.Rest()
		}
		n.mu.Lock()
		s.waits = true
		s.request() // for what has become free meanwhile
		for n.over == nil && s.ctx.Err() == nil && !s.hasWork(0) && !s.all(s.limit()) && rests == (len(n.pends) > 0) {
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

// hasWork reports whether more than so many elements are ready for workers.
func (s *sharing) hasWork(beyond int64) bool {
	return int64(len(s.queue)+len(s.ready)+len(s.nested)) > beyond
}

// HasWork implements sched.Chooser.
func (s *sharing) HasWork(beyond int64) bool {
	s.n.mu.Lock()
	defer s.n.mu.Unlock()
	return s.n.over == nil && !s.over && s.hasWork(beyond)
}

// Lowered implements sched.Chooser.
func (s *sharing) Lowered() {
	s.n.mu.Lock()
	defer s.n.mu.Unlock()
	s.n.changed()
}

// request claims units ahead of the workers. The caller holds mu.
func (s *sharing) request() {
	n := s.n
	if n.over != nil || s.left() || s.limit == nil || s.op.closed || n.st.final != nil {
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

// ask claims a unit. The caller holds mu.
func (s *sharing) ask(u int) {
	s.asked[u] = true
	s.n.stats.Claims++
	s.n.enqueue(&Record{Kind: Claim, ID: s.op.path, Unit: u}, func(counts bool) { s.claimed(u, counts) })
}

// left reports whether no worker is left that needs a unit. One that follows an element needs the unit of it when its
// holder has died.
func (s *sharing) left() bool { return s.over && len(s.following) == 0 }

// unit returns a unit to claim: one of the first that are free, so that nodes seldom ask for the same. What another
// node has left is for the leader: something in it may pend, or be in doubt, and the leader is the one that asks about
// it.
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

// Take implements effect.Sharing.
func (s *sharing) Take(i int) effect.Taken {
	n := s.n
	n.mu.Lock()
	defer n.mu.Unlock()
	if s.look[i] {
		delete(s.look, i)
		return effect.Taken{Doing: effect.DoLook}
	}
	g := s.op.given[i]
	switch {
	case g == nil && s.following[i]:
		return effect.Taken{Doing: effect.DoFollow}
	case g == nil:
		n.stats.Ran++
		return effect.Taken{Doing: effect.DoRun}
	case g.Plain:
		n.stats.Taken++
		return effect.Taken{Doing: effect.DoTake, Given: *g}
	}
	n.stats.Repeated++
	return effect.Taken{Doing: effect.DoRepeat}
}

// Give implements effect.Sharing.
func (s *sharing) Give(i int, g effect.Given) error {
	n := s.n
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.room(); err != nil {
		return err
	}
	s.out = append(s.out, ElementValue{i, g})
	s.outBytes += len(g.Value) + len(g.Prints)
	if !g.Plain || s.outBytes >= flushBytes || len(s.out) >= s.op.size {
		s.flush()
		return nil
	}
	if s.timer == nil {
		s.timer = time.AfterFunc(flushTime, func() {
			n.mu.Lock()
			defer n.mu.Unlock()
			s.flush()
		})
	}
	return nil
}

// flush appends the outcomes so far. The caller holds mu.
func (s *sharing) flush() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	if len(s.out) == 0 || s.n.over != nil {
		return
	}
	s.n.enqueue(&Record{Kind: Values, ID: s.op.path, Values: s.out}, nil)
	s.out, s.outBytes = nil, 0
}

// Settled implements effect.Sharing.
func (s *sharing) Settled(ctx context.Context, i int) (effect.Given, bool, error) {
	n := s.n
	n.mu.Lock()
	defer n.mu.Unlock()
	for {
		switch {
		case n.over != nil:
			return effect.Given{}, false, n.over
		case s.op.given[i] != nil:
			delete(s.following, i)
			return *s.op.given[i], false, nil
		case s.op.holders[i/s.op.size] == n.opts.Name:
			delete(s.following, i)
			return effect.Given{}, true, nil
		case s.op.unneeded(i), n.st.unneeded(s.op.parent), n.st.ended(s.op.parent), n.st.final != nil:
			return effect.Given{}, false, &journal.Divergence{Text: fmt.Sprintf("element %d of %s is not needed", i, s.op.path)}
		}
		if u := i / s.op.size; s.op.holders[u] == "" && !s.asked[u] {
			s.ask(u) // however many are claimed: this worker may be the only one, and waits for it
		}
		if err := n.wait(ctx); err != nil {
			return effect.Given{}, false, err
		}
	}
}

// Unsettled implements effect.Sharing.
func (s *sharing) Unsettled() {
	s.n.mu.Lock()
	defer s.n.mu.Unlock()
	s.unsettled = true
}

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

// closeOperation records that the elements above last are not needed, if this node decides that, and waits until no
// other node is at one of them, so that what follows never happens beside what they do. Nothing is concluded from an
// element that has failed by something that may still be settled. The caller holds mu.
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

// reactClose does what the end of an operation asks of this node. The caller holds mu.
func (n *Node) reactClose(r *Record) {
	s := n.sharing[r.ID]
	if s == nil || r.Node == n.opts.Name || s.stop == nil {
		return
	}
	if r.Last < 0 { // how, its owner will tell
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
