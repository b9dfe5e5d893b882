// This file defines the parts of a reader that are reused by later parses.

package parser

import (
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// kit is the part of a reader that is kept between parses: the grammar, the token list and the
// first blocks of its stacks, about 50 KB. A parse that needs more allocates it, charges it to its
// task, and drops it.
type kit struct {
	grammar *participle.Parser[document]
	tokens  *lexer.PeekingLexer
	batch   []lexer.Token // the block that holds tokens
	filled  int           // the largest number of tokens that batch has held

	frames  [64]frame
	items   [512]value.Value
	spans   [512]span
	scratch [512]byte
	names   [nameSlots]nameEntry
}

// readers keeps readers for later parses. A parser of the library is bound to its hook and the hook
// to its reader, and building one takes 25 µs.
var readers = sync.Pool{New: func() any { return newReader() }}

func newReader() *reader {
	r := &reader{kit: &kit{}}
	r.kit.tokens, r.kit.batch = newBatch(smallBatch)
	r.kit.grammar = participle.MustBuild[document](
		participle.Lexer(definition{}),
		participle.ParseTypeWith[forms](r.read))
	return r
}

// newBatch returns a token list for the grammar, and the block that holds it. The library makes a
// new list for each parse by appending to an empty one: for 1 MB of ordinary code that is 31 MB of
// garbage and half of the time (69 ms instead of 34). The block lets a reader fill one list
// repeatedly.
func newBatch(tokens int) (*lexer.PeekingLexer, []lexer.Token) {
	list, err := lexer.Upgrade(&scanner{src: strings.Repeat("x ", tokens), classes: clojureClasses, left: tokens})
	if err != nil {
		panic(err) // the scanner returns no errors
	}
	return list, list.Range(0, lexer.RawCursor(tokens+1))
}

// suit replaces the batch of the reader by a full one if the source needs more than a small one.
func (r *reader) suit(source string) {
	if len(r.kit.batch) <= batchTokens && len(source) > smallBatch {
		r.kit.tokens, r.kit.batch = newBatch(batchTokens)
	}
}

func takeReader(t *value.Task, file *token.File, opts *Options) *reader {
	r := readers.Get().(*reader)
	r.suit(file.Source)
	k := r.kit
	*r = reader{
		kit: k, t: t, file: file, opts: opts, limits: opts.Limits.OrDefault(),
		frames: k.frames[:0], items: k.items[:0], spans: k.spans[:0], scratch: k.scratch[:0],
		scan: scanner{src: file.Source, classes: clojureClasses, edn: opts.Edn},
	}
	if opts.Edn {
		r.scan.classes = ednClasses
	}
	if strings.HasPrefix(file.Source, "\ufeff") { // a byte order mark
		r.scan.off = len("\ufeff")
	}
	return r
}

// release drops everything that belongs to the task, which may be unwinding, and keeps the reader
// for later parses.
func (r *reader) release() {
	k := r.kit
	clear(k.batch[:k.filled])
	clear(k.names[:])
	clear(k.frames[:])
	if cap(r.items) > len(k.items) {
		clear(k.items[:])
	}
	clear(r.items) // truncate has cleared the rest
	k.filled = 0
	*r = reader{kit: k}
	readers.Put(r)
}
