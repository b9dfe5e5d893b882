// This file defines how much memory the elements of an operation may hold.

package eval

import (
	"github.com/ptc-lang/ptc/runtime/limits"
)

// share divides the memory of an evaluation while one of its operations runs.
//
// The elements of the main evaluation's operations run in slots, and each has the whole bound of a
// worker. The elements of a worker's operations run in slots of their own or in that of the worker,
// as slots are free. The program must not be able to tell, so the bound of an element is the same in
// both cases. The memory alive in a slot must stay within the bound of a worker, so the bound of an element
// is a fraction of the remaining memory of the worker. The other part is for the results:
//
//	worker holds + results + running element <= bound of the worker
//
// The same holds inside of the element. The fragmentation (limits.Meter) is divided into the same parts.
type share struct {
	memory               int64 // bytes that the evaluation itself may hold, the results among them
	fragmentation        int64 // bytes that the allocator may hold for the results
	element              int64 // bytes that an element may hold
	elementFragmentation int64 // bytes that the allocator may hold for it
}

// Half of the remaining memory is for the results at depth 1, a quarter of the then remaining memory at
// depth 2, an eighth at depth 3 and so on. So elements have at least 28 % of a worker's memory, however
// deep operations nest: the product of 1/2, 3/4, 7/8, …
//
// leastResults and leastFragmentation are the minimum for results at any depth. leastElement is enough for
// the machine and a small program; if a worker has less left, its memory is exceeded.
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

// markGarbage marks a worker before it divides its memory, unless it was marked recently: the bound of
// an element must not depend much on garbage.
func (m *Evaluation) markGarbage(op *operation) {
	if op.nesting == 0 {
		return
	}
	switch garbage := m.Garbage(); {
	case garbage > m.Cap()/8, garbage > m.Cap()/64 && m.FragmentationNow() > m.FragmentationLimit()/2:
		m.Mark()
	}
}

// apportion divides the rest of the memory after the operation itself, with the block of its results,
// has been charged. It unwinds if too little is left.
func (m *Evaluation) apportion(op *operation) share {
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
	return share{memory: m.Cap() - element, fragmentation: results,
		element: element, elementFragmentation: fragmentation - results}
}
