// This file defines the runs of a directory.

package dir

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"os"
	"sync"

	"github.com/ptc-lang/ptc/internal/durable"
	"github.com/ptc-lang/ptc/store"
)

// Create implements store.Store. It takes three syncs, four if the input is large.
func (s *Store) Create(ctx context.Context, run store.Run) (kept store.Run, created bool, err error) {
	if err := s.enter(); err != nil {
		return store.Run{}, false, err
	}
	defer s.use.RUnlock()
	if err := cmp.Or(ctx.Err(), s.writable()); err != nil {
		return store.Run{}, false, err
	}
	if run.Key != "" {
		key := s.ofKey(&run)
		key.Lock()
		defer key.Unlock()
	}
	if run, err = store.New(run, s.ids.Next(s.now())); err != nil {
		return store.Run{}, false, err
	}
	if run.Key != "" {
		earlier, found, err := s.earlier(&run)
		if err != nil || found {
			return earlier, false, err
		}
	}
	if err := s.create(&run); err != nil {
		return store.Run{}, false, err
	}
	s.follow(&run)
	return run, true, nil
}

// ofKey returns the lock of the key of a run.
func (s *Store) ofKey(run *store.Run) *sync.Mutex {
	return &s.keys[maphash.Comparable(s.seed, [2]string{run.Tenant, run.Key})%uint64(len(s.keys))]
}

// earlier returns the run that has the key of a new one.
func (s *Store) earlier(run *store.Run) (earlier store.Run, found bool, err error) {
	if err := s.catchUp(); err != nil { // the index has the keys
		return earlier, false, err
	}
	id, err := s.index.byKey(run.Tenant, run.Key)
	if err != nil || id == "" {
		return earlier, false, err
	}
	earlier, err = s.get(id)
	if errors.Is(err, store.ErrNotFound) { // it has expired just now
		return store.Run{}, false, nil
	}
	if err != nil {
		return store.Run{}, false, err
	}
	if earlier.Digest != run.Digest {
		return store.Run{}, false, store.ErrKeyReused.With("the key %q was used for another submission, run %s", run.Key, id)
	}
	return earlier, true, nil
}

// create writes the folder of a new run.
func (s *Store) create(run *store.Run) error {
	file, input, err := encode(run, "")
	if err != nil {
		return err
	}
	temp := s.file(tempDir, run.ID)
	if err := os.Mkdir(temp, 0o700); err != nil {
		return err
	}
	if input != nil {
		err = durable.Create(s.file(tempDir, run.ID, inputFile), input)
	}
	if err == nil {
		err = durable.Create(s.file(tempDir, run.ID, runFile), file)
	}
	if err == nil {
		err = os.WriteFile(s.file(tempDir, run.ID, journalFile), nil, 0o600)
	}
	if err == nil {
		err = durable.SyncDir(temp)
	}
	if err == nil {
		err = os.Rename(temp, s.file(runsDir, run.ID))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(temp))
	}
	return s.sync(s.file(runsDir))
}

// Get implements store.Store.
func (s *Store) Get(ctx context.Context, id string) (store.Run, error) {
	if err := s.enter(); err != nil {
		return store.Run{}, err
	}
	defer s.use.RUnlock()
	if err := ctx.Err(); err != nil {
		return store.Run{}, err
	}
	return s.get(id)
}

func (s *Store) get(id string) (store.Run, error) {
	l := s.of(id)
	l.RLock()
	run, _, err := s.read(id)
	l.RUnlock()
	if err != nil {
		s.note(id, err)
		return store.Run{}, err
	}
	return run, nil
}

// note makes the index look again at a run that was found to be damaged.
func (s *Store) note(id string, err error) {
	if errors.Is(err, store.ErrDamaged) {
		s.behind(id, err)
	}
}

// Update implements store.Store. It takes two syncs.
func (s *Store) Update(ctx context.Context, id string, change func(*store.Run) error) (store.Run, error) {
	if err := s.enter(); err != nil {
		return store.Run{}, err
	}
	defer s.use.RUnlock()
	if err := cmp.Or(ctx.Err(), s.writable()); err != nil {
		return store.Run{}, err
	}
	l := s.of(id)
	l.Lock()
	defer l.Unlock()
	run, written, err := s.read(id)
	if err != nil {
		s.note(id, err)
		return store.Run{}, err
	}
	if run, err = store.Change(run, change, s.now()); err != nil {
		return store.Run{}, err
	}
	file, _, err := encode(&run, written)
	if err != nil {
		return store.Run{}, err
	}
	if err := s.replace(s.file(runsDir, id, runFile), file); err != nil {
		return store.Run{}, err
	}
	s.follow(&run)
	return run, nil
}

// follow changes the index after a run. The change of the run is durable, so an error of the index is no error of the
// change: the index catches up before it is used again.
func (s *Store) follow(run *store.Run) { s.behind(run.ID, s.index.put(s.entry(run))) }

// entry returns the record of a run for the index.
func (s *Store) entry(run *store.Run) *entry {
	e := &entry{Run: run.Brief()}
	if run.State.Final() {
		e.Size = s.size(run.ID)
	}
	return e
}

// behind notes that the index has not followed a run, if err is not nil.
func (s *Store) behind(id string, err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late[id] = struct{}{}
}

// catchUp makes the index follow the runs that it has not followed, such as on a disk that was full.
func (s *Store) catchUp() error {
	s.mu.Lock()
	var ids []string
	for id := range s.late {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	for _, id := range ids {
		if err := s.reindex(id); err != nil {
			return err
		}
	}
	return nil
}

// reindex stores the run of a folder in the index.
func (s *Store) reindex(id string) error {
	l := s.of(id)
	l.Lock()
	defer l.Unlock()
	run, _, err := s.read(id)
	switch {
	case err == nil:
		err = s.index.put(s.entry(&run))
	case errors.Is(err, store.ErrNotFound):
		err = s.index.remove([]string{id})
	case errors.Is(err, store.ErrDamaged):
		err = s.index.damage(id, err)
	}
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.late, id) // while the run is locked: a later change may add it again
	}
	return err
}
