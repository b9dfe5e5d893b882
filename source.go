// This file defines Source, which takes a program out of the answer of a model.

package ptc

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
)

// Source returns the program in the answer of a model: the text in a Markdown fence, or the forms between lines of
// prose. Of several fences it takes the longest that is marked as Clojure, or else the longest that begins with a
// parenthesis. An answer that is a program is returned as it is, without white space around it. The error, if any, is
// a *Error of code syntax-error: no program was found. Source does not compile the program.
func Source(answer string) (string, error) {
	answer = strings.TrimPrefix(answer, "\ufeff")
	program, fenced := longestFence(answer)
	if !fenced {
		program = betweenProse(answer)
	}
	if program = strings.TrimSpace(program); program == "" {
		return "", diag.New(diag.SyntaxError, token.Span{}, "there is no program in the answer").
			WithHint("write the program in one fence: ```clojure before it and ``` after it")
	}
	return program, nil
}

// fence is a line that can begin or end a fenced block of Markdown:
// https://spec.commonmark.org/0.31.2/#fenced-code-blocks.
var fence = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[ \t]*([^`\\s]*)[^`]*$")
})

// clojureNames are the words after a fence that mark its text as a program.
var clojureNames = map[string]bool{"clojure": true, "clj": true, "cljs": true, "cljc": true, "ptc": true, "lisp": true,
	"edn": true, "scheme": true}

// longestFence returns the longest block that is marked as a program, or else the longest that looks like one. fenced
// reports whether the text has any block. A block that is not closed ends with the text.
func longestFence(text string) (longest string, fenced bool) {
	var marked, open bool
	var opening, name string
	var block strings.Builder
	end := func() {
		body, is := block.String(), clojureNames[strings.ToLower(name)]
		looks := is || strings.HasPrefix(strings.TrimSpace(body), "(")
		if looks && (is && !marked || is == marked && len(body) > len(longest)) {
			longest, marked = body, is
		}
		block.Reset()
	}
	for line := range strings.Lines(text) {
		m := fence().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		switch {
		case !open && m != nil:
			open, fenced, opening, name = true, true, m[1], m[2]
		case open && m != nil && m[2] == "" && strings.HasPrefix(m[1], opening):
			open = false
			end()
		case open:
			block.WriteString(line)
		}
	}
	if open {
		end()
	}
	return longest, fenced
}

// betweenProse returns the forms of a text from the first line that begins with one, up to a line of prose.
func betweenProse(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || !strings.ContainsAny(text, " \t\n") { // one word, such as data/total
		return text
	}
	start := 0
	for line := range strings.Lines(text) {
		if strings.ContainsAny(line[:1], "([{#'@;") {
			return forms(text[start:])
		}
		start += len(line)
	}
	return ""
}

// maxForms bounds the forms that are looked at: an answer with more is taken for a program.
const maxForms = 1000

// forms returns a text up to the first word of prose after a form. Text that can't be read belongs to the program,
// whose compilation tells why. A single word at the end is a form, such as a name that a def has bound.
func forms(text string) string {
	end := 0
	for range maxForms {
		rest := strings.TrimLeft(text[end:], " \t\r\n,")
		if rest == "" || !strings.ContainsAny(rest[:1], "([{#'@;`^\"") {
			if strings.ContainsAny(rest, " \t\n") {
				return text[:end]
			}
			return text
		}
		found, size := parser.First(text[end:], parser.Options{})
		if found != parser.Form {
			return text
		}
		end += size
	}
	return text
}
