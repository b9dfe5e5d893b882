package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// order is a tool that writes.
type order struct {
	Item  string `json:"item"`
	Token string `json:"token,omitempty"`
}

type receipt struct {
	ID int `json:"id"`
}

type traced struct{}

// shop is a run with the tool order, on a journal.
type shop struct {
	t      *testing.T
	path   string
	made   atomic.Int32
	slow   chan struct{} // gets an element when a slow order begins
	seen   any           // in the context of the tool
	guards effect.Guards
	tool   *tool.Tool
	run    *tool.Run
}

// beginning is the key of the function that a slow order calls when it begins.
type beginning struct{}

func newShop(t *testing.T, around effect.Around) (*shop, *journal.Journal) {
	s := &shop{t: t, slow: make(chan struct{}, 1), path: filepath.Join(t.TempDir(), "journal")}
	s.tool = tool.New("order", "", func(ctx context.Context, in order) (receipt, error) {
		s.seen = ctx.Value(traced{})
		if in.Item == "slow" {
			s.slow <- struct{}{}
			if begun, ok := ctx.Value(beginning{}).(context.CancelFunc); ok {
				begun()
			}
			<-ctx.Done()
			return receipt{}, ctx.Err()
		}
		if in.Item == "gone" {
			return receipt{}, &tool.Error{Code: "gone", Message: "no such item", RetryAfter: time.Second}
		}
		return receipt{int(s.made.Add(1))}, nil
	}, tool.Secret("token"))
	j, err := journal.Create(s.path, journal.Header{}, journal.Options{})
	require.NoError(t, err)
	s.begin(j, around)
	return s, j
}

func (s *shop) begin(j tool.Journal, around effect.Around) {
	q, err := queue.NewEnforcer(queue.Policies{}, queue.New(queue.Options{}))
	require.NoError(s.t, err)
	if s.guards == nil {
		s.guards = guard.NewSet(guard.Options{})
	}
	s.run = tool.NewRun(tool.RunOptions{ArgumentBytes: 1 << 10, ResultBytes: 1 << 10, ToolCalls: 100,
		Guards: s.guards, Queue: q, Journal: j, Around: around})
}

func (s *shop) call(ctx context.Context, id, args string) effect.Outcome {
	o, err := s.run.Call(ctx, effect.Call{ID: id, Tool: s.tool, Args: json.RawMessage(args), Room: 1 << 10,
		Caller: tool.TestCaller{s.guards.Owner(nil, "", id)}})
	require.NoError(s.t, err)
	return o
}

// again has the same call answered from the journal, in a resumed run and in a replay: with the same
// outcome, without a call of Around and of the tool.
func (s *shop) again(j *journal.Journal, args string, want effect.Outcome) {
	s.t.Helper()
	require.NoError(s.t, j.Close())
	made := s.made.Load()
	never := func(context.Context, effect.Call, func(context.Context) effect.Outcome) effect.Outcome {
		s.t.Error("Around is called for a recorded call")
		return effect.Outcome{}
	}
	resumed, rec, err := journal.Resume(s.path, nil, journal.Options{})
	require.NoError(s.t, err)
	for _, j := range []*journal.Journal{resumed, journal.Replay(rec)} {
		s.begin(j, never)
		require.Equal(s.t, want.Record().Outcome(), s.call(s.t.Context(), "0#1", args)) // without the error of Go
		require.NoError(s.t, j.Close())
	}
	require.Equal(s.t, made, s.made.Load())
}

type next = func(context.Context) effect.Outcome

func failed(code string) effect.Outcome {
	return effect.Outcome{Failure: &effect.Failure{Code: code, Message: "m"}}
}

// arounds are Around functions of hosts, with the outcome that the program sees.
var arounds = []struct {
	name   string
	args   string
	around effect.Around
	result string // "" for a failure
	code   string // of that
	made   int32
	class  effect.Class // in the journal
}{
	{"telemetry", `{"item":"pen"}`, func(ctx context.Context, c effect.Call, next next) effect.Outcome {
		return next(context.WithValue(ctx, traced{}, c.Tool.Name()))
	}, `{"id":1}`, "", 1, effect.Write},
	{"telemetry of a failure", `{"item":"gone"}`, func(ctx context.Context, _ effect.Call, next next) effect.Outcome {
		return next(context.WithValue(ctx, traced{}, "order"))
	}, "", "gone", 0, effect.Write},
	{"mock", `{"item":"pen"}`, func(_ context.Context, c effect.Call, _ next) effect.Outcome {
		c.Args[0] = 'x' // they are its own
		return effect.Outcome{Result: json.RawMessage("{\n \"id\": 7 }")}
	}, `{"id":7}`, "", 0, effect.ReadOnly},
	{"refusal", `{"item":"pen"}`, func(context.Context, effect.Call, next) effect.Outcome { return failed("not-approved") }, "", "not-approved", 0, effect.ReadOnly},
	{"kinds are not its own to choose", `{"item":"pen"}`, func(context.Context, effect.Call, next) effect.Outcome {
		return effect.Outcome{Failure: &effect.Failure{Kind: diag.Timeout, Data: json.RawMessage(`{`)}}
	}, "", effect.CodeFailed, 0, effect.ReadOnly},
	{"altered", `{"item":"pen"}`, func(ctx context.Context, _ effect.Call, next next) effect.Outcome {
		next(ctx)
		return effect.Outcome{Result: json.RawMessage(`{"id":9}`)}
	}, `{"id":9}`, "", 1, effect.Write},
	{"altered in place", `{"item":"pen"}`, func(ctx context.Context, _ effect.Call, next next) effect.Outcome {
		o := next(ctx)
		copy(o.Result, `{"xx"`)
		return o
	}, "", effect.CodeBadResult, 1, effect.Write},
	{"altered against the schema", `{"item":"pen"}`, func(ctx context.Context, _ effect.Call, next next) effect.Outcome {
		next(ctx)
		return effect.Outcome{Result: json.RawMessage(`{"id":"nine"}`)}
	}, "", effect.CodeBadResult, 1, effect.Write},
	{"no JSON", `{"item":"pen"}`, func(context.Context, effect.Call, next) effect.Outcome {
		return effect.Outcome{Result: json.RawMessage(`{`)}
	}, "", effect.CodeBadResult, 0, effect.ReadOnly},
	{"nothing", `{"item":"pen"}`, func(context.Context, effect.Call, next) effect.Outcome { return effect.Outcome{} }, "", effect.CodeBadResult, 0, effect.ReadOnly},
	{"too large", `{"item":"pen"}`, func(context.Context, effect.Call, next) effect.Outcome {
		return effect.Outcome{Result: json.RawMessage(`"` + string(make([]byte, 2<<10)) + `"`)}
	}, "", effect.CodeBadResult, 0, effect.ReadOnly},
	{"recovery", `{"item":"gone"}`, func(ctx context.Context, _ effect.Call, next next) effect.Outcome {
		if o := next(ctx); o.Failure == nil {
			return o
		}
		return effect.Outcome{Result: json.RawMessage(`{"id":0}`)}
	}, `{"id":0}`, "", 0, effect.Write},
	{"next twice", `{"item":"pen"}`, func(ctx context.Context, _ effect.Call, next next) effect.Outcome {
		next(ctx)
		return next(ctx)
	}, "", effect.CodeFailed, 1, effect.Write},
	{"panic", `{"item":"pen"}`, func(context.Context, effect.Call, next) effect.Outcome { panic("oops") }, "", effect.CodePanic, 0, effect.ReadOnly},
	{"panic after the call", `{"item":"pen"}`, func(ctx context.Context, _ effect.Call, next next) effect.Outcome {
		next(ctx)
		panic("oops")
	}, "", effect.CodePanic, 1, effect.Write},
	{"cancelled", `{"item":"slow"}`, func(ctx context.Context, _ effect.Call, next next) effect.Outcome {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		return next(context.WithValue(ctx, beginning{}, cancel)) // when the tool has begun
	}, "", effect.CodeCancelled, 0, effect.Write},
	{"cancelled before", `{"item":"pen"}`, func(ctx context.Context, _ effect.Call, next next) effect.Outcome {
		ctx, cancel := context.WithCancelCause(ctx)
		cancel(errors.New("the budget is used up"))
		return next(ctx)
	}, "", effect.CodeCancelled, 0, effect.ReadOnly},
}

// TestAround makes each outcome be the one that the program sees, the one that the journal keeps,
// and the one of a resumed run and of a replay.
func TestAround(t *testing.T) {
	for _, a := range arounds {
		t.Run(a.name, func(t *testing.T) {
			s, j := newShop(t, a.around)
			o := s.call(t.Context(), "0#1", a.args)
			if a.code != "" {
				require.NotNil(t, o.Failure)
				assert.Equal(t, a.code, o.Failure.Code)
				assert.Equal(t, diag.ToolFailed, o.Failure.Kind)
				assert.NotEqual(t, "{", string(o.Failure.Data))
			} else {
				require.Nil(t, o.Failure)
				assert.Equal(t, a.result, string(o.Result))
			}
			assert.Equal(t, a.made, s.made.Load())
			if a.name == "telemetry" || a.name == "telemetry of a failure" {
				assert.Equal(t, "order", s.seen)
			}
			entries := j.Entries()
			require.Len(t, entries, 1)
			assert.True(t, entries[0].Done)
			assert.Equal(t, a.class, entries[0].Class)
			assert.Equal(t, o.Record(), entries[0].Outcome)
			s.again(j, a.args, o)
		})
	}
}

// TestAroundOrder: arguments that break the schema are refused before, and guards, which are held
// during the function only, are taken within.
func TestAroundOrder(t *testing.T) {
	called := 0
	s, j := newShop(t, func(ctx context.Context, c effect.Call, next next) effect.Outcome {
		called++
		return next(ctx)
	})
	o := s.call(t.Context(), "0#1", `{"what":1}`)
	require.Equal(t, effect.CodeBadArguments, o.Failure.Code)
	require.Zero(t, called)
	require.Empty(t, j.Entries())
	require.NoError(t, j.Close())
}

// TestAroundKeepsSecrets: Around has the arguments with their secrets, and its outcome reaches the
// journal without them.
func TestAroundKeepsSecrets(t *testing.T) {
	s, j := newShop(t, func(_ context.Context, c effect.Call, _ next) effect.Outcome {
		assert.Contains(t, string(c.Args), "hunter2-hunter2")
		return effect.Outcome{Failure: &effect.Failure{Message: "not with hunter2-hunter2", Data: json.RawMessage(`{"token":"abc"}`)}}
	})
	o := s.call(t.Context(), "0#1", `{"item":"pen","token":"hunter2-hunter2"}`)
	assert.Equal(t, `{"token":"[secret]"}`, string(o.Failure.Data))
	require.NoError(t, j.Close())
	rec, err := journal.ReadFile(s.path)
	require.NoError(t, err)
	assert.NotContains(t, string(rec.Entries[0].Outcome.Error)+string(rec.Entries[0].Args), "hunter2")
}

// TestAroundOfAnEndedEvaluation: the outcome of the call is dropped, and a write stays in doubt, whatever
// Around returns.
func TestAroundOfAnEndedEvaluation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var s *shop
	s, j := newShop(t, func(_ context.Context, _ effect.Call, next next) effect.Outcome {
		go func() {
			<-s.slow
			cancel()
		}()
		next(context.Background()) // it ends with the evaluation all the same
		return effect.Outcome{Result: json.RawMessage(`{"id":1}`)}
	})
	s.call(ctx, "0#1", `{"item":"slow"}`)
	require.Len(t, j.InDoubt(), 1)
	require.NoError(t, j.Close())
}

// TestAroundLeavesNextBehind: a next that still runs when Around returns ends before the call does,
// and one that is called later does nothing.
func TestAroundLeavesNextBehind(t *testing.T) {
	var late sync.WaitGroup
	var returned atomic.Bool
	var s *shop
	s, j := newShop(t, func(ctx context.Context, _ effect.Call, next next) effect.Outcome {
		go func() { next(ctx) }()
		late.Go(func() {
			for !returned.Load() {
				time.Sleep(time.Millisecond)
			}
			assert.NotNil(t, next(ctx).Failure)
		})
		for s.made.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		return effect.Outcome{Result: json.RawMessage(`{"id":5}`)}
	})
	o := s.call(t.Context(), "0#1", `{"item":"pen"}`)
	returned.Store(true)
	late.Wait()
	require.Equal(t, `{"id":5}`, string(o.Result))
	require.EqualValues(t, 1, s.made.Load())
	require.NoError(t, j.Close())
}

// TestAroundInParallel makes many concurrent calls, each with its own context value. Every second one has
// the outcome of the previous one, as from a cache.
func TestAroundInParallel(t *testing.T) {
	var known sync.Map
	s, j := newShop(t, nil)
	echo := tool.New("echo", "", func(ctx context.Context, in order) (string, error) {
		return in.Item + ctx.Value(traced{}).(string), nil
	}, tool.ReadOnly())
	around := func(ctx context.Context, c effect.Call, next next) effect.Outcome {
		if o, ok := known.Load(string(c.Args)); ok {
			return o.(effect.Outcome)
		}
		o := next(context.WithValue(ctx, traced{}, c.ID))
		known.Store(string(c.Args), o)
		return o
	}
	s.begin(j, around)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			first, second := fmt.Sprintf("0.1.%d#1", i), fmt.Sprintf("0.1.%d#2", i)
			for _, id := range []string{first, second} {
				o, err := s.run.Call(t.Context(), effect.Call{ID: id, Tool: echo, Args: json.RawMessage(fmt.Sprintf(`{"item":"%d-"}`, i)), Room: 1 << 10})
				assert.NoError(t, err)
				assert.Equal(t, fmt.Sprintf(`"%d-%s"`, i, first), string(o.Result))
			}
		})
	}
	all.Wait()
	require.NoError(t, j.Close())
}
