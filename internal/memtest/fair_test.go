// This file tests programs that make much garbage and hold little. It also tests that a run depends
// on the program, its input and its limits alone.

package memtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/limits"
)

var thorough = flag.Bool("thorough", false, "run the long proofs in full, not a sample of them")

// fairProgram evaluates n times an expression that makes garbage.
type fairProgram struct {
	name   string
	n      int
	source string // n is bound in it
}

// fairPrograms make more than four times fairGarbage bytes of garbage each and hold a fraction of a megabyte.
var fairPrograms = []fairProgram{
	{"lists", 240000, `(dotimes [i n] (list i i i i))`},
	{"vectors", 300000, `(dotimes [i n] [i i i i])`},
	{"maps", 180000, `(dotimes [i n] (assoc {:a i :b 2} :c i))`},
	{"a map that is updated", 100000, `(loop [i 0 m {}] (if (< i n) (recur (inc i) (assoc m (mod i 100) i)) (count m)))`},
	{"a vector that is updated", 60000, `(loop [i 0 v (vec (range 1000))] (if (< i n) (recur (inc i) (update v (mod i 1000) inc)) (count v)))`},
	{"a sorted map that is updated", 100000, `(loop [i 0 m (sorted-map)] (if (< i n) (recur (inc i) (assoc m (mod i 200) i)) (count m)))`},
	{"texts", 12000, `(dotimes [i n] (apply str (repeat 100 "abcdefghij")))`},
	{"a string cut and grown", 420000, `(loop [i 0 s ""] (if (< i n) (recur (inc i) (let [x (str s "abcdefghij" i)] (subs x (- (count x) 9)))) (count s)))`},
	{"formatted texts", 30000, `(dotimes [i n] (format "%05d %s %.2f" i "abcdefghijklmnopqrstuvwxyz" 1.5))`},
	{"split and join", 8400, `(let [s (apply str (repeat 50 "ab,cd"))] (dotimes [i n] (clojure.string/join ";" (clojure.string/split s #","))))`},
	{"matches", 2900, `(let [s (apply str (repeat 50 "ab1"))] (dotimes [i n] (doall (re-seq #"(\w)(\d)" s))))`},
	{"a lazy pipeline", 180000, `(count (filter even? (map inc (map inc (mapcat (fn [x] [x x]) (range n))))))`},
	{"a lazy sequence that is walked", 600000, `(loop [s (iterate inc 0)] (if (< (first s) n) (recur (rest s)) (first s)))`},
	{"a reduction", 600000, `(let [s (map str (range n))] (reduce (fn [n x] (+ n (count x))) 0 s))`},
	{"closures", 740000, `(loop [i 0 f inc] (if (< i n) (recur (inc i) (fn [x] (+ x i))) (f 1)))`},
	{"an atom", 320000, `(let [a (atom [])] (dotimes [i n] (swap! a (fn [v] (if (> (count v) 50) [] (conj v i))))) (count @a))`},
	{"exceptions", 170000, `(dotimes [i n] (try (throw (ex-info "x" {:i i})) (catch Exception e (ex-data e))))`},
	{"bigints", 200000, `(dotimes [i n] (* 123456789012345678901234567890N (+ i 12345678901234567890N)))`},
	{"sorting", 700, `(let [v (vec (range 1000 0 -1))] (dotimes [i n] (sort v)))`},
	{"grouping", 1400, `(dotimes [i n] (group-by (fn [x] (mod x 10)) (range 1000)))`},
	{"JSON", 22000, `(dotimes [i n] (json/parse (json/write {:a [1 2 3] :b {:c "text" :d i}})))`},
	{"transients", 2500, `(dotimes [i n] (persistent! (reduce conj! (transient []) (range 1000))))`},
}

const (
	fairGarbage = 10 << 20
	moreOften   = 20 // factor by which thorough tests run it more often
)

// times returns the program with a quarter of n multiplied by k.
func (f fairProgram) times(k int) program {
	return program{name: f.name, source: fmt.Sprintf("(def n %d) %s", k*f.n/4, f.source)}
}

func TestGarbageIsNotHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("making gigabytes of garbage takes the race detector minutes")
	}
	often := 1
	if *thorough {
		often = moreOften
	}
	for _, f := range fairPrograms {
		p := f.times(often)
		before := allocated()
		res, err := compiled(t, p, 1<<20).Run(context.Background(), quiet)
		made := allocated() - before
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		t.Logf("%-32s %5d MB of garbage, %4d marks", p.name, made>>20, res.Usage.Marks)
		if least := int64(often * fairGarbage); made < least {
			t.Errorf("%s made %d bytes of garbage, want at least %d for a test", p.name, made, least)
		}
	}
}

// allocated returns the total bytes allocated so far.
func allocated() int64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.TotalAlloc)
}

// result returns the part of the outcome that must depend on the program alone.
func result(t *testing.T, p program, memory int64) string {
	t.Helper()
	res, err := compiled(t, p, memory).Run(context.Background(), quiet)
	res.Usage.Duration = 0
	v, verr := res.Value()
	return fmt.Sprintf("%v %.500v %v %v %+v", outcome(err), err, v, verr, res.Usage)
}

func TestRunsAreDeterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("programs run six times")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	var programs []program // a sample
	every := 16
	if *thorough {
		every = 4
	}
	for i, p := range corpus {
		if i%every == 0 && !p.slow {
			programs = append(programs, p)
		}
	}
	for i, f := range fairPrograms {
		if i%5 == 0 {
			programs = append(programs, f.times(1))
		}
	}
	want := make([]string, len(programs))
	for i, p := range programs {
		want[i] = result(t, p, limits.MinMemory)
	}
	for _, percent := range []int{20, 1000} {
		debug.SetGCPercent(percent)
		for i, p := range programs {
			if got := result(t, p, limits.MinMemory); got != want[i] {
				t.Errorf("%s, GOGC=%d:\n got %s\nwant %s", p.name, percent, got, want[i])
			}
		}
	}
	var wg sync.WaitGroup
	for shift := range 3 {
		wg.Go(func() {
			for i := range programs {
				i = (i + shift*len(programs)/3) % len(programs)
				if got := result(t, programs[i], limits.MinMemory); got != want[i] {
					t.Errorf("%s, beside others:\n got %s\nwant %s", programs[i].name, got, want[i])
				}
			}
		})
	}
	wg.Wait()
}

// quiet is a run that draws the same numbers each time, and drops its prints.
var quiet = ptc.RunOptions{Seed: 1, Output: func(ptc.Print) {}}

func compiled(t *testing.T, p program, memory int64) *ptc.Program {
	t.Helper()
	prog, err := ptc.Compile(context.Background(), p.name, p.source, ptc.Options{Limits: ptc.Limits{
		Memory: memory, Steps: 500_000_000, Timeout: 2 * time.Minute}})
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	return prog
}

// outcome returns the code of an error, or ok if there is none.
func outcome(err error) string {
	var e *ptc.Error
	if errors.As(err, &e) {
		return string(e.Code)
	}
	return "ok"
}
