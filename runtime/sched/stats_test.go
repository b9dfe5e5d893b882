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
		depth := sched.Histogram{Count: 8, Sum: 10 + 9 + 8 + 7 + 6 + 5 + 4 + 3, Max: 10}
		depth.Buckets[4], depth.Buckets[3], depth.Buckets[2] = 3, 4, 1
		start := sched.Histogram{Count: 3} // of the workers that were started; no time passes until they begin
		start.Buckets[0] = 3
		require.Equal(t, sched.Stats{Operations: 1, Spawned: 3, Completed: 4, Peak: 4, MostQueued: 10, MostBlocked: 4,
			Workers: 4, Running: 0, Idle: 2, Blocked: 4, Queued: 2, Depth: depth, Start: start}, p.Stats())
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

// TestStartOfWorkers checks that a worker that is late is counted as such: its first element was reserved when the
// operation began, and starts when its NewWorker has returned.
func TestStartOfWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sched.New(budget.New(3), 3)
		require.NoError(t, p.Root().Do(slow{job{"late", func(sched.Scheduler, int) verdict {
			time.Sleep(time.Second)
			return fine
		}}}, 3))
		p.Wait()
		s := p.Stats()
		require.EqualValues(t, 2, s.Start.Count, "the worker of Do is not counted")
		require.Equal(t, int64(2*time.Millisecond), s.Start.Sum)
		require.Equal(t, int64(time.Millisecond), s.Start.Max)
		require.EqualValues(t, 2, s.Start.Buckets[20], "2^19 to 2^20 ns")
		require.EqualValues(t, 3, s.Depth.Count)
		require.EqualValues(t, 3, s.Depth.Max)
	})
}

// slow is a job whose workers take a millisecond to be made.
type slow struct{ job }

func (s slow) NewWorker(e sched.Scheduler) sched.Worker {
	time.Sleep(time.Millisecond)
	return s.job.NewWorker(e)
}

// TestHistogram checks the bounds of the buckets with values that operations have.
func TestHistogram(t *testing.T) {
	p := sched.New(budget.New(1), 1)
	for _, n := range []int{1, 2, 3, 4, 1000} {
		require.NoError(t, p.Root().Do(job{"n", func(sched.Scheduler, int) verdict { return fine }}, n))
	}
	h := p.Stats().Depth
	require.EqualValues(t, 1010, h.Count, "each element is counted once")
	require.EqualValues(t, 1000, h.Max)
	require.Zero(t, h.Buckets[0])
	require.Zero(t, h.Buckets[11])
	sum := int64(0)
	for _, n := range h.Buckets {
		sum += n
	}
	require.Equal(t, h.Count, sum)
}
