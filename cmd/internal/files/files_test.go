package files_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cmd/internal/files"
)

// made makes a file with a text.
func made(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.ptc")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o640))
	return name
}

// wantsAlone wants a file to have a text, and no other file beside it.
func wantsAlone(t *testing.T, name, text string) {
	t.Helper()
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, text, string(got))
	beside, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	require.Len(t, beside, 1)
}

func TestReplace(t *testing.T) {
	name := made(t, "old")
	require.NoError(t, files.Replace(name, "old", "new"))
	wantsAlone(t, name, "new")
	info, err := os.Stat(name)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		require.Equal(t, os.FileMode(0o640), info.Mode())
	}
}

// TestReplaceLink replaces the target of a link, and keeps the link.
func TestReplaceLink(t *testing.T) {
	name := made(t, "old")
	link := filepath.Join(t.TempDir(), "link.ptc")
	require.NoError(t, os.Symlink(name, link))
	require.NoError(t, files.Replace(link, "old", "new"))
	wantsAlone(t, name, "new")
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
}

// TestReplaceChanged keeps a change that somebody else has made in the meantime, however small.
func TestReplaceChanged(t *testing.T) {
	for _, now := range []string{"", "ol", "olD", "old "} {
		name := made(t, now)
		require.EqualError(t, files.Replace(name, "old", "new"), name+": another program changed the file, which is left unchanged; try again")
		wantsAlone(t, name, now)
	}
}

func TestReplaceRefuses(t *testing.T) {
	dir := t.TempDir()
	require.ErrorContains(t, files.Replace(dir, "", "new"), "not a regular file")
	missing := filepath.Join(dir, "missing.ptc")
	require.ErrorIs(t, files.Replace(missing, "", "new"), os.ErrNotExist)
	if os.Getuid() > 0 { // root may write anything
		name := made(t, "old")
		require.NoError(t, os.Chmod(name, 0o440))
		require.ErrorIs(t, files.Replace(name, "old", "new"), os.ErrPermission)
		wantsAlone(t, name, "old")
	}
}

func TestRead(t *testing.T) {
	name := made(t, "1234")
	text, ok, err := files.Read(name, 4)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "1234", string(text))
	_, ok, err = files.Read(name, 3)
	require.NoError(t, err)
	require.False(t, ok)
	_, _, err = files.Read(filepath.Dir(name), 3)
	require.EqualError(t, err, filepath.Dir(name)+": is a directory")
	_, _, err = files.Read(name+"x", 3)
	require.EqualError(t, err, name+"x: no such file or directory")
}

// late is a context that has ended, which Await asks when the function has returned.
type late struct {
	context.Context
	returned <-chan struct{}
}

func (l late) Done() <-chan struct{} {
	<-l.returned
	time.Sleep(time.Millisecond) // the results are on their way
	return l.Context.Done()
}

// TestAwait requires the error of a context that has ended, also if the function returns at the same moment.
func TestAwait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	got, err := files.Await(ctx, func() (int, error) { return 1, nil })
	require.NoError(t, err)
	require.Equal(t, 1, got)
	cancel()
	for range 50 {
		returned := make(chan struct{})
		_, err := files.Await(late{ctx, returned}, func() (int, error) {
			close(returned)
			return 1, nil
		})
		require.ErrorIs(t, err, context.Canceled)
	}
}
