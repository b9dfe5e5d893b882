// This file defines the grammar. Its hook is the reader.

package parser

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// document is the grammar: a document is the result of the hook on a batch of tokens.
//
// The grammar does not contain the nesting of forms. Measured on 1 MB of ordinary code, a grammar
// of lists, vectors, maps and atoms in struct tags reads 1.0 MB/s (1.6 with unions), allocates 1 GB
// (620 MB), uses levels of Go stack for each level of the program and does not build values yet.
// With the hook it reads 27 MB/s and allocates 17 MB, all but 0.5 MB of it for the values. The
// hook without the library reads 30 MB/s.
type document struct {
	Forms forms `parser:"@@"`
}

// forms represents the values that the hook has put on the reader's stack.
type forms interface{ forms() }

type readForms struct{}

func (readForms) forms() {}

// batchTokens is the length of a batch. With the EOF at its end, its tokens of 64 bytes take 16 KB,
// which stay in the processor's first-level cache.
const batchTokens = 255

// smallBatch is the length of the first batch of a reader. It suits sources of at most as many
// bytes. A full batch takes a twentieth of the time of a short process.
const smallBatch = 15

// batchGarbage is the charge for the library's allocations when it parses a batch.
const batchGarbage = 1024

// fill puts the next tokens into the list, followed by EOF.
func (r *reader) fill() {
	k := r.kit
	r.scan.left = len(k.batch) - 1
	for i := range k.batch {
		k.batch[i], _ = r.scan.Next()
		if k.batch[i].EOF() {
			k.filled = max(k.filled, i)
			break
		}
	}
	k.tokens.LoadCheckpoint(lexer.Checkpoint{})
}

// run reads until the source ends, one form is complete or an error has occurred.
func (r *reader) run() {
	for r.err == nil && !r.done {
		from := r.scan.off
		r.fill()
		r.t.Work(int64(r.scan.off-from)/16 + 1)
		r.t.Charge(batchGarbage)
		if _, err := r.kit.grammar.ParseFromLexer(r.kit.tokens, participle.AllowTrailing(true)); err != nil && r.err == nil {
			panic(err) // the hook takes all tokens and returns no errors this way
		}
		if r.scan.left > 0 && r.err == nil && !r.done { // the source ended before the batch
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
