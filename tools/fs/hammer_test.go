//go:build unix

package fs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// TestWriteKeeps has a new text in the place of an old one that has other permissions
// and another name.
func TestWriteKeeps(t *testing.T) {
	dir := tree(t, map[string]string{"a": "old"})
	require.NoError(t, os.Chmod(filepath.Join(dir, "a"), 0o640))
	require.NoError(t, os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")))
	_, err := run(t, both(dir), `(tool/fs.write {:path "d/a" :text "new"})`)
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(dir, "a"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	other, err := os.ReadFile(filepath.Join(dir, "b"))
	require.NoError(t, err)
	assert.Equal(t, "old", string(other))
}

// TestWriteAtOnce reads a file while it is written: it has one text or the other.
func TestWriteAtOnce(t *testing.T) {
	dir := tree(t, map[string]string{"a": strings.Repeat("0", 300_000)})
	files, err := Open(both(dir))
	require.NoError(t, err)
	var wg sync.WaitGroup
	for _, c := range "12" {
		wg.Go(func() {
			for range 20 {
				_, err := files.Write(t.Context(), "d/a", []byte(strings.Repeat(string(c), 300_000)))
				assert.NoError(t, err)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for reads := 0; ; reads++ {
		text, err := files.read(t.Context(), ReadArgs{Path: "d/a"})
		require.NoError(t, err)
		require.Len(t, text, 300_000)
		require.Equal(t, strings.Repeat(text[:1], 300_000), text)
		select {
		case <-done:
			assert.Positive(t, reads)
			assert.Empty(t, leftovers(t, dir))
			return
		default:
		}
	}
}

// TestWriteCancelled has a context that ends before the new text is in its place.
func TestWriteCancelled(t *testing.T) {
	dir := tree(t, map[string]string{"a": "old"})
	files, err := Open(both(dir))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = files.Write(ctx, "d/a", []byte("new"))
	require.ErrorIs(t, err, context.Canceled)
	_, err = files.Append(ctx, "d/a", func(int64) ([]byte, error) { return []byte("new"), nil })
	require.ErrorIs(t, err, context.Canceled)
	_, err = files.read(ctx, ReadArgs{Path: "d/a"})
	require.ErrorIs(t, err, context.Canceled)
	text, err := os.ReadFile(filepath.Join(dir, "a"))
	require.NoError(t, err)
	assert.Equal(t, "old", string(text))
	assert.Empty(t, leftovers(t, dir))
}

// TestSwappedLinks writes and reads below a directory that somebody else swaps for a
// link out of the granted one, over and over.
func TestSwappedLinks(t *testing.T) {
	dir := tree(t, map[string]string{"real/x": "mine", "y": ""})
	outside := tree(t, map[string]string{"x": "secret"})
	files, err := Open(both(dir))
	require.NoError(t, err)
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			for _, target := range []string{"real", "link"} { // cur is one or the other
				os.Rename(filepath.Join(dir, target), filepath.Join(dir, "cur"))
				time.Sleep(20 * time.Microsecond)
				os.Rename(filepath.Join(dir, "cur"), filepath.Join(dir, target))
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	wrote, refused := 0, 0
	for range 1500 {
		if _, err := files.Write(t.Context(), "d/cur/x", []byte("mine")); err == nil {
			wrote++
		} else if e := (*tool.Error)(nil); errors.As(err, &e) && e.Code == "refused" {
			refused++
		}
		text, err := files.read(t.Context(), ReadArgs{Path: "d/cur/x"})
		if err == nil {
			require.Equal(t, "mine", text)
		}
		entries, err := files.list(t.Context(), PathArgs{"d/cur"})
		if err == nil {
			require.LessOrEqual(t, len(entries), 2)
		}
	}
	close(stop)
	wg.Wait()
	t.Logf("wrote %d, refused %d", wrote, refused)
	assert.Positive(t, wrote+refused)
	text, err := os.ReadFile(filepath.Join(outside, "x"))
	require.NoError(t, err)
	assert.Equal(t, "secret", string(text))
	names, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Len(t, names, 1)
}

// TestHugeFile goes through 64 MB in a memory of 8 MB, and stops early where the program
// does.
func TestHugeFile(t *testing.T) {
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "huge"))
	require.NoError(t, err)
	line := strings.Repeat("x", 1023) + "\n"
	for range 64 {
		_, err := file.WriteString(strings.Repeat(line, 1024))
		require.NoError(t, err)
	}
	require.NoError(t, file.Close())
	tools, err := Tools(both(dir))
	require.NoError(t, err)
	reg, err := tool.NewRegistry(tools...)
	require.NoError(t, err)
	for program, want := range map[string]int64{
		`(defn lines [path] (mapcat identity (iteration (fn [k] (tool/fs.lines {:path path :from k})) :initk 0 :vf :lines :kf :next)))
		 (reduce (fn [n line] (+ n (count line))) 0 (lines "d/huge"))`: 64 * 1024 * 1023,
		`(defn lines [path] (mapcat identity (iteration (fn [k] (tool/fs.lines {:path path :from k})) :initk 0 :vf :lines :kf :next)))
		 (count (take 10 (lines "d/huge")))`: 10,
	} {
		res, err := ptc.Run(t.Context(), program,
			ptc.Options{Tools: reg, Limits: ptc.Limits{Memory: 16 << 20, Timeout: 5 * time.Minute}})
		require.NoError(t, err)
		got, err := res.Value()
		require.NoError(t, err)
		assert.EqualValues(t, want, got)
		if want == 10 {
			assert.LessOrEqual(t, res.Usage.Calls, int64(5), "windows that nobody asks for are not read")
		}
	}
	_, err = ptc.Run(t.Context(), `(tool/fs.read "d/huge")`, ptc.Options{Tools: reg})
	require.ErrorContains(t, err, "d/huge has 67108864 bytes or more, a call may read 8388608")
	_, err = ptc.Run(t.Context(), `(tool/fs.lines {:path "d/huge" :limit 100000})`, ptc.Options{Tools: reg, Limits: ptc.Limits{Memory: 1 << 20}})
	require.Error(t, err, "a window does not fit")
}

// TestManyEntries has more files than a list may have.
func TestManyEntries(t *testing.T) {
	testlevel.System(t) // it makes 10,001 files
	dir := t.TempDir()
	for i := range maxEntries + 1 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o644))
	}
	_, err := run(t, both(dir), `(tool/fs.list "d")`)
	require.ErrorContains(t, err, "more than 10000 entries")
	got, err := run(t, both(dir), `(count (tool/fs.glob "d/99*"))`)
	require.NoError(t, err)
	assert.Equal(t, "111", got)
	_, err = run(t, both(dir), `(tool/fs.glob "d/*")`)
	require.ErrorContains(t, err, "narrower pattern")
}
