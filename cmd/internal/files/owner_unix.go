//go:build unix

package files

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Private returns an error if others than this user can read or write a file.
func Private(info os.FileInfo) error {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		return fmt.Errorf("it belongs to the user with the id %d, want this user's, %d", s.Uid, os.Geteuid())
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("users other than its owner can use it, its mode is %#o; chmod 600 makes it private",
			info.Mode().Perm())
	}
	return nil
}

// Trusted returns an error if others than this user and root can write a file. A group of
// the same number as the owner is one of that user alone.
func Trusted(info os.FileInfo) error {
	s, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return errors.New("the system does not report its owner")
	case s.Uid != 0 && int(s.Uid) != os.Geteuid():
		return fmt.Errorf("it belongs to the user with the id %d, want this user, %d, or root", s.Uid, os.Geteuid())
	case info.Mode().Perm()&0o002 != 0, info.Mode().Perm()&0o020 != 0 && s.Gid != s.Uid:
		return fmt.Errorf("other users can write it, its mode is %#o; chmod go-w fixes that", info.Mode().Perm())
	}
	return nil
}
