// Package budget bounds the number of parallel workers of a run. A Budget is a number of slots:
// TryAcquire takes one if one is free, and Release returns one. It does nothing else.
//
// A worker's memory is capped, so a bound on the workers is a bound on memory: live parallel memory
// <= capacity x worker memory, at every depth of nesting. Two consequences: an acquisition must
// never wait, because a parent that holds a slot would wait for its children, which wait for its
// slot. And a slot too many breaks the bound, so Release panics when no slot is held.
package budget

import (
	"fmt"
	"sync/atomic"
)

// Budget is a number of slots. It is safe for concurrent use.
//
// Its state is one count, of the slots held. An acquisition reads the count first, so a refused
// acquisition writes nothing, and then claims a slot by compare-and-swap. A plain add would need no
// read, but an add that exceeds the capacity has to be undone. Until then the count is above the
// slots held, so a surplus Release could take that claim for a slot and go unnoticed. A release is
// one add. A surplus release leaves the count below zero and undoes itself. Until it has, nobody
// acquires, because the count, unsigned, is above any capacity.
//
// Acquire and release are one atomic operation each, which is the minimum.
type Budget struct {
	_        [cacheLine]byte // separate from fields that its owner changes often
	held     atomic.Uint32
	_        [cacheLine - 4]byte
	capacity uint32
}

const cacheLine = 64

// MaxCapacity is the largest number of slots of a budget.
const MaxCapacity = 1 << 20

// New returns a budget of capacity free slots. It panics if capacity is below 1 or above
// MaxCapacity.
func New(capacity int) *Budget {
	if capacity < 1 || capacity > MaxCapacity {
		panic(fmt.Sprintf("budget: capacity is %d, want 1 to %d", capacity, MaxCapacity))
	}
	return &Budget{capacity: uint32(capacity)}
}

// TryAcquire takes a slot and reports whether it did. It never waits, and retries only if another
// goroutine has acquired or released at the same moment. It never exceeds the capacity.
func (b *Budget) TryAcquire() bool {
	for {
		seen, free := b.look()
		if !free || b.claim(seen) {
			return free
		}
	}
}

// Release returns a slot that TryAcquire took. If no slot is held, it changes nothing and panics.
func (b *Budget) Release() {
	if !b.giveBack() {
		b.takeBack()
		panic("budget: Release of a slot that nobody holds")
	}
}

// Each of the following functions is one atomic operation. The test of interleavings runs them in
// many orders.

func (b *Budget) look() (seen uint32, free bool) {
	seen = b.held.Load()
	return seen, seen < b.capacity
}

func (b *Budget) claim(seen uint32) bool { return b.held.CompareAndSwap(seen, seen+1) }

func (b *Budget) giveBack() bool { return int32(b.held.Add(^uint32(0))) >= 0 }

func (b *Budget) takeBack() { b.held.Add(1) }

// Held returns the number of slots held.
func (b *Budget) Held() int { return max(int(int32(b.held.Load())), 0) }

// Available returns the number of free slots.
func (b *Budget) Available() int { return b.Capacity() - b.Held() }

// Capacity returns the total number of slots.
func (b *Budget) Capacity() int { return int(b.capacity) }
