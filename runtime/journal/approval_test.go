package journal_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// TestApprovalOfOtherArguments: an approval is for the arguments that were announced. A resumed run that comes to the
// effect with others has an error, before and after the approval.
func TestApprovalOfOtherArguments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	asked, other := call("0#1", effect.Write, `{"host":"test"}`), call("0#1", effect.Write, `{"host":"prod"}`)
	j, err := journal.Create(path, journal.Header{Program: "p", Source: "1"}, journal.Options{})
	require.NoError(t, err)
	_, err = j.Announce(t.Context(), asked, effect.PendingApproval, "p:1:1", nil)
	require.NoError(t, err)
	require.NoError(t, j.Close())

	j, _, err = journal.Resume(path, []effect.Settlement{{ID: "0#1", As: effect.Approve}}, journal.Options{})
	require.NoError(t, err)
	defer j.Close()
	var differs *journal.Divergence
	_, err = j.Announce(t.Context(), other, effect.PendingApproval, "p:1:1", nil)
	require.ErrorAs(t, err, &differs)
	for _, s := range j.Given() {
		require.NoError(t, j.Settle(s.ID, s.As, effect.Record{}))
	}
	require.True(t, j.Approved("0#1"))
	_, _, err = j.Begin(context.Background(), other)
	require.ErrorAs(t, err, &differs)
	_, _, err = j.Begin(context.Background(), asked)
	require.NoError(t, err)
}

// TestSettledWhole: a run gets the complete settlement of an effect of its earlier part, even if it is
// larger than the part that the journal keeps of other effects.
func TestSettledWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	question := effect.Effect{ID: "0#1", Kind: effect.KindQuestion, Name: "ask", Class: effect.ReadOnly,
		Args: json.RawMessage(`{"question":"?"}`)}
	doubted := call("0#2", effect.Write, `{}`)
	j, err := journal.Create(path, journal.Header{Program: "p", Source: "1"}, journal.Options{})
	require.NoError(t, err)
	_, err = j.Announce(t.Context(), question, effect.PendingQuestion, "p:1:1", nil)
	require.NoError(t, err)
	_, _, err = j.Begin(context.Background(), doubted)
	require.NoError(t, err)
	require.NoError(t, j.Close())

	answer := json.RawMessage(`"` + strings.Repeat("x", 1000) + `"`)
	j, _, err = journal.Resume(path, nil, journal.Options{Bytes: 200})
	require.NoError(t, err)
	defer j.Close()
	for _, e := range []effect.Effect{question, doubted} {
		require.NoError(t, j.Settle(e.ID, effect.Done, effect.Record{Result: answer}))
		got, done, err := j.Recall(t.Context(), e)
		require.NoError(t, err)
		require.True(t, done)
		require.Equal(t, string(answer), string(got.Result))
	}
}
