package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	tracecollector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/ptc-lang/ptc/store"
)

// TestClusterTelemetry has three processes share runs, and reads their metrics and spans: metrics count
// each event once, over all nodes and after the leader has died, and the spans of a run are one trace, in
// which the spans of the followers are below the span of the leader.
func TestClusterTelemetry(t *testing.T) {
	t.Parallel() // it mostly waits
	collector := newSpanCollector(t)
	calls := newSlow(t, 50*time.Millisecond)
	c := prepareCluster(t, calls.flags()...)
	c.set("workers: 4\ncluster:\n  work_distribution: {work_unit_size: 5}\n")
	c.startAll("OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()

	first := c.share(ctx, calls, "first", 120, nil)
	assert.Len(t, calls.writes, 120)
	require.Eventually(t, func() bool { // the lead ends after the answer
		units := 0.0
		for name := range c.nodes {
			units += c.metrics(name)["ptc_cluster_units_total"]
		}
		return units > 0
	}, time.Minute, 50*time.Millisecond)
	var runs, elements, made, ended, records float64
	for name := range c.nodes {
		m := c.metrics(name)
		runs += m[`ptc_runs_total{outcome="ok"}`]
		elements += m["ptc_elements_total"]
		made += m[`ptc_tool_calls_total{outcome="ok",tool="http.post"}`]
		ended += m["ptc_cluster_units_total"]
		records += m["ptc_cluster_checkpoints_created_total"]
		assert.Positive(t, m[`ptc_tool_calls_total{outcome="ok",tool="http.post"}`], "the calls of %s", name)
		assert.Positive(t, m["ptc_cluster_checkpoint_size_bytes_sum"], name)
		assert.InDelta(t, 3, m["ptc_cluster_nodes_active"], 0)
		assert.Zero(t, m["ptc_runs_active"])
		for _, engine := range []string{"etcd_disk_wal_fsync_duration_seconds_count",
			"etcd_disk_backend_commit_duration_seconds_count", "etcd_server_leader_changes_seen_total",
			"etcd_mvcc_db_total_size_in_bytes", "etcd_server_quota_backend_bytes", "etcd_server_has_leader"} {
			assert.Positive(t, m[engine], "%s of %s", engine, name)
		}
		c.documented(name)
	}
	assert.InDelta(t, 1, runs, 0, "runs")
	assert.InDelta(t, 120, elements, 0, "elements")
	assert.InDelta(t, 120, made, 0, "calls")
	assert.InDelta(t, 1, ended, 0, "units")
	assert.Greater(t, records, 10.0, "appends")
	page := c.get("node1", "/v1/runs/"+first.ID+"/trace")
	for name := range c.nodes {
		assert.Contains(t, page, ">"+name+" worker 1</text>", "a lane")
	}

	c.waiting(ctx, calls)

	leader := collector.root(first.ID)
	require.Eventually(t, func() bool { return collector.count(leader.TraceId, "execute_tool http.post") == 120 },
		time.Minute, 50*time.Millisecond)
	before := make(map[string]map[string]float64)
	second := c.share(ctx, calls, "second", 120, func(leader string) {
		for name := range c.nodes {
			before[name] = c.metrics(name)
		}
		c.nodes[leader].Kill()
		before[leader] = nil
		c.start(leader) // and so nobody has to wait until its calls must have ended
	})
	runs = 0
	for name, old := range before {
		now := c.metrics(name)
		runs += now[`ptc_runs_total{outcome="ok"}`] - old[`ptc_runs_total{outcome="ok"}`]
		assert.Zero(t, now["ptc_runs_active"])
	}
	assert.InDelta(t, 1, runs, 0, "a run that was promoted is counted once")
	for name := range c.nodes {
		require.Zero(t, c.nodes[name].End(syscall.SIGTERM))
	}

	parts := collector.parts(first.ID)
	assert.Len(t, parts, 2)
	for _, p := range parts {
		assert.Equal(t, hex.EncodeToString(leader.TraceId), hex.EncodeToString(p.TraceId), "one trace")
		assert.Equal(t, hex.EncodeToString(leader.SpanId), hex.EncodeToString(p.ParentSpanId), "below the leader's span")
	}
	for _, span := range append(collector.of(second.ID, ""), collector.parts(second.ID)...) {
		assert.Equal(t, hex.EncodeToString(collector.of(second.ID, "")[0].TraceId), hex.EncodeToString(span.TraceId),
			"the trace goes on after the leader has died")
	}
}

// share runs a program with n writes on all nodes, and calls then when each has run some.
func (c *members) share(ctx context.Context, calls *slow, key string, n int, then func(leader string)) store.Run {
	c.t.Helper()
	source := fmt.Sprintf(`(count (pmap (fn [i] (tool/http.post {:url (str "%s/?key=%s" i) :body "x"}) (* i i)) (range %d)))`,
		calls.URL, key, n)
	enough := calls.gather(n)
	run, err := c.at("node1").Submit(ctx, store.Submission{Source: source, Name: key}, 0)
	require.NoError(c.t, err)
	c.working(ctx, run.ID)
	at := "node1"
	if then != nil {
		run, err = c.at(at).Get(ctx, run.ID)
		require.NoError(c.t, err)
		then(run.Leader)
		for at = range c.nodes {
			if at != run.Leader {
				break
			}
		}
	}
	enough()
	run = c.settled(ctx, at, run.ID, calls)
	require.Equal(c.t, store.Succeeded, run.State, run.Text)
	assert.Equal(c.t, strconv.Itoa(n), string(run.Value))
	return run
}

// waiting checks that the page of a run has bars for the waits of elements on several nodes.
func (c *members) waiting(ctx context.Context, calls *slow) {
	c.t.Helper()
	run, err := c.at("node2").Submit(ctx, store.Submission{Source: `
		(count (pmap (fn [i] (host-exclusive "web-1" (tool/http.post {:url (str "` + calls.URL + `/?key=w" i) :body "x"})))
		             (range 100)))`}, 0)
	require.NoError(c.t, err)
	defer calls.gather(8)() // each call takes longer than the page
	bar := regexp.MustCompile(`<em>waits for host web-1 `)
	nodes := regexp.MustCompile(`<span class="n">(node[123]) \d+</span>(?:<span[^>]*>[^<]*</span>){2}<span class="s">waiting`)
	require.Eventually(c.t, func() bool {
		page := c.get("node3", "/runs/"+run.ID)
		of := make(map[string]bool)
		for _, m := range nodes.FindAllStringSubmatch(page, -1) {
			of[m[1]] = true
		}
		return len(of) > 1 && bar.MatchString(page)
	}, time.Minute, 50*time.Millisecond)
	run, err = c.at("node1").Cancel(ctx, run.ID)
	require.NoError(c.t, err)
}

// documented wants a node to report all metrics that docs/telemetry.md lists for a cluster and its engine.
func (c *members) documented(name string) {
	c.t.Helper()
	docs, err := os.ReadFile("../../docs/telemetry.md")
	require.NoError(c.t, err)
	reported := c.get(name, "/metrics")
	listed := regexp.MustCompile("(?m)^\\| `((?:etcd|ptc_cluster)_[a-z_]+)` \\|").FindAllStringSubmatch(string(docs), -1)
	require.Greater(c.t, len(listed), 15)
	for _, row := range listed {
		assert.True(c.t, strings.Contains(reported, "\n# TYPE "+row[1]+" "), "%s does not report %s", name, row[1])
	}
}

// sample is a line of the metrics.
var sample = regexp.MustCompile(`(?m)^([a-z_]+(?:\{[^}]*\})?) ([0-9.e+-]+)$`)

// metrics returns the metrics of a node, by their names with labels.
func (c *members) metrics(name string) map[string]float64 {
	c.t.Helper()
	all := make(map[string]float64)
	for _, m := range sample.FindAllStringSubmatch(c.get(name, "/metrics"), -1) {
		value, err := strconv.ParseFloat(m[2], 64)
		require.NoError(c.t, err)
		all[m[1]] = value
	}
	return all
}

// spanCollector is a collector: it decodes requests with the messages of the protocol's authors.
type spanCollector struct {
	*httptest.Server
	t   *testing.T
	mu  sync.Mutex
	all []*tracepb.Span
}

func newSpanCollector(t *testing.T) *spanCollector {
	s := &spanCollector{t: t}
	s.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if assert.NoError(t, err) && strings.HasSuffix(r.URL.Path, "/v1/traces") {
			s.take(body)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *spanCollector) take(body []byte) {
	var sent tracecollector.ExportTraceServiceRequest
	if !assert.NoError(s.t, proto.Unmarshal(body, &sent)) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range sent.ResourceSpans {
		instance := ""
		for _, a := range r.Resource.Attributes {
			if a.Key == "service.instance.id" {
				instance = a.Value.GetStringValue()
			}
		}
		assert.Regexp(s.t, "^node[123]$", instance)
		for _, scope := range r.ScopeSpans {
			s.all = append(s.all, scope.Spans...)
		}
	}
}

// attribute returns an attribute of a span as a string.
func attribute(s *tracepb.Span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			if a.Value.GetBoolValue() {
				return "true"
			}
			return a.Value.GetStringValue()
		}
	}
	return ""
}

// of returns the spans of the evaluations of a run: those of nodes that have left it, or the others.
func (s *spanCollector) of(run, left string) (found []*tracepb.Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, span := range s.all {
		if span.Name == "ptc.run" && attribute(span, "ptc.run.id") == run && attribute(span, "ptc.run.left") == left {
			found = append(found, span)
		}
	}
	return found
}

// root waits for the span of the node on which a run has ended.
func (s *spanCollector) root(run string) *tracepb.Span {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return len(s.of(run, "")) > 0 }, time.Minute, 50*time.Millisecond)
	found := s.of(run, "")
	require.Len(s.t, found, 1)
	require.Regexp(s.t, "^node[123]$", attribute(found[0], "ptc.node"))
	return found[0]
}

// parts returns the spans of the other nodes.
func (s *spanCollector) parts(run string) []*tracepb.Span { return s.of(run, "true") }

// count returns the number of spans of a trace with a name.
func (s *spanCollector) count(trace []byte, name string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, span := range s.all {
		if string(span.TraceId) == string(trace) && span.Name == name {
			n++
		}
	}
	return n
}
