// This file defines Source, which takes a program out of the answer of a model.

package ptc

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
)

// Source returns the program in the answer of a model: the text in a Markdown fence, or the forms between lines of
// prose. Of several fences it takes the longest that is marked as Clojure, or else the longest without a mark that
// begins with a form. A fence that ends the answer, or its program, and that nothing opens is left out. An answer that
// is a program is returned as it is, without white space around it. In an answer without lines of a program it takes
// the call at the end of a line, after a colon or in backticks. What a model thinks, from <think> to </think>, or
// from <thinking> to </thinking>, at the beginning of lines, is left out. The error, if any, is a *Error of code
// syntax-error: no program was found. Source does not compile the program.
func Source(answer string) (string, error) {
	answer = strings.TrimPrefix(answer, "\ufeff")
	program, fenced := "", false
	if !isProgram(answer) {
		answer = withoutThoughts(withoutThoughts(answer, "think"), "thinking")
		program, fenced = longestFence(answer, true)
	}
	switch {
	case !fenced:
		program = betweenProse(answer)
	case program == "":
		program = betweenProse(beforeFence(answer))
	}
	if strings.TrimSpace(program) == "" {
		program = inLine(answer)
	}
	if program = strings.TrimSpace(program); program == "" {
		return "", diag.New(diag.SyntaxError, token.Span{}, "there is no program in the answer").
			WithHint("write the program in one fence: ```clojure before it and ``` after it")
	}
	return program, nil
}

// withoutThoughts returns an answer without the thoughts of a model: the text from a tag at the beginning
// of a line to its closing tag, or to the end of the text. Some servers leave out the first tag.
func withoutThoughts(answer, tag string) string {
	begin, end := "<"+tag+">", "</"+tag+">"
	var kept strings.Builder
	rest, tries := answer, maxCandidates
	for range maxThoughts {
		open := outside(rest, begin, true, &tries)
		if closed := outside(rest, end, false, &tries); closed >= 0 && (open < 0 || closed < open) {
			if kept.Len() > 0 || !endsLine(rest[closed+len(end):]) { // a tag that ends nothing
				break
			}
			rest = rest[closed+len(end):]
			continue
		}
		if open < 0 {
			break
		}
		kept.WriteString(rest[:open] + "\n")
		_, after, _ := strings.Cut(rest[open:], end)
		rest = after
	}
	return kept.String() + rest
}

// maxThoughts bounds the tags that are looked for in an answer.
const maxThoughts = 100

// outside returns the offset of the first tag that stands in no form, such as a string of a program, -1 if there is
// none. With begins it is that of the line that begins with the tag. It reads forms while tries are left.
func outside(text, tag string, begins bool, tries *int) int {
	if !strings.Contains(text, tag) {
		return -1
	}
	at, end := 0, 0
	for line := range strings.Lines(text) {
		if at >= end && strings.HasPrefix(line, "(") && *tries > 0 {
			*tries--
			if found, size := firstForm(text[at:]); found == parser.Form {
				end = at + size
			}
		}
		i := strings.Index(line, tag)
		switch {
		case i < 0 || at+i < end:
		case !begins:
			return at + i
		case strings.TrimLeft(line[:i], " \t") == "":
			return at
		}
		at += len(line)
	}
	return -1
}

// endsLine reports whether a text begins with the end of a line, after blanks.
func endsLine(text string) bool {
	text = strings.TrimLeft(text, " \t\r")
	return text == "" || text[0] == '\n'
}

// isProgram reports whether an answer has nothing but forms. It may have a fence in a string.
func isProgram(answer string) bool {
	end := 0
	for range maxForms {
		rest := strings.TrimLeft(answer[end:], " \t\r\n,")
		if rest == "" {
			return end > 0
		}
		if !strings.ContainsAny(rest[:1], "([{#'@;") {
			return false
		}
		found, size := firstForm(answer[end:])
		if found != parser.Form {
			return found == parser.Nothing && end > 0
		}
		end += size
	}
	return false
}

// fence is a line that can begin or end a fenced block of Markdown:
// https://spec.commonmark.org/0.31.2/#fenced-code-blocks. It may stand in a list or a quotation, as deep as it likes.
type fence struct {
	around string // the prefix of the lines of a quotation; "" outside of quotations
	marks  string // three or more
	name   string // the first word after them
}

// fenceOf returns the fence that a line is.
func fenceOf(line string) (f fence, ok bool) {
	text := strings.TrimLeft(line, " \t")
	if strings.HasPrefix(text, ">") {
		f.around, text = ">", strings.TrimLeft(text, "> \t")
	}
	if item := strings.TrimLeft(text, "0123456789"); len(item) > 1 && strings.ContainsRune("-*+.)", rune(item[0])) &&
		item[1] == ' ' {
		text = strings.TrimLeft(item[1:], " \t")
	}
	if text == "" || text[0] != '`' && text[0] != '~' {
		return f, false
	}
	rest := strings.TrimLeft(text, text[:1])
	if f.marks = text[:len(text)-len(rest)]; len(f.marks) < 3 || strings.Contains(rest, "`") {
		return f, false
	}
	if words := strings.Fields(rest); len(words) > 0 {
		f.name = words[0]
	}
	return f, true
}

// closes reports whether a fence can be the end of a block that another one has opened.
func (f fence) closes(opened fence) bool {
	return f.name == "" && strings.HasPrefix(f.marks, opened.marks)
}

// inside returns a line of the block of a fence.
func (f fence) inside(line string) string {
	if text := strings.TrimLeft(line, " \t"); f.around != "" && strings.HasPrefix(text, f.around) {
		return strings.TrimPrefix(text[len(f.around):], " ")
	}
	return line
}

// clojureNames are the words after a fence that mark its text as a program.
var clojureNames = map[string]bool{"clojure": true, "clj": true, "cljs": true, "cljc": true, "ptc": true, "lisp": true,
	"edn": true, "scheme": true}

// markdownNames are the words after a fence that mark its text as another answer.
var markdownNames = map[string]bool{"markdown": true, "md": true}

// longestFence returns the longest block that is marked as a program, or else the longest that looks like a
// program. fenced reports whether the text has any block. A block that is not closed ends with the text. If
// whole is set, the text is a whole answer, which may itself contain an answer as a block.
func longestFence(text string, whole bool) (longest string, fenced bool) {
	var marked, open bool
	var opening fence
	var block strings.Builder
	end := func() {
		body, name := block.String(), strings.ToLower(opening.name)
		is := clojureNames[name]
		if whole && markdownNames[name] {
			body, is = longestFence(body, false)
		}
		if (is || beginsForm(body, name != "")) && (is && !marked || is == marked && len(body) > len(longest)) {
			longest, marked = body, is
		}
		block.Reset()
	}
	for line := range strings.Lines(text) {
		f, is := fenceOf(strings.TrimRight(line, "\r\n"))
		switch {
		case !open && is:
			open, fenced, opening = true, true, f
		case open && is && f.closes(opening):
			open = false
			end()
		case open:
			block.WriteString(opening.inside(line))
		}
	}
	if open {
		end()
	}
	return longest, fenced
}

// beginsForm reports whether a text begins with a form that is no word, after its comments. In a block that is marked
// as something else only a parenthesis begins a program.
func beginsForm(text string, other bool) bool {
	text = strings.TrimSpace(text)
	for strings.HasPrefix(text, ";") {
		_, text, _ = strings.Cut(text, "\n")
		text = strings.TrimSpace(text)
	}
	if other {
		return strings.HasPrefix(text, "(")
	}
	return text != "" && strings.ContainsAny(text[:1], "([{#'@")
}

// beforeFence returns the text before a fence that is the only one of a text and has no name, so that it
// closes nothing. It returns "" if there is no such fence.
func beforeFence(text string) (before string) {
	found, at := false, 0
	for line := range strings.Lines(text) {
		if f, is := fenceOf(strings.TrimRight(line, "\r\n")); is {
			if found || f.name != "" {
				return ""
			}
			found, before = true, text[:at]
		}
		at += len(line)
	}
	return before
}

// maxCandidates bounds the lines at which the program in a text is looked for.
const maxCandidates = 20

// betweenProse returns the forms of a text from the first line that begins with one, up to a line of prose.
// A line with prose after its form, such as a note "[1] by …", and data without a call are taken only if no
// later line begins a program.
func betweenProse(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "`") && !strings.Contains(text, "\n") {
		return "" // a call in backticks: see inLine
	}
	if text == "" || !strings.ContainsAny(text, " \t\n") { // one word, such as data/total
		return text
	}
	first, start, tried, end := "", 0, 0, 0
	for line := range strings.Lines(text) {
		if start >= end && strings.ContainsAny(line[:1], "([{#'@;") && !isHeading(line) {
			program := forms(text[start:])
			end = start + len(program)
			after, _, _ := strings.Cut(text[end:], "\n")
			if strings.Contains(program, "(") && strings.TrimSpace(after) == "" {
				return program
			}
			if first == "" {
				first = program
			}
			if tried++; tried == maxCandidates {
				break
			}
		}
		start += len(line)
	}
	return first
}

// inLine returns the call that a line of prose ends with, after a colon or in backticks: "Answer: (f)", "```(f)```".
func inLine(text string) string {
	tries := maxCandidates
	at := 0
	for line := range strings.Lines(text) {
		open := strings.IndexByte(line, '(')
		for open > 0 && tries > 0 {
			tries--
			before := strings.TrimRight(line[:open], " \t*")
			if i := strings.LastIndexByte(before, '`'); i >= 0 && clojureNames[strings.ToLower(before[i+1:])] {
				before = before[:i+1]
			}
			if strings.HasSuffix(before, ":") || strings.HasSuffix(before, "`") {
				found, size := firstForm(text[at+open:])
				after, _, _ := strings.Cut(text[at+open+size:], "\n")
				if found == parser.Form && strings.Trim(after, "` \t\r.*") == "" {
					return text[at+open : at+open+size]
				}
			}
			next := strings.IndexByte(line[open+1:], '(')
			if next < 0 {
				break
			}
			open += 1 + next
		}
		at += len(line)
	}
	return ""
}

// isHeading reports whether a line is a heading of Markdown.
func isHeading(line string) bool {
	return strings.HasPrefix(line, "#") && strings.HasPrefix(strings.TrimLeft(line, "#"), " ")
}

// maxForms bounds the forms that are looked at: an answer with more is taken for a program.
const maxForms = 1000

// firstForm looks at the first form of a text. Looking at a text takes time in proportion to its length, and most forms
// are short.
func firstForm(text string) (found parser.Found, size int) {
	const window = 8 << 10
	if len(text) > window {
		if found, size = parser.First(text[:window], parser.Options{}); found == parser.Form && size < window {
			return found, size
		}
	}
	return parser.First(text, parser.Options{})
}

// forms returns a text up to the first word of prose after a form. Text that can't be read belongs to the
// program, and its compilation reports the error. A single word at the end is a form, such as a name that a
// def has bound. A vector with prose after it on its line is a note, such as "[1] by …", unless it is the
// first form.
func forms(text string) string {
	end, before := 0, 0 // of the last form, and of the one before it
	for range maxForms {
		rest := strings.TrimLeft(text[end:], " \t\r\n,")
		if rest == "" || !strings.ContainsAny(rest[:1], "([{#'@;`^\"") {
			last := strings.TrimLeft(text[before:end], " \t\r\n,")
			gap := text[end : len(text)-len(rest)]
			switch {
			case before > 0 && rest != "" && strings.HasPrefix(last, "[") && !strings.Contains(gap, "\n"):
				return text[:before]
			case strings.ContainsAny(rest, " \t\n"):
				return text[:end]
			}
			return text
		}
		found, size := firstForm(text[end:])
		if found != parser.Form {
			return text
		}
		before, end = end, end+size
	}
	return text
}
