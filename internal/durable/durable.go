// Package durable writes files that survive the death of the process and the loss of power, and locks files.
package durable

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrHeld is the error of Lock for a file that another open file has locked, of this process or another one.
var ErrHeld = errors.New("the file is locked")

// Replace writes a file with the mode 0600 in one step: a reader finds the old contents or the new ones, whenever the
// process dies. The new contents are on the disk when Replace returns. They are written to a file in the folder temp
// first, which is on the same file system.
//
// If replaced is true, the file has the new contents; with an error they may not survive a loss of power.
func Replace(path, temp string, contents []byte) (replaced bool, err error) {
	f, err := os.CreateTemp(temp, filepath.Base(path)+"-*")
	if err != nil {
		return false, err
	}
	_, err = f.Write(contents)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return false, errors.Join(err, os.Remove(f.Name()))
	}
	return true, SyncDir(filepath.Dir(path))
}

// Create creates a file with the mode 0600 whose contents are on the disk when it returns. Its name is durable after
// SyncDir.
func Create(path string, contents []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(contents)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
