// This file defines how numbers, characters and strings are read.

package parser

import (
	"math"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// number reads a number.
func (r *reader) number(text string, start int) value.Value {
	if n, ok := smallInt(text); ok {
		return value.Int(n)
	}
	v, err := r.t.ParseNumber(text)
	if err != nil {
		r.failNumber(text, start, err)
	}
	return v
}

// smallInt reads a decimal integer of up to 18 digits, by far the most frequent kind of number.
func smallInt(s string) (n int64, ok bool) {
	neg := s[0] == '-'
	if neg || s[0] == '+' {
		s = s[1:]
	}
	if len(s) > 18 || s == "" || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = n*10 + int64(s[i]-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}

// symbolic reads ##Inf, ##-Inf and ##NaN.
func (r *reader) symbolic(text string, start int) value.Value {
	i := strings.LastIndexAny(text, "#, \t\r\n") + 1
	switch text[i:] {
	case "Inf":
		return value.Float(math.Inf(1))
	case "-Inf":
		return value.Float(math.Inf(-1))
	case "NaN":
		return value.Float(math.NaN())
	}
	r.failAt(start, start+len(text), "unknown symbolic value "+r.quote(start, start+len(text)),
		"the symbolic values are ##Inf, ##-Inf and ##NaN")
	return value.Nil
}

// charNames maps the names of characters to the characters.
var charNames = sync.OnceValue(func() map[string]rune {
	return map[string]rune{
		"newline": '\n', "space": ' ', "tab": '\t', "return": '\r', "backspace": '\b', "formfeed": '\f',
	}
})

// char reads a character literal; text begins with the backslash.
func (r *reader) char(text string, start int) value.Value {
	name := text[1:]
	c, size := utf8.DecodeRuneInString(name)
	if size == len(name) {
		return value.Char(c)
	}
	if c, ok := charNames()[name]; ok {
		return value.Char(c)
	}
	end := start + len(text)
	switch name[0] {
	case 'u':
		n, ok := hexDigits(name[1:], 4)
		switch {
		case !ok || len(name) != 5:
			r.failAt(start, end, "bad character "+r.quote(start, end)+`: \u takes exactly 4 hexadecimal digits`,
				`write \u03bb, or the character itself after \`)
		case utf16.IsSurrogate(n):
			r.failAt(start, end, "bad character "+r.quote(start, end)+": it is half of a surrogate pair",
				`write the character itself after \`)
		}
		return value.Char(n)
	case 'o':
		n := rune(0)
		for _, d := range name[1:] {
			if d < '0' || d > '7' || n > 0377 {
				n = 0400
				break
			}
			n = n*8 + d - '0'
		}
		if n > 0377 || len(name) > 4 {
			r.failAt(start, end, "bad character "+r.quote(start, end)+`: \o takes 1 to 3 octal digits, at most 377`,
				`write \o101`)
		}
		return value.Char(n)
	}
	r.failAt(start, end, "unknown character "+r.quote(start, end),
		`write one character after \, or newline, space, tab, return, backspace, formfeed, u03bb, o101`)
	return value.Nil
}

// hexDigits reads n hexadecimal digits at the start of s.
func hexDigits(s string, n int) (v rune, ok bool) {
	if len(s) < n {
		return 0, false
	}
	for i := range n {
		d := hexValue(s[i])
		if d < 0 {
			return 0, false
		}
		v = v*16 + d
	}
	return v, true
}

func hexValue(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// plainEscapes maps the letter of each one-letter escape to its character, and other bytes to 0.
var plainEscapes = [256]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '\\': '\\', '"': '"'}

// escaped reads a string with escapes. text is the part between its quotes; it begins at byte
// start.
func (r *reader) escaped(text string, start int) value.Value {
	if cap(r.scratch) < len(text) {
		r.t.Charge(limits.BytesSize(len(text)))
		r.scratch = make([]byte, 0, len(text)) // no escape is shorter than its character
	}
	buf := r.scratch[:0]
	for i := 0; i < len(text); {
		n := strings.IndexByte(text[i:], '\\')
		if n < 0 {
			buf = append(buf, text[i:]...)
			break
		}
		buf = append(buf, text[i:i+n]...)
		i += n
		if c := plainEscapes[text[i+1]]; c != 0 {
			buf = append(buf, c)
			i += 2
			continue
		}
		c, size := r.escape(text[i:], start+i)
		if r.err != nil {
			return value.Nil
		}
		buf = utf8.AppendRune(buf, c)
		i += size
	}
	return r.t.StringOfBytes(buf)
}

// escape reads the escape at the start of s, which is at byte start: \uXXXX or \ooo. Two \u escapes
// that are the halves of a surrogate pair make one character.
func (r *reader) escape(s string, start int) (c rune, size int) {
	const hint = `the escapes are \n \t \r \b \f \\ \" \uXXXX and \0 to \377; write \\ for a backslash; ` +
		`in a regex, #"\d", write a single one`
	switch d := s[1]; {
	case d == 'u':
		c, ok := hexDigits(s[2:], 4)
		if !ok {
			r.failAt(start, start+min(len(s), 6), `bad escape in a string: \u takes exactly 4 hexadecimal digits`, hint)
			return 0, 0
		}
		if !utf16.IsSurrogate(c) {
			return c, 6
		}
		if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			if low, ok := hexDigits(s[8:], 4); ok {
				if pair := utf16.DecodeRune(c, low); pair != utf8.RuneError {
					return pair, 12
				}
			}
		}
		r.failAt(start, start+6, "bad escape in a string: "+s[:6]+" is half of a surrogate pair",
			"write both halves, or the character itself")
		return 0, 0
	case d >= '0' && d <= '7':
		for size = 1; size < 4 && size < len(s) && s[size] >= '0' && s[size] <= '7'; size++ {
			c = c*8 + rune(s[size]-'0')
		}
		// Clojure reads up to three digits, and ends early only at space or at a macro character.
		if c > 0377 || size < 4 && size < len(s) && clojureClasses[s[size]]&endsDigit == 0 {
			r.failAt(start, start+min(size+1, len(s)), `bad escape in a string: an octal escape has 3 digits, at most \377`,
				hint)
		}
		return c, size
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	r.failAt(start, start+1+n, `bad escape in a string: `+s[:1+n], hint)
	return 0, 0
}
