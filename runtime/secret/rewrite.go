// This file replaces secrets in JSON texts.

package secret

import (
	"bytes"
	"encoding/json"

	"github.com/ptc-lang/ptc/runtime/secret/internal/ahocorasick"
)

// rewritten returns a JSON text in which the values of fields are replaced, and the secrets that an
// automaton finds in keys, strings and numbers. The rest is unchanged, including the order of
// fields, which a program can see and a replay has from the journal. It decodes nothing, because
// that would take many times the memory of the text.
func rewritten(text json.RawMessage, fields []string, a *ahocorasick.Automaton) json.RawMessage {
	if !json.Valid(text) {
		return json.RawMessage(quotedRedacted)
	}
	var out []byte
	done := 0 // text[:done] is in out
	put := func(from, to int, with string) {
		out = append(append(out, text[done:from]...), with...)
		done = to
	}
	scan(text, func(from, to int, key bool) int {
		if clean, found := tokenWithout(a, text[from:to]); found {
			put(from, to, clean)
		}
		if !key || !IsField(fields, unquoted(text[from:to])) {
			return to
		}
		from, to = valueAfter(text, to)
		put(from, to, quotedRedacted)
		return to
	})
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

const quotedRedacted = `"` + redacted + `"`

// tokenWithout returns a string or a number of JSON without secrets, if it has one.
func tokenWithout(a *ahocorasick.Automaton, token json.RawMessage) (clean string, found bool) {
	if a == nil || !standsIn(a, token) {
		return "", false
	}
	text := unquoted(token)
	if clean = withoutSecrets(a, text); clean == text {
		return "", false
	}
	quoted, err := marshal(clean)
	if err != nil { // there is no such text
		return quotedRedacted, true
	}
	return string(quoted), true
}

// unquoted returns the value of a JSON string, and a number unchanged.
func unquoted(token json.RawMessage) string {
	var text string
	if err := json.Unmarshal(token, &text); err != nil {
		return string(token)
	}
	return text
}

// scan visits the strings and numbers of a JSON text in their order, and continues at the index
// that visit returns.
func scan(text json.RawMessage, visit func(from, to int, key bool) int) {
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case c == '"':
			to := textEnd(text, at)
			colon := spaceEnd(text, to)
			at = visit(at, to, colon < len(text) && text[colon] == ':')
		case c == '-' || '0' <= c && c <= '9':
			at = visit(at, plainEnd(text, at), false)
		default:
			at++
		}
	}
}

// valueAfter returns the start and the end of the value of a key that ends at at.
func valueAfter(text json.RawMessage, at int) (from, to int) {
	from = spaceEnd(text, min(spaceEnd(text, at)+1, len(text)))
	depth := 0
	for to = from; to < len(text); {
		switch text[to] {
		case '"':
			to = textEnd(text, to)
		case '[', '{':
			depth++
			to++
		case ']', '}':
			depth--
			to++
		case ',', ':', ' ', '\t', '\r', '\n':
			to++
		default:
			to = plainEnd(text, to)
		}
		if depth <= 0 {
			return from, to
		}
	}
	return from, to
}

// textEnd returns the end of a quoted string.
func textEnd(text json.RawMessage, at int) int {
	for at++; at < len(text) && text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return min(at+1, len(text))
}

// plainEnd returns the end of a number, true, false or null.
func plainEnd(text json.RawMessage, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case ',', ':', ']', '}', ' ', '\t', '\r', '\n':
			return at
		}
	}
	return at
}

// spaceEnd returns the end of white space.
func spaceEnd(text json.RawMessage, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n') {
		at++
	}
	return at
}

// marshal is json.Marshal without the escapes of < and &.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return json.RawMessage(b.Bytes()[:b.Len()-1]), nil // without the newline
}
