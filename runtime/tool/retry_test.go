package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// flaky makes the tool of a shop one that fails some times before it succeeds. It notes the idempotency keys.
func flaky(s *shop, fails int, keys *[]string, opts ...tool.Option) {
	s.tool = tool.New("order", "", func(ctx context.Context, in order) (receipt, error) {
		*keys = append(*keys, tool.CallID(ctx))
		if n := s.made.Add(1); int(n) > fails {
			return receipt{int(n)}, nil
		}
		return receipt{}, &tool.Error{Code: "unavailable", Message: "try again", Retryable: true}
	}, opts...)
}

// retry calls next until it succeeds.
func retry(ctx context.Context, _ effect.Call, next next) (o effect.Outcome) {
	for range 5 {
		if o = next(ctx); o.Failure == nil || !o.Failure.Retryable {
			break
		}
	}
	return o
}

// TestAroundRetries: a tool that may be called again is called again. The journal has one effect with the last outcome,
// and so have a resumed run and a replay. A write is called once.
func TestAroundRetries(t *testing.T) {
	for _, c := range []struct {
		name  string
		opts  []tool.Option
		made  int32
		fails string
	}{
		{"read-only", []tool.Option{tool.ReadOnly()}, 3, ""},
		{"idempotent", []tool.Option{tool.Idempotent()}, 3, ""},
		{"write", nil, 1, "next was called again for tool/order, which writes and was called already"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var keys []string
			s, j := newShop(t, retry)
			flaky(s, 2, &keys, c.opts...)
			o := s.call(t.Context(), "0#1", `{"item":"pen"}`)
			assert.Equal(t, c.made, s.made.Load())
			if c.fails == "" {
				require.Nil(t, o.Failure)
				assert.JSONEq(t, `{"id":3}`, string(o.Result))
			} else {
				require.NotNil(t, o.Failure)
				assert.Equal(t, c.fails, o.Failure.Message)
				assert.NotEmpty(t, o.Failure.Hint)
			}
			for _, key := range keys {
				assert.Equal(t, j.Key("0#1"), key, "all attempts have one idempotency key")
			}
			stats := s.run.Stats()
			assert.EqualValues(t, c.made, stats.Calls)
			assert.EqualValues(t, min(c.made, 2), stats.Tools[0].Errors)
			entries := j.Entries()
			require.Len(t, entries, 1)
			assert.True(t, entries[0].Done)
			assert.Equal(t, o.Record(), entries[0].Outcome)
			s.again(j, `{"item":"pen"}`, o)
		})
	}
}

// TestAroundRetriesCountAgainstTheBound: each attempt is a call of the tool.
func TestAroundRetriesCountAgainstTheBound(t *testing.T) {
	var keys []string
	s, j := newShop(t, retry)
	flaky(s, 9, &keys, tool.ReadOnly(), tool.MaxCalls(2))
	o := s.call(t.Context(), "0#1", `{"item":"pen"}`)
	assert.Equal(t, effect.CodeTooLarge, o.Failure.Code)
	assert.EqualValues(t, 2, s.made.Load())
	s.again(j, `{"item":"pen"}`, o)
}

// TestAroundRetryHoldsNothingBetween: each attempt takes its host and its place in the queue again.
func TestAroundRetryHoldsNothingBetween(t *testing.T) {
	var keys []string
	var s *shop
	guards := guard.NewSet(guard.Options{})
	queues := queue.New(queue.Options{})
	attempts := 0
	around := func(ctx context.Context, _ effect.Call, next next) (o effect.Outcome) {
		for range 3 {
			o = next(ctx)
			attempts++
			assert.Zero(t, guards.Stats(0).Held)
			assert.Zero(t, queues.Stats("order").Active)
		}
		return o
	}
	s, j := newShop(t, nil)
	s.guards = guards
	flaky(s, 2, &keys, tool.ReadOnly(), tool.Concurrency(1), tool.Host("item"), tool.Hint(effect.Hint{Kind: effect.HostExclusive}))
	q, err := queue.NewEnforcer(queue.Policies{}, queues)
	require.NoError(t, err)
	s.run = tool.NewRun(tool.RunOptions{ArgumentBytes: 1 << 10, ResultBytes: 1 << 10, ToolCalls: 100,
		Guards: guards, Queue: q, Journal: j, Around: around})
	require.Nil(t, s.call(t.Context(), "0#1", `{"item":"pen"}`).Failure)
	assert.Equal(t, 3, attempts)
	assert.EqualValues(t, 3, guards.Stats(0).Taken)
	assert.EqualValues(t, 3, queues.Stats("order").Completed)
	require.NoError(t, j.Close())
}

// TestAroundRetriesRefusedWrite: nothing has happened, so a later attempt makes the write, and its effect begins then.
func TestAroundRetriesRefusedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var keys []string
		var refused *effect.Failure
		around := func(ctx context.Context, _ effect.Call, next next) effect.Outcome {
			o := next(ctx)
			if o.Failure == nil || o.Failure.RetryAfter == 0 {
				return o
			}
			refused = o.Failure
			time.Sleep(time.Duration(o.Failure.RetryAfter) * time.Millisecond)
			return next(ctx)
		}
		s, j := newShop(t, nil)
		flaky(s, 0, &keys)
		short := queue.Policy{Quota: queue.Quota{Calls: 1, Window: 50 * time.Millisecond}}
		q, err := queue.NewEnforcer(queue.Policies{Global: short}, nil)
		require.NoError(t, err)
		s.run = tool.NewRun(tool.RunOptions{ArgumentBytes: 1 << 10, ResultBytes: 1 << 10, ToolCalls: 100,
			Guards: s.guards, Queue: q, Journal: j, Around: around})
		require.NoError(t, q.Action("order").Admit(t.Context())) // the quota is used up
		o := s.call(t.Context(), "0#1", `{"item":"pen"}`)
		require.NotNil(t, refused)
		require.Nil(t, o.Failure)
		assert.EqualValues(t, 1, s.made.Load())
		entries := j.Entries()
		require.Len(t, entries, 1)
		assert.Equal(t, effect.Write, entries[0].Class)
		s.again(j, `{"item":"pen"}`, o)
	})
}

// TestAroundRetriesAnAbandonedCall: the first attempt is still under way during the second.
func TestAroundRetriesAnAbandonedCall(t *testing.T) {
	begun, release, ended := make(chan bool), make(chan bool), make(chan bool)
	s, j := newShop(t, func(ctx context.Context, _ effect.Call, next next) effect.Outcome {
		short, cancel := context.WithCancel(ctx)
		go func() {
			<-begun
			cancel()
		}()
		assert.Equal(t, effect.CodeCancelled, next(short).Failure.Code)
		return next(ctx)
	})
	s.tool = tool.New("order", "", func(context.Context, order) (receipt, error) {
		n := int(s.made.Add(1))
		if n == 1 {
			close(begun)
			defer close(ended)
			<-release
		}
		return receipt{n}, nil
	}, tool.Idempotent(), tool.Concurrency(2))
	o := s.call(t.Context(), "0#1", `{"item":"pen"}`)
	require.Nil(t, o.Failure)
	assert.JSONEq(t, `{"id":2}`, string(o.Result))
	assert.EqualValues(t, 1, s.run.Stats().Abandoned)
	close(release)
	<-ended
	s.again(j, `{"item":"pen"}`, o)
}

// TestAroundInterruptedBetweenAttempts: the effect has no outcome, and a resumed run makes the call again.
func TestAroundInterruptedBetweenAttempts(t *testing.T) {
	for _, opt := range []tool.Option{tool.ReadOnly(), tool.Idempotent()} {
		var keys []string
		ctx, cancel := context.WithCancel(t.Context())
		s, j := newShop(t, func(ctx context.Context, _ effect.Call, next next) effect.Outcome {
			next(ctx)
			cancel()
			assert.NotNil(t, next(ctx).Failure)
			assert.NotNil(t, next(ctx).Failure)
			return effect.Outcome{Result: json.RawMessage(`{"id":7}`)}
		})
		flaky(s, 1, &keys, opt)
		s.call(ctx, "0#1", `{"item":"pen"}`)
		assert.EqualValues(t, 1, s.made.Load())
		require.NoError(t, j.Close())
		resumed, rec, err := journal.Resume(s.path, nil, journal.Options{})
		require.NoError(t, err)
		require.Len(t, rec.Entries, 1)
		assert.False(t, rec.Entries[0].Done)
		assert.False(t, rec.Entries[0].Withdrawn, "it was made once")
		s.begin(resumed, nil)
		require.JSONEq(t, `{"id":2}`, string(s.call(t.Context(), "0#1", `{"item":"pen"}`).Result))
		require.NoError(t, resumed.Close())
	}
}

// TestUnusableRun: a call that can't be made is an error, and no panic.
func TestUnusableRun(t *testing.T) {
	s, j := newShop(t, nil)
	for _, c := range []struct {
		run  *tool.Run
		tool effect.Tool
		want string
	}{
		{&tool.Run{}, s.tool, "without a journal, guards or a queue"},
		{tool.NewRun(tool.RunOptions{Journal: j}), s.tool, "without a journal, guards or a queue"},
		{s.run, nil, "nil or zero"},
		{s.run, &tool.Tool{}, "nil or zero"},
		{s.run, tool.New("bad name", "", func(context.Context, order) (receipt, error) { return receipt{}, errors.New("") }), "bad name"},
	} {
		_, err := c.run.Call(t.Context(), effect.Call{ID: "0#1", Tool: c.tool, Args: json.RawMessage(`{"item":"pen"}`)})
		require.ErrorContains(t, err, c.want)
	}
	require.NoError(t, j.Close())
}
