// This file has many goroutines use a set concurrently.

package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/queue"
)

// tally has the counts of one action by the goroutines of a hammer themselves.
type tally struct {
	inside, most                             atomic.Int64
	started, cancelled, timedOut, full, lost atomic.Int64
}

func (c *tally) count(err error) {
	switch {
	case errors.As(err, new(*queue.Full)):
		c.full.Add(1)
	case errors.As(err, new(*queue.TimedOut)), errors.Is(err, context.DeadlineExceeded):
		c.timedOut.Add(1)
	case errors.As(err, new(*queue.Cancelled)), errors.Is(err, context.Canceled):
		c.cancelled.Add(1)
	default:
		c.lost.Add(1)
	}
}

func (c *tally) enter() {
	c.started.Add(1)
	n := c.inside.Add(1)
	for m := c.most.Load(); n > m && !c.most.CompareAndSwap(m, n); m = c.most.Load() {
	}
}

// TestHammer: with executions that are cancelled in every way, time out, are refused
// and change the limit, all that are let in are within the limit, all counts agree, and
// everybody gets an answer, which the goroutines that are left at the end would not.
func TestHammer(t *testing.T) {
	const goroutines, rounds, most = 16, 1_500, 4
	s := queue.New(queue.Options{Length: 8, Wait: 300 * time.Microsecond})
	tallies := [3]tally{}
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 3))
			for i := range rounds {
				n := r.IntN(len(tallies))
				hammer(s, &tallies[n], fmt.Sprint("action", n), fmt.Sprintf("%d.%d", g, i), 1+r.IntN(most), r)
			}
		})
	}
	wg.Wait()
	for n := range tallies {
		c, stats := &tallies[n], s.Stats(fmt.Sprint("action", n))
		require.Zero(t, c.lost.Load())
		require.LessOrEqual(t, c.most.Load(), int64(most))
		require.Equal(t, queue.Stats{
			Action: stats.Action, Limit: stats.Limit, Refused: c.full.Load(),
			Enqueued:  c.started.Load() + c.cancelled.Load() + c.timedOut.Load(),
			Completed: c.started.Load(), Cancelled: c.cancelled.Load(), TimedOut: c.timedOut.Load(),
		}, counts(stats))
		for name, n := range map[string]int64{"started": c.started.Load(), "cancelled": c.cancelled.Load(), "timed out": c.timedOut.Load()} {
			require.Positive(t, n, name)
		}
	}
}

// hammer makes one execution, with one of the ways to be stopped.
func hammer(s *queue.Set, c *tally, action, execution string, limit int, r *rand.Rand) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	blocking := func(wait func()) { wait() }
	switch r.IntN(6) {
	case 0:
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, time.Duration(100+r.IntN(50))*time.Microsecond)
		defer stop()
	case 1:
		blocking = func(wait func()) {
			time.AfterFunc(time.Duration(r.IntN(50))*time.Microsecond, cancel)
			wait()
		}
	case 2:
		blocking = func(wait func()) {
			s.Cancel(action, execution)
			wait()
		}
	case 3:
		if r.IntN(50) == 0 {
			s.ClearAll()
		}
	}
	if err := ctx.Err(); err != nil {
		return
	}
	err := s.EnqueueAndWait(&late{Context: ctx}, action, execution, limit, blocking)
	if err != nil {
		c.count(err)
		return
	}
	c.enter()
	if r.IntN(3) == 0 {
		time.Sleep(time.Duration(r.IntN(80)) * time.Microsecond)
	}
	c.inside.Add(-1)
	s.Complete(action, execution)
}

// late is a context that has not ended when it is first asked, so that every execution
// arrives and is counted.
type late struct {
	context.Context
	asked bool
}

func (c *late) Err() error {
	if !c.asked {
		c.asked = true
		return nil
	}
	return c.Context.Err()
}

// TestChain: limit 1, and each completion is all that can wake the next. A wake-up that
// is lost leaves the test hanging.
func TestChain(t *testing.T) {
	const goroutines, rounds = 8, 5_000
	s := queue.New(queue.Options{})
	inside := 0 // guarded by the queue: the race detector would tell
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range rounds {
				execution := fmt.Sprintf("%d.%d", g, i)
				if err := s.EnqueueAndWait(t.Context(), "a", execution, 1, nil); err != nil {
					t.Error(err)
					return
				}
				inside++
				s.Complete("a", execution)
			}
		})
	}
	wg.Wait()
	require.Equal(t, goroutines*rounds, inside)
}
