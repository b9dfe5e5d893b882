package jregex

// This file evaluates the assertions of the backtracking engine, which sees both sides of a
// position and so follows Java exactly, except that a word is one of ASCII.

import (
	"strings"
	"unicode/utf8"
)

// holds reports whether an assertion holds at the position.
func (m *machine) holds(n *node) bool {
	switch n.op {
	case opBegin:
		return m.pos == 0
	case opLineBegin:
		return m.lineBegins(n.unix)
	case opEnd:
		return m.pos == len(m.s)
	case opFinalEnd:
		return m.finalEnd(n.unix)
	case opLineEnd:
		return m.pos == len(m.s) || m.endsLine(n.unix)
	case opWord:
		return m.wordBefore() != m.wordAfter()
	case opNotWord:
		return m.wordBefore() == m.wordAfter()
	}
	return false
}

// lineBegins is (?m)^, which does not match at the end of the string.
func (m *machine) lineBegins(unix bool) bool {
	switch {
	case m.pos == len(m.s):
		return false
	case m.pos == 0:
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(m.s[:m.pos])
	if unix {
		return before == '\n'
	}
	return lineEnds.contains(before) && !(before == '\r' && m.s[m.pos] == '\n')
}

// endsLine reports whether a line end follows.
func (m *machine) endsLine(unix bool) bool {
	after, _ := utf8.DecodeRuneInString(m.s[m.pos:])
	if unix {
		return after == '\n'
	}
	return lineEnds.contains(after) && !(after == '\n' && m.pos > 0 && m.s[m.pos-1] == '\r')
}

// finalEnd is $ and \Z.
func (m *machine) finalEnd(unix bool) bool {
	rest := m.s[m.pos:]
	switch {
	case rest == "":
		return true
	case unix:
		return rest == "\n"
	case len(rest) > len("\u2028"):
		return false
	case strings.HasPrefix(rest, "\r\n"):
		return len(rest) == 2
	}
	_, size := utf8.DecodeRuneInString(rest)
	return size == len(rest) && m.endsLine(false)
}

func (m *machine) wordBefore() bool { return m.pos > 0 && isWord(m.s[m.pos-1]) }
func (m *machine) wordAfter() bool  { return m.pos < len(m.s) && isWord(m.s[m.pos]) }

func isWord(c byte) bool { return isAlnum(rune(c)) || c == '_' }
