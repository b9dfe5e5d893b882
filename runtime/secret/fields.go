// This file defines how fields that are secret lose their values.

package secret

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// redacted stands for the value of a secret.
const redacted = "[secret]"

// RedactValue returns a decoded JSON value in which the named fields, at any depth, have lost
// their values. It changes nothing, and returns v itself if no field is named.
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

// Redact is RedactValue for a JSON text, which keeps all else byte for byte.
func Redact(text json.RawMessage, secrets []string) json.RawMessage {
	if !mentions(text, secrets) {
		return text
	}
	return rewritten(text, secrets, nil)
}

// Whole is the JSON text that stands for a value that is secret as a whole.
const Whole = quotedRedacted

// IsField reports whether a field is one of those named. Capitals make no difference, as in
// package encoding/json, which tools read their arguments with.
func IsField(secrets []string, name string) bool {
	return slices.ContainsFunc(secrets, func(secret string) bool { return strings.EqualFold(secret, name) })
}

// mentions reports whether a JSON text may have one of the fields. To look is much less work
// than to read the text.
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

// plainName is that of a field which can be written in no other way than as it is, but for
// capitals, \u escapes, and two characters that are the same as letters but for that.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

const kelvin, longS = "\u212A", "\u017F" // K and s
