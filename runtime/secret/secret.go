// Package secret keeps secrets out of the journal, the log and the errors of a run.
//
//   - Set: the secret values that a run has met. Text, JSON, Error and Logger replace them.
//   - Redact, RedactValue: replace the values of fields by name.
package secret

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/secret/internal/ahocorasick"
)

// Set holds the secret values of the arguments and results of a run's calls, and replaces them in
// the journal, the log and errors, even if a program passes on a password under another name or
// fails with it in a message. A Set finds strings and numbers unchanged, in quotes and in URLs. It
// does not find other encodings by the program. The zero Set is ready for use. The nil Set has no
// secrets and learns none. A Set is safe for concurrent use.
type Set struct {
	// Learned is optional. It is called with each new secret, except those of Add.
	Learned func(secret string)

	mu     sync.RWMutex
	known  map[string]struct{}
	texts  []string               // known, in all of their forms
	bytes  int                    // of texts
	search *ahocorasick.Automaton // for texts; nil until something is searched
}

// The bounds of the known secrets. A secret beyond them is replaced only in its field. A shorter
// secret would be found in many words. At the other bounds the automaton takes 3.5 MB
// (BenchmarkSecretsBuild). They change the time of a search only through the caches of the
// processor (BenchmarkSecrets).
const (
	minSecret      = 6
	maxSecrets     = 1000
	maxSecretBytes = 256 << 10
)

// Note adds the secrets of a JSON text: the values of the fields with these names, or all
// values.
func (s *Set) Note(text json.RawMessage, fields []string, all bool) {
	if all {
		s.learn(text)
	} else if mentions(text, fields) {
		scan(text, func(from, to int, key bool) int {
			if !key || !IsField(fields, unquoted(text[from:to])) {
				return to
			}
			from, to = valueAfter(text, to)
			s.learn(text[from:to])
			return to
		})
	}
}

// Add adds secrets that do not come from a call, such as those of an earlier run. It does not call
// Learned.
func (s *Set) Add(texts ...string) {
	for _, text := range texts {
		s.add(text)
	}
}

// learn adds the strings and numbers in a JSON value, except keys.
func (s *Set) learn(value json.RawMessage) {
	scan(value, func(from, to int, key bool) int {
		if !key && to-from >= minSecret {
			s.Meet(unquoted(value[from:to]))
		}
		return to
	})
}

// Meet adds secrets that the run has met.
func (s *Set) Meet(secrets ...string) {
	for _, secret := range secrets {
		if s.add(secret) && s.Learned != nil {
			s.Learned(secret)
		}
	}
}

// add adds a secret, and reports whether it is new.
func (s *Set) add(secret string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.known[secret]; known || len(s.known) == maxSecrets || len(secret) < minSecret || secret == redacted {
		return false
	}
	texts := forms(secret)
	bytes := s.bytes
	for _, text := range texts {
		bytes += len(text)
	}
	if bytes > maxSecretBytes {
		return false
	}
	if s.known == nil {
		s.known = make(map[string]struct{})
	}
	s.known[secret] = struct{}{}
	s.texts, s.bytes, s.search = append(s.texts, texts...), bytes, nil
	return true
}

// forms returns the forms of a secret in messages and in the responses of services: unchanged, in
// the quotes of JSON, of JSON that is safe in HTML and of Go, and in URLs.
func forms(secret string) []string {
	all := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), (&url.URL{Path: secret}).EscapedPath()}
	quotes := []string{strconv.Quote(secret)}
	safeInHTML := func(v any) (json.RawMessage, error) { return json.Marshal(v) }
	for _, marshal := range []func(any) (json.RawMessage, error){marshal, safeInHTML} {
		if quoted, err := marshal(secret); err == nil {
			quotes = append(quotes, string(quoted))
		}
	}
	for _, quoted := range quotes {
		all = append(all, quoted[1:len(quoted)-1])
	}
	if strings.Contains(redacted, secret) { // a replacement is not replaced again
		all = append(all, redacted)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// automaton returns the automaton that finds the secrets; nil if there are none.
func (s *Set) automaton() *ahocorasick.Automaton {
	if s == nil {
		return nil
	}
	s.mu.RLock()
	search, none := s.search, len(s.texts) == 0
	s.mu.RUnlock()
	if search != nil || none {
		return search
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.search == nil {
		s.search = ahocorasick.New(s.texts)
	}
	return s.search
}

// Text returns a text without the secrets, and without the beginnings of secrets before an
// ellipsis, where the text was cut.
func (s *Set) Text(text string) string { return withoutSecrets(s.automaton(), text) }

// JSON is Text for a JSON text. The result is JSON too.
func (s *Set) JSON(text json.RawMessage) json.RawMessage {
	a := s.automaton()
	if a == nil || !standsIn(a, text) {
		return text
	}
	return rewritten(text, nil, a)
}

// Error returns an error without secrets in its message, hint and data, in those of its causes, and
// in those of the elements of parallel operations in which it happened.
func (s *Set) Error(err *diag.Error) *diag.Error {
	if err == nil || s.automaton() == nil {
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
