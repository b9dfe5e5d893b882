// This file explains the errors of a compilation from the text around them.

package compile

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
)

// advised returns the errors of a compilation with hints about the text around them. Errors about parts of a text that
// the hint of an earlier one explains are left out.
func (c *Compiler) advised() []*diag.Error {
	var out []*diag.Error
	explained := token.Span{}
	for _, e := range c.errs {
		if e.Code == diag.BadArity {
			elementAfterWord(e)
		}
		switch {
		case e.Span.File == nil:
			out = append(out, e)
			continue
		case e.Code == diag.IllegalArgument:
			patternAt(e)
			out = append(out, e)
			continue
		case e.Code == diag.UnknownName, e.Code == diag.BadForm, e.Code == diag.SyntaxError, e.Code == diag.Unsupported:
		default:
			out = append(out, e)
			continue
		}
		if e.Span.File == explained.File && e.Span.Start >= explained.Start && e.Span.Start <= explained.End {
			continue
		}
		if e.Code == diag.UnknownName && quotedInside(e) {
			explained = e.Span
			out = append(out, e)
			continue
		}
		switch found, hint := foreignAt(e); {
		case hint != "":
			e.Hint, e.Replacement, explained = hint, "", found
		case e.Code == diag.BadForm:
			callAfterWord(e)
			bracketed(e)
			misshapen(e)
		case e.Code == diag.UnknownName:
			definedLater(e)
		}
		out = append(out, e)
	}
	return out
}

// foreignAt returns the syntax of another language at an error, and a hint with the alternative.
func foreignAt(e *diag.Error) (found token.Span, hint string) {
	f := e.Span.File
	if e.Code == diag.SyntaxError && strings.Contains(f.Source, "```") {
		if m := foreignPatterns()[0].FindString(f.Line(1)); m != "" || strings.Contains(f.Source, "\n```") {
			return token.Span{File: f, Start: 0, End: len(f.Source)}, foreignForms[0].hint(nil)
		}
	}
	line, _ := f.LineCol(min(e.Span.Start, len(f.Source)))
	start, text := f.LineStart(line), f.Line(line)
	if len(text) > 500 {
		return found, ""
	}
	for i, re := range foreignPatterns() {
		if e.Hint != "" && strings.HasPrefix(foreignForms[i].pattern, `\(`) {
			continue // a list, which may be a call of a name that is close to another one
		}
		for _, at := range re.FindAllStringSubmatchIndex(text, 4) {
			if off := e.Span.Start - start; off < at[0] || off > at[1] {
				continue
			}
			groups := make([]string, len(at)/2)
			for g := range groups {
				if at[2*g] >= 0 {
					groups[g] = text[at[2*g]:at[2*g+1]]
				}
			}
			if hint := foreignForms[i].hint(groups); hint != "" {
				return token.Span{File: f, Start: start + at[0], End: start + at[1]}, hint
			}
		}
	}
	return found, ""
}

// quotedInside explains a word that follows a string without a blank: "a "quoted" word" is two strings and a word.
func quotedInside(e *diag.Error) bool {
	src := e.Span.File.Source
	if e.Span.Start == 0 || src[e.Span.Start-1] != '"' {
		return false
	}
	e.Hint, e.Replacement = `a quote inside a string is written \", or is ' instead`, ""
	line, _ := e.Span.File.LineCol(e.Span.Start)
	from := e.Span.File.LineStart(line)
	until := from + len(e.Span.File.Line(line))
	begin := strings.LastIndexByte(src[from:e.Span.Start-1], '"') + from
	reopened := strings.IndexByte(src[e.Span.End:until], '"') + e.Span.End
	if begin < from || reopened < e.Span.End || strings.ContainsAny(src[e.Span.Start:reopened], "()[]{};\\") {
		return true
	}
	end := strings.IndexByte(src[reopened+1:until], '"') + reopened + 1
	if end <= reopened || strings.Contains(src[begin:end], `\"`) {
		return true
	}
	e.Replacement = src[begin:e.Span.Start-1] + `\"` + src[e.Span.Start:reopened] + `\"` + src[reopened+1:end+1]
	e.Hint = `a quote inside a string is written \": ` + diag.Clipped(e.Replacement)
	e.Span = token.Span{File: e.Span.File, Start: begin, End: end + 1}
	return true
}

// callAfterWord explains a call of a constant that a name touches: print("hello").
func callAfterWord(e *diag.Error) {
	f := e.Span.File
	if !strings.HasPrefix(e.Message, "can't call ") || e.Span.Start == 0 {
		return
	}
	name := diag.Word(f, e.Span.Start)
	_, end, ok := diag.Written(f, e.Span.Start)
	if name == "" || strings.ContainsAny(name[:1], "#:0123456789") || !ok {
		return
	}
	inside := strings.TrimSpace(f.Source[e.Span.Start+1 : end-1])
	e.Replacement = "(" + name + " " + inside + ")"
	e.Hint = "the parenthesis comes first: " + diag.Clipped(e.Replacement)
	e.Span = token.Span{File: f, Start: e.Span.Start - len(name), End: end}
	if around := e.Span.Start - 1; around >= 0 && f.Source[around] == '(' && end < len(f.Source) && f.Source[end] == ')' {
		e.Span = token.Span{File: f, Start: around, End: end + 1} // (print("hello")) is one call
	}
}

// elementAfterWord explains a call with an argument too many because a vector touches a name: (inc xs[0]).
func elementAfterWord(e *diag.Error) {
	f := e.Span.File
	parts, _, ok := diag.Written(f, e.Span.Start)
	if !ok {
		return
	}
	for i := 1; i+1 < len(parts); i++ {
		name, vector := parts[i], parts[i+1]
		inside, _, vectored := diag.Written(f, vector.Start)
		if name.End != vector.Start || f.Source[vector.Start] != '[' || !vectored || len(inside) != 1 {
			continue
		}
		key, get := f.Source[inside[0].Start:inside[0].End], "get"
		if key[0] >= '0' && key[0] <= '9' {
			get = "nth"
		}
		e.Replacement = "(" + get + " " + f.Source[name.Start:name.End] + " " + key + ")"
		e.Hint = "an element is " + e.Replacement
		e.Span = token.Span{File: f, Start: name.Start, End: vector.End}
		return
	}
}

// definedLater explains a name that is defined further down.
func definedLater(e *diag.Error) {
	f := e.Span.File
	name := f.Source[min(e.Span.Start, len(f.Source)):min(e.Span.End, len(f.Source))]
	if name == "" || strings.Contains(name, "/") || builtins.Foreign(name) != "" {
		return
	}
	re, err := regexp.Compile(`(?m)^\s*\((?:def|defn-?|defmacro|defmulti|defonce|defrecord)\s+(?:\^\S+\s+)*` +
		regexp.QuoteMeta(name) + `[\s)\]]`)
	if err != nil {
		return
	}
	at := re.FindStringIndex(f.Source[e.Span.End:])
	if at == nil {
		return
	}
	from := e.Span.End + at[0]
	from += strings.IndexByte(f.Source[from:], '(')
	line, col := f.LineCol(from)
	e.Replacement = ""
	e.Hint = fmt.Sprintf("%s is defined at %d:%d: move that up, or put (declare %s) before its first use", name, line, col,
		name)
}
