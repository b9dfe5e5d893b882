package store_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	cluster "github.com/ptc-lang/ptc/cluster/internal/store"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
	"github.com/ptc-lang/ptc/store/storetest"
)

// furnish fills a store with runs, journals and documents. It returns a run that continues.
func furnish(t *testing.T, s store.Store) (running string) {
	t.Helper()
	storetest.Fill(t, s, rand.New(rand.NewPCG(3, 4)), 25)
	running = storetest.Create(t, s, storetest.Submitted()).ID
	p, err := s.Journal(t.Context(), running)
	require.NoError(t, err)
	j, err := p.Create(t.Context(), journal.Header{Source: "(f)"}, journal.Options{Key: storetest.Key()})
	require.NoError(t, err)
	for _, id := range []string{"0#1", "0#2"} {
		_, _, err = j.Begin(t.Context(), effect.Effect{ID: id, Kind: effect.KindCall, Name: "f", Class: effect.Write})
		require.NoError(t, err)
		require.NoError(t, j.End(id, effect.Record{Result: []byte("1")}))
	}
	require.NoError(t, j.Close())
	done := storetest.Create(t, s, storetest.Submitted()).ID
	p, err = s.Journal(t.Context(), done)
	require.NoError(t, err)
	j, err = p.Create(t.Context(), journal.Header{Source: strings.Repeat("x", 300_000)}, journal.Options{})
	require.NoError(t, err)
	require.NoError(t, j.Finish(journal.Final{Value: "1"}))
	require.NoError(t, j.Close())
	storetest.Become(t, s, done, store.Succeeded)
	for _, kind := range []store.Kind{store.Programs, store.Schedules, store.Quotas} {
		for i := range 23 {
			body, err := json.Marshal(strings.Repeat("b", i*10_000))
			require.NoError(t, err)
			_, err = s.Put(t.Context(), store.Document{Kind: kind, Name: "../ä", By: "ada", Body: body})
			require.NoError(t, err)
		}
	}
	return running
}

// same wants two stores to have the same contents, with all versions and journals.
func same(t *testing.T, a, b store.Store) {
	t.Helper()
	contents := storetest.Read(t, a)
	require.Equal(t, contents, storetest.Read(t, b))
	for _, d := range contents.Documents {
		versions, err := a.Versions(t.Context(), d.Kind, d.Name)
		require.NoError(t, err)
		others, err := b.Versions(t.Context(), d.Kind, d.Name)
		require.NoError(t, err)
		require.Equal(t, versions, others)
		for _, v := range versions {
			one, err := a.Document(t.Context(), d.Kind, d.Name, v.Version)
			require.NoError(t, err)
			two, err := b.Document(t.Context(), d.Kind, d.Name, v.Version)
			require.NoError(t, err)
			require.Equal(t, one, two)
		}
	}
	for id := range contents.Runs {
		require.Equal(t, recording(t, a, id), recording(t, b, id))
	}
}

// recording returns the contents of the journal of a run, as JSON; "" if it has not begun.
func recording(t *testing.T, s store.Store, id string) string {
	t.Helper()
	p, err := s.Journal(t.Context(), id)
	require.NoError(t, err)
	r, err := p.Open(t.Context())
	if err != nil {
		return ""
	}
	defer r.Close()
	rec, err := journal.Read(r, storetest.Key())
	require.NoError(t, err)
	text, err := json.Marshal(struct {
		H         journal.Header
		E         []journal.Entry
		F         *journal.Final
		Authentic bool
	}{rec.Header, rec.Entries, rec.Final, rec.Authentic})
	require.NoError(t, err)
	return string(text)
}

// goesOn resumes a run, and wants its effects to be known.
func goesOn(t *testing.T, s store.Store, id string) {
	t.Helper()
	p, err := s.Journal(t.Context(), id)
	require.NoError(t, err)
	j, rec, err := p.Resume(t.Context(), nil, journal.Options{Key: storetest.Key()})
	require.NoError(t, err)
	require.Len(t, rec.Entries, 2)
	_, do, err := j.Begin(t.Context(), rec.Entries[0].Effect)
	require.NoError(t, err)
	require.False(t, do)
	require.NoError(t, j.Close())
}

// TestMigrate requires a cluster to have all that the store of a single service had, and its runs to continue.
func TestMigrate(t *testing.T) {
	single, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	defer single.Close()
	running := furnish(t, single)
	s := open(t, member(), newBoxes(), cluster.Options{Seal: sealer{}})
	m, err := s.Migrate(t.Context(), single)
	require.NoError(t, err)
	require.Equal(t, cluster.Migrated{Runs: 27, Documents: 3}, m)
	m, err = s.Migrate(t.Context(), single)
	require.NoError(t, err)
	require.Zero(t, m)
	same(t, single, s)
	goesOn(t, s, running)
	doc, err := s.Put(t.Context(), store.Document{Kind: store.Programs, Name: "../ä", Body: []byte("1")})
	require.NoError(t, err)
	require.Equal(t, 24, doc.Version)
}

// TestBackup requires a restored cluster to be as it was, and an incomplete backup to be refused.
func TestBackup(t *testing.T) {
	s := open(t, member(), newBoxes(), cluster.Options{Seal: sealer{}})
	running := furnish(t, s)
	var b bytes.Buffer
	require.NoError(t, s.Backup(t.Context(), &b))
	require.ErrorIs(t, s.Restore(t.Context(), bytes.NewReader(b.Bytes())), store.ErrInUse)
	restored := open(t, member(), newBoxes(), cluster.Options{Seal: sealer{}})
	require.NoError(t, restored.Restore(t.Context(), bytes.NewReader(b.Bytes())))
	same(t, s, restored)
	goesOn(t, restored, running)
	one, err := s.Results(t.Context(), "", 0)
	require.NoError(t, err)
	two, err := restored.Results(t.Context(), "", 0)
	require.NoError(t, err)
	require.Equal(t, one, two)
	lines := bytes.SplitAfter(b.Bytes(), []byte("\n"))
	for _, cut := range [][]byte{nil, b.Bytes()[:b.Len()/2], bytes.Join(lines[:len(lines)-2], nil),
		bytes.Join(lines[1:], nil)} {
		empty := open(t, member(), newBoxes(), cluster.Options{Seal: sealer{}})
		require.Error(t, empty.Restore(t.Context(), bytes.NewReader(cut)))
	}
}
