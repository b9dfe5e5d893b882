package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/store"
)

// TestReports reads the metrics of a service, and the spans it exports when it ends. Package telemetry/otlp
// decodes them.
func TestReports(t *testing.T) {
	var mu sync.Mutex
	var got []byte
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		got = append(got, body...)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	s := startService(t, t.TempDir(), "--allow-exec", "echo")

	run := s.submitBelow("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		`(vec (pmap #(:out (tool/exec.run {:program "echo" :args [%]})) ["web-1" "web-2"]))`)
	require.Equal(t, store.Succeeded, s.wait(run.ID).State)
	failed := s.submit(`(fail "no")`)
	require.Equal(t, store.Failed, s.wait(failed.ID).State)

	metrics := s.metrics()
	for _, want := range []string{`ptc_runs{state="succeeded"} 1`, `ptc_runs{state="failed"} 1`, `ptc_runs{state="queued"} 0`,
		`ptc_runs_total{outcome="ok"} 1`, `ptc_runs_total{outcome="failed"} 1`, `ptc_elements_total 2`,
		`ptc_tool_calls_total{outcome="ok",tool="exec.run"} 2`, "go_goroutines ", "process_resident_memory_bytes ",
		`ptc_queue_executions_total{outcome="ok",tool="exec.run"} 2`, `ptc_guard_held{kind="host"} 0`,
		"ptc_runs_memory_bytes ", "ptc_runs_memory_limit_bytes "} {
		assert.Contains(t, metrics, want)
	}
	assert.NotContains(t, metrics, "web-1")
	assert.NotContains(t, metrics, "hosts.ptc")
	resp, err := http.Get(s.URL + "/metrics")
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, http.StatusUnauthorized, resp.StatusCode, "metrics need a token")

	require.Zero(t, s.Stop())
	mu.Lock()
	defer mu.Unlock()
	trace, err := hex.DecodeString("4bf92f3577b34da6a3ce929d0e0e4736")
	require.NoError(t, err)
	assert.Equal(t, 4, bytes.Count(got, trace), "the run, its operation and two calls are in the trace of the request")
	assert.Equal(t, 2, bytes.Count(got, []byte("ptc.run.id")))
	assert.Contains(t, string(got), run.ID)
	assert.Contains(t, string(got), "ptc_runs_total", "the metrics are sent too")
}

// submitBelow submits a run below a span.
func (s *service) submitBelow(traceparent, source string) (run store.Run) {
	s.t.Helper()
	text, err := json.Marshal(store.Submission{Name: "hosts.ptc", Source: source})
	require.NoError(s.t, err)
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.URL+"/v1/runs", bytes.NewReader(text))
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.Token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Traceparent", traceparent)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	require.Equal(s.t, http.StatusCreated, resp.StatusCode)
	require.NoError(s.t, json.NewDecoder(resp.Body).Decode(&run))
	return run
}

// TestTraceOfCalls: the calls of a run pass the trace of its request on, also if it is not recorded.
func TestTraceOfCalls(t *testing.T) {
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	s := startService(t, t.TempDir(), "--allow-exec", "sh")
	for _, flags := range []string{"-01", "-00"} {
		const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-"
		run := s.submitBelow(trace+"00f067aa0ba902b7"+flags,
			`(:out (tool/exec.run {:program "sh" :args ["-c" "printf %s $TRACEPARENT"]}))`)
		run = s.wait(run.ID)
		require.Equal(t, store.Succeeded, run.State)
		var got string
		require.NoError(t, json.Unmarshal(run.Value, &got))
		require.Regexp(t, "^"+trace+"[0-9a-f]{16}"+flags+"$", got)
		require.NotContains(t, got, "00f067aa0ba902b7", "it is the span of the call or of the run")
	}
	require.Zero(t, s.Stop())
}

// metrics returns the response of /metrics.
func (s *service) metrics() string {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.URL+"/metrics", nil)
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+s.Token)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, resp.StatusCode, string(text))
	return string(text)
}

// TestWrongCollector: a service with a collector that it can't use does not start.
func TestWrongCollector(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4317")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
	t.Setenv(asCommand, "1")
	out, err := exec.CommandContext(t.Context(), os.Args[0], "--dir", t.TempDir(), "--listen", "127.0.0.1:0").CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, exitFailed, exit.ExitCode())
	assert.Equal(t, 1, strings.Count(string(out), `OTEL_EXPORTER_OTLP_PROTOCOL: got "http/json", want http/protobuf or grpc`), string(out))
}
