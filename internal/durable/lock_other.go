//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

// This file defines the lock of a file where there is no flock: a file beside it, which remains when the process is
// killed.

package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Lock makes the lock file and returns the function that removes it. The error is ErrHeld if it is there.
func Lock(f *os.File) (unlock func() error, err error) {
	name := f.Name() + ".lock"
	l, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("%w; if none is running, remove %s", ErrHeld, name)
	case err != nil:
		return nil, err
	}
	return func() error { return os.Remove(name) }, l.Close()
}

// SyncDir does nothing: the name of a file is durable when the file is.
func SyncDir(string) error { return nil }
