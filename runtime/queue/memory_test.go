// This file tests the bounds of the memory of a set.

package queue_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// TestIdleActions: an endless stream of names keeps no more than is asked for,
// and never forgets an action that has executions.
func TestIdleActions(t *testing.T) {
	const idle, busy = 100, 40
	s := queue.New(queue.Options{Idle: idle})
	for i := range busy {
		require.NoError(t, s.EnqueueAndWait(t.Context(), fmt.Sprint("busy", i), "1", 1, nil))
	}
	for i := range 5_000 {
		for _, action := range []string{fmt.Sprint("once", i), "often"} {
			require.NoError(t, s.EnqueueAndWait(t.Context(), action, "1", 1, nil))
			s.Complete(action, "1")
		}
		if n := len(s.All()); n > idle+busy+1 {
			t.Fatalf("%d actions known after %d, want at most %d", n, i, idle+busy+1)
		}
	}
	require.EqualValues(t, 5_000, s.Stats("often").Completed, "one that is in use is not forgotten")
	for i := range busy {
		s.Complete(fmt.Sprint("busy", i), "1")
	}
}

// TestForgottenAndFound has actions forgotten while others are about to use them.
func TestForgottenAndFound(t *testing.T) {
	s := queue.New(queue.Options{Idle: 1})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 5_000 {
				action, execution := strconv.Itoa(i%3), fmt.Sprintf("%d.%d", g, i)
				if err := s.EnqueueAndWait(t.Context(), action, execution, 2, nil); err != nil {
					t.Error(err)
					return
				}
				s.Complete(action, execution)
			}
		})
	}
	wg.Wait()
	for _, stats := range s.All() {
		require.Zero(t, stats.Active+stats.Waiting)
		require.Equal(t, stats.Enqueued, stats.Completed)
	}
}

// TestImmediateAllocatesNothing has as many concurrent executions as fit into the table.
func TestImmediateAllocatesNothing(t *testing.T) {
	e, err := queue.NewEnforcer(queue.Policies{}, queue.New(queue.Options{}))
	require.NoError(t, err)
	s, a, ctx := queue.New(queue.Options{}), e.Action("aws.ec2_start"), context.Background()
	names, calls := make([]string, 96), make([]effect.Execution, 96)
	for i := range names {
		names[i] = fmt.Sprint("0.3#", i)
		calls[i] = effect.Execution{Name: names[i], Priority: effect.Priorities[i%3]}
	}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for i, name := range names {
			_ = s.EnqueueAndWait(ctx, "aws.ec2_start", name, queue.NoLimit, nil)
			_ = a.Admit(ctx)
			_, _ = a.Start(ctx, &calls[i])
		}
		for _, name := range names {
			s.Complete("aws.ec2_start", name)
			a.Leave(name, effect.Succeeded)
		}
	}))
}

// TestMemoryOfWaiting compares goroutines that wait in a queue with as many that wait
// for one channel.
func TestMemoryOfWaiting(t *testing.T) {
	const n, most = 10_000, 400
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	forOneChannel := func(wg *sync.WaitGroup) (end func()) {
		block, begun := make(chan struct{}), make(chan struct{})
		for range n {
			wg.Go(func() {
				begun <- struct{}{}
				<-block
			})
			<-begun
		}
		return func() { close(block) }
	}
	heapOf(t, forOneChannel) // Go keeps the descriptor of a goroutine for the next one
	plain := heapOf(t, forOneChannel)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	queued := heapOf(t, func(wg *sync.WaitGroup) (end func()) {
		s := queue.New(queue.Options{})
		require.NoError(t, s.EnqueueAndWait(ctx, "a", "active", 1, nil))
		for i := range n {
			wg.Go(func() { _ = s.EnqueueAndWait(ctx, "a", names[i], 1, nil) })
		}
		for s.Stats("a").Waiting < n {
			runtime.Gosched()
		}
		return func() { s.ClearAll() }
	})
	each := (queued - plain) / n
	t.Logf("a waiting execution takes %d bytes beside its goroutine", each)
	require.Less(t, each, int64(most))
}

// TestMemoryOfActions measures the memory of a known, idle action, without its name.
func TestMemoryOfActions(t *testing.T) {
	const n, most = 10_000, 1000
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	var s *queue.Set
	each := heapOf(t, func(*sync.WaitGroup) (end func()) {
		s = queue.New(queue.Options{Idle: n})
		for _, name := range names {
			require.NoError(t, s.EnqueueAndWait(t.Context(), name, "1", 1, nil))
			require.NoError(t, s.Complete(name, "1"))
		}
		return func() {}
	}) / n
	require.Len(t, s.All(), n)
	t.Logf("an idle action takes %d bytes", each)
	require.Less(t, each, int64(most))
}

// heapOf returns the bytes that live on the heap while the goroutines that begin has
// started wait.
func heapOf(t *testing.T, begin func(*sync.WaitGroup) (end func())) int64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var wg sync.WaitGroup
	end := begin(&wg)
	runtime.GC()
	runtime.ReadMemStats(&after)
	end()
	wg.Wait()
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}
