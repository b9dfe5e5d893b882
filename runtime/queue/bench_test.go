package queue_test

import (
	"context"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
)

const action, execution = "aws.ec2_start", "0.3.1#4"

// BenchmarkImmediate is an execution that need not wait, and its completion.
func BenchmarkImmediate(b *testing.B) {
	s, ctx := queue.New(queue.Options{}), context.Background()
	for b.Loop() {
		_ = s.EnqueueAndWait(ctx, action, execution, 4, nil)
		s.Complete(action, execution)
	}
}

// BenchmarkImmediateOfMany has each goroutine call a different action.
func BenchmarkImmediateOfMany(b *testing.B) {
	s, ctx := queue.New(queue.Options{}), context.Background()
	var mu sync.Mutex
	n := 0
	b.RunParallel(func(pb *testing.PB) {
		mu.Lock()
		n++
		own := "action" + strconv.Itoa(n)
		mu.Unlock()
		for pb.Next() {
			_ = s.EnqueueAndWait(ctx, own, execution, 4, nil)
			s.Complete(own, execution)
		}
	})
}

// BenchmarkEnter is the same after policies of none, and of all levels.
func BenchmarkEnter(b *testing.B) {
	strict := queue.Policy{
		Concurrency: 4,
		Rate:        queue.Rate{Calls: 1_000_000_000_000, Per: time.Second},
		Quota:       queue.Quota{Calls: 1_000, Window: time.Microsecond},
	}
	for _, c := range []struct {
		name     string
		policies queue.Policies
	}{
		{"none", queue.Policies{}},
		{"all", queue.Policies{
			Global: strict, Packs: map[string]queue.Policy{"aws": strict}, Actions: map[string]queue.Policy{action: strict},
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			e, err := queue.NewEnforcer(c.policies, queue.New(queue.Options{}))
			if err != nil {
				b.Fatal(err)
			}
			ctx, a, call := context.Background(), e.Action(action), &effect.Execution{Name: execution}
			for b.Loop() {
				if err := a.Admit(ctx); err != nil {
					b.Fatal(err)
				}
				if _, err := a.Start(ctx, call); err != nil {
					b.Fatal(err)
				}
				a.Leave(execution, effect.Succeeded)
			}
		})
	}
}

// BenchmarkThousand is a thousand executions that arrive while one is under way, and
// then start one after the other.
func BenchmarkThousand(b *testing.B) {
	const n = 1_000
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for b.Loop() {
		s := queue.New(queue.Options{})
		_ = s.EnqueueAndWait(ctx, action, execution, 1, nil)
		var wg sync.WaitGroup
		for _, name := range names {
			wg.Go(func() {
				if s.EnqueueAndWait(ctx, action, name, 1, nil) == nil {
					s.Complete(action, name)
				}
			})
		}
		for s.Stats(action).Waiting < n {
			runtime.Gosched()
		}
		s.Complete(action, execution)
		wg.Wait()
	}
}
