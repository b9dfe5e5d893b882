package serve_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
)

func answer(id, text string) effect.Settlement {
	return effect.Settlement{ID: id, As: effect.Done, Result: json.RawMessage(text)}
}

func settle(t *testing.T, e *serve.Engine, id string, all ...effect.Settlement) store.Run {
	t.Helper()
	run, err := e.Settle(t.Context(), id, all, ann)
	require.NoError(t, err)
	return run
}

// TestQuestion requires a run to wait for an answer, and a wrong answer to be refused.
func TestQuestion(t *testing.T) {
	e := start(t, serve.Options{})
	run := wait(t, e, submit(t, e, `(str "got " (ask {:question "Go on?" :options ["yes" "no"]}))`).ID)
	require.Equal(t, store.Waiting, run.State)
	require.Len(t, run.Pending, 1)
	p := run.Pending[0]
	assert.Equal(t, "Go on?", p.Question)
	assert.Equal(t, effect.PendingQuestion, p.Kind)
	_, err := e.Settle(t.Context(), run.ID, []effect.Settlement{answer(p.ID, `"perhaps"`)}, ann)
	require.ErrorIs(t, err, serve.ErrInvalid)
	_, err = e.Settle(t.Context(), run.ID, []effect.Settlement{answer("0#99", `"yes"`)}, ann)
	require.ErrorIs(t, err, serve.ErrNotPending)
	_, err = e.Settle(t.Context(), run.ID, nil, ann)
	require.ErrorIs(t, err, serve.ErrInvalid)
	settle(t, e, run.ID, answer(p.ID, `"yes"`))
	run = wait(t, e, run.ID)
	assert.Equal(t, `"got yes"`, string(run.Value))
	assert.Empty(t, run.Pending)
	_, err = e.Settle(t.Context(), run.ID, []effect.Settlement{answer(p.ID, `"yes"`)}, ann)
	require.Error(t, err)
}

// TestPendingBeside checks that pending effects are shown, and can be settled, while something else in the
// run continues.
func TestPendingBeside(t *testing.T) {
	g := newGate()
	e := start(t, serve.Options{Run: ptc.Options{Tools: g.tools(t)}})
	run := submit(t, e, `(pcalls #(ask {:question "Go on?"}) #(tool/gate.wait "a"))`)
	require.Equal(t, "a", g.await(t))
	require.Eventually(t, func() bool {
		var err error
		run, err = e.Get(t.Context(), run.ID)
		return err == nil && len(run.Pending) > 0
	}, time.Minute, time.Millisecond)
	assert.Equal(t, store.Running, run.State)
	run = settle(t, e, run.ID, answer(run.Pending[0].ID, "1"))
	assert.Empty(t, run.Pending)
	close(g.leave)
	assert.Equal(t, store.Succeeded, wait(t, e, run.ID).State)
}

// TestParked requires a run that waits long to be parked, and to continue after an answer, in another engine too.
func TestParked(t *testing.T) {
	g, st := newGate(), openStore(t, t.TempDir())
	o := serve.Options{Store: st, Run: ptc.Options{Tools: g.tools(t)}, Linger: time.Nanosecond}
	e := start(t, o)
	run := submit(t, e, `[(tool/gate.note "a") (ask {:question "one"}) (ask {:question "two"}) (tool/gate.note "b")]`)
	parked := func(question string) string {
		t.Helper()
		require.Eventually(t, func() bool {
			var err error
			run, err = e.Get(t.Context(), run.ID)
			return err == nil && run.State == store.Parked && run.Pending[0].Question == question
		}, time.Minute, time.Millisecond)
		return run.Pending[0].ID
	}
	id := parked("one")
	_, err := e.Settle(t.Context(), run.ID, []effect.Settlement{answer("0#99", "1")}, ann)
	require.ErrorIs(t, err, serve.ErrNotPending)
	assert.Equal(t, []string{"a"}, g.noted())
	settle(t, e, run.ID, answer(id, "1"))
	id = parked("two")
	require.NoError(t, drain(e))
	e = start(t, o)
	settle(t, e, run.ID, answer(id, "2"))
	require.Eventually(t, func() bool { return wait(t, e, run.ID).State.Final() }, time.Minute, time.Millisecond)
	run = wait(t, e, run.ID)
	assert.Equal(t, `["a",1,2,"b"]`, string(run.Value), run.Text)
	assert.Equal(t, 3, run.Attempts)
	assert.Equal(t, []string{"a", "b"}, g.noted())
}

// TestUnreadable requires a settlement that the run could not read to be refused, whether the run lives or is parked.
func TestUnreadable(t *testing.T) {
	for _, linger := range []time.Duration{time.Hour, time.Nanosecond} {
		e := start(t, serve.Options{Linger: linger, Run: ptc.Options{Limits: ptc.Limits{CallResult: 5000}}})
		run := wait(t, e, submit(t, e, `(ask {:question "?"})`).ID)
		if linger == time.Nanosecond {
			require.Eventually(t, func() bool {
				var err error
				run, err = e.Get(t.Context(), run.ID)
				return err == nil && run.State == store.Parked
			}, time.Minute, time.Millisecond)
		}
		id := run.Pending[0].ID
		large := json.RawMessage(`"` + strings.Repeat("x", 70_000) + `"`)
		for _, s := range []effect.Settlement{answer(id, string(large)), answer(id, "\"\xff\""),
			answer(id, strings.Repeat("[", 1000)+strings.Repeat("]", 1000)),
			{ID: id, As: effect.Failed, Failure: &effect.Failure{Data: large}}} {
			_, err := e.Settle(t.Context(), run.ID, []effect.Settlement{s}, ann)
			require.ErrorIs(t, err, serve.ErrInvalid)
		}
		settle(t, e, run.ID, answer(id, "1"))
		succeeded := func() bool { return wait(t, e, run.ID).State == store.Succeeded }
		require.Eventually(t, succeeded, time.Minute, time.Millisecond)
	}
}

// TestTwoQuestions requires the effects of parallel workers to be pending together, and to be settled one by one.
func TestTwoQuestions(t *testing.T) {
	e := start(t, serve.Options{})
	run := wait(t, e, submit(t, e, `(pmap (fn [q] (ask {:question q})) ["a" "b"])`).ID)
	require.Equal(t, store.Waiting, run.State)
	require.Len(t, run.Pending, 2)
	first, second := run.Pending[0].ID, run.Pending[1].ID
	settle(t, e, run.ID, answer(second, "2"))
	require.Eventually(t, func() bool {
		run, err := e.Get(t.Context(), run.ID)
		return err == nil && run.State == store.Waiting && len(run.Pending) == 1 && run.Pending[0].ID == first
	}, time.Minute, time.Millisecond)
	settle(t, e, run.ID, answer(first, "1"))
	require.Eventually(t, func() bool { return wait(t, e, run.ID).State.Final() }, time.Minute, time.Millisecond)
	assert.Equal(t, `[1,2]`, string(wait(t, e, run.ID).Value))
}

// TestRoom requires a run that waits for people to be parked when others need its room.
func TestRoom(t *testing.T) {
	e := start(t, serve.Options{Running: 1})
	first := wait(t, e, submit(t, e, `(ask {:question "one"})`).ID)
	require.Equal(t, store.Waiting, first.State)
	assert.Equal(t, store.Succeeded, wait(t, e, submit(t, e, `2`).ID).State)
	first = wait(t, e, first.ID)
	assert.Equal(t, store.Parked, first.State)
	settle(t, e, first.ID, answer(first.Pending[0].ID, "1"))
	require.Eventually(t, func() bool { return wait(t, e, first.ID).State.Final() }, time.Minute, time.Millisecond)
	assert.Equal(t, "1", wait(t, e, first.ID).Text)
}

// TestCancelWaiting checks that waiting runs are cancelled immediately.
func TestCancelWaiting(t *testing.T) {
	for _, linger := range []time.Duration{time.Minute, time.Nanosecond} {
		e := start(t, serve.Options{Linger: linger})
		run := wait(t, e, submit(t, e, `(ask {:question "one"})`).ID)
		run, err := e.Cancel(t.Context(), run.ID, ann)
		require.NoError(t, err)
		assert.Equal(t, store.Cancelled, run.State)
		assert.Empty(t, run.Pending)
	}
}

// TestDrainWaiting requires a run that waits to wait again in the next engine.
func TestDrainWaiting(t *testing.T) {
	st := openStore(t, t.TempDir())
	e := start(t, serve.Options{Store: st})
	run := wait(t, e, submit(t, e, `(ask {:question "one"})`).ID)
	require.NoError(t, e.Drain(context.Background(), 0))
	e = start(t, serve.Options{Store: st})
	if run = wait(t, e, run.ID); run.State == store.Running {
		run = wait(t, e, run.ID)
	}
	settle(t, e, run.ID, answer("0#1", "1"))
	require.Eventually(t, func() bool { return wait(t, e, run.ID).State.Final() }, time.Minute, time.Millisecond)
	assert.Equal(t, "1", wait(t, e, run.ID).Text)
}

// TestDoubt requires writes in doubt to be listed together, and each settlement to be followed.
func TestDoubt(t *testing.T) {
	for as, calls := range map[effect.Verdict]int{effect.Retry: 2, effect.Done: 1} {
		g, st := newGate(), openStore(t, t.TempDir())
		opts := ptc.Options{Tools: g.tools(t)}
		e := start(t, serve.Options{Store: st, Run: opts})
		run := submit(t, e, `(pmap (fn [n] (tool/gate.wait n)) ["a" "b"])`)
		g.await(t)
		g.await(t)
		require.NoError(t, drain(e))
		close(g.leave)
		e = start(t, serve.Options{Store: st, Run: opts})
		run = wait(t, e, run.ID)
		require.Equal(t, store.InDoubt, run.State, run.Text)
		require.Len(t, run.Pending, 2)
		s := effect.Settlement{ID: run.Pending[1].ID, As: as}
		if as == effect.Done {
			s.Result = json.RawMessage(`"b"`)
		}
		run = settle(t, e, run.ID, s)
		assert.Equal(t, store.InDoubt, run.State)
		assert.Len(t, run.Pending, 1)
		s.ID = "gate.wait"
		if as == effect.Done {
			s.Result = json.RawMessage(`"a"`)
		}
		settle(t, e, run.ID, s)
		run = wait(t, e, run.ID)
		assert.Equal(t, `["a","b"]`, string(run.Value), run.Text)
		assert.Len(t, g.noted(), 2*calls)
	}
}

// TestFourEyes requires a call to be approved by somebody else than the submitter, who may refuse it.
func TestFourEyes(t *testing.T) {
	for _, linger := range []time.Duration{time.Minute, time.Nanosecond} {
		g := newGate()
		e := start(t, serve.Options{FourEyes: true, Linger: linger,
			Run: ptc.Options{Tools: g.tools(t), Approve: effect.Approvals{Writes: true}}})
		source := `(try (tool/gate.note "a") (catch Exception e "refused"))`
		run := wait(t, e, submit(t, e, source).ID)
		for _, id := range []string{"0#1", "gate.note"} {
			_, err := e.Settle(t.Context(), run.ID, []effect.Settlement{{ID: id, As: effect.Approve}}, ann)
			require.ErrorIs(t, err, serve.ErrOwnApproval)
		}
		bob := access.Who{Name: "bob", Tenant: "default", Role: access.Submitter}
		_, err := e.Settle(t.Context(), run.ID, []effect.Settlement{{ID: "0#1", As: effect.Approve}}, bob)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return string(wait(t, e, run.ID).Value) == `"a"` }, time.Minute, time.Millisecond)
		run = wait(t, e, submit(t, e, source).ID)
		settle(t, e, run.ID, effect.Settlement{ID: "0#1", As: effect.Refuse})
		require.Eventually(t, func() bool { return string(wait(t, e, run.ID).Value) == `"refused"` }, time.Minute, time.Millisecond)
	}
}
