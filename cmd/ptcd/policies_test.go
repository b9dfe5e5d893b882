package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/policy"
	"github.com/ptc-lang/ptc/store"
)

// TestQuotaOverRestarts: a quota holds whether the service is killed or ends in an orderly way, and its
// count continues when the policies are replaced.
func TestQuotaOverRestarts(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "policy.yaml")
	require.NoError(t, os.WriteFile(file, []byte("actions:\n  exec.run:\n    quota: {calls: 3, window: 1h}\n"), 0o600))
	s := startService(t, filepath.Join(folder, "service"), "--policy", file, "--allow-exec", "echo")
	call := func() string {
		source := `(try (:out (tool/exec.run {:program "echo" :args ["x"]})) (catch Exception e (:code (ex-data e))))`
		run := s.wait(s.submit(source).ID)
		require.Equal(t, store.Succeeded, run.State, "%+v", run)
		return string(run.Value)
	}
	require.Equal(t, `"x\n"`, call())
	s.Kill()
	s.Restart()
	require.Equal(t, `"x\n"`, call())
	require.Zero(t, s.Stop())
	s.Restart()
	require.Equal(t, `"x\n"`, call())
	require.Equal(t, `"policy-violation"`, call())
	s.Kill()
	s.Restart()
	require.Equal(t, `"policy-violation"`, call())

	stats, err := s.QueueStats(t.Context(), "exec.run")
	require.NoError(t, err)
	require.Zero(t, stats.Active)
	_, err = s.SetPolicies(t.Context(), "actions: {exec.run: {quota: {calls: 4, window: 1h}}}")
	require.NoError(t, err)
	require.Equal(t, `"x\n"`, call())
	require.Equal(t, `"policy-violation"`, call())
}

// TestPutPolicies: policies that were put hold after the process was killed, until the file of the configuration
// changes.
func TestPutPolicies(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "policy.yaml")
	write := func(limit string) {
		require.NoError(t, os.WriteFile(file, []byte("actions: {a: {concurrency: "+limit+"}}\n"), 0o600))
	}
	write("1")
	s := startService(t, filepath.Join(folder, "service"), "--policy", file)
	limit := func() int {
		text, err := s.Policies(t.Context())
		require.NoError(t, err)
		p, err := policy.Parse("got", text)
		require.NoError(t, err)
		return p.Actions["a"].Concurrency
	}
	require.Equal(t, 1, limit())
	_, err := s.SetPolicies(t.Context(), "actions: {a: {concurrency: 2}}")
	require.NoError(t, err)
	_, err = s.SetPolicies(t.Context(), "actions: 7")
	require.Error(t, err)
	s.Kill()
	s.Restart()
	require.Equal(t, 2, limit())
	s.Kill()
	write("3")
	s.Restart()
	require.Equal(t, 3, limit())
	s.Stop()
	require.Contains(t, s.Log.String()+s.Before, "are not used any more")
}

// TestAddressInUse: a service that can't listen starts no run.
func TestAddressInUse(t *testing.T) {
	c := newCounter(t)
	s := startService(t, t.TempDir(), c.flags()...)
	s.submit(`(tool/http.get "` + c.URL + `/")`)
	<-c.holds
	s.Kill()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	var out, errs bytes.Buffer
	args := append([]string{"--dir", s.Dir, "--listen", taken.Addr().String()}, c.flags()...)
	require.Equal(t, exitFailed, dispatch(args, &out, &errs))
	require.Contains(t, errs.String(), "address already in use")
	require.Empty(t, c.holds)
}

// TestOpenDirectory: a directory that others may write is a warning.
func TestOpenDirectory(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o777))
	s := startService(t, folder)
	require.Zero(t, s.Stop())
	require.Contains(t, s.Before, "run chmod go-w "+folder)
}
