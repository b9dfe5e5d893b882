// This file defines Message, which writes the encoding of Protocol Buffers.

package collector

import (
	"encoding/binary"
	"log/slog"
	"math"
	"strings"
)

// Message is an encoded message under construction. Its methods append a field, and return the longer message.
type Message []byte

// The wire types.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

func (m Message) key(field, wire uint64) Message { return binary.AppendUvarint(m, field<<3|wire) }

// Varint appends an integer of the types int64, uint64, bool or enum.
func (m Message) Varint(field, v uint64) Message {
	return binary.AppendUvarint(m.key(field, wireVarint), v)
}

// Fixed64 appends an integer of the types fixed64 or sfixed64.
func (m Message) Fixed64(field, v uint64) Message {
	return binary.LittleEndian.AppendUint64(m.key(field, wireFixed64), v)
}

// Double appends a float.
func (m Message) Double(field uint64, v float64) Message {
	return m.Fixed64(field, math.Float64bits(v))
}

// Fixed32 appends an integer of the type fixed32.
func (m Message) Fixed32(field uint64, v uint32) Message {
	return binary.LittleEndian.AppendUint32(m.key(field, wireFixed32), v)
}

// Fixed64s appends a packed list.
func (m Message) Fixed64s(field uint64, all []uint64) Message {
	m = binary.AppendUvarint(m.key(field, wireBytes), uint64(8*len(all)))
	for _, v := range all {
		m = binary.LittleEndian.AppendUint64(m, v)
	}
	return m
}

// Text appends a string or bytes. An empty one is left out, as the encoding does.
func (m Message) Text(field uint64, s string) Message {
	if s == "" {
		return m
	}
	return append(binary.AppendUvarint(m.key(field, wireBytes), uint64(len(s))), s...)
}

// Part appends a message, also an empty one.
func (m Message) Part(field uint64, part Message) Message {
	return append(binary.AppendUvarint(m.key(field, wireBytes), uint64(len(part))), part...)
}

// Attribute appends a KeyValue of OpenTelemetry. A long string is cut.
func (m Message) Attribute(field uint64, a slog.Attr) Message {
	var v Message
	switch a.Value.Kind() {
	case slog.KindBool:
		on := uint64(0)
		if a.Value.Bool() {
			on = 1
		}
		v = v.Varint(2, on)
	case slog.KindInt64:
		v = v.Varint(3, uint64(a.Value.Int64()))
	case slog.KindFloat64:
		v = v.Double(4, a.Value.Float64())
	default:
		v = v.Part(1, Message(Cut(a.Value.String())))
	}
	return m.Part(field, Message(nil).Text(1, a.Key).Part(2, v))
}

// Attributes appends several.
func (m Message) Attributes(field uint64, attrs []slog.Attr) Message {
	for _, a := range attrs {
		m = m.Attribute(field, a)
	}
	return m
}

// maxText bounds an attribute and a message in bytes.
const maxText = 1024

// Cut shortens a string, and makes it one that Protocol Buffers take.
func Cut(text string) string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Request returns an ExportTraceServiceRequest or an ExportMetricsServiceRequest, whose outer messages have the same
// fields: the elements of all are spans or metrics.
func Request(resource []slog.Attr, scope string, all []Message) Message {
	of := Message(nil).Part(1, Message(nil).Text(1, scope))
	for _, one := range all {
		of = of.Part(2, one)
	}
	return Message(nil).Part(1, Message(nil).Part(1, Message(nil).Attributes(1, resource)).Part(2, of))
}
