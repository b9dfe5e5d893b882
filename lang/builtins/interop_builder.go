// This file defines StringBuilder, by which programs for Clojure sometimes gather
// text.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/value"
)

// A string builder is a box of this mark and the texts appended to it.
var builderMark = value.ConstKeyword("java.lang.StringBuilder")

var builderKind = value.Kinds(value.KindBox)

// builderMethods are the methods of string builders, besides toString and length.
func builderMethods() []Entry {
	return []Entry{
		method("append", "part | part start end", builderKind, PerByte, "Adds a text, or a part of one, to a string builder.", `(str (.append (StringBuilder. "a") 1)) => "a1"`, builderAppend),
		method("reverse", "", builderKind, PerByte, "Reverses the text of a string builder.", `(str (.reverse (StringBuilder. "abc"))) => "cba"`, builderReverse),
		method("insert", "index part", builderKind, PerByte, "Inserts a text into a string builder.", `(str (.insert (StringBuilder. "bc") 0 "a")) => "abc"`, builderInsert),
		method("setLength", "n", builderKind, PerByte, "Cuts the text of a string builder.", `(let [b (StringBuilder. "abc")] (.setLength b 1) (str b)) => "a"`, builderSetLength),
		method("setCharAt", "index c", builderKind, PerByte, "Changes a character of a string builder.", `(let [b (StringBuilder. "abc")] (.setCharAt b 1 \x) (str b)) => "axc"`, builderSetChar),
		method("delete", "start end", builderKind, PerByte, "Removes the characters from start up to, but without, end.", `(str (.delete (StringBuilder. "hello") 0 2)) => "llo"`, builderSplice),
		method("deleteCharAt", "index", builderKind, PerByte, "Removes a character from a string builder.", `(str (.deleteCharAt (StringBuilder. "abc") 1)) => "ac"`, builderDelete),
	}
}

func newBuilder(t *value.Task, a []value.Value) value.Value {
	vals := t.Vals(2)
	vals[0], vals[1] = builderMark, emptyString
	if len(a) == 1 && !a[0].IsInt() {
		vals[1] = str(t, a)
	}
	return t.Box(vals)
}

func isBuilder(v value.Value) bool {
	return v.Kind() == value.KindBox && len(v.AsBox().Vals) > 0 && value.Same(v.AsBox().Vals[0], builderMark)
}

// builderText gives the text of a string builder.
func builderText(t *value.Task, v value.Value) value.Value {
	if !isBuilder(v) {
		noMethod(t, "toString", v, 0)
	}
	return str(t, v.AsBox().Vals[1:])
}

// setBuilder replaces the text of a string builder.
func setBuilder(t *value.Task, b, text value.Value) value.Value {
	t.Owns(b, "string builder")
	vals := t.Vals(2)
	vals[0], vals[1] = builderMark, text
	b.AsBox().Vals = vals
	return b
}

func builderAppend(t *value.Task, a []value.Value) value.Value {
	if !isBuilder(a[0]) {
		noMethod(t, "append", a[0], 1)
	}
	t.Owns(a[0], "string builder")
	parts := a[0].AsBox().Vals
	added := str(t, a[1:2])
	if a[1].IsNil() {
		added = nullString
	}
	if len(a) == 4 {
		added = substring(t, added, value.ToInt(t, a[2]), value.ToInt(t, a[3]))
	}
	// Each part stays longer than the next, so that there are few, and a text is
	// copied once each time its length doubles.
	n := len(parts)
	for n > 1 && len(parts[n-1].AsString().S) <= len(added.AsString().S) {
		n--
		added = str(t, []value.Value{parts[n], added})
	}
	vals := t.Vals(n + 1)
	copy(vals, parts[:n])
	vals[n] = added
	a[0].AsBox().Vals = vals
	return a[0]
}

var nullString = value.ConstString("null")

func builderReverse(t *value.Task, a []value.Value) value.Value {
	text := builderText(t, a[0])
	return setBuilder(t, a[0], reverseString(t, []value.Value{text}))
}

// splice replaces the characters of a string builder from start up to, but without, end.
func splice(t *value.Task, b value.Value, start, end int64, by value.Value) value.Value {
	text := builderText(t, b)
	length := int64(t.Length(text.AsString()))
	return setBuilder(t, b, str(t, []value.Value{substring(t, text, 0, start), by, substring(t, text, end, length)}))
}

func builderInsert(t *value.Task, a []value.Value) value.Value {
	at := value.ToInt(t, a[1])
	return splice(t, a[0], at, at, str(t, a[2:]))
}

// builderSplice is delete and, with a text, replace: an end beyond the text is that of the text.
func builderSplice(t *value.Task, a []value.Value) value.Value {
	length := int64(t.Length(builderText(t, a[0]).AsString()))
	return splice(t, a[0], value.ToInt(t, a[1]), min(value.ToInt(t, a[2]), length), str(t, a[3:]))
}

func builderSetChar(t *value.Task, a []value.Value) value.Value {
	at := value.ToInt(t, a[1])
	splice(t, a[0], at, at+1, str(t, a[2:]))
	return value.Nil
}

func builderSetLength(t *value.Task, a []value.Value) value.Value {
	text := builderText(t, a[0])
	setBuilder(t, a[0], substring(t, text, 0, value.ToInt(t, a[1])))
	return value.Nil
}

func builderDelete(t *value.Task, a []value.Value) value.Value {
	at := value.ToInt(t, a[1])
	return splice(t, a[0], at, at+1, emptyString)
}
