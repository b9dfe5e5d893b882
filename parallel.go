// This file defines the counts and distributions of the parallel operations of a run.

package ptc

import (
	"slices"

	"github.com/ptc-lang/ptc/runtime/sched"
)

// Processors bounds how many goroutines compute at once, in all runs that share it. If more want to, they take turns.
type Processors = sched.Processors

// NewProcessors returns n processors; 0 or less means GOMAXPROCS.
func NewProcessors(n int) *Processors { return sched.NewProcessors(n) }

// Parallel has the counts of a run's parallel operations.
type Parallel struct {
	Operations int64 `json:"operations"` // calls of pmap, pcalls and their kind
	Elements   int64 `json:"elements"`   // that were run
	Spawned    int64 `json:"spawned"`    // goroutines started; the first worker of an operation needs none
	Stolen     int64 `json:"stolen"`     // times a worker took elements that another had claimed
	Inline     int64 `json:"inline"`     // operations that found no free slot, and began in that of their caller
	Refused    int64 `json:"refused"`    // operations that found no free slot, and failed: OnFullFail
	Peak       int   `json:"peak"`       // most slots held at once
	Blocked    int   `json:"blocked"`    // most evaluations that waited at once, for time, a tool or their operation
	Queued     int   `json:"queued"`     // most elements that waited for a worker at once
	// Depth has, for each element, how many elements of its operation waited for a worker when a worker claimed it.
	Depth Distribution `json:"depth,omitzero"`
	// Start has, for each worker that joined an operation, the nanoseconds from the reservation of its first element to
	// the start of that element. The first worker of an operation, which starts at once, is not counted.
	Start Distribution `json:"start,omitzero"`
}

// Distribution describes values that were counted by powers of two. Its JSON has the quantiles only.
type Distribution struct {
	P50 int64 `json:"p50"` // the median; like P99 it is interpolated in its bucket
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`

	Count int64 `json:"-"`
	Sum   int64 `json:"-"`
	// Buckets[0] counts the zeros, and Buckets[i] the values of i bits: from 1<<(i-1) to 1<<i - 1. Those after the last
	// that is not empty are left out. Bucket 35 has all values of 35 bits and more.
	Buckets []int64 `json:"-"`
}

// parallelOf returns the usage of parallel operations below the main evaluation.
func parallelOf(root *sched.Root) Parallel {
	s := root.Stats()
	return Parallel{Operations: s.Operations, Elements: s.Completed, Spawned: s.Spawned, Stolen: s.Stolen,
		Inline: s.Slotless, Refused: s.Refused, Peak: s.Peak, Blocked: s.MostBlocked, Queued: s.MostQueued,
		Depth: distributionOf(&s.Depth), Start: distributionOf(&s.Start)}
}

func distributionOf(h *sched.Histogram) Distribution {
	if h.Count == 0 {
		return Distribution{}
	}
	last := len(h.Buckets)
	for h.Buckets[last-1] == 0 {
		last--
	}
	d := Distribution{Max: h.Max, Count: h.Count, Sum: h.Sum, Buckets: slices.Clone(h.Buckets[:last])}
	d.P50, d.P99 = d.quantile(0.5), d.quantile(0.99)
	return d
}

// quantile returns the value below which a part of the values are, as if those of a bucket were spread evenly.
func (d *Distribution) quantile(part float64) int64 {
	rank := part * float64(d.Count)
	for i, n := range d.Buckets {
		if rank > float64(n) {
			rank -= float64(n)
			continue
		}
		if i == 0 {
			return 0
		}
		low := int64(1) << (i - 1)
		return min(low+int64(float64(low)*rank/float64(n)), d.Max)
	}
	return d.Max
}
