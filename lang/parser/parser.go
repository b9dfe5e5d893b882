// Package parser reads source text into forms: the values that the compiler and read-string work
// on.
//
// It follows Clojure's reader (clojure.lang.LispReader) or, with Options.Edn, the stricter reader
// of clojure.edn. Symbols and lists carry their positions in the source.
//
// The source passes through three parts. A lexer splits it into tokens, in batches. The grammar,
// written for the parser library participle, passes each batch to one hook. The hook (reader) keeps the
// open brackets and prefixes on its own stack, so that neither the Go stack nor the memory for tokens grows
// with the source. It builds each form when the last token of the form has been read.
package parser

import (
	"fmt"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// Options configure the reader. The zero Options read a program in the namespace user.
type Options struct {
	// Limits bound the bytes of the source and the nesting depth of its forms.
	Limits limits.Limits
	// NS is the current namespace, for ::keyword and syntax-quote; "" means user.
	NS string
	// Aliases maps aliases to namespaces.
	Aliases map[string]string
	// ResolveSymbol returns the namespace and name that replace a symbol in a syntax-quote: those of
	// a special form do not change. The reader does not call it for gensyms and names with a dot, and
	// resolves aliases first. If it is nil, a symbol without a namespace gets NS.
	ResolveSymbol func(ns, name string) (rns, rname string)
	// Features are the features of reader conditionals, without the colon, in addition to :default.
	// If nil, they are ptc and clj.
	Features []string
	// Preserve reads a reader conditional as a value, with all its branches. Unknown tags in it are tagged literals.
	Preserve bool
	// Edn selects data as clojure.edn reads it: ' ` ~ @ are parts of symbols and #' #( #" #? are
	// errors.
	Edn bool
	// Tags returns the value of a tagged literal, and whether it knows the tag, which is a symbol.
	// The reader asks it first, so it may also replace #inst and #uuid, the two built-in tags. A
	// tag is unknown if Tags is nil or returns false. An unknown tag is an error, except that with
	// Edn and a nil Tags it becomes a tagged literal (value.Tagged).
	Tags func(t *value.Task, tag, form value.Value) (value.Value, bool)
	// Code means that the text is the source of a program: the literal of a record is read as the call that makes it, and
	// #=form as the form. Without Edn and Tags it always is.
	Code bool
	// NextID returns the number for the names that #() and foo# generate. If it is nil, the number
	// is the position of the form in its file set.
	NextID func() int64
}

// code reports whether the text is the source of a program.
func (o *Options) code() bool { return o.Code || !o.Edn && o.Tags == nil }

// Unclosed is the Data of an error that more text could fix: the source ends inside a bracket, a
// string or a prefix.
type Unclosed struct {
	Expected string `json:"expected"` // the text that must follow; "form" for any form
	Line     int    `json:"line"`     // the line of the opening
	Column   int    `json:"column"`
}

// incomplete reports whether err means that the source ended too early, so that a REPL should ask
// for more.
func incomplete(err *diag.Error) bool {
	if err == nil {
		return false
	}
	_, ok := err.Data.(Unclosed)
	return ok
}

// Parse reads all forms of a file. Their memory belongs to t and is charged to it. A bound that t
// hits unwinds by a panic. The error is that of the first bad form.
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

// ParseOne reads one form of a file, starting at byte offset. It returns the offset after the form,
// from which the next one may be read. eof is true if only space and comments are left.
func ParseOne(t *value.Task, file *token.File, offset int, opts Options) (
	form value.Value, next int, eof bool, err *diag.Error,
) {
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

// checkSize refuses a source that exceeds the bound.
func (r *reader) checkSize() *diag.Error {
	n := len(r.file.Source)
	most := r.limits.SourceBytes
	if n <= most {
		return nil
	}
	return r.errorAt(diag.SourceTooLarge, 0, 1, fmt.Sprintf("the source has %d bytes, the limit is %d", n, most),
		"split the program, read large data with a tool, or raise Limits.SourceBytes")
}
