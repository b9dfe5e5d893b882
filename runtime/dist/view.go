// This file defines the public view of a log and a node: the participants, the remaining work, the pending
// effects.

package dist

import (
	"maps"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Work counts the elements of shared operations that a node has run, and the ones among them that count.
type Work struct {
	Units, Elements int
}

// Work returns the work of each node, by the names that Run was called with.
func (s *State) Work() map[string]Work { return maps.Clone(s.work) }

// did counts work of an incarnation.
func (s *State) did(incarnation string, units, elements int) {
	node := NodeOf(incarnation)
	w := s.work[node]
	s.work[node] = Work{w.Units + units, w.Elements + elements}
}

// NodeOf returns the name that Run was called with, of an incarnation.
func NodeOf(incarnation string) string {
	if i := strings.LastIndexByte(incarnation, '/'); i >= 0 {
		return incarnation[:i]
	}
	return incarnation
}

// Begun reports whether the log has a header.
func (s *State) Begun() bool { return s.header != nil }

// Final reports whether the run has ended.
func (s *State) Final() bool { return s.final != nil }

// Session returns the number of times that the run was halted.
func (s *State) Session() int { return s.halts }

// Incarnations returns the live incarnations, and the dead ones whose calls may be under way.
func (s *State) Incarnations() (living, dying []string) {
	for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
		switch s.nodes[name] {
		case alive:
			living = append(living, name)
		case dead:
			dying = append(dying, name)
		}
	}
	return living, dying
}

// Held returns how many units that are not complete nodes other than one hold.
func (s *State) Held(but string) (n int) {
	for _, o := range s.operations {
		for u, h := range o.holders {
			if h != "" && h != but && !o.complete(u) {
				n++
			}
		}
	}
	return n
}

// units calls f with the holder of each unit that is needed and not complete, "" for one that is free, and with whether
// another node has left it. A closed operation has none, see close.
func (s *State) units(f func(holder string, left bool)) {
	if s.final != nil || s.halted {
		return
	}
	for _, o := range s.operations {
		if o.known == o.n || o.closed || s.unneeded(o.parent) || s.ended(o.parent) {
			continue
		}
		for u, h := range o.holders {
			if !o.complete(u) {
				f(h, o.left[u])
			}
		}
	}
}

// See calls f with the state, which f must not change or keep.
func (n *Node) See(f func(*State)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f(n.st)
}

// Remaining are the units that are needed and not complete.
type Remaining struct {
	Free   int // that nobody has had
	Left   int // that a node has left, and nobody has: they are for the leader
	Mine   int // that this node has
	Others int // that other nodes have
}

// Remaining returns the units that are left.
func (n *Node) Remaining() (r Remaining) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.st.units(func(holder string, left bool) {
		switch {
		case holder == n.opts.Name:
			r.Mine++
		case holder != "":
			r.Others++
		case left:
			r.Left++
		default:
			r.Free++
		}
	})
	return r
}

// Pending returns the pending effects on all nodes of the run, by their ids. A write of a node that is dead is
// among them when somebody may look at it.
func (n *Node) Pending() (all []effect.Pending) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id, e := range n.st.effects {
		if e.Done || e.Pends == "" && !(e.InDoubt() && n.pends[id]) {
			continue
		}
		if path, _ := cutID(id); n.st.unneeded(path) || n.st.ended(path) {
			continue
		}
		all = append(all, e.Pending())
	}
	slices.SortFunc(all, func(a, b effect.Pending) int { return effect.CompareIDs(a.ID, b.ID) })
	return all
}
