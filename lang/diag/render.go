// This file defines how an error is shown to people.

package diag

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/token"
)

const (
	maxFrames = 30  // frames of a trace
	maxOthers = 20  // further errors
	maxLine   = 120 // columns of a source line; a longer line is cut around the span
	tabWidth  = 4
)

// Render writes the error with its source line:
//
//	error[wrong-arity]: inc: got 2 arguments, want 1
//	 --> script.ptc:3:7
//	  |
//	3 |   (map (inc 1 2) xs)
//	  |        ^^^^^^^^^
//	  = data: …
//	  = hint: …
//
// and, below, the trace, the causes and further errors of the same compilation.
// With color it uses ANSI escapes.
func (e *Error) Render(w io.Writer, color bool) error { return e.RenderAs(w, "error", color) }

// RenderAs is Render with title in place of the word "error", for diagnostics that are not errors.
func (e *Error) RenderAs(w io.Writer, title string, color bool) error {
	if w == nil {
		return New(IllegalArgument, token.Span{}, "got a nil writer, want one")
	}
	if e == nil {
		return nil
	}
	r := renderer{color: color}
	r.error(title, e)
	n := 0
	for c := e.Cause; c != nil; c = c.Cause {
		if n++; n == 1 && e.Class == "clojure.lang.Compiler$CompilerException" && c.Message == e.Message {
			continue // eval wraps its message
		}
		if n > maxCauses {
			fmt.Fprintf(&r.out, "… and more causes\n")
			break
		}
		r.error("caused by", c)
	}
	for i, o := range e.Others {
		r.out.WriteByte('\n')
		if i == maxOthers {
			fmt.Fprintf(&r.out, "… and %s\n", Counted(len(e.Others)-i, "more error"))
			break
		}
		r.error("error", o)
	}
	_, err := w.Write(r.out.Bytes())
	return err
}

type renderer struct {
	out   bytes.Buffer
	color bool
}

// ANSI escapes.
const (
	red   = "\x1b[1;31m"
	blue  = "\x1b[1;34m"
	bold  = "\x1b[1m"
	reset = "\x1b[0m"
)

// paint writes text in a style.
func (r *renderer) paint(style, text string) {
	if r.color {
		text = style + text + reset
	}
	r.out.WriteString(text)
}

func (r *renderer) error(title string, e *Error) {
	r.paint(red, title+"["+string(e.Code)+"]")
	r.paint(bold, ": "+Visible(e.Message))
	r.out.WriteByte('\n')
	gutter := 1
	if !e.Span.IsZero() {
		gutter = r.source(e.Span)
	}
	if data, ok := e.Data.(string); ok {
		r.note(gutter, "data", data)
	}
	for _, el := range e.Elements {
		r.note(gutter, "in element", el.String())
	}
	r.note(gutter, "hint", e.Hint)
	r.trace(e.Frames)
}

// note writes an additional line of the error, unless text is empty.
func (r *renderer) note(gutter int, title, text string) {
	if text == "" {
		return
	}
	r.gutter(gutter, "")
	r.paint(blue, "= "+title+": ")
	r.out.WriteString(Visible(text) + "\n")
}

// Visible returns s with its control characters, other than newlines and tabs, replaced by visible
// ones. A message may quote data of a program, which must not reach a terminal as commands.
func Visible(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\t':
			return c
		case c < ' ':
			return 0x2400 + c // the symbol for the control character
		case c == 0x7f:
			return 0x2421
		case unicode.In(c, unicode.Cc, unicode.Cf):
			return utf8.RuneError
		}
		return c
	}, s)
}

// gutter writes the column of line numbers: width spaces or a number.
func (r *renderer) gutter(width int, number string) {
	r.out.WriteString(strings.Repeat(" ", width-len(number)))
	if number != "" {
		r.paint(blue, number)
	}
	r.out.WriteByte(' ')
}

// source writes the location, the source line and the mark below it. It returns the width of the
// line numbers.
func (r *renderer) source(s token.Span) int {
	line, _ := s.File.LineCol(s.Start)
	number := strconv.Itoa(line)
	width := len(number)
	r.out.WriteString(strings.Repeat(" ", width))
	r.paint(blue, "--> ")
	r.out.WriteString(Visible(s.String()) + "\n")

	r.gutter(width, "")
	r.paint(blue, "|")
	r.out.WriteByte('\n')

	text := s.File.Line(line)
	text = text[:min(len(text), maxCut)]
	from, to := inLine(s, text)
	shown, col, marks := layout(text, from, to)
	r.gutter(width, number)
	r.paint(blue, "| ")
	r.out.WriteString(shown + "\n")
	r.gutter(width, "")
	r.paint(blue, "| ")
	r.out.WriteString(strings.Repeat(" ", col))
	r.paint(red, strings.Repeat("^", marks))
	if end, _ := s.File.LineCol(max(s.End-1, s.Start)); end > line {
		r.out.WriteString(fmt.Sprintf(" … to line %d", end))
	}
	r.out.WriteByte('\n')
	return width
}

// maxCut bounds the bytes of a line that are examined, because a whole file may be one line.
const maxCut = 1 << 20

// inLine returns the part of a span in its first line, as byte offsets into that line.
func inLine(s token.Span, text string) (from, to int) {
	start := 1 + strings.LastIndexByte(s.File.Source[:min(s.Start, len(s.File.Source))], '\n')
	from = min(s.Start-start, len(text))
	to = min(max(s.End-start, from), len(text))
	return from, to
}

// layout returns the displayed form of a source line, with the column and the width of the mark under the
// bytes between from and to. Tabs become spaces and wide characters take two columns. Of a long line it
// shows only the part around the mark.
func layout(text string, from, to int) (shown string, col, marks int) {
	start, end := window(text, from)
	var b strings.Builder
	at := 0
	if start > 0 {
		b.WriteString("…")
		at = 1
	}
	col = at
	for i := start; i < end; {
		c, size := utf8.DecodeRuneInString(text[i:])
		glyph, width := glyphOf(c, at)
		if i < from {
			col = at + width
		} else if i < to {
			marks += width
		}
		b.WriteString(glyph)
		at += width
		i += size
	}
	if end < len(text) {
		b.WriteString("…")
	}
	return b.String(), col, max(marks, 1)
}

// window returns the range of a line that is shown: the whole line, or maxLine bytes around from.
func window(text string, from int) (start, end int) {
	if len(text) <= maxLine {
		return 0, len(text)
	}
	start = max(0, min(from-maxLine/2, len(text)-maxLine))
	end = start + maxLine
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return start, end
}

// glyphOf returns the glyph shown for a character at a column, and its width.
func glyphOf(c rune, at int) (glyph string, width int) {
	switch {
	case c == '\t':
		width = tabWidth - at%tabWidth
		return strings.Repeat(" ", width), width
	case unicode.In(c, unicode.Mn, unicode.Me):
		return string(c), 0
	case isWide(c):
		return string(c), 2
	}
	return Visible(string(c)), 1
}

// wide holds the characters that a terminal shows in two columns: roughly the blocks that Unicode's
// EastAsianWidth.txt marks W or F.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, // Hangul Jamo
		{Lo: 0x231a, Hi: 0x231b, Stride: 1},
		{Lo: 0x23e9, Hi: 0x23ec, Stride: 1},
		{Lo: 0x25fd, Hi: 0x25fe, Stride: 1},
		{Lo: 0x2614, Hi: 0x2615, Stride: 1},
		{Lo: 0x2648, Hi: 0x2653, Stride: 1},
		{Lo: 0x26aa, Hi: 0x26ab, Stride: 1},
		{Lo: 0x26bd, Hi: 0x26be, Stride: 1},
		{Lo: 0x2705, Hi: 0x2705, Stride: 1},
		{Lo: 0x270a, Hi: 0x270b, Stride: 1},
		{Lo: 0x2728, Hi: 0x2728, Stride: 1},
		{Lo: 0x274c, Hi: 0x274c, Stride: 1},
		{Lo: 0x2753, Hi: 0x2755, Stride: 1},
		{Lo: 0x2795, Hi: 0x2797, Stride: 1},
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1}, // CJK radicals and punctuation
		{Lo: 0x3041, Hi: 0xa4cf, Stride: 1}, // Kana to Yi
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, // Hangul
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
		{Lo: 0xff00, Hi: 0xff60, Stride: 1}, // full-width forms
		{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1}, // pictographs
		{Lo: 0x1f680, Hi: 0x1f6ff, Stride: 1},
		{Lo: 0x1f900, Hi: 0x1f9ff, Stride: 1},
		{Lo: 0x1fa70, Hi: 0x1faff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1},
	},
}

func isWide(c rune) bool { return c >= 0x1100 && unicode.Is(wide, c) }

// trace writes the active calls, innermost first. It writes repeated calls once.
func (r *renderer) trace(frames []Frame) {
	shown := 0
	for i := 0; i < len(frames); {
		period, times := repetition(frames[i:])
		for _, f := range frames[i : i+period] {
			if shown == maxFrames {
				fmt.Fprintf(&r.out, "  … %d more\n", len(frames)-i)
				return
			}
			shown++
			r.frame(f)
			if period == 1 && times > 1 {
				fmt.Fprintf(&r.out, " × %d", times)
			}
			r.out.WriteByte('\n')
		}
		if period > 1 {
			fmt.Fprintf(&r.out, "  … these %d calls, %d times in all\n", period, times)
		}
		i += period * times
	}
}

func (r *renderer) frame(f Frame) {
	r.out.WriteString("  at ")
	r.paint(bold, Visible(f.Function))
	if !f.Span.IsZero() {
		r.out.WriteString(" (" + Visible(f.Span.String()) + ")")
	}
}

// maxPeriod is the longest cycle of mutual recursion that trace recognises.
const maxPeriod = 6

// repetition returns how many frames at the start repeat, and how often. It returns 1 and 1 if none
// do.
func repetition(frames []Frame) (period, times int) {
	for period = 1; period <= maxPeriod && 2*period <= len(frames); period++ {
		n := period
		for n < len(frames) && frames[n] == frames[n-period] {
			n++
		}
		if n >= 2*period {
			return period, n / period
		}
	}
	return 1, 1
}
