package journal_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// interrupted returns the file of a run that was stopped while an effect of each class
// was under way.
func interrupted(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.journal")
	j, err := journal.Create(path, journal.Header{Run: "R"}, journal.Options{Now: ticking()})
	require.NoError(t, err)
	do(t, j, call("0#1", effect.Write, `1`), ok(`"one"`))
	for i, class := range []effect.Class{effect.ReadOnly, effect.Idempotent, effect.Write} {
		_, todo, err := j.Begin(context.Background(), call(fmt.Sprintf("0.1.%d#1", i), class, `2`))
		require.NoError(t, err)
		require.True(t, todo)
	}
	require.NoError(t, j.Close())
	return path
}

func TestCreateRefusesAFileThatExists(t *testing.T) {
	path := interrupted(t)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = journal.Create(path, journal.Header{}, journal.Options{})
	require.ErrorIs(t, err, fs.ErrExist)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// TestCreateLeavesNothing: a header that cannot be written leaves no file.
func TestCreateLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.journal")
	for _, h := range []journal.Header{{Data: []byte("{")}, {Options: []byte("1\n2")}, {Source: "\xff"}} {
		_, err := journal.Create(path, h, journal.Options{})
		require.Error(t, err)
		require.NoFileExists(t, path)
	}
}

func TestOneProcessAtATime(t *testing.T) {
	path := interrupted(t)
	j, _, err := journal.Resume(path, nil, journal.Options{})
	require.NoError(t, err)
	_, _, err = journal.Resume(path, nil, journal.Options{})
	require.ErrorIs(t, err, journal.ErrInUse)
	_, err = journal.ReadFile(path)
	require.NoError(t, err, "it can be read meanwhile")
	require.NoError(t, j.Close())
	j, _, err = journal.Resume(path, nil, journal.Options{})
	require.NoError(t, err)
	require.NoError(t, j.Close())
}

func TestResume(t *testing.T) {
	path := interrupted(t)
	j, rec, err := journal.Resume(path, nil, journal.Options{Now: ticking()})
	require.NoError(t, err)
	require.Equal(t, "R", rec.Header.Run)
	require.Equal(t, "R/0#1", j.Key("0#1"), "the keys are those of the interrupted run")
	require.Len(t, j.InDoubt(), 1)
	require.JSONEq(t, `"one"`, string(recall(t, j, call("0#1", effect.Write, `1`)).Result))
	do(t, j, call("0.1.0#1", effect.ReadOnly, `2`), ok("1"))
	do(t, j, call("0.1.1#1", effect.Idempotent, `2`), ok("1"))
	require.Equal(t, 2, j.Entries()[1].Attempt)
	require.Equal(t, 1, j.Entries()[1].Session)

	_, _, err = j.Begin(context.Background(), call("0.1.2#1", effect.Write, `2`))
	var doubt *journal.InDoubt
	require.ErrorAs(t, err, &doubt)
	require.Equal(t, "0.1.2#1", doubt.Entry.ID)
	require.ErrorContains(t, err, "effect 0.1.2#1, call search 2, was begun at 2026-03-01 12:00:00 UTC")
	require.ErrorContains(t, err, "--settle '0.1.2#1=retry'")
	require.Equal(t, diag.InDoubt, doubt.Diag().Code)
	require.NoError(t, j.Close())
}

// TestStricterClass: an effect that began as idempotent and is now a write-effect is in doubt, and vice
// versa.
func TestStricterClass(t *testing.T) {
	path := interrupted(t)
	j, _, err := journal.Resume(path, nil, journal.Options{})
	require.NoError(t, err)
	var doubt *journal.InDoubt
	_, _, err = j.Begin(context.Background(), call("0.1.1#1", effect.Write, `2`))
	require.ErrorAs(t, err, &doubt)
	_, _, err = j.Begin(context.Background(), call("0.1.2#1", effect.ReadOnly, `2`))
	require.ErrorAs(t, err, &doubt)
	require.NoError(t, j.Close())
}

func TestSettle(t *testing.T) {
	for _, c := range []struct {
		settle string
		want   string // the outcome, "" if it must be performed
	}{
		{"0.1.2#1=retry", ""},
		{"0.1.2#1=done", "null"},
		{`0.1.2#1=done:{"id":"a=b:c"}`, `{"id":"a=b:c"}`},
		{`0.1.2#1=failed:{"code":"refused"}`, `{"kind":"tool-failed","code":"refused","message":"it failed with the code refused"}`},
	} {
		path := interrupted(t)
		s, err := effect.ParseSettlement(c.settle)
		require.NoError(t, err)
		j, _, err := journal.Resume(path, []effect.Settlement{s}, journal.Options{})
		_, err = journal.ApplyGiven(j, err)
		require.NoError(t, err)
		for range 2 { // it holds in a later run too
			require.Empty(t, j.InDoubt())
			require.NoError(t, j.Close())
			j, _, err = journal.Resume(path, nil, journal.Options{})
			require.NoError(t, err)
		}
		o, todo, err := j.Begin(context.Background(), call("0.1.2#1", effect.Write, `2`))
		require.NoError(t, err)
		require.Equal(t, c.want == "", todo, c.settle)
		require.Equal(t, c.want, string(o.Result)+string(o.Error))
		require.NoError(t, j.Close())
		rec, err := journal.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, todo, len(rec.InDoubt()) == 1, "what is tried again is in doubt again")
	}
}

func TestSettleWhatIsNotInDoubt(t *testing.T) {
	for _, id := range []string{"0#1", "0.1.0#1", "7#7"} {
		path := interrupted(t)
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		_, _, err = journal.Resume(path, []effect.Settlement{{ID: id, As: effect.Retry}}, journal.Options{})
		require.ErrorContains(t, err, fmt.Sprintf("%s is neither pending nor in doubt, so it can't be settled with \"retry\"; pending are: 0.1.2#1", id))
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, before, after)
	}
}

// TestResumeAfterTheEnd: there is nothing to do, and the result has the recording.
func TestResumeAfterTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.journal")
	j, err := journal.Create(path, journal.Header{}, journal.Options{})
	require.NoError(t, err)
	require.NoError(t, j.Finish(journal.Final{Value: "42"}))
	require.NoError(t, j.Close())
	j, rec, err := journal.Resume(path, nil, journal.Options{})
	require.ErrorIs(t, err, journal.ErrFinished)
	require.Nil(t, j)
	require.Equal(t, "42", rec.Final.Value)
}

// TestResumeCutsATornLine: it is removed from the file, and new lines are appended at its place.
func TestResumeCutsATornLine(t *testing.T) {
	path := interrupted(t)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"t":"end","id":"0.1.0#1","took` + "\x00\x00\x00")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	rec, err := journal.ReadFile(path)
	require.NoError(t, err)
	require.EqualValues(t, 34, rec.Torn)
	j, _, err := journal.Resume(path, nil, journal.Options{})
	require.NoError(t, err)
	require.NoError(t, j.Close())
	rec, err = journal.ReadFile(path)
	require.NoError(t, err)
	require.Zero(t, rec.Torn)
	require.Len(t, rec.Resumed, 1)
}

// TestNoHeader: a run that was interrupted before its first line was whole cannot be
// resumed, and the file is left alone.
func TestNoHeader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.journal")
	require.NoError(t, os.WriteFile(path, []byte(`{"t":"run","v":1`), 0o600))
	_, _, err := journal.Resume(path, nil, journal.Options{})
	require.ErrorContains(t, err, "there is no complete header")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Len(t, text, 16)
}

// TestBadPayload: a payload that would make the file unreadable is refused before the effect; if it is an
// outcome, the effect can be ended with another one.
func TestBadPayload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.journal")
	j, err := journal.Create(path, journal.Header{}, journal.Options{})
	require.NoError(t, err)
	for _, args := range []string{"", "{", "1\n", "[1,\r2]"} {
		_, todo, err := j.Begin(context.Background(), call("0#1", effect.Write, args))
		require.Error(t, err, "%q", args)
		require.False(t, todo)
	}
	require.Empty(t, j.InDoubt())
	_, _, err = j.Begin(context.Background(), call("0#1", effect.Write, "1"))
	require.NoError(t, err)
	require.ErrorContains(t, j.End("0#1", ok("<html>")), "got text that is not JSON: <html>")
	require.Len(t, j.InDoubt(), 1)
	require.NoError(t, j.End("0#1", effect.Record{Error: []byte(`{"code":"bad-result"}`)}))
	require.Empty(t, j.InDoubt())
	_, _, err = j.Begin(context.Background(), call("0#1", effect.Write, "1"))
	require.ErrorContains(t, err, "begun a second time")
	require.NoError(t, j.Close())
	_, err = journal.ReadFile(path)
	require.NoError(t, err)
}
