// This file defines the telemetry of the service: metrics at /metrics, and spans to the collector of the environment.

package main

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cluster"
	"github.com/ptc-lang/ptc/cmd/internal/buildinfo"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/telemetry"
	"github.com/ptc-lang/ptc/telemetry/otlp"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

// reports are the telemetry of the service.
type reports struct {
	*telemetry.Telemetry
	export   *otlp.Exporter  // nil if the environment names no collector for spans
	push     *telemetry.Push // nil if it names none for metrics
	registry *prometheus.Registry
	metrics  http.Handler // of the registry, and of the engine of a node
}

// newReports returns the telemetry of a service on a store. The standard variables of OpenTelemetry configure the
// export of spans and metrics; an invalid value is an error. node is the node of a cluster, nil for none,
// and name is its name.
func newReports(st store.Store, node *cluster.Node, name string, log *slog.Logger) (*reports, error) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	all := prometheus.Gatherers{registry}
	if node != nil {
		all = append(all, node.Metrics())
	}
	r := &reports{registry: registry, metrics: promhttp.HandlerFor(all, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError)})}
	var err error
	if r.export, err = otlp.FromEnvironment(environment(name), "ptcd", buildinfo.Version(version)); err != nil {
		return nil, err
	}
	o := telemetry.Options{Metrics: registry, Node: name, States: func() map[string]int { return states(st, log) }}
	if r.export != nil {
		o.Spans = r.export
		r.export.Failed = func(err error) { log.Warn("spans are not exported", "error", err) }
	}
	if r.Telemetry, err = telemetry.New(o); err != nil {
		return nil, err
	}
	r.push, err = telemetry.PushFromEnvironment(telemetry.PushOptions{Getenv: environment(name), Metrics: all,
		Service: "ptcd", Version: buildinfo.Version(version),
		Failed: func(err error) { log.Warn("metrics are not exported", "error", err) }})
	return r, err
}

// watch adds the metrics of the resources that the runs of an engine share, and the metrics of the cluster
// node, if there is one.
func (r *reports) watch(engine *serve.Engine, node *telemetry.Cluster) error {
	o := engine.Options().Run
	shared := telemetry.Resources{Memory: func() (admitted, most int64) {
		s := engine.Stats()
		return s.Memory, s.Most
	}}
	for _, t := range o.Tools.All() {
		shared.Tools = append(shared.Tools, t.Name())
	}
	if q, ok := o.Queue.(*queue.Enforcer); ok {
		shared.Queues = q.Queues()
	}
	if g, ok := o.Guards.(*guard.Set); ok {
		shared.Guards = g
	}
	if node != nil {
		if err := r.registry.Register(node); err != nil {
			return err
		}
	}
	return r.registry.Register(shared.Collector())
}

// countTime is the time for the counts of a request of metrics.
const countTime = 5 * time.Second

// states returns the number of runs in each state.
func states(st store.Store, log *slog.Logger) map[string]int {
	ctx, cancel := context.WithTimeout(context.Background(), countTime)
	defer cancel()
	counts, err := st.Count(ctx, "")
	if err != nil {
		log.Error("the runs can't be counted", "error", err)
		return nil
	}
	all := make(map[string]int)
	for _, state := range store.States() { // those without runs too: a series that comes and goes is hard to watch
		all[string(state)] = counts[state]
	}
	return all
}

// attributesVariable has the attributes of the process for the collector.
const attributesVariable = "OTEL_RESOURCE_ATTRIBUTES"

// environment returns os.Getenv with the name of the node among the attributes of the process, so that a collector can
// tell the nodes of a cluster apart. An instance that the environment names stays.
func environment(node string) func(name string) string {
	return func(name string) string {
		text := os.Getenv(name)
		if name != attributesVariable || node == "" || strings.Contains(text, instance) {
			return text
		}
		return strings.TrimPrefix(text+","+instance+node, ",")
	}
}

const instance = "service.instance.id="

// each has a run reported, see serve.Options.
func (r *reports) each(ctx context.Context, run store.Run, given *ptc.RunOptions) (out serve.Reported) {
	ctx = spans.Under(ctx, spans.Meta(map[string]any{"traceparent": run.Trace}))
	ctx, reported := r.Begin(ctx, run.Name, given)
	out.Ended = func(left bool, res *ptc.Result, err error) {
		if left {
			reported.Leave(res)
		} else {
			reported.End(res, err)
		}
	}
	if trace, ok := effect.TraceOf(ctx); ok { // also of a run without spans, whose calls tell services that there are none
		out.Trace = trace.Parent
		inner := given.Around
		given.Around = func(ctx context.Context, c effect.Call, next func(context.Context) effect.Outcome) effect.Outcome {
			ctx = effect.WithTrace(ctx, passed(trace))
			if inner == nil {
				return next(ctx)
			}
			return inner(ctx, c, next)
		}
	}
	return out
}

// passed is the span of a run.
type passed effect.Trace

// Trace implements effect.Traced.
func (p passed) Trace() effect.Trace { return effect.Trace(p) }

// handler returns next with the metrics, and with the spans of requests in their contexts.
func (r *reports) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/metrics" && req.Method == http.MethodGet {
			r.metrics.ServeHTTP(w, req)
			return
		}
		next.ServeHTTP(w, req.WithContext(spans.Under(req.Context(), req.Header.Get)))
	})
}

// exportTime bounds the export when the service ends.
const exportTime = 10 * time.Second

// close sends the metrics, and the spans that are left.
func (r *reports) close(log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), exportTime)
	defer cancel()
	if err := r.push.Close(ctx); err != nil {
		log.Warn("metrics were not exported", "error", err)
	}
	if r.export == nil {
		return
	}
	if err := r.export.Close(ctx); err != nil {
		log.Warn("spans were not exported", "error", err)
	}
}
