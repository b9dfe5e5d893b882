package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
)

// TestRandom submits, cancels and answers runs while engines end, orderly and abruptly, one after the other
// on the same store. Each run must end as it would alone, with each of its writes made at most once.
func TestRandom(t *testing.T) {
	const runs, engines = 40, 6
	st := openStore(t, t.TempDir())
	g := newGate()
	o := serve.Options{Store: st, Memory: 4 << 20, Linger: 2 * time.Millisecond,
		Run: ptc.Options{Tools: g.tools(t), Limits: limits.Limits{Memory: 512 << 10, WorkerMemory: 256 << 10, Workers: 2}}}
	source := `(let [note (fn [i] (tool/gate.note (str data/name "-" i)))]
  (note 0) (note 1)
  (if (= "yes" (ask {:question data/name :options ["yes" "no"]}))
    (do (doall (pmap note [2 3])) :done)
    (fail "no")))`
	ids := make(map[string]string)
	for range engines {
		e, err := serve.New(t.Context(), o)
		require.NoError(t, err)
		for range runs / engines {
			name := fmt.Sprintf("run%d", len(ids))
			data, err := json.Marshal(map[string]string{"name": name})
			require.NoError(t, err)
			run, _, err := e.Submit(t.Context(), store.Submission{Source: source, Data: data,
				Priority: effect.Priorities[rand.IntN(3)]}, ann)
			require.NoError(t, err)
			ids[run.ID] = name
		}
		answerSome(t, e, ids, 10)
		grace, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(2))*time.Second)
		e.Drain(grace, 0) // a state that was not kept is that of a crash
		cancel()
	}
	e := start(t, o)
	require.Eventually(t, func() bool {
		answerSome(t, e, ids, len(ids))
		left, err := st.Count(t.Context(), "")
		require.NoError(t, err)
		return left[store.Queued]+left[store.Running]+left[store.Waiting]+left[store.Parked]+left[store.InDoubt] == 0
	}, time.Minute, 5*time.Millisecond)
	made := make(map[string]int) // calls by their names
	for _, name := range g.noted() {
		made[name]++
	}
	for id, name := range ids {
		run, err := e.Get(t.Context(), id)
		require.NoError(t, err)
		for i := range 4 {
			calls := made[fmt.Sprintf("%s-%d", name, i)]
			assert.LessOrEqual(t, calls, 1, "write %d of %s", i, name)
			if run.State == store.Succeeded || run.State == store.Failed && i < 2 {
				assert.Equal(t, 1, calls, "write %d of %s, which has %s", i, name, run.State)
			}
		}
		switch run.State {
		case store.Succeeded:
			assert.Equal(t, ":done", run.Text)
		case store.Failed:
			assert.True(t, strings.Contains(string(run.Error), `"failed"`), run.Text)
		case store.Cancelled:
		default:
			t.Errorf("run %s is %s: %s", id, run.State, run.Reason)
		}
	}
}

// answerSome answers the questions of some runs, settles writes in doubt as done, and cancels a run now and then.
func answerSome(t *testing.T, e *serve.Engine, ids map[string]string, some int) {
	t.Helper()
	for id := range ids {
		if some--; some < 0 {
			return
		}
		run, err := e.Get(t.Context(), id)
		require.NoError(t, err)
		if rand.IntN(200) == 0 {
			_, err := e.Cancel(t.Context(), id, ann)
			require.True(t, err == nil || errors.Is(err, store.ErrEnded) || errors.Is(err, store.ErrTransition), err)
			continue
		}
		var all []effect.Settlement
		for _, p := range run.Pending {
			s := answer(p.ID, `"yes"`)
			if rand.IntN(5) == 0 {
				s.Result = json.RawMessage(`"no"`)
			}
			if p.Kind == effect.PendingDoubt {
				var args struct{ Name string }
				require.NoError(t, json.Unmarshal(p.Args, &args))
				s.Result, _ = json.Marshal(args.Name)
			}
			all = append(all, s)
		}
		if len(all) == 0 {
			continue
		}
		_, err = e.Settle(t.Context(), id, all, ann)
		require.True(t, err == nil || errors.Is(err, serve.ErrNotPending) || errors.Is(err, store.ErrTransition) ||
			errors.Is(err, store.ErrEnded), err)
	}
}
