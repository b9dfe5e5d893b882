// This file defines how values and errors are shown.

package repl

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
)

// A page is the part of a value that is shown at a time: about as much as fits on a terminal.
const (
	pageLines = 40
	pageBytes = 8 << 10
)

// The ANSI escapes.
const (
	blue  = "\x1b[1;34m"
	faint = "\x1b[2m"
	reset = "\x1b[0m"
)

func (r *repl) paint(style, text string) string {
	if !r.cfg.Color {
		return text
	}
	return style + text + reset
}

// note writes a remark of the REPL itself.
func (r *repl) note(format string, args ...any) {
	r.out.line(r.paint(faint, fmt.Sprintf(format, args...)))
}

// screen writes the output of programs and their values; a value begins on a new line.
type screen struct {
	w      io.Writer
	inLine bool
	err    error // the last of w, which ends the session
}

func (s *screen) print(text string) {
	if text != "" {
		_, s.err = io.WriteString(s.w, text)
		s.inLine = !strings.HasSuffix(text, "\n")
	}
}

func (s *screen) line(text string) {
	s.fresh()
	s.print(text + "\n")
}

// fresh ends a line that is not ended.
func (s *screen) fresh() {
	if s.inLine {
		s.print("\n")
	}
}

// docWidth is the width of documentation: easy to read, and fit for a terminal of 80 columns.
const docWidth = 78

// Folded returns a paragraph in lines of docWidth columns at most, where its words allow, that
// begin with two blanks.
func Folded(paragraph string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(paragraph) {
		n := utf8.RuneCountInString(word)
		sep := " "
		switch {
		case column == 0:
			sep = "  "
		case column+1+n > docWidth:
			sep, column = "\n  ", 0
		}
		b.WriteString(sep + word)
		column += utf8.RuneCountInString(strings.TrimPrefix(sep, "\n")) + n
	}
	return b.String()
}

// show shows a value: all of it to a program, a page of it to a person.
func (r *repl) show(res *result) {
	if !r.cfg.Interactive {
		text, err := res.EDN()
		if err != nil {
			r.fail(err)
			return
		}
		r.out.line(text)
		return
	}
	text, err := res.Pretty(r.cfg.Width())
	if err != nil {
		r.fail(err)
		return
	}
	r.seen.source(text[:min(len(text), pageBytes)])
	r.page(text)
}

// page shows the first page of a text, and keeps the rest for :more.
func (r *repl) page(text string) {
	var shown string
	shown, r.rest = cutPage(text)
	r.out.line(strings.TrimSuffix(shown, "\n"))
	if r.rest != "" {
		r.note("... %s left out, :more shows more", left(shown, r.rest))
	}
}

// cutPage cuts a text after its first page: at a line end, if the page has one.
func cutPage(text string) (page, rest string) {
	lines := 0
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			if lines++; lines == pageLines {
				return text[:i+1], text[i+1:]
			}
		}
		if i == pageBytes {
			cut := 1 + strings.LastIndexByte(text[:i], '\n')
			if cut == 0 {
				for cut = i; !utf8.RuneStart(text[cut]); cut-- {
				}
			}
			return text[:cut], text[cut:]
		}
	}
	return text, ""
}

// left says how much is left out.
func left(shown, rest string) string {
	n, what := 1+strings.Count(strings.TrimSuffix(rest, "\n"), "\n"), "line"
	if !strings.HasSuffix(shown, "\n") {
		n, what = utf8.RuneCountInString(rest), "character"
	}
	return diag.Counted(n, what)
}

// fail shows an error. If a person reads, the active calls and the cause are shown only by :trace.
func (r *repl) fail(err error) {
	if r.failed == nil {
		r.failed = err
	}
	r.out.fresh()
	var e *ptc.Error
	if !errors.As(err, &e) {
		fmt.Fprintln(r.cfg.Err, "ptc:", diag.Visible(err.Error()))
		return
	}
	r.lastErr = e
	if !r.cfg.Interactive {
		r.render(e)
		return
	}
	brief := *e
	brief.Frames, brief.Cause = nil, nil
	r.render(&brief)
	if len(e.Frames) > 1 || e.Cause != nil {
		r.note(":trace shows how it came to that")
	}
}

func (r *repl) render(e *ptc.Error) {
	e.Render(r.cfg.Err, r.cfg.Color)
	r.cfg.Err.Write(e.Stack) // of an internal error, for the report
}
