package journal_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/secret"
)

// TestSkip: a write that was refused is one line with its outcome. It is in doubt nowhere the file ends, and a resumed
// run gets the outcome with its secrets.
func TestSkip(t *testing.T) {
	const password = "hunter2-hunter2"
	key := journal.Key(make([]byte, journal.KeyBytes))
	path := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Create(path, journal.Header{}, journal.Options{Key: key})
	require.NoError(t, err)
	j.Secrets().Add(password)
	args := []byte(`{"with":"` + password + `"}`)
	shown := secret.Redact(args, []string{"with"})
	write := effect.Effect{ID: "0#1", Kind: effect.KindCall, Name: "pay", Class: effect.Write, Args: shown,
		Hidden: effect.Hide(args, shown)}
	refusal := effect.Record{Error: []byte(`{"message":"not with ` + password + `"}`)}
	require.NoError(t, j.Skip(t.Context(), write, refusal))
	require.Error(t, j.Skip(t.Context(), write, refusal), "a second time")
	require.Empty(t, j.InDoubt())
	require.NoError(t, j.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(text), password)
	for n := range text {
		require.NoError(t, os.WriteFile(path, text[:n], 0o600))
		if rec, err := journal.ReadFile(path, key); err == nil {
			require.Empty(t, rec.Pending())
		}
	}

	require.NoError(t, os.WriteFile(path, text, 0o600))
	j, rec, err := journal.Resume(path, nil, journal.Options{Key: key})
	require.NoError(t, err)
	require.True(t, rec.Authentic)
	got, done, err := j.Recall(t.Context(), write)
	require.NoError(t, err)
	require.True(t, done)
	require.Equal(t, string(refusal.Error), string(got.Error))
	require.NoError(t, j.Finish(journal.Final{Value: "1"}))
	require.NoError(t, j.Close())
}

// TestSkipUnwritten: a refusal that can't be written leaves nothing in doubt.
func TestSkipUnwritten(t *testing.T) {
	log := &replicated{}
	j, err := journal.CreateOn(log, journal.Header{}, journal.Options{})
	require.NoError(t, err)
	require.NoError(t, log.Close())
	write := effect.Effect{ID: "0#1", Kind: effect.KindCall, Name: "pay", Class: effect.Write}
	var failed *journal.Failure
	require.ErrorAs(t, j.Skip(t.Context(), write, effect.Record{Error: []byte(`1`)}), &failed)
	require.Empty(t, j.InDoubt())
}
