package queue_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
)

func begin(t *testing.T, x *queue.Externals, p effect.Priority) queue.External {
	t.Helper()
	e, err := x.Begin(t.Context(), "a", "acme", effect.Execution{Priority: p, Host: "db1"}, 30*time.Minute)
	require.NoError(t, err)
	return e
}

// TestExternals: executions from outside take turns with each other and with calls, and end in each way.
func TestExternals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := queue.Policy{Concurrency: 1, Quota: queue.Quota{Calls: 5, Window: time.Hour}}
		e := newEnforcer(t, queue.Policies{Actions: map[string]queue.Policy{"a": own}})
		x := queue.NewExternals(e)
		first, second, third := begin(t, x, 0), begin(t, x, 0), begin(t, x, effect.HighPriority)
		require.Equal(t, queue.Active, first.State)
		require.Equal(t, queue.Waiting, second.State)
		require.Equal(t, queue.Waiting, third.State)
		_, err := x.Complete(second.ID, effect.Succeeded)
		require.ErrorAs(t, err, new(*queue.NotActive), "it still waits")

		called := make(chan error, 1)
		go func() {
			err := e.Action("a").Admit(t.Context())
			if err == nil {
				_, err = e.Action("a").Start(t.Context(), &effect.Execution{Name: "call", Priority: effect.LowPriority})
			}
			called <- err
		}()
		synctest.Wait()
		go func() {
			time.Sleep(time.Minute)
			_, err := x.Complete(first.ID, effect.EndFailed)
			require.NoError(t, err)
		}()
		got, err := x.Wait(t.Context(), third.ID)
		require.NoError(t, err)
		require.Equal(t, queue.Active, got.State)
		got, err = x.Complete(second.ID, effect.EndCancelled)
		require.NoError(t, err)
		require.Equal(t, queue.Ended, got.State)
		require.Equal(t, effect.EndCancelled, *got.Ending)
		page, err := e.Queues().Executions("a", "", 9)
		require.NoError(t, err)
		require.Equal(t, "db1", page.Executions[0].Host)

		time.Sleep(time.Hour) // nobody completes the third one
		require.NoError(t, <-called)
		got, err = x.Get(third.ID)
		require.NoError(t, err)
		require.Equal(t, effect.EndTimedOut, *got.Ending)
		_, err = x.Complete(third.ID, effect.Succeeded)
		require.ErrorAs(t, err, new(*queue.NotActive))
		require.NoError(t, e.Action("a").Leave("call", effect.Succeeded))
		s := e.Queues().Stats("a")
		require.EqualValues(t, 3, s.Completed)
		require.EqualValues(t, 2, s.Failed)
		require.EqualValues(t, 1, s.Cancelled)

		_, err = x.Get("none")
		require.ErrorIs(t, err, queue.ErrNoExternal)
		_, err = x.Begin(t.Context(), "a", "", effect.Execution{}, -1)
		require.Error(t, err)
		for range 6 {
			_, err = x.Begin(t.Context(), "a", "", effect.Execution{}, time.Second)
		}
		require.ErrorAs(t, err, new(*queue.Violation))
		time.Sleep(time.Minute)
		require.Zero(t, e.Queues().Stats("a").Active+e.Queues().Stats("a").Waiting)
	})
}

// TestExternalsCleared: an operator sees and clears them as others.
func TestExternalsCleared(t *testing.T) {
	e := newEnforcer(t, queue.Policies{Global: queue.Policy{Concurrency: 1}})
	x := queue.NewExternals(e)
	active, waits := begin(t, x, 0), begin(t, x, 0)
	require.Equal(t, 1, e.Queues().Clear("a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := x.Wait(ctx, waits.ID)
	require.NoError(t, err)
	require.Equal(t, queue.Ended, got.State)
	require.Contains(t, got.Error, "an operator cleared the queue")
	_, err = x.Complete(active.ID, effect.Succeeded)
	require.NoError(t, err)
}

// TestExternalsAtOnce: many come and are completed by many, in the order of Begin, each once.
func TestExternalsAtOnce(t *testing.T) {
	e := newEnforcer(t, queue.Policies{Global: queue.Policy{Concurrency: 3}})
	x := queue.NewExternals(e)
	const n, goroutines = 200, 8
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for range n {
				p, err := x.Begin(context.Background(), "a", "", effect.Execution{Priority: effect.Priorities[g%3]}, 0)
				if err == nil {
					p, err = x.Wait(context.Background(), p.ID)
				}
				if err != nil || p.State != queue.Active || e.Queues().Stats("a").Active > 3 {
					t.Errorf("%v %+v", err, p)
					return
				}
				if _, err := x.Complete(p.ID, effect.Succeeded); err != nil {
					t.Error(err)
				}
				if _, err := x.Complete(p.ID, effect.Succeeded); err == nil {
					t.Error("completed twice")
				}
			}
		})
	}
	wg.Wait()
	s := e.Queues().Stats("a")
	require.EqualValues(t, n*goroutines, s.Completed)
	require.Zero(t, s.Active+s.Waiting)
}

// TestExternalsOfTenant: one tenant can't take the room of the others, and has its own again when its executions end.
func TestExternalsOfTenant(t *testing.T) {
	e := newEnforcer(t, queue.Policies{})
	x := queue.NewExternals(e)
	var first queue.External
	for i := range 10_000 {
		p, err := x.Begin(t.Context(), "a", "greedy", effect.Execution{}, 0)
		require.NoError(t, err)
		if i == 0 {
			first = p
		}
	}
	_, err := x.Begin(t.Context(), "a", "greedy", effect.Execution{}, 0)
	require.ErrorAs(t, err, new(*queue.Full))
	_, err = x.Begin(t.Context(), "a", "other", effect.Execution{}, 0)
	require.NoError(t, err)
	_, err = x.Complete(first.ID, effect.Succeeded)
	require.NoError(t, err)
	_, err = x.Begin(t.Context(), "a", "greedy", effect.Execution{}, 0)
	require.NoError(t, err)
}
