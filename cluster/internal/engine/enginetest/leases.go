// This file defines the tests of leases.

package enginetest

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// held grants a lease and binds keys to it. A machine that is too busy may lose the lease before the keys are bound.
func (w *world) held(e engine.Engine, lifetime time.Duration, keys ...string) (engine.Lease, engine.Revision) {
	w.Helper()
	for {
		var lease engine.Lease
		w.answered(func() (err error) {
			lease, err = e.Grant(w.ctx, lifetime)
			return err
		})
		require.NotZero(w, lease.ID())
		var ops []engine.Op
		for _, key := range keys {
			ops = append(ops, engine.Op{Key: key, Value: []byte("held"), Lease: lease.ID()})
		}
		var r engine.Result
		gone := false
		w.answered(func() (err error) {
			if r, err = e.Apply(w.ctx, nil, ops...); errors.Is(err, engine.ErrNoLease) {
				gone, err = true, nil
			}
			return err
		})
		if !gone {
			require.True(w, r.Done)
			return lease, r.Revision
		}
	}
}

// outlives wants a lease to be renewed for two lifetimes. A machine that is too busy for the renewals loses some.
func (w *world) outlives(e engine.Engine, lifetime time.Duration) {
	w.Helper()
	w.eventually(func() bool {
		lease, _ := w.held(e, lifetime, "k")
		select {
		case <-lease.Lost():
			return false
		case <-time.After(2 * lifetime):
		}
		_, ok, err := e.Get(w.ctx, "k")
		w.answered(func() error { return lease.Close(w.ctx) })
		return err == nil && ok
	})
}

// lost reports whether a lease is lost.
func lost(l engine.Lease) bool {
	select {
	case <-l.Lost():
		return true
	default:
		return false
	}
}

var leases = map[string]test{
	"the keys of a lease end with it": {run: func(w *world) {
		e := w.Member(0)
		other, _ := w.held(e, 60*time.Second, "other")
		lease, r := w.held(e, time.Minute, "b", "a")
		require.NotEqual(w, other.ID(), lease.ID())
		require.Equal(w, lease.ID(), w.get(e, "a").Lease)
		require.Equal(w, r, w.get(e, "a").Created)
		require.Equal(w, lease.ID(), w.list(e, engine.Query{Prefix: "b"}).Entries[0].Lease)
		require.False(w, lost(lease))
		w.answered(func() error { return lease.Close(w.ctx) })
		require.True(w, lost(lease))
		w.absent(e, "a")
		w.absent(e, "b")
		w.get(e, "other")
		w.answered(func() error { return lease.Close(w.ctx) }) // again
		_, err := e.Apply(w.ctx, nil, engine.Op{Key: "a", Lease: lease.ID()})
		require.ErrorIs(w, err, engine.ErrNoLease)
		got := w.watched(e, "", r, 1)[0]
		require.Len(w, got.Changes, 2, "the end of a lease is one commit")
		require.Equal(w, []string{"a", "b"}, []string{got.Changes[0].Key, got.Changes[1].Key})
		require.True(w, got.Changes[0].Deleted && got.Changes[1].Deleted)
		require.False(w, lost(other))
	}},
	"a put without the lease unbinds a key": {run: func(w *world) {
		e := w.Member(0)
		lease, _ := w.held(e, time.Minute, "a", "b", "c")
		next, _ := w.held(e, time.Minute)
		w.put(e, "a", "free")
		w.apply(e, engine.Op{Key: "b", Value: []byte("moved"), Lease: next.ID()})
		w.answered(func() error { return lease.Close(w.ctx) })
		require.Equal(w, engine.LeaseID(0), w.get(e, "a").Lease)
		require.Equal(w, "moved", string(w.get(e, "b").Value))
		w.absent(e, "c")
		w.answered(func() error { return next.Close(w.ctx) })
		w.absent(e, "b")
		w.get(e, "a")
	}},
	"a lease is renewed": {run: func(w *world) {
		e := w.Member(0)
		w.outlives(e, w.lifetime)
		w.absent(e, "k")
	}},
	"a lifetime": {run: func(w *world) {
		e := w.Member(0)
		for _, d := range []time.Duration{0, -time.Second, 999 * time.Millisecond} {
			_, err := e.Grant(w.ctx, d)
			require.ErrorIs(w, err, engine.ErrInvalid)
		}
		w.outlives(e, w.lifetime+500*time.Millisecond)
	}},
	"one of many gets a key": {members: 3, run: func(w *world) {
		var won, tried atomic.Int64
		var calls []func()
		for i := range 6 {
			e := w.Member(i % 3)
			calls = append(calls, func() {
				lease, err := e.Grant(w.ctx, 30*time.Second)
				for errors.Is(err, engine.ErrUnavailable) {
					lease, err = e.Grant(w.ctx, 30*time.Second)
				}
				if !assert.NoError(w, err) {
					return
				}
				if _, ok := w.create(e, engine.Op{Key: "boss", Lease: lease.ID()}); ok {
					boss := w.get(e, "boss")
					tried.Add(1)
					if boss.Lease == lease.ID() {
						won.Add(1)
					}
				}
			})
		}
		together(calls...)
		require.Equal(w, int64(6), tried.Load())
		require.Equal(w, int64(1), won.Load())
	}},
	"a lease of a member that has ended": {members: 3, run: func(w *world) {
		lease, fence := w.held(w.Member(2), w.lifetime, "k")
		e := w.Member(0)
		w.get(e, "k")
		w.Stop(2)
		<-lease.Lost()
		w.eventually(func() bool {
			_, ok, err := e.Get(w.ctx, "k")
			return err == nil && !ok
		})
		_, again := w.held(e, time.Minute, "k")
		require.Greater(w, again, fence)
	}},
	"a lease is lost before others see it": {members: 3, run: lostFirst},
	"the fence of a lease":                 {members: 3, run: fences},
	"a member revokes a lease of another":  {members: 3, run: revoked},
}

// lostFirst cuts the holder of a lease off: the others see that the lease has ended after the holder knows.
func lostFirst(w *world) {
	holder, other := w.Member(1), w.Member(0)
	lease, r := w.held(holder, w.lifetime, "k")
	gone := make(chan bool, 1)
	go func() {
		commit := w.watched(other, "k", r, 1)[0]
		gone <- lost(lease) && commit.Changes[0].Deleted
	}()
	w.Cut(1)
	require.True(w, <-gone, "another member has seen the end of the lease, and its holder does not know")
	w.Heal()
	w.working(holder)
	_, err := holder.Apply(w.ctx, nil, engine.Op{Key: "k", Lease: lease.ID()})
	require.ErrorIs(w, err, engine.ErrNoLease)
	w.answered(func() error { return lease.Close(w.ctx) })
}

// revoked makes a member end the lease of another one, whose holder learns of it.
func revoked(w *world) {
	holder, other := w.Member(0), w.Member(1)
	lease, _ := w.held(holder, w.lifetime, "k", "l")
	w.answered(func() error { return other.Revoke(w.ctx, lease.ID()) })
	w.absent(other, "k")
	w.absent(holder, "l")
	w.answered(func() error { return other.Revoke(w.ctx, lease.ID()) }) // it has ended already
	select {
	case <-lease.Lost():
	case <-time.After(time.Minute):
		require.Fail(w, "the holder does not learn that the lease was revoked")
	}
	w.answered(func() error { return lease.Close(w.ctx) })
}

// fences makes a holder write that has lost its lease: the condition on the fence refuses it.
func fences(w *world) {
	first, second := w.Member(0), w.Member(1)
	lease, fence := w.held(first, time.Minute, "boss")
	guarded := func(e engine.Engine, fence engine.Revision, value string) bool {
		fenced := []engine.Condition{engine.CreatedAt("boss", fence)}
		r, err := e.Apply(w.ctx, fenced, engine.Put("state", []byte(value)))
		for errors.Is(err, engine.ErrUnavailable) {
			r, err = e.Apply(w.ctx, fenced, engine.Put("state", []byte(value)))
		}
		require.NoError(w, err)
		return r.Done
	}
	require.True(w, guarded(first, fence, "first"))
	w.apply(first, engine.Op{Key: "boss", Value: []byte("changed, not created"), Lease: lease.ID()})
	require.True(w, guarded(first, fence, "first again"))
	w.answered(func() error { return lease.Close(w.ctx) })
	require.False(w, guarded(first, fence, "too late"), "nobody holds it")
	_, next := w.held(second, time.Minute, "boss")
	require.Greater(w, next, fence)
	require.False(w, guarded(first, fence, "too late"))
	require.True(w, guarded(second, next, "second"))
	require.Equal(w, "second", string(w.get(first, "state").Value))
}
