package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
)

func newEnforcer(t *testing.T, p queue.Policies) *queue.Enforcer {
	e, err := queue.NewEnforcer(p, queue.New(queue.Options{}))
	require.NoError(t, err)
	return e
}

// try makes one call that takes no time, and returns the violation if there is one.
func try(t *testing.T, e *queue.Enforcer, action string) *queue.Violation {
	t.Helper()
	err := enter(e.Action(action), t.Context(), "1", 0)
	if err == nil {
		e.Action(action).Leave("1", effect.Succeeded)
		return nil
	}
	var v *queue.Violation
	require.ErrorAs(t, err, &v)
	return v
}

func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEnforcer(t, queue.Policies{Global: queue.Policy{Rate: queue.Rate{Calls: 3, Per: time.Second, Burst: 5}}})
		for range 5 {
			require.Nil(t, try(t, e, "a"))
		}
		v := try(t, e, "a")
		require.Equal(t, queue.Violation{
			Action: "a", Level: queue.Global, Kind: queue.OfRate, Calls: 3, Window: time.Second, Burst: 5, RetryAfter: 333333334,
		}, *v)
		require.Equal(t, diag.PolicyViolation, v.Code())
		require.EqualError(t, v, "a: the rate of the policy for global is used up (3 calls in 1s, 5 at once); it can be called again in 334ms")
		time.Sleep(time.Hour) // no more than the burst is kept
		for range 5 {
			require.Nil(t, try(t, e, "a"))
		}
		require.NotNil(t, try(t, e, "a"))
	})
}

// TestRateIsExact: a caller who never misses a token gets exactly as many as the rate
// says, however long it runs and however odd the rate is.
func TestRateIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := queue.Rate{Calls: 7, Per: 999_999_937, Burst: 2}
		e := newEnforcer(t, queue.Policies{Global: queue.Policy{Rate: r}})
		begin := time.Now()
		const calls = 60_000
		for range calls {
			if v := try(t, e, "a"); v != nil {
				time.Sleep(v.RetryAfter - 1)
				require.NotNil(t, try(t, e, "a"))
				time.Sleep(time.Nanosecond)
				require.Nil(t, try(t, e, "a"))
			}
		}
		// The k-th call after the first two waits for k tokens.
		k := big.NewInt((calls - 2) * int64(r.Per))
		want := new(big.Int).Div(k.Add(k, big.NewInt(int64(r.Calls)-1)), big.NewInt(int64(r.Calls)))
		require.Equal(t, want.Int64(), int64(time.Since(begin)))
	})
}

func TestQuotaSlides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEnforcer(t, queue.Policies{
			Actions: map[string]queue.Policy{"a": {Quota: queue.Quota{Calls: 3, Window: time.Hour}}},
		})
		for range 3 {
			require.Nil(t, try(t, e, "a"))
			time.Sleep(10 * time.Minute)
		}
		v := try(t, e, "a")
		require.Equal(t, queue.Violation{
			Action: "a", Level: queue.OfAction, Name: "a", Kind: queue.OfQuota, Calls: 3, Window: time.Hour, RetryAfter: 30 * time.Minute,
		}, *v)
		require.EqualError(t, v, "a: the quota of the policy for action a is used up (3 calls in 1h); it can be called again in 30m")
		time.Sleep(30*time.Minute - 1)
		require.NotNil(t, try(t, e, "a"))
		time.Sleep(time.Nanosecond)
		require.Nil(t, try(t, e, "a"))
		require.Equal(t, 10*time.Minute, try(t, e, "a").RetryAfter, "one call is an hour ago, not all three")
		require.Nil(t, try(t, e, "b"))
	})
}

// TestRefusedCountsNowhere: a call that one level refuses uses up nothing of the others.
func TestRefusedCountsNowhere(t *testing.T) {
	hourly := func(calls int) queue.Policy {
		return queue.Policy{Rate: queue.Rate{Calls: calls, Per: time.Hour},
			Quota: queue.Quota{Calls: calls, Window: time.Hour}}
	}
	synctest.Test(t, func(t *testing.T) {
		e := newEnforcer(t, queue.Policies{
			Global:  hourly(5),
			Packs:   map[string]queue.Policy{"aws": hourly(3)},
			Actions: map[string]queue.Policy{"aws.start": hourly(1)},
		})
		require.Nil(t, try(t, e, "aws.start"))
		for range 100 {
			require.Equal(t, "aws.start", try(t, e, "aws.start").Name)
		}
		require.Nil(t, try(t, e, "aws.stop"))
		require.Nil(t, try(t, e, "aws.list"))
		for range 100 {
			v := try(t, e, "aws.stop")
			require.Equal(t, queue.OfPack, v.Level)
			require.Equal(t, "aws", v.Name)
			require.Equal(t, "aws.stop", v.Action)
		}
		require.Nil(t, try(t, e, "search"))
		require.Nil(t, try(t, e, "gcp.start"))
		require.Equal(t, queue.Global, try(t, e, "gcp.start").Level)
	})
}

// TestLongestViolation: if several policies refuse, the error reports the one that refuses longest.
func TestLongestViolation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEnforcer(t, queue.Policies{
			Global:  queue.Policy{Quota: queue.Quota{Calls: 1, Window: time.Hour}},
			Packs:   map[string]queue.Policy{"aws": {Quota: queue.Quota{Calls: 1, Window: 24 * time.Hour}}},
			Actions: map[string]queue.Policy{"aws.start": {Rate: queue.Rate{Calls: 1, Per: time.Minute}}},
		})
		require.Nil(t, try(t, e, "aws.start"))
		v := try(t, e, "aws.start")
		require.Equal(t, queue.OfPack, v.Level)
		require.Equal(t, 24*time.Hour, v.RetryAfter)
		time.Sleep(v.RetryAfter)
		require.Nil(t, try(t, e, "aws.start"))
	})
}

// TestPoliciesBeforeQueue: a call that a policy refuses does not wait.
func TestPoliciesBeforeQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := queue.New(queue.Options{})
		e, err := queue.NewEnforcer(queue.Policies{
			Packs: map[string]queue.Policy{"aws": {Concurrency: 1, Quota: queue.Quota{Calls: 3, Window: time.Hour}}},
		}, set)
		require.NoError(t, err)
		var started []string // guarded by the queue
		for i := range 3 {
			go func() {
				if err := enter(e.Action("aws.start"), t.Context(), strconv.Itoa(i), 0); err != nil {
					t.Error(err)
				}
				started = append(started, strconv.Itoa(i))
				time.Sleep(time.Minute)
				e.Action("aws.start").Leave(strconv.Itoa(i), effect.Succeeded)
			}()
			synctest.Wait()
		}
		require.Equal(t, 2, set.Stats("aws.start").Waiting)
		var v *queue.Violation
		require.ErrorAs(t, enter(e.Action("aws.start"), t.Context(), "3", 0), &v)
		require.Equal(t, 2, set.Stats("aws.start").Waiting)
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		require.Equal(t, []string{"0", "1", "2"}, started)
	})
}

// TestMostBesidePolicies: the limit is the lower one of the action's own bound and the bound of the
// policies.
func TestMostBesidePolicies(t *testing.T) {
	set := queue.New(queue.Options{})
	e, err := queue.NewEnforcer(queue.Policies{Actions: map[string]queue.Policy{"a": {Concurrency: 3}}}, set)
	require.NoError(t, err)
	for i, test := range []struct {
		action      string
		most, limit int
	}{{"a", 0, 3}, {"a", 2, 2}, {"a", 4, 3}, {"b", 0, 0}, {"b", 2, 2}} {
		a := e.Action(test.action)
		_, err := a.Start(t.Context(), &effect.Execution{Name: strconv.Itoa(i), Most: test.most})
		require.NoError(t, err)
		require.Equal(t, test.limit, set.Stats(test.action).Limit)
		a.Leave(strconv.Itoa(i), effect.Succeeded)
	}
}

// TestAdmittedAtOnce: under contention, no more are admitted than the narrowest level allows, and the rest
// of the other levels stays available.
func TestAdmittedAtOnce(t *testing.T) {
	day := func(calls int) queue.Policy {
		return queue.Policy{Quota: queue.Quota{Calls: calls, Window: 24 * time.Hour}}
	}
	e := newEnforcer(t, queue.Policies{
		Global:  day(1_000),
		Packs:   map[string]queue.Policy{"a": day(300), "b": day(1_000)},
		Actions: map[string]queue.Policy{"a.x": day(100)},
	})
	var mu sync.Mutex
	admitted := map[string]int{}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 1_000 {
				for _, action := range []string{"a.x", "a.y"} {
					execution := fmt.Sprintf("%d.%d", g, i)
					err := enter(e.Action(action), context.Background(), execution, 0)
					if err == nil {
						e.Action(action).Leave(execution, effect.Succeeded)
						mu.Lock()
						admitted[action]++
						mu.Unlock()
					} else if !errors.As(err, new(*queue.Violation)) {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, 300, admitted["a.x"]+admitted["a.y"])
	require.Equal(t, 100, admitted["a.x"])
	for range 700 {
		require.Nil(t, try(t, e, "b.x"))
	}
	require.Equal(t, queue.Global, try(t, e, "b.x").Level)
}

// naiveMeter is a policy as its definition reads, in fractions and full lists.
type naiveMeter struct {
	policy queue.Policy
	tokens *big.Rat
	at     time.Time
	calls  []time.Time
}

func newNaiveMeter(p queue.Policy) *naiveMeter {
	if p.Rate.Burst == 0 {
		p.Rate.Burst = p.Rate.Calls
	}
	return &naiveMeter{policy: p, tokens: big.NewRat(int64(p.Rate.Burst), 1), at: time.Now()}
}

func (m *naiveMeter) allows() bool {
	now := time.Now()
	if r := m.policy.Rate; r.Calls > 0 {
		more := big.NewRat(int64(r.Calls), int64(r.Per))
		m.tokens.Add(m.tokens, more.Mul(more, big.NewRat(int64(now.Sub(m.at)), 1)))
		if full := big.NewRat(int64(r.Burst), 1); m.tokens.Cmp(full) > 0 {
			m.tokens = full
		}
		m.at = now
		if m.tokens.Cmp(big.NewRat(1, 1)) < 0 {
			return false
		}
	}
	if q := m.policy.Quota; q.Calls > 0 {
		n := 0
		for _, at := range m.calls {
			if now.Sub(at) < q.Window {
				n++
			}
		}
		return n < q.Calls
	}
	return true
}

func (m *naiveMeter) count() {
	m.tokens.Sub(m.tokens, big.NewRat(1, 1))
	m.calls = append(m.calls, time.Now())
}

// TestMetersAgainstNaive runs random policies and calls, and checks what passes, and
// that a refused call passes exactly when the violation says.
func TestMetersAgainstNaive(t *testing.T) {
	for seed := range uint64(testlevel.Size(20, 200)) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			random := func() queue.Policy {
				var p queue.Policy
				if r.IntN(2) == 0 {
					p.Rate = queue.Rate{Calls: 1 + r.IntN(5), Per: time.Duration(1 + r.IntN(1_000)), Burst: r.IntN(4)}
				}
				if r.IntN(2) == 0 {
					p.Quota = queue.Quota{Calls: 1 + r.IntN(6), Window: time.Duration(1 + r.IntN(2_000))}
				}
				return p
			}
			p := queue.Policies{Global: random(), Packs: map[string]queue.Policy{"a": random()}, Actions: map[string]queue.Policy{"a.x": random()}}
			e := newEnforcer(t, p)
			global, pack, own := newNaiveMeter(p.Global), newNaiveMeter(p.Packs["a"]), newNaiveMeter(p.Actions["a.x"])
			levels := map[string][]*naiveMeter{"a.x": {global, pack, own}, "a.y": {global, pack}, "b.x": {global}}
			for range 300 {
				time.Sleep(time.Duration(r.IntN(300)))
				action := []string{"a.x", "a.y", "b.x"}[r.IntN(3)]
				want := true
				for _, m := range levels[action] {
					want = m.allows() && want
				}
				v := try(t, e, action)
				require.Equal(t, want, v == nil, "seed %d: %s under %+v", seed, action, p)
				if v != nil {
					time.Sleep(v.RetryAfter - 1)
					require.NotNil(t, try(t, e, action), "seed %d: too early", seed)
					time.Sleep(time.Nanosecond)
					require.Nil(t, try(t, e, action), "seed %d: at the time that was given", seed)
				}
				for _, m := range levels[action] {
					m.allows() // up to now
					m.count()
				}
			}
		})
	}
}

func TestBounds(t *testing.T) {
	e := newEnforcer(t, queue.Policies{
		Global:  queue.Policy{Concurrency: 9, Quota: queue.Quota{Calls: 1000, Window: time.Hour}},
		Packs:   map[string]queue.Policy{"aws": {Rate: queue.Rate{Calls: 5, Per: time.Second}}},
		Actions: map[string]queue.Policy{"aws.start": {Concurrency: 2, Quota: queue.Quota{Calls: 3, Window: time.Minute}}},
	})
	for action, want := range map[string]string{
		"aws.start": "at most 2 at once, 3 calls in any 1m, with all of aws 5 calls in 1s, with all tools 1000 calls in any 1h",
		"search":    "at most 9 at once, with all tools 1000 calls in any 1h",
	} {
		if got := e.Action(action).Bounds(); got != want {
			t.Errorf("%s: got %q, want %q", action, got, want)
		}
	}
	if got := newEnforcer(t, queue.Policies{}).Action("search").Bounds(); got != "" {
		t.Errorf("got %q without policies", got)
	}
}

// enter passes the policies of an action and then waits in its queue.
func enter(a effect.Action, ctx context.Context, execution string, most int) error {
	if err := a.Admit(ctx); err != nil {
		return err
	}
	_, err := a.Start(ctx, &effect.Execution{Name: execution, Most: most})
	return err
}

// TestReplace: policies that are replaced while calls wait and count.
func TestReplace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		same := queue.Policy{Quota: queue.Quota{Calls: 2, Window: time.Hour}}
		s := queue.New(queue.Options{})
		e, err := queue.NewEnforcer(queue.Policies{Global: queue.Policy{Concurrency: 1}, Actions: map[string]queue.Policy{"same": same, "a": {Rate: queue.Rate{Calls: 1, Per: time.Hour}}}}, s)
		require.NoError(t, err)
		kept := e.Action("a") // by a run that continues
		require.NoError(t, enter(e.Action("same"), t.Context(), "1", 0))
		require.NoError(t, e.Action("same").Leave("1", effect.Succeeded))
		require.NoError(t, enter(kept, t.Context(), "1", 0))
		require.Error(t, kept.Admit(t.Context()))

		var started atomic.Int32
		for _, execution := range []string{"2", "3", "4"} {
			go func() {
				w, err := kept.Start(t.Context(), &effect.Execution{Name: execution, Most: 3})
				assert.NoError(t, err)
				assert.Equal(t, effect.WaitQueue, w.Kind)
				assert.Equal(t, "a", w.Key)
				started.Add(1)
			}()
			synctest.Wait()
		}
		require.Zero(t, started.Load())
		began := time.Now()
		require.Equal(t, []effect.Waiter{{Kind: effect.WaitQueue, Key: "a", Name: "2", Since: began}, {Kind: effect.WaitQueue, Key: "a", Name: "3", Since: began}}, e.Waiters(2))

		require.Error(t, e.Replace(queue.Policies{Global: queue.Policy{Concurrency: -1}}))
		require.NoError(t, e.Replace(queue.Policies{Global: queue.Policy{Concurrency: 9}, Actions: map[string]queue.Policy{"same": same}}))
		synctest.Wait()
		require.EqualValues(t, 2, started.Load(), "the action's own bound of 3 still holds")
		require.NoError(t, kept.Admit(t.Context()), "its rate is gone")
		require.NoError(t, e.Action("same").Admit(t.Context()))
		require.Error(t, e.Action("same").Admit(t.Context()), "its quota went on counting")

		require.NoError(t, e.Replace(queue.Policies{Global: queue.Policy{Concurrency: 1}, Actions: map[string]queue.Policy{"same": {Quota: queue.Quota{Calls: 3, Window: time.Hour}}}}))
		require.NoError(t, e.Action("same").Admit(t.Context()), "another quota counts anew")
		require.NoError(t, kept.Leave("1", effect.Succeeded))
		require.NoError(t, kept.Leave("2", effect.Succeeded))
		synctest.Wait()
		require.EqualValues(t, 2, started.Load(), "one is under way, which is all that may be")
		require.NoError(t, kept.Leave("3", effect.Succeeded))
		synctest.Wait()
		require.EqualValues(t, 3, started.Load())
		require.NoError(t, kept.Leave("4", effect.Succeeded))
		var gone *queue.NotActive
		require.ErrorAs(t, kept.Leave("4", effect.Succeeded), &gone)
		require.Empty(t, e.Waiters(9))
	})
}
