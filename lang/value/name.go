// This file makes symbols and keywords.

package value

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Symbol makes a symbol.
func (t *Task) Symbol(ns, name string) Value {
	t.Charge(sizeSymbol + limits.BytesSize(len(ns)) + limits.BytesSize(len(name)))
	return t.newSymbol(ns, name)
}

func (t *Task) newSymbol(ns, name string) Value {
	countBytes(&t.Born, len(ns))
	countBytes(&t.Born, len(name))
	return Value{h: &(&Symbol{Header: t.header(KindSymbol), NS: ns, Name: name, hash: symbolHash(ns, name)}).Header}
}

// Keyword makes a keyword.
func (t *Task) Keyword(ns, name string) Value {
	t.Charge(sizeKeywordOf(ns, name))
	return t.keyword(ns, name)
}

func sizeKeywordOf(ns, name string) int64 {
	return sizeKeyword + limits.BytesSize(len(ns)) + limits.BytesSize(len(name))
}

// keyword makes a keyword that is already charged.
func (t *Task) keyword(ns, name string) Value {
	k := newKeyword(ns, name)
	k.Header = t.header(KindKeyword)
	countBytes(&t.Born, len(ns))
	countBytes(&t.Born, len(name))
	return Of(&k.Header)
}

// KeywordOf makes a keyword from text, which may contain a namespace. It copies the parts, so that
// they keep neither each other nor text alive.
func (t *Task) KeywordOf(text string) Value {
	ns, name := SplitName(text)
	t.chargeName(sizeKeyword, ns, name)
	return t.keyword(strings.Clone(ns), strings.Clone(name))
}

// SymbolOf makes a symbol from text in the same way.
func (t *Task) SymbolOf(text string) Value {
	ns, name := SplitName(text)
	t.chargeName(sizeSymbol, ns, name)
	return t.newSymbol(strings.Clone(ns), strings.Clone(name))
}

// chargeName charges a name of size bytes and its two parts, which will be copied and hashed.
func (t *Task) chargeName(size int64, ns, name string) {
	t.NameLength(len(ns) + len(name))
	t.Work(int64(len(ns)+len(name)) / 16)
	t.Charge(size + limits.BytesSize(len(ns)) + limits.BytesSize(len(name)))
}

// maxName is the maximum number of bytes of a name. Hashing a name of this length, which nothing
// can interrupt, takes a millisecond.
const maxName = 1 << 20

// NameLength refuses a name of n bytes that is too long.
func (t *Task) NameLength(n int) {
	if n > maxName {
		t.Fail(diag.IllegalArgument, "keyword or symbol too long: got %d bytes, want at most %d", n, maxName)
	}
}

// keywordHash is the difference between the hashes of a keyword and a symbol of the same name.
const keywordHash = 0x9e3779b9

func newKeyword(ns, name string) *Keyword {
	return &Keyword{Header: Header{kind: KindKeyword}, NS: ns, Name: name, hash: symbolHash(ns, name) + keywordHash}
}

// SplitName splits "ns/name" into its parts. A lone "/" is a name.
func SplitName(s string) (ns, name string) {
	for i := 1; i < len(s)-1; i++ {
		if s[i] == '/' {
			return s[:i], s[i+1:]
		}
	}
	return "", s
}
