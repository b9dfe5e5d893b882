// This file explains special forms and macros with parts too many or too few, and the place of an error in a pattern.

package compile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/token"
)

// misshapen explains a form that has parts too many or too few, if nothing else has explained it.
func misshapen(e *diag.Error) {
	start := e.Span.Start
	if strings.HasPrefix(e.Span.File.Source[start:], "#(") {
		start++
	}
	parts, end, ok := diag.Written(e.Span.File, start)
	if !ok || e.Hint != "" {
		return
	}
	if calledStep(e, end) || len(parts) < 2 || start != e.Span.Start {
		return
	}
	w := shaped{e, e.Span.File, parts}
	switch name := w.text(0); {
	case builtins.Core(name).Is(entry.TestsInOrder):
		w.clauses()
	case name == "let" && strings.HasPrefix(w.text(1), "{") && strings.Contains(e.Message, "want a vector of bindings"):
		vector := "[" + strings.Trim(w.text(1), "{} ") + "]"
		w.instead(parts[1], parts[1], vector, "bindings stand in a vector: "+diag.Clipped(vector))
	case name == "for" && len(parts) > 3:
		w.Hint = "for has one form as its body: (do …) makes one form of several, doseq is for effects"
	case name == "def" && len(parts) > 3:
		w.Hint = "a definition has one value: (def name value); (defn name [x] …) defines a function"
	case name == "var" && len(parts) > 2:
		w.Hint = "(def name value) defines a name, (let [name value] …) a local one"
	case strings.HasPrefix(name, "if-") && len(parts) > 4:
		w.Hint = "(do …) makes one form of several; cond takes several tests"
	case name == "not" && len(parts) > 2:
		w.Hint = "not takes one value: (not= a b) compares, (not (and a b)) negates a test"
	}
}

// clauses explains the clauses of cond: those in brackets, words of other languages, and a value without a test.
func (w *shaped) clauses() {
	var flat []string
	for i := range w.parts[1:] {
		texts, _ := w.inside(i + 1)
		if len(texts) != 2 || w.text(i + 1)[0] == '{' {
			flat = nil
			break
		}
		flat = append(flat, texts...)
	}
	last := len(w.parts) - 1
	for i := range w.parts[1:] {
		if word := w.text(i + 1); word == "elif" || word == "elsif" {
			w.instead(w.parts[i+1], w.parts[i+1], "", "leave "+word+" out: (cond test value test value :else value)")
			return
		}
	}
	switch text := w.text(last); {
	case flat != nil:
		text := strings.Join(flat, " ")
		w.instead(w.parts[1], w.parts[last], text, "clauses have no brackets: (cond "+diag.Clipped(text)+")")
	case last%2 != 0 && w.text(last-1) != ":else":
		w.instead(w.parts[last], w.parts[last], ":else "+text, "a value without a test is written :else "+diag.Clipped(text)+
			"; (do …) makes one value of several forms")
	case last%2 != 0:
		w.Hint = "a test has one value: (do …) makes one form of several"
	}
}

// calledStep explains a function that a threading macro puts its value into: (-> x #(f %)).
func calledStep(e *diag.Error, end int) bool {
	src := e.Span.File.Source
	text, before := src[e.Span.Start:end], src[:e.Span.Start]
	start := e.Span.Start
	if strings.HasSuffix(before, "#") {
		start--
		text = src[start:end]
	}
	if !strings.HasPrefix(text, "#(") && !strings.HasPrefix(text, "(fn ") || !strings.HasPrefix(e.Message, "fn: ") {
		return false
	}
	open := strings.LastIndex(src[:start], "(->")
	if open < 0 {
		return false
	}
	steps, _, ok := diag.Written(e.Span.File, open)
	if !ok || !slices.ContainsFunc(steps, func(step token.Span) bool { return step.Start == start }) {
		return false // it is called, or an argument of a step
	}
	e.Span = token.Span{File: e.Span.File, Start: start, End: end}
	e.Replacement = "(" + text + ")"
	e.Hint = "a pair of parentheses around it makes a call: " + diag.Clipped(e.Replacement)
	return true
}

var nearIndex = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` near index (\d+): "`) })

// patternAt moves the place of an error in a pattern to the character of the literal.
func patternAt(e *diag.Error) {
	m := nearIndex().FindStringSubmatch(e.Message)
	f := e.Span.File
	if m == nil || f == nil {
		return
	}
	_, end, ok := diag.Written(f, e.Span.Start)
	if !ok {
		return
	}
	index, _ := strconv.Atoi(m[1])
	for at := e.Span.Start; at < end; {
		i := strings.Index(f.Source[at:end], `#"`)
		if i < 0 {
			return
		}
		from := at + i + 2
		to := from
		for to < end && f.Source[to] != '"' {
			if f.Source[to] == '\\' {
				to++
			}
			to++
		}
		at = to + 1
		if to >= end || !strings.Contains(e.Message, strconv.Quote(f.Source[from:to])) {
			continue
		}
		for ; index > 0 && from < to; index-- {
			_, size := utf8.DecodeRuneInString(f.Source[from:])
			from += size
		}
		e.Span = token.Span{File: f, Start: from, End: from + 1}
		return
	}
}
