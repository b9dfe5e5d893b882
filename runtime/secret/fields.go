// This file replaces the values of secret fields.

package secret

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// redacted replaces the value of a secret.
const redacted = "[secret]"

// RedactValue returns a decoded JSON value in which the values of the named fields, at any depth,
// are replaced. It does not change v, and returns v itself if there are no names.
func RedactValue(v any, secrets []string) any {
	if len(secrets) == 0 {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			if IsField(secrets, name) {
				out[name] = redacted
			} else {
				out[name] = RedactValue(x, secrets)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = RedactValue(x, secrets)
		}
		return out
	}
	return v
}

// Redact is RedactValue for a JSON text. It keeps the other bytes.
func Redact(text json.RawMessage, secrets []string) json.RawMessage {
	if !mentions(text, secrets) {
		return text
	}
	return rewritten(text, secrets, nil)
}

// Whole is the JSON text that replaces a value that is secret as a whole.
const Whole = quotedRedacted

// IsField reports whether a field is one of the named ones. It ignores case, like package
// encoding/json, with which tools decode their arguments.
func IsField(secrets []string, name string) bool {
	return slices.ContainsFunc(secrets, func(secret string) bool { return strings.EqualFold(secret, name) })
}

// mentions reports whether a JSON text may have one of the fields. This is much less work than
// reading the text.
func mentions(text json.RawMessage, fields []string) bool {
	if len(fields) == 0 {
		return false
	}
	lower := make([]byte, len(text))
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	for _, name := range fields {
		if bytes.Contains(lower, []byte(strings.ToLower(name))) || !plainName.MatchString(name) {
			return true
		}
	}
	return slices.ContainsFunc([]string{`\u`, kelvin, longS}, func(other string) bool {
		return bytes.Contains(lower, []byte(other))
	})
}

// plainName is a name that JSON can write in no other way, except for case, \u escapes, and two
// characters that equal letters when case is ignored.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

const kelvin, longS = "\u212A", "\u017F" // K and s
