// Package filetest runs facts about the language that are written in the
// language: in .ptc files, in the fenced blocks of Markdown files, and as the
// examples of builtins.
//
// A fact is an expression followed by what it gives, in a comment at its end:
//
//	(+ 1 2)      ;=> 3
//	(/ 1 0)      ;! arithmetic
//	(println 1)  ;prints 1\n
//
// After ;=> stands the value as the language prints it, after ;! the code of the
// error, after ;prints what is printed, as the inside of a string literal. An
// expression may take several lines; the comment stands on its last one. What a
// file defines is known to the facts below.
package filetest

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
)

// fact is one expression and what it must give.
type fact struct {
	line   int
	source string
	mark   string // ";=>", ";!" or ";prints"
	want   string
}

var marks = []string{";=>", ";!", ";prints"}

// facts cuts a text. Text behind the last fact is a fact without expectation: it
// must only evaluate.
func facts(text string) []fact {
	var all []fact
	var pending []string
	first := 1
	for i, line := range strings.Split(text, "\n") {
		code, mark, want := cut(line)
		if len(pending) == 0 {
			first = i + 1
		}
		if strings.TrimSpace(code) != "" {
			pending = append(pending, code)
		}
		if mark != "" {
			all = append(all, fact{first, strings.Join(pending, "\n"), mark, want})
			pending = nil
		}
	}
	if len(pending) > 0 {
		all = append(all, fact{line: first, source: strings.Join(pending, "\n")})
	}
	return all
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

// Run runs the facts of a text in a session of their own.
func Run(t *testing.T, text string, opts ptc.Options) {
	t.Helper()
	sess := ptc.NewSession(opts)
	for _, f := range facts(text) {
		if f.source == "" {
			continue
		}
		res, err := sess.Eval(context.Background(), f.source)
		if problem := f.check(res, err); problem != "" {
			t.Errorf("line %d: %s\n%s", f.line, f.source, problem)
		}
	}
}

// check says what is wrong with the outcome of a fact, "" if nothing is.
func (f fact) check(res *ptc.Result, err error) string {
	var e *ptc.Error
	switch {
	case f.mark == ";!":
		if !errors.As(err, &e) {
			return "gave a value, want the error " + f.want
		}
		if string(e.Code) != f.want {
			return "gave the error " + e.Error() + ", want " + f.want
		}
		return ""
	case err != nil:
		return "gave the error " + err.Error()
	case f.mark == ";prints":
		want, qerr := strconv.Unquote(`"` + f.want + `"`)
		if qerr != nil {
			return "the expectation is no string: " + f.want
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
	res, err := ptc.NewSession(ptc.Options{}).Eval(context.Background(), f.source)
	return f.check(res, err)
}

// Blocks gives the fenced blocks of a Markdown text that are marked with lang,
// each with the number of its first line.
func Blocks(text, lang string) map[int]string {
	blocks := make(map[int]string)
	var block []string
	start := 0
	for i, line := range strings.Split(text, "\n") {
		switch {
		case start == 0 && strings.TrimSpace(line) == "```"+lang:
			start, block = i+2, nil
		case start > 0 && strings.TrimSpace(line) == "```":
			blocks[start] = strings.Join(block, "\n")
			start = 0
		case start > 0:
			block = append(block, line)
		}
	}
	return blocks
}
