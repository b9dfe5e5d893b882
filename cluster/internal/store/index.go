// This file defines the index of all runs in memory.

package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/store"
)

// index has all runs as they were after a revision.
type index struct {
	mu       sync.RWMutex
	revision engine.Revision
	moved    chan struct{} // closed when revision or err changes
	err      error         // why it follows no more
	runs     map[string]*entry
	all      ids
	states   map[store.State]*ids
	counts   map[tenantState]int
	damaged  map[string]string // reasons by id
}

// entry is the record of a run in the index.
type entry struct {
	store.Run       // brief
	size      int64 // bytes in the engine and in blobs
}

type tenantState struct {
	tenant string
	state  store.State
}

// ids are ids in order. New ones are mostly the last.
type ids []string

func (l *ids) add(id string) {
	if i, found := slices.BinarySearch(*l, id); !found {
		*l = slices.Insert(*l, i, id)
	}
}

func (l *ids) remove(id string) {
	if i, found := slices.BinarySearch(*l, id); found {
		*l = slices.Delete(*l, i, i+1)
	}
}

func newIndex() *index {
	x := &index{moved: make(chan struct{})}
	x.clear()
	return x
}

// clear forgets all runs. The caller holds mu, or nobody else has the index.
func (x *index) clear() {
	x.runs, x.all, x.states = map[string]*entry{}, nil, map[store.State]*ids{}
	x.counts, x.damaged = map[tenantState]int{}, map[string]string{}
}

// put takes the run of a value, whose error is why it is damaged. The caller holds mu.
func (x *index) put(id string, size int, k *kept, damage error) {
	x.drop(id)
	if damage != nil {
		x.damaged[id] = damage.Error()
		return
	}
	e := &entry{Run: k.brief(), size: int64(size) + k.Large + k.JournalBytes}
	x.runs[id] = e
	x.all.add(id)
	of := x.states[e.State]
	if of == nil {
		of = &ids{}
		x.states[e.State] = of
	}
	of.add(id)
	x.counts[tenantState{e.Tenant, e.State}]++
}

// drop forgets a run. The caller holds mu.
func (x *index) drop(id string) {
	delete(x.damaged, id)
	e := x.runs[id]
	if e == nil {
		return
	}
	delete(x.runs, id)
	x.all.remove(id)
	x.states[e.State].remove(id)
	of := tenantState{e.Tenant, e.State}
	if x.counts[of]--; x.counts[of] == 0 {
		delete(x.counts, of)
	}
}

// reached sets the revision, and wakes those who wait for it. The caller holds mu.
func (x *index) reached(revision engine.Revision, err error) {
	x.revision, x.err = max(x.revision, revision), err
	close(x.moved)
	x.moved = make(chan struct{})
}

// wait returns when the index has a revision.
func (x *index) wait(ctx context.Context, revision engine.Revision) error {
	for {
		x.mu.RLock()
		has, err, moved := x.revision >= revision, x.err, x.moved
		x.mu.RUnlock()
		if has || err != nil {
			return err
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// barrier waits until the index has all changes that had returned anywhere before barrier was called.
func (s *Store) barrier(ctx context.Context) error {
	if isStale(ctx) {
		return nil
	}
	head, ok, err := s.o.Engine.Get(ctx, runHead)
	if err != nil || !ok {
		return err
	}
	return s.index.wait(ctx, head.Modified)
}

// loadPage is the number of runs that are read at once.
const loadPage = 1000

// load reads all runs again.
func (s *Store) load(ctx context.Context) (engine.Revision, error) {
	q := engine.Query{Prefix: runs, Limit: loadPage}
	var all []engine.Entry
	for {
		page, err := s.o.Engine.List(ctx, q)
		if errors.Is(err, engine.ErrCompacted) { // between two pages
			all, q.After, q.Revision = nil, "", 0
			continue
		}
		if err != nil {
			return 0, err
		}
		all, q.Revision = append(all, page.Entries...), page.Revision
		if !page.More {
			break
		}
		q.After = page.Entries[len(page.Entries)-1].Key
	}
	x := s.index
	x.mu.Lock()
	defer x.mu.Unlock()
	x.clear()
	for _, e := range all {
		s.take(engine.Change{Entry: e})
	}
	x.reached(q.Revision, nil)
	return q.Revision, nil
}

// take stores the run of a key in the index. The caller holds its mu.
func (s *Store) take(c engine.Change) {
	id := strings.TrimPrefix(c.Key, runs)
	switch {
	case !store.ValidID(id):
	case c.Deleted:
		s.index.drop(id)
	default:
		k, err := s.decodeRun(id, c.Value)
		s.index.put(id, len(c.Value), &k, err)
		s.ids.After(id)
	}
}

// followPause is the time until the index is read again after an error.
const followPause = time.Second

// follow makes the index follow the engine until the store is closed.
func (s *Store) follow(revision engine.Revision) {
	for {
		err := s.o.Engine.Watch(s.ctx, runs, revision, func(c engine.Commit) error {
			s.index.mu.Lock()
			defer s.index.mu.Unlock()
			for _, change := range c.Changes {
				s.take(change)
			}
			s.index.reached(c.Revision, nil)
			revision = c.Revision
			return nil
		})
		for s.ctx.Err() == nil && !errors.Is(err, engine.ErrClosed) {
			if errors.Is(err, engine.ErrCompacted) {
				revision, err = s.load(s.ctx)
			}
			if err == nil {
				break
			}
			s.o.Log.Warn("the list of runs does not follow the engine, and is read again", "error", err)
			s.pause(followPause)
			err = engine.ErrCompacted
		}
		if err != nil {
			s.index.mu.Lock()
			s.index.reached(0, fmt.Errorf("store: the list of runs follows no more: %w", cmp.Or(s.ctx.Err(), err)))
			s.index.mu.Unlock()
			return
		}
	}
}

// pause waits, until the store is closed at most.
func (s *Store) pause(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.ctx.Done():
	}
}

// list returns a page. It looks at the runs of the states, or at all.
func (x *index) list(q *store.Query) (page store.Page) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var lists []ids
	for _, state := range q.States {
		if l := x.states[state]; l != nil {
			lists = append(lists, *l)
		}
	}
	if len(q.States) == 0 {
		lists = []ids{x.all}
	}
	from, to := "", "" // "" is no bound
	if !q.Since.IsZero() {
		from = store.FirstID(q.Since)
	}
	if !q.Until.IsZero() {
		to = store.FirstID(q.Until)
	}
	for i, l := range lists {
		lists[i] = l.between(from, to, q.After, q.Oldest)
	}
	limit := cmp.Or(q.Limit, store.DefaultLimit)
	page.Runs = []store.Run{} // an empty list in JSON
	for id := next(lists, q.Oldest); id != ""; id = next(lists, q.Oldest) {
		e := x.runs[id]
		if !q.Has(&e.Run) {
			continue
		}
		if len(page.Runs) == limit {
			page.Next = page.Runs[limit-1].ID
			break
		}
		run := e.Run
		run.Labels = maps.Clone(run.Labels)
		page.Runs = append(page.Runs, run)
	}
	return page
}

// between returns the part of a list from one id on and before another one, that follows after in the order of a list.
func (l ids) between(from, to, after string, oldest bool) ids {
	if to != "" {
		i, _ := slices.BinarySearch(l, to)
		l = l[:i]
	}
	i, _ := slices.BinarySearch(l, from)
	l = l[i:]
	if after == "" {
		return l
	}
	i, found := slices.BinarySearch(l, after)
	switch {
	case !oldest:
		return l[:i]
	case found:
		i++
	}
	return l[i:]
}

// next removes the first id of several lists and returns it, "" if all are empty.
func next(lists []ids, oldest bool) string {
	best := -1
	for i, l := range lists {
		switch {
		case len(l) == 0:
		case best < 0, oldest && l[0] < lists[best][0], !oldest && l[len(l)-1] > lists[best][len(lists[best])-1]:
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	l := lists[best]
	if oldest {
		lists[best] = l[1:]
		return l[0]
	}
	lists[best] = l[:len(l)-1]
	return l[len(l)-1]
}

func (x *index) count(tenant string) map[store.State]int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	n := map[store.State]int{}
	for of, count := range x.counts {
		if tenant == "" || tenant == of.tenant {
			n[of.state] += count
		}
	}
	return n
}

func (x *index) damages() (all []store.Damage) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, id := range slices.Sorted(maps.Keys(x.damaged)) {
		all = append(all, store.Damage{ID: id, Reason: x.damaged[id]})
	}
	return all
}

// beyond returns the final runs that exceed a bound, in the order in which they ended.
func (x *index) beyond(r store.Retention, now time.Time) (over []string) {
	if r == (store.Retention{}) {
		return nil
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	var final []*entry
	for state, l := range x.states {
		if state.Final() {
			for _, id := range *l {
				final = append(final, x.runs[id])
			}
		}
	}
	slices.SortFunc(final, func(a, b *entry) int { return cmp.Or(a.Ended.Compare(b.Ended), cmp.Compare(a.ID, b.ID)) })
	kept, bytes := 0, int64(0)
	for i, e := range slices.Backward(final) { // if a run exceeds a bound, so do all runs that ended before it
		kept++
		bytes += e.size
		if r.Count > 0 && kept > r.Count || r.Bytes > 0 && bytes > r.Bytes || r.Age > 0 && now.Sub(e.Ended) > r.Age {
			for _, e := range final[:i+1] {
				over = append(over, e.ID)
			}
			return over
		}
	}
	return nil
}
