package serve_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
)

// TestDrain requires a run that is interrupted between its writes to continue in the next engine, with each write once.
func TestDrain(t *testing.T) {
	path, g := t.TempDir(), newGate()
	st := openStore(t, path)
	opts := ptc.Options{Tools: g.tools(t)}
	e := start(t, serve.Options{Store: st, Run: opts})
	run := submit(t, e, `[(tool/gate.note "a") (tool/gate.wait "b") (tool/gate.note "c")]`)
	g.await(t)
	require.Equal(t, "b", g.await(t))
	done := make(chan error, 1)
	go func() { done <- e.Drain(context.Background(), 0) }()
	require.Eventually(t, func() bool { return e.Stats().Draining }, time.Minute, time.Millisecond)
	_, _, err := e.Submit(t.Context(), store.Submission{Source: "1"}, ann)
	require.ErrorIs(t, err, serve.ErrDraining)
	g.leave <- struct{}{}
	require.NoError(t, <-done)
	kept, err := st.Get(t.Context(), run.ID)
	require.NoError(t, err)
	assert.Equal(t, store.Queued, kept.State)
	assert.Equal(t, []string{"a", "b"}, g.noted())

	e = start(t, serve.Options{Store: st, Run: opts})
	kept = wait(t, e, run.ID)
	assert.Equal(t, store.Succeeded, kept.State)
	assert.JSONEq(t, `["a","b","c"]`, string(kept.Value))
	assert.Equal(t, 2, kept.Attempts)
	assert.Zero(t, kept.Crashes)
	assert.Equal(t, []string{"a", "b", "c"}, g.noted())
}

// TestDrainLate requires a write that has not ended with the grace time to be in doubt.
func TestDrainLate(t *testing.T) {
	g := newGate()
	st := openStore(t, t.TempDir())
	opts := ptc.Options{Tools: g.tools(t)}
	e := start(t, serve.Options{Store: st, Run: opts})
	run := submit(t, e, `(tool/gate.wait "a")`)
	g.await(t)
	require.NoError(t, drain(e))
	e = start(t, serve.Options{Store: st, Run: opts})
	kept := wait(t, e, run.ID)
	assert.Equal(t, store.InDoubt, kept.State)
	assert.Equal(t, []string{"a"}, g.noted())
}

// TestCrashes requires a run to be started three times if the process ends each time, and never again.
func TestCrashes(t *testing.T) {
	path := t.TempDir()
	st := openStore(t, path)
	run, _, err := st.Create(t.Context(), store.Run{Tenant: "default", State: store.Running, Attempts: 1,
		Submission: store.Submission{Source: "(+ 1 2)", Name: "a.ptc"}})
	require.NoError(t, err)
	queued, _, err := st.Create(t.Context(), store.Run{Tenant: "default", State: store.Queued,
		Submission: store.Submission{Source: "3", Name: "a.ptc"}})
	require.NoError(t, err)
	for crash := 1; crash <= 2; crash++ {
		// As if the process had died right after the recovery, and then while the run ran.
		e, err := serve.New(t.Context(), serve.Options{Store: frozen{st}})
		require.NoError(t, err)
		drain(e)
		kept, err := st.Get(t.Context(), run.ID)
		require.NoError(t, err)
		assert.Equal(t, crash, kept.Crashes)
		require.Equal(t, store.Queued, kept.State)
		_, err = st.Update(t.Context(), run.ID, func(r *store.Run) error { r.State = store.Running; return nil })
		require.NoError(t, err)
	}
	e := start(t, serve.Options{Store: st})
	kept := wait(t, e, run.ID)
	assert.Equal(t, store.Poisoned, kept.State)
	assert.Equal(t, 3, kept.Crashes)
	assert.Equal(t, store.Succeeded, wait(t, e, queued.ID).State)
}

// frozen is a store in which no run can be started.
type frozen struct{ store.Store }

func (f frozen) Update(ctx context.Context, id string, change func(*store.Run) error) (store.Run, error) {
	return f.Store.Update(ctx, id, func(r *store.Run) error {
		if err := change(r); err != nil {
			return err
		}
		if r.State == store.Running {
			return store.ErrClosed
		}
		return nil
	})
}

// TestFinishedJournal requires the outcome of a run whose journal has ended, when the process died before it was kept.
func TestFinishedJournal(t *testing.T) {
	g := newGate()
	st := openStore(t, t.TempDir())
	opts := ptc.Options{Tools: g.tools(t)}
	run, _, err := st.Create(t.Context(), store.Run{Tenant: "default", State: store.Running,
		Submission: store.Submission{Source: `(println "p") (tool/gate.note "a")`, Name: "a.ptc"}})
	require.NoError(t, err)
	place, err := st.Journal(t.Context(), run.ID)
	require.NoError(t, err)
	prog, err := ptc.Compile(t.Context(), run.Name, run.Source, opts)
	require.NoError(t, err)
	_, err = prog.Record(t.Context(), ptc.JournalFile{Place: place}, ptc.RunOptions{})
	require.NoError(t, err)
	e := start(t, serve.Options{Store: st, Run: opts})
	kept := wait(t, e, run.ID)
	assert.Equal(t, store.Succeeded, kept.State)
	assert.Equal(t, `"a"`, string(kept.Value))
	assert.Equal(t, "p\n", kept.Prints)
	assert.Equal(t, []string{"a"}, g.noted())
}

// TestTornHeader requires a run to begin whose journal has only a part of its first line.
func TestTornHeader(t *testing.T) {
	st := openStore(t, t.TempDir())
	run, _, err := st.Create(t.Context(), store.Run{Tenant: "default", State: store.Running,
		Submission: store.Submission{Source: `1`, Name: "a.ptc"}})
	require.NoError(t, err)
	path := journalPath(t, st, run.ID)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(`{"ptc-journal":1,`), 0o600))
	e := start(t, serve.Options{Store: st})
	assert.Equal(t, "1", wait(t, e, run.ID).Text)
}

// TestDrainQueued requires a write that only waits for its turn to keep no engine from ending: it is not in
// doubt, and is made once when the run continues.
func TestDrainQueued(t *testing.T) {
	st, g := openStore(t, t.TempDir()), newGate()
	queues, err := queue.NewEnforcer(queue.Policies{Actions: map[string]queue.Policy{"gate.wait": {Concurrency: 1}}}, nil)
	require.NoError(t, err)
	opts := ptc.Options{Tools: g.tools(t), Queue: queues}
	e := start(t, serve.Options{Store: st, Run: opts})
	first := submit(t, e, `(tool/gate.wait "a")`)
	require.Equal(t, "a", g.await(t))
	second := submit(t, e, `(tool/gate.wait "b")`)
	require.Eventually(t, func() bool { return queues.Queues().Stats("gate.wait").Waiting == 1 }, time.Minute, time.Millisecond)
	done := make(chan error, 1)
	go func() { done <- e.Drain(context.Background(), 0) }()
	require.Eventually(t, func() bool {
		run, err := st.Get(t.Context(), second.ID)
		return err == nil && run.State == store.Queued
	}, time.Minute, time.Millisecond)
	g.leave <- struct{}{}
	require.NoError(t, <-done)
	require.Equal(t, []string{"a"}, g.noted())
	e = start(t, serve.Options{Store: st, Run: opts})
	require.Equal(t, store.Succeeded, wait(t, e, first.ID).State)
	require.Equal(t, "b", g.await(t))
	g.leave <- struct{}{}
	require.Equal(t, store.Succeeded, wait(t, e, second.ID).State)
	require.Equal(t, []string{"a", "b"}, g.noted())
}

// nowhere is a Placement that can add nothing, as on a node that has lost its cluster.
type nowhere struct {
	serve.Placement
	tried chan struct{}
}

func (n nowhere) Add(context.Context, store.Run, int64) error {
	select {
	case n.tried <- struct{}{}:
	default:
	}
	return errors.New("no majority")
}

func (nowhere) Free() {}

// TestDrainUnplaced requires an engine to end although it still places the runs that another one has left.
func TestDrainUnplaced(t *testing.T) {
	st := openStore(t, t.TempDir())
	for range 3 {
		_, _, err := st.Create(t.Context(), store.Run{Tenant: "default", State: store.Queued,
			Submission: store.Submission{Source: "1", Name: "a.ptc"}})
		require.NoError(t, err)
	}
	n := nowhere{tried: make(chan struct{}, 1)}
	e, err := serve.New(t.Context(), serve.Options{Store: st, Placement: n})
	require.NoError(t, err)
	<-n.tried
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, e.Drain(ctx, 0))
}
