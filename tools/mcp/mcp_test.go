package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlog"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// opened opens servers, and returns their tools in a registry.
func opened(t *testing.T, g Grant) (*Servers, *tool.Registry) {
	t.Helper()
	all, err := Open(t.Context(), g)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, all.Close()) })
	r, err := tool.NewRegistry(all.Tools()...)
	require.NoError(t, err)
	return all, r
}

// run runs a program, and returns its value as EDN.
func run(t *testing.T, r *tool.Registry, source string) (string, error) {
	t.Helper()
	return runWith(t.Context(), t, r, source, ptc.RunOptions{})
}

func runWith(ctx context.Context, t *testing.T, r *tool.Registry, source string, o ptc.RunOptions) (string, error) {
	t.Helper()
	p, err := ptc.Compile(ctx, "test", source, ptc.Options{Tools: r})
	require.NoError(t, err)
	res, err := p.Run(ctx, o)
	if err != nil {
		return "", err
	}
	text, err := res.EDN()
	require.NoError(t, err)
	return text, nil
}

// value runs a program that succeeds.
func value(t *testing.T, r *tool.Registry, source string) string {
	t.Helper()
	text, err := run(t, r, source)
	require.NoError(t, err, source)
	return text
}

func TestCalls(t *testing.T) {
	_, r := opened(t, Grant{Servers: []Server{command(t, "s", "sdk"), command(t, "raw", "large-number")}})
	for source, want := range map[string]string{
		`(tool/s.echo {:text "hello"})`:           `"hello"`,
		`(tool/s.echo {:text "{\"a\": [1 2"})`:    `"{\"a\": [1 2"`,
		`(tool/s.echo {:text " [1, {\"b\":2}]"})`: `[1 {:b 2}]`,
		`(tool/s.echo {:text "42"})`:              `"42"`,
		`(tool/s.nothing {})`:                     `nil`,
		`(tool/s.number {})`:                      `{:n 7}`,
		`(tool/raw.go {})`:                        `{:b 1, :n 9007199254740993}`,
		`(tool/s.parts {})`: `["words" {:a [1 2]} {:type "image", :mime-type "image/png", :base64 "cG5n"} ` +
			`{:type "image", :mime-type "image/png", :dropped 1048577} {:type "resource-link", :uri "file:///a", :name "a"} ` +
			`{:type "resource", :uri "file:///b", :mime-type "text/plain", :text "b"}]`,
		`(try (tool/s.fails {}) (catch :tool-failed e [(ex-message e) (:code (ex-data e)) (:data (ex-data e))]))`: `["tool/s.fails: the disk is full" :tool-error {:errno 28}]`,
		`(count (pmap #(tool/s.echo {:text (str %)}) (range 200)))`:                                               `200`,
		`(count (tool/s.big {:text "1000000"}))`:                                                                  `1000000`,
	} {
		assert.Equal(t, want, value(t, r, source), source)
	}
	_, err := run(t, r, `(tool/s.echo {:txt "a"})`)
	require.ErrorContains(t, err, "got the unknown key :txt", "the schema of the server is checked before the call")
	p, err := ptc.Compile(t.Context(), "test", `(tool/s.big {:text "1000000"})`, ptc.Options{Tools: r, Limits: ptc.Limits{CallResult: 1000}})
	require.NoError(t, err)
	_, err = p.Run(t.Context(), ptc.RunOptions{})
	require.ErrorContains(t, err, "the result has 1000002 bytes, it may have 1000")
}

func TestDeclarations(t *testing.T) {
	s := command(t, "s", "sdk")
	s.Classes = map[string]effect.Class{"slow": effect.Idempotent, "slow_write": effect.ReadOnly}
	_, r := opened(t, Grant{Servers: []Server{s}, Timeout: time.Minute})
	for name, class := range map[string]effect.Class{"echo": effect.ReadOnly, "slow": effect.Idempotent,
		"slow_write": effect.ReadOnly, "slow_idempotent": effect.Idempotent} {
		assert.Equal(t, class, r.Lookup("s."+name).Class(), name)
	}
	assert.Equal(t, `s.echo {:text string?} -> ?`, r.Lookup("s.echo").Signature())
	assert.Equal(t, `s.number {} -> {:n int}`, r.Lookup("s.number").Signature())
	assert.Equal(t, `The MCP server s says: "Does echo". It continues: "It is a test.".`, r.Lookup("s.echo").Doc())
	assert.Contains(t, r.Lookup("s.echo").Traits(""), "1m")
	s.Classes = map[string]effect.Class{"*": effect.Write}
	_, r = opened(t, Grant{Servers: []Server{s}})
	assert.Equal(t, effect.Write, r.Lookup("s.echo").Class())
}

// TestEnvironment requires a server to get nothing of the host's environment but PATH and HOME, and its trace.
func TestEnvironment(t *testing.T) {
	t.Setenv("MCP_TEST_SECRET", "inherited")
	s := command(t, "s", "sdk")
	s.Env = map[string]string{"API_TOKEN": "s3cr3t-token", "MODE": "test"}
	log := &testlog.Buffer{}
	_, r := opened(t, Grant{Servers: []Server{s}, Log: slog.New(slog.NewTextHandler(log, nil))})
	got := value(t, r, `(vec (sort (map #(first (.split % "=")) (tool/s.environ {}))))`)
	assert.Equal(t, `["API_TOKEN" "HOME" "MODE" "PATH"]`, got)
	assert.Equal(t, []string{"s3cr3t-token"}, r.Lookup("s.environ").Credentials())
	trace := effect.Trace{Parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", State: "a=b"}
	ctx := effect.WithTrace(t.Context(), trace)
	got, err := runWith(ctx, t, r, `(select-keys (tool/s.meta {}) [:traceparent :tracestate])`, ptc.RunOptions{})
	require.NoError(t, err)
	assert.Equal(t, `{:traceparent "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", :tracestate "a=b"}`, got)
	assert.Contains(t, log.String(), "serving sdk")
}

// TestSeveral has one server that does not start: the error names it, and the others that have answered.
func TestSeveral(t *testing.T) {
	t.Parallel() // it mostly waits
	missing := Server{Name: "missing", Command: "no-such-program-here"}
	web := Server{Name: "web", URL: "http://127.0.0.1:1/mcp?key=s3cr3t-key"}
	_, err := Open(t.Context(), Grant{Servers: []Server{command(t, "good", "old"), command(t, "dies", "dies"), missing, web}})
	require.Error(t, err)
	for _, want := range []string{"the MCP server dies (", "its standard error ends with: serving dies; no license found",
		`the MCP server missing (no-such-program-here) is not reached: there is no program "no-such-program-here"`,
		"the MCP server web (http://127.0.0.1:1/mcp) is not reached", "connection refused", "these have answered: good with 1 tool"} {
		assert.ErrorContains(t, err, want)
	}
	assert.NotContains(t, err.Error(), "s3cr3t-key")

	_, err = Open(t.Context(), Grant{Servers: []Server{command(t, "deaf", "deaf")}, Connect: 300 * time.Millisecond})
	require.ErrorContains(t, err, "the MCP server deaf")
	require.ErrorContains(t, err, "it has not answered in time")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Open(ctx, Grant{Servers: []Server{command(t, "s", "sdk")}})
	require.ErrorContains(t, err, "the MCP server s")
	_, err = Open(t.Context(), Grant{Servers: []Server{command(t, "s", "sdk"), command(t, "s", "old")}})
	require.ErrorContains(t, err, "the name s is that of two servers")
}

// TestOldServers has servers of an old revision: one that answers the probe, one that ends, and one that is silent.
func TestOldServers(t *testing.T) {
	for _, mode := range []string{"old", "old-strict", "old-silent"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := command(t, "s", mode)
			g := Grant{Servers: []Server{s}, Connect: 10 * time.Minute}
			if mode == "old-silent" { // the first half of the time has passed when it has the probe
				g.probe = func(ctx context.Context) (context.Context, context.CancelFunc) {
					ctx, cancel := context.WithCancel(ctx)
					go func() {
						for ctx.Err() == nil && !strings.Contains(notes(s), "server/discover") {
							time.Sleep(time.Millisecond)
						}
						cancel()
					}()
					return ctx, cancel
				}
			}
			all, r := opened(t, g)
			assert.Equal(t, `"gone"`, value(t, r, `(tool/s.go {})`))
			assert.Equal(t, "2024-11-05", all.all[0].conn.session.InitializeResult().ProtocolVersion)
			assert.True(t, strings.HasPrefix(notes(s), "started\nserver/discover\n"), notes(s))
			assert.Equal(t, mode != "old", all.all[0].legacy)
		})
	}
	all, _ := opened(t, Grant{Servers: []Server{command(t, "s", "sdk")}})
	assert.Equal(t, "2026-07-28", all.all[0].conn.session.InitializeResult().ProtocolVersion)
}

// TestGreeting has a server that prints lines before its first message, and one that prints nothing else.
func TestGreeting(t *testing.T) {
	_, r := opened(t, Grant{Servers: []Server{command(t, "s", "greets")}})
	assert.Equal(t, `"hi"`, value(t, r, `(tool/s.echo {:text "hi"})`))
	_, err := Open(t.Context(), Grant{Servers: []Server{command(t, "s", "chatters")}})
	require.ErrorContains(t, err, "Welcome to the server")
}

// TestProbeTime: a server that does not answer the probe has half of the time left for initialize.
func TestProbeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		probe, cancel := halfOf(ctx)
		defer cancel()
		<-probe.Done()
		require.Equal(t, 30*time.Second, time.Since(began))
		require.NoError(t, ctx.Err())
	})
}

// TestTimeout requires a call that is too late to be cancelled at the server.
func TestTimeout(t *testing.T) {
	t.Parallel() // it mostly waits
	s := command(t, "s", "sdk")
	s.Timeout = 500 * time.Millisecond
	_, r := opened(t, Grant{Servers: []Server{s}, Timeout: time.Hour})
	for !strings.Contains(notes(s), "begun slow") { // or the call was too late to reach the server
		_, err := run(t, r, `(tool/s.slow {})`)
		require.ErrorContains(t, err, "it took longer than 500ms")
	}
	awaitNote(t, s, "cancelled slow")
	assert.Equal(t, `"still here"`, value(t, r, `(tool/s.echo "still here")`))
}

// awaitNote waits until a server has noted something.
func awaitNote(t *testing.T, s Server, want string) {
	t.Helper()
	noted := func() bool { return strings.Contains(notes(s), want) }
	require.Eventually(t, noted, time.Minute, 10*time.Millisecond, want)
}

// notes returns the notes of a server.
func notes(s Server) string {
	text, _ := os.ReadFile(filepath.Join(s.Args[2], "notes"))
	return string(text)
}

// TestConcurrency checks that there are no more concurrent calls than the grant allows.
func TestConcurrency(t *testing.T) {
	s := command(t, "s", "sdk")
	s.Concurrency = 2
	_, r := opened(t, Grant{Servers: []Server{s}})
	assert.Equal(t, "2", value(t, r, `(apply max (map :busy (pmap (fn [_] (tool/s.busy {})) (range 12))))`))
}

func TestParseServer(t *testing.T) {
	for text, want := range map[string]Server{
		"a=cmd":                            {Name: "a", Command: "cmd", Args: []string{}},
		`a=cmd -x "two words" 'it''s' \ b`: {Name: "a", Command: "cmd", Args: []string{"-x", "two words", "its", " b"}},
		`a=./cmd x=1`:                      {Name: "a", Command: "dir/cmd", Args: []string{"x=1"}},
		"a-b_1=https://x.test/mcp?a=b":     {Name: "a-b_1", URL: "https://x.test/mcp?a=b"},
	} {
		got, err := ParseServer(text, "/dir")
		require.NoError(t, err, text)
		want.Command = strings.Replace(want.Command, "dir/", "/dir/", 1)
		assert.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"": "want NAME=COMMAND", "cmd": "want NAME=COMMAND", "a=": "want NAME=COMMAND", "a=  ": "want NAME=COMMAND",
		"=cmd": "got the name", "a.b=cmd": "got the name", "1=cmd": "got the name", "a=''": "want NAME=COMMAND",
		"a='b": "a quote is not closed", `a=b\`: "a quote is not closed", "a=https://": "want a url",
		strings.Repeat("a", 33) + "=cmd": "got the name",
	} {
		_, err := ParseServer(text, "")
		require.ErrorContains(t, err, want, text)
	}
}

func TestCredentials(t *testing.T) {
	s := Server{URL: "https://ann:hunter2@x.test/?key=s3cr3t-key", Env: map[string]string{"API_TOKEN": "t0k3n", "MODE": "production"},
		Header: map[string][]string{"Authorization": {"Bearer b34r3r"}, "Accept": {"x"}}, Secrets: []string{"expanded"}}
	assert.Equal(t, []string{"Bearer b34r3r", "b34r3r", "expanded", "hunter2", "s3cr3t-key", "t0k3n"}, s.Credentials())
	assert.Equal(t, "https://x.test/", s.shown())
}

// TestJSONOfTools requires the tools in a form that a journal keeps.
func TestJSONOfTools(t *testing.T) {
	_, r := opened(t, Grant{Servers: []Server{command(t, "s", "sdk")}})
	for _, known := range r.All() {
		text, err := json.Marshal(known.Describe())
		require.NoError(t, err)
		var d tool.Description
		require.NoError(t, json.Unmarshal(text, &d))
		require.NoError(t, new(tool.Registry).Add(d.StandIn()), known.Name())
	}
}
