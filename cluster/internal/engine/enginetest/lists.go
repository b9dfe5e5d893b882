// This file defines the tests of List and Compact.

package enginetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

var lists = map[string]test{
	"a list has the keys of a prefix in order": {run: func(w *world) {
		e := w.Member(0)
		for _, key := range []string{"b/2", "a", "b/10", "b", "b/1", "c", "b0"} {
			w.put(e, key, "v"+key)
		}
		last := w.apply(e, engine.Delete("c"))
		page := w.list(e, engine.Query{})
		require.Equal(w, []string{"a", "b", "b/1", "b/10", "b/2", "b0"}, keys(page))
		require.Equal(w, last, page.Revision)
		require.False(w, page.More)
		require.Equal(w, []string{"b/1", "b/10", "b/2"}, keys(w.list(e, engine.Query{Prefix: "b/"})))
		require.Equal(w, []string{"b/10", "b/2"}, keys(w.list(e, engine.Query{Prefix: "b/", After: "b/1"})))
		require.Equal(w, []string{"b/2"}, keys(w.list(e, engine.Query{Prefix: "b/", After: "b/11"})))
		require.Empty(w, keys(w.list(e, engine.Query{Prefix: "b/", After: "c"})))
		require.Equal(w, []string{"b/1", "b/10", "b/2"}, keys(w.list(e, engine.Query{Prefix: "b/", After: "a"})))
		require.Empty(w, keys(w.list(e, engine.Query{Prefix: "nothing"})))
		require.Equal(w, "vb/10", string(page.Entries[3].Value))
		without := w.list(e, engine.Query{Prefix: "b/", Keys: true})
		require.Equal(w, []string{"b/1", "b/10", "b/2"}, keys(without))
		for _, entry := range without.Entries {
			require.Empty(w, entry.Value)
			require.Equal(w, w.get(e, entry.Key).Created, entry.Created)
		}
	}},
	"pages": {run: func(w *world) {
		e := w.Member(0)
		for i := range 10 {
			w.put(e, fmt.Sprintf("k/%d", i), "")
		}
		w.put(e, "l", "")
		var got []string
		q := engine.Query{Prefix: "k/", Limit: 3}
		for pages := 1; ; pages++ {
			page := w.list(e, q)
			got = append(got, keys(page)...)
			q.Revision = page.Revision
			if !page.More {
				require.Equal(w, 4, pages)
				break
			}
			require.Len(w, page.Entries, 3)
			q.After = got[len(got)-1]
			w.put(e, "k/a"+q.After[2:], "") // the pages are of one revision
		}
		require.Equal(w, []string{"k/0", "k/1", "k/2", "k/3", "k/4", "k/5", "k/6", "k/7", "k/8", "k/9"}, got)
		require.False(w, w.list(e, engine.Query{Prefix: "l", Limit: 1}).More)
	}},
	"a list of entries since a revision": {run: func(w *world) {
		e := w.Member(0)
		w.put(e, "k/1", "")
		since := w.put(e, "k/5", "")
		w.put(e, "k/3", "")
		w.put(e, "k/1", "changed, not created")
		w.put(e, "k/2", "")
		w.put(e, "j", "")
		require.Equal(w, []string{"k/2", "k/3"}, keys(w.list(e, engine.Query{Prefix: "k/", Since: since})))
		page := w.list(e, engine.Query{Prefix: "k/", Since: since, Limit: 1})
		require.Equal(w, []string{"k/2"}, keys(page))
		require.True(w, page.More)
		page = w.list(e, engine.Query{Prefix: "k/", Since: since, Limit: 2})
		require.False(w, page.More, "entries that were not created since do not count")
	}},
	"a list at a revision": {run: func(w *world) {
		e := w.Member(0)
		first := w.put(e, "a", "1")
		second := w.put(e, "b", "1")
		third := w.put(e, "a", "2")
		last := w.apply(e, engine.Delete("b"))
		require.Equal(w, []string{"a"}, keys(w.list(e, engine.Query{Revision: first})))
		page := w.list(e, engine.Query{Revision: second})
		require.Equal(w, []string{"a", "b"}, keys(page))
		require.Equal(w, second, page.Revision)
		require.Equal(w, "1", string(page.Entries[0].Value))
		require.Equal(w, first, page.Entries[0].Modified)
		require.Equal(w, "2", string(w.list(e, engine.Query{Revision: third}).Entries[0].Value))
		require.Equal(w, []string{"a"}, keys(w.list(e, engine.Query{Revision: last})))
		_, err := e.List(w.ctx, engine.Query{Revision: last + 1})
		require.ErrorIs(w, err, engine.ErrInvalid)
		_, err = e.List(w.ctx, engine.Query{Revision: -1})
		require.ErrorIs(w, err, engine.ErrInvalid)
	}},
	"compaction": {run: func(w *world) {
		e := w.Member(0)
		w.put(e, "a", "1")
		second := w.put(e, "a", "2")
		third := w.put(e, "b", "1")
		w.put(e, "a", "3")
		last := w.apply(e, engine.Delete("b"))
		require.NoError(w, e.Compact(w.ctx, third))
		_, err := e.List(w.ctx, engine.Query{Revision: second})
		require.ErrorIs(w, err, engine.ErrCompacted)
		page := w.list(e, engine.Query{Revision: third})
		require.Equal(w, []string{"a", "b"}, keys(page))
		require.Equal(w, "2", string(page.Entries[0].Value))
		require.NoError(w, e.Compact(w.ctx, third), "again")
		require.NoError(w, e.Compact(w.ctx, second), "before one that was made")
		require.NoError(w, e.Compact(w.ctx, 0))
		require.ErrorIs(w, e.Compact(w.ctx, last+1), engine.ErrInvalid)
		require.NoError(w, e.Compact(w.ctx, last))
		_, err = e.List(w.ctx, engine.Query{Revision: third})
		require.ErrorIs(w, err, engine.ErrCompacted)
		require.Equal(w, []string{"a"}, keys(w.list(e, engine.Query{})))
		require.Equal(w, "3", string(w.get(e, "a").Value))
		require.Positive(w, w.get(e, "a").Created)
		w.put(e, "b", "2")
		require.Equal(w, []string{"a", "b"}, keys(w.list(e, engine.Query{})))
	}},
	"all members read the latest commit": {members: 3, run: func(w *world) {
		for i := range 30 {
			want := fmt.Sprint(i)
			r := w.put(w.Member(i%3), "k", want)
			entry := w.get(w.Member((i+1)%3), "k")
			require.Equal(w, want, string(entry.Value))
			page := w.list(w.Member((i+2)%3), engine.Query{Prefix: "k"})
			require.GreaterOrEqual(w, page.Entries[0].Modified, r)
			require.GreaterOrEqual(w, page.Revision, r)
			stale := w.list(w.Member((i+2)%3), engine.Query{Stale: true})
			require.GreaterOrEqual(w, stale.Revision, r, "it is older than what this member has returned before")
		}
	}},
	"a closed engine": {run: closed},
}

// closed closes an engine while calls wait, and calls it afterwards.
func closed(w *world) {
	e := w.Member(0)
	w.put(e, "k", "v")
	lease, err := e.Grant(w.ctx, 10*time.Second)
	require.NoError(w, err)
	watching, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		began := sync.OnceFunc(func() { close(watching) })
		ended <- e.Watch(w.ctx, "", 0, func(engine.Commit) error { // of each attempt of put
			began()
			return nil
		})
	}()
	<-watching
	require.NoError(w, e.Close())
	require.ErrorIs(w, <-ended, engine.ErrClosed)
	<-lease.Lost()
	for name, call := range map[string]func() error{
		"Get":     func() error { _, _, err := e.Get(w.ctx, "k"); return err },
		"List":    func() error { _, err := e.List(w.ctx, engine.Query{}); return err },
		"stale":   func() error { _, err := e.List(w.ctx, engine.Query{Stale: true}); return err },
		"Apply":   func() error { _, err := e.Apply(w.ctx, nil, engine.Put("k", nil)); return err },
		"Watch":   func() error { return e.Watch(w.ctx, "", 0, func(engine.Commit) error { return nil }) },
		"Grant":   func() error { _, err := e.Grant(w.ctx, time.Second); return err },
		"Compact": func() error { return e.Compact(w.ctx, 1) },
		"Status":  func() error { _, err := e.Status(w.ctx); return err },
		"lease":   func() error { return lease.Close(w.ctx) },
	} {
		require.ErrorIs(w, call(), engine.ErrClosed, name)
	}
	require.NoError(w, e.Close(), "again")
}
