package pages_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
)

// asking submits a run, and waits until it waits for n answers.
func (s *site) asking(source string, n int) store.Run {
	s.t.Helper()
	run, _, err := s.engine.Submit(s.t.Context(), store.Submission{Name: "ask.ptc", Source: source}, submitter)
	require.NoError(s.t, err)
	require.Eventually(s.t, func() bool {
		run, err = s.engine.Get(s.t.Context(), run.ID)
		return err == nil && run.State == store.Waiting && len(run.Pending) == n
	}, time.Minute, 5*time.Millisecond)
	return run
}

// fields returns the fields of a page, by their questions.
func fields(page string) (all []string) {
	for _, m := range regexp.MustCompile(`name="asked" value="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		all = append(all, m[1])
	}
	return all
}

// answer posts answers as a browser does: each field of the page, and the given ones.
func (s *site) answer(who access.Who, page string, given url.Values) int {
	s.t.Helper()
	form := url.Values{"back": {"/pending"}}
	for _, f := range fields(page) {
		form.Add("asked", f)
		kind := regexp.MustCompile(`name="kind:` + regexp.QuoteMeta(f) + `" value="([^"]+)"`).FindStringSubmatch(page)
		form.Set("kind:"+f, kind[1])
	}
	for name, values := range given {
		form[name] = values
	}
	w := s.do(who, "POST", "/pending", form)
	return w.Code
}

// TestPending answers questions and approvals of several runs in one form.
func TestPending(t *testing.T) {
	s := newSite(t)
	require.Contains(t, s.get(viewer, "/pending"), "Nothing waits")
	calls := s.asking(`(pmap (fn [h] (try (tool/drop {:host h}) (catch Exception e (ex-message e)))) ["web-1<b>" "web-2" "web-3"])`, 3)
	question := s.asking(`[(ask {:question "Which <region>?" :options ["eu" {:other 1}]}) (ask {:question "Why?"})]`, 1)

	page := s.get(viewer, "/pending")
	require.Contains(t, page, "May drop be called?")
	require.Contains(t, page, "web-1&lt;b&gt;")
	require.Contains(t, page, "Which &lt;region&gt;?")
	require.NotContains(t, page, `type="radio"`, "a viewer answers nothing")
	require.NotContains(t, s.get(stranger, "/pending"), "drop")
	page = s.get(submitter, "/pending")
	require.Contains(t, page, "Approve all 3 calls")
	require.Contains(t, s.get(submitter, "/runs/"+calls.ID), "May drop be called?")
	require.Contains(t, s.get(submitter, "/runs"), "what it waits for")

	require.Equal(t, http.StatusForbidden, s.answer(viewer, page, url.Values{"all": {"approve"}}))
	require.Equal(t, http.StatusNotFound, s.answer(stranger, page, url.Values{"all": {"approve"}}))
	require.Equal(t, http.StatusBadRequest, s.answer(submitter, page, nil), "nothing is answered")
	require.Equal(t, http.StatusBadRequest, s.answer(submitter, page, url.Values{"as:" + fields(page)[0]: {"odd"}}))
	refused := calls.ID + "/" + calls.Pending[1].ID
	require.Equal(t, http.StatusSeeOther, s.answer(submitter, page, url.Values{"all": {"approve"}, "as:" + refused: {"refuse"}, "text:" + refused: {"in use"},
		"as:" + question.ID + "/" + question.Pending[0].ID: {`option:{"other":1}`}}))
	done, err := s.engine.Wait(t.Context(), calls.ID)
	require.NoError(t, err)
	require.Equal(t, store.Succeeded, done.State, done.Text)
	require.Contains(t, done.Text, "dropped web-1<b>")
	require.Contains(t, done.Text, "in use")
	require.Contains(t, done.Text, "dropped web-3")
	require.Equal(t, http.StatusConflict, s.answer(submitter, page, url.Values{"all": {"approve"}}), "they are answered")

	require.Eventually(t, func() bool { return strings.Contains(s.get(submitter, "/pending"), "Why?") }, time.Minute, 5*time.Millisecond)
	page = s.get(submitter, "/pending")
	require.Len(t, fields(page), 1)
	require.Equal(t, http.StatusSeeOther, s.answer(submitter, page, url.Values{"text:" + fields(page)[0]: {"just \"so\"\x7f"}}))
	done, err = s.engine.Wait(t.Context(), question.ID)
	require.NoError(t, err)
	require.Equal(t, store.Succeeded, done.State, done.Text)
	require.Contains(t, done.Text, `{:other 1} "just \"so\"`)
	require.Contains(t, s.get(submitter, "/pending"), "Nothing waits")
}

// TestPendingBehindOthers: active runs that wait for nobody do not hide the waiting ones.
func TestPendingBehindOthers(t *testing.T) {
	t.Parallel() // it mostly waits
	s := newSite(t)
	for range store.DefaultLimit + 1 {
		_, _, err := s.store.Create(t.Context(), store.Run{State: store.Running, Tenant: "default", Submission: store.Submission{Source: "1"}})
		require.NoError(t, err)
	}
	s.asking(`(ask {:question "Why?"})`, 1)
	page := s.get(submitter, "/pending")
	require.Contains(t, page, "Why?")
	require.NotContains(t, page, `rel="next"`)
}

// TestPendingAgain: a form with a refused answer is shown again with all answers, and settles nothing.
func TestPendingAgain(t *testing.T) {
	s := newSite(t)
	s.asking(`(tool/drop {:host "web-1"})`, 1)
	s.asking(`(ask {:question "Which?" :options ["eu" "us"]})`, 1)
	s.asking(`(ask {:question "Why?"})`, 1)
	page := s.get(submitter, "/pending")
	f := fields(page)
	require.Len(t, f, 3)
	form := url.Values{"asked": f, "as:" + f[0]: {"refuse"}, "text:" + f[0]: {"in <use>"}, "as:" + f[1]: {`option:"us"`},
		"text:" + f[2]: {"because"}}
	for _, field := range f {
		form.Set("kind:"+field, "question")
	}
	form.Add("asked", "no-field")
	w := s.do(submitter, "POST", "/pending", form)
	require.Equal(t, http.StatusBadRequest, w.Code)
	body := w.Body.String()
	require.Contains(t, body, `value="refuse" checked`)
	require.Contains(t, body, `value="in &lt;use&gt;"`)
	require.Contains(t, body, `value="option:&#34;us&#34;" checked`)
	require.Contains(t, body, `value="because"`)
	require.NotContains(t, body, "data-live")
	require.Contains(t, body, `<a href="/pending">`)
	w = s.do(stranger, "POST", "/pending", form)
	require.NotContains(t, w.Body.String(), "Which?", "of another tenant")
	require.Contains(t, w.Body.String(), "Nothing of the form waits")
}
