package tool_test

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/journal"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

type increment struct {
	N int `json:"n"`
}

// BenchmarkCall is the whole path of a call: policy, locks, queue, token, journal and a trivial function,
// on its own goroutine. The JSON tool shows the cost without decoding and encoding Go types.
func BenchmarkCall(b *testing.B) {
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	for _, c := range []struct {
		name string
		tool *tool.Tool
	}{
		{"go", tool.New("inc", "", func(_ context.Context, in increment) (int, error) { return in.N + 1, nil }, tool.ReadOnly())},
		{"json", tool.Dynamic("inc", "", schema, nil, func(context.Context, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage("2"), nil
		}, tool.ReadOnly())},
	} {
		b.Run(c.name, func(b *testing.B) {
			if _, err := tool.NewRegistry(c.tool); err != nil {
				b.Fatal(err)
			}
			q, err := queue.NewEnforcer(queue.Policies{}, queue.New(queue.Options{}))
			if err != nil {
				b.Fatal(err)
			}
			j := journal.New(journal.Options{})
			run := tool.NewRun(tool.RunOptions{ArgumentBytes: 1 << 10, ResultBytes: 1 << 10, ToolCalls: 1 << 40,
				Guards: guard.NewSet(guard.Options{}), Queue: q, Journal: j})
			in := effect.Call{Tool: c.tool, Args: json.RawMessage(`{"n":1}`), Room: 1 << 20}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				in.ID = "0#" + strconv.Itoa(i)
				if o, err := run.Call(b.Context(), in); err != nil || string(o.Result) != "2" {
					b.Fatal(o, err)
				}
			}
		})
	}
}
