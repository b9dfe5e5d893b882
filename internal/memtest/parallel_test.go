//go:build probe

// This file tests several accounts together: while workers run, the live bytes must not exceed the
// charges of the workers and of the evaluations that wait for them.

package memtest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/limits"
)

const parentMemory = 8 << 20

// big binds data of the parent that its workers see, about 2 MB.
const big = `(def big (mapv (fn [i] [i (str "text " i)]) (range 10000))) `

// parallelProgram is a program that starts workers.
type parallelProgram struct {
	name   string
	source string
	want   string // error codes at its end, separated by |; ok means none
	// large replaces want if more than one worker may each hold more than the main evaluation; ""
	// means want.
	large string
}

// parallelPrograms start workers, which allocate up to about their caps.
var parallelPrograms = []parallelProgram{
	{name: "garbage", source: `(pmap (fn [i] (dotimes [k 20000] (list i k))) (range 16))`, want: fair},
	{name: "strings", source: `(count (pmap (fn [i] (apply str (repeat 10000 "abc"))) (range 100)))`, want: fair},
	{name: "vectors", source: `(count (pmap (fn [i] (vec (range (* i 100)))) (range 64)))`, want: fair},
	{name: "maps", source: `(count (pmap (fn [i] (zipmap (range 1000) (map str (range)))) (range 32)))`, want: fair},
	{name: "sets of records", source: `(defrecord R [a b]) (count (pmap (fn [i] (set (map (fn [k] (->R i [k])) (range 500)))) (range 32)))`, want: fair},
	{name: "lazies", source: `(count (pmap (fn [i] (map (fn [k] [i k]) (vec (range 1000)))) (range 64)))`, want: fair},
	{name: "lazies realised by the parent", source: `(reduce + (map count (pmap (fn [i] (map (fn [k] [i k]) (vec (range 1000)))) (range 32))))`, want: fair},
	{name: "closures", source: `(count (pmap (fn [i] (let [v (vec (range 1000))] (fn [k] (nth v k)))) (range 64)))`, want: fair},
	{name: "bigints", source: `(count (pmap (fn [i] (reduce *' (range 1 (+ 500 i)))) (range 64)))`, want: fair},
	{name: "cells", source: `(count (pmap (fn [i] (let [a (atom [])] (dotimes [k 5000] (swap! a conj k)) a)) (range 16)))`, want: fair},
	{name: "all at once", source: `(count (pmap (fn [i] (let [v (vec (range 30000))] (Thread/sleep 3) (count v))) (range 32)))`, want: fair},
	{name: "all at once, kept", source: `(count (pmap (fn [i] (let [v (vec (range 20000))] (Thread/sleep 3) v)) (range 16)))`, want: fair},
	{name: "printing", source: `(with-out-str (dorun (pmap (fn [i] (dotimes [k 1000] (print "text" i k))) (range 32))))`, want: fair},
	{name: "exceptions with data", source: `(count (psettle (fn [i] (throw (ex-info "x" {:v (vec (range 2000))}))) (range 64)))`, want: fair},
	{name: "exceptions of each element", source: `(dotimes [_ 20] (try (pmap (fn [i] (throw (ex-info (str "x" i) {:v (vec (range 10000))}))) (range 16)) (catch Exception e (ex-data e))))`, want: fair},
	{name: "workers that die", source: `(count (psettle (fn [i] (loop [acc ()] (recur (conj acc [i])))) (range 12)))`, want: fair},
	{name: "a worker that dies", source: `(pmap (fn [i] (loop [acc ()] (recur (conj acc [i])))) (range 12))`, want: full},
	{name: "results that do not fit", source: `(pmap (fn [i] (vec (range 20000))) (range 100))`, want: full},
	{name: "nested", source: `(count (pmap (fn [i] (count (pmap (fn [k] (vec (range 5000))) (range 3)))) (range 8)))`, want: fair + "|parallel-capacity-exceeded"},
	{name: "nested, results kept", source: `(count (pmap (fn [i] (pmap (fn [k] [k (str i)]) (range 500))) (range 16)))`, want: fair + "|parallel-capacity-exceeded"},
	{name: "nested, results that do not fit", source: `(count (psettle (fn [i] (pmap (fn [k] (vec (range 5000))) (range 100))) (range 8)))`, want: fair + "|" + full},
	{name: "nested, to the edge", source: `(count (psettle (fn [i] (let [v (vec (range (* 2000 i)))] [(pmap (fn [k] (let [w (vec (range (* 4000 k)))] (Thread/sleep 1) w)) (range 8)) v])) (range 16)))`, want: fair, large: full},
	{name: "nested three deep", source: `(count (psettle (fn [i] (pmap (fn [k] (count (pmap (fn [m] (vec (range (* 400 i m)))) (range 6)))) (range 4))) (range 16)))`, want: fair},
	{name: "nested, elements that die", source: `(count (pmap (fn [i] (count (psettle (fn [k] (loop [acc ()] (recur (conj acc [k])))) (range 3)))) (range 12)))`, want: fair + "|parallel-capacity-exceeded"},
	{name: "nested, printing", source: `(with-out-str (dorun (pmap (fn [i] (dorun (pmap (fn [k] (dotimes [n 300] (print "text" i k n))) (range 6)))) (range 12))))`, want: fair + "|parallel-capacity-exceeded"},
	{name: "data of the parent", source: big + `(count (pmap (fn [i] (reduce (fn [n [k s]] (+ n (count s))) 0 big)) (range 16)))`, want: fair},
	{name: "data of the parent, changed", source: big + `(count (pmap (fn [i] (reduce (fn [v k] (assoc v k nil)) big (range 0 10000 (+ i 20)))) (range 16)))`, want: fair},
	{name: "lazies of the parent", source: `(def xs (map (fn [i] [i]) (range 4000))) (reduce + (pmap (fn [i] (count xs)) (range 16)))`, want: fair},
	{name: "delays of the parent", source: `(def ds (mapv (fn [i] (delay (vec (range i)))) (range 100))) (reduce + (pmap (fn [i] (count (map deref ds))) (range 16)))`, want: fair},
	{name: "limits of bytes", source: `(count (psettle (fn [i] (with-limits {:bytes 200000} (vec (range (* i 2000))))) (range 16)))`, want: fair},
	{name: "an operation under a limit of bytes", source: `(try (with-limits {:bytes 300000} (pmap (fn [i] (vec (range 5000))) (range 16))) (catch Exception e :full))`, want: fair},
	{name: "a quorum", source: `(count (pquorum 4 (fn [i] (vec (range (* 1000 i)))) (range 16)))`, want: fair},
	{name: "any", source: `(count (pany (fn [i] (vec (range (* 1000 (inc i))))) (range 16)))`, want: fair},
	{name: "thunks", source: `(count (pcalls (fn [] (vec (range 20000))) (fn [] (apply str (range 10000))) (fn [] (frequencies (range 3000)))))`, want: fair},
	{name: "many small operations", source: `(dotimes [i 300] (pmap (fn [k] [k (str k)]) (range 20)))`, want: fair},
	{name: "operations that grow", source: `(loop [acc []] (recur (into acc (pmap (fn [k] [k (str k)]) (range 100)))))`, want: full},
	{name: "sorting", source: `(count (pmap (fn [i] (sort > (map (fn [k] (mod (* k 7919) 10007)) (range 5000)))) (range 16)))`, want: fair},
	{name: "grouping", source: `(count (pmap (fn [i] (group-by (fn [k] (mod k 10)) (range 3000))) (range 16)))`, want: fair},
	{name: "futures", source: `(count (mapv deref (mapv (fn [i] (future (vec (range (* i 100))))) (range 64))))`, want: fair},
	{name: "futures that change an atom", source: `(let [r (atom [])] (dotimes [i 24] (future (let [v (vec (range 2000))] (swap! r conj v)))) (Thread/sleep 0) (count @r))`, want: fair},
	{name: "futures that read each other", source: `(count @(reduce (fn [f i] (future (conj @f (vec (range 1000))))) (future []) (range 24)))`, want: fair},
	{name: "futures that begin anew", source: `(let [p (promise) fs (mapv (fn [i] (future (let [v (vec (range 5000))] (+ @p (count v))))) (range 12))] (future (deliver p 1)) (reduce + (map deref fs)))`, want: fair},
	{name: "agents", source: `(let [as (mapv agent (range 24))] (doseq [a as i (range 3)] (send a (fn [x] (vec (range 2000))))) (apply await as) (count @(peek as)))`, want: fair},
	{name: "an agent of many actions", source: `(let [a (agent [])] (dotimes [i 300] (send a conj (range 10))) (await a) (count @a))`, want: fair},
	{name: "agents that futures send to", source: `(let [a (agent [])] (dotimes [i 24] (future (send a conj (vec (range 1000))))) (await a) (count @a))`, want: fair},
	{name: "futures whose results do not fit", source: `(mapv deref (mapv (fn [i] (future (vec (range 20000)))) (range 100)))`, want: full},
	{name: "futures that die", source: `(count (mapv (fn [f] (try @f (catch Exception e nil))) (mapv (fn [i] (future (loop [acc ()] (recur (conj acc [i]))))) (range 12))))`, want: fair},
	{name: "early returns", source: `(pmap (fn [i] (if (= i 9) (return (vec (range 20000))) (vec (range 5000)))) (range 16))`, want: fair},
}

// crowd watches the evaluations of one run. An evaluation waits for the lock of crowd when it
// charges, before it allocates. So other evaluations have already been charged for everything they
// allocate while the collector runs.
type crowd struct {
	mu sync.Mutex
	oracle
	holds map[*limits.Meter]int64 // the last charge, by this evaluation or by another one for it
}

func (c *crowd) watch(m *limits.Meter, n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holds[m] = m.Used()
	if c.due(n) {
		var used int64
		for _, n := range c.holds {
			used += n
		}
		c.sample(used)
	}
}

func (c *crowd) waiting(m *limits.Meter, n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.holds[m] = n; n == 0 {
		delete(c.holds, m)
	}
}

// With -thorough, each program runs with each number of workers, and also with larger caps of them: it keeps a larger
// part of the values it makes then.
func TestAccountsOfWorkersKnowTheHeap(t *testing.T) {
	sizes := []int64{1}
	if *thorough {
		sizes = []int64{1, 4, 16, 64}
	}
	for _, size := range sizes {
		for k, workers := range []int{1, 3, 8} {
			t.Run(fmt.Sprintf("%dMB, %d workers", size, workers), func(t *testing.T) {
				table := fmt.Sprintf("%-36s %9s %9s %8s %8s  %s", "program", "declared", "true", "gap", "samples", "outcome")
				for i, p := range parallelPrograms {
					if i%3 != k && !*thorough {
						continue
					}
					t.Run(p.name, func(t *testing.T) { table += underCrowd(t, p, workers, size<<20) })
				}
				t.Log(table)
			})
		}
	}
}

// underCrowd runs a program with workers under the oracle, and returns a row of the table.
func underCrowd(t *testing.T, p parallelProgram, workers int, workerMemory int64) string {
	t.Helper()
	memory := int64(parentMemory)
	if strings.HasPrefix(p.name, "nested") {
		memory = 2 << 20 // so that bytes of workers beyond their caps are visible
	}
	prog, err := ptc.Compile(context.Background(), p.name, p.source, ptc.Options{Limits: ptc.Limits{
		Memory: memory, WorkerMemory: workerMemory, Workers: workers, Timeout: 2 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	prog.Run(context.Background(), quiet) // makes the values that the library makes once per process
	c := &crowd{oracle: oracle{every: workerMemory / 4, seed: 1}, holds: make(map[*limits.Meter]int64)}
	c.heap()
	c.base = c.heap()
	limits.Probe, limits.ProbeHolds = c.watch, c.waiting
	_, err = prog.Run(context.Background(), quiet)
	limits.Probe, limits.ProbeHolds = nil, nil
	runtime.KeepAlive(prog)
	slack := int64(slackUsed * (1 + workers))
	if c.gap > slack {
		t.Errorf("%d bytes live beyond the accounts, want at most %d", c.gap, slack)
	}
	if most := memory + int64(workers)*workerMemory + slackCap; c.live > most {
		t.Errorf("%d bytes live under caps of %d", c.live, most)
	}
	got := outcome(err)
	want := p.want
	if p.large != "" && workerMemory > memory && workers > 1 {
		want = p.large
	}
	if !slices.Contains(strings.Split(want, "|"), got) {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
	return fmt.Sprintf("\n%-36s %6d KB %6d KB %8d %8d  %s", p.name, c.used>>10, c.live>>10, c.gap, c.samples, got)
}

// inOneSlot are programs with a function hog. An element of an outer operation calls it. It nests
// further operations and lets each evaluation allocate about as much as it may hold.
var inOneSlot = []program{
	{name: "elements of an element", source: `(defn hog [] (pmap (fn [k] (fill)) (range 3)))`},
	{name: "in addition to the element", source: `(defn hog [] (let [v (vec (range 200000))] (psettle (fn [k] (fill)) (range 3)) (count v)))`},
	{name: "beside a long row of results", source: rows + `(defn hog [] (dorun (pmap (fn [k] (if (< k 3) (fill) k)) row)))`},
	{name: "beside a long row of outcomes", source: rows + `(defn hog [] (dorun (psettle (fn [k] (if (< k 3) (fill) k)) half)))`},
	{name: "beside rows at each level", source: rows + `
(defn hog [] (dorun (pmap (fn [k] (when (= k 0) (dorun (psettle (fn [k] (when (= k 0) (dorun (pmap (fn [k] (when (= k 0) (fill))) third)))) third)))) half)))`},
}

// rows are collections of the main evaluation, which the operations of workers do not copy.
const rows = `(def row (vec (range 300000))) (def half (subvec row 0 150000)) (def third (subvec row 0 60000)) `

// fill grows a vector until the evaluation reaches its bound, which ends it.
const fill = `(defn fill [] (loop [v []] (recur (conj v [(count v)])))) `

// TestSlotHoldsWhatAWorkerMay checks that an element, together with everything that runs in its
// slot (the elements of operations that find no free slot), holds no more than a worker may hold.
// Waiting elements hold the other slots.
func TestSlotHoldsWhatAWorkerMay(t *testing.T) {
	for _, p := range inOneSlot {
		for wait := 1; !slotHolds(t, p.name, p.source, wait) && wait <= 5_000; wait *= 4 {
		}
	}
}

// slotHolds checks one program, in which the first of five elements waits for so many milliseconds until the others
// hold their slots. It returns false if they did not.
func slotHolds(t *testing.T, name, source string, wait int) bool {
	const workerMemory, workers = 8 << 20, 5
	source = fill + source + ` (pmap (fn [i] (Thread/sleep ` + strconv.Itoa(wait) + `) (if (= i 0) (do (try (hog) (catch Throwable e 1)) (return 1)) (Thread/sleep 100000))) (range 5))`
	prog, err := ptc.Compile(context.Background(), name, source, ptc.Options{Processors: ptc.NewProcessors(1),
		Limits: ptc.Limits{Memory: 64 << 20, WorkerMemory: workerMemory, Workers: workers, Timeout: 2 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{oracle: oracle{every: 1 << 62}, holds: make(map[*limits.Meter]int64)}
	var main *limits.Meter
	var most int64
	limits.ProbeHolds = c.waiting
	limits.Probe = func(m *limits.Meter, n int64) {
		c.watch(m, n)
		c.mu.Lock()
		defer c.mu.Unlock()
		if main == nil {
			main = m
		}
		var held int64
		for other, n := range c.holds {
			if other != main {
				held += n
			}
		}
		most = max(most, held)
	}
	res, err := prog.Run(context.Background(), ptc.RunOptions{Seed: 1})
	limits.Probe, limits.ProbeHolds = nil, nil
	if got := outcome(err); got != fair && got != full {
		t.Errorf("%s: %v", name, err)
	}
	if res.Usage.Parallel.Inline == 0 { // other elements have not begun in that time
		if wait > 5_000 {
			t.Errorf("%s: no operation ran in the slot of its caller", name)
		}
		return false
	}
	idle := int64(workers-1) * (16 << 10) // of the waiting elements
	if most > workerMemory+idle {
		t.Errorf("%s: a slot held %d KB, where a worker may hold %d", name, most>>10, int64(workerMemory)>>10)
	}
	if most < workerMemory/2 {
		t.Errorf("%s: a slot held %d KB, far below its bound", name, most>>10)
	}
	return true
}
