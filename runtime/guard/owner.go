// This file defines Owner, the holder of guards.

package guard

import (
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// Owner is an evaluation as guards see it: a holder or a waiter. Its parent is the
// evaluation that waits for it to end: a worker's is the one that called pmap. While
// an owner has children under way it takes nothing, since its own goroutine only
// waits; one owner is used by one goroutine at a time, and with one Set.
//
// An owner is needed only by an evaluation that takes guards. One that does not may be
// left out of the tree: its children's parent is then the nearest evaluation above
// that has one.
type Owner struct {
	parent *Owner
	run    string // the host's name of it; "" if it has none
	name   string

	// The tree of waiting owners, guarded by the mutex of the Set: below each owner,
	// its children that wait or have a waiter below them.
	wait        *waiter // its place in a queue
	first       *Owner  // of its children in the tree
	left, right *Owner  // its siblings in the tree
	inTree      bool
	mark        uint64 // of the last search that has come by

	abandoned time.Time // when the call was; zero for an evaluation
}

// NewOwner returns the owner of an evaluation. The parent is nil for the main
// evaluation of a run. The name is shown in errors and statistics, where it identifies the evaluation:
// "main", "0.3.1".
func NewOwner(parent *Owner, name string) *Owner { return &Owner{parent: parent, name: name} }

// Owner returns the owner of an evaluation; parent is nil or was returned by Owner too. run is shown in
// statistics, and not in errors, which the programs of other runs see.
func (s *Set) Owner(parent effect.Owner, run, path string) effect.Owner {
	above, _ := parent.(*Owner)
	return &Owner{parent: above, run: run, name: path}
}

// String returns the name.
func (o *Owner) String() string { return o.name }

// ancestor returns the owner that has no parent: those of one run have the same.
func (o *Owner) ancestor() *Owner {
	for o.parent != nil {
		o = o.parent
	}
	return o
}

// within reports whether the owner is ancestor, or below it.
func (o *Owner) within(ancestor *Owner) bool {
	for ; o != nil; o = o.parent {
		if o == ancestor {
			return true
		}
	}
	return false
}

// begin makes an owner wait. The caller holds mu.
func (o *Owner) begin(w *waiter) {
	o.wait = w
	for ; o.parent != nil && !o.inTree; o = o.parent {
		o.inTree = true
		o.right = o.parent.first
		if o.right != nil {
			o.right.left = o
		}
		o.parent.first = o
	}
}

// end ends the wait of an owner, and removes from the tree the owners without a waiter below. The
// caller holds mu.
func (o *Owner) end() {
	o.wait = nil
	for ; o.inTree && o.wait == nil && o.first == nil; o = o.parent {
		if o.left != nil {
			o.left.right = o.right
		} else {
			o.parent.first = o.right
		}
		if o.right != nil {
			o.right.left = o.left
		}
		o.left, o.right, o.inTree = nil, nil, false
	}
}
