package jregex

// This file defines the parsing of quantifiers, groups and flags.

import (
	"slices"
	"strings"
)

// closure parses the quantifier after n, if there is one.
func (p *parser) closure(n *node) *node {
	c := p.peek()
	if p.cursor >= p.n {
		return n
	}
	r := &node{op: opRepeat, kids: []*node{n}, max: -1}
	switch c {
	case '?':
		r.max, r.option = 1, true
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
		r.possessive, p.backtracks = true, true
	}
	return r
}

// counts parses {n}, {n,} or {n,m} without the closing brace.
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
		p.backtracks = true
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

// group parses a group or flags, which begin with (. It returns nil for flags that apply up to the
// end of the enclosing group.
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
			n = p.look(c == '!')
		case '>':
			p.backtracks = true
			n = &node{op: opAtomic, kids: []*node{p.alternation()}}
		case '<':
			if c := p.read(); c == '=' || c == '!' {
				n = p.lookBehind(c == '!')
			} else {
				n = p.capture(p.newGroupName(c))
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
	index := p.groups // alternation increases it further
	return &node{op: opGroup, index: index, kids: []*node{p.alternation()}}
}

// look parses the condition of a lookahead or lookbehind.
func (p *parser) look(negative bool) *node {
	p.backtracks = true
	return &node{op: opLook, negative: negative, kids: []*node{p.alternation()}}
}

func (p *parser) lookBehind(negative bool) *node {
	n := p.look(negative)
	n.behind = true
	var ok bool
	if n.min, n.max, ok = n.kids[0].lengths(); !ok {
		p.syntax("Look-behind group does not have an obvious maximum length")
	}
	return n
}

// backref parses the digits after \ and the first digit. Further digits count as long as there is
// such a group before: \11 may be \1 and 1.
func (p *parser) backref(group int) *node {
	for isDigit(p.peek()) && group*10+int(p.peek()-'0') <= p.groups {
		group = group*10 + int(p.read()-'0')
	}
	return p.reference(group)
}

// namedBackref parses <name> after \k.
func (p *parser) namedBackref() *node {
	if p.read() != '<' {
		p.syntax(`\k is not followed by '<' for named capturing group`)
	}
	name := p.groupName(p.read())
	group := slices.Index(p.names, name)
	if group < 1 {
		p.syntax("named capturing group <" + name + "> does not exist")
	}
	return p.reference(group)
}

func (p *parser) reference(group int) *node {
	p.backtracks = true
	n := &node{op: opBackref, index: group}
	if p.has(flagCase) {
		n.fold = p.flags & (flagCase | flagUnicodeCase)
	}
	return n
}

// newGroupName parses the name of a group, which no group before may have.
func (p *parser) newGroupName(c rune) string {
	name := p.groupName(c)
	if slices.Contains(p.names, name) {
		p.syntax("Named capturing group <" + name + "> is already defined")
	}
	return name
}

// groupName parses name> after (?< and the first character of the name.
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
	return b.String()
}

// setFlags parses ims-x.
func (p *parser) setFlags() {
	on := true
	for {
		c := p.peek()
		f, ok := flagLetters()[c]
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
