// Package secret keeps secrets out of what a run writes down: its journal, its log and its
// errors.
//
//   - Set: the secret values that a run has met. Text, JSON, Error and Logger replace them.
//   - Redact, RedactValue: fields that lose their values because of their names.
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

// Set holds the secret values of the arguments and results of a run's calls, and replaces them
// in what is written down. A program that hands a password on under another name, or fails with
// it in a message, does not have it in a journal, a log or an error. A Set knows strings and
// numbers as they are, in quotes and in URLs. It does not know what else a program makes of
// them. The zero Set is ready for use. The nil Set knows no secret and learns none. A Set is safe for concurrent use.
type Set struct {
	// Learned, if it is not nil, is told each secret that becomes known, but for those of Add.
	Learned func(secret string)

	mu     sync.RWMutex
	known  map[string]struct{}
	texts  []string               // known, in all of their forms
	bytes  int                    // of texts
	search *ahocorasick.Automaton // for texts; nil until something is searched
}

// The bounds of what is known. What is shorter would cut words out of everything, and is
// replaced only in its field. Of what is beyond the others that holds likewise: at the
// bounds the automaton takes 3.3 MB (BenchmarkSecretsBuild). How long a search takes does
// not depend on them but by the caches of the processor (BenchmarkSecrets).
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

// Add has texts be known that no call has brought: those of an earlier run, for which Learned
// is not called.
func (s *Set) Add(texts ...string) {
	for _, text := range texts {
		s.add(text)
	}
}

// learn has the texts and numbers in a value of JSON be known, but for keys.
func (s *Set) learn(value json.RawMessage) {
	scan(value, func(from, to int, key bool) int {
		if !key && to-from >= minSecret {
			s.Meet(unquoted(value[from:to]))
		}
		return to
	})
}

// Meet has secrets be known that the run has met.
func (s *Set) Meet(secrets ...string) {
	for _, secret := range secrets {
		if s.add(secret) && s.Learned != nil {
			s.Learned(secret)
		}
	}
}

// add has a text be known, and reports whether it was not and now is.
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

// forms returns a secret as it is, in the quotes of JSON, of JSON that is safe in HTML and of
// Go, and in URLs: so it stands in messages, and in what a service returns.
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
	if strings.Contains(redacted, secret) { // what is replaced already stays as it is
		all = append(all, redacted)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// automaton returns what finds the secrets; nil if there are none.
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

// Text returns a text without the secrets, and without the beginnings of some where it was
// cut: in front of an ellipsis.
func (s *Set) Text(text string) string { return withoutSecrets(s.automaton(), text) }

// JSON is Text for a JSON text, which stays one.
func (s *Set) JSON(text json.RawMessage) json.RawMessage {
	a := s.automaton()
	if a == nil || !standsIn(a, text) {
		return text
	}
	return rewritten(text, nil, a)
}

// Error returns an error in whose texts there are no secrets: message, hint and data, those
// of its causes, and those of the elements of parallel operations in which it happened.
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
