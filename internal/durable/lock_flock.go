//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

// This file defines the lock of a file where there is flock: the kernel releases it when the process ends, however
// it ends.

package durable

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// lockPatience is how long a lock that is held is asked for again: a process that another goroutine starts has the
// files of this one until its exec, and so the lock of a file that was closed in the meantime.
const lockPatience = 50 * time.Millisecond

// Lock takes the lock of an open file and returns the function that releases it. The lock also ends when the file is
// closed. The error is ErrHeld if it is taken.
func Lock(f *os.File) (unlock func() error, err error) {
	for until := time.Now().Add(lockPatience); ; {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return func() error { return nil }, nil // closing the file does it
		case errors.Is(err, syscall.EWOULDBLOCK) && time.Now().Before(until):
			time.Sleep(time.Millisecond)
		case errors.Is(err, syscall.EWOULDBLOCK):
			return nil, ErrHeld
		case !errors.Is(err, syscall.EINTR):
			return nil, os.NewSyscallError("flock", err)
		}
	}
}

// SyncDir makes the names of the files in a folder durable.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
