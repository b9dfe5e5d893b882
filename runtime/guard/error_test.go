package guard_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
)

func TestHeldAlready(t *testing.T) {
	s := guard.NewSet(guard.Options{})
	main := guard.NewOwner(nil, "main")
	worker := guard.NewOwner(guard.NewOwner(main, "0"), "0.1")
	a, b := take(t, s, exclusive, "db1", main), take(t, s, global, "", main)
	for want, get := range map[string]func() *guard.Error{
		`guard-held: host "db1": evaluation main requests it and already holds it`: func() *guard.Error {
			return refused(t, t.Context(), s, exclusive, "db1", main)
		},
		`guard-held: host "db1": evaluation 0.1 requests it, but evaluation main holds it and waits for 0.1 to end`: func() *guard.Error {
			return refused(t, t.Context(), s, exclusive, "db1", worker)
		},
		`guard-held: the global guard: evaluation 0.1 requests it, but evaluation main holds it and waits for 0.1 to end`: func() *guard.Error {
			return refused(t, t.Context(), s, global, "", worker)
		},
	} {
		e := get()
		require.EqualError(t, e, want)
		require.Equal(t, diag.GuardHeld, e.Code)
		require.NotEmpty(t, e.Hint)
	}
	a.Release()
	b.Release()
	requireNothing(t, s)
}

// TestCycle: two evaluations take two hosts in opposite order. The second to wait is refused. When it
// releases its host, the first continues.
func TestCycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		left, right := guard.NewOwner(nil, "left"), guard.NewOwner(nil, "right")
		a, b := take(t, s, exclusive, "a", left), take(t, s, exclusive, "b", right)
		done := make(chan bool)
		go func() {
			take(t, s, exclusive, "b", left).Release()
			close(done)
		}()
		synctest.Wait()
		e := refused(t, t.Context(), s, exclusive, "a", right)
		require.EqualError(t, e, `guard-cycle: host "a": right would wait forever: `+
			`right wants host "a", which left holds; left wants host "b", which right holds`)
		require.Equal(t, []guard.Link{{"right", `host "a"`, "left"}, {"left", `host "b"`, "right"}}, e.Cycle)
		b.Release()
		<-done
		a.Release()
		requireNothing(t, s)
	})
}

// TestCycleThroughWorkers: the cycle goes through evaluations that wait for their
// workers to end.
func TestCycleThroughWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		left, right := guard.NewOwner(nil, "left"), guard.NewOwner(nil, "right")
		a, g := take(t, s, exclusive, "a", left), take(t, s, global, "", right)
		done := make(chan bool)
		go func() {
			take(t, s, global, "", guard.NewOwner(guard.NewOwner(left, "left.1"), "left.1.7")).Release()
			close(done)
		}()
		synctest.Wait()
		e := refused(t, t.Context(), s, exclusive, "a", guard.NewOwner(right, "right.3"))
		require.Equal(t, `host "a": right.3 would wait forever: `+
			`right.3 wants host "a", which left holds while it waits for left.1.7 to end; `+
			`left.1.7 wants the global guard, which right holds while it waits for right.3 to end`, e.Message)
		g.Release()
		<-done
		a.Release()
		requireNothing(t, s)
	})
}

// TestOutOfTime: a wait that its deadline ends is no edge of a cycle any more.
func TestOutOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		left, right := guard.NewOwner(nil, "left"), guard.NewOwner(nil, "right")
		a, b := take(t, s, exclusive, "a", left), take(t, s, exclusive, "b", right)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		errs := make(chan *guard.Error, 1)
		go func() {
			errs <- refused(t, ctx, s, exclusive, "b", left)
			time.Sleep(time.Second)
			a.Release()
		}()
		e := <-errs
		require.Equal(t, `host "b": the wait ran out of time after 1s, with 0 ahead in the queue, held by right`, e.Message)
		require.Equal(t, diag.GuardTimeout, e.Code)
		require.ErrorIs(t, e, context.DeadlineExceeded)
		take(t, s, exclusive, "a", right).Release()
		b.Release()
		requireNothing(t, s)
	})
}

// TestAbandoned: an abandoned call keeps its guards. The evaluation that abandoned it is refused
// them, with the reason; others wait, and none of them in a cycle.
func TestAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		left, right := guard.NewOwner(nil, "left"), guard.NewOwner(nil, "right")
		both := effect.Hint{Kind: effect.HostExclusive | effect.GlobalExclusive}
		held := take(t, s, both, "a", left)
		held.Abandon("the call left#1 of tool/update")
		time.Sleep(1500 * time.Millisecond)
		for _, o := range []*guard.Owner{left, guard.NewOwner(left, "left.1.0")} {
			e := refused(t, t.Context(), s, exclusive, "a", o)
			require.Equal(t, diag.GuardBusy, e.Code)
			require.Equal(t, `host "a": the call left#1 of tool/update still has it, and was abandoned 1.5s ago, when it did not end in time`, e.Message)
			require.Equal(t, diag.GuardBusy, refused(t, t.Context(), s, global, "", o).Code)
		}
		b := take(t, s, exclusive, "b", right)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		errs, waits := make(chan *guard.Error), make(chan *guard.Error)
		go func() { errs <- refused(t, ctx, s, exclusive, "a", right) }()
		go func() { waits <- refused(t, ctx, s, exclusive, "b", left) }()
		require.Equal(t, `host "a": the wait ran out of time after 1s, with 0 ahead in the queue, held by the call left#1 of tool/update`, (<-errs).Message)
		require.Equal(t, diag.GuardTimeout, (<-waits).Code, "no cycle: left holds nothing any more")
		held.Release()
		held = take(t, s, exclusive, "a", left)
		late := held
		held.Release()
		other := take(t, s, exclusive, "a", left)
		late.Abandon("a call that has ended")
		require.Equal(t, diag.GuardHeld, refused(t, t.Context(), s, exclusive, "a", left).Code)
		other.Release()
		b.Release()
		requireNothing(t, s)
	})
}

// TestRateLimitsCloseNoCycle: a wait for a token always ends.
func TestRateLimitsCloseNoCycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		both := limited("api", 1, 1)
		both.Kind |= effect.HostExclusive
		for _, name := range []string{"a", "b", "c"} {
			go func() { take(t, s, both, "db1", guard.NewOwner(nil, name)).Release() }()
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 3, s.Stats(0).Tokens)
		requireNothing(t, s)
	})
}

func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		owner := func(name string) *guard.Owner { return s.Owner(nil, "nightly", name).(*guard.Owner) }
		began := time.Now()
		h := []effect.Held{take(t, s, exclusive, "a", owner("x")), take(t, s, exclusive, "b", owner("y")),
			take(t, s, exclusive, "c", owner("z")), take(t, s, global, "", owner("g"))}
		take(t, s, limited("api", 10, 4), "", nil)
		take(t, s, limited("mail", 1, 1), "", nil)
		for range 2 {
			go func() { take(t, s, exclusive, "b", owner("w")).Release() }()
		}
		go func() { take(t, s, global, "", owner("w")).Release() }()
		go take(t, s, limited("mail", 1, 1), "", owner("t"))
		synctest.Wait()
		h[0].Abandon("the call 0#1")
		refused(t, t.Context(), s, limited("mail", 2, 1), "", nil)
		require.Equal(t, guard.Stats{
			Counts:  guard.Counts{Taken: 4, Tokens: 2, Waited: 4, Refused: 1},
			Held:    3,
			Waiting: 4, WaitingTokens: 1,
			Global:   guard.LockStats{Run: "nightly", Holder: "g", Since: began, Waiting: 1},
			Limiters: 2,
			Hosts: []guard.LockStats{{Host: "b", Run: "nightly", Holder: "y", Since: began, Waiting: 2},
				{Host: "a", Run: "nightly", Holder: "the call 0#1", Since: began, Abandoned: true}},
			Rates: []guard.RateStats{{Key: "mail", PerSecond: 1, Burst: 1, Waiting: 1},
				{Key: "api", PerSecond: 10, Burst: 4, Tokens: 3}},
			Waiters: []effect.Waiter{{Kind: effect.WaitGlobal, Run: "nightly", Name: "w", Since: began},
				{Kind: effect.WaitHost, Key: "b", Run: "nightly", Name: "w", Since: began}},
		}, s.Stats(2))
		require.Equal(t, effect.Waiter{Kind: effect.WaitToken, Key: "mail", Run: "nightly", Name: "t", Since: began}, s.Waiters(9)[3])
		for _, held := range h {
			held.Release()
		}
		time.Sleep(time.Minute)
		requireNothing(t, s)
		require.Equal(t, guard.Counts{Taken: 7, Tokens: 3, Waited: 4, Refused: 1}, s.Stats(0).Counts)
	})
}

// TestLog: each guard is logged when it is taken and when it is given back, if the log
// wants that.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		level := new(slog.LevelVar)
		level.Set(slog.LevelDebug)
		s := guard.NewSet(guard.Options{Logger: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
			Level: level,
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
					return slog.Attr{}
				}
				return a
			},
		}))})
		all := limited("api", 1, 1)
		all.Kind |= effect.HostExclusive | effect.GlobalExclusive
		take(t, s, limited("api", 1, 1), "", nil)
		take(t, s, all, "db1", guard.NewOwner(nil, "main")).Release()
		level.Set(slog.LevelInfo)
		take(t, s, exclusive, "db1", guard.NewOwner(nil, "main")).Release()
		require.Equal(t, strings.TrimLeft(`
msg="token taken" guard="rate limit \"api\""
msg="guard taken" guard="the global guard" owner=main
msg="guard taken" guard="host \"db1\"" owner=main
msg="token taken" guard="rate limit \"api\"" owner=main waited=1s
msg="guard released" guard="host \"db1\"" owner=main
msg="guard released" guard="the global guard" owner=main
`, "\n"), out.String())
	})
}

// TestWaiters lists the waiters for each kind of guard. The fence of a later holder is greater.
func TestWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := guard.NewSet(guard.Options{})
		owner := func(name string) *guard.Owner { return guard.NewOwner(nil, name) }
		h, g := take(t, s, exclusive, "b", owner("x")), take(t, s, global, "", owner("g"))
		take(t, s, limited("api", 0.01, 1), "", nil)
		require.Empty(t, s.Waiters(10))
		began := time.Now()
		var later effect.Held
		go func() { later = take(t, s, exclusive, "b", owner("first")) }()
		synctest.Wait()
		time.Sleep(time.Second)
		go func() { take(t, s, exclusive, "b", owner("second")).Release() }()
		go func() { take(t, s, global, "", owner("third")).Release() }()
		go take(t, s, limited("api", 0.01, 1), "", owner("fourth"))
		synctest.Wait()
		want := []effect.Waiter{
			{Kind: effect.WaitGlobal, Name: "third", Since: began.Add(time.Second)},
			{Kind: effect.WaitHost, Key: "b", Name: "first", Since: began},
			{Kind: effect.WaitHost, Key: "b", Name: "second", Since: began.Add(time.Second)},
			{Kind: effect.WaitToken, Key: "api", Name: "fourth", Since: began.Add(time.Second)},
		}
		require.Equal(t, want, s.Waiters(10))
		require.Equal(t, want[:2], s.Waiters(2))
		fence := h.Fence()
		require.NoError(t, h.Release())
		synctest.Wait()
		require.Greater(t, later.Fence(), fence)
		require.Nil(t, later.Lost())
		require.NoError(t, later.Release())
		require.NoError(t, g.Release())
		time.Sleep(200 * time.Second)
		require.Empty(t, s.Waiters(10))
	})
}
