// This file defines Envelope, one JSON object about a run.

package ptc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Envelope is one JSON object about a run, for a model or another program. The command writes it for
// --output envelope.
type Envelope struct {
	Status string          `json:"status"` // StatusOK or StatusError
	Value  json.RawMessage `json:"value"`  // null if the run failed
	Prints string          `json:"prints"`
	Error  *Error          `json:"error"` // nil if the run succeeded
	// Pending lists the effects that a parked run waits for, by id.
	Pending []effect.Pending `json:"pending,omitempty"`
	Usage   Usage            `json:"usage"`
	Cut     *Cut             `json:"cut,omitempty"` // nil if nothing was cut
}

// The values of Envelope.Status.
const (
	StatusOK    = "ok"
	StatusError = "error"
)

// Cut lists the parts of an Envelope that were shortened to fit its bound, with the bytes that each had.
type Cut struct {
	Value  int `json:"value,omitempty"` // Value is a string then: the beginning of the JSON, and an ellipsis
	Prints int `json:"prints,omitempty"`
	Error  int `json:"error,omitempty"`
	// Pending has the first effects then, or none.
	Pending int `json:"pending,omitempty"`
	Usage   int `json:"usage,omitempty"` // Usage lacks Tools, Guards, Queues and Hints then
}

// minEnvelope is the smallest bound of an envelope: everything that is never cut fits into it.
const minEnvelope = 2048

// Envelope returns the outcome of a run as one object. err is the error of Run, or of Compile; r may be nil then. An
// error that is no *Error has the code host-failed. A value that has no JSON (see JSON) makes the envelope that of a
// failed run.
//
// If most is above 0, WriteTo writes at most that many bytes, or 2,048 if most is less. If it is 0, only
// the bounds of the run apply. The error and the usage come first; value and prints share the rest.
func (r *Result) Envelope(err error, most int) *Envelope {
	if r == nil {
		r = &Result{}
	}
	if none, ok := err.(*Error); ok && none == nil { // of an errors.As that has found none
		err = nil
	}
	e := &Envelope{Status: StatusOK, Value: json.RawMessage("null"), Prints: r.Prints, Usage: r.Usage}
	size := len(e.Value)
	if err == nil {
		var text []byte
		if text, size, err = r.begunJSON(most); err == nil {
			e.Value = text
		}
	}
	if err != nil {
		e.Status, size = StatusError, len(e.Value)
		if !errors.As(err, &e.Error) || e.Error == nil {
			e.Error = &Error{Code: diag.HostFailed, Message: err.Error(), Err: err}
		}
		if parked := (*Parked)(nil); errors.As(err, &parked) && parked != nil {
			e.Pending = parked.Pending
		}
	}
	if most > 0 {
		e.bound(max(most, minEnvelope), size)
	}
	return e
}

// begunJSON returns the first bytes of the value as JSON, at most so many if most is above 0, and the size of all.
func (r *Result) begunJSON(most int) (text []byte, size int, err error) {
	keep := func(p []byte) {
		if most > 0 {
			p = p[:min(len(p), max(most, minEnvelope)-len(text))]
		}
		text = append(text, p...)
	}
	size, err = r.measure(context.Background(), r.json(false), keep)
	if err == nil && len(text) < size {
		room := size
		if most > 0 {
			room = min(size, max(most, minEnvelope))
		}
		text = make([]byte, 0, room)
		err = r.again(context.Background(), &writing{}, r.json(false), keep)
	}
	return text, size, err
}

// bound shortens the envelope to a number of bytes. The JSON of its value has size bytes; Value may hold
// only the first of them.
func (e *Envelope) bound(most, size int) {
	if len(e.Value) == size && e.frame(e.Cut)+size+len(encoded(e.Prints)) <= most {
		return
	}
	e.Cut = &Cut{}
	u := &e.Usage
	if n := len(encoded(u)); n > most/4 && len(u.Tools)+len(u.Guards)+len(u.Queues)+len(u.Hints) > 0 {
		u.Tools, u.Guards, u.Queues, u.Hints, e.Cut.Usage = nil, nil, nil, nil, n
	}
	if n := len(encoded(e.Error)); e.Error != nil && n > most/3 {
		rest := most - (e.frame(wholeCut(most)) - n) - len(e.Value) - len(encoded(e.Prints))
		if room := max(most/3, rest); n > room {
			e.Error, e.Cut.Error = shortError(e.Error, room), n
		}
	}
	e.boundPending(most)
	left := most - e.frame(wholeCut(most))
	prints := len(encoded(e.Prints))
	forValue := min(size, max(left/2, left-prints))
	if e.Status == StatusOK && (size > forValue || len(e.Value) < size) {
		e.Value, e.Cut.Value = encoded(clipped(string(e.Value), forValue)), size
	}
	if room := left - len(e.Value); prints > room {
		e.Prints, e.Cut.Prints = clipped(e.Prints, room), len(e.Prints)
	}
	if *e.Cut == (Cut{}) {
		e.Cut = nil
	}
}

// boundPending leaves out the last of the pending effects, until they take a sixth of most bytes, or the
// space that the rest of the envelope leaves.
func (e *Envelope) boundPending(most int) {
	n := len(encoded(e.Pending))
	if len(e.Pending) == 0 || n <= most/6 {
		return
	}
	rest := most - (e.frame(wholeCut(most)) - n) - len(e.Value) - len(encoded(e.Prints))
	room := max(most/6, rest)
	if n <= room {
		return
	}
	size, keep := len("[]"), 0
	for i := range e.Pending {
		if size += len(encoded(&e.Pending[i])) + len(","); size > room {
			break
		}
		keep++
	}
	e.Pending, e.Cut.Pending = e.Pending[:keep], n
}

// wholeCut returns a Cut that takes as much room as one of an envelope of so many bytes can.
func wholeCut(most int) *Cut {
	return &Cut{Value: most, Prints: most, Error: most, Pending: most, Usage: most}
}

// frame returns the bytes of the envelope without its value and prints.
func (e *Envelope) frame(c *Cut) int {
	f := *e
	f.Value, f.Prints, f.Cut = nil, "", c
	return len(encoded(&f)) - len("null") - len(`""`) + len("\n")
}

// clipped returns a text that takes at most so many bytes as a string of JSON, and ends with an ellipsis if it is cut.
func clipped(text string, most int) string {
	if len(text) <= most && len(encoded(text)) <= most {
		return text
	}
	for keep := min(len(text), most-len(`"…"`)); keep > 0; {
		t := strings.ToValidUTF8(text[:keep], "") + "…"
		over := len(encoded(t)) - most
		if over <= 0 {
			return t
		}
		keep -= max(1, over/maxEscape)
	}
	return ""
}

// maxEscape is the most bytes of JSON that a byte of text takes.
const maxEscape = 6

// shortError returns an error whose JSON has at most a number of bytes, which must be a few hundred or
// more. It drops the details, and cuts the message and the hint if necessary.
func shortError(e *Error, most int) *Error {
	s := *e
	s.Others, s.Cause = nil, nil
	s.Frames, s.Elements = e.Frames[:min(len(e.Frames), 5)], e.Elements[:min(len(e.Elements), 2)]
	if len(encoded(&s)) <= most {
		return &s
	}
	s = Error{Code: e.Code, Class: e.Class, Message: e.Message, Hint: e.Hint, Span: e.Span}
	if len(encoded(&s)) <= most {
		return &s
	}
	s.Span = token.Span{} // whose file may have a long name
	s.Hint = clipped(s.Hint, most/4)
	s.Message = clipped(s.Message, most/3)
	s.Class = clipped(s.Class, most/8)
	return &s
}

// WriteTo writes the envelope as JSON and a line end. It does not escape < and &, unlike json.Marshal.
func (e *Envelope) WriteTo(w io.Writer) (int64, error) {
	if err := wantWriter(w); err != nil {
		return 0, err
	}
	if e == nil {
		e = &Envelope{}
	}
	rest, value := *e, e.Value
	rest.Value = nil // written without the encoder, which would copy it
	if len(value) == 0 {
		value = json.RawMessage("null")
	}
	text := encoded(&rest)
	const before = `"value":null`
	at := bytes.Index(text, []byte(before)) + len(before) - len("null")
	var n int64
	for _, part := range [][]byte{text[:at], value, append(text[at+len("null"):], '\n')} {
		k, err := write(w, part)
		n += int64(k)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// encoded returns v as JSON without escaping < and &.
func encoded(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil { // the parts of an envelope have JSON
		return []byte("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
