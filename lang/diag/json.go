// This file defines the machine-readable form of errors.

package diag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

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

// unescaped returns v as JSON, without escaping < and &: an outer encoder escapes them if it should.
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

// Decode returns the error that MarshalJSON has written as data, so that it can be rendered. sources
// has the source of each file by its name; the lines of other files are empty.
func Decode(data []byte, sources map[string]string) (*Error, error) {
	var j *jsonError
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, fmt.Errorf("diag: the JSON of an error can't be read: %w", err)
	}
	if j == nil {
		return nil, nil
	}
	d := decoder{sources: sources, files: map[string]*token.File{}, room: maxBlank}
	e := d.error(j)
	at := e
	for _, c := range j.Causes[:min(len(j.Causes), maxCauses)] {
		if c != nil {
			at.Cause = d.error(c)
			at = at.Cause
		}
	}
	for _, o := range j.Others[:min(len(j.Others), maxOthers)] {
		if o != nil {
			e.Others = append(e.Others, d.error(o))
		}
	}
	return e, nil
}

// decoder makes errors of their JSON.
type decoder struct {
	sources map[string]string
	files   map[string]*token.File
	room    int // bytes that files of unknown sources may still have
}

// error converts the error without its causes and others.
func (d *decoder) error(j *jsonError) *Error {
	e := &Error{Code: j.Code, Class: j.Class, Message: j.Message, Hint: j.Hint, Span: d.span(j.place), Data: j.Data}
	for _, f := range j.Frames[:min(len(j.Frames), maxFrames)] {
		e.Frames = append(e.Frames, Frame{f.Function, d.span(f.place)})
	}
	for _, el := range j.Elements {
		e.Elements = append(e.Elements, Element{el.Operation, d.span(el.place), el.Index, el.Text, el.Completed, el.Of})
	}
	return e
}

// maxBlank is the maximum number of bytes of the files of unknown sources that Decode makes.
const maxBlank = 1 << 20

// span returns the span of a place.
func (d *decoder) span(p place) token.Span {
	if p.Line <= 0 {
		return token.Span{}
	}
	f := d.files[p.File]
	if f == nil {
		source, known := d.sources[p.File]
		if !known {
			return d.blank(p)
		}
		f = token.NewFile(p.File, source)
		d.files[p.File] = f
	}
	s := token.Span{File: f, Start: offset(f, p.Line, p.Column)}
	s.End = max(offset(f, p.EndLine, p.EndColumn), s.Start)
	return s
}

// blank returns the span of a place in a file of blanks, or none if there is no more room.
func (d *decoder) blank(p place) token.Span {
	if p.EndLine < p.Line || p.EndLine == p.Line && p.EndColumn < p.Column {
		p.EndLine, p.EndColumn = p.Line, p.Column
	}
	var b strings.Builder
	add := func(text string, n int) bool {
		if n > d.room {
			return false
		}
		d.room -= max(n, 0)
		b.WriteString(strings.Repeat(text, max(n, 0)))
		return true
	}
	if !add("\n", p.Line-1) || !add(" ", p.Column-1) {
		return token.Span{}
	}
	start, column := b.Len(), p.Column
	if p.EndLine > p.Line {
		column = 1
	}
	if !add("\n", p.EndLine-p.Line) || !add(" ", p.EndColumn-column) {
		return token.Span{}
	}
	source := b.String()
	return token.Span{File: token.NewFile(p.File, source), Start: start, End: len(source)}
}

// offset returns the byte offset of a line and a column in code points.
func offset(f *token.File, line, column int) int {
	off := f.LineStart(line)
	for text := f.Source[off:]; column > 1 && text != "" && text[0] != '\n'; column-- {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		off += size
	}
	return off
}
