// This file scans the tokens that begin with #.

package parser

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// dispatch scans a token that begins with #, which is before s.off.
func (s *scanner) dispatch(start int) lexer.TokenType {
	if s.off == len(s.src) {
		return s.fail(start, s.off, "nothing follows #",
			"write a set #{…}, a function #(…), a regex #\"…\" or a tag like #inst")
	}
	c := s.src[s.off]
	s.off++
	switch c {
	case '{':
		return tokSet
	case '_':
		return tokDiscard
	case '^':
		return tokMeta
	case ':':
		return s.name(tokNSMap)
	case '#':
		s.skip() // Clojure reads a form here, so space may precede the tag
		return s.name(tokSymbolic)
	case '<':
		return s.fail(start, s.off, "unreadable form: #< is how an object without a literal is printed",
			"write code that makes the value")
	}
	if !s.edn {
		switch c {
		case '(':
			return tokFn
		case '\'':
			return tokVar
		case '"':
			if kind := s.text(start, "regex"); kind == tokBad {
				return tokBad
			}
			return tokRegex
		case '?':
			if s.peek('@') {
				s.off++
				return tokSplice
			}
			return tokCond
		case '!':
			return s.badText(start) // skip has already accepted every valid comment
		case '=':
			return tokTag // see reader.evaluated
		}
	}
	return s.tag(start)
}

// tag scans #name.
func (s *scanner) tag(start int) lexer.TokenType {
	s.off = start + 1
	c := s.src[s.off]
	if s.classes[c]&(endsDigit|odd) != 0 || isDigit(c) || s.edn && strings.IndexByte("?=!", c) >= 0 {
		_, size := utf8.DecodeRuneInString(s.src[s.off:])
		hint := "after # comes { ( \" ' ^ _ ? : # or the name of a tag"
		if s.edn {
			hint = "in EDN, after # comes { ^ _ : # or the name of a tag"
		}
		return s.fail(start, s.off+size, fmt.Sprintf("no form begins with %q", s.src[start:s.off+size]), hint)
	}
	return s.name(tokTag)
}
