// This file measures how much of the processors parallel programs use.

package bench

import (
	"context"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/ptc-lang/ptc"
)

// parallelWork are programs whose elements compute fib(15), some 20 µs: as many in one
// operation, with one that computes a thousand times as long as the others, and in
// operations that nest.
var parallelWork = []struct{ name, source string }{
	{"equal", `(reduce + (pmap (fn [_] (fib 15)) (range 20000)))`},
	{"long-first", `(reduce + (pmap (fn [i] (work (if (= i 0) 1000 1))) (range 20000)))`},
	{"long-middle", `(reduce + (pmap (fn [i] (work (if (= i 10000) 1000 1))) (range 20000)))`},
	{"long-last", `(reduce + (pmap (fn [i] (work (if (= i 39999) 1000 1))) (range 40000)))`},
	{"nested", `(reduce + (pmap (fn [_] (reduce + (pmap (fn [_] (fib 15)) (range 200)))) (range 100)))`},
	{"nested-long-last", `(reduce + (pmap (fn [i] (reduce + (pmap (fn [_] (fib 15)) (range (if (= i 99) 10000 10))))) (range 100)))`},
	{"nested-thrice", `(reduce + (pmap (fn [i] (reduce + (pmap (fn [j] (reduce + (pmap (fn [_] (fib 15)) (range (* 10 i j))))) (range 10)))) (range 10)))`},
}

const parallelDefs = `
(defn fib [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(defn work [n] (loop [n n sum 0] (if (= n 0) sum (recur (dec n) (+ sum (fib 15))))))
`

// BenchmarkProcessors reports of each program, with all processors:
//
//   - cpu-%: processor time, of that which passed on all processors;
//   - busy-%: the part of the time of Go's own processors in which they had something to run. Beside other
//     processes it shows the demand of the program;
//   - speed-up: the time with one processor to that with all, the least of each, when
//     runs with one and with all take turns;
//   - machine: the same of as many programs that share nothing and compute the same.
//     Processors that are two threads of one core give less than their number.
func BenchmarkProcessors(b *testing.B) {
	procs := runtime.GOMAXPROCS(0)
	for _, w := range parallelWork {
		prog, err := ptc.Compile(context.Background(), w.name, parallelDefs+w.source, ptc.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(w.name, func(b *testing.B) {
			var all processorTime
			least, bare := map[int]float64{}, map[int]float64{}
			for b.Loop() {
				for _, n := range []int{1, procs} {
					runtime.GOMAXPROCS(n)
					keepLeast(bare, n, runApart(b, procs))
					p := measureProcessors(b, prog)
					if n == procs {
						all.add(p)
					}
					keepLeast(least, n, p.wall)
				}
			}
			b.ReportMetric(100*all.cpu/all.wall/float64(procs), "cpu-%")
			b.ReportMetric(100*(1-all.idle/all.total), "busy-%")
			b.ReportMetric(least[1]/least[procs], "speed-up")
			b.ReportMetric(bare[1]/bare[procs], "machine")
		})
	}
}

func keepLeast(least map[int]float64, n int, t float64) {
	if old, ok := least[n]; !ok || t < old {
		least[n] = t
	}
}

// runApart returns the nanoseconds of n programs that share nothing, each in its own goroutine.
func runApart(b *testing.B, n int) float64 {
	var wg sync.WaitGroup
	began := time.Now()
	for range n {
		prog, err := ptc.Compile(context.Background(), "alone", parallelDefs+`(work 10000)`, ptc.Options{})
		if err != nil {
			b.Fatal(err)
		}
		wg.Go(func() {
			if _, err := prog.Run(context.Background(), ptc.RunOptions{}); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	return float64(time.Since(began))
}

// processorTime has the times of a measurement: on the clock, of the machine's processors, and of Go's
// processors in total and idle.
type processorTime struct{ wall, cpu, total, idle float64 }

func (p *processorTime) add(q processorTime) {
	p.wall += q.wall
	p.cpu += q.cpu
	p.total += q.total
	p.idle += q.idle
}

func measureProcessors(b *testing.B, prog *ptc.Program) processorTime {
	total, idle := goProcessors()
	began, cpu := time.Now(), CPUTime()
	if _, err := prog.Run(context.Background(), ptc.RunOptions{}); err != nil {
		b.Fatal(err)
	}
	p := processorTime{wall: float64(time.Since(began)), cpu: CPUTime() - cpu}
	p.total, p.idle = goProcessors()
	p.total -= total
	p.idle -= idle
	return p
}

// goProcessors returns the time of Go's processors so far, and the idle part of it, as of the last
// collection.
func goProcessors() (total, idle float64) {
	runtime.GC()
	samples := []metrics.Sample{{Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}}
	metrics.Read(samples)
	return samples[0].Value.Float64(), samples[1].Value.Float64()
}
