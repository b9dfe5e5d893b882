// This file defines Tokens, for tools that work on source text.

package parser

import (
	"context"
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// TokenKind is the effect of a token on the nesting of forms.
type TokenKind uint8

// The kinds of tokens.
const (
	Atom   TokenKind = iota // a complete form: a symbol, a number, a string …
	Open                    // ( [ { #{ #(
	Close                   // ) ] }
	Prefix                  // needs a form: ' ` ~ ~@ @ #' ^ #^ #_ #tag, or a bracket: #? #?@ #:ns
)

// Token is a token of the source: bytes Start to End.
type Token struct {
	Kind       TokenKind
	Start, End int
}

// Tokens splits a file into its tokens. Only white space, commas and comments lie between them, so
// a tool such as the formatter can keep the whole text.
//
// The error is that of the first place that no reader would accept. Tokens checks brackets,
// prefixes, strings, names, numbers and pairs of maps. It does not check rules that depend on
// values: aliases, tags, the type of metadata, duplicate keys.
func Tokens(file *token.File, l limits.Limits) ([]Token, *diag.Error) {
	l = l.OrDefault()
	t := &value.Task{} // for the literals, which are checked by reading them
	t.Start(context.Background(), l.Memory, l.Steps, l.Timeout)
	r := takeReader(t, file, &Options{Limits: l})
	defer r.release()
	if err := r.checkSize(); err != nil {
		return nil, err
	}
	c := &cutter{reader: r}
	r.scan.left = len(file.Source) + 1
	for r.err == nil {
		tok, _ := r.scan.Next()
		if tok.EOF() {
			r.finish()
			break
		}
		c.token(&tok)
	}
	if r.err != nil {
		return nil, r.err
	}
	return c.tokens, nil
}

// cutter is a reader that builds no forms. It only counts the forms of each frame.
type cutter struct {
	*reader
	counts []int // of each frame; uncounted if its forms include a reader conditional
	tokens []Token
}

// uncounted is so far below zero that counting never reaches zero again.
const uncounted = -1 << 40

func (c *cutter) token(tok *lexer.Token) {
	start := tok.Pos.Offset
	end := start + len(tok.Value)
	c.next = end
	if c.opener.kind != 0 {
		if tok.Type == tokBad {
			c.failProblem(&c.scan.bad)
		} else if c.opens(tok, start, end); c.err == nil {
			c.opened(start, end)
		}
		return
	}
	switch kind := tok.Type; kind {
	case tokList, tokVector, tokMap, tokSet:
		c.push(bracketFrames[kind], start, end)
		c.opened(start, end)
	case tokFn:
		c.openFn(start, end)
		c.opened(start, end)
	case tokClose:
		for i := start; i < end && c.err == nil; i++ {
			c.next = i + 1
			c.close(tok.Value[i-start:i-start+1], i)
		}
	case tokCond, tokSplice, tokNSMap:
		c.opener = opener{kind: kind, start: start, end: end}
		if kind == tokNSMap && !strings.HasPrefix(tok.Value, "#::") { // :: may stand before an alias, which is unknown here
			c.openNSMap(tok.Value, start, end)
		}
		c.add(Prefix, start, end)
	case tokQuote, tokSyntaxQuote, tokUnquote, tokUnquoteSplicing, tokDeref, tokVar, tokMeta, tokDiscard, tokTag:
		c.push(prefixFrames[kind], start, end)
		c.counts = append(c.counts, 0)
		c.add(Prefix, start, end)
	case tokBad:
		c.failProblem(&c.scan.bad)
	default:
		c.atom(tok, start, end)
		c.add(Atom, start, end)
		c.deliver(1)
	}
}

// bracketFrames and prefixFrames map tokens to the frames that they open.
var (
	bracketFrames = map[lexer.TokenType]frameKind{
		tokList: frameList, tokVector: frameVector, tokMap: frameMap, tokSet: frameSet,
	}
	prefixFrames = map[lexer.TokenType]frameKind{
		tokQuote: frameQuote, tokSyntaxQuote: frameSyntaxQuote, tokUnquote: frameUnquote,
		tokUnquoteSplicing: frameUnquoteSplicing, tokDeref: frameDeref, tokVar: frameVar, tokMeta: frameMeta,
		tokDiscard: frameDiscard, tokTag: frameTag,
	}
)

func (c *cutter) add(kind TokenKind, start, end int) {
	c.tokens = append(c.tokens, Token{kind, start, end})
}

// opened records the position of a bracket whose frame has been pushed.
func (c *cutter) opened(start, end int) {
	c.counts = append(c.counts, 0)
	c.add(Open, start, end)
}

// atom checks a form of one token.
func (c *cutter) atom(tok *lexer.Token, start, end int) {
	text := tok.Value
	switch tok.Type {
	case tokSymbol:
		if _, _, ok := splitSymbol(text); !ok {
			c.failName(text, start)
		}
	case tokKeyword:
		if _, _, ok := splitKeyword(text); !ok {
			c.failName(text, start)
		}
	case tokNumber:
		c.number(text, start)
	case tokEscaped:
		c.escaped(text[1:len(text)-1], start+1)
	case tokChar:
		c.char(text, start)
	case tokSymbolic:
		c.symbolic(text, start)
	}
}

// close closes the innermost bracket.
func (c *cutter) close(text string, start int) {
	if len(c.frames) == 0 || c.top().kind >= frameQuote || closers[c.top().kind] != text {
		c.reader.close(text, start, start+1) // it reports the error
		return
	}
	f, n := c.pop()
	if f.kind == frameFn {
		c.fn = nil
	}
	if f.kind == frameMap && n > 0 && n%2 != 0 {
		c.failAt(f.start, start+1, fmt.Sprintf("a map needs pairs of keys and values, but has %s", diag.Counted(n, "form")),
			"add the missing value or key; #_ and comments do not count as forms")
	}
	c.add(Close, start, start+1)
	if f.kind == frameCond {
		c.deliver(uncounted)
		return
	}
	c.deliver(1)
}

func (c *cutter) pop() (frame, int) {
	last := len(c.counts) - 1
	n := c.counts[last]
	c.counts = c.counts[:last]
	return c.reader.pop(), n
}

// deliver counts n forms for the parent frame. A prefix that has all its forms counts as one form.
func (c *cutter) deliver(n int) {
	for c.err == nil && len(c.frames) > 0 {
		last := len(c.counts) - 1
		switch kind := c.top().kind; {
		case kind < frameQuote, kind == frameMeta && c.counts[last] == 0:
			c.counts[last] += n
			return
		}
		if f, _ := c.pop(); f.kind == frameDiscard {
			return
		}
	}
}
