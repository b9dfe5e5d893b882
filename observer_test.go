package ptc_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// seen collects the events that an observer is told, as lines.
type seen struct {
	mu    sync.Mutex
	lines []string
}

func (s *seen) add(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *seen) observer() *effect.Observer {
	return &effect.Observer{
		Operation: func(op effect.Operation) func(diag.Code) {
			s.add("begin %s %s of %d at %s", op.ID, op.Name, op.Elements, op.Place)
			return func(failure diag.Code) { s.add("end %s %q", op.ID, failure) }
		},
		Element: func(e effect.Element) {
			s.add("element %s.%d failed=%t after=%t", e.Operation, e.Index, e.Failed, e.Duration > 0 && !e.Start.IsZero())
		},
		WaitBegun: func(id string, b effect.Begun) { s.add("waits %s %s %q %d", id, b.Kind, b.Key, b.Ahead) },
		Wait:      func(id string, w effect.Wait) { s.add("wait %s %s %q %t", id, w.Kind, w.Key, w.Duration > 0) },
	}
}

// sorted returns the lines, those of elements and waits in the order of their text.
func (s *seen) sorted() []string { return slices.Sorted(slices.Values(s.lines)) }

func TestObserver(t *testing.T) {
	for source, want := range map[string][]string{
		`(+ 1 2)`: nil,
		`(pmap inc [1 2])`: {`begin 0.1 pmap of 2 at p:1:1`, `element 0.1.0 failed=false after=true`,
			`element 0.1.1 failed=false after=true`, `end 0.1 ""`},
		`(try (pmap #(/ 1 %) [1 0]) (catch Exception _ 7))`: {`begin 0.1 pmap of 2 at p:1:6`,
			`element 0.1.0 failed=false after=true`, `element 0.1.1 failed=true after=true`, `end 0.1 "arithmetic"`},
		`(pcalls #(doall (pmap inc [1])))`: {`begin 0.1 pcalls of 1 at p:1:1`, `begin 0.1.0.1 pmap of 1 at p:1:17`,
			`element 0.1.0 failed=false after=true`, `element 0.1.0.1.0 failed=false after=true`, `end 0.1 ""`, `end 0.1.0.1 ""`},
		`(pmap (fn [_] (loop [] (recur))) [1])`: {`begin 0.1 pmap of 1 at p:1:1`, `element 0.1.0 failed=true after=true`,
			`end 0.1 "steps-exceeded"`},
		`(psettle #(/ 1 %) [0])`: {`begin 0.1 psettle of 1 at p:1:1`, `element 0.1.0 failed=true after=true`, `end 0.1 ""`},
	} {
		prog, err := ptc.Compile(t.Context(), "p", source, ptc.Options{Limits: ptc.Limits{Steps: 1_000_000}})
		require.NoError(t, err)
		var s seen
		_, _ = prog.Run(t.Context(), ptc.RunOptions{Observer: s.observer()})
		assert.Equal(t, want, s.sorted(), source)
		var also seen
		_, _ = ptc.NewSession(ptc.Options{Limits: ptc.Limits{Steps: 1_000_000}}).Eval(t.Context(), source,
			ptc.EvalOptions{Name: "p", Observer: s.observer().Also(nil).Also(also.observer())})
		assert.Equal(t, want, also.sorted(), source)
	}
}

// TestObserverOfRefusal: an operation that finds no slot has ended too.
func TestObserverOfRefusal(t *testing.T) {
	prog, err := ptc.Compile(t.Context(), "p", `(pmap (fn [_] (pmap inc [1])) [1])`,
		ptc.Options{Limits: ptc.Limits{Workers: 1}})
	require.NoError(t, err)
	var s seen
	_, err = prog.Run(t.Context(), ptc.RunOptions{Observer: s.observer()})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.CapacityExceeded})
	assert.Contains(t, s.lines, `end 0.1.0.1 "parallel-capacity-exceeded"`)
	assert.Contains(t, s.lines, `end 0.1 "parallel-capacity-exceeded"`)
}

// contended compiles a program. The first call of tool/deploy, which has its host for itself, and of tool/hold, which
// has not, ends for each host when something waits for a host.
func contended(t *testing.T, source string) *ptc.Program {
	guards := guard.NewSet(guard.Options{})
	type args struct {
		Host string `json:"host"`
	}
	var first sync.Map
	hold := func(_ context.Context, in args) (string, error) {
		if _, later := first.LoadOrStore(in.Host, true); !later {
			assert.Eventually(t, func() bool { return guards.Stats(0).Waiting > 0 }, time.Minute, time.Millisecond)
		}
		return in.Host, nil
	}
	login := tool.New("login", "", func(context.Context, struct{}) (struct {
		Token string `json:"token"`
	}, error) {
		return struct {
			Token string `json:"token"`
		}{"hunter2-hunter2"}, nil
	}, tool.Secret("token"))
	tools, err := tool.NewRegistry(tool.New("deploy", "", hold, tool.Hint(effect.Hint{Kind: effect.HostExclusive})),
		tool.New("hold", "", hold), login)
	require.NoError(t, err)
	prog, err := ptc.Compile(t.Context(), "p", source, ptc.Options{Tools: tools, Guards: guards})
	require.NoError(t, err)
	return prog
}

// TestObserverOfWaits: the waits of calls and of bodies are reported with their effects, and their keys without
// secrets.
func TestObserverOfWaits(t *testing.T) {
	prog := contended(t, `
(let [{:keys [token]} (tool/login {})]
  (pmap (fn [_] (tool/deploy {:host token})) (range 2))
  (pmap (fn [_] (host-exclusive "web-1" (tool/hold {:host "web-1"}))) (range 2)))`)
	var s seen
	_, err := prog.Run(t.Context(), ptc.RunOptions{Observer: s.observer()})
	require.NoError(t, err)
	var waits []string
	for _, line := range s.lines {
		if strings.HasPrefix(line, "wait") {
			kind, rest, _ := strings.Cut(line, " ")
			waits = append(waits, kind+" "+rest[:len("0.1.")]+rest[len("0.1.0"):])
		}
	}
	assert.Equal(t, []string{`waits 0.1.#1 host "[secret]" 0`, `wait 0.1.#1 host "[secret]" true`,
		`waits 0.2.#1 host "web-1" 0`, `wait 0.2.#1 host "web-1" true`}, waits)
}

// TestObserverOfPendings: waits for settlements are reported and logged, also if the run is parked.
func TestObserverOfPendings(t *testing.T) {
	write := tool.New("write", "", func(context.Context, struct{}) (int, error) { return 1, nil })
	later := tool.New("later", "", func(context.Context, struct{}) (int, error) { return 0, tool.Pending("job 7") }, tool.Async())
	tools, err := tool.NewRegistry(write, later)
	require.NoError(t, err)
	prog, err := ptc.Compile(t.Context(), "p", `(ask {:question "Go on?"}) (tool/write {}) (tool/later {}) (ask {:question "Really?"})`,
		ptc.Options{Tools: tools, Approve: effect.Approvals{Tools: []string{"write"}}})
	require.NoError(t, err)
	var s seen
	var out bytes.Buffer
	settlements := []effect.Settlement{{ID: "0#1", As: effect.Done}, {ID: "0#2", As: effect.Approve},
		{ID: "0#3", As: effect.Done, Result: []byte("3")}}
	_, err = prog.Run(t.Context(), ptc.RunOptions{Observer: s.observer(),
		Log: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})),
		OnPending: func(context.Context, []effect.Pending) (all []effect.Settlement, err error) {
			if len(settlements) > 0 {
				all, settlements = settlements[:1], settlements[1:]
			}
			return all, nil
		}})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.Parked})
	require.Equal(t, []string{`waits 0#1 question "" 0`, `wait 0#1 question "" true`, `waits 0#2 approval "write" 0`,
		`wait 0#2 approval "write" true`, `waits 0#3 outcome "later" 0`, `wait 0#3 outcome "later" true`,
		`waits 0#4 question "" 0`, `wait 0#4 question "" true`}, s.lines)
	for _, want := range []string{`msg="wait begun" run=`, ` path=0 call=0#2 tool=write for=approval since=`,
		` path=0 call=0#2 tool=write for=approval waited=`, ` path=0 call=0#4 for=question waited=`} {
		require.Contains(t, out.String(), want)
	}
}

// TestObserverPanics: a panic ends the run, and is not the program's.
func TestObserverPanics(t *testing.T) {
	const source = `
(try (pmap tool/deploy ["a" "a"])
     (pmap #(host-exclusive % (tool/hold {:host %})) ["b" "b"])
     (catch Exception e 7))`
	for name, o := range map[string]*effect.Observer{
		"Observer.Operation":       {Operation: func(effect.Operation) func(diag.Code) { panic("no") }},
		"Observer.Operation ended": {Operation: func(effect.Operation) func(diag.Code) { return func(diag.Code) { panic("no") } }},
		"Observer.Element":         {Element: func(effect.Element) { panic("no") }},
		"Observer.WaitBegun":       {WaitBegun: func(string, effect.Begun) { panic("no") }},
		"Observer.Wait":            {Wait: func(string, effect.Wait) { panic("no") }},
		"Observer.Wait of bodies": {Wait: func(id string, _ effect.Wait) {
			if strings.HasPrefix(id, "0.2.") {
				panic("no")
			}
		}},
	} {
		_, err := contended(t, source).Run(t.Context(), ptc.RunOptions{Observer: o})
		require.ErrorIs(t, err, &ptc.Error{Code: diag.HostFailed}, name)
		name, _, _ = strings.Cut(name, " ")
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, err, "panicked: no")
	}
	asks, err := ptc.Compile(t.Context(), "p", `(ask {:question "?"})`, ptc.Options{})
	require.NoError(t, err)
	_, err = asks.Run(t.Context(), ptc.RunOptions{Observer: &effect.Observer{Wait: func(string, effect.Wait) { panic("no") }}})
	require.ErrorContains(t, err, "Observer.Wait panicked: no")
	_, err = contended(t, source).Run(t.Context(), ptc.RunOptions{Observer: &effect.Observer{}})
	require.NoError(t, err)
}

// TestDistributions: a run has those of its elements and workers, and a sequential one has none.
func TestDistributions(t *testing.T) {
	res, err := ptc.Run(t.Context(), `(pmap (fn [i] (Thread/sleep 1) i) (range 10))`, ptc.Options{Limits: ptc.Limits{Workers: 4}})
	require.NoError(t, err)
	p := res.Usage.Parallel
	assert.EqualValues(t, 10, p.Depth.Count)
	assert.EqualValues(t, 10, p.Depth.Max)
	assert.GreaterOrEqual(t, p.Depth.P99, p.Depth.P50)
	assert.LessOrEqual(t, p.Depth.P99, p.Depth.Max)
	assert.Positive(t, p.Depth.P50)
	assert.Positive(t, p.Start.Count)
	assert.Positive(t, p.Start.Max)
	assert.LessOrEqual(t, p.Start.P99, p.Start.Max)
	sum := int64(0)
	for _, n := range p.Start.Buckets {
		sum += n
	}
	assert.Equal(t, p.Start.Count, sum)
	res, err = ptc.Run(t.Context(), `(map inc (range 10))`, ptc.Options{})
	require.NoError(t, err)
	assert.Zero(t, res.Usage.Parallel)
}

// TestProgressGauges reads the gauges while all workers wait.
func TestProgressGauges(t *testing.T) {
	var progress ptc.Progress
	all, release := make(chan struct{}, 3), make(chan struct{})
	wait := tool.New("wait", "", func(context.Context, struct{}) (string, error) {
		all <- struct{}{}
		<-release
		return "password-of-db", nil
	}, tool.SecretResult())
	tools, err := tool.NewRegistry(wait)
	require.NoError(t, err)
	prog, err := ptc.Compile(t.Context(), "p", `(pmap (fn [_] (tool/wait {})) (range 3))`,
		ptc.Options{Tools: tools, Processors: ptc.NewProcessors(2)})
	require.NoError(t, err)
	assert.Empty(t, progress.WithoutSecrets("text"), "nothing runs")
	done := make(chan error, 1)
	go func() {
		_, err := prog.Run(context.Background(), ptc.RunOptions{Progress: &progress,
			Around: func(ctx context.Context, _ effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
				o := next(ctx)
				assert.Equal(t, "got [secret].", progress.WithoutSecrets("got password-of-db."))
				return o
			}})
		done <- err
	}()
	for range 3 {
		<-all
	}
	require.Eventually(t, func() bool { return progress.Now().Blocked >= 3 }, time.Minute, time.Millisecond)
	s := progress.Now()
	assert.Equal(t, ptc.Snapshot{Workers: 3, Calls: 3, Blocked: s.Blocked, Running: s.Running, Idle: 2 - s.Running,
		Steps: s.Steps, Memory: s.Memory, Elapsed: s.Elapsed}, s)
	assert.Positive(t, min(s.Steps, s.Memory, int64(s.Elapsed)))
	assert.LessOrEqual(t, s.Running, 1)
	close(release)
	require.NoError(t, <-done)
	assert.Zero(t, progress.Now())
}

// TestObserverReady: Ready comes after the waits of a call and before its function, which is not called if the context
// has ended by then.
func TestObserverReady(t *testing.T) {
	tools, err := tool.NewRegistry(tool.New("nothing", "", func(context.Context, struct{}) (int, error) {
		t.Error("the call was made")
		return 1, nil
	}))
	require.NoError(t, err)
	prog, err := ptc.Compile(t.Context(), "p", `(tool/nothing {})`, ptc.Options{Tools: tools})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var all []string
	ready := func(_ context.Context, id string) { all = append(all, id) }
	ends := func(ctx context.Context, _ string) {
		cancel()
		<-ctx.Done()
	}
	watches := (&effect.Observer{Ready: ready}).Also(&effect.Observer{}).Also(&effect.Observer{Ready: ends})
	_, err = prog.Run(ctx, ptc.RunOptions{Observer: (&effect.Observer{}).Also(watches)})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []string{"0#1"}, all)
}
