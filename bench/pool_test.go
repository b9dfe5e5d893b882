// This file compares the scheduler with other ways to run many small elements.

package bench

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/panjf2000/ants/v2"
	"golang.org/x/sync/errgroup"

	slots "github.com/ptc-lang/ptc/runtime/budget"
	"github.com/ptc-lang/ptc/runtime/sched"
)

// elements is how many an operation has.
const elements = 1_000_000

// spin computes for about n nanoseconds.
func spin(n int) int {
	x := 1
	for range n {
		x = x*1664525 + 1013904223
	}
	return x
}

var sink [64]int

type spinning int

func (s spinning) NewWorker(sched.Scheduler) sched.Worker { return s }

func (s spinning) Label() string { return "spin" }

func (s spinning) Run(i int) { sink[i&63] = spin(int(s)) }

func (s spinning) Close() {}

// BenchmarkElements reports the cost of elements that do nothing, compute for some 100 ns, or compute for
// some microseconds.
func BenchmarkElements(b *testing.B) {
	for _, work := range []int{0, 100, 3000} {
		n := elements / max(work/10, 1)
		for _, way := range []struct {
			name string
			run  func(work, n int)
		}{{"sched", runSched}, {"goroutine-each", runGoroutines}, {"errgroup", runErrgroup}, {"ants", runAnts}} {
			b.Run(fmt.Sprintf("work=%d/%s", work, way.name), func(b *testing.B) {
				for b.Loop() {
					way.run(work, n)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
			})
		}
	}
}

func runSched(work, n int) {
	p := sched.New(slots.New(8), 0)
	if err := p.Root().Do(spinning(work), n); err != nil {
		panic(err)
	}
	p.Wait()
}

func runGoroutines(work, n int) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { spinning(work).Run(i) })
	}
	wg.Wait()
}

func runErrgroup(work, n int) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error {
			spinning(work).Run(i)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		panic(err)
	}
}

func runAnts(work, n int) {
	p, err := ants.NewPool(runtime.GOMAXPROCS(0))
	if err != nil {
		panic(err)
	}
	defer p.Release()
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		if err := p.Submit(func() {
			spinning(work).Run(i)
			wg.Done()
		}); err != nil {
			panic(err)
		}
	}
	wg.Wait()
}
