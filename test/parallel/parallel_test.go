package parallel

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// program writes a random program that calls pm, which is pmap or map, on functions
// that compute, throw, print, allocate, nest, and return lazy sequences and functions.
type program struct{ r *rand.Rand }

func (p *program) pick(of ...string) string { return of[p.r.IntN(len(of))] }

// expr returns an expression of x.
func (p *program) expr(depth int) string {
	if depth == 0 {
		return p.pick("x", "1", "(inc x)", "(* x x)", `(str "e" x)`, "[x x]", "{:k x}", "nil", "(keyword (str x))", "(mod x 7)")
	}
	e := func() string { return p.expr(depth - 1) }
	switch p.r.IntN(14) {
	case 0:
		return fmt.Sprintf("(if (even? x) %s %s)", e(), e())
	case 1:
		return fmt.Sprintf("(do (println :at x) %s)", e())
	case 2:
		return fmt.Sprintf("(if (= x %d) (throw (ex-info \"thrown\" {:x x})) %s)", p.r.IntN(40), e())
	case 3:
		return fmt.Sprintf("(pm (fn [x] %s) (range (mod x 9)))", e())
	case 4:
		return fmt.Sprintf("(try %s (catch Exception e [(ex-message e) (ex-data e)]))", e())
	case 5:
		return fmt.Sprintf("(map (fn [x] %s) (range 3))", p.expr(0))
	case 6:
		return fmt.Sprintf("(reduce conj [] (range (mod x %d)))", 1+p.r.IntN(50))
	case 7:
		return fmt.Sprintf("(let [x (mod (+ x %d) 11)] %s)", p.r.IntN(5), e())
	case 8:
		return fmt.Sprintf("(quot x (- x %d))", p.r.IntN(60))
	case 9:
		return fmt.Sprintf("(nth shared (mod x 20) %s)", e())
	case 10:
		return fmt.Sprintf("(binding [*d* (+ *d* x)] [*d* %s])", e())
	case 11:
		return "(with-out-str (print x) (pm (fn [x] (print x)) [1 2]))"
	case 12:
		return fmt.Sprintf("(vec (pm (fn [x y] [x y %s]) [x 1 2] (list 3 x)))", e())
	default:
		return fmt.Sprintf("(conj [*d* @later] %s)", e())
	}
}

func (p *program) text() string {
	return fmt.Sprintf(`
(def ^:dynamic *d* 1)
(def shared (map (fn [x] (* 2 x)) (range 15)))
(def later (delay 42))
[(pm (fn [x] %s) (range %d))
 (pm (fn [x y] %s) (range %d) [1 2 3 4])]`, p.expr(3), p.r.IntN(70), p.expr(2), p.r.IntN(6))
}

// deepest is how deep the parallel operations of a random program nest.
const deepest = 4

// TestPmapIsMap: programs have the same outcome with pmap as with map: the same value, the same prints or
// the same error, with any sufficient number of workers.
func TestPmapIsMap(t *testing.T) {
	n := 200
	switch {
	case testlevel.Small():
		n = 60
	case *thorough:
		n = 2000
	}
	for seed := range uint64(n) {
		p := &program{r: rand.New(rand.NewPCG(seed, 3))}
		body := p.text()
		want := outcomeOf("(defn pm [f & colls] (doall (apply map f colls)))"+body, ptc.Options{})
		for _, workers := range []int{deepest, deepest + 1, 64} {
			opts := ptc.Options{Limits: ptc.Limits{Workers: workers}}
			got := outcomeOf("(defn pm [f & colls] (apply pmap f colls))"+body, opts)
			require.Equal(t, want, got, "seed %d, %d workers:\n%s", seed, workers, body)
		}
	}
}

// outcomeOf returns everything that a caller sees of a run.
func outcomeOf(source string, opts ptc.Options) string { return seededOutcome(source, opts, 0) }

// seededOutcome is outcomeOf with a seed.
func seededOutcome(source string, opts ptc.Options, seed uint64) string {
	p, err := ptc.Compile(context.Background(), "program.ptc", source, opts)
	if err != nil {
		return err.Error()
	}
	return ptctest.Outcome(p.Run(context.Background(), ptc.RunOptions{Seed: seed}))
}

func TestParallelErrorTellsElement(t *testing.T) {
	_, err := ptctest.Run(t, `(pmap (fn [x] (if (= x 3) (throw (ex-info "odd one" {:x x})) x)) (range 10))`, ptc.Options{})
	var e *ptc.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "odd one", e.Message)
	require.Len(t, e.Elements, 1)
	require.Equal(t, "pmap", e.Elements[0].Operation)
	require.Equal(t, 3, e.Elements[0].Index)
	require.Equal(t, "3", e.Elements[0].Text)
	require.Equal(t, 10, e.Elements[0].Of)
}

func TestCapacityExceeded(t *testing.T) {
	nested := `(pmap (fn [x] (reduce + (pmap inc (range x)))) [1 2 3])`
	_, err := ptctest.Run(t, nested, ptc.Options{Limits: ptc.Limits{Workers: 1}})
	var e *ptc.Error
	require.ErrorAs(t, err, &e)
	require.EqualValues(t, "parallel-capacity-exceeded", e.Code)
	require.Contains(t, e.Message, "pmap: nested 2 deep, where there are workers for 1")
	res, err := ptctest.Run(t, nested, ptc.Options{Limits: ptc.Limits{Workers: 2}})
	require.NoError(t, err)
	require.EqualValues(t, []any{int64(1), int64(3), int64(6)}, ptctest.ValueOf(res))
}

func TestCancelReachesWorkers(t *testing.T) {
	for _, f := range []string{"(fn [_] (loop [] (recur)))", "(fn [_] (Thread/sleep 100000))", "(fn [_] (sort (range 100000000 0 -1)))",
		"(fn [_] (pmap (fn [_] (loop [] (recur))) [1 2]))"} {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(30*time.Millisecond, cancel)
		_, err := ptc.Run(ctx, "(pmap "+f+" (range 100))", ptc.Options{Limits: ptc.Limits{WorkerMemory: 4 << 30}})
		require.ErrorIs(t, err, &ptc.Error{Code: "cancelled"}, f)
	}
}

func TestBoundsOfTheRunHoldInWorkers(t *testing.T) {
	for source, code := range map[string]string{
		"(pmap (fn [_] (loop [] (recur))) (range 8))":                                   "timeout",
		"(try (pmap (fn [_] (loop [] (recur))) (range 8)) (catch Throwable e 1))":       "timeout",
		"(pmap (fn [_] (Thread/sleep 60000)) (range 8))":                                "timeout",
		"(pmap (fn [_] (vec (range 100000000))) (range 8))":                             "memory-exceeded",
		"(pmap (fn f [x] (inc (f x))) (range 8))":                                       "depth-exceeded",
		"(pmap (fn [x] (vec (range 20000))) (range 1000))":                              "memory-exceeded",
		"(pmap (fn [x] (if (= x 5) (fail \"stop\" x))) (range 1000))":                   "failed",
		"(psettle (fn [x] (fail \"stop\" x)) (range 10))":                               "failed",
		"(pmap (fn [x] (print (apply str (vec (repeat 1000000 \"x\"))))) (range 1000))": "memory-exceeded",
		"(try (pmap (fn [x] (vec (range 20000))) (range 1000)) (catch Throwable e 1))":  "memory-exceeded",
		"(pmap (fn [x] (pmap (fn [y] (vec (range 20000))) (range 1000))) (range 3))":    "memory-exceeded",
	} {
		timeout := 5 * time.Minute
		if code == "timeout" {
			timeout = 300 * time.Millisecond
		}
		_, err := ptctest.Run(t, source, ptc.Options{Limits: ptc.Limits{Timeout: timeout, Memory: 32 << 20,
			WorkerMemory: 8 << 20, Depth: 1000}})
		var e *ptc.Error
		require.ErrorAs(t, err, &e, source)
		require.EqualValues(t, code, e.Code, "%s: %v", source, err)
	}
	_, err := ptctest.Run(t, "(pmap (fn [_] (loop [] (recur))) (range 8))", ptc.Options{Limits: ptc.Limits{Steps: 1_000_000}})
	require.ErrorIs(t, err, &ptc.Error{Code: "steps-exceeded"})
}

func TestUsageOfParallel(t *testing.T) {
	res, err := ptctest.Run(t, `(pmap (fn [x] (Thread/sleep 20) x) (range 10))
(try (pmap (fn [x] (pmap (fn [y] (pmap (fn [z] (pmap (fn [_] (pmap inc [1])) [1])) [1])) [1])) [1]) (catch Exception e (ex-message e)))`,
		ptc.Options{Limits: ptc.Limits{Workers: 4}})
	require.NoError(t, err)
	p := res.Usage.Parallel
	require.EqualValues(t, 5, p.Operations, "one, and four that nest")
	require.EqualValues(t, 10+4, p.Elements)
	require.Zero(t, p.Refused, "which is for those that find no slot")
	require.Equal(t, 10, p.Queued)
	require.Equal(t, 4, p.Peak)
	require.GreaterOrEqual(t, p.Blocked, 1)
	require.LessOrEqual(t, p.Spawned, int64(10))
}

func TestReturnInWorker(t *testing.T) {
	res, err := ptctest.Run(t, "(pmap (fn [x] (if (< 3 x) (return [:found x]) x)) (range 100)) (println :never)", ptc.Options{})
	require.NoError(t, err)
	require.Equal(t, []any{"found", int64(4)}, ptctest.ValueOf(res))
	require.Empty(t, res.Prints)
}

func TestSeedRepeatsParallelRun(t *testing.T) {
	source := "(pmap (fn [x] [(rand-int 1000000) (pmap (fn [_] (rand)) (range 3))]) (range 40))"
	want := seededOutcome(source, ptc.Options{Limits: ptc.Limits{Workers: 2}}, 5)
	other := seededOutcome(source, ptc.Options{}, 6)
	require.NotEqual(t, want, other)
	for range 20 {
		require.Equal(t, want, seededOutcome(source, ptc.Options{}, 5))
	}
}

// TestOneProgramManyParallelRuns runs a program that nests operations from many goroutines concurrently.
func TestOneProgramManyParallelRuns(t *testing.T) {
	prog, err := ptc.Compile(context.Background(), "p", `(def memo (memoize (fn [x] (* x x))))
(let [table (into {} (map (fn [i] [i (str i)]) (range 100))) later (map inc (range 50))]
  (reduce + (pmap (fn [x] (+ (memo x) (count (table (mod x 100))) (nth later (mod x 50)) (reduce + (pmap inc (range (mod x 5)))))) (range 300))))`, ptc.Options{})
	require.NoError(t, err)
	times := 5
	if testlevel.Small() { // for the race detector
		times = 1
	}
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			for range times {
				res, err := prog.Run(context.Background(), ptc.RunOptions{})
				if err != nil || ptctest.ValueOf(res) != int64(8964470) {
					t.Errorf("got %v, %v", ptctest.ValueOf(res), err)
				}
			}
		})
	}
	wg.Wait()
}
