// This file defines Secrets, the secret values that a run has met: what leaves its
// evaluations passes them.

package tool

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Secrets holds the secret values that the calls of a run have had as arguments or given
// as results, and replaces them in what is written down: a program that hands a password
// on under another name, or fails with it in a message, does not have it in a journal, a
// log or an error. It knows texts, and numbers, as they are; not what a program makes of
// them. The nil Secrets knows none. It is safe for concurrent use.
type Secrets struct {
	mu    sync.RWMutex
	known map[string]struct{}
	bytes int
	texts []string // known, and as they stand in quotes; the longest first
	// quoted says that one is written otherwise in quotes, and so otherwise again in a text
	// that quotes it: then a JSON text must be read to see whether it has one.
	quoted bool
}

// The bounds of what is known. What is shorter would cut words out of everything, and is
// replaced only in its field. Of what is beyond the others that holds likewise: so many
// are searched for in each text: 64 take up to half a second a megabyte, if they and the text are made for it.
const (
	minSecret      = 6
	maxSecrets     = 64
	maxSecretBytes = 256 << 10
)

// note has the secrets of a call's arguments or result be known: the values of the fields
// so named, or all of them.
func (s *Secrets) note(text json.RawMessage, fields []string, all bool) {
	if len(text) == 0 || !all && !mentions(text, fields) {
		return
	}
	v, err := decode(text)
	if err != nil {
		return
	}
	var found []string
	gather(v, fields, all, &found)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range found {
		s.add(secret)
	}
}

// gather finds the texts and numbers in a value that are secret.
func gather(v any, fields []string, secret bool, found *[]string) {
	switch v := v.(type) {
	case string:
		if secret {
			*found = append(*found, v)
		}
	case json.Number:
		if secret {
			*found = append(*found, v.String())
		}
	case map[string]any:
		for name, x := range v {
			gather(x, fields, secret || slices.Contains(fields, name), found)
		}
	case []any:
		for _, x := range v {
			gather(x, fields, secret, found)
		}
	}
}

// add has a text be known. The caller holds mu.
func (s *Secrets) add(secret string) {
	if _, known := s.known[secret]; known || len(secret) < minSecret || secret == redacted ||
		len(s.known) == maxSecrets || s.bytes+len(secret) > maxSecretBytes {
		return
	}
	if s.known == nil {
		s.known = make(map[string]struct{})
	}
	s.known[secret] = struct{}{}
	s.bytes += len(secret)
	texts := append(slices.Clone(s.texts), secret)
	if quoted, err := marshal(secret); err == nil && string(quoted) != `"`+secret+`"` {
		texts, s.quoted = append(texts, string(quoted[1:len(quoted)-1])), true
	}
	slices.SortStableFunc(texts, func(a, b string) int { return len(b) - len(a) })
	s.texts = texts
}

// all gives the texts to look for.
func (s *Secrets) all() []string {
	if s == nil {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.texts
}

// Text gives a text without the secrets, and without the beginnings of some where it was
// cut: in front of an ellipsis.
func (s *Secrets) Text(text string) string {
	texts := s.all()
	for _, secret := range texts {
		text = strings.ReplaceAll(text, secret, redacted)
	}
	if len(texts) == 0 || !strings.Contains(text, ellipsis) {
		return text
	}
	parts := strings.Split(text, ellipsis)
	for i, part := range parts[:len(parts)-1] {
		parts[i] = withoutBeginning(part, texts)
	}
	return strings.Join(parts, ellipsis)
}

const ellipsis = "…"

// withoutBeginning gives a text without what at its end is the beginning of a secret, if
// that has more than a few bytes.
func withoutBeginning(text string, secrets []string) string {
	longest := 0
	for _, secret := range secrets {
		for n := min(len(secret)-1, len(text)); n > max(longest, minSecret/2); n-- {
			if strings.HasSuffix(text, secret[:n]) && utf8.ValidString(text[:len(text)-n]) {
				longest = n
			}
		}
	}
	if longest == 0 {
		return text
	}
	return text[:len(text)-longest] + redacted
}

// JSON is Text for a JSON text, which stays one.
func (s *Secrets) JSON(text json.RawMessage) json.RawMessage {
	if !s.mayBeIn(string(text)) {
		return text
	}
	v, err := decode(text)
	if err == nil {
		text, err = marshal(s.value(v))
	}
	if err != nil {
		return json.RawMessage(`"` + redacted + `"`)
	}
	return text
}

// mayBeIn says whether a JSON text may have one of the secrets.
func (s *Secrets) mayBeIn(text string) bool {
	if s == nil || text == "" {
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.quoted || slices.ContainsFunc(s.texts, func(secret string) bool { return strings.Contains(text, secret) })
}

// value is Text for a decoded value, keys included.
func (s *Secrets) value(v any) any {
	switch v := v.(type) {
	case string:
		return s.Text(v)
	case json.Number:
		if text := s.Text(v.String()); text != v.String() {
			return text
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			out[s.Text(name)] = s.value(x)
		}
		return out
	case []any:
		for i, x := range v {
			v[i] = s.value(x)
		}
	}
	return v
}

// Error gives an error in whose texts there are no secrets: message, hint and data, those
// of its causes, and those of the elements of parallel operations in which it happened.
func (s *Secrets) Error(err *diag.Error) *diag.Error {
	if err == nil || len(s.all()) == 0 {
		return err
	}
	clean := *err
	clean.Message, clean.Hint = s.Text(err.Message), s.Text(err.Hint)
	if text, ok := err.Data.(string); ok {
		clean.Data = s.Text(text)
	}
	clean.Elements = slices.Clone(err.Elements)
	for i := range clean.Elements {
		clean.Elements[i].Text = s.Text(clean.Elements[i].Text)
	}
	clean.Cause = s.Error(err.Cause)
	clean.Others = slices.Clone(err.Others)
	for i, other := range clean.Others {
		clean.Others[i] = s.Error(other)
	}
	return &clean
}
