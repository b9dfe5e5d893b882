package mcp_test

import (
	"context"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/mcp"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// A form that arrives twice does not approve effects that its person has not seen.
func TestFormSentTwice(t *testing.T) {
	w := newWorld()
	s := serve(t, mcp.Options{Run: ptc.Options{Tools: tools(t, w), Approve: effect.Approvals{Writes: true}}})
	c := dial(t, s, "new", &sdk.ClientOptions{MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "decline"}, nil
		}})
	call := func(state string) *sdk.CallToolResult {
		p := &sdk.CallToolParams{Name: "run_program", RequestState: state,
			Arguments: program(`(tool/mail.send {:to "ann"}) (tool/mail.send {:to "eve"})`)}
		if state != "" {
			p.InputResponses = sdk.InputResponseMap{"decisions": &sdk.ElicitResult{Action: "accept",
				Content: map[string]any{"decision_1": "approve"}}}
		}
		r, err := c.CallTool(t.Context(), p)
		require.NoError(t, err)
		return r
	}
	first := call("")
	require.True(t, first.NeedsInput())
	second := call(first.RequestState)
	require.True(t, second.NeedsInput())
	require.Equal(t, "ann", <-w.sent)
	again := call(first.RequestState)
	require.True(t, again.NeedsInput(), "the second call is asked about again")
	require.Empty(t, w.sent)
	require.False(t, call(again.RequestState).NeedsInput())
	require.Equal(t, "eve", <-w.sent)
}

// A program of a session that is cancelled before its turn leaves the session free.
func TestCancelBeforeItsTurn(t *testing.T) {
	w := newWorld()
	c := dial(t, serve(t, mcp.Options{Run: ptc.Options{Tools: tools(t, w)}, Concurrent: 1}), "new", nil)
	session := run(t, c, map[string]any{"program": "(def x 5)", "session": "new"}).Session
	busy, leave := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		tryRun(busy, c, program(`(tool/slow {})`))
	}()
	<-w.started
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := tryRun(short, c, map[string]any{"program": "x", "session": session})
	require.Error(t, err)
	leave()
	<-over
	<-w.stopped
	require.Eventually(t, func() bool {
		return run(t, c, map[string]any{"program": "x", "session": session}).Value == 5.0
	}, time.Minute, 10*time.Millisecond)
}
