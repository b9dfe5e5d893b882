// This file defines statements, and how parameters written :name become those of the
// database.

package sql

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// statement is a text, cut at its parameters.
type statement struct {
	parts []string // one more than names
	names []string
}

// parse finds the parameters of a statement: a colon with a name, where the text is not a literal, quoted name
// or comment, and not part of a cast (x::int) or a slice (a[1:n]).
func parse(text string) (*statement, error) {
	st := &statement{}
	begin := 0
	for i := 0; i < len(text); {
		if end := skipped(text, i); end > i {
			i = end
			continue
		}
		switch c := text[i]; {
		case c == ':' && (i == 0 || !endsOperand(text[i-1])) && i+1 < len(text) && startsName(text[i+1]):
			end := i + 2
			for end < len(text) && isName(text[end]) {
				end++
			}
			st.parts = append(st.parts, text[begin:i])
			st.names = append(st.names, text[i+1:end])
			begin, i = end, end
		case c == '$' && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9' && (i == 0 || !isName(text[i-1])):
			return nil, &tool.Error{Code: CodeBadParams,
				Message: "got the parameter " + text[i:i+2] + ", want parameters by name: :name"}
		default:
			i++
		}
	}
	st.parts = append(st.parts, text[begin:])
	return st, nil
}

// skipped returns the end of the token at i if it is a literal, a quoted name, a comment or the two colons
// of a cast, and i otherwise.
func skipped(text string, i int) int {
	switch rest := text[i:]; {
	case rest[0] == '\'' && escapes(text, i):
		return i + quoted(rest, '\'', true)
	case rest[0] == '\'' || rest[0] == '"' || rest[0] == '`':
		return i + quoted(rest, rest[0], false)
	case strings.HasPrefix(rest, "--"):
		return i + upTo(rest, "\n")
	case strings.HasPrefix(rest, "/*"):
		return i + comment(rest)
	case strings.HasPrefix(rest, "::"):
		return i + 2
	case rest[0] == '$' && (i == 0 || !isName(text[i-1])):
		return i + dollarQuoted(rest)
	}
	return i
}

// escapes reports whether the quote at i begins a literal with backslashes: E'…'.
func escapes(text string, i int) bool {
	return i > 0 && (text[i-1] == 'E' || text[i-1] == 'e') && (i == 1 || !isName(text[i-2]))
}

// quoted returns the length of a literal; a doubled quote in it is read as two literals.
func quoted(text string, quote byte, backslash bool) int {
	for i := 1; i < len(text); i++ {
		switch {
		case backslash && text[i] == '\\':
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return len(text)
}

func upTo(text, end string) int {
	if i := strings.Index(text, end); i >= 0 {
		return i + len(end)
	}
	return len(text)
}

// comment returns the length of a comment, which ends where that of the standard does:
// comments nest in PostgreSQL. In SQLite they do not, and what follows one with another
// inside is then taken as part of it, where parameters are not found.
func comment(text string) int {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// dollarQuoted returns the length of a literal of PostgreSQL, $tag$…$tag$; 0 if it is none.
func dollarQuoted(text string) int {
	end := 1
	for end < len(text) && isName(text[end]) {
		end++
	}
	if end == len(text) || text[end] != '$' || end > 1 && !startsName(text[1]) {
		return 0
	}
	tag := text[:end+1]
	return len(tag) + upTo(text[len(tag):], tag)
}

func startsName(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

// isName allows the hyphen of keywords nowhere: a - b is a subtraction.
func isName(c byte) bool { return startsName(c) || '0' <= c && c <= '9' }

// endsOperand reports whether a colon after c is part of a slice or a cast.
func endsOperand(c byte) bool { return isName(c) || c == ']' || c == ')' || c == ':' }

// bound is a statement with the values of its parameters, in the order of their marks.
type bound struct {
	text string
	args []any // nil, bool, string or json.Number
}

// maxArgs bounds the values of a statement: PostgreSQL counts them in 16 bits.
const maxArgs = 32_000

// bind puts values in: mark and a number stand for each in the text.
func (st *statement) bind(params map[string]any, mark string) (*bound, error) {
	if err := st.checkNames(params); err != nil {
		return nil, err
	}
	b := &bound{}
	var text strings.Builder
	for i, name := range st.names {
		text.WriteString(st.parts[i])
		if err := b.add(&text, name, params[name], mark); err != nil {
			return nil, err
		}
	}
	text.WriteString(st.parts[len(st.names)])
	b.text = text.String()
	return b, nil
}

// add appends the marks of one parameter and its values.
func (b *bound) add(text *strings.Builder, name string, v any, mark string) error {
	values, isList := v.([]any)
	switch {
	case !isList:
		values = []any{v}
	case len(values) == 0:
		return badParam(name, "an empty list", "a value, or a list of some: leave the condition out")
	}
	if len(b.args)+len(values) > maxArgs {
		return &tool.Error{Code: CodeBadParams, Message: fmt.Sprintf("got more than %d values, want fewer: use several "+
			"calls, or a table", maxArgs)}
	}
	for i, v := range values {
		switch v.(type) {
		case nil, bool, string, json.Number:
		default:
			return badParam(name, "a map or a list inside a list",
				"nil, a boolean, a number, a string or a list of these: write data as text with json/write-str")
		}
		if i > 0 {
			text.WriteString(", ")
		}
		b.args = append(b.args, v)
		text.WriteString(mark)
		text.WriteString(strconv.Itoa(len(b.args)))
	}
	return nil
}

func badParam(name, got, want string) error {
	return &tool.Error{Code: CodeBadParams, Message: "parameter :" + name + ": got " + got + ", want " + want}
}

// checkNames wants a value for each parameter, and a parameter for each value.
func (st *statement) checkNames(params map[string]any) error {
	for _, name := range st.names {
		if _, ok := params[name]; !ok {
			return badParam(name, "no value", "one in :params")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if slices.Contains(st.names, name) {
			continue
		}
		message := "got a value for :" + name + ", which the statement does not have"
		if best, ok := diag.Suggest(name, slices.Values(st.names)); ok {
			message += ": did you mean :" + best + "?"
		} else if strings.Contains(name, "-") {
			message += ": a parameter is letters, digits and _"
		}
		return &tool.Error{Code: CodeBadParams, Message: message}
	}
	return nil
}
