// This file defines how secrets are kept out of what is written down.

package tool

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// redacted stands for the value of a secret.
const redacted = "[secret]"

// Redact gives a decoded JSON value in which the named fields, at any depth, have lost
// their values. It changes nothing, and gives v itself if nothing is secret.
func Redact(v any, secrets []string) any {
	if len(secrets) == 0 {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			if isSecret(secrets, name) {
				out[name] = redacted
			} else {
				out[name] = Redact(x, secrets)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = Redact(x, secrets)
		}
		return out
	}
	return v
}

// redact is Redact for a JSON text.
func (t *Tool) redact(text json.RawMessage) json.RawMessage {
	if !mentions(text, t.secrets) {
		return text
	}
	return rewritten(text, t.secrets, nil)
}

// isSecret says whether a field is one of those named, in capitals or not: package
// encoding/json, which tools read their arguments with, makes no difference either.
func isSecret(secrets []string, name string) bool {
	return slices.ContainsFunc(secrets, func(secret string) bool { return strings.EqualFold(secret, name) })
}

// mentions says whether a JSON text may have one of the fields. To look is much less work
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
	return slices.ContainsFunc([]string{`\u`, kelvin, longS}, func(other string) bool { return bytes.Contains(lower, []byte(other)) })
}

// plainName is that of a field which can be written in no other way than as it is, but for
// capitals, \u escapes, and two characters that are the same as letters but for that.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

const kelvin, longS = "\u212A", "\u017F" // K and s

// redactResult is redact for a result, which may be secret as a whole.
func (t *Tool) redactResult(text json.RawMessage) json.RawMessage {
	if t.secretResult && len(text) > 0 && string(text) != "null" {
		return json.RawMessage(quotedRedacted)
	}
	return t.redact(text)
}
