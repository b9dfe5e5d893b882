package pages_test

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// TestSchedules makes a schedule with the form, changes it, runs it and deletes it.
func TestSchedules(t *testing.T) {
	s := newSite(t)
	require.Contains(t, s.get(viewer, "/schedules"), "There are no schedules")
	require.NotContains(t, s.get(viewer, "/schedules"), "New schedule")
	require.Contains(t, s.get(submitter, "/schedules"), "New schedule")
	form := url.Values{"version": {"0"}, "schedule": {"nightly"}, "cron": {"30 2 * * *"}, "zone": {"Europe/Berlin"}, "missed": {"all"}, "most": {"3"},
		"overlap": {"queue"}, "source": {"(inc data/n)"}, "data": {`{"n": 1}`}, "labels": {"team=web"}, "priority": {"low"}}
	w := s.do(submitter, "POST", "/schedule", form)
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
	address := w.Header().Get("Location")
	require.Equal(t, "/schedules/nightly?tenant=default", address)
	page := s.get(viewer, address)
	for _, want := range []string{"<code>30 2 * * *</code> in Europe/Berlin", "of sam", " 02:30:00 CE", "team=web", "Missed times: all, at most 3", "(inc data/n)"} {
		require.Contains(t, page, want)
	}
	require.NotContains(t, page, "Run now", "a viewer changes nothing")
	require.Contains(t, s.get(submitter, address), "Run now")
	require.Contains(t, s.get(operator, address), "Run now")
	require.Equal(t, http.StatusNotFound, s.do(stranger, "GET", address, nil).Code)
	require.NotContains(t, s.get(stranger, "/schedules"), "nightly")

	edit := s.get(submitter, "/schedule?name=nightly&tenant=default")
	for _, want := range []string{`name="version" value="2"`, `value="30 2 * * *"`, `<option value="all" selected>`, `<option value="queue" selected>`,
		"(inc data/n)", `value="team=web"`, `<option selected>low</option>`, `name="most" inputmode="numeric" value="3"`} {
		require.Contains(t, edit, want)
	}
	form.Set("version", "2")
	form.Set("cron", "0 3 * * *")
	require.Equal(t, http.StatusSeeOther, s.do(operator, "POST", "/schedule", form).Code)
	require.Contains(t, s.get(viewer, address), "by olga")
	w = s.do(submitter, "POST", "/schedule", form)
	require.Equal(t, http.StatusConflict, w.Code, "somebody else has changed it")
	require.Contains(t, w.Body.String(), "want 3, which is the next one")

	do := func(what string) *url.URL {
		t.Helper()
		w := s.do(submitter, "POST", "/schedules", url.Values{"schedule": {"nightly"}, "tenant": {"default"}, "do": {what}})
		require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
		to, err := url.Parse(w.Header().Get("Location"))
		require.NoError(t, err)
		return to
	}
	do("pause")
	page = s.get(submitter, address)
	require.Contains(t, page, "paused")
	require.Contains(t, page, "Resume")
	run := do("run")
	ended, err := s.engine.Wait(t.Context(), run.Path[len("/runs/"):])
	require.NoError(t, err)
	require.Equal(t, "2", string(ended.Value))
	page = s.get(viewer, address)
	require.Contains(t, page, `<span class="state succeeded">succeeded</span> <a href="`+run.Path+`">`)
	require.Contains(t, page, "run by a person")
	require.Contains(t, s.get(viewer, "/runs?label=schedule%3Dnightly"), run.Path)
	do("resume")
	require.Contains(t, s.get(viewer, "/schedules"), "next ")
	require.Equal(t, http.StatusForbidden, s.do(viewer, "POST", "/schedules", url.Values{"schedule": {"nightly"}, "do": {"delete"}}).Code)
	require.Equal(t, "/schedules", do("delete").Path)
	require.Contains(t, s.get(viewer, "/schedules"), "There are no schedules")
}

// TestScheduleMistakes checks that each mistake is shown beside its field, with the typed text.
func TestScheduleMistakes(t *testing.T) {
	s := newSite(t)
	form := url.Values{"version": {"0"}, "schedule": {"a"}, "cron": {"61 * * * *"}, "zone": {"Mars"}, "missed": {"all"}, "most": {"many"}, "overlap": {"skip"},
		"source": {"1"}, "priority": {"normal"}}
	w := s.do(submitter, "POST", "/schedule", form)
	require.Equal(t, http.StatusBadRequest, w.Code)
	wrong := regexp.MustCompile(`name="(\w+)"[^>]*>(?:<option.*?</select>)? <span class="wrong" role="alert">([^<]*)`).FindAllStringSubmatch(w.Body.String(), -1)
	require.Len(t, wrong, 3)
	for i, want := range [][2]string{{"cron", "got &#34;61 * * * *&#34;, want minute, hour"}, {"zone", "got the time zone &#34;Mars&#34;"}, {"most", "got -1, want 1 to 100"}} {
		require.Equal(t, want[0], wrong[i][1])
		require.Contains(t, wrong[i][2], want[1])
	}
	require.Contains(t, w.Body.String(), `value="61 * * * *"`)
	form.Set("cron", "@daily")
	form.Set("zone", "UTC")
	form.Set("most", "")
	form.Set("source", "(+ 1")
	w = s.do(submitter, "POST", "/schedule", form)
	require.Equal(t, http.StatusUnprocessableEntity, w.Code)
	require.Contains(t, w.Body.String(), "error[syntax-error]")
	form.Set("source", "1")
	require.Equal(t, http.StatusSeeOther, s.do(submitter, "POST", "/schedule", form).Code)
	w = s.do(submitter, "POST", "/schedule", form)
	require.Equal(t, http.StatusBadRequest, w.Code, "a form for a new schedule replaces none")
	require.Contains(t, w.Body.String(), "there is a schedule of this name")
	require.Equal(t, http.StatusBadRequest, s.do(submitter, "POST", "/schedules", url.Values{"schedule": {"a"}, "do": {"x"}}).Code)
	_, _, err := s.engine.PutProgram(t.Context(), wire.Program{Name: "sum", Source: "(+ 1 2)"})
	require.NoError(t, err)
	_, err = s.schedules.Put(t.Context(), wire.ScheduleRef{Name: "b"}, wire.ScheduleSetting{Cron: "@daily", Run: store.Submission{Program: "sum@1"}}, 0, submitter)
	require.NoError(t, err)
	require.Contains(t, s.get(submitter, "/schedule?name=b"), "<option selected>sum@1</option>")
	require.Equal(t, http.StatusNotFound, s.do(submitter, "GET", "/schedule?name=none", nil).Code)
}

// TestStoppedSchedule shows why a schedule is not run any more.
func TestStoppedSchedule(t *testing.T) {
	s := newSite(t)
	_, err := s.schedules.Put(t.Context(), wire.ScheduleRef{Name: "a"}, wire.ScheduleSetting{Cron: "@daily", Run: store.Submission{Source: "1"}}, 0, submitter)
	require.NoError(t, err)
	s.mu.Lock()
	delete(s.people, "sam")
	s.mu.Unlock()
	run := url.Values{"schedule": {"a"}, "tenant": {"default"}, "do": {"run"}}
	w := s.do(operator, "POST", "/schedules", run)
	require.Equal(t, http.StatusConflict, w.Code)
	require.Contains(t, w.Body.String(), "the identity sam, under which it runs, was removed or has expired")
	require.Contains(t, s.get(viewer, "/schedules/a"), "It is not run any more: the identity sam")
	require.Contains(t, s.get(viewer, "/schedules"), `<span class="state failed">stopped</span>`)
	run.Set("do", "resume")
	require.Equal(t, http.StatusSeeOther, s.do(operator, "POST", "/schedules", run).Code)
	require.Contains(t, s.get(viewer, "/schedules/a"), "of olga", "who resumes it is its owner, if the owner is gone")
}

// TestSessions lists sessions, and ends one.
func TestSessions(t *testing.T) {
	s := newSite(t)
	require.Contains(t, s.get(operator, "/sessions"), "There are no sessions")
	one, err := s.engine.OpenSession(wire.NewSession{}, submitter)
	require.NoError(t, err)
	page := s.get(operator, "/sessions")
	require.Contains(t, page, "<td>sam</td>")
	require.NotContains(t, s.get(stranger, "/sessions"), "sam</td>")
	require.Equal(t, http.StatusForbidden, s.do(viewer, "GET", "/sessions", nil).Code)
	require.Equal(t, http.StatusGone, s.do(stranger, "POST", "/sessions/"+one.ID+"/end", nil).Code)
	require.Equal(t, http.StatusSeeOther, s.do(operator, "POST", "/sessions/"+one.ID+"/end", nil).Code)
	require.Contains(t, s.get(operator, "/sessions"), "There are no sessions")
}
