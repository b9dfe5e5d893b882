package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// watch counts the concurrent calls of each host.
type watch struct {
	mu   sync.Mutex
	now  map[string]int
	most map[string]int
}

func newWatch() *watch { return &watch{now: map[string]int{}, most: map[string]int{}} }

func (w *watch) visit(host string, d time.Duration) {
	w.mu.Lock()
	w.now[host]++
	w.most[host] = max(w.most[host], w.now[host])
	w.mu.Unlock()
	time.Sleep(d)
	w.mu.Lock()
	w.now[host]--
	w.mu.Unlock()
}

func (w *watch) tool(name string, opts ...tool.Option) *tool.Tool {
	return tool.New(name, "Works on a host.", func(_ context.Context, in ptctest.HostArgs) (string, error) {
		w.visit(in.Host, 2*time.Millisecond)
		return in.Host, nil
	}, opts...)
}

// TestToolGuards has tools whose hints bound their concurrent calls.
func TestToolGuards(t *testing.T) {
	w := newWatch()
	tools := ptctest.Tools(t, w.tool("update", tool.Hint(effect.Hint{Kind: effect.HostExclusive})), w.tool("visit"), w.tool("one", tool.Concurrency(1)))
	program := `(count (pmap (fn [i] (%s {:host (str "h" (mod i 2))})) (range 12)))`
	assert.Equal(t, "12", ptctest.Eval(t, fmt.Sprintf(program, "tool/update"), ptc.Options{Tools: tools}))
	assert.Equal(t, map[string]int{"h0": 1, "h1": 1}, w.most)
	assert.Equal(t, "12", ptctest.Eval(t, fmt.Sprintf(program, "tool/visit"), ptc.Options{Tools: tools}))
	assert.Greater(t, w.most["h0"], 1, "without a hint they overlap")
	clear(w.most)
	ptctest.Eval(t, `(count (pmap (fn [i] (tool/one {:host "x"})) (range 6)))`, ptc.Options{Tools: tools})
	assert.Equal(t, 1, w.most["x"])
	_, err := tool.NewRegistry(tool.New("bad", "", func(context.Context, struct{}) (int, error) { return 0, nil }, tool.Hint(effect.Hint{Kind: effect.HostExclusive})))
	require.ErrorContains(t, err, `tool bad: it is host-exclusive, and the host is its argument "host"`)
}

// TestGuardForms has bodies that exclude each other.
func TestGuardForms(t *testing.T) {
	w := newWatch()
	opts := ptc.Options{Tools: ptctest.Tools(t, w.tool("visit"))}
	ptctest.Eval(t, `(count (pmap (fn [i] (let [h (str "h" (mod i 2))] (host-exclusive h (tool/visit {:host h})))) (range 12)))`, opts)
	assert.Equal(t, map[string]int{"h0": 1, "h1": 1}, w.most)
	ptctest.Eval(t, `(count (pmap (fn [i] (global-exclusive (tool/visit {:host "g"}))) (range 6)))`, opts)
	assert.Equal(t, 1, w.most["g"])
	for _, test := range []struct{ program, want string }{
		{`(try (host-exclusive "a" (throw (ex-info "x" {}))) (catch Exception e (host-exclusive "a" :again)))`, ":again"},
		{`(try (with-limits {:steps 5000} (host-exclusive "a" (loop [] (recur)))) (catch Exception e (host-exclusive "a" :again)))`, ":again"},
		{`(try (with-limits {:ms 20} (host-exclusive "a" (tool/slow) (tool/slow))) (catch Exception e (host-exclusive "a" :again)))`, ":again"},
		{`(psettle (fn [i] (host-exclusive "a" (/ 1 i))) [0 1])`, `({:error {:code :arithmetic, :message "Divide by zero", :index 0}} {:ok 1})`},
		{`(host-exclusive "a" (host-exclusive "b" (global-exclusive :in)))`, ":in"},
		{`(try (host-exclusive "a" (doall (pmap (fn [_] (host-exclusive "a" 1)) [1 2]))) (catch Exception e (.contains (ex-message e) "holds")))`, "true"},
		{`(pany (fn [i] (host-exclusive "a" (if (= i 0) (tool/slow) i))) [1 1 1 1])`, "1"},
		{`(do (host-exclusive "a" (return :early)) 1)`, ":early"},
	} {
		t.Run(test.program, func(t *testing.T) {
			set := guard.NewSet(guard.Options{})
			opts.Guards = set
			assert.Equal(t, test.want, ptctest.Eval(t, test.program, opts))
			assert.Zero(t, set.Stats(1).Held, "all is given back")
		})
	}
}

// TestGuardCycle has two workers that take two hosts in different orders.
func TestGuardCycle(t *testing.T) {
	program := `(defn both [[a b]] (host-exclusive a (Thread/sleep 30) (host-exclusive b :done)))
		(map (fn [r] (or (:ok r) (:code (:error r)))) (psettle both [["a" "b"] ["b" "a"]]))`
	assert.Contains(t, []string{"(:done :guard-cycle)", "(:guard-cycle :done)"}, ptctest.Eval(t, program, ptc.Options{}))
}

// TestGuardsSharedByRuns has runs that exclude each other.
func TestGuardsSharedByRuns(t *testing.T) {
	w := newWatch()
	opts := ptc.Options{Tools: ptctest.Tools(t, w.tool("visit")), Guards: guard.NewSet(guard.Options{})}
	prog, err := ptc.Compile(context.Background(), "p.ptc", `(host-exclusive "h" (tool/visit {:host "h"}))`, opts)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			_, err := prog.Run(context.Background(), ptc.RunOptions{})
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	assert.Equal(t, 1, w.most["h"])
}

func TestRetry(t *testing.T) {
	assert.Equal(t, `"done"`, ptctest.Eval(t, `(retry {:times 3 :backoff-ms 1} (tool/flaky))`, ptc.Options{Tools: ptctest.Tools(t)}))
	assert.Equal(t, `:unavailable`, ptctest.Eval(t, `(try (retry {:times 2 :backoff-ms 1} (tool/flaky)) (catch Exception e (:code (ex-data e))))`, ptc.Options{Tools: ptctest.Tools(t)}))
	assert.Equal(t, `[1 :no-url]`, ptctest.Eval(t, `(def n (atom 0))
		(try (retry {:times 5 :backoff-ms 1} (swap! n inc) (tool/fetch "")) (catch Exception e [@n (:code (ex-data e))]))`, ptc.Options{Tools: ptctest.Tools(t)}))
	assert.Equal(t, `[5 :no-url]`, ptctest.Eval(t, `(def n (atom 0))
		(try (retry {:times 5 :backoff-ms 1 :on #{:no-url}} (swap! n inc) (tool/fetch "")) (catch Exception e [@n (:code (ex-data e))]))`, ptc.Options{Tools: ptctest.Tools(t)}))
	var calls atomic.Int32
	later := tool.New("later", "", func(context.Context, struct{}) (int, error) {
		if calls.Add(1) == 1 {
			return 0, &tool.Error{Code: "busy", RetryAfter: 40 * time.Millisecond}
		}
		return 7, nil
	}, tool.Hint(effect.Hint{Kind: effect.RateLimited, Key: "later", PerSecond: 1000, Burst: 10}))
	began := time.Now()
	assert.Equal(t, `7`, ptctest.Eval(t, `(retry {:backoff-ms 1} (tool/later))`, ptc.Options{Tools: ptctest.Tools(t, later)}))
	assert.GreaterOrEqual(t, time.Since(began), 40*time.Millisecond)
}

// TestPolicies has calls that an operator's policy bounds.
func TestPolicies(t *testing.T) {
	policies := queue.Policies{Actions: map[string]queue.Policy{"fetch": {Quota: queue.Quota{Calls: 3, Window: time.Hour}}}}
	enforcer, err := queue.NewEnforcer(policies, queue.New(queue.Options{}))
	require.NoError(t, err)
	_, err = ptc.Run(context.Background(), `(mapv tool/fetch ["a" "b" "c" "d"])`, ptc.Options{Tools: ptctest.Tools(t), Queue: enforcer})
	var e *ptc.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, diag.PolicyViolation, e.Code)
	assert.Contains(t, e.Message, "tool/fetch: the quota of the policy for action fetch is used up (3 calls in 1h)")
}

// journalled is a program with effects of all kinds.
const journalled = `
	(println "begin" (pos? (System/currentTimeMillis)))
	(def pages (pmap (fn [i] (Thread/sleep 1) (host-exclusive (str "h" (mod i 3)) [(:body (tool/fetch (str "u" i))) (rand-int 1000)])) (range 20)))
	(def fastest (pany (fn [i] (Thread/sleep (* i 3)) (:body (tool/fetch (str "v" i)))) [3 0 2]))
	(def failures (mapv (comp :code :data :error) (psettle tool/fetch ["" "a" ""])))
	(def late (mapv (fn [_] (try (with-limits {:ms 15} (first (pmap (fn [_] (try (tool/hang) (catch Exception e :inside))) [1])))
	                             (catch Exception e (ex-message e)))) [1 2]))
	(def slow (try (with-limits {:ms 60000} (with-limits {:ms 10} (tool/hang))) (catch Exception e (ex-message e))))
	(println (count pages) failures late slow)
	[fastest failures pages (System/nanoTime) (rand) (hedge 5 (fn [] (:status (tool/fetch "h"))))]`

// TestReplay runs a program again from its journal: nothing happens, and the bytes are the
// same.
func TestReplay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.journal")
	hang := tool.New("hang", "Waits.", func(ctx context.Context, _ struct{}) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	})
	opts := ptc.Options{Tools: ptctest.Tools(t, hang, ptctest.Clock())}
	j, err := journal.Create(path, journal.Header{Program: "p.ptc", Source: journalled, Seed: 42}, journal.Options{})
	require.NoError(t, err)
	prog, err := ptc.Compile(context.Background(), "p.ptc", journalled, opts)
	require.NoError(t, err)
	first, err := prog.Run(context.Background(), ptc.RunOptions{Journal: j})
	require.NoError(t, err)
	require.NoError(t, j.Close())
	assert.GreaterOrEqual(t, len(first.Calls), 25)
	assert.True(t, slices.ContainsFunc(first.Calls, func(c journal.Entry) bool { return c.Worker > 1 }), "calls by more than one worker")
	assert.True(t, slices.ContainsFunc(first.Calls, func(c journal.Entry) bool { return c.Worker == 0 }), "calls by the main evaluation")
	want, err := first.EDN()
	require.NoError(t, err)

	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	forbidden := tool.New("fetch", "Fetches a page.", func(context.Context, ptctest.FetchArgs) (ptctest.Page, error) {
		t.Error("a replay calls a tool")
		return ptctest.Page{}, nil
	}, tool.ReadOnly())
	only, err := tool.NewRegistry(forbidden, hang, ptctest.Clock())
	require.NoError(t, err)
	for range 20 {
		prog, err := ptc.Compile(context.Background(), "p.ptc", journalled, ptc.Options{Tools: only})
		require.NoError(t, err)
		again, err := prog.Run(context.Background(), ptc.RunOptions{Journal: journal.Replay(rec)})
		require.NoError(t, err)
		got, err := again.EDN()
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Equal(t, first.Prints, again.Prints)
		assert.Zero(t, again.Usage.Calls)
		assert.Empty(t, again.Usage.Tools)
	}
	other, err := ptc.Compile(context.Background(), "p.ptc", `(println "begin" true) (tool/fetch "other")`, ptc.Options{Tools: only})
	require.NoError(t, err)
	_, err = other.Run(context.Background(), ptc.RunOptions{Journal: journal.Replay(rec)})
	var e *ptc.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, diag.Diverged, e.Code)
}

// TestQueueAndGuards has an evaluation that holds a host and wants a place in a queue, and
// one that could have the place while it waits for the host.
func TestQueueAndGuards(t *testing.T) {
	w := newWatch()
	tools := ptctest.Tools(t, w.tool("visit"), w.tool("update", tool.Hint(effect.Hint{Kind: effect.HostExclusive}), tool.Concurrency(1)))
	assert.Equal(t, `("b" "a")`, ptctest.Eval(t, `
		(pcalls (fn [] (host-exclusive "a" (tool/visit {:host "a"}) (tool/visit {:host "a"}) (tool/update {:host "b"})))
		        (fn [] (tool/visit {:host "c"}) (tool/update {:host "a"})))`, ptc.Options{Tools: tools, Limits: ptc.Limits{Timeout: 20 * time.Second}}))
}

// TestGuardOfACallIsBack has an evaluation take a host itself as soon as a call of a tool
// that has had it is over.
func TestGuardOfACallIsBack(t *testing.T) {
	touch := tool.New("touch", "Works on a host.", func(context.Context, ptctest.HostArgs) (int, error) { return 1, nil },
		tool.Hint(effect.Hint{Kind: effect.HostExclusive}))
	reg, err := tool.NewRegistry(touch)
	require.NoError(t, err)
	calls := 12_500
	if testlevel.Small() {
		calls = 1_250
	}
	assert.Equal(t, fmt.Sprint(4*calls), ptctest.Eval(t, fmt.Sprintf(`
		(reduce + (pmap (fn [i] (let [host (str "h" i)]
		                          (reduce (fn [n _] (tool/touch host) (host-exclusive host (inc n))) 0 (range %d))))
		                (range 4)))`, calls),
		ptc.Options{Tools: reg, Limits: ptc.Limits{Calls: 100_000, ToolCalls: 100_000}}))
}

// TestGuardOfAnAbandonedCall has a tool that does not heed its context and so keeps its
// host beyond its time: the evaluation that has left it is told so, and may try again.
func TestGuardOfAnAbandonedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		let := make(chan struct{})
		stuck := tool.New("stuck", "Works on a host.", func(context.Context, ptctest.HostArgs) (int, error) {
			if calls.Add(1) == 1 {
				<-let
			}
			return 7, nil
		}, tool.Hint(effect.Hint{Kind: effect.HostExclusive}), tool.Timeout(20*time.Millisecond))
		free := tool.New("free", "Ends the call.", func(context.Context, struct{}) (int, error) {
			close(let)
			return 0, nil
		})
		program := `
		(defn outcome [f] (try (f) (catch Exception e [(:code (ex-data e)) (:retryable? (ex-data e)) (ex-message e)])))
		(def late (outcome #(tool/stuck "a")))
		(def called (outcome #(tool/stuck "a")))
		(def taken (outcome #(host-exclusive "a" 1)))
		(def below (outcome #(first (pmap (fn [h] (host-exclusive h 1)) ["a"]))))
		(def other (host-exclusive "b" 2))
		(tool/free)
		[(first late) (take 2 called) (take 2 taken) (take 2 below) other (last called) (last taken)
		 (retry {:times 50 :backoff-ms 1} (tool/stuck "a")) (retry {:times 50 :backoff-ms 1} (host-exclusive "a" 3))]`
		res := ptctest.Eval(t, program, ptc.Options{Tools: ptctest.Tools(t, stuck, free)})
		assert.Regexp(t, `^\[:timeout \(:guard-busy true\) \(:guard-busy true\) \(:guard-busy true\) 2 `+
			`"tool/stuck: host \\"a\\": the call 0#1 of tool/stuck still has it, and was abandoned [0-9.]+[mµ]?s ago, when it did not end in time" `+
			`"host \\"a\\": the call 0#1 of tool/stuck still has it, and was abandoned [0-9.]+[mµ]?s ago, when it did not end in time" 7 3\]$`, res)
	})
}
