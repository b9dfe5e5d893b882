// This file defines Optional, StringJoiner and ByteArrayOutputStream.

package java

import (
	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// Optional is the class of a value that may be missing. Its only slot is the value, nil if it is missing.
var Optional = &value.JavaClass{Name: "java.util.Optional", Data: true,
	Text: func(t *value.Task, b *value.Buf, v value.Value) {
		x := v.AsJava().Vals[0]
		if x.IsNil() {
			b.WriteString("Optional.empty")
			return
		}
		b.WriteString("Optional[")
		t.StrTo(b, x)
		b.WriteByte(']')
	},
	Hash: func(t *value.Task, v value.Value) int32 {
		if x := v.AsJava().Vals[0]; !x.IsNil() {
			return value.JavaHash(t, x)
		}
		return 0
	}}

// StringJoiner is the class of a string that is joined from parts. The slots are the separator, the prefix, the suffix,
// the string without parts, or nil, and a string builder of the joined parts, or nil if there are none.
var StringJoiner = &value.JavaClass{Name: "java.util.StringJoiner",
	Text: func(t *value.Task, b *value.Buf, v value.Value) { writeJoined(t, b, v) }}

const (
	joinerSeparator = iota
	joinerPrefix
	joinerSuffix
	joinerEmpty
	joinerParts
)

func writeJoined(t *value.Task, b *value.Buf, v value.Value) {
	s := v.AsJava().Vals
	if s[joinerParts].IsNil() && !s[joinerEmpty].IsNil() {
		t.StrTo(b, s[joinerEmpty])
		return
	}
	for _, part := range []value.Value{s[joinerPrefix], s[joinerParts], s[joinerSuffix]} {
		t.StrTo(b, part)
	}
}

// joined returns the string of a joiner.
func joined(t *value.Task, v value.Value) value.Value {
	b := t.Buf()
	writeJoined(t, b, v)
	return b.Value()
}

// join adds a part to a joiner.
func join(t *value.Task, v, part value.Value) value.Value {
	t.Owns(v, "StringJoiner")
	s := v.AsJava().Vals
	parts := s[joinerParts]
	if parts.IsNil() {
		parts = t.Builder(value.ClassBuilder, strs.EmptyString)
	} else {
		strs.BuilderAppend(t, []value.Value{parts, s[joinerSeparator]})
	}
	strs.BuilderAppend(t, []value.Value{parts, part})
	s[joinerParts] = parts
	return v
}

// ByteStream is the class ByteArrayOutputStream. Its only slot is a vector of strings of bytes.
var ByteStream = &value.JavaClass{Name: "java.io.ByteArrayOutputStream",
	Text: func(t *value.Task, b *value.Buf, v value.Value) {
		b.WriteString(strs.Decode(t, written(t, v), "UTF-8").AsString().S)
	}}

// written returns the bytes that were written to a stream.
func written(t *value.Task, v value.Value) string {
	b := t.Buf()
	t.Each(v.AsJava().Vals[0], func(part value.Value) bool {
		b.WriteString(part.AsString().S)
		return true
	})
	return b.Value().AsString().S
}

func optionalMethods() []methods {
	return []methods{{[]*value.JavaClass{Optional}, []method{
		{"isPresent", "", entry.Constant, "Returns true if an Optional has a value.",
			`(.isPresent (java.util.Optional/of 1)) => true`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Bool(!a[0].AsJava().Vals[0].IsNil())
			}},
		{"isEmpty", "", entry.Constant, "", "", func(_ *value.Task, a []value.Value) value.Value {
			return value.Bool(a[0].AsJava().Vals[0].IsNil())
		}},
		{"get", "", entry.Constant, "", "", present},
		{"orElseThrow", "", entry.Constant, "Returns the value of an Optional, or throws.",
			`(.orElseThrow (java.util.Optional/of 1)) => 1`, present},
		{"orElse", "x", entry.Constant, "Returns the value of an Optional, or x.",
			`(.orElse (java.util.Optional/empty) 1) => 1`, func(_ *value.Task, a []value.Value) value.Value {
				if x := a[0].AsJava().Vals[0]; !x.IsNil() {
					return x
				}
				return a[1]
			}},
	}}, {[]*value.JavaClass{StringJoiner}, []method{
		{"add", "s", entry.PerByte, "", "", func(t *value.Task, a []value.Value) value.Value {
			part := strs.NullString
			if !a[1].IsNil() {
				part = t.Str(a[1])
			}
			return join(t, a[0], part)
		}},
		{"setEmptyValue", "s", entry.PerByte, "Sets the string of a StringJoiner to which nothing was added.",
			`(str (.setEmptyValue (java.util.StringJoiner. ",") "none")) => "none"`,
			func(t *value.Task, a []value.Value) value.Value {
				entry.WantText(t, a[1], "setEmptyValue")
				t.Owns(a[0], "StringJoiner")
				a[0].AsJava().Vals[joinerEmpty] = a[1]
				return a[0]
			}},
		{"length", "", entry.PerByte, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.Int(int64(t.Length(joined(t, a[0]).AsString())))
		}},
	}}, {[]*value.JavaClass{ByteStream}, []method{
		{"write", "bytes | bytes from n", entry.PerByte, "", "", func(t *value.Task, a []value.Value) value.Value {
			part := t.CopyString(bytesPart(t, a, "write"))
			all := t.Conj(a[0].AsJava().Vals[0], part)
			t.Owns(a[0], "stream")
			a[0].AsJava().Vals[0] = all
			return value.Nil
		}},
		{"toByteArray", "", entry.PerByte, "", "", func(t *value.Task, a []value.Value) value.Value {
			return strs.ByteArray(t, written(t, a[0]))
		}},
		{"toString", "| charset", entry.PerByte, "", "", func(t *value.Task, a []value.Value) value.Value {
			return strs.Decode(t, written(t, a[0]), charsetArg(t, a, "toString"))
		}},
		{"size", "", entry.PerByte, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.Int(int64(len(written(t, a[0]))))
		}},
		{"reset", "", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			t.Owns(a[0], "stream")
			a[0].AsJava().Vals[0] = value.EmptyVector
			return value.Nil
		}},
		{"close", "", entry.Constant, "", "", func(*value.Task, []value.Value) value.Value { return value.Nil }},
		{"flush", "", entry.Constant, "", "", func(*value.Task, []value.Value) value.Value { return value.Nil }},
	}}}
}

// present returns the value of an Optional.
func present(t *value.Task, a []value.Value) value.Value {
	x := a[0].AsJava().Vals[0]
	if x.IsNil() {
		t.FailClass("java.util.NoSuchElementException", diag.OutOfRange, "No value present")
	}
	return x
}

func optionalStatics() []entry.Entry {
	return []entry.Entry{
		entry.PureStatic("Optional", "of", "x", entry.Constant, "Returns an Optional with a value, which is not nil.",
			`(.get (java.util.Optional/of 1)) => 1`, func(t *value.Task, a []value.Value) value.Value {
				if a[0].IsNil() {
					t.Fail(diag.NilValue, "Optional/of: got nil; Optional/ofNullable takes it")
				}
				return t.JavaOf(Optional, a[0])
			}),
		entry.PureStatic("Optional", "ofNullable", "x", entry.Constant,
			"Returns an Optional with a value, which is empty for "+
				"nil.", `(.isPresent (java.util.Optional/ofNullable nil)) => false`,
			func(t *value.Task, a []value.Value) value.Value { return t.JavaOf(Optional, a[0]) }),
		entry.PureStatic("Optional", "empty", "", entry.Constant, "Returns an Optional without a value.",
			`(str (java.util.Optional/empty)) => "Optional.empty"`, func(t *value.Task, _ []value.Value) value.Value {
				return t.JavaOf(Optional, value.Nil)
			}),
		entry.StaticMethod("new", "StringJoiner", "separator | separator prefix suffix", entry.PerByte,
			"Returns a joiner of strings, to which add adds parts.",
			`(str (doto (java.util.StringJoiner. ", " "[" "]") (.add "a") (.add "b"))) => "[a, b]"`,
			func(t *value.Task, a []value.Value) value.Value {
				parts := []value.Value{strs.EmptyString, strs.EmptyString, strs.EmptyString}
				for i, x := range a {
					entry.WantChars(t, x, "StringJoiner")
					parts[i] = entry.AsString(t, x)
				}
				return t.JavaOf(StringJoiner, parts[0], parts[1], parts[2], value.Nil, value.Nil)
			}),
		entry.StaticMethod("new", "ByteArrayOutputStream", "| size", entry.Constant, "Returns a stream that keeps the bytes "+
			"written to it.", `(vec (.toByteArray (doto (java.io.ByteArrayOutputStream.) (.write 1)))) => [1]`,
			func(t *value.Task, _ []value.Value) value.Value { return t.JavaOf(ByteStream, value.EmptyVector) }),
	}
}
