// This file defines the functions that read the standard input, strings and files, and write files.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/builtins/internal/java"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// input are the functions of clojure.core that read and write.
var input = []entry.Entry{
	readsInput(entry.Entry{NS: "clojure.core", Name: "read-line", Args: "", Cost: entry.PerByte, Fn: readLine,
		Doc:      "Returns the next line of *in*, the standard input, or nil at its end.",
		Examples: []string{`(with-in-str "a\nb" (read-line)) => "a"`, "(read-line) => nil"}}),
	readsInput(entry.Entry{NS: "clojure.core", Name: "read", Cost: entry.PerByte, Fn: readNext,
		Args: "| reader | opts reader | reader eof-error? eof-value | reader eof-error? eof-value recursive?",
		Doc: "Reads the next form of *in* or of a reader, as data. At the end it throws, or returns eof-value, or the " +
			":eof of opts.",
		Examples: []string{`(with-in-str "(+ 1 2) x" (read)) => (+ 1 2)`, "(read) !syntax-error"}}),
	readsInput(entry.Entry{NS: "clojure.core", Name: "read+string", Cost: entry.PerByte, Fn: readWithText,
		Args: "| reader | opts reader | reader eof-error? eof-value | reader eof-error? eof-value recursive?",
		Doc:  "As read, and returns a vector of the form and its text.",
		Examples: []string{`(with-in-str "(+ 1  2) x" (read+string)) => [(+ 1 2) "(+ 1  2)"]`,
			"(read+string) !syntax-error"}}),
	{NS: "clojure.edn", Name: "read", Args: "reader | opts:map? reader", Cost: entry.PerByte, Fn: readEdn,
		Doc: "Reads the next form of a reader as data. opts are those of clojure.edn/read-string.",
		Examples: []string{`(clojure.edn/read (java.io.PushbackReader. (java.io.StringReader. "{:a 1}"))) => {:a 1}`,
			"(clojure.edn/read 1) !wrong-type"}},
	{NS: "clojure.core", Name: "%read-line", Args: "reader", Private: true, Cost: entry.PerByte,
		Fn:  func(t *value.Task, a []value.Value) value.Value { return java.ReadLine(t, a[0], "line-seq") },
		Doc: "Returns the next line of a reader, nil at its end."},
	{NS: "clojure.core", Name: "%string-reader", Args: "s:string", Private: true, Cost: entry.Constant,
		Fn: func(t *value.Task, a []value.Value) value.Value {
			return java.NewReader(t, java.StringReader, a[0])
		}, Doc: "Returns a reader of a string, for with-in-str."},
	{NS: "clojure.core", Name: "slurp", Args: "f | f k v | f k v k2 v2", Cost: entry.PerByte, Fn: java.Slurp,
		Tool: java.ReadTool,
		Doc: "Returns the text of a reader, such as *in*, of an array of characters or bytes, or of a file. A file needs " +
			"the grant of tool/fs.read, by which it is read.",
		Examples: []string{`(slurp (java.io.StringReader. "abc")) => "abc"`, `(slurp "a.txt") !not-granted`}},
	{NS: "clojure.core", Name: "spit", Args: "f content | f content k v | f content k v k2 v2", Cost: entry.PerByte,
		Fn: java.Spit, Tool: java.WriteTool,
		Doc: "Writes (str content) to a file, or appends it with :append true. It needs the grant of tool/fs.write, by " +
			"which the file is written.",
		Examples: []string{`(let [w (java.io.StringWriter.)] (spit w "abc") (str w)) => "abc"`,
			`(spit "a.txt" 1) !not-granted`}},
}

// StandardInput is the value of *in* without a binding.
var StandardInput = java.StandardInput

// readsInput declares that a builtin reads the standard input.
func readsInput(e entry.Entry) entry.Entry {
	e.ReadsInput = true
	return e
}

func readLine(t *value.Task, _ []value.Value) value.Value {
	return java.ReadLine(t, java.Binding(t), "read-line")
}

var keyEOFOption = value.ConstKeyword("eof")

// fromReader returns the reader and the options in the arguments of read.
func fromReader(t *value.Task, a []value.Value) (reader, opts value.Value) {
	switch len(a) {
	case 0:
		return java.Binding(t), value.Nil
	case 1:
		return a[0], value.Nil
	case 2:
		return a[1], a[0]
	}
	if a[1].Truthy() {
		return a[0], value.Nil
	}
	return a[0], t.MapOf(keyEOFOption, a[2])
}

// atEnd returns the value for the end of the text: the option :eof, or it throws.
func atEnd(t *value.Task, opts value.Value) value.Value {
	if opts.Is(value.Maps) {
		if v, ok := t.MapGet(opts, keyEOFOption); ok {
			return v
		}
	}
	t.Fail(diag.SyntaxError, "EOF while reading")
	return value.Nil
}

func readNext(t *value.Task, a []value.Value) value.Value {
	reader, opts := fromReader(t, a)
	form, ok := java.ReadForm(t, reader, false, opts, "read")
	if !ok {
		return atEnd(t, opts)
	}
	return form
}

func readWithText(t *value.Task, a []value.Value) value.Value {
	reader, opts := fromReader(t, a)
	return java.FormText(t, reader, opts, "read+string", func() value.Value { return atEnd(t, opts) })
}

func readEdn(t *value.Task, a []value.Value) value.Value {
	reader, opts := fromReader(t, a)
	form, ok := java.ReadForm(t, reader, true, opts, "read")
	if !ok {
		return atEnd(t, opts)
	}
	return form
}
