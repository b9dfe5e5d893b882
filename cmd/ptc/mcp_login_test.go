//go:build linux

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMCPLoginMistakes has calls of ptc mcp login that can't work. test/mcp has one that does.
func TestMCPLoginMistakes(t *testing.T) {
	config := filepath.Join(t.TempDir(), "ptc.yaml")
	require.NoError(t, os.WriteFile(config, []byte("mcpServers:\n  a: {url: \"https://a.example.com/mcp\"}\n  b: {command: b}\n"), 0o600))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "mcp login: got 0 arguments, want one: the name of a server in ptc.yaml"},
		{[]string{"a", "b"}, exitUsage, "got 2 arguments"},
		{[]string{"a", "--port", "65536"}, exitUsage, "--port"},
		{[]string{"a", "--scope", "files:read files:write"}, exitUsage, "want one scope, such as files:write"},
		{[]string{"a", "--config", config + ".no"}, exitUsage, "name the file with the grant of the server by --config"},
		{[]string{"c", "--config", config}, exitFailed, "there is no server c: want one of a, b"},
		{[]string{"a", "--config", config}, exitFailed, "the server a: want oauth with a loginFile in its grant"},
		{[]string{"b", "--config", config}, exitFailed, "the server b: want oauth with a loginFile in its grant"},
	} {
		code, out, errs := ptcRun(t, append([]string{"mcp", "login"}, c.args...)...)
		require.Equal(t, c.code, code, "%v: %s", c.args, errs)
		require.Contains(t, errs, c.want)
		require.Empty(t, out)
	}
}
