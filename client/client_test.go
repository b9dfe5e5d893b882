package client_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/api"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// service is a service in this process, whose requests are those of an operator.
type service struct {
	*httptest.Server
	passed chan struct{} // receives a value for each call of tool/wait that may return
}

type waitArgs struct {
	Name string `json:"name"`
}

func newService(t *testing.T, o serve.Options) *service {
	t.Helper()
	s := &service{passed: make(chan struct{})}
	st, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	o.Store = st
	o.Run.Tools = &tool.Registry{}
	require.NoError(t, o.Run.Tools.Add(tool.New("job.wait", "Waits.", func(ctx context.Context, a waitArgs) (string, error) {
		select {
		case <-s.passed:
			return a.Name, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}, tool.ReadOnly()), tool.New("job.write", "Writes.", func(_ context.Context, a waitArgs) (string, error) {
		return a.Name, nil
	}, tool.NeedsApproval(nil))))
	engine, err := serve.New(t.Context(), o)
	require.NoError(t, err)
	handler := api.New(engine, api.Options{})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := access.Who{Name: "ann", Tenant: "default", Role: access.Operator}
		handler.ServeHTTP(w, r.WithContext(access.With(r.Context(), who)))
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		engine.Drain(ctx, 0)
		st.Close()
	})
	return s
}

// connect returns a client with its own connections.
func connect(t *testing.T, address string, o client.Options) *client.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	o.HTTPClient = &http.Client{Transport: transport}
	c, err := client.New(address, o)
	require.NoError(t, err)
	return c
}

// longWait is more than any answer takes on a slow machine.
const longWait = 4 * time.Minute

func TestRuns(t *testing.T) {
	ctx := t.Context()
	c := connect(t, newService(t, serve.Options{}).URL, client.Options{})
	sub := store.Submission{Name: "a.ptc", Source: `(println "hi") (+ 1 data/n)`, Data: []byte(`{"n": 2}`), Key: "k",
		Labels: map[string]string{"team": "a", "for": "b,c"}, Limits: limits.Limits{Steps: 1000, Timeout: 20 * time.Second}, Priority: effect.HighPriority}
	run, err := c.Submit(ctx, sub, longWait)
	require.NoError(t, err)
	assert.Equal(t, store.Succeeded, run.State, run.Text)
	assert.Equal(t, "3", string(run.Value))
	assert.Equal(t, sub.Limits.Timeout, run.Limits.Timeout)
	assert.Equal(t, effect.HighPriority, run.Priority)
	again, err := c.Submit(ctx, sub, 0)
	require.NoError(t, err)
	assert.Equal(t, run, again)
	sub.Source = "4"
	_, err = c.Submit(ctx, sub, 0)
	assert.ErrorIs(t, err, store.ErrKeyReused)

	for range 4 {
		_, err = c.Submit(ctx, store.Submission{Source: "1"}, longWait)
		require.NoError(t, err)
	}
	var ids []string
	for r, err := range c.List(ctx, store.Query{Limit: 2, States: []store.State{store.Succeeded, store.Failed},
		Since: run.Created, Until: time.Now().Add(time.Hour), Oldest: true}) {
		require.NoError(t, err)
		ids = append(ids, r.ID)
	}
	assert.Len(t, ids, 5)
	assert.IsIncreasing(t, ids)
	page, err := c.Page(ctx, store.Query{Labels: map[string]string{"team": "a", "for": "b,c"}, Tenant: "default"})
	require.NoError(t, err)
	assert.Len(t, page.Runs, 1)
	page, err = c.Page(ctx, store.Query{Labels: map[string]string{"team": "a", "for": "b"}})
	require.NoError(t, err)
	assert.Empty(t, page.Runs)
	for _, err := range c.List(ctx, store.Query{States: []store.State{"done"}}) {
		assert.ErrorIs(t, err, store.ErrInvalid)
	}

	result, err := c.Result(ctx, run.ID)
	require.NoError(t, err)
	assert.Equal(t, run.Result, result.Result)
	prints, err := c.Prints(ctx, run.ID, 1)
	require.NoError(t, err)
	assert.Equal(t, "i\n", prints)
	var journal, trace strings.Builder
	require.NoError(t, c.Journal(ctx, run.ID, &journal))
	assert.Contains(t, journal.String(), `"program":"a.ptc"`)
	require.NoError(t, c.Trace(ctx, run.ID, &trace))
	assert.Contains(t, trace.String(), "<html")
	_, err = c.Cancel(ctx, run.ID)
	assert.ErrorIs(t, err, store.ErrEnded)
	_, err = c.Resume(ctx, run.ID)
	assert.ErrorIs(t, err, store.ErrEnded)
	_, err = c.Get(ctx, "none/of this?")
	assert.ErrorIs(t, err, store.ErrNotFound)
	assert.ErrorContains(t, err, "there is no run")
}

// TestFailure requires the errors of programs as those of package ptc, with the lines of their source.
func TestFailure(t *testing.T) {
	ctx := t.Context()
	c := connect(t, newService(t, serve.Options{}).URL, client.Options{})
	_, err := c.Submit(ctx, store.Submission{Name: "a.ptc", Source: "(prn 1)\n(inc 1 2)"}, 0)
	var program *ptc.Error
	require.ErrorAs(t, err, &program)
	var text strings.Builder
	require.NoError(t, program.Render(&text, false))
	assert.Contains(t, text.String(), "2 | (inc 1 2)")
	_, err = c.PutProgram(ctx, "p", wire.NewVersion{Source: "(inc 1 2)"})
	require.ErrorAs(t, err, &program)
	assert.Equal(t, "p.ptc", program.Span.File.Name)

	run, err := c.Submit(ctx, store.Submission{Name: "a.ptc", Source: "(defn f [x]\n  (/ 1 x))\n(f 0)"}, longWait)
	require.NoError(t, err)
	failure, err := client.Failure(run)
	require.NoError(t, err)
	text.Reset()
	require.NoError(t, failure.Render(&text, false))
	assert.Equal(t, run.Text, text.String())
	none, err := client.Failure(store.Run{})
	assert.NoError(t, err)
	assert.Nil(t, none)
}

// TestSettle approves, refuses and answers the pending effects of runs.
func TestSettle(t *testing.T) {
	ctx := t.Context()
	c := connect(t, newService(t, serve.Options{}).URL, client.Options{})
	submit := func() store.Run {
		t.Helper()
		run, err := c.Submit(ctx, store.Submission{Source: `[(try (tool/job.write {:name "a"}) (catch Exception e (ex-message e)))
  (ask {:question "Which?" :options [1 2]})]`}, longWait)
		require.NoError(t, err)
		require.Equal(t, store.Waiting, run.State)
		return run
	}
	run := submit()
	for r, err := range c.Pending(ctx, "") {
		require.NoError(t, err)
		assert.Equal(t, run.ID, r.ID)
		assert.Equal(t, effect.PendingApproval, r.Pending[0].Kind)
	}
	_, err := c.Approve(ctx, run.ID, run.Pending[0].ID)
	require.NoError(t, err)
	run, err = c.Wait(ctx, run.ID)
	require.NoError(t, err)
	_, err = c.Answer(ctx, run.ID, run.Pending[0].ID, 3)
	assert.ErrorIs(t, err, store.ErrInvalid)
	_, err = c.Answer(ctx, run.ID, run.Pending[0].ID, func() {})
	assert.ErrorIs(t, err, &client.Error{Problem: wire.Problem{Code: client.CodeUsage}})
	_, err = c.Answer(ctx, run.ID, run.Pending[0].ID, 2)
	require.NoError(t, err)
	run, err = c.Wait(ctx, run.ID)
	require.NoError(t, err)
	assert.Equal(t, `["a",2]`, string(run.Value))
	_, err = c.Answer(ctx, run.ID, "0#2", 2)
	assert.Error(t, err)

	run = submit()
	_, err = c.Refuse(ctx, run.ID, "not now", "job.write")
	require.NoError(t, err)
	run, err = c.Wait(ctx, run.ID)
	require.NoError(t, err)
	_, err = c.Settle(ctx, run.ID, effect.Settlement{ID: run.Pending[0].ID, As: effect.Done, Result: json.RawMessage("1")})
	require.NoError(t, err)
	run, err = c.Wait(ctx, run.ID)
	require.NoError(t, err)
	assert.Equal(t, `["tool/job.write: not now",1]`, string(run.Value))

	run = submit()
	run, err = c.Cancel(ctx, run.ID)
	require.NoError(t, err)
	assert.Equal(t, store.Cancelled, run.State)
}

// TestPrograms uses programs, tools and policies.
func TestPrograms(t *testing.T) {
	ctx := t.Context()
	c := connect(t, newService(t, serve.Options{}).URL, client.Options{})
	for _, name := range []string{"deploy", "a/b c", "deploy"} {
		_, err := c.PutProgram(ctx, name, wire.NewVersion{Source: "(+ 1 2)", Doc: "Adds."})
		require.NoError(t, err)
	}
	var refs []string
	for p, err := range c.Programs(ctx) {
		require.NoError(t, err)
		refs = append(refs, p.Ref())
	}
	assert.Equal(t, []string{"a/b c@1", "deploy@2"}, refs)
	p, err := c.Program(ctx, "deploy@1")
	require.NoError(t, err)
	assert.Equal(t, 1, p.Version)
	p, err = c.Program(ctx, "a/b c")
	require.NoError(t, err)
	assert.Equal(t, "(+ 1 2)", p.Source)
	_, err = c.Program(ctx, "deploy@x")
	assert.ErrorContains(t, err, "want name or name@version")
	versions, err := c.ProgramVersions(ctx, "deploy")
	require.NoError(t, err)
	assert.Len(t, versions, 2)
	run, err := c.Submit(ctx, store.Submission{Program: "deploy"}, longWait)
	require.NoError(t, err)
	assert.Equal(t, "deploy@2", run.Program)
	assert.Equal(t, "3", run.Text)

	tools, err := c.Tools(ctx)
	require.NoError(t, err)
	assert.Equal(t, "job.wait", tools.Tools[0].Name)
	assert.Equal(t, effect.ReadOnly, tools.Tools[0].Class)
	assert.NotEmpty(t, tools.Tools[0].Args)
	text, err := c.CheckPolicies(ctx, "actions: {job.wait: {concurrency: 1}}")
	require.NoError(t, err)
	set, err := c.SetPolicies(ctx, text)
	require.NoError(t, err)
	now, err := c.Policies(ctx)
	require.NoError(t, err)
	assert.Equal(t, []string{text, text}, []string{set, now})
	_, err = c.CheckPolicies(ctx, "actions: 7")
	assert.ErrorContains(t, err, "actions")
	stats, err := c.Ready(ctx)
	require.NoError(t, err)
	assert.Zero(t, stats.Running)
}

// TestQueues uses queues and executions.
func TestQueues(t *testing.T) {
	ctx := t.Context()
	c := connect(t, newService(t, serve.Options{}).URL, client.Options{})
	_, err := c.SetPolicies(ctx, "actions: {job.wait: {concurrency: 1}}")
	require.NoError(t, err)
	first, err := c.BeginExecution(ctx, "job.wait", wire.NewExecution{Name: "mine"}, longWait)
	require.NoError(t, err)
	second, err := c.BeginExecution(ctx, "job.wait", wire.NewExecution{}, 0)
	require.NoError(t, err)
	assert.Equal(t, queue.Waiting, second.State)
	stats, err := c.QueueStats(ctx, "job.wait")
	require.NoError(t, err)
	assert.Equal(t, []int{1, 1}, []int{stats.Active, stats.Waiting})
	var names []string
	for x, err := range c.Executions(ctx, "job.wait") {
		require.NoError(t, err)
		names = append(names, x.Name)
	}
	require.Len(t, names, 2)
	_, err = c.CompleteExecution(ctx, first.ID, effect.Succeeded)
	require.NoError(t, err)
	second, err = c.Execution(ctx, second.ID, longWait)
	require.NoError(t, err)
	assert.Equal(t, queue.Active, second.State)
	third, err := c.BeginExecution(ctx, "job.wait", wire.NewExecution{}, 0)
	require.NoError(t, err)
	for x, err := range c.Executions(ctx, "job.wait") {
		require.NoError(t, err)
		if x.State == queue.Waiting {
			require.NoError(t, c.CancelExecution(ctx, "job.wait", x.Name))
		}
	}
	third, err = c.Execution(ctx, third.ID, longWait)
	require.NoError(t, err)
	assert.Equal(t, queue.Ended, third.State)
	n, err := c.ClearQueue(ctx, "job.wait")
	require.NoError(t, err)
	assert.Zero(t, n)
	var actions []string
	for a, err := range c.Actions(ctx) {
		require.NoError(t, err)
		actions = append(actions, a.Action)
	}
	assert.Equal(t, []string{"job.wait", "job.write"}, actions)
	_, err = c.Guards(ctx, 10)
	require.NoError(t, err)
}

// TestOptions requires options that make no sense to be refused, with the reason.
func TestOptions(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for want, c := range map[string]struct {
		address string
		o       client.Options
	}{
		"want one such as https://ptc.example.com":  {"ptc.example.com:80", client.Options{}},
		"want it without a user":                    {"https://u:secret@ptc.example.com", client.Options{}},
		"without a user, a query":                   {"https://a?", client.Options{}},
		"want one of them":                          {"https://a", client.Options{Token: "t", TokenFile: empty}},
		"want one with a token":                     {"https://a", client.Options{TokenFile: empty}},
		"want one line with a token":                {"https://a", client.Options{Token: "a\nb"}},
		"which would end streams":                   {"https://a", client.Options{HTTPClient: &http.Client{Timeout: 1}}},
		"HTTPClient and certificates":               {"https://a", client.Options{HTTPClient: &http.Client{}, CAFile: empty}},
		"want certificates as PEM":                  {"https://a", client.Options{CAFile: empty}},
		"want a certificate and its key":            {"https://a", client.Options{CertFile: empty}},
		"the certificate of the client can't be":    {"https://a", client.Options{CertFile: empty, KeyFile: empty}},
		"the certificates of authorities can't be ": {"https://a", client.Options{CAFile: "none"}},
	} {
		_, err := client.New(c.address, c.o)
		assert.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "secret")
	}
	_, err := client.New("https://a", client.Options{TokenFile: "none"})
	assert.ErrorIs(t, err, os.ErrNotExist)
}
