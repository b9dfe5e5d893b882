// This file defines the items of the layout: tokens and comments, each with the white space before it.

package format

import (
	"strings"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/parser"
)

// comment is the kind of an item that is a comment; the others are tokens.
const comment = parser.Prefix + 1

// item is a token or a comment.
type item struct {
	kind      parser.TokenKind
	text      string
	breaks    int // line ends before it
	blanks    int // blanks before it on its line, after the last comma
	commas    int // commas before it
	line, col int // where the source has it, from 0; columns in code points
}

// cut returns the items of a source whose tokens are known.
func cut(source string, tokens []parser.Token) []item {
	c := cutter{items: make([]item, 0, len(tokens))}
	end := 0
	if strings.HasPrefix(source, "\ufeff") { // a byte order mark is dropped
		end = len("\ufeff")
	}
	for _, t := range tokens {
		c.gap(source[end:t.Start])
		c.add(t.Kind, source[t.Start:t.End])
		end = t.End
	}
	c.gap(source[end:])
	return c.items
}

type cutter struct {
	items     []item
	next      item // the white space since the last item
	line, col int
}

// add adds an item and goes over its text.
func (c *cutter) add(kind parser.TokenKind, text string) {
	it := c.next
	it.kind, it.text, it.line, it.col = kind, text, c.line, c.col
	c.items = append(c.items, it)
	c.next = item{}
	for text != "" {
		i := strings.IndexAny(text, "\r\n")
		if i < 0 {
			c.col += utf8.RuneCountInString(text)
			return
		}
		text = text[i:]
		text = text[c.lineEnd(text):]
	}
}

// lineEnd goes over the line end at the start of text and returns its length.
func (c *cutter) lineEnd(text string) int {
	c.line++
	c.col = 0
	if strings.HasPrefix(text, "\r\n") {
		return 2
	}
	return 1
}

// gap walks over the text between two tokens.
func (c *cutter) gap(text string) {
	for text != "" {
		switch r, size := utf8.DecodeRuneInString(text); r {
		case '\r', '\n':
			text = text[c.lineEnd(text):]
			c.next.breaks++
			c.next.blanks = 0
		case ',':
			c.col++
			c.next.commas++
			c.next.blanks = 0
			text = text[size:]
		case ';', '#': // # begins a comment only as #!
			end := strings.IndexAny(text, "\r\n")
			if end < 0 {
				end = len(text)
			}
			c.add(comment, strings.TrimRight(text[:end], " \t\v\f"))
			text = text[end:]
		default:
			c.col++
			c.next.blanks++
			text = text[size:]
		}
	}
}
