// This file defines the tests of changes.

package storetest

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/store"
)

var updates = map[string]func(*testing.T, store.Store){
	"Update":      testUpdate,
	"UpdateFails": testUpdateFails,
	"Transitions": testTransitions,
	"Final":       testFinal,
	"Fixed":       testFixed,
	"Times":       testTimes,
	"InvalidEnd":  testInvalidEnd,
	"Pending":     testPending,
}

func testUpdate(t *testing.T, s store.Store) {
	kept := Create(t, s, Submitted())
	wake := time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC)
	changed, err := s.Update(t.Context(), kept.ID, func(r *store.Run) error {
		require.Equal(t, kept, *r)
		r.State, r.Attempts, r.Crashes, r.Wake, r.Reason = store.Running, 2, 1, wake, "started"
		r.Prints, r.Usage = "so far", json.RawMessage(`{"steps":7}`)
		return nil
	})
	require.NoError(t, err)
	require.EqualValues(t, 2, changed.Revision)
	require.False(t, changed.Updated.Before(kept.Created))
	got, err := s.Get(t.Context(), kept.ID)
	require.NoError(t, err)
	require.Equal(t, changed, got)
	require.Equal(t, wake, got.Wake)
	require.Equal(t, "so far", got.Prints)
	require.Equal(t, kept.Submission, got.Submission)
}

// testUpdateFails: a change that fails changes nothing, in the store and in the caller's runs.
func testUpdateFails(t *testing.T, s store.Store) {
	kept := Create(t, s, Submitted())
	mine := errors.New("mine")
	_, err := s.Update(t.Context(), kept.ID, func(r *store.Run) error {
		r.State, r.Attempts = store.Running, 7
		r.Labels["env"] = "test"
		return mine
	})
	require.Equal(t, mine, err)
	_, err = s.Update(t.Context(), kept.ID, func(r *store.Run) error {
		r.Labels["env"] = "test"
		return nil
	})
	require.ErrorIs(t, err, store.ErrInvalid)
	got, err := s.Get(t.Context(), kept.ID)
	require.NoError(t, err)
	require.Equal(t, kept, got)
	require.Equal(t, "prod", kept.Labels["env"])
}

// testTransitions tries each state after each other one.
func testTransitions(t *testing.T, s store.Store) {
	for _, from := range store.States() {
		for _, to := range append(store.States(), "", "done") {
			kept := Create(t, s, Submitted())
			if from != store.Queued {
				kept = Become(t, s, kept.ID, from)
			}
			changed, err := s.Update(t.Context(), kept.ID, func(r *store.Run) error {
				r.State = to
				return nil
			})
			got, getErr := s.Get(t.Context(), kept.ID)
			require.NoError(t, getErr)
			switch {
			case from.Final():
				require.ErrorIs(t, err, store.ErrEnded, "%s to %s", from, to)
				require.Equal(t, kept, got)
			case !from.May(to):
				require.ErrorIs(t, err, store.ErrTransition, "%s to %s", from, to)
				require.Equal(t, kept, got)
			default:
				require.NoError(t, err, "%s to %s", from, to)
				require.Equal(t, changed, got)
				require.Equal(t, to, got.State)
				require.Equal(t, to.Final(), !got.Ended.IsZero())
			}
		}
	}
}

func testFinal(t *testing.T, s store.Store) {
	kept := Create(t, s, Submitted())
	done := Become(t, s, kept.ID, store.Succeeded)
	_, err := s.Update(t.Context(), kept.ID, func(r *store.Run) error {
		t.Error("called for a run that has ended")
		r.Prints = "more"
		return nil
	})
	require.ErrorIs(t, err, store.ErrEnded)
	got, err := s.Get(t.Context(), kept.ID)
	require.NoError(t, err)
	require.Equal(t, done, got)
}

func testFixed(t *testing.T, s store.Store) {
	kept := Create(t, s, Submitted())
	for name, change := range map[string]func(*store.Run){
		"id":       func(r *store.Run) { r.ID = store.FirstID(time.Time{}) },
		"tenant":   func(r *store.Run) { r.Tenant = "south" },
		"by":       func(r *store.Run) { r.By = "" },
		"digest":   func(r *store.Run) { r.Digest = "" },
		"trace":    func(r *store.Run) { r.Trace = "00" },
		"created":  func(r *store.Run) { r.Created = r.Created.Add(1) },
		"updated":  func(r *store.Run) { r.Updated = time.Time{} },
		"started":  func(r *store.Run) { r.Started = r.Created },
		"ended":    func(r *store.Run) { r.Ended = r.Created },
		"revision": func(r *store.Run) { r.Revision++ },
		"program":  func(r *store.Run) { r.Program = "deploy@4" },
		"name":     func(r *store.Run) { r.Name = "" },
		"source":   func(r *store.Run) { r.Source = "" },
		"data":     func(r *store.Run) { r.Data = nil },
		"limits":   func(r *store.Run) { r.Limits.Steps = 1 },
		"label":    func(r *store.Run) { delete(r.Labels, "env") },
		"key":      func(r *store.Run) { r.Key = "k" },
		"priority": func(r *store.Run) { r.Priority = effect.LowPriority },
	} {
		_, err := s.Update(t.Context(), kept.ID, func(r *store.Run) error {
			r.State = store.Running
			change(r)
			return nil
		})
		require.ErrorIs(t, err, store.ErrInvalid, name)
	}
	got, err := s.Get(t.Context(), kept.ID)
	require.NoError(t, err)
	require.Equal(t, kept, got)
}

// testTimes: a run has started once and ended once.
func testTimes(t *testing.T, s store.Store) {
	kept := Create(t, s, Submitted())
	require.True(t, kept.Started.IsZero())
	first := Become(t, s, kept.ID, store.Running)
	require.Equal(t, first.Updated, first.Started)
	Become(t, s, kept.ID, store.Parked)
	_, err := s.Update(t.Context(), kept.ID, func(r *store.Run) error { r.Wake = time.Now().Add(time.Hour); return nil })
	require.NoError(t, err)
	Become(t, s, kept.ID, store.Queued)
	again := Become(t, s, kept.ID, store.Running)
	require.Equal(t, first.Started, again.Started)
	require.True(t, again.Ended.IsZero())
	done := Become(t, s, kept.ID, store.Cancelled)
	require.Equal(t, done.Updated, done.Ended)
	require.True(t, done.Wake.IsZero(), "nothing wakes it")
	require.False(t, done.Ended.Before(done.Started) || done.Started.Before(done.Created))
}

func testInvalidEnd(t *testing.T, s store.Store) {
	kept := Become(t, s, Create(t, s, Submitted()).ID, store.Running)
	for _, change := range []func(*store.Run){
		func(r *store.Run) { r.Value = json.RawMessage(`[`) },
		func(r *store.Run) { r.Error = json.RawMessage(`nil`) },
		func(r *store.Run) { r.Usage = json.RawMessage(``) },
	} {
		_, err := s.Update(t.Context(), kept.ID, func(r *store.Run) error {
			r.State = store.Succeeded
			change(r)
			return nil
		})
		require.ErrorIs(t, err, store.ErrInvalid)
	}
	got, err := s.Get(t.Context(), kept.ID)
	require.NoError(t, err)
	require.Equal(t, kept, got)
}

// testPending: a run has the effects that it waits for until it has ended; lists do not have them.
func testPending(t *testing.T, s store.Store) {
	kept := Create(t, s, Submitted())
	since := time.Date(2030, 1, 2, 3, 4, 5, 0, time.FixedZone("east", 3600))
	pending := []effect.Pending{
		{ID: "0.1.3#1", Kind: effect.PendingApproval, Tool: "deploy", Class: effect.Write,
			Args: json.RawMessage(`{ "host": "<a>" }`), Since: since},
		{ID: "0#2", Kind: effect.PendingQuestion, Class: effect.ReadOnly, Question: "Delete?",
			Data:    json.RawMessage(`[1, 2]`),
			Options: []json.RawMessage{json.RawMessage(` "yes" `), json.RawMessage(`"no"`)}, Since: since},
	}
	Become(t, s, kept.ID, store.Running)
	for _, state := range []store.State{store.Waiting, store.Parked, store.InDoubt} {
		run, err := s.Update(t.Context(), kept.ID, func(r *store.Run) error {
			r.State, r.Pending = state, pending
			return nil
		})
		require.NoError(t, err)
		require.Len(t, run.Pending, 2)
		require.Equal(t, `{"host":"<a>"}`, string(run.Pending[0].Args))
		require.Equal(t, `"yes"`, string(run.Pending[1].Options[0]))
		require.True(t, run.Pending[0].Since.Equal(since))
		got, err := s.Get(t.Context(), kept.ID)
		require.NoError(t, err)
		require.Equal(t, run, got)
		require.Empty(t, All(t, s, store.Query{})[0].Pending)
		Become(t, s, kept.ID, store.Running)
	}
	require.Equal(t, `{ "host": "<a>" }`, string(pending[0].Args), "the caller's are as they were")
	for _, spoil := range []func(*effect.Pending){
		func(p *effect.Pending) { p.Args = json.RawMessage(`{`) },
		func(p *effect.Pending) { p.Options = []json.RawMessage{json.RawMessage(`no`)} },
		func(p *effect.Pending) { p.Class = 9 },
	} {
		bad := pending[0]
		spoil(&bad)
		_, err := s.Update(t.Context(), kept.ID, func(r *store.Run) error { r.Pending = []effect.Pending{bad}; return nil })
		require.ErrorIs(t, err, store.ErrInvalid)
	}
	done := Become(t, s, kept.ID, store.Failed)
	require.Nil(t, done.Pending)
}
