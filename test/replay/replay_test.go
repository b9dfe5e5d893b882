package replay

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// recordRun runs a program with a journal in a file, and returns its outcome and the recording.
func recordRun(t *testing.T, source string, opts ptc.Options) (string, *journal.Recording) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.journal")
	j, err := journal.Create(path, journal.Header{Program: "p.ptc", Source: source, Seed: 42}, journal.Options{})
	require.NoError(t, err)
	text := runOn(t, source, opts, j)
	require.NoError(t, j.Close())
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	return text, rec
}

func runOn(t *testing.T, source string, opts ptc.Options, j *journal.Journal) string {
	t.Helper()
	prog, err := ptc.Compile(context.Background(), "p.ptc", source, opts)
	for errors.Is(err, &ptc.Error{Code: "timeout"}) { // the machine was busy
		prog, err = ptc.Compile(context.Background(), "p.ptc", source, opts)
	}
	require.NoError(t, err)
	return ptctest.Outcome(prog.Run(context.Background(), ptc.RunOptions{Journal: j}))
}

// TestReplayOfChance has programs whose values depend on timing: the journal has the choices.
func TestReplayOfChance(t *testing.T) {
	few := tool.New("few", "May be called three times.", func(_ context.Context, in struct {
		N int `json:"n"`
	}) (int, error) {
		return in.N, nil
	}, tool.MaxCalls(3))
	for _, test := range []struct{ name, program string }{
		{"which calls were too many", `(mapv :ok (psettle (fn [i] (try (tool/few i) (catch Exception e :refused))) (range 8)))`},
		{"elements above the one that failed", `(try (pmap (fn [i] (if (= i 0) (do (reduce + (range 100000)) (throw (ex-info "first" {}))) (do (Thread/sleep 200) (tool/fetch (str i))))) (range 9))
			(catch Exception e (ex-message e)))`},
		{"a pause that was cut", `(try (with-limits {:ms 20} (Thread/sleep 5000)) (catch Exception e (ex-message e)))`},
		{"pauses that were cut in workers", `(try (with-limits {:ms 20} (pmap (fn [i] (Thread/sleep 5000)) (range 4))) (catch Exception e (ex-message e)))`},
		{"a guard that came too late", `(pmap (fn [i] (if (= i 0) (host-exclusive "a" (Thread/sleep 500))
				(do (Thread/sleep 100) (try (with-limits {:ms 20} (host-exclusive "a" i)) (catch Exception e (ex-message e)))))) (range 4))`},
		{"how far a computation got in its time", `(let [n (atom 0)] (try (with-limits {:ms 5} (loop [] (swap! n inc) (recur))) (catch Exception e [@n (ex-message e)])))`},
		{"how far a builtin got in its time", `(let [n (atom 0)] (try (with-limits {:ms 20} (loop [] (swap! n inc) (sort (shuffle (range 5000))) (recur))) (catch Exception e [@n (rand-int 1000)])))`},
		{"how much was compiled in its time", `(let [n (atom 0)] (try (with-limits {:ms 20} (loop [] (swap! n inc) (eval (list '+ @n 1)) (recur))) (catch Exception e @n)))`},
		{"which of two scopes had no time left", `(try (with-limits {:ms 20} (try (with-limits {:ms 19} (loop [] (recur))) (catch Exception e [:inner (ex-message e)]))) (catch Exception e [:outer (ex-message e)]))`},
		{"which element had the last call", `(try (with-limits {:calls 3} (pmap (fn [i] (println i) (tool/count (str i)) (tool/count "b")) (range 6))) (catch Exception e (ex-message e)))`},
		{"which element had the last step", `(try (with-limits {:steps 20000} (pmap (fn [i] (println i) (reduce + (range 9000))) (range 6))) (catch Exception e (ex-message e)))`},
		{"what is left", `[(limits) (do (reduce + (range 1000)) (pmap (fn [i] (limits)) (range 3)))]`},
		{"operations that found no slot", `(let [deep (fn deep [n] (try (pmap (fn [i] (Thread/sleep 1) (if (= n 0) i (deep (dec n)))) (range 3)) (catch Exception e (ex-message e))))] (deep 3))`},
		{"a pany of which all fail", `(try (pany (fn [i] (println i) (throw (ex-info (str i) {}))) (range 4)) (catch Exception e (ex-message e)))`},
		{"results of a choice that did not fit", `(try (with-limits {:bytes 7000} (pquorum 3 (fn [x] (throw (ex-info "thrown" {:random (rand-int 10)}))) (range 4))) (catch Exception e (ex-message e)))`},
		{"results of winners that did not fit", `(try (with-limits {:bytes 9000} (pany (fn [x] (vec (range (rand-int 900)))) (range 4))) (catch Exception e (ex-message e)))`},
		{"an early end beside a winner", `(pquorum 2 (fn [i] (if (= i 0) (do (Thread/sleep 2) (return :early)) (do (tool/count "a") i))) (range 4))`},
		{"a stop above a failure", `(try (with-limits {:ms 10} (pmap (fn [i] (case i 0 (Thread/sleep 1000) 1 (throw (ex-info "one" {})) (loop [] (recur)))) (range 3))) (catch Exception e (ex-message e)))`},
	} {
		t.Run(test.name, func(t *testing.T) {
			opts := ptc.Options{Tools: ptctest.Tools(t, few)}
			want, rec := recordRun(t, test.program, opts)
			for _, workers := range []int{8, 2, 8, 1, 8} {
				opts.Limits.Workers = workers
				assert.Equal(t, want, runOn(t, test.program, opts, journal.Replay(rec)), "%d workers", workers)
			}
		})
	}
}

// TestMemoryOfFailures: failed calls take as much memory in a replay, which has no errors of Go, as in the run.
func TestMemoryOfFailures(t *testing.T) {
	broken := tool.New("broken", "Fails.", func(context.Context, struct{}) (int, error) { return 0, errors.New("it is broken") })
	reg, err := tool.NewRegistry(broken)
	require.NoError(t, err)
	source := `(let [es (mapv (fn [_] (try (tool/broken) (catch Exception e e))) (range 300))]
		[(try (with-limits {:bytes 1000} (vec (range 10000))) (catch Exception e (ex-message e))) (count es)])`
	opts := ptc.Options{Tools: reg}
	text, rec := recordRun(t, source, opts)
	require.Contains(t, text, "it may hold")
	require.Equal(t, text, runOn(t, source, opts, journal.Replay(rec)))
}

// TestReplayOfQueuedStop: a run whose time ends while a call waits in a queue, and so has not begun, ends there in a
// replay.
func TestReplayOfQueuedStop(t *testing.T) {
	queues, err := queue.NewEnforcer(queue.Policies{}, queue.New(queue.Options{}))
	require.NoError(t, err)
	other := &effect.Execution{Name: "of another run", Most: 1}
	_, err = queues.Action("single").Start(t.Context(), other)
	require.NoError(t, err)
	single := tool.New("single", "Is called by one run.", func(context.Context, struct{}) (int, error) { return 0, nil }, tool.Concurrency(1))
	reg, err := tool.NewRegistry(single)
	require.NoError(t, err)
	opts := ptc.Options{Tools: reg, Queue: queues, Limits: ptc.Limits{Timeout: 50 * time.Millisecond}}
	text, rec := recordRun(t, `(println "before") [(tool/single) (println "after")]`, opts)
	require.Contains(t, text, "timeout")
	require.Equal(t, text, runOn(t, rec.Header.Source, opts, journal.Replay(rec)))
}

// TestReplayOfStoppedRun replays runs that a bound has ended: with the same error, at the
// same place. An operation that it ended is not run again: only the run has the lines of its elements,
// which are numbers.
func TestReplayOfStoppedRun(t *testing.T) {
	for _, test := range []struct {
		name, program string
		limits        ptc.Limits
	}{
		{"in a computation", `(defn f [n] (if (= n 0) 0 (recur (dec n)))) (println :begun) (loop [] (f 7) (f 9) (recur))`, ptc.Limits{Timeout: 20 * time.Millisecond}},
		{"in an operation", `(println :begun) (pmap (fn [i] (println i) (loop [] (recur))) (range 4))`, ptc.Limits{Timeout: 20 * time.Millisecond}},
		{"in a pause", `(println :begun) (Thread/sleep 5000)`, ptc.Limits{Timeout: 20 * time.Millisecond}},
		{"in a call", `(println :begun) (tool/late "x")`, ptc.Limits{Timeout: 20 * time.Millisecond}},
		{"in a guard", `(println :begun) (pmap (fn [_] (host-exclusive "a" (Thread/sleep 5000))) (range 2))`, ptc.Limits{Timeout: 20 * time.Millisecond}},
		{"by steps in workers", `(println :begun) (pmap (fn [i] (println i) (reduce + (range 9000))) (range 8))`, ptc.Limits{Steps: 20000}},
		{"by calls in workers", `(println :begun) (pmap (fn [i] (tool/count (str i)) (tool/count "b")) (range 8))`, ptc.Limits{Calls: 5}},
	} {
		t.Run(test.name, func(t *testing.T) {
			opts := ptc.Options{Tools: ptctest.Tools(t, tool.New("late", "Waits for its context.", func(ctx context.Context, _ ptctest.HostArgs) (int, error) {
				<-ctx.Done()
				return 0, ctx.Err()
			})), Limits: test.limits}
			want, rec := recordRun(t, test.program, opts)
			require.Nil(t, rec.Final, want)
			require.NotNil(t, rec.Stopped, want)
			want = regexp.MustCompile(`(?m)^\d\n`).ReplaceAllString(want, "")
			for range 3 {
				assert.Equal(t, want, runOn(t, test.program, opts, journal.Replay(rec)))
			}
		})
	}
}

// TestNoTimeWhileCompiling has macros that ask for the time.
func TestNoTimeWhileCompiling(t *testing.T) {
	for _, of := range []string{"(System/nanoTime)", "(limits)", "(with-limits {:ms 5} 1)"} {
		_, err := ptc.Compile(context.Background(), "p.ptc", "(defmacro now [] "+of+") (now)", ptc.Options{})
		require.ErrorContains(t, err, "no time while a program is compiled", of)
		assert.Contains(t, ptctest.Eval(t, "(try (eval '(do (defmacro now [] "+of+") (now))) (catch Exception e (ex-message e)))", ptc.Options{}), "no time", of)
	}
}

// TestToolEndsGoroutine has a tool that ends the goroutine of its call.
func TestToolEndsGoroutine(t *testing.T) {
	exit := tool.New("exit", "Ends its goroutine.", func(context.Context, ptctest.HostArgs) (int, error) {
		runtime.Goexit()
		return 0, nil
	}, tool.Hint(effect.Hint{Kind: effect.HostExclusive}), tool.Concurrency(1))
	assert.Equal(t, "[:panic :panic]", ptctest.Eval(t, `(mapv (fn [_] (try (tool/exit "a") (catch Exception e (:code (ex-data e))))) [1 2])`,
		ptc.Options{Tools: ptctest.Tools(t, exit)}))
}
