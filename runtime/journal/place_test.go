package journal_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// records is a Log in memory, and its records.
type records struct{ all [][]byte }

func (r *records) Append(record []byte) (int64, error) {
	r.all = append(r.all, bytes.Clone(record))
	return int64(len(r.all)), nil
}
func (r *records) Flush(int64) error { return nil }
func (r *records) Close() error      { return nil }

func (r *records) seq() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, one := range r.all {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// TestExport checks that the records of a log become the same file as the journal would have written,
// whatever the keys of its processes.
func TestExport(t *testing.T) {
	one, two := bytes.Repeat([]byte{1}, journal.KeyBytes), bytes.Repeat([]byte{2}, journal.KeyBytes)
	for _, keys := range [][2]journal.Key{{nil, nil}, {one, one}, {one, two}, {nil, one}} {
		log := &records{}
		j, err := journal.CreateOn(log, journal.Header{Source: "(f)"}, journal.Options{Key: keys[0]})
		require.NoError(t, err)
		do(t, j, effect.Effect{ID: "0#1", Kind: effect.KindCall, Name: "f"}, effect.Record{Result: []byte("1")})
		require.NoError(t, j.Close())
		rec, err := journal.Records(log.seq())
		require.NoError(t, err)
		j, err = journal.ResumeOn(log, rec, nil, journal.Options{Key: keys[1]})
		require.NoError(t, err)
		_, did, err := j.Begin(t.Context(), rec.Entries[0].Effect)
		require.NoError(t, err)
		require.False(t, did)
		require.NoError(t, j.Finish(journal.Final{Value: "1"}))

		var file bytes.Buffer
		require.NoError(t, journal.Export(&file, log.seq(), one, two))
		rec, err = journal.Read(bytes.NewReader(file.Bytes()), keys[0], keys[1])
		require.NoError(t, err)
		require.Len(t, rec.Entries, 1)
		require.Len(t, rec.Resumed, 1)
		require.Equal(t, "1", rec.Final.Value)
		require.Equal(t, keys[0] != nil && keys[0].ID() == keys[1].ID(), rec.Authentic)
		var back records
		_, err = journal.Import(&file, func(record []byte) error { _, err := back.Append(record); return err }, one, two)
		require.NoError(t, err)
		require.Equal(t, log.all, back.all)
		if keys[1] != nil {
			require.ErrorContains(t, journal.Export(io.Discard, log.seq()), "is not among the 0 that are given")
		}
	}
	mine := errors.New("mine")
	err := journal.Export(io.Discard, func(yield func([]byte, error) bool) { yield(nil, mine) })
	require.ErrorIs(t, err, mine)
	require.Error(t, journal.Export(io.Discard, nil))
	var sound bytes.Buffer
	log := &records{}
	_, err = journal.CreateOn(log, journal.Header{}, journal.Options{})
	require.NoError(t, err)
	require.NoError(t, journal.Export(&sound, log.seq()))
	_, err = journal.Import(&sound, func([]byte) error { return mine })
	require.ErrorIs(t, err, mine)
	require.Error(t, journal.Export(nil, (&records{}).seq()))
	require.Error(t, journal.Export(io.Discard, (&records{}).seq(), journal.Key{1}))
}

// TestFilePlace requires a file to be a place like any other.
func TestFilePlace(t *testing.T) {
	p := journal.File(filepath.Join(t.TempDir(), "j"))
	_, err := p.Open(t.Context())
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, _, err = p.Resume(t.Context(), nil, journal.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	j, err := p.Create(t.Context(), journal.Header{Source: "(f)"}, journal.Options{})
	require.NoError(t, err)
	_, _, err = p.Resume(t.Context(), nil, journal.Options{})
	require.ErrorIs(t, err, journal.ErrInUse)
	require.NoError(t, j.Close())
	none, err := p.Create(t.Context(), journal.Header{}, journal.Options{})
	require.ErrorIs(t, err, fs.ErrExist)
	require.Nil(t, none)
	j, rec, err := p.Resume(t.Context(), nil, journal.Options{})
	require.NoError(t, err)
	require.Equal(t, "(f)", rec.Header.Source)
	require.NoError(t, j.Close())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.Open(ctx)
	require.ErrorIs(t, err, context.Canceled)
	_, err = p.Create(ctx, journal.Header{}, journal.Options{})
	require.ErrorIs(t, err, context.Canceled)
	_, _, err = p.Resume(ctx, nil, journal.Options{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = journal.File("").Open(t.Context())
	require.ErrorContains(t, err, "the path is empty")
}
