// This file defines the tests of Get and Apply.

package enginetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

var commits = map[string]test{
	"an entry has the revisions that created and changed it": {run: func(w *world) {
		e := w.Member(0)
		w.absent(e, "k")
		first := w.put(e, "k", "v1")
		require.Positive(w, first)
		require.Equal(w, engine.Entry{Key: "k", Value: []byte("v1"), Created: first, Modified: first}, w.get(e, "k"))
		second := w.put(e, "k", "v2")
		require.Greater(w, second, first)
		require.Equal(w, engine.Entry{Key: "k", Value: []byte("v2"), Created: first, Modified: second}, w.get(e, "k"))
		w.absent(e, "k2")
		w.absent(e, "")
		deleted := w.apply(e, engine.Delete("k"))
		require.Greater(w, deleted, second)
		w.absent(e, "k")
		again := w.put(e, "k", "")
		entry := w.get(e, "k")
		require.Empty(w, entry.Value)
		require.Equal(w, [2]engine.Revision{again, again}, [2]engine.Revision{entry.Created, entry.Modified})
	}},
	"a value and a key are any bytes": {run: func(w *world) {
		e := w.Member(0)
		key, value := "a\x00\xff/ü\n", "\x00\xff\r\n"
		w.put(e, key, value)
		require.Equal(w, value, string(w.get(e, key).Value))
		require.Equal(w, []string{key}, keys(w.list(e, engine.Query{})))
	}},
	"the caller may change a value after Apply": {run: func(w *world) {
		e := w.Member(0)
		value := []byte("value")
		w.apply(e, engine.Put("k", value))
		value[0] = 'X'
		require.Equal(w, "value", string(w.get(e, "k").Value))
	}},
	"a commit that changes nothing has the last revision": {run: func(w *world) {
		e := w.Member(0)
		last := w.put(e, "k", "v")
		require.Equal(w, last, w.apply(e))
		require.Equal(w, last, w.apply(e, engine.Delete("other"), engine.DeletePrefix("others/")))
		r, err := e.Apply(w.ctx, []engine.Condition{engine.At("k", last)})
		require.NoError(w, err)
		require.Equal(w, engine.Result{Done: true, Revision: last}, r)
	}},
	"the operations of a commit have one revision": {run: func(w *world) {
		e := w.Member(0)
		w.put(e, "old/1", "v")
		w.put(e, "old/2", "v")
		w.put(e, "older", "v")
		r := w.apply(e, engine.Put("a", []byte("1")), engine.DeletePrefix("old/"), engine.Put("b", []byte("2")))
		require.Equal(w, r, w.get(e, "a").Created)
		require.Equal(w, r, w.get(e, "b").Created)
		require.Equal(w, []string{"a", "b", "older"}, keys(w.list(e, engine.Query{})))
	}},
	"an empty prefix deletes all keys": {run: func(w *world) {
		e := w.Member(0)
		w.put(e, "a", "")
		w.put(e, "\xff\xff", "")
		w.apply(e, engine.DeletePrefix(""))
		require.Empty(w, w.list(e, engine.Query{}).Entries)
	}},
	"a prefix that ends with the last byte": {run: func(w *world) {
		e := w.Member(0)
		for _, key := range []string{"a\xff", "a\xff\xff", "a\xffz", "b"} {
			w.put(e, key, "")
		}
		require.Equal(w, []string{"a\xff", "a\xffz", "a\xff\xff"}, keys(w.list(e, engine.Query{Prefix: "a\xff"})))
		w.apply(e, engine.DeletePrefix("a\xff"))
		require.Equal(w, []string{"b"}, keys(w.list(e, engine.Query{})))
	}},
	"conditions hold":                {run: conditionsHold},
	"conditions do not hold":         {run: conditionsDoNotHold},
	"a commit that breaks the rules": {run: refusedCommits},
	"the largest commit":             {run: largestCommit},
	"a context that has ended": {run: func(w *world) {
		e := w.Member(0)
		ctx, cancel := context.WithCancel(w.ctx)
		cancel()
		_, _, err := e.Get(ctx, "k")
		require.ErrorIs(w, err, context.Canceled)
		_, err = e.List(ctx, engine.Query{})
		require.ErrorIs(w, err, context.Canceled)
		_, err = e.List(ctx, engine.Query{Stale: true})
		require.ErrorIs(w, err, context.Canceled)
		_, err = e.Apply(ctx, nil, engine.Put("k", nil))
		require.ErrorIs(w, err, context.Canceled)
		require.ErrorIs(w, e.Watch(ctx, "", 0, nil), context.Canceled)
		_, err = e.Grant(ctx, time.Second)
		require.ErrorIs(w, err, context.Canceled)
		require.ErrorIs(w, e.Compact(ctx, 1), context.Canceled)
	}},
	"counters of all members":   {members: 3, run: counters},
	"readers see whole commits": {run: wholeCommits},
}

func conditionsHold(w *world) {
	e := w.Member(0)
	created, err := e.Apply(w.ctx, []engine.Condition{engine.Absent("k")}, engine.Put("k", []byte("1")))
	require.NoError(w, err)
	require.True(w, created.Done)
	require.Empty(w, created.Found)
	changed, err := e.Apply(w.ctx, []engine.Condition{engine.At("k", created.Revision), engine.Absent("k2")},
		engine.Put("k", []byte("2")))
	require.NoError(w, err)
	require.True(w, changed.Done)
	again, err := e.Apply(w.ctx, []engine.Condition{engine.CreatedAt("k", created.Revision),
		engine.At("k", changed.Revision)}, engine.Put("k2", nil))
	require.NoError(w, err)
	require.True(w, again.Done)
	gone, err := e.Apply(w.ctx, []engine.Condition{engine.CreatedAt("none", 0)}, engine.Delete("k"))
	require.NoError(w, err)
	require.True(w, gone.Done)
	back, err := e.Apply(w.ctx, []engine.Condition{engine.Absent("k"), engine.CreatedAt("k", 0)}, engine.Put("k", nil))
	require.NoError(w, err)
	require.True(w, back.Done, "a deleted key is absent")
}

func conditionsDoNotHold(w *world) {
	e := w.Member(0)
	a, b := w.put(e, "a", "1"), w.put(e, "b", "2")
	b2 := w.put(e, "b", "3")
	last := w.put(e, "z", "")
	for name, conditions := range map[string][]engine.Condition{
		"exists":        {engine.Absent("a")},
		"changed since": {engine.At("a", a), engine.At("b", b)},
		"is not there":  {engine.At("c", a)},
		"was created":   {engine.CreatedAt("b", b2)},
		"one of three":  {engine.At("a", a), engine.Absent("b"), engine.Absent("c")},
		"is newer":      {engine.At("a", last+100)},
	} {
		r, err := e.Apply(w.ctx, conditions, engine.Put("a", []byte("x")), engine.Put("d", nil))
		require.NoError(w, err)
		require.False(w, r.Done, name)
		require.Equal(w, last, r.Revision, name)
		require.Len(w, r.Found, len(conditions), name)
		for i, c := range conditions {
			want, ok, err := e.Get(w.ctx, c.Key)
			require.NoError(w, err)
			if !ok {
				want = engine.Entry{Key: c.Key}
			}
			require.Equal(w, want, r.Found[i], name)
		}
	}
	require.Equal(w, "1", string(w.get(e, "a").Value))
	w.absent(e, "d")
}

func refusedCommits(w *world) {
	e := w.Member(0)
	last := w.put(e, "k", "v")
	var many []engine.Op
	var conditions []engine.Condition
	for i := range engine.MaxOps + 1 {
		many = append(many, engine.Put(strconv.Itoa(i), nil))
		conditions = append(conditions, engine.Absent(strconv.Itoa(i)))
	}
	for name, c := range map[string]struct {
		conditions []engine.Condition
		ops        []engine.Op
		want       error
	}{
		"operations":       {ops: many, want: engine.ErrTooLarge},
		"conditions":       {conditions: conditions, want: engine.ErrTooLarge},
		"bytes of a value": {ops: []engine.Op{engine.Put("k", make([]byte, engine.MaxBytes))}, want: engine.ErrTooLarge},
		"bytes of all": {ops: []engine.Op{engine.Put("a", make([]byte, engine.MaxBytes/2)),
			engine.Put("b", make([]byte, engine.MaxBytes/2))}, want: engine.ErrTooLarge},
		"no key":        {ops: []engine.Op{engine.Put("", nil)}, want: engine.ErrInvalid},
		"delete no key": {ops: []engine.Op{engine.Delete("")}, want: engine.ErrInvalid},
		"condition":     {conditions: []engine.Condition{engine.Absent("")}, want: engine.ErrInvalid},
		"put twice": {ops: []engine.Op{engine.Put("a", nil), engine.Put("b", nil), engine.Put("a", nil)},
			want: engine.ErrInvalid},
		"put and delete": {ops: []engine.Op{engine.Put("a", nil), engine.Delete("a")}, want: engine.ErrInvalid},
		"within a prefix": {ops: []engine.Op{engine.Put("a/1", nil), engine.Put("b", nil), engine.DeletePrefix("a/")},
			want: engine.ErrInvalid},
		"a prefix within a prefix": {ops: []engine.Op{engine.DeletePrefix("a/"), engine.DeletePrefix("a/b/")},
			want: engine.ErrInvalid},
		"all and one": {ops: []engine.Op{engine.DeletePrefix(""), engine.Put("a", nil)},
			want: engine.ErrInvalid},
		"put a prefix":        {ops: []engine.Op{{Key: "a", Prefix: true}}, want: engine.ErrInvalid},
		"delete with a lease": {ops: []engine.Op{{Key: "a", Delete: true, Lease: 1}}, want: engine.ErrInvalid},
		"a lease that is not": {ops: []engine.Op{{Key: "a", Lease: 12345}}, want: engine.ErrNoLease},
	} {
		_, err := e.Apply(w.ctx, c.conditions, c.ops...)
		require.ErrorIs(w, err, c.want, name)
	}
	require.Equal(w, last, w.list(e, engine.Query{}).Revision, "a refused commit has changed something")
	w.apply(e, engine.DeletePrefix("a/"), engine.Put("a", nil), engine.Put("a0", nil), engine.Put("b/1", nil))
}

func largestCommit(w *world) {
	e := w.Member(0)
	var ops []engine.Op
	var conditions []engine.Condition
	value := make([]byte, engine.MaxBytes/engine.MaxOps-4)
	for i := range engine.MaxOps {
		key := fmt.Sprintf("%04d", i)
		ops = append(ops, engine.Put(key, value))
		conditions = append(conditions, engine.Absent(key))
	}
	r, err := e.Apply(w.ctx, conditions, ops...)
	require.NoError(w, err)
	require.True(w, r.Done)
	page := w.list(e, engine.Query{})
	require.Len(w, page.Entries, engine.MaxOps)
	require.Equal(w, r.Revision, page.Entries[engine.MaxOps-1].Created)
	r, err = e.Apply(w.ctx, conditions, ops...)
	require.NoError(w, err)
	require.False(w, r.Done)
	require.Len(w, r.Found, engine.MaxOps)
	require.Equal(w, page.Entries, r.Found)
	seen := 0
	err = e.Watch(w.ctx, "", 0, func(c engine.Commit) error {
		seen = len(c.Changes)
		return errStop
	})
	require.ErrorIs(w, err, errStop)
	require.Equal(w, engine.MaxOps, seen, "a commit was cut into pieces")
	w.put(e, "whole", strings.Repeat("x", engine.MaxBytes-len("whole")))
}

// counters makes all members add to one counter concurrently. An addition without an answer may have been made.
func counters(w *world) {
	const each, adders = 15, 2
	var calls []func()
	var refused, added, unknown atomic.Int64
	for i := range 3 * adders {
		e := w.Member(i % 3)
		calls = append(calls, func() {
			for n := 0; n < each; {
				old, _, err := e.Get(w.ctx, "n")
				if errors.Is(err, engine.ErrUnavailable) {
					continue
				}
				before, _ := strconv.Atoi(string(old.Value))
				next := engine.Put("n", []byte(strconv.Itoa(before+1)))
				r, err := e.Apply(w.ctx, []engine.Condition{engine.At("n", old.Modified)}, next)
				switch {
				case errors.Is(err, engine.ErrUnavailable):
					unknown.Add(1)
				case !assert.NoError(w, err):
					return
				case r.Done:
					added.Add(1)
					n++
				default:
					refused.Add(1)
				}
			}
		})
	}
	together(calls...)
	n, err := strconv.ParseInt(string(w.get(w.Member(0), "n").Value), 10, 64)
	require.NoError(w, err)
	require.GreaterOrEqual(w, n, added.Load())
	require.LessOrEqual(w, n, added.Load()+unknown.Load())
	w.Logf("%d additions were refused and made again, %d had no answer", refused.Load(), unknown.Load())
}

// wholeCommits has a writer change two keys in one commit, and readers compare them.
func wholeCommits(w *world) {
	e := w.Member(0)
	const n = 50
	write := func() {
		for i := range n {
			v := []byte(strconv.Itoa(i))
			if _, err := e.Apply(w.ctx, nil, engine.Put("pair/a", v), engine.Put("pair/b", v)); !assert.NoError(w, err) {
				return
			}
		}
	}
	read := func() {
		for last := ""; last != strconv.Itoa(n-1); {
			page, err := e.List(w.ctx, engine.Query{Prefix: "pair/", Stale: true})
			if !assert.NoError(w, err) {
				return
			}
			if len(page.Entries) == 0 {
				continue
			}
			if !assert.Len(w, page.Entries, 2) || !assert.Equal(w, page.Entries[0].Value, page.Entries[1].Value) {
				return
			}
			last = string(page.Entries[0].Value)
		}
	}
	together(write, read, read)
}
