package mcp_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// ptc doc shows the tools of a server, which is ptc itself here.
func TestDoc(t *testing.T) {
	bin := command(t)
	for name, want := range map[string]string{
		"p":                   "tool/p.check_program {",
		"p.check_program":     "Finds mistakes in a program without running it",
		"tool/p.search_tools": "tool/p.search_tools {",
	} {
		out, err := exec.Command(bin, "doc", name, "--mcp", "p="+bin+" mcp").CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), want, name)
	}
	out, err := exec.Command(bin, "doc", "p.none", "--mcp", "p="+bin+" mcp").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "unknown name p.none")
}
