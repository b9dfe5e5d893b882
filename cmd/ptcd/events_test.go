package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// begun follows a run until a call begins, and returns the event of that.
func (s *service) begun(id string) (wire.Event, wire.CallBegun) {
	s.t.Helper()
	for ev, err := range s.Events(s.t.Context(), id, 0) {
		require.NoError(s.t, err)
		if call, ok := ev.Data.(wire.CallBegun); ok {
			return ev, call // which ends the connection
		}
	}
	s.t.Fatal("the run has ended without a call")
	panic("unreachable")
}

// TestEvents checks that a client that loses its connection continues after the last event that it has seen.
func TestEvents(t *testing.T) {
	c := newCounter(t)
	s := startService(t, t.TempDir(), c.flags()...)
	run := s.submit(`(println "one") (tool/http.get "` + c.URL + `/") (println "two") (println "three") 4`)
	<-c.holds
	last, call := s.begun(run.ID)
	assert.Equal(t, "http.get", call.Tool)
	close(c.hold)
	var names []string
	for ev, err := range s.Events(t.Context(), run.ID, last.ID) {
		require.NoError(t, err)
		assert.Greater(t, ev.ID, last.ID)
		last = ev
		if name := ev.Data.Event(); name != "progress" {
			names = append(names, name)
		}
	}
	assert.Equal(t, []string{"call-ended", "print", "print", "state"}, names)
	assert.Equal(t, store.Succeeded, last.Data.(wire.Changed).State)
	for range s.Events(t.Context(), run.ID, last.ID) {
		t.Error("there are events after the last one")
	}
}
