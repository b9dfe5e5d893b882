package ptc_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
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

// badQueues have no actions.
type badQueues struct{}

func (badQueues) Action(string) effect.Action { return nil }
func (badQueues) Waiters(int) []effect.Waiter { return nil }

// TestHostPanics: a panic of a guard, a queue, a rate or a log of the host ends the run at most, as a mistake of the
// host. It never ends the process, also on the goroutine of a call.
func TestHostPanics(t *testing.T) {
	yes := func(context.Context, struct{}) (bool, error) { return true, nil }
	tools, err := tool.NewRegistry(
		tool.New("exclusive", "", yes, tool.Hint(effect.Hint{Kind: effect.GlobalExclusive})),
		tool.New("rated", "", yes, tool.Rate(func(json.RawMessage) effect.Hint { panic("no rate") })),
		tool.New("panics", "", func(context.Context, struct{}) (bool, error) { panic("no result") }),
		tool.New("slow", "", func(context.Context, struct{}) (bool, error) {
			time.Sleep(50 * time.Millisecond)
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
