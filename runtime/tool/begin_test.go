package tool

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// late is a run whose goroutines of calls start when the test says so.
type late struct {
	path   string
	calls  int
	tool   *Tool
	guards *guard.Set
	run    *Run
	j      *journal.Journal
	start  func() // of the goroutine of the last call
}

func newLate(t *testing.T, around effect.Around) *late {
	l := &late{path: filepath.Join(t.TempDir(), "journal"), guards: guard.NewSet(guard.Options{})}
	l.tool = Dynamic("pay", "", json.RawMessage(`{"type":"object"}`), nil,
		func(context.Context, json.RawMessage) (json.RawMessage, error) {
			l.calls++
			return nil, nil
		}, Hint(effect.Hint{Kind: effect.GlobalExclusive}), Concurrency(1), Timeout(time.Minute))
	j, err := journal.Create(l.path, journal.Header{}, journal.Options{})
	require.NoError(t, err)
	l.begin(t, j, around)
	l.run.spawn = func(f func()) { l.start = f }
	return l
}

func (l *late) begin(t *testing.T, j *journal.Journal, around effect.Around) {
	q, err := queue.NewEnforcer(queue.Policies{}, queue.New(queue.Options{}))
	require.NoError(t, err)
	l.j = j
	l.run = NewRun(RunOptions{ArgumentBytes: 1 << 10, ResultBytes: 1 << 10, ToolCalls: 10, Guards: l.guards, Queue: q,
		Journal: j, Around: around})
}

func (l *late) call(t *testing.T, ctx context.Context, id string) effect.Outcome {
	o, err := l.run.Call(ctx, effect.Call{ID: id, Tool: l.tool, Args: json.RawMessage("{}"), Room: 1 << 10,
		Caller: TestCaller{l.guards.Owner(nil, "", id)}})
	require.NoError(t, err)
	return o
}

// TestBeginsTooLate ends a run before the goroutine of its call has run: the function is not called any
// more, the call is not in doubt, its guards are free, and a resumed run makes it.
func TestBeginsTooLate(t *testing.T) {
	for name, around := range map[string]effect.Around{
		"no hook": nil,
		"a hook": func(ctx context.Context, _ effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
			return next(ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLate(t, around)
			ctx, cancel := context.WithCancel(t.Context())
			spawn := l.run.spawn
			l.run.spawn = func(f func()) {
				spawn(f)
				cancel()
			}
			l.call(t, ctx, "0#1")
			l.start()
			require.Zero(t, l.calls)
			require.Empty(t, l.guards.Stats(1).Global.Holder)
			require.Equal(t, Stats{}, l.run.Stats())
			require.Empty(t, l.j.InDoubt())
			require.NoError(t, l.j.Close())

			j, rec, err := journal.Resume(l.path, nil, journal.Options{})
			require.NoError(t, err)
			require.Len(t, rec.Entries, 1)
			require.Empty(t, rec.InDoubt())
			l.begin(t, j, around)
			require.Nil(t, l.call(t, t.Context(), "0#1").Failure)
			require.Equal(t, 1, l.calls)
			require.NoError(t, j.Close())
		})
	}
}

// TestNeverBegins: the time of a call ends before its goroutine has run, and the run continues. The call
// has failed, and its function is not called any more.
func TestNeverBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLate(t, nil)
		o := l.call(t, t.Context(), "0#1")
		require.Equal(t, effect.CodeTimeout, o.Failure.Code)
		l.start()
		require.Zero(t, l.calls)
		require.Equal(t, []Usage{{Name: "pay", Refused: 1}}, l.run.Stats().Tools)
		l.run.spawn = func(f func()) { f() }
		require.Nil(t, l.call(t, t.Context(), "0#2").Failure, "its place and its guards are free")
		require.Empty(t, l.j.InDoubt())
		require.NoError(t, l.j.Close())
	})
}

// TestBeginsInTime: a call whose function was called before the run ended is in doubt, however late it ends.
func TestBeginsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLate(t, nil)
		ctx, cancel := context.WithCancel(t.Context())
		goOn := make(chan struct{})
		l.tool.fn = func(context.Context, json.RawMessage) (json.RawMessage, error) {
			cancel()
			<-goOn
			l.calls++
			return nil, nil
		}
		l.run.spawn = func(f func()) { go f() }
		l.call(t, ctx, "0#1")
		require.Equal(t, int64(1), l.run.Stats().Abandoned)
		require.Len(t, l.j.InDoubt(), 1)
		close(goOn)
		synctest.Wait()
		require.Equal(t, 1, l.calls)
		require.Empty(t, l.guards.Stats(1).Global.Holder)
		require.NoError(t, l.j.Close())
	})
}
