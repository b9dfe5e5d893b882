// This file defines the machine-readable form of errors.

package diag

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/ptc-lang/ptc/lang/token"
)

// place is a span in JSON: 1-based lines, and columns in code points. The end is after the last
// character.
type place struct {
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	EndLine   int    `json:"endLine,omitempty"`
	EndColumn int    `json:"endColumn,omitempty"`
}

type jsonFrame struct {
	Function string `json:"function"`
	place
}

type jsonElement struct {
	Operation string `json:"operation"`
	Index     int    `json:"index"`
	Text      string `json:"text"`
	Completed int    `json:"completed"`
	Of        int    `json:"of"`
	place
}

type jsonError struct {
	Code    Code   `json:"code"`
	Class   string `json:"class,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	place
	Frames   []jsonFrame   `json:"frames,omitempty"`
	Elements []jsonElement `json:"elements,omitempty"`
	Data     any           `json:"data,omitempty"`
	Causes   []*jsonError  `json:"causes,omitempty"`
	Others   []*jsonError  `json:"others,omitempty"`
}

// maxCauses bounds the number of causes that are shown.
const maxCauses = 20

// MarshalJSON returns an object with code and message and, where known, class, hint, file, line,
// column, endLine, endColumn, frames (at most 30, innermost first), elements (of parallel
// operations, innermost first), data, causes (the direct cause first) and others. Data that has no
// JSON form becomes a string.
func (e *Error) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	j := e.plain()
	for c := e.Cause; c != nil && len(j.Causes) < maxCauses; c = c.Cause {
		j.Causes = append(j.Causes, c.plain())
	}
	for _, o := range e.Others {
		j.Others = append(j.Others, o.plain())
	}
	return unescaped(j)
}

// unescaped returns v as JSON, in which < and & stay as they are: an encoder that is to escape them does so itself.
func unescaped(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// plain converts the error without its causes and others.
func (e *Error) plain() *jsonError {
	j := &jsonError{Code: e.Code, Class: e.Class, Message: e.Message, Hint: e.Hint, place: placeOf(e.Span)}
	for _, f := range e.Frames[:min(len(e.Frames), maxFrames)] {
		j.Frames = append(j.Frames, jsonFrame{Function: f.Function, place: placeOf(f.Span)})
	}
	for _, el := range e.Elements {
		j.Elements = append(j.Elements, jsonElement{el.Operation, el.Index, el.Text, el.Completed, el.Of, placeOf(el.Span)})
	}
	if e.Data != nil {
		if text, err := unescaped(e.Data); err == nil {
			j.Data = json.RawMessage(text)
		} else {
			j.Data = fmt.Sprint(e.Data)
		}
	}
	return j
}

func placeOf(s token.Span) place {
	if s.IsZero() {
		return place{}
	}
	p := place{File: s.File.Name}
	p.Line, p.Column = s.File.LineCol(s.Start)
	p.EndLine, p.EndColumn = s.File.LineCol(max(s.End, s.Start))
	return p
}
