// This file defines how the coordinator knows evaluations of all nodes as owners of guards.

package coord

import (
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
)

// owners are the evaluations that hold guards or wait for one, and those above them. The mutex of the term guards them.
//
// An evaluation is named by its node and a number there. Several nodes may run elements of one run, so an evaluation
// above an element can be one that another node has named: both have the same run and path. They differ
// only as the holder or the waiter itself: after a node was declared dead, another node may continue a run
// whose guards the first still holds, and has to wait until these are lost.
type owners struct {
	of     *guard.Set
	byID   map[ownerID]*owner
	byPath map[ownerPath][]*owner
}

type ownerID struct {
	session string
	id      uint64
}

type ownerPath struct {
	parent    *owner
	run, path string
}

// owner is an evaluation.
type owner struct {
	effect.Owner
	id   ownerID
	at   ownerPath
	uses int // by requests and by the owners below it
	own  int // by requests of itself
}

func newOwners(of *guard.Set) *owners {
	return &owners{of: of, byID: make(map[ownerID]*owner), byPath: make(map[ownerPath][]*owner)}
}

// take returns the owner at the end of a chain, for one request, which drops it. It returns nil for an empty chain.
func (o *owners) take(session string, chain []link) *owner {
	var last *owner
	for i, l := range chain {
		last = o.find(session, l, last, i == len(chain)-1)
	}
	if last != nil {
		last.own++
		last.uses++
	}
	return last
}

// find returns the owner of a link, a new one if there is none.
func (o *owners) find(session string, l link, parent *owner, itself bool) *owner {
	id, at := ownerID{session, l.ID}, ownerPath{parent, l.Run, l.Path}
	if e := o.byID[id]; e != nil && e.at == at {
		return e
	}
	if l.Run != "" {
		var best *owner
		for _, e := range o.byPath[at] {
			if itself && e.own > 0 {
				continue
			}
			if best == nil || e.own > best.own {
				best = e
			}
		}
		if best != nil {
			if itself {
				o.rename(best, id)
			}
			return best
		}
	}
	var above effect.Owner
	if parent != nil {
		above = parent.Owner
		parent.uses++
	}
	e := &owner{Owner: o.of.Owner(above, l.Run, l.Path), id: id, at: at}
	o.byID[id] = e
	o.byPath[at] = append(o.byPath[at], e)
	return e
}

func (o *owners) rename(e *owner, id ownerID) {
	if o.byID[e.id] == e {
		delete(o.byID, e.id)
	}
	e.id = id
	o.byID[id] = e
}

// drop ends the use of an owner by a request. nil is no owner.
func (o *owners) drop(e *owner) {
	if e == nil {
		return
	}
	e.own--
	for ; e != nil; e = e.at.parent {
		if e.uses--; e.uses > 0 {
			return
		}
		if o.byID[e.id] == e {
			delete(o.byID, e.id)
		}
		same := o.byPath[e.at]
		for i, other := range same {
			if other == e {
				same = append(same[:i:i], same[i+1:]...)
				break
			}
		}
		if len(same) == 0 {
			delete(o.byPath, e.at)
		} else {
			o.byPath[e.at] = same
		}
	}
}
