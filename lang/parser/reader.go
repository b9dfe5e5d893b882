// This file defines the reader: the stack of open brackets and prefixes, the handling of each
// token, and the delivery of a form to its parent.

package parser

import (
	"unsafe"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// frameKind is the kind of an open bracket or of a prefix that waits for its form.
type frameKind uint8

const (
	frameList frameKind = iota
	frameVector
	frameMap
	frameSet
	frameFn
	frameCond
	frameQuote // the first prefix
	frameSyntaxQuote
	frameUnquote
	frameUnquoteSplicing
	frameDeref
	frameVar
	frameMeta
	frameDiscard
	frameTag
)

// closers maps a frame to the bracket that closes it.
var closers = [frameQuote]string{")", "]", "}", "}", ")", ")"}

// frame is an open bracket or prefix.
type frame struct {
	kind       frameKind
	cond       condState
	splice     bool   // of a reader conditional
	start, end int    // its token
	base       int    // its forms are items[base:]
	text       string // a tag, or the namespace of a qualified map
	qualified  bool   // a map #:ns{}
	preserved  bool   // a reader conditional that is read as a value
}

// span is the position of a form: bytes start to end.
type span struct{ start, end int }

// reader reads one source.
type reader struct {
	kit    *kit
	t      *value.Task
	file   *token.File
	opts   *Options
	limits limits.Limits
	scan   scanner

	frames  []frame
	items   []value.Value // forms that do not belong to a closed bracket yet
	spans   []span        // their positions
	scratch []byte        // the contents of a string with escapes

	err  *diag.Error
	done bool // ParseOne has its form
	next int  // the end of the last token

	opener     opener  // the bracket that the next token must be
	fn         *fnArgs // the parameters of the current #()
	args       fnArgs
	records    map[value.Value]bool // the forms of record literals; nil until there is one
	preserving int                  // depth of reader conditionals that are read as values
	suppress   int                  // depth of reader conditionals in a branch that is not taken
	suspect    int                  // where a form stands at the start of a line inside another form
}

// opener is a token that changes the meaning of the bracket after it: #? #?@ #:ns.
type opener struct {
	kind       lexer.TokenType // 0: none
	start, end int
	ns         string
}

// token handles one token. It is long on purpose: one case per type.
func (r *reader) token(tok *lexer.Token) {
	start := tok.Pos.Offset
	end := start + len(tok.Value)
	r.next = end
	if r.opener.kind != 0 && !r.opens(tok, start, end) {
		return
	}
	switch tok.Type {
	case tokList:
		r.push(frameList, start, end)
	case tokVector:
		r.push(frameVector, start, end)
	case tokMap:
		r.push(frameMap, start, end)
	case tokSet:
		r.push(frameSet, start, end)
	case tokFn:
		r.openFn(start, end)
	case tokClose:
		r.closeRun(tok.Value, start)
	case tokCond, tokSplice:
		r.opener = opener{kind: tok.Type, start: start, end: end}
	case tokNSMap:
		r.openNSMap(tok.Value, start, end)
	case tokQuote:
		r.push(frameQuote, start, end)
	case tokSyntaxQuote:
		r.push(frameSyntaxQuote, start, end)
	case tokUnquote:
		r.push(frameUnquote, start, end)
	case tokUnquoteSplicing:
		r.push(frameUnquoteSplicing, start, end)
	case tokDeref:
		r.push(frameDeref, start, end)
	case tokVar:
		r.push(frameVar, start, end)
	case tokMeta:
		r.push(frameMeta, start, end)
	case tokDiscard:
		r.push(frameDiscard, start, end)
	case tokTag:
		r.push(frameTag, start, end)
		r.top().text = tok.Value[1:]
	case tokBad:
		r.failProblem(&r.scan.bad)
	default:
		r.atom(tok, start, end)
	}
}

// atom reads a form of one token and delivers it.
func (r *reader) atom(tok *lexer.Token, start, end int) {
	var v value.Value
	switch tok.Type {
	case tokSymbol:
		v = r.symbol(tok.Value, start)
	case tokKeyword:
		v = r.keyword(tok.Value, start)
	case tokNumber:
		v = r.number(tok.Value, start)
	case tokString:
		v = r.t.InternedString(tok.Value[1 : len(tok.Value)-1])
	case tokEscaped:
		v = r.escaped(tok.Value[1:len(tok.Value)-1], start+1)
	case tokChar:
		v = r.char(tok.Value, start)
	case tokRegex:
		v = r.list(start, symRegex, r.t.CopyString(tok.Value[2:len(tok.Value)-1]))
	case tokSymbolic:
		v = r.symbolic(tok.Value, start)
	}
	if r.err == nil {
		r.deliver(v, start, end)
	}
}

func (r *reader) top() *frame { return &r.frames[len(r.frames)-1] }

// push opens a frame.
func (r *reader) push(kind frameKind, start, end int) {
	depth := len(r.frames)
	if depth >= r.limits.Nesting {
		r.tooDeep(start, end)
		return
	}
	if depth > 0 && r.suspect <= r.frames[0].start && kind < frameQuote && r.file.Source[start-1] == '\n' {
		r.suspect = start
	}
	if depth == cap(r.frames) {
		r.frames = grow(r.t, r.frames)
	}
	r.frames = append(r.frames, frame{kind: kind, start: start, end: end, base: len(r.items)})
}

// pop removes the innermost frame and returns it. Its items stay until truncate.
func (r *reader) pop() frame {
	f := *r.top()
	*r.top() = frame{}
	r.frames = r.frames[:len(r.frames)-1]
	return f
}

// truncate drops the items from base on.
func (r *reader) truncate(base int) {
	clear(r.items[base:])
	r.items, r.spans = r.items[:base], r.spans[:base]
}

// deliver passes a complete form to its parent. If the parent is a prefix that now has all its
// forms, the prefix's form goes to the parent of the prefix, and so on.
func (r *reader) deliver(v value.Value, start, end int) {
	for r.err == nil {
		if len(r.frames) == 0 {
			r.add(v, start, end)
			r.done = r.scan.oneForm
			return
		}
		f := r.top()
		if f.kind == frameCond {
			r.deliverCond(f, v, start, end)
			return
		}
		if f.kind == frameDiscard {
			r.pop()
			return
		}
		r.add(v, start, end)
		if f.kind < frameQuote || f.kind == frameMeta && len(r.items) == f.base+1 {
			return
		}
		start = f.start
		v = r.prefixed()
	}
}

// add puts a form on the stack.
func (r *reader) add(v value.Value, start, end int) {
	if len(r.items) == cap(r.items) {
		r.spans = grow(r.t, r.spans)
		r.items = grow(r.t, r.items)
	}
	r.items = append(r.items, v)
	r.spans = append(r.spans, span{start, end})
}

// grow returns s with twice its capacity. It charges the new block before allocating it.
func grow[T any](t *value.Task, s []T) []T {
	n := 2 * cap(s)
	t.Charge(limits.ObjectSize(n * int(unsafe.Sizeof(*new(T)))))
	bigger := make([]T, len(s), n)
	copy(bigger, s)
	return bigger
}

// closeRun closes one bracket for each byte of text.
func (r *reader) closeRun(text string, start int) {
	for i := 0; i < len(text) && r.err == nil && !r.done; i++ {
		r.next = start + i + 1
		r.close(text[i:i+1], start+i, r.next)
	}
}

// close closes the innermost bracket.
func (r *reader) close(text string, start, end int) {
	if len(r.frames) == 0 {
		r.failAt(start, end, `unmatched "`+text+`": no bracket is open here`,
			"remove it, or add the bracket that it should close")
		return
	}
	f := r.top()
	if f.kind >= frameQuote {
		r.danglingPrefix(f, text, start, end)
		return
	}
	if closers[f.kind] != text {
		r.mismatch(f, text, start, end)
		return
	}
	if f.kind == frameCond {
		r.closeCond()
		return
	}
	v := r.collect(f, end)
	if r.err != nil {
		return
	}
	if f.preserved {
		v = r.t.ReaderConditional(v, f.splice)
		r.preserving--
	}
	base := f.base
	at := f.start
	r.pop()
	r.truncate(base)
	r.deliver(v, at, end)
}

// finish ends the parse at the end of the source.
func (r *reader) finish() {
	switch {
	case r.opener.kind != 0:
		r.unclosedOpener()
	case len(r.frames) > 0:
		r.unclosed()
	}
}
