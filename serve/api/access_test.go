package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/api"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
)

// The identities of the matrix, in the order of its columns. Runs are of the tenant acme. An operator is of another
// tenant than the run.
var columns = []string{"viewer", "submitter", "operator", "viewer of other", "submitter of other"}

// open is the row of an operation that needs no token.
var open = []int{200, 200, 200, 200, 200}

// row has the status with which an operation answers each identity of columns. A request without a valid
// token gets 401, unless the row is open.
type row struct {
	body string
	want []int
}

// matrix has each operation of the OpenAPI document, and the endpoints beside it. RUN is a run of acme that has ended,
// and hello a program. A new operation needs a row, and probably a rule in access.Rules.
var matrix = map[string]row{
	"GET /healthz":      {"", open},
	"GET /readyz":       {"", open},
	"GET /openapi.json": {"", open},

	"POST /v1/runs":               {`{"source": "(+ 1 2)"}`, []int{403, 201, 201, 403, 201}},
	"GET /v1/runs":                {"", []int{200, 200, 200, 200, 200}},
	"GET /v1/runs?tenant=acme":    {"", []int{200, 200, 200, 403, 403}},
	"GET /v1/runs/{id}":           {"", []int{200, 200, 200, 404, 404}},
	"GET /v1/runs/{id}/result":    {"", []int{200, 200, 200, 404, 404}},
	"GET /v1/runs/{id}/journal":   {"", []int{200, 200, 200, 404, 404}},
	"GET /v1/runs/{id}/trace":     {"", []int{200, 200, 200, 404, 404}},
	"GET /v1/runs/{id}/events":    {"", []int{200, 200, 200, 404, 404}},
	"GET /v1/runs/{id}/prints":    {"", []int{200, 200, 200, 404, 404}},
	"GET /v1/runs/{id}/units":     {"", []int{200, 200, 200, 404, 404}},
	"POST /v1/runs/{id}/cancel":   {"", []int{403, 409, 409, 403, 404}},
	"POST /v1/runs/{id}/resume":   {"", []int{403, 409, 409, 403, 404}},
	"POST /v1/runs/{id}/settle":   {`{"settlements": [{"id": "0#1", "as": "approve"}]}`, []int{403, 409, 409, 403, 404}},
	"GET /v1/pending":             {"", []int{200, 200, 200, 200, 200}},
	"GET /v1/pending?tenant=acme": {"", []int{200, 200, 200, 403, 403}},

	"GET /v1/programs":                           {"", []int{200, 200, 200, 200, 200}},
	"GET /v1/programs/{name}":                    {"", []int{200, 200, 200, 200, 200}},
	"GET /v1/programs/{name}/versions":           {"", []int{200, 200, 200, 200, 200}},
	"GET /v1/programs/{name}/versions/{version}": {"", []int{200, 200, 200, 200, 200}},
	"PUT /v1/programs/{name}":                    {`{"source": "(+ 3 4)"}`, []int{403, 403, 200, 403, 403}},

	"GET /v1/tools": {"", []int{200, 200, 200, 200, 200}},

	"GET /v1/actions":                                      {"", []int{200, 200, 200, 200, 200}},
	"GET /v1/actions/{ref}/queue-stats":                    {"", []int{200, 200, 200, 200, 200}},
	"GET /v1/actions/{ref}/executions":                     {"", []int{403, 403, 200, 403, 403}},
	"POST /v1/actions/{ref}/executions/{execution}/cancel": {"", []int{403, 403, 404, 403, 403}},
	"POST /v1/actions/{ref}/clear":                         {"", []int{403, 403, 200, 403, 403}},
	"POST /v1/actions/{ref}/executions":                    {`{"lease": "1ms"}`, []int{403, 201, 201, 403, 201}},
	"GET /v1/executions/{id}":                              {"", []int{200, 200, 200, 404, 404}},
	"POST /v1/executions/{id}/complete":                    {`{"outcome": "success"}`, []int{403, 409, 409, 403, 404}},
	"GET /v1/guards":                                       {"", []int{403, 403, 200, 403, 403}},
	"GET /v1/policies":                                     {"", []int{200, 200, 200, 200, 200}},
	"PUT /v1/policies":                                     {`{"text": "actions: {exec.run: {concurrency: 3}}"}`, []int{403, 403, 200, 403, 403}},
	"POST /v1/policies/validate":                           {`{"text": ""}`, []int{200, 200, 200, 200, 200}},

	// The service is no node of a cluster.
	"GET /v1/cluster":                       {"", []int{404, 404, 404, 404, 404}},
	"POST /v1/cluster/tokens":               {`{"node": "node4"}`, []int{403, 403, 404, 403, 403}},
	"POST /v1/cluster/members/{node}/drain": {`{"draining": true}`, []int{403, 403, 404, 403, 403}},
	"DELETE /v1/cluster/members/{node}":     {"", []int{403, 403, 404, 403, 403}},
	"POST /v1/cluster/step-down":            {`{"duty": "engine"}`, []int{403, 403, 404, 403, 403}},
	"POST /v1/cluster/rebalance":            {"", []int{403, 403, 404, 403, 403}},

	// The schedule hello is of the submitter of acme; the tenant of a request is its own by default.
	"GET /v1/schedules":                         {"", []int{200, 200, 200, 200, 200}},
	"GET /v1/schedules?tenant=acme":             {"", []int{200, 200, 200, 403, 403}},
	"GET /v1/schedules/{name}":                  {"", []int{200, 200, 404, 404, 404}},
	"GET /v1/schedules/{name}?tenant=acme":      {"", []int{200, 200, 200, 404, 404}},
	"PUT /v1/schedules/{name}":                  {`{"cron": "x", "run": {"source": "1"}}`, []int{403, 422, 422, 403, 422}},
	"PUT /v1/schedules/{name}?tenant=acme":      {hello, []int{403, 200, 200, 403, 403}},
	"POST /v1/schedules/{name}/run":             {"", []int{403, 201, 404, 403, 404}},
	"POST /v1/schedules/{name}/run?tenant=acme": {"", []int{403, 201, 201, 403, 404}},
	"DELETE /v1/schedules/{name}":               {"", []int{403, 404, 404, 403, 404}}, // of one that there is not

	// The session is of the submitter of acme.
	"POST /v1/sessions":           {`{"limits": {"memory": 2000000, "workers": 1, "workerMemory": 2000000}}`, []int{403, 201, 201, 403, 201}},
	"GET /v1/sessions":            {"", []int{403, 200, 200, 403, 200}},
	"GET /v1/sessions/{id}":       {"", []int{403, 200, 200, 403, 410}},
	"POST /v1/sessions/{id}/eval": {`{"source": "(+ 1 2)"}`, []int{403, 200, 410, 403, 410}},
	"DELETE /v1/sessions/{id}":    {"", []int{403, 410, 410, 403, 410}}, // of one that there is not

	// The service serves no clients of MCP; cmd/ptcd tests one that does.
	"POST /mcp": {`{}`, []int{403, 404, 404, 403, 404}},
	"GET /mcp":  {"", []int{403, 404, 404, 403, 404}},

	"GET /v1/none":       {"", []int{403, 403, 404, 403, 403}},
	"DELETE /v1/runs":    {"", []int{403, 403, 405, 403, 403}},
	"GET /debug/pprof/":  {"", []int{403, 403, 404, 403, 403}}, // of cmd/ptcd
	"OPTIONS /v1/runs":   {"", []int{403, 403, 405, 403, 403}},
	"HEAD /v1/runs/{id}": {"", []int{200, 200, 200, 404, 404}},
	"GET /v1//runs":      {"", []int{307, 307, 307, 307, 307}}, // to /v1/runs
	"PUT /v1/../v1/runs": {"", []int{403, 403, 307, 403, 403}},
}

const hello = `{"cron": "@yearly", "run": {"program": "hello"}, "overlap": "allow"}`

// gated is an API behind a gate, with a run of acme and tokens.
type gated struct {
	t       *testing.T
	api     *api.API
	handler http.Handler
	tokens  map[string]string
	run     store.Run
	job     string // an execution of acme that has ended
	session string // of the submitter of acme
	client  atomic.Int64
}

func newGated(t *testing.T) *gated {
	t.Helper()
	folder := t.TempDir()
	st, err := dir.Open(filepath.Join(folder, "store"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, st.Close()) })
	queues, err := queue.NewEnforcer(queue.Policies{Actions: map[string]queue.Policy{"exec.run": {Concurrency: 2}}}, nil)
	require.NoError(t, err)
	e, err := serve.New(t.Context(), serve.Options{Store: st, Run: ptc.Options{Queue: queues}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Drain(context.Background(), time.Second)) })

	list, err := access.Open(folder, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	schedules, err := schedule.New(t.Context(), e, schedule.Options{Store: st, Identity: list.Identity})
	require.NoError(t, err)
	t.Cleanup(schedules.Close)
	g := &gated{t: t, api: api.New(e, api.Options{Schedules: schedules}), tokens: make(map[string]string)}
	gate, err := access.NewGate(access.Options{Tokens: list})
	require.NoError(t, err)
	g.handler = gate.Handler(g.api)
	for _, name := range append(columns, "expired") {
		role, tenant, _ := strings.Cut(name, " of ")
		if tenant == "" {
			tenant = "acme"
		}
		switch role {
		case "operator":
			tenant = "default"
		case "expired":
			role = "operator"
		}
		g.tokens[name], _, err = access.Create(folder, access.Token{Who: access.Who{
			Name: "a-" + strings.ReplaceAll(name, " ", "-"), Tenant: tenant, Role: access.Role(role)}})
		require.NoError(t, err)
	}
	expire(t, filepath.Join(folder, access.TokensFile))

	who := access.Who{Name: "submitter", Tenant: "acme", Role: access.Submitter}
	_, _, err = e.PutProgram(t.Context(), wire.Program{Name: "hello", Source: "(+ 1 2)"})
	require.NoError(t, err)
	run, _, err := e.Submit(t.Context(), store.Submission{Program: "hello"}, who)
	require.NoError(t, err)
	g.run, err = e.Wait(t.Context(), run.ID)
	require.NoError(t, err)
	require.Equal(t, store.Succeeded, g.run.State)
	submitter := "Bearer " + g.tokens["submitter"]
	var job queue.External
	got := g.do("POST /v1/actions/{ref}/executions", "{}", submitter)
	require.NoError(t, json.Unmarshal(got.Body.Bytes(), &job))
	g.job = job.ID
	require.Equal(t, 200, g.do("PUT /v1/schedules/hello", hello, submitter).Code)
	var session wire.Session
	require.NoError(t, json.Unmarshal(g.do("POST /v1/sessions", "{}", submitter).Body.Bytes(), &session))
	g.session = session.ID
	require.Equal(t, 200, g.do("POST /v1/executions/{id}/complete", `{"outcome": "success"}`, submitter).Code)
	return g
}

// expire ends the token with the name expired.
func expire(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	changed := strings.Replace(string(text), `"name": "a-expired",`, `"name": "a-expired", "expires": "2026-01-01T00:00:00Z",`, 1)
	require.NotEqual(t, string(text), changed)
	require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
}

// do makes a request from a new address.
func (g *gated) do(endpoint, body, authorization string) *httptest.ResponseRecorder {
	g.t.Helper()
	method, path, _ := strings.Cut(endpoint, " ")
	id := g.run.ID
	if strings.HasPrefix(path, "/v1/executions/") {
		id = g.job
	}
	if strings.HasPrefix(path, "/v1/sessions/") && method != http.MethodDelete {
		id = g.session
	}
	name := "hello"
	if method == http.MethodDelete {
		name = "none"
	}
	path = strings.NewReplacer("{id}", id, "{name}", name, "{version}", "1", "{ref}", "exec.run", "{execution}", "none").Replace(path)
	ctx, cancel := context.WithTimeout(g.t.Context(), 5*time.Minute)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	n := g.client.Add(1)
	r.RemoteAddr = fmt.Sprintf("10.0.%d.%d:5", n>>8, n&255)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	g.handler.ServeHTTP(w, r)
	return w
}

// operations returns the operations of the OpenAPI document, as "METHOD path", with the roles that they need; "" for
// none.
func (g *gated) operations() map[string]access.Role {
	g.t.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			Security []map[string][]access.Role
		}
	}
	require.NoError(g.t, json.Unmarshal(g.api.OpenAPI(), &doc))
	all := make(map[string]access.Role)
	for path, item := range doc.Paths {
		for _, method := range []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"} {
			op, ok := item[method]
			if !ok {
				continue
			}
			name := strings.ToUpper(method) + " " + path
			all[name] = ""
			if len(op.Security) > 0 {
				require.Len(g.t, op.Security[0]["token"], 1, name)
				all[name] = op.Security[0]["token"][0]
			}
		}
	}
	require.NotEmpty(g.t, all)
	return all
}

// TestAccess makes each request of the matrix with each identity.
func TestAccess(t *testing.T) {
	g := newGated(t)
	for op, role := range g.operations() {
		row, ok := matrix[op]
		if !assert.True(t, ok, "%s has no row", op) {
			continue
		}
		for i, r := range access.Roles() {
			may := role == "" || r.Includes(role)
			assert.Equal(t, may, row.want[i] != http.StatusForbidden, "the document says that %s needs %q", op, role)
		}
	}
	for endpoint, row := range matrix {
		require.Len(t, row.want, len(columns), endpoint)
		for i, name := range columns {
			got := g.do(endpoint, row.body, "Bearer "+g.tokens[name])
			assert.Equal(t, row.want[i], got.Code, "%s as %s: %s", endpoint, name, got.Body)
			if got.Code >= 400 {
				assert.Equal(t, "application/problem+json", got.Header().Get("Content-Type"), "%s as %s", endpoint, name)
			}
		}
		for proof, authorization := range map[string]string{
			"no token": "", "a wrong token": "Bearer " + g.tokens["operator"][:60] + "aaaaa",
			"an expired token": "Bearer " + g.tokens["expired"], "another scheme": "Basic " + g.tokens["operator"],
		} {
			want := http.StatusUnauthorized
			if &row.want[0] == &open[0] {
				want = http.StatusOK
			}
			got := g.do(endpoint, row.body, authorization)
			assert.Equal(t, want, got.Code, "%s with %s: %s", endpoint, proof, got.Body)
		}
	}
}

// TestOtherTenants checks that another tenant gets the same answers for a run as for a run that does not exist.
func TestOtherTenants(t *testing.T) {
	g := newGated(t)
	other := "Bearer " + g.tokens["submitter of other"]
	none := strings.Repeat("0", len(g.run.ID))
	for endpoint := range matrix {
		if !strings.Contains(endpoint, "{id}") || strings.HasPrefix(endpoint, "HEAD") {
			continue
		}
		real := g.do(endpoint, "", other)
		missing := g.do(strings.ReplaceAll(endpoint, "{id}", none), "", other)
		assert.Equal(t, missing.Code, real.Code, endpoint)
		assert.Equal(t, strings.ReplaceAll(missing.Body.String(), none, "ID"),
			strings.NewReplacer(g.run.ID, "ID", g.job, "ID").Replace(real.Body.String()), endpoint)
	}

	var page store.Page
	got := g.do("GET /v1/runs", "", other)
	require.NoError(t, json.Unmarshal(got.Body.Bytes(), &page))
	assert.Empty(t, page.Runs)
	got = g.do("GET /v1/runs", "", "Bearer "+g.tokens["operator"])
	require.NoError(t, json.Unmarshal(got.Body.Bytes(), &page))
	assert.NotEmpty(t, page.Runs)
}
