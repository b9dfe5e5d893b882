package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// lanes has executions of one action wait, and lets them start one by one.
type lanes struct {
	t       *testing.T
	e       *queue.Enforcer
	started chan effect.Execution
	now     string // the one under way
}

func newLanes(t *testing.T) *lanes {
	l := &lanes{t: t, e: &queue.Enforcer{}, started: make(chan effect.Execution, 10_000), now: "first"}
	_, err := l.e.Action("a").Start(t.Context(), &effect.Execution{Name: l.now, Most: 1})
	require.NoError(t, err)
	return l
}

// arrive makes an execution wait, named by its priority and a number.
func (l *lanes) arrive(p effect.Priority, n int) {
	e := effect.Execution{Name: fmt.Sprint(p, n), Most: 1, Priority: p}
	go func() {
		if _, err := l.e.Action("a").Start(l.t.Context(), &e); err == nil {
			l.started <- e
		}
	}()
	synctest.Wait()
}

// next completes the one under way, and returns the next.
func (l *lanes) next() effect.Execution {
	require.NoError(l.t, l.e.Action("a").Leave(l.now, effect.Succeeded))
	e := <-l.started
	l.now = e.Name
	return e
}

// TestLanes: with waiters of all priorities, each lane is first in, first out, and 21 successive starts
// are 16, 4 and 1.
func TestLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLanes(t)
		const n = 60
		for i := range n {
			for _, p := range []effect.Priority{effect.LowPriority, effect.NormalPriority, effect.HighPriority} {
				l.arrive(p, i)
			}
		}
		count, total := map[effect.Priority]int{}, map[effect.Priority]int{}
		for i := range 3 * n {
			p := l.next().Priority
			require.Equal(t, fmt.Sprint(p, total[p]), l.now, "each lane is in order")
			total[p]++
			if count[p]++; (i+1)%21 == 0 && i < 63 {
				require.Equal(t, shares(16, 4, 1), count)
				clear(count)
			}
		}
		require.Equal(t, shares(n, n, n), total)
	})
}

func shares(high, normal, low int) map[effect.Priority]int {
	return map[effect.Priority]int{effect.HighPriority: high, effect.NormalPriority: normal, effect.LowPriority: low}
}

// TestNoStarvation: whatever arrives in the other lanes, the head of a lane waits for no more starts of
// others than the documentation of the weights states.
func TestNoStarvation(t *testing.T) {
	most := map[effect.Priority]int{effect.HighPriority: 2, effect.NormalPriority: 5, effect.LowPriority: 21}
	worst := map[effect.Priority]int{}
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			r, l := rand.New(rand.NewPCG(seed, 4)), newLanes(t)
			waiting, behind, n := map[effect.Priority]int{}, map[effect.Priority]int{}, 0
			for range 400 {
				for _, p := range effect.Priorities {
					for range r.IntN(3) {
						if seed%3 == 0 && p == effect.HighPriority && r.IntN(2) == 0 {
							continue
						}
						n++
						l.arrive(p, n)
						waiting[p]++
					}
				}
				if waiting[0]+waiting[1]+waiting[-1] == 0 {
					continue
				}
				p := l.next().Priority
				waiting[p]--
				behind[p] = 0
				for _, other := range effect.Priorities {
					if other != p && waiting[other] > 0 {
						behind[other]++
						worst[other] = max(worst[other], behind[other])
						require.LessOrEqual(t, behind[other], most[other], "seed %d: the head of %s", seed, other)
					}
				}
			}
			l.e.Queues().ClearAll()
		})
	}
	require.Greater(t, worst[effect.LowPriority], 15, "the test has kept the low lane busy")
}

// TestPriorityGainsNothing: a lane that is empty from time to time has no more than its share.
func TestPriorityGainsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLanes(t)
		for i := range 170 {
			l.arrive(effect.HighPriority, i)
		}
		low := 0
		l.arrive(effect.LowPriority, low)
		for range 170 {
			if l.next().Priority == effect.LowPriority {
				low++
				l.arrive(effect.LowPriority, low)
			}
		}
		require.Equal(t, 10, low)
		l.e.Queues().ClearAll()
	})
}

// TestFullLane: executions of low priority do not take the room of others.
func TestFullLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := queue.NewEnforcer(queue.Policies{}, queue.New(queue.Options{Length: 2}))
		require.NoError(t, err)
		failed := make(chan error, 9)
		for i := range 5 {
			go func() {
				_, err := e.Action("a").Start(t.Context(),
					&effect.Execution{Name: fmt.Sprint(i), Most: 1, Priority: effect.LowPriority})
				if err != nil {
					failed <- err
				}
			}()
			synctest.Wait()
		}
		require.EqualError(t, <-failed, "the queue of a is full: 2 executions of low priority wait, "+
			"which is the limit, and 1 of at most 1 are under way")
		go func() {
			_, _ = e.Action("a").Start(t.Context(), &effect.Execution{Name: "high", Most: 1, Priority: effect.HighPriority})
		}()
		synctest.Wait()
		s := e.Queues().Stats("a")
		require.Equal(t, []int{1, 0, 2}, []int{s.Lanes[0].Waiting, s.Lanes[1].Waiting, s.Lanes[2].Waiting})
		require.EqualValues(t, 2, s.Lanes[2].Refused)
		require.NoError(t, e.Action("a").Leave("0", effect.Succeeded))
		synctest.Wait()
		require.NoError(t, e.Action("a").Leave("high", effect.EndFailed))
		require.Equal(t, 1, e.Queues().Clear("a"), "one of the two has started")
		require.Zero(t, e.Queues().Clear("b"))
		require.EqualValues(t, 1, e.Queues().Stats("a").Failed)
		require.EqualValues(t, 2, e.Queues().Stats("a").Completed)
	})
}

// TestOperatorCancels: a program sees who has cancelled its call, and does not retry it.
func TestOperatorCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLanes(t)
		call := &effect.Execution{Name: "run7/0.3#1", Most: 1, Run: "nightly", ID: "0.3#1", Host: "db1", At: time.Now()}
		failed := make(chan error, 1)
		go func() {
			_, err := l.e.Action("a").Start(t.Context(), call)
			failed <- err
		}()
		synctest.Wait()
		time.Sleep(3 * time.Second)
		p, err := l.e.Queues().Executions("a", "", 9)
		require.NoError(t, err)
		require.Len(t, p.Executions, 2)
		require.Equal(t, queue.Listed{Action: "a", Execution: *call, State: queue.Waiting, Since: call.At, Position: 1}, p.Executions[1])
		require.Equal(t, []effect.Waiter{{Kind: effect.WaitQueue, Key: "a", Run: "nightly", Name: call.Name, Since: call.At}}, l.e.Waiters(9))
		require.True(t, l.e.Queues().Cancel("a", p.Executions[1].Name))
		f := effect.FailureOf(<-failed)
		require.Equal(t, diag.QueueCancelled, f.Kind)
		require.Contains(t, f.Message, "an operator cancelled it")
		require.False(t, f.Retryable)
		s := l.e.Queues().Stats("a")
		require.Equal(t, 3*time.Second, s.Waited)
		require.Equal(t, 3*time.Second, s.Longest)

		for _, bad := range []string{"x", "w9.1", "w0", "w0.x", "w-1.4"} {
			_, err := l.e.Queues().Executions("a", bad, 9)
			require.Error(t, err, bad)
		}
		unknown, err := l.e.Queues().Executions("nobody", "", 9)
		require.NoError(t, err)
		require.Equal(t, queue.Page{Stats: l.e.Queues().Stats("nobody"), Executions: []queue.Listed{}}, unknown)
	})
}

// TestLanesHammer: executions of all priorities come, go and are cancelled while others list them. There
// are never more active executions than the limit, none is lost and none starts twice.
func TestLanesHammer(t *testing.T) {
	const goroutines, rounds, most = 8, 400, 3
	e := &queue.Enforcer{}
	var inside, over, started, cancelled atomic.Int64
	var starts sync.Map
	var wg sync.WaitGroup
	done := make(chan struct{})
	var lister sync.WaitGroup
	lister.Go(func() {
		for after := ""; ; {
			p, err := e.Queues().Executions("a", after, 3)
			if err != nil || p.Stats.Active > most ||
				p.Stats.Enqueued != p.Stats.Completed+p.Stats.Cancelled+p.Stats.TimedOut+int64(p.Stats.Active+p.Stats.Waiting) {
				t.Errorf("inconsistent: %v, %+v", err, p.Stats)
				return
			}
			after = p.Next
			for _, x := range p.Executions {
				if x.State == queue.Waiting && x.Position%5 == 0 {
					e.Queues().Cancel("a", x.Name)
				}
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for g := range goroutines {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 9))
			for i := range rounds {
				x := &effect.Execution{Name: fmt.Sprintf("%d.%d", g, i), Most: most, Priority: effect.Priorities[r.IntN(3)]}
				if _, err := e.Action("a").Start(context.Background(), x); err != nil {
					cancelled.Add(1)
					continue
				}
				if _, twice := starts.LoadOrStore(x.Name, true); twice || inside.Add(1) > most {
					over.Add(1)
				}
				started.Add(1)
				for range r.IntN(20) {
					runtime.Gosched()
				}
				inside.Add(-1)
				if e.Action("a").Leave(x.Name, effect.Succeeded) != nil {
					over.Add(1)
				}
			}
		})
	}
	wg.Wait()
	close(done)
	lister.Wait()
	s := e.Queues().Stats("a")
	require.Zero(t, over.Load())
	require.EqualValues(t, goroutines*rounds, started.Load()+cancelled.Load())
	require.Equal(t, started.Load(), s.Completed)
	require.Equal(t, cancelled.Load(), s.Cancelled)
	require.EqualValues(t, goroutines*rounds, s.Enqueued)
	require.Zero(t, s.Active+s.Waiting)
	var sum int64
	for _, l := range s.Lanes {
		require.Positive(t, l.Enqueued)
		sum += l.Enqueued
	}
	require.Equal(t, s.Enqueued, sum)
}

func TestNamesOfPrioritiesAndEndings(t *testing.T) {
	for _, p := range effect.Priorities {
		text, err := p.MarshalText()
		require.NoError(t, err)
		back := effect.Priority(9)
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, p, back)
	}
	var p effect.Priority
	require.NoError(t, p.UnmarshalText(nil))
	require.Equal(t, effect.NormalPriority, p)
	require.ErrorContains(t, p.UnmarshalText([]byte("urgent")), "want high, normal or low")
	_, err := effect.Priority(2).MarshalText()
	require.Error(t, err)
	_, err = (&queue.Enforcer{}).Action("a").Start(t.Context(), &effect.Execution{Name: "1", Priority: 2})
	require.ErrorContains(t, err, "unknown priority")
	for how := range effect.EndCancelled + 1 {
		text, err := how.MarshalText()
		require.NoError(t, err)
		var back effect.Ending
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, how, back)
	}
}

// TestIdleWait: the time for which the run of a waiter is idle does not count to the limit of its wait. Waiters of
// other runs, which are after it, time out as usual.
func TestIdleWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := queue.New(queue.Options{Wait: time.Hour})
		e, err := queue.NewEnforcer(queue.Policies{Actions: map[string]queue.Policy{"a": {Concurrency: 1}}}, set)
		require.NoError(t, err)
		a := e.Action("a")
		_, err = a.Start(t.Context(), &effect.Execution{Name: "first"})
		require.NoError(t, err)
		begin := time.Now()
		idle := func() time.Duration { // the run is idle from the 10th minute to the 190th
			return min(max(time.Since(begin)-10*time.Minute, 0), 3*time.Hour)
		}
		waited := map[string]time.Duration{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for _, x := range []*effect.Execution{{Name: "idle", Idle: idle}, {Name: "other"}} {
			wg.Go(func() {
				_, err := a.Start(t.Context(), x)
				var late *queue.TimedOut
				if !errors.As(err, &late) {
					t.Errorf("%s: %v", x.Name, err)
				}
				mu.Lock()
				defer mu.Unlock()
				waited[x.Name] = time.Since(begin)
				if late.Waited > 61*time.Minute {
					t.Errorf("%s: the error has a wait of %v", x.Name, late.Waited)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		require.Equal(t, time.Hour, waited["other"])
		require.GreaterOrEqual(t, waited["idle"], 4*time.Hour)
		require.Less(t, waited["idle"], 4*time.Hour+time.Minute)
	})
}
