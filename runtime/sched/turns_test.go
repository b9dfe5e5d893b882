// This file tests the turns of evaluations that compute, in virtual time: it passes only while all of them wait.

package sched_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/sched"
)

// computing counts the goroutines that compute concurrently.
type computing struct{ now, most atomic.Int64 }

// poll polls as a computing goroutine does.
func (c *computing) poll(e sched.Scheduler) {
	e.Poll()
	n := c.now.Add(1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); {
		most = c.most.Load()
	}
	runtime.Gosched()
	c.now.Add(-1)
}

// TestTurns: eight elements that compute for long all begin, and no more compute concurrently than there
// are processors.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, procs = 8, 2
		var c computing
		var begun atomic.Int64
		do(t, n, procs, n, func(e sched.Scheduler, _ int) verdict {
			for begun.Add(1); begun.Load() < n; {
				c.poll(e)
			}
			for range 1000 {
				c.poll(e)
			}
			return fine
		})
		require.LessOrEqual(t, c.most.Load(), int64(procs))
	})
}

// TestTurnsOfRuns: runs that share processors take turns, also if their main evaluations compute. The processors of
// waits, and of runs that have ended, are used by others.
func TestTurnsOfRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := sched.NewProcessors(1)
		var c computing
		var ended atomic.Int64
		var all sync.WaitGroup
		for run := range 6 {
			all.Go(func() {
				var r sched.Root
				r.Begin(4, shared, nil, nil)
				defer r.End()
				compute := func(e sched.Scheduler, _ int) verdict {
					for range 500 {
						c.poll(e)
					}
					e.Block()
					time.Sleep(time.Millisecond)
					e.Unblock()
					c.poll(e)
					return fine
				}
				if run%2 == 0 {
					require.Equal(t, fine, compute(&r, 0))
				} else {
					require.NoError(t, r.Do(job{"test", compute}, 5))
				}
				r.Wait()
				ended.Add(1)
			})
		}
		began := time.Now()
		all.Wait()
		require.EqualValues(t, 1, c.most.Load())
		require.EqualValues(t, 6, ended.Load())
		require.Less(t, time.Since(began), 100*time.Millisecond, "no turn was lost")
	})
}

// TestTurnOfCancelled: an element that is cancelled while it waits for its turn continues immediately.
func TestTurnOfCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		over := make(chan struct{})
		do(t, 2, 1, 2, func(e sched.Scheduler, i int) verdict {
			if i == 0 {
				for !e.Poll() { // until the other one has its turn, and cancels
				}
				close(over)
				return fine
			}
			e.Poll()
			e.StopAbove(-1)
			<-over
			return fine
		})
		require.Zero(t, time.Since(began))
	})
}

// TestTurnKept: if a function of the host keeps the only turn, another run computes without one. It
// continues immediately if it is cancelled.
func TestTurnKept(t *testing.T) {
	for name, late := range map[string]time.Duration{"waits": 100 * time.Millisecond, "cancelled": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shared := sched.NewProcessors(1)
				done := make(chan struct{})
				if late == 0 {
					close(done)
				}
				var a, b sched.Root
				a.Begin(1, shared, nil, nil)
				defer a.End()
				b.Begin(1, shared, done, nil)
				defer b.End()
				began := time.Now()
				for range 1000 { // the first of them waits
					b.Poll()
				}
				require.Equal(t, late, time.Since(began))
			})
		})
	}
}

// TestResponsive: the thread of a goroutine that computes yields once in a turn.
func TestResponsive(t *testing.T) {
	shared := sched.NewProcessors(2)
	released := 0
	shared.OnRelease(func() { released++ })
	var r sched.Root
	r.Begin(1, shared, nil, nil)
	for range 20 * sched.TurnPolls {
		r.Poll()
	}
	r.End()
	require.Equal(t, 20, released)
}
