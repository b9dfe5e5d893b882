// Package enginetest tests implementations of engine.Engine: each sentence of the interface, alone and under faults.
package enginetest

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// Harness makes clusters of an implementation.
type Harness struct {
	// Open starts an empty cluster, which ends with the test. Calls without a majority fail after a few seconds at most.
	Open func(t *testing.T, o Options) Cluster
	// Bubble runs each test in a bubble of testing/synctest.
	Bubble bool
	// Lifetime is that of leases that end in the tests, 1 s by default. On real time it is long enough for the renewals.
	Lifetime time.Duration
}

// Options are those of a cluster.
type Options struct {
	Members int
	Quota   int64 // 0 for the default
}

// Cluster is a cluster under test. Members have numbers from 0.
type Cluster interface {
	// Member returns a member that runs.
	Member(i int) engine.Engine
	// Cut cuts the links between a member and all others, until Heal.
	Cut(i int)
	Heal()
	// Stop ends a member without a notice to the others, and Start starts it again.
	Stop(i int)
	Start(i int)
}

// test is a test of the contract.
type test struct {
	members int   // 1 by default
	quota   int64 // 0 for the default
	run     func(w *world)
}

// world is the state of a test.
type world struct {
	*testing.T
	Cluster
	ctx      context.Context
	lifetime time.Duration
}

// Run runs all tests. Each test has its own cluster.
func Run(t *testing.T, h Harness) {
	for _, group := range []map[string]test{commits, lists, watches, leases, faults, histories} {
		for name, test := range group {
			t.Run(name, func(t *testing.T) {
				if h.Bubble {
					synctest.Test(t, func(t *testing.T) { h.one(t, test) })
					return
				}
				t.Parallel()
				h.one(t, test)
			})
		}
	}
}

func (h Harness) one(t *testing.T, test test) {
	w := &world{T: t, Cluster: h.Open(t, Options{Members: max(test.members, 1), Quota: test.quota}), ctx: t.Context(),
		lifetime: max(h.Lifetime, time.Second)}
	test.run(w)
}

// apply makes a commit, which is done.
func (w *world) apply(e engine.Engine, ops ...engine.Op) engine.Revision {
	w.Helper()
	r, err := e.Apply(w.ctx, nil, ops...)
	for errors.Is(err, engine.ErrUnavailable) { // an election, if several members run
		r, err = e.Apply(w.ctx, nil, ops...)
	}
	require.NoError(w, err)
	require.True(w, r.Done)
	return r.Revision
}

// create puts keys that do not exist, however often it has to try, and returns the revision. ok is false if that has
// failed, which ends the test.
func (w *world) create(e engine.Engine, ops ...engine.Op) (r engine.Revision, ok bool) {
	for {
		result, err := e.Apply(w.ctx, []engine.Condition{engine.Absent(ops[0].Key)}, ops...)
		switch {
		case errors.Is(err, engine.ErrUnavailable):
		case !assert.NoError(w, err):
			return 0, false
		case !result.Done: // an attempt before was made
			return result.Found[0].Created, true
		default:
			return result.Revision, true
		}
	}
}

// put sets the value of a key.
func (w *world) put(e engine.Engine, key, value string) engine.Revision {
	w.Helper()
	return w.apply(e, engine.Put(key, []byte(value)))
}

// answered makes a call again while there is an election, if several members run. It succeeds then.
func (w *world) answered(call func() error) {
	w.Helper()
	err := call()
	for errors.Is(err, engine.ErrUnavailable) {
		err = call()
	}
	require.NoError(w, err)
}

// get returns the entry of a key, which exists.
func (w *world) get(e engine.Engine, key string) engine.Entry {
	w.Helper()
	entry, ok, err := e.Get(w.ctx, key)
	for errors.Is(err, engine.ErrUnavailable) {
		entry, ok, err = e.Get(w.ctx, key)
	}
	require.NoError(w, err)
	require.True(w, ok, "there is no key %s", key)
	return entry
}

// absent wants a key not to exist.
func (w *world) absent(e engine.Engine, key string) {
	w.Helper()
	var entry engine.Entry
	var ok bool
	w.answered(func() (err error) {
		entry, ok, err = e.Get(w.ctx, key)
		return err
	})
	require.False(w, ok, "key %s has the entry %v", key, entry)
}

// list returns a page.
func (w *world) list(e engine.Engine, q engine.Query) engine.Page {
	w.Helper()
	page, err := e.List(w.ctx, q)
	for errors.Is(err, engine.ErrUnavailable) {
		page, err = e.List(w.ctx, q)
	}
	require.NoError(w, err)
	return page
}

// keys returns the keys of a page.
func keys(page engine.Page) []string {
	list := []string{}
	for _, e := range page.Entries {
		list = append(list, e.Key)
	}
	return list
}

// eventually calls f until it returns true. Without an end of the test's own it fails with that of go test, so a slow
// machine makes it slow and not wrong.
func (w *world) eventually(f func() bool) {
	w.Helper()
	for !f() {
		if w.ctx.Err() != nil {
			w.Fatal("the test has ended")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// working waits until a member can commit.
func (w *world) working(e engine.Engine) {
	w.Helper()
	w.eventually(func() bool {
		_, err := e.Apply(w.ctx, nil, engine.Put("working", nil))
		return err == nil
	})
}

// together runs calls, each in a goroutine, and waits for all.
func together(calls ...func()) {
	done := make(chan struct{})
	for _, call := range calls {
		go func() {
			defer func() { done <- struct{}{} }()
			call()
		}()
	}
	for range calls {
		<-done
	}
}
