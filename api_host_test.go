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
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/tool"
)

type badJSON struct{}

func (badJSON) MarshalJSON() ([]byte, error) { panic("no JSON") }

type badHandler struct{ slog.Handler }

func (badHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (badHandler) Handle(context.Context, slog.Record) error { panic("no log") }
func (h badHandler) WithAttrs([]slog.Attr) slog.Handler      { return h }
func (h badHandler) WithGroup(string) slog.Handler           { return h }

type badGuards struct {
	effect.Guards
	acquire, release, owner bool
}

type badHeld struct{ effect.Held }

func (badHeld) Release() error { panic("no release") }

func (g badGuards) Acquire(ctx context.Context, r *effect.GuardRequest) (effect.Held, error) {
	if g.acquire {
		panic("no guard")
	}
	if g.release {
		return badHeld{effect.Unguarded}, nil
	}
	return nil, nil
}

type badQueues struct{ action effect.Action }

func (q badQueues) Action(string) effect.Action { return q.action }
func (badQueues) Waiters(int) []effect.Waiter  { return nil }

// TestHostPanics: a panic of whatever the host passes ends the run at most, as a mistake of the host.
func TestHostPanics(t *testing.T) {
	exclusive := tool.New("exclusive", "", func(context.Context, struct{}) (bool, error) { return true, nil },
		tool.Hint(effect.Hint{Kind: effect.GlobalExclusive}))
	rated := tool.New("rated", "", func(context.Context, struct{}) (bool, error) { return true, nil },
		tool.Rate(func(json.RawMessage) effect.Hint { panic("no rate") }))
	fails := tool.New("fails", "", func(context.Context, struct{}) (bool, error) { panic("no result") })
	slow := tool.New("slow", "", func(ctx context.Context, _ struct{}) (bool, error) { time.Sleep(50*time.Millisecond); return true, nil }, tool.Timeout(time.Millisecond))
	tools, err := tool.NewRegistry(exclusive, rated, fails, slow)
	require.NoError(t, err)
	real := guard.NewSet(guard.Options{})
	for name, c := range map[string]struct {
		source string
		opts   ptc.Options
		run    ptc.RunOptions
	}{
		"data":            {"data/x", ptc.Options{}, ptc.RunOptions{Data: map[string]any{"x": badJSON{}}}},
		"log":             {"(tool/fails)", ptc.Options{}, ptc.RunOptions{Log: slog.New(badHandler{})}},
		"log slow":             {"(tool/slow)", ptc.Options{}, ptc.RunOptions{Log: slog.New(badHandler{})}},
		"guards nil":      {"(tool/exclusive)", ptc.Options{Guards: badGuards{Guards: real}}, ptc.RunOptions{}},
		"guards nil form": {"(global-exclusive 1)", ptc.Options{Guards: badGuards{Guards: real}}, ptc.RunOptions{}},
		"acquire":         {"(tool/exclusive)", ptc.Options{Guards: badGuards{Guards: real, acquire: true}}, ptc.RunOptions{}},
		"release":         {"(tool/exclusive)", ptc.Options{Guards: badGuards{Guards: real, release: true}}, ptc.RunOptions{}},
		"release form":    {"(global-exclusive 1)", ptc.Options{Guards: badGuards{Guards: real, release: true}}, ptc.RunOptions{}},
		"rate":            {"(tool/rated)", ptc.Options{}, ptc.RunOptions{}},
		"queue":           {"(tool/exclusive)", ptc.Options{Queue: badQueues{}}, ptc.RunOptions{}},
	} {
		t.Run(name, func(t *testing.T) {
			c.opts.Tools = tools
			prog, err := ptc.Compile(t.Context(), "p", c.source, c.opts)
			require.NoError(t, err)
			_, err = prog.Run(t.Context(), c.run)
			t.Log("run", err)
			require.NotErrorIs(t, err, &ptc.Error{Code: diag.Internal})
			_, err = prog.Record(t.Context(), ptc.JournalFile{Path: filepath.Join(t.TempDir(), "j")}, c.run)
			t.Log("record", err)
			require.NotErrorIs(t, err, &ptc.Error{Code: diag.Internal})
		})
	}
}
