// This file defines the tests of programs that make much garbage and hold little,
// and of what a run depends on: the program, its input and its limits alone.

package memtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// fairPrograms each make more than fairGarbage bytes of garbage and hold a part of
// a megabyte.
var fairPrograms = []program{
	{name: "lists", source: `(dotimes [i 1200000] (list i i i i))`},
	{name: "vectors", source: `(dotimes [i 1500000] [i i i i])`},
	{name: "maps", source: `(dotimes [i 900000] (assoc {:a i :b 2} :c i))`},
	{name: "a map that is updated", source: `(loop [i 0 m {}] (if (< i 500000) (recur (inc i) (assoc m (mod i 100) i)) (count m)))`},
	{name: "a vector that is updated", source: `(loop [i 0 v (vec (range 1000))] (if (< i 300000) (recur (inc i) (assoc v (mod i 1000) i)) (count v)))`},
	{name: "a sorted map that is updated", source: `(loop [i 0 m (sorted-map)] (if (< i 500000) (recur (inc i) (assoc m (mod i 200) i)) (count m)))`},
	{name: "texts", source: `(dotimes [i 60000] (apply str (repeat 100 "abcdefghij")))`},
	{name: "a text cut and grown", source: `(loop [i 0 s ""] (if (< i 1200000) (recur (inc i) (let [x (str s "abcdefghij" i)] (subs x (- (count x) 9)))) (count s)))`},
	{name: "formatted texts", source: `(dotimes [i 150000] (format "%05d %s %.2f" i "abcdefghijklmnopqrstuvwxyz" 1.5))`},
	{name: "split and join", source: `(let [s (apply str (repeat 50 "ab,cd"))] (dotimes [i 42000] (clojure.string/join ";" (clojure.string/split s #","))))`},
	{name: "matches", source: `(let [s (apply str (repeat 50 "ab1"))] (dotimes [i 14500] (doall (re-seq #"(\w)(\d)" s))))`},
	{name: "a lazy pipeline", source: `(count (filter even? (map inc (map inc (mapcat (fn [x] [x x]) (range 900000))))))`},
	{name: "a lazy sequence that is walked", source: `(loop [s (iterate inc 0)] (if (< (first s) 2000000) (recur (rest s)) (first s)))`},
	{name: "a reduction", source: `(let [s (map str (range 3000000))] (reduce (fn [n x] (+ n (count x))) 0 s))`},
	{name: "closures", source: `(loop [i 0 f inc] (if (< i 3700000) (recur (inc i) (fn [x] (+ x i))) (f 1)))`},
	{name: "an atom", source: `(let [a (atom [])] (dotimes [i 1600000] (swap! a (fn [v] (if (> (count v) 50) [] (conj v i))))) (count @a))`},
	{name: "exceptions", source: `(dotimes [i 850000] (try (throw (ex-info "x" {:i i})) (catch Exception e (ex-data e))))`},
	{name: "bigints", source: `(dotimes [i 1000000] (* 123456789012345678901234567890N (+ i 12345678901234567890N)))`},
	{name: "sorting", source: `(let [v (vec (range 1000 0 -1))] (dotimes [i 3500] (sort v)))`},
	{name: "grouping", source: `(dotimes [i 3400] (group-by (fn [x] (mod x 10)) (range 1000)))`},
	{name: "JSON", source: `(dotimes [i 110000] (json/parse (json/write {:a [1 2 3] :b {:c "text" :d i}})))`},
	{name: "transients", source: `(dotimes [i 12500] (persistent! (reduce conj! (transient []) (range 1000))))`},
}

const fairGarbage = 200 << 20

func TestGarbageIsNotHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("making gigabytes of garbage takes the race detector minutes")
	}
	for _, p := range fairPrograms {
		before := allocated()
		res, err := compiled(t, p, 1<<20).Run(context.Background(), ptc.Input{})
		made := allocated() - before
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		t.Logf("%-32s %5d MB of garbage, %4d marks", p.name, made>>20, res.Usage.Marks)
		if made < fairGarbage {
			t.Errorf("%s made %d bytes of garbage, want at least %d for a test", p.name, made, fairGarbage)
		}
	}
}

// allocated gives the bytes ever allocated.
func allocated() int64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.TotalAlloc)
}

// result is what may depend on nothing but the program.
func result(t *testing.T, p program, memory int64) string {
	t.Helper()
	res, err := compiled(t, p, memory).Run(context.Background(), ptc.Input{})
	res.Usage.Duration = 0
	return fmt.Sprintf("%v %.500v %v %+v", outcome(err), err, res.Value, res.Usage)
}

func TestRunsAreDeterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("programs run six times")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	var programs []program // a sample
	for i, p := range append(corpus[:len(corpus):len(corpus)], fairPrograms...) {
		if i%5 == 0 && !p.slow {
			programs = append(programs, p)
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

func compiled(t *testing.T, p program, memory int64) *ptc.Program {
	t.Helper()
	prog, err := ptc.Compile(p.name, p.source, ptc.Options{Seed: 1, Output: func(string) {},
		Limits: ptc.Limits{Memory: memory, Steps: 500_000_000, Timeout: 2 * time.Minute}})
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	return prog
}

// outcome gives the code of an error, ok if there is none.
func outcome(err error) string {
	var e *ptc.Error
	if errors.As(err, &e) {
		return string(e.Code)
	}
	return "ok"
}
