// This file defines the results of runs, which stay when the runs are deleted, and the sweep of leftovers.

package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
	"github.com/ptc-lang/ptc/store"
)

// Result is how a run has ended. It is kept in the commit that ends the run, and never changes.
type Result struct {
	ID      string      `json:"id"`
	State   store.State `json:"state"`
	Tenant  string      `json:"tenant"`
	By      string      `json:"by,omitempty"`
	Program string      `json:"program,omitempty"`
	Digest  string      `json:"digest"`         // of the submission
	Sum     string      `json:"sum"`            // the SHA-256 of the value and the error
	Node    string      `json:"node,omitempty"` // that has ended it
	Created time.Time   `json:"created"`
	Ended   time.Time   `json:"ended"`
	// Next selects the results that follow in Results.
	Next string `json:"-"`
}

// result returns the operation that keeps the result of a run.
func (s *Store) result(k *kept) (engine.Op, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%d:", len(k.Value))
	h.Write(k.Value)
	h.Write(k.Error)
	key := fmt.Sprintf("%s%020d/%s", results, k.Ended.UnixNano(), k.ID)
	value, err := s.encode(key, Result{ID: k.ID, State: k.State, Tenant: k.Tenant, By: k.By, Program: k.Program,
		Digest: k.Digest, Sum: hex.EncodeToString(h.Sum(nil)), Node: s.o.Node, Created: k.Created, Ended: k.Ended})
	return engine.Put(key, value), err
}

// Results returns the results that follow after the Next of another one, or from the first, in the order of the ends of
// runs, at most limit. A limit of 0 is store.DefaultLimit.
func (s *Store) Results(ctx context.Context, after string, limit int) (all []Result, err error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	if limit < 0 || limit > store.MaxLimit {
		return nil, store.ErrInvalid.With("got the limit %d, want at most %d", limit, store.MaxLimit)
	}
	if limit == 0 {
		limit = store.DefaultLimit
	}
	q := engine.Query{Prefix: results, Limit: limit, Stale: isStale(ctx)}
	if after != "" {
		q.After = results + after
	}
	page, err := s.o.Engine.List(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, e := range page.Entries {
		var r Result
		if err := s.decode(e.Key, e.Value, &r); err != nil {
			return nil, store.ErrDamaged.With("%s: %w", e.Key, err)
		}
		r.Next = strings.TrimPrefix(e.Key, results)
		all = append(all, r)
	}
	return all, nil
}

// ExpireResults deletes the results of runs that ended before a time.
func (s *Store) ExpireResults(ctx context.Context, before time.Time) (deleted int, err error) {
	end := fmt.Sprintf("%s%020d", results, before.UnixNano())
	for {
		if err := s.enter(ctx); err != nil {
			return deleted, err
		}
		page, err := s.o.Engine.List(ctx, engine.Query{Prefix: results, Limit: engine.MaxOps, Keys: true})
		var ops []engine.Op
		for _, e := range page.Entries {
			if e.Key < end {
				ops = append(ops, engine.Delete(e.Key))
			}
		}
		if err == nil && len(ops) > 0 {
			_, err = s.apply(ctx, nil, ops...)
		}
		s.use.RUnlock()
		if err != nil {
			return deleted, err
		}
		deleted += len(ops)
		if len(ops) < engine.MaxOps {
			return deleted, nil
		}
	}
}

// Sweep finishes interrupted work: it copies the journals of runs that have ended, and deletes the logs and blobs
// of runs that were deleted. One node at a time needs to call it, every few minutes.
func (s *Store) Sweep(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.use.RUnlock()
	var errs []error
	for after := runlog.Prefix(""); ; { // "log//", before the prefix of each run
		page, err := s.o.Engine.List(ctx, engine.Query{Prefix: "log/", After: after, Limit: 1, Keys: true})
		if err != nil {
			return err
		}
		if len(page.Entries) == 0 {
			return errors.Join(append(errs, s.sweepBlobs(ctx))...)
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(page.Entries[0].Key, "log/"), "/")
		after = "log/" + id + "0" // which follows "log/ID/…"
		if !store.ValidID(id) {
			continue
		}
		_, ok, err := s.o.Engine.Get(ctx, runKey(id))
		switch {
		case err != nil:
			return err
		case !ok:
			s.clean(ctx, id)
		default:
			if err := s.retireRun(ctx, id); err != nil && !errors.Is(err, store.ErrDamaged) {
				errs = append(errs, fmt.Errorf("run %s: %w", id, err))
			}
		}
	}
}

// creating is the time after which no node creates a run any more whose blobs are kept.
const creating = time.Hour

// sweepBlobs releases the blobs of runs that were never created, or were deleted.
func (s *Store) sweepBlobs(ctx context.Context) error {
	var owners []string
	err := s.o.Blobs.Owned(ctx, func(owner, _ string) error {
		id, ok := strings.CutPrefix(owner, runs)
		if !ok {
			id, ok = strings.CutPrefix(owner, runlog.Owner(""))
		}
		at, err := store.IDTime(id)
		if ok && err == nil && time.Since(at) >= creating && !slices.Contains(owners[max(0, len(owners)-1):], owner) {
			owners = append(owners, owner)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, owner := range owners {
		_, kept, err := s.o.Engine.Get(ctx, runKey(owner[strings.LastIndex(owner, "/")+1:]))
		if err == nil && !kept {
			err = s.o.Blobs.Release(ctx, owner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
