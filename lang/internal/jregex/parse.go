package jregex

// This file parses Java's pattern syntax: sequences, groups and quantifiers. It follows
// java.util.regex.Pattern where the syntax is not obvious, because its implementation defines the
// corner cases ([]a], a{2}{3}, comments in classes).

import (
	"math"
	"sync"
)

type op uint8

const (
	opSet       op = iota // one code point of a set
	opLiteral             // text
	opSeq                 // kids in sequence; none: the empty match
	opAlt                 // one of kids
	opGroup               // a capturing group
	opRepeat              // kids[0], min to max times
	opBegin               // \A, and ^ without (?m)
	opLineBegin           // ^ with (?m)
	opEnd                 // \z
	opFinalEnd            // $ without (?m), and \Z
	opLineEnd             // $ with (?m)
	opWord                // \b
	opNotWord             // \B
	opLineBreak           // \R
	opLook                // lookahead and lookbehind: kids[0] matches, or with negative does not
	opAtomic              // (?>…): kids[0], without its alternatives
	opBackref             // the string of group index
)

type node struct {
	op       op
	set      set
	text     []rune
	kids     []*node
	min, max int  // opRepeat; max -1: no limit
	lazy     bool // opRepeat
	unix     bool // opLineBegin, opFinalEnd, opLineEnd: only \n ends lines
	index    int  // opGroup, opBackref

	option     bool // opRepeat: written with ?
	possessive bool // opRepeat
	negative   bool // opLook
	behind     bool // opLook: min to max code points before
	fold       flag // opBackref: flagCase, flagUnicodeCase
}

// isAssertion reports whether a node matches between code points only.
func (n *node) isAssertion() bool { return n.op >= opBegin && n.op <= opNotWord }

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

var flagLetters = sync.OnceValue(func() map[rune]flag {
	return map[rune]flag{
		'i': flagCase, 'm': flagMulti, 's': flagDotAll, 'd': flagUnixLines,
		'u': flagUnicodeCase, 'x': flagComments, 'U': flagUnicode | flagUnicodeCase,
	}
})

// maxDepth limits the nesting of groups and classes, because this parser and that of regexp/syntax
// are recursive.
const maxDepth = 200

// maxRepeat is the largest count that regexp/syntax accepts. It writes counted repetitions out, so a
// larger one would make large programs; the backtracking engine counts instead.
const maxRepeat = 1000

// zero marks the end of the pattern. A pattern may also contain U+0000.
const zero = 0

type parser struct {
	pat    []rune // with two zeros at the end
	n      int    // length without the zeros
	cursor int
	flags  flag
	depth  int
	groups int
	names  []string // by group, "" if it has none
	err    *Error   // the first error
	spans  int      // ranges that properties may still use

	backtracks bool // the pattern needs the backtracking engine
}

func (p *parser) has(f flag) bool { return p.flags&f != 0 }

// fail records the first error. From then on the parser behaves as at the end of the pattern, so
// that all its loops stop.
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

// parsePattern parses a whole pattern. Its properties may have at most the given number of ranges
// in total.
func parsePattern(pattern string, spans int) (root *node, p *parser, err error) {
	p = &parser{pat: unquote([]rune(pattern)), names: []string{""}, spans: spans}
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

// at returns the character at i, or zero after the end.
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

// peek returns the current character. next advances to the following character and returns it. read
// returns the current character and advances. These three skip comments; skip is read without
// skipping comments.
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

// weigh counts the ranges of a property each time it is used: \p{L} has 650.
func (p *parser) weigh(s set) set {
	if p.spans -= len(s); p.spans < 0 {
		p.fail(Limit, "pattern has too many large character classes")
	}
	return s
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
		// Adjacent plain characters become one literal.
		if k := len(seq.kids); n.op == opLiteral && k > 0 && seq.kids[k-1].op == opLiteral {
			seq.kids[k-1].text = append(seq.kids[k-1].text, n.text...)
			continue
		}
		seq.kids = append(seq.kids, n)
	}
}

// atom parses one element that a quantifier can follow.
func (p *parser) atom(c rune) *node {
	switch c {
	case '[':
		return &node{op: opSet, set: p.class(true)}
	case '^':
		p.cursor++
		if p.has(flagMulti) {
			return &node{op: opLineBegin, unix: p.has(flagUnixLines)}
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

// literal returns a node for a character under the current flags.
func (p *parser) literal(c rune) *node {
	if s := p.fold(single(c)); len(s) > 1 || s[0].lo != s[0].hi {
		return &node{op: opSet, set: s}
	}
	return &node{op: opLiteral, text: []rune{c}}
}

// fold adds the other cases if the flags require it.
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
