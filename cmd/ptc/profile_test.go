package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProfile draws a program that computes, one that fails, and one with a call.
func TestProfile(t *testing.T) {
	dir := t.TempDir()
	page, events := filepath.Join(dir, "p.html"), filepath.Join(dir, "p.json")
	out, stderr, code := outputsOf("run", "-e", "(reduce + (pmap #(reduce + (range %)) (range 100)))", "--profile", events)
	require.Equal(t, 0, code, stderr)
	require.Equal(t, "161700\n", out)
	require.Empty(t, stderr)
	var chrome struct {
		TraceEvents []struct {
			Name, Cat string
			Dur       float64
			Args      map[string]string
		}
	}
	text, err := os.ReadFile(events)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &chrome))
	elements := map[string]bool{}
	for _, e := range chrome.TraceEvents {
		if e.Cat == "element" {
			require.Equal(t, "pmap", e.Name)
			elements[e.Args["id"]] = true
		}
	}
	require.Len(t, elements, 100)
	require.True(t, elements["0.1.99"])

	_, _, code = outputsOf("run", "-e", `(vec (pmap #(if (= % 1) (fail "it") (:out (tool/exec.run {:program "echo" :args ["a"]}))) [0 1]))`,
		"--allow-exec", "echo", "--profile", page)
	require.Equal(t, 1, code)
	text, err = os.ReadFile(page)
	require.NoError(t, err)
	for _, want := range []string{"exec.run", "0.1.1", "failed", "pmap"} {
		require.Contains(t, string(text), want)
	}

	_, stderr, code = outputsOf("run", "-e", "1", "--profile", filepath.Join(dir, "none", "p.html"))
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "p.html")

	big := "(dorun (pmap identity (range 30000)))"
	_, stderr, code = outputsOf("run", "-e", big, "--profile", events)
	require.Equal(t, 0, code, stderr)
	text, err = os.ReadFile(events)
	require.NoError(t, err)
	require.Equal(t, maxProfiled, strings.Count(string(text), `"cat": "element"`))
}
