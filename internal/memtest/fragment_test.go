//go:build probe

// This file defines programs that try to scatter the values they keep, so that Go's allocator holds
// many times the live bytes, and tests that they cannot.

package memtest

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// scatterer is a program that keeps scattered values: for each of many sizes, it fills its account
// and keeps one value in each span.
type scatterer struct {
	name string
	// source is the program. It uses memory, the cap that it runs under, and (scatter sizes make).
	// For each size, scatter fills the cap with results of (make size), of about size bytes each,
	// and keeps those that lie 8 KB apart. It returns all kept values.
	source string
}

const scatterLib = `
(defn every [size make room]
  (let [n (quot room (+ size 64)) apart (max 2 (quot 8192 size))
        all (mapv (fn [_] (make size)) (range n))]
    (into [] (take-nth apart) all)))
(defn scatter [room sizes make]
  (reduce (fn [kept size] (conj kept (every size make room))) [] sizes))
(def room (quot (* memory 6) 10))
(def text (apply str (repeat 8192 "x")))
(def sizes (concat (range 80 256 16) (range 256 512 32) (range 512 1024 64) (range 1024 2048 128) [2304 2688 3072 3200 3456 4096]))
(defn string [size] (subs text 0 size))
(defn block [size] (vec (range (min 32 (quot size 16)))))
`

var scatterers = []scatterer{
	{"strings", `(count (scatter room sizes string))`},
	{"vectors", `(count (scatter room (range 144 513 16) block))`},
	{"vectors and strings", `(let [a (scatter room (range 144 513 16) block) b (scatter room sizes string)] (count [a b]))`},
	{"arrays", `(count (scatter room sizes (fn [size] (object-array (quot size 16)))))`},
	{"array maps", `(count (scatter room (range 64 280 32) (fn [size] (zipmap (range (quot size 32)) (range)))))`},
	{"hash maps", `(count (scatter room (range 300 3000 64) (fn [size] (zipmap (range (quot size 32)) (range)))))`},
	{"sets", `(count (scatter room (range 200 3000 32) (fn [size] (set (range (quot size 16))))))`},
	{"keywords", `(count (scatter room sizes (fn [size] (keyword (string size)))))`},
	{"numbers", `(count (scatter room (range 80 1025 16) (fn [size] (bigint (subs digits 0 (int (* size 2.4)))))))`},
	{"closures", `(count (scatter room (range 1 16) (fn [n] (nth closures n))))`},
	{"lists of strings", `(count (scatter room (range 80 512 16) (fn [size] (list (string size) (string (+ size 8))))))`},
	{"nested", `(count (scatter room (range 80 512 16) (fn [size] [(string size) [(block size) {:a (string (* 2 size))}]])))`},
	{"kept on the way", `(count (reduce (fn [kept size] (loop [i 0 kept kept]
		(if (< i (quot (* 4 room) (+ 32 size))) (let [s (string size)] (recur (inc i) (if (zero? (rem i (quot 8192 size))) (conj kept s) kept))) kept))) [] sizes))`},
	{"among builders", `(count (reduce (fn [kept size] (loop [i 0 kept kept]
		(if (< i (quot (* 2 room) 8192)) (do (apply str (repeat (quot 16384 size) (string size))) (dotimes [_ (quot 8192 size)] (count (str (string (dec size)) "y")))
		(recur (inc i) (conj kept (string size)))) kept))) [] sizes))`},
	{"among transients", `(count (reduce (fn [kept size] (loop [i 0 kept kept]
		(if (< i (quot (* 2 room) 8192)) (do (into {} (map vector (range 40) (range))) (recur (inc i) (conj kept (block size)))) kept))) [] (range 64 513 16)))`},
	{"among numbers", `(count (reduce (fn [kept size] (let [a (/ (bigint (subs digits 0 (int (* size 2.4)))) 7) b (+ a 1)] (loop [i 0 kept kept]
		(if (< i (quot (* 2 room) 8192)) (do (dotimes [_ (quot 8192 size)] (< a b)) (recur (inc i) (conj kept (string size)))) kept)))) [] (range 80 1025 16)))`},
	{"among sums", `(count (reduce (fn [kept size] (let [a (bigint (subs digits 0 (int (* size 2.4)))) b (bigint (subs digits 0 (int (* size 1.2)))) r (/ a (+ 1 (* 2 b)))]
		(loop [i 0 kept kept] (if (< i (quot (* 2 room) 8192)) (do (dotimes [_ (quot 8192 size)] (+ a 1)) (recur (inc i) (conj kept (string size)))) kept)))) [] (range 80 1025 16)))`},
	{"among products", `(count (reduce (fn [kept size] (let [a (bigint (subs digits 0 (int (* size 2.4)))) b (bigint (subs digits 0 (int (* size 1.2)))) r (/ a (+ 1 (* 2 b)))]
		(loop [i 0 kept kept] (if (< i (quot (* 2 room) 8192)) (do (dotimes [_ (quot 8192 size)] (* b b)) (recur (inc i) (conj kept (string size)))) kept)))) [] (range 80 1025 16)))`},
	{"among quotients", `(count (reduce (fn [kept size] (let [a (bigint (subs digits 0 (int (* size 2.4)))) b (bigint (subs digits 0 (int (* size 1.2)))) r (/ a (+ 1 (* 2 b)))]
		(loop [i 0 kept kept] (if (< i (quot (* 2 room) 8192)) (do (dotimes [_ (quot 8192 size)] (quot a b) (rem a b)) (recur (inc i) (conj kept (string size)))) kept)))) [] (range 80 1025 16)))`},
	{"among ratios", `(count (reduce (fn [kept size] (let [a (bigint (subs digits 0 (int (* size 2.4)))) b (bigint (subs digits 0 (int (* size 1.2)))) r (/ a (+ 1 (* 2 b)))]
		(loop [i 0 kept kept] (if (< i (quot (* 2 room) 8192)) (do (dotimes [_ (quot 8192 size)] (* r 3/7)) (recur (inc i) (conj kept (string size)))) kept)))) [] (range 80 1025 16)))`},
	{"among decimals", `(count (reduce (fn [kept size] (let [a (bigint (subs digits 0 (int (* size 2.4)))) b (bigint (subs digits 0 (int (* size 1.2)))) r (/ a (+ 1 (* 2 b)))]
		(loop [i 0 kept kept] (if (< i (quot (* 2 room) 8192)) (do (dotimes [_ (quot 8192 size)] (+ 1.5M 2.25M)) (recur (inc i) (conj kept (string size)))) kept)))) [] (range 80 1025 16)))`},
	{"among matches", `(count (reduce (fn [kept size] (loop [i 0 kept kept]
		(if (< i (quot (* 2 room) 8192)) (do (re-seq #"(a)(b)" "ababababab") (recur (inc i) (conj kept (string size)))) kept))) [] (range 80 513 16)))`},
	{"code", `(count (reduce (fn [kept i] (dotimes [k 40] (string (+ 80 (* 16 (rem k 30))))) (if (zero? (rem i 10)) (conj kept (eval '(fn [x] (+ x 1)))) kept)) [] (range (quot room 2000))))`},
	{"results of workers", `(count (mapv (fn [size] (pmap (fn [i] (every size string (quot (* worker-memory 6) 10))) (range 8))) sizes))`},
	{"results of many workers", `(count (reduce (fn [kept size] (into kept (pmap (fn [i] (every size string 65536)) (range (quot room 16384))))) [] sizes))`},
	{"results of workers at once", `(count (pmap (fn [size] (every size string (quot (* worker-memory 6) 10))) (mapcat (fn [s] (repeat 8 s)) sizes)))`},
	{"exceptions of workers", `(count (mapv (fn [size] (try (pmap (fn [i] (throw (ex-info "x" {:v (every size string (quot (* worker-memory 6) 10))}))) (range 8)) (catch Exception e (ex-data e)))) sizes))`},
	{"settled exceptions of workers", `(count (mapv (fn [size] (psettle (fn [i] (throw (ex-info "x" {:v (every size string (quot (* worker-memory 6) 10))}))) (range 8))) sizes))`},
	{"each worker", `(count (pmap (fn [i] (count (scatter (quot (* worker-memory 6) 10) sizes string))) (range 8)))`},
	{"each worker and its parent", `(let [mine (scatter room (take 20 sizes) string)] (count (pmap (fn [i] (count (scatter (quot (* worker-memory 6) 10) sizes string))) (range 8))) (count mine))`},
	{"each worker and its own workers", `(count (psettle (fn [i] (let [mine (scatter (quot (* worker-memory 5) 10) (take 12 sizes) string)]
		(count (psettle (fn [k] (count (scatter (quot (* worker-memory 2) 10) sizes string))) (range 4))) (count mine))) (range 8)))`},
	{"results of nested workers", `(count (psettle (fn [i] (count (mapv (fn [size] (pmap (fn [k] (every size string (quot (* 2 worker-memory) 10))) (range 4))) sizes))) (range 8)))`},
}

// prelude returns the definitions for scatterers under the caps.
func prelude(memory, workerMemory int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "(def memory %d) (def worker-memory %d)\n%s", memory, workerMemory, scatterLib)
	b.WriteString(`(def digits (apply str (repeat 4000 "7")))` + "\n(def closures [")
	for n := range 20 { // with n captured values
		b.WriteString("(fn [_] (let [")
		for i := range n {
			fmt.Fprintf(&b, "a%d (str %d) ", i, i)
		}
		b.WriteString("] (fn [] [")
		for i := range n {
			fmt.Fprintf(&b, "a%d ", i)
		}
		b.WriteString("])))")
	}
	b.WriteString("])\n")
	return b.String()
}

// hostHeap is the memory that Go's heap may hold in addition to 4 times the caps: the heap size of
// the first collection (4 MB), the spans that each processor has begun in each class, and the
// machines.
const hostHeap = 8 << 20

// extent records the size of the heap.
type extent struct {
	mu               sync.Mutex
	every, next, sum int64
	peak, after      int64 // maximum of all samples; of samples after a collection
	marks            int
	held, loose      int64 // maxima at marks: of the bound, and of bytes of unknown class
}

func (x *extent) watch(m *limits.Meter, n int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sum += n; x.sum >= x.next {
		x.next = x.sum + x.every
		x.peak = max(x.peak, heapInuse())
	}
}

func (x *extent) mark(m *limits.Meter, loose int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.note(m, loose)
	if x.marks < 20 || x.marks%16 == 0 {
		x.collected()
	}
}

func (x *extent) note(m *limits.Meter, loose int64) {
	x.marks++
	x.held = max(x.held, m.Fragmentation())
	x.loose = max(x.loose, loose)
}

func (x *extent) collected() {
	runtime.GC()
	x.after = max(x.after, heapInuse())
}

func heapInuse() int64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapInuse)
}

// Without the bound, the heap held 10.6 caps of 16 MB here, and 12.3 of 1 MB.
func TestHeapIsNotScattered(t *testing.T) {
	// One of this many programs runs under each cap, another one under the next cap.
	caps, sample := []int64{1, 4}, 3
	if *thorough {
		caps, sample = []int64{1, 4, 16, 64}, 1
	}
	for k, mb := range caps {
		for _, workers := range []int{1, 8} {
			t.Run(fmt.Sprintf("%dMB, %d workers", mb, workers), func(t *testing.T) {
				table := fmt.Sprintf("%-30s %6s %6s %6s %6s %6s %7s  %s", "program", "peak", "after", "bound", "loose", "marks",
					"time", "outcome")
				for i, s := range scatterers {
					if i%sample != k%sample {
						continue
					}
					if workers == 1 || strings.Contains(s.name, "worker") {
						t.Run(s.name, func(t *testing.T) { table += s.run(t, mb<<20, workers) })
					}
				}
				t.Log(table)
			})
		}
	}
}

func (s scatterer) compiled(t *testing.T, memory int64, workers int) *ptc.Program {
	t.Helper()
	prog, err := ptc.Compile(context.Background(), s.name, prelude(memory, memory)+s.source, ptc.Options{
		Limits: ptc.Limits{Memory: memory, WorkerMemory: memory, Workers: workers, Steps: 1 << 40, Timeout: 2 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// run runs the program under caps of memory bytes and returns a row of the table.
func (s scatterer) run(t *testing.T, memory int64, workers int) string {
	t.Helper()
	prog := s.compiled(t, memory, workers)
	caps := memory
	if strings.Contains(s.name, "worker") {
		caps += int64(workers) * memory
	}
	runtime.GC()
	base := heapInuse()
	// The command sets the same limit.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(base + caps + caps/3 + 32<<20))
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	x := &extent{every: memory / 4}
	limits.Probe, limits.ProbeMark = x.watch, x.mark
	began := time.Now()
	_, err := prog.Run(context.Background(), quiet)
	limits.Probe, limits.ProbeMark = nil, nil
	took := time.Since(began)
	if most := base + 4*caps + hostHeap; max(x.peak, x.after) > most {
		t.Errorf("the heap held %d KB, %.1f caps; it may hold %d KB", x.peak>>10, float64(x.peak-base)/float64(caps),
			most>>10)
	}
	in := func(n int64) float64 { return float64(n) / float64(caps) }
	return fmt.Sprintf("\n%-30s %6.2f %6.2f %6.2f %6.2f %6d %7.1f  %s %.80v", s.name, in(x.peak-base), in(x.after-base),
		in(x.held), in(x.loose), x.marks, took.Seconds(), outcome(err), err)
}

// Programs that do not intend to scatter are not mistaken for scatterers, under caps of any size.
// The account of a large one goes through the same cycles as that of a small one.
func TestHonestProgramsAreNotScattered(t *testing.T) {
	programs := slices.Clone(honest)
	for i, p := range corpus {
		if !p.slow && (*thorough || i%24 == 0) {
			programs = append(programs, p)
		}
	}
	for i, f := range fairPrograms {
		if *thorough || i%12 == 0 {
			programs = append(programs, f.times(1))
		}
	}
	for _, memory := range []int64{limits.MinMemory, 4 << 20} {
		t.Run(fmt.Sprintf("%dKB", memory>>10), func(t *testing.T) {
			table := fmt.Sprintf("%-34s %6s %6s %6s", "program", "bound", "loose", "marks")
			for _, p := range programs {
				t.Run(p.name, func(t *testing.T) { table += notScattered(t, p, memory) })
			}
			t.Log(table)
		})
	}
}

func notScattered(t *testing.T, p program, memory int64) string {
	x := &extent{}
	limits.ProbeMark = x.note
	_, err := compiled(t, p, memory).Run(context.Background(), quiet)
	limits.ProbeMark = nil
	if err != nil && strings.Contains(err.Error(), "fragmentation") {
		t.Error(err)
	}
	return fmt.Sprintf("\n%-34s %6.2f %6.2f %6d", p.name, float64(x.held)/float64(memory),
		float64(x.loose)/float64(memory), x.marks)
}

// honest are programs that hold many values of many classes for long while they make garbage.
var honest = []program{
	{name: "a large map that is updated", source: `(let [m (zipmap (range 7000) (map str (range)))] (loop [i 0 m m] (if (< i 100000) (recur (inc i) (assoc m (mod (* i 7919) 7000) (str i))) (count m))))`, want: fair},
	{name: "records that are updated", source: `(let [v (mapv (fn [i] {:id i :name (str "name " i) :tags [(str i) (keyword (str "k" i))] :ratio (/ i 7) :big (* i 100000000000000000000N)}) (range 1000))]
		(loop [i 0 v v] (if (< i 50000) (recur (inc i) (update v (mod i 1000) assoc :name (str "other name " i) :seen i)) (count v))))`, want: fair},
	{name: "words counted", source: `(loop [i 0 m {}] (if (< i 60000) (recur (inc i) (update m (str "word" (mod (* i i) 4001)) (fnil inc 0))) (count m)))`, want: fair},
	{name: "logs filtered", source: `(count (reduce (fn [kept i] (let [line (str "2024-01-01 host" (mod i 17) " GET /path/" i " " (apply str (repeat (mod (* i 31) 200) "x")))] (if (re-find #"host3 .*7 " line) (conj kept line) kept))) [] (range 20000)))`, want: fair},
	{name: "one stage after another", source: `(let [a (mapv str (range 20000)) a (into [] (take-nth 20) a) b (zipmap (range 10000) a) b (into {} (take 500) b)
		c (mapv (fn [i] [i (str i)]) (range 20000)) c (into [] (take-nth 20) c) d (group-by (fn [i] (mod i 100)) (range 20000)) d (get d 7)
		e (json/parse (json/write (mapv (fn [i] {:a i :b (str i) :c [i]}) (range 3000)))) e (into [] (take-nth 10) e)
		f (frequencies (map (fn [i] (str (mod i 3000))) (range 30000)))] (count [a b c d e f]))`, want: fair},
	{name: "sorted and grouped", source: `(dotimes [k 20] (->> (range 5000) (map (fn [i] {:k (mod (* i 7) 50) :v (str i)})) (sort-by :v) (group-by :k) (map (fn [[k vs]] [k (count vs)])) (into (sorted-map))))`, want: fair},
	{name: "a queue of records", source: `(loop [i 0 q clojure.lang.PersistentQueue/EMPTY] (if (< i 100000) (recur (inc i) (let [q (conj q {:i i :s (str i)})] (if (> (count q) 1000) (pop q) q))) (count q)))`, want: fair},
	{name: "memory of all sizes", source: `(loop [i 0 m {}] (if (< i 100000) (recur (inc i) (assoc m (mod i 400) (subs "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" 0 (mod (* i 13) 140)))) (count m)))`, want: fair},
	{name: "a ratio that grows", source: `(loop [x 1/3 acc ()] (recur (* x 3/7) (conj acc x)))`, want: full},
	{name: "a sum of ratios", source: `(loop [i 1 x 0 acc ()] (recur (inc i) (+ x (/ 1 i)) (conj acc x)))`, want: full},
	{name: "quotients that grow", source: `(loop [a 1N b 1N acc ()] (recur b (+ a b) (conj acc (/ a b))))`, want: full},
	{name: "factorials", source: `(loop [i 1N x 1N acc ()] (recur (inc i) (* x i) (conj acc x)))`, want: full},
	{name: "divisions", source: `(loop [x 3N acc ()] (recur (* x 1000000007) (conj acc [(quot x 7) (rem x 7)])))`, want: full},
	{name: "long divisions", source: `(loop [x 1N acc []] (recur (* x 3) (conj acc (mod x 1000000007000000000000000000N))))`, want: full},
	{name: "decimals that grow", source: `(loop [x 1.5M acc ()] (recur (* x 1.5M) (conj acc x)))`, want: full},
	{name: "negated numbers", source: `(loop [x 1N acc ()] (recur (* x 3) (conj acc (- x))))`, want: full},
	{name: "long strings", source: `(loop [i 0 acc ()] (recur (inc i) (conj acc (apply str (repeat 500 (str "a long string, of number " (+ 1000000 i) "a long string of 80 characters"))))))`, want: full},
	{name: "numbers of all sizes", source: `(loop [i 0 m {}] (if (< i 60000) (recur (inc i) (assoc m (mod i 400) (reduce *' (repeat (mod i 12) 1234567890123)))) (count m)))`, want: fair},
}

var repeats = flag.Int("scatter-repeats", 2,
	"how often each scattering program is run under each setting")

// The end of a run depends on the program and its limits alone, not on the times of Go's
// collections or the number of workers.
func TestScatteredRunsAreDeterministic(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	percents := []int{10, -1}
	if *thorough {
		percents = []int{10, 100, 1000, -1}
	}
	for _, s := range scatterers {
		if !slices.Contains([]string{"strings", "results of workers", "results of workers at once", "exceptions of workers"},
			s.name) {
			continue
		}
		want := ""
		for _, percent := range percents {
			debug.SetGCPercent(percent)
			for i := range 2 * *repeats {
				workers := 1 + 7*(i%2)
				_, err := s.compiled(t, 1<<20, workers).Run(context.Background(), quiet)
				if got := fmt.Sprint(err); want == "" {
					want = got
				} else if got != want {
					t.Errorf("%s, GOGC=%d, %d workers:\n got %s\nwant %s", s.name, percent, workers, got, want)
				}
			}
		}
		if !strings.Contains(want, "fragmentation") {
			t.Errorf("%s: got %s, want it to end by fragmentation", s.name, want)
		}
	}
}
