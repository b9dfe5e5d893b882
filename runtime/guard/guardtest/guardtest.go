// Package guardtest tests the implementations of effect.Guards: in one process, and in a cluster, through
// any of its nodes.
//
//   - Run: all tests.
//   - Nodes: makes the tested guards, as each node of a cluster sees them.
package guardtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
)

// Nodes makes guards for one test, in a bubble of synctest, as one or more nodes see them. The cleanup of t
// ends its goroutines. Messages between the nodes take no time, so that synctest.Wait waits for them.
type Nodes func(t *testing.T) []effect.Guards

// Run tests the guards that make returns.
func Run(t *testing.T, make Nodes) {
	for _, test := range []struct {
		name string
		f    func(*nodes)
	}{
		{"HostOrder", hostOrder}, {"HostsAreIndependent", hostsAreIndependent},
		{"GlobalExcludesGlobal", globalExcludesGlobal}, {"SecondRelease", secondRelease}, {"Invalid", invalid},
		{"Ended", ended}, {"CancelWhileWaiting", cancelWhileWaiting}, {"HalfWay", halfWay}, {"HeldAlready", heldAlready},
		{"Cycle", cycle}, {"CycleThroughWorkers", cycleThroughWorkers}, {"Abandoned", abandoned}, {"Rate", rate},
		{"TokenOrder", tokenOrder}, {"Hopeless", hopeless}, {"Conflict", conflict}, {"Pause", pause}, {"Slow", slow},
		{"Waits", waits}, {"Waiters", waiters}, {"Rester", rester}, {"Fences", fences}, {"Hammer", hammered},
		{"Model", modelled},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test.f(&nodes{t: t, all: make(t)}) })
		})
	}
}

// nodes are the guards of a test.
type nodes struct {
	t   *testing.T
	all []effect.Guards
}

// at returns the guards of a node, in turns.
func (n *nodes) at(i int) effect.Guards { return n.all[i%len(n.all)] }

var (
	exclusive = effect.Hint{Kind: effect.HostExclusive}
	global    = effect.Hint{Kind: effect.GlobalExclusive}
)

func limited(key string, perSecond float64, burst int) effect.Hint {
	return effect.Hint{Kind: effect.RateLimited, Key: key, PerSecond: perSecond, Burst: burst}
}

// take acquires guards that must be granted.
func (n *nodes) take(i int, h effect.Hint, host string, o effect.Owner) effect.Held {
	n.t.Helper()
	held, err := n.at(i).Acquire(n.t.Context(), &effect.GuardRequest{Hint: h, Host: host, Owner: o})
	require.NoError(n.t, err)
	return held
}

// refused makes a request that must be refused, and returns the error.
func (n *nodes) refused(ctx context.Context, i int, h effect.Hint, host string, o effect.Owner) *guard.Error {
	n.t.Helper()
	held, err := n.at(i).Acquire(ctx, &effect.GuardRequest{Hint: h, Host: host, Owner: o})
	require.True(n.t, held == effect.Unguarded, "an error, and something is held")
	var e *guard.Error
	require.ErrorAs(n.t, err, &e)
	return e
}

// run returns the main evaluation of a new run on a node.
func (n *nodes) run(i int, name string) effect.Owner { return n.at(i).Owner(nil, name, name) }

// free checks that nothing is held: anybody gets the hosts and the global guard immediately.
func (n *nodes) free(hosts ...string) {
	n.t.Helper()
	synctest.Wait()
	ctx, cancel := context.WithTimeout(n.t.Context(), time.Millisecond)
	defer cancel()
	o := n.run(0, "last")
	for _, host := range append(hosts, "") {
		h := exclusive
		if host == "" {
			h = global
		}
		held, err := n.at(0).Acquire(ctx, &effect.GuardRequest{Hint: h, Host: host, Owner: o})
		require.NoError(n.t, err, "%q is held", host)
		require.NoError(n.t, held.Release())
	}
	require.Empty(n.t, n.at(0).Waiters(10))
}

func hostOrder(n *nodes) {
	first := n.take(0, exclusive, "db1", n.run(0, "first"))
	var mu sync.Mutex
	var order []int
	for i := range 200 {
		go func() {
			h := n.take(i, exclusive, "db1", n.run(i, fmt.Sprint(i)))
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			require.NoError(n.t, h.Release())
		}()
		synctest.Wait()
	}
	require.NoError(n.t, first.Release())
	synctest.Wait()
	require.Len(n.t, order, 200)
	require.True(n.t, slices.IsSorted(order), "got %v", order)
	n.free("db1")
}

func hostsAreIndependent(n *nodes) {
	g := n.take(0, global, "", n.run(0, "cluster"))
	var all []effect.Held
	for i := range 100 {
		host := fmt.Sprintf("db%d", i)
		all = append(all, n.take(i, exclusive, host, n.run(i, host)))
	}
	for _, h := range append(all, g) {
		require.NoError(n.t, h.Release())
	}
	n.free("db0", "db99")
}

func globalExcludesGlobal(n *nodes) {
	var inside, done atomic.Int32
	for i := range 20 {
		go func() {
			both := effect.Hint{Kind: effect.GlobalExclusive | effect.HostExclusive}
			h := n.take(i, both, fmt.Sprint(i), n.run(i, fmt.Sprint(i)))
			require.EqualValues(n.t, 1, inside.Add(1))
			time.Sleep(time.Second)
			inside.Add(-1)
			done.Add(1)
			require.NoError(n.t, h.Release())
		}()
	}
	time.Sleep(20 * time.Second)
	synctest.Wait()
	require.EqualValues(n.t, 20, done.Load())
	n.free("0", "19")
}

func secondRelease(n *nodes) {
	o := n.run(0, "main")
	for _, h := range []effect.Hint{exclusive, global} {
		first := n.take(0, h, "db1", o)
		require.NoError(n.t, first.Release())
		require.ErrorContains(n.t, first.Release(), "released before")
		second := n.take(0, h, "db1", o)
		require.ErrorContains(n.t, first.Release(), "released before", "what is held now is another's")
		require.NoError(n.t, second.Release())
	}
	n.free("db1")
}

func invalid(n *nodes) {
	long := string(make([]byte, effect.MaxGuardName+1))
	o := n.run(0, "main")
	for _, r := range []*effect.GuardRequest{nil, {Hint: exclusive, Host: "db1"}, {Hint: global},
		{Hint: exclusive, Owner: o}, {Hint: exclusive, Host: long, Owner: o}, {Hint: limited("", 1, 1)},
		{Hint: limited("api", -1, 1)}, {Hint: limited("api", 1, 0)}, {Hint: effect.Hint{Kind: 128}, Owner: o}} {
		_, err := n.at(0).Acquire(n.t.Context(), r)
		var e *guard.Error
		require.ErrorAs(n.t, err, &e)
		require.Equal(n.t, diag.IllegalArgument, e.Code)
	}
	var none context.Context
	_, err := n.at(0).Acquire(none, &effect.GuardRequest{Hint: global, Owner: o})
	require.ErrorContains(n.t, err, "nil context")
	require.Error(n.t, n.at(0).Pause("", time.Now().Add(time.Hour)))
	require.Error(n.t, n.at(0).Slow("api", 0, time.Now().Add(time.Hour)))
	held, err := n.at(0).Acquire(n.t.Context(), &effect.GuardRequest{})
	require.NoError(n.t, err)
	require.NoError(n.t, held.Release())
}

// ended: a wait ends with its context, with the code of its end.
func ended(n *nodes) {
	first := n.take(0, exclusive, "db1", n.run(0, "first"))
	ctx, cancel := context.WithTimeout(n.t.Context(), 3*time.Second)
	defer cancel()
	began := time.Now()
	e := n.refused(ctx, 1, exclusive, "db1", n.run(1, "second"))
	require.Equal(n.t, diag.GuardTimeout, e.Code)
	require.Contains(n.t, e.Message, `host "db1": the wait ran out of time after 3s`)
	require.Equal(n.t, 3*time.Second, time.Since(began))
	why := errors.New("why")
	stopped, stop := context.WithCancelCause(n.t.Context())
	time.AfterFunc(time.Second, func() { stop(why) })
	_, err := n.at(1).Acquire(stopped, &effect.GuardRequest{Hint: exclusive, Host: "db1", Owner: n.run(1, "third")})
	require.ErrorIs(n.t, err, why)
	require.Equal(n.t, diag.Cancelled, effect.FailureOf(err).Kind)
	require.NoError(n.t, first.Release())
	n.free("db1")
}

// cancelWhileWaiting: of many waiters for a few hosts and tokens some leave at random moments. The others
// get their guards, and nothing is left.
func cancelWhileWaiting(n *nodes) {
	r := rand.New(rand.NewPCG(1, 0))
	impatient := errors.New("impatient")
	var gaveUp, given atomic.Int64
	for i := range 200 {
		h := limited("api", 50, 2)
		h.Kind = []effect.GuardKind{effect.HostExclusive, effect.RateLimited,
			effect.HostExclusive | effect.RateLimited}[r.IntN(3)]
		if h.Kind&effect.RateLimited == 0 {
			h = exclusive
		}
		patience := time.Duration(r.IntN(4000)) * time.Millisecond
		host, pause := fmt.Sprint(r.IntN(3)), time.Duration(r.IntN(100))*time.Millisecond
		go func() {
			ctx, cancel := context.WithCancelCause(n.t.Context())
			defer time.AfterFunc(patience, func() { cancel(impatient) }).Stop()
			held, err := n.at(i).Acquire(ctx, &effect.GuardRequest{Hint: h, Host: host, Owner: n.run(i, fmt.Sprint(i))})
			if err != nil {
				require.ErrorIs(n.t, err, impatient)
				gaveUp.Add(1)
				return
			}
			time.Sleep(pause)
			given.Add(1)
			require.NoError(n.t, held.Release())
		}()
		synctest.Wait()
	}
	time.Sleep(time.Minute)
	require.EqualValues(n.t, 200, gaveUp.Load()+given.Load())
	require.Positive(n.t, gaveUp.Load())
	require.Positive(n.t, given.Load())
	n.free("0", "1", "2")
}

// halfWay: an acquisition that fails half way holds nothing.
func halfWay(n *nodes) {
	all := limited("api", 1, 1)
	all.Kind |= effect.GlobalExclusive | effect.HostExclusive
	require.NoError(n.t, n.take(0, all, "db1", n.run(0, "first")).Release())
	ctx, cancel := context.WithTimeout(n.t.Context(), 100*time.Millisecond)
	defer cancel()
	require.Equal(n.t, diag.GuardTimeout, n.refused(ctx, 1, all, "db1", n.run(1, "second")).Code)
	h := n.take(0, exclusive, "db1", n.run(0, "third"))
	ctx, cancel = context.WithTimeout(n.t.Context(), 100*time.Millisecond)
	defer cancel()
	require.Equal(n.t, diag.GuardTimeout, n.refused(ctx, 1, all, "db1", n.run(1, "fourth")).Code)
	require.NoError(n.t, n.take(2, global, "", n.run(2, "fifth")).Release())
	require.NoError(n.t, h.Release())
	n.free("db1")
}

func heldAlready(n *nodes) {
	main := n.run(0, "main")
	worker := n.at(0).Owner(main, "main", "0.1")
	for _, h := range []effect.Hint{exclusive, global} {
		held := n.take(0, h, "db1", main)
		require.Equal(n.t, diag.GuardHeld, n.refused(n.t.Context(), 0, h, "db1", main).Code)
		require.Equal(n.t, diag.GuardHeld, n.refused(n.t.Context(), 0, h, "db1", worker).Code)
		// The same run on another node: its worker there is one below the holder.
		there := n.at(1).Owner(n.at(1).Owner(nil, "main", "main"), "main", "0.2")
		if len(n.all) > 1 {
			require.Equal(n.t, diag.GuardHeld, n.refused(n.t.Context(), 1, h, "db1", there).Code)
		}
		require.NoError(n.t, held.Release())
	}
	n.free("db1")
}

func cycle(n *nodes) {
	a, b := n.run(0, "a"), n.run(1, "b")
	one, two := n.take(0, exclusive, "1", a), n.take(1, exclusive, "2", b)
	got := make(chan effect.Held, 1)
	go func() { got <- n.take(0, exclusive, "2", a) }()
	synctest.Wait()
	e := n.refused(n.t.Context(), 1, exclusive, "1", b)
	require.Equal(n.t, diag.GuardCycle, e.Code)
	require.Equal(n.t, []guard.Link{{Waiter: "b", Guard: `host "1"`, Holder: "a"},
		{Waiter: "a", Guard: `host "2"`, Holder: "b"}}, e.Cycle)
	require.NoError(n.t, two.Release())
	require.NoError(n.t, (<-got).Release())
	require.NoError(n.t, one.Release())
	n.free("1", "2")
}

func cycleThroughWorkers(n *nodes) {
	a, b := n.run(0, "a"), n.run(1, "b")
	one, two := n.take(0, exclusive, "1", a), n.take(1, global, "", b)
	got := make(chan effect.Held, 1)
	worker := n.at(0).Owner(a, "a", "a.0")
	go func() { got <- n.take(0, global, "", worker) }()
	synctest.Wait()
	e := n.refused(n.t.Context(), 1, exclusive, "1", n.at(1).Owner(n.at(1).Owner(b, "b", "b.0"), "b", "b.0.0"))
	require.Equal(n.t, diag.GuardCycle, e.Code)
	require.Len(n.t, e.Cycle, 2)
	require.NoError(n.t, two.Release())
	require.NoError(n.t, (<-got).Release())
	require.NoError(n.t, one.Release())
	n.free("1")
}

// abandoned: the owner of an abandoned call is refused, and others wait.
func abandoned(n *nodes) {
	main := n.run(0, "main")
	h := n.take(0, exclusive, "db1", main)
	h.Abandon("tool/slow")
	synctest.Wait()
	e := n.refused(n.t.Context(), 0, exclusive, "db1", main)
	require.Equal(n.t, diag.GuardBusy, e.Code)
	require.Contains(n.t, e.Message, "tool/slow")
	got := make(chan effect.Held, 1)
	go func() { got <- n.take(1, exclusive, "db1", n.run(1, "other")) }()
	synctest.Wait()
	require.NoError(n.t, h.Release())
	require.NoError(n.t, (<-got).Release())
	n.free("db1")
}

// rate: no window has more tokens than the burst and the inflow, and over a long time there are not fewer.
func rate(n *nodes) {
	const perSecond, burst = 20, 5
	began := time.Now()
	var mu sync.Mutex
	var times []time.Duration
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			for time.Since(began) < 10*time.Second {
				n.take(i, limited("api", perSecond, burst), "", nil)
				mu.Lock()
				times = append(times, time.Since(began))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	slices.Sort(times)
	for i := range times {
		for j := i; j < min(len(times), i+100); j++ {
			require.LessOrEqual(n.t, float64(j-i+1), burst+perSecond*(times[j]-times[i]).Seconds()+1e-6)
		}
	}
	require.GreaterOrEqual(n.t, len(times), 200)
}

func tokenOrder(n *nodes) {
	var mu sync.Mutex
	var order []int
	n.take(0, limited("api", 1, 1), "", nil)
	for i := range 30 {
		go func() {
			n.take(i, limited("api", 1, 1), "", nil)
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
		}()
		synctest.Wait()
	}
	time.Sleep(31 * time.Second)
	synctest.Wait()
	require.Len(n.t, order, 30)
	require.True(n.t, slices.IsSorted(order), "got %v", order)
}

// hopeless: a wait for a token that would exceed the deadline is not begun.
func hopeless(n *nodes) {
	n.take(0, limited("api", 0.1, 1), "", nil)
	ctx, cancel := context.WithTimeout(n.t.Context(), 5*time.Second)
	defer cancel()
	began := time.Now()
	e := n.refused(ctx, 1, limited("api", 0.1, 1), "", nil)
	require.Equal(n.t, diag.GuardTimeout, e.Code)
	require.Contains(n.t, e.Message, "the next free token is")
	require.Less(n.t, time.Since(began), time.Second)
}

func conflict(n *nodes) {
	n.take(0, limited("api", 1, 1), "", nil)
	e := n.refused(n.t.Context(), 1, limited("api", 2, 1), "", nil)
	require.Equal(n.t, diag.GuardConflict, e.Code)
}

// pause: no node gets a token before the end of a pause.
func pause(n *nodes) {
	require.NoError(n.t, n.at(0).Pause("api", time.Now().Add(10*time.Second)))
	synctest.Wait()
	began := time.Now()
	n.take(1, limited("api", 100, 10), "", nil)
	require.GreaterOrEqual(n.t, time.Since(began), 10*time.Second)
	require.Less(n.t, time.Since(began), 11*time.Second)
}

// slow: all nodes keep to the lower rate.
func slow(n *nodes) {
	n.take(0, limited("api", 100, 1), "", nil)
	require.NoError(n.t, n.at(0).Slow("api", 1, time.Now().Add(time.Minute)))
	synctest.Wait()
	began := time.Now()
	for i := range 5 {
		n.take(i, limited("api", 100, 1), "", nil)
	}
	require.GreaterOrEqual(n.t, time.Since(began), 4*time.Second)
	require.Less(n.t, time.Since(began), 6*time.Second)
}

// waits: a waiting request is notified when the wait begins, and returns its waits afterwards.
func waits(n *nodes) {
	all := limited("api", 1, 1)
	all.Kind |= effect.GlobalExclusive | effect.HostExclusive
	free := &effect.GuardRequest{Hint: all, Host: "db1", Owner: n.run(0, "first")}
	first, err := n.at(0).Acquire(n.t.Context(), free)
	require.NoError(n.t, err)
	require.Empty(n.t, free.Waits)
	var mu sync.Mutex
	var begun []effect.Begun
	ctx := effect.WithBegun(n.t.Context(), func(b effect.Begun) {
		mu.Lock()
		defer mu.Unlock()
		begun = append(begun, b)
	})
	r := &effect.GuardRequest{Hint: all, Host: "db1", Owner: n.run(1, "second")}
	got := make(chan effect.Held, 1)
	go func() {
		h, err := n.at(1).Acquire(ctx, r)
		require.NoError(n.t, err)
		got <- h
	}()
	synctest.Wait()
	mu.Lock()
	require.Equal(n.t, []effect.Begun{{Kind: effect.WaitGlobal, Holder: "first"}}, begun)
	mu.Unlock()
	time.Sleep(300 * time.Millisecond)
	require.NoError(n.t, first.Release())
	require.NoError(n.t, (<-got).Release())
	require.Equal(n.t, effect.Begun{Kind: effect.WaitToken, Key: "api"}, begun[1])
	require.Len(n.t, r.Waits, 2)
	require.Equal(n.t, effect.WaitGlobal, r.Waits[0].Kind)
	require.Equal(n.t, 300*time.Millisecond, r.Waits[0].Duration)
	require.Equal(n.t, effect.WaitToken, r.Waits[1].Kind)
	require.Equal(n.t, 700*time.Millisecond, r.Waits[1].Duration)
	n.free("db1")
}

func waiters(n *nodes) {
	first := n.take(0, exclusive, "db1", n.run(0, "first"))
	for i := range 3 {
		go func() {
			o := n.at(i).Owner(nil, fmt.Sprint("run", i), fmt.Sprint("0.", i))
			require.NoError(n.t, n.take(i, exclusive, "db1", o).Release())
		}()
		synctest.Wait()
	}
	all := n.at(1).Waiters(2)
	require.Len(n.t, all, 2)
	for i, w := range all {
		require.False(n.t, w.Since.IsZero())
		w.Since = time.Time{}
		require.Equal(n.t, effect.Waiter{Kind: effect.WaitHost, Key: "db1", Run: fmt.Sprint("run", i),
			Name: fmt.Sprint("0.", i)}, w)
	}
	require.NoError(n.t, first.Release())
	n.free("db1")
}

// resting counts whether an evaluation rests.
type resting struct{ rests, woke atomic.Int32 }

func (r *resting) Rest() { r.rests.Add(1) }
func (r *resting) Wake() { r.woke.Add(1) }

// rester: an evaluation rests while another one of its run holds the guard, and at no other time.
func rester(n *nodes) {
	for i, same := range []bool{true, false} {
		main := n.at(0).Owner(nil, fmt.Sprint("run", i), "run")
		first := n.take(0, exclusive, "db1", n.at(0).Owner(main, fmt.Sprint("run", i), "0.1"))
		if !same {
			main = n.at(0).Owner(nil, "other", "run")
		}
		var r resting
		got := make(chan effect.Held, 1)
		go func() {
			h, err := n.at(0).Acquire(n.t.Context(), &effect.GuardRequest{Hint: exclusive, Host: "db1",
				Owner: n.at(0).Owner(main, fmt.Sprint("run", i), "0.2"), Rester: &r})
			require.NoError(n.t, err)
			got <- h
		}()
		synctest.Wait()
		require.Equal(n.t, same, r.rests.Load() > 0)
		require.NoError(n.t, first.Release())
		require.NoError(n.t, (<-got).Release())
		require.Positive(n.t, r.woke.Load())
	}
	n.free("db1")
}

func fences(n *nodes) {
	var last uint64
	for i := range 20 {
		h := n.take(i, exclusive, "db1", n.run(i, fmt.Sprint(i)))
		require.Greater(n.t, h.Fence(), last)
		last = h.Fence()
		require.NoError(n.t, h.Release())
		synctest.Wait()
	}
	require.Zero(n.t, effect.Unguarded.Fence())
}
