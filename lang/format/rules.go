// This file defines which forms have a body, and how it is indented. It is the
// table of cljfmt but for lazy-seq, whose body is indented as in Clojure's own
// source, and for types.

package format

import (
	"strings"
	"sync"
)

// rule says how the forms of a list are indented by the name at its head.
type rule struct {
	body  bool // all forms are body: two blanks
	block int  // forms behind this many arguments are body if the first of them begins a line; -1: none
	inner int  // lists this many levels below have bodies only, as methods have: 1 or, in the first argument, 2; 0: none
}

var (
	ruleBody = rule{body: true, block: -1}
	block0   = rule{block: 0}
	block1   = rule{block: 1}
	block2   = rule{block: 2}
	// The fields of a type, on a line of their own, stand two blanks in; cljfmt sets
	// them under its name.
	types = rule{body: true, block: -1, inner: 1}
)

// rules gives the rule of each name; namespaces are left out. Names that begin
// with def or with- have ruleBody unless they stand here.
var rules = sync.OnceValue(func() map[string]rule {
	return map[string]rule{
		"alt!": block0, "alt!!": block0, "comment": block0, "cond": block0, "delay": block0, "do": block0,
		"finally": block0, "future": block0, "go": block0, "lazy-seq": block0, "thread": block0, "try": block0, "with-out-str": block0,

		"%fold": block1, "binding": block1, "case": block1, "cond->": block1, "cond->>": block1, "defstruct": block1, "doseq": block1,
		"dotimes": block1, "doto": block1, "extend": block1, "for": block1, "go-loop": block1, "if": block1,
		"if-let": block1, "if-not": block1, "if-some": block1, "let": block1, "let*": block1, "locking": block1,
		"loop": block1, "match": block1, "ns": block1, "struct-map": block1, "testing": block1, "when": block1,
		"when-first": block1, "when-let": block1, "when-not": block1, "when-some": block1, "while": block1,
		"with-local-vars": block1, "with-open": block1, "with-precision": block1, "with-redefs": block1,

		"are": block2, "as->": block2, "catch": block2, "condp": block2,

		"bound-fn": ruleBody, "fdef": ruleBody, "fn": ruleBody, "use-fixtures": ruleBody,

		"defprotocol": types, "defrecord": types, "deftype": types, "definterface": types, "reify": types,
		"extend-protocol": {block: 1, inner: 1}, "extend-type": {block: 1, inner: 1}, "proxy": {block: 2, inner: 1},
		"letfn": {block: 1, inner: 2},

		// Functions whose names look like those of macros.
		"default": call, "deref": call, "with-meta": call,
	}
})

// call is the rule of functions.
var call = rule{block: -1}

// ruleOf gives the rule of the symbol at the head of a list.
func ruleOf(symbol string) rule {
	if i := strings.LastIndexByte(symbol, '/'); i > 0 && i+1 < len(symbol) {
		symbol = symbol[i+1:]
	}
	if r, ok := rules()[symbol]; ok {
		return r
	}
	if strings.HasPrefix(symbol, "with-") || strings.HasPrefix(symbol, "def") && !hasAnyPrefix(symbol[3:], "ault", "late", "er") {
		return ruleBody
	}
	return call
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
