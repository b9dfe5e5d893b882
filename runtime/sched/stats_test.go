package sched_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/budget"
	"github.com/ptc-lang/ptc/runtime/sched"
)

// TestStats checks counts and gauges in the middle of an operation and after it.
func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(4)
		p := sched.New(b, 2)
		require.Equal(t, sched.Stats{Running: 1, Idle: 1}, p.Stats())
		go func() {
			_ = p.Root().Do(job{"waits", func(e sched.Scheduler, i int) verdict {
				e.Block()
				time.Sleep(time.Second)
				e.Unblock()
				return fine
			}}, 10)
		}()
		time.Sleep(1500 * time.Millisecond) // four have ended, four wait
		require.Equal(t, sched.Stats{Operations: 1, Spawned: 3, Completed: 4, Peak: 4, MostQueued: 10, MostBlocked: 4,
			Workers: 4, Running: 0, Idle: 2, Blocked: 4, Queued: 2}, p.Stats())
		time.Sleep(time.Minute)
		s := settled(t, p, b)
		require.EqualValues(t, 10, s.Completed)
		require.Equal(t, 1, s.Idle)
	})
}

// TestWorkersOfFew checks that there are no more workers than elements, although a started worker
// claims its element only when its goroutine runs.
func TestWorkersOfFew(t *testing.T) {
	for _, procs := range []int{2, 8} {
		for range 200 {
			var all sync.WaitGroup
			all.Add(3)
			s := do(t, 8, procs, 3, func(e sched.Scheduler, _ int) verdict {
				e.Block()
				all.Done()
				all.Wait()
				e.Unblock()
				return fine
			})
			require.Equal(t, 3, s.Peak)
		}
	}
}

// TestStatsOfStealing checks that long elements leave the other claimed elements to other workers.
// Whether any are left at the end depends on the positions of the long elements and on which worker
// was first. So the test runs many operations with different positions.
func TestStatsOfStealing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stolen := int64(0)
		for k := range 50 {
			s := do(t, 2, 2, 20_000, func(_ sched.Scheduler, i int) verdict {
				if i%(900+10*k) == 500 {
					time.Sleep(time.Second)
				}
				return fine
			})
			require.EqualValues(t, 20_000, s.Completed)
			require.EqualValues(t, 1, s.Spawned)
			stolen += int64(s.Stolen)
		}
		require.Positive(t, stolen)
	})
}
