// This file defines StringBuilder, with which Clojure programs sometimes build strings.

package strs

import (
	"fmt"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var builderKind = value.Kinds(value.KindBuilder)

// builderMethods are the methods of string builders, besides toString and length.
func builderMethods() []entry.Entry {
	return []entry.Entry{
		entry.Method("append", "part | part start end", builderKind|value.Kinds(value.KindKeyword), entry.PerByte,
			"Appends a string, or a part of one, to a string builder.", `(str (.append (StringBuilder. "a") 1)) => "a1"`,
			BuilderAppend),
		entry.Method("reverse", "", builderKind, entry.PerByte, "Reverses the characters of a string builder.",
			`(str (.reverse (StringBuilder. "abc"))) => "cba"`, builderReverse),
		entry.Method("insert", "index part", builderKind, entry.PerByte, "Inserts a string into a string builder.",
			`(str (.insert (StringBuilder. "bc") 0 "a")) => "abc"`, builderInsert),
		entry.Method("setLength", "n", builderKind, entry.PerByte, "Truncates or extends a string builder to a length.",
			`(let [b (StringBuilder. "abc")] (.setLength b 1) (str b)) => "a"`, builderSetLength),
		entry.Method("setCharAt", "index c", builderKind, entry.PerByte, "Sets a character of a string builder.",
			`(let [b (StringBuilder. "abc")] (.setCharAt b 1 \x) (str b)) => "axc"`, builderSetChar),
		entry.Method("delete", "| start end", builderKind, entry.PerByte,
			"Removes the characters from start (inclusive) to end (exclusive).",
			`(str (.delete (StringBuilder. "hello") 0 2)) => "llo"`, builderSplice),
		entry.Method("appendCodePoint", "code", builderKind, entry.PerByte,
			"Appends the character of a code to a string builder.",
			`(str (.appendCodePoint (StringBuilder.) 97)) => "a"`, func(t *value.Task, a []value.Value) value.Value {
				return BuilderAppend(t, []value.Value{a[0], codePoint(t, a[1])})
			}),
		entry.Method("deleteCharAt", "index", builderKind, entry.PerByte, "Removes a character from a string builder.",
			`(str (.deleteCharAt (StringBuilder. "abc") 1)) => "ac"`, builderDelete),
	}
}

// NewBuilder makes a constructor of a string builder of a class: empty, or of a string.
func NewBuilder(class value.Value) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		content := EmptyString
		if len(a) == 1 && !a[0].IsInt() {
			if a[0].IsNil() {
				t.Fail(diag.NilValue, "%s: got nil, want a string or a capacity", class.AsKeyword().Name)
			}
			content = Str(t, a)
		}
		return t.Builder(class, content)
	}
}

// IsBuilder reports whether a value is a string builder.
func IsBuilder(v value.Value) bool { return v.Kind() == value.KindBuilder }

// setBuilder replaces the string of a string builder.
func setBuilder(t *value.Task, b, text value.Value) value.Value {
	t.Owns(b, "string builder")
	vals := t.Vals(2)
	vals[0], vals[1] = b.AsBox().Vals[0], text
	b.AsBox().Vals = vals
	return b
}

// BuilderAppend is the method append.
func BuilderAppend(t *value.Task, a []value.Value) value.Value {
	if a[0].IsKeyword() {
		return appendOutput(t, a)
	}
	t.Owns(a[0], "string builder")
	parts := a[0].AsBox().Vals
	added := NullString
	switch {
	case a[1].Kind() == value.KindArray && a[1].AsArray().Elem == value.ElemChar:
		added = NewString(t, a[1])
	case !a[1].IsNil():
		added = Str(t, a[1:2])
	}
	if len(a) == 4 {
		added = Substring(t, added, value.ToInt(t, a[2]), value.ToInt(t, a[3]))
	}
	// Each part stays longer than the next. So there are few parts, and a string is copied once
	// each time its length doubles.
	n := len(parts)
	for n > 1 && len(parts[n-1].AsString().S) <= len(added.AsString().S) {
		n--
		added = Str(t, []value.Value{parts[n], added})
	}
	vals := t.Vals(n + 1)
	copy(vals, parts[:n])
	vals[n] = added
	a[0].AsBox().Vals = vals
	return a[0]
}

// NullString is the string of nil as Java writes it.
var NullString = value.ConstString("null")

func builderReverse(t *value.Task, a []value.Value) value.Value {
	text := entry.BuilderText(t, a[0])
	return setBuilder(t, a[0], reverseString(t, []value.Value{text}))
}

// splice replaces the characters of a string builder from start up to, but without, end.
func splice(t *value.Task, b value.Value, start, end int64, by value.Value) value.Value {
	text := entry.BuilderText(t, b)
	length := int64(t.Length(text.AsString()))
	return setBuilder(t, b, Str(t, []value.Value{Substring(t, text, 0, start), by, Substring(t, text, end, length)}))
}

func builderInsert(t *value.Task, a []value.Value) value.Value {
	at := value.ToInt(t, a[1])
	return splice(t, a[0], at, at, Str(t, a[2:]))
}

// builderSplice is delete and, with a text, replace: an end beyond the string counts as its end.
func builderSplice(t *value.Task, a []value.Value) value.Value {
	if len(a) == 1 { // the method of a File
		entry.NoMethod(t, "delete", a[0], 0)
	}
	length := int64(t.BuilderLength(a[0]))
	if start, end := value.ToInt(t, a[1]), value.ToInt(t, a[2]); start > end {
		indexError(t, fmt.Sprintf("start %d, end %d, length %d", start, end, length))
	}
	return splice(t, a[0], value.ToInt(t, a[1]), min(value.ToInt(t, a[2]), length), Str(t, a[3:]))
}

func builderSetChar(t *value.Task, a []value.Value) value.Value {
	if !a[2].IsChar() {
		t.FailWant("setCharAt", a[2], "a character")
	}
	at := value.ToInt(t, a[1])
	splice(t, a[0], at, at+1, Str(t, a[2:]))
	return value.Nil
}

func builderSetLength(t *value.Task, a []value.Value) value.Value {
	text := entry.BuilderText(t, a[0])
	n, length := value.ToInt(t, a[1]), int64(t.Length(text.AsString()))
	if n <= length {
		setBuilder(t, a[0], Substring(t, text, 0, n))
		return value.Nil
	}
	zeros := methodRepeat(t, []value.Value{value.ConstString("\x00"), value.Int(n - length)})
	setBuilder(t, a[0], Str(t, []value.Value{text, zeros}))
	return value.Nil
}

func builderDelete(t *value.Task, a []value.Value) value.Value {
	at := value.ToInt(t, a[1])
	return splice(t, a[0], at, at+1, EmptyString)
}

// appendOutput is append of the program's output.
func appendOutput(t *value.Task, a []value.Value) value.Value {
	text := NullString
	if !a[1].IsNil() {
		text = t.Str(a[1])
	}
	if len(a) == 4 {
		text = Substring(t, text, value.ToInt(t, a[2]), value.ToInt(t, a[3]))
	}
	if out, ok := t.Host.Binding("*out*"); ok && IsBuilder(out) {
		BuilderAppend(t, []value.Value{out, text})
	} else {
		t.Host.Print(text.AsString().S)
	}
	return a[0]
}

// addTexts appends the strings of the values in a box, of one block, to a string builder, and empties the box.
func addTexts(t *value.Task, a []value.Value) value.Value {
	box := t.OwnBox(a[1])
	b := t.Buf()
	for _, x := range box.Vals {
		strPart(t, b, x)
	}
	BuilderAppend(t, []value.Value{a[0], b.Value()})
	clear(box.Vals)
	box.Vals = box.Vals[:0]
	return value.Nil
}
