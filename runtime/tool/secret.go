// This file defines how secrets are kept out of what is written down.

package tool

import (
	"bytes"
	"encoding/json"
	"slices"
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
			if slices.Contains(secrets, name) {
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
	if len(t.secrets) == 0 || len(text) == 0 {
		return text
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // so that numbers stay as they are
	if dec.Decode(&v) != nil {
		return json.RawMessage(`"` + redacted + `"`)
	}
	out, err := marshal(Redact(v, t.secrets))
	if err != nil {
		return json.RawMessage(`"` + redacted + `"`)
	}
	return out
}
