package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// command runs ptcd, and returns its output.
func command(t testing.TB, args ...string) (string, error) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(cmd.Environ(), asCommand+"=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// fill fills a new cluster by a command in the place of node1, starts its nodes, and returns the output of
// the command.
func (c *members) fill(args ...string) string {
	c.t.Helper()
	two, three := c.start("node2"), c.start("node3")
	out, err := command(c.t, append(args, "--config", filepath.Join(c.dir, "node1.yaml"))...)
	require.NoError(c.t, err, "%s", out)
	assert.Contains(c.t, out, "Start all nodes")
	two.Ended()
	three.Ended()
	assert.Contains(c.t, two.Log()+three.Log(), "start the node again")
	c.startAll()
	return out
}

// TestMigrateAndBackup moves a service into a cluster, backs that up while it runs, and restores it as another cluster.
// A run that waits for a person continues in each.
func TestMigrateAndBackup(t *testing.T) {
	testlevel.System(t)
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s := startService(t, t.TempDir())
	ended := s.wait(s.submit(`(println "hi") 42`).ID)
	_, err := s.PutProgram(ctx, "double", wire.NewVersion{Source: `(* 2 data/n)`})
	require.NoError(t, err)
	waits := s.wait(s.submit(`[(rand-int 1000000) (ask {:question "Go on?"})]`).ID)
	require.Len(t, waits.Pending, 1)
	ann, _, err := access.Create(s.Dir, access.Token{Who: access.Who{Name: "ann", Role: access.Viewer}})
	require.NoError(t, err)
	require.Zero(t, s.Stop())

	c := prepareCluster(t)
	out := c.fill("migrate", "--from", s.Dir)
	assert.Contains(t, out, "The token operator (id ")
	out, err = command(t, "migrate", "--from", t.TempDir(), "--config", filepath.Join(c.dir, "node1.yaml"))
	require.Error(t, err, "the node runs")
	require.NotContains(t, out, "panic")

	file := filepath.Join(t.TempDir(), "backup")
	backup := []string{"backup", "--to", file, "--config", filepath.Join(c.dir, "node1.yaml")}
	c.nodes["node1"].Kill() // another node writes it
	out, err = command(t, backup...)
	require.NoError(t, err, out)
	assert.Regexp(t, `node[23] has written`, out)
	_, err = command(t, backup...)
	require.Error(t, err, "the file is there")
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	other := prepareCluster(t)
	master, err := os.ReadFile(filepath.Join(c.dir, "master.key"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(other.dir, "master.key"), master, 0o600))
	other.fill("restore", "--from", file)
	for _, of := range []*members{c, other} {
		require.True(t, of.knows("node2", ann), "the token is that of the service")
		at := of.at("node2")
		run, err := at.Get(ctx, ended.ID)
		require.NoError(t, err)
		assert.Equal(t, "42", string(run.Value))
		p, err := at.Program(ctx, "double")
		require.NoError(t, err)
		assert.Equal(t, `(* 2 data/n)`, p.Source)
		_, err = at.Settle(ctx, waits.ID, effect.Settlement{ID: waits.Pending[0].ID, As: effect.Done, Result: []byte(`"yes"`)})
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			run, err = at.Wait(ctx, waits.ID)
			return err == nil && run.State.Final()
		}, time.Minute, 10*time.Millisecond)
		require.Equal(t, store.Succeeded, run.State, run.Text)
		assert.Contains(t, string(run.Value), `"yes"`)
	}
}
