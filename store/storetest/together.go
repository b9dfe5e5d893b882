// This file defines the tests of concurrent use.

package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/store"
)

var together = map[string]func(*testing.T, store.Store){
	"OneKey":       testOneKey,
	"Counter":      testCounter,
	"OneVersion":   testOneVersion,
	"OneEnd":       testOneEnd,
	"Hammer":       testHammer,
	"ListsHammer":  testListsHammer,
	"CloseHammer":  testCloseHammer,
	"ExpireHammer": testExpireHammer,
}

const goroutines = 8

func all(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// testOneKey: only one of many submissions with the same key is run.
func testOneKey(t *testing.T, s store.Store) {
	for round := range 5 {
		var created atomic.Int32
		ids := make([]string, goroutines)
		all(goroutines, func(i int) {
			run := Submitted()
			run.Key = fmt.Sprint(round)
			kept, first, err := s.Create(t.Context(), run)
			if err != nil {
				t.Error(err)
			}
			if first {
				created.Add(1)
			}
			ids[i] = kept.ID
		})
		require.EqualValues(t, 1, created.Load())
		for _, id := range ids {
			require.Equal(t, ids[0], id)
		}
	}
	require.Len(t, All(t, s, store.Query{}), 5)
}

// testCounter: no change is lost.
func testCounter(t *testing.T, s store.Store) {
	id := Create(t, s, Submitted()).ID
	const each = 10
	all(goroutines, func(int) {
		for range each {
			_, err := s.Update(t.Context(), id, func(r *store.Run) error { r.Attempts++; return nil })
			if err != nil {
				t.Error(err)
			}
		}
	})
	got, err := s.Get(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, each*goroutines, got.Attempts)
	require.EqualValues(t, each*goroutines+1, got.Revision)
}

// testOneVersion: only one of several writers of the same version succeeds.
func testOneVersion(t *testing.T, s store.Store) {
	for version := 1; version <= 5; version++ {
		var won atomic.Int32
		all(goroutines, func(i int) {
			_, err := s.Put(t.Context(), store.Document{Kind: store.Policies, Name: "p", Version: version,
				Body: json.RawMessage(fmt.Sprint(i))})
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, store.ErrConflict):
				t.Error(err)
			}
		})
		require.EqualValues(t, 1, won.Load())
	}
}

// testOneEnd: a run that is ended several times keeps one of the ends.
func testOneEnd(t *testing.T, s store.Store) {
	for range 5 {
		id := Create(t, s, Submitted()).ID
		Become(t, s, id, store.Running)
		var won atomic.Value
		all(goroutines, func(i int) {
			end := []store.State{store.Succeeded, store.Cancelled, store.Failed}[i%3]
			run, err := s.Update(t.Context(), id, func(r *store.Run) error { r.State = end; return nil })
			switch {
			case err == nil && won.Swap(run.State) != nil:
				t.Error("two ends")
			case err != nil && !errors.Is(err, store.ErrEnded):
				t.Error(err)
			}
		})
		got, err := s.Get(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, won.Load(), got.State)
	}
}

// testHammer does everything at once. Afterwards all lists agree with the runs.
func testHammer(t *testing.T, s store.Store) {
	all(goroutines, func(i int) {
		random := rand.New(rand.NewPCG(uint64(i), 7))
		for range 8 {
			run := Submitted()
			run.Tenant = fmt.Sprint("t", random.IntN(2))
			if random.IntN(2) == 0 {
				run.Key = fmt.Sprint("k", random.IntN(30))
			}
			kept, _, err := s.Create(t.Context(), run)
			if err != nil {
				t.Error(err)
				return
			}
			for _, state := range []store.State{store.Running, store.Parked, store.Running, store.Succeeded} {
				_, err := s.Update(t.Context(), kept.ID, func(r *store.Run) error { r.State = state; return nil })
				switch { // another goroutine has changed it first
				case err == nil, errors.Is(err, store.ErrEnded), errors.Is(err, store.ErrTransition):
				case errors.Is(err, store.ErrNotFound):
				default:
					t.Error(err)
				}
			}
			if random.IntN(3) == 0 {
				err := s.Delete(t.Context(), kept.ID)
				if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrNotEnded) {
					t.Error(err)
				}
			}
			_, err = s.List(t.Context(), store.Query{Tenant: run.Tenant, States: []store.State{store.Succeeded}})
			if err != nil {
				t.Error(err)
			}
		}
	})
	c := Read(t, s)
	require.Empty(t, c.Damaged)
	require.NotEmpty(t, c.Runs)
	total := 0
	for _, n := range c.Counts[""] {
		total += n
	}
	require.Equal(t, len(c.Runs), total)
}

// testListsHammer: a list has each run that is not changed exactly once, whatever else happens.
func testListsHammer(t *testing.T, s store.Store) {
	still := map[string]bool{}
	for range 30 {
		still[Create(t, s, Submitted()).ID] = true
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				kept, _, err := s.Create(t.Context(), Submitted())
				if err == nil {
					_, err = s.Update(t.Context(), kept.ID, func(r *store.Run) error { r.State = store.Cancelled; return nil })
				}
				if err == nil {
					err = s.Delete(t.Context(), kept.ID)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 20 {
		seen := map[string]int{}
		for _, r := range All(t, s, store.Query{Limit: 4, States: []store.State{store.Queued, store.Cancelled}}) {
			seen[r.ID]++
		}
		for id := range still {
			if seen[id] != 1 {
				t.Errorf("run %s is listed %d times", id, seen[id])
			}
		}
	}
	close(done)
	wg.Wait()
}

// testCloseHammer: Close waits for calls, and a change that succeeded before it is kept.
func testCloseHammer(t *testing.T, s store.Store) {
	started := make(chan struct{}, goroutines)
	go func() {
		<-started
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	all(goroutines, func(int) {
		for {
			_, _, err := s.Create(t.Context(), Submitted())
			if errors.Is(err, store.ErrClosed) {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			select {
			case started <- struct{}{}:
			default:
			}
		}
	})
}

// testExpireHammer: runs that end while others are expired are each deleted and counted once.
func testExpireHammer(t *testing.T, s store.Store) {
	var deleted atomic.Int64
	const each = 10
	all(goroutines, func(i int) {
		for range each {
			if i%2 == 0 {
				Become(t, s, Create(t, s, Submitted()).ID, store.Failed)
			}
			n, err := s.Expire(t.Context(), store.Retention{Count: 3}, time.Now())
			if err != nil {
				t.Error(err)
			}
			deleted.Add(int64(n))
		}
	})
	n, err := s.Expire(t.Context(), store.Retention{Count: 3}, time.Now())
	require.NoError(t, err)
	require.Equal(t, each*goroutines/2, int(deleted.Load())+n+3)
	require.Len(t, All(t, s, store.Query{}), 3)
}
