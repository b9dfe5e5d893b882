// This file searches texts for secrets.

package secret

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/runtime/secret/internal/ahocorasick"
)

const ellipsis = "…"

// withoutSecrets returns a text in which each run of bytes that belong to secrets is replaced.
// Before an ellipsis, where a text was cut, it also replaces the beginning of a secret if it has
// more than a few bytes. It takes time in proportion to the text, and copies the text only if it
// has a secret.
func withoutSecrets(a *ahocorasick.Automaton, text string) string {
	if a == nil {
		return text
	}
	var secret []span
	var at ahocorasick.State
	for from, done := 0, 0; ; {
		part, _, cut := strings.Cut(text[from:], ellipsis)
		end := from + len(part)
		for n := 0; done < end; {
			at, n = ahocorasick.Next(a, at, text[done:end])
			done += n
			secret = cover(secret, done-a.Found(at), done)
		}
		if !cut {
			return replaced(text, secret)
		}
		if n := a.Begun(at); n > minSecret/2 {
			secret = cover(secret, end-n, end)
		}
		from = end + len(ellipsis)
	}
}

// span is a part of a text.
type span struct{ from, to int }

// cover adds a part to the parts of a text, unless it is empty. Parts do not overlap or touch each
// other, and none ends after the new part.
func cover(parts []span, from, to int) []span {
	if from == to {
		return parts
	}
	for len(parts) > 0 && parts[len(parts)-1].to >= from {
		from = min(from, parts[len(parts)-1].from)
		parts = parts[:len(parts)-1]
	}
	return append(parts, span{from, to})
}

// replaced returns a text in which parts are replaced.
func replaced(text string, parts []span) string {
	if len(parts) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, p := range parts {
		b.WriteString(text[at:p.from])
		b.WriteString(redacted)
		at = p.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// standsIn reports whether a JSON text may have a secret in one of its strings or numbers. It
// searches the text without its escapes.
func standsIn(a *ahocorasick.Automaton, text json.RawMessage) bool {
	if !utf8.Valid(text) {
		return true // it has escapes that change it
	}
	s := search{a: a}
	var char [utf8.UTFMax]byte
	for {
		plain, behind, escaped := bytes.Cut(text, []byte{'\\'})
		if s.finds(plain) {
			return true
		}
		if !escaped {
			return false
		}
		r, size := unescape(behind)
		if s.finds(utf8.AppendRune(char[:0], r)) {
			return true
		}
		text = behind[size:]
	}
}

// search searches a text that is passed in parts. No part ends inside an ellipsis.
type search struct {
	a  *ahocorasick.Automaton
	at ahocorasick.State
}

// finds reports whether the text up to the end of a part has something to replace.
func (s *search) finds(part []byte) bool {
	for {
		plain, behind, cut := bytes.Cut(part, []byte(ellipsis))
		if s.at, _ = ahocorasick.Next(s.a, s.at, plain); s.a.Found(s.at) > 0 {
			return true
		}
		if !cut {
			return false
		}
		if s.a.Begun(s.at) > minSecret/2 {
			return true
		}
		if s.at, _ = ahocorasick.Next(s.a, s.at, ellipsis); s.a.Found(s.at) > 0 {
			return true
		}
		part = behind
	}
}

// unescape reads the escape after a backslash in a JSON text.
func unescape(text []byte) (r rune, size int) {
	if len(text) == 0 {
		return utf8.RuneError, 0
	}
	switch c := text[0]; c {
	case 'b':
		return '\b', 1
	case 'f':
		return '\f', 1
	case 'n':
		return '\n', 1
	case 'r':
		return '\r', 1
	case 't':
		return '\t', 1
	case 'u':
		r = unit(text)
		if utf16.IsSurrogate(r) {
			if low, ok := bytes.CutPrefix(text[5:], []byte{'\\'}); ok {
				if r := utf16.DecodeRune(r, unit(low)); r != utf8.RuneError {
					return r, 11
				}
			}
			return utf8.RuneError, 5
		}
		return r, min(5, len(text))
	default:
		return rune(c), 1
	}
}

// unit reads the u and four digits of an escape. It returns U+FFFD if they are malformed.
func unit(text []byte) rune {
	if len(text) < 5 || text[0] != 'u' {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(string(text[1:5]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}
