// This file defines the export of metrics to a collector of OpenTelemetry.

package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/ptc-lang/ptc/telemetry/internal/collector"
)

// defaultInterval is that of the specification.
const defaultInterval = time.Minute

// PushOptions configure a Push.
type PushOptions struct {
	Metrics prometheus.Gatherer
	// Getenv returns a variable of the environment; nil is os.Getenv.
	Getenv           func(name string) string
	Service, Version string // of the process; OTEL_SERVICE_NAME has precedence
	// Failed is called by another goroutine when the metrics could not be sent, and not again until a request has
	// succeeded. Optional.
	Failed func(err error)
}

// Push sends metrics to a collector at intervals, with their names and labels for Prometheus. The nil Push and the zero
// one send nothing.
type Push struct {
	to     *collector.Client
	o      PushOptions
	began  time.Time
	failed bool // at the last time
	ctx    context.Context
	stop   context.CancelFunc
	done   chan struct{}
}

// PushFromEnvironment begins to send metrics to the collector that the standard variables name: those of package otlp,
// with METRICS_ instead of TRACES_, OTEL_METRICS_EXPORTER and OTEL_METRIC_EXPORT_INTERVAL. Without an endpoint it
// returns nil, and nothing is sent. The caller calls Close.
func PushFromEnvironment(o PushOptions) (*Push, error) {
	p, every, err := newPush(o)
	if p != nil {
		go p.run(every)
	}
	return p, err
}

// newPush returns a Push that has not begun, and the time between two requests.
func newPush(o PushOptions) (*Push, time.Duration, error) {
	if o.Metrics == nil {
		return nil, 0, errors.New("telemetry: got no PushOptions.Metrics, want a gatherer")
	}
	env := &collector.Environment{Get: o.Getenv, Signal: collector.Metrics}
	to := env.Client(o.Service, o.Version)
	if to == nil {
		return nil, 0, env.Err
	}
	every := interval(env)
	if env.Err != nil {
		return nil, 0, env.Err
	}
	p := &Push{to: to, o: o, began: time.Now(), done: make(chan struct{})}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p, every, nil
}

// interval returns the time between two requests.
func interval(e *collector.Environment) time.Duration {
	const name = "OTEL_METRIC_EXPORT_INTERVAL"
	text := e.Get(name)
	if text == "" {
		return defaultInterval
	}
	ms, err := strconv.Atoi(text)
	if err != nil || ms <= 0 || ms > math.MaxInt32 {
		e.Fail(name, "got %.40q, want a number of milliseconds", text)
		return defaultInterval
	}
	return time.Duration(ms) * time.Millisecond
}

func (p *Push) run(every time.Duration) {
	defer close(p.done)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-ticker.C:
		}
		err := p.send(p.ctx)
		if p.ctx.Err() != nil {
			return
		}
		if err != nil && !p.failed && p.o.Failed != nil {
			p.o.Failed(err)
		}
		p.failed = err != nil
	}
}

// Close sends the metrics once more, until ctx ends, and stops. It returns the error of this request.
func (p *Push) Close(ctx context.Context) error {
	if p == nil || p.stop == nil {
		return nil
	}
	if ctx == nil {
		ctx = context.Background()
	}
	p.stop()
	<-p.done
	defer p.to.Close()
	return p.send(ctx)
}

// send sends the metrics. Metrics that can't be gathered are left out and reported as an error.
func (p *Push) send(ctx context.Context) error {
	families, err := p.o.Metrics.Gather()
	at := times{uint64(p.began.UnixNano()), uint64(time.Now().UnixNano())}
	all := make([]collector.Message, 0, len(families))
	for _, f := range families {
		if m := at.metric(f); m != nil {
			all = append(all, m)
		}
	}
	return errors.Join(err, p.to.Send(ctx, collector.Request(p.to.Resource, scope, all)))
}

// times are the time from which counters count and the time of the values, in nanoseconds.
type times struct{ began, now uint64 }

// The fields of a Metric with its kinds of data, and the temporality of sums.
const (
	fieldGauge     = 5
	fieldSum       = 7
	fieldHistogram = 9
	fieldSummary   = 11
	cumulative     = 2
)

// metric returns a metric with its name for Prometheus, nil for a type that OTLP does not have.
func (t times) metric(f *dto.MetricFamily) collector.Message {
	m := collector.Message(nil).Text(1, f.GetName()).Text(2, f.GetHelp()).Text(3, unit(f.GetName()))
	field, point := uint64(0), t.gauge
	switch f.GetType() {
	case dto.MetricType_GAUGE, dto.MetricType_UNTYPED:
		field = fieldGauge
	case dto.MetricType_COUNTER:
		field, point = fieldSum, t.sum
	case dto.MetricType_HISTOGRAM:
		field, point = fieldHistogram, t.histogram
	case dto.MetricType_SUMMARY:
		field, point = fieldSummary, t.summary
	default:
		return nil
	}
	var data collector.Message
	for _, one := range f.GetMetric() {
		data = data.Part(1, point(one))
	}
	switch field {
	case fieldSum:
		data = data.Varint(2, cumulative).Varint(3, 1)
	case fieldHistogram:
		data = data.Varint(2, cumulative)
	}
	return m.Part(field, data)
}

// unit returns the unit that the name of a metric ends with.
func unit(name string) string {
	name = strings.TrimSuffix(name, "_total")
	switch {
	case strings.HasSuffix(name, "_seconds"):
		return "s"
	case strings.HasSuffix(name, "_bytes"):
		return "By"
	}
	return ""
}

func labels(m *dto.Metric) (attrs []slog.Attr) {
	for _, l := range m.GetLabel() {
		attrs = append(attrs, slog.String(l.GetName(), l.GetValue()))
	}
	return attrs
}

func (t times) gauge(m *dto.Metric) collector.Message {
	v := m.GetGauge().GetValue()
	if m.GetGauge() == nil {
		v = m.GetUntyped().GetValue()
	}
	return collector.Message(nil).Fixed64(3, t.now).Double(4, v).Attributes(7, labels(m))
}

func (t times) sum(m *dto.Metric) collector.Message {
	return collector.Message(nil).Fixed64(2, t.began).Fixed64(3, t.now).Double(4, m.GetCounter().GetValue()).
		Attributes(7, labels(m))
}

// histogram returns a point whose buckets are counted one by one, unlike those of Prometheus.
func (t times) histogram(m *dto.Metric) collector.Message {
	h := m.GetHistogram()
	var counts, bounds []uint64
	var below uint64
	for _, b := range h.GetBucket() {
		if math.IsInf(b.GetUpperBound(), 1) {
			continue
		}
		counts = append(counts, b.GetCumulativeCount()-below)
		bounds = append(bounds, math.Float64bits(b.GetUpperBound()))
		below = b.GetCumulativeCount()
	}
	counts = append(counts, h.GetSampleCount()-below)
	return collector.Message(nil).Fixed64(2, t.began).Fixed64(3, t.now).Fixed64(4, h.GetSampleCount()).
		Double(5, h.GetSampleSum()).Fixed64s(6, counts).Fixed64s(7, bounds).Attributes(9, labels(m))
}

func (t times) summary(m *dto.Metric) collector.Message {
	s := m.GetSummary()
	p := collector.Message(nil).Fixed64(2, t.began).Fixed64(3, t.now).Fixed64(4, s.GetSampleCount()).
		Double(5, s.GetSampleSum())
	for _, q := range s.GetQuantile() {
		p = p.Part(6, collector.Message(nil).Double(1, q.GetQuantile()).Double(2, q.GetValue()))
	}
	return p.Attributes(7, labels(m))
}
