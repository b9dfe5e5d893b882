package sched_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/runtime/budget"
	"github.com/ptc-lang/ptc/runtime/sched"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// verdict is the outcome of an element's function.
type verdict int

const (
	fine   verdict = iota
	failed         // the elements above are not needed
	enough         // no other element is needed
)

// job is a Job of one function.
type job struct {
	label string
	run   func(e sched.Scheduler, i int) verdict
}

func (j job) NewWorker(e sched.Scheduler) sched.Worker { return worker{e, j.run} }

func (j job) Label() string { return j.label }

type worker struct {
	e   sched.Scheduler
	run func(e sched.Scheduler, i int) verdict
}

func (w worker) Run(i int) {
	switch w.run(w.e, i) {
	case failed:
		w.e.StopAbove(i)
	case enough:
		w.e.StopAbove(-1)
	}
}

func (w worker) Close() {}

// do runs n elements of a function in a new pool, and checks that everything has been released.
func do(t *testing.T, slots, procs, n int, run func(e sched.Scheduler, i int) verdict) sched.Stats {
	b := budget.New(slots)
	p := sched.New(b, procs)
	require.NoError(t, p.Root().Do(job{"test", run}, n))
	return settled(t, p, b)
}

func settled(t *testing.T, p *sched.Pool, b *budget.Budget) sched.Stats {
	p.Wait()
	s := p.Stats()
	require.Equal(t, 0, b.Held(), "slots held at the end")
	require.Equal(t, [4]int{0, 0, 0, 1}, [4]int{s.Workers, s.Blocked, s.Queued, s.Running},
		"workers, blocked, queued, running")
	require.LessOrEqual(t, s.Peak, b.Capacity())
	return s
}

func TestEachElementOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 1000, 100_000} {
		for _, slots := range []int{1, 2, 8} {
			ran := make([]atomic.Int32, n)
			s := do(t, slots, 4, n, func(_ sched.Scheduler, i int) verdict {
				ran[i].Add(1)
				return fine
			})
			for i := range ran {
				require.EqualValues(t, 1, ran[i].Load(), "element %d of %d", i, n)
			}
			require.EqualValues(t, n, s.Completed)
		}
	}
}

// TestFirstError runs elements of random duration, some of which fail. All elements below the
// lowest failing one must run to their end.
func TestFirstError(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := 1 + r.IntN(200)
		fails := make([]bool, n)
		lowest := n
		for range r.IntN(4) {
			i := r.IntN(n)
			fails[i] = true
			lowest = min(lowest, i)
		}
		ended := make([]atomic.Bool, n)
		length := make([]int, n)
		for i := range length {
			length[i] = r.IntN(64)
		}
		do(t, 1+r.IntN(8), 1+r.IntN(4), n, func(e sched.Scheduler, i int) verdict {
			for range length[i] {
				if e.Cancelled() {
					return fine
				}
				runtime.Gosched()
			}
			ended[i].Store(true)
			if fails[i] {
				return failed
			}
			return fine
		})
		for i := range min(lowest+1, n) {
			require.True(t, ended[i].Load(), "seed %d: element %d below the failing %d", seed, i, lowest)
		}
	}
}

func TestStopAllCancelsThoseBelow(t *testing.T) {
	var cancelled atomic.Int32
	var below sync.WaitGroup // elements that have not begun can't be cancelled
	below.Add(3)
	do(t, 4, 4, 4, func(e sched.Scheduler, i int) verdict {
		if i == 3 {
			e.Block()
			below.Wait()
			e.Unblock()
			return enough
		}
		told := make(chan struct{})
		e.OnCancel(func() { close(told) })
		defer e.OnCancel(nil)
		below.Done()
		e.Block()
		defer e.Unblock()
		<-told
		cancelled.Add(1)
		return fine
	})
	require.EqualValues(t, 3, cancelled.Load())
}

// TestBlockedHandOver checks that with one processor, as many elements wait at the same time as there are
// slots.
func TestBlockedHandOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inside, most atomic.Int32
		began := time.Now()
		s := do(t, 8, 1, 80, func(e sched.Scheduler, _ int) verdict {
			e.Block()
			n := inside.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(time.Second)
			inside.Add(-1)
			e.Unblock()
			return fine
		})
		require.EqualValues(t, 8, most.Load())
		require.Equal(t, 10*time.Second, time.Since(began), "80 waits of a second, 8 at a time")
		require.Equal(t, 8, s.Peak)
	})
}

// TestNumbers checks that workers alive at the same time have different numbers, and that later
// workers reuse the numbers of ended ones.
func TestNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		at := map[int]int{} // number of workers that run under a number
		seen := map[int]bool{}
		count := func(n, by int) {
			mu.Lock()
			defer mu.Unlock()
			at[n] += by
			seen[n] = true
			require.LessOrEqual(t, at[n], 1, "workers with the number %d", n)
		}
		b := budget.New(6)
		p := sched.New(b, 1)
		require.Zero(t, p.Root().Number())
		var run func(e sched.Scheduler, depth, i int) verdict
		run = func(e sched.Scheduler, depth, i int) verdict {
			count(e.Number(), 1)
			e.Block()
			time.Sleep(time.Duration(1+i%3) * time.Second)
			e.Unblock()
			if depth > 0 {
				count(e.Number(), -1) // it waits, and elements may run in its slot
				require.NoError(t, e.Do(job{"inner", func(e sched.Scheduler, i int) verdict { return run(e, depth-1, i) }}, 3))
				count(e.Number(), 1)
			}
			count(e.Number(), -1)
			return fine
		}
		for range 5 {
			require.NoError(t, p.Root().Do(job{"outer", func(e sched.Scheduler, i int) verdict { return run(e, 1, i) }}, 10))
		}
		settled(t, p, b)
		require.Len(t, seen, 6)
		require.True(t, seen[1] && seen[6])
	})
}

// TestComputingTakesProcessors checks that there are never more computing workers than processors,
// however many slots are free.
func TestComputingTakesProcessors(t *testing.T) {
	var inside, most atomic.Int32
	do(t, 8, 2, 5000, func(sched.Scheduler, int) verdict {
		n := inside.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		runtime.Gosched()
		inside.Add(-1)
		return fine
	})
	require.LessOrEqual(t, most.Load(), int32(2))
}

func TestFull(t *testing.T) {
	b := budget.New(2)
	p := sched.New(b, 1)
	var got error
	inner := job{"inner", func(e sched.Scheduler, i int) verdict {
		got = e.TryDo(job{"innermost", nil}, 1)
		return fine
	}}
	outer := job{"outer", func(e sched.Scheduler, i int) verdict {
		require.NoError(t, e.Do(inner, 1))
		return fine
	}}
	require.NoError(t, p.Root().Do(outer, 1))
	var full *sched.Full
	require.ErrorAs(t, got, &full)
	require.Equal(t, []sched.Holder{{Label: "outer", Workers: 1}, {Label: "inner", Workers: 1}}, full.Holders)
	require.EqualError(t, got, "no worker slot is free; held by outer (1), inner (1)")
	require.EqualValues(t, 1, settled(t, p, b).Refused)
}

func TestPanic(t *testing.T) {
	b := budget.New(4)
	p := sched.New(b, 4)
	require.PanicsWithValue(t, "element 5", func() {
		_ = p.Root().Do(job{"test", func(e sched.Scheduler, i int) verdict {
			if i == 5 {
				panic("element 5")
			}
			return fine
		}}, 100)
	})
	settled(t, p, b)
	require.NoError(t, p.Root().Do(job{"after", func(sched.Scheduler, int) verdict { return fine }}, 3))
	settled(t, p, b)
}

// TestNestedCancel cancels an element that waits for operations below it, three levels deep. The
// elements that wait there must be notified.
func TestNestedCancel(t *testing.T) {
	b := budget.New(8)
	p := sched.New(b, 2)
	deep := make(chan struct{})
	var wait func(depth int) func(e sched.Scheduler, i int) verdict
	wait = func(depth int) func(e sched.Scheduler, i int) verdict {
		return func(e sched.Scheduler, i int) verdict {
			if depth > 0 {
				require.NoError(t, e.Do(job{fmt.Sprint(depth), wait(depth - 1)}, 1))
				require.True(t, e.Cancelled())
				return fine
			}
			told := make(chan struct{})
			e.OnCancel(func() { close(told) })
			defer e.OnCancel(nil)
			close(deep)
			e.Block()
			defer e.Unblock()
			<-told
			return fine
		}
	}
	nested := wait(3)
	require.NoError(t, p.Root().Do(job{"outer", func(e sched.Scheduler, i int) verdict {
		if i == 1 {
			return nested(e, i)
		}
		e.Block()
		defer e.Unblock()
		<-deep
		return failed
	}}, 2))
	settled(t, p, b)
}

// TestSlotless nests operations deeper than there are slots. Operations that find no slot must run
// in order, in the slot of their caller, and workers join when slots become free.
func TestSlotless(t *testing.T) {
	b := budget.New(1)
	p := sched.New(b, 4)
	var order []int
	outside := 0
	inner := func(e sched.Scheduler, i int) verdict {
		require.NoError(t, e.Do(job{"innermost", func(in sched.Scheduler, k int) verdict {
			require.Equal(t, outside, in.Number(), "who runs in the slot of another has its number")
			order = append(order, 10*i+k)
			return fine
		}}, 3))
		return fine
	}
	require.NoError(t, p.Root().Do(job{"outer", func(e sched.Scheduler, i int) verdict {
		outside = e.Number()
		require.Error(t, e.TryDo(job{"refused", inner}, 1))
		require.Zero(t, b.Available())
		require.NoError(t, e.Do(job{"inner", inner}, 2))
		require.Zero(t, b.Available())
		return fine
	}}, 1))
	require.Equal(t, []int{0, 1, 2, 10, 11, 12}, order)
	s := settled(t, p, b)
	require.Equal(t, []int64{3, 1}, []int64{s.Slotless, s.Refused})
	require.Equal(t, 1, s.Peak)
}

// TestSlotlessIsJoined checks that an operation that began without a slot gets one that becomes
// free.
func TestSlotlessIsJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := do(t, 2, 2, 2, func(e sched.Scheduler, i int) verdict {
			wait := func(e sched.Scheduler, _ int) verdict {
				e.Block()
				time.Sleep(time.Second)
				e.Unblock()
				return fine
			}
			if i == 1 {
				return wait(e, 0)
			}
			require.NoError(t, e.Do(job{"inner", wait}, 9))
			return fine
		})
		require.Equal(t, 5*time.Second, time.Since(began), "one at a time for a second, then two")
		require.Equal(t, 2, s.Peak)
	})
}

// TestWaitingBesideComputing checks that waiting elements begin although computing ones use all
// processors.
func TestWaitingBesideComputing(t *testing.T) {
	var waiting atomic.Int32
	all := make(chan struct{})
	s := do(t, 8, 2, 7, func(e sched.Scheduler, i int) verdict {
		if i < 3 { // one more than the number of processors
			for range 1 << 24 {
				if e.Poll(); waiting.Load() == 4 {
					return fine
				}
			}
			t.Error("the elements that wait were not begun")
			return fine
		}
		e.Block()
		defer e.Unblock()
		if waiting.Add(1) == 4 {
			close(all)
		}
		<-all
		return fine
	})
	require.Equal(t, 7, s.Peak)
}

// TestPollYields checks that on one processor, a runnable goroutine runs at the next poll, whatever
// number of processors the pool has.
func TestPollYields(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, procs := range []int{0, 1, 2, 16} {
		pollYields(t, procs)
	}
}

func pollYields(t *testing.T, procs int) {
	do(t, 1, procs, 1, func(e sched.Scheduler, _ int) verdict {
		var ran atomic.Bool
		go ran.Store(true)
		polls := 0
		for ; !ran.Load() && polls < 1000; polls++ {
			e.Poll()
		}
		require.Less(t, polls, 1000)
		return fine
	})
}

// TestStealing lets one worker claim many elements, the first of which takes long. The other
// elements must not wait for it.
func TestStealing(t *testing.T) {
	const n = 20_000
	var others atomic.Int64
	release := make(chan struct{})
	s := do(t, 2, 2, n, func(e sched.Scheduler, i int) verdict {
		if i == 3000 {
			<-release // holds its processor and its claimed elements
		} else if others.Add(1) == n-1 {
			close(release)
		}
		return fine
	})
	require.EqualValues(t, n, s.Completed)
}

// TestHammer runs random trees of operations on various pools, with elements that compute, wait,
// fail, are cancelled and panic.
func TestHammer(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		b := budget.New(1 + r.IntN(8))
		p := sched.New(b, 1+r.IntN(4))
		h := hammer{seed: seed, panics: r.IntN(4) == 0}
		func() {
			defer func() {
				if v := recover(); v != nil {
					require.Equal(t, "hammer", v)
				}
			}()
			_ = p.Root().Do(job{"root", h.element(3)}, 1+r.IntN(60))
		}()
		settled(t, p, b)
	}
}

type hammer struct {
	seed   uint64
	panics bool
	mu     sync.Mutex
	count  uint64
}

func (h *hammer) element(depth int) func(e sched.Scheduler, i int) verdict {
	return func(e sched.Scheduler, i int) verdict {
		h.mu.Lock()
		h.count++
		r := rand.New(rand.NewPCG(h.seed, h.count))
		h.mu.Unlock()
		switch k := r.IntN(40); {
		case k < 4 && depth > 0:
			_ = e.Do(job{"nested", h.element(depth - 1)}, r.IntN(20))
		case k < 12:
			e.Block()
			runtime.Gosched()
			e.Unblock()
		case k == 12:
			return failed
		case k == 13 && depth < 3:
			return enough
		case k == 14 && h.panics:
			panic("hammer")
		}
		return fine
	}
}
