//go:build unix

package fs

import (
	"os"
	"syscall"
)

// hardLinks returns how many names a file has.
func hardLinks(info os.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}
