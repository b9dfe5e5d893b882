package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/api"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a server of the API whose requests are those of an operator.
type fixture struct {
	t      *testing.T
	server *httptest.Server
	engine *serve.Engine
	doc    *document
}

// minority is a store of a cluster that does not find the run "minority".
type minority struct{ store.Store }

// noMajority is the error of a node that reaches no majority of its cluster.
type noMajority struct{}

func (noMajority) Error() string     { return "no majority of the members can be reached" }
func (noMajority) Unavailable() bool { return true }

func (m minority) Get(ctx context.Context, id string) (store.Run, error) {
	if id == "minority" {
		return store.Run{}, fmt.Errorf("a read: %w", noMajority{})
	}
	return m.Store.Get(ctx, id)
}

func newFixture(t *testing.T, o serve.Options) *fixture {
	t.Helper()
	st, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	o.Store = minority{st}
	engine, err := serve.New(t.Context(), o)
	require.NoError(t, err)
	schedules, err := schedule.New(t.Context(), engine, schedule.Options{Store: st})
	require.NoError(t, err)
	handler := api.New(engine, api.Options{Version: "test", MaxBody: 1 << 20, Schedules: schedules})
	f := &fixture{t: t, engine: engine, doc: read(t, handler.OpenAPI())}
	f.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := access.Who{Name: "ann", Tenant: "default", Role: access.Operator}
		handler.ServeHTTP(w, r.WithContext(access.With(r.Context(), who)))
	}))
	t.Cleanup(func() {
		f.server.CloseClientConnections()
		f.server.Close()
		http.DefaultClient.CloseIdleConnections()
		schedules.Close()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		engine.Drain(ctx, 0)
		st.Close()
	})
	return f
}

// do makes a request, and wants the response to match the schema of the document.
func (f *fixture) do(method, path, body string) (int, http.Header, []byte) {
	f.t.Helper()
	req, err := http.NewRequestWithContext(f.t.Context(), method, f.server.URL+path, strings.NewReader(body))
	require.NoError(f.t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(f.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(f.t, err)
	f.doc.check(f.t, method, path, resp, text)
	return resp.StatusCode, resp.Header, text
}

// want is do for a request whose status is known. It decodes the response.
func (f *fixture) want(status int, method, path, body string, out any) http.Header {
	f.t.Helper()
	got, header, text := f.do(method, path, body)
	require.Equal(f.t, status, got, "%s %s: %s", method, path, text)
	if out != nil {
		require.NoError(f.t, json.Unmarshal(text, out))
	}
	return header
}

// problem wants a request to be refused with a code.
func (f *fixture) problem(status int, code, method, path, body string) api.Problem {
	f.t.Helper()
	var p api.Problem
	header := f.want(status, method, path, body, &p)
	assert.Equal(f.t, "application/problem+json", header.Get("Content-Type"))
	assert.Equal(f.t, code, p.Code, p.Detail)
	assert.Equal(f.t, status, p.Status)
	assert.Equal(f.t, http.StatusText(status), p.Title)
	assert.NotEmpty(f.t, p.Detail)
	return p
}

func TestRuns(t *testing.T) {
	f := newFixture(t, serve.Options{})
	var run store.Run
	header := f.want(201, "POST", "/v1/runs?wait=30s",
		`{"source": "(println data/n) (inc data/n)", "data": {"n": 1}, "labels": {"team": "a", "for": "b,c=d"}, "key": "k"}`, &run)
	assert.Equal(t, store.Succeeded, run.State)
	assert.Equal(t, "2", string(run.Value))
	assert.Equal(t, "/v1/runs/"+run.ID, header.Get("Location"))
	var again store.Run
	f.want(200, "POST", "/v1/runs", `{"source": "(println data/n) (inc data/n)", "data": {"n": 1}, "key": "k",
		"labels": {"team": "a", "for": "b,c=d"}}`, &again)
	assert.Equal(t, run, again)
	f.problem(409, "key-reused", "POST", "/v1/runs", `{"source": "2", "key": "k"}`)

	f.want(200, "GET", "/v1/runs/"+run.ID, "", &again)
	assert.Equal(t, run, again)
	var result wire.Result
	f.want(200, "GET", "/v1/runs/"+run.ID+"/result", "", &result)
	assert.Equal(t, run.Result, result.Result)
	var page store.Page
	for query, n := range map[string]int{"": 1, "?label=team=a": 1, "?label=team=b": 0, "?state=succeeded,failed": 1,
		"?state=failed": 0, "?state=failed&state=succeeded": 1, "?label=team=a&label=for=b,c=d": 1, "?label=team=a&label=for=b": 0,
		"?label=team=a&label=team=a": 1, "?since=2100-01-01T00:00:00Z": 0, "?tenant=default&limit=1&oldest=true": 1} {
		f.want(200, "GET", "/v1/runs"+query, "", &page)
		assert.Len(t, page.Runs, n, query)
	}
	_, header, text := f.do("GET", "/v1/runs/"+run.ID+"/journal", "")
	assert.Contains(t, header.Get("Content-Disposition"), run.ID)
	assert.Contains(t, string(text), `"source":"(println data/n) (inc data/n)"`)
	_, header, text = f.do("GET", "/v1/runs/"+run.ID+"/trace", "")
	assert.Contains(t, header.Get("Content-Security-Policy"), "sandbox")
	assert.Contains(t, string(text), "<html")
	f.problem(409, "run-ended", "POST", "/v1/runs/"+run.ID+"/cancel", "")
	f.problem(409, "run-ended", "POST", "/v1/runs/"+run.ID+"/resume", "")
}

// TestKeys requires the key of a submission in the body, in the header, or the same one in both.
func TestKeys(t *testing.T) {
	f := newFixture(t, serve.Options{})
	for _, c := range []struct {
		body, header string
		status       int
	}{{`{"source": "1"}`, "k", 201}, {`{"source": "1", "key": "k"}`, "", 200}, {`{"source": "1", "key": "k"}`, "k", 200},
		{`{"source": "1", "key": "k"}`, "other", 422}} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", f.server.URL+"/v1/runs", strings.NewReader(c.body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", c.header)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, c.status, resp.StatusCode, "%s with %q", c.body, c.header)
	}
}

// TestPrints requires the prints of a run from any place, and the tools with their schemas.
func TestPrints(t *testing.T) {
	f := newFixture(t, serve.Options{})
	var run store.Run
	f.want(201, "POST", "/v1/runs?wait=30s", `{"source": "(println \"äb\") (println \"c\")"}`, &run)
	for after, want := range map[string]string{"": "äb\nc\n", "?after=4": "c\n", "?after=6": "", "?after=100": ""} {
		status, header, text := f.do("GET", "/v1/runs/"+run.ID+"/prints"+after, "")
		assert.Equal(t, 200, status)
		assert.Equal(t, "text/plain; charset=utf-8", header.Get("Content-Type"))
		assert.Equal(t, want, string(text), after)
	}
	f.problem(404, "not-found", "GET", "/v1/runs/none/prints", "")
	f.problem(422, "invalid", "GET", "/v1/runs/"+run.ID+"/prints?after=-1", "")
	f.want(201, "POST", "/v1/runs?wait=30s", `{"source": "(println \"asks\") (ask {:question \"Which?\"})"}`, &run)
	require.Equal(t, store.Waiting, run.State)
	_, _, text := f.do("GET", "/v1/runs/"+run.ID+"/prints", "")
	assert.Equal(t, "asks\n", string(text))
	var tools wire.Tools
	f.want(200, "GET", "/v1/tools", "", &tools)
	assert.Equal(t, wire.Tools{Tools: []tool.Description{}}, tools)
}

// TestProblems requires each mistake to have its status and its code.
func TestProblems(t *testing.T) {
	f := newFixture(t, serve.Options{Running: 1, Queued: 1})
	f.problem(422, "invalid", "POST", "/v1/runs", `{}`)
	f.problem(422, "invalid", "POST", "/v1/runs?wait=1y", `{"source": "1"}`)
	f.problem(422, "invalid", "POST", "/v1/runs", `{"source": "1", "priority": "urgent"}`)
	f.problem(422, "invalid", "POST", "/v1/runs", `{"source": "1", "data": [1]}`)
	f.problem(422, "invalid", "POST", "/v1/runs", `{"source": "1", "limits": {"memory": 1}}`)
	f.problem(422, "invalid", "POST", "/v1/runs", `{"source": "1", "labels": {"a=b": "c"}}`)
	f.problem(404, "not-found", "POST", "/v1/runs", `{"program": "none"}`)
	p := f.problem(422, "invalid", "POST", "/v1/runs", `{"source": 1, "sauce": 2}`)
	assert.ElementsMatch(t, []wire.Detail{{Location: "body.source", Message: "expected string"},
		{Location: "body.sauce",
			Message: "unexpected property, want one of data, key, labels, limits, name, nodes, priority, program, source"}}, p.Errors)
	p = f.problem(422, "invalid", "POST", "/v1/runs", `{"source": "1", "limits": {"timeout": 5, "wokers": 2}}`)
	require.Len(t, p.Errors, 2)
	assert.Contains(t, p.Errors, wire.Detail{Location: "body.limits.timeout", Message: `expected string: run time, such as "30s"`})
	p = f.problem(422, "invalid", "POST", "/v1/runs", `{"source": "1", "limits": {"timeout": "soon"}}`)
	assert.Contains(t, p.Detail, `body: limits: timeout is "soon", want a time such as "30s"`)
	many := &strings.Builder{}
	for i := range 1000 {
		fmt.Fprintf(many, `"x%d": 1, `, i)
	}
	p = f.problem(422, "invalid", "POST", "/v1/runs", "{"+many.String()+`"source": "1"}`)
	assert.Len(t, p.Errors, 10)
	p = f.problem(422, "unknown-name", "POST", "/v1/runs", `{"source": "\n (prinln 1)"}`)
	assert.Contains(t, string(p.Program), `"line":2`)
	assert.Contains(t, string(p.Program), "println?")
	f.problem(400, "bad-request", "POST", "/v1/runs", `{"source":`)
	f.problem(413, "body-too-large", "POST", "/v1/runs", `{"source": "`+strings.Repeat(" ", 2<<20)+`"}`)
	f.problem(422, "invalid", "GET", "/v1/runs?limit=2000", "")
	f.problem(422, "invalid", "GET", "/v1/runs?state=done", "")
	f.problem(422, "invalid", "GET", "/v1/runs?page=2", "")
	f.problem(422, "invalid", "GET", "/v1/runs?label=a", "")
	f.problem(422, "invalid", "GET", "/v1/runs?label=a=b&label=a=c", "")
	f.problem(404, "not-found", "GET", "/v1/runs/none", "")
	p = f.problem(503, "unavailable", "GET", "/v1/runs/minority", "")
	assert.Contains(t, p.Detail, "no majority")
	f.problem(404, "not-found", "GET", "/v1/none", "")
	f.problem(405, "method-not-allowed", "DELETE", "/v1/runs", "")

	var first store.Run
	f.want(201, "POST", "/v1/runs", `{"source": "(Thread/sleep 60000)"}`, &first)
	f.problem(409, "run-not-ended", "GET", "/v1/runs/"+first.ID+"/result", "")
	f.want(201, "POST", "/v1/runs", `{"source": "2"}`, nil)
	f.problem(429, "full", "POST", "/v1/runs", `{"source": "3"}`)
	f.want(200, "POST", "/v1/runs/"+first.ID+"/cancel", "", &first)
	assert.Equal(t, store.Cancelled, first.State)
}

func TestPrograms(t *testing.T) {
	f := newFixture(t, serve.Options{})
	var p wire.Checked
	f.want(200, "PUT", "/v1/programs/deploy", `{"source": "(let [x 1] data/host)", "doc": "Deploys."}`, &p)
	assert.Equal(t, 1, p.Version)
	assert.Contains(t, string(p.Warnings), "unused")
	assert.JSONEq(t, `{"tools": [], "anyTool": false}`, string(p.Effects))
	f.want(200, "PUT", "/v1/programs/deploy", `{"source": "(str data/host 2)", "version": 2}`, &p)
	f.problem(409, "version-conflict", "PUT", "/v1/programs/deploy", `{"source": "3", "version": 2}`)
	f.problem(422, "syntax-error", "PUT", "/v1/programs/deploy", `{"source": "("}`)
	f.problem(422, "invalid", "PUT", "/v1/programs/a@b", `{"source": "1"}`)
	var all struct{ Programs []wire.Program }
	f.want(200, "GET", "/v1/programs", "", &all)
	require.Len(t, all.Programs, 1)
	assert.Equal(t, 2, all.Programs[0].Version)
	f.want(200, "GET", "/v1/programs/deploy/versions", "", &all)
	assert.Len(t, all.Programs, 2)
	f.want(200, "GET", "/v1/programs/deploy/versions/1", "", &p)
	assert.Equal(t, "Deploys.", p.Doc)
	f.want(200, "GET", "/v1/programs/deploy", "", &p)
	assert.Equal(t, "(str data/host 2)", p.Source)
	f.problem(404, "not-found", "GET", "/v1/programs/deploy/versions/3", "")
	var run store.Run
	f.want(201, "POST", "/v1/runs?wait=30s", `{"program": "deploy@2", "data": {"host": "web"}}`, &run)
	assert.Equal(t, `"web2"`, string(run.Value))
	assert.Equal(t, "deploy@2", run.Program)
}

func TestPending(t *testing.T) {
	f := newFixture(t, serve.Options{})
	var run store.Run
	f.want(201, "POST", "/v1/runs?wait=30s", `{"source": "(ask {:question \"Go on?\" :data {:hosts 14} :options [\"yes\" \"no\"]})"}`, &run)
	require.Equal(t, store.Waiting, run.State)
	require.Len(t, run.Pending, 1)
	var page store.Page
	f.want(200, "GET", "/v1/pending", "", &page)
	require.Len(t, page.Runs, 1)
	assert.Equal(t, run.Pending, page.Runs[0].Pending)
	path, id := "/v1/runs/"+run.ID+"/settle", run.Pending[0].ID
	f.problem(422, "invalid", "POST", path, `{"settlements": []}`)
	f.problem(422, "invalid", "POST", path, `{"settlements": [{"id": "`+id+`", "as": "approve"}]}`)
	f.problem(422, "invalid", "POST", path, `{"settlements": [{"id": "`+id+`", "as": "done", "result": "perhaps"}]}`)
	f.problem(409, "not-pending", "POST", path, `{"settlements": [{"id": "0#9", "as": "done", "result": "yes"}]}`)
	// every field of a failure is optional: this one is refused for its id only
	f.problem(409, "not-pending", "POST", path, `{"settlements": [{"id": "0#9", "as": "failed", "failure": {"message": "x"}}]}`)
	f.want(200, "POST", path, `{"settlements": [{"id": "`+id+`", "as": "done", "result": "yes"}]}`, nil)
	require.Eventually(t, func() bool {
		f.want(200, "GET", "/v1/runs/"+run.ID, "", &run)
		return run.State == store.Succeeded
	}, time.Minute, 10*time.Millisecond)
	assert.Equal(t, `"yes"`, string(run.Value))
	f.problem(409, "run-ended", "POST", path, `{"settlements": [{"id": "`+id+`", "as": "done", "result": "yes"}]}`)
	f.want(200, "GET", "/v1/pending", "", &page)
	assert.Empty(t, page.Runs)
}

// TestSlowClient checks that a client that reads no events delays neither the run nor the service.
func TestSlowClient(t *testing.T) {
	f := newFixture(t, serve.Options{})
	var run store.Run
	f.want(201, "POST", "/v1/runs", `{"source": "(Thread/sleep 200) (dotimes [i 3000] (println (apply str (repeat 300 \"x\")))) 1"}`, &run)
	u, err := url.Parse(f.server.URL)
	require.NoError(t, err)
	conn, err := net.Dial("tcp", u.Host)
	require.NoError(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "GET /v1/runs/%s/events HTTP/1.1\r\nHost: x\r\n\r\n", run.ID)
	resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil) // and reads nothing more
	require.NoError(t, err)
	defer resp.Body.Close()
	for range 10 { // the race detector makes 3,000 lines slow
		f.want(200, "GET", "/v1/runs/"+run.ID+"?wait=30s", "", &run)
		if run.State.Final() {
			break
		}
	}
	assert.Equal(t, store.Succeeded, run.State, run.Text)
}

// TestStream requires the form of server-sent events, with a comment line at most every 15 s.
func TestStream(t *testing.T) {
	f := newFixture(t, serve.Options{})
	var run store.Run
	f.want(201, "POST", "/v1/runs?wait=30s", `{"source": "1"}`, &run)
	resp, err := http.Get(f.server.URL + "/v1/runs/" + run.ID + "/events")
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	assert.Equal(t, "id: 4294967297\nevent: state\ndata: {\"state\":\"running\",\"attempts\":1,\"revision\":1}\n\n"+
		"id: 8589934592\nevent: state\ndata: {\"state\":\"succeeded\",\"attempts\":1,\"revision\":2}\n\n", string(text))
}

// TestSilentStream requires the headers of a stream before its first event: a client that connects again to
// a run on which nothing happens learns that the service lives.
func TestSilentStream(t *testing.T) {
	f := newFixture(t, serve.Options{})
	var run store.Run
	f.want(201, "POST", "/v1/runs", `{"source": "(Thread/sleep 600000)"}`, &run)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", f.server.URL+"/v1/runs/"+run.ID+"/events", nil)
	require.NoError(t, err)
	req.Header.Set("Last-Event-ID", strconv.FormatUint(2<<32-1, 10)) // after all of the first attempt
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, 200, resp.StatusCode)
	f.want(200, "POST", "/v1/runs/"+run.ID+"/cancel", "", nil) // it has not ended
}

func TestHealth(t *testing.T) {
	f := newFixture(t, serve.Options{Memory: 1 << 30})
	f.want(200, "GET", "/healthz", "", nil)
	var stats wire.Stats
	f.want(200, "GET", "/readyz", "", &stats)
	assert.Equal(t, wire.Stats{Most: 1 << 30}, stats)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, f.engine.Drain(ctx, 0))
	f.problem(503, "draining", "GET", "/readyz", "")
	f.problem(503, "draining", "POST", "/v1/runs", `{"source": "1"}`)
	f.want(200, "GET", "/healthz", "", nil)
}

// FuzzSubmit requires any body to be answered with a status of the table, and never with 500.
func FuzzSubmit(f *testing.F) {
	for _, seed := range []string{`{"source": "1"}`, `{"source": "(", "data": {"a": [1, null]}}`, `{"limits": {"memory": -1}}`, `[]`, `{`,
		`{"source": "1", "labels": {"": ""}, "key": "\u0000"}`, `{"program": "a@1"}`, `{"source": "1", "name": "` + strings.Repeat("n", 300) + `"}`} {
		f.Add(seed)
	}
	st, err := dir.Open(f.TempDir())
	require.NoError(f, err)
	engine, err := serve.New(f.Context(), serve.Options{Store: st})
	require.NoError(f, err)
	f.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		engine.Drain(ctx, 0)
		st.Close()
	})
	handler := api.New(engine, api.Options{})
	who := access.Who{Name: "ann", Tenant: "default", Role: access.Submitter}
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest("POST", "/v1/runs?wait=1s", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r.WithContext(access.With(r.Context(), who)))
		switch w.Code {
		case 200, 201, 400, 404, 409, 413, 422, 429:
		default:
			t.Errorf("got the status %d: %s", w.Code, w.Body)
		}
	})
}
