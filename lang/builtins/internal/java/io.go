// This file defines the constructors of readers, writers and files, and clojure.java.io.

package java

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// ioStatics are the constructors of readers, writers and files, and clojure.java.io.
func ioStatics() []entry.Entry {
	reader := func(name, args, example string, fn value.NativeFunc) entry.Entry {
		return entry.StaticMethod("new", name, args, entry.PerByte, "Returns a reader of the text of another reader, or "+
			"of a string.", example, fn)
	}
	on := func(class *value.JavaClass) entry.Entry {
		name := class.Name[strings.LastIndexByte(class.Name, '.')+1:]
		return reader(name, "reader | reader size", `(slurp (`+class.Name+`. (java.io.StringReader. "a"))) => "a"`,
			wrap(class))
	}
	writer := func(name string) entry.Entry {
		return entry.StaticMethod("new", name, "writer | writer flush", entry.Constant, "Returns the writer, or a writer of "+
			"a file.", `(str (doto (java.io.`+name+`. (java.io.StringWriter.)) (.write "a"))) => "a"`,
			func(t *value.Task, a []value.Value) value.Value {
				if _, ok := fileName(a[0]); ok && len(a) == 2 {
					return newWriter(t, []value.Value{a[0], keyAppend, a[1]})
				}
				return newWriter(t, a[:1])
			})
	}
	io := func(name, args string, cost entry.Cost, doc string, fn value.NativeFunc, examples ...string) entry.Entry {
		return entry.Entry{NS: "clojure.java.io", Name: name, Args: args, Cost: cost, Doc: doc, Fn: fn, Examples: examples}
	}
	return []entry.Entry{
		reader("StringReader", "s", `(slurp (java.io.StringReader. "a")) => "a"`,
			func(t *value.Task, a []value.Value) value.Value {
				entry.WantText(t, a[0], "StringReader")
				return NewReader(t, StringReader, a[0])
			}),
		on(BufferedReader), on(PushbackReader), on(NumberedReader), on(LineReader), on(StreamReader),
		reader("ByteArrayInputStream", "bytes", `(slurp (java.io.ByteArrayInputStream. (.getBytes "a"))) => "a"`,
			func(t *value.Task, a []value.Value) value.Value { return NewReader(t, BytesStream, bytesText(t, a[0])) }),
		entry.StaticMethod("new", "FileReader", "file", entry.PerByte, "Returns a reader of a file, by tool/fs.read.",
			`(java.io.FileReader. "a") !not-granted`, newReader),
		writer("PrintWriter"), writer("BufferedWriter"), writer("OutputStreamWriter"), writer("FileWriter"),
		entry.StaticMethod("new", "File", "path | parent path", entry.PerByte, "Returns the name of a file.",
			`(str (java.io.File. "a" "b")) => "a/b"`, newFileOf),
		io("file", "path | parent path | parent path & more", entry.PerByte, "Returns the name of a file, of strings or "+
			"files. Its methods use the tools tool/fs.…, if they are granted.", newFileIn,
			`(str (clojure.java.io/file "a" "b")) => "a/b"`, "(clojure.java.io/file nil) !nil-value"),
		io("as-file", "x", entry.PerByte, "Returns the name of a file.", newFileOf,
			`(str (clojure.java.io/as-file "a")) => "a"`, "(clojure.java.io/as-file nil) !nil-value"),
		io("reader", "x & opts", entry.PerByte, "Returns a reader of a reader, of an array of bytes or characters, or of "+
			"a file, by tool/fs.read.", newReader,
			`(line-seq (clojure.java.io/reader (java.io.StringReader. "a\nb"))) => ("a" "b")`,
			`(clojure.java.io/reader "a.txt") !not-granted`),
		io("input-stream", "x & opts", entry.PerByte, "Returns a reader, as reader does: streams of bytes are text in "+
			"UTF-8.", newReader, `(slurp (clojure.java.io/input-stream (.getBytes "a"))) => "a"`,
			`(clojure.java.io/input-stream "a.txt") !not-granted`),
		io("writer", "x & opts", entry.PerByte, "Returns a writer whose text is written to a file by tool/fs.write when it "+
			"is closed, or appended with :append true; a writer itself.", newWriter,
			`(str (doto (clojure.java.io/writer (java.io.StringWriter.)) (.write "a"))) => "a"`,
			"(clojure.java.io/writer nil) !nil-value"),
		io("output-stream", "x & opts", entry.PerByte, "Returns a writer, as writer does.", newWriter,
			`(str (doto (clojure.java.io/output-stream (java.io.StringWriter.)) (.write "a"))) => "a"`,
			"(clojure.java.io/output-stream nil) !nil-value"),
		usesTool(statTool, io("resource", "name | name loader", entry.PerByte, "Returns the name of the file below a "+
			"directory of --path or the directory resources, nil if there is none, by tool/fs.stat. Without its "+
			"grant returns nil.",
			resource, `(clojure.java.io/resource "a") => nil`)),
		io("delete-file", "file | file silently", entry.Constant, "Removes a file, by tool/fs.remove. Returns true.",
			func(t *value.Task, a []value.Value) value.Value {
				if !callTool(t, "delete-file", removeTool, wantName(t, a[0], "delete-file")).Truthy() && len(a) == 1 {
					t.FailClass("java.io.IOException", diag.ToolFailed, "Couldn't delete %s", value.Show(t, a[0]))
				}
				return value.True
			}, `(clojure.java.io/delete-file "a") !not-granted`),
		io("make-parents", "file | parent file", entry.PerByte, "Makes the directory of a file, by tool/fs.mkdir.",
			func(t *value.Task, a []value.Value) value.Value {
				p := parent(pathOf(newFileOf(t, a)))
				return value.Bool(p != "" && callTool(t, "make-parents", mkdirTool, t.CopyString(p)).Truthy())
			}, `(clojure.java.io/make-parents "a/b") !not-granted`),
		io("copy", "from to & opts", entry.PerByte, "Copies the text of a reader or file to a writer or file.",
			func(t *value.Task, a []value.Value) value.Value {
				text := a[0]
				if !text.IsString() {
					text = Slurp(t, a[:1])
				}
				switch {
				case IsWriter(a[1]):
					WriteTo(t, a[1], text)
				default:
					Spit(t, []value.Value{a[1], text})
				}
				return value.Nil
			}, `(let [w (java.io.StringWriter.)] (clojure.java.io/copy (java.io.StringReader. "a") w) (str w)) => "a"`,
			`(clojure.java.io/copy "a" "b.txt") !not-granted`),
	}
}
