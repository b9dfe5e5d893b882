package serve_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ann = access.Who{Name: "ann", Tenant: "default", Role: access.Submitter}

// gate is a tool that waits until the test lets its calls go.
type gate struct {
	mu    sync.Mutex
	calls []string // the names of the calls that have begun
	begun chan string
	leave chan struct{}
}

type gateArgs struct {
	Name string `json:"name"`
}

func newGate() *gate { return &gate{begun: make(chan string, 1000), leave: make(chan struct{})} }

// tools returns tool/gate.wait, which writes and waits, and tool/gate.note, which writes.
func (g *gate) tools(t *testing.T) *tool.Registry {
	t.Helper()
	note := func(a gateArgs) {
		g.mu.Lock()
		g.calls = append(g.calls, a.Name)
		g.mu.Unlock()
		g.begun <- a.Name
	}
	r := &tool.Registry{}
	require.NoError(t, r.Add(
		tool.New("gate.wait", "Waits.", func(ctx context.Context, a gateArgs) (string, error) {
			note(a)
			select {
			case <-g.leave:
				return a.Name, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}),
		tool.New("gate.note", "Notes.", func(_ context.Context, a gateArgs) (string, error) {
			note(a)
			return a.Name, nil
		})))
	return r
}

func (g *gate) noted() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.calls...)
}

// await returns the name of the next call that begins.
func (g *gate) await(t *testing.T) string {
	t.Helper()
	select {
	case name := <-g.begun:
		return name
	case <-time.After(5 * time.Minute):
		t.Fatal("no call has begun")
		return ""
	}
}

func openStore(t *testing.T, path string) store.Store {
	t.Helper()
	s, err := dir.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// start returns an engine that ends with the test.
func start(t *testing.T, o serve.Options) *serve.Engine {
	t.Helper()
	if o.Store == nil {
		o.Store = openStore(t, t.TempDir())
	}
	e, err := serve.New(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { drain(e) })
	return e
}

// drain ends an engine immediately.
func drain(e *serve.Engine) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return e.Drain(ctx, 0)
}

func submit(t *testing.T, e *serve.Engine, source string) store.Run {
	t.Helper()
	run, created, err := e.Submit(t.Context(), store.Submission{Source: source}, ann)
	require.NoError(t, err)
	require.True(t, created)
	return run
}

func wait(t *testing.T, e *serve.Engine, id string) store.Run {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	run, err := e.Wait(ctx, id)
	require.NoError(t, err)
	return run
}

func TestResults(t *testing.T) {
	e := start(t, serve.Options{})
	run := wait(t, e, submit(t, e, `(println "hello") {:sum (+ 1 2)}`).ID)
	assert.Equal(t, store.Succeeded, run.State)
	assert.JSONEq(t, `{"sum":3}`, string(run.Value))
	assert.Equal(t, "{:sum 3}", run.Text)
	assert.Equal(t, "hello\n", run.Prints)
	assert.Contains(t, string(run.Usage), `"steps"`)
	assert.Equal(t, 1, run.Attempts)
	assert.False(t, run.Ended.IsZero())

	run = wait(t, e, submit(t, e, `(println 1) (/ 1 0)`).ID)
	assert.Equal(t, store.Failed, run.State)
	assert.Nil(t, run.Value)
	assert.Contains(t, string(run.Error), `"arithmetic"`)
	assert.Contains(t, run.Text, "program.ptc:1")
	assert.Equal(t, "1\n", run.Prints)

	run, _, err := e.Submit(t.Context(), store.Submission{Source: `data/n`, Data: json.RawMessage(`{"n": [1, 2]}`)}, ann)
	require.NoError(t, err)
	assert.JSONEq(t, `[1,2]`, string(wait(t, e, run.ID).Value))
}

// TestRefused makes submissions that are refused and not kept.
func TestRefused(t *testing.T) {
	st := openStore(t, t.TempDir())
	e := start(t, serve.Options{Store: st})
	_, _, err := e.Submit(t.Context(), store.Submission{Source: `(prinln 1)`}, ann)
	var program *ptc.Error
	require.ErrorAs(t, err, &program)
	assert.Equal(t, diag.UnknownName, program.Code)
	for name, sub := range map[string]store.Submission{
		"nothing":  {},
		"both":     {Source: "1", Program: "a"},
		"no such":  {Program: "deploy"},
		"data":     {Source: "1", Data: json.RawMessage(`[1]`)},
		"priority": {Source: "1", Priority: effect.LowPriority + 1},
		"limits":   {Source: "1", Limits: limits.Limits{Memory: -1}},
	} {
		_, _, err := e.Submit(t.Context(), sub, ann)
		var known *store.Error
		require.ErrorAs(t, err, &known, name)
	}
	page, err := st.List(t.Context(), store.Query{})
	require.NoError(t, err)
	assert.Empty(t, page.Runs)
}

// TestLimits requires a submission to narrow the limits, and not to widen them.
func TestLimits(t *testing.T) {
	e := start(t, serve.Options{Run: ptc.Options{Limits: ptc.Limits{Steps: 1000}}})
	for steps, want := range map[int64]int64{0: 1000, 500: 500, 1000: 1000} {
		run, _, err := e.Submit(t.Context(), store.Submission{Source: `(loop [] (recur))`, Limits: limits.Limits{Steps: steps}}, ann)
		require.NoError(t, err)
		assert.Equal(t, want, run.Limits.Steps)
		assert.Contains(t, string(wait(t, e, run.ID).Error), "steps-exceeded")
	}
	wide := limits.Limits{Steps: 1001, Timeout: time.Hour}
	message := "limits: timeout is 1h0m0s, want at most 30s; steps is 1001, want at most 1000: the service allows no more"
	_, _, err := e.Submit(t.Context(), store.Submission{Source: "1", Limits: wide}, ann)
	assert.ErrorIs(t, err, serve.ErrInvalid)
	assert.ErrorContains(t, err, message)
	_, err = e.OpenSession(wire.NewSession{Limits: wide}, ann)
	assert.ErrorContains(t, err, message)
}

func TestKey(t *testing.T) {
	e := start(t, serve.Options{})
	sub := store.Submission{Source: "1", Key: "k"}
	first, created, err := e.Submit(t.Context(), sub, ann)
	require.NoError(t, err)
	assert.True(t, created)
	again, created, err := e.Submit(t.Context(), sub, ann)
	require.NoError(t, err)
	assert.False(t, created)
	assert.Equal(t, first.ID, again.ID)
	sub.Source = "2"
	_, _, err = e.Submit(t.Context(), sub, ann)
	require.ErrorIs(t, err, store.ErrKeyReused)
	wait(t, e, first.ID)
	assert.Eventually(t, func() bool { return e.Stats().Running == 0 }, time.Minute, time.Millisecond)
}

// TestQueue requires runs that have no room to start in order, and the memory to bound them.
func TestQueue(t *testing.T) {
	g := newGate()
	one := limits.Limits{Memory: 1 << 20, WorkerMemory: 1 << 20, Workers: 1}
	e := start(t, serve.Options{Run: ptc.Options{Tools: g.tools(t), Limits: one}, Memory: 4 << 20, Queued: 8})
	var runs []store.Run
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		runs = append(runs, submit(t, e, `(tool/gate.wait "`+name+`")`))
	}
	assert.ElementsMatch(t, []string{"a", "b"}, []string{g.await(t), g.await(t)})
	assert.Equal(t, wire.Stats{Running: 2, Queued: 4, Memory: 4 << 20, Most: 4 << 20}, e.Stats())
	assert.Equal(t, store.Queued, runs[2].State)
	for _, next := range []string{"c", "d", "e", "f"} {
		g.leave <- struct{}{}
		assert.Equal(t, next, g.await(t))
	}
	close(g.leave)
	for _, run := range runs {
		assert.Equal(t, store.Succeeded, wait(t, e, run.ID).State)
	}
}

// TestFull requires submissions beyond the queue to be refused, and to be taken when there is room.
func TestFull(t *testing.T) {
	g := newGate()
	e := start(t, serve.Options{Run: ptc.Options{Tools: g.tools(t)}, Running: 1, Queued: 1})
	first := submit(t, e, `(tool/gate.wait "a")`)
	second := submit(t, e, `(tool/gate.wait "b")`)
	_, _, err := e.Submit(t.Context(), store.Submission{Source: "1"}, ann)
	require.ErrorIs(t, err, serve.ErrFull)
	close(g.leave)
	wait(t, e, first.ID)
	wait(t, e, second.ID)
	wait(t, e, submit(t, e, "1").ID)
}

// TestShares checks that a tenant that has used up its share is overtaken.
func TestShares(t *testing.T) {
	g := newGate()
	shares, err := access.NewShares(map[string]access.Share{"small": {Running: 1, Calls: 5}}, access.Share{}, nil)
	require.NoError(t, err)
	e := start(t, serve.Options{Run: ptc.Options{Tools: g.tools(t)}, Memory: 1 << 40, Shares: shares})
	small := access.Who{Name: "s", Tenant: "small", Role: access.Submitter}
	var runs []store.Run
	for _, name := range []string{"a", "b"} {
		run, _, err := e.Submit(t.Context(), store.Submission{Source: `(tool/gate.wait "` + name + `")`}, small)
		require.NoError(t, err)
		assert.Equal(t, 5, run.Limits.Calls)
		runs = append(runs, run)
	}
	_, _, err = e.Submit(t.Context(), store.Submission{Source: "1", Limits: limits.Limits{Calls: 6}}, small)
	assert.ErrorContains(t, err, "calls is 6, want at most 5")
	assert.Equal(t, "a", g.await(t))
	runs = append(runs, submit(t, e, `(tool/gate.wait "c")`))
	assert.Equal(t, "c", g.await(t))
	g.leave <- struct{}{}
	g.leave <- struct{}{}
	assert.Equal(t, "b", g.await(t))
	close(g.leave)
	for _, run := range runs {
		assert.Equal(t, store.Succeeded, wait(t, e, run.ID).State)
	}
}

func TestCancel(t *testing.T) {
	g := newGate()
	e := start(t, serve.Options{Run: ptc.Options{Tools: g.tools(t)}, Running: 1})
	first, second := submit(t, e, `(println 1) (tool/gate.wait "a")`), submit(t, e, `(tool/gate.wait "b")`)
	g.await(t)
	for _, id := range []string{second.ID, first.ID} {
		run, err := e.Cancel(t.Context(), id, ann)
		require.NoError(t, err)
		assert.Equal(t, store.Cancelled, run.State)
		assert.Equal(t, "cancelled by ann", run.Reason)
		_, err = e.Cancel(t.Context(), id, ann)
		require.ErrorIs(t, err, store.ErrEnded)
	}
	run, err := e.Get(t.Context(), first.ID)
	require.NoError(t, err)
	assert.Equal(t, "1\n", run.Prints)
	assert.Equal(t, []string{"a"}, g.noted())
	_, err = e.Cancel(t.Context(), "none", ann)
	require.ErrorIs(t, err, store.ErrNotFound)
}

// TestPrograms requires versions to be kept, and run by name and version.
func TestPrograms(t *testing.T) {
	e := start(t, serve.Options{})
	for i, source := range []string{"1", "2"} {
		p, found, err := e.PutProgram(t.Context(), wire.Program{Name: "deploy", Source: source, By: "ann"})
		require.NoError(t, err)
		assert.Equal(t, i+1, p.Version)
		assert.NotNil(t, found.Effects)
	}
	_, _, err := e.PutProgram(t.Context(), wire.Program{Name: "deploy", Source: "(", By: "ann"})
	require.Error(t, err)
	_, _, err = e.PutProgram(t.Context(), wire.Program{Name: "deploy", Source: "3", Version: 2})
	require.ErrorIs(t, err, store.ErrConflict)
	for ref, want := range map[string]string{"deploy": "2", "deploy@1": "1", "deploy@2": "2"} {
		run, _, err := e.Submit(t.Context(), store.Submission{Program: ref}, ann)
		require.NoError(t, err)
		assert.Equal(t, want, wait(t, e, run.ID).Text)
	}
	_, _, err = e.Submit(t.Context(), store.Submission{Program: "deploy@3"}, ann)
	require.ErrorIs(t, err, store.ErrNotFound)
	_, _, err = e.Submit(t.Context(), store.Submission{Program: "deploy@x"}, ann)
	require.ErrorIs(t, err, store.ErrInvalid)
}
