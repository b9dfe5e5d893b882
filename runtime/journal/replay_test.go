package journal_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// recorded returns the recording of a run of three effects, one of them in an operation.
func recorded(t *testing.T) *journal.Recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.journal")
	j, err := journal.Create(path, journal.Header{Run: "R", Program: "p.ptc"}, journal.Options{Now: ticking()})
	require.NoError(t, err)
	do(t, j, call("0#1", effect.ReadOnly, `{"q":1}`), ok(`[1]`))
	do(t, j, call("0.1.3#1", effect.Write, `{"q":2}`), ok(`[2]`))
	do(t, j, call("0.1.12#1", effect.Write, `{"q":3}`), effect.Record{Error: []byte(`{"code":"unavailable"}`)})
	require.NoError(t, j.Finish(journal.Final{Value: "[1 2]"}))
	require.NoError(t, j.Close())
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	return rec
}

// recall makes a replay return an outcome.
func recall(t *testing.T, j *journal.Journal, e effect.Effect) effect.Record {
	t.Helper()
	o, todo, err := j.Begin(context.Background(), e)
	require.NoError(t, err)
	require.False(t, todo)
	return o
}

func TestReplay(t *testing.T) {
	rec := recorded(t)
	for range 2 { // a recording is not changed by being replayed
		j := journal.Replay(rec)
		require.JSONEq(t, `{"code":"unavailable"}`, string(recall(t, j, call("0.1.12#1", effect.Write, `{"q":3}`)).Error))
		require.JSONEq(t, `[2]`, string(recall(t, j, call("0.1.3#1", effect.Write, `{"q":2}`)).Result))
		require.JSONEq(t, `[1]`, string(recall(t, j, call("0#1", effect.ReadOnly, `{"q":1}`)).Result))
		require.NoError(t, j.Finish(journal.Final{Value: "[1 2]"}))
		require.Equal(t, journal.Stats{Begun: 3, Failed: 1, Recalled: 3}, j.Stats())
		require.True(t, j.Entries()[0].Recalled)
		require.NoError(t, j.Close())
	}
}

// TestRecall: a recorded outcome can be asked for before any wait, which counts as the effect. An effect
// that is not recorded is left to Begin.
func TestRecall(t *testing.T) {
	fresh := journal.New(journal.Options{})
	_, done, err := fresh.Recall(t.Context(), call("0#1", effect.ReadOnly, `{}`))
	require.True(t, !done && err == nil && !fresh.Replays())

	replay := journal.Replay(recorded(t))
	require.True(t, replay.Replays())
	o, done, err := replay.Recall(t.Context(), call("0#1", effect.ReadOnly, `{"q":1}`))
	require.True(t, done && err == nil)
	require.JSONEq(t, `[1]`, string(o.Result))
	_, _, err = replay.Begin(context.Background(), call("0#1", effect.ReadOnly, `{"q":1}`))
	require.ErrorContains(t, err, "a second time")
	var d *journal.Divergence
	_, _, err = replay.Recall(t.Context(), call("0.1.3#1", effect.Write, `{"q":7}`))
	require.ErrorAs(t, err, &d)
	_, _, err = replay.Recall(t.Context(), call("0#2", effect.Write, `{}`))
	require.ErrorAs(t, err, &d)
	require.NoError(t, replay.Close())
	_, _, err = replay.Recall(t.Context(), call("0.1.3#1", effect.Write, `{"q":2}`))
	require.ErrorIs(t, err, journal.ErrClosed)

	j, _, err := journal.Resume(interrupted(t), nil, journal.Options{})
	require.NoError(t, err)
	for i, class := range []effect.Class{effect.ReadOnly, effect.Idempotent, effect.Write} {
		_, done, err := j.Recall(t.Context(), call(fmt.Sprintf("0.1.%d#1", i), class, `2`))
		require.True(t, !done && err == nil, "it is to be begun, and Begin says if it is in doubt")
	}
	_, done, err = j.Recall(t.Context(), call("0#1", effect.Write, `1`))
	require.True(t, done && err == nil)
	require.EqualValues(t, 1, j.Stats().Recalled)
	require.NoError(t, j.Close())
}

// TestDivergences: each way in which a run can differ from its recording is told with
// both sides.
func TestDivergences(t *testing.T) {
	rec := recorded(t)
	long := strings.Repeat("a", 10_000)
	begin := func(e effect.Effect) func(*journal.Journal) error {
		return func(j *journal.Journal) error { _, _, err := j.Begin(context.Background(), e); return err }
	}
	for _, c := range []struct {
		name string
		do   func(*journal.Journal) error
		text string
	}{
		{"arguments", begin(call("0#1", effect.ReadOnly, `{"q":7}`)),
			`the run differs from its recording at effect 0#1: recorded call search {"q":1}, got call search {"q":7}`},
		{"long arguments", begin(call("0#1", effect.ReadOnly, `{"q":"`+long+`"}`)), `got call search {"q":"aaaa`},
		{"name", begin(effect.Effect{ID: "0#1", Kind: effect.KindCall, Name: "fetch", Class: effect.ReadOnly, Args: []byte(`{"q":1}`)}),
			`recorded call search {"q":1}, got call fetch {"q":1}`},
		{"kind", begin(effect.Effect{ID: "0#1", Kind: effect.KindPrint, Class: effect.ReadOnly, Args: []byte(`{"q":1}`)}),
			`recorded call search {"q":1}, got print`},
		{"one more", begin(call("0#2", effect.ReadOnly, `{}`)),
			`the recording has no effect 0#2, got call search {}; the last one of evaluation 0 is 0#1, call search {"q":1}`},
		{"another evaluation", begin(call("0.2.0#1", effect.ReadOnly, `{}`)), `it has none of evaluation 0.2.0`},
		{"one less", func(j *journal.Journal) error {
			recall(t, j, call("0#1", effect.ReadOnly, `{"q":1}`))
			return j.Finish(journal.Final{Value: "[1 2]"})
		}, `the run ends without the recorded effect 0.1.3#1, call search {"q":2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.do(journal.Replay(rec))
			var d *journal.Divergence
			require.ErrorAs(t, err, &d)
			require.Contains(t, err.Error(), c.text)
			require.Less(t, len(err.Error()), 1_000)
			require.Equal(t, diag.Diverged, d.Diag().Code)
			require.NotEmpty(t, d.Diag().Hint)
		})
	}
}

// TestDivergenceFarInside: the part of long arguments that is shown is where they
// differ.
func TestDivergenceFarInside(t *testing.T) {
	long := strings.Repeat("é", 5_000)
	path := filepath.Join(t.TempDir(), "run.journal")
	j, err := journal.Create(path, journal.Header{}, journal.Options{})
	require.NoError(t, err)
	do(t, j, call("0#1", effect.ReadOnly, `{"q":"`+long+`yes"}`), ok("1"))
	require.NoError(t, j.Close())
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	_, _, err = journal.Replay(rec).Begin(context.Background(), call("0#1", effect.ReadOnly, `{"q":"`+long+`no"}`))
	require.ErrorContains(t, err, `éyes"}, got call search …`)
	require.ErrorContains(t, err, `éno"}`)
}

func TestReplayEndsOtherwise(t *testing.T) {
	rec := recorded(t)
	for _, f := range []journal.Final{{Value: "[1 3]"}, {Error: []byte(`{"code":"timeout"}`)}} {
		j := journal.Replay(rec)
		recall(t, j, call("0#1", effect.ReadOnly, `{"q":1}`))
		recall(t, j, call("0.1.3#1", effect.Write, `{"q":2}`))
		recall(t, j, call("0.1.12#1", effect.Write, `{"q":3}`))
		err := j.Finish(f)
		require.ErrorContains(t, err, "recorded the value [1 2], got "+f.String())
	}
}

// TestExcuse: the effects of elements that were not needed may be missing, at any depth, but the effects of
// the others must not.
func TestExcuse(t *testing.T) {
	rec := recorded(t)
	for _, c := range []struct {
		operation string
		from      int
		missing   string
	}{
		{"0.1", 4, "0.1.3#1"}, // 12 is excused
		{"0.1", 12, "0.1.3#1"},
		{"0.1", 13, "0.1.3#1"},
		{"0.1", 3, ""},
		{"0.1", 0, ""},
		{"0", 0, "0.1.3#1"},     // no operation
		{"0.1.3", 0, "0.1.3#1"}, // an evaluation
		{"0.2", 0, "0.1.3#1"},
	} {
		j := journal.Replay(rec)
		recall(t, j, call("0#1", effect.ReadOnly, `{"q":1}`))
		j.Excuse(c.operation, c.from+1)
		j.Excuse(c.operation, c.from)
		j.Excuse(c.operation, c.from+1)
		err := j.Finish(journal.Final{Value: "[1 2]"})
		if c.missing == "" {
			require.NoError(t, err, "%+v", c)
		} else {
			require.ErrorContains(t, err, "effect "+c.missing, "%+v", c)
		}
	}
}

// TestReplayOfAnInterruptedRun returns the recorded outcomes, and then reports that the recording
// was interrupted.
func TestReplayOfAnInterruptedRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.journal")
	j, err := journal.Create(path, journal.Header{}, journal.Options{})
	require.NoError(t, err)
	do(t, j, call("0#1", effect.ReadOnly, `1`), ok("1"))
	_, _, err = j.Begin(context.Background(), call("0#2", effect.ReadOnly, `2`))
	require.NoError(t, err)
	require.NoError(t, j.Close())
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	require.Nil(t, rec.Final)
	replay := journal.Replay(rec)
	recall(t, replay, call("0#1", effect.ReadOnly, `1`))
	_, _, err = replay.Begin(context.Background(), call("0#2", effect.ReadOnly, `2`))
	require.ErrorContains(t, err, "the recorded run was interrupted before the outcome of effect 0#2")
	_, _, err = replay.Begin(context.Background(), call("0#3", effect.ReadOnly, `3`))
	require.ErrorContains(t, err, "the recorded run was interrupted")
}

// TestRoundTrip: the recording has the written effects, byte for byte.
func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.journal")
	h := journal.Header{Run: "R", Program: "a <b> & \u2028.ptc", Source: "(println \"x\")\n;; \x00\x7f €", Seed: 1<<64 - 1,
		Data: []byte(`{"a":1.50,"b":"<&>"}`), Options: []byte(`{"steps":1000}`), Tools: map[string]string{"search": "sha256:00"}}
	j, err := journal.Create(path, h, journal.Options{Now: ticking()})
	require.NoError(t, err)
	var want []journal.Entry
	for i, payload := range []string{`null`, `1.50`, `"<script>&\u2028"`, "\"\u2028\xff\"", `{ "spaces" : 1 }`, `{"a":1,"a":2}`, `123456789012345678901234567890`} {
		e := call(fmt.Sprintf("0#%d", i), effect.ReadOnly, payload)
		do(t, j, e, ok(payload))
		want = append(want, j.Entries()[i])
	}
	do(t, j, effect.Effect{ID: "0#99", Kind: effect.KindGuard, Class: effect.ReadOnly, Worker: -1}, effect.Record{})
	require.NoError(t, j.Finish(journal.Final{Value: "\"\u2028<é\""}))
	require.NoError(t, j.Close())
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	h.Start = rec.Header.Start
	require.Equal(t, h, rec.Header)
	for i, e := range want {
		got := rec.Entries[i]
		if i == 0 {
			e.Args = nil // which is how null is read
		}
		require.True(t, e.Start.Equal(got.Start))
		e.Start = got.Start
		require.Equal(t, e, got)
	}
	require.Equal(t, "null", string(rec.Entries[len(want)].Outcome.Result))
	require.Equal(t, "\"\u2028<é\"", rec.Final.Value)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 2+2*(len(want)+1), bytes.Count(text, []byte("\n")))
}
