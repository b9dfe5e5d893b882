// This file defines the migration of another store, such as that of a single service, into a cluster.

package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/store"
)

// Migrated counts the runs and documents that Migrate has copied, without those that were there already.
type Migrated struct{ Runs, Documents int }

// kinds are the kinds of documents that are copied.
var kinds = []store.Kind{store.Programs, store.Schedules, store.ScheduleStates, store.Policies, store.Quotas}

// Migrate copies all runs with their journals and keys, and all documents with the versions that are kept,
// from another store, which nobody may change in the meantime. Ids, times and versions stay. It can be
// repeated after an error: existing runs and documents stay unchanged. Damaged runs, and the numbers of
// removed documents, are not copied.
func (s *Store) Migrate(ctx context.Context, from store.Store) (m Migrated, err error) {
	if err := s.enter(ctx); err != nil {
		return m, err
	}
	defer s.use.RUnlock()
	for _, kind := range kinds {
		for after := ""; ; {
			found, err := from.Documents(ctx, kind, after, store.MaxLimit)
			if err != nil {
				return m, err
			}
			for _, d := range found {
				copied, err := s.migrateDocument(ctx, from, kind, d.Name)
				if err != nil {
					return m, fmt.Errorf("store: %s %q: %w", kind, d.Name, err)
				}
				m.Documents += copied
			}
			if len(found) < store.MaxLimit {
				break
			}
			after = found[len(found)-1].Name
		}
	}
	q := store.Query{Oldest: true, Limit: store.MaxLimit}
	for {
		page, err := from.List(ctx, q)
		if err != nil {
			return m, err
		}
		for _, r := range page.Runs {
			copied, err := s.migrateRun(ctx, from, r.ID)
			if err != nil {
				return m, fmt.Errorf("store: run %s: %w", r.ID, err)
			}
			m.Runs += copied
		}
		if q.After = page.Next; q.After == "" {
			return m, nil
		}
	}
}

// migrateDocument copies a document: the latest version in the last commit.
func (s *Store) migrateDocument(ctx context.Context, from store.Store, kind store.Kind, name string) (int, error) {
	if _, ok, err := s.o.Engine.Get(ctx, headKey(kind, name)); err != nil || ok {
		return 0, err
	}
	versions, err := from.Versions(ctx, kind, name)
	if err != nil {
		return 0, err
	}
	for i, v := range slices.Backward(versions) {
		doc, err := from.Document(ctx, kind, name, v.Version)
		if err != nil {
			return 0, err
		}
		d, key := keptDocument{Document: doc, Mark: rand.Text()}, headKey(kind, name)
		value, err := s.encodeDocument(ctx, &d)
		if err == nil && i > 0 {
			key = olderKey(kind, name, v.Version)
			value, err = s.encode(key, &d)
		}
		if err == nil {
			_, err = s.apply(ctx, []engine.Condition{engine.Absent(headKey(kind, name))}, engine.Put(key, value))
		}
		if err != nil {
			return 0, err
		}
	}
	return 1, nil
}

// migrateRun copies a run: its journal first.
func (s *Store) migrateRun(ctx context.Context, from store.Store, id string) (int, error) {
	if _, ok, err := s.o.Engine.Get(ctx, runKey(id)); err != nil || ok {
		return 0, err
	}
	run, err := from.Get(ctx, id)
	if err != nil {
		return 0, err
	}
	k := kept{Run: run, Mark: rand.Text()}
	if err := s.migrateJournal(ctx, from, &k); err != nil {
		return 0, err
	}
	value, err := s.encodeRun(ctx, k)
	if err != nil {
		return 0, err
	}
	conditions := []engine.Condition{engine.Absent(runKey(id))}
	ops := []engine.Op{engine.Put(runKey(id), value), engine.Put(runHead, []byte(id))}
	if run.Key != "" {
		conditions = append(conditions, engine.Absent(keyOf(&run)))
		ops = append(ops, engine.Put(keyOf(&run), []byte(id)))
	}
	if run.State.Final() {
		result, err := s.result(&k)
		if err != nil {
			return 0, err
		}
		ops = append(ops, result)
	}
	r, err := s.apply(ctx, conditions, ops...)
	if err != nil {
		return 0, err
	}
	if !r.Done && string(r.Found[0].Value) != string(value) {
		return 0, store.ErrKeyReused.With("the cluster has the key %q of it, for another run", run.Key)
	}
	return 1, nil
}

// migrateJournal copies a journal: to a blob if the run has ended, and to its log otherwise.
func (s *Store) migrateJournal(ctx context.Context, from store.Store, k *kept) error {
	p, err := from.Journal(ctx, k.ID)
	if err != nil {
		return err
	}
	r, err := p.Open(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	if k.State.Final() {
		k.Journal, k.JournalBytes, err = s.o.Blobs.Create(ctx, runKey(k.ID), func(w io.Writer) error {
			return s.copySealed(w, r, k.ID)
		})
		return err
	}
	log, err := (&logPlace{s, k.ID}).log(true)
	if err != nil {
		return err
	}
	n := 0
	_, err = journal.Import(r, func(record []byte) error {
		item := runlog.Item{ID: fmt.Sprintf("migrated-%d", n), Data: bytes.Clone(record)}
		if n == 0 {
			item.ID = header
		}
		n++
		_, err := log.Append(ctx, []runlog.Item{item})
		return err
	}, s.o.Keys...)
	return errors.Join(err, log.Close())
}
