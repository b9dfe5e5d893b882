package journal_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// TestWithdraw: a write that was begun and withdrawn is not in doubt, and a resumed run does it.
func TestWithdraw(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	write := effect.Effect{ID: "0#1", Kind: effect.KindCall, Name: "pay", Class: effect.Write}
	j, err := journal.Create(path, journal.Header{}, journal.Options{})
	require.NoError(t, err)
	require.ErrorContains(t, j.Withdraw(write.ID), "was not begun")
	begin := func() {
		_, do, err := j.Begin(t.Context(), write)
		require.NoError(t, err)
		require.True(t, do)
	}
	begin()
	require.Len(t, j.InDoubt(), 1)
	require.NoError(t, j.Withdraw(write.ID))
	require.Empty(t, j.InDoubt())
	require.True(t, j.Entries()[0].Withdrawn)
	require.ErrorContains(t, j.End(write.ID, effect.Record{}), "was not begun")
	require.NoError(t, j.Close())

	j, rec, err := journal.Resume(path, nil, journal.Options{})
	require.NoError(t, err)
	require.Empty(t, rec.InDoubt())
	require.True(t, j.Cut(write.ID))
	begin()
	require.NoError(t, j.End(write.ID, effect.Record{Result: []byte("1")}))
	require.NoError(t, j.Finish(journal.Final{Value: "1"}))
	require.NoError(t, j.Close())
	rec, err = journal.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 2, rec.Entries[0].Attempt)
	require.True(t, rec.Entries[0].Done)
}
