// This file defines the grammar and the readers that are kept ready for it.

package parser

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// document is the grammar: a batch of tokens is what the hook makes of it.
//
// The nesting of forms is not in the grammar. Measured on 1 MB of ordinary code,
// a grammar of lists, vectors and atoms in struct tags reads REPLACE MB/s and
// needs a level of Go stack for each level of the program; the hook reads REPLACE.
type document struct {
	Forms forms `parser:"@@"`
}

// forms stands for the values that the hook has put on the reader's stack.
type forms interface{ forms() }

type readForms struct{}

func (readForms) forms() {}

// batchTokens is the length of a batch. With the EOF at its end, its tokens (64
// bytes each) fill the largest size class of the allocator; a longer list would
// be allocated in pages.
const batchTokens = 511

// batchBytes is what the token lists of a batch occupy: participle lets the list
// grow by doubling from one token. One batch is garbage when the next is made, so
// this is charged once.
const batchBytes = 2 * (batchTokens + 1) * 64

// readers keeps readers for the next parse. A participle parser is bound to its
// hook, the hook to its reader, and to build one takes REPLACE µs.
var readers = sync.Pool{New: func() any { return newReader() }}

func newReader() *reader {
	r := &reader{}
	r.grammar = participle.MustBuild[document](
		participle.Lexer(definition{}),
		participle.ParseTypeWith[forms](r.read))
	return r
}

func takeReader(t *value.Task, file *token.File, opts *Options) *reader {
	r := readers.Get().(*reader)
	r.t, r.file, r.opts = t, file, opts
	r.limits = opts.Limits.OrDefault()
	r.scan = scanner{src: file.Source, classes: clojureClasses, edn: opts.Edn}
	if opts.Edn {
		r.scan.classes = ednClasses
	}
	const bom = "\ufeff"
	if len(file.Source) >= len(bom) && file.Source[:len(bom)] == bom {
		r.scan.off = len(bom)
	}
	return r
}

// release drops all that belongs to the task, which may be in the middle of an
// unwinding, and keeps the reader for the next parse.
func (r *reader) release() {
	*r = reader{grammar: r.grammar, stacks: r.stacks}
	r.stacks.clear()
	readers.Put(r)
}

// run reads until the source ends, one form is complete or an error has come.
func (r *reader) run() {
	r.t.Charge(min(batchBytes, 256+2*64*int64(len(r.file.Source)-r.scan.off)))
	for r.err == nil && !r.done {
		r.scan.left = batchTokens
		from := r.scan.off
		tokens, err := lexer.Upgrade(&r.scan)
		if err == nil {
			r.t.Work(int64(r.scan.off-from)/16 + 1)
			_, err = r.grammar.ParseFromLexer(tokens, participle.AllowTrailing(true))
		}
		if err != nil && r.err == nil {
			panic(err) // neither the scanner nor the hook gives errors this way
		}
		if r.scan.left > 0 {
			r.finish()
			return
		}
	}
}

// read is the hook of the grammar: it reads a batch of tokens.
func (r *reader) read(tokens *lexer.PeekingLexer) (forms, error) {
	for r.err == nil && !r.done {
		tok := tokens.Next()
		if tok.EOF() {
			break
		}
		r.token(tok)
	}
	return readForms{}, nil
}
