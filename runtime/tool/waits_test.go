package tool_test

import (
	"context"
	"encoding/json"
	"path/filepath"
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

// waiting is two calls of a tool that takes a second, the second half a second later.
type waiting struct {
	name  string
	opts  []tool.Option
	limit time.Duration // of the second call; 0 for none
	want  []effect.Wait // of the second call, from half a second on
	usage tool.Usage
}

var waitings = []waiting{
	{"nothing", nil, 0, nil, tool.Usage{Calls: 2, Time: 2 * time.Second}},
	{"queue", []tool.Option{tool.Concurrency(1)}, 0, []effect.Wait{{Kind: effect.WaitQueue, Key: "slow", Duration: time.Second / 2}},
		tool.Usage{Calls: 2, Time: 2 * time.Second, Queued: time.Second / 2}},
	{"host", []tool.Option{tool.Hint(effect.Hint{Kind: effect.HostExclusive})}, 0, []effect.Wait{{Kind: effect.WaitHost, Key: "web-one", Duration: time.Second / 2}},
		tool.Usage{Calls: 2, Time: 2 * time.Second, Host: time.Second / 2}},
	{"a secret host", []tool.Option{tool.Hint(effect.Hint{Kind: effect.HostExclusive}), tool.Secret("host")}, 0,
		[]effect.Wait{{Kind: effect.WaitHost, Key: "[secret]", Duration: time.Second / 2}}, tool.Usage{Calls: 2, Time: 2 * time.Second, Host: time.Second / 2}},
	{"global", []tool.Option{tool.Hint(effect.Hint{Kind: effect.GlobalExclusive})}, 0, []effect.Wait{{Kind: effect.WaitGlobal, Duration: time.Second / 2}},
		tool.Usage{Calls: 2, Time: 2 * time.Second, Global: time.Second / 2}},
	{"token", []tool.Option{tool.Hint(effect.Hint{Kind: effect.RateLimited, Key: "api", PerSecond: 0.5, Burst: 1})}, 0,
		[]effect.Wait{{Kind: effect.WaitToken, Key: "api", Duration: 3 * time.Second / 2}}, tool.Usage{Calls: 2, Time: 2 * time.Second, Token: 3 * time.Second / 2}},
	{"queue and token", []tool.Option{tool.Concurrency(1), tool.Hint(effect.Hint{Kind: effect.RateLimited, Key: "api", PerSecond: 0.5, Burst: 1})}, 0,
		[]effect.Wait{{Kind: effect.WaitQueue, Key: "slow", Duration: time.Second / 2}, {Kind: effect.WaitToken, Key: "api", Duration: time.Second}},
		tool.Usage{Calls: 2, Time: 2 * time.Second, Queued: time.Second / 2, Token: time.Second}},
	{"a queue for too long", []tool.Option{tool.Concurrency(1)}, time.Second / 4, []effect.Wait{{Kind: effect.WaitQueue, Key: "slow", Duration: time.Second / 4}},
		tool.Usage{Calls: 1, Refused: 1, Time: time.Second, Queued: time.Second / 4}},
	{"a host for too long", []tool.Option{tool.Hint(effect.Hint{Kind: effect.HostExclusive})}, time.Second / 4,
		[]effect.Wait{{Kind: effect.WaitHost, Key: "web-one", Duration: time.Second / 4}}, tool.Usage{Calls: 1, Refused: 1, Time: time.Second, Host: time.Second / 4}},
}

// TestWaits has calls wait for each kind of resource, and checks the reason, time and length of the waits
// in the journal; the totals of the tool agree.
func TestWaits(t *testing.T) {
	for _, w := range waitings {
		t.Run(w.name, func(t *testing.T) { synctest.Test(t, w.test) })
	}
}

type slowArgs struct {
	Host string `json:"host"`
}

func (w *waiting) test(t *testing.T) {
	slow := tool.New("slow", "Takes a second.", func(context.Context, slowArgs) (int, error) {
		time.Sleep(time.Second)
		return 1, nil
	}, append(w.opts, tool.ReadOnly())...)
	path := filepath.Join(t.TempDir(), "journal")
	j, err := journal.Create(path, journal.Header{}, journal.Options{})
	require.NoError(t, err)
	q, err := queue.NewEnforcer(queue.Policies{}, queue.New(queue.Options{}))
	require.NoError(t, err)
	run := tool.NewRun(tool.RunOptions{ArgumentBytes: 1 << 10, ResultBytes: 1 << 10, ToolCalls: 10,
		Guards: guard.NewSet(guard.Options{}), Queue: q, Journal: j})
	call := func(ctx context.Context, id string) {
		_, err := run.Call(ctx, effect.Call{ID: id, Tool: slow, Args: json.RawMessage(`{"host":"web-one"}`), Room: 1 << 10, Scoped: true,
			Caller: tool.TestCaller{guard.NewOwner(nil, id)}})
		assert.NoError(t, err)
	}
	began := time.Now()
	go call(t.Context(), "0#1")
	time.Sleep(time.Second / 2)
	ctx, cancel := t.Context(), context.CancelFunc(func() {})
	if w.limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, w.limit)
	}
	call(ctx, "0#2")
	cancel()
	time.Sleep(10 * time.Second)
	require.NoError(t, j.Close())

	w.usage.Name = "slow"
	assert.Equal(t, []tool.Usage{w.usage}, run.Stats().Tools)
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	require.Len(t, rec.Entries, 2)
	assert.Empty(t, rec.Entries[0].Waits)
	at := began.Add(time.Second / 2)
	got := rec.Entries[1].Waits
	require.Len(t, got, len(w.want))
	for i, want := range w.want {
		assert.WithinDuration(t, at, got[i].Start, 0)
		got[i].Start = time.Time{}
		assert.Equal(t, want, got[i])
		at = at.Add(want.Duration)
	}
	assert.WithinDuration(t, at, rec.Entries[1].Start, 0, "the call begins when the last wait ends")
}
