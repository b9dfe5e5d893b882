package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	remote "github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
)

// token makes a token through a node, and returns its text.
func (c *members) token(node string, args ...string) string {
	c.t.Helper()
	out, err := command(c.t, append([]string{"token", "create", "--config", c.file(node)}, args...)...)
	require.NoError(c.t, err, out)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return lines[len(lines)-1]
}

// knows reports whether a node accepts a token.
func (c *members) knows(node, text string) bool {
	c.t.Helper()
	client, err := remote.New(c.nodes[node].Ready(), remote.Options{Token: text, CAFile: filepath.Join(c.dir, "ca", "ca.pem")})
	require.NoError(c.t, err)
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	_, err = client.Page(ctx, store.Query{})
	if refused := (*remote.Error)(nil); errors.As(err, &refused) {
		require.Equal(c.t, 401, refused.Status, "%v", err)
		return false
	}
	require.NoError(c.t, err)
	return true
}

// all waits until all nodes accept a token, or refuse it.
func (c *members) all(text string, accept bool) {
	c.t.Helper()
	for _, name := range c.names() {
		require.Eventually(c.t, func() bool { return c.knows(name, text) == accept }, time.Minute, 5*time.Millisecond, name)
	}
}

// TestClusterTokens makes and revokes tokens through some nodes, and wants all nodes to know it, after restarts too.
func TestClusterTokens(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	ann := c.token("node2", "--name", "ann", "--role", "viewer")
	assert.True(t, c.knows("node2", ann), "the node that was asked knows it at once")
	c.all(ann, true)
	bob := c.token("node3", "--name", "bob", "--role", "submitter", "--tenant", "acme")
	c.all(bob, true)
	out, err := command(t, "token", "create", "--config", c.file("node1"), "--name", "bob", "--role", "viewer")
	require.Error(t, err)
	assert.Contains(t, out, "there is a token of that name: bob")
	out, err = command(t, "token", "list", "--config", c.file("node1"))
	require.NoError(t, err, out)
	for _, row := range []string{`operator +default +operator`, `ann +default +viewer`, `bob +acme +submitter`} {
		assert.Regexp(t, row, out) // those of one second are in the order of their names
	}
	for _, args := range [][]string{{"create", "--name", "eve", "--role", "viewer"}, {"list"}, {"revoke", "ann"}} {
		out, err := command(t, append([]string{"token", args[0], "--dir", filepath.Join(c.dir, "node1")}, args[1:]...)...)
		require.Error(t, err, args[0])
		assert.Contains(t, out, "--config")
	}

	c.nodes["node3"].Kill()
	out, err = command(t, "token", "revoke", "--config", c.file("node3"), "ann") // another node answers
	require.NoError(t, err, out)
	assert.Contains(t, out, "revoked ann")
	c.start("node3")
	c.all(ann, false)
	for _, name := range c.names() {
		require.Zero(t, c.nodes[name].End(syscall.SIGTERM), c.nodes[name].Log())
	}
	require.NoError(t, os.Remove(filepath.Join(c.dir, "node1", access.TokensFile)))
	c.startAll()
	c.all(ann, false)
	c.all(bob, true)
	_, err = c.at("node1").Page(t.Context(), store.Query{})
	require.NoError(t, err, "the operator's token of the trial")
}
