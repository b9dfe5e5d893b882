// This file defines the static methods of String, Character, Boolean, Pattern and Matcher.

package strs

import (
	"unicode"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// textStatics are the static methods of String, Character and Boolean.
func textStatics() []entry.Entry {
	return []entry.Entry{
		entry.StaticMethod("String", "valueOf", "x", entry.Walks, "Returns the string of a value.",
			`(String/valueOf 1) => "1"`,
			func(t *value.Task, a []value.Value) value.Value {
				switch {
				case a[0].IsNil():
					t.Fail(diag.NilValue, "String/valueOf: got nil")
				case a[0].Kind() == value.KindArray:
					return NewString(t, a[0])
				}
				return t.Str(a[0])
			}),
		entry.StaticMethod("String", "join", "separator coll:seqable", entry.PerElement,
			"Returns the strings of a collection joined with a separator.", `(String/join "," ["a" "b"]) => "a,b"`, joinJava),
		entry.StaticMethod("String", "format", "fmt:string args:seqable | locale fmt:string args:seqable", entry.Walks,
			"Formats a collection of values with a format string, as format does.", `(String/format "%s-%s" [1 2]) => "1-2"`,
			func(t *value.Task, a []value.Value) value.Value {
				a = a[len(a)-2:]
				args := t.ToVals(a[1])
				all := t.Vals(len(args) + 1)
				all[0] = a[0]
				copy(all[1:], args)
				return Format(t, all)
			}),
		CharacterTest("isDigit", "digit", `(Character/isDigit \5) => true`, unicode.IsDigit),
		CharacterTest("isLetter", "letter", `(Character/isLetter \a) => true`, unicode.IsLetter),
		CharacterTest("isLetterOrDigit", "letter or digit", `(Character/isLetterOrDigit \a) => true`,
			func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }),
		CharacterTest("isUpperCase", "capital letter", `(Character/isUpperCase \A) => true`,
			func(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) }),
		CharacterTest("isLowerCase", "small letter", `(Character/isLowerCase \a) => true`,
			func(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }),
		CharacterTest("isWhitespace", "white space", `(Character/isWhitespace \space) => true`, isSpace),
		CharacterTest("isSpaceChar", "space of Unicode", `(Character/isSpaceChar \space) => true`,
			func(r rune) bool { return unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp) }),
		CharacterTest("isISOControl", "control character", `(Character/isISOControl \tab) => true`,
			func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }),
		entry.PureStatic("Character", "isAlphabetic", "code:num", entry.Constant,
			"Returns true if the character of a code is alphabetic.", `(Character/isAlphabetic 97) => true`,
			func(t *value.Task, a []value.Value) value.Value {
				r := rune(value.ToInt(t, a[0]))
				return value.Bool(unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_Alphabetic, r))
			}),
		entry.PureStatic("Character", "toUpperCase", "c", entry.Constant, "Returns a character in upper case.",
			`(Character/toUpperCase \a) => \A`, OnChar(unicode.ToUpper)),
		entry.PureStatic("Character", "toLowerCase", "c", entry.Constant, "Returns a character in lower case.",
			`(Character/toLowerCase \A) => \a`, OnChar(unicode.ToLower)),
		entry.PureStatic("Character", "getNumericValue", "c", entry.Constant,
			"Returns the numeric value of a digit or letter; -1 if it has none.", `(Character/getNumericValue \7) => 7`,
			func(t *value.Task, a []value.Value) value.Value {
				r := charArg(t, a[0])
				if roman := int64(r) - 0x2160; roman >= 0 && roman < 32 && roman&15 < 12 {
					return value.Int(roman&15 + 1)
				}
				return value.Int(digitOf(r, 36))
			}),
		entry.PureStatic("Character", "digit", "c radix", entry.Constant,
			"Returns the numeric value of a digit in a radix, or -1 if it is not such a digit.", `(Character/digit \f 16) => 15`,
			func(t *value.Task, a []value.Value) value.Value {
				return value.Int(digitOf(charArg(t, a[0]), value.ToInt(t, a[1])))
			}),
		entry.PureStatic("Character", "forDigit", "n radix", entry.Constant, "Returns the character of a digit's value.",
			`(Character/forDigit 11 16) => \b`, func(t *value.Task, a []value.Value) value.Value {
				n, radix := value.ToInt(t, a[0]), value.ToInt(t, a[1])
				if n < 0 || radix < 2 || radix > 36 || n >= radix {
					return value.Char(0)
				}
				return value.Char(rune("0123456789abcdefghijklmnopqrstuvwxyz"[n]))
			}),
		entry.PureStatic("Character", "toString", "c", entry.Constant, "Returns a character as a string.",
			`(Character/toString \a) => "a"`, func(t *value.Task, a []value.Value) value.Value {
				return t.Str(codePoint(t, a[0]))
			}),
		entry.PureStatic("Character", "valueOf", "c:char", entry.Constant, "Returns the character itself.",
			`(Character/valueOf \a) => \a`, entry.Unary(entry.Identity)),
		entry.PureStatic("Character", "toChars", "code", entry.Constant, "Returns a vector of the character of a code.",
			`(Character/toChars 97) => [\a]`, func(t *value.Task, a []value.Value) value.Value {
				return t.Vector(codePoint(t, a[0]))
			}),
		entry.StaticMethod("Character", "codePointAt", "text index", entry.PerByte,
			"Returns the code of the character at an index of a string, a string builder or an array of characters.",
			`(Character/codePointAt "abc" 0) => 97`, func(t *value.Task, a []value.Value) value.Value {
				text := a[0]
				if s, ok := t.Chars(text); ok {
					text = s
				} else if text.Is(value.Vectors | value.Kinds(value.KindArray)) {
					text = NewString(t, text)
				}
				if !text.IsString() {
					t.FailWant("codePointAt", text, "a string")
				}
				return value.Int(int64(charAt(t, []value.Value{text, a[1]}).AsChar()))
			}),
		entry.PureStatic("Boolean", "parseBoolean", "s", entry.Constant, `Returns true if a string is "true", ignoring case.`,
			`(Boolean/parseBoolean "TRUE") => true`, IsTrue),
		entry.PureStatic("Boolean", "valueOf", "s", entry.Constant,
			`Returns true if a string is "true", ignoring case; returns a boolean itself.`, `(Boolean/valueOf "true") => true`,
			IsTrue),
		entry.StaticMethod("Boolean", "toString", "b", entry.Constant, "Returns the string of a boolean.",
			`(Boolean/toString true) => "true"`,
			entry.Unary((*value.Task).Str)),
	}
}

// IsTrue is Boolean/parseBoolean.
func IsTrue(t *value.Task, a []value.Value) value.Value {
	if a[0].Kind() == value.KindBool {
		return a[0]
	}
	if a[0].IsNil() {
		return value.False
	}
	s := entry.WantText(t, a[0], "parseBoolean")
	return value.Bool(len(s) == 4 && (s[0]|32) == 't' && (s[1]|32) == 'r' && (s[2]|32) == 'u' && (s[3]|32) == 'e')
}

// charArg returns the character that is the argument of a method of Character, or whose code is.
func charArg(t *value.Task, v value.Value) rune {
	switch {
	case v.IsChar():
		return v.AsChar()
	case v.IsInt():
		return rune(value.ToInt(t, v))
	}
	t.Fail(diag.IllegalArgument, "No matching method of Character found for %s", value.ClassName(v))
	return 0
}

// joinJava is String.join, for which nil is the string null.
func joinJava(t *value.Task, a []value.Value) value.Value {
	of := a[0]
	if of.Kind() == value.KindBuilder {
		of = entry.BuilderText(t, of)
	}
	separator := entry.WantText(t, of, "String/join")
	b := t.Buf()
	first := true
	t.Each(a[1], func(x value.Value) bool {
		if !first {
			b.WriteString(separator)
		}
		first = false
		if x.IsNil() {
			x = NullString
		}
		t.StrTo(b, x)
		return true
	})
	return b.Value()
}

// codePoint returns the character that an argument is, and throws if it is no code point.
func codePoint(t *value.Task, v value.Value) value.Value {
	r := charArg(t, v)
	if r < 0 || r > unicode.MaxRune {
		t.Fail(diag.IllegalArgument, "Not a valid Unicode code point: 0x%X", uint32(r))
	}
	return value.Char(r)
}

// CharacterTest makes the entry of a static method of Character that tests a character.
func CharacterTest(name, what, example string, f func(r rune) bool) entry.Entry {
	return entry.PureStatic("Character", name, "c", entry.Constant, "Returns true if a character is a "+what+".", example,
		func(t *value.Task, a []value.Value) value.Value {
			return value.Bool(f(charArg(t, a[0])))
		})
}

// OnChar makes a static method of Character of a function of characters.
func OnChar(f func(r rune) rune) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		r := f(charArg(t, a[0]))
		if a[0].IsInt() {
			return value.Int(int64(r))
		}
		return value.Char(r)
	}
}

func digitOf(r rune, radix int64) int64 {
	n := int64(-1)
	switch {
	case r >= '0' && r <= '9':
		n = int64(r - '0')
	case r|32 >= 'a' && r|32 <= 'z' && r < 128:
		n = int64(r|32-'a') + 10
	case unicode.IsDigit(r): // digits come in runs of ten
		for n = 0; n < 9 && unicode.IsDigit(r-rune(n)-1); n++ {
		}
	}
	if n >= radix || radix > 36 {
		return -1
	}
	return n
}

// patternStatics are the static methods of Pattern and Matcher.
func patternStatics() []entry.Entry {
	return []entry.Entry{
		entry.PureStatic("Pattern", "compile", "s | s:string flags:num", entry.PerByte,
			"Compiles a pattern; flags is a sum of Pattern/CASE_INSENSITIVE and the like.",
			`(re-find (java.util.regex.Pattern/compile "B" java.util.regex.Pattern/CASE_INSENSITIVE) "abc") => "b"`,
			compilePattern),
		entry.StaticMethod("Matcher", "quoteReplacement", "s:chars", entry.PerByte,
			"Returns s quoted, so that replace takes it literally.",
			`(java.util.regex.Matcher/quoteReplacement "$1") => "\\$1"`, quoteReplacement),
		entry.PureStatic("Pattern", "quote", "s", entry.PerByte,
			"Returns the source of a pattern that matches a string literally.",
			`(re-find (re-pattern (java.util.regex.Pattern/quote "a.b")) "xa.b") => "a.b"`, quote),
		entry.StaticMethod("Pattern", "matches", "regex s:chars", entry.PerByte,
			"Returns true if a pattern matches a whole string.",
			`(java.util.regex.Pattern/matches "a+" "aa") => true`, func(t *value.Task, a []value.Value) value.Value {
				return methodMatches(t, []value.Value{a[1], a[0]})
			}),
	}
}

// NewString makes a string from a string, from characters or from bytes.
func NewString(t *value.Task, x value.Value) value.Value {
	switch {
	case x.IsString():
		return x
	case IsBuilder(x):
		return entry.BuilderText(t, x)
	case !x.Is(value.Colls | value.Kinds(value.KindArray)):
		if x.IsNil() {
			t.Fail(diag.NilValue, "String: got nil, want a string")
		}
		t.Fail(diag.IllegalArgument, "No matching ctor found for class java.lang.String: got %s", value.Describe(t, x))
	}
	b := t.Buf()
	t.Each(x, func(c value.Value) bool {
		if c.IsInt() {
			b.Write([]byte{byte(c.AsInt())})
		} else {
			t.StrTo(b, c)
		}
		return true
	})
	if !utf8.Valid(b.Bytes()) {
		return Decode(t, b.Value().AsString().S, "UTF-8")
	}
	return b.Value()
}
