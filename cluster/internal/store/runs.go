// This file defines the runs of a cluster.

package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
	"github.com/ptc-lang/ptc/store"
)

// Create implements store.Store. The id is greater than those of all runs that were created before, on any node, also
// if the clocks of the nodes differ.
func (s *Store) Create(ctx context.Context, run store.Run) (created store.Run, first bool, err error) {
	if err := s.enter(ctx); err != nil {
		return store.Run{}, false, err
	}
	defer s.use.RUnlock()
	if err := s.barrier(ctx); err != nil { // it makes ids follow those of the other nodes
		return store.Run{}, false, err
	}
	if run, err = store.New(run, s.ids.Next(time.Now())); err != nil {
		return store.Run{}, false, err
	}
	if run.Key != "" { // before the blobs of a run that is not to be kept
		if run, found, err := s.earlier(ctx, &run); err != nil || found {
			return run, false, err
		}
	}
	k := kept{Run: run, Mark: rand.Text()}
	value, err := s.encodeRun(ctx, k)
	if err != nil {
		return store.Run{}, false, err
	}
	for {
		done, err := s.create(ctx, &k, value)
		if err != nil {
			return store.Run{}, false, err
		}
		if done {
			return run, true, nil
		}
		if earlier, found, err := s.earlier(ctx, &run); err != nil || found {
			s.release(ctx, runKey(run.ID))
			return earlier, false, err
		}
	}
}

// create makes the commit of a new run. It is not done if there is a run with its key.
func (s *Store) create(ctx context.Context, k *kept, value []byte) (done bool, err error) {
	conditions := []engine.Condition{engine.Absent(runKey(k.ID))}
	ops := []engine.Op{engine.Put(runKey(k.ID), value), engine.Put(runHead, []byte(k.ID))}
	if k.Key != "" {
		conditions = append(conditions, engine.Absent(keyOf(&k.Run)))
		ops = append(ops, engine.Put(keyOf(&k.Run), []byte(k.ID)))
	}
	r, err := s.apply(ctx, conditions, ops...)
	if err != nil || r.Done {
		return r.Done, err
	}
	if found := r.Found[0]; found.Created != 0 {
		if string(found.Value) == string(value) {
			return true, nil // by an earlier try
		}
		return false, fmt.Errorf("store: there is a run %s already", k.ID)
	}
	return false, nil
}

// keyOf returns the key of the key of a run. It has a hash of the key, because a submitter may put anything into that,
// and the keys of the engine are not encrypted. The tenant has no control character.
func keyOf(run *store.Run) string {
	return fmt.Sprintf("%s%s\x00%x", keys, run.Tenant, sha256.Sum256([]byte(run.Tenant+"\x00"+run.Key)))
}

// earlier returns the run that has the key of a new one.
func (s *Store) earlier(ctx context.Context, run *store.Run) (earlier store.Run, found bool, err error) {
	for {
		e, ok, err := s.o.Engine.Get(ctx, keyOf(run))
		if err != nil || !ok {
			return store.Run{}, false, err
		}
		id := string(e.Value)
		k, _, err := s.read(ctx, id)
		if errors.Is(err, store.ErrNotFound) { // it was deleted just now, with its key
			continue
		}
		if err != nil {
			return store.Run{}, false, err
		}
		if k.Digest != run.Digest {
			return store.Run{}, false, store.ErrKeyReused.With("the key %q was used for another submission, run %s",
				run.Key, id)
		}
		return k.Run, true, nil
	}
}

// read returns a run with all its parts, and the entry that has it.
func (s *Store) read(ctx context.Context, id string) (k kept, e engine.Entry, err error) {
	if !store.ValidID(id) {
		return k, e, store.ErrNotFound.With("there is no run %.100q", id)
	}
	e, ok, err := s.get(ctx, runKey(id))
	if err != nil {
		return k, e, err
	}
	if !ok {
		return k, e, store.ErrNotFound.With("there is no run %s", id)
	}
	if k, err = s.decodeRun(id, e.Value); err == nil {
		err = s.complete(ctx, &k)
	}
	return k, e, err
}

// Get implements store.Store.
func (s *Store) Get(ctx context.Context, id string) (store.Run, error) {
	if err := s.enter(ctx); err != nil {
		return store.Run{}, err
	}
	defer s.use.RUnlock()
	k, _, err := s.read(ctx, id)
	if err != nil {
		return store.Run{}, err
	}
	k.Run.Stale = isStale(ctx)
	return k.Run, nil
}

// Update implements store.Store. If the run has a fence, see Fence, it must hold: the error is ErrDeposed otherwise.
func (s *Store) Update(ctx context.Context, id string, change func(*store.Run) error) (store.Run, error) {
	if err := s.enter(ctx); err != nil {
		return store.Run{}, err
	}
	defer s.use.RUnlock()
	for {
		k, e, err := s.read(ctx, id)
		if err != nil {
			return store.Run{}, err
		}
		if k.Run, err = store.Change(k.Run, change, time.Now()); err != nil {
			return store.Run{}, err
		}
		done, err := s.replace(ctx, k, e)
		if err != nil {
			return store.Run{}, err
		}
		if !done {
			continue // another one has changed it
		}
		if k.State.Final() {
			s.retire(ctx, id)
		}
		return k.Run, nil
	}
}

// replace makes the commit of a changed run, if it is as it was read. The end of a run is also a result.
func (s *Store) replace(ctx context.Context, k kept, was engine.Entry) (done bool, err error) {
	k.remark()
	value, err := s.encodeRun(ctx, k)
	if err != nil {
		return false, err
	}
	conditions := []engine.Condition{engine.At(was.Key, was.Modified)}
	ops := []engine.Op{engine.Put(was.Key, value), engine.Put(runHead, []byte(k.ID))}
	var result engine.Op // of a run that ends
	if k.State.Final() && k.Journal == "" && k.Damaged == "" {
		if result, err = s.result(&k); err != nil {
			return false, err
		}
		ops = append(ops, result)
	}
	f := s.fence(k.ID)
	if f != nil {
		conditions = append(conditions, f.Condition)
	}
	r, err := s.apply(ctx, conditions, ops...)
	switch {
	case err != nil || r.Done:
		return r.Done, err
	case r.unsure && s.made(&k, r.Found[0].Value): // by an earlier try
		return true, nil
	case r.unsure && r.Found[0].Created == 0 && result.Key != "": // somebody has deleted the run, which had ended
		e, ok, err := s.o.Engine.Get(ctx, result.Key)
		if err != nil || ok && bytes.Equal(e.Value, result.Value) {
			return err == nil, err
		}
		return false, nil
	case f != nil && r.Found[1].Created != f.Is:
		return false, ErrDeposed.With("node %s does not lead run %s any more: the change is refused", s.o.Node, k.ID)
	}
	return false, nil
}

// made reports whether the value of a run has the change of k, which others may follow.
func (s *Store) made(k *kept, value []byte) bool {
	now, err := s.decodeRun(k.ID, value)
	return err == nil && (now.Mark == k.Mark || slices.Contains(now.Marks, k.Mark))
}

// Delete implements store.Store. The results of the run stay.
func (s *Store) Delete(ctx context.Context, id string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.use.RUnlock()
	return s.remove(ctx, id)
}

// remove deletes a run. One at a time does, so that the key of the deletions of this node has the mark of the last one.
func (s *Store) remove(ctx context.Context, id string) error {
	if !store.ValidID(id) {
		return store.ErrNotFound.With("there is no run %.100q", id)
	}
	select {
	case s.deletes <- struct{}{}:
		defer func() { <-s.deletes }()
	case <-ctx.Done():
		return ctx.Err()
	}
	mark := rand.Text()
	for tried := false; ; {
		e, ok, err := s.o.Engine.Get(ctx, runKey(id))
		if err != nil {
			return err
		}
		last, _, err := s.o.Engine.Get(ctx, gone+s.o.Node)
		if err != nil {
			return err
		}
		if !ok {
			if !tried || string(last.Value) != mark { // another one has deleted it
				return store.ErrNotFound.With("there is no run %s", id)
			}
			break // the commit was made, and its answer lost
		}
		ops, err := s.removal(ctx, id, e.Value)
		if err != nil {
			return err
		}
		r, err := s.apply(ctx, []engine.Condition{engine.At(e.Key, e.Modified), engine.At(gone+s.o.Node, last.Modified)},
			append(ops, engine.Put(gone+s.o.Node, []byte(mark)))...)
		if err != nil {
			return err
		}
		if r.Done {
			break
		}
		tried = tried || r.unsure
	}
	s.clean(ctx, id)
	return nil
}

// removal returns the operations that delete a run, which has a value.
func (s *Store) removal(ctx context.Context, id string, value []byte) ([]engine.Op, error) {
	ops := []engine.Op{engine.Delete(runKey(id)), engine.Put(runHead, []byte(id)), engine.Delete(leads + id)}
	k, err := s.decodeRun(id, value)
	switch {
	case k.ID == "": // damaged: its key of idempotence is not known
		key, err := s.keyFor(ctx, id)
		if err != nil {
			return nil, err
		}
		if key != "" {
			ops = append(ops, engine.Delete(key))
		}
	case err == nil && !k.State.Final():
		return nil, store.ErrNotEnded.With("run %s is %s, want one that has ended: cancel it first", id, k.State)
	case k.Key != "":
		ops = append(ops, engine.Delete(keyOf(&k.Run)))
	}
	return ops, nil
}

// keyFor looks for the key of a run.
func (s *Store) keyFor(ctx context.Context, id string) (string, error) {
	page, err := s.o.Engine.List(ctx, engine.Query{Prefix: keys})
	if err != nil {
		return "", err
	}
	for _, e := range page.Entries {
		if string(e.Value) == id {
			return e.Key, nil
		}
	}
	return "", nil
}

// clean removes the log and the blobs of a deleted run. Sweep retries failed removals.
func (s *Store) clean(ctx context.Context, id string) {
	if err := runlog.Delete(ctx, s.o.Engine, id); err != nil {
		s.o.Log.Warn("the log of a deleted run stays for now", "run", id, "error", err)
		return
	}
	s.release(ctx, runlog.Owner(id))
	s.release(ctx, runKey(id))
}

func (s *Store) release(ctx context.Context, owner string) {
	if err := s.o.Blobs.Release(ctx, owner); err != nil {
		s.o.Log.Warn("the blobs of a deleted run stay for now", "owner", owner, "error", err)
	}
}

// SetAside marks a run as damaged, with the evidence: nothing changes it any more, and no node runs it. Delete deletes
// it.
func (s *Store) SetAside(ctx context.Context, id, reason string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.use.RUnlock()
	for {
		k, e, err := s.read(ctx, id)
		if err != nil {
			return err
		}
		k.Damaged = reason
		if done, err := s.replace(ctx, k, e); err != nil || done {
			return err
		}
	}
}

// Follow calls f with a run, immediately and after each of its changes, until the context ends, f returns
// an error, or the run is deleted; then the error is store.ErrNotFound. Changes that come close together
// may be one call.
func (s *Store) Follow(ctx context.Context, id string, f func(store.Run) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	s.use.RUnlock() // Close does not wait for it
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(store.ErrClosed) })()
	for {
		k, e, err := s.read(ctx, id)
		if err == nil {
			err = f(k.Run)
		}
		if err != nil {
			return err
		}
		err = s.o.Engine.Watch(ctx, e.Key, e.Modified, func(engine.Commit) error { return errChanged })
		if !errors.Is(err, errChanged) && !errors.Is(err, engine.ErrCompacted) {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return err
		}
	}
}

// errChanged ends a watch.
var errChanged = errors.New("store: the run has changed")
