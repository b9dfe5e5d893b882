package pages_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/pages"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
)

func TestMain(m *testing.M) {
	testlevel.Waiting(8)
	goleak.VerifyTestMain(m)
}

// site is the pages of an engine, without a gate.
type site struct {
	t      *testing.T
	engine *serve.Engine
	store  store.Store
	pages  *pages.Pages
	log    bytes.Buffer
	leave  chan struct{} // closed: calls of tool/wait end

	schedules *schedule.Scheduler
	mu        sync.Mutex
	people    map[string]access.Who // the identities that there are
}

func (s *site) identity(name string) (access.Who, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	who, ok := s.people[name]
	return who, ok
}

var (
	operator  = access.Who{Name: "olga", Tenant: "default", Role: access.Operator}
	submitter = access.Who{Name: "sam", Tenant: "default", Role: access.Submitter}
	viewer    = access.Who{Name: "vera", Tenant: "default", Role: access.Viewer}
	stranger  = access.Who{Name: "eve", Tenant: "other", Role: access.Submitter}
)

type waitArgs struct {
	Host string `json:"host"`
}

func newSite(t *testing.T) *site {
	t.Helper()
	st, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	s := &site{t: t, store: st, leave: make(chan struct{})}
	tools := &tool.Registry{}
	wait := func(ctx context.Context, a waitArgs) (string, error) {
		select {
		case <-s.leave:
			return "waited for " + a.Host, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	require.NoError(t, tools.Add(
		tool.New("wait", "Waits.", wait, tool.ReadOnly()),
		tool.New("queued", "Waits in a queue.", wait, tool.ReadOnly()),
		tool.New("held", "Waits, and holds its host.", wait, tool.ReadOnly(), tool.Hint(effect.Hint{Kind: effect.HostExclusive})),
		tool.New("drop", "Drops a host.", func(_ context.Context, a waitArgs) (string, error) {
			return "dropped " + a.Host, nil
		}, tool.NeedsApproval(nil)),
		tool.New("fail", "Fails.", func(_ context.Context, a waitArgs) (string, error) {
			return "", &tool.Error{Code: "down", Message: a.Host + " is down"}
		}, tool.ReadOnly())))
	queues, err := queue.NewEnforcer(queue.Policies{
		Packs:   map[string]queue.Policy{"deploy": {Rate: queue.Rate{Calls: 5, Per: time.Minute}}},
		Actions: map[string]queue.Policy{"queued": {Concurrency: 1, Quota: queue.Quota{Calls: 100, Window: time.Hour}}}},
		queue.New(queue.Options{}))
	require.NoError(t, err)
	s.engine, err = serve.New(t.Context(), serve.Options{Store: st, Run: ptc.Options{Tools: tools, Queue: queues}})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.engine.Drain(context.Background(), 0))
		require.NoError(t, st.Close())
	})
	s.people = map[string]access.Who{}
	for _, who := range []access.Who{operator, submitter, viewer, stranger} {
		s.people[who.Name] = who
	}
	s.schedules, err = schedule.New(t.Context(), s.engine, schedule.Options{Store: st, Identity: s.identity})
	require.NoError(t, err)
	t.Cleanup(s.schedules.Close)
	s.pages = pages.New(s.engine, pages.Options{Schedules: s.schedules, Log: slog.New(slog.NewTextHandler(&s.log, nil))})
	return s
}

// do makes a request, with a form if there is one.
func (s *site) do(who access.Who, method, path string, form url.Values) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	s.pages.ServeHTTP(w, r.WithContext(access.With(s.t.Context(), who)))
	return w
}

// get returns a page.
func (s *site) get(who access.Who, path string) string {
	s.t.Helper()
	w := s.do(who, "GET", path, nil)
	require.Equal(s.t, http.StatusOK, w.Code, "%s: %s", path, s.log.String())
	require.Contains(s.t, w.Header().Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'; ")
	return w.Body.String()
}

// ran submits a run and waits until it has ended.
func (s *site) ran(sub store.Submission) store.Run {
	s.t.Helper()
	run, _, err := s.engine.Submit(s.t.Context(), sub, submitter)
	require.NoError(s.t, err)
	run, err = s.engine.Wait(s.t.Context(), run.ID)
	require.NoError(s.t, err)
	return run
}

// TestRun shows a run that has succeeded, with everything that is known of it.
func TestRun(t *testing.T) {
	s := newSite(t)
	close(s.leave)
	run := s.ran(store.Submission{Name: "deploy.ptc", Source: "(println \"hello\" data/who)\n(mapv (fn [h] (tool/wait {:host h})) [\"web-1\"])",
		Data: json.RawMessage(`{"who":"world"}`), Labels: map[string]string{"team": "web"}, Priority: effect.HighPriority})
	require.Equal(t, store.Succeeded, run.State, run.Text)
	page := s.get(viewer, "/runs/"+run.ID)
	for _, want := range []string{"<h1>deploy.ptc</h1>", `<span class="state succeeded">succeeded</span>`, "by sam", "team=web", "priority high",
		"[&#34;waited for web-1&#34;]", "hello world\n", "&#34;who&#34;:&#34;world&#34;", `<b>   2  </b>(mapv`, `<section class="trace">`, "web-1 wait",
		"<dt>steps</dt>", "of 1,000,000,000", "of 256 MB", `href="/v1/runs/` + run.ID + `/journal"`} {
		require.True(t, strings.Contains(page, want), want)
	}
	require.NotContains(t, page, "Cancel")
	require.NotContains(t, page, "data-live", "it changes no more")

	list := s.get(viewer, "/runs")
	require.Contains(t, list, `<a href="/runs/`+run.ID+`">deploy.ptc</a>`)
	require.Contains(t, list, `<a href="/runs?state=succeeded">succeeded <b>1</b></a>`)
	require.NotContains(t, list, "/submit", "a viewer submits nothing")
	require.Contains(t, s.get(submitter, "/runs"), "/submit")
}

// TestFailedRun shows the error as the command does, and marks its line.
func TestFailedRun(t *testing.T) {
	s := newSite(t)
	run := s.ran(store.Submission{Name: "p.ptc", Source: "(def x 1)\n(tool/fail {:host \"web-9\"})"})
	page := s.get(viewer, "/runs/"+run.ID)
	require.Contains(t, page, "error[tool-failed]")
	require.Contains(t, page, " --&gt; p.ptc:2:1\n")
	require.Contains(t, page, `<mark id="L2"><b>   2  </b>(tool/fail`)
	require.Contains(t, page, `<a class="failed" href="#e1"`)
	require.Contains(t, s.get(viewer, "/runs?state=failed"), "tool-failed: ")
	require.Contains(t, s.get(viewer, "/runs?state=succeeded"), "There are no runs that the filter selects")
}

// TestTenants: a reader sees the runs of the own tenant, and an operator all.
func TestTenants(t *testing.T) {
	s := newSite(t)
	run := s.ran(store.Submission{Name: "secret.ptc", Source: "1"})
	require.NotContains(t, s.get(stranger, "/runs"), "secret.ptc")
	require.NotContains(t, s.get(stranger, "/runs?tenant=default"), "secret.ptc")
	require.Equal(t, http.StatusNotFound, s.do(stranger, "GET", "/runs/"+run.ID, nil).Code)
	require.Equal(t, http.StatusNotFound, s.do(stranger, "POST", "/runs/"+run.ID+"/cancel", nil).Code)
	for _, path := range []string{"/runs", "/runs/" + run.ID, "/pending", "/queues", "/changes", "/submit"} {
		require.Equal(t, http.StatusForbidden, s.do(access.Who{}, "GET", path, nil).Code, "nobody, without a gate")
	}
	require.Equal(t, http.StatusForbidden, s.do(submitter, "POST", "/queues", url.Values{"action": {"wait"}}).Code)
	require.Contains(t, s.get(operator, "/runs"), "secret.ptc")
	require.NotContains(t, s.get(operator, "/runs?tenant=other"), "secret.ptc")
	require.Equal(t, http.StatusForbidden, s.do(viewer, "POST", "/runs/"+run.ID+"/cancel", nil).Code)
	require.Equal(t, http.StatusForbidden, s.do(viewer, "POST", "/submit", url.Values{"source": {"1"}}).Code)
}

// TestSubmit submits with the form, and cancels.
func TestSubmit(t *testing.T) {
	s := newSite(t)
	form := url.Values{"source": {"(println \"going\")\r\n(tool/wait {:host \"web-1\"})\r\n"}, "name": {"w.ptc"}, "labels": {"a=1, b = 2"}, "data": {`{"x":1}`},
		"priority": {"low"}, "key": {"k"}}
	w := s.do(submitter, "POST", "/submit", form)
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
	path := w.Header().Get("Location")
	require.Equal(t, path, s.do(submitter, "POST", "/submit", form).Header().Get("Location"), "the form is sent twice")
	page := s.get(submitter, path)
	require.Contains(t, page, `data-live="/v1`+path+`/events"`)
	require.Contains(t, page, "Cancel</button>")
	for _, want := range []string{"a=1", "b=2", "priority low"} {
		require.Contains(t, page, want)
	}
	require.NotContains(t, s.get(viewer, path), "Cancel</button>")
	require.Eventually(t, func() bool {
		page := s.get(viewer, path) // its prints, and the call under way
		return strings.Contains(page, `<pre tabindex="0">going`) && strings.Contains(page, `<span class="s">running</span>`)
	}, time.Minute, 5*time.Millisecond)
	w = s.do(submitter, "POST", path+"/cancel", nil)
	require.Equal(t, http.StatusSeeOther, w.Code)
	page = s.get(viewer, path)
	require.Contains(t, page, "cancelled by sam")
	require.Equal(t, http.StatusSeeOther, s.do(submitter, "POST", path+"/cancel", nil).Code, "it has ended already")

	for _, c := range []struct {
		change url.Values
		status int
		want   string
	}{
		{url.Values{"source": {"(+ 1"}}, http.StatusUnprocessableEntity, "error[syntax-error]"},
		{url.Values{"data": {"{"}}, http.StatusBadRequest, `<span class="wrong" role="alert">want a JSON object`},
		{url.Values{"labels": {"x"}}, http.StatusBadRequest, `<span class="wrong" role="alert">got &#34;x&#34;, want name=value`},
		{url.Values{"source": {""}}, http.StatusBadRequest, "got no program"},
		{url.Values{"source": {"2"}}, http.StatusConflict, "key"},
	} {
		bad := url.Values{}
		for name := range form {
			bad.Set(name, form.Get(name))
		}
		for name := range c.change {
			bad.Set(name, c.change.Get(name))
		}
		w := s.do(submitter, "POST", "/submit", bad)
		require.Equal(t, c.status, w.Code, c.want)
		require.Contains(t, w.Body.String(), c.want)
		require.Contains(t, w.Body.String(), `value="a=1, b = 2"`[:7], "what was typed stays")
		require.NotContains(t, w.Body.String(), `name="key" value="k"`, "the next attempt is another request")
	}
}

// TestPrograms shows a program of the store with its versions, and runs it.
func TestPrograms(t *testing.T) {
	s := newSite(t)
	require.Contains(t, s.get(viewer, "/programs"), "There are no programs")
	for _, source := range []string{"(tool/wait {:host \"a\"})", "(+ 1 data/n)"} {
		_, _, err := s.engine.PutProgram(t.Context(), wire.Program{Name: "sum", Source: source, Doc: "Adds <b>.", By: "olga"})
		require.NoError(t, err)
	}
	require.Contains(t, s.get(viewer, "/programs"), `<a href="/programs/sum">sum</a>`)
	_, _, err := s.engine.PutProgram(t.Context(), wire.Program{Name: "a/b?c#<d>", Source: "1"})
	require.NoError(t, err)
	odd := regexp.MustCompile(`href="(/programs/a[^"]+)"`).FindStringSubmatch(s.get(viewer, "/programs"))
	require.Contains(t, s.get(viewer, odd[1]), "a/b?c#&lt;d&gt;")
	page := s.get(submitter, "/programs/sum")
	require.Contains(t, page, "(&#43; 1 data/n)")
	require.Contains(t, page, "Adds &lt;b&gt;.")
	require.Contains(t, page, `href="/programs/sum?version=1"`)
	page = s.get(viewer, "/programs/sum?version=1")
	require.Contains(t, page, "tool/wait")
	require.NotContains(t, page, "/submit")
	require.Equal(t, http.StatusNotFound, s.do(viewer, "GET", "/programs/none", nil).Code)
	require.Equal(t, http.StatusBadRequest, s.do(viewer, "GET", "/programs/sum?version=x", nil).Code)
	require.Contains(t, s.get(submitter, "/submit?program=sum"), "<option selected>sum</option>")
	w := s.do(submitter, "POST", "/submit", url.Values{"program": {"sum"}, "data": {`{"n": 2}`}, "key": {"1"}})
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
	require.Contains(t, s.get(viewer, "/runs?program=sum"), "sum@2")
}

// TestTimedOut: a call that has not ended when the time of its run ends is drawn up to there.
func TestTimedOut(t *testing.T) {
	t.Parallel() // it mostly waits
	s := newSite(t)
	var took []string
	require.Eventually(t, func() bool { // on a busy machine, the time may be over before the call begins
		run := s.ran(store.Submission{Source: `(tool/wait {:host "web-1"})`, Limits: limits.Limits{Timeout: time.Second}})
		require.Equal(t, store.Failed, run.State)
		took = regexp.MustCompile(`<span class="n">([^<]+)</span><span class="s">unfinished</span>`).FindStringSubmatch(s.get(viewer, "/runs/"+run.ID))
		return took != nil
	}, time.Minute, time.Millisecond)
	lasted, err := time.ParseDuration(took[1])
	require.NoError(t, err)
	require.Greater(t, lasted, 10*time.Millisecond)
}

// TestExecutions: each of many executions of an action is on one of the pages.
func TestExecutions(t *testing.T) {
	s := newSite(t)
	jobs := queue.NewExternals(s.engine.Options().Run.Queue.(*queue.Enforcer))
	for range 250 {
		_, err := jobs.Begin(t.Context(), "jobs & more", "default", effect.Execution{}, 0)
		require.NoError(t, err)
	}
	page := s.get(operator, "/queues?action=jobs+%26+more")
	more := regexp.MustCompile(`<a href="([^"]+)" rel="next">`).FindStringSubmatch(page)
	require.NotNil(t, more)
	rest := s.get(operator, html.UnescapeString(more[1]))
	require.NotContains(t, rest, `rel="next"`)
	require.Equal(t, 250, strings.Count(page+rest, "<td>active</td>"))
}

// TestQueues checks that the page shows holders and waiters, and cancels a waiting execution.
func TestQueues(t *testing.T) {
	s := newSite(t)
	require.Contains(t, s.get(viewer, "/queues"), "No action was called")
	queues, guards := s.engine.Options().Run.Queue, s.engine.Options().Run.Guards
	var runs []store.Run
	for range 2 {
		for _, source := range []string{`(tool/queued {:host "a<b>"})`, `(tool/held {:host "web-1<b>"})`} {
			run, _, err := s.engine.Submit(t.Context(), store.Submission{Source: source}, submitter)
			require.NoError(t, err)
			runs = append(runs, run)
		}
	}
	require.Eventually(t, func() bool {
		waits := len(s.engine.Waits(t.Context(), runs[1].ID)) + len(s.engine.Waits(t.Context(), runs[3].ID))
		return len(queues.Waiters(10)) == 1 && len(guards.Waiters(10)) == 1 && waits == 1 &&
			len(s.engine.Waits(t.Context(), runs[2].ID)) == 1
	}, time.Minute, time.Millisecond)
	require.Contains(t, s.get(viewer, "/runs/"+runs[2].ID), "<li>a place in the queue of queued <code>0#1</code>")
	require.Contains(t, s.get(viewer, "/runs/"+runs[1].ID)+s.get(viewer, "/runs/"+runs[3].ID), "<li>host web-1&lt;b&gt; <code>0#1</code>")
	page := s.get(viewer, "/queues")
	require.Contains(t, page, "queued")
	require.NotContains(t, page, "web-1", "hosts of all tenants are for operators")
	page = s.get(operator, "/queues?action=queued")
	require.Contains(t, page, "host web-1&lt;b&gt;")
	require.Contains(t, page, "Who waits")
	require.Contains(t, page, `<a href="/runs/`+runs[2].ID+`">`, "the run of the execution that waits")
	require.Contains(t, page, "Cancel all that wait")
	require.Contains(t, s.get(viewer, "/policies"), "<td>action</td><td>queued</td><td>1</td>")

	execution := regexp.MustCompile(`name="execution" value="([^"]+)"`).FindStringSubmatch(page)
	require.NotNil(t, execution)
	form := url.Values{"action": {"queued"}, "execution": {html.UnescapeString(execution[1])}}
	w := s.do(operator, "POST", "/queues", form)
	require.Equal(t, http.StatusSeeOther, w.Code)
	require.Equal(t, "/queues?action=queued", w.Header().Get("Location"))
	require.Equal(t, http.StatusNotFound, s.do(operator, "POST", "/queues", form).Code, "it waits no more")
	require.Equal(t, http.StatusSeeOther, s.do(operator, "POST", "/queues", url.Values{"action": {"queued"}}).Code)
	close(s.leave)
	failed := 0
	for _, run := range runs {
		run, err := s.engine.Wait(t.Context(), run.ID)
		require.NoError(t, err)
		if run.State == store.Failed {
			failed++
		}
	}
	require.Equal(t, 1, failed, "the execution that was cancelled")
}

// TestErrors: missing paths and senseless requests get an error page.
func TestErrors(t *testing.T) {
	s := newSite(t)
	for path, status := range map[string]int{"/none": 404, "/runs/none": 404, "/runs/" + url.PathEscape("<b>"): 404, "/runs?label=x": 400,
		"/runs?state=odd": 400, "/runs?after=x": 400, "/runs?since=x": 400, "/static/none": 404, "/programs/none": 404} {
		w := s.do(operator, "GET", path, nil)
		require.Equal(t, status, w.Code, path)
		require.NotContains(t, w.Body.String(), "<b>x")
	}
	require.Equal(t, http.StatusMethodNotAllowed, s.do(operator, "DELETE", "/runs", nil).Code)
	require.Equal(t, "/runs", s.do(viewer, "GET", "/", nil).Header().Get("Location"))
	require.Empty(t, s.log.String())
}

// TestStatic: the files of the pages come from the service.
func TestStatic(t *testing.T) {
	s := newSite(t)
	page := s.get(viewer, "/runs")
	paths := regexp.MustCompile(`(?:href|src)="(/static/[^"]+)"`).FindAllStringSubmatch(page, -1)
	require.Len(t, paths, 5)
	for _, m := range paths {
		w := s.do(access.Who{}, "GET", m[1], nil)
		require.Equal(t, http.StatusOK, w.Code, m[1])
		require.NotContains(t, w.Header().Get("Content-Type"), "text/plain", m[1])
		require.NotRegexp(t, `https?://[^w]|@import|url\(`, w.Body.String(), m[1])
	}
}

// TestSignIn: the page of the gate's form.
func TestSignIn(t *testing.T) {
	w := httptest.NewRecorder()
	pages.SignIn(w, httptest.NewRequest("GET", "/login", nil), access.Form{Problem: "<b>no", Next: `/runs?"x`})
	require.Contains(t, w.Body.String(), "&lt;b&gt;no")
	require.Contains(t, w.Body.String(), `value="/runs?&#34;x"`)
	require.NotContains(t, w.Body.String(), "<nav")
}

// TestRules: each endpoint has a rule, and only files need no sign-in.
func TestRules(t *testing.T) {
	for _, r := range pages.Rules() {
		require.Equal(t, r.Pattern == "GET /static/", r.Open, r.Pattern)
		if strings.HasPrefix(r.Pattern, "POST") {
			require.NotEqual(t, access.Viewer, r.Role, r.Pattern)
		}
	}
}

// TestPaging follows the links to older runs.
func TestPaging(t *testing.T) {
	t.Parallel() // it mostly waits
	s := newSite(t)
	for i := range 120 {
		_, _, err := s.store.Create(t.Context(), store.Run{State: store.Queued, Tenant: "default", By: "sam",
			Submission: store.Submission{Name: fmt.Sprintf("r%d", i), Source: "1", Labels: map[string]string{"n": "x"}}})
		require.NoError(t, err)
	}
	page := s.get(viewer, "/runs?label=n%3Dx&state=queued")
	older := regexp.MustCompile(`href="(/runs\?[^"]*after=[^"]*)" rel="next"`).FindStringSubmatch(page)
	require.NotNil(t, older)
	require.Equal(t, 100, strings.Count(page, `<a href="/runs/`))
	page = s.get(viewer, strings.ReplaceAll(older[1], "&amp;", "&"))
	require.Equal(t, 20, strings.Count(page, `<a href="/runs/`))
	require.NotContains(t, page, `rel="next"`)
	require.Contains(t, page, `value="n=x"`, "the filter stays")
}
