// This file defines the trace of a call, which a tool passes on to the systems that it calls.

package effect

import "context"

// Trace names a span, as the recommendation Trace Context of the W3C writes it.
type Trace struct {
	Parent string // the header traceparent, or the variable TRACEPARENT of a process
	State  string // the header tracestate, or the variable TRACESTATE; "" for none
}

// Trace returns t: a Trace is a Traced that does not change.
func (t Trace) Trace() Trace { return t }

// Traced is a span that a call can pass on.
type Traced interface {
	Trace() Trace
}

// tracedKey is the key of a Traced in a context.
type tracedKey struct{}

// WithTrace returns a context for calls below a span. Tools pass it on to the services and programs that they call.
func WithTrace(ctx context.Context, s Traced) context.Context {
	if ctx == nil || s == nil {
		return ctx
	}
	return context.WithValue(ctx, tracedKey{}, s)
}

// TraceOf returns the span that a call is below, and reports whether there is one.
func TraceOf(ctx context.Context) (Trace, bool) {
	if ctx == nil {
		return Trace{}, false
	}
	s, ok := ctx.Value(tracedKey{}).(Traced)
	if !ok {
		return Trace{}, false
	}
	t := s.Trace()
	return t, t.Parent != ""
}

// Environ returns the trace as variables of the environment of a process.
func (t Trace) Environ() []string {
	if t.State == "" {
		return []string{"TRACEPARENT=" + t.Parent}
	}
	return []string{"TRACEPARENT=" + t.Parent, "TRACESTATE=" + t.State}
}
