package effect_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

func TestCompareIDs(t *testing.T) {
	ids := []string{"0.1.10#1", "0.1.2#1", "0#10", "0#9", "0.1.2.1.0#3", "0.10.0#1"}
	slices.SortFunc(ids, effect.CompareIDs)
	require.Equal(t, []string{"0#9", "0#10", "0.1.2#1", "0.1.2.1.0#3", "0.1.10#1", "0.10.0#1"}, ids)
}

// TestParseSettlement reads every form, and writes and reads it as JSON.
func TestParseSettlement(t *testing.T) {
	for text, want := range map[string]effect.Settlement{
		"0#1=approve":               {ID: "0#1", As: effect.Approve},
		"exec.run=refuse":           {ID: "exec.run", As: effect.Refuse},
		"0#1=refuse:not today: no":  {ID: "0#1", As: effect.Refuse, Reason: "not today: no"},
		"0#1=done":                  {ID: "0#1", As: effect.Done},
		`0.1.2#1=done:{"a":"b=c"}`:  {ID: "0.1.2#1", As: effect.Done, Result: json.RawMessage(`{"a":"b=c"}`)},
		`0#1=failed:{"code":"out"}`: {ID: "0#1", As: effect.Failed, Failure: &effect.Failure{Code: "out"}},
		"0#1=retry":                 {ID: "0#1", As: effect.Retry},
	} {
		got, err := effect.ParseSettlement(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
		line, err := json.Marshal(got)
		require.NoError(t, err)
		var back effect.Settlement
		require.NoError(t, json.Unmarshal(line, &back))
		require.Equal(t, want, back)
	}
	for _, text := range []string{"", "0#1", "0#1=", "=done", "0#1=maybe", "0#1=done:", "0#1=done:{", "0#1=retry:1",
		"0#1=failed", "0#1=failed:7", "0#1=approve:yes"} {
		_, err := effect.ParseSettlement(text)
		require.Error(t, err, text)
	}
}

// TestFit tries every verdict on every kind.
func TestFit(t *testing.T) {
	fits := map[effect.PendingKind]string{effect.PendingApproval: "approve refuse", effect.PendingQuestion: "done failed",
		effect.PendingOutcome: "done failed", effect.PendingDoubt: "done failed retry"}
	for kind, may := range fits {
		for _, as := range []effect.Verdict{effect.Approve, effect.Refuse, effect.Done, effect.Failed, effect.Retry, "x", ""} {
			s := effect.Settlement{ID: "0#1", As: as}
			if as == effect.Failed {
				s.Failure = &effect.Failure{}
			}
			p := effect.Pending{ID: "0#1", Kind: kind, Tool: "t"}
			require.Equal(t, as != "" && slices.Contains(words(may), string(as)), p.Fit(s, nil, 0) == nil, "%s %s", kind, as)
			if as != effect.Failed {
				s.Failure = &effect.Failure{}
				require.Error(t, p.Fit(s, nil, 0), "a failure with %s", as)
			}
		}
	}
	p := effect.Pending{ID: "0#1", Kind: effect.PendingQuestion, Options: []json.RawMessage{[]byte(`{"a":1,"b":[2]}`), []byte(`"x"`)}}
	for answer, fits := range map[string]bool{`{"b":[2], "a":1}`: true, `"x"`: true, `"y"`: false, ``: false, `x`: false, "null": false} {
		s := effect.Settlement{ID: "0#1", As: effect.Done}
		if answer != "" {
			s.Result = json.RawMessage(answer)
		}
		require.Equal(t, fits, p.Fit(s, nil, 0) == nil, answer)
	}
}

// TestFitReadable: a result that a program could not read, or that is too large, does not fit, and neither does a
// failure with such data.
func TestFitReadable(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, kind := range []effect.PendingKind{effect.PendingQuestion, effect.PendingOutcome, effect.PendingDoubt} {
		p := effect.Pending{ID: "0#1", Kind: kind, Tool: "t"}
		for result, wrong := range map[string]string{nested(effect.MaxNesting): "", nested(effect.MaxNesting + 1): "nested deeper",
			`"` + nested(effect.MaxNesting+1) + `\"["`: "", "\"\xff\"": "not UTF-8", `[1`: "not JSON",
			`"` + strings.Repeat("x", 4000) + `"`: "has 4002 bytes, want at most 4000"} {
			err := p.Fit(effect.Settlement{ID: "0#1", As: effect.Done, Result: json.RawMessage(result)}, nil, 4000)
			if wrong == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, wrong)
			}
		}
		for _, data := range []string{`{`, `"` + strings.Repeat("x", 70_000) + `"`} {
			err := p.Fit(effect.Settlement{ID: "0#1", As: effect.Failed, Failure: &effect.Failure{Data: json.RawMessage(data)}}, nil, 0)
			require.ErrorContains(t, err, "the data of the failure")
		}
	}
}

func words(text string) (all []string) {
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && text[j] != ' ' {
			j++
		}
		all, i = append(all, text[i:j]), j+1
	}
	return all
}

// TestOutcomeOfSettlement: a failure of a person has the kind and the bounds of a tool's failure.
func TestOutcomeOfSettlement(t *testing.T) {
	s := effect.Settlement{As: effect.Failed, Failure: &effect.Failure{Kind: diag.Internal, RetryAfter: -1, Data: []byte("{\n}")}}
	o, err := s.Outcome()
	require.NoError(t, err)
	require.Equal(t, &effect.Failure{Kind: diag.ToolFailed, Code: "failed", Message: "it failed with the code failed",
		Data: json.RawMessage("{}")}, o.Failure)
	s.Failure.Data = json.RawMessage("{")
	_, err = s.Outcome()
	require.Error(t, err)
	refused := effect.Settlement{As: effect.Refuse, Reason: `a "b"`}
	o, err = refused.Outcome()
	require.NoError(t, err)
	require.Equal(t, diag.ApprovalRefused, o.Failure.Kind)
	require.Equal(t, `{"reason":"a \"b\""}`, string(o.Failure.Data))
}

func TestApprovals(t *testing.T) {
	a, err := effect.ParseApprovals([]string{"write", "http.get"})
	require.NoError(t, err)
	require.True(t, a.Need("fs.write", effect.Write) && a.Need("kv.put", effect.Idempotent) && a.Need("http.get", effect.ReadOnly))
	require.False(t, a.Need("fs.read", effect.ReadOnly))
	_, err = effect.ParseApprovals([]string{""})
	require.Error(t, err)
	require.False(t, errors.Is(err, effect.ErrSettled))
	none := effect.Approvals{}
	require.False(t, none.Need("fs.write", effect.Write))
}
