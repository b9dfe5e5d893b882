// This file defines the tests of damaged files.

package dir_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/storetest"
)

// TestIndexDamage loses and damages the index in many ways: each time it is as if nothing had happened.
func TestIndexDamage(t *testing.T) {
	path, want := filled(t, 8)
	other, _ := filled(t, 5)
	stale := copied(t, path) // the index of before, with its sum
	s := open(t, path)
	for id, run := range want.Runs {
		if !run.State.Final() {
			storetest.Become(t, s, id, store.Failed)
		}
	}
	want = storetest.Read(t, s)
	require.NoError(t, s.Close())

	type damage func(index, sum string) error
	ways := map[string]damage{
		"both missing":      func(index, sum string) error { _ = os.Remove(sum); return os.Remove(index) },
		"index missing":     func(index, _ string) error { return os.Remove(index) },
		"sum missing":       func(_, sum string) error { return os.Remove(sum) },
		"index empty":       func(index, _ string) error { return os.Truncate(index, 0) },
		"sum empty":         func(_, sum string) error { return os.Truncate(sum, 0) },
		"index a directory": func(index, _ string) error { _ = os.Remove(index); return os.MkdirAll(index+"/x", 0o700) },
		"garbage": func(index, _ string) error {
			return os.WriteFile(index, bytes.Repeat([]byte("garbage\n"), 9000), 0o600)
		},
		"zeros":      func(index, _ string) error { return os.WriteFile(index, make([]byte, 65536), 0o600) },
		"longer":     func(index, _ string) error { return appended(index, make([]byte, 4096)) },
		"sum longer": func(_, sum string) error { return appended(sum, []byte("x")) },
		"exchanged": func(index, sum string) error {
			_ = os.Rename(index, index+"2")
			_ = os.Rename(sum, index)
			return os.Rename(index+"2", sum)
		},
		"index of another directory": func(index, _ string) error { return copyFile(filepath.Join(other, "index"), index) },
		"both of another directory": func(index, sum string) error {
			_ = copyFile(filepath.Join(other, "index"), index)
			return copyFile(filepath.Join(other, "index.sum"), sum)
		},
		"old index": func(index, _ string) error { return copyFile(filepath.Join(stale, "index"), index) },
		"old sum":   func(_, sum string) error { return copyFile(filepath.Join(stale, "index.sum"), sum) },
		"both old": func(index, sum string) error {
			_ = copyFile(filepath.Join(stale, "index"), index)
			return copyFile(filepath.Join(stale, "index.sum"), sum)
		},
	}
	for i := range 12 {
		if !testlevel.Takes(i, 4) {
			continue
		}
		ways[fmt.Sprintf("index cut at %d of 12", i)] = func(index, _ string) error { return cut(index, i) }
		ways[fmt.Sprintf("a byte changed at %d of 12", i)] = func(index, _ string) error { return flip(index, i) }
		ways[fmt.Sprintf("a byte of the sum changed at %d of 12", i)] = func(_, sum string) error { return flip(sum, i) }
	}
	for name, damage := range ways {
		t.Run(name, func(t *testing.T) {
			c := filepath.Join(t.TempDir(), "c")
			require.NoError(t, copyDir(path, c))
			keepTime(t, path, c)
			require.NoError(t, damage(filepath.Join(c, "index"), filepath.Join(c, "index.sum")))
			s := open(t, c)
			require.Equal(t, want, storetest.Read(t, s))
		})
	}
}

// keepTime sets the time of the runs of a copy, as programs for backups do.
func keepTime(t *testing.T, from, to string) {
	info, err := os.Stat(filepath.Join(from, "runs"))
	require.NoError(t, err)
	require.NoError(t, os.Chtimes(filepath.Join(to, "runs"), info.ModTime(), info.ModTime()))
}

// TestFoldersByHand: an index that was closed is not trusted if runs were added or removed since.
func TestFoldersByHand(t *testing.T) {
	path, want := filled(t, 10)
	var gone string
	for id := range want.Runs {
		gone = id
	}
	away := filepath.Join(t.TempDir(), "away")
	require.NoError(t, os.Rename(filepath.Join(path, "runs", gone), away))
	s := open(t, path)
	require.Len(t, storetest.Read(t, s).Runs, 9)
	require.NoError(t, s.Close())
	require.NoError(t, os.Rename(away, filepath.Join(path, "runs", gone)))
	require.Equal(t, want, storetest.Read(t, open(t, path)))
}

func appended(path string, more []byte) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, more...), 0o600)
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}

func cut(path string, twelfth int) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Truncate(path, info.Size()*int64(twelfth)/12)
}

func flip(path string, twelfth int) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text[len(text)*twelfth/12] ^= 0x40
	return os.WriteFile(path, text, 0o600)
}

// TestRunDamage changes each byte of a run, and its files as a whole: only that run is then damaged.
func TestRunDamage(t *testing.T) {
	path := t.TempDir()
	s := open(t, path)
	large := storetest.Submitted()
	large.Source = string(bytes.Repeat([]byte("; source\n"), 10_000))
	another := large
	another.Source += "."
	run, next := storetest.Create(t, s, large), storetest.Create(t, s, storetest.Submitted())
	file, input := filepath.Join(path, "runs", run.ID, "run.json"), filepath.Join(path, "runs", run.ID, "input.json")
	damaged := func(name string) {
		t.Helper()
		_, err := s.Get(t.Context(), run.ID)
		require.ErrorIs(t, err, store.ErrDamaged, name)
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	step := 1
	if testlevel.Small() {
		step = 13
	}
	for i := 0; i < len(text); i += step {
		for _, bit := range []byte{1, 0x20, 0x80} {
			changed := bytes.Clone(text)
			changed[i] ^= bit
			require.NoError(t, os.WriteFile(file, changed, 0o600))
			damaged(fmt.Sprintf("byte %d of %s", i, text))
		}
		require.NoError(t, os.WriteFile(file, text[:i], 0o600))
		damaged(fmt.Sprintf("cut at byte %d", i))
	}
	require.NoError(t, copyFile(filepath.Join(path, "runs", next.ID, "run.json"), file))
	damaged("of another run")
	require.NoError(t, os.Remove(file))
	damaged("missing")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	whole, err := os.ReadFile(input)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(input, 100))
	damaged("input cut")
	elsewhere := t.TempDir()
	other := storetest.Create(t, open(t, elsewhere), another)
	require.NoError(t, copyFile(filepath.Join(elsewhere, "runs", other.ID, "input.json"), input))
	damaged("input of another run")
	require.NoError(t, os.Remove(input))
	damaged("input missing")
	_, err = s.Update(t.Context(), run.ID, func(r *store.Run) error { r.State = store.Running; return nil })
	require.ErrorIs(t, err, store.ErrDamaged)

	for range 3 { // now, after a close, and with a new index
		require.Equal(t, []store.Run{next.Brief()}, storetest.All(t, s, store.Query{}))
		list, err := s.Damaged(t.Context())
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, run.ID, list[0].ID)
		require.Contains(t, list[0].Reason, "input.json is missing")
		got, err := s.Get(t.Context(), next.ID)
		require.NoError(t, err)
		require.Equal(t, next, got)
		require.NoError(t, s.Close())
		s = open(t, path)
		_ = os.Remove(filepath.Join(path, "index.sum"))
	}
	require.NoError(t, s.Close())
	require.NoError(t, os.WriteFile(input, whole, 0o600))
	s = open(t, path)
	got, err := s.Get(t.Context(), run.ID)
	require.NoError(t, err)
	require.Equal(t, run, got, "repaired")
	require.Len(t, storetest.All(t, s, store.Query{}), 2)
}

// TestDamagedKey: a submission whose run is damaged does not run again, until the run is deleted.
func TestDamagedKey(t *testing.T) {
	path := t.TempDir()
	s := open(t, path)
	run := storetest.Submitted()
	run.Key = "k"
	kept := storetest.Create(t, s, run)
	require.NoError(t, os.Truncate(filepath.Join(path, "runs", kept.ID, "run.json"), 10))
	for range 2 {
		_, _, err := s.Create(t.Context(), run)
		require.ErrorIs(t, err, store.ErrDamaged)
		require.Empty(t, storetest.All(t, s, store.Query{}))
	}
	require.NoError(t, s.Delete(t.Context(), kept.ID))
	list, err := s.Damaged(t.Context())
	require.NoError(t, err)
	require.Empty(t, list)
	storetest.Create(t, s, run)
}

func TestDocumentDamage(t *testing.T) {
	path := t.TempDir()
	s := open(t, path)
	fill(t, s, 1)
	file := filepath.Join(path, "documents", "programs", "deploy", "2.json")
	require.NoError(t, flip(file, 9))
	_, err := s.Document(t.Context(), store.Programs, "deploy", 0)
	require.ErrorIs(t, err, store.ErrDamaged, "an older version could be another program")
	_, err = s.Document(t.Context(), store.Programs, "deploy", 1)
	require.NoError(t, err)
	list, err := s.Damaged(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "programs/deploy", list[0].ID)
	docs, err := s.Documents(t.Context(), store.Programs, "", 0)
	require.NoError(t, err)
	require.Len(t, docs, 1)
	require.Equal(t, "Deploy", docs[0].Name)
	doc, err := s.Put(t.Context(), store.Document{Kind: store.Programs, Name: "deploy", Body: []byte(`1`)})
	require.NoError(t, err)
	require.Equal(t, 3, doc.Version)
}
