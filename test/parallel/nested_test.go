// This file tests that nothing shows a program whether a nested operation found a slot.

package parallel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// nestedPrograms nest operations whose elements compute, wait, print, fail and allocate.
var nestedPrograms = []string{
	`(pmap (fn [i] (count (pmap inc (range 50)))) (range 200))`,
	`(pmap (fn [i] (Thread/sleep 1) (count (pmap inc (range 50)))) (range 40))`,
	`(pmap (fn [i] (reduce + (pmap (fn [k] (Thread/sleep 1) (* i k)) (range 5)))) (range 12))`,
	`(pmap (fn [i] (reduce + (range 3000)) (pmap (fn [k] (reduce + (range 2000)) (pmap (fn [m] (reduce + (range 100)) [i k m (rand-int 1000)]) (range 3))) (range 4))) (range 9))`,
	`(pmap (fn [i] (println :outer i) (dorun (pmap (fn [k] (println i k)) (range 3)))) (range 20))`,
	`(pmap (fn [i] (pmap (fn [k] (if (= [i k] [7 3]) (throw (ex-info "here" {:at [i k]})) k)) (range 5))) (range 30))`,
	`(psettle (fn [i] (pmap (fn [k] (/ i (- k 3))) (range i))) (range 12))`,
	`(pcalls (fn [] (pvalues (pmap inc [1]) (+ 1 1))) (fn [] (psettle (fn [x] (/ 1 x)) [1 0])))`,
	`(pmap (fn [i] (try (with-limits {:workers 1} (pmap (fn [k] (pmap inc [k])) [i])) (catch Exception e (ex-message e)))) (range 20))`,
	`(pmap (fn [i] (pmap (fn [k] (if (= k i) (return [:early i]) k)) (range 4))) (range 3 9))`,
}

// nestedSettings are the processors and workers of a run. Programs nest three deep at most. The sample
// has each number of workers with two numbers of processors, and each number of processors with two
// numbers of workers. The turn moves it: five turns have all pairs.
func nestedSettings(t *testing.T, turn int, f func(procs, workers int)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	allProcs, allWorkers := []int{1, 2, 4, 8, 16}, []int{1, 2, 3, 8, 64}
	sampled := func(i, k int) bool { return *thorough || (i+k+turn)%5 == 0 || (i+k+turn)%5 == 2 }
	if testlevel.Small() {
		allProcs, allWorkers = []int{1, 8}, []int{1, 3, 64}
		sampled = func(int, int) bool { return true }
	}
	for i, procs := range allProcs {
		runtime.GOMAXPROCS(procs)
		for k, workers := range allWorkers {
			if t.Failed() {
				return
			}
			if sampled(i, k) {
				f(procs, workers)
			}
		}
	}
}

// compiledOnce runs source with a seed under limits. It compiles source once for each number of workers.
func compiledOnce(t *testing.T, source string, limits ptc.Limits, seed uint64) (outcome func(workers int) string) {
	progs := map[int]*ptc.Program{}
	return func(workers int) string {
		if progs[workers] == nil {
			limits.Workers = workers
			prog, err := ptc.Compile(context.Background(), "program.ptc", source, ptc.Options{Limits: limits})
			require.NoError(t, err, source)
			progs[workers] = prog
		}
		return ptctest.Outcome(progs[workers].Run(context.Background(), ptc.RunOptions{Seed: seed}))
	}
}

// load keeps n goroutines computing until the test ends.
func load(t *testing.T, n int) {
	var over atomic.Bool
	for range n {
		go func() {
			for !over.Load() {
				runtime.Gosched()
			}
		}()
	}
	t.Cleanup(func() { over.Store(true) })
}

// TestNestedIsStatic: the values, prints and errors of programs that nest operations depend only on the
// number of workers, and with three or more workers not even on that.
func TestNestedIsStatic(t *testing.T) {
	repeats := 2
	if testlevel.Small() {
		repeats = 1
	}
	for _, busy := range []int{0, 4} {
		t.Run(fmt.Sprintf("beside %d", busy), func(t *testing.T) {
			load(t, busy)
			for i, source := range nestedPrograms {
				want, outcome := map[int]string{}, compiledOnce(t, source, ptc.Limits{}, 3)
				nestedSettings(t, i, func(procs, workers int) {
					for range repeats {
						got := outcome(workers)
						if want[min(workers, 3)] == "" {
							want[min(workers, 3)] = got
						}
						require.Equal(t, want[min(workers, 3)], got, "%d processors, %d workers: %s", procs, workers, source)
					}
				})
				require.Contains(t, want[1], "there are workers for 1", source)
				require.NotContains(t, strings.ReplaceAll(want[3], "3 deep, where there are workers for 2", ""), "workers for", source)
			}
		})
	}
}

// TestNestedRandomIsStatic is the same for random programs.
func TestNestedRandomIsStatic(t *testing.T) {
	n := uint64(60)
	if testlevel.Small() {
		n = 10
	}
	for seed := range n {
		p := &program{r: rand.New(rand.NewPCG(seed, 29))}
		source := "(defn pm [f & colls] (apply pmap f colls))" + p.text()
		want, outcome := map[int]string{}, compiledOnce(t, source, ptc.Limits{}, seed)
		nestedSettings(t, int(seed), func(procs, workers int) {
			got := outcome(workers)
			if want[min(workers, deepest)] == "" {
				want[min(workers, deepest)] = got
			}
			require.Equal(t, want[min(workers, deepest)], got, "seed %d, %d processors, %d workers:\n%s", seed, procs, workers, source)
		})
	}
}

// TestNestedMemoryIsStatic looks for the size from which on a program exceeds its memory, in
// an element, by the results, or in the worker that waits, and wants it to be the same, with
// the same message, whether elements wait or compute and wherever they run.
func TestNestedMemoryIsStatic(t *testing.T) {
	testlevel.System(t)
	for i, source := range []string{
		`(pmap (fn [i] %[2]s (count (pmap (fn [k] %[2]s (count (vec (range (* 10 %[1]d))))) (range 4)))) (range 6))`,
		`(pmap (fn [i] %[2]s (let [v (vec (range (* 3 %[1]d)))] [(count (pmap (fn [k] (count (vec (range (* 4 %[1]d))))) (range 3))) (count v)])) (range 6))`,
		`(pmap (fn [i] (count (pmap (fn [k] %[2]s (vec (range %[1]d))) (range 20)))) (range 6))`,
		`(pmap (fn [i] %[2]s (count (pmap (fn [k] (count (pmap (fn [m] %[2]s (apply str (vec (repeat (* 8 %[1]d) \a)))) (range 3)))) (range 3)))) (range 4))`,
		`(psettle (fn [i] (dotimes [n %[1]d] (vec (range 100))) (count (pmap (fn [k] %[2]s (count (vec (range (* 12 %[1]d))))) (range 4)))) (range 6))`,
		`(pmap (fn [i] (pmap (fn [k] (print (apply str (vec (repeat (* 2 %[1]d) \a))))) (range 20))) (range 4))`,
	} {
		if !*thorough && i%3 != 0 {
			continue
		}
		outcome := func(n, workers int, first string) string {
			return seededOutcome(fmt.Sprintf(strings.ReplaceAll(source, "%[2]s", first), n),
				ptc.Options{Limits: ptc.Limits{Workers: workers, WorkerMemory: 1 << 20, Memory: 8 << 20}}, 3)
		}
		fails := func(n int) bool { return strings.Contains(outcome(n, 8, "nil"), "memory-exceeded") }
		low, high := 1, 1<<17
		require.False(t, fails(low), source)
		require.True(t, fails(high), source)
		for high-low > 1 {
			if mid := (low + high) / 2; fails(mid) {
				high = mid
			} else {
				low = mid
			}
		}
		sizes := []int{low - 1, low, high, high + 1}
		if testlevel.Small() {
			sizes = []int{low, high}
		}
		for turn, n := range sizes {
			for _, first := range []string{"nil", "(Thread/sleep 1)"} {
				want := outcome(n, 8, first)
				nestedSettings(t, turn, func(procs, workers int) {
					if workers < 3 {
						return
					}
					got := outcome(n, workers, first)
					require.Equal(t, want, got, "%d processors, %d workers, %d: %s", procs, workers, n, source)
				})
			}
		}
	}
}
