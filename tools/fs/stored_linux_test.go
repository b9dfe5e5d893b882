package fs

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// TestKernelFiles checks that files of the kernel can be neither read nor changed, whatever is granted:
// they look like regular files, and show the memory and the environment of this process.
func TestKernelFiles(t *testing.T) {
	self := "/proc/" + strconv.Itoa(os.Getpid())
	for _, grant := range []string{"/", "/proc", self} {
		files, err := Open(Grant{Dirs: []Dir{{Path: grant, Write: true}}})
		require.NoError(t, err)
		refused := func(err error, path string) {
			t.Helper()
			var e *tool.Error
			require.ErrorAs(t, err, &e, path)
			require.Equal(t, "refused", e.Code, path)
			require.Contains(t, e.Message, "file system of the kernel", path)
		}
		before, err := os.ReadFile(self + "/oom_score_adj")
		require.NoError(t, err)
		for _, name := range []string{"environ", "mem", "maps", "cmdline", "oom_score_adj"} {
			path := self + "/" + name
			_, err := files.read(t.Context(), ReadArgs{Path: path})
			refused(err, path)
			_, err = files.lines(t.Context(), LinesArgs{Path: path, From: 4096})
			refused(err, path)
			_, err = files.append(t.Context(), WriteArgs{Path: path, Text: "7"})
			refused(err, path)
			_, err = files.Write(t.Context(), path, []byte("7"))
			refused(err, path)
			_, err = files.remove(t.Context(), PathArgs{path})
			refused(err, path)
		}
		_, err = files.mkdir(t.Context(), PathArgs{self + "/group/of/processes"})
		refused(err, "mkdir")
		after, err := os.ReadFile(self + "/oom_score_adj")
		require.NoError(t, err)
		require.Equal(t, string(before), string(after))
	}
}

// TestStoredFiles has files in memory be files, where the system has a directory of such.
func TestStoredFiles(t *testing.T) {
	for _, in := range []string{os.TempDir(), "/dev/shm"} {
		dir, err := os.MkdirTemp(in, "ptc-test-*")
		if err != nil {
			continue
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		files, err := Open(Grant{Dirs: []Dir{{Path: dir, Write: true}}})
		require.NoError(t, err)
		path := filepath.Join(dir, "a")
		_, err = files.append(t.Context(), WriteArgs{Path: path, Text: "x"})
		require.NoError(t, err)
		text, err := files.read(t.Context(), ReadArgs{Path: path})
		require.NoError(t, err)
		require.Equal(t, "x", text)
	}
}
