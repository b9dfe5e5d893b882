// This file defines the tests of journals, of deletion and of the end of a store.

package storetest

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/store"
)

var ends = map[string]func(*testing.T, store.Store){
	"Journal":       testJournal,
	"JournalKey":    testJournalKey,
	"Delete":        testDelete,
	"ExpireAge":     testExpireAge,
	"ExpireCount":   testExpireCount,
	"ExpireBytes":   testExpireBytes,
	"ExpireNothing": testExpireNothing,
	"Closed":        testClosed,
	"Cancelled":     testCancelled,
}

// place returns the place of the journal of a run.
func place(t testing.TB, s store.Store, id string) journal.Place {
	t.Helper()
	p, err := s.Journal(t.Context(), id)
	require.NoError(t, err)
	require.NotEmpty(t, p.String())
	return p
}

// journalOf begins a journal of a run with a source of so many bytes.
func journalOf(t testing.TB, s store.Store, id string, size int) {
	t.Helper()
	j, err := place(t, s, id).Create(t.Context(), journal.Header{Source: strings.Repeat("x", size)}, journal.Options{})
	require.NoError(t, err)
	require.NoError(t, j.Close())
}

// recorded reads the journal of a run.
func recorded(t testing.TB, p journal.Place) *journal.Recording {
	t.Helper()
	r, err := p.Open(t.Context())
	require.NoError(t, err)
	defer r.Close()
	rec, err := journal.Read(r)
	require.NoError(t, err)
	return rec
}

// effectOf records an effect in a journal.
func effectOf(t testing.TB, j journal.Run, id string) {
	t.Helper()
	_, do, err := j.Begin(t.Context(), effect.Effect{ID: id, Kind: effect.KindCall, Name: "f", Class: effect.Write})
	require.NoError(t, err)
	require.True(t, do)
	require.NoError(t, j.End(id, effect.Record{Result: json.RawMessage(`"<1>"`)}))
}

// testJournal: a journal begins once, continues after its last entry, and ends with its run.
func testJournal(t *testing.T, s store.Store) {
	a, b := Create(t, s, Submitted()), Create(t, s, Submitted())
	p := place(t, s, a.ID)
	_, err := p.Open(t.Context())
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, _, err = p.Resume(t.Context(), nil, journal.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	j, err := p.Create(t.Context(), journal.Header{Run: a.ID, Source: "(f)", Seed: 7}, journal.Options{})
	require.NoError(t, err)
	effectOf(t, j, "0#1")
	require.Len(t, recorded(t, p).Entries, 1, "while it is written")
	require.NoError(t, j.Close())
	_, err = p.Create(t.Context(), journal.Header{}, journal.Options{})
	require.ErrorIs(t, err, fs.ErrExist)

	j, rec, err := place(t, s, a.ID).Resume(t.Context(), nil, journal.Options{})
	require.NoError(t, err)
	require.Equal(t, "(f)", rec.Header.Source)
	require.Equal(t, a.ID, j.Header().Run)
	_, do, err := j.Begin(t.Context(), rec.Entries[0].Effect)
	require.NoError(t, err)
	require.False(t, do)
	effectOf(t, j, "0#2")
	require.NoError(t, j.Finish(journal.Final{Value: "1"}))
	require.NoError(t, j.Close())
	_, _, err = p.Resume(t.Context(), nil, journal.Options{})
	require.ErrorIs(t, err, journal.ErrFinished)
	_, err = place(t, s, b.ID).Open(t.Context())
	require.ErrorIs(t, err, fs.ErrNotExist, "another run")

	Become(t, s, a.ID, store.Succeeded)
	for _, p := range []journal.Place{p, place(t, s, a.ID)} {
		rec = recorded(t, p)
		require.Len(t, rec.Entries, 2)
		require.Equal(t, "1", rec.Final.Value)
		require.Len(t, rec.Resumed, 1)
	}
	require.NoError(t, s.Delete(t.Context(), a.ID))
	_, err = p.Open(t.Context())
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = s.Journal(t.Context(), a.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
}

// Key is the key of the journals in the tests that have one.
func Key() journal.Key { return journal.Key(strings.Repeat("k", journal.KeyBytes)) }

// testJournalKey: a journal that is written with a key is authentic, in the log and as a copy of it.
func testJournalKey(t *testing.T, s store.Store) {
	key := Key()
	p := place(t, s, Create(t, s, Submitted()).ID)
	j, err := p.Create(t.Context(), journal.Header{Source: "(f)"}, journal.Options{Key: key})
	require.NoError(t, err)
	effectOf(t, j, "0#1")
	require.NoError(t, j.Close())
	r, err := p.Open(t.Context())
	require.NoError(t, err)
	defer r.Close()
	rec, err := journal.Read(r, key)
	require.NoError(t, err)
	require.True(t, rec.Authentic)
	accepted := false
	j, _, err = p.Resume(t.Context(), nil, journal.Options{Key: key, Accept: func(rec *journal.Recording) error {
		accepted = rec.Authentic
		return nil
	}})
	require.NoError(t, err)
	require.NoError(t, j.Close())
	require.True(t, accepted)
	refused := errors.New("refused")
	refuse := func(*journal.Recording) error { return refused }
	_, _, err = p.Resume(t.Context(), nil, journal.Options{Key: key, Accept: refuse})
	require.ErrorIs(t, err, refused)
}

func testDelete(t *testing.T, s store.Store) {
	for _, state := range store.States() {
		run := Create(t, s, Submitted())
		if state != store.Queued {
			run = Become(t, s, run.ID, state)
		}
		err := s.Delete(t.Context(), run.ID)
		if !state.Final() {
			require.ErrorIs(t, err, store.ErrNotEnded, state)
			got, err := s.Get(t.Context(), run.ID)
			require.NoError(t, err)
			require.Equal(t, run, got)
			continue
		}
		require.NoError(t, err)
		_, err = s.Get(t.Context(), run.ID)
		require.ErrorIs(t, err, store.ErrNotFound)
		require.ErrorIs(t, s.Delete(t.Context(), run.ID), store.ErrNotFound)
		require.Empty(t, All(t, s, store.Query{States: []store.State{state}}))
	}
}

// testExpireAge: the age counts from the end of a run.
func testExpireAge(t *testing.T, s store.Store) {
	var done []store.Run
	for _, state := range []store.State{store.Succeeded, store.Failed, store.Cancelled, store.Poisoned} {
		done = append(done, Become(t, s, Create(t, s, Submitted()).ID, state))
	}
	left := Create(t, s, Submitted())
	expire(t, s, store.Retention{Age: time.Hour}, done[0].Ended.Add(time.Hour-time.Minute), 0)
	expire(t, s, store.Retention{Age: time.Hour}, done[3].Ended.Add(time.Hour+time.Second), 4)
	require.Equal(t, []store.Run{left}, whole(t, s))
}

// testExpireCount: runs are deleted in the order in which they ended, whenever they were created.
func testExpireCount(t *testing.T, s store.Store) {
	var ids []string
	for range 5 {
		ids = append(ids, Create(t, s, Submitted()).ID)
	}
	for _, i := range []int{3, 0, 4, 1} {
		Become(t, s, ids[i], store.Succeeded)
	}
	expire(t, s, store.Retention{Count: 4}, time.Now(), 0)
	expire(t, s, store.Retention{Count: 2}, time.Now(), 2)
	var left []string
	for _, r := range All(t, s, store.Query{Oldest: true}) {
		left = append(left, r.ID)
	}
	require.Equal(t, []string{ids[1], ids[2], ids[4]}, left)
}

func testExpireBytes(t *testing.T, s store.Store) {
	for range 3 {
		id := Create(t, s, Submitted()).ID
		journalOf(t, s, id, 1<<20)
		Become(t, s, id, store.Succeeded)
	}
	journalOf(t, s, Create(t, s, Submitted()).ID, 1<<20)
	expire(t, s, store.Retention{Bytes: 3<<20 + 100_000}, time.Now(), 0)
	expire(t, s, store.Retention{Bytes: 2<<20 + 100_000, Count: 3, Age: time.Hour}, time.Now(), 1)
	expire(t, s, store.Retention{Bytes: 1}, time.Now(), 2)
	require.Len(t, All(t, s, store.Query{}), 1)
}

func testExpireNothing(t *testing.T, s store.Store) {
	Become(t, s, Create(t, s, Submitted()).ID, store.Succeeded)
	for _, state := range store.States() {
		if !state.Final() && state != store.Queued {
			Become(t, s, Create(t, s, Submitted()).ID, state)
		}
	}
	expire(t, s, store.Retention{}, time.Now().AddDate(100, 0, 0), 0)
	expire(t, s, store.Retention{Age: 1, Count: 1, Bytes: 1}, time.Now().AddDate(100, 0, 0), 1)
	expire(t, s, store.Retention{Age: 1, Count: 1, Bytes: 1}, time.Now().AddDate(100, 0, 0), 0)
	require.Len(t, All(t, s, store.Query{}), 4)
}

func expire(t *testing.T, s store.Store, r store.Retention, now time.Time, want int) {
	t.Helper()
	n, err := s.Expire(t.Context(), r, now)
	require.NoError(t, err)
	require.Equal(t, want, n)
}

// whole returns all runs as Get returns them.
func whole(t *testing.T, s store.Store) (runs []store.Run) {
	for _, r := range All(t, s, store.Query{}) {
		run, err := s.Get(t.Context(), r.ID)
		require.NoError(t, err)
		runs = append(runs, run)
	}
	return runs
}

func testClosed(t *testing.T, s store.Store) {
	id := Create(t, s, Submitted()).ID
	require.NoError(t, s.Close())
	for name, err := range calls(t.Context(), s, id) {
		require.ErrorIs(t, err, store.ErrClosed, name)
	}
	require.ErrorIs(t, s.Close(), store.ErrClosed)
}

// testCancelled: a context that has ended begins nothing.
func testCancelled(t *testing.T, s store.Store) {
	kept := Create(t, s, Submitted())
	for name, err := range calls(ended(), s, kept.ID) {
		require.ErrorIs(t, err, ended().Err(), name)
	}
	require.Equal(t, []store.Run{kept}, whole(t, s))
}
