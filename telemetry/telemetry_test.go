package telemetry_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/telemetry"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const password = "hunter2-hunter2"

// next is the function that makes a call, see effect.Around.
type next = func(context.Context) effect.Outcome

// program returns a program whose calls wait, fail and handle a secret.
func program(t *testing.T) *ptc.Program {
	guards := guard.NewSet(guard.Options{})
	var first sync.Once
	deploy := tool.New("deploy", "", func(ctx context.Context, in struct {
		Host     string `json:"host"`
		Password string `json:"password,omitempty"`
	}) (string, error) {
		first.Do(func() { // others wait for the host
			assert.Eventually(t, func() bool { return guards.Stats(0).Waiting > 0 }, time.Minute, time.Millisecond)
		})
		if in.Host == "bad" {
			return "", &tool.Error{Code: "code-" + in.Password, Message: "refused " + in.Password}
		}
		if s := trace.SpanFromContext(ctx); s.IsRecording() {
			s.AddEvent("the tool")
		}
		return in.Host, nil
	}, tool.Hint(effect.Hint{Kind: effect.HostExclusive}), tool.Secret("password"))
	tools, err := tool.NewRegistry(deploy)
	require.NoError(t, err)
	prog, err := ptc.Compile(t.Context(), "deploy.ptc", `
(pmap (fn [_] (tool/deploy {:host "web-1" :password "`+password+`"})) (range 3))
(println "`+password+`")
(pcalls #(tool/deploy {:host "bad" :password "`+password+`"}))`, ptc.Options{Tools: tools, Guards: guards, Processors: ptc.NewProcessors(2)})
	require.NoError(t, err)
	return prog
}

// TestOpenTelemetry runs a program under a span of the host.
func TestOpenTelemetry(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	reports, err := telemetry.New(telemetry.Options{Spans: telemetry.OpenTelemetry(provider)})
	require.NoError(t, err)
	ctx, host := provider.Tracer("host").Start(t.Context(), "request")
	ctx = spans.Under(ctx, http.Header{"Traceparent": {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}.Get)
	var calls atomic.Int64
	given := ptc.RunOptions{Around: func(ctx context.Context, _ effect.Call, next next) effect.Outcome {
		calls.Add(1)
		assert.True(t, trace.SpanFromContext(ctx).IsRecording(), "the host's Around is inside the span")
		return next(ctx)
	}}
	ctx, run := reports.Begin(ctx, "deploy.ptc", &given)
	res, err := program(t).Run(ctx, given)
	run.End(res, err)
	host.End()
	require.Error(t, err)
	require.EqualValues(t, 4, calls.Load())

	byID := map[trace.SpanID]sdktrace.ReadOnlySpan{}
	for _, s := range recorder.Ended() {
		byID[s.SpanContext().SpanID()] = s
	}
	paths := map[string]int{}
	for _, s := range recorder.Ended() {
		require.Equal(t, host.SpanContext().TraceID(), s.SpanContext().TraceID())
		path := s.Name()
		for p, above := byID[s.Parent().SpanID()]; above; p, above = byID[p.Parent().SpanID()] {
			path = p.Name() + " > " + path
		}
		paths[path]++
		for _, a := range append(s.Attributes(), attribute.String("status", s.Status().Description)) {
			require.NotContains(t, a.Value.String(), "hunter2", "%s of %s", a.Key, s.Name())
		}
		switch s.Name() {
		case "ptc.run":
			require.Len(t, s.Links(), 1)
			require.Equal(t, "00f067aa0ba902b7", s.Links()[0].SpanContext.SpanID().String())
			require.Contains(t, s.Attributes(), attribute.String("error.type", "tool-failed"))
			require.Contains(t, s.Attributes(), attribute.Int64("ptc.calls", 4))
		case "execute_tool deploy":
			if s.Status().Description != "" {
				require.Equal(t, "refused [secret]", s.Status().Description)
				require.Contains(t, s.Attributes(), attribute.String("error.type", "code-[secret]"))
			} else {
				require.Len(t, s.Events(), 1, "the tool gets the span in its context")
			}
		}
	}
	waits := "request > ptc.run > pmap > execute_tool deploy > wait host"
	require.Positive(t, paths[waits])
	delete(paths, waits)
	require.Equal(t, map[string]int{"request": 1, "request > ptc.run": 1, "request > ptc.run > pmap": 1,
		"request > ptc.run > pmap > execute_tool deploy": 3, "request > ptc.run > pcalls": 1,
		"request > ptc.run > pcalls > execute_tool deploy": 1}, paths)
}

// TestRemoteParent: without a span of the host, that of the headers is the parent, and decides whether spans are made.
func TestRemoteParent(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	source := telemetry.OpenTelemetry(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)))
	meta := map[string]any{"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "tracestate": "a=b"}
	_, s := source.Run(spans.Under(t.Context(), spans.Meta(meta)), "p", "")
	s.End(time.Now(), "", "")
	require.Len(t, recorder.Ended(), 1)
	require.Equal(t, "00f067aa0ba902b7", recorder.Ended()[0].Parent().SpanID().String())
	require.Equal(t, "a=b", recorder.Ended()[0].SpanContext().TraceState().String())
	meta["traceparent"] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
	_, s = source.Run(spans.Under(t.Context(), spans.Meta(meta)), "p", "")
	require.Nil(t, s)
}

// TestMetrics reads the metrics of runs that succeed, fail and are under way, as a Prometheus server does.
func TestMetrics(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	reports, err := telemetry.New(telemetry.Options{Metrics: registry, States: func() map[string]int {
		return map[string]int{"queued": 3, "running": 1}
	}})
	require.NoError(t, err)
	_, err = telemetry.New(telemetry.Options{Metrics: registry})
	require.Error(t, err, "a second one on the same registry")
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	defer server.Close()

	given := ptc.RunOptions{ID: "7"}
	ctx, run := reports.Begin(t.Context(), "deploy.ptc", &given)
	res, err := program(t).Run(ctx, given)
	run.End(res, err)
	entered, release := make(chan struct{}, 2), make(chan struct{})
	wait := tool.New("wait", "", func(context.Context, struct{}) (bool, error) {
		entered <- struct{}{}
		<-release
		return true, nil
	})
	tools, err := tool.NewRegistry(wait)
	require.NoError(t, err)
	prog, err := ptc.Compile(t.Context(), "p", "(pmap (fn [_] (tool/wait {})) [1 2])", ptc.Options{Tools: tools, Processors: ptc.NewProcessors(2)})
	require.NoError(t, err)
	given = ptc.RunOptions{Around: func(ctx context.Context, c effect.Call, next next) effect.Outcome {
		if o := next(ctx); c.ID == "0.1.0#1" {
			return o
		}
		return effect.Outcome{Failure: &effect.Failure{Kind: diag.Code("of the host " + password), Message: "no"}}
	}}
	ctx, run = reports.Begin(t.Context(), "p", &given)
	done := make(chan struct{})
	go func() {
		defer close(done)
		res, err := prog.Run(ctx, given)
		run.End(res, err)
	}()
	<-entered
	<-entered
	require.Eventually(t, func() bool { return given.Progress.Now().Blocked >= 2 }, time.Minute, time.Millisecond)
	text := scrape(t, server.URL)
	for _, want := range []string{
		`ptc_runs{state="queued"} 3`, `ptc_runs_active 1`, `ptc_workers{state="idle"} 2`, `ptc_workers{state="running"} 0`,
		`ptc_runs_total{outcome="tool-failed"} 1`, `ptc_run_duration_seconds_count{outcome="error"} 1`,
		`ptc_tool_calls_total{outcome="ok",tool="deploy"} 3`, `ptc_tool_calls_total{outcome="tool-failed",tool="deploy"} 1`,
		`ptc_tool_call_duration_seconds_count{tool="deploy"} 4`, `ptc_operations_total 2`, `ptc_elements_total 4`,
		`ptc_queue_depth_elements_bucket{le="1.048575e+06"} 4`, `ptc_worker_start_seconds_bucket{le="17.179869183"} `,
		`ptc_queue_depth_elements_count 4`, `ptc_queue_depth_elements_sum 7`, `ptc_operations_refused_total 0`,
		`ptc_run_workers_count 1`, `ptc_run_memory_peak_bytes_count 1`, `ptc_worker_memory_peak_bytes_count 1`, `ptc_wait_duration_seconds_bucket{kind="host",le="+Inf"} `,
		`ptc_worker_start_seconds_count `,
	} {
		require.Contains(t, text, want)
	}
	for _, no := range []string{"web-1", "hunter2", "deploy.ptc"} {
		require.NotContains(t, text, no, "hosts and programs are no labels")
	}
	close(release)
	<-done
	text = scrape(t, server.URL)
	require.Contains(t, text, "ptc_runs_active 0")
	require.Contains(t, text, `ptc_tool_calls_total{outcome="tool-failed",tool="wait"} 1`)
	require.NotContains(t, text, "hunter2", "a code that a function of the host has set")
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)
	for line := range strings.Lines(text) {
		require.True(t, strings.HasPrefix(strings.TrimLeft(line, "# HELPTY"), "ptc_"), line)
	}
}

func scrape(t *testing.T, url string) string {
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	http.DefaultClient.CloseIdleConnections()
	return string(text)
}

// TestNothing: a Telemetry that reports nowhere changes no option.
func TestNothing(t *testing.T) {
	zero, err := telemetry.New(telemetry.Options{})
	require.NoError(t, err)
	for _, reports := range []*telemetry.Telemetry{nil, zero, {}} {
		given := ptc.RunOptions{}
		_, run := reports.Begin(t.Context(), "p", &given)
		run.End(nil, errors.New("failed"))
		run.Leave(nil)
		require.Nil(t, given.Around)
		require.Nil(t, given.Observer)
		require.Nil(t, given.Progress)
	}
}

// TestSchema compares docs/telemetry.md with the reported spans and metrics.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("../docs/telemetry.md")
	require.NoError(t, err)
	listed := map[string][]string{} // the cells of rows, by the first
	tables, _, _ := strings.Cut(string(text), "\n## What to watch")
	for line := range strings.Lines(tables) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for i := range cells {
				cells[i] = strings.Trim(cells[i], " `\n")
			}
			listed[cells[1]] = cells[2:]
		}
	}
	recorder, registry := tracetest.NewSpanRecorder(), prometheus.NewRegistry()
	source := telemetry.OpenTelemetry(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)))
	reports, err := telemetry.New(telemetry.Options{Spans: source, Metrics: registry, Node: "node1",
		States: func() map[string]int { return map[string]int{"queued": 1} }})
	require.NoError(t, err)
	_, follows := reports.Begin(t.Context(), "deploy.ptc", &ptc.RunOptions{ID: "6"})
	follows.Leave(nil)
	require.Equal(t, 1, testutil.CollectAndCount(registry, "ptc_runs_active"))
	require.Zero(t, testutil.CollectAndCount(registry, "ptc_runs_total"), "the run goes on elsewhere")
	given := ptc.RunOptions{ID: "7"}
	ctx, run := reports.Begin(t.Context(), "deploy.ptc", &given)
	res, err := program(t).Run(ctx, given)
	run.End(res, err)

	queues := queue.New(queue.Options{})
	enforcer, err := queue.NewEnforcer(queue.Policies{}, queues)
	require.NoError(t, err)
	_, err = enforcer.Action("deploy").Start(t.Context(), &effect.Execution{Name: "1", Most: 2})
	require.NoError(t, err)
	registry.MustRegister(telemetry.NewCluster(func() telemetry.ClusterCounts { return telemetry.ClusterCounts{} }))
	registry.MustRegister(telemetry.Resources{Queues: queues, Tools: []string{"deploy"}, Guards: guard.NewSet(guard.Options{}),
		Memory: func() (int64, int64) { return 1, 2 }}.Collector())

	prog, err := ptc.Compile(t.Context(), "ask.ptc", `(ask {:question "Go on?"})`, ptc.Options{})
	require.NoError(t, err)
	given = ptc.RunOptions{}
	ctx, run = reports.Begin(t.Context(), "ask.ptc", &given)
	res, err = prog.Run(ctx, given)
	run.End(res, err)
	require.ErrorIs(t, err, &ptc.Error{Code: diag.Parked})
	last := recorder.Ended()[len(recorder.Ended())-1]
	wait := recorder.Ended()[len(recorder.Ended())-2]
	require.Equal(t, "wait question", wait.Name())
	require.Equal(t, last.SpanContext().SpanID(), wait.Parent().SpanID())
	require.Contains(t, wait.Attributes(), attribute.String("gen_ai.tool.call.id", "0#1"))
	require.Contains(t, last.Attributes(), attribute.Bool("ptc.run.parked", true))
	require.NotEqual(t, codes.Error, last.Status().Code, "a run that is parked has not failed")

	got := map[string]bool{}
	for _, s := range recorder.Ended() {
		for _, a := range s.Attributes() {
			got[string(a.Key)] = true
			require.Contains(t, listed, string(a.Key))
		}
	}
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		got[f.GetName()] = true
		require.Contains(t, listed, f.GetName())
		row := listed[f.GetName()]
		require.Equal(t, strings.ToLower(f.GetType().String()), row[0], f.GetName())
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		slices.Sort(labels)
		want := strings.Split(row[1], ", ")
		slices.Sort(want)
		require.Equal(t, strings.Join(want, ", "), strings.Join(labels, ", "), f.GetName())
	}
	for name := range listed {
		if strings.HasPrefix(name, "ptc_") || strings.HasPrefix(name, "ptc.") && name != "ptc.run" {
			require.True(t, got[name], "%s is not reported", name)
		}
	}
}
