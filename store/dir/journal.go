// This file defines the journals of the runs of a directory.

package dir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/store"
)

// Journal implements store.Store. The name of the place is the path of the file.
func (s *Store) Journal(ctx context.Context, id string) (journal.Place, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	missing := error(fs.ErrNotExist)
	if store.ValidID(id) {
		_, missing = os.Stat(s.file(runsDir, id))
	}
	if errors.Is(missing, fs.ErrNotExist) {
		return nil, store.ErrNotFound.With("there is no run %.100q", id)
	}
	if missing != nil {
		return nil, missing
	}
	return journalOf(s.file(runsDir, id, journalFile)), nil
}

// journalOf is the path of the journal of a run. The file is empty at first. One without a whole first line is of a
// process that died before any effect: the journal has not begun.
type journalOf string

// Create implements journal.Place. The file exists since the run was created, so its name needs no separate sync.
func (p journalOf) Create(ctx context.Context, h journal.Header, o journal.Options) (journal.RunCloser, error) {
	begun, err := p.Open(ctx)
	if err == nil {
		return nil, errors.Join(&fs.PathError{Op: "create", Path: string(p), Err: fs.ErrExist}, begun.Close())
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(string(p), os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) { // somebody has removed it
		return journal.File(string(p)).Create(ctx, h, o)
	}
	if err != nil {
		return nil, err
	}
	j, err := journal.Begin(f, h, o)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return j, nil
}

// Resume implements journal.Place.
func (p journalOf) Resume(ctx context.Context, settle []effect.Settlement,
	o journal.Options) (journal.RunCloser, *journal.Recording, error) {
	f, err := p.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := f.Close(); err != nil {
		return nil, nil, err
	}
	return journal.File(string(p)).Resume(ctx, settle, o)
}

// Open implements journal.Place.
func (p journalOf) Open(ctx context.Context) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := os.Open(string(p))
	if err != nil {
		return nil, err
	}
	for buf := make([]byte, 64<<10); ; {
		n, err := f.Read(buf)
		if bytes.IndexByte(buf[:n], '\n') >= 0 {
			_, err = f.Seek(0, io.SeekStart)
			if err != nil {
				return nil, errors.Join(err, f.Close())
			}
			return f, nil
		}
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%s has no whole first line: %w", p, fs.ErrNotExist)
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
}

func (p journalOf) String() string { return string(p) }
