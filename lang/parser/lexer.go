// This file defines the lexer, which splits a source into the tokens of the grammar. It is a
// participle lexer.Definition and lexer.Lexer.

package parser

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/ptc-lang/ptc/lang/diag"
)

// Token types.
const (
	tokList   lexer.TokenType = iota + 1 // (
	tokVector                            // [
	tokMap                               // {
	tokSet                               // #{
	tokFn                                // #(
	tokCond                              // #? before (
	tokSplice                            // #?@ before (
	tokNSMap                             // #:name or #::name before {
	tokClose                             // a run of ) ] }: one token, because runs are frequent and each token costs
	tokQuote
	tokSyntaxQuote
	tokUnquote
	tokUnquoteSplicing
	tokDeref
	tokVar
	tokMeta
	tokDiscard
	tokTag // #name
	tokSymbol
	tokKeyword
	tokNumber
	tokString  // without escapes
	tokEscaped // a string with escapes
	tokChar
	tokRegex
	tokSymbolic // ##Inf
	tokBad      // no token begins like this; scanner.bad has the reason
)

// tokenNames maps the names that a grammar uses to token types.
var tokenNames = sync.OnceValue(func() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF": lexer.EOF, "List": tokList, "Vector": tokVector, "Map": tokMap, "Set": tokSet, "Fn": tokFn,
		"Cond": tokCond, "Splice": tokSplice, "NSMap": tokNSMap, "Close": tokClose, "Quote": tokQuote,
		"SyntaxQuote": tokSyntaxQuote, "Unquote": tokUnquote, "UnquoteSplicing": tokUnquoteSplicing,
		"Deref": tokDeref, "Var": tokVar, "Meta": tokMeta, "Discard": tokDiscard, "Tag": tokTag,
		"Symbol": tokSymbol, "Keyword": tokKeyword, "Number": tokNumber, "String": tokString,
		"Escaped": tokEscaped, "Char": tokChar, "Regex": tokRegex, "Symbolic": tokSymbolic, "Bad": tokBad,
	}
})

// definition is the lexer.Definition of the language.
type definition struct{}

// Symbols returns the token types by name.
func (definition) Symbols() map[string]lexer.TokenType { return tokenNames() }

// Lex returns a lexer for all tokens of r.
func (d definition) Lex(filename string, r io.Reader) (lexer.Lexer, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return d.LexString(filename, string(text))
}

// LexString returns a lexer for all tokens of input.
func (definition) LexString(_ string, input string) (lexer.Lexer, error) {
	return &scanner{src: input, classes: clojureClasses, left: len(input) + 1}, nil
}

// scanner is the lexer of one source. It returns the tokens in batches: after left tokens it
// returns EOF, and can be asked to continue. So participle's token list stays short however long
// the source is.
//
// A token's position is its byte offset. Lines and columns are counted only for errors, by
// token.File. An invalid token becomes a tokBad, not an error of Next, because the parser may never
// reach it: ParseOne reads one form only.
type scanner struct {
	src     string
	off     int
	classes *[256]class
	edn     bool
	left    int  // tokens until the end of the batch
	oneForm bool // end the batch where a form at the outermost level may end
	depth   int  // open brackets; used with oneForm
	bad     problem
}

// problem is an error that has no file yet.
type problem struct {
	start, end    int
	message, hint string
	code          diag.Code
	unclosed      string // the missing closing text at the end of the source
}

// Next returns the next token, or EOF at the end of the batch.
func (s *scanner) Next() (lexer.Token, error) {
	if s.left <= 0 || !s.skip() {
		return lexer.EOFToken(lexer.Position{Offset: s.off}), nil
	}
	s.left--
	start := s.off
	kind := s.scan(s.src[start])
	if s.oneForm {
		s.track(kind, s.off-start)
	}
	return lexer.Token{Type: kind, Value: s.src[start:s.off], Pos: lexer.Position{Offset: start}}, nil
}

// track ends the batch where a form at the outermost level may end. A wrong guess is harmless: the
// parser asks for another batch if its form is not complete.
func (s *scanner) track(kind lexer.TokenType, length int) {
	switch {
	case kind <= tokFn:
		s.depth++
	case kind == tokClose:
		s.depth -= length
	case kind < tokSymbol:
		return
	}
	if s.depth <= 0 {
		s.left = 0
	}
}

// skip skips white space, commas and comments. It returns false at the end of the source.
func (s *scanner) skip() bool {
	for s.off < len(s.src) {
		c := s.src[s.off]
		switch cl := s.classes[c]; {
		case cl&space != 0:
			s.off++
		case c == ';', c == '#' && !s.edn && strings.HasPrefix(s.src[s.off:], "#!"):
			if !s.comment() {
				return true // the comment is a tokBad
			}
		case cl&wide != 0:
			r, size := utf8.DecodeRuneInString(s.src[s.off:])
			if !javaSpace(r) {
				return true
			}
			s.off += size
		default:
			return true
		}
	}
	return false
}

// comment skips a comment up to the end of its line. It returns false if the comment is not valid
// UTF-8.
func (s *scanner) comment() bool {
	text := s.src[s.off:]
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	if !utf8.ValidString(text) {
		return false
	}
	s.off += len(text)
	return true
}

// scan scans one token, which begins with c, and returns its type.
func (s *scanner) scan(c byte) lexer.TokenType {
	start := s.off
	s.off++
	switch c {
	case '(':
		return tokList
	case '[':
		return tokVector
	case '{':
		return tokMap
	case ')', ']', '}':
		for s.off < len(s.src) && isCloser(s.src[s.off]) {
			s.off++
		}
		return tokClose
	case '"':
		return s.text(start, "string")
	case '\\':
		return s.char(start)
	case ':':
		return s.name(tokKeyword)
	case '^':
		return tokMeta
	case '#':
		return s.dispatch(start)
	case ';':
		return s.badText(start)
	case '+', '-':
		if s.off < len(s.src) && isDigit(s.src[s.off]) {
			return s.number()
		}
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return s.number()
	default:
		if s.edn {
			break
		}
		switch c {
		case '\'':
			return tokQuote
		case '`':
			return tokSyntaxQuote
		case '@':
			return tokDeref
		case '~':
			if s.peek('@') {
				s.off++
				return tokUnquoteSplicing
			}
			return tokUnquote
		}
	}
	s.off = start
	return s.name(tokSymbol)
}

func isCloser(c byte) bool { return c == ')' || c == ']' || c == '}' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// peek reports whether the next byte is c.
func (s *scanner) peek(c byte) bool { return s.off < len(s.src) && s.src[s.off] == c }

// fail makes the token from start to end a bad one.
func (s *scanner) fail(start, end int, message, hint string) lexer.TokenType {
	s.bad = problem{start: start, end: end, message: message, hint: hint, code: diag.SyntaxError}
	s.left = 0
	return tokBad
}

// badText calls fail for the first byte from start on that is not UTF-8.
func (s *scanner) badText(start int) lexer.TokenType {
	for i := start; ; {
		r, size := utf8.DecodeRuneInString(s.src[i:])
		if r == utf8.RuneError && size <= 1 {
			return s.fail(i, i+1, "the source is not UTF-8: a byte "+hexByte(s.src[i])+" here", "save the file as UTF-8")
		}
		i += size
	}
}

func hexByte(c byte) string {
	const hex = "0123456789abcdef"
	return "0x" + string([]byte{hex[c>>4], hex[c&15]})
}

// until scans to the next byte of a class in stop. It rejects bytes that no token contains:
// invisible characters, and bytes that are not UTF-8.
func (s *scanner) until(stop class, kind lexer.TokenType) lexer.TokenType {
	for s.off < len(s.src) {
		c := s.src[s.off]
		cl := s.classes[c]
		if cl&(stop|odd|wide) == 0 {
			s.off++
			continue
		}
		if cl&stop != 0 {
			break
		}
		r, size := utf8.DecodeRuneInString(s.src[s.off:])
		if r == utf8.RuneError && size <= 1 {
			return s.badText(s.off)
		}
		if javaSpace(r) {
			break
		}
		if message, hint, ok := oddRune(r); !ok {
			return s.fail(s.off, s.off+size, message, hint)
		}
		s.off += size
	}
	return kind
}

func (s *scanner) name(kind lexer.TokenType) lexer.TokenType { return s.until(endsName, kind) }

func (s *scanner) number() lexer.TokenType { return s.until(endsDigit, tokNumber) }

// char scans a character literal: the backslash, any character, and the rest up to the end of a
// name.
func (s *scanner) char(start int) lexer.TokenType {
	r, size := utf8.DecodeRuneInString(s.src[s.off:])
	if size == 0 {
		return s.fail(start, s.off, `a character is missing after \`, `write \a, \newline, \space, \u03bb or \o101`)
	}
	if r == utf8.RuneError && size == 1 {
		return s.badText(s.off)
	}
	s.off += size
	return s.name(tokChar)
}

// text scans a string or a regex, whose opening quote is before s.off.
func (s *scanner) text(start int, what string) lexer.TokenType {
	kind := tokString
	quote := s.off - 1 // the last quote found; each is searched for once, so that many escapes cost no more
	for i := s.off; ; {
		if i > quote {
			n := strings.IndexByte(s.src[i:], '"')
			if n < 0 {
				return s.unterminated(start, what)
			}
			quote = i + n
		}
		esc := strings.IndexByte(s.src[i:quote], '\\')
		if esc < 0 {
			s.off = quote + 1
			break
		}
		kind = tokEscaped
		i += esc + 2
	}
	if !utf8.ValidString(s.src[start:s.off]) {
		return s.badText(start)
	}
	return kind
}

func (s *scanner) unterminated(start int, what string) lexer.TokenType {
	end := start + strings.IndexByte(s.src[start:], '"') + 1
	s.off = len(s.src)
	s.fail(start, end, "unexpected end of the source in a "+what+": its closing quote is missing",
		`end it with ", and write \" for a quote inside; if it looks closed, a quote is missing further up`)
	s.bad.unclosed = `"`
	return tokBad
}
