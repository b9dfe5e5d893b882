// Package parser reads source text into forms: the values that the compiler and
// read-string take.
//
// It is Clojure's reader (clojure.lang.LispReader), and, with Options.Edn, the
// stricter one of clojure.edn. Symbols and lists carry their place in the source.
//
// The text goes through three parts. A lexer cuts it into tokens, in batches. The
// grammar, over the parser library participle, hands each batch to one hook. The
// hook (reader) keeps the open brackets and prefixes on a stack of its own, so
// that neither the Go stack nor the memory for tokens grows with the source, and
// builds each form when its last token has come.
package parser

import (
	"fmt"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Options say how to read. The zero Options read a program in the namespace user.
type Options struct {
	// Limits bound the bytes of the source and the nesting of its forms.
	Limits limits.Limits
	// NS is the current namespace, for ::keyword and syntax-quote; "" is user.
	NS string
	// Aliases gives the namespace that an alias stands for.
	Aliases map[string]string
	// ResolveSymbol returns what a symbol in a syntax-quote becomes: a special form
	// stays as it is. Gensyms and names with a dot in them do not come here, and
	// aliases are resolved already. If it is nil, a symbol without namespace gets NS.
	ResolveSymbol func(ns, name string) (rns, rname string)
	// Features are the features of reader conditionals, without colon, besides
	// :default. If it is nil, they are ptc and clj.
	Features []string
	// Edn reads data as clojure.edn does: ' ` ~ @ are parts of symbols and #' #( #"
	// #? are errors.
	Edn bool
	// Tags gives what a tagged literal other than #inst and #uuid stands for; tag
	// is a symbol. It is asked first, so it may also replace those two. If it is
	// nil or gives false, a tag that is not known is an error, except that with
	// Edn and without Tags it becomes a tagged literal (value.Tagged).
	Tags func(t *value.Task, tag, form value.Value) (value.Value, bool)
	// NextID numbers the names that #() and foo# make. If it is nil, the position
	// of the form in its file set is the number.
	NextID func() int64
}

// Unclosed is the Data of an error that more text could mend: a bracket, string
// or prefix whose end the source does not reach.
type Unclosed struct {
	Expected string `json:"expected"` // what has to follow, "form" for any form
	Line     int    `json:"line"`     // where it was opened
	Column   int    `json:"column"`
}

// Incomplete says whether err is that the source ended too early, so that a REPL
// should ask for more of it.
func Incomplete(err *diag.Error) bool {
	if err == nil {
		return false
	}
	_, ok := err.Data.(Unclosed)
	return ok
}

// Parse reads all forms of a file. What it makes belongs to t and is charged to
// it; a bound that t hits unwinds. The error is that of the first bad form.
func Parse(t *value.Task, file *token.File, opts Options) ([]value.Value, *diag.Error) {
	r := takeReader(t, file, &opts)
	defer r.release()
	if err := r.checkSize(); err != nil {
		return nil, err
	}
	r.run()
	if r.err != nil {
		return nil, r.err
	}
	forms := t.Vals(len(r.items))
	copy(forms, r.items)
	return forms, nil
}

// ParseOne reads one form of a file, from byte offset on. It gives the offset
// after the form, at which the next one may be read; eof is true if there is none
// but space and comments.
func ParseOne(t *value.Task, file *token.File, offset int, opts Options) (form value.Value, next int, eof bool, err *diag.Error) {
	r := takeReader(t, file, &opts)
	defer r.release()
	if err := r.checkSize(); err != nil {
		return value.Nil, offset, false, err
	}
	r.scan.off = max(offset, r.scan.off)
	r.scan.oneForm = true
	r.run()
	switch {
	case r.err != nil:
		return value.Nil, r.next, false, r.err
	case len(r.items) == 0:
		return value.Nil, len(file.Source), true, nil
	}
	return r.items[0], r.next, false, nil
}

// checkSize refuses a source over the bound.
func (r *reader) checkSize() *diag.Error {
	n := len(r.file.Source)
	most := r.limits.SourceBytes
	if n <= most {
		return nil
	}
	return r.errorAt(diag.SourceTooLarge, 0, 1, fmt.Sprintf("the source has %d bytes, the limit is %d", n, most),
		"split the program, read large data with a tool, or raise Limits.SourceBytes")
}
