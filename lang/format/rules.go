// This file defines which forms have a body, and how it is indented. The layout of each name of the library
// is that of cljfmt, except lazy-seq, whose body is indented as in Clojure's own source, and types.

package format

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
)

// rule says how the forms of a list are indented by the name at its head.
type rule struct {
	body  bool // all forms are body: two blanks
	block int  // forms after this many arguments are body if the first of them begins a line; -1: none
	// inner: lists this many levels below have bodies only, as methods have: 1 or, in the first argument, 2; 0: none
	inner int
}

// rules are the rules of the layouts. The fields of a type, on their own line, stand two
// blanks in; cljfmt sets them under its name.
var rules = [...]rule{
	entry.IndentCall:    {block: -1},
	entry.IndentBody:    {body: true, block: -1},
	entry.IndentBlock0:  {block: 0},
	entry.IndentBlock1:  {block: 1},
	entry.IndentBlock2:  {block: 2},
	entry.IndentType:    {body: true, block: -1, inner: 1},
	entry.IndentExtend:  {block: 1, inner: 1},
	entry.IndentProxy:   {block: 2, inner: 1},
	entry.IndentLocalFn: {block: 1, inner: 2},
}

// ruleOf returns the rule of the symbol at the head of a list; its namespace is omitted.
// Names that the library does not have, and that begin with def or with-, are taken for
// macros with a body.
func ruleOf(symbol string) rule {
	if i := strings.LastIndexByte(symbol, '/'); i > 0 && i+1 < len(symbol) {
		symbol = symbol[i+1:]
	}
	e := builtins.Named(symbol)
	switch {
	case e != nil:
		return rules[e.Indent]
	case strings.HasPrefix(symbol, "with-"),
		strings.HasPrefix(symbol, "def") && !hasAnyPrefix(symbol[3:], "ault", "late", "er"):
		return rules[entry.IndentBody]
	}
	return rules[entry.IndentCall]
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
