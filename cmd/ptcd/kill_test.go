package main

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/store"
)

// TestPoisoned requires a run with which the process dies three times to be set aside.
func TestPoisoned(t *testing.T) {
	c := newCounter(t)
	s := startService(t, t.TempDir(), c.flags()...)
	run := s.submit(`(tool/http.get "` + c.URL + `/")`)
	for range 3 {
		<-c.holds
		s.Kill()
		s.Restart()
	}
	run = s.wait(run.ID)
	assert.Equal(t, store.Poisoned, run.State)
	assert.Equal(t, 3, run.Crashes)
	assert.Equal(t, 3, run.Attempts)
	assert.Equal(t, store.Succeeded, s.wait(s.submit("1").ID).State)
}

// TestKillSettled kills the service after it has confirmed an answer: the run must continue with the
// answer, whether it was in memory or parked.
func TestKillSettled(t *testing.T) {
	for linger, state := range map[string]store.State{"1m": store.Waiting, "1ns": store.Parked} {
		s := startService(t, t.TempDir(), "--linger", linger)
		run := s.submit(`(str "got " (ask {:question "Go on?"}))`)
		require.Eventually(t, func() bool {
			run = s.wait(run.ID)
			return run.State == state
		}, time.Minute, time.Millisecond)
		_, err := s.Answer(t.Context(), run.ID, run.Pending[0].ID, "it")
		require.NoError(t, err)
		s.Kill()
		s.Restart()
		run = s.wait(run.ID)
		assert.Equal(t, store.Succeeded, run.State, run.Reason)
		assert.Equal(t, `"got it"`, string(run.Value))
		assert.Equal(t, 0, s.Stop())
	}
}

// TestKillAfterSettlement kills the service when a parked run continues after an approval or a retry: its
// write is in doubt again, and the earlier settlement does not apply to that.
func TestKillAfterSettlement(t *testing.T) {
	c := newCounter(t)
	s := startService(t, t.TempDir(), append(c.flags(), "--linger", "1ns", "--approval", "http.post")...)
	run := s.submit(`(:status (tool/http.post {:url "` + c.URL + `/hold?key=w" :body "x"}))`)
	settle := func(state store.State, one effect.Settlement) {
		require.Eventually(t, func() bool {
			run = s.wait(run.ID)
			return run.State == state && len(run.Pending) == 1
		}, time.Minute, time.Millisecond, "%s %s", run.State, run.Text)
		one.ID = run.Pending[0].ID
		s.settle(run.ID, one)
	}
	settle(store.Parked, effect.Settlement{As: effect.Approve})
	<-c.holds
	s.Kill()
	s.Restart()
	settle(store.InDoubt, effect.Settlement{As: effect.Retry})
	<-c.holds
	s.Kill()
	s.Restart()
	settle(store.InDoubt, effect.Settlement{As: effect.Done, Result: []byte(`{"status": 200, "url": "", "headers": {}}`)})
	require.Eventually(t, func() bool {
		run = s.wait(run.ID)
		return run.State.Final()
	}, time.Minute, time.Millisecond)
	assert.Equal(t, "200", string(run.Value), run.Text)
	c.mu.Lock()
	defer c.mu.Unlock()
	assert.Equal(t, 2, c.writes["w"])
}

// TestTerm checks that SIGTERM waits for a write under way, so that it is not in doubt, and that the run
// continues with the next start.
func TestTerm(t *testing.T) {
	c := newCounter(t)
	s := startService(t, t.TempDir(), append(c.flags(), "--allow-exec", "echo", "--finish", "1ms")...)
	run := s.submit(`(println "before") (tool/http.post {:url "` + c.URL + `/hold?key=w" :body "x"}) (println "after") (Thread/sleep 500) ` +
		`(:out (tool/exec.run {:program "echo" :args ["end"]}))`)
	<-c.holds
	ended := make(chan int)
	go func() { ended <- s.Stop() }()
	require.Eventually(t, func() bool { return s.call("GET", "/readyz", nil, nil).StatusCode != http.StatusOK },
		time.Minute, time.Millisecond)
	close(c.hold)
	assert.Equal(t, 0, <-ended)
	s.Restart()
	run = s.wait(run.ID)
	assert.Equal(t, store.Succeeded, run.State, run.Text)
	assert.Equal(t, `"end\n"`, string(run.Value))
	assert.Equal(t, "before\nafter\n", run.Prints)
	assert.Equal(t, 2, run.Attempts)
	assert.Zero(t, run.Crashes)
}
