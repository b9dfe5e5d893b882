//go:build unix

package exec

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInheritedFiles has a file open as a parent that has not marked it leaves it: no program that is run gets it.
func TestInheritedFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(name, []byte("secret"), 0o600))
	sh, err := Find("sh")
	require.NoError(t, err)
	fd, err := syscall.Open(name, syscall.O_RDONLY, 0) // without O_CLOEXEC
	require.NoError(t, err)
	defer syscall.Close(fd)
	res, err := sh.run(context.Background(), Call{Args: []string{"-c", "cat <&" + strconv.Itoa(fd)}}, 1000)
	require.NoError(t, err)
	assert.NotZero(t, res.Exit)
	assert.Empty(t, res.Out)
}
