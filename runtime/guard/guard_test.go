package guard_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/sched"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A scheduler's evaluation can be notified of waits without an adapter.
var _ effect.Blocker = (*sched.Evaluation)(nil)

var (
	exclusive = effect.Hint{Kind: effect.HostExclusive}
	global    = effect.Hint{Kind: effect.GlobalExclusive}
)

func limited(key string, perSecond float64, burst int) effect.Hint {
	return effect.Hint{Kind: effect.RateLimited, Key: key, PerSecond: perSecond, Burst: burst}
}

// take acquires guards that must be granted.
func take(t testing.TB, s *guard.Set, h effect.Hint, host string, o *guard.Owner) effect.Held {
	t.Helper()
	held, err := s.Acquire(t.Context(), &effect.GuardRequest{Hint: h, Host: host, Owner: o})
	require.NoError(t, err)
	return held
}

// refused acquires a guard that must be refused, and returns the error.
func refused(t testing.TB, ctx context.Context, s *guard.Set, h effect.Hint, host string, o *guard.Owner) *guard.Error {
	t.Helper()
	held, err := s.Acquire(ctx, &effect.GuardRequest{Hint: h, Host: host, Owner: o})
	require.True(t, held == effect.Unguarded, "an error, and something is held")
	var e *guard.Error
	require.True(t, errors.As(err, &e), "got %v", err)
	return e
}

// record collects the reports of goroutines.
type record[T any] struct {
	mu  sync.Mutex
	all []T
}

func (r *record[T]) add(e T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, e)
}

// requireNothing checks that nothing is held or waited for.
func requireNothing(t testing.TB, s *guard.Set) {
	t.Helper()
	st := s.Stats(10)
	require.Equal(t, 0, st.Held, "hosts held")
	require.Equal(t, 0, st.Waiting, "who waits")
	require.Equal(t, guard.LockStats{}, st.Global)
}

func TestFullyParallelIsNotCounted(t *testing.T) {
	s := guard.NewSet(guard.Options{})
	a := take(t, s, effect.Hint{}, "db1", nil)
	b := take(t, s, effect.Hint{}, "db1", nil)
	b.Release()
	a.Release()
	require.Equal(t, guard.Stats{}, s.Stats(10))
}

// TestHostOrder: 1,000 wait for a host, and get it in the order in which they came.
func TestHostOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		first := take(t, s, exclusive, "db1", guard.NewOwner(nil, "first"))
		var order []int // the host guards it
		for i := range 1000 {
			go func() {
				h := take(t, s, exclusive, "db1", guard.NewOwner(nil, fmt.Sprint(i)))
				order = append(order, i)
				h.Release()
			}()
			synctest.Wait()
		}
		require.Equal(t, 1000, s.Stats(1).Hosts[0].Waiting)
		first.Release()
		synctest.Wait()
		require.Len(t, order, 1000)
		for i, n := range order {
			require.Equal(t, i, n)
		}
		requireNothing(t, s)
	})
}

// TestHostsAreIndependent: no evaluation waits for another host, nor for the global guard.
func TestHostsAreIndependent(t *testing.T) {
	s := guard.NewSet(guard.Options{})
	g := take(t, s, global, "", guard.NewOwner(nil, "cluster"))
	var helds []effect.Held
	for i := range 1000 {
		host := fmt.Sprintf("db%d", i)
		helds = append(helds, take(t, s, exclusive, host, guard.NewOwner(nil, host)))
	}
	require.Equal(t, 1000, s.Stats(3).Held)
	require.Equal(t, int64(0), s.Stats(3).Waited)
	for _, h := range helds {
		h.Release()
	}
	g.Release()
	requireNothing(t, s)
}

// TestGlobalExcludesGlobal: it does so whatever the host.
func TestGlobalExcludesGlobal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		var inside, done atomic.Int32
		for i := range 20 {
			go func() {
				both := effect.Hint{Kind: effect.GlobalExclusive | effect.HostExclusive}
				h := take(t, s, both, fmt.Sprint(i), guard.NewOwner(nil, fmt.Sprint(i)))
				defer h.Release()
				require.EqualValues(t, 1, inside.Add(1))
				time.Sleep(time.Second)
				inside.Add(-1)
				done.Add(1)
			}()
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 20, done.Load())
		require.EqualValues(t, 40, s.Stats(0).Taken, "20 hosts, and the global guard 20 times")
		requireNothing(t, s)
	})
}

// TestEarlierGuardsAreGivenBack: an acquisition that fails half way holds nothing.
func TestEarlierGuardsAreGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		all := limited("api", 1, 1)
		all.Kind |= effect.GlobalExclusive | effect.HostExclusive
		h := take(t, s, all, "db1", guard.NewOwner(nil, "first"))
		h.Release()

		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		e := refused(t, ctx, s, all, "db1", guard.NewOwner(nil, "second"))
		require.Equal(t, diag.GuardTimeout, e.Code)
		requireNothing(t, s)

		h = take(t, s, exclusive, "db1", guard.NewOwner(nil, "third"))
		e = refused(t, ctx, s, all, "db1", guard.NewOwner(nil, "fourth"))
		require.Equal(t, diag.GuardTimeout, e.Code)
		require.Equal(t, "", s.Stats(0).Global.Holder)
		h.Release()
		requireNothing(t, s)
	})
}

func TestSecondReleaseIsAnError(t *testing.T) {
	s := guard.NewSet(guard.Options{})
	o := guard.NewOwner(nil, "main")
	for _, h := range []effect.Hint{exclusive, global} {
		first := take(t, s, h, "db1", o)
		first.Release()
		require.ErrorContains(t, first.Release(), "released before")
		second := take(t, s, h, "db1", o)
		require.ErrorContains(t, first.Release(), "released before", "what is held now is another's")
		second.Release()
		require.ErrorContains(t, second.Release(), "released before")
		require.ErrorContains(t, first.Release(), "released before")
	}
	requireNothing(t, s)
	for _, r := range []*effect.GuardRequest{nil, {Hint: exclusive, Host: "db1"}, {Hint: global}} {
		_, err := s.Acquire(t.Context(), r)
		var e *guard.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, diag.IllegalArgument, e.Code)
	}
	var none context.Context
	_, err := s.Acquire(none, &effect.GuardRequest{Hint: global, Owner: o})
	require.ErrorContains(t, err, "nil context")
}

// TestCancelWhileWaiting: of 200 waiters for a few hosts and tokens, some leave at
// random moments. All others get their guards, and nothing is left.
func TestCancelWhileWaiting(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			s := guard.NewSet(guard.Options{})
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
					ctx, cancel := context.WithCancelCause(t.Context())
					defer time.AfterFunc(patience, func() { cancel(errImpatient) }).Stop()
					held, err := s.Acquire(ctx, &effect.GuardRequest{Hint: h, Host: host, Owner: guard.NewOwner(nil, fmt.Sprint(i))})
					if err != nil {
						require.ErrorIs(t, err, errImpatient)
						gaveUp.Add(1)
						return
					}
					defer held.Release()
					time.Sleep(pause)
					given.Add(1)
				}()
				synctest.Wait()
			}
			time.Sleep(time.Hour)
			require.EqualValues(t, 200, gaveUp.Load()+given.Load())
			require.Positive(t, gaveUp.Load())
			require.Positive(t, given.Load())
			requireNothing(t, s)
			require.Equal(t, gaveUp.Load(), s.Stats(0).GaveUp)
		})
	}
}

var errImpatient = errors.New("impatient")

// places counts the calls of a Blocker.
type places struct{ blocked, unblocked atomic.Int64 }

func (p *places) Block() { p.blocked.Add(1) }

func (p *places) Unblock() { p.unblocked.Add(1) }

// TestBlocker: it is told of waits, and of nothing else, however they end.
func TestBlocker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		var p places
		request := func(h effect.Hint) *effect.GuardRequest {
			return &effect.GuardRequest{Hint: h, Host: "db1", Owner: guard.NewOwner(nil, "x"), Blocker: &p}
		}
		h, err := s.Acquire(t.Context(), request(exclusive))
		require.NoError(t, err)
		_, err = s.Acquire(t.Context(), request(limited("api", 1, 1)))
		require.NoError(t, err)
		require.Zero(t, p.blocked.Load(), "nobody has waited yet")

		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = s.Acquire(ctx, request(exclusive)) }()
		go func() {
			h, err := s.Acquire(t.Context(), request(exclusive))
			require.NoError(t, err)
			h.Release()
		}()
		synctest.Wait()
		require.Equal(t, [2]int64{2, 0}, [2]int64{p.blocked.Load(), p.unblocked.Load()})
		cancel()
		synctest.Wait() // who has left cannot be given the host any more
		h.Release()
		synctest.Wait()
		_, err = s.Acquire(t.Context(), request(limited("api", 1, 1)))
		require.NoError(t, err)
		require.Equal(t, [2]int64{3, 3}, [2]int64{p.blocked.Load(), p.unblocked.Load()})
	})
}

// TestHammer: trees of evaluations take nested guards in any order. In a bubble of synctest a stall is an
// error, like any other endless wait. Each guard has one holder at a time.
func TestHammer(t *testing.T) {
	var cycles, done atomic.Int64
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			h := &hammer{t: t, set: guard.NewSet(guard.Options{}), cycles: &cycles, done: &done}
			var wg sync.WaitGroup
			for i := range 4 {
				wg.Go(func() { h.run(guard.NewOwner(nil, fmt.Sprint(i)), rand.New(rand.NewPCG(seed, uint64(i))), 4) })
			}
			wg.Wait()
			requireNothing(t, h.set)
		})
	}
	require.Positive(t, cycles.Load(), "no cycle was met")
	require.Positive(t, done.Load())
}

type hammer struct {
	t            *testing.T
	set          *guard.Set
	inside       [5]atomic.Int32 // holders of each host, and of the global guard
	cycles, done *atomic.Int64
}

// run is an evaluation: it takes guards, and in their bodies more, or starts workers.
func (h *hammer) run(o *guard.Owner, r *rand.Rand, depth int) {
	for range 3 {
		switch {
		case depth == 0:
			h.done.Add(1)
		case r.IntN(3) == 0:
			var wg sync.WaitGroup
			for i := range 2 {
				child := rand.New(rand.NewPCG(r.Uint64(), 0))
				wg.Go(func() { h.run(guard.NewOwner(o, fmt.Sprintf("%s.%d", o, i)), child, depth-1) })
			}
			wg.Wait()
		default:
			h.guarded(o, r, depth)
		}
	}
}

func (h *hammer) guarded(o *guard.Owner, r *rand.Rand, depth int) {
	n := r.IntN(len(h.inside))
	req := &effect.GuardRequest{Hint: exclusive, Host: fmt.Sprint(n), Owner: o}
	if n == 4 {
		req.Hint = global
	}
	ctx, cancel := context.WithCancel(h.t.Context())
	if r.IntN(4) == 0 {
		ctx, cancel = context.WithTimeout(h.t.Context(), time.Duration(r.IntN(50))*time.Microsecond)
	}
	defer cancel()
	held, err := h.set.Acquire(ctx, req)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return
		}
		var e *guard.Error
		require.True(h.t, errors.As(err, &e))
		require.Contains(h.t, []diag.Code{diag.GuardCycle, diag.GuardHeld}, e.Code)
		if e.Code == diag.GuardCycle {
			h.cycles.Add(1)
		}
		return
	}
	defer held.Release()
	require.EqualValues(h.t, 1, h.inside[n].Add(1), "holders at once")
	if r.IntN(2) == 0 {
		time.Sleep(time.Duration(r.IntN(100)) * time.Microsecond)
	}
	h.run(o, r, depth-1)
	h.inside[n].Add(-1)
}

// TestStress is the same without a bubble: with threads, and in real time.
func TestStress(t *testing.T) {
	s := guard.NewSet(guard.Options{})
	var inside [3]atomic.Int32
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 0))
			o := guard.NewOwner(nil, fmt.Sprint(g))
			for range 2000 {
				n := r.IntN(len(inside))
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(2000))*time.Microsecond)
				held, err := s.Acquire(ctx, &effect.GuardRequest{Hint: exclusive, Host: fmt.Sprint(n), Owner: o})
				if err == nil {
					if inside[n].Add(1) != 1 {
						t.Error("two hold a host")
					}
					inside[n].Add(-1)
					held.Release()
				}
				cancel()
			}
		})
	}
	wg.Wait()
	requireNothing(t, s)
}
