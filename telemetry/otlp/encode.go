// This file defines the messages of spans.

package otlp

import (
	"log/slog"

	"github.com/ptc-lang/ptc/telemetry/internal/collector"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

// The values of the fields kind and status.code, and a bit of flags.
const (
	kindInternal = 1
	statusError  = 2
	sampled      = 1
)

// encode returns the message of a span that has ended.
func (s *span) encode() collector.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := collector.Message(nil).Text(1, string(s.trace[:])).Text(2, string(s.id[:])).Text(3, s.state)
	if s.parent != (spanID{}) {
		m = m.Text(4, string(s.parent[:]))
	}
	m = m.Text(5, collector.Cut(s.name)).Varint(6, kindInternal)
	m = m.Fixed64(7, uint64(s.began.UnixNano())).Fixed64(8, uint64(s.ended.UnixNano()))
	m = m.Attributes(9, s.attrs)
	for _, l := range s.links {
		m = m.Part(13, collector.Message(nil).Text(1, string(l.Trace[:])).Text(2, string(l.Span[:])).Text(3, l.State))
	}
	if s.failure != "" {
		m = m.Attribute(9, slog.String(spans.ErrorType, s.failure))
		m = m.Part(15, collector.Message(nil).Text(2, collector.Cut(s.message)).Varint(3, statusError))
	}
	return m.Fixed32(16, sampled)
}

// request returns an ExportTraceServiceRequest.
func request(resource []slog.Attr, part []*span) collector.Message {
	all := make([]collector.Message, len(part))
	for i, s := range part {
		all[i] = s.encode()
	}
	return collector.Request(resource, scope, all)
}
