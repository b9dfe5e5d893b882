package telemetry_test

import (
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metricpb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"github.com/ptc-lang/ptc/telemetry"
)

// push begins to send metrics with some variables of the environment.
func push(t *testing.T, from prometheus.Gatherer, vars map[string]string) *telemetry.Push {
	p, err := telemetry.PushFromEnvironment(telemetry.PushOptions{Metrics: from, Service: "ptcd", Version: "v1",
		Getenv: func(name string) string { return vars[name] }})
	require.NoError(t, err)
	return p
}

// TestPush decodes metrics of each type with the messages of the protocol's authors.
func TestPush(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	gauge := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "a_bytes", Help: "Bytes."}, []string{"kind"})
	counter := prometheus.NewCounter(prometheus.CounterOpts{Name: "b_seconds_total", Help: "Time."})
	histogram := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "c", Buckets: []float64{1, 2}})
	summary := prometheus.NewSummary(prometheus.SummaryOpts{Name: "d", Objectives: map[float64]float64{0.5: 0}})
	registry.MustRegister(gauge, counter, histogram, summary, prometheus.NewUntypedFunc(prometheus.UntypedOpts{Name: "e"},
		func() float64 { return 9 }))
	gauge.WithLabelValues("x").Set(2.5)
	counter.Add(3)
	for _, v := range []float64{0.5, 1.5, 1.5, 7, 8} {
		histogram.Observe(v)
		summary.Observe(v)
	}
	var in metricpb.MetricsData // has the fields of an ExportMetricsServiceRequest
	var path string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		text, _ := io.ReadAll(r.Body)
		assert.NoError(t, proto.Unmarshal(text, &in))
	}))
	defer server.Close()
	p := push(t, registry, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL, "OTEL_RESOURCE_ATTRIBUTES": "region=eu"})
	require.NoError(t, p.Close(t.Context()))
	require.Equal(t, "/v1/metrics", path)
	require.Len(t, in.ResourceMetrics, 1)
	resource := map[string]string{}
	for _, a := range in.ResourceMetrics[0].Resource.Attributes {
		resource[a.Key] = a.Value.GetStringValue()
	}
	require.Equal(t, "ptcd", resource["service.name"])
	require.Equal(t, "eu", resource["region"])
	all := map[string]*metricpb.Metric{}
	for _, m := range in.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		require.Empty(t, m.ProtoReflect().GetUnknown())
		all[m.Name] = m
	}
	require.Len(t, all, 5)

	require.Equal(t, "Bytes.", all["a_bytes"].Description)
	require.Equal(t, "By", all["a_bytes"].Unit)
	point := all["a_bytes"].GetGauge().DataPoints[0]
	require.EqualValues(t, 2.5, point.GetAsDouble())
	require.Equal(t, "kind", point.Attributes[0].Key)
	require.Equal(t, "x", point.Attributes[0].Value.GetStringValue())
	require.NotZero(t, point.TimeUnixNano)

	sum := all["b_seconds_total"].GetSum()
	require.Equal(t, "s", all["b_seconds_total"].Unit)
	require.True(t, sum.IsMonotonic)
	require.Equal(t, metricpb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE, sum.AggregationTemporality)
	require.EqualValues(t, 3, sum.DataPoints[0].GetAsDouble())
	require.LessOrEqual(t, sum.DataPoints[0].StartTimeUnixNano, sum.DataPoints[0].TimeUnixNano)

	h := all["c"].GetHistogram()
	require.Equal(t, metricpb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE, h.AggregationTemporality)
	require.Equal(t, []float64{1, 2}, h.DataPoints[0].ExplicitBounds)
	require.Equal(t, []uint64{1, 2, 2}, h.DataPoints[0].BucketCounts)
	require.EqualValues(t, 5, h.DataPoints[0].Count)
	require.EqualValues(t, 18.5, h.DataPoints[0].GetSum())

	s := all["d"].GetSummary().DataPoints[0]
	require.EqualValues(t, 5, s.Count)
	require.EqualValues(t, 0.5, s.QuantileValues[0].Quantile)
	require.False(t, math.IsNaN(s.QuantileValues[0].Value))
	require.EqualValues(t, 9, all["e"].GetGauge().DataPoints[0].GetAsDouble())
}

// TestPushEnvironment checks which settings send nothing, and which are refused.
func TestPushEnvironment(t *testing.T) {
	registry := prometheus.NewRegistry()
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for _, vars := range []map[string]string{{}, {endpoint: "http://x", "OTEL_METRICS_EXPORTER": "none"},
		{endpoint: "http://x", "OTEL_SDK_DISABLED": "true"}, {endpoint: "http://x", "OTEL_METRICS_EXPORTER": "prometheus"}} {
		p := push(t, registry, vars)
		require.Nil(t, p)
		require.NoError(t, p.Close(t.Context()))
	}
	for name, value := range map[string]string{"OTEL_METRICS_EXPORTER": "console", "OTEL_METRIC_EXPORT_INTERVAL": "60s",
		"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "http/json"} {
		vars := map[string]string{endpoint: "http://x", name: value}
		_, err := telemetry.PushFromEnvironment(telemetry.PushOptions{Metrics: registry,
			Getenv: func(name string) string { return vars[name] }})
		require.ErrorContains(t, err, value)
	}
	_, err := telemetry.PushFromEnvironment(telemetry.PushOptions{})
	require.Error(t, err)
}

// statuses answers requests without a network, which virtual time cannot have.
type statuses []int

func (s *statuses) RoundTrip(*http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	w.WriteHeader((*s)[0])
	*s = (*s)[1:]
	return w.Result(), nil
}

// TestPushInterval: metrics are sent at intervals, and a failure is reported once until a request succeeds.
func TestPushInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failures []time.Duration
		began := time.Now()
		vars := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector", "OTEL_METRIC_EXPORT_INTERVAL": "1000"}
		answers := statuses{400, 403, 200, 400, 200, 404}
		p, err := telemetry.PushThrough(telemetry.PushOptions{Metrics: prometheus.NewRegistry(),
			Getenv: func(name string) string { return vars[name] },
			Failed: func(error) { failures = append(failures, time.Since(began)) }}, &answers)
		require.NoError(t, err)
		time.Sleep(5500 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, statuses{404}, answers)
		require.Equal(t, []time.Duration{time.Second, 4 * time.Second}, failures)
		require.ErrorContains(t, p.Close(t.Context()), "404")
	})
}
