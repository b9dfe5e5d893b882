// This file tests that no element starves: the times at which elements start, and the influence of delayed
// workers on others.

package sched_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/sched"
)

// TestSpreadOfStarts: of elements with equal work, at any time as many have begun as there are slots. An
// element that waits in a nested operation can hold two slots, so in the worst case half as many have
// begun.
func TestSpreadOfStarts(t *testing.T) {
	const slots, n, work = 8, 400, 10 * time.Millisecond
	wait := func(e sched.Scheduler) {
		e.Block()
		time.Sleep(work)
		e.Unblock()
	}
	for name, c := range map[string]struct {
		held int // slots that an element holds, at most
		run  func(t *testing.T, e sched.Scheduler)
	}{
		"flat": {1, func(_ *testing.T, e sched.Scheduler) { wait(e) }},
		"nested": {2, func(t *testing.T, e sched.Scheduler) {
			require.NoError(t, e.Do(job{"inner", func(e sched.Scheduler, _ int) verdict {
				wait(e)
				return fine
			}}, 1))
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			starts := make([]time.Duration, n)
			do(t, slots, 2, n, func(e sched.Scheduler, i int) verdict {
				starts[i] = time.Since(began)
				c.run(t, e)
				return fine
			})
			for i, at := range starts {
				require.GreaterOrEqual(t, at, time.Duration(i/slots-1)*work, "%s: element %d", name, i)
				require.LessOrEqual(t, at, time.Duration(i*c.held/slots+1)*work, "%s: element %d", name, i)
			}
		})
	}
}

// TestDelayedWorkers: workers that lose their processors for a while, as on a busy machine, do not prevent
// any element from being run once, and delay only elements that they have begun or claimed.
func TestDelayedWorkers(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 11))
			slots, procs, n := 1+r.IntN(8), 1+r.IntN(4), 1+r.IntN(300)
			var mu sync.Mutex
			ran := make([]int, n)
			do(t, slots, procs, n, func(e sched.Scheduler, i int) verdict {
				mu.Lock()
				ran[i]++
				delay, kind := time.Duration(r.IntN(1000))*time.Microsecond, r.IntN(10)
				mu.Unlock()
				switch kind {
				case 0:
					time.Sleep(100 * delay) // not even Block: it computes, and is not run
				case 1, 2, 3:
					e.Block()
					time.Sleep(delay)
					e.Unblock()
				case 4:
					require.NoError(t, e.Do(job{"inner", func(sched.Scheduler, int) verdict {
						time.Sleep(delay)
						return fine
					}}, 3))
				}
				return fine
			})
			for i, times := range ran {
				require.Equal(t, 1, times, "seed %d, element %d", seed, i)
			}
		})
	}
}
