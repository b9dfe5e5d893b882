package state

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/journal"
)

// home sets a folder for the state of the test, which does not exist yet.
func home(t *testing.T) (dir string) {
	t.Helper()
	base := filepath.Join(t.TempDir(), "new")
	t.Setenv("XDG_STATE_HOME", base)
	return filepath.Join(base, "ptc")
}

func TestMakeKey(t *testing.T) {
	dir := home(t)
	path, err := KeyFile("")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "journal.key"), path)
	_, err = Key(path)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoDirExists(t, dir, "looking for a key makes nothing")

	key, err := MakeKey(path)
	require.NoError(t, err)
	require.Len(t, key, journal.KeyBytes)
	again, err := MakeKey(path)
	require.NoError(t, err)
	require.Equal(t, key, again)
	if runtime.GOOS != "windows" {
		for name, mode := range map[string]os.FileMode{path: 0o600, dir: 0o700} {
			info, err := os.Stat(name)
			require.NoError(t, err)
			assert.Equal(t, mode, info.Mode().Perm(), name)
		}
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "no file is left beside the key")

	given := filepath.Join(t.TempDir(), "team.key")
	other, err := MakeKey(given)
	require.NoError(t, err)
	require.NotEqual(t, key, other)
	_, err = MakeKey(filepath.Join(t.TempDir(), "none", "team.key"))
	require.ErrorIs(t, err, fs.ErrNotExist, "a folder that is named must exist")
}

// TestFirstRunsAtOnce has several processes make the key: all get the same, and a whole one.
func TestFirstRunsAtOnce(t *testing.T) {
	for range 20 {
		home(t)
		path, err := KeyFile("")
		require.NoError(t, err)
		keys := make([]journal.Key, 16)
		var wg sync.WaitGroup
		start := make(chan struct{})
		for i := range keys {
			wg.Go(func() {
				<-start
				key, err := MakeKey(path)
				assert.NoError(t, err)
				keys[i] = key
			})
		}
		close(start)
		wg.Wait()
		for _, key := range keys {
			require.Equal(t, keys[0], key)
		}
	}
}

// TestBadKeys checks that a file that is not a key, or not secret, is refused and stays unchanged.
func TestBadKeys(t *testing.T) {
	dir := t.TempDir()
	good := strings.Repeat("0f", journal.KeyBytes)
	for name, text := range map[string]string{"empty": "", "short": good[2:], "long": good + "00",
		"words": strings.Repeat("key ", 16), "two": good + "\n\n"} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := MakeKey(path)
		require.ErrorContains(t, err, path+": not a key, want 64 hexadecimal digits", name)
		now, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, text, string(now))
	}
	_, err := MakeKey(dir)
	require.ErrorContains(t, err, "want a regular file")
	if runtime.GOOS != "windows" {
		path := filepath.Join(dir, "open")
		for mode, want := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o640: false, 0o604: false, 0o620: false,
			0o777: false} {
			require.NoError(t, os.WriteFile(path, []byte(good+"\n"), 0o600))
			require.NoError(t, os.Chmod(path, mode))
			_, err := Key(path)
			if want {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, fmt.Sprintf("its mode is %#o; chmod 600 makes it private", mode))
			}
			require.NoError(t, os.Remove(path))
		}
	}
}

func TestTold(t *testing.T) {
	dir := home(t)
	require.False(t, Told("a"))
	require.True(t, Told("a"))
	require.False(t, Told("b"))
	require.True(t, Told("a"))
	require.True(t, Told("b"))
	path := filepath.Join(dir, "told")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("x\n", maxTold)), 0o600))
	require.False(t, Told("c"))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 2, info.Size(), "a file that is full begins anew")
	if runtime.GOOS != "windows" { // others can write it, and so keep something from being told
		require.NoError(t, os.Chmod(path, 0o622))
		require.False(t, Told("c"))
	}
}

// TestNoFolder has nothing to remember things in.
func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	t.Setenv("XDG_STATE_HOME", file)
	path, err := KeyFile("")
	require.NoError(t, err)
	_, err = MakeKey(path)
	require.Error(t, err)
	require.False(t, Told("a"))
	require.False(t, Told("a"))
	for _, name := range []string{"XDG_STATE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, "")
	}
	_, err = KeyFile("")
	require.Error(t, err)
	path, err = KeyFile("given")
	require.NoError(t, err)
	require.Equal(t, "given", path)
	require.False(t, Told("a"))
}
