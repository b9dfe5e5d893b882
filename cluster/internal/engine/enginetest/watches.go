// This file defines the tests of Watch.

package enginetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

var errStop = errors.New("enough")

// watched returns the first n commits of a watch.
func (w *world) watched(e engine.Engine, prefix string, after engine.Revision, n int) []engine.Commit {
	w.Helper()
	var got []engine.Commit
	err := e.Watch(w.ctx, prefix, after, func(c engine.Commit) error {
		if got = append(got, c); len(got) == n {
			return errStop
		}
		return nil
	})
	require.ErrorIs(w, err, errStop)
	return got
}

var watches = map[string]test{
	"a watch has all commits in order": {run: func(w *world) {
		e := w.Member(0)
		one := w.put(e, "k/b", "1")
		w.put(e, "l", "1")
		two := w.apply(e, engine.Put("k/c", []byte("2")), engine.Put("m", nil), engine.Put("k/a", []byte("3")))
		three := w.put(e, "k/b", "4")
		four := w.apply(e, engine.DeletePrefix("k/"), engine.Put("kk", nil))
		five := w.put(e, "k/b", "5")
		entry := func(key, value string, created, modified engine.Revision) engine.Change {
			return engine.Change{Entry: engine.Entry{Key: key, Value: []byte(value), Created: created, Modified: modified}}
		}
		gone := func(key string, r engine.Revision) engine.Change {
			return engine.Change{Entry: engine.Entry{Key: key, Modified: r}, Deleted: true}
		}
		want := []engine.Commit{
			{Revision: one, Changes: []engine.Change{entry("k/b", "1", one, one)}},
			{Revision: two, Changes: []engine.Change{entry("k/c", "2", two, two), entry("k/a", "3", two, two)}},
			{Revision: three, Changes: []engine.Change{entry("k/b", "4", one, three)}},
			{Revision: four, Changes: []engine.Change{gone("k/a", four), gone("k/b", four), gone("k/c", four)}},
			{Revision: five, Changes: []engine.Change{entry("k/b", "5", five, five)}},
		}
		require.Equal(w, want, w.watched(e, "k/", 0, 5))
		require.Equal(w, want[1:], w.watched(e, "k/", one, 4), "after a revision")
		require.Equal(w, want[4:], w.watched(e, "k/", four, 1))
		require.Equal(w, want[2:4], w.watched(e, "k/", two, 2))
		require.Len(w, w.watched(e, "", 0, 6), 6)
	}},
	"a watch of what comes": {run: func(w *world) {
		e := w.Member(0)
		last := w.put(e, "k", "0")
		got := make(chan engine.Commit)
		go e.Watch(w.ctx, "k", last, func(c engine.Commit) error {
			got <- c
			return nil
		})
		for range 3 {
			r := w.put(e, "k", "")
			require.Equal(w, r, (<-got).Revision)
		}
	}},
	"a watch after a revision that does not exist yet": {run: func(w *world) {
		e := w.Member(0)
		last := w.put(e, "k", "0")
		got := make(chan []engine.Commit)
		go func() { got <- w.watched(e, "k", last+2, 1) }()
		var want engine.Revision
		for i := range 3 {
			want = w.put(e, "k", fmt.Sprint(i))
		}
		require.Equal(w, want, (<-got)[0].Revision)
	}},
	"f ends a watch": {run: func(w *world) {
		e := w.Member(0)
		w.put(e, "k", "")
		w.put(e, "k", "")
		calls := 0
		err := e.Watch(w.ctx, "", 0, func(engine.Commit) error {
			calls++
			return errStop
		})
		require.ErrorIs(w, err, errStop)
		require.Equal(w, 1, calls)
		require.ErrorIs(w, e.Watch(w.ctx, "", -1, nil), engine.ErrInvalid)
	}},
	"the context ends a watch": {run: func(w *world) {
		e := w.Member(0)
		ctx, cancel := context.WithCancel(w.ctx)
		w.put(e, "k", "")
		calls := 0
		err := e.Watch(ctx, "", 0, func(engine.Commit) error {
			calls++
			cancel()
			return nil
		})
		require.ErrorIs(w, err, context.Canceled)
		require.Equal(w, 1, calls)
	}},
	"f uses the engine": {run: func(w *world) {
		e := w.Member(0)
		w.put(e, "k/0", "")
		n := 0
		err := e.Watch(w.ctx, "k/", 0, func(c engine.Commit) error {
			if n++; n == 5 {
				return errStop
			}
			_, err := e.Apply(w.ctx, nil, engine.Put(fmt.Sprint("k/", n), nil))
			return err
		})
		require.ErrorIs(w, err, errStop)
		require.Len(w, w.list(e, engine.Query{Prefix: "k/"}).Entries, 5)
	}},
	"a watch after a compaction": {run: func(w *world) {
		e := w.Member(0)
		one := w.put(e, "a", "1")
		two := w.apply(e, engine.Delete("a"))
		three := w.put(e, "b", "1")
		w.put(e, "b", "2")
		require.NoError(w, e.Compact(w.ctx, two))
		err := e.Watch(w.ctx, "", 0, func(engine.Commit) error { return errStop })
		require.ErrorIs(w, err, engine.ErrCompacted)
		got := w.watched(e, "", one, 3)
		require.Equal(w, two, got[0].Revision, "the commit that the compaction kept")
		require.Equal(w, []engine.Change{{Entry: engine.Entry{Key: "a", Modified: two}, Deleted: true}}, got[0].Changes)
		require.Equal(w, three, got[1].Revision)
		require.Len(w, w.watched(e, "", three, 1), 1)
	}},
	"a watch continues while others compact": {run: compactedWatch},
	"watches of all members agree":           {members: 3, run: manyWatches},
}

// compactedWatch writes and compacts while a watch follows closely: it sees each commit once.
func compactedWatch(w *world) {
	e := w.Member(0)
	const n = 60
	seen := make(chan engine.Revision, n)
	follow := func() {
		var last engine.Revision
		i := 0
		err := e.Watch(w.ctx, "k", 0, func(c engine.Commit) error {
			assert.Greater(w, c.Revision, last)
			assert.Equal(w, fmt.Sprint(i), string(c.Changes[0].Value))
			last = c.Revision
			seen <- last
			if i++; i == n {
				return errStop
			}
			return nil
		})
		assert.ErrorIs(w, err, errStop)
	}
	write := func() {
		for i := range n {
			if _, err := e.Apply(w.ctx, nil, engine.Put("k", []byte(fmt.Sprint(i)))); !assert.NoError(w, err) {
				return
			}
			if r := <-seen; i%5 == 4 && !assert.NoError(w, e.Compact(w.ctx, r)) {
				return
			}
		}
	}
	together(follow, write)
}

// manyWatches has writers on all members and watches on all members, some of which begin late: all see the same.
func manyWatches(w *world) {
	const each = 20
	var mu sync.Mutex
	var acknowledged []engine.Revision
	var calls []func()
	for i := range 3 {
		e := w.Member(i)
		calls = append(calls, func() {
			for n := range each {
				r, ok := w.create(e, engine.Put(fmt.Sprintf("w%d/%d", i, n), nil), engine.Put("last", []byte{byte(i)}))
				if !ok {
					return
				}
				mu.Lock()
				acknowledged = append(acknowledged, r)
				mu.Unlock()
			}
		})
	}
	got := make([][]engine.Commit, 6)
	for i := range got {
		calls = append(calls, func() { got[i] = w.watched(w.Member(i%3), "", 0, 3*each) })
	}
	together(calls...)
	revisions := map[engine.Revision]bool{}
	for _, c := range got[0] {
		revisions[c.Revision] = true
	}
	for _, r := range acknowledged {
		require.True(w, revisions[r], "no watch has seen the commit %d", r)
	}
	for _, other := range got[1:] {
		require.Equal(w, got[0], other)
	}
	require.Equal(w, got[0][10:], w.watched(w.Member(1), "", got[0][9].Revision, 3*each-10), "later")
}
