package serve_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

var root = access.Who{Name: "root", Tenant: "other", Role: access.Operator}

func evaluate(t *testing.T, e *serve.Engine, id, source string) store.Result {
	t.Helper()
	res, err := e.Evaluate(t.Context(), id, source, ann)
	require.NoError(t, err)
	return res
}

func TestSession(t *testing.T) {
	g := newGate()
	e := start(t, serve.Options{Run: ptc.Options{Tools: g.tools(t)}})
	s, err := e.OpenSession(wire.NewSession{Limits: limits.Limits{Steps: 10_000}, Data: json.RawMessage(`{"n": 4}`)}, ann)
	require.NoError(t, err)
	assert.Equal(t, int64(10_000), s.Limits.Steps)
	assert.Equal(t, wire.Stats{Running: 1, Sessions: 1, Memory: s.Memory, Most: e.Options().Memory}, e.Stats())
	evaluate(t, e, s.ID, `(defn twice [x] (* 2 x))`)
	res := evaluate(t, e, s.ID, `(println "hi") (twice data/n)`)
	assert.Equal(t, "8", string(res.Value))
	assert.Equal(t, "hi\n", res.Prints)
	assert.Contains(t, string(res.Usage), "steps")
	assert.Equal(t, "9", evaluate(t, e, s.ID, `(inc *1)`).Text)
	for source, want := range map[string]string{`(def twice nil) (/ 1 0)`: "arithmetic", `(twice`: "syntax-error",
		`(loop [] (recur))`: "steps-exceeded", `(ask {:question "Go on?"})`: "parked"} {
		res = evaluate(t, e, s.ID, source)
		assert.Contains(t, string(res.Error), `"code":"`+want, source)
		assert.NotEmpty(t, res.Text)
	}
	assert.Contains(t, evaluate(t, e, s.ID, `(ask {:question "Go on?"})`).Text, "submit the program as a run")
	assert.Equal(t, "2", string(evaluate(t, e, s.ID, `(twice 1)`).Value)) // failed evaluations change nothing

	for _, who := range []access.Who{root, {Name: "ann", Tenant: "other", Role: access.Submitter}, {Name: "bob", Tenant: "default", Role: access.Submitter}} {
		_, err = e.Evaluate(t.Context(), s.ID, "1", who)
		assert.ErrorIs(t, err, serve.ErrGone)
	}
	assert.Empty(t, e.SessionsOf(t.Context(), access.Who{Name: "bob", Tenant: "default", Role: access.Submitter}))
	assert.Equal(t, 9, e.SessionsOf(t.Context(), root)[0].Evaluations)
	_, err = e.Session("x", root)
	assert.ErrorIs(t, err, store.ErrNotFound)
	require.NoError(t, e.CloseSession(s.ID, root))
	_, err = e.Evaluate(t.Context(), s.ID, "1", ann)
	assert.ErrorIs(t, err, serve.ErrGone)
	assert.Zero(t, e.Stats().Memory)
}

// TestSessionEach requires evaluations to be reported as runs are.
func TestSessionEach(t *testing.T) {
	g := newGate()
	close(g.leave)
	var seen []string
	e := start(t, serve.Options{Run: ptc.Options{Tools: g.tools(t)}, Each: func(_ context.Context, run store.Run,
		given *ptc.RunOptions) serve.Reported {
		given.Around = func(ctx context.Context, c effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
			seen = append(seen, c.Tool.Name())
			return next(ctx)
		}
		return serve.Reported{Ended: func(bool, *ptc.Result, error) { seen = append(seen, run.ID, run.Name, run.Trace) }}
	}})
	s, err := e.OpenSession(wire.NewSession{}, ann)
	require.NoError(t, err)
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	ctx := spans.Under(t.Context(), spans.Meta(map[string]any{"traceparent": trace}))
	res, err := e.Evaluate(ctx, s.ID, `(tool/gate.wait {:name "x"})`, ann)
	require.NoError(t, err)
	assert.Equal(t, `"x"`, string(res.Value), res.Text)
	assert.Equal(t, []string{"gate.wait", s.ID, "session", trace}, seen)
}

// TestSessionRoom checks that sessions count like runs: for the memory of the service, of which they may
// hold one half, and for each identity.
func TestSessionRoom(t *testing.T) {
	g := newGate()
	one := limits.Limits{Memory: 64 << 20, WorkerMemory: 1 << 20, Workers: 1}
	e := start(t, serve.Options{Run: ptc.Options{Limits: one, Tools: g.tools(t)}, Memory: 5 * 65 << 20, Sessions: 2})
	var ids []string
	for range 2 {
		s, err := e.OpenSession(wire.NewSession{}, ann)
		require.NoError(t, err)
		ids = append(ids, s.ID)
	}
	_, err := e.OpenSession(wire.NewSession{}, ann)
	assert.ErrorIs(t, err, serve.ErrFull)
	assert.ErrorContains(t, err, "has 2 sessions")
	_, err = e.OpenSession(wire.NewSession{}, root)
	assert.ErrorContains(t, err, "may hold half of")
	var runs []store.Run
	for range 3 {
		runs = append(runs, submit(t, e, `(tool/gate.wait "a")`))
		g.await(t)
	}
	last := submit(t, e, "1")
	assert.Equal(t, store.Queued, last.State)
	require.NoError(t, e.CloseSession(ids[0], ann))
	assert.Equal(t, store.Succeeded, wait(t, e, last.ID).State)
	runs = append(runs, submit(t, e, `(tool/gate.wait "b")`))
	g.await(t)
	_, err = e.OpenSession(wire.NewSession{}, root)
	assert.ErrorContains(t, err, "no room now")
	close(g.leave)
	for _, run := range runs {
		wait(t, e, run.ID)
	}
	_, err = e.OpenSession(wire.NewSession{Limits: limits.Limits{Memory: -1}}, ann)
	assert.ErrorIs(t, err, serve.ErrInvalid)
	_, err = e.OpenSession(wire.NewSession{Data: json.RawMessage(`[1]`)}, ann)
	assert.ErrorIs(t, err, serve.ErrInvalid)
}

// TestSessionEnds requires a session to end when it is idle, and not while it is used.
func TestSessionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, serve.Options{SessionIdle: time.Minute, Run: ptc.Options{Limits: limits.Limits{Timeout: time.Hour}}})
		s, err := e.OpenSession(wire.NewSession{}, ann)
		require.NoError(t, err)
		for range 3 {
			time.Sleep(59 * time.Second)
			evaluate(t, e, s.ID, "1")
		}
		evaluate(t, e, s.ID, "(Thread/sleep 180000)")
		time.Sleep(59 * time.Second)
		_, err = e.Session(s.ID, ann)
		require.NoError(t, err)
		time.Sleep(2 * time.Second)
		_, err = e.Session(s.ID, ann)
		assert.ErrorIs(t, err, serve.ErrGone)
		assert.Zero(t, e.Stats().Running)
	})
}

// TestSessionBusy checks that a session has one evaluation at a time, which ends with its request, with its
// session and with the engine; the end of the engine does not cut off a write under way.
func TestSessionBusy(t *testing.T) {
	g := newGate()
	e := start(t, serve.Options{Run: ptc.Options{Tools: g.tools(t)}})
	s, err := e.OpenSession(wire.NewSession{}, ann)
	require.NoError(t, err)
	under := func(ctx context.Context) <-chan store.Result {
		done := make(chan store.Result, 1)
		go func() {
			res, err := e.Evaluate(ctx, s.ID, `(tool/gate.wait {:name "x"})`, ann)
			assert.NoError(t, err)
			done <- res
		}()
		g.await(t)
		return done
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := under(ctx)
	_, err = e.Evaluate(t.Context(), s.ID, "1", ann)
	assert.ErrorIs(t, err, store.ErrTransition)
	got, err := e.Session(s.ID, ann)
	require.NoError(t, err)
	assert.True(t, got.Busy)
	cancel()
	assert.Contains(t, string((<-done).Error), "cancelled")
	assert.Equal(t, "1", string(evaluate(t, e, s.ID, "1").Value))

	done = under(t.Context())
	require.NoError(t, e.CloseSession(s.ID, ann))
	assert.Contains(t, string((<-done).Error), "cancelled")

	s, err = e.OpenSession(wire.NewSession{}, ann)
	require.NoError(t, err)
	done = under(t.Context())
	drained := make(chan error)
	go func() { drained <- e.Drain(context.Background(), 0) }()
	require.Eventually(t, func() bool { return e.Stats().Draining }, time.Minute, time.Millisecond)
	_, err = e.OpenSession(wire.NewSession{}, ann)
	assert.ErrorIs(t, err, serve.ErrDraining)
	close(g.leave)
	assert.Equal(t, `"x"`, string((<-done).Value))
	require.NoError(t, <-drained)
}
