package effect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

func TestClass(t *testing.T) {
	var zero effect.Class
	require.Equal(t, effect.Write, zero, "the zero class is the unsafe one")
	for c, name := range map[effect.Class]string{effect.Write: "write", effect.Idempotent: "idempotent", effect.ReadOnly: "read-only"} {
		text, err := json.Marshal(c)
		require.NoError(t, err)
		require.Equal(t, `"`+name+`"`, string(text))
		var back effect.Class
		require.NoError(t, json.Unmarshal(text, &back))
		require.Equal(t, c, back)
	}
	require.Error(t, json.Unmarshal([]byte(`"writes"`), &zero))
	_, err := json.Marshal(effect.Class(3))
	require.Error(t, err)
	require.False(t, effect.Class(3).Valid())
}

// TestRecord: an outcome that was recorded is the one that was.
func TestRecord(t *testing.T) {
	for _, o := range []effect.Outcome{
		{}, {Result: json.RawMessage(`{"a":"<b>"}`)},
		{Failure: &effect.Failure{Kind: diag.ToolFailed, Code: "gone", Message: "a < b", Hint: "c", Retryable: true, RetryAfter: 7, Data: json.RawMessage(`[1]`)}},
	} {
		require.Equal(t, o, o.Record().Outcome())
		require.Equal(t, o.Failure != nil, o.Record().Failed())
	}
	bad := effect.Record{Error: json.RawMessage(`7`)}.Outcome()
	require.Equal(t, diag.ToolFailed, bad.Failure.Kind)
}

type refusal struct{ error }

func (refusal) Failure() *effect.Failure { return &effect.Failure{Kind: diag.QueueFull} }

func TestFailureOf(t *testing.T) {
	require.Equal(t, diag.QueueFull, effect.FailureOf(fmt.Errorf("it: %w", refusal{errors.New("full")})).Kind)
	require.Equal(t, diag.HostFailed, effect.FailureOf(errors.New("else")).Kind)
}
