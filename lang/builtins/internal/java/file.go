// This file defines files: their names, reading and writing them with the tools of the host, and clojure.java.io.

package java

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/murmur"
	"github.com/ptc-lang/ptc/lang/value"
)

// The tools that files are read and written with.
const (
	ReadTool   = "fs.read"
	WriteTool  = "fs.write"
	appendTool = "fs.append"
	statTool   = "fs.stat"
	listTool   = "fs.list"
	removeTool = "fs.remove"
	mkdirTool  = "fs.mkdir"
)

// File is the class of names of files. Its only slot is the path.
var File = &value.JavaClass{Name: "java.io.File", Data: true,
	Text: func(_ *value.Task, b *value.Buf, v value.Value) { b.WriteString(pathOf(v)) },
	Hash: func(t *value.Task, v value.Value) int32 { return murmur.JavaStringHash(pathOf(v)) ^ 1234321 },
	Compare: func(_ *value.Task, a, b value.Value) int {
		return strings.Compare(pathOf(a), pathOf(b))
	}}

// FileWriter is the class of writers whose text is written to a file when they are closed. Its slots are a string
// builder, the path, and whether the text is appended.
var FileWriter = &value.JavaClass{Name: "java.io.BufferedWriter"}

func pathOf(file value.Value) string { return file.AsJava().Vals[0].AsString().S }

// newFile returns the name of a file with a cleaned path, as Java has it: without slashes that are doubled or at the
// end.
func newFile(t *value.Task, p string) value.Value {
	t.Work(int64(len(p)) / 16)
	t.Charge(int64(len(p)))
	for strings.Contains(p, "//") {
		p = strings.ReplaceAll(p, "//", "/")
	}
	if len(p) > 1 {
		p = strings.TrimSuffix(p, "/")
	}
	return t.JavaOf(File, t.CopyString(p))
}

// fileName returns the path that a value names: a string or a File. ok is false for other values.
func fileName(v value.Value) (p value.Value, ok bool) {
	switch {
	case v.IsString():
		return v, true
	case v.ClassIs(File):
		return v.AsJava().Vals[0], true
	}
	return value.Nil, false
}

// wantName is fileName, and throws for other values.
func wantName(t *value.Task, v value.Value, what string) value.Value {
	p, ok := fileName(v)
	if !ok {
		t.FailWant(what, v, "the name of a file")
	}
	return p
}

// The keys of the arguments and results of the tools.
var (
	keyPath     = value.ConstKeyword("path")
	keyText     = value.ConstKeyword("text")
	keyType     = value.ConstKeyword("type")
	keyName     = value.ConstKeyword("name")
	keySize     = value.ConstKeyword("size")
	keyModified = value.ConstKeyword("modified")
	keyAppend   = value.ConstKeyword("append")
	keyEncoding = value.ConstKeyword("encoding")
	keyISO      = value.ConstString("latin-1")
)

// Slurp returns the text of a reader, an array of characters or bytes, or a file.
func Slurp(t *value.Task, a []value.Value) value.Value {
	x := a[0]
	switch {
	case IsReader(x):
		return ReadAll(t, x, "slurp")
	case isBytes(x):
		return strs.NewString(t, x)
	case x.IsNil():
		t.Fail(diag.IllegalArgument, "Cannot open <nil> as a Reader.")
	}
	name := wantName(t, x, "slurp")
	if text, ok := readResource(t, "slurp", name.AsString().S); ok {
		return t.CopyString(text)
	}
	if enc, ok := option(t, a[1:], keyEncoding); ok && isLatin(t, enc) {
		name = t.MapOf(keyPath, name, keyEncoding, keyISO)
	}
	return callTool(t, "slurp", ReadTool, name)
}

// isBytes reports whether a value holds bytes or characters: an array, or the vector that getBytes returns.
func isBytes(v value.Value) bool { return v.Is(value.Vectors | value.Kinds(value.KindArray)) }

func isLatin(t *value.Task, enc value.Value) bool {
	return enc.IsString() && strings.EqualFold(enc.AsString().S, "ISO-8859-1")
}

// option returns the value of a key in the options of a call, which are pairs.
func option(t *value.Task, opts []value.Value, key value.Value) (value.Value, bool) {
	for i := 0; i+1 < len(opts); i += 2 {
		if value.Equal(t, opts[i], key) {
			return opts[i+1], true
		}
	}
	return value.Nil, false
}

// Spit writes (str content) to a file, or appends it.
func Spit(t *value.Task, a []value.Value) value.Value {
	if strs.IsBuilder(a[0]) {
		if !value.Identical(a[0].AsBox().Vals[0], value.ClassWriter) {
			t.Fail(diag.IllegalArgument, "Cannot open <%s> as a Writer.", value.Show(t, a[0]))
		}
		strs.BuilderAppend(t, []value.Value{a[0], t.Str(a[1])})
		return value.Nil
	}
	appends, _ := option(t, a[2:], keyAppend)
	writeFile(t, "spit", wantName(t, a[0], "spit"), t.Str(a[1]), appends.Truthy())
	return value.Nil
}

func writeFile(t *value.Task, what string, name, text value.Value, appends bool) {
	tool := WriteTool
	if appends {
		tool = appendTool
	}
	callTool(t, what, tool, t.MapOf(keyPath, name, keyText, text))
}

// stat returns the host's description of a file, nil if there is none.
func stat(t *value.Task, file value.Value, what string) value.Value {
	return callTool(t, what, statTool, file.AsJava().Vals[0])
}

// usesTool declares the tool that a function calls.
func usesTool(tool string, e entry.Entry) entry.Entry {
	e.Tool = tool
	return e
}

// readResource returns the text of a file of the program for a macro. ok is false if there is none.
func readResource(t *value.Task, what, name string) (text string, ok bool) {
	text, err := t.Host.ReadResource(name)
	switch {
	case err == nil:
		t.Work(int64(len(text)) >> 8) // resource wants only the name
		return text, true
	case !errors.Is(err, fs.ErrNotExist):
		t.FailClass(value.FileNotFound, diag.IllegalArgument, "%s: %s: %v", what, name, err)
	}
	return "", false
}

// resources is the folder of the files that resource finds last.
const resources = "resources"

// resource returns the file of a resource, nil if there is none. Each folder is asked for in a call of its own, because
// one call asks a tool once.
func resource(t *value.Task, a []value.Value) value.Value {
	entry.WantText(t, a[0], "resource")
	for i := range len(t.Host.ResourceDirs()) + 1 {
		if file := t.Host.Call(resourceIn, a[0], value.Int(int64(i))); !file.IsNil() {
			return file
		}
	}
	return value.Nil
}

// resourceIn returns the file of a resource in one of the folders, nil if there is none. A program that is
// not allowed to ask has only the files that its macros may read.
var resourceIn = value.ConstNative(value.Native{Name: "resource", Min: 2, Max: 2,
	Fn: func(t *value.Task, a []value.Value) value.Value {
		dir := resources
		if dirs, i := t.Host.ResourceDirs(), a[1].AsInt(); i < int64(len(dirs)) {
			dir = dirs[i]
		}
		file := newFile(t, dir+"/"+a[0].AsString().S)
		if _, ok := readResource(t, "resource", pathOf(file)); ok {
			return file
		}
		tool, _ := t.Host.ToolNamed(statTool)
		if tool == nil || !filepath.IsLocal(pathOf(file)) || stat(t, file, "resource").IsNil() {
			return value.Nil
		}
		return file
	}})

// statIs makes the method that reports whether a file is of a type; "" for any.
func statIs(what, typ string) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		about := stat(t, a[0], what)
		is, _ := t.MapGet(about, keyType)
		return value.Bool(!about.IsNil() && (typ == "" || is.IsString() && is.AsString().S == typ))
	}
}

// statNumber makes the method that returns a number about a file, 0 if there is none.
func statNumber(what string, key value.Value) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		if n, ok := t.MapGet(stat(t, a[0], what), key); ok {
			return n
		}
		return value.Int(0)
	}
}

// list makes the method that lists a directory: files, or names.
func list(what string, files bool) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		dir := a[0].AsJava().Vals[0]
		out := t.ValBuf()
		t.Each(callTool(t, what, listTool, dir), func(x value.Value) bool {
			name, _ := t.MapGet(x, keyName)
			if files {
				name = newFile(t, pathOf(a[0])+"/"+name.AsString().S)
			}
			out.Add(name)
			return true
		})
		return out.Vector()
	}
}

// text makes the method that returns a part of a path as a string, or nil if it is "".
func text(of func(p string) string) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		s := of(pathOf(a[0]))
		if s == "" {
			return value.Nil
		}
		return t.CopyString(s)
	}
}

// parent returns the path before the last slash, "" if there is none.
func parent(p string) string {
	last := strings.LastIndexByte(p, '/')
	if last <= 0 && p != "/" {
		return p[:last+1]
	}
	return strings.TrimSuffix(p[:last], "/")
}

func fileMethods() []methods {
	self := func(_ *value.Task, a []value.Value) value.Value { return a[0] }
	done := func(t *value.Task, what, tool string, a []value.Value) value.Value {
		made := callTool(t, what, tool, a[0].AsJava().Vals[0])
		return value.Bool(made.Truthy())
	}
	return []methods{{[]*value.JavaClass{File}, []method{
		{"getName", "", entry.PerByte, "", "", func(t *value.Task, a []value.Value) value.Value {
			p := pathOf(a[0])
			return t.CopyString(p[strings.LastIndexByte(p, '/')+1:])
		}},
		{"getPath", "", entry.PerByte, "Returns the path of a file.", `(.getPath (java.io.File. "a" "b")) => "a/b"`,
			func(_ *value.Task, a []value.Value) value.Value { return a[0].AsJava().Vals[0] }},
		{"getParent", "", entry.PerByte, "Returns the directory of a file, nil if its path has none.",
			`(.getParent (java.io.File. "a/b")) => "a"`, text(parent)},
		{"getParentFile", "", entry.PerByte, "Returns the directory of a file, nil if its path has none.",
			`(str (.getParentFile (java.io.File. "a/b"))) => "a"`, func(t *value.Task, a []value.Value) value.Value {
				if p := parent(pathOf(a[0])); p != "" {
					return newFile(t, p)
				}
				return value.Nil
			}},
		{"isAbsolute", "", entry.Constant, "Returns true if a path begins with /.",
			`(.isAbsolute (java.io.File. "/a")) => true`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Bool(strings.HasPrefix(pathOf(a[0]), "/"))
			}},
		{"getAbsolutePath", "", entry.PerByte, "Returns the path of a file as it is: a program does not see where it runs.",
			`(.getAbsolutePath (java.io.File. "a")) => "a"`, text(func(p string) string { return p })},
		{"getCanonicalPath", "", entry.PerByte, "Returns the path of a file without . and ..",
			`(.getCanonicalPath (java.io.File. "a/../b")) => "b"`, text(path.Clean)},
		{"getAbsoluteFile", "", entry.Constant, "Returns the file.", `(str (.getAbsoluteFile (java.io.File. "a"))) => "a"`,
			self},
		{"getCanonicalFile", "", entry.PerByte, "Returns the file with a path without . and ..",
			`(str (.getCanonicalFile (java.io.File. "a/../b"))) => "b"`, func(t *value.Task, a []value.Value) value.Value {
				return newFile(t, path.Clean(pathOf(a[0])))
			}},
		{"exists", "", entry.Constant, "Returns true if a file exists, by tool/fs.stat.",
			`(.exists (java.io.File. "a")) !not-granted`, statIs("exists", "")},
		{"isFile", "", entry.Constant, "Returns true if a file exists and is not a directory, by tool/fs.stat.",
			`(.isFile (java.io.File. "a")) !not-granted`, statIs("isFile", "file")},
		{"isDirectory", "", entry.Constant, "Returns true if a file is a directory, by tool/fs.stat.",
			`(.isDirectory (java.io.File. "a")) !not-granted`, statIs("isDirectory", "directory")},
		{"length", "", entry.Constant, "", "", statNumber("length", keySize)},
		{"lastModified", "", entry.Constant, "Returns the time of a file in milliseconds since 1970, by tool/fs.stat.",
			`(.lastModified (java.io.File. "a")) !not-granted`, statNumber("lastModified", keyModified)},
		{"listFiles", "", entry.PerElement, "Returns a vector of the files in a directory, by tool/fs.list.",
			`(.listFiles (java.io.File. "a")) !not-granted`, list("listFiles", true)},
		{"list", "", entry.PerElement, "Returns a vector of the names in a directory, by tool/fs.list.",
			`(.list (java.io.File. "a")) !not-granted`, list("list", false)},
		{"deleteOnExit", "", entry.Constant, "Does nothing: a file of the program stays.",
			`(.deleteOnExit (java.io.File. "a")) => nil`, func(*value.Task, []value.Value) value.Value { return value.Nil }},
		{"delete", "", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return done(t, "delete", removeTool, a)
		}},
		{"mkdir", "", entry.Constant, "Makes a directory, by tool/fs.mkdir.",
			`(.mkdir (java.io.File. "a")) !not-granted`, func(t *value.Task, a []value.Value) value.Value {
				return done(t, "mkdir", mkdirTool, a)
			}},
		{"mkdirs", "", entry.Constant, "Makes a directory and its parents, by tool/fs.mkdir.",
			`(.mkdirs (java.io.File. "a")) !not-granted`, func(t *value.Task, a []value.Value) value.Value {
				return done(t, "mkdirs", mkdirTool, a)
			}},
	}}, {[]*value.JavaClass{FileWriter}, []method{
		{"write", "text", entry.PerByte, "", "", func(t *value.Task, a []value.Value) value.Value {
			text := a[1]
			if text.IsInt() {
				text = t.Str(value.Char(rune(uint16(text.AsInt()))))
			}
			entry.WantText(t, text, "write")
			WriteTo(t, a[0], text)
			return value.Nil
		}},
		{"append", "text", entry.PerByte, "", "", func(t *value.Task, a []value.Value) value.Value {
			WriteTo(t, a[0], t.Str(a[1]))
			return a[0]
		}},
		{"newLine", "", entry.PerByte, "Writes the end of a line.",
			`(with-out-str (.newLine *out*)) => "\n"`, func(t *value.Task, a []value.Value) value.Value {
				WriteTo(t, a[0], value.ConstString("\n"))
				return value.Nil
			}},
		{"flush", "", entry.Constant, "", "", func(*value.Task, []value.Value) value.Value { return value.Nil }},
		{"close", "", entry.PerByte, "", "", closeWriter},
	}}}
}

// WriteTo adds a text to a writer of a file.
func WriteTo(t *value.Task, w, text value.Value) {
	strs.BuilderAppend(t, []value.Value{w.AsJava().Vals[0], text})
}

// IsWriter reports whether a value is a writer of a file.
func IsWriter(v value.Value) bool { return v.ClassIs(FileWriter) }

// closeWriter writes the text of a writer to its file, once.
func closeWriter(t *value.Task, a []value.Value) value.Value {
	slots := a[0].AsJava().Vals
	if slots[1].IsNil() {
		return value.Nil
	}
	t.Owns(a[0], "writer")
	writeFile(t, "close", slots[1], t.Str(slots[0]), slots[2].Truthy())
	slots[1] = value.Nil
	return value.Nil
}

func newWriter(t *value.Task, a []value.Value) value.Value {
	if strs.IsBuilder(a[0]) || a[0].IsKeyword() || IsWriter(a[0]) {
		return a[0]
	}
	name := wantName(t, a[0], "writer")
	appends, _ := option(t, a[1:], keyAppend)
	return t.JavaOf(FileWriter, t.Builder(value.ClassWriter, strs.EmptyString), name, value.Bool(appends.Truthy()))
}

func newReader(t *value.Task, a []value.Value) value.Value {
	switch {
	case a[0].ClassIs(BufferedReader):
		return a[0]
	case IsReader(a[0]):
		return wrap(BufferedReader)(t, a)
	case isBytes(a[0]):
		return NewReader(t, BufferedReader, strs.NewString(t, a[0]))
	}
	return NewReader(t, BufferedReader, callTool(t, "reader", ReadTool, wantName(t, a[0], "reader")))
}

func newFileOf(t *value.Task, a []value.Value) value.Value {
	p := wantName(t, a[0], "File").AsString().S
	for _, part := range a[1:] {
		t.Charge(int64(2 * len(p)))
		p += "/" + wantName(t, part, "File").AsString().S
	}
	return newFile(t, p)
}

// newFileIn is newFileOf, and throws if a path after the first begins with /.
func newFileIn(t *value.Task, a []value.Value) value.Value {
	for _, part := range a[1:] {
		if p := wantName(t, part, "file"); strings.HasPrefix(p.AsString().S, "/") {
			t.Fail(diag.IllegalArgument, "%s is not a relative path", p.AsString().S)
		}
	}
	return newFileOf(t, a)
}
