//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPolicyState: concurrent runs share a quota, whether or not they are killed, and a resumed run uses the same
// file.
func TestPolicyState(t *testing.T) {
	t.Parallel() // it mostly waits
	bin, dir := self(t), t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	policy := "actions:\n  exec.run:\n    quota: {calls: 30, window: 1h}\n"
	require.NoError(t, os.WriteFile(path("policy.yaml"), []byte(policy), 0o600))
	run := func(program string, more ...string) *exec.Cmd {
		cmd := exec.Command(bin, append([]string{"run", "-e", program, "--allow-exec", "sh", "--policy", path("policy.yaml"),
			"--policy-state", path("state.json"), "--workers", "4"}, more...)...)
		cmd.Dir = dir
		return cmd
	}
	// Each call appends a line to a file, which counts the calls that were really made.
	const program = `(dotimes [i 12] (tool/exec.run {:program "sh" :args ["-c" "echo call >> calls"]}) (println i))`
	var wg sync.WaitGroup
	var refused atomic.Int64
	for i := range 4 {
		wg.Go(func() {
			cmd, out := run(program), &bytes.Buffer{}
			cmd.Stdout, cmd.Stderr = out, out
			if i == 0 {
				cmd.Stdout = &killAt{cmd: cmd, text: "3\n"}
			}
			err := cmd.Run()
			if i > 0 && err != nil {
				refused.Add(1)
				if !strings.Contains(out.String(), "the quota of the policy for action exec.run is used up (30 calls in 1h)") {
					t.Errorf("%s", out)
				}
			}
		})
	}
	wg.Wait()
	calls, err := os.ReadFile(path("calls"))
	require.NoError(t, err)
	made := bytes.Count(calls, []byte("call\n"))
	require.LessOrEqual(t, made, 30)
	require.GreaterOrEqual(t, made, 28, "the killed one may have reserved one or two")
	require.Positive(t, refused.Load())

	for flags, want := range map[string]string{
		"--policy-state x":                              "name their file with --policy",
		"--policy policy.yaml --policy-state .":         "want a file of at most",
		"--policy policy.yaml --policy-state calls":     "is damaged",
		"--policy policy.yaml --policy-state nowhere/x": "no such file",
	} {
		cmd := exec.Command(bin, append([]string{"run", "-e", "1"}, strings.Fields(flags)...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), want)
		require.Equal(t, exitUsage, cmd.ProcessState.ExitCode(), flags)
	}
	protected := run(fmt.Sprintf(`(tool/fs.write {:path %q :text "{}"})`, path("state.json")), "--allow-fs", dir)
	out, err := protected.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "the state of the policies")
}

// killAt kills a process when it has printed a line.
type killAt struct {
	cmd  *exec.Cmd
	text string
	all  strings.Builder
}

func (k *killAt) Write(p []byte) (int, error) {
	if k.all.Write(p); strings.Contains(k.all.String(), k.text) {
		_ = k.cmd.Process.Kill()
	}
	return len(p), nil
}

// TestPolicyStateOfResume: the journal names the file for its resumption.
func TestPolicyStateOfResume(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("policy.yaml", []byte("global:\n  quota: {calls: 2, window: 1h}\n"), 0o600))
	program := `(dotimes [i 3] (tool/exec.run {:program "sh" :args ["-c" "true"]}))`
	got := ptcWith("", "run", "-e", program, "--allow-exec", "sh", "--policy", "policy.yaml", "--policy-state", "state.json",
		"--journal", "j.journal", "--steps", "20")
	require.NotZero(t, got.code, fmt.Sprint(got))
	got = ptcWith("", "resume", "j.journal", "--steps", "1000000")
	require.Contains(t, got.err, "used up (2 calls in 1h)", fmt.Sprint(got))
	got = ptcWith("", "run", "-e", `(tool/exec.run {:program "sh" :args ["-c" "true"]})`, "--allow-exec", "sh", "--policy", "policy.yaml",
		"--policy-state", "state.json")
	require.Contains(t, got.err, "used up (2 calls in 1h)")
}
