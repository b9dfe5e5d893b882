package ptc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// badHandler is a handler of logs that panics.
type badHandler struct{ slog.Handler }

func (badHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (badHandler) Handle(context.Context, slog.Record) error { panic("no log") }

// badGuards panic in Acquire or Release, or return no Held.
type badGuards struct {
	effect.Guards
	acquire, release bool
}

func (g badGuards) Acquire(context.Context, *effect.GuardRequest) (effect.Held, error) {
	switch {
	case g.acquire:
		panic("no guard")
	case g.release:
		return badHeld{effect.Unguarded}, nil
	}
	return nil, nil
}

type badHeld struct{ effect.Held }

func (badHeld) Release() error { panic("no release") }

// panicking are guards of a host; one of their functions panics.
type panicking struct {
	effect.Guards
	in string
}

func (g panicking) fail(in string) {
	if in == g.in {
		panic("no " + in)
	}
}

func (g panicking) Acquire(ctx context.Context, r *effect.GuardRequest) (effect.Held, error) {
	if r.Hint.Kind == effect.RateLimited {
		g.fail("token")
	}
	held, err := g.Guards.Acquire(ctx, r)
	return panickingHeld{held, g}, err
}

func (g panicking) Owner(parent effect.Owner, run, path string) effect.Owner {
	g.fail("owner")
	return g.Guards.Owner(parent, run, path)
}

func (g panicking) Pause(key string, until time.Time) error {
	g.fail("pause")
	return g.Guards.Pause(key, until)
}

type panickingHeld struct {
	effect.Held
	of panicking
}

func (h panickingHeld) Lost() context.Context {
	h.of.fail("lost")
	return h.Held.Lost()
}

func (h panickingHeld) Fence() uint64 {
	h.of.fail("fence")
	return h.Held.Fence()
}

func (h panickingHeld) Abandon(call string) {
	h.of.fail("abandon")
	h.Held.Abandon(call)
}

// TestHostPanicsHoldNothing: after a panic of a guard, other runs can take the guards and the places in the queue that
// the run has taken.
func TestHostPanicsHoldNothing(t *testing.T) {
	both := effect.Hint{Kind: effect.GlobalExclusive | effect.RateLimited, Key: "k", PerSecond: 1e6}
	var over atomic.Pointer[chan struct{}] // closed when the run has ended
	tools, err := tool.NewRegistry(
		tool.New("busy", "", func(context.Context, struct{}) (bool, error) {
			return false, &tool.Error{Code: "busy", Message: "it is busy", RetryAfter: time.Millisecond}
		}, tool.Hint(both), tool.Concurrency(1)),
		tool.New("slow", "", func(ctx context.Context, _ struct{}) (bool, error) {
			over := *over.Load()
			<-ctx.Done()
			<-over
			return true, nil
		}, tool.Hint(both), tool.Concurrency(1), tool.Timeout(time.Millisecond)))
	require.NoError(t, err)
	for _, source := range []string{"(tool/busy)", "(tool/slow)", "(global-exclusive 1)"} {
		for _, in := range []string{"token", "owner", "lost", "fence", "abandon", "pause"} {
			working := guard.NewSet(guard.Options{})
			queues, err := queue.NewEnforcer(queue.Policies{}, nil)
			require.NoError(t, err)
			run := func(guards effect.Guards) error {
				ended := make(chan struct{})
				defer close(ended)
				over.Store(&ended)
				_, err := ptc.Run(t.Context(), source, ptc.Options{Tools: tools, Guards: guards, Queue: queues,
					Limits: ptc.Limits{Timeout: time.Minute}})
				return err
			}
			want := run(working)
			got := run(panicking{working, in})
			if errors.Is(got, &ptc.Error{Code: diag.HostFailed}) {
				require.ErrorContains(t, got, "no "+in, source)
			} else {
				require.Equal(t, fmt.Sprint(want), fmt.Sprint(got), "%s in %s", in, source)
			}
			require.Equal(t, fmt.Sprint(want), fmt.Sprint(run(working)), "after %s in %s", in, source)
		}
	}
}

// TestHostPanicsOfQueue: the queue of a call that Around answers is not looked up.
func TestHostPanicsOfQueue(t *testing.T) {
	tools, err := tool.NewRegistry(tool.New("one", "", func(context.Context, struct{}) (int, error) { return 1, nil }))
	require.NoError(t, err)
	prog, err := ptc.Compile(t.Context(), "p", "(tool/one)", ptc.Options{Tools: tools, Queue: noQueues{}})
	require.NoError(t, err)
	_, err = prog.Run(t.Context(), ptc.RunOptions{})
	require.ErrorIs(t, err, &ptc.Error{Code: diag.HostFailed})
	two := func(context.Context, effect.Call, func(context.Context) effect.Outcome) effect.Outcome {
		return effect.Outcome{Result: json.RawMessage("2")}
	}
	res, err := prog.Run(t.Context(), ptc.RunOptions{Around: two})
	require.NoError(t, err)
	value, err := res.Value()
	require.NoError(t, err)
	require.EqualValues(t, 2, value)
}

// noQueues panics for each action.
type noQueues struct{ badQueues }

func (noQueues) Action(string) effect.Action { panic("no action") }

// badQueues have no actions.
type badQueues struct{}

func (badQueues) Action(string) effect.Action     { return nil }
func (badQueues) Waiters(int) []effect.Waiter     { return nil }
func (badQueues) Approvals() (a effect.Approvals) { return a }

// TestHostPanics: a panic of a guard, a queue, a rate or a log of the host ends the run at most, as a mistake of the
// host. It never ends the process, also on the goroutine of a call.
func TestHostPanics(t *testing.T) {
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	yes := func(context.Context, struct{}) (bool, error) { return true, nil }
	tools, err := tool.NewRegistry(
		tool.New("exclusive", "", yes, tool.Hint(effect.Hint{Kind: effect.GlobalExclusive})),
		tool.New("rated", "", yes, tool.Rate(func(json.RawMessage) effect.Hint { panic("no rate") })),
		tool.New("panics", "", func(context.Context, struct{}) (bool, error) { panic("no result") }),
		tool.New("slow", "", func(context.Context, struct{}) (bool, error) {
			<-over
			return true, nil
		}, tool.Timeout(time.Millisecond)))
	require.NoError(t, err)
	working := guard.NewSet(guard.Options{})
	log := ptc.RunOptions{Log: slog.New(badHandler{slog.DiscardHandler})}
	type bad = badGuards
	for name, c := range map[string]struct {
		source string
		opts   ptc.Options
		run    ptc.RunOptions
		want   string // in the error; "" for none
	}{
		"log of a panic":     {"(tool/panics)", ptc.Options{}, log, "it panicked: no result"},
		"log of a slow call": {"(tool/slow)", ptc.Options{}, log, "it took longer than"},
		"no Held":            {"(tool/exclusive)", ptc.Options{Guards: bad{Guards: working}}, ptc.RunOptions{}, ""},
		"no Held of a form":  {"(global-exclusive 1)", ptc.Options{Guards: bad{Guards: working}}, ptc.RunOptions{}, ""},
		"guard":              {"(tool/exclusive)", ptc.Options{Guards: bad{working, true, false}}, log, "no guard"},
		"guard of a form": {"(global-exclusive 1)",
			ptc.Options{Guards: bad{working, true, false}}, log, "no guard"},
		"release":           {"(tool/exclusive)", ptc.Options{Guards: bad{working, false, true}}, log, ""},
		"release of a form": {"(global-exclusive 1)", ptc.Options{Guards: bad{working, false, true}}, log, ""},
		"rate":              {"(tool/rated)", ptc.Options{}, ptc.RunOptions{}, "no rate"},
		"queue":             {"(tool/exclusive)", ptc.Options{Queue: badQueues{}}, ptc.RunOptions{}, "nil pointer"},
		"guard caught": {"(try (tool/exclusive) (catch Throwable e 1))",
			ptc.Options{Guards: bad{working, true, false}}, log, "no guard"},
		"guard of an element": {"(pmap (fn [_] (tool/exclusive)) [1 2])",
			ptc.Options{Guards: bad{working, true, false}}, log, "no guard"},
	} {
		t.Run(name, func(t *testing.T) {
			c.opts.Tools = tools
			prog, err := ptc.Compile(t.Context(), "p", c.source, c.opts)
			require.NoError(t, err)
			check := func(_ *ptc.Result, err error) {
				t.Helper()
				if c.want == "" {
					require.NoError(t, err)
					return
				}
				require.ErrorContains(t, err, c.want)
				var e *ptc.Error
				require.ErrorAs(t, err, &e)
				require.Contains(t, []string{"host-failed", "tool-failed"}, string(e.Code))
			}
			check(prog.Run(t.Context(), c.run))
			check(prog.Record(t.Context(), ptc.JournalFile{Path: filepath.Join(t.TempDir(), "journal")}, c.run))
		})
	}
}

// unlocked guards fail.
type unlocked struct {
	effect.Guards
	err error
}

func (u unlocked) Acquire(context.Context, *effect.GuardRequest) (effect.Held, error) {
	return nil, u.err
}

// TestErrorOfGuards: the host finds the error of its guards, around a body and around a call.
func TestErrorOfGuards(t *testing.T) {
	mine := errors.New("no lock")
	yes := func(context.Context, struct{}) (bool, error) { return true, nil }
	tools, err := tool.NewRegistry(tool.New("exclusive", "", yes, tool.Hint(effect.Hint{Kind: effect.GlobalExclusive})))
	require.NoError(t, err)
	for _, source := range []string{`(host-exclusive "h" 1)`, "(pmap (fn [_] (global-exclusive 1)) [1 2])", "(tool/exclusive)"} {
		guards := unlocked{guard.NewSet(guard.Options{}), mine}
		_, err := ptc.Run(t.Context(), source, ptc.Options{Tools: tools, Guards: guards})
		require.ErrorIs(t, err, mine, source)
	}
}

// TestTraitsOfTools: a program can see the bounds of its calls under the policies of that moment.
func TestTraitsOfTools(t *testing.T) {
	none := func(context.Context, struct{}) (int, error) { return 1, nil }
	read, err := tool.NewRegistry(tool.New("read", "Reads.", none, tool.ReadOnly()), tool.New("write", "", none))
	require.NoError(t, err)
	policies, err := queue.NewEnforcer(queue.Policies{Actions: map[string]queue.Policy{"write": {Concurrency: 1}}}, nil)
	require.NoError(t, err)
	prog, err := ptc.Compile(t.Context(), "p", `(doc tool/read) (doc tool/write) (mapv (juxt :name :traits) (tools))`,
		ptc.Options{Tools: read, Queue: policies})
	require.NoError(t, err)
	for _, want := range []string{"policy: at most 1 at once", "policy: at most 2 at once"} {
		res, err := prog.Run(t.Context(), ptc.RunOptions{})
		require.NoError(t, err)
		text, err := res.EDN()
		require.NoError(t, err)
		require.Equal(t, `[[tool/read "read-only"] [tool/write "`+want+`"]]`, text)
		require.Contains(t, res.Prints, "  Reads.\n  [read-only]\n")
		require.Contains(t, res.Prints, "\n  ["+want+"]\n")
		require.NoError(t, policies.Replace(queue.Policies{Actions: map[string]queue.Policy{"write": {Concurrency: 2}}}))
	}
	res, err := ptc.Run(t.Context(), `(mapv :traits (tools))`, ptc.Options{Tools: read})
	require.NoError(t, err)
	text, err := res.EDN()
	require.NoError(t, err)
	require.Equal(t, `["read-only" nil]`, text)
}
