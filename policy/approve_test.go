package policy_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/policy"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// TestApprove reads the calls that have to be approved, writes them, and reports unknown tools with their places.
func TestApprove(t *testing.T) {
	p := parse(t, "approve: [write, http.get, \"yes\", http.get]\n")
	require.Equal(t, queue.Policies{Approve: effect.Approvals{Writes: true, Tools: []string{"http.get", "yes"}}}, p)
	require.Equal(t, "approve: [write, http.get, \"yes\"]\n", policy.Format(p))
	require.Equal(t, p, parse(t, policy.Format(p)))
	require.Equal(t, []string{"1:10: approve: got write, want a list such as [write, http.get]"}, mistakes(t, "approve: write\n"))
	require.Equal(t, []string{"2:5: approve: got an empty name, want write or the name of a tool",
		"3:5: approve: want the name of a tool, or write"}, mistakes(t, "approve:\n  - \"\"\n  - [a]\n"))

	known := slices.Values([]string{"http.get", "fs.write"})
	require.NoError(t, policy.CheckTools("p.yaml", "approve: [write, http.get]\n", known))
	require.EqualError(t, policy.CheckTools("p.yaml", "global: {concurrency: 3}\napprove: [fs.wriet, http.get]\n", known),
		"p.yaml:2:11: bad-policy: approve: there is no tool fs.wriet; did you mean fs.write?")
	require.ErrorContains(t, policy.CheckTools("p.yaml", "globl: {}\n", known), "globl")
}
