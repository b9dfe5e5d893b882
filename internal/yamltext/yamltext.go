// Package yamltext bounds the cost of YAML before it is parsed.
package yamltext

import (
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// MaxNesting is the maximum number of lists and mappings open on one line. The files of PTC need
// five. The parser's time and memory are quadratic in the nesting: 64 KB of brackets took 18 s and
// 6 GB.
const MaxNesting = 50

// ByteOrderMark is the character with which some editors begin a text. It does not belong to the
// text.
const ByteOrderMark = "\ufeff"

// Tokenize returns the tokens of a text, and the first one that is nested deeper than MaxNesting,
// or nil. It counts only brackets, and the dashes of nested lists on one line: a level that begins
// on a new line takes as many spaces, so the size of the text bounds such levels. It takes time in
// proportion to the text, about half a second for 1 MB.
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
