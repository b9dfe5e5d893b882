// This file defines the spans of OpenTelemetry.

package telemetry

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

// scope is the name of the instrumentation.
const scope = "github.com/ptc-lang/ptc/telemetry"

// OpenTelemetry returns a source whose spans are those of a provider. The parent of the span of a run is
// the span in the context of Begin: one of OpenTelemetry, or else one that spans.Under has set. The context
// that a tool gets has the span of its call, so that libraries which it uses make spans below. Without a
// provider it returns nil.
func OpenTelemetry(provider trace.TracerProvider) spans.Source {
	if provider == nil {
		return nil
	}
	return source{provider.Tracer(scope)}
}

type source struct{ tracer trace.Tracer }

// Run implements spans.Source.
func (s source) Run(ctx context.Context, program, id string) (context.Context, spans.Span) {
	var o []trace.SpanStartOption
	if p := spans.Parent(ctx); p != nil {
		remote := trace.Link{SpanContext: spanContext(*p)}
		if trace.SpanContextFromContext(ctx).IsValid() {
			o = append(o, trace.WithLinks(remote))
		} else {
			ctx = trace.ContextWithRemoteSpanContext(ctx, remote.SpanContext)
		}
	}
	for _, l := range spans.Links(ctx) {
		o = append(o, trace.WithLinks(trace.Link{SpanContext: spanContext(l)}))
	}
	name, attrs := spans.RunName(program, id)
	ctx, started := s.tracer.Start(ctx, name, append(o, trace.WithAttributes(keyValues(attrs)...))...)
	ctx = effect.WithTrace(ctx, span{s.tracer, started})
	if !started.IsRecording() {
		return ctx, nil
	}
	return ctx, span{s.tracer, started}
}

// spanContext returns a span of another process as OpenTelemetry has it.
func spanContext(c spans.Context) trace.SpanContext {
	flags := trace.TraceFlags(0).WithSampled(c.Sampled)
	state, err := trace.ParseTraceState(c.State)
	if err != nil { // the recommendation wants it dropped
		state = trace.TraceState{}
	}
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: c.Trace, SpanID: c.Span, TraceFlags: flags,
		TraceState: state, Remote: true})
}

// span implements spans.Span.
type span struct {
	tracer trace.Tracer
	span   trace.Span
}

func (s span) Start(ctx context.Context, name string, at time.Time, attrs ...slog.Attr) (context.Context, spans.Span) {
	ctx, below := s.tracer.Start(trace.ContextWithSpan(ctx, s.span), name, trace.WithTimestamp(at),
		trace.WithAttributes(keyValues(attrs)...))
	return effect.WithTrace(ctx, span{s.tracer, below}), span{s.tracer, below}
}

// Trace implements effect.Traced.
func (s span) Trace() effect.Trace {
	c := s.span.SpanContext()
	if !c.IsValid() {
		return effect.Trace{}
	}
	is := spans.Context{Trace: c.TraceID(), Span: c.SpanID(), Sampled: c.IsSampled()}
	return effect.Trace{Parent: is.Traceparent(), State: c.TraceState().String()}
}

func (s span) Set(attrs ...slog.Attr) { s.span.SetAttributes(keyValues(attrs)...) }

func (s span) End(at time.Time, failure, message string) {
	if failure != "" {
		s.span.SetAttributes(attribute.String(spans.ErrorType, failure))
		s.span.SetStatus(codes.Error, message)
	}
	s.span.End(trace.WithTimestamp(at))
}

func keyValues(attrs []slog.Attr) []attribute.KeyValue {
	all := make([]attribute.KeyValue, len(attrs))
	for i, a := range attrs {
		switch a.Value.Kind() {
		case slog.KindInt64:
			all[i] = attribute.Int64(a.Key, a.Value.Int64())
		case slog.KindBool:
			all[i] = attribute.Bool(a.Key, a.Value.Bool())
		default:
			all[i] = attribute.String(a.Key, a.Value.String())
		}
	}
	return all
}
