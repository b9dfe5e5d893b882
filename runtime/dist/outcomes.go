// This file defines how the outcomes of elements come to an operation on a node, and leave it.

package dist

import (
	"context"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

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
	case g == nil && n.st.finished(s.op.parent):
		return effect.Taken{Doing: effect.DoRepeat}
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
		case s.op.unneeded(i), n.st.unneeded(s.op.parent):
			return effect.Given{}, false, &journal.Divergence{Text: fmt.Sprintf("element %d of %s is not needed", i, s.op.path)}
		case n.st.finished(s.op.parent):
			return effect.Given{}, false, nil // as for an element that is repeated
		}
		if err := n.waitAt(ctx, fmt.Sprint(s.op.path, ".", i)); err != nil {
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
