package jregex

// This file defines escapes, inside and outside character classes.

import (
	"unicode"
	"unicode/utf16"
)

var (
	asciiDigit = rangeOf('0', '9')
	asciiWord  = normalize([]span{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}})
	asciiSpace = normalize([]span{{'\t', '\r'}, {' ', ' '}})
	horizontal = union(chars(" \t\u00a0\u1680\u180e\u202f\u205f\u3000"), rangeOf(0x2000, 0x200a))
	vertical   = union(rangeOf('\n', '\r'), chars("\u0085\u2028\u2029"))
)

// escapeAtom parses an escape outside classes. The cursor is after the backslash.
func (p *parser) escapeAtom() *node {
	c := p.at(p.cursor)
	switch c {
	case 'p', 'P':
		return &node{op: opSet, set: p.property()}
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		p.cursor++
		return p.backref(int(c - '0'))
	case 'k':
		p.cursor++
		return p.namedBackref()
	case 'A':
		p.cursor++
		return &node{op: opBegin}
	case 'z':
		p.cursor++
		return &node{op: opEnd}
	case 'Z':
		p.cursor++
		return &node{op: opFinalEnd, unix: p.has(flagUnixLines)}
	case 'b', 'B':
		p.cursor++
		if p.at(p.cursor) == '{' && c == 'b' && p.at(p.cursor+1) == 'g' {
			p.unsupported("grapheme boundary", `\b{g}`)
		}
		if p.has(flagUnicode) {
			p.unsupported("word boundary with (?U)", `\`+string(c))
		}
		if c == 'B' {
			return &node{op: opNotWord}
		}
		return &node{op: opWord}
	case 'G':
		p.cursor++
		p.unsupported("end of the previous match", `\G`)
	case 'X':
		p.cursor++
		p.unsupported("grapheme cluster", `\X`)
	case 'R':
		p.cursor++
		return &node{op: opLineBreak}
	}
	if r, s := p.escape(false); s != nil {
		return &node{op: opSet, set: s}
	} else {
		return p.literal(r)
	}
}

// escape parses an escape that denotes a character or, if s is not nil, a set. inRange
// reports that the escape ends, or may begin, a range.
func (p *parser) escape(inRange bool) (r rune, s set) {
	if p.cursor >= p.n {
		p.cursor++
		p.syntax("Unexpected internal error") // Java's message for a final backslash
	}
	c := p.skip()
	switch c {
	case '0':
		return p.octal(), nil
	case 'a':
		return 0x07, nil
	case 'c':
		if p.cursor >= p.n {
			p.syntax("Illegal control escape sequence")
		}
		return p.read() ^ 64, nil
	case 'e':
		return 0x1b, nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		return p.unicodeEscape(), nil
	case 'v':
		if inRange {
			return '\v', nil
		}
	case 'x':
		return p.hex(), nil
	case 'N':
		p.unsupported("character name", `\N`)
	}
	if s := p.predefined(c); s != nil {
		return 0, s
	}
	if isAlnum(c) {
		p.syntax("Illegal/unsupported escape sequence")
	}
	return c, nil
}

// predefined returns the set of \d, \W and so on, or nil.
func (p *parser) predefined(c rune) set {
	var s set
	switch unicode.ToLower(c) {
	case 'd':
		s = asciiDigit
		if p.has(flagUnicode) {
			s = posixUnicode("DIGIT", false)
		}
	case 'w':
		s = asciiWord
		if p.has(flagUnicode) {
			s = unicodeWord()
		}
	case 's':
		s = asciiSpace
		if p.has(flagUnicode) {
			s = posixUnicode("SPACE", false)
		}
	case 'h':
		s = horizontal
	case 'v':
		s = vertical
	default:
		return nil
	}
	if c < 'a' {
		s = s.negate()
	}
	return p.weigh(s)
}

// octal parses up to three digits. The first of three digits is at most 3.
func (p *parser) octal() rune {
	isOctal := func(c rune) bool { return c >= '0' && c <= '7' }
	n := p.read()
	if !isOctal(n) {
		p.syntax("Illegal octal escape sequence")
	}
	v := n - '0'
	for i := 0; i < 2 && isOctal(p.peek()) && (i == 0 || n <= '3'); i++ {
		v = v*8 + p.read() - '0'
	}
	return v
}

func hexValue(c rune) rune {
	switch {
	case isDigit(c):
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return -1
}

// hex parses the part after \x: two digits, or {digits}.
func (p *parser) hex() rune {
	c := p.read()
	if v := hexValue(c); v >= 0 {
		if w := hexValue(p.read()); w >= 0 {
			return v<<4 + w
		}
	} else if c == '{' && hexValue(p.peek()) >= 0 {
		var v rune
		for c = p.read(); hexValue(c) >= 0; c = p.read() {
			if v = v<<4 + hexValue(c); v > unicode.MaxRune {
				p.syntax("Hexadecimal codepoint is too big")
			}
		}
		if c != '}' {
			p.syntax("Unclosed hexadecimal escape sequence")
		}
		return v
	}
	p.syntax("Illegal hexadecimal escape sequence")
	return 0
}

// unicodeEscape parses the part after \u, and a second \u if the two make a surrogate pair.
func (p *parser) unicodeEscape() rune {
	high := p.uxxxx()
	if utf16.IsSurrogate(high) && p.at(p.cursor) == '\\' && p.at(p.cursor+1) == 'u' {
		saved := p.cursor
		p.cursor += 2
		if r := utf16.DecodeRune(high, p.uxxxx()); r != unicode.ReplacementChar {
			return r
		}
		p.cursor = saved
	}
	return high
}

func (p *parser) uxxxx() rune {
	var v rune
	for range 4 {
		d := hexValue(p.read())
		if d < 0 {
			p.syntax("Illegal Unicode escape sequence")
		}
		v = v<<4 + d
	}
	return v
}

// foldOne returns the code points that equal c except for case.
func foldOne(c rune) set {
	lower := unicode.ToLower(unicode.ToUpper(c))
	out := []span{{c, c}, {lower, lower}}
	same := func(r rune) {
		if unicode.ToLower(unicode.ToUpper(r)) == lower {
			out = append(out, span{r, r})
		}
	}
	for r := unicode.SimpleFold(c); r != c; r = unicode.SimpleFold(r) {
		same(r)
	}
	if lower == 'i' { // the Turkish letters, which SimpleFold ignores
		same('I')
		same(0x130)
		same(0x131)
	}
	return normalize(out)
}
