//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mcpScript is an MCP server in the language of the shell: it answers the probe with an error, and calls with its
// number. A stubborn one, which has a second argument, ignores the end of its input, so that only a signal ends it.
const mcpScript = `#!/bin/sh
echo $$ >> "$1/pids"
id() { echo "$1" | sed 's/.*"id":\([0-9]*\).*/\1/'; }
while read -r line; do
	n=$(id "$line")
	case "$line" in
	*'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$n',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}' ;;
	*'"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$n',"result":{"tools":[
		{"name":"number","description":"Returns its number.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
		{"name":"put","description":"Puts something.","inputSchema":{"type":"object"}},
		{"name":"wait","description":"Waits.","inputSchema":{"type":"object"}}]}}' | tr -d '\n'; echo ;;
	*'"name":"number"'*) echo '{"jsonrpc":"2.0","id":'$n',"result":{"content":[{"type":"text","text":"{\"pid\": '$$'}"}]}}' ;;
	*'"name":"put"'*) echo put >> "$1/puts"; echo '{"jsonrpc":"2.0","id":'$n',"result":{"content":[{"type":"text","text":"done"}]}}' ;;
	*'"name":"wait"'*) echo waiting >> "$1/waits" ;;
	*'"id":'*) echo '{"jsonrpc":"2.0","id":'$n',"error":{"code":-32601,"message":"no such method"}}' ;;
	esac
done
while [ -n "$2" ]; do sleep 1; done
`

// shellServer returns the flag that grants the server of mcpScript, and its folder.
func shellServer(t *testing.T) (flag, dir string) {
	t.Helper()
	dir = t.TempDir()
	file := filepath.Join(dir, "server")
	require.NoError(t, os.WriteFile(file, []byte(mcpScript), 0o700))
	return "--mcp=sh=sh " + file + " " + dir, dir
}

// ptcRun runs a command.
func ptcRun(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	o := ptcWith("", args...)
	return o.code, o.out, o.err
}

// gone reports whether all processes of the server have ended.
func gone(t *testing.T, dir string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "pids"))
	require.NoError(t, err)
	for _, field := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(field)
		require.NoError(t, err)
		stat, _ := os.ReadFile("/proc/" + field + "/stat")
		if syscall.Kill(pid, 0) == nil && !strings.Contains(string(stat), ") Z ") {
			return false
		}
	}
	return true
}

// TestMCPServer runs, checks and resumes programs with the tools of a server.
func TestMCPServer(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	flag, dir := shellServer(t)
	code, out, errs := ptcRun(t, "run", flag+" stubborn", "-e", "(pos? (:pid (tool/sh.number {})))")
	require.Equal(t, 0, code, errs)
	assert.Equal(t, "true\n", out)
	assert.True(t, gone(t, dir), "the server ends with the command")
	code, out, errs = ptcRun(t, "prompt", flag)
	require.Equal(t, 0, code, errs)
	assert.Contains(t, out, `tool/sh.number {string any} -> {:pid int}?`, "the run before has taught the shape")
	assert.Contains(t, out, `; The MCP server sh says: "Returns its number". [read-only]`)
	code, out, errs = ptcRun(t, "check", flag, "--effects", "-e", "(tool/sh.put {})")
	require.Equal(t, 0, code, errs)
	assert.Contains(t, out, "sh.put")
	code, _, errs = ptcRun(t, "check", flag, "-e", "(tool/sh.putt {})")
	assert.Equal(t, 3, code)
	assert.Contains(t, errs, "sh.put")
	code, _, errs = ptcRun(t, "run", "--mcp=gone=no-such-program-here", flag, "-e", "1")
	assert.Equal(t, 2, code)
	assert.Contains(t, errs, "the MCP server gone (no-such-program-here) is not reached")
	assert.Contains(t, errs, "these have answered: sh with 3 tools")

	journal := filepath.Join(t.TempDir(), "journal")
	code, _, errs = ptcRun(t, "run", flag, "--approval", "sh.put", "--journal", journal, "-e", "[(tool/sh.put {}) (:pid (tool/sh.number {}))]")
	assert.NotEqual(t, 0, code, "it waits for the approval")
	_, err := os.Stat(filepath.Join(dir, "puts"))
	require.ErrorIs(t, err, os.ErrNotExist, errs)
	code, _, errs = ptcRun(t, "run", flag, "--approval", "sh.putt", "-e", "1")
	assert.Equal(t, 2, code)
	assert.Contains(t, errs, "there is no tool sh.putt; did you mean sh.put?")
	code, out, errs = ptcRun(t, "resume", journal, "--approve", "sh.put")
	require.Equal(t, 0, code, errs)
	assert.Contains(t, out, `["done" `)
	puts, err := os.ReadFile(filepath.Join(dir, "puts"))
	require.NoError(t, err)
	assert.Equal(t, "put\n", string(puts))
	assert.True(t, gone(t, dir))
}

// TestMCPServerKill kills the command while a call of a server is under way: the server does not outlive it, and the
// resumed run finds the write in doubt.
func TestMCPServerKill(t *testing.T) {
	t.Parallel() // it mostly waits
	flag, dir := shellServer(t)
	journal := filepath.Join(t.TempDir(), "journal")
	state := "XDG_STATE_HOME=" + t.TempDir()
	cmd := exec.Command(self(t), "run", flag+" stubborn", "--journal", journal, "-e", "(tool/sh.wait {})")
	cmd.Env = append(os.Environ(), state)
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(dir, "waits"))
		return err == nil
	}, 60*time.Second, 10*time.Millisecond)
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.Eventually(t, func() bool { return gone(t, dir) }, 60*time.Second, 10*time.Millisecond)
	again := exec.Command(self(t), "resume", journal)
	again.Env = cmd.Env
	out, err := again.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "doubt")
}
