// Package budget bounds how many parallel workers a run has alive: Budget is a
// number of slots, of which TryAcquire takes one if there is one and Release gives
// one back. It knows nothing else.
//
// A worker's memory is capped, so a bound on the workers is a bound on memory:
// live parallel memory <= capacity x worker memory, at every depth of nesting. It
// follows that an acquisition must never wait (a parent that holds a slot would
// wait for its children, who wait for its slot) and that a slot too many, once
// handed out, is a hole in the bound: Release panics when there is nothing to
// release.
package budget

import (
	"fmt"
	"sync/atomic"
)

// Budget is a number of slots, shared by any number of goroutines.
//
// Its state is one word of two counts: the claims in its low half, the slots held
// in its high half. An acquisition adds a claim, with one atomic add, and takes it
// back if that was one too many; what it holds it then counts as held. Between the
// two a claim may stand for no slot, which is why Release looks at the slots held
// and not at the claims: were there one count, a Release too many could take back a
// claim that somebody is about to take back himself, and the count would end one
// too low.
type Budget struct {
	_        [cacheLine]byte // apart from whatever its owner changes often
	state    atomic.Uint64
	_        [cacheLine - 8]byte
	capacity uint32
}

const (
	cacheLine = 64
	claim     = 1
	slot      = 1 << 32
)

// MaxCapacity is the most slots that a budget can have.
const MaxCapacity = 1 << 20

// New gives a budget of capacity slots, none of them held. A capacity below 1 or
// above MaxCapacity is a mistake of the caller, and panics.
func New(capacity int) *Budget {
	if capacity < 1 || capacity > MaxCapacity {
		panic(fmt.Sprintf("budget: capacity is %d, want 1 to %d", capacity, MaxCapacity))
	}
	return &Budget{capacity: uint32(capacity)}
}

// TryAcquire takes a slot and says whether it did. It never waits. When slots are
// given back at the same moment it may miss one that has just fallen free; it never
// takes one too many.
func (b *Budget) TryAcquire() bool {
	if !b.claim() {
		b.takeBack()
		return false
	}
	b.hold()
	return true
}

// Release gives back a slot that TryAcquire took. It panics if no slot is held, and
// changes nothing then.
func (b *Budget) Release() {
	for {
		if s := b.state.Load(); b.release(s) {
			return
		}
	}
}

// Each of these is one atomic operation. The test of interleavings runs them in
// every order.

func (b *Budget) claim() bool { return uint32(b.state.Add(claim)) <= b.capacity }

func (b *Budget) takeBack() { b.state.Add(^uint64(claim - 1)) }

func (b *Budget) hold() { b.state.Add(slot) }

func (b *Budget) release(seen uint64) bool {
	if seen < slot {
		panic("budget: Release of a slot that nobody holds")
	}
	return b.state.CompareAndSwap(seen, seen-slot-claim)
}

// Held gives the number of slots held.
func (b *Budget) Held() int { return int(b.state.Load() / slot) }

// Available gives the number of slots not held.
func (b *Budget) Available() int { return b.Capacity() - b.Held() }

// Capacity gives the number of slots there are.
func (b *Budget) Capacity() int { return int(b.capacity) }
