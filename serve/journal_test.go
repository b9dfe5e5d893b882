package serve_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
)

// journalPath returns the path of the journal of a run.
func journalPath(t *testing.T, st store.Store, id string) string {
	t.Helper()
	place, err := st.Journal(t.Context(), id)
	require.NoError(t, err)
	return place.String()
}

// TestDraw checks that two journals are read concurrently but not a third, and that one that is too large is not read.
func TestDraw(t *testing.T) {
	st := openStore(t, t.TempDir())
	e := start(t, serve.Options{Store: st})
	run := wait(t, e, submit(t, e, `(println "a")`).ID)
	path := journalPath(t, st, run.ID)
	late, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, e.Draw(t.Context(), run.ID, func(*journal.Recording) error {
		return e.Draw(t.Context(), run.ID, func(rec *journal.Recording) error {
			require.NotEmpty(t, rec.Entries)
			require.ErrorIs(t, e.Draw(late, run.ID, nil), context.Canceled)
			return nil
		})
	}))
	require.NoError(t, os.Truncate(path, serve.MaxDrawn+1))
	require.ErrorIs(t, e.Draw(t.Context(), run.ID, nil), serve.ErrLarge)
	require.NoError(t, os.Remove(path))
	require.ErrorIs(t, e.Draw(t.Context(), run.ID, nil), serve.ErrNoJournal)
	require.ErrorIs(t, e.Draw(t.Context(), "none", nil), store.ErrNotFound)
}
