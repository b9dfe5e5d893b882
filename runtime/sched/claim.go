// This file defines how workers claim elements.

package sched

import (
	"sync/atomic"
	"time"
)

// span is a range of elements that a worker has claimed. The high half holds the first element, the
// low half the one after the last.
type span struct{ lohi atomic.Uint64 }

func (s *span) set(lo, hi int64) { s.lohi.Store(uint64(lo)<<32 | uint64(hi)) }

func bounds(v uint64) (lo, hi int64) { return int64(v >> 32), int64(v & (1<<32 - 1)) }

// take removes and returns the first element.
func (s *span) take() (int64, bool) {
	for {
		v := s.lohi.Load()
		lo, hi := bounds(v)
		if lo >= hi {
			return 0, false
		}
		if s.lohi.CompareAndSwap(v, v+1<<32) {
			return lo, true
		}
	}
}

// steal removes and returns the upper half, or the element if there is only one.
func (s *span) steal() (lo, hi int64, ok bool) {
	for {
		v := s.lohi.Load()
		lo, hi = bounds(v)
		if lo >= hi {
			return 0, 0, false
		}
		mid := lo + (hi-lo)/2
		if s.lohi.CompareAndSwap(v, uint64(lo)<<32|uint64(mid)) {
			return mid, hi, true
		}
	}
}

// pace determines how many elements a worker claims at a time.
type pace struct {
	chunk int64
	// began is when the last chunk was claimed; before the first, when the worker joined the operation, if it runs on a
	// goroutine of the pool.
	began time.Time
}

const (
	// quick is the maximum time of a chunk after which the next one may be larger. It is also the
	// work that other workers may find claimed at the end of an operation.
	quick = 20 * time.Microsecond
	// maxChunk bounds a chunk. At 5 ns an element, claiming costs at most 1 ns per element from a
	// chunk of 64 on.
	maxChunk = 256
)

func (p *pace) next() int64 {
	now := time.Now()
	switch {
	case p.chunk == 0:
		p.chunk = 1
	case now.Sub(p.began) < quick:
		p.chunk = min(2*p.chunk, maxChunk)
	default:
		p.chunk = max(p.chunk/2, 1)
	}
	p.began = now
	return p.chunk
}

// limit returns the number of elements without the ones at the end that are no longer needed.
func (op *operation) limit() int64 { return min(op.n, op.bound.Load()+1) }

// hasWork reports whether another worker would find an element. The caller holds mu.
func (op *operation) hasWork() bool {
	if op.chooser != nil {
		return op.chooser.HasWork(op.arriving)
	}
	return !op.alone && (op.next.Load()+op.arriving < op.limit() || op.richest() != nil)
}

// mayRun reports whether one more worker may run in addition to n goroutines. As many run as there
// are processors. One more may run for elements that are known to wait, because it will soon leave
// its processor.
func (op *operation) mayRun(n int64) bool {
	procs := op.pool.processors.n
	return n < procs || n == procs && op.waits.Load()
}

// claim returns the next element for a worker. ok is false if the worker must leave.
func (op *operation) claim(e *Evaluation) (i int64, ok bool) {
	if i, ok := e.span.take(); ok {
		return i, true
	}
	if !e.own && e.index.Load() >= 0 && !op.mayRun(op.pool.running.Load()-1) {
		return 0, false
	}
	if op.chooser != nil {
		e.index.Store(-1) // it runs none: if the last one is not needed any more, the worker is not cancelled
		return op.chooser.Next(e.own, e)
	}
	limit := op.limit()
	if left := limit - op.next.Load(); left > 0 {
		chunk := min(e.pace.next(), max(left/(2*op.pool.processors.n), 1))
		lo := op.next.Add(chunk) - chunk
		if hi := min(lo+chunk, limit); lo < hi {
			op.pool.depth.add(left, hi-lo)
			e.span.set(lo+1, hi)
			return lo, true
		}
	}
	return op.steal(e)
}

// steal takes elements that another worker has claimed and not begun.
func (op *operation) steal(e *Evaluation) (int64, bool) {
	p := op.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := op.richest(); w != nil; w = op.richest() {
		if lo, hi, ok := w.span.steal(); ok {
			p.stats.Stolen++
			e.span.set(lo+1, hi)
			return lo, true
		}
	}
	return 0, false
}

// richest returns the worker with the most elements claimed and not begun, or nil if no worker has
// any that are needed. The caller holds mu.
func (op *operation) richest() (most *Evaluation) {
	n := int64(0)
	for _, w := range op.workers {
		lo, hi := bounds(w.span.lohi.Load())
		if k := min(hi, op.limit()) - lo; k > n {
			most, n = w, k
		}
	}
	return most
}
