package serve_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

func TestEvents(t *testing.T) {
	g := newGate()
	e := start(t, serve.Options{Run: ptc.Options{Tools: g.tools(t)}})
	run := submit(t, e, `(println "one") (tool/gate.wait "a") (println "two")`)
	g.await(t)
	sub, err := e.Subscribe(t.Context(), run.ID, 0)
	require.NoError(t, err)
	defer sub.Close()
	close(g.leave)
	var kinds []string
	var ids []uint64
	for {
		ev, err := sub.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if ev.Data.Event() == "progress" {
			continue
		}
		kinds, ids = append(kinds, ev.Data.Event()), append(ids, ev.ID)
	}
	assert.Equal(t, []string{"state", "print", "call-begun", "call-ended", "print", "state"}, kinds)
	assert.IsIncreasing(t, ids)

	late, err := e.Subscribe(t.Context(), run.ID, ids[2]) // its connection was cut before the run ended
	require.NoError(t, err)
	defer late.Close()
	for i := 3; i < len(ids); i++ {
		ev, err := late.Next(t.Context())
		require.NoError(t, err)
		assert.Equal(t, kinds[i], ev.Data.Event())
		assert.Equal(t, ids[i], ev.ID)
	}
	_, err = late.Next(t.Context())
	require.ErrorIs(t, err, io.EOF)
	over, err := e.Subscribe(t.Context(), run.ID, ids[5])
	require.NoError(t, err)
	_, err = over.Next(t.Context())
	require.ErrorIs(t, err, io.EOF)
	_, err = e.Subscribe(t.Context(), "none", 0)
	require.ErrorIs(t, err, store.ErrNotFound)
}

// TestForgottenEvents requires the events of a run that has ended to be forgotten after those of later
// runs. Its state is not.
func TestForgottenEvents(t *testing.T) {
	t.Parallel() // it mostly waits
	e := start(t, serve.Options{})
	first := submit(t, e, `(println "one")`)
	wait(t, e, first.ID)
	large := fmt.Sprintf("(dotimes [_ 20] (println %q))", strings.Repeat("x", 20_000))
	for range 80 {
		wait(t, e, submit(t, e, large).ID)
	}
	sub, err := e.Subscribe(t.Context(), first.ID, 0)
	require.NoError(t, err)
	defer sub.Close()
	ev, err := sub.Next(t.Context())
	require.NoError(t, err)
	assert.Equal(t, store.Succeeded, ev.Data.(wire.Changed).State)
	_, err = sub.Next(t.Context())
	require.ErrorIs(t, err, io.EOF)
}

// TestWaits requires the waits of calls for their turn to be events.
func TestWaits(t *testing.T) {
	g := newGate()
	e := start(t, serve.Options{Run: ptc.Options{Tools: g.tools(t)}})
	first := submit(t, e, `(host-exclusive "web-1" (tool/gate.wait "a"))`)
	require.Equal(t, "a", g.await(t))
	second := submit(t, e, `(host-exclusive "web-1" (tool/gate.wait "b"))`)
	sub, err := e.Subscribe(t.Context(), second.ID, 0)
	require.NoError(t, err)
	defer sub.Close()
	require.Eventually(t, func() bool { return len(e.Waits(t.Context(), second.ID)) > 0 }, time.Minute, time.Millisecond)
	now := e.Waits(t.Context(), second.ID)
	assert.Positive(t, now[0].Since)
	now[0].Since = time.Time{}
	assert.Equal(t, []serve.Wait{{Waiter: effect.Waiter{Kind: effect.WaitHost, Key: "web-1", Name: "0#1"}}}, now)
	assert.Empty(t, e.Waits(t.Context(), first.ID))
	close(g.leave)
	wait(t, e, first.ID)
	wait(t, e, second.ID)
	assert.Empty(t, e.Waits(t.Context(), second.ID))
	var begun []wire.EventData
	for {
		ev, err := sub.Next(t.Context())
		require.NoError(t, err, "there was no event of a wait")
		if b, ok := ev.Data.(wire.WaitBegun); ok {
			begun = append(begun, b)
		}
		if w, ok := ev.Data.(wire.Waited); ok {
			assert.Equal(t, "web-1", w.Key)
			assert.Equal(t, effect.WaitHost, w.Kind)
			assert.Positive(t, w.Duration)
			assert.Equal(t, []wire.EventData{wire.WaitBegun{Effect: "0#1", Kind: effect.WaitHost, Key: "web-1"}}, begun)
			return
		}
	}
}

// TestSlowSubscriber checks that a subscriber that does not read delays nothing, and learns that it has missed events.
func TestSlowSubscriber(t *testing.T) {
	g := newGate()
	e := start(t, serve.Options{Run: ptc.Options{Tools: g.tools(t)}})
	run := submit(t, e, `(tool/gate.wait "a") (dotimes [i 5000] (println i)) :done`)
	g.await(t)
	sub, err := e.Subscribe(t.Context(), run.ID, 0)
	require.NoError(t, err)
	defer sub.Close()
	close(g.leave)
	kept := wait(t, e, run.ID)
	assert.Equal(t, 5000, strings.Count(kept.Prints, "\n"))
	var dropped, events uint64
	for {
		ev, err := sub.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if d, ok := ev.Data.(wire.Dropped); ok {
			dropped += d.Events
		} else {
			events++
		}
	}
	assert.Positive(t, dropped)
	assert.GreaterOrEqual(t, dropped+events, uint64(5004))
	assert.LessOrEqual(t, events, uint64(300))
}

// TestUsageWhileRunning checks that a run shows its usage so far, to subscribers too.
func TestUsageWhileRunning(t *testing.T) {
	t.Parallel() // it mostly waits
	g := newGate()
	e := start(t, serve.Options{Run: ptc.Options{Tools: g.tools(t)}})
	run := submit(t, e, `(println "abc") (let [v (vec (range 10000)) s (reduce + (pmap inc v))] (tool/gate.wait "a") [s (count v)])`)
	g.await(t)
	sub, err := e.Subscribe(t.Context(), run.ID, 0)
	require.NoError(t, err)
	defer sub.Close()
	for {
		ev, err := sub.Next(t.Context())
		require.NoError(t, err)
		if p, ok := ev.Data.(wire.Progressed); ok {
			require.Greater(t, p.Steps, int64(10_000))
			require.Greater(t, p.Memory, int64(80_000))
			break
		}
	}
	run, err = e.Get(t.Context(), run.ID)
	require.NoError(t, err)
	var used ptc.Usage
	require.NoError(t, json.Unmarshal(run.Usage, &used))
	require.Greater(t, used.Steps, int64(10_000))
	require.Greater(t, used.Memory, int64(80_000))
	require.EqualValues(t, 1, used.Calls)
	require.Equal(t, 4, used.Printed)
	require.Positive(t, used.Duration)
	g.leave <- struct{}{}
	run = wait(t, e, run.ID)
	var whole ptc.Usage
	require.NoError(t, json.Unmarshal(run.Usage, &whole))
	require.InDelta(t, whole.Steps, used.Steps, 10_000)
}
