package durable_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/durable"
)

// TestReplace: a reader never finds a part.
func TestReplace(t *testing.T) {
	folder, temp := t.TempDir(), t.TempDir()
	path := filepath.Join(folder, "file")
	write := func(c byte, n int) {
		replaced, err := durable.Replace(path, temp, bytes.Repeat([]byte{c}, n))
		require.NoError(t, err)
		require.True(t, replaced)
	}
	write('a', 100_000)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			text, err := os.ReadFile(path)
			if err != nil || len(text) < 50_000 || len(bytes.Trim(text, string(text[:1]))) > 0 {
				t.Errorf("read %d bytes, error %v", len(text), err)
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for i := range 50 {
		write("ab"[i%2], 50_000*(1+i%3))
	}
	close(done)
	wg.Wait()
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestReplaceFails: the file stays as it was, and nothing else is left.
func TestReplaceFails(t *testing.T) {
	folder, temp := t.TempDir(), t.TempDir()
	path := filepath.Join(folder, "directory")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "full"), 0o700))
	replaced, err := durable.Replace(path, temp, []byte("x"))
	require.Error(t, err)
	require.False(t, replaced)
	_, err = durable.Replace(filepath.Join(folder, "none", "file"), temp, []byte("x"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = durable.Replace(filepath.Join(folder, "file"), filepath.Join(temp, "none"), []byte("x"))
	require.ErrorIs(t, err, os.ErrNotExist)
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, durable.Create(path, []byte("first")))
	require.ErrorIs(t, durable.Create(path, []byte("second")), os.ErrExist)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "first", string(text))
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		require.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	first := open()
	unlock, err := durable.Lock(first)
	require.NoError(t, err)
	_, err = durable.Lock(open())
	require.ErrorIs(t, err, durable.ErrHeld)
	require.NoError(t, errors.Join(unlock(), first.Close()))
	unlock, err = durable.Lock(open())
	require.NoError(t, err)
	require.NoError(t, unlock())
}
