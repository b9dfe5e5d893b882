// Package otlp sends the spans of runs to a collector of OpenTelemetry, by OTLP over HTTP or gRPC. It needs the
// standard library only: the command ptc, for example, must not link the libraries of OpenTelemetry. The standard
// environment variables configure it; see FromEnvironment.
package otlp

import (
	"context"
	crand "crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/telemetry/internal/collector"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

const (
	// batch is the number of spans in a request, as in the batch processor of OpenTelemetry's libraries.
	batch = 512
	// delay is the time after which a batch is sent that is not full, as there.
	delay = 5 * time.Second
	// most is the number of spans that wait for a request. Further ones are dropped and counted.
	most = 8 * batch
	// scope is the name of the library that makes the spans.
	scope = "github.com/ptc-lang/ptc"
)

// Exporter sends spans. FromEnvironment makes one; the zero Exporter sends nothing, and its Close returns why. It is
// safe for concurrent use. Close sends the remaining ones.
type Exporter struct {
	client  collector.Client
	sampler sampler
	pass    bool // the contexts of calls have their traces, see effect.WithTrace

	// Failed is called when spans could not be sent, by another goroutine. It is optional, and must be set before the
	// first run.
	Failed func(err error)

	mu       sync.Mutex
	ended    []*span // that were not sent yet
	dropped  int
	idle     chan struct{} // closed when the request under way has ended; nil if there is none
	timer    *time.Timer   // of late; nil if none runs
	closed   bool
	failures int   // requests
	err      error // of the first of them
}

// FromEnvironment returns the Exporter that these variables configure, each also with TRACES_ after OTLP_:
// OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS, _TIMEOUT, _COMPRESSION, _CERTIFICATE, _CLIENT_CERTIFICATE, _CLIENT_KEY and
// _PROTOCOL, which must be http/protobuf, its default, or grpc; and OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
// OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG and OTEL_PROPAGATORS. getenv is
// os.Getenv, also if it is nil. service is the default for the name of the service. Without an endpoint it returns nil:
// nothing is exported.
func FromEnvironment(getenv func(name string) string, service, version string) (*Exporter, error) {
	env := &collector.Environment{Get: getenv, Signal: collector.Traces}
	c := env.Client(service, version)
	if c == nil {
		return nil, env.Err
	}
	e := &Exporter{client: *c, sampler: samplerOf(env), pass: propagates(env)}
	if env.Err != nil {
		return nil, env.Err
	}
	return e, nil
}

type (
	traceID [16]byte
	spanID  [8]byte
)

// span is a span of an Exporter. Its goroutine encodes it, so that the run does not wait for that.
type span struct {
	to          *Exporter
	trace       traceID
	id, parent  spanID
	state, name string
	links       []spans.Context
	began       time.Time
	dropped     bool // the trace is not recorded

	mu               sync.Mutex
	attrs            []slog.Attr
	ended            time.Time
	failure, message string
}

// Run implements spans.Source. If nothing around the run has a trace, all evaluations of a run with an id
// are in one trace, including those of other nodes and those after it was resumed.
func (e *Exporter) Run(ctx context.Context, program, id string) (context.Context, spans.Span) {
	if ctx == nil {
		ctx = context.Background()
	}
	s := &span{to: e, began: time.Now(), id: newSpanID(), links: spans.Links(ctx)}
	parent := spans.Parent(ctx)
	if parent != nil {
		s.trace, s.parent, s.state = parent.Trace, parent.Span, parent.State
	} else {
		s.trace = newTraceID(id)
	}
	s.dropped = !e.sampler.records(s.trace, parent)
	ctx = s.with(ctx)
	if s.dropped {
		return ctx, nil
	}
	s.name, s.attrs = spans.RunName(program, id)
	return ctx, s
}

// newTraceID returns the id of the trace of a run, or of one without an id.
func newTraceID(run string) (id traceID) {
	if run == "" {
		run = crand.Text()
	}
	sum := sha256.Sum256([]byte("ptc.run " + run))
	copy(id[:], sum[:])
	return id
}

func newSpanID() (id spanID) {
	binary.NativeEndian.PutUint64(id[:], rand.Uint64()|1)
	return id
}

// with returns a context of calls below the span.
func (s *span) with(ctx context.Context) context.Context {
	if !s.to.pass {
		return ctx
	}
	return effect.WithTrace(ctx, s)
}

// Trace implements effect.Traced.
func (s *span) Trace() effect.Trace {
	c := spans.Context{Trace: s.trace, Span: s.id, Sampled: !s.dropped}
	return effect.Trace{Parent: c.Traceparent(), State: s.state}
}

// Start implements spans.Span.
func (s *span) Start(ctx context.Context, name string, at time.Time, attrs ...slog.Attr) (context.Context, spans.Span) {
	below := &span{to: s.to, trace: s.trace, state: s.state, parent: s.id, id: newSpanID(), name: name, began: at,
		attrs: attrs}
	return below.with(ctx), below
}

// Set implements spans.Span.
func (s *span) Set(attrs ...slog.Attr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attrs = append(s.attrs, attrs...)
}

// End implements spans.Span.
func (s *span) End(at time.Time, failure, message string) {
	s.mu.Lock()
	s.ended, s.failure, s.message = at, failure, message
	s.mu.Unlock()
	s.to.add(s)
}

// add adds a span that has ended. A full batch is sent at once, and the others after a while.
func (e *Exporter) add(s *span) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || len(e.ended) >= most {
		e.dropped++
		return
	}
	e.ended = append(e.ended, s)
	switch {
	case e.idle != nil:
	case len(e.ended) >= batch:
		e.start(context.Background())
	case e.timer == nil:
		e.timer = time.AfterFunc(delay, e.late)
	}
}

// late has the spans sent that are older than the delay.
func (e *Exporter) late() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.timer = nil
	if e.idle == nil && len(e.ended) > 0 && !e.closed {
		e.start(context.Background())
	}
}

// start has the first spans sent by a goroutine. The caller holds mu, and no request is under way.
func (e *Exporter) start(ctx context.Context) {
	n := min(len(e.ended), batch)
	part := e.ended[:n:n]
	e.ended = e.ended[n:]
	idle := make(chan struct{})
	e.idle = idle
	go func() {
		err := e.client.Send(ctx, request(e.client.Resource, part))
		if err != nil && e.Failed != nil {
			e.Failed(err)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		if err != nil {
			e.dropped += n
			e.failures++
			if e.err == nil {
				e.err = err
			}
		}
		e.idle = nil
		close(idle)
		switch {
		case e.closed:
		case len(e.ended) >= batch:
			e.start(context.Background())
		case len(e.ended) > 0 && e.timer == nil:
			e.timer = time.AfterFunc(delay, e.late)
		}
	}()
}

// Close sends the spans that have ended, until ctx ends or a request fails; later ones are dropped. It returns the
// first error of a request, or how many spans were dropped because they ended faster than they could be sent.
func (e *Exporter) Close(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	if e.timer != nil {
		e.timer.Stop()
	}
	for before := e.failures; e.idle != nil || len(e.ended) > 0; {
		if e.idle == nil && e.failures > before {
			e.dropped += len(e.ended)
			e.ended = nil
			break
		}
		if e.idle == nil {
			e.start(ctx)
		}
		idle := e.idle
		e.mu.Unlock()
		<-idle // which ends after the timeout at the latest
		e.mu.Lock()
	}
	e.client.Close()
	if e.err == nil && e.dropped > 0 {
		return fmt.Errorf("the collector did not take all spans in time: %d were dropped", e.dropped)
	}
	return e.err
}
