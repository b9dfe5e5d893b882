package telemetry_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/telemetry"
	"github.com/ptc-lang/ptc/telemetry/otlp"
)

// leaks are programs that bring a secret, which login returns, to each place that telemetry sees.
var leaks = map[string]string{
	"host of a guard":      `(pmap (fn [_] (host-exclusive token (Thread/sleep 1))) (range 2))`,
	"host of a call":       `(pmap (fn [_] (tool/deploy {:host token})) (range 2))`,
	"key of a rate":        `(pmap (fn [_] (rate-limited token {:per-second 500} 1)) (range 2))`,
	"refused guard":        `(host-exclusive token (host-exclusive token 1))`,
	"failure of a tool":    `(tool/fails {:text token})`,
	"caught failure":       `(try (tool/fails {:text token}) (catch Exception e 1))`,
	"failure of the run":   `(fail token {:data token})`,
	"exception":            `(throw (ex-info token {:a token}))`,
	"element":              `(pmap (fn [_] (throw (ex-info token {}))) [1])`,
	"in parts":             `(pmap (fn [i] (throw (ex-info (str "a" token "b") {}))) [1 2])`,
	"print":                `(println token)`,
	"unknown key":          `(tool/deploy {(keyword token) token})`,
	"wrong argument":       `(tool/deploy {:host {token token}})`,
	"question":             `(ask {:question token :data token})`,
	"approval":             `(tool/write {:text token})`,
	"outcome":              `(tool/later {:text token})`,
	"value":                `token`,
	"limit":                `(with-limits {:ms 5} (host-exclusive token (Thread/sleep 1000)))`,
	"name of a function":   `((resolve (symbol token)) 1)`,
	"upper case, reversed": `(tool/fails {:text (str token " " token)})`,
}

// TestSecretsAreHidden runs each of the programs with all telemetry on.
func TestSecretsAreHidden(t *testing.T) {
	var mu sync.Mutex
	var sent bytes.Buffer
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		sent.Write(body)
	}))
	defer collector.Close()
	getenv := func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL}[name]
	}
	type text struct {
		Text string `json:"text"`
	}
	tools, err := tool.NewRegistry(
		tool.New("login", "", func(context.Context, struct{}) (string, error) { return password, nil }, tool.SecretResult(), tool.ReadOnly()),
		tool.New("deploy", "", func(context.Context, struct {
			Host string `json:"host"`
		}) (int, error) {
			return 1, nil
		}, tool.Hint(effect.Hint{Kind: effect.HostExclusive})),
		tool.New("fails", "", func(_ context.Context, in text) (int, error) {
			return 0, &tool.Error{Code: in.Text, Message: "no: " + in.Text, Data: map[string]any{in.Text: in.Text}}
		}),
		tool.New("write", "", func(context.Context, text) (int, error) { return 1, nil }),
		tool.New("later", "", func(_ context.Context, in text) (int, error) { return 0, tool.Pending(in.Text) }, tool.Async()))
	require.NoError(t, err)

	for name, body := range leaks {
		recorder, registry := tracetest.NewSpanRecorder(), prometheus.NewRegistry()
		library, err := telemetry.New(telemetry.Options{Metrics: registry, Spans: telemetry.OpenTelemetry(
			sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)))})
		require.NoError(t, err)
		export, err := otlp.FromEnvironment(getenv, "ptc", "")
		require.NoError(t, err)
		own, err := telemetry.New(telemetry.Options{Spans: export})
		require.NoError(t, err)
		prog, err := ptc.Compile(t.Context(), "p", "(let [token (tool/login {})] "+body+")", ptc.Options{Tools: tools,
			Guards: guard.NewSet(guard.Options{}), Approve: effect.Approvals{Tools: []string{"write"}}})
		require.NoError(t, err, name)
		var log bytes.Buffer
		given := ptc.RunOptions{ID: "7", Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: effect.LevelTrace}))}
		ctx, first := library.Begin(t.Context(), "p", &given)
		ctx, second := own.Begin(ctx, "p", &given)
		res, err := prog.Run(ctx, given)
		first.End(res, err)
		second.End(res, err)
		require.NoError(t, export.Close(t.Context()))

		server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
		all := map[string]string{"metrics": scrape(t, server.URL), "log": log.String()}
		server.Close()
		mu.Lock()
		all["otlp"] = sent.String()
		mu.Unlock()
		for _, s := range recorder.Ended() {
			all["opentelemetry"] += fmt.Sprintln(s.Name(), s.Attributes(), s.Status(), s.Events())
		}
		require.NotEmpty(t, recorder.Ended(), name)
		require.Contains(t, all["otlp"], "execute_tool login")
		require.Contains(t, all["log"], "login")
		for where, text := range all {
			require.False(t, strings.Contains(text, "hunter2"), "%s: the %s has the secret: %.3000s", name, where, text)
		}
	}
}

// TestSecretsOfResources: the metrics of queues and guards have no names that programs invent.
func TestSecretsOfResources(t *testing.T) {
	queues := queue.New(queue.Options{})
	enforcer, err := queue.NewEnforcer(queue.Policies{}, queues)
	require.NoError(t, err)
	_, err = enforcer.Action(password).Start(t.Context(), &effect.Execution{Name: password, Host: password})
	require.NoError(t, err)
	registry := prometheus.NewRegistry()
	registry.MustRegister(telemetry.Resources{Queues: queues}.Collector())
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	defer server.Close()
	require.NotContains(t, scrape(t, server.URL), password)
}
