// This file defines how runs are deleted, and which are damaged.

package dir

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"github.com/ptc-lang/ptc/store"
)

// Delete implements store.Store.
func (s *Store) Delete(ctx context.Context, id string) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.use.RUnlock()
	if err := cmp.Or(ctx.Err(), s.writable()); err != nil {
		return err
	}
	n, err := s.remove([]string{id})
	if err == nil && n == 0 {
		err = store.ErrNotFound.With("there is no run %.100q", id)
	}
	return err
}

// Expire implements store.Store. It does not wait for an index that has not followed some runs: the disk may be full,
// and this makes room. Those runs are left to the next call.
func (s *Store) Expire(ctx context.Context, r store.Retention, now time.Time) (deleted int, err error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.use.RUnlock()
	if err := cmp.Or(ctx.Err(), s.writable()); err != nil {
		return 0, err
	}
	ids, err := s.index.beyond(ctx, r, now)
	if err != nil {
		return 0, err
	}
	for len(ids) > 0 && err == nil {
		if err = ctx.Err(); err != nil {
			break
		}
		batch := ids[:min(len(ids), removeBatch)]
		ids = ids[len(batch):]
		var n int
		n, err = s.remove(batch)
		deleted += n
	}
	return deleted, err
}

// removeBatch is the number of runs that are deleted with one sync.
const removeBatch = 200

// remove deletes runs: the folders move to tmp, and are gone for everybody. When that is durable, their files are
// removed. It returns the number of runs that it has deleted. A run that is gone already is no error.
func (s *Store) remove(ids []string) (n int, err error) {
	var gone, moved []string
	for _, id := range ids {
		err = s.moveAway(id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			break
		}
		if gone = append(gone, id); err == nil {
			moved = append(moved, id)
		}
		err = nil
	}
	var unsure error
	if len(moved) > 0 {
		unsure = s.sync(s.file(runsDir))
	}
	if failed := s.index.remove(gone); failed != nil {
		for _, id := range gone {
			s.behind(id, failed)
		}
	}
	if unsure == nil { // or else a loss of power could bring back a run without its files
		for _, id := range moved {
			err = errors.Join(err, os.RemoveAll(s.file(tempDir, id)))
		}
	}
	return len(moved), errors.Join(err, unsure)
}

// moveAway renames the folder of a run that is final or damaged.
func (s *Store) moveAway(id string) error {
	l := s.of(id)
	l.Lock()
	defer l.Unlock()
	run, _, err := s.readHead(id)
	switch {
	case errors.Is(err, store.ErrDamaged):
	case err != nil:
		return err
	case !run.State.Final():
		return store.ErrNotEnded.With("run %s is %s, want one that has ended: cancel it first", id, run.State)
	}
	return os.Rename(s.file(runsDir, id), s.file(tempDir, id))
}

// Damaged implements store.Store. It also has documents, as "KIND/NAME@VERSION".
func (s *Store) Damaged(ctx context.Context) ([]store.Damage, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	if err := cmp.Or(ctx.Err(), s.catchUp()); err != nil {
		return nil, err
	}
	runs, err := s.index.damaged()
	if err != nil {
		return nil, err
	}
	documents, err := s.damagedDocuments(ctx)
	return append(runs, documents...), err
}
