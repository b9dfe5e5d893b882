package sched_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/runtime/budget"
	"github.com/ptc-lang/ptc/runtime/sched"
)

// BenchmarkNothing runs operations of elements that do nothing. It measures the scheduler's cost
// per element, compared with a goroutine for each element and with a fixed number of goroutines
// that share a counter.
func BenchmarkNothing(b *testing.B) {
	for _, n := range []int{1, 10, 1000, 1_000_000} {
		b.Run(fmt.Sprintf("sched/%d", n), func(b *testing.B) {
			p := sched.New(budget.New(8), 0)
			j := job{"nothing", func(sched.Scheduler, int) verdict { return fine }}
			for b.Loop() {
				if err := p.Root().Do(j, n); err != nil {
					b.Fatal(err)
				}
			}
			p.Wait()
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
		})
		b.Run(fmt.Sprintf("goroutines/%d", n), func(b *testing.B) {
			for b.Loop() {
				var wg sync.WaitGroup
				for range n {
					wg.Go(func() {})
				}
				wg.Wait()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
		})
	}
}

// BenchmarkStart reports the time from the beginning of an operation to the beginning of its
// elements, as median and 99th percentile. Each operation has as many elements as there are
// processors, and each element computes for 20 µs.
func BenchmarkStart(b *testing.B) {
	p := sched.New(budget.New(8), 0)
	var mu sync.Mutex
	var after []time.Duration
	var began time.Time
	j := job{"start", func(sched.Scheduler, int) verdict {
		d := time.Since(began)
		mu.Lock()
		after = append(after, d)
		mu.Unlock()
		for time.Since(began) < d+20*time.Microsecond {
		}
		return fine
	}}
	for b.Loop() {
		began = time.Now()
		if err := p.Root().Do(j, 2); err != nil {
			b.Fatal(err)
		}
	}
	p.Wait()
	slices.Sort(after)
	b.ReportMetric(float64(after[len(after)/2].Nanoseconds()), "ns-P50")
	b.ReportMetric(float64(after[len(after)*99/100].Nanoseconds()), "ns-P99")
}

// BenchmarkNext reports the time from the end of an element to the start of the next one of the same worker, as median
// and 99th percentile. The figures have two readings of the clock in them, some 40 ns together.
func BenchmarkNext(b *testing.B) {
	const n = 200_000
	p := sched.New(budget.New(8), 0)
	ended := make([]struct {
		at time.Time
		_  [104]byte // so that two workers do not share a line of the cache
	}, 9) // by worker
	after := make([]time.Duration, n)
	j := job{"next", func(e sched.Scheduler, i int) verdict {
		w := &ended[e.Number()]
		if now := time.Now(); !w.at.IsZero() {
			after[i] = now.Sub(w.at)
		}
		w.at = time.Now()
		return fine
	}}
	for b.Loop() {
		clear(ended)
		if err := p.Root().Do(j, n); err != nil {
			b.Fatal(err)
		}
	}
	p.Wait()
	slices.Sort(after)
	b.ReportMetric(float64(after[n/2].Nanoseconds()), "ns-P50")
	b.ReportMetric(float64(after[n*99/100].Nanoseconds()), "ns-P99")
}
