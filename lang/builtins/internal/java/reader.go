// This file defines readers: the standard input, strings and files as streams of characters.

package java

import (
	"strings"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// The classes of readers. A reader has its own text, or reads from another one.
var (
	StringReader   = &value.JavaClass{Name: "java.io.StringReader"}
	BufferedReader = &value.JavaClass{Name: "java.io.BufferedReader"}
	PushbackReader = &value.JavaClass{Name: "java.io.PushbackReader"}
	NumberedReader = &value.JavaClass{Name: "clojure.lang.LineNumberingPushbackReader"}
	LineReader     = &value.JavaClass{Name: "java.io.LineNumberReader"}
	StreamReader   = &value.JavaClass{Name: "java.io.InputStreamReader"}
	BytesStream    = &value.JavaClass{Name: "java.io.ByteArrayInputStream"}
	Scanner        = &value.JavaClass{Name: "java.util.Scanner"}
)

var readers = []*value.JavaClass{StringReader, BufferedReader, PushbackReader, NumberedReader, LineReader, StreamReader,
	BytesStream}

// The slots of a reader.
const (
	readerFrom = iota // the reader that it reads from, nil if it has a text
	readerText        // the whole text
	readerPos         // the byte offset of the next character
	readerMark        // the offset to which reset returns
	readerSlots
)

// StandardInput is the value of *in* without a binding: the standard input of the run.
var StandardInput = value.ConstKeyword("in")

// NewReader returns a reader of a text.
func NewReader(t *value.Task, class *value.JavaClass, text value.Value) value.Value {
	return t.JavaOf(class, value.Nil, text, value.Int(0), value.Int(0))
}

// IsReader reports whether a value is a reader.
func IsReader(v value.Value) bool {
	if v.Kind() != value.KindJava {
		return v.IsKeyword() && value.Identical(v, StandardInput)
	}
	class := v.AsJava().Class
	for _, c := range readers {
		if c == class {
			return true
		}
	}
	return false
}

// source returns the reader that has the text of the reader v. what names the caller.
func source(t *value.Task, v value.Value, what string) value.Value {
	for {
		t.Work(1)
		switch {
		case !IsReader(v):
			if v.ClassIs(Scanner) {
				break
			}
			t.FailWant(what, v, "a reader")
		case v.IsKeyword():
			return standardInput(t)
		}
		slots := v.AsJava().Vals
		if slots[readerFrom].IsNil() {
			return v
		}
		v = slots[readerFrom]
	}
}

// standardInput returns the reader of the standard input, which is the run's.
func standardInput(t *value.Task) value.Value {
	cell := t.Host.Cell("*in*")
	if in := cell.AsAtom().Val; !in.IsNil() {
		return in
	}
	in := NewReader(t, StringReader, t.CopyString(t.Host.Input()))
	t.Owns(cell, "standard input")
	cell.AsAtom().Val = in
	return in
}

// rest returns the unread rest of a source.
func rest(r value.Value) string {
	slots := r.AsJava().Vals
	return slots[readerText].AsString().S[slots[readerPos].AsInt():]
}

// advance moves a source by a number of bytes.
func advance(t *value.Task, r value.Value, n int) {
	t.Owns(r, "reader")
	slots := r.AsJava().Vals
	slots[readerPos] = value.Int(slots[readerPos].AsInt() + int64(n))
}

// Binding returns the reader that *in* is bound to.
func Binding(t *value.Task) value.Value {
	if in, ok := t.Host.Binding("*in*"); ok {
		return in
	}
	return StandardInput
}

// ReadLine returns the next line of a reader without its end, or nil at the end of the text.
func ReadLine(t *value.Task, v value.Value, what string) value.Value {
	r := source(t, v, what)
	text := rest(r)
	if text == "" {
		return value.Nil
	}
	end := strings.IndexAny(text, "\n\r")
	next := end + 1
	switch {
	case end < 0:
		end, next = len(text), len(text)
	case strings.HasPrefix(text[end:], "\r\n"):
		next++
	}
	t.Work(int64(end) / 16)
	line := t.CopyString(text[:end])
	advance(t, r, next)
	return line
}

// ReadAll returns the rest of the text of a reader.
func ReadAll(t *value.Task, v value.Value, what string) value.Value {
	r := source(t, v, what)
	text := t.CopyString(rest(r))
	advance(t, r, len(text.AsString().S))
	return text
}

// ReadForm reads a form. ok is false at the end of the text.
func ReadForm(t *value.Task, v value.Value, edn bool, opts value.Value, what string) (form value.Value, ok bool) {
	r := source(t, v, what)
	form, end, ok := t.Host.ReadFrom(rest(r), edn, opts)
	advance(t, r, end)
	return form, ok
}

// FormText reads a form as ReadForm does, and returns a vector of the form, or of the result of atEnd, and
// its text. The reader advances when the vector is made, because a charge that is refused before makes the
// call begin again.
func FormText(t *value.Task, v, opts value.Value, what string, atEnd func() value.Value) value.Value {
	r := source(t, v, what)
	all := rest(r)
	form, end, ok := t.Host.ReadFrom(all, false, opts)
	if !ok {
		form = atEnd()
	}
	both := t.Vector(form, t.CopyString(strings.TrimSpace(all[:end])))
	advance(t, r, end)
	return both
}

// wrap makes the constructor of a reader that reads from another one.
func wrap(class *value.JavaClass) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		if !IsReader(a[0]) {
			t.FailWant(class.Name, a[0], "a reader")
		}
		return t.JavaOf(class, a[0], value.Nil, value.Int(0), value.Int(0))
	}
}

// bytesText returns the text of an array of bytes in UTF-8.
func bytesText(t *value.Task, v value.Value) value.Value { return strs.NewString(t, v) }

func readerMethods() []methods {
	return []methods{{readers, []method{
		{"readLine", "", entry.PerByte, "Returns the next line of a reader, or nil at its end.",
			`(.readLine (java.io.BufferedReader. (java.io.StringReader. "a\nb"))) => "a"`,
			func(t *value.Task, a []value.Value) value.Value { return ReadLine(t, a[0], "readLine") }},
		{"read", "| buffer | buffer offset length", entry.PerByte, "Returns the code of the next character of a reader, " +
			"-1 at its end; or fills an array of characters, and returns how many it read.",
			`(.read (java.io.StringReader. "a")) => 97`, readChar},
		{"unread", "c", entry.PerByte, "Makes a character the next one of a reader.",
			`(let [r (java.io.PushbackReader. (java.io.StringReader. "b"))] (.unread r 97) (slurp r)) => "ab"`, unread},
		{"ready", "", entry.Constant, "Returns true if read would not wait: always for a string, and before its end for " +
			"the standard input.", `(.ready (java.io.StringReader. "a")) => true`,
			func(t *value.Task, a []value.Value) value.Value {
				r := source(t, a[0], "ready")
				input := value.Identical(r, t.Host.Cell("*in*").AsAtom().Val)
				return value.Bool(!input || rest(r) != "")
			}},
		{"skip", "n", entry.PerByte, "Skips characters of a reader, and returns how many.",
			`(let [r (java.io.StringReader. "abc")] (.skip r 2) (slurp r)) => "c"`, skip},
		{"mark", "n", entry.Constant, "Remembers the place of a reader, to which reset returns.",
			`(let [r (java.io.StringReader. "abc")] (.mark r 1) (.read r) (.reset r) (slurp r)) => "abc"`,
			func(t *value.Task, a []value.Value) value.Value {
				r := source(t, a[0], "mark")
				t.Owns(r, "reader")
				r.AsJava().Vals[readerMark] = r.AsJava().Vals[readerPos]
				return value.Nil
			}},
		{"reset", "", entry.Constant, "Returns a reader to its mark, or else to its beginning.",
			`(let [r (java.io.StringReader. "abc")] (.read r) (.reset r) (slurp r)) => "abc"`,
			func(t *value.Task, a []value.Value) value.Value {
				r := source(t, a[0], "reset")
				t.Owns(r, "reader")
				r.AsJava().Vals[readerPos] = r.AsJava().Vals[readerMark]
				return value.Nil
			}},
		{"close", "", entry.Constant, "Does nothing: a reader remains usable after it is closed.",
			`(.close (java.io.StringReader. "a")) => nil`,
			func(*value.Task, []value.Value) value.Value { return value.Nil }},
		{"getLineNumber", "", entry.PerByte, "Returns the number of lines that were read, and one more for a " +
			"LineNumberingPushbackReader.",
			`(.getLineNumber (java.io.LineNumberReader. (java.io.StringReader. "a"))) => 0`, lineNumber},
	}}}
}

func lineNumber(t *value.Task, a []value.Value) value.Value {
	r := source(t, a[0], "getLineNumber")
	slots := r.AsJava().Vals
	read := slots[readerText].AsString().S[:slots[readerPos].AsInt()]
	t.Work(int64(len(read)) / 16)
	n := strings.Count(read, "\n")
	if a[0].ClassIs(NumberedReader) {
		n++
	}
	return value.Int(int64(n))
}

func readChar(t *value.Task, a []value.Value) value.Value {
	r := source(t, a[0], "read")
	if len(a) > 1 {
		return readInto(t, r, a)
	}
	text := rest(r)
	if text == "" {
		return value.Int(-1)
	}
	c, n := utf8.DecodeRuneInString(text)
	advance(t, r, n)
	return value.Int(int64(c))
}

// readInto fills an array of characters.
func readInto(t *value.Task, r value.Value, a []value.Value) value.Value {
	if a[1].Kind() != value.KindArray {
		t.Fail(diag.WrongType, "read: got %s, want an array of characters", value.Describe(t, a[1]))
	}
	t.Owns(a[1], "array")
	arr := a[1].AsArray()
	offset, n := int64(0), int64(arr.Len())
	if len(a) == 4 {
		offset, n = value.ToInt(t, a[2]), value.ToInt(t, a[3])
	}
	if offset < 0 || n < 0 || offset+n > int64(arr.Len()) {
		t.Fail(diag.OutOfRange, "read: offset %d and length %d are out of range for %d elements", offset, n, arr.Len())
	}
	text := rest(r)
	if text == "" && n > 0 {
		return value.Int(-1)
	}
	read, at := int64(0), 0
	t.Work(n)
	for ; read < n && at < len(text); read++ {
		c, size := utf8.DecodeRuneInString(text[at:])
		*arr.At(int(offset + read)) = value.Char(c)
		at += size
	}
	advance(t, r, at)
	return value.Int(read)
}

// unread puts a character before the next one, which is the last that was read unless the program makes one up.
func unread(t *value.Task, a []value.Value) value.Value {
	r := source(t, a[0], "unread")
	c := rune(0)
	if a[1].Kind() == value.KindChar {
		c = a[1].AsChar()
	} else {
		c = rune(value.ToInt(t, a[1]))
	}
	slots := r.AsJava().Vals
	text, pos := slots[readerText].AsString().S, int(slots[readerPos].AsInt())
	if s := string(c); !strings.HasSuffix(text[:pos], s) {
		made := strs.Str(t, []value.Value{t.CopyString(s), t.CopyString(text[pos:])})
		t.Owns(r, "reader")
		slots[readerText], slots[readerPos], slots[readerMark] = made, value.Int(0), value.Int(0)
		return value.Nil
	}
	advance(t, r, -utf8.RuneLen(c))
	return value.Nil
}

func skip(t *value.Task, a []value.Value) value.Value {
	r := source(t, a[0], "skip")
	text, at, n := rest(r), 0, int64(0)
	for most := value.ToInt(t, a[1]); n < most && at < len(text); n++ {
		t.Work(1)
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	advance(t, r, at)
	return value.Int(n)
}
