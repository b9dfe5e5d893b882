// This file tests a line from within: the events between the end of a context and the moment that its
// waiter notices, and the order of concurrent arrivals.

package queue

import (
	"context"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// waitFor queues an execution after an active one.
func waitFor(t *testing.T, s *Set, execution string) (*line, *waiter) {
	t.Helper()
	require.NoError(t, s.EnqueueAndWait(t.Context(), "a", "active", 1, nil))
	l := s.open("a", nil)
	w, err := l.arrive(execution, nil, limits{1, NoLimit})
	require.NoError(t, err)
	require.NotNil(t, w)
	return l, w
}

// counts returns stats without the times of waits and without the lanes.
func counts(s Stats) Stats {
	s.Waited, s.Longest, s.Lanes = 0, 0, Stats{}.Lanes
	return s
}

// TestStartedAsContextEnds: the slot is given, then the context ends, then the waiter
// wakes and looks. The slot is its own, and not lost.
func TestStartedAsContextEnds(t *testing.T) {
	s := New(Options{})
	l, w := waitFor(t, s, "1")
	ctx, cancel := context.WithCancel(t.Context())
	s.Complete("a", "active")
	cancel()
	w.wait(ctx)
	require.NoError(t, l.settle(ctx, w))
	require.Equal(t, Stats{Action: "a", Active: 1, Limit: 1, Enqueued: 2, Completed: 1}, counts(s.Stats("a")))
}

// TestContextEndsFirst: the context ends and the waiter has looked; a completion that
// comes then finds no waiter.
func TestContextEndsFirst(t *testing.T) {
	s := New(Options{})
	l, w := waitFor(t, s, "1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.wait(ctx)
	require.ErrorIs(t, l.settle(ctx, w), context.Canceled)
	s.Complete("a", "active")
	require.Equal(t, Stats{Action: "a", Limit: 1, Enqueued: 2, Completed: 1, Cancelled: 1}, counts(s.Stats("a")))
	require.Nil(t, l.laneOf(effect.NormalPriority).head)
	require.Nil(t, l.laneOf(effect.NormalPriority).tail)
}

// TestOrderOfThoseAtOnce: a thousand goroutines arrive as they like, and start in the
// order in which they did.
func TestOrderOfThoseAtOnce(t *testing.T) {
	const n = 1_000
	s := New(Options{})
	require.NoError(t, s.EnqueueAndWait(t.Context(), "a", "active", 1, nil))
	var wg sync.WaitGroup
	var started []string // guarded by the queue
	for i := range n {
		wg.Go(func() {
			execution := strconv.Itoa(i)
			if err := s.EnqueueAndWait(t.Context(), "a", execution, 1, nil); err != nil {
				t.Error(err)
				return
			}
			started = append(started, execution)
			s.Complete("a", execution)
		})
	}
	for s.Stats("a").Waiting < n {
		runtime.Gosched()
	}
	var arrived []string
	for w := s.find("a").laneOf(effect.NormalPriority).head; w != nil; w = w.next {
		arrived = append(arrived, w.execution)
	}
	s.Complete("a", "active")
	wg.Wait()
	require.Equal(t, arrived, started)
}

// TestTimerStops: nothing is left running when the queue is empty.
func TestTimerStops(t *testing.T) {
	s := New(Options{})
	l, w := waitFor(t, s, "1")
	s.Complete("a", "active")
	require.NoError(t, l.settle(t.Context(), w))
	require.False(t, l.timer.Stop(), "it was running")
}

// waking is a Rester that records its calls in order.
type waking struct{ told []bool }

func (r *waking) Rest() { r.told = append(r.told, true) }
func (r *waking) Wake() { r.told = append(r.told, false) }

// TestRester: an execution that waits rests, and no longer does when it may start. One that finds a place does not
// rest.
func TestRester(t *testing.T) {
	s := New(Options{})
	r := &waking{}
	arrive := func(name string, at *effect.Execution) *waiter {
		w, err := s.open("a", nil).arrive(name, at, limits{1, 1})
		require.NoError(t, err)
		return w
	}
	require.Nil(t, arrive("active", &effect.Execution{Rester: r}))
	require.Empty(t, r.told)
	w := arrive("waits", &effect.Execution{Rester: r})
	require.Equal(t, []bool{true}, r.told)
	s.Complete("a", "active")
	require.Equal(t, []bool{true, false}, r.told)
	require.True(t, w.out())
}
