package jregex

// This file defines the parser of Java's pattern syntax: sequences, groups and
// quantifiers. It follows java.util.regex.Pattern where that is not obvious,
// since the corner cases ([]a], a{2}{3}, comments in classes) are defined by it.

import (
	"math"
	"slices"
	"strings"
)

type op uint8

const (
	opSet       op = iota // one code point of a set
	opLiteral             // text
	opSeq                 // kids one after another; none: the empty match
	opAlt                 // one of kids
	opGroup               // capturing group
	opRepeat              // kids[0], min to max times
	opBegin               // \A, and ^ without (?m)
	opLineBegin           // ^ with (?m)
	opEnd                 // \z
	opFinalEnd            // $ without (?m), and \Z
	opLineEnd             // $ with (?m)
	opWord                // \b
	opNotWord             // \B
	opLineBreak           // \R
)

type node struct {
	op       op
	set      set
	text     []rune
	kids     []*node
	min, max int  // opRepeat; max -1: no limit
	lazy     bool // opRepeat
	unix     bool // opFinalEnd, opLineEnd: only \n ends lines
	index    int  // opGroup
}

type flag uint8

const (
	flagCase        flag = 1 << iota // i
	flagMulti                        // m
	flagDotAll                       // s
	flagUnixLines                    // d
	flagUnicodeCase                  // u
	flagComments                     // x
	flagUnicode                      // U
)

var flagLetters = map[rune]flag{
	'i': flagCase, 'm': flagMulti, 's': flagDotAll, 'd': flagUnixLines,
	'u': flagUnicodeCase, 'x': flagComments, 'U': flagUnicode | flagUnicodeCase,
}

// maxDepth limits the nesting of groups and classes: the parser, and the one of
// regexp/syntax behind it, are recursive.
const maxDepth = 200

// maxRepeat is the largest count that regexp/syntax takes.
const maxRepeat = 1000

// zero ends the pattern; a pattern may hold U+0000 too.
const zero = 0

type parser struct {
	pat    []rune // with two zeros at the end
	n      int    // length without these
	cursor int
	flags  flag
	depth  int
	groups int
	names  []string // by group, "" if it has none
	err    *Error   // the first one
}

func (p *parser) has(f flag) bool { return p.flags&f != 0 }

// fail notes the first error. From there on the pattern seems to be at its end,
// so that every loop of the parser stops.
func (p *parser) fail(kind ErrorKind, message string) {
	if p.err == nil {
		p.err = &Error{kind, message, max(0, p.cursor-1)}
	}
	p.pat, p.n = nil, math.MinInt
}

func (p *parser) syntax(message string) { p.fail(Syntax, message) }

func (p *parser) unsupported(what, text string) {
	p.fail(Unsupported, what+" is not supported: "+text)
}

// parsePattern parses a whole pattern.
func parsePattern(pattern string) (root *node, p *parser, err error) {
	p = &parser{pat: unquote([]rune(pattern)), names: []string{""}}
	p.n = len(p.pat)
	p.pat = append(p.pat, zero, zero)
	root = p.alternation()
	if p.cursor < p.n {
		if p.peek() == ')' {
			p.cursor++
			p.syntax("Unmatched closing ')'")
		}
		p.syntax("Unexpected internal error")
	}
	if p.err != nil {
		return nil, nil, p.err
	}
	return root, p, nil
}

// unquote replaces \Q…\E by escapes.
func unquote(pat []rune) []rune {
	var out []rune
	quoted := false
	start := false // the next character is the first of a quotation
	for i := 0; i < len(pat); i++ {
		c := pat[i]
		next := rune(zero)
		if i+1 < len(pat) {
			next = pat[i+1]
		}
		switch {
		case c == '\\' && !quoted && next == 'Q':
			quoted, start = true, true
			i++
			continue
		case c == '\\' && quoted && next == 'E':
			quoted = false
			i++
		case c == '\\' && !quoted && i+1 < len(pat):
			out = append(out, c, next)
			i++
		case quoted && start && c >= '0' && c <= '9':
			// An escape before the quotation must not swallow the digit.
			out = append(out, '\\', 'x', '3', c)
		case quoted && c < 0x80 && !isAlnum(c):
			out = append(out, '\\', c)
		default:
			out = append(out, c)
		}
		start = false
	}
	return out
}

func isAlpha(c rune) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c rune) bool { return c >= '0' && c <= '9' }
func isAlnum(c rune) bool { return isAlpha(c) || isDigit(c) }

func isSpace(c rune) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// at returns a character, and zero behind the end.
func (p *parser) at(i int) rune {
	if i < 0 || i >= len(p.pat) {
		return zero
	}
	return p.pat[i]
}

// skipComments moves the cursor, in (?x), over white space and comments.
func (p *parser) skipComments() {
	for p.has(flagComments) && p.cursor < p.n {
		c := p.at(p.cursor)
		if c == '#' {
			for p.cursor < p.n && !p.isLineEnd(p.at(p.cursor)) {
				p.cursor++
			}
			continue
		}
		if !isSpace(c) {
			return
		}
		p.cursor++
	}
}

func (p *parser) isLineEnd(c rune) bool {
	return c == '\n' || !p.has(flagUnixLines) && (c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029)
}

// peek returns the current character, next goes on to the following one and
// returns it; read returns the current one and goes on. They pass comments by,
// skip, which is read without, does not.
func (p *parser) peek() rune {
	p.skipComments()
	return p.at(p.cursor)
}

func (p *parser) next() rune {
	p.cursor++
	return p.peek()
}

func (p *parser) read() rune {
	p.skipComments()
	return p.skip()
}

func (p *parser) skip() rune {
	c := p.at(p.cursor)
	p.cursor++
	return c
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail(Limit, "pattern is nested too deeply")
	}
}

// alternation parses a|b|c up to a ) or the end.
func (p *parser) alternation() *node {
	p.enter()
	alt := []*node{p.sequence()}
	for p.peek() == '|' && p.cursor < p.n {
		p.cursor++
		alt = append(alt, p.sequence())
	}
	p.depth--
	if len(alt) == 1 {
		return alt[0]
	}
	return &node{op: opAlt, kids: alt}
}

func (p *parser) sequence() *node {
	seq := &node{op: opSeq}
	for {
		c := p.peek()
		if p.cursor >= p.n || c == '|' || c == ')' {
			return seq
		}
		var n *node
		switch c {
		case '(':
			if n = p.group(); n == nil {
				continue // flags
			}
		case '*', '+', '?':
			p.cursor++
			p.syntax("Dangling meta character '" + string(c) + "'")
			return seq
		default:
			n = p.atom(c)
		}
		n = p.closure(n)
		// Runs of plain characters become one literal.
		if k := len(seq.kids); n.op == opLiteral && k > 0 && seq.kids[k-1].op == opLiteral {
			seq.kids[k-1].text = append(seq.kids[k-1].text, n.text...)
			continue
		}
		seq.kids = append(seq.kids, n)
	}
}

// atom parses one thing that a quantifier can follow.
func (p *parser) atom(c rune) *node {
	switch c {
	case '[':
		return &node{op: opSet, set: p.class(true)}
	case '^':
		p.cursor++
		if p.has(flagMulti) {
			return &node{op: opLineBegin}
		}
		return &node{op: opBegin}
	case '$':
		p.cursor++
		if p.has(flagMulti) {
			return &node{op: opLineEnd, unix: p.has(flagUnixLines)}
		}
		return &node{op: opFinalEnd, unix: p.has(flagUnixLines)}
	case '.':
		p.cursor++
		return &node{op: opSet, set: p.dot()}
	case '{': // Java: an empty atom, which the braces then repeat
		return &node{op: opSeq}
	case '\\':
		p.cursor++
		return p.escapeAtom()
	}
	p.cursor++
	return p.literal(c)
}

var lineEnds = chars("\n\r\u0085\u2028\u2029")

func (p *parser) dot() set {
	switch {
	case p.has(flagDotAll):
		return set(nil).negate()
	case p.has(flagUnixLines):
		return single('\n').negate()
	}
	return lineEnds.negate()
}

// literal is a character under the current flags.
func (p *parser) literal(c rune) *node {
	if s := p.fold(single(c)); len(s) > 1 || s[0].lo != s[0].hi {
		return &node{op: opSet, set: s}
	}
	return &node{op: opLiteral, text: []rune{c}}
}

// fold adds the other cases if the flags ask for it.
func (p *parser) fold(s set) set {
	switch {
	case !p.has(flagCase):
		return s
	case p.has(flagUnicodeCase):
		if len(s) == 1 && s[0].lo == s[0].hi {
			return foldOne(s[0].lo)
		}
		return foldUnicode(s)
	}
	return foldASCII(s)
}

// closure parses the quantifier behind n, if there is one.
func (p *parser) closure(n *node) *node {
	c := p.peek()
	if p.cursor >= p.n {
		return n
	}
	r := &node{op: opRepeat, kids: []*node{n}, max: -1}
	switch c {
	case '?':
		r.max = 1
	case '*':
	case '+':
		r.min = 1
	case '{':
		p.counts(r)
	default:
		return n
	}
	switch p.next() {
	case '?':
		p.cursor++
		r.lazy = true
	case '+':
		p.cursor++
		p.unsupported("possessive quantifier", string(c)+"+")
	}
	return r
}

// counts parses {n}, {n,} or {n,m}, all but the closing brace.
func (p *parser) counts(r *node) {
	p.cursor++
	if !isDigit(p.at(p.cursor)) {
		p.cursor++
		p.syntax("Illegal repetition")
	}
	r.min = p.number()
	r.max = r.min
	if p.peek() == ',' {
		p.cursor++
		r.max = -1
		if p.peek() != '}' {
			r.max = p.number()
		}
	}
	if p.peek() != '}' {
		p.cursor++
		p.syntax("Unclosed counted closure")
	}
	if r.max >= 0 && r.max < r.min {
		p.cursor++
		p.syntax("Illegal repetition range")
	}
	if max(r.min, r.max) > maxRepeat {
		p.fail(Limit, "a count above 1000 is not supported in {n,m}")
	}
}

func (p *parser) number() int {
	n := 0
	for isDigit(p.peek()) {
		if n = n*10 + int(p.read()-'0'); n > 1<<31-1 {
			p.syntax("Illegal repetition range")
		}
	}
	return n
}

// group parses what ( begins. Flags that hold up to the end of the enclosing
// group give nil.
func (p *parser) group() *node {
	saved := p.flags
	var n *node
	if p.next() != '?' {
		n = p.capture("")
	} else {
		p.cursor++
		c := p.skip()
		switch c {
		case ':':
			n = p.alternation()
		case '=', '!':
			p.unsupported("lookahead", "(?"+string(c))
		case '>':
			p.unsupported("atomic group", "(?>")
		case '<':
			if c := p.read(); c == '=' || c == '!' {
				p.unsupported("lookbehind", "(?<"+string(c))
			} else {
				n = p.capture(p.groupName(c))
			}
		case '$', '@':
			p.syntax("Unknown group type")
		default:
			p.cursor--
			p.setFlags()
			switch p.read() {
			case ')':
				return nil
			case ':':
				n = p.alternation()
			default:
				p.syntax("Unknown inline modifier")
			}
		}
	}
	if p.read() != ')' || p.cursor > p.n {
		p.syntax("Unclosed group")
	}
	p.flags = saved
	return n
}

func (p *parser) capture(name string) *node {
	p.groups++
	p.names = append(p.names, name)
	index := p.groups // alternation goes on counting
	return &node{op: opGroup, index: index, kids: []*node{p.alternation()}}
}

// groupName parses name> after (?< and its first character.
func (p *parser) groupName(c rune) string {
	if !isAlpha(c) {
		p.syntax("capturing group name does not start with a Latin letter")
	}
	var b strings.Builder
	for ; isAlnum(c); c = p.read() {
		b.WriteRune(c)
	}
	if c != '>' {
		p.syntax("named capturing group is missing trailing '>'")
	}
	if slices.Contains(p.names, b.String()) {
		p.syntax("Named capturing group <" + b.String() + "> is already defined")
	}
	return b.String()
}

// setFlags parses ims-x.
func (p *parser) setFlags() {
	on := true
	for {
		c := p.peek()
		f, ok := flagLetters[c]
		switch {
		case c == '-' && on:
			on = false
		case c == 'c':
			p.unsupported("canonical equivalence", "(?c)")
		case !ok:
			return
		case on:
			p.flags |= f
		default:
			p.flags &^= f
		}
		p.cursor++
	}
}
