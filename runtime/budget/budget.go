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
// Its state is one count, of the slots held. An acquisition looks first, so that one
// that is refused writes nothing, and then claims by compare-and-swap. It is not the
// add that would do without the look: an add that turns out to be one too many has to
// be taken back, and until then the count is above what is held, so a Release too many
// could take that claim for a slot and go unnoticed. A release is one add; the one too
// many is known by the count below zero that it leaves, and takes itself back. Until
// it has, nobody acquires: the count, unsigned, is above any capacity.
//
// Acquire and release are an atomic operation each, which is the least that there is.
type Budget struct {
	_        [cacheLine]byte // apart from whatever its owner changes often
	held     atomic.Uint32
	_        [cacheLine - 4]byte
	capacity uint32
}

const cacheLine = 64

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

// TryAcquire takes a slot and says whether it did. It never waits, and tries again only
// when another goroutine has acquired or released at the same moment. It never takes
// one too many.
func (b *Budget) TryAcquire() bool {
	for {
		seen, free := b.look()
		if !free || b.claim(seen) {
			return free
		}
	}
}

// Release gives back a slot that TryAcquire took. It panics if no slot is held, and
// changes nothing then.
func (b *Budget) Release() {
	if !b.giveBack() {
		b.takeBack()
		panic("budget: Release of a slot that nobody holds")
	}
}

// Each of these is one atomic operation. The test of interleavings runs them in many
// orders.

func (b *Budget) look() (seen uint32, free bool) {
	seen = b.held.Load()
	return seen, seen < b.capacity
}

func (b *Budget) claim(seen uint32) bool { return b.held.CompareAndSwap(seen, seen+1) }

func (b *Budget) giveBack() bool { return int32(b.held.Add(^uint32(0))) >= 0 }

func (b *Budget) takeBack() { b.held.Add(1) }

// Held gives the number of slots held.
func (b *Budget) Held() int { return max(int(int32(b.held.Load())), 0) }

// Available gives the number of slots not held.
func (b *Budget) Available() int { return b.Capacity() - b.Held() }

// Capacity gives the number of slots there are.
func (b *Budget) Capacity() int { return int(b.capacity) }
