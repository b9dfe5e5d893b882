// This file explains the error of a run by the source of the call that failed: the name of the function,
// and the wrong argument.

package ptc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/lint"
	"github.com/ptc-lang/ptc/lang/token"
)

// patterns are the patterns of texts.
type patterns struct{ number, plain, conversion, missing, lookup, entry, keyword *regexp.Regexp }

// texts are the patterns of the messages and the sources that explained reads.
var texts = sync.OnceValue(func() (t patterns) {
	t.number = regexp.MustCompile(`(?s)^(?:\S+: )?got (.*), want a number$`)
	t.plain = regexp.MustCompile(`(?s)^((?:\S+: )?got .*?, want [^:;]+)(?:[:;] )?(.*)$`)
	t.conversion = regexp.MustCompile(`^(\w) != java\.lang\.(\w+)$`)
	t.missing = regexp.MustCompile(`^Format specifier '(.+)'$`)
	t.lookup = regexp.MustCompile(`^\((?::([^\s()]+)\s|get\s+\S+\s+:([^\s()]+)\s*\)$)`)
	t.entry = regexp.MustCompile(`:([\w-]+) -?\d`)
	t.keyword = regexp.MustCompile(`:([A-Za-z][\w?!-]*)`)
	return t
})

// explained returns an error with a message for the call that failed. The exception that the program may have caught
// keeps the message that Clojure has.
func (r *runner) explained(err *diag.Error) *diag.Error {
	if err == nil || err.Span.File == nil {
		return err
	}
	e := r.reworded(err)
	e.Hint = cmp.Or(meantBy(e), e.Hint)
	return e
}

// reworded returns an error with the message, place and hint that its call and its kind tell.
func (r *runner) reworded(err *diag.Error) *diag.Error {
	e := *err
	if r.checked(&e) {
		return &e
	}
	switch err.Code {
	case diag.NilValue, diag.WrongType:
		if m := texts().number.FindStringSubmatch(err.Message); m != nil {
			r.explainNumber(&e, m[1])
			e.Hint = cmp.Or(notNumber(&e, m[1]), e.Hint)
			return &e
		}
	case diag.IllegalArgument:
		explainFormat(&e)
	default:
		return &e
	}
	if strings.Contains(e.Message, ": got ") {
		return &e
	}
	if m := texts().plain.FindStringSubmatch(e.Hint); m != nil {
		e.Message, e.Hint = m[1], m[2]
	}
	if e.Hint == "" {
		e.Hint = orderHint(&e)
	}
	if strings.HasPrefix(e.Message, "got ") {
		if head := headOf(&e); builtins.Core(head) != nil {
			e.Message = head + ": " + e.Message
		}
	}
	return &e
}

// headOf returns the name at the head of the call that failed, "" if it is not known.
func headOf(e *diag.Error) string {
	parts, _, ok := diag.Written(e.Span.File, e.Span.Start)
	if !ok || len(parts) == 0 {
		return ""
	}
	return spanText(parts[0])
}

// maxChecked bounds the source that is checked after a run has failed, in bytes.
const maxChecked = 64 << 10

// checked explains an error by the finding of Check about the same call, and reports whether there is one: an argument
// in the wrong place, or a function of another arity. A session has no whole program to check.
func (r *runner) checked(e *diag.Error) bool {
	switch e.Code {
	case diag.WrongType, diag.IllegalArgument, diag.BadArity:
	default:
		return false
	}
	if builtins.Core(headOf(e)).Arithmetic() {
		return false // explainNumber knows the value
	}
	if r.session != nil || e.Span.File.Name != r.name || len(e.Span.File.Source) > maxChecked {
		return false
	}
	parts, end, ok := diag.Written(e.Span.File, e.Span.Start)
	if !ok {
		return false
	}
	own := func(s token.Span) bool { // of the call itself, and not of one inside of it
		return s.Start == e.Span.Start && s.End == end || slices.ContainsFunc(parts, func(p token.Span) bool {
			return s.Start == p.Start && s.End == p.End
		})
	}
	opts := *r.opts // bounds by steps and not by time: the error is the same on every machine
	opts.Limits = opts.Limits.OrDefault()
	opts.Limits.Steps, opts.Limits.Timeout = min(opts.Limits.Steps, maxCheckSteps), maxCheckTime
	for _, d := range Check(context.Background(), r.name, e.Span.File.Source, opts).Diagnostics {
		if !own(d.Span) || len(d.Hint) == 0 {
			continue
		}
		switch d.Code {
		case lint.WrongArgument:
			e.Message, e.Hint, e.Span = d.Message, d.Hint, inFile(d.Span, e.Span.File)
			return true
		case lint.WrongCallback:
			e.Hint, e.Span = d.Message+": "+d.Hint, inFile(d.Span, e.Span.File)
			return true
		}
	}
	return false
}

const (
	// maxCheckSteps bounds the steps of the macros in the check of a program that has failed.
	maxCheckSteps = 2_000_000
	// maxCheckTime is far above the time of that check.
	maxCheckTime = time.Minute
)

// inFile returns a span of the same text in another file.
func inFile(s token.Span, f *token.File) token.Span {
	return token.Span{File: f, Start: s.Start, End: s.End}
}

// orderHint returns the order of the arguments of a call that takes a collection, "" for other calls.
func orderHint(e *diag.Error) string {
	parts, _, ok := diag.Written(e.Span.File, e.Span.Start)
	if !ok || len(parts) < 3 {
		return ""
	}
	head := spanText(parts[0])
	f := builtins.Core(head)
	if !f.OverElements(len(parts)-1) && (f == nil || !slices.Contains(f.ParameterNames(len(parts)-1), "n")) {
		return ""
	}
	if names := f.ParameterNames(len(parts) - 1); len(names) > 1 {
		return fmt.Sprintf("check the order of the arguments: (%s %s)", head, strings.Join(names, " "))
	}
	return ""
}

// explainFormat writes the messages of java.util.Formatter in plain words.
func explainFormat(e *diag.Error) {
	if m := texts().conversion.FindStringSubmatch(e.Message); m != nil {
		e.Message = fmt.Sprintf("format: got %s for %%%s", javaWords(m[2]), m[1])
		e.Hint = strings.TrimPrefix(e.Hint, "format: ")
	}
	if m := texts().missing.FindStringSubmatch(e.Message); m != nil {
		e.Message = fmt.Sprintf("format: there is no value for %s", m[1])
		e.Hint = strings.TrimPrefix(e.Hint, "format: ")
	}
}

// javaWords returns the words for a class of java.lang.
func javaWords(class string) string {
	switch class {
	case "Double", "Float":
		return "a floating-point number"
	case "Long", "Integer", "Short", "Byte":
		return "an integer"
	case "String":
		return "a string"
	case "Character":
		return "a character"
	case "Boolean":
		return "a boolean"
	}
	return "a " + class
}

// explainNumber explains an operand that is no number: got is its description.
func (r *runner) explainNumber(e *diag.Error, got string) {
	parts, _, ok := diag.Written(e.Span.File, e.Span.Start)
	if !ok || len(parts) == 0 {
		return
	}
	head := spanText(parts[0])
	f := builtins.Core(head)
	if f == nil {
		return
	}
	if !f.Arithmetic() {
		if key := texts().entry.FindStringSubmatch(got); key != nil && strings.HasSuffix(got, "(map)") {
			e.Hint = fmt.Sprintf("the elements are maps: take a number out of each, as in (reduce + (map :%s coll))", key[1])
		} else if e.Hint == "" && (strings.HasSuffix(got, "(vector)") || strings.HasSuffix(got, "(list)")) {
			e.Hint = orderHint(e)
		}
		return
	}
	if strings.HasSuffix(got, "(keyword)") {
		e.Hint = fmt.Sprintf("a key is looked up in a map: #(%s (%s %%) …) is a function of an element", head,
			strings.TrimSuffix(got, " (keyword)"))
	}
	e.Message = fmt.Sprintf("%s: got %s, want a number", head, got)
	n, ok := wrongOperand(parts[1:], got)
	if !ok {
		return
	}
	arg := parts[1+n]
	text := spanText(arg)
	if e.Span = arg; text == "nil" || strings.HasPrefix(got, text+" (") {
		return
	}
	e.Message = fmt.Sprintf("%s: got %s for argument %d, %s, want a number", head, got, n+1, diag.Clipped(text))
	if m := texts().lookup.FindStringSubmatch(text); m != nil && e.Code == diag.NilValue {
		key := m[1] + m[2]
		if best, ok := diag.Suggest(key, maps.Keys(r.knownKeys(e.Span.File.Source))); ok {
			e.Hint = "did you mean :" + best + "? " + e.Hint
		}
	}
}

// wrongOperand returns which of some arguments got describes, if the text tells.
func wrongOperand(args []token.Span, got string) (n int, ok bool) {
	n = -1
	for i, arg := range args {
		text := spanText(arg)
		if strings.HasPrefix(got, text+" (") || text == "nil" && got == "nil" {
			return i, true
		}
		if c := text[0]; c >= '0' && c <= '9' || len(text) > 1 && c == '-' && text[1] >= '0' && text[1] <= '9' {
			continue
		}
		if n >= 0 {
			return 0, false
		}
		n = i
	}
	return n, n >= 0
}

func spanText(s token.Span) string { return s.File.Source[s.Start:s.End] }

// maxKeys bounds the values of the input, and the bytes of the source, whose keys are suggested.
const maxKeys = 10_000

// knownKeys returns the keys of the input and the keywords of the source, including the wrong key itself.
func (r *runner) knownKeys(source string) map[string]bool {
	keys := make(map[string]bool)
	left := maxKeys
	for _, name := range slices.Sorted(maps.Keys(r.given.Data)) {
		keysOf(r.given.Data[name], keys, &left)
	}
	for _, m := range texts().keyword.FindAllStringSubmatch(source[:min(len(source), maxKeys)], 1000) {
		keys[m[1]] = true
	}
	return keys
}

// keysOf adds the keys of an input.
func keysOf(v any, keys map[string]bool, left *int) {
	if *left--; *left < 0 {
		return
	}
	switch v := v.(type) {
	case json.RawMessage:
		jsonKeys(v, keys, left)
	case map[string]any:
		for key, x := range v {
			keys[key] = true
			keysOf(x, keys, left)
		}
	case []any:
		for _, x := range v {
			keysOf(x, keys, left)
		}
	case []map[string]any:
		for _, x := range v {
			keysOf(x, keys, left)
		}
	}
}

// jsonKeys adds the keys of objects in a JSON text.
func jsonKeys(text json.RawMessage, keys map[string]bool, left *int) {
	var object map[string]json.RawMessage
	if len(text) > 1<<20 {
		return
	}
	if json.Unmarshal(text, &object) == nil {
		for key, x := range object {
			keys[key] = true
			keysOf(x, keys, left)
		}
		return
	}
	var array []json.RawMessage
	if json.Unmarshal(text, &array) == nil {
		for _, x := range array[:min(len(array), 20)] {
			keysOf(x, keys, left)
		}
	}
}
