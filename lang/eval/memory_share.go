// This file defines what the elements of an operation may hold.

package eval

import (
	"github.com/ptc-lang/ptc/runtime/limits"
)

// share says how the memory of an evaluation is divided while an operation of its own runs.
//
// The elements of the main evaluation's operations run in slots, and each may hold what a
// worker may. The elements of a worker's operations run in slots of their own, or in that of
// the worker, as it comes; so that nobody can tell which it was, they may hold the same in
// both cases, and so that what is alive in a slot is never more than a worker may hold, that
// is a part of what the worker has left. The other part is for their results:
//
//	worker holds + results + element that runs <= worker may hold
//
// and the same for what runs inside of the element. Of the fragmentation (limits.Meter) it is the
// same parts.
type share struct {
	memory               int64 // bytes that the evaluation itself may hold, the results among them
	fragmentation        int64 // bytes that the allocator may hold for the results
	element              int64 // bytes that an element may hold
	elementFragmentation int64 // bytes that the allocator may hold for it
}

// Half of what is left is for the results at depth 1, a quarter of what is left then at depth 2,
// an eighth at depth 3 and so on. So elements have at least 28 % of a worker's memory, however
// deep operations nest: the product of 1/2, 3/4, 7/8, …
//
// leastResults and leastFragmentation are what results may take at any depth. leastElement is enough
// for the machine and a small program; where a worker has less left its memory is exceeded.
const (
	leastResults       = 4 << 10
	leastFragmentation = 3 * leastResults
	leastElement       = 48 << 10
)

// forResults returns the part of n bytes that is for the results of an operation at a depth
// of at least 1, the number of operations around it.
func forResults(n int64, depth int, least int64) int64 {
	return min(max(n>>min(depth, 62), least), n)
}

// markGarbage marks what a worker holds before it divides its memory, unless that was done
// not long ago: what an element may hold shall not depend much on garbage.
func (m *Machine) markGarbage(op *operation) {
	if op.nesting == 0 {
		return
	}
	switch garbage := m.Garbage(); {
	case garbage > m.Cap()/8, garbage > m.Cap()/64 && m.FragmentationNow() > m.FragmentationLimit()/2:
		m.Mark()
	}
}

// apportion divides what is left of the memory, when all that the operation takes itself has
// been charged, the row of its results included. It unwinds if too little is left.
func (m *Machine) apportion(op *operation) share {
	most := m.workerMemory
	if op.nesting == 0 {
		return share{m.Cap(), m.FragmentationLimit(), most, limits.FragmentationOf(most)}
	}
	const least = leastResults + leastElement
	m.Charge(least)
	m.SetUsed(m.Used() - least)
	left := m.Cap() - m.Used()
	fragmentation := max(m.FragmentationLimit()-m.FragmentationNow(), 0)
	results := forResults(fragmentation, op.nesting, leastFragmentation)
	element := min(left-forResults(left, op.nesting, leastResults), most)
	return share{memory: m.Cap() - element, fragmentation: results, element: element, elementFragmentation: fragmentation - results}
}
