package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/mcp"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

// The progress of a run grows, and tells of the limits.
func TestProgress(t *testing.T) {
	for era := range eras {
		w := newWorld()
		s := serve(t, mcp.Options{Run: ptc.Options{Tools: tools(t, w)}})
		var mu sync.Mutex
		var seen []float64
		told := make(chan string, 1000)
		c := dial(t, s, era, &sdk.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, r.Params.Progress)
				told <- r.Params.Message
			}})
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan struct{})
		p := &sdk.CallToolParams{Name: "run_program", Arguments: program(`(tool/orders.find {:to "a"}) (tool/slow {})`)}
		p.SetProgressToken("p")
		go func() {
			defer close(over)
			c.CallTool(ctx, p)
		}()
		message := <-told
		require.Contains(t, message, "of at most")
		require.Contains(t, message, "calls")
		cancel()
		<-over
		<-w.stopped
		mu.Lock()
		require.IsIncreasing(t, append([]float64{0}, seen...))
		mu.Unlock()
	}
}

// The trace context of a request is that of its run.
func TestTraceContext(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	got := make(chan string, 1)
	s := serve(t, mcp.Options{Trace: func(ctx context.Context, _ string, _ *ptc.RunOptions) (
		context.Context, func(*ptc.Result, error)) {
		if p := spans.Parent(ctx); p != nil {
			got <- p.Traceparent()
		} else {
			got <- ""
		}
		return ctx, func(*ptc.Result, error) {}
	}})
	c := dial(t, s, "new", nil)
	p := &sdk.CallToolParams{Name: "run_program", Arguments: program("1"), Meta: sdk.Meta{"traceparent": parent}}
	_, err := c.CallTool(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, parent, <-got)
}

// FuzzArguments calls the tools with any arguments: each call has an answer, and those of run_program match its schema.
func FuzzArguments(f *testing.F) {
	for _, args := range []string{`{"program":"1"}`, `{}`, `null`, `[]`, `{"program":1}`, `{"program":"(+","limits":{"timeout":"1s"}}`,
		`{"program":"data/x","input":{"x":[1,{"y":null}]}}`, `{"continuation":"AAAA"}`, `{"program":"x","session":"new","restart":true}`,
		`{"query":"x","limit":1}`, `{"names":["map"]}`, `{"program":"(ask {:question \"x\"})"}`, `{"program":"1","program":2}`} {
		f.Add(args)
	}
	w := newWorld()
	s := serve(f, mcp.Options{Run: ptc.Options{Tools: tools(f, w), Limits: ptc.Limits{Steps: 10_000}}})
	c := dial(f, s, "new", nil)
	f.Fuzz(func(t *testing.T, args string) {
		if !json.Valid([]byte(args)) || strings.Contains(args, "slow") {
			return
		}
		for _, name := range []string{"run_program", "check_program", "search_tools", "describe_tools"} {
			res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
			if err != nil {
				continue // the SDK refuses tokens that are objects
			}
			require.NotEmpty(t, res.Content)
		}
	})
}
