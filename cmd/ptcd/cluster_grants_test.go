package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// TestClusterGrants starts three processes with different grants. Runs go where their tools are granted, and share
// facts.
func TestClusterGrants(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t)
	c.append("node2.yaml", "allow-facts: [write]\n")
	c.append("node3.yaml", "allow-facts: [read]\nallow-env: [PTCD_TEST_COMMAND]\n")
	c.startAll()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for name := range c.nodes { // a node that has just started may not know the grants of the others yet
		c.until(ctx, name, allAlive)
	}
	run := func(at, source string) store.Run {
		run, err := c.at(at).Submit(ctx, store.Submission{Source: source}, 0)
		require.NoError(t, err, source)
		run, err = c.at(at).Wait(ctx, run.ID)
		require.NoError(t, err)
		require.Equal(t, store.Succeeded, run.State, run.Text)
		return run
	}
	// node1 grants nothing, and takes submissions of programs that another node runs.
	put := run("node1", `(:version (tool/facts.put {:host "web-1" :fact "os" :value "marker-of-a-fact" :if-version 0}))`)
	assert.Equal(t, []string{"facts.put"}, put.Tools)
	got := run("node1", `[(tool/env.get "PTCD_TEST_COMMAND") (:facts (tool/facts.get {:host "web-1" :level "session"}))]`)
	assert.Equal(t, []string{"env.get", "facts.get"}, got.Tools)
	assert.JSONEq(t, `["1", {"os": "marker-of-a-fact"}]`, string(got.Value), "by node3, which has not written it")
	run("node3", `(try (tool/facts.put {:host "web-1" :fact "os" :value 2 :if-version 0})
	                (catch Exception e (assert (= :conflict (:code (ex-data e))))))`)
	assert.Equal(t, `true`, string(run("node2", `(tool/facts.put {:host "web-1" :fact "up" :value true})
	  (get-in (tool/facts.get {:host "web-1"}) [:facts :up])`).Value))
	assert.JSONEq(t, `["web-1"]`, string(run("node1", `(:hosts (tool/facts.list {:prefix "web"}))`).Value))

	_, err := c.at("node1").Submit(ctx, store.Submission{Source: `[(tool/env.get "A") (tool/facts.put {})]`}, 0)
	require.ErrorContains(t, err, "not granted", "no node grants both")
	checked, err := c.at("node1").PutProgram(ctx, "os", wire.NewVersion{Source: `(tool/facts.get data/host)`})
	require.NoError(t, err)
	assert.Contains(t, string(checked.Warnings), "another node of the cluster grants it")
	assert.Contains(t, string(checked.Effects), "facts.get")

	for _, n := range c.nodes {
		n.Kill()
	}
	assert.Zero(t, filesWith(t, c.dir, "marker-of-a-fact"), "facts are encrypted at rest")
}

// append adds lines to a file of the cluster.
func (c *members) append(name, lines string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	text, err := os.ReadFile(path)
	require.NoError(c.t, err)
	require.NoError(c.t, os.WriteFile(path, append(text, lines...), 0o600))
}

// filesWith returns how many files below a directory have a text.
func filesWith(t *testing.T, dir, text string) (n int) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			n++
		}
		return err
	}))
	return n
}
