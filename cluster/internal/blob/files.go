// This file defines the files of a node.

package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ptc-lang/ptc/internal/durable"
)

// files are the blobs on the disk of a node: DIR/SUM[:2]/SUM. Files on their way are in DIR/tmp, which openFiles
// empties.
type files struct{ dir string }

const tempDir = "tmp"

func openFiles(dir string) (*files, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f := &files{dir}
	temp := filepath.Join(dir, tempDir)
	if err := os.RemoveAll(temp); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return nil, err
	}
	return f, nil
}

// path returns the path of a blob, whose name is valid.
func (f *files) path(sum string) string { return filepath.Join(f.dir, sum[:2], sum) }

// draft is a file on its way. It has no other methods of a file: io.Copy would write past the hash.
type draft struct {
	file *os.File
	hash hash.Hash
	size int64
}

// draft returns a new file. The caller calls discard.
func (f *files) draft() (*draft, error) {
	file, err := os.CreateTemp(filepath.Join(f.dir, tempDir), "*")
	if err != nil {
		return nil, err
	}
	return &draft{file: file, hash: sha256.New()}, nil
}

func (d *draft) Write(p []byte) (int, error) {
	n, err := d.file.Write(p)
	d.hash.Write(p[:n])
	d.size += int64(n)
	if err != nil {
		err = &diskError{err}
	}
	return n, err
}

// diskError is the error of the disk of this node, when it was to keep a blob.
type diskError struct{ err error }

func (e *diskError) Error() string { return "blob: this node can't keep it: " + e.err.Error() }
func (e *diskError) Unwrap() error { return e.err }

// sum returns the name of the written blob.
func (d *draft) sum() string { return hex.EncodeToString(d.hash.Sum(nil)) }

// discard closes and removes the file, unless it was installed.
func (d *draft) discard() {
	_ = d.file.Close()           // nothing of it is needed, or it was synced
	_ = os.Remove(d.file.Name()) // openFiles removes leftovers
}

// install makes a draft the file of its name, durably. The caller holds the lock of the name.
func (f *files) install(d *draft) error {
	if err := d.file.Sync(); err != nil {
		return err
	}
	path := f.path(d.sum())
	folder := filepath.Dir(path)
	_, missing := os.Stat(folder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if err := os.Rename(d.file.Name(), path); err != nil {
		return err
	}
	if missing != nil {
		if err := durable.SyncDir(f.dir); err != nil {
			return err
		}
	}
	return durable.SyncDir(folder)
}

// errDamaged is the error of a file that has not the contents of its name.
var errDamaged = errors.New("blob: the file was changed or damaged")

// open returns the file of a blob, which has been verified: the error is fs.ErrNotExist or errDamaged.
func (f *files) open(sum string) (*os.File, int64, error) {
	file, err := os.Open(f.path(sum))
	if err != nil {
		return nil, 0, err
	}
	h := sha256.New()
	size, err := io.Copy(h, file)
	if got := hex.EncodeToString(h.Sum(nil)); err == nil && got != sum {
		err = fmt.Errorf("%w: %s has the sum %s", errDamaged, file.Name(), got)
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, size, nil
}

// has verifies a blob, renews its time, and returns its size.
func (f *files) has(sum string) (int64, error) {
	file, size, err := f.open(sum)
	if err != nil {
		return 0, err
	}
	now := time.Now()
	return size, errors.Join(file.Close(), os.Chtimes(file.Name(), now, now))
}

// each calls fn with the name of each blob, and the time since it was written or renewed.
func (f *files) each(fn func(sum string, age time.Duration) error) error {
	folders, err := os.ReadDir(f.dir)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if !folder.IsDir() || len(folder.Name()) != 2 {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(f.dir, folder.Name()))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !validSum(e.Name()) || e.Name()[:2] != folder.Name() {
				continue
			}
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				err = fn(e.Name(), time.Since(info.ModTime()))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// age returns the time since a blob was written or renewed.
func (f *files) age(sum string) (time.Duration, error) {
	info, err := os.Stat(f.path(sum))
	if err != nil {
		return 0, err
	}
	return time.Since(info.ModTime()), nil
}

// size returns the size of the file of a blob, -1 if there is none.
func (f *files) size(sum string) int64 {
	info, err := os.Stat(f.path(sum))
	if err != nil {
		return -1
	}
	return info.Size()
}

// remove removes the file of a blob. The removal need not be durable.
func (f *files) remove(sum string) error {
	err := os.Remove(f.path(sum))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}
