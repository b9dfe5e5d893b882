// Package ledger keeps the use of the rates and quotas of policies in a file, so that they hold for all
// processes of a machine that use the file, and outlive them.
//
// The file is JSON. It is replaced as a whole at each Update, and is on the disk when Update returns: about 1 to 5 ms.
// Beside it is a file with the suffix ".lock", which is empty and is never removed. Processes on several
// machines must not share a file over a network, because the lock may not reach that far.
package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ptc-lang/ptc/internal/durable"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// File is a queue.Ledger in a file, for any number of goroutines and processes. New makes it.
type File struct{ path string }

var _ queue.Ledger = (*File)(nil)

// New returns the ledger in a file, which the first Update creates, for the user alone.
func New(path string) *File { return &File{path} }

// MaxSize is the maximum size of a file in bytes: a rate takes some 100, and a quota up to 8,000.
const MaxSize = 64 << 20

// document is the contents of the file.
type document struct {
	Version int     `json:"version"`
	Records records `json:"records"`
}

const version = 1

// records are the records during an Update.
type records map[string]json.RawMessage

// Get implements queue.Records.
func (r records) Get(name string) []byte { return r[name] }

// Put implements queue.Records.
func (r records) Put(name string, record []byte) { r[name] = record }

// Update implements queue.Ledger. It waits for other processes until ctx ends. The error of a file that is damaged
// names the file; it is not replaced.
func (f *File) Update(ctx context.Context, change func(queue.Records) error) error {
	path := f.path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	release, err := acquire(ctx, path+".lock")
	if err != nil {
		return fmt.Errorf("ledger: %s is in use: %w", f.path, err)
	}
	defer release()
	d, err := read(path)
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	if err := change(d.Records); err != nil {
		return err
	}
	if err := write(path, d); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// read returns the contents of the file, which may not exist yet.
func read(path string) (document, error) {
	d := document{Version: version, Records: records{}}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d, nil
	case err != nil:
		return d, err
	case !info.Mode().IsRegular() || info.Size() > MaxSize:
		return d, fmt.Errorf("%s has %d bytes or is not a file, want a file of at most %d", path, info.Size(), MaxSize)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, fmt.Errorf("%s is damaged: %w; if you remove it, all rates and quotas are full again", path, err)
	}
	if d.Version != version || d.Records == nil {
		return d, fmt.Errorf("%s has the version %d, want %d", path, d.Version, version)
	}
	return d, nil
}

// write replaces the file, durably.
func write(path string, d document) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	_, err = durable.Replace(path, filepath.Dir(path), append(text, '\n'))
	return err
}

// acquire takes the lock of a file, and waits for it until ctx ends.
func acquire(ctx context.Context, path string) (release func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		unlock, err := durable.Lock(file) // which waits some milliseconds
		switch {
		case err == nil:
			return func() {
				_ = unlock()
				_ = file.Close()
			}, nil
		case !errors.Is(err, durable.ErrHeld):
			return nil, errors.Join(err, file.Close())
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), err, file.Close())
		}
	}
}
