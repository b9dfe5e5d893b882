package otlp_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/telemetry/otlp"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// receiver is a collector: it decodes requests with the messages of the protocol's authors.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	spans    []*tracepb.Span
	resource map[string]string
	requests []*http.Request
	refuse   []int // the status of the next responses
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, req)
	if len(r.refuse) > 0 {
		w.WriteHeader(r.refuse[0])
		r.refuse = r.refuse[1:]
		return
	}
	var body io.Reader = req.Body
	if req.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		body = z
	}
	text, err := io.ReadAll(body)
	var in tracepb.TracesData // has the fields of an ExportTraceServiceRequest
	if err != nil || proto.Unmarshal(text, &in) != nil || len(in.ProtoReflect().GetUnknown()) > 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, rs := range in.ResourceSpans {
		r.resource = map[string]string{}
		for _, a := range rs.Resource.Attributes {
			r.resource[a.Key] = a.Value.GetStringValue()
		}
		for _, ss := range rs.ScopeSpans {
			r.spans = append(r.spans, ss.Spans...)
		}
	}
}

// attrs returns the attributes of a span as text.
func attrs(s *tracepb.Span) map[string]string {
	all := map[string]string{}
	for _, a := range s.Attributes {
		all[a.Key] = strings.Trim(strings.SplitN(a.Value.String(), ":", 2)[1], `"`)
	}
	return all
}

func (r *receiver) named(t *testing.T, name string) *tracepb.Span {
	t.Helper()
	for _, s := range r.spans {
		if s.Name == name {
			return s
		}
	}
	require.Failf(t, "no span", "%s", name)
	return nil
}

// exporter returns one that the variables configure.
func exporter(t *testing.T, vars map[string]string) *otlp.Exporter {
	e, err := otlp.FromEnvironment(func(name string) string { return vars[name] }, "ptc", "v1")
	require.NoError(t, err)
	require.NotNil(t, e)
	return e
}

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// TestSpansOfRun runs a program with calls that wait and fail, and checks the spans that a collector gets.
func TestSpansOfRun(t *testing.T) {
	r := newReceiver(t)
	e := exporter(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL + "/prefix", "OTEL_SERVICE_NAME": "nightly",
		"OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20abc,x-tenant=7", "OTEL_RESOURCE_ATTRIBUTES": "region=eu,service.name=no"})
	guards := guard.NewSet(guard.Options{})
	var first sync.Once
	deploy := tool.New("deploy", "", func(ctx context.Context, in struct {
		Host string `json:"host"`
	}) (string, error) {
		trace, ok := effect.TraceOf(ctx)
		assert.True(t, ok)
		assert.True(t, strings.HasPrefix(trace.Parent, "00-4bf92f3577b34da6a3ce929d0e0e4736-"))
		assert.True(t, strings.HasSuffix(trace.Parent, "-01"))
		assert.NotContains(t, trace.Parent, "00f067aa0ba902b7", "it is the span of the call")
		assert.Equal(t, "a=b", trace.State)
		first.Do(func() { // the second call waits for the host
			assert.Eventually(t, func() bool { return guards.Stats(0).Waiting == 1 }, time.Minute, time.Millisecond)
		})
		if in.Host == "bad" {
			return "", &tool.Error{Code: "unreachable", Message: "no route with hunter2-hunter2"}
		}
		return in.Host, nil
	}, tool.Hint(effect.Hint{Kind: effect.HostExclusive}))
	login := tool.New("login", "", func(context.Context, struct {
		Password string `json:"password"`
	}) (bool, error) {
		return true, nil
	}, tool.Secret("password"), tool.ReadOnly())
	tools, err := tool.NewRegistry(deploy, login)
	require.NoError(t, err)
	prog, err := ptc.Compile(t.Context(), "deploy.ptc", `
(tool/login {:password "hunter2-hunter2"})
(println "hunter2-hunter2")
(pmap (fn [_] (tool/deploy {:host "web-1"})) (range 2))
(pmap (fn [h] (tool/deploy {:host h})) ["bad"])`, ptc.Options{Tools: tools, Guards: guards})
	require.NoError(t, err)
	ctx := spans.Under(t.Context(), http.Header{"Traceparent": {parent}, "Tracestate": {"a=b"}}.Get)
	ctx, span := e.Run(ctx, "deploy.ptc", "run-7")
	given := ptc.RunOptions{}
	follow := spans.Follow(span, &given)
	res, err := prog.Run(ctx, given)
	require.Error(t, err)
	follow.End(res, err)
	require.NoError(t, e.Close(t.Context()))

	require.Equal(t, map[string]string{"service.name": "nightly", "region": "eu", "service.version": "v1",
		"telemetry.sdk.name": "ptc", "telemetry.sdk.language": "go"}, r.resource)
	require.Equal(t, "/prefix/v1/traces", r.requests[0].URL.Path)
	require.Equal(t, "Bearer abc", r.requests[0].Header.Get("Authorization"))
	require.Equal(t, "application/x-protobuf", r.requests[0].Header.Get("Content-Type"))

	run := r.named(t, "ptc.run")
	require.Equal(t, "4bf92f3577b34da6a3ce929d0e0e4736", hex.EncodeToString(run.TraceId))
	require.Equal(t, "00f067aa0ba902b7", hex.EncodeToString(run.ParentSpanId))
	require.Equal(t, "a=b", run.TraceState)
	require.Equal(t, tracepb.Status_STATUS_CODE_ERROR, run.Status.Code)
	require.Contains(t, run.Status.Message, "no route with [secret]")
	at := attrs(run)
	require.Equal(t, "deploy.ptc", at["ptc.program.name"])
	require.Equal(t, "run-7", at["ptc.run.id"])
	require.Equal(t, "tool-failed", at["error.type"])
	require.Equal(t, "4", at["ptc.calls"])
	require.Equal(t, "3", at["ptc.elements"])

	login1 := r.named(t, "execute_tool login")
	require.Equal(t, run.SpanId, login1.ParentSpanId)
	require.Nil(t, login1.Status)
	require.Equal(t, map[string]string{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "login",
		"gen_ai.tool.type": "function", "gen_ai.tool.call.id": "0#1", "ptc.tool.class": "read-only", "ptc.worker": "0"}, attrs(login1))

	op := r.named(t, "pmap")
	require.Equal(t, run.SpanId, op.ParentSpanId)
	require.Equal(t, "0.1", attrs(op)["ptc.operation.id"])
	require.Equal(t, "deploy.ptc:4:1", attrs(op)["ptc.operation.place"])
	wait := r.named(t, "wait host")
	require.Equal(t, "web-1", attrs(wait)["ptc.wait.key"])
	var failed, calls int
	for _, s := range r.spans {
		require.Equal(t, run.TraceId, s.TraceId)
		require.LessOrEqual(t, s.StartTimeUnixNano, s.EndTimeUnixNano)
		require.NotContains(t, s.String(), "hunter2")
		require.Equal(t, tracepb.Span_SPAN_KIND_INTERNAL, s.Kind)
		if s.Name != "execute_tool deploy" {
			continue
		}
		if calls++; string(s.SpanId) == string(wait.ParentSpanId) {
			require.Equal(t, string(op.SpanId), string(s.ParentSpanId), "the call that waited is of the first operation")
		}
		if s.Status != nil {
			failed++
			require.Equal(t, "unreachable", attrs(s)["error.type"])
			require.Equal(t, "no route with [secret]", s.Status.Message)
		}
	}
	require.Equal(t, 3, calls)
	require.Equal(t, 1, failed)
	require.Len(t, r.spans, 1+1+2+3+1)
}

// TestGRPC sends spans by gRPC, whose status is in a trailer.
func TestGRPC(t *testing.T) {
	for _, compression := range []string{"", "gzip"} {
		var mu sync.Mutex
		var got []string
		answers := []string{"14", "0", "3"}
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			body, err := io.ReadAll(r.Body)
			if !assert.NoError(t, err) || !assert.Greater(t, len(body), 5) {
				return
			}
			assert.EqualValues(t, len(body)-5, binary.BigEndian.Uint32(body[1:5]))
			assert.Equal(t, compression, r.Header.Get("Grpc-Encoding"))
			var message io.Reader = bytes.NewReader(body[5:])
			if body[0] == 1 {
				message, err = gzip.NewReader(message)
				assert.NoError(t, err)
			}
			assert.Equal(t, compression == "gzip", body[0] == 1)
			text, err := io.ReadAll(message)
			assert.NoError(t, err)
			var in tracepb.TracesData
			assert.NoError(t, proto.Unmarshal(text, &in))
			got = append(got, r.Proto+" "+r.URL.Path+" "+r.Header.Get("Content-Type")+" "+r.Header.Get("Te")+" "+
				in.ResourceSpans[0].ScopeSpans[0].Spans[0].Name)
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set("Trailer", "Grpc-Status, Grpc-Message")
			if answers[0] == "0" {
				_, _ = w.Write([]byte{0, 0, 0, 0, 0})
			}
			w.Header().Set("Grpc-Status", answers[0])
			w.Header().Set("Grpc-Message", "not%20now")
			answers = answers[1:]
		}))
		server.Config.Protocols = &http.Protocols{}
		server.Config.Protocols.SetUnencryptedHTTP2(true)
		server.Start()
		t.Cleanup(server.Close)
		e := exporter(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
			"OTEL_EXPORTER_OTLP_COMPRESSION": compression})
		_, s := e.Run(t.Context(), "p", "")
		s.End(time.Now(), "", "")
		require.NoError(t, e.Close(t.Context()))
		const want = "HTTP/2.0 /opentelemetry.proto.collector.trace.v1.TraceService/Export application/grpc trailers ptc.run"
		require.Equal(t, []string{want, want}, got, "the first request is repeated")

		e = exporter(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
			"OTEL_EXPORTER_OTLP_COMPRESSION": compression})
		_, s = e.Run(t.Context(), "p", "")
		s.End(time.Now(), "", "")
		require.ErrorContains(t, e.Close(t.Context()), `the status "3" of gRPC: not now`)
	}
}

// TestUnsampled: a trace that is not sampled at its beginning has no spans, and its run costs nothing.
func TestUnsampled(t *testing.T) {
	r := newReceiver(t)
	e := exporter(t, map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": r.URL})
	ctx := spans.Under(t.Context(), spans.Meta(map[string]any{"traceparent": strings.TrimSuffix(parent, "1") + "0"}))
	ctx, span := e.Run(ctx, "p", "")
	given := ptc.RunOptions{}
	spans.Follow(span, &given).End(nil, nil)
	trace, ok := effect.TraceOf(ctx)
	require.True(t, ok)
	require.True(t, strings.HasPrefix(trace.Parent, parent[:36]))
	require.True(t, strings.HasSuffix(trace.Parent, "-00"), "services that are called do not record either")
	require.Nil(t, given.Around)
	require.Nil(t, given.Observer)
	require.NoError(t, e.Close(t.Context()))
	require.Empty(t, r.requests)
}

// TestSamplers counts the traces that each sampler records, of those without a parent and below ones that are recorded
// or not.
func TestSamplers(t *testing.T) {
	const n = 2000
	for _, c := range []struct {
		kind, part              string
		root, recorded, dropped float64
	}{{"", "", 1, 1, 0}, {"always_on", "", 1, 1, 1}, {"always_off", "", 0, 0, 0}, {"traceidratio", "0.25", 0.25, 0.25, 0.25},
		{"traceidratio", "0", 0, 0, 0}, {"parentbased_always_on", "", 1, 1, 0}, {"parentbased_always_off", "", 0, 1, 0},
		{"parentbased_traceidratio", "0.25", 0.25, 1, 0}, {"parentbased_traceidratio", "", 1, 1, 0}} {
		e := exporter(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_TRACES_SAMPLER": c.kind,
			"OTEL_TRACES_SAMPLER_ARG": c.part})
		for header, want := range map[string]float64{"": c.root, "-01": c.recorded, "-00": c.dropped} {
			got := 0
			for range n {
				ctx := t.Context()
				if header != "" {
					_, s := exporter(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1"}).Run(ctx, "p", "")
					trace := s.(effect.Traced).Trace()
					ctx = spans.Under(ctx, spans.Meta(map[string]any{"traceparent": strings.TrimSuffix(trace.Parent, "-01") + header}))
				}
				if _, s := e.Run(ctx, "p", ""); s != nil {
					got++
				}
			}
			require.InDelta(t, want, float64(got)/n, 0.1, "%s %s %s", c.kind, c.part, header)
		}
	}
}

// TestNotPassedOn: without the propagator calls have no trace.
func TestNotPassedOn(t *testing.T) {
	for propagators, want := range map[string]bool{"": true, "none": false, "b3": false, "b3, tracecontext,baggage": true} {
		e := exporter(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1", "OTEL_PROPAGATORS": propagators})
		ctx, s := e.Run(t.Context(), "p", "")
		require.NotNil(t, s)
		ctx, _ = s.Start(ctx, "call", time.Now())
		_, ok := effect.TraceOf(ctx)
		require.Equal(t, want, ok, propagators)
	}
}

// TestLinks: the parent of a context that has one already is a link.
func TestLinks(t *testing.T) {
	r := newReceiver(t)
	e := exporter(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL, "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"})
	header := http.Header{"Traceparent": {"00-11111111111111111111111111111111-2222222222222222-01"}}
	ctx := spans.Under(spans.Under(t.Context(), header.Get), spans.Meta(map[string]any{"traceparent": parent}))
	_, span := e.Run(ctx, "p", "")
	spans.Follow(span, &ptc.RunOptions{}).End(&ptc.Result{}, errors.New("of the host"))
	require.NoError(t, e.Close(t.Context()))
	require.Len(t, r.spans, 1)
	require.Equal(t, "4bf92f3577b34da6a3ce929d0e0e4736", hex.EncodeToString(r.spans[0].TraceId))
	require.Len(t, r.spans[0].Links, 1)
	require.Equal(t, "2222222222222222", hex.EncodeToString(r.spans[0].Links[0].SpanId))
	require.Equal(t, "host-failed", attrs(r.spans[0])["error.type"])
}

// TestRepeats: a request is repeated if the collector could not take it, and an error is reported otherwise.
func TestRepeats(t *testing.T) {
	r := newReceiver(t)
	for _, c := range []struct {
		refuse []int
		ok     bool
		spans  int
	}{{[]int{503, 429}, true, 1}, {[]int{400}, false, 0}, {[]int{308}, false, 0}} {
		r.refuse, r.spans = c.refuse, nil
		e := exporter(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": strings.Replace(r.URL, "//", "//user:hunter2@", 1)})
		_, span := e.Run(t.Context(), "p", "")
		span.End(time.Now(), "", "")
		err := e.Close(t.Context())
		require.Equal(t, c.ok, err == nil, "%v", err)
		if err != nil {
			require.NotContains(t, err.Error(), "hunter2")
		}
		require.Len(t, r.spans, c.spans)
	}
	r.Close()
	e := exporter(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL})
	_, span := e.Run(t.Context(), "p", "")
	span.End(time.Now(), "", "")
	require.ErrorContains(t, e.Close(t.Context()), "refused")
}

// TestRetryAfter: an exporter waits no longer than its timeout for a collector that wants it to wait for an hour.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := exporter(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector", "OTEL_EXPORTER_OTLP_TIMEOUT": "2000"})
		e.Through(roundTripper{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		})})
		began := time.Now()
		_, span := e.Run(t.Context(), "p", "")
		span.End(time.Now(), "", "")
		require.ErrorContains(t, e.Close(t.Context()), "429")
		require.LessOrEqual(t, time.Since(began), 2*time.Second)
	})
}

// TestManySpans: many spans are sent in several requests, and spans that the collector does not accept are dropped.
func TestManySpans(t *testing.T) {
	r := newReceiver(t)
	e := exporter(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL})
	_, run := e.Run(t.Context(), "p", "")
	for range 2000 {
		_, s := run.Start(t.Context(), strings.Repeat("\xff", 2000), time.Now())
		s.End(time.Now(), "", "")
	}
	require.NoError(t, e.Close(t.Context()))
	require.Len(t, r.spans, 2000)
	require.GreaterOrEqual(t, len(r.requests), 4)

	_, late := run.Start(t.Context(), "late", time.Now())
	late.End(time.Now(), "", "")
	require.ErrorContains(t, e.Close(t.Context()), "1 were dropped")

	e = exporter(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL})
	_, run = e.Run(t.Context(), "p", "")
	r.mu.Lock() // the collector hangs
	for range 20_000 {
		_, s := run.Start(t.Context(), "s", time.Now())
		s.End(time.Now(), "", "")
	}
	r.mu.Unlock()
	require.ErrorContains(t, e.Close(t.Context()), "were dropped")
	require.Less(t, len(r.spans), 20_000)
	require.Greater(t, len(r.spans), 2000)
}

// TestDelay: the spans of a service that makes few arrive without a Close.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := make(chan int, 10)
		collector := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			var in tracepb.TracesData
			assert.NoError(t, proto.Unmarshal(text, &in))
			sent <- len(in.ResourceSpans[0].ScopeSpans[0].Spans)
			w.WriteHeader(http.StatusForbidden)
		})
		e := exporter(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector"})
		e.Through(roundTripper{collector})
		failed := 0
		e.Failed = func(error) { failed++ }
		began := time.Now()
		_, run := e.Run(t.Context(), "p", "")
		for i := range 3 {
			for range i + 1 {
				_, s := run.Start(t.Context(), "s", time.Now())
				s.End(time.Now(), "", "")
			}
			require.Equal(t, i+1, <-sent)
			require.Equal(t, time.Duration(i+1)*5*time.Second, time.Since(began))
		}
		synctest.Wait() // for the end of the third request: Close counts the failure of one that is under way
		run.End(time.Now(), "", "")
		require.ErrorContains(t, e.Close(t.Context()), "403")
		require.Equal(t, 1, <-sent, "earlier failures do not keep the last spans back")
		require.Equal(t, 4, failed)
	})
}

// roundTripper answers requests without a network, which virtual time cannot have.
type roundTripper struct{ http.Handler }

func (r roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w.Result(), nil
}

// TestEnvironment checks which values of the variables are refused, and which export nothing.
func TestEnvironment(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for name, value := range map[string]string{"": "", "OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "none"} {
		vars := map[string]string{endpoint: "http://localhost:4318", name: value}
		if name == "" {
			vars = nil
		}
		e, err := otlp.FromEnvironment(func(name string) string { return vars[name] }, "ptc", "")
		require.NoError(t, err)
		require.Nil(t, e)
	}
	for name, value := range map[string]string{endpoint: "localhost:4318", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
		"OTEL_TRACES_SAMPLER": "sometimes", "OTEL_TRACES_EXPORTER": "zipkin",
		"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "1s", "OTEL_EXPORTER_OTLP_COMPRESSION": "zstd", "OTEL_EXPORTER_OTLP_HEADERS": "hunter2",
		"OTEL_EXPORTER_OTLP_CERTIFICATE": "/none", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": "/none", "OTEL_RESOURCE_ATTRIBUTES": "a=%zz",
		"OTEL_TRACES_SAMPLER_ARG": "2"} {
		vars := map[string]string{endpoint: "http://localhost:4318", "OTEL_TRACES_SAMPLER": "traceidratio"}
		vars[name] = value
		_, err := otlp.FromEnvironment(func(name string) string { return vars[name] }, "ptc", "")
		require.ErrorContains(t, err, strings.Replace(name, "OTLP_TRACES_", "OTLP_", 1))
		require.NotContains(t, err.Error(), "hunter2")
	}
}
