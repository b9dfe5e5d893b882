// This file defines the maintenance of blobs: verification, repair and deletion.

package blob

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// Report counts the actions of a pass of Maintain.
type Report struct {
	Verified int      // copies of this node that are undamaged
	Repaired int      // copies of this node that were missing or damaged, and were read from another node
	Copied   int      // copies that other nodes have made of those of this node
	Deleted  int      // files without an owner, or that other nodes keep
	Lost     []string // blobs without an undamaged copy on any reachable node
}

// Maintain verifies the blobs that this node is to keep, repairs them, has other nodes copy the blobs that
// too few live nodes have, and deletes blobs that nobody needs. It reads the files of this node, see
// Options.Verify. The error joins the errors of single blobs; the pass continues with the others.
func (s *Store) Maintain(ctx context.Context) (r Report, err error) {
	var errs []error
	note := func(sum string, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("blob %s: %w", sum, err))
		}
		return nil
	}
	err = s.list(ctx, atPrefix, true, func(e engine.Entry) error {
		sum := e.Key[len(atPrefix):]
		return note(sum, s.maintain(ctx, sum, e, &r))
	})
	if err == nil {
		err = s.files.each(func(sum string, age time.Duration) error {
			if age < s.o.Grace {
				return nil
			}
			return note(sum, s.tidy(ctx, sum, &r))
		})
	}
	return r, errors.Join(append(errs, err)...)
}

// maintain brings one blob to as many copies as it should have, as far as this node is responsible.
func (s *Store) maintain(ctx context.Context, sum string, e engine.Entry, r *Report) error {
	var h holders
	if err := json.Unmarshal(e.Value, &h); err != nil {
		return err
	}
	live := s.nodes(sum)
	alive := slices.DeleteFunc(slices.Clone(h.Nodes), func(node string) bool { return !slices.Contains(live, node) })
	if len(alive) == 0 && len(live) > 0 && live[0] == s.self() { // nobody else will find out
		return s.forsaken(ctx, sum, e, &h, r)
	}
	if !slices.Contains(h.Nodes, s.self()) {
		return nil
	}
	if err := s.verify(ctx, wanted{sum, h.Size}, &h, r); err != nil {
		return err
	}
	if len(alive) >= min(s.o.Copies, len(live)) || len(alive) == 0 || alive[0] != s.self() {
		return nil
	}
	if owned, err := s.owned(ctx, sum); err != nil || !owned {
		return err
	}
	nodes, err := s.spread(ctx, wanted{sum, h.Size}, alive, live)
	if err != nil {
		return err
	}
	r.Copied += len(nodes) - len(alive)
	for _, node := range h.Nodes {
		if len(nodes) < s.o.Copies && !slices.Contains(nodes, node) { // it may come back with its copy
			nodes = append(nodes, node)
		}
	}
	h.Nodes = nodes
	return s.relocate(ctx, sum, e, &h)
}

// relocate changes the nodes that keep a blob. Another node that does at the same time wins.
func (s *Store) relocate(ctx context.Context, sum string, e engine.Entry, h *holders) error {
	value, err := json.Marshal(h)
	if err != nil {
		return err
	}
	_, err = s.o.Engine.Apply(ctx, []engine.Condition{engine.At(e.Key, e.Modified)}, engine.Put(e.Key, value))
	return err
}

// verify repairs the copy of this node.
func (s *Store) verify(ctx context.Context, w wanted, h *holders, r *Report) error {
	if s.lately(w) {
		return nil
	}
	unlock := s.lock(w.Sum)
	f, _, err := s.files.open(w.Sum)
	unlock()
	if err == nil {
		r.Verified++
		s.note(w.Sum, true)
		return f.Close()
	}
	if err := s.ensure(ctx, w, s.sources(h, w.Sum)); err != nil {
		r.Lost = append(r.Lost, w.Sum)
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	s.o.Log.Warn("a copy of a blob was missing or damaged, and is repaired", "blob", w.Sum, "reason", err)
	r.Repaired++
	return nil
}

// lately reports whether Maintain has read a file of this node lately, and it still has its size.
func (s *Store) lately(w wanted) bool {
	s.verifying.Lock()
	at, ok := s.verified[w.Sum]
	s.verifying.Unlock()
	return ok && time.Since(at) < s.o.Verify && s.files.size(w.Sum) == w.Size
}

// note notes that Maintain has read a file, or that it is deleted.
func (s *Store) note(sum string, read bool) {
	s.verifying.Lock()
	defer s.verifying.Unlock()
	if delete(s.verified, sum); read && s.o.Verify > 0 {
		s.verified[sum] = time.Now()
	}
}

// forsaken handles a blob whose known holders are all dead: another live node may have a copy.
func (s *Store) forsaken(ctx context.Context, sum string, e engine.Entry, h *holders, r *Report) error {
	owned, err := s.owned(ctx, sum)
	if err != nil {
		return err
	}
	if !owned {
		_, err := s.o.Engine.Apply(ctx, []engine.Condition{engine.At(e.Key, e.Modified)}, engine.Delete(e.Key))
		return err
	}
	if err := s.ensure(ctx, wanted{sum, h.Size}, s.sources(h, sum)); err != nil {
		r.Lost = append(r.Lost, sum)
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	r.Repaired++
	h.Nodes = append(h.Nodes, s.self())
	return s.relocate(ctx, sum, e, h)
}

// tidy deletes the file of a blob that has no owner, or that other nodes keep.
func (s *Store) tidy(ctx context.Context, sum string, r *Report) error {
	defer s.lock(sum)()
	owned, err := s.owned(ctx, sum)
	if err != nil {
		return err
	}
	h, e, err := s.at(ctx, sum)
	known := err == nil
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if owned && (!known || slices.Contains(h.Nodes, s.self())) {
		return nil
	}
	if age, err := s.files.age(sum); err != nil || age < s.o.Grace { // it was renewed in the meantime
		return err
	}
	if !owned && known {
		deleted, err := s.o.Engine.Apply(ctx, []engine.Condition{engine.At(e.Key, e.Modified)}, engine.Delete(e.Key))
		if err != nil || !deleted.Done { // it has got an owner in the meantime
			return err
		}
	}
	r.Deleted++
	s.note(sum, false)
	return s.files.remove(sum)
}
