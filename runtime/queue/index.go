// This file defines index, which finds the line of an action without a lock.

package queue

import (
	"sync/atomic"

	"github.com/ptc-lang/ptc/runtime/internal/table"
)

// index is a hash table with chains. Its readers need no lock, since a link is never
// changed: whoever adds or removes a line puts a new chain in the place of the old one.
// Only one may do so at a time.
type index struct {
	chains atomic.Pointer[[]chain] // a power of two of them
	length int
}

type chain = atomic.Pointer[link]

type link struct {
	line *line
	next *link
}

const minChains = 8

// clear makes the index an empty one, which its zero value is not.
func (x *index) clear() {
	chains := make([]chain, minChains)
	x.chains.Store(&chains)
	x.length = 0
}

// find gives the line of an action, nil if there is none.
func (x *index) find(action table.Key) *line {
	for at := chainOf(*x.chains.Load(), action).Load(); at != nil; at = at.next {
		if at.line.action == action {
			return at.line
		}
	}
	return nil
}

func chainOf(chains []chain, action table.Key) *chain {
	return &chains[action.Hash&uint64(len(chains)-1)]
}

// add puts in a line.
func (x *index) add(l *line) {
	c := chainOf(*x.chains.Load(), l.action)
	c.Store(&link{l, c.Load()})
	x.length++
	if chains := len(*x.chains.Load()); x.length > chains {
		x.resize(2 * chains)
	}
}

// remove takes out a line.
func (x *index) remove(l *line) {
	c := chainOf(*x.chains.Load(), l.action)
	var rest *link
	for at := c.Load(); at != nil; at = at.next {
		if at.line != l {
			rest = &link{at.line, rest}
		}
	}
	c.Store(rest)
	x.length--
	if chains := len(*x.chains.Load()); x.length < chains/4 && chains > minChains {
		x.resize(chains / 2)
	}
}

func (x *index) resize(n int) {
	chains := make([]chain, n)
	for l := range x.all {
		c := chainOf(chains, l.action)
		c.Store(&link{l, c.Load()})
	}
	x.chains.Store(&chains)
}

// all gives the lines. One that comes or goes meanwhile may be among them or not.
func (x *index) all(yield func(*line) bool) {
	chains := *x.chains.Load()
	for i := range chains {
		for at := chains[i].Load(); at != nil; at = at.next {
			if !yield(at.line) {
				return
			}
		}
	}
}
