package sched_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/sched"
)

// quietness is a Watcher that records its calls.
type quietness struct {
	mu    sync.Mutex
	quiet bool
	times int
	wake  chan struct{}
}

func (q *quietness) Quiet(quiet bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.quiet == quiet {
		panic("told twice")
	}
	if q.quiet = quiet; quiet {
		q.times++
		select {
		case q.wake <- struct{}{}:
		default:
		}
	}
}

func (q *quietness) is() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.quiet
}

func (q *quietness) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.times
}

// rested waits as an evaluation that rests does.
func rested(e sched.Scheduler, ready <-chan struct{}) {
	e.Block()
	defer e.Unblock()
	e.Rest()
	defer e.Wake()
	<-ready
}

// TestQuiet: the pool is quiet when all of its evaluations rest, or wait for one that does, and not before.
func TestQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &quietness{}
		var r sched.Root
		r.Begin(8, sched.NewProcessors(2), nil, q)
		ready := make(chan struct{})
		computing := make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			outer := job{"outer", func(e sched.Scheduler, i int) verdict {
				if i == 0 {
					rested(e, ready)
					return fine
				}
				inner := job{"inner", func(e sched.Scheduler, j int) verdict {
					if j == 1 {
						e.Block() // it waits for something that ends on its own
						<-computing
						e.Unblock()
					}
					rested(e, ready)
					return fine
				}}
				require.NoError(t, e.Do(inner, 2))
				return fine
			}}
			require.NoError(t, r.Do(outer, 2))
		}()
		synctest.Wait()
		require.False(t, q.is(), "one waits for something else")
		close(computing)
		synctest.Wait()
		require.True(t, q.is())
		close(ready)
		<-done
		require.False(t, q.is())
		r.Wait()
		r.Rest()
		require.True(t, q.is(), "the main evaluation is all there is")
		r.Rest()
		r.Wake()
		r.Wake()
		require.False(t, q.is())
	})
}

// TestQuietCancelled: an element that is cancelled does not rest.
func TestQuietCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &quietness{}
		var r sched.Root
		r.Begin(8, sched.NewProcessors(2), nil, q)
		fail, ready := make(chan struct{}), make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			require.NoError(t, r.Do(job{"all", func(e sched.Scheduler, i int) verdict {
				if i == 0 {
					e.Block()
					<-fail
					e.Unblock()
					e.StopAbove(0)
					rested(e, ready)
					return failed
				}
				cancelled := make(chan struct{})
				e.OnCancel(func() { close(cancelled) })
				rested(e, cancelled)
				require.False(t, q.is())
				time.Sleep(time.Second) // it runs on for a while
				e.OnCancel(nil)
				return fine
			}}, 3))
		}()
		synctest.Wait()
		close(fail)
		time.Sleep(time.Second / 2)
		require.Zero(t, q.count())
		time.Sleep(time.Second)
		require.True(t, q.is(), "only the failing element is left")
		close(ready)
		<-done
		r.Wait()
	})
}

// TestQuietInterleavings runs random trees of elements that rest, compute and wait. A judge counts the
// elements that do not rest, under its own lock: whenever the pool has been found quiet and stays so, there
// are none. Then it wakes some.
func TestQuietInterleavings(t *testing.T) {
	for seed := range uint64(60) {
		q := &quietness{wake: make(chan struct{}, 1)}
		var r sched.Root
		r.Begin(1+int(seed%9), sched.NewProcessors(1+int(seed%3)), nil, q)
		var mu sync.Mutex
		resting := map[chan struct{}]sched.Scheduler{}
		var rests, wakes atomic.Int64
		var run func(depth int) func(e sched.Scheduler, i int) verdict
		run = func(depth int) func(e sched.Scheduler, i int) verdict {
			return func(e sched.Scheduler, i int) verdict {
				rng := rand.New(rand.NewPCG(seed, uint64(depth*100+i)))
				for range rng.IntN(4) {
					switch rng.IntN(4) {
					case 0:
						if depth > 0 {
							require.NoError(t, e.Do(job{"inner", run(depth - 1)}, 1+rng.IntN(4)))
						}
					case 1:
						e.Block()
						time.Sleep(time.Duration(rng.IntN(100)) * time.Microsecond)
						e.Unblock()
					default:
						ready := make(chan struct{})
						e.Block()
						mu.Lock()
						resting[ready] = e
						rests.Add(1)
						e.Rest()
						mu.Unlock()
						<-ready
						e.Wake()
						e.Unblock()
					}
				}
				return fine
			}
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			require.NoError(t, r.Do(job{"outer", run(2)}, 6))
		}()
		for over := false; !over; {
			select {
			case <-done:
				over = true
			case <-q.wake:
				mu.Lock()
				if !q.is() { // it was quiet for a moment, while others were being woken
					mu.Unlock()
					continue
				}
				rng := rand.New(rand.NewPCG(seed, uint64(wakes.Load())))
				n := 0
				for ready, e := range resting {
					if n == 0 || rng.IntN(2) == 0 {
						n++
						delete(resting, ready)
						wakes.Add(1)
						e.Wake()
						close(ready)
					}
				}
				require.Positive(t, n, "the pool is quiet, and nothing rests")
				mu.Unlock()
			case <-time.After(time.Minute):
				t.Fatalf("seed %d: nothing goes on: %d resting, quiet %v", seed, len(resting), q.is())
			}
		}
		r.Wait()
		require.Equal(t, rests.Load(), wakes.Load())
	}
}
