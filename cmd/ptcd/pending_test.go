package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
)

// TestApproval requires calls to wait for an approval, with their arguments, and a refusal to be an exception.
func TestApproval(t *testing.T) {
	s := startService(t, t.TempDir(), "--allow-exec", "echo", "--approval", "exec.run")
	source := `(try (:out (tool/exec.run {:program "echo" :args ["deployed"]})) (catch Exception e (ex-message e)))`
	for want, settlement := range map[string]effect.Settlement{
		`"deployed\n"`: {As: effect.Approve}, `"tool/exec.run: not on Fridays"`: {As: effect.Refuse, Reason: "not on Fridays"}} {
		run := s.wait(s.submit(source).ID)
		require.Equal(t, store.Waiting, run.State)
		p := run.Pending[0]
		assert.Equal(t, effect.PendingApproval, p.Kind)
		assert.JSONEq(t, `{"program": "echo", "args": ["deployed"]}`, string(p.Args))
		settlement.ID = p.ID
		s.settle(run.ID, settlement)
		require.Eventually(t, func() bool {
			run = s.wait(run.ID)
			return run.State.Final()
		}, time.Minute, time.Millisecond)
		assert.Equal(t, want, string(run.Value), run.Text)
		audit, err := os.ReadFile(filepath.Join(s.Dir, access.AuditFile))
		require.NoError(t, err)
		assert.Contains(t, string(audit), `"settled":"`+p.ID+"="+string(settlement.As)+`"`)
	}
}

// TestApprovalFiles: the files of grants and of policies say which calls need an approval, and an unknown tool is an
// error.
func TestApprovalFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	grants := file("grants.yaml", "allow:\n  exec: [echo]\n  env: [HOME]\napprove: [exec.run]\n")
	s := startService(t, t.TempDir(), "--grants", grants, "--policy", file("policy.yaml", "approve: [env.get]\n"))
	for source, want := range map[string]store.State{`(tool/exec.run {:program "echo"})`: store.Waiting,
		`(tool/env.get "HOME")`: store.Waiting, `(+ 1 2)`: store.Succeeded} {
		require.Equal(t, want, s.wait(s.submit(source).ID).State, source)
	}
	for flag, text := range map[string]string{"--policy": "approve: [env.gte]\n", "--grants": "approve: [env.gte]\n"} {
		args, err := parse([]string{"--dir", t.TempDir(), flag, file("wrong.yaml", text)})
		require.NoError(t, err)
		if flag == "--policy" {
			_, err = args.parsePolicies(args.policyFile, text)
		} else {
			_, err = args.granted()
		}
		require.ErrorContains(t, err, "wrong.yaml:1:11")
		require.ErrorContains(t, err, "there is no tool env.gte; did you mean env.get?")
	}
}
