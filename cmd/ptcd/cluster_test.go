package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
)

// TestClusterSecrets grants the directory of a trial: a program must not read the keys in it.
func TestClusterSecrets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trial")
	var out, errs bytes.Buffer
	require.Equal(t, exitOK, dispatch([]string{"cluster", "init", "--nodes", "3", "--dir", dir}, &out, &errs),
		errs.String())
	for _, file := range []string{"master.key", "ca/ca-key.pem"} {
		folder := filepath.Dir(filepath.Join(dir, file))
		s, err := parse([]string{"--config", filepath.Join(dir, "node1.yaml"), "--allow-fs", folder})
		require.NoError(t, err)
		granted, err := s.granted()
		require.NoError(t, err)
		tools, err := granted.Registry(t.Context())
		require.NoError(t, err)
		source := `(tool/fs.read "` + filepath.Join(dir, file) + `")`
		_, err = ptc.Run(t.Context(), source, ptc.Options{Tools: tools})
		require.ErrorContains(t, err, "of the cluster", file)
		require.NoError(t, granted.Close())
	}
}

// TestClusterSettings reads a file that ptcd cluster init has written.
func TestClusterSettings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trial")
	var out, errs bytes.Buffer
	require.Equal(t, exitOK, dispatch([]string{"cluster", "init", "--nodes", "3", "--dir", dir, "--allow-time",
		"--allow-http", "api.example.com=GET"}, &out, &errs), errs.String())
	name := filepath.Join(dir, "node2.yaml")
	s, err := parse([]string{"--config", name})
	require.NoError(t, err)
	assert.Equal(t, "node2", s.cluster.Node)
	assert.Equal(t, s.cluster.Self().APIAddress, s.listen)
	assert.Equal(t, filepath.Join(dir, "node2"), s.dir)
	assert.Equal(t, s.cluster.MTLS.Cert, s.tls.Cert)
	assert.Len(t, s.grants.Given(), 2)

	// Mistakes of the section and of other keys are reported together, with their lines.
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	bad := "lisen: x\n" + string(bytes.Replace(text, []byte("cluster_id:"), []byte("clusterid:"), 1))
	require.NoError(t, os.WriteFile(name, []byte(bad), 0o600))
	_, err = parse([]string{"--config", name})
	require.ErrorContains(t, err, name+":1:1: there is no key lisen; did you mean listen?")
	require.ErrorContains(t, err, name+":10:3: cluster: there is no key clusterid; did you mean cluster_id?")
	require.ErrorContains(t, err, "cluster_id is missing")
}
