package dir_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
	"github.com/ptc-lang/ptc/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, t.TempDir()) })
}

// open opens a directory, which the end of the test closes unless the test does.
func open(t testing.TB, path string) *dir.Store {
	t.Helper()
	s, err := dir.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// filled returns the path of a directory with runs and documents, which is closed, and its contents.
func filled(t testing.TB, runs int) (path string, c storetest.Contents) {
	t.Helper()
	path = t.TempDir()
	s := open(t, path)
	fill(t, s, runs)
	c = storetest.Read(t, s)
	require.NoError(t, s.Close())
	return path, c
}

func fill(t testing.TB, s *dir.Store, runs int) {
	t.Helper()
	storetest.Fill(t, s, rand.New(rand.NewPCG(3, uint64(runs))), runs)
	for _, name := range []string{"deploy", "Deploy", "a/b"} {
		for range 2 {
			_, err := s.Put(t.Context(), store.Document{Kind: store.Programs, Name: name, Body: []byte(`{"source":"(f)"}`)})
			require.NoError(t, err)
		}
	}
	require.NoError(t, s.Remove(t.Context(), store.Programs, "a/b"))
}

// copied returns the path of a copy of a directory. A file that vanishes meanwhile is left out.
func copied(t testing.TB, path string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, copyDir(path, to))
	return to
}

func copyDir(from, to string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o600)
	})
}

// TestReopen: nothing is lost when the directory is opened again, nor in a copy of it, nor when it was moved.
func TestReopen(t *testing.T) {
	path, want := filled(t, 40)
	for range 2 {
		s := open(t, path)
		require.Equal(t, want, storetest.Read(t, s))
		require.NoError(t, s.Close())
	}
	s := open(t, copied(t, path))
	require.Equal(t, want, storetest.Read(t, s))
	moved := filepath.Join(t.TempDir(), "moved")
	require.NoError(t, os.Rename(path, moved))
	s = open(t, moved)
	require.Equal(t, want, storetest.Read(t, s))
	id := storetest.Create(t, s, storetest.Submitted()).ID
	for old := range want.Runs {
		require.Greater(t, id, old)
	}
}

// TestNotClosed: nothing is lost when the previous process did not close the directory.
func TestNotClosed(t *testing.T) {
	path := t.TempDir()
	s := open(t, path)
	fill(t, s, 30)
	want := storetest.Read(t, s)
	require.Equal(t, want, storetest.Read(t, open(t, copied(t, path))))
	require.NoError(t, s.Close())
	again := open(t, path) // closed, and used again without being closed
	for id, run := range want.Runs {
		if !run.State.Final() {
			storetest.Become(t, again, id, store.Cancelled)
		}
	}
	require.Equal(t, storetest.Read(t, again), storetest.Read(t, open(t, copied(t, path))))
}

// TestRelative: a directory holds although the working directory changes.
func TestRelative(t *testing.T) {
	t.Chdir(t.TempDir())
	s := open(t, "state")
	t.Chdir(t.TempDir())
	run := storetest.Create(t, s, storetest.Submitted())
	_, err := s.Get(t.Context(), run.ID)
	require.NoError(t, err)
	place, err := s.Journal(t.Context(), run.ID)
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(place.String()))
}

// TestModes: nobody else may read programs and data.
func TestModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	s := open(t, path)
	fill(t, s, 15)
	require.NoError(t, s.Close())
	require.NoError(t, filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		info, _ := d.Info()
		require.Zero(t, info.Mode().Perm()&0o077, name)
		return err
	}))
}

// TestInUse: one at a time uses a directory, and the error names it.
func TestInUse(t *testing.T) {
	path := t.TempDir()
	s := open(t, path)
	_, err := dir.Open(path)
	require.ErrorIs(t, err, store.ErrInUse)
	require.ErrorContains(t, err, "in use by this process already")
	require.NoError(t, os.WriteFile(filepath.Join(path, "lock"), []byte("99999 X\n"), 0o600))
	_, err = dir.Open(path)
	require.ErrorContains(t, err, "in use by process 99999")
	require.NoError(t, os.WriteFile(filepath.Join(path, "lock"), nil, 0o600))
	_, err = dir.Open(path)
	require.ErrorContains(t, err, "in use by another process")
	storetest.Create(t, s, storetest.Submitted())
	require.NoError(t, s.Close())
	open(t, path)
}

// TestNoDirectory: a path that can't be a directory is an error that names it.
func TestNoDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, path := range []string{file, filepath.Join(file, "below")} {
		_, err := dir.Open(path)
		require.ErrorContains(t, err, file)
	}
}

// TestStrangers: foreign files, and the leftovers of interrupted changes, are not runs.
func TestStrangers(t *testing.T) {
	path, want := filled(t, 10)
	for _, name := range []string{"runs/.DS_Store", "runs/lost+found/x", "runs/00000000000000000000000000", "runs/x/run.json",
		"tmp/01h00000000000000000000000/run.json", "tmp/run.json-123", "documents/.x", "documents/programs/%", "documents/programs/%zz",
		"documents/programs/A/1.json", "documents/programs/deploy/x.json", "documents/programs/deploy/01.json", "documents/NO/x/1.json",
		"notes.txt"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(path, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(path, name), []byte("x"), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(path, "runs", "01h00000000000000000000000"), 0o700))
	s := open(t, path)
	require.Equal(t, want, storetest.Read(t, s))
	left, err := os.ReadDir(filepath.Join(path, "tmp"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestCopyWhileWritten copies a directory that is in use: each run in the copy is in the state after one of
// its changes. Each change adds a line to the prints, and the last one adds a value, so a mixture of states
// would show.
func TestCopyWhileWritten(t *testing.T) {
	path := t.TempDir()
	s := open(t, path)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := wholeLife(t, s); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range testlevel.Size(2, 5) {
		c := open(t, copied(t, path))
		damaged, err := c.Damaged(t.Context())
		require.NoError(t, err)
		require.Empty(t, damaged)
		for _, brief := range storetest.All(t, c, store.Query{}) {
			run, err := c.Get(t.Context(), brief.ID)
			require.NoError(t, err)
			require.Equal(t, run.Attempts, strings.Count(run.Prints, "\n"))
			require.Equal(t, run.State == store.Succeeded, run.Value != nil)
			require.Len(t, run.Source, 100_000)
		}
		require.NoError(t, c.Close())
	}
	close(stop)
	wg.Wait()
}

// wholeLife creates a run and changes it until it has ended.
func wholeLife(t *testing.T, s *dir.Store) error {
	run := storetest.Submitted()
	run.Source = strings.Repeat("x", 100_000)
	run, _, err := s.Create(t.Context(), run)
	for i := 0; i < 5 && err == nil; i++ {
		run, err = s.Update(t.Context(), run.ID, func(r *store.Run) error {
			r.State, r.Attempts = store.Running, r.Attempts+1
			r.Prints += strconv.Itoa(i) + "\n"
			if i == 4 {
				r.State, r.Value = store.Succeeded, []byte(`"`+strings.Repeat("v", 100_000)+`"`)
			}
			return nil
		})
	}
	return err
}

// TestOpenIsConstant: to open a store allocates no more with many runs than with few, so a service with many starts as
// fast.
func TestOpenIsConstant(t *testing.T) {
	path := t.TempDir()
	allocs := func(runs int) float64 {
		s := open(t, path)
		var wg sync.WaitGroup
		for range 10 { // which wait for the disk beside each other
			wg.Go(func() {
				for range runs / 10 {
					if _, _, err := s.Create(t.Context(), storetest.Submitted()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		require.NoError(t, s.Close())
		return testing.AllocsPerRun(5, func() {
			s, err := dir.Open(path)
			require.NoError(t, err)
			require.NoError(t, s.Close())
		})
	}
	few := allocs(10)
	many := allocs(300)
	t.Logf("%v and %v allocations", few, many)
	require.Less(t, many, few+100)
}
