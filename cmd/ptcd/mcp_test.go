//go:build unix

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/ptcdtest"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
)

// The revisions of the protocol that the tests speak: the newest, in which each request is independent, and
// one with sessions of the transport.
var revisions = []string{"", "2025-11-25"}

// withToken adds a bearer token to requests.
type withToken struct {
	token string
	base  http.RoundTripper
}

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.token)
	return w.base.RoundTrip(r)
}

// dialMCP returns a client of the protocol's SDK.
func dialMCP(t *testing.T, url, token, revision string, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	return dialBy(t, withToken{token, http.DefaultTransport}, url, revision, o)
}

func dialBy(t *testing.T, by withToken, url, revision string, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: by}},
		&sdk.ClientSessionOptions{ProtocolVersion: revision})
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// answered is an answer to run_program.
type answered struct {
	Status, Run, Session, Continuation, Next, Prints string
	Value                                            any
	Error                                            struct {
		Code, Message string
		Line          int
	}
	Written []struct{ Tool string }
	Pending []effect.Pending
	text    string
}

// tryProgram calls run_program.
func tryProgram(ctx context.Context, c *sdk.ClientSession, args map[string]any) (a answered, err error) {
	res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "run_program", Arguments: args})
	if err != nil {
		return a, err
	}
	a.text = res.Content[0].(*sdk.TextContent).Text
	text, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	return a, err
}

func program(t *testing.T, c *sdk.ClientSession, args map[string]any) answered {
	t.Helper()
	a, err := tryProgram(t.Context(), c, args)
	require.NoError(t, err)
	return a
}

// TestMCP runs programs of clients of the Model Context Protocol: they are runs of the service.
func TestMCP(t *testing.T) {
	c := newCounter(t)
	s := startService(t, t.TempDir(), append(c.flags(), "--serve-mcp", "--allow-exec", "echo", "--approval", "exec.run")...)
	for _, revision := range revisions {
		m := dialMCP(t, s.URL, s.Token, revision, nil)
		a := program(t, m, map[string]any{"program": `(println "hi") (* 2 data/n)`, "input": map[string]any{"n": 21}})
		require.Equal(t, "ok", a.Status, a.text)
		assert.Equal(t, 42.0, a.Value)
		assert.Equal(t, "hi\n", a.Prints)
		run, err := s.Get(t.Context(), a.Run)
		require.NoError(t, err)
		assert.Equal(t, store.Succeeded, run.State)
		assert.Equal(t, "42", string(run.Value))
		require.Eventually(t, func() bool { // the line follows the answer
			audit, _ := os.ReadFile(filepath.Join(s.Dir, access.AuditFile))
			return strings.Contains(string(audit), `"run":"`+a.Run+`"`)
		}, time.Minute, 10*time.Millisecond)

		a = program(t, m, map[string]any{"program": "(+ 1\n  nme)"})
		assert.Equal(t, "error", a.Status)
		assert.Equal(t, 2, a.Error.Line)
		a = program(t, m, map[string]any{"program": `(tool/http.post {:url "` + c.URL + `/?key=a` + revision + `" :body "x"}) (assert (= 1 2))`})
		assert.Equal(t, "error", a.Status)
		require.Len(t, a.Written, 1, a.text)
		assert.Equal(t, "http.post", a.Written[0].Tool)

		first := program(t, m, map[string]any{"program": "(+ 1 2)", "journal": "job" + revision})
		again := program(t, m, map[string]any{"program": "(+ 1 2)", "journal": "job" + revision})
		assert.Equal(t, first.Run, again.Run)
		other := program(t, m, map[string]any{"program": "(+ 1 3)", "journal": "job" + revision})
		assert.Contains(t, other.text, "key")

		a = program(t, m, map[string]any{"program": "(def x data/n)", "session": "new", "input": map[string]any{"n": 3}})
		require.Equal(t, "ok", a.Status, a.text)
		b := program(t, m, map[string]any{"program": "(inc x)", "session": a.Session})
		assert.Equal(t, 4.0, b.Value, b.text)
		b = program(t, m, map[string]any{"program": "1", "session": a.Session, "input": map[string]any{"n": 4}})
		assert.Contains(t, b.text, "a session keeps")
		require.NoError(t, s.EndSession(t.Context(), a.Session))
		b = program(t, m, map[string]any{"program": "(inc x)", "session": a.Session})
		assert.Contains(t, b.text, "no such session any more")
	}
	assert.Equal(t, 0, s.Stop())
}

// TestMCPPending makes calls that wait for an approval, by the person at the client or elsewhere.
func TestMCPPending(t *testing.T) {
	s := startService(t, t.TempDir(), "--serve-mcp", "--allow-exec", "echo", "--approval", "exec.run")
	call := map[string]any{"program": `[(ask {:question "Who?"}) (:out (tool/exec.run {:program "echo" :args ["it"]}))]`}
	for _, revision := range revisions {
		asked := 0
		m := dialMCP(t, s.URL, s.Token, revision, &sdk.ClientOptions{
			ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				asked++
				words := []any{"ann", "approve"}
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision_1": words[asked-1]}}, nil
			}})
		a := program(t, m, call)
		require.Equal(t, "ok", a.Status, a.text)
		assert.Equal(t, []any{"ann", "it\n"}, a.Value)
		assert.Equal(t, 2, asked)

		mute := dialMCP(t, s.URL, s.Token, revision, nil)
		a = program(t, mute, call)
		require.Equal(t, "pending", a.Status, a.text)
		a = program(t, mute, map[string]any{"continuation": a.Continuation, "answers": map[string]any{a.Pending[0].ID: "bob"}})
		require.Equal(t, "pending", a.Status, a.text)
		assert.Contains(t, a.Next, "ptc remote approve "+a.Run)
		again := program(t, mute, map[string]any{"continuation": a.Continuation})
		require.Equal(t, "pending", again.Status, again.text)
		s.settle(a.Run, effect.Settlement{ID: a.Pending[0].ID, As: effect.Approve})
		a = program(t, mute, map[string]any{"continuation": a.Continuation})
		require.Equal(t, "ok", a.Status, a.text)
		assert.Equal(t, []any{"bob", "it\n"}, a.Value)
	}
}

// TestMCPAccess checks that the tokens, tenants and origins of the service decide who may do what.
func TestMCPAccess(t *testing.T) {
	dir := t.TempDir()
	s := startService(t, dir, "--serve-mcp")
	ann, bob := tokenOf(t, dir, "--name", "ann", "--role", "submitter", "--tenant", "acme"),
		tokenOf(t, dir, "--name", "bob", "--role", "submitter", "--tenant", "other")
	viewer := tokenOf(t, dir, "--name", "vera", "--role", "viewer", "--tenant", "acme")
	for _, revision := range revisions {
		a := program(t, dialMCP(t, s.URL, ann, revision, nil), map[string]any{"program": `(ask {:question "Who?"})`})
		require.Equal(t, "pending", a.Status, a.text)
		run, err := s.Get(t.Context(), a.Run)
		require.NoError(t, err)
		assert.Equal(t, []string{"ann", "acme"}, []string{run.By, run.Tenant})
		stolen := program(t, dialMCP(t, s.URL, bob, revision, nil), map[string]any{"continuation": a.Continuation,
			"answers": map[string]any{a.Pending[0].ID: "bob"}})
		assert.Contains(t, stolen.text, "not one of this server for this caller")
	}
	for text, want := range map[string]int{"": 401, "wrong": 401, viewer: 403, ann: 0} {
		for _, method := range []string{http.MethodPost, http.MethodGet} {
			r, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/mcp", nil)
			require.NoError(t, err)
			if text != "" {
				r.Header.Set("Authorization", "Bearer "+text)
			}
			resp, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			resp.Body.Close()
			if want != 0 {
				assert.Equal(t, want, resp.StatusCode, "%s %.10s", method, text)
			} else {
				assert.NotContains(t, []int{401, 403, 404}, resp.StatusCode, "%s: it is not a message", method)
			}
			r.Header.Set("Origin", "https://evil.example")
			resp, err = http.DefaultClient.Do(r)
			require.NoError(t, err)
			resp.Body.Close()
			assert.Equal(t, 403, resp.StatusCode)
		}
	}
}

// TestMCPCancel cancels calls: a run without the name of a journal ends, and a run with a name continues.
func TestMCPCancel(t *testing.T) {
	c := newCounter(t)
	s := startService(t, t.TempDir(), append(c.flags(), "--serve-mcp")...)
	m := dialMCP(t, s.URL, s.Token, "", nil)
	ids := make(map[string]string)
	for _, name := range []string{"job", ""} {
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() {
			_, err := tryProgram(ctx, m, map[string]any{"program": `(:status (tool/http.get "` + c.URL + `/"))`, "journal": name})
			over <- err
		}()
		<-c.holds
		cancel()
		require.Error(t, <-over)
		page, err := s.Page(t.Context(), store.Query{Limit: 1})
		require.NoError(t, err)
		ids[name] = page.Runs[0].ID
	}
	assert.Equal(t, store.Cancelled, s.wait(ids[""]).State)
	close(c.hold)
	assert.Equal(t, store.Succeeded, s.wait(ids["job"]).State)
}

// TestMCPKilled kills the service while a program with the name of a journal runs: the same call follows
// the run, which continues and repeats no write.
func TestMCPKilled(t *testing.T) {
	c := newCounter(t)
	s := startService(t, t.TempDir(), append(c.flags(), "--serve-mcp")...)
	call := map[string]any{"journal": "job", "program": `(tool/http.post {:url "` + c.URL + `/?key=w" :body "x"}) (:status (tool/http.get "` +
		c.URL + `/"))`}
	for range 2 {
		m := dialMCP(t, s.URL, s.Token, "", nil)
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() {
			_, err := tryProgram(ctx, m, call)
			over <- err
		}()
		<-c.holds
		s.Kill()
		cancel()
		require.Error(t, <-over)
		s.Restart()
	}
	close(c.hold)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a, err := tryProgram(ctx, dialMCP(t, s.URL, s.Token, "", nil), call)
	require.NoError(t, err)
	require.Equal(t, "ok", a.Status, a.text)
	assert.Equal(t, 200.0, a.Value)
	c.mu.Lock()
	defer c.mu.Unlock()
	assert.Equal(t, map[string]int{"w": 1}, c.writes)
}

// TestMCPCluster begins a run at one node, and continues it at another after the first was killed.
func TestMCPCluster(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t)
	names := []string{"node1", "node2", "node3"}
	for _, name := range names {
		c.append(name+".yaml", "serve-mcp: true\n")
	}
	c.startAll()
	text, err := os.ReadFile(filepath.Join(c.dir, "ca", "ca.pem"))
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(text))
	token, err := os.ReadFile(filepath.Join(c.dir, ptcdtest.TokenFile))
	require.NoError(t, err)
	by := withToken{strings.TrimSpace(string(token)), &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	at := func(name string) *sdk.ClientSession { return dialBy(t, by, c.nodes[name].Ready(), "", nil) }
	for _, name := range names {
		assert.Equal(t, 3.0, program(t, at(name), map[string]any{"program": "(+ 1 2)"}).Value, name)
	}
	progressEverywhere(t, names, func(name string, o *sdk.ClientOptions) *sdk.ClientSession {
		return dialBy(t, by, c.nodes[name].Ready(), "", o)
	})
	a := program(t, at("node1"), map[string]any{"program": `(str "got " (ask {:question "Who?"}))`})
	require.Equal(t, "pending", a.Status, a.text)
	c.nodes["node1"].Kill()
	second := at("node2")
	require.Eventually(t, func() bool { // the run has no leader for a while
		b, err := tryProgram(t.Context(), second, map[string]any{"continuation": a.Continuation,
			"answers": map[string]any{a.Pending[0].ID: "ann"}})
		return err == nil && b.Status == "ok" && b.Value == "got ann"
	}, time.Minute, 100*time.Millisecond)
}

// progressEverywhere follows one run at each node: all report its progress, although only one leads it.
func progressEverywhere(t *testing.T, names []string, at func(name string, o *sdk.ClientOptions) *sdk.ClientSession) {
	ctx, cancel := context.WithCancel(t.Context())
	var followers sync.WaitGroup
	defer followers.Wait()
	defer cancel()
	var told []chan string
	for _, name := range names {
		messages := make(chan string, 1)
		told = append(told, messages)
		client := at(name, &sdk.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
				select {
				case messages <- r.Params.Message:
				default:
				}
			}})
		p := &sdk.CallToolParams{Name: "run_program", Arguments: map[string]any{"journal": "progress",
			"program": "(dotimes [_ 10000] (doall (pmap inc [1 2])) (Thread/sleep 20))"}}
		p.SetProgressToken(name)
		followers.Go(func() { client.CallTool(ctx, p) })
	}
	for i, name := range names {
		select {
		case message := <-told[i]:
			require.Contains(t, message, "elements", name)
		case <-time.After(time.Minute):
			t.Fatalf("%s tells nothing", name)
		}
	}
}
