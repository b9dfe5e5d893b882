package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/api"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
)

func TestSchedules(t *testing.T) {
	f := newFixture(t, serve.Options{})
	var one wire.Schedule
	f.want(200, "PUT", "/v1/schedules/nightly", `{"cron": "30 2 * * *", "zone": "Europe/Berlin", "missed": "once",
		"run": {"source": "(inc data/n)", "data": {"n": 1}, "labels": {"team": "a"}, "limits": {"steps": 1000}}}`, &one)
	assert.Equal(t, 1, one.Version)
	assert.Equal(t, "ann", one.Owner)
	assert.Len(t, one.Next, schedule.DefaultTimes)
	assert.Equal(t, wire.SkipOverlap, one.Overlap)
	f.want(200, "PUT", "/v1/schedules/daily", `{"cron": "@daily", "run": {"source": "1"}, "paused": true, "version": 1}`, &one)
	assert.Empty(t, one.Next)
	f.problem(409, "version-conflict", "PUT", "/v1/schedules/daily", `{"cron": "@daily", "run": {"source": "1"}, "version": 1}`)

	var page wire.Schedules
	f.want(200, "GET", "/v1/schedules?limit=1", "", &page)
	require.Len(t, page.Schedules, 1)
	assert.Equal(t, "daily", page.Schedules[0].Name)
	f.want(200, "GET", "/v1/schedules?limit=1&after=default%20daily", "", &page)
	assert.Equal(t, "nightly", page.Schedules[0].Name)
	for _, name := range []string{"a", "b"} {
		f.want(200, "PUT", "/v1/schedules/"+name+"?tenant=of%20two", `{"cron": "@daily", "run": {"source": "1"}}`, &one)
	}
	f.want(200, "GET", "/v1/schedules?limit=3", "", &page)
	f.want(200, "GET", "/v1/schedules?limit=3&after="+url.QueryEscape(page.Next), "", &page)
	require.Len(t, page.Schedules, 1)
	assert.Equal(t, "of two b", page.Schedules[0].Tenant+" "+page.Schedules[0].Name)
	f.want(200, "GET", "/v1/schedules/nightly?times=7", "", &one)
	assert.Len(t, one.Next, 7)

	var run store.Run
	f.want(201, "POST", "/v1/schedules/nightly/run", "", &run)
	f.want(200, "GET", "/v1/runs/"+run.ID+"?wait=30s", "", &run)
	assert.Equal(t, "2", string(run.Value), run.Text)
	assert.Equal(t, map[string]string{"team": "a", "schedule": "nightly"}, run.Labels)
	f.want(200, "GET", "/v1/schedules/nightly", "", &one)
	assert.Equal(t, run.ID, one.Last[0].Run)
	f.problem(422, "invalid", "POST", "/v1/runs", `{"source": "1", "key": "schedule:nightly:x"}`)

	f.want(204, "DELETE", "/v1/schedules/nightly", "", nil)
	f.problem(404, "not-found", "GET", "/v1/schedules/nightly", "")
	f.problem(404, "not-found", "DELETE", "/v1/schedules/nightly", "")
	f.problem(404, "not-found", "POST", "/v1/schedules/nightly/run", "")
}

// TestScheduleMistakes requires each mistake with its place.
func TestScheduleMistakes(t *testing.T) {
	f := newFixture(t, serve.Options{})
	p := f.problem(422, "invalid", "PUT", "/v1/schedules/a", `{"cron": "61 * * * *", "zone": "Mars", "run": {"source": "1"}}`)
	require.Len(t, p.Errors, 2)
	assert.Equal(t, "body.zone", p.Errors[0].Location)
	assert.Equal(t, "body.cron", p.Errors[1].Location)
	assert.Contains(t, p.Errors[1].Message, `got "61 * * * *", want minute, hour`)
	p = f.problem(422, "invalid", "PUT", "/v1/schedules/a", `{"cron": "@daily", "run": {"program": "none"}}`)
	assert.Equal(t, "body.run.program", p.Errors[0].Location)
	f.problem(422, "invalid", "PUT", "/v1/schedules/a", `{"cron": "@daily", "run": {}}`)
	f.problem(422, "syntax-error", "PUT", "/v1/schedules/a", `{"cron": "@daily", "run": {"source": "(+ 1"}}`)
	f.problem(422, "invalid", "PUT", "/v1/schedules/a", `{"cron": 5}`)
	labels := make(map[string]string)
	for i := range 32 { // as many as a run may have, and a run of a schedule has one more
		labels[fmt.Sprint("l", i)] = "x"
	}
	text, err := json.Marshal(labels)
	require.NoError(t, err)
	f.problem(422, "invalid", "PUT", "/v1/schedules/a",
		fmt.Sprintf(`{"cron": "@daily", "run": {"source": "1", "labels": %s}}`, text))
	f.problem(422, "invalid", "PUT", "/v1/schedules/a%20b", `{"cron": "@daily", "run": {"source": "1"}}`)
	f.problem(400, "bad-request", "PUT", "/v1/schedules/a", `{`)
	f.problem(422, "invalid", "GET", "/v1/schedules/a?times=101", "")
}

func TestSessions(t *testing.T) {
	f := newFixture(t, serve.Options{Sessions: 1})
	var s wire.Session
	header := f.want(201, "POST", "/v1/sessions", `{"limits": {"steps": 1000}, "data": {"n": 4}}`, &s)
	assert.Equal(t, "/v1/sessions/"+s.ID, header.Get("Location"))
	assert.Equal(t, int64(1000), s.Limits.Steps)
	p := f.problem(429, "full", "POST", "/v1/sessions", `{}`)
	assert.Contains(t, p.Detail, "delete one first")
	var res store.Result
	f.want(200, "POST", "/v1/sessions/"+s.ID+"/eval", `{"source": "(def x (inc data/n))"}`, &res)
	f.want(200, "POST", "/v1/sessions/"+s.ID+"/eval", `{"source": "(println :a) (* 2 x)"}`, &res)
	assert.Equal(t, "10", string(res.Value))
	assert.Equal(t, ":a\n", res.Prints)
	f.want(200, "POST", "/v1/sessions/"+s.ID+"/eval", `{"source": "(nope)"}`, &res)
	assert.Contains(t, string(res.Error), "nope")
	f.problem(422, "invalid", "POST", "/v1/sessions/"+s.ID+"/eval", `{"source": ""}`)
	var all wire.Sessions
	f.want(200, "GET", "/v1/sessions", "", &all)
	require.Len(t, all.Sessions, 1)
	assert.Equal(t, 3, all.Sessions[0].Evaluations)
	f.want(200, "GET", "/v1/sessions/"+s.ID, "", &s)
	f.want(204, "DELETE", "/v1/sessions/"+s.ID, "", nil)
	p = f.problem(410, "session-gone", "POST", "/v1/sessions/"+s.ID+"/eval", `{"source": "1"}`)
	assert.Contains(t, p.Detail, "begin another one")
	f.problem(404, "not-found", "GET", "/v1/sessions/none", "")
	f.problem(422, "invalid", "POST", "/v1/sessions", `{"limits": {"steps": -1}}`)
}

// FuzzSchedule puts requests for schedules: whatever they contain, the document has the answer.
func FuzzSchedule(f *testing.F) {
	for _, seed := range []string{`{"cron": "@daily", "run": {"source": "1"}}`, `{"cron": "*/5 22-3 L * FRI#2", "zone": "Europe/Berlin"}`,
		`{"cron": "TZ=0", "run": {}}`, `{"cron": "0 0 29 2 1", "missed": "all", "missedMost": 100, "overlap": "cancel", "run": {"source": "("}}`,
		`{"cron": 5}`, `[]`, `{`, `{"cron": "@every 1s", "run": {"source": "1", "key": "k", "labels": {"schedule": "x"}}}`} {
		f.Add("nightly", seed)
	}
	f.Add("a\x00/%", `{"cron": "@daily", "run": {"source": "1"}}`)
	st, err := dir.Open(f.TempDir())
	require.NoError(f, err)
	engine, err := serve.New(f.Context(), serve.Options{Store: st})
	require.NoError(f, err)
	schedules, err := schedule.New(f.Context(), engine, schedule.Options{Store: st})
	require.NoError(f, err)
	f.Cleanup(func() {
		schedules.Close()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		engine.Drain(ctx, 0)
		st.Close()
	})
	handler := api.New(engine, api.Options{Schedules: schedules})
	who := access.Who{Name: "ann", Tenant: "default", Role: access.Submitter}
	f.Fuzz(func(t *testing.T, name, body string) {
		r := httptest.NewRequest("PUT", "/v1/schedules/x", strings.NewReader(body))
		r.URL.Path, r.URL.RawPath = "/v1/schedules/"+name, "/v1/schedules/"+url.PathEscape(name)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r.WithContext(access.With(r.Context(), who)))
		switch w.Code {
		case 200:
			_, err := schedules.Get(wire.ScheduleRef{Name: name}, 0, who)
			assert.NoError(t, err)
		case 307, 400, 404, 405, 409, 413, 422, 429:
		default:
			t.Errorf("got the status %d: %s", w.Code, w.Body)
		}
	})
}
