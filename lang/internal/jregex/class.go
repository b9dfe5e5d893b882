package jregex

// This file defines character classes. Unions and intersections are evaluated in Java's order,
// which no grammar describes: single characters below U+0100 are collected in a separate set, bits,
// which is added at && and at the end.

// class parses a class at its [. With consume false, it parses the right side of an intersection up
// to the closing bracket, which it does not consume.
func (p *parser) class(consume bool) set {
	p.enter()
	defer func() { p.depth-- }()
	var c classState
	ch := p.next()
	neg := false
	if ch == '^' && p.at(p.cursor-1) == '[' {
		ch = p.next()
		neg = true
	}
	for {
		switch {
		case p.cursor >= p.n:
			p.cursor++
			p.syntax("Unclosed character class")
			return nil
		case ch == '[':
			c.add(p.class(true))
			ch = p.peek()
			continue
		case ch == '&':
			if p.next() == '&' {
				p.intersection(&c)
				ch = p.peek()
				continue
			}
			p.cursor--
		case ch == ']' && (c.hasPrev || c.hasBits):
			if consume {
				p.cursor++
			}
			c.flush()
			if neg {
				return c.prev.negate()
			}
			return c.prev
		}
		p.classRange(&c)
		ch = p.peek()
	}
}

// classState holds the parts of a class that have been parsed.
type classState struct {
	prev, bits       set
	hasPrev, hasBits bool
	last             bool // the last item went to prev and not to bits
}

func (c *classState) add(s set) {
	c.prev, c.hasPrev, c.last = union(c.prev, s), true, true
}

func (c *classState) addBits(s set) {
	c.bits, c.hasBits, c.last = union(c.bits, s), true, false
}

// flush adds the bits to prev.
func (c *classState) flush() {
	if c.hasBits {
		c.prev, c.hasPrev, c.hasBits = union(c.prev, c.bits), true, false
	}
}

// intersection parses the part after &&. The cursor is at the second &.
func (p *parser) intersection(c *classState) {
	ch := p.next()
	var right set
	hasRight := false
	for ch != ']' && ch != '&' {
		if p.cursor >= p.n {
			p.cursor++
			p.syntax("Unclosed character class")
			return
		}
		if ch != '[' {
			p.cursor-- // class begins by advancing the cursor
			right = union(right, p.class(false))
		} else {
			right = union(right, p.class(true))
		}
		hasRight = true
		ch = p.peek()
	}
	c.flush()
	switch {
	case !c.hasPrev && !hasRight:
		p.cursor++
		p.syntax("Bad class syntax")
	case !c.hasPrev:
		c.add(right)
	case hasRight:
		c.prev = c.prev.intersect(right)
	}
	c.last = true
}

// classRange parses one character, range, escape or property.
func (p *parser) classRange(c *classState) {
	lo, s := p.classItem()
	if s != nil {
		c.add(s)
		return
	}
	if p.peek() == '-' {
		end := p.at(p.cursor + 1)
		if end != ']' && end != '[' {
			p.cursor++
			c.add(p.rangeEnd(lo))
			return
		}
	}
	if lo < 0x100 {
		c.addBits(p.fold(single(lo)))
	} else {
		c.add(p.fold(single(lo)))
	}
}

// classItem parses a character. If s is not nil, it parsed a set instead.
func (p *parser) classItem() (r rune, s set) {
	if p.peek() != '\\' {
		return p.read(), nil
	}
	p.cursor++
	switch c := p.at(p.cursor); c {
	case 'p', 'P':
		return 0, p.property()
	case 'A', 'B', 'G', 'R', 'X', 'Z', 'b', 'k', 'z', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		p.cursor++
		p.syntax("Illegal/unsupported escape sequence")
	}
	return p.escape(p.at(p.cursor+1) == '-')
}

// rangeEnd parses the upper end of a range.
func (p *parser) rangeEnd(lo rune) set {
	var hi rune
	if p.peek() == '\\' {
		p.cursor++
		var s set
		if hi, s = p.escape(true); s != nil {
			p.syntax("Illegal character range")
		}
	} else {
		hi = p.read()
	}
	if hi < lo {
		p.syntax("Illegal character range")
	}
	if !p.has(flagCase) {
		return rangeOf(lo, hi)
	}
	if p.has(flagUnicodeCase) {
		return foldUnicode(rangeOf(lo, hi))
	}
	return foldASCII(rangeOf(lo, hi))
}
