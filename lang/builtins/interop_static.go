// This file defines the static methods and constructors of Java's classes.

package builtins

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// static makes the entry of a static method.
func static(class, name, args string, cost Cost, doc, example string, fn value.NativeFunc) Entry {
	return Entry{NS: class, Name: name, Args: args, Doc: doc, Examples: []string{example}, Cost: cost, Fn: fn}
}

// pureStatic makes the entry of a static method that is pure.
func pureStatic(class, name, args string, cost Cost, doc, example string, fn value.NativeFunc) Entry {
	e := static(class, name, args, cost, doc, example, fn)
	e.Purity = Pure
	return e
}

// textStatics are the static methods of String, Character and Boolean.
func textStatics() []Entry {
	return []Entry{
		static("String", "valueOf", "x", Walks, "Returns the string of a value.", `(String/valueOf 1) => "1"`,
			func(t *value.Task, a []value.Value) value.Value {
				switch {
				case a[0].IsNil():
					t.Fail(diag.NilValue, "String/valueOf: got nil")
				case a[0].Kind() == value.KindArray:
					return newString(t, a[0])
				}
				return t.Str(a[0])
			}),
		static("String", "join", "separator coll:seqable", PerElement,
			"Returns the strings of a collection joined with a separator.", `(String/join "," ["a" "b"]) => "a,b"`, join),
		static("String", "format", "fmt:string args:seqable | locale fmt:string args:seqable", Walks,
			"Formats a collection of values with a format string, as format does.", `(String/format "%s-%s" [1 2]) => "1-2"`,
			func(t *value.Task, a []value.Value) value.Value {
				a = a[len(a)-2:]
				args := t.ToVals(a[1])
				all := t.Vals(len(args) + 1)
				all[0] = a[0]
				copy(all[1:], args)
				return format(t, all)
			}),
		characterTest("isDigit", "digit", `(Character/isDigit \5) => true`, unicode.IsDigit),
		characterTest("isLetter", "letter", `(Character/isLetter \a) => true`, unicode.IsLetter),
		characterTest("isLetterOrDigit", "letter or digit", `(Character/isLetterOrDigit \a) => true`,
			func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }),
		characterTest("isUpperCase", "capital letter", `(Character/isUpperCase \A) => true`,
			func(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) }),
		characterTest("isLowerCase", "small letter", `(Character/isLowerCase \a) => true`,
			func(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }),
		characterTest("isWhitespace", "white space", `(Character/isWhitespace \space) => true`, isSpace),
		characterTest("isSpaceChar", "space of Unicode", `(Character/isSpaceChar \space) => true`,
			func(r rune) bool { return unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp) }),
		characterTest("isISOControl", "control character", `(Character/isISOControl \tab) => true`,
			func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }),
		pureStatic("Character", "isAlphabetic", "code:num", Constant,
			"Returns true if the character of a code is alphabetic.", `(Character/isAlphabetic 97) => true`,
			func(t *value.Task, a []value.Value) value.Value {
				r := rune(value.ToInt(t, a[0]))
				return value.Bool(unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_Alphabetic, r))
			}),
		pureStatic("Character", "toUpperCase", "c", Constant, "Returns a character in upper case.",
			`(Character/toUpperCase \a) => \A`, onChar(unicode.ToUpper)),
		pureStatic("Character", "toLowerCase", "c", Constant, "Returns a character in lower case.",
			`(Character/toLowerCase \A) => \a`, onChar(unicode.ToLower)),
		pureStatic("Character", "getNumericValue", "c", Constant,
			"Returns the numeric value of a digit or letter; -1 if it has none.", `(Character/getNumericValue \7) => 7`,
			func(t *value.Task, a []value.Value) value.Value {
				return value.Int(digitOf(charArg(t, a[0]), 36))
			}),
		pureStatic("Character", "digit", "c radix", Constant,
			"Returns the numeric value of a digit in a radix, -1 if it is no digit of it.", `(Character/digit \f 16) => 15`,
			func(t *value.Task, a []value.Value) value.Value {
				return value.Int(digitOf(charArg(t, a[0]), value.ToInt(t, a[1])))
			}),
		pureStatic("Character", "forDigit", "n radix", Constant, "Returns the character of a digit's value.",
			`(Character/forDigit 11 16) => \b`, func(t *value.Task, a []value.Value) value.Value {
				n, radix := value.ToInt(t, a[0]), value.ToInt(t, a[1])
				if n < 0 || radix < 2 || radix > 36 || n >= radix {
					return value.Char(0)
				}
				return value.Char(rune("0123456789abcdefghijklmnopqrstuvwxyz"[n]))
			}),
		pureStatic("Character", "toString", "c", Constant, "Returns a character as a string.",
			`(Character/toString \a) => "a"`, func(t *value.Task, a []value.Value) value.Value {
				return t.Str(value.Char(charArg(t, a[0])))
			}),
		pureStatic("Character", "valueOf", "c:char", Constant, "Returns the character itself.",
			`(Character/valueOf \a) => \a`, unary(same)),
		pureStatic("Character", "toChars", "code", Constant, "Returns a vector of the character of a code.",
			`(Character/toChars 97) => [\a]`, func(t *value.Task, a []value.Value) value.Value {
				return t.Vector(value.Char(charArg(t, a[0])))
			}),
		pureStatic("Boolean", "parseBoolean", "s", Constant, `Returns true if a string is "true", ignoring case.`,
			`(Boolean/parseBoolean "TRUE") => true`, isTrue),
		pureStatic("Boolean", "valueOf", "s", Constant,
			`Returns true if a string is "true", ignoring case; returns a boolean itself.`, `(Boolean/valueOf "true") => true`,
			isTrue),
		static("Boolean", "toString", "b", Constant, "Returns the string of a boolean.", `(Boolean/toString true) => "true"`,
			unary((*value.Task).Str)),
	}
}

func isTrue(t *value.Task, a []value.Value) value.Value {
	if a[0].Kind() == value.KindBool {
		return a[0]
	}
	if a[0].IsNil() {
		return value.False
	}
	s := wantText(t, a[0], "parseBoolean")
	return value.Bool(len(s) == 4 && (s[0]|32) == 't' && (s[1]|32) == 'r' && (s[2]|32) == 'u' && (s[3]|32) == 'e')
}

// charArg returns the character that a method of Character is called with: itself or
// its code.
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

func characterTest(name, what, example string, f func(r rune) bool) Entry {
	return pureStatic("Character", name, "c", Constant, "Returns true if a character is a "+what+".", example,
		func(t *value.Task, a []value.Value) value.Value {
			return value.Bool(f(charArg(t, a[0])))
		})
}

func onChar(f func(r rune) rune) value.NativeFunc {
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
	if n >= radix {
		return -1
	}
	return n
}

// ClockTool is the tool whose grant lets a program read the time of day, by whatever name. ClockNotGranted
// is the message for a program without the grant.
const (
	ClockTool       = "time.now"
	ClockNotGranted = "the time of day needs the grant of tool/" + ClockTool
)

// clocked returns an entry that reads the time of day when it has no arguments.
func clocked(e Entry) Entry {
	e.Clock = true
	return e
}

// otherStatics are the static methods of System, UUID and others.
func otherStatics() []Entry {
	return []Entry{
		clocked(static("System", "currentTimeMillis", "", Constant,
			"Returns the milliseconds since 1970. The time of day needs the grant of tool/time.now.",
			`(System/currentTimeMillis) !not-granted`, func(t *value.Task, _ []value.Value) value.Value {
				return value.Int(t.Host.Now() / 1e6)
			})),
		static("System", "nanoTime", "", Constant, "Returns the nanoseconds since the run began, for measuring time. It "+
			"needs no grant.",
			`(<= 0 (System/nanoTime)) => true`, func(t *value.Task, _ []value.Value) value.Value {
				return value.Int(t.Host.Elapsed())
			}),
		static("System", "lineSeparator", "", Constant, "Returns the line separator.", `(System/lineSeparator) => "\n"`,
			func(*value.Task, []value.Value) value.Value { return newline }),
		static("UUID", "randomUUID", "", Constant, "Returns a random UUID.", `(uuid? (java.util.UUID/randomUUID)) => true`,
			randomUUID),
		pureStatic("UUID", "fromString", "s", Constant, "Parses a string as a UUID.",
			`(java.util.UUID/fromString "b6883c0a-0342-4007-9966-bc2dfa6b109e") => #uuid "b6883c0a-0342-4007-9966-bc2dfa6b109e"`,
			func(t *value.Task, a []value.Value) value.Value {
				v, err := t.UUIDFrom(wantText(t, a[0], "fromString"))
				if err != nil {
					t.Fail(diag.IllegalArgument, "Invalid UUID string: %s", value.Show(t, a[0]))
				}
				return v
			}),
		pureStatic("MapEntry", "create", "key val", Constant, "Returns a map entry.",
			`(clojure.lang.MapEntry/create 1 2) => [1 2]`, mapEntry),
		static("Objects", "equals", "x y", Walks, "Returns true if two values are equal.",
			`(java.util.Objects/equals 1 1) => true`, func(t *value.Task, a []value.Value) value.Value {
				if a[0].IsNil() || a[1].IsNil() {
					return value.Bool(a[0].IsNil() && a[1].IsNil())
				}
				return javaEquals(t, a)
			}),
	}
}

// patternStatics are the static methods of Pattern and Matcher.
func patternStatics() []Entry {
	return []Entry{
		pureStatic("Pattern", "compile", "s | s:string flags:num", PerByte,
			"Compiles a pattern; flags is a sum of Pattern/CASE_INSENSITIVE and the like.",
			`(re-find (java.util.regex.Pattern/compile "B" java.util.regex.Pattern/CASE_INSENSITIVE) "abc") => "b"`,
			compilePattern),
		static("Matcher", "quoteReplacement", "s:chars", PerByte, "Returns s quoted, so that replace takes it literally.",
			`(java.util.regex.Matcher/quoteReplacement "$1") => "\\$1"`, quoteReplacement),
		pureStatic("Pattern", "quote", "s", PerByte, "Returns the source of a pattern that matches a string literally.",
			`(re-find (re-pattern (java.util.regex.Pattern/quote "a.b")) "xa.b") => "a.b"`, quote),
		static("Pattern", "matches", "regex s:chars", PerByte, "Returns true if a pattern matches a whole string.",
			`(java.util.regex.Pattern/matches "a+" "aa") => true`, func(t *value.Task, a []value.Value) value.Value {
				return methodMatches(t, []value.Value{a[1], a[0]})
			}),
	}
}

func mapEntry(t *value.Task, a []value.Value) value.Value { return t.Entry(a[0], a[1]) }

var newline = value.ConstString("\n")

func dateConstructor() Entry {
	e := clocked(static("new", "Date", "| millis", Constant,
		"Returns the instant of milliseconds since 1970. Without them, returns the present, which needs the grant of "+
			"tool/time.now.",
		`(java.util.Date. 0) => #inst "1970-01-01T00:00:00.000-00:00"`, func(t *value.Task, a []value.Value) value.Value {
			if len(a) == 1 {
				return t.Inst(value.ToLong(t, a[0]))
			}
			return t.Inst(t.Host.Now() / 1e6)
		}))
	e.Examples = append(e.Examples, `(java.util.Date.) !not-granted`)
	return e
}

// constructors are the entries of the namespace "new", which (Exception. "m")
// means.
func constructors() []Entry {
	entries := []Entry{
		static("new", "String", "| x | x charset", PerByte,
			"Returns a string: the given one, or one made of characters or bytes in UTF-8.", `(String. "a") => "a"`,
			func(t *value.Task, a []value.Value) value.Value {
				if len(a) == 0 {
					return emptyString
				}
				return newString(t, a[0])
			}),
		static("new", "Object", "", Constant, "Returns an object that is equal only to itself.",
			`(= (Object.) (Object.)) => false`, func(t *value.Task, _ []value.Value) value.Value {
				return t.Object(t.RecordType(objectClass, nil, value.Nil).AsType(), nil)
			}),
		static("new", "StringWriter", "", Constant, "Returns a string builder, which *out* can be bound to.",
			`(let [w (java.io.StringWriter.)] (binding [*out* w] (print "a")) (str w)) => "a"`, newBuilder(value.ClassWriter)),
		static("new", "StringBuffer", "| s", Constant, "Returns a string builder.",
			`(str (.append (StringBuffer.) "a")) => "a"`, newBuilder(value.ClassBuffer)),
		static("new", "StringBuilder", "| s", Constant, "Returns a string builder, for append.",
			`(str (.append (StringBuilder.) "a")) => "a"`, newBuilder(value.ClassBuilder)),
		static("new", "Long", "x", Constant, "Returns an integer.", `(Long. "5") => 5`, parseIn(64)),
		static("new", "Integer", "x", Constant, "Returns an integer.", `(Integer. "5") => 5`, parseIn(32)),
		static("new", "Double", "x", Constant, "Returns a double.", `(Double. "5") => 5.0`, parseFloat),
		static("new", "Boolean", "x", Constant, "Returns a boolean.", `(Boolean. "true") => true`, isTrue),
		static("new", "BigDecimal", "x", Constant, "Returns a decimal; for a double, with all its digits.",
			`(BigDecimal. "1.5") => 1.5M`, newDecimal),
		static("new", "BigInteger", "x | s radix", PerByte, "Parses a string in a radix as a BigInteger.",
			`(BigInteger. "ff" 16) => 255`, newBigInteger),
		static("new", "MapEntry", "key val", Constant, "Returns a map entry.", `(clojure.lang.MapEntry. 1 2) => [1 2]`,
			mapEntry),
		dateConstructor(),
	}
	for _, class := range exceptionClasses {
		if strings.Contains(class, "$") {
			continue
		}
		if class == "clojure.lang.ExceptionInfo" {
			entries = append(entries, static("new", "ExceptionInfo", "msg data | msg data cause", Constant, "Returns an "+
				"exception, as ex-info does.", `(ex-data (clojure.lang.ExceptionInfo. "m" {:a 1})) => {:a 1}`, exInfo))
			continue
		}
		entries = append(entries, static("new", simpleName(class), "| msg | msg cause", Constant, "Returns an exception.",
			"(ex-message ("+class+`. "m")) => "m"`, newJavaException(class)))
	}
	return entries
}

// newString makes a string of a string, of characters or of bytes.
func newString(t *value.Task, x value.Value) value.Value {
	switch {
	case x.IsString():
		return x
	case isBuilder(x):
		return builderText(t, x)
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
		return t.CopyString(strings.ToValidUTF8(string(b.Bytes()), "\ufffd"))
	}
	return b.Value()
}

// newJavaException makes a constructor of an exception: of a message and a cause,
// or of either.
func newJavaException(class string) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		msg, cause := value.Nil, value.Nil
		switch {
		case len(a) == 2:
			msg, cause = a[0], a[1]
		case len(a) == 1 && a[0].Kind() == value.KindException:
			msg, cause = t.Str(a[0]), a[0]
		case len(a) == 1:
			msg = a[0]
		}
		if class == "java.lang.AssertionError" && !msg.IsNil() && !msg.IsString() {
			msg = t.Str(msg)
		}
		if !msg.IsNil() && !msg.IsString() || !cause.IsNil() && cause.Kind() != value.KindException {
			t.Fail(diag.WrongType, "%s: got %s, want a message and an exception", simpleName(class), value.Describe(t, msg))
		}
		return newException(t, class, msg, value.Nil, cause)
	}
}
