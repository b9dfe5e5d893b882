// Package telemetry reports the runs of a service: spans, and metrics for Prometheus. It follows a run through the
// hooks of ptc.RunOptions.
//
//	reports, err := telemetry.New(telemetry.Options{Spans: telemetry.OpenTelemetry(provider), Metrics: registry})
//	…
//	ctx, run := reports.Begin(ctx, "deploy.ptc", &given)
//	res, err := program.Run(ctx, given)
//	run.End(res, err)
//
// Neither spans nor metrics have arguments, results or prints. Strings that come from a program or a tool, such as
// messages and the hosts of waits, are without the secrets that the run has met. No host and no name of a program is a
// label of a metric.
package telemetry

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

// Options are where a Telemetry reports to.
type Options struct {
	Spans   spans.Source          // such as OpenTelemetry, or an *otlp.Exporter; nil for none
	Metrics prometheus.Registerer // gets the metrics, whose names begin with ptc_; nil for none
	// States returns the number of runs in each state of the service, for the metric ptc_runs. It is called for each
	// request of metrics. Optional.
	States func() map[string]int
	// Node is the name of the node of a cluster, an attribute of the spans of its runs. Optional.
	Node string
}

// Telemetry reports runs. The nil Telemetry and the zero one report nothing. It is safe for concurrent use.
type Telemetry struct {
	spans   spans.Source
	metrics *metrics
	node    string
}

// New returns a Telemetry. The error is that of the registerer, such as for a second Telemetry on the same one.
func New(o Options) (*Telemetry, error) {
	t := &Telemetry{spans: o.Spans, node: o.Node}
	if o.Metrics == nil {
		return t, nil
	}
	t.metrics = newMetrics(o.States)
	return t, o.Metrics.Register(t.metrics)
}

// Run is a run under way. The nil Run is not reported.
type Run struct {
	metrics  *metrics
	spans    *spans.Run
	progress *ptc.Progress
	began    time.Time
}

// Begin begins to report a run of a program. It sets Around, Observer and Progress of the options: the functions that
// they have are called too. The returned context, for Program.Run, has the span of the run, below the span in ctx. The
// caller calls End after the run.
func (t *Telemetry) Begin(ctx context.Context, program string, given *ptc.RunOptions) (context.Context, *Run) {
	r := &Run{began: time.Now()}
	if t == nil || given == nil {
		return ctx, r
	}
	if t.metrics != nil {
		r.metrics = t.metrics
		r.metrics.begin(r, given)
	}
	if t.spans != nil {
		var s spans.Span
		ctx, s = t.spans.Run(ctx, program, given.ID)
		if s != nil && t.node != "" {
			s.Set(slog.String(spans.Node, t.node))
		}
		r.spans = spans.Follow(s, given)
	}
	return ctx, r
}

// End reports the end of the run, with the result and the error of Program.Run.
func (r *Run) End(res *ptc.Result, err error) {
	if r == nil {
		return
	}
	r.spans.End(res, err)
	if r.metrics != nil {
		r.metrics.end(r, res, err)
	}
}

// Leave reports that this process's part of the run has ended and that the run continues elsewhere, with
// the result of Program.Run. It is called instead of End. Only the events of this process are counted,
// because the process in which the run ends counts the run.
func (r *Run) Leave(res *ptc.Result) {
	if r == nil {
		return
	}
	r.spans.Leave(res)
	if r.metrics != nil {
		r.metrics.leave(r, res)
	}
}
