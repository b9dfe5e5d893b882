package main

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
)

// small are flags with which many runs fit into the memory together.
var small = []string{"--memory", "8MB", "--workers", "1", "--worker-memory", "1MB", "--max-memory", "2GB"}

func (s *service) schedule(name string, set wire.ScheduleSetting) {
	s.t.Helper()
	var problem struct{ Detail string }
	resp := s.call("PUT", "/v1/schedules/"+name, set, &problem)
	require.Equal(s.t, http.StatusOK, resp.StatusCode, problem.Detail)
}

// since makes the times of all schedules of a stopped service begin earlier.
func since(t *testing.T, path string, begin time.Time) {
	t.Helper()
	st, err := dir.Open(path)
	require.NoError(t, err)
	defer st.Close()
	docs, err := st.Documents(t.Context(), store.Schedules, "", 0)
	require.NoError(t, err)
	require.NotEmpty(t, docs)
	for _, d := range docs {
		var body map[string]any
		require.NoError(t, json.Unmarshal(d.Body, &body))
		body["since"] = begin
		d.Body, err = json.Marshal(body)
		require.NoError(t, err)
		d.Version = 0
		_, err = st.Put(t.Context(), d)
		require.NoError(t, err)
	}
}

// scheduled returns the runs of a schedule by their keys.
func (s *service) scheduled(name string) map[string]store.Run {
	s.t.Helper()
	all := make(map[string]store.Run)
	for after := ""; ; {
		var page store.Page
		s.call("GET", "/v1/runs?limit=1000&label=schedule="+name+"&after="+after, nil, &page)
		for _, run := range page.Runs {
			all[run.Key] = run
		}
		if after = page.Next; after == "" {
			return all
		}
	}
}

// TestScheduleKill kills the service again and again while it runs the times that it has missed. In the end each time
// must have one run: those of one schedule write once each, and those of the other follow each other.
func TestScheduleKill(t *testing.T) {
	testlevel.System(t)
	t.Parallel()
	kills := 6
	if *thorough {
		kills = 100
	}
	c := newCounter(t)
	s := startService(t, t.TempDir(), append(c.flags(), small...)...)
	data, err := json.Marshal(map[string]string{"url": c.URL + "/?key=x"})
	require.NoError(t, err)
	all := wire.ScheduleSetting{Cron: "* * * * *", Missed: wire.RunAll, MissedMost: schedule.MaxMissed}
	beside, behind := all, all
	beside.Overlap, beside.Run = wire.AllowOverlap, store.Submission{Source: `(tool/http.post {:url data/url :body "x"})`, Data: data}
	behind.Overlap, behind.Run = wire.QueueOverlap, store.Submission{Source: "(reduce + (range 10000))"}
	s.schedule("beside", beside)
	s.schedule("behind", behind)
	s.Kill()
	const missed = 60
	begin := time.Now().UTC().Truncate(time.Minute).Add(-missed * time.Minute)
	since(t, s.Dir, begin)
	s.Restart()
	for range kills {
		<-time.After(time.Duration(rand.IntN(100)) * time.Millisecond) // the moment of death is random
		s.Kill()
		s.Restart()
	}
	runs := s.decided("beside", missed)
	states := make(map[store.State]int)
	for _, run := range runs {
		states[run.State]++
	}
	c.mu.Lock()
	writes := c.writes["x"]
	c.mu.Unlock()
	t.Log(states, writes)
	assert.LessOrEqual(t, writes, len(runs), "no run writes twice")
	assert.GreaterOrEqual(t, writes, states[store.Succeeded])
	following := s.decided("behind", missed)
	for name, runs := range map[string]map[string]store.Run{"beside": runs, "behind": following} {
		for i := range missed {
			at := begin.Add(time.Duration(i+1) * time.Minute).Format(time.RFC3339)
			assert.Contains(t, runs, serve.ScheduleKey+name+":"+at)
		}
	}
	var before store.Run
	for _, key := range slices.Sorted(maps.Keys(following)) {
		assert.False(t, following[key].Created.Before(before.Ended.Truncate(time.Millisecond)), "%s before the end of %s", key, before.Key)
		before = following[key]
	}
	assert.Equal(t, 0, s.Stop())
}

// decided returns the runs of a schedule when so many have ended, or wait for somebody, and nothing is left to do.
func (s *service) decided(name string, n int) (runs map[string]store.Run) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		var one wire.Schedule
		s.call("GET", "/v1/schedules/"+name, nil, &one)
		runs = s.scheduled(name)
		for _, run := range runs {
			if !run.State.Final() && run.State != store.InDoubt {
				return false
			}
		}
		return len(runs) >= n && len(one.Waiting) == 0
	}, 2*time.Minute, 20*time.Millisecond, name)
	return runs
}

// TestScheduleRestart checks that schedules outlive the process, with the policies for missed times, that
// sessions end with it, and that the schedules of a revoked token stop.
func TestScheduleRestart(t *testing.T) {
	s := startService(t, t.TempDir(), small...)
	text, _, err := access.Create(s.Dir, access.Token{Who: access.Who{Name: "ann", Role: access.Submitter}})
	require.NoError(t, err)
	operator := s.Token
	s.Token = text
	for name, missed := range map[string]wire.Missed{"skipped": wire.SkipMissed, "once": wire.RunOnce} {
		s.schedule(name, wire.ScheduleSetting{Cron: "0 * * * *", Zone: "Asia/Kathmandu", Missed: missed, Run: store.Submission{Source: "1"}})
	}
	var session wire.Session
	s.call("POST", "/v1/sessions", wire.NewSession{}, &session)
	var out store.Result
	s.call("POST", "/v1/sessions/"+session.ID+"/eval", map[string]string{"source": "(def x 20)"}, nil)
	s.call("POST", "/v1/sessions/"+session.ID+"/eval", map[string]string{"source": "(+ x 1)"}, &out)
	assert.Equal(t, "21", string(out.Value))
	assert.Equal(t, 0, s.Stop())

	since(t, s.Dir, time.Now().Add(-5*time.Hour-2*time.Minute))
	s.Restart()
	s.Token = text
	var problem struct{ Code, Detail string }
	resp := s.call("POST", "/v1/sessions/"+session.ID+"/eval", map[string]string{"source": "x"}, &problem)
	assert.Equal(t, http.StatusGone, resp.StatusCode)
	assert.Contains(t, problem.Detail, "begin another one")

	var one wire.Schedule
	require.Eventually(t, func() bool {
		s.call("GET", "/v1/schedules/once", nil, &one)
		return len(one.Last) > 0 && one.Last[0].Run != ""
	}, time.Minute, 10*time.Millisecond)
	run := s.wait(one.Last[0].Run)
	assert.Equal(t, store.Succeeded, run.State)
	assert.Equal(t, "ann", run.By)
	assert.Len(t, s.scheduled("once"), 1)
	require.Eventually(t, func() bool {
		s.call("GET", "/v1/schedules/skipped", nil, &one)
		return len(one.Last) > 0
	}, time.Minute, 10*time.Millisecond)
	if one.Last[0].Run == "" { // otherwise the hour has just begun
		assert.Contains(t, one.Last[0].Reason, "were missed: the service did not run")
	}

	_, err = access.Revoke(s.Dir, "ann")
	require.NoError(t, err)
	s.Token = operator
	resp = s.call("POST", "/v1/schedules/once/run", nil, &problem)
	assert.Equal(t, http.StatusConflict, resp.StatusCode)
	assert.Contains(t, problem.Detail, "the identity ann, under which it runs, was removed")
	assert.Equal(t, 0, s.Stop())
	s.Restart()
	s.call("GET", "/v1/schedules/once", nil, &one)
	assert.Contains(t, one.Stopped, "ann")
	assert.Equal(t, 0, s.Stop())
}
