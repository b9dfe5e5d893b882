package effect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// TestMessages: a caller puts the name of a flag or of a key, and the value it got, before these messages.
func TestMessages(t *testing.T) {
	_, err := effect.ParseSettlement("0#1=aprove")
	require.ErrorContains(t, err, "want ID=approve, ")
	require.NotContains(t, err.Error(), "aprove")
	_, err = effect.ParseApprovals([]string{""})
	require.EqualError(t, err, "got an empty name, want write or the name of a tool")
	p := effect.Pending{ID: "0#2", Kind: effect.PendingApproval, Tool: "exec.run"}
	require.EqualError(t, p.Fit(effect.Settlement{ID: "0#2", As: effect.Done}, nil, 0), "the settlement of effect 0#2 "+
		`(approval of tool/exec.run): "done" does not settle it, want one of approve, refuse`)
	var priority effect.Priority
	require.EqualError(t, priority.UnmarshalText([]byte("urgent")), `there is no priority "urgent", want high, normal or low`)
}
