// Package yamltext bounds what YAML costs before the parser reads it.
package yamltext

import (
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// MaxNesting is how many lists and mappings may be open on one line. The files of PTC need five. The
// parser takes time and memory that grow with the square: 64 KB of brackets took 18 s and 6 GB.
const MaxNesting = 50

// ByteOrderMark is what some editors begin a text with. It is no part of the text.
const ByteOrderMark = "\ufeff"

// Tokenize returns the tokens of a text, and the first one that is nested deeper than MaxNesting, nil if
// there is none. Only brackets, and the dashes of lists within lists on one line, are counted: a
// level that begins on a line of its own takes as many blanks, so that the size of the text bounds them.
// It takes time in proportion to the text, about half a second for 1 MB.
func Tokenize(text string) (tokens token.Tokens, deep *token.Token) {
	tokens = lexer.Tokenize(text)
	brackets, dashes, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			dashes, line = 0, t.Position.Line
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			brackets++
		case token.MappingEndType, token.SequenceEndType:
			brackets = max(brackets-1, 0)
		case token.SequenceEntryType:
			dashes++
		}
		if brackets+dashes > MaxNesting {
			return tokens, t
		}
	}
	return tokens, nil
}
