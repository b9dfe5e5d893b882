package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlog"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// records returns the messages of a log so far.
func records(t *testing.T, log *testlog.Buffer) (all []map[string]any) {
	for line := range strings.Lines(log.String()) {
		var r map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		all = append(all, r)
	}
	return all
}

// runWith runs a program with a log of a level.
func runWith(t *testing.T, source string, level slog.Level, o ptc.Options) (*ptc.Result, *testlog.Buffer, error) {
	t.Helper()
	prog, err := ptc.Compile(t.Context(), "p.ptc", source, o)
	require.NoError(t, err)
	log := &testlog.Buffer{}
	handler := slog.NewJSONHandler(log, &slog.HandlerOptions{Level: level})
	res, err := prog.Run(t.Context(), ptc.RunOptions{Log: slog.New(handler)})
	return res, log, err
}

// TestMixedHints has tools of all kinds of guards in one run: each guard holds, and the usage has the totals of each.
func TestMixedHints(t *testing.T) {
	w := newWatch()
	tools := ptctest.Tools(t, w.tool("free"),
		w.tool("update", tool.Hint(effect.Hint{Kind: effect.HostExclusive})),
		tool.New("migrate", "Changes all.", func(context.Context, ptctest.HostArgs) (int, error) {
			w.visit("all", time.Millisecond)
			return 1, nil
		}, tool.Hint(effect.Hint{Kind: effect.GlobalExclusive})),
		tool.New("call", "Calls a service.", func(context.Context, ptctest.HostArgs) (int, error) { return 1, nil },
			tool.Hint(effect.Hint{Kind: effect.RateLimited, PerSecond: 200, Burst: 1})),
		w.tool("two", tool.Concurrency(2)))
	const program = `(count (pmap (fn [i]
	  (case (mod i 5)
	    0 (tool/free {:host "f"}) 1 (tool/update {:host (str "h" (mod i 2))}) 2 (tool/migrate {:host "x"})
	    3 (tool/call {:host "y"}) (tool/two {:host "q"}))) (range 50)))`
	began := time.Now()
	res, _, err := runWith(t, program, slog.LevelError, ptc.Options{Tools: tools, Limits: ptc.Limits{Workers: 16}})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(began), 45*time.Millisecond, "ten tokens of 200 a second")
	assert.Equal(t, 1, w.most["h0"])
	assert.Equal(t, 1, w.most["h1"])
	assert.Equal(t, 1, w.most["all"])
	assert.LessOrEqual(t, w.most["q"], 2)
	taken := map[string]int64{}
	for _, g := range res.Usage.Guards {
		taken[string(g.Kind)+g.Key] = g.Taken
		if g.Kind != effect.WaitToken {
			assert.Positive(t, g.Held, "%+v", g)
		}
		assert.LessOrEqual(t, g.Longest, g.Wait)
	}
	assert.Equal(t, map[string]int64{"hosth0": 5, "hosth1": 5, "global": 10, "tokencall": 10}, taken)
	require.Len(t, res.Usage.Queues, 1)
	q := res.Usage.Queues[0]
	assert.Equal(t, "two", q.Action)
	assert.EqualValues(t, 10, q.Started)
	assert.LessOrEqual(t, q.AtOnce, 2)
	text, err := json.Marshal(res.Envelope(nil, 0))
	require.NoError(t, err)
	assert.Contains(t, string(text), `"guards":[{"kind":`)
	assert.Contains(t, string(text), `"queues":[{"action":"two","started":10`)
}

// TestFIFOOfCalls has calls of many runs arrive at the queue of a tool one after another: they start in the order of
// their arrival, through the policy, the queue and the path of a call.
func TestFIFOOfCalls(t *testing.T) {
	const n = 40
	var mu sync.Mutex
	var order []int
	arrived := make(chan struct{}, n)
	type in struct {
		N int `json:"n"`
	}
	gate := make(chan struct{})
	work := tool.New("work", "Works.", func(_ context.Context, a in) (int, error) {
		if a.N == 0 {
			close(arrived)
			<-gate
		}
		mu.Lock()
		defer mu.Unlock()
		order = append(order, a.N)
		return a.N, nil
	})
	enforcer, err := queue.NewEnforcer(queue.Policies{Actions: map[string]queue.Policy{"work": {Concurrency: 1}}}, nil)
	require.NoError(t, err)
	prog, err := ptc.Compile(t.Context(), "p", "(tool/work {:n data/n})", ptc.Options{Tools: ptctest.Tools(t, work), Queue: enforcer})
	require.NoError(t, err)
	var all sync.WaitGroup
	waiting := func() int { return len(enforcer.Waiters(2 * n)) }
	for i := range n {
		all.Go(func() {
			_, err := prog.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"n": i}})
			assert.NoError(t, err)
		})
		if i == 0 {
			<-arrived
			continue
		}
		require.Eventually(t, func() bool { return waiting() == i }, time.Minute, 100*time.Microsecond)
	}
	close(gate)
	all.Wait()
	assert.True(t, slices.IsSorted(order), "%v", order)
	assert.Len(t, order, n)
}

// TestQueueTimeoutOfACall has a call wait longer than its policy's queue lets it.
func TestQueueTimeoutOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		enforcer, err := queue.NewEnforcer(queue.Policies{}, queue.New(queue.Options{Wait: 20 * time.Millisecond}))
		require.NoError(t, err)
		slow := tool.New("lazy", "Waits.", func(ctx context.Context, _ struct{}) (int, error) {
			select {
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
			return 1, nil
		}, tool.Concurrency(1))
		got := ptctest.Eval(t, `(count (filter (fn [r] (str/includes? (pr-str r) "queue-timeout")) (psettle (fn [_] (tool/lazy)) (range 2))))`,
			ptc.Options{Tools: ptctest.Tools(t, slow), Queue: enforcer})
		assert.Equal(t, "1", got)
	})
}

// TestRunLog: the log of a run has its calls, retries, pauses and workers, by their levels, and no secret.
func TestRunLog(t *testing.T) {
	var tries sync.Map
	flaky := tool.New("shaky", "Fails at first.", func(_ context.Context, in ptctest.HostArgs) (string, error) {
		if _, again := tries.LoadOrStore(in.Host, true); !again {
			return "", &tool.Error{Code: "unavailable", Message: "not now, hunter2-token", Retryable: true}
		}
		return in.Host, nil
	}, tool.ReadOnly(), tool.Credentials("hunter2-token"))
	const program = `(pmap (fn [h] (retry {:times 3 :backoff-ms 1} (tool/shaky {:host h}))) ["a" "b"])`
	for level, want := range map[slog.Level][]string{
		slog.LevelInfo:    {"run begun", "call failed", "run ended"},
		slog.LevelDebug:   {"run begun", "call begun", "call failed", "pause begun", "call ended", "run ended"},
		effect.LevelTrace: {"run begun", "worker begun", "call begun", "call failed", "pause begun", "call ended", "run ended"},
	} {
		tries.Clear()
		_, log, err := runWith(t, program, level, ptc.Options{Tools: ptctest.Tools(t, flaky)})
		require.NoError(t, err)
		var events []string
		run := ""
		for _, r := range records(t, log) {
			event := fmt.Sprint(r["msg"])
			if !slices.Contains(events, event) {
				events = append(events, event)
			}
			require.NotEmpty(t, r["run"], "%v", r)
			require.Contains(t, []any{"", any(run)}, any(run))
			run = fmt.Sprint(r["run"])
			if strings.HasPrefix(event, "call") {
				assert.Equal(t, "shaky", r["tool"])
				assert.Contains(t, []any{"a", "b"}, r["host"])
				assert.Contains(t, r["path"], "0.1.")
			}
		}
		assert.ElementsMatch(t, want, events, "level %v", level)
		assert.Equal(t, want[len(want)-1], events[len(events)-1])
		assert.NotContains(t, log.String(), "hunter2")
	}
}

// TestHintsOfARun: a tool that is declared fully parallel, and is not, is a hint of the usage and a warning of the log.
func TestHintsOfARun(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	apt := tool.New("apt", "Installs.", func(context.Context, ptctest.HostArgs) (int, error) {
		both.Done()
		both.Wait()
		return 0, &tool.Error{Code: "busy", Message: "could not get lock"}
	})
	const program = `(count (psettle (fn [h] (tool/apt {:host h})) ["a" "b"]))`
	res, log, err := runWith(t, program, slog.LevelWarn, ptc.Options{Tools: ptctest.Tools(t, apt)})
	require.NoError(t, err)
	require.Len(t, res.Usage.Hints, 1)
	assert.Contains(t, res.Usage.Hints[0], "tool/apt is declared fully parallel, and 2 calls found something locked or busy")
	assert.Contains(t, log.String(), res.Usage.Hints[0])
}
