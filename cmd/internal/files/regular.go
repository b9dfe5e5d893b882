// This file opens files whose contents decide about trust.

package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// OpenRegular opens a regular file that check accepts, for reading. Anything else is refused: a
// pipe would have its reader wait.
func OpenRegular(name string, check func(fs.FileInfo) error) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Plain(err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = Plain(err)
	case !info.Mode().IsRegular():
		err = errors.New("want a regular file")
	default:
		err = check(info)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return f, nil
}
