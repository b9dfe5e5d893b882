package serve_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
)

// crashed keeps a run that was running, or waiting, when its process ended, with a journal of so many effects that
// ended.
func crashed(t *testing.T, st store.Store, source string, stalls, recorded, effects int) store.Run {
	t.Helper()
	run, _, err := st.Create(t.Context(), store.Run{Tenant: "default", State: store.Running, Attempts: 1,
		Crashes: stalls, Stalls: stalls, Recorded: recorded, Submission: store.Submission{Source: source, Name: "a.ptc"}})
	require.NoError(t, err)
	if effects == 0 {
		return run
	}
	path := journalPath(t, st, run.ID)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	text := `{"t":"run"` // which is no sound line: the run begins again
	for range effects {
		text = `{"t":"end"}` + "\n" + text
	}
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return run
}

// TestProgress requires crashes to count against a run that has recorded nothing between them, and not against one that
// makes progress or waits for people; but no run ends the process forever.
func TestProgress(t *testing.T) {
	st := openStore(t, t.TempDir())
	stalled := crashed(t, st, "1", 2, 5, 5)
	going := crashed(t, st, "1", 2, 5, 6)
	many := crashed(t, st, "1", 29, 5, 6)
	asking := crashed(t, st, `(ask {:question "a?"})`, 2, 0, 0)
	_, err := st.Update(t.Context(), asking.ID, func(r *store.Run) error {
		r.State = store.Waiting
		r.Pending = []effect.Pending{{ID: "0#1", Kind: effect.PendingQuestion, Class: effect.ReadOnly}}
		return nil
	})
	require.NoError(t, err)
	e, err := serve.New(t.Context(), serve.Options{Store: frozen{st}})
	require.NoError(t, err)
	drain(e)
	for _, c := range []struct {
		run                       store.Run
		state                     store.State
		crashes, stalls, recorded int
	}{
		{stalled, store.Poisoned, 3, 3, 5}, {going, store.Queued, 3, 1, 6}, {many, store.Poisoned, 30, 1, 6},
		{asking, store.Queued, 2, 2, 0},
	} {
		got, err := st.Get(t.Context(), c.run.ID)
		require.NoError(t, err)
		assert.Equal(t, c.state, got.State, got.Reason)
		assert.Equal(t, []int{c.crashes, c.stalls, c.recorded}, []int{got.Crashes, got.Stalls, got.Recorded})
	}
}

// TestMostCrashes requires the number of crashes that poisons a run to be that of the options.
func TestMostCrashes(t *testing.T) {
	st := openStore(t, t.TempDir())
	third, fifth := crashed(t, st, "1", 2, 5, 5), crashed(t, st, "1", 4, 5, 5)
	progress, last := crashed(t, st, "1", 30, 5, 6), crashed(t, st, "1", 49, 5, 6)
	e, err := serve.New(t.Context(), serve.Options{Store: frozen{st}, Crashes: 5})
	require.NoError(t, err)
	drain(e)
	for id, want := range map[string]store.State{third.ID: store.Queued, fifth.ID: store.Poisoned,
		progress.ID: store.Queued, last.ID: store.Poisoned} {
		got, err := st.Get(t.Context(), id)
		require.NoError(t, err)
		assert.Equal(t, want, got.State, got.Reason)
	}
}

// TestSuspects checks that runs that one more crash would poison run one at a time, until they make
// progress, beside the other runs.
func TestSuspects(t *testing.T) {
	st, g := openStore(t, t.TempDir()), newGate()
	first := crashed(t, st, `(tool/gate.wait "a") (tool/gate.wait "a2")`, 1, 0, 0)
	second := crashed(t, st, `(tool/gate.wait "b")`, 1, 0, 0)
	e := start(t, serve.Options{Store: st, Run: ptc.Options{Tools: g.tools(t)}})
	require.Equal(t, "a", g.await(t))
	other := submit(t, e, `(tool/gate.note "c")`)
	require.Equal(t, store.Succeeded, wait(t, e, other.ID).State)
	require.Equal(t, "c", g.await(t))
	waits, err := e.Get(t.Context(), second.ID)
	require.NoError(t, err)
	require.Equal(t, store.Queued, waits.State)
	require.Equal(t, 2, waits.Stalls)
	g.leave <- struct{}{}
	require.ElementsMatch(t, []string{"a2", "b"}, []string{g.await(t), g.await(t)}, "the first has made progress")
	g.leave <- struct{}{}
	g.leave <- struct{}{}
	require.Equal(t, store.Succeeded, wait(t, e, first.ID).State)
	require.Equal(t, store.Succeeded, wait(t, e, second.ID).State)
}
