package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/mcp"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// eras are the revisions of the protocol that clients of the tests speak: by calls of their own, and by sessions.
var eras = map[string][]string{"new": {"2026-07-28"}, "old": {"2025-11-25"}}

// world records the calls of the tools of the tests.
type world struct {
	sent    chan string
	started chan struct{}
	stopped chan error
}

// tools returns a registry of tools that record their calls in w.
func tools(t testing.TB, w *world) *tool.Registry {
	type to struct {
		To string `json:"to"`
	}
	reg, err := tool.NewRegistry(
		tool.New("mail.send", "Sends a message to a customer.", func(_ context.Context, in to) (string, error) {
			w.sent <- in.To
			return "sent to " + in.To, nil
		}),
		tool.New("orders.find", "Finds orders by the name of a customer.", func(_ context.Context, in to) ([]int, error) {
			return []int{1, 2, 3}, nil
		}, tool.ReadOnly()),
		tool.New("begun", "Notes that the program runs.", func(context.Context, struct{}) (string, error) {
			w.started <- struct{}{}
			return "", nil
		}, tool.ReadOnly()),
		tool.New("slow", "Waits.", func(ctx context.Context, _ struct{}) (string, error) {
			w.started <- struct{}{}
			<-ctx.Done()
			w.stopped <- ctx.Err()
			return "", ctx.Err()
		}, tool.ReadOnly()),
	)
	require.NoError(t, err)
	return reg
}

func newWorld() *world {
	return &world{make(chan string, 1000), make(chan struct{}, 1000), make(chan error, 1000)}
}

// serve returns a server of the test.
func serve(t testing.TB, o mcp.Options) *mcp.Server {
	s, err := mcp.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

const secretToken = "a-token-of-the-tests"

// dial returns a client of the server over HTTP.
func dial(t testing.TB, s *mcp.Server, era string, o *sdk.ClientOptions) *sdk.ClientSession {
	web := httptest.NewServer(s.Handler(mcp.BearerToken(secretToken)))
	t.Cleanup(web.Close)
	return dialAt(t, web.URL, era, o)
}

func dialAt(t testing.TB, url, era string, o *sdk.ClientOptions) *sdk.ClientSession {
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o)
	c, err := client.Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: url, HTTPClient: bearer(t, secretToken)},
		&sdk.ClientSessionOptions{ProtocolVersion: eras[era][0]})
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// answer is the structured answer to run_program.
type answer struct {
	Status       string           `json:"status"`
	Run          string           `json:"run"`
	Value        any              `json:"value"`
	Prints       string           `json:"prints"`
	Error        map[string]any   `json:"error"`
	Others       []any            `json:"others"`
	Calls        []map[string]any `json:"calls"`
	Written      []map[string]any `json:"written"`
	Usage        map[string]any   `json:"usage"`
	Pending      []map[string]any `json:"pending"`
	Continuation string           `json:"continuation"`
	Session      string           `json:"session"`
	Resource     string           `json:"resource"`
	Cut          map[string]int   `json:"cut"`
	Next         string           `json:"next"`
	text         string
	isError      bool
}

// run calls run_program.
func run(t testing.TB, c *sdk.ClientSession, args map[string]any) answer {
	a, err := tryRun(t.Context(), c, args)
	require.NoError(t, err)
	return a
}

func tryRun(ctx context.Context, c *sdk.ClientSession, args map[string]any) (a answer, err error) {
	res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "run_program", Arguments: args})
	if err != nil {
		return a, err
	}
	a.isError = res.IsError
	a.text = res.Content[0].(*sdk.TextContent).Text
	if res.StructuredContent == nil {
		return a, nil
	}
	text, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return a, err
	}
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.DisallowUnknownFields()
	return a, errors.Join(dec.Decode(&a))
}

func program(text string) map[string]any { return map[string]any{"program": text} }

func TestRunProgram(t *testing.T) {
	for era := range eras {
		t.Run(era, func(t *testing.T) {
			w := newWorld()
			c := dial(t, serve(t, mcp.Options{Run: ptc.Options{Tools: tools(t, w)}}), era, nil)
			a := run(t, c, map[string]any{"program": `(println "hello") (reduce + (mapcat #(tool/orders.find {:to %}) data/names))`,
				"input": map[string]any{"names": []string{"ann", "bob"}}})
			require.Equal(t, "ok", a.Status)
			require.EqualValues(t, 12, a.Value)
			require.Equal(t, "hello\n", a.Prints)
			require.Equal(t, "hello\n12", a.text)
			require.Equal(t, "orders.find", a.Calls[0]["tool"])
			require.EqualValues(t, 2, a.Calls[0]["calls"])

			a = run(t, c, program(`(+ 1 (no-such-name))`))
			require.Equal(t, "error", a.Status)
			require.True(t, a.isError)
			require.Equal(t, "unknown-name", a.Error["code"])
			require.EqualValues(t, 1, a.Error["line"])
			require.EqualValues(t, 7, a.Error["column"])
			require.Contains(t, a.text, "no-such-name")

			a = run(t, c, program(`(tool/orders.find {:to "x"}) (tool/mail.send {:to "ann"}) (throw (ex-info "no stock" {:sku 7}))`))
			require.Equal(t, []map[string]any{{"tool": "mail.send", "args": map[string]any{"to": "ann"}}}, a.Written)
			require.Contains(t, a.text, `tool/mail.send {"to":"ann"}`)
			require.NotContains(t, a.text, `tool/orders.find {"`)
			require.Equal(t, "no stock", a.Error["message"])
			require.Equal(t, "{:sku 7}", a.Error["data"])
		})
	}
}

// A client that can ask its person gets the calls to approve and the questions, and continues with the decisions.
func TestApprovals(t *testing.T) {
	for era := range eras {
		t.Run(era, func(t *testing.T) {
			w := newWorld()
			s := serve(t, mcp.Options{Run: ptc.Options{Tools: tools(t, w), Approve: effect.Approvals{Writes: true}}})
			var asked []string
			c := dial(t, s, era, &sdk.ClientOptions{
				ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					asked = append(asked, r.Params.Message)
					content := map[string]any{}
					for name, p := range r.Params.RequestedSchema.(map[string]any)["properties"].(map[string]any) {
						switch title := p.(map[string]any)["title"].(string); {
						case strings.HasPrefix(title, "Answer"):
							content[name] = "ann"
						case strings.Contains(r.Params.Message, `"to":"eve"`) && strings.HasPrefix(title, "2"):
							content[name] = "refuse"
						default:
							content[name] = "approve"
						}
					}
					return &sdk.ElicitResult{Action: "accept", Content: content}, nil
				}})
			a := run(t, c, program(`(let [who (ask {:question "Who?" :options ["ann" "bob"]})]
				(pmap #(try (tool/mail.send {:to %}) (catch :approval-refused e "refused")) [who "eve"]))`))
			require.Equal(t, "ok", a.Status, a.text)
			require.Equal(t, []any{"sent to ann", "refused"}, a.Value)
			require.Len(t, asked, 2, "the question, and both calls at once")
			require.Contains(t, asked[0], `"Who?"`)
			require.Len(t, w.sent, 1)
		})
	}
}

// A client that can't ask gets the pending effects. Its model can answer questions, but approve nothing.
func TestPendingWithoutAsking(t *testing.T) {
	w := newWorld()
	s := serve(t, mcp.Options{Run: ptc.Options{Tools: tools(t, w), Approve: effect.Approvals{Writes: true}}})
	for era := range eras {
		c := dial(t, s, era, nil)
		a := run(t, c, program(`(ask {:question "How many?"})`))
		require.Equal(t, "pending", a.Status)
		require.Equal(t, "question", a.Pending[0]["kind"])
		require.NotEmpty(t, a.Continuation)
		id := a.Pending[0]["id"].(string)

		wrong := run(t, c, map[string]any{"continuation": a.Continuation, "answers": map[string]any{"0#99": 1}})
		require.True(t, wrong.isError)
		require.Contains(t, wrong.text, id, "the id of the question")

		a = run(t, c, map[string]any{"continuation": a.Continuation, "answers": map[string]any{id: 42}})
		require.Equal(t, "ok", a.Status, a.text)
		require.EqualValues(t, 42, a.Value)

		a = run(t, c, program(`(tool/mail.send {:to "ann"})`))
		require.Equal(t, "pending", a.Status)
		require.Equal(t, "approval", a.Pending[0]["kind"])
		require.Empty(t, a.Continuation)
		require.Empty(t, w.sent)
	}
}

// A call that the client cancels, and a client that goes away, stop the run.
func TestCancel(t *testing.T) {
	for era := range eras {
		t.Run(era, func(t *testing.T) {
			w := newWorld()
			s := serve(t, mcp.Options{Run: ptc.Options{Tools: tools(t, w)}})
			c := dial(t, s, era, nil)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-w.started
				cancel()
			}()
			_, err := tryRun(ctx, c, program(`(tool/slow {})`))
			require.ErrorIs(t, err, context.Canceled)
			select {
			case err := <-w.stopped:
				require.ErrorIs(t, err, context.Canceled)
			case <-time.After(time.Minute):
				t.Fatal("the run goes on")
			}
		})
	}
}

func TestSessions(t *testing.T) {
	s := serve(t, mcp.Options{})
	c := dial(t, s, "new", nil)
	a := run(t, c, map[string]any{"program": "(def x 5)", "session": "new"})
	require.NotEmpty(t, a.Session)
	b := run(t, c, map[string]any{"program": "(* x x)", "session": a.Session})
	require.EqualValues(t, 25, b.Value)
	b = run(t, c, map[string]any{"program": "x", "session": a.Session, "restart": true})
	require.Equal(t, "unknown-name", b.Error["code"])
	b = run(t, c, map[string]any{"program": "1", "session": "guessed"})
	require.True(t, b.isError)
	require.Contains(t, b.text, "no session")
}

// A value that is too large for an answer is a resource, which a client reads in pages.
func TestLargeValue(t *testing.T) {
	for era := range eras {
		c := dial(t, serve(t, mcp.Options{}), era, nil)
		a := run(t, c, program(`(vec (repeat 40000 "é"))`))
		require.Equal(t, "ok", a.Status)
		require.Greater(t, a.Cut["value"], 100_000)
		var whole strings.Builder
		for uri := a.Resource; uri != ""; {
			r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
			require.NoError(t, err)
			whole.WriteString(r.Contents[0].Text)
			uri, _ = r.Contents[0].Meta["ptc/next"].(string)
		}
		var all []string
		require.NoError(t, json.Unmarshal([]byte(whole.String()), &all))
		require.Len(t, all, 40000)
		_, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "ptc://run/none/value"})
		require.Error(t, err)
	}
}
