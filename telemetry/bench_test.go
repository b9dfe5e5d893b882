package telemetry_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/telemetry"
	"github.com/ptc-lang/ptc/telemetry/otlp"
)

// BenchmarkCall has the time of a call of a tool that does nothing: without telemetry, with an Around that does
// nothing, with metrics, and with spans of OpenTelemetry and of package otlp.
func BenchmarkCall(b *testing.B) {
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer collector.Close()
	export, err := otlp.FromEnvironment(func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL}[name]
	}, "ptc", "")
	if err != nil {
		b.Fatal(err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(discard{}))
	for _, c := range []struct {
		name string
		with func(*ptc.RunOptions) func(*ptc.Result, error)
	}{
		{"none", func(*ptc.RunOptions) func(*ptc.Result, error) { return func(*ptc.Result, error) {} }},
		{"around", func(given *ptc.RunOptions) func(*ptc.Result, error) {
			given.Around = func(ctx context.Context, _ effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
				return next(ctx)
			}
			return func(*ptc.Result, error) {}
		}},
		{"metrics", reported(b, telemetry.Options{Metrics: prometheus.NewRegistry()})},
		{"opentelemetry", reported(b, telemetry.Options{Spans: telemetry.OpenTelemetry(provider)})},
		{"otlp", reported(b, telemetry.Options{Spans: export})},
		{"all", reported(b, telemetry.Options{Spans: export, Metrics: prometheus.NewRegistry()})},
	} {
		b.Run(c.name, func(b *testing.B) {
			tools, err := tool.NewRegistry(tool.New("nothing", "", func(context.Context, struct{}) (int, error) { return 1, nil }))
			if err != nil {
				b.Fatal(err)
			}
			prog, err := ptc.Compile(b.Context(), "p", "(dotimes [_ 1000] (tool/nothing {}))", ptc.Options{Tools: tools})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				given := ptc.RunOptions{}
				end := c.with(&given)
				end(prog.Run(b.Context(), given))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/call")
		})
	}
	_ = export.Close(b.Context()) // which reports dropped spans: the benchmark is faster than any collector
}

// reported returns the function that has runs reported.
func reported(b *testing.B, o telemetry.Options) func(*ptc.RunOptions) func(*ptc.Result, error) {
	reports, err := telemetry.New(o)
	if err != nil {
		b.Fatal(err)
	}
	return func(given *ptc.RunOptions) func(*ptc.Result, error) {
		_, run := reports.Begin(context.Background(), "p", given)
		return run.End
	}
}

// discard is an exporter that drops spans.
type discard struct{}

func (discard) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (discard) Shutdown(context.Context) error                             { return nil }
