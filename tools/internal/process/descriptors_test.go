//go:build unix

package process

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestKeepDescriptors marks a file that is open as a parent that has not marked it leaves it, in each way that a system
// has for it.
func TestKeepDescriptors(t *testing.T) {
	name := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(name, []byte("secret"), 0o600))
	for way, mark := range map[string]func(){"at once": KeepDescriptors, "one by one": markEach} {
		fd, err := syscall.Open(name, syscall.O_RDONLY, 0) // without O_CLOEXEC
		require.NoError(t, err)
		mark()
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		require.NoError(t, err)
		assert.Equal(t, unix.FD_CLOEXEC, flags, way)
		require.NoError(t, syscall.Close(fd))
	}
}
