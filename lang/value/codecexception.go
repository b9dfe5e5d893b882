// This file defines how Encoder and Decoder treat exceptions.

package value

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
)

// exception writes an exception. The error of a Go function that caused it stays behind, as in a
// replay.
func (e *Encoder) exception(x *Exception) error {
	e.tag(tagException)
	for _, s := range []string{string(x.Code), x.Class, x.Hint} {
		if err := e.word(s); err != nil {
			return err
		}
	}
	if err := e.span(x.Span); err != nil {
		return err
	}
	for _, part := range []struct {
		v    Value
		name string
	}{{x.Msg, "ex-message"}, {x.Data, "ex-data"}, {x.Cause, "ex-cause"}} {
		if err := e.value(part.v); err != nil {
			return at(err, func() string { return part.name })
		}
	}
	return e.way(x.Way)
}

func (e *Encoder) way(w *Way) error {
	if w == nil {
		w = &Way{}
	}
	tool := byte(0)
	if w.Tool {
		tool = 1
	}
	e.bytes(tool)
	e.uint(len(w.Frames))
	for _, f := range w.Frames {
		if err := e.word(f.Function); err != nil {
			return err
		}
		if err := e.span(f.Span); err != nil {
			return err
		}
	}
	e.uint(len(w.Elements))
	for _, x := range w.Elements {
		if err := e.word(x.Operation); err != nil {
			return err
		}
		if err := e.span(x.Span); err != nil {
			return err
		}
		for _, n := range []int{x.Index, x.Completed, x.Of} {
			e.int(int64(n))
		}
		if err := e.text(x.Text); err != nil {
			return err
		}
	}
	return nil
}

// span writes a position, or none if its file has no name here.
func (e *Encoder) span(s token.Span) error {
	if s.File == nil || e.Names.file(s.File.Name) != s.File {
		e.bytes(0)
		return nil
	}
	e.bytes(1)
	if err := e.word(s.File.Name); err != nil {
		return err
	}
	e.uint(s.Start)
	e.uint(s.End)
	return nil
}

// exception reads an exception. Its strings are part of its account: those of other exceptions are
// constants.
func (d *Decoder) exception() Value {
	i := d.newSame()
	code, class, hint := d.word(), d.word(), d.word()
	span := d.span()
	if !d.promise(3) {
		return Nil
	}
	msg, data, cause := d.value(), d.value(), d.value()
	w := &Way{Text: stringSize(len(code)) + stringSize(len(class)) + stringSize(len(hint))}
	d.way(w)
	switch {
	case d.err != nil:
		return Nil
	case msg.h != nil && !msg.IsString(), data.h != nil && !data.Is(Maps), cause.h != nil && cause.Kind() != KindException:
		d.fail("parts of an exception have wrong types")
		return Nil
	}
	d.t.Charge(sizeException + w.Size())
	x := &Exception{Header: d.t.header(KindException), Code: diag.Code(code), Class: class, Hint: hint, Msg: msg,
		Data: data, Cause: cause, Span: span, Way: w}
	return d.setSame(i, Value{h: &x.Header})
}

// way reads the path of an exception through parallel operations.
func (d *Decoder) way(w *Way) {
	w.Tool = d.uint(1) == 1
	if n := d.uint(len(d.b)); n > 0 && d.err == nil {
		d.charge(int64(n) * wayFrame)
		w.Frames = make([]diag.Frame, n)
	}
	for i := range w.Frames {
		w.Frames[i].Function = d.word()
		w.Frames[i].Span = d.span()
		w.Text += stringSize(len(w.Frames[i].Function))
	}
	if n := d.uint(len(d.b)); n > 0 && d.err == nil {
		d.charge(int64(n) * wayElement)
		w.Elements = make([]diag.Element, n)
	}
	for i := range w.Elements {
		x := &w.Elements[i]
		x.Operation, x.Span = d.word(), d.span()
		x.Index, x.Completed, x.Of = int(d.int()), int(d.int()), int(d.int())
		text := d.text()
		d.charge(stringSize(len(text)))
		x.Text = strings.Clone(text)
		w.Text += stringSize(len(x.Operation)) + stringSize(len(text))
	}
}

// span reads a position in a source file.
func (d *Decoder) span() token.Span {
	if d.uint(1) == 0 {
		return token.Span{}
	}
	name := d.word()
	start, end := d.uint(maxCount), d.uint(maxCount)
	if d.err != nil {
		return token.Span{}
	}
	f := d.Names.file(name)
	if f == nil || start > end || end > len(f.Source) {
		d.fail("position %d to %d in file %s, which is not known here", start, end, clip(name))
		return token.Span{}
	}
	return token.Span{File: f, Start: start, End: end}
}
