package watch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// take takes guards in the name of an evaluation, and holds them for d.
func take(t *testing.T, g effect.Guards, path string, r effect.GuardRequest, d time.Duration) {
	r.Owner = g.Owner(nil, "", path)
	held, err := g.Acquire(t.Context(), &r)
	if assert.NoError(t, err) {
		time.Sleep(d)
		assert.NoError(t, held.Release())
	}
}

func host(name string) effect.GuardRequest {
	return effect.GuardRequest{Hint: effect.Hint{Kind: effect.HostExclusive}, Host: name}
}

// TestGuards has evaluations wait for each kind of guard, and reads their totals.
func TestGuards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch.New(nil, func(s string) string { return strings.ReplaceAll(s, "secret", "…") }, nil)
		g := w.WatchGuards(guard.NewSet(guard.Options{}))
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() { take(t, g, fmt.Sprint("0.1.", i), host("secret-1"), time.Second) })
		}
		rate := effect.Hint{Kind: effect.RateLimited, Key: "api", PerSecond: 1, Burst: 1}
		for range 2 {
			all.Go(func() { take(t, g, "0", effect.GuardRequest{Hint: rate}, 0) })
		}
		all.Go(func() {
			take(t, g, "0", effect.GuardRequest{Hint: effect.Hint{Kind: effect.GlobalExclusive | effect.HostExclusive},
				Host: "b"}, time.Second)
		})
		all.Wait()
		require.NoError(t, g.Pause("api", time.Now().Add(time.Second)))
		s := time.Second
		assert.Equal(t, []effect.GuardUsage{
			{Kind: effect.WaitHost, Key: "…-1", Taken: 3, Waits: 2, Wait: 3 * s, Longest: 2 * s, Held: 3 * s},
			{Kind: effect.WaitToken, Key: "api", Taken: 2, PerSecond: 1, Slowed: 1, Waits: 1, Wait: s, Longest: s},
			{Kind: effect.WaitGlobal, Taken: 1, Held: s},
			{Kind: effect.WaitHost, Key: "b", Taken: 1, Held: s},
		}, w.Guards(10))
		assert.Equal(t, []effect.GuardUsage{
			{Kind: effect.WaitHost, Key: "…-1", Taken: 3, Waits: 2, Wait: 3 * s, Longest: 2 * s, Held: 3 * s},
			{Kind: effect.WaitGlobal, Others: 1, Taken: 1, Held: s},
			{Kind: effect.WaitHost, Others: 1, Taken: 1, Held: s},
			{Kind: effect.WaitToken, Others: 1, Taken: 2, Slowed: 1, Waits: 1, Wait: s, Longest: s},
		}, w.Guards(1))
	})
}

// TestManyGuards: a program that invents hosts has a bounded number of them counted one by one.
func TestManyGuards(t *testing.T) {
	w := watch.New(nil, nil, nil)
	g := w.WatchGuards(guard.NewSet(guard.Options{}))
	for i := range 1000 {
		take(t, g, "0", host(fmt.Sprint("h", i)), 0)
	}
	all := w.Guards(1 << 20)
	require.Less(t, len(all), 300)
	var taken int64
	for _, u := range all {
		taken += u.Taken
	}
	require.EqualValues(t, 1000, taken)
	require.Positive(t, all[len(all)-1].Others)
}

// TestRefused: a guard that is not granted is counted, and so is a context that ends a wait.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch.New(nil, nil, nil)
		g := w.WatchGuards(guard.NewSet(guard.Options{}))
		r := host("h")
		r.Owner = g.Owner(nil, "", "0")
		held, err := g.Acquire(t.Context(), &r)
		require.NoError(t, err)
		again := host("h")
		again.Owner = r.Owner
		_, err = g.Acquire(t.Context(), &again)
		require.Error(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		other := host("h")
		other.Owner = g.Owner(nil, "", "0.1.0")
		_, err = g.Acquire(ctx, &other)
		require.Error(t, err)
		require.NoError(t, held.Release())
		require.Error(t, held.Release(), "a second release is that of the guards")
		u := w.Guards(1)[0]
		assert.EqualValues(t, 2, u.Refused)
		assert.EqualValues(t, 1, u.Waits)
		assert.Equal(t, time.Second, u.Wait)
	})
}

// TestQueues has executions wait in a queue, and reads their totals.
func TestQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := queue.NewEnforcer(queue.Policies{Actions: map[string]queue.Policy{"pay": {Concurrency: 1}}},
			queue.New(queue.Options{Length: 2}))
		require.NoError(t, err)
		w := watch.New(nil, nil, nil)
		q := w.WatchQueues(e)
		pay := q.Action("pay")
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				if _, err := pay.Start(t.Context(), &effect.Execution{Name: fmt.Sprint(i)}); err == nil {
					time.Sleep(time.Second)
					assert.NoError(t, pay.Leave(fmt.Sprint(i), effect.Succeeded))
				}
			})
		}
		all.Wait()
		free := q.Action("free")
		_, err = free.Start(t.Context(), &effect.Execution{Name: "1"})
		require.NoError(t, err)
		require.NoError(t, free.Leave("1", effect.Succeeded))
		assert.Equal(t, []effect.QueueUsage{{Action: "pay", Started: 3, Refused: 1, AtOnce: 1, Deepest: 2, Waits: 2,
			Wait: 3 * time.Second, Longest: 2 * time.Second}}, w.Queues(), "an action without a limit is not listed")
	})
}

// records returns the messages of a log of JSON, without their times.
func records(t *testing.T, log *bytes.Buffer) (all []string) {
	for line := range strings.Lines(log.String()) {
		var r map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		text := fmt.Sprint(r["msg"])
		for _, k := range []string{"path", "tool", "call", "for", "host", "rate", "place", "holder", "waited", "held"} {
			if r[k] != nil {
				text += fmt.Sprintf(" %s=%v", k, r[k])
			}
		}
		all = append(all, text)
	}
	return all
}

// TestLog: the log has each taken guard, its owner, and the beginning of each wait.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		w := watch.New(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), nil, nil)
		g := w.WatchGuards(guard.NewSet(guard.Options{}))
		first := host("web-1")
		first.Owner, first.Tool, first.ID = g.Owner(nil, "", "0.1.0"), "deploy", "0.1.0#1"
		held, err := g.Acquire(t.Context(), &first)
		require.NoError(t, err)
		var all sync.WaitGroup
		all.Go(func() { take(t, g, "0.1.1", host("web-1"), 0) })
		synctest.Wait()
		assert.Equal(t, []string{
			"guard taken path=0.1.0 tool=deploy call=0.1.0#1 for=host host=web-1",
			"wait begun path=0.1.1 for=host host=web-1 place=1 holder=0.1.0",
		}, records(t, &log), "a wait that never ends is seen")
		log.Reset()
		time.Sleep(time.Second)
		require.NoError(t, held.Release())
		all.Wait()
		assert.ElementsMatch(t, []string{
			"guard released path=0.1.0 tool=deploy call=0.1.0#1 for=host host=web-1 held=1e+09",
			"wait ended path=0.1.1 for=host host=web-1 waited=1e+09",
			"guard taken path=0.1.1 for=host host=web-1",
			"guard released path=0.1.1 for=host host=web-1 held=0",
		}, records(t, &log))
	})
}

// TestLogOfQueue: the log has the place of an execution in its queue.
func TestLogOfQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		w := watch.New(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), nil, nil)
		e, err := queue.NewEnforcer(queue.Policies{}, nil)
		require.NoError(t, err)
		pay := w.WatchQueues(e).Action("pay")
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() {
				name := fmt.Sprint("run/0.1.", i, "#1")
				_, err := pay.Start(t.Context(), &effect.Execution{Name: name, Most: 1})
				assert.NoError(t, err)
				time.Sleep(time.Second)
				assert.NoError(t, pay.Leave(name, effect.Succeeded))
			})
			synctest.Wait()
		}
		all.Wait()
		assert.Equal(t, []string{
			"wait begun tool=pay call=run/0.1.1#1 for=queue place=1",
			"wait begun tool=pay call=run/0.1.2#1 for=queue place=2",
			"wait ended tool=pay call=run/0.1.1#1 for=queue waited=1e+09",
			"wait ended tool=pay call=run/0.1.2#1 for=queue waited=2e+09",
		}, records(t, &log))
	})
}

// TestQuiet: a log that takes no messages of level debug costs no allocation.
func TestQuiet(t *testing.T) {
	count := func(log *slog.Logger) float64 {
		w := watch.New(log, nil, nil)
		g := w.WatchGuards(guard.NewSet(guard.Options{}))
		r := host("h")
		r.Owner = g.Owner(nil, "", "0")
		return testing.AllocsPerRun(100, func() {
			held, err := g.Acquire(context.Background(), &r)
			if err != nil || held.Release() != nil {
				t.Error(err)
			}
		})
	}
	info := slog.New(slog.NewTextHandler(&bytes.Buffer{}, nil))
	assert.Equal(t, count(nil), count(info))
}

// TestHints: declarations that do not fit are found, and declarations that may fit are not reported.
func TestHints(t *testing.T) {
	w := watch.New(nil, nil, nil)
	g := w.WatchGuards(guard.NewSet(guard.Options{}))
	for i := range 30 {
		take(t, g, fmt.Sprint("0.1.", i), host("idle"), 0) // by many, one after another
		take(t, g, "0", host("mine"), 0)                   // by one
		if i < 10 {
			take(t, g, fmt.Sprint("0.1.", i), host("few"), 0)
		}
	}
	assert.Empty(t, w.Hints(false))
	hints := w.Hints(true)
	require.Len(t, hints, 1)
	assert.Contains(t, hints[0], `host "idle" was taken 30 times, and nothing ever waited for it`)
}

// TestHintOfLocked: a fully parallel tool finds something locked while others of its calls are under way.
func TestHintOfLocked(t *testing.T) {
	w := watch.New(nil, nil, nil)
	e, err := queue.NewEnforcer(queue.Policies{}, nil)
	require.NoError(t, err)
	a := w.WatchQueues(e).Action("exec.run")
	start := func(execution string) {
		_, err := a.Start(t.Context(), &effect.Execution{Name: execution})
		require.NoError(t, err)
	}
	start("1")
	w.Busy("exec.run")
	assert.Empty(t, w.Hints(true), "nothing else was under way: something outside has the lock")
	start("2")
	w.Busy("exec.run")
	w.Busy("exec.run")
	require.Len(t, w.Hints(false), 1)
	assert.Contains(t, w.Hints(false)[0], "tool/exec.run is declared fully parallel, and 2 calls found something locked")
}

func TestLocked(t *testing.T) {
	result := func(text string) effect.Outcome { return effect.Outcome{Result: json.RawMessage(text)} }
	failed := func(code, message string) effect.Outcome {
		return effect.Outcome{Failure: &effect.Failure{Code: code, Message: message}}
	}
	for _, o := range []effect.Outcome{
		failed("busy", ""), failed("failed", "database is locked (5)"),
		result(`{"exit":100,"out":"","err":"E: Could not get lock /var/lib/dpkg/lock-frontend\n"}`),
	} {
		assert.True(t, watch.Locked(o), "%+v", o)
	}
	for _, o := range []effect.Outcome{
		{}, failed("not-found", "no file clock.txt"), failed("failed", "the block is missing"),
		result(`{"exit":0,"out":"E: Could not get lock","err":""}`), result(`{"exit":1,"out":"","err":"blocked by policy"}`),
		result(`"database is locked"`),
	} {
		assert.False(t, watch.Locked(o), "%+v", o)
	}
}
