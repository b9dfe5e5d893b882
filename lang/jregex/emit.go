package jregex

// This file defines the writing of a tree as RE2 syntax. No flag of RE2 is
// used: dots, cases and line ends are written out as the sets they mean.
//
// RE2 cannot look ahead, so it cannot say "before the line end at the end of the
// text", which is what $ means in Java. Where nothing follows the $, it is
// written as an empty group, the mark, and an optional line end: the match is
// cut back to the mark afterwards. Nor can it look back, to see that a \n belongs
// to a \r\n; so there is a form for texts whose lines end in \r\n, in which \n
// alone is no line end.

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// variant is a way of using a pattern.
type variant uint8

const (
	variantFind variant = iota // anywhere in the text
	variantNext                // the same, but not in front of the second code point, which gives \b and ^ something to look back at
	variantFull                // the whole text
)

// form is a pattern written for a variant, with what its groups mean.
type form struct {
	text    string
	groups  []int // by group of the pattern, the index of the one in text
	ends    []end // marks before which the match ends
	begins  []int // marks of (?m)^
	context bool  // the pattern looks at what is before a position
	spans   int   // ranges in classes, all together
}

// end is the mark of a line end.
type end struct {
	group int
	unix  bool // only \n ends lines, even behind \r
	multi bool // of every line, not of the last only
}

type emitter struct {
	form
	strings.Builder
	variant variant
	crlf    bool // for texts with \r\n
	count   int  // groups opened
}

// write returns the form of a tree of so many groups. With crlf it is for texts
// whose lines end in \r\n.
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

// alternatives writes a node that needs no parentheses. Tail says that nothing
// of the pattern follows.
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
	if kid := n.kids[0]; kid.isAssertion() { // once is as good as often
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

// code writes a code point so that it means itself in a class too.
func (e *emitter) code(r rune) {
	e.WriteString(`\x{` + strconv.FormatInt(int64(r), 16) + `}`)
}

// char writes a code point outside of a class.
func (e *emitter) char(r rune) {
	if r >= ' ' && r < 0x7f {
		e.WriteString(regexp.QuoteMeta(string(r)))
		return
	}
	e.code(r)
}
