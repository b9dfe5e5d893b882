// Package store keeps the runs and the documents of a cluster on its engine. Each node opens one, and all see the same.
//
//   - Store: implements store.Store of the service for one node. Changes, Results and Sweep are those of a cluster.
//   - Store.Fence: makes changes by a node that does not lead the run any more fail.
//   - Blobs: keeps data that is too large for the engine. Package cluster/internal/blob does, on the disks of several
//     nodes.
//   - Migrate: copies another store into a cluster.
//
// # Keys
//
//	run/ID                a run: JSON, with the names of blobs for its large parts
//	run/head              is changed with each run, so that a reader can wait for the latest change of any
//	key/TENANT\0HASH      the id of the run with a key of idempotence
//	gone/NODE             the mark of the last deletion of a run by a node
//	lead/ID               the leader of a run; package cluster/internal/place makes it
//	log/ID/…              the journal of a run that has not ended; see package cluster/internal/runlog
//	result/TIME/ID        how a run has ended: created once, and not deleted with the run
//	head/KIND/NAME        the latest version of a document
//	doc/KIND/NAME\0N      an earlier version
//
// A change of a run is one commit with the condition that the run is as it was read, so changes of one run happen one
// after the other on whichever nodes. A commit whose outcome is unknown is repeated, and recognized by a random mark.
//
// # Lists
//
// Each node has an index of all runs in memory, which follows the engine: some 1.5 KB for each run. A list first asks
// the engine for the latest change, and waits until the index has it. So lists are as new as single runs, cost one
// request, and an index can't disagree with the runs. Keys for lists would make 40 operations of each new run, and the
// engine can't intersect them.
//
// # Journals
//
// A run that has not ended has its journal in a log. When it has ended, the journal is copied to a blob, on several
// nodes, and then the log is deleted. If the copy fails, such as on a full disk, Sweep does it later.
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/runlog"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/store"
)

// Blobs keeps data outside of the engine, by its owner. Data without an owner is deleted some time later.
// After an error it is unknown whether the data is kept.
type Blobs interface {
	runlog.Blobs
	// Create keeps the bytes that write writes, and returns when they are durable on several nodes.
	Create(ctx context.Context, owner string, write func(io.Writer) error) (ref string, bytes int64, err error)
	// Open returns the kept data, which has been verified.
	Open(ctx context.Context, ref string) (io.ReadCloser, error)
	// Release ends the claims of an owner.
	Release(ctx context.Context, owner string) error
	// Owned calls f with each owner and each blob that it owns, in the order of the owners.
	Owned(ctx context.Context, f func(owner, ref string) error) error
}

// Options are the settings of a Store.
type Options struct {
	Engine engine.Engine
	Blobs  Blobs
	Node   string        // the name of this node, for the audit of results
	Seal   engine.Sealer // encrypts runs, documents, journals and their blobs; nil for none
	Keys   []journal.Key // of the journals that runs are begun with
	Log    *slog.Logger  // nil for none
	// Appended is called after each commit to the log of a run with the bytes of its records; nil for none.
	Appended func(bytes int)
}

// Store is the store of a cluster as one node sees it.
type Store struct {
	o     Options
	ids   store.IDs
	index *index

	use    sync.RWMutex // held by calls for reading, and by Close
	closed bool
	ctx    context.Context // ended by Close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	deletes chan struct{} // holds one value while a run is deleted

	mu     sync.Mutex
	fences map[string]*fence // by the runs

	resealed resealed // see Reseal
}

var _ store.Store = (*Store)(nil)

// ErrDeposed is the error of a change by a node that does not lead the run any more.
var ErrDeposed = &store.Error{Code: "deposed", Message: "this node no longer leads the run"}

// Open returns the store of a cluster. It reads all runs.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Engine == nil || o.Blobs == nil {
		return nil, store.ErrInvalid.With("the options of a store have no Engine or no Blobs, want both")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Store{o: o, index: newIndex(), fences: map[string]*fence{},
		deletes: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	revision, err := s.load(ctx)
	if err != nil {
		s.cancel()
		return nil, fmt.Errorf("store: the runs can't be read: %w", err)
	}
	s.wg.Go(func() { s.follow(revision) })
	return s, nil
}

// Close implements store.Store. It leaves the engine open.
func (s *Store) Close() error {
	s.use.Lock()
	defer s.use.Unlock()
	if s.closed {
		return store.ErrClosed
	}
	s.closed = true
	s.cancel()
	s.wg.Wait()
	return nil
}

// enter begins a call. The caller defers s.use.RUnlock if there is no error.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.use.RLock()
	if s.closed {
		s.use.RUnlock()
		return store.ErrClosed
	}
	return nil
}

type staleKey struct{}

// Stale returns a context for reads of the state that this node knows, which may be old: Get, List, Count
// and Damaged then work without a majority.
func Stale(ctx context.Context) context.Context { return context.WithValue(ctx, staleKey{}, true) }

func isStale(ctx context.Context) bool { return ctx.Value(staleKey{}) != nil }

// get returns an entry of the engine.
func (s *Store) get(ctx context.Context, key string) (e engine.Entry, ok bool, err error) {
	if !isStale(ctx) {
		return s.o.Engine.Get(ctx, key)
	}
	page, err := s.o.Engine.List(ctx, engine.Query{Prefix: key, Limit: 1, Stale: true})
	if err != nil || len(page.Entries) == 0 || page.Entries[0].Key != key {
		return e, false, err
	}
	return page.Entries[0], true, nil
}

// tries is how often a commit is made whose outcome is unknown. The engine waits for some seconds each time.
const tries = 3

// applied is the outcome of a commit. If it is not done, and unsure is true, an earlier try may have been made.
type applied struct {
	engine.Result
	unsure bool
}

// apply makes a commit, and repeats it while its outcome is unknown.
func (s *Store) apply(ctx context.Context, conditions []engine.Condition, ops ...engine.Op) (applied, error) {
	for try := 1; ; try++ {
		r, err := s.o.Engine.Apply(ctx, conditions, ops...)
		if err == nil || try == tries || ctx.Err() != nil || !unknown(err) {
			return applied{r, try > 1}, err
		}
	}
}

// unknown reports whether an error of Apply leaves open whether the commit was made, and a repetition may help.
func unknown(err error) bool {
	for _, e := range []error{engine.ErrFull, engine.ErrTooLarge, engine.ErrInvalid, engine.ErrNoLease,
		engine.ErrCorrupt, engine.ErrClosed} {
		if errors.Is(err, e) {
			return false
		}
	}
	return true
}

// List implements store.Store.
func (s *Store) List(ctx context.Context, q store.Query) (store.Page, error) {
	if err := s.enter(ctx); err != nil {
		return store.Page{}, err
	}
	defer s.use.RUnlock()
	if err := cmp.Or(q.Check(), s.barrier(ctx)); err != nil {
		return store.Page{}, err
	}
	page := s.index.list(&q)
	for i := range page.Runs {
		page.Runs[i].Stale = isStale(ctx)
	}
	return page, nil
}

// Count implements store.Store.
func (s *Store) Count(ctx context.Context, tenant string) (map[store.State]int, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	if err := s.barrier(ctx); err != nil {
		return nil, err
	}
	return s.index.count(tenant), nil
}

// Damaged implements store.Store.
func (s *Store) Damaged(ctx context.Context) ([]store.Damage, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.use.RUnlock()
	if err := s.barrier(ctx); err != nil {
		return nil, err
	}
	return s.index.damages(), nil
}

// Expire implements store.Store.
func (s *Store) Expire(ctx context.Context, r store.Retention, now time.Time) (deleted int, err error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.use.RUnlock()
	if err := s.barrier(ctx); err != nil {
		return 0, err
	}
	for _, id := range s.index.beyond(r, now) {
		err := s.remove(ctx, id)
		switch {
		case err == nil:
			deleted++
		case !errors.Is(err, store.ErrNotFound): // another node has deleted it
			return deleted, err
		}
	}
	return deleted, nil
}
