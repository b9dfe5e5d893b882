package main

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCollector runs programs with a collector in the environment, and checks the data that it receives.
// Package telemetry/otlp decodes it.
func TestCollector(t *testing.T) {
	var got []byte
	status := http.StatusOK
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, body...)
		w.WriteHeader(status)
	}))
	defer collector.Close()
	dir := t.TempDir()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("TRACEPARENT", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	j := filepath.Join(dir, "journal")
	source := `(vec (pmap #(:out (tool/exec.run {:program "echo" :args [%]})) ["a" "b"]))`
	out, stderr, code := outputsOf("run", "-e", source, "--allow-exec", "echo", "--journal", j)
	require.Equal(t, 0, code, stderr)
	require.Empty(t, stderr)
	require.Equal(t, "[\"a\\n\" \"b\\n\"]\n", out)
	trace, err := hex.DecodeString("4bf92f3577b34da6a3ce929d0e0e4736")
	require.NoError(t, err)
	require.Equal(t, 4, bytes.Count(got, trace), "the run, the operation and two calls")
	require.Equal(t, 2, bytes.Count(got, []byte("execute_tool exec.run")))

	got = nil
	_, stderr, code = outputsOf("replay", j)
	require.Equal(t, 0, code, stderr)
	require.Empty(t, got, "a replay calls nothing")

	_, stderr, code = outputsOf("run", "-e", "(fail \"no\")")
	require.Equal(t, 1, code)
	require.Contains(t, string(got), "error.type")
	require.NotContains(t, stderr, "spans")

	status = http.StatusForbidden
	out, stderr, code = outputsOf("run", "-e", "(+ 1 2)")
	require.Equal(t, 0, code)
	require.Equal(t, "3\n", out)
	require.Contains(t, stderr, "ptc: the spans of the run are not exported: "+collector.URL+"/v1/traces answered 403")

	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
	_, stderr, code = outputsOf("run", "-e", "(+ 1 2)")
	require.Equal(t, 0, code)
	require.Equal(t, 1, strings.Count(stderr, "OTEL_EXPORTER_OTLP_PROTOCOL: got \"http/json\", want http/protobuf or grpc"))
}

// outputsOf runs a command line.
func outputsOf(args ...string) (out, stderr string, code int) {
	o := ptcWith("", args...)
	return o.out, o.err, o.code
}
