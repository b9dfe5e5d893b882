// This file compares the execution queues with a weighted semaphore, which is the
// nearest there is: first in first out, but without names, statistics and bounds.

package bench

import (
	"context"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/semaphore"

	"github.com/ptc-lang/ptc/runtime/queue"
)

const action, execution = "aws.ec2_start", "0.3.1#4"

// BenchmarkQueueImmediate is an execution that need not wait, and its completion.
func BenchmarkQueueImmediate(b *testing.B) {
	ctx := context.Background()
	b.Run("queue", func(b *testing.B) {
		s := queue.New(queue.Options{})
		b.ReportAllocs()
		for b.Loop() {
			if s.EnqueueAndWait(ctx, action, execution, 4, nil) == nil {
				s.Complete(action, execution)
			}
		}
	})
	b.Run("semaphore", func(b *testing.B) {
		s := semaphore.NewWeighted(4)
		b.ReportAllocs()
		for b.Loop() {
			if s.Acquire(ctx, 1) == nil {
				s.Release(1)
			}
		}
	})
	b.Run("semaphore-by-name", func(b *testing.B) {
		var all sync.Map
		all.Store(action, semaphore.NewWeighted(4))
		b.ReportAllocs()
		for b.Loop() {
			s, _ := all.Load(action)
			if s.(*semaphore.Weighted).Acquire(ctx, 1) == nil {
				s, _ := all.Load(action)
				s.(*semaphore.Weighted).Release(1)
			}
		}
	})
}

// BenchmarkQueueThousand is a thousand executions that arrive while one is under way,
// and then start one after the other.
func BenchmarkQueueThousand(b *testing.B) {
	names := make([]string, 1_000)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.Run("queue", func(b *testing.B) {
		for b.Loop() {
			s := queue.New(queue.Options{})
			oneByOne(names, func(name string) error {
				return s.EnqueueAndWait(ctx, action, name, 1, nil)
			}, func(name string) { s.Complete(action, name) })
		}
	})
	b.Run("semaphore", func(b *testing.B) {
		for b.Loop() {
			s := semaphore.NewWeighted(1)
			oneByOne(names, func(string) error { return s.Acquire(ctx, 1) }, func(string) { s.Release(1) })
		}
	})
}

func oneByOne(names []string, enter func(name string) error, leave func(name string)) {
	var wg sync.WaitGroup
	var arriving atomic.Int64
	run := func(name string) {
		arriving.Add(1)
		if enter(name) != nil {
			panic(name)
		}
		leave(name)
	}
	if enter("first") != nil {
		panic("first")
	}
	for _, name := range names {
		wg.Go(func() { run(name) })
	}
	for arriving.Load() < int64(len(names)) {
		runtime.Gosched()
	}
	leave("first")
	wg.Wait()
}
