// This file defines reading: read-string and clojure.edn.

package strs

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// ednFunctions read data.
var ednFunctions = []entry.Entry{
	{NS: "clojure.core", Name: "read-string", Args: "s | opts s", Cost: entry.PerByte, Fn: readString,
		Doc: "Reads the first form of a string as data. Nothing is evaluated.",
		Examples: []string{`(read-string "(+ 1 2)") => (+ 1 2)`, `(read-string "") !syntax-error`,
			"(read-string nil) !nil-value"}},
	{NS: "clojure.edn", Name: "read-string", Args: "s:string? | opts:map? s:string?", Cost: entry.PerByte,
		Purity: entry.Pure, Fn: ednReadString,
		Doc: "Reads the first form of a string as data. opts may have :eof, the value for an empty string, :readers, a map " +
			"from tag to function, and :default, a function of tag and value for other tags.",
		Examples: []string{`(clojure.edn/read-string "{:a [1 2]}") => {:a [1 2]}`, "(clojure.edn/read-string nil) => nil",
			`(clojure.edn/read-string "{:a") !syntax-error`}},
}

// keyEOF is the option with the value for an empty text.
var keyEOF = value.ConstKeyword("eof")

func readString(t *value.Task, a []value.Value) value.Value {
	s := entry.WantText(t, a[len(a)-1], "read-string")
	opts := value.Nil
	if len(a) == 2 {
		opts = a[0]
	}
	return readForm(t, s, false, boundReaders(t, opts))
}

// The options of reading that dynamic vars set.
var keyReaders, keyDefault = value.ConstKeyword("readers"), value.ConstKeyword("default")

// boundReaders returns options with the functions for tags that *data-readers* and *default-data-reader-fn* are bound
// to.
func boundReaders(t *value.Task, opts value.Value) value.Value {
	if readers, ok := t.Host.Binding("*data-readers*"); ok && readers.Is(value.Maps) && t.Count(readers) > 0 {
		opts = t.MapAssoc(orEmpty(opts), keyReaders, readers)
	}
	if fn, ok := t.Host.Binding("*default-data-reader-fn*"); ok && !fn.IsNil() {
		opts = t.MapAssoc(orEmpty(opts), keyDefault, fn)
	}
	return opts
}

// orEmpty returns a map of options.
func orEmpty(opts value.Value) value.Value {
	if opts.Is(value.Maps) {
		return opts
	}
	return value.EmptyMap
}

func ednReadString(t *value.Task, a []value.Value) value.Value {
	s, opts := a[len(a)-1], value.Nil
	if len(a) == 2 {
		opts = a[0]
	}
	if s.IsNil() {
		return value.Nil
	}
	if len(a) == 1 {
		form, _ := t.Host.Read(s.AsString().S, true, opts)
		return form
	}
	return readForm(t, s.AsString().S, true, opts)
}

// readForm reads a form; an empty text returns the option :eof, or throws without it.
func readForm(t *value.Task, text string, edn bool, opts value.Value) value.Value {
	form, ok := t.Host.Read(text, edn, opts)
	if ok {
		return form
	}
	if opts.Is(value.Maps) {
		if v, ok := t.MapGet(opts, keyEOF); ok {
			return v
		}
	}
	t.Fail(diag.SyntaxError, "EOF while reading")
	return value.Nil
}
