//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

// This file defines the lock of a journal's file where there is flock: the kernel releases it when
// the process ends, however it ends.

package journal

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lockPatience is how long a lock that is held is asked for again: a process that another goroutine starts has the
// files of this one until its exec, and so the lock of a journal that was closed meanwhile.
const lockPatience = 50 * time.Millisecond

// lock takes the lock of an open file and returns the function that releases it.
func lock(f *os.File) (unlock func() error, err error) {
	for until := time.Now().Add(lockPatience); ; {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return func() error { return nil }, nil // closing the file does it
		case errors.Is(err, syscall.EWOULDBLOCK) && time.Now().Before(until):
			time.Sleep(time.Millisecond)
		case errors.Is(err, syscall.EWOULDBLOCK):
			return nil, ErrInUse
		case !errors.Is(err, syscall.EINTR):
			return nil, os.NewSyscallError("flock", err)
		}
	}
}

// syncName makes the name of a new file durable.
func syncName(path string) error {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
