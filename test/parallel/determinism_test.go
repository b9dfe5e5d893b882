// This file tests that a parallel program ends the same way each time: on any number of workers and
// processors, whatever the collector does, and beside other runs.

package parallel

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
)

var repeats = flag.Int("repeats", 1, "runs of each program of TestParallelRunsAreTheSame under each setting")

// settled are programs of one operation at a time. Their steps are the same too, unless
// elements are cut short.
var settled = []struct {
	name, source string
	cutShort     bool
}{
	{"value", `(reduce + (pmap (fn [x] (reduce + (range x))) (range 300)))`, false},
	{"prints", `(count (pmap (fn [x] (println "element" x) [x (str x)]) (range 60)))`, false},
	{"random numbers", `(pmap (fn [x] [x (rand-int 1000) (first (shuffle (range 50)))]) (range 60))`, false},
	{"marks of workers", `(pmap (fn [x] (dotimes [k 3000] (vec (range 20))) x) (range 12))`, false},
	{"lazies of the parent", `(let [xs (map (fn [x] (* x x)) (range 400))] (pmap (fn [i] (nth xs (* 40 i))) (range 10)))`, false},
	{"settled failures", `(psettle (fn [x] (println x) (case (mod x 4) 0 (vec (range 100000)) 1 (/ x 0) 2 ((fn f [n] (inc (f n))) 1) x)) (range 12))`, false},
	{"with-limits", `(psettle (fn [x] (with-limits {:steps 3000 :bytes 100000} (count (vec (range (* x 500)))))) (range 30))`, false},
	{"futures", `(mapv deref (mapv (fn [x] (future (println "element" x) (reduce + (range x)))) (range 60)))`, false},
	{"futures that change an atom", `(let [r (atom [])] (run! deref (mapv (fn [x] (future (swap! r conj [x (rand-int 99)]))) (range 40))) @r)`, false},
	{"futures that wait for each other", `@(reduce (fn [f i] (future (println "element" i) (+ @f (rand-int 9)))) (future 0) (range 40))`, false},
	{"futures that begin anew", `(let [p (promise) fs (mapv (fn [x] (future (+ x @p))) (range 20))] (future (deliver p (rand-int 9))) (mapv deref fs))`, false},
	{"agents", `(let [as (mapv agent (range 20))] (dotimes [_ 3] (doseq [a as] (send a (fn [x] (println "agent" x) (+ x (rand-int 9)))))) (apply await as) (mapv deref as))`, false},
	{"agents that send", `(let [a (agent []) as (mapv agent (range 20))] (doseq [b as] (send b (fn [x] (send a conj [x (rand-int 9)]) (inc x)))) (apply await a as) [@a (mapv deref as)])`, false},
	{"futures whose results do not fit", `(mapv deref (mapv (fn [x] (future (println x) (vec (range 2000)))) (range 200)))`, true},
	{"objects of Java", `(pmap (fn [x] (let [l (java.util.ArrayList.) m (java.util.HashMap.)] (dotimes [i 50] (.add l (* i x)) (.put m (str i) i)) [(reduce + l) (vec (keys m)) (str (.plusDays (java.time.LocalDate/of 2024 1 1) x))])) (range 30))`, false},
	{"eval", `(pmap (fn [x] (eval (list '+ x '(reduce + (range 10))))) (range 20))`, false},
	{"the lowest failure", `(pmap (fn [x] (println x) (if (= 3 (mod x 10)) (throw (ex-info (str "at " x) {:x x})) x)) (range 60))`, true},
	{"a worker's memory", `(pmap (fn [x] (println x) (count (vec (range (* x 3000))))) (range 40))`, true},
	{"a worker's depth", `(pmap (fn [x] (println x) ((fn f [n] (if (= 0 n) 0 (inc (f (dec n))))) (* x 300))) (range 40))`, true},
	{"results that do not fit", `(pmap (fn [x] (println x) (vec (range 2000))) (range 200))`, true},
	{"a worker's memory, caught", `(try (pmap (fn [x] (vec (range (* x 3000)))) (range 40)) (catch Throwable e (ex-message e)))`, true},
	{"an early end", `(pmap (fn [x] (println x) (if (= x 17) (return [:found x]) x)) (range 60))`, true},
	{"steps", `(println :before) (pmap (fn [x] (println x) (loop [] (recur))) (range 8))`, true},
	{"steps of many", `(println :before) (pmap (fn [x] (println x) (reduce + (range 20000))) (range 200))`, true},
	{"steps, in psettle", `(psettle (fn [x] (println x) (reduce + (range 20000))) (range 200))`, true},
}

// withoutElements returns the output of a program without the lines of elements, which are their numbers,
// if these are in order.
func withoutElements(prints string) string {
	var rest strings.Builder
	last := -1
	for line := range strings.Lines(prints) {
		n, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil || n <= last {
			rest.WriteString(line)
			continue
		}
		last = n
	}
	return rest.String()
}

// nested are programs of operations in operations. With few workers some find no slot.
var nested = []struct{ name, source string }{
	{"nested", `(pmap (fn [x] (println x) (reduce + (pmap (fn [y] (print y "") (* x y)) (range x)))) (range 12))`},
	{"nested failure", `(pmap (fn [x] (pmap (fn [y] (println x y) (if (= 20 (* x y)) (throw (ex-info "twenty" {:x x :y y})) y)) (range x))) (range 12))`},
	{"nested memory", `(pmap (fn [x] (pmap (fn [y] (vec (range (* x y 1000)))) (range x))) (range 12))`},
}

// TestParallelRunsAreTheSame compares value, prints, error with its elements, and steps.
func TestParallelRunsAreTheSame(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	counts := []int{1, 8}
	switch {
	case testlevel.Small():
		counts = counts[1:]
	case *thorough:
		counts = []int{1, 2, 8}
	}
	for _, c := range settled {
		want := ""
		for _, workers := range counts {
			want = sameEachTime(t, c.name, c.source, workers, !c.cutShort, want)
		}
	}
	for _, c := range nested {
		sameEachTime(t, c.name, c.source, 8, false, "")
	}
}

// sameEachTime runs a program under all settings, and compares how it ends, first with
// want if that is not empty.
func sameEachTime(t *testing.T, name, source string, workers int, steps bool, want string) string {
	most, percents, processors, others := int64(1_000_000), []int{10, -1}, []int{1, 2}, 4
	switch {
	case testlevel.Small(): // for the race detector, to which collecting often adds most
		percents, processors, others = []int{100}, processors[1:], 2
		if strings.HasPrefix(name, "steps") { // the more steps it may take, the longer it runs
			most /= 4
		}
	case *thorough:
		most, percents = 2*most, []int{10, 100, 1000, -1}
	}
	prog, err := ptc.Compile(context.Background(), name, source, ptc.Options{Limits: ptc.Limits{
		Workers: workers, WorkerMemory: 1 << 20, Memory: 4 << 20, Depth: 5000, Steps: most, Timeout: time.Minute}})
	require.NoError(t, err)
	for _, procs := range processors {
		runtime.GOMAXPROCS(procs)
		for _, percent := range percents {
			debug.SetGCPercent(percent)
			for range *repeats {
				got := ended(prog, steps)
				if want == "" {
					want = got
				}
				require.Equal(t, want, got, "%s: %d workers, %d processors, GOGC %d", name, workers, procs, percent)
			}
		}
	}
	besideEachOther(t, prog, others, name, want, steps)
	return want
}

// besideEachOther makes n concurrent runs of a program.
func besideEachOther(t *testing.T, prog *ptc.Program, n int, name, want string, steps bool) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for range *repeats {
				if got := ended(prog, steps); got != want {
					t.Errorf("%s, beside other runs: got\n%s\nwant\n%s", name, got, want)
				}
			}
		})
	}
	wg.Wait()
}

// ended returns the outcome of a run without the parts that depend on time: the number of elements that had
// been completed when one failed, and the elements that had printed when a bound ended the run.
func ended(prog *ptc.Program, steps bool) string {
	res, err := prog.Run(context.Background(), ptc.RunOptions{Seed: 7})
	e, ok := err.(*ptc.Error)
	if ok && e.Code == diag.StepsExceeded {
		res.Prints = withoutElements(res.Prints)
	}
	text := ptctest.Outcome(res, err)
	if ok {
		for _, el := range e.Elements {
			text += fmt.Sprintf("\n%s at %v: element %d, %s, of %d", el.Operation, el.Span, el.Index, el.Text, el.Of)
		}
	}
	if steps {
		text += fmt.Sprintf("\n%d steps", res.Usage.Steps)
	}
	return text
}
