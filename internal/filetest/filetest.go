// Package filetest runs facts about the language that are written in the language: in .ptc files,
// in the fenced blocks of Markdown files, and as the examples of builtins and of error codes.
//
// A fact is an expression followed by its expected outcome, in a comment at its end:
//
//	(+ 1 2)      ;=> 3
//	(/ 1 0)      ;! arithmetic
//	(println 1)  ;prints 1\n
//
// ;=> is followed by the value as the language prints it, ;! by the code of the error, and ;prints
// by the output, written as in a string literal. An expression may take several lines. Those after
// the first are indented, and the comment is on the last. Definitions are visible to the facts
// below them. Directives apply to the whole text:
//
//	;; limit steps 1000     a bound of each fact: see setLimit
//	;; data {"n": 1}        the input, a JSON object: data/n
//	;; tools                grants the tools of Tools
package filetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
)

// fact is one expression with its expected outcome.
type fact struct {
	line   int
	source string
	mark   string // ";=>", ";!" or ";prints"
	want   string
}

var marks = []string{";=>", ";!", ";prints"}

// Text is a text of facts.
type Text struct {
	Name   string
	Line   int // line number of the text's first line
	Source string
}

// facts splits a text. The lines between the last expectation and a line that begins a form are a
// fact without an expectation, which must only evaluate.
func (text Text) facts() []fact {
	var all []fact
	var pending []string
	first, blank := 0, true
	for i, line := range strings.Split(text.Source, "\n") {
		code, mark, want := cut(line)
		if directive(line) {
			continue
		}
		if !blank && starts(line) {
			all = append(all, fact{line: first, source: strings.Join(pending, "\n")})
			pending = nil
		}
		if len(pending) == 0 {
			first, blank = text.Line+i, true
		}
		if strings.TrimSpace(code) != "" {
			pending = append(pending, code)
			blank = blank && strings.HasPrefix(strings.TrimSpace(code), ";")
		}
		if mark != "" {
			all = append(all, fact{first, strings.Join(pending, "\n"), mark, want})
			pending, blank = nil, true
		}
	}
	if len(pending) > 0 && !blank {
		all = append(all, fact{line: first, source: strings.Join(pending, "\n")})
	}
	return all
}

// Prefixes of directives.
const (
	limitMark = ";; limit "
	dataMark  = ";; data "
	toolsMark = ";; tools"
)

func directive(line string) bool {
	return strings.HasPrefix(line, limitMark) || strings.HasPrefix(line, dataMark) || line == toolsMark
}

// starts reports whether a line begins a form. Continuation lines are indented.
func starts(line string) bool {
	return line != "" && !strings.ContainsRune(" \t;])}", rune(line[0]))
}

// cut splits a line at its expectation.
func cut(line string) (code, mark, want string) {
	for _, m := range marks {
		if i := strings.LastIndex(line, m+" "); i >= 0 {
			return line[:i], m, strings.TrimSpace(line[i+len(m):])
		}
	}
	return line, "", ""
}

// Run runs the facts of a text in a new session.
func (text Text) Run(t *testing.T) {
	t.Helper()
	sess, err := text.session()
	if err != nil {
		t.Fatalf("%s:%d: %v", text.Name, text.Line, err)
	}
	for _, f := range text.facts() {
		res, err := sess.Eval(context.Background(), f.source, ptc.EvalOptions{})
		if problem := f.check(res, err); problem != "" {
			t.Errorf("%s:%d: %s\n%s", text.Name, f.line, f.source, problem)
		}
	}
}

// Fails runs a text, which may begin with directives, as one program. It returns the code of the
// error, or "" if there is none.
func (text Text) Fails(ctx context.Context) (diag.Code, error) {
	sess, err := text.session()
	if err != nil {
		return "", err
	}
	res, err := sess.Eval(ctx, text.Source, ptc.EvalOptions{})
	if err == nil {
		_, err = res.EDN()
	}
	var e *ptc.Error
	if errors.As(err, &e) {
		return e.Code, nil
	}
	return "", err
}

// session returns a session configured by the directives of a text.
func (text Text) session() (*ptc.Session, error) {
	var opts ptc.Options
	data := make(map[string]json.RawMessage)
	for _, line := range strings.Split(text.Source, "\n") {
		var err error
		switch {
		case strings.HasPrefix(line, limitMark):
			err = setLimit(&opts.Limits, strings.Fields(line[len(limitMark):]))
		case strings.HasPrefix(line, dataMark):
			err = json.Unmarshal([]byte(line[len(dataMark):]), &data)
		case line == toolsMark:
			opts.Tools, err = Tools()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
	}
	sess := ptc.NewSession(opts)
	values := make(map[string]any, len(data))
	for name, v := range data {
		values[name] = v
	}
	return sess, sess.SetData(values)
}

// check returns a description of the difference between the outcome and the expectation of a fact,
// or "".
func (f fact) check(res *ptc.Result, err error) string {
	var e *ptc.Error
	switch {
	case f.mark == ";!":
		if err == nil {
			_, err = res.EDN()
		}
		if !errors.As(err, &e) {
			return "got a value, want the error " + f.want
		}
		if string(e.Code) != f.want {
			return "got the error " + e.Error() + ", want " + f.want
		}
		return ""
	case err != nil:
		return "got the error " + err.Error()
	case f.mark == ";prints":
		want, qerr := strconv.Unquote(`"` + f.want + `"`)
		if qerr != nil {
			return "the expectation is not a string: " + f.want
		}
		if res.Prints != want {
			return "printed " + strconv.Quote(res.Prints) + ", want " + strconv.Quote(want)
		}
		return ""
	case f.mark == "":
		return ""
	}
	got, rerr := res.EDN()
	if rerr != nil {
		return rerr.Error()
	}
	if got != f.want {
		return "gave " + got + ", want " + f.want
	}
	return ""
}

// Example checks an example of a builtin: "expression => value" or
// "expression !code".
func Example(example string) (problem string) {
	f := fact{source: example}
	if i := strings.LastIndex(example, " => "); i >= 0 {
		f = fact{source: example[:i], mark: ";=>", want: strings.TrimSpace(example[i+4:])}
	} else if i := strings.LastIndex(example, " !"); i >= 0 {
		f = fact{source: example[:i], mark: ";!", want: example[i+2:]}
	} else {
		return "has neither => nor !"
	}
	res, err := ptc.NewSession(ptc.Options{}).Eval(context.Background(), f.source, ptc.EvalOptions{})
	return f.check(res, err)
}

// Block is a fenced block of a Markdown text.
type Block struct {
	Line int    // line number of its first line
	Info string // the text after the fence
	Text string
}

// Fenced returns the fenced blocks of a Markdown text, in order.
func Fenced(text string) []Block {
	var all []Block
	var b *Block
	for i, line := range strings.Split(text, "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case b == nil && fence:
			b = &Block{Line: i + 2, Info: strings.TrimSpace(info)}
		case b != nil && fence:
			all, b = append(all, *b), nil
		case b != nil:
			b.Text += line + "\n"
		}
	}
	return all
}

// Blocks returns the fenced blocks of a Markdown text that are marked with lang, as texts of facts.
func Blocks(name, text, lang string) []Text {
	var all []Text
	for _, b := range Fenced(text) {
		if b.Info == lang {
			all = append(all, Text{name, b.Line, b.Text})
		}
	}
	return all
}
