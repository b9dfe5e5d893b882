// This file defines the distributions of the scheduler.

package sched

import (
	"math/bits"
	"sync/atomic"
)

// Buckets is the number of buckets of a Histogram. Half a minute in nanoseconds fits into the last but one, and the
// elements of the largest operation do.
const Buckets = 36

// Histogram counts values that are not negative by powers of two. Bucket 0 has the zeros, and bucket i the values of i
// bits: from 1<<(i-1) to 1<<i - 1. The last bucket has the greater ones too.
type Histogram struct {
	Count, Sum, Max int64
	Buckets         [Buckets]int64
}

func bucket(v int64) int { return min(bits.Len64(uint64(max(v, 0))), Buckets-1) }

// add adds a value.
func (h *Histogram) add(v int64) {
	h.Count++
	h.Sum += v
	h.Max = max(h.Max, v)
	h.Buckets[bucket(v)]++
}

// depths counts, for each element that was claimed from the counter of an operation, how many elements were unclaimed
// then. Claims take no lock, so the counts are atomic. They are those of a chunk at a time.
type depths struct {
	sum     atomic.Int64
	buckets [Buckets]atomic.Int64
}

// add adds n elements that were claimed from left ones.
func (d *depths) add(left, n int64) {
	d.sum.Add(left * n)
	d.buckets[bucket(left)].Add(n)
}

// histogram returns the counts so far. most is the number of elements of the largest operation.
func (d *depths) histogram(most int64) (h Histogram) {
	for i := range d.buckets {
		n := d.buckets[i].Load()
		h.Buckets[i] = n
		h.Count += n
	}
	h.Sum, h.Max = d.sum.Load(), most
	return h
}
