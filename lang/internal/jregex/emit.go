package jregex

// This file writes a tree as RE2 syntax. It uses no flag of RE2: dots, cases and line ends are
// written as the sets they stand for.
//
// RE2 has no lookahead, so it cannot express "before the line end at the end of the string", which
// is the meaning of $ in Java. Where $ ends the pattern, it is written as an empty group, the mark,
// and an optional line end; afterwards the match is truncated at the mark. RE2 has no lookbehind
// either, so it cannot see that a \n belongs to a \r\n. So there is a second form for strings whose
// lines end in \r\n, in which \n alone is not a line end.

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// variant is a way of using a pattern.
type variant uint8

const (
	variantFind variant = iota // anywhere in the string
	// variantNext is variantFind, but not before the second code point. \b and ^ look back at the first one.
	variantNext
	variantFull // the whole string
)

// form is a pattern written for a variant, with the meaning of its groups.
type form struct {
	text    string
	groups  []int // maps a group of the pattern to its index in text
	ends    []end // marks at which the match ends
	begins  []int // marks of (?m)^
	context bool  // the pattern looks at the character before a position
	spans   int   // total number of ranges in classes
}

// end is the mark of a line end.
type end struct {
	group int
	unix  bool // only \n ends lines, even after \r
	multi bool // the end of any line, not only of the last
}

type emitter struct {
	form
	strings.Builder
	variant variant
	crlf    bool // for strings with \r\n
	count   int  // groups opened
}

// write returns the form of a tree with the given number of groups. With crlf, it is the form for
// strings whose lines end in \r\n.
func write(root *node, groups int, v variant, crlf bool) form {
	e := &emitter{variant: v, crlf: crlf}
	e.groups = make([]int, groups+1)
	switch v {
	case variantFind:
		e.alternatives(root, true)
	case variantNext:
		e.WriteString(`\A(?s:.)(?s:.*?)`)
		e.groups[0] = e.open()
		e.alternatives(root, true)
		e.WriteByte(')')
	case variantFull:
		e.WriteString(`\A(?:`)
		e.alternatives(root, false)
		e.WriteString(`)\z`)
	}
	e.text = e.Builder.String()
	return e.form
}

// open begins a capturing group and returns its index.
func (e *emitter) open() int {
	e.WriteByte('(')
	e.count++
	return e.count
}

// mark writes an empty group.
func (e *emitter) mark() int {
	i := e.open()
	e.WriteByte(')')
	return i
}

// alternatives writes a node that needs no parentheses. tail reports that nothing of the pattern
// follows.
func (e *emitter) alternatives(n *node, tail bool) {
	if n.op != opAlt {
		e.node(n, tail)
		return
	}
	for i, k := range n.kids {
		if i > 0 {
			e.WriteByte('|')
		}
		e.node(k, tail)
	}
}

func (e *emitter) node(n *node, tail bool) {
	switch n.op {
	case opSet:
		e.set(n.set)
	case opLiteral:
		for _, r := range n.text {
			e.char(r)
		}
	case opSeq:
		last := len(n.kids) - 1
		for last > 0 && n.kids[last].op == opSeq && len(n.kids[last].kids) == 0 {
			last--
		}
		for i, k := range n.kids {
			e.node(k, tail && i >= last)
		}
	case opAlt:
		e.WriteString("(?:")
		e.alternatives(n, tail)
		e.WriteByte(')')
	case opGroup:
		e.groups[n.index] = e.open()
		e.alternatives(n.kids[0], tail)
		e.WriteByte(')')
	case opRepeat:
		e.repeat(n, tail)
	default:
		e.assertion(n, tail)
	}
}

func (e *emitter) repeat(n *node, tail bool) {
	if kid := n.kids[0]; kid.isAssertion() { // an assertion need not be repeated
		if n.min > 0 {
			e.node(kid, tail)
		}
		return
	}
	e.WriteString("(?:")
	e.alternatives(n.kids[0], tail && n.max == 1)
	e.WriteByte(')')
	switch {
	case n.min == 0 && n.max == 1:
		e.WriteByte('?')
	case n.min == 0 && n.max < 0:
		e.WriteByte('*')
	case n.min == 1 && n.max < 0:
		e.WriteByte('+')
	default:
		e.WriteString("{" + strconv.Itoa(n.min))
		if n.max != n.min {
			e.WriteByte(',')
			if n.max >= 0 {
				e.WriteString(strconv.Itoa(n.max))
			}
		}
		e.WriteByte('}')
	}
	if n.lazy {
		e.WriteByte('?')
	}
}

const (
	anyLineEnd = `\r\n|[\n\r\x{85}\x{2028}\x{2029}]`
	crlfEnd    = `\r\n|[\r\x{85}\x{2028}\x{2029}]`
	anyBreak   = `(?:\r\n|[\n-\r\x{85}\x{2028}\x{2029}])`
)

func (e *emitter) assertion(n *node, tail bool) {
	switch n.op {
	case opBegin:
		e.context = true
		e.WriteString(`\A`)
	case opLineBegin:
		e.context = true
		e.begins = append(e.begins, e.mark())
		e.WriteString(`(?m:^)`)
	case opEnd:
		e.WriteString(`\z`)
	case opFinalEnd:
		if !tail {
			e.WriteString(`\z`)
			return
		}
		e.ends = append(e.ends, end{e.mark(), n.unix, false})
		switch {
		case n.unix:
			e.WriteString(`\n?\z`)
		case e.crlf:
			e.WriteString(`(?:\r\n)?\z`)
		default:
			e.WriteString(`(?:` + anyLineEnd + `)?\z`)
		}
	case opLineEnd:
		switch {
		case !tail || n.unix:
			e.WriteString(`(?m:$)`)
			return
		case e.crlf:
			e.ends = append(e.ends, end{e.mark(), false, true})
			e.WriteString(`(?:` + crlfEnd + `|\z)`)
		default:
			e.ends = append(e.ends, end{e.mark(), false, true})
			e.WriteString(`(?:` + anyLineEnd + `|\z)`)
		}
	case opWord:
		e.context = true
		e.WriteString(`\b`)
	case opNotWord:
		e.context = true
		e.WriteString(`\B`)
	case opLineBreak:
		e.WriteString(anyBreak)
	}
}

// set writes a class, negated if that is shorter.
func (e *emitter) set(s set) {
	switch {
	case len(s) == 0:
		e.WriteString(`[^\x{0}-\x{10FFFF}]`)
		return
	case len(s) == 1 && s[0] == span{0, unicode.MaxRune}:
		e.WriteString(`(?s:.)`)
		return
	case len(s) == 1 && s[0].lo == s[0].hi:
		e.char(s[0].lo)
		return
	}
	e.WriteByte('[')
	if s[len(s)-1].hi == unicode.MaxRune {
		s = s.negate()
		e.WriteByte('^')
	}
	e.spans += len(s)
	for _, r := range s {
		e.code(r.lo)
		if r.hi != r.lo {
			e.WriteByte('-')
			e.code(r.hi)
		}
	}
	e.WriteByte(']')
}

// code writes a code point so that it is literal, inside a class too.
func (e *emitter) code(r rune) {
	e.WriteString(`\x{` + strconv.FormatInt(int64(r), 16) + `}`)
}

// char writes a code point outside a class.
func (e *emitter) char(r rune) {
	if r >= ' ' && r < 0x7f {
		e.WriteString(regexp.QuoteMeta(string(r)))
		return
	}
	e.code(r)
}
