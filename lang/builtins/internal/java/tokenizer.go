// This file defines StringTokenizer.

package java

import (
	"strings"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// StringTokenizer is the class of objects that split a string at delimiters, which are single characters.
var StringTokenizer = &value.JavaClass{Name: "java.util.StringTokenizer"}

// The slots of a StringTokenizer.
const (
	tokensText    = iota
	tokensDelims  // a string of the delimiters
	tokensReturns // whether delimiters are tokens, too
	tokensPos     // the byte offset after the last token
)

// tokens reads the tokens of a StringTokenizer, whose position is stored when they are read.
type tokens struct {
	text, delims string
	returns      bool
	pos          int
}

func tokensOf(v value.Value) *tokens {
	s := v.AsJava().Vals
	return &tokens{s[tokensText].AsString().S, s[tokensDelims].AsString().S, s[tokensReturns].Truthy(),
		int(s[tokensPos].AsInt())}
}

// skip moves over delimiters, or over characters that are not delimiters.
func (k *tokens) skip(t *value.Task, delims bool) {
	for k.pos < len(k.text) {
		t.Work(1 + int64(len(k.delims))/16)
		r, n := utf8.DecodeRuneInString(k.text[k.pos:])
		if strings.ContainsRune(k.delims, r) != delims {
			return
		}
		k.pos += n
	}
}

// more reports whether there is another token.
func (k *tokens) more(t *value.Task) bool {
	if !k.returns {
		k.skip(t, true)
	}
	return k.pos < len(k.text)
}

// next returns the next token; more has reported that there is one.
func (k *tokens) next(t *value.Task) string {
	start := k.pos
	k.skip(t, false)
	if k.returns && k.pos == start {
		_, n := utf8.DecodeRuneInString(k.text[start:])
		k.pos += n
	}
	return k.text[start:k.pos]
}

func tokenMethods() []methods {
	const of = `(java.util.StringTokenizer. "a b")`
	next := func(t *value.Task, a []value.Value) value.Value {
		k, delims := tokensOf(a[0]), a[0].AsJava().Vals[tokensDelims]
		if len(a) == 2 {
			k.delims, delims = entry.WantText(t, a[1], "nextToken"), t.Str(a[1])
		}
		if !k.more(t) {
			return noElement(t)
		}
		token := t.CopyString(k.next(t))
		t.Owns(a[0], "StringTokenizer")
		s := a[0].AsJava().Vals
		s[tokensPos], s[tokensDelims] = value.Int(int64(k.pos)), delims
		return token
	}
	more := func(t *value.Task, a []value.Value) value.Value { return value.Bool(tokensOf(a[0]).more(t)) }
	return []methods{{[]*value.JavaClass{StringTokenizer}, []method{
		{"nextToken", "| delimiters", entry.PerByte, "Returns the next token of a StringTokenizer, with other delimiters " +
			"from now on if given; throws if there is none.", `(.nextToken ` + of + `) => "a"`, next},
		{"nextElement", "", entry.PerByte, "Is nextToken.", `(.nextElement ` + of + `) => "a"`, next},
		{"hasMoreTokens", "", entry.PerByte, "Returns true if a StringTokenizer has another token.",
			`(.hasMoreTokens ` + of + `) => true`, more},
		{"hasMoreElements", "", entry.PerByte, "Is hasMoreTokens.", `(.hasMoreElements ` + of + `) => true`, more},
		{"countTokens", "", entry.PerByte, "Returns the number of tokens that follow.", `(.countTokens ` + of + `) => 2`,
			func(t *value.Task, a []value.Value) value.Value {
				k, n := tokensOf(a[0]), int64(0)
				for ; k.more(t); n++ {
					k.next(t)
				}
				return value.Int(n)
			}},
	}}}
}

var spaces = value.ConstString(" \t\n\r\f")

func tokenStatics() []entry.Entry {
	return []entry.Entry{
		entry.StaticMethod("new", "StringTokenizer", "s | s delimiters | s delimiters return-delimiters", entry.PerByte,
			"Returns what splits a string at spaces, or at characters that are given.",
			`(.nextToken (java.util.StringTokenizer. "a,b" ",")) => "a"`, func(t *value.Task, a []value.Value) value.Value {
				entry.WantText(t, a[0], "StringTokenizer")
				delims := spaces
				if len(a) > 1 {
					entry.WantText(t, a[1], "StringTokenizer")
					delims = t.Str(a[1])
				}
				return t.JavaOf(StringTokenizer, t.Str(a[0]), delims, value.Bool(len(a) == 3 && a[2].Truthy()), value.Int(0))
			}),
	}
}
