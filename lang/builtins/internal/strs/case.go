// This file defines case, blanks and trimming of clojure.string.

package strs

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/value"
)

// caser makes a builtin that changes the case of letters. In a text of ASCII it
// changes the 26 letters from first on, if first is not 0.
func caser(name string, first byte, f func(t *value.Task, b *value.Buf, s string)) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		s := text(t, a[0], name)
		if first != 0 && isASCII(t, s) {
			return t.StringOf(len(s), func(out []byte) {
				for i := range out {
					if i&63 == 0 {
						t.Work(8)
					}
					c := s[i]
					if c-first < 26 {
						c ^= 'a' - 'A'
					}
					out[i] = c
				}
			})
		}
		b := t.Buf()
		f(t, b, s)
		return b.Value()
	}
}

func isASCII(t *value.Task, s string) bool {
	for s != "" {
		var all byte
		piece := s[:value.TextPiece(s)]
		for i := range len(piece) {
			all |= piece[i]
		}
		if all >= utf8.RuneSelf {
			return false
		}
		t.Work(int64(len(piece)) / 256)
		s = s[len(piece):]
	}
	return true
}

// upper writes s in upper case, by the full mapping: ß becomes SS.
func upper(t *value.Task, b *value.Buf, s string) {
	for _, r := range s {
		t.Work(1)
		if r >= utf8.RuneSelf {
			if many, ok := upperMany()[r]; ok {
				b.WriteString(many)
				continue
			}
		}
		b.WriteRune(unicode.ToUpper(r))
	}
}

// upperMany are the characters whose upper case is several (SpecialCasing.txt,
// those without a condition; the Greek ones with iota subscript follow below).
var upperMany = sync.OnceValue(func() map[rune]string {
	m := map[rune]string{'ß': "SS", 'ŉ': "ʼN", 'ǰ': "J̌", 'ΐ': "Ϊ́", 'ΰ': "Ϋ́", 'և': "ԵՒ", 'ẖ': "H̱", 'ẗ': "T̈", 'ẘ': "W̊",
		'ẙ': "Y̊", 'ẚ': "Aʾ", 'ﬀ': "FF", 'ﬁ': "FI", 'ﬂ': "FL", 'ﬃ': "FFI", 'ﬄ': "FFL", 'ﬅ': "ST", 'ﬆ': "ST", 'ﬓ': "ՄՆ",
		'ﬔ': "ՄԵ", 'ﬕ': "ՄԻ", 'ﬖ': "ՎՆ", 'ﬗ': "ՄԽ"}
	for base, plain := range map[rune]rune{'ᾀ': 'Ἀ', 'ᾐ': 'Ἠ', 'ᾠ': 'Ὠ'} {
		for i := range rune(8) {
			m[base+i], m[base+i+8] = string(plain+i)+"Ι", string(plain+i)+"Ι"
		}
	}
	return m
})

// lower writes s in lower case; Σ at the end of a word becomes ς.
func lower(t *value.Task, b *value.Buf, s string) {
	letter := false
	for i, r := range s {
		t.Work(1)
		switch {
		case r == 'İ':
			b.WriteString("i̇")
		case r == 'Σ' && letter && !followedByLetter(s[i+len("Σ"):]):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		letter = unicode.IsLetter(r)
	}
}

func followedByLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s != "" && unicode.IsLetter(r)
}

func capitalize(t *value.Task, b *value.Buf, s string) {
	_, size := utf8.DecodeRuneInString(s)
	upper(t, b, s[:size])
	lower(t, b, s[size:])
}

// isSpace is Java's Character.isWhitespace.
func isSpace(r rune) bool {
	switch {
	case r >= '\t' && r <= '\r', r >= 0x1c && r <= ' ':
		return true
	case r < 0x1680, r == 0x2007, r == 0x202f:
		return false
	}
	return unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp)
}

// counted is a test of characters that counts work for each.
func counted(t *value.Task, test func(r rune) bool) func(r rune) bool {
	return func(r rune) bool {
		t.Work(1)
		return test(r)
	}
}

// Trim returns a string without white space at both ends.
func Trim(t *value.Task, s string) string      { return strings.TrimFunc(s, counted(t, isSpace)) }
func trimLeft(t *value.Task, s string) string  { return strings.TrimLeftFunc(s, counted(t, isSpace)) }
func trimRight(t *value.Task, s string) string { return strings.TrimRightFunc(s, counted(t, isSpace)) }

func trimNewlines(t *value.Task, s string) string {
	return strings.TrimRightFunc(s, counted(t, func(r rune) bool { return r == '\r' || r == '\n' }))
}

// trimmer makes a builtin that trims the ends of a string.
func trimmer(f func(t *value.Task, s string) string) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		s := a[0].AsString().S
		short := f(t, s)
		t.Spend(int64(len(short)) / 64)
		if len(short) == len(s) {
			return a[0]
		}
		return t.CopyString(short)
	}
}
