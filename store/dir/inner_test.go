package dir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/storetest"
)

func openAt(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// TestClock: a clock that is set back changes no order.
func TestClock(t *testing.T) {
	path := t.TempDir()
	s := openAt(t, path)
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return at }
	first := storetest.Create(t, s, storetest.Submitted())
	require.Equal(t, at, first.Created)
	at = at.Add(-24 * time.Hour)
	second := storetest.Create(t, s, storetest.Submitted())
	require.Greater(t, second.ID, first.ID)
	first = storetest.Become(t, s, first.ID, store.Cancelled)
	require.Equal(t, first.Created, first.Updated)
	require.Equal(t, first.Created, first.Ended)
	require.NoError(t, s.Close())
	s = openAt(t, path)
	s.now = func() time.Time { return at }
	require.Greater(t, storetest.Create(t, s, storetest.Submitted()).ID, second.ID)
}

// TestTrusted: an index that was closed is used unchanged, and one that was not closed is rebuilt.
func TestTrusted(t *testing.T) {
	path := t.TempDir()
	s := openAt(t, path)
	storetest.Create(t, s, storetest.Submitted())
	mark := func(s *Store) {
		require.NoError(t, s.index.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(countsBucket).Put([]byte("mark"), make([]byte, 8)) }))
	}
	marked := func(s *Store) (ok bool) {
		require.NoError(t, s.index.db.View(func(tx *bbolt.Tx) error { ok = tx.Bucket(countsBucket).Get([]byte("mark")) != nil; return nil }))
		return ok
	}
	mark(s)
	require.NoError(t, s.Close())
	s = openAt(t, path)
	require.True(t, marked(s))
	require.NoError(t, errors.Join(s.index.close(), s.lock.Close())) // as if it was killed
	s.closed = true
	s = openAt(t, path)
	require.False(t, marked(s))
	require.Len(t, storetest.All(t, s, store.Query{}), 1)
}

// TestLate: a change that the index could not follow is durable, and is listed as soon as the index can be written.
func TestLate(t *testing.T) {
	path := t.TempDir()
	s := openAt(t, path)
	changed := storetest.Create(t, s, storetest.Submitted())
	deleted := storetest.Create(t, s, storetest.Submitted())
	damaged := storetest.Create(t, s, storetest.Submitted())
	storetest.Become(t, s, deleted.ID, store.Failed)
	require.NoError(t, s.index.db.Close())
	created := storetest.Create(t, s, storetest.Submitted())
	changed = storetest.Become(t, s, changed.ID, store.Running)
	require.NoError(t, s.Delete(t.Context(), deleted.ID))
	require.NoError(t, os.Truncate(filepath.Join(path, runsDir, damaged.ID, runFile), 3))
	_, err := s.Get(t.Context(), damaged.ID)
	require.ErrorIs(t, err, store.ErrDamaged)

	_, err = s.List(t.Context(), store.Query{})
	require.Error(t, err, "an old list would be wrong")
	_, err = s.Count(t.Context(), "")
	require.Error(t, err)
	keyed := storetest.Submitted()
	keyed.Key = "k"
	_, _, err = s.Create(t.Context(), keyed)
	require.Error(t, err, "the index may lack its key")

	s.index, err = openBolt(filepath.Join(path, indexFile))
	require.NoError(t, err)
	require.Equal(t, []store.Run{created.Brief(), changed.Brief()}, storetest.All(t, s, store.Query{}))
	list, err := s.Damaged(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Empty(t, s.late)
}

// TestLateClosed: an index that has not followed all runs is not trusted later.
func TestLateClosed(t *testing.T) {
	path := t.TempDir()
	s := openAt(t, path)
	run := storetest.Create(t, s, storetest.Submitted())
	require.NoError(t, s.index.db.Close())
	run = storetest.Become(t, s, run.ID, store.Running)
	_ = s.Close()
	q := store.Query{States: []store.State{store.Running}}
	require.Equal(t, []store.Run{run.Brief()}, storetest.All(t, openAt(t, path), q))
}

// TestNeverFollowed: the same if the index can be written, and a run can't be read.
func TestNeverFollowed(t *testing.T) {
	path := t.TempDir()
	s := openAt(t, path)
	run := storetest.Create(t, s, storetest.Submitted())
	file, away := s.file(runsDir, run.ID, runFile), filepath.Join(t.TempDir(), "away")
	require.NoError(t, os.Rename(file, away))
	require.NoError(t, os.Mkdir(file, 0o700))
	_, err := s.Get(t.Context(), run.ID)
	require.Error(t, err)
	require.NotErrorIs(t, err, store.ErrDamaged, "it may be readable later")
	s.behind(run.ID, err)
	_, err = s.List(t.Context(), store.Query{})
	require.Error(t, err)
	require.NoError(t, s.Close())
	require.NoFileExists(t, filepath.Join(path, sumFile))
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.Rename(away, file))
	require.Equal(t, []store.Run{run.Brief()}, storetest.All(t, openAt(t, path), store.Query{}))
}

// TestFailedSync: after a failed sync of names nothing is written, but everything can be read.
func TestFailedSync(t *testing.T) {
	s := openAt(t, t.TempDir())
	run := storetest.Create(t, s, storetest.Submitted())
	storetest.Become(t, s, run.ID, store.Failed)
	require.Error(t, s.sync(s.file("nothing")))
	require.NoError(t, s.sync(s.file()), "a repetition succeeds")
	ctx := t.Context()
	_, _, create := s.Create(ctx, storetest.Submitted())
	_, update := s.Update(ctx, run.ID, func(*store.Run) error { return nil })
	_, expire := s.Expire(ctx, store.Retention{Count: 1}, time.Now())
	_, put := s.Put(ctx, store.Document{Kind: store.Programs, Name: "p", Body: []byte(`1`)})
	for _, err := range []error{create, update, expire, put, s.Delete(ctx, run.ID), s.Remove(ctx, store.Programs, "p")} {
		require.ErrorContains(t, err, "takes no changes until it is opened again")
	}
	require.Len(t, storetest.All(t, s, store.Query{}), 1)
	_, err := s.Get(ctx, run.ID)
	require.NoError(t, err)
}

// TestInterrupted: a folder that was not moved to its place is ignored, and so are the leftovers of a deleted run.
func TestInterrupted(t *testing.T) {
	path := t.TempDir()
	s := openAt(t, path)
	keyed := storetest.Submitted()
	keyed.Key = "k"
	run := storetest.Become(t, s, storetest.Create(t, s, keyed).ID, store.Failed)
	require.NoError(t, s.moveAway(run.ID)) // and no more
	require.NoError(t, os.Mkdir(s.file(tempDir, s.ids.Next(time.Now())), 0o700))
	_, err := s.Get(t.Context(), run.ID)
	require.ErrorIs(t, err, store.ErrNotFound)
	again := storetest.Create(t, s, keyed).Brief()
	n, err := s.Expire(t.Context(), store.Retention{Age: 1}, time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Zero(t, n)
	require.Equal(t, []store.Run{again}, storetest.All(t, s, store.Query{}))
	require.NoError(t, s.Close())
	s = openAt(t, path)
	require.Equal(t, []store.Run{again}, storetest.All(t, s, store.Query{}))
	left, err := os.ReadDir(s.file(tempDir))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestInputOnce: a large input is written once.
func TestInputOnce(t *testing.T) {
	s := openAt(t, t.TempDir())
	run := storetest.Submitted()
	run.Source = strings.Repeat("x", maxInline+1)
	run = storetest.Create(t, s, run)
	before, err := os.Stat(s.file(runsDir, run.ID, inputFile))
	require.NoError(t, err)
	storetest.Become(t, s, run.ID, store.Succeeded)
	after, err := os.Stat(s.file(runsDir, run.ID, inputFile))
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after))
	require.Equal(t, before.ModTime(), after.ModTime())
	small, err := os.Stat(s.file(runsDir, run.ID, runFile))
	require.NoError(t, err)
	require.Less(t, small.Size(), int64(2000))
	run.Source = run.Source[:100]
	run.Data = nil
	run = storetest.Create(t, s, store.Run{State: store.Queued, Tenant: "a", Submission: run.Submission})
	_, err = os.Stat(s.file(runsDir, run.ID, inputFile))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// FuzzRun writes anything as a run, also with the right checksum: at most that run is damaged, and the
// others are not affected.
func FuzzRun(f *testing.F) {
	path := f.TempDir()
	s := openAt(f, path)
	good := storetest.Submitted()
	good.Key, good.Source = "k", strings.Repeat("x", maxInline)
	run, other := storetest.Create(f, s, good), storetest.Create(f, s, storetest.Submitted())
	name := s.file(runsDir, run.ID, runFile)
	text, err := os.ReadFile(name)
	require.NoError(f, err)
	body := text[len(head)+8+len(middle) : len(text)-len(tail)]
	for _, seed := range []string{string(body), `{}`, `null`, `{"id":"` + run.ID + `"}`,
		strings.Replace(string(body), "queued", "failed", 1), strings.Replace(string(body), `"inputSum":"`, `"inputSum":"0`, 1),
		strings.Replace(string(body), `north`, `a\u0000b`, 1), strings.Replace(string(body), `"labels":{`, `"labels":{"":"",`, 1)} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Add(text, false)
	f.Fuzz(func(t *testing.T, body []byte, withSum bool) {
		if withSum {
			if sum, _, err := sealed(rawBody(body)); err == nil {
				body = sum
			}
		}
		require.NoError(t, os.WriteFile(name, body, 0o600))
		_, err := s.Get(t.Context(), run.ID)
		if err != nil && !errors.Is(err, store.ErrDamaged) {
			t.Fatal(err)
		}
		require.NoError(t, s.reindex(run.ID))
		_, _, err = s.Create(t.Context(), good)
		if err != nil && !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrKeyReused) {
			t.Fatal(err)
		}
		runs := storetest.All(t, s, store.Query{States: []store.State{store.Queued}, Oldest: true})
		if len(runs) == 0 || runs[len(runs)-1].ID != other.ID {
			t.Fatalf("run %s is not listed any more", other.ID)
		}
	})
}

// rawBody is a body that is encoded unchanged if it is JSON.
type rawBody []byte

func (b rawBody) MarshalJSON() ([]byte, error) { return b, nil }
