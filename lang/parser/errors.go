// This file defines the errors of the reader: their messages, spans and hints.

package parser

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
)

// errorAt returns an error about bytes start to end.
func (r *reader) errorAt(code diag.Code, start, end int, message, hint string) *diag.Error {
	return &diag.Error{Code: code, Message: message, Hint: hint, Span: token.Span{File: r.file, Start: start, End: end}}
}

// failAt stops the parse with a syntax error about bytes start to end.
func (r *reader) failAt(start, end int, message, hint string) {
	if r.err == nil {
		r.err = r.errorAt(diag.SyntaxError, start, end, message, hint)
	}
}

// failProblem stops the parse with an error that the scanner found.
func (r *reader) failProblem(p *problem) {
	if r.err != nil {
		return
	}
	r.err = r.errorAt(p.code, p.start, p.end, p.message, p.hint)
	if p.unclosed != "" {
		r.err.Data = r.unclosedData(p.unclosed, p.start)
		if strings.Contains(r.file.Source[p.start:], "\n") {
			r.err.Message += "; it begins at " + r.lineCol(p.start)
		}
	}
}

func (r *reader) unclosedData(expected string, start int) Unclosed {
	line, col := r.file.LineCol(start)
	return Unclosed{Expected: expected, Line: line, Column: col}
}

// lineCol returns "line:column" of a byte offset.
func (r *reader) lineCol(off int) string {
	line, col := r.file.LineCol(off)
	return fmt.Sprintf("%d:%d", line, col)
}

// quote returns a range of source for a message, truncated if it is long.
func (r *reader) quote(start, end int) string {
	const most = 40
	text := r.file.Source[start:end]
	cut := false
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text, cut = text[:i], true
	}
	if len(text) > most {
		n := most
		for !utf8.RuneStart(text[n]) {
			n--
		}
		text, cut = text[:n], true
	}
	text = strings.TrimRight(strings.ToValidUTF8(text, "\ufffd"), " \t")
	if cut {
		text += "…"
	}
	return text
}

// opening returns the opening of a frame as messages show it.
func (r *reader) opening(f *frame) string {
	switch {
	case f.kind == frameCond || f.qualified:
		text, _, _ := strings.Cut(r.file.Source[f.start:f.end], " ")
		return r.quote(f.start, f.start+len(text))
	default:
		return r.quote(f.start, f.end)
	}
}

func (r *reader) tooDeep(start, end int) {
	r.err = r.errorAt(diag.NestingTooDeep, start, end,
		"forms are nested deeper than the limit of "+diag.Counted(r.limits.Nesting, "level"),
		"split the form into smaller functions, build deep data in a loop, or raise Limits.Nesting")
}

// mismatch reports a closing bracket of the wrong kind.
func (r *reader) mismatch(f *frame, text string, start, end int) {
	want := closers[f.kind]
	hint := fmt.Sprintf("write %q here, or close the %q first", want, r.opening(f))
	for i := len(r.frames) - 2; i >= 0; i-- {
		outer := &r.frames[i]
		if outer.kind < frameQuote && closers[outer.kind] == text {
			hint = fmt.Sprintf("put the missing %q before it; then it closes the %q at %s",
				want, r.opening(outer), r.lineCol(outer.start))
			break
		}
	}
	r.failAt(start, end, fmt.Sprintf("%q does not match %q, opened at %s", text, r.opening(f), r.lineCol(f.start)), hint)
}

// danglingPrefix reports a closing bracket after a prefix that needs a form.
func (r *reader) danglingPrefix(f *frame, text string, start, end int) {
	r.failAt(f.start, end, fmt.Sprintf("%s needs a form after it, got %q", r.opening(f), text),
		"add the form, or remove "+r.opening(f))
}

// unclosedOpener reports the end of the source after #? or #:ns.
func (r *reader) unclosedOpener() {
	o := r.opener
	want := "("
	if o.kind == tokNSMap {
		want = "{"
	}
	r.failAt(o.start, o.end, fmt.Sprintf("unexpected end of the source after %s, which needs %q",
		r.quote(o.start, o.end), want), "")
	r.err.Data = r.unclosedData(want, o.start)
}

// unclosed reports the end of the source inside a form.
func (r *reader) unclosed() {
	f := r.top()
	if f.kind >= frameQuote {
		r.failAt(f.start, f.end, fmt.Sprintf("unexpected end of the source: %s at %s needs a form after it",
			r.opening(f), r.lineCol(f.start)),
			"add the form, or remove "+r.opening(f))
		r.err.Data = r.unclosedData("form", f.start)
		return
	}
	r.failAt(f.start, f.end, fmt.Sprintf("unexpected end of the source: %q opened at %s is not closed",
		r.opening(f), r.lineCol(f.start)),
		r.unclosedHint())
	r.err.Data = r.unclosedData(closers[f.kind], f.start)
}

// unclosedHint lists the brackets that would close all open forms. It also names the place where a
// bracket was probably forgotten: a form at the start of a line although another form is open.
func (r *reader) unclosedHint() string {
	var missing []byte
	for i := len(r.frames) - 1; i >= 0 && len(missing) < 20; i-- {
		if k := r.frames[i].kind; k < frameQuote {
			missing = append(missing, closers[k]...)
		}
	}
	hint := fmt.Sprintf("missing at the end: %s", missing)
	if r.suspect > r.frames[0].start {
		hint += fmt.Sprintf("; the form at %s begins a line while the one at %s is still open: look there first",
			r.lineCol(r.suspect), r.lineCol(r.frames[0].start))
	}
	return hint
}

// failName reports a token that is neither a symbol nor a keyword.
func (r *reader) failName(text string, start int) {
	end := start + len(text)
	shown := r.quote(start, end)
	message, hint := fmt.Sprintf("invalid symbol %q", shown), "a symbol is name or namespace/name"
	if text[0] == ':' {
		message, hint = fmt.Sprintf("invalid keyword %q", shown), "a keyword is :name or :namespace/name"
	}
	switch {
	case text == ":" || text == "::":
		message += ": its name is missing"
	case strings.HasSuffix(text, "/"):
		message += ": a name is missing after /"
	case strings.HasPrefix(strings.TrimLeft(text, ":"), "/"):
		message += ": a namespace is missing before /"
	case strings.HasSuffix(text, ":"):
		message += ": it ends in a colon"
		hint = "write " + r.quoted(":"+strings.Trim(text, ":")) + " for a keyword, or drop the colon"
	case strings.HasPrefix(text, "::"):
		message += ": there are no :: keywords in EDN"
	case strings.Contains(text[1:], "::"):
		message += ": it has two colons in a row"
	case strings.Contains(text, "/"):
		message += ": neither a namespace nor the name after it can begin with a digit"
	}
	r.failAt(start, end, message, hint)
}

// quoted shortens a name that a hint proposes.
func (r *reader) quoted(s string) string {
	const most = 40
	if len(s) > most {
		return ":name"
	}
	return s
}

func (r *reader) failAlias(alias string, start, end int) {
	hint := "require the namespace with :as " + r.quoted(alias) + ", or write its full name with one colon"
	known := func(yield func(string) bool) {
		for a := range r.opts.Aliases {
			if !yield(a) {
				return
			}
		}
	}
	if near, ok := diag.Suggest(alias, known); ok {
		hint = "did you mean " + near + "?"
	}
	r.failAt(start, end, fmt.Sprintf("unknown namespace alias %s in %s", r.quoted(alias), r.quote(start, end)), hint)
}

// failNumber reports a token that begins like a number but is not one.
func (r *reader) failNumber(text string, start int, err error) {
	end := start + len(text)
	digits := strings.TrimLeft(text, "+-")
	hint := "numbers are 42, -1, 0x2A, 052, 2r101, 1/2, 1.5, 1e3, 42N and 1.5M; a symbol cannot begin with a digit"
	switch {
	case strings.Contains(text, "_"):
		hint = "write the digits without _"
	case len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0123456789") == "":
		hint = "a number that begins with 0 is octal (digits 0 to 7): drop the 0 for a decimal one"
	}
	message := "invalid number " + r.quote(start, end)
	switch why, ok := strings.CutPrefix(err.Error(), "invalid number: "+text); {
	case ok:
		message += why
	case !strings.HasPrefix(why, "invalid number"):
		message += ": " + why
	}
	r.failAt(start, end, message, hint)
}

func (r *reader) failUnknownTag(f *frame) {
	tag := r.quote(f.start+1, f.end)
	if strings.Contains(tag, ".") && !strings.Contains(tag, "/") {
		r.failAt(f.start, f.end, "unknown tag #"+tag, "a record literal takes a map or a vector")
		return
	}
	r.failAt(f.start, f.end, "unknown tag #"+tag, "the tags are #inst and #uuid")
}
