// This file defines the tests of faults: cut members, stopped members, a full database.

package enginetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

var faults = map[string]test{
	"a member that is cut off": {members: 3, run: cutOff},
	"no majority":              {members: 3, run: noMajority},
	"a commit is repeated":     {members: 3, run: repeated},
	"a member that starts again": {members: 3, run: func(w *world) {
		e := w.Member(0)
		first := w.put(e, "k/1", "1")
		w.Stop(2)
		w.put(e, "k/2", "2")
		w.Start(2)
		back := w.Member(2)
		w.working(back)
		require.Equal(w, []string{"k/1", "k/2"}, keys(w.list(back, engine.Query{Prefix: "k/"})))
		require.Equal(w, "k/2", w.watched(back, "k/", first, 1)[0].Changes[0].Key)
	}},
	"all members start again": {members: 3, run: func(w *world) {
		want := w.put(w.Member(0), "k", "v")
		lease, _ := w.held(w.Member(1), w.lifetime, "held")
		for i := range 3 {
			w.Stop(i)
		}
		<-lease.Lost()
		starts := make([]func(), 3)
		for i := range 3 {
			starts[i] = func() { w.Start(i) }
		}
		together(starts...)
		w.working(w.Member(1))
		require.Equal(w, want, w.get(w.Member(1), "k").Created)
		require.Greater(w, w.put(w.Member(0), "k", "v2"), want)
		w.eventually(func() bool {
			_, ok, err := w.Member(2).Get(w.ctx, "held")
			return err == nil && !ok
		})
	}},
	"a full database": {quota: 4 << 20, run: func(w *world) {
		e := w.Member(0)
		var err error
		n := 0
		for ; err == nil; n++ {
			require.Less(w, n, 100, "the quota does not stop it")
			_, err = e.Apply(w.ctx, nil, engine.Put(fmt.Sprintf("k/%03d", n), make([]byte, 512<<10)))
		}
		require.ErrorIs(w, err, engine.ErrFull)
		require.Greater(w, n, 2)
		status, err := e.Status(w.ctx)
		require.NoError(w, err)
		require.NotEmpty(w, status.Alarms)
		require.EqualValues(w, 4<<20, status.Quota)
		require.GreaterOrEqual(w, status.Bytes, status.Quota/2)
		_, err = e.Apply(w.ctx, nil, engine.Put("small", nil))
		require.ErrorIs(w, err, engine.ErrFull)
		kept := len(w.list(e, engine.Query{Keys: true}).Entries)
		require.True(w, kept == n-1 || kept == n, "%d entries of %d", kept, n)
		last := w.apply(e, engine.DeletePrefix("k/"))
		require.NoError(w, e.Compact(w.ctx, last))
		require.Empty(w, w.list(e, engine.Query{}).Entries)
	}},
}

// cutOff cuts a member off: it serves stale reads, and refuses other calls until it is back.
func cutOff(w *world) {
	cut, other := w.Member(2), w.Member(0)
	r := w.put(cut, "k", "old")
	got := make(chan engine.Commit)
	go cut.Watch(w.ctx, "k", r, func(c engine.Commit) error {
		got <- c
		return nil
	})
	w.Cut(2)
	w.eventually(func() bool {
		_, err := other.Apply(w.ctx, nil, engine.Put("other", nil))
		return err == nil
	})
	w.put(other, "k", "new")
	for name, call := range map[string]func() error{
		"Get":     func() error { _, _, err := cut.Get(w.ctx, "k"); return err },
		"List":    func() error { _, err := cut.List(w.ctx, engine.Query{}); return err },
		"Apply":   func() error { _, err := cut.Apply(w.ctx, nil, engine.Put("cut", nil)); return err },
		"Grant":   func() error { _, err := cut.Grant(w.ctx, time.Second); return err },
		"Compact": func() error { return cut.Compact(w.ctx, 1) },
	} {
		require.ErrorIs(w, call(), engine.ErrUnavailable, name)
	}
	short, cancel := context.WithTimeout(w.ctx, 10*time.Millisecond)
	defer cancel()
	_, err := cut.Apply(short, nil, engine.Put("cut", nil))
	require.ErrorIs(w, err, context.DeadlineExceeded)
	stale := w.list(cut, engine.Query{Prefix: "k", Stale: true})
	require.Equal(w, "old", string(stale.Entries[0].Value))
	require.GreaterOrEqual(w, stale.Revision, r)
	w.eventually(func() bool {
		status, err := cut.Status(w.ctx)
		require.NoError(w, err)
		return status.Leader == "" && len(status.Members) == 3
	})
	w.eventually(func() bool {
		status, err := other.Status(w.ctx)
		require.NoError(w, err)
		healthy := 0
		for _, m := range status.Members {
			if m.Healthy {
				healthy++
			}
		}
		return status.Leader != "" && healthy == 2
	})
	w.Heal()
	c := <-got
	require.Equal(w, "new", string(c.Changes[0].Value), "the watch continues")
	w.working(cut)
	require.Equal(w, "new", string(w.get(cut, "k").Value))
}

// repeated cuts a member off and makes a commit on it, which is made when the links are back.
func repeated(w *world) {
	e := w.Member(1)
	w.put(e, "k", "v")
	w.Cut(1)
	absent := []engine.Condition{engine.Absent("log/1")}
	_, err := engine.Repeat(w.ctx, e, 600*time.Millisecond, absent, engine.Put("log/1", []byte("cut")))
	require.ErrorIs(w, err, engine.ErrUnavailable)
	short, cancel := context.WithTimeout(w.ctx, 20*time.Millisecond)
	defer cancel()
	_, err = engine.Repeat(short, e, time.Minute, absent, engine.Put("log/1", []byte("cut")))
	require.ErrorIs(w, err, context.DeadlineExceeded)
	_, err = engine.Repeat(w.ctx, e, time.Minute, nil, engine.Put("", nil))
	require.ErrorIs(w, err, engine.ErrInvalid)
	done := make(chan engine.Result)
	go func() {
		r, err := engine.Repeat(w.ctx, e, time.Hour, absent, engine.Put("log/1", []byte("cut")))
		assert.NoError(w, err)
		done <- r
	}()
	time.Sleep(time.Second)
	w.Heal()
	r := <-done
	if !r.Done {
		r.Revision = r.Found[0].Created
	}
	require.Equal(w, r.Revision, w.get(w.Member(0), "log/1").Created)
}

// noMajority stops two of three members.
func noMajority(w *world) {
	e := w.Member(0)
	w.put(e, "k", "v")
	w.Stop(1)
	w.working(e)
	w.Stop(2)
	w.eventually(func() bool { // a commit may be on its way while the member ends
		_, err := e.Apply(w.ctx, nil, engine.Put("k2", nil))
		return errors.Is(err, engine.ErrUnavailable)
	})
	require.Equal(w, "v", string(w.list(e, engine.Query{Prefix: "k", Stale: true}).Entries[0].Value))
	waiting := make(chan error, 1)
	go func() {
		waiting <- e.Watch(w.ctx, "later", 0, func(engine.Commit) error { return errStop })
	}()
	w.Start(1)
	w.working(e)
	w.put(w.Member(1), "later", "")
	require.ErrorIs(w, <-waiting, errStop)
	w.Start(2)
	w.working(w.Member(2))
	require.Equal(w, "v", string(w.get(w.Member(2), "k").Value))
}
