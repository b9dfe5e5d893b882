// This file defines the static methods and constructors of Java's classes.

package builtins

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins/internal/java"
	"github.com/ptc-lang/ptc/lang/builtins/internal/numbers"
	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/value"
)

// ClockTool is the tool whose grant lets a program read the time of day by any name.
// ClockNotGranted is the message for a program without the grant.
const (
	ClockTool       = "time.now"
	ClockNotGranted = "the time of day needs the grant of tool/" + ClockTool
)

// clocked returns an entry that reads the time of day when it has no arguments.
func clocked(e entry.Entry) entry.Entry {
	e.Clock = true
	return e
}

// otherStatics are the static methods of System, UUID and others.
func otherStatics() []entry.Entry {
	return []entry.Entry{
		clocked(entry.StaticMethod("System", "currentTimeMillis", "", entry.Constant,
			"Returns the milliseconds since 1970. The time of day needs the grant of tool/time.now.",
			`(System/currentTimeMillis) !not-granted`, func(t *value.Task, _ []value.Value) value.Value {
				return value.Int(t.Host.Now() / 1e6)
			})),
		entry.StaticMethod("System", "nanoTime", "", entry.Constant,
			"Returns the nanoseconds since the run began, for measuring time. It "+
				"needs no grant.",
			`(<= 0 (System/nanoTime)) => true`, func(t *value.Task, _ []value.Value) value.Value {
				return value.Int(t.Host.Elapsed())
			}),
		entry.StaticMethod("System", "identityHashCode", "x", entry.Walks,
			"Returns a hash of the identity of an object that is equal only to itself, such as an atom, and the "+
				"hash of any other "+
				"value. It is the same in every run.",
			`(let [a (atom 1)] (= (System/identityHashCode a) (hash a))) => true`,
			func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(value.IdentityHash(t, a[0])))
			}),
		entry.StaticMethod("System", "lineSeparator", "", entry.Constant, "Returns the line separator.",
			`(System/lineSeparator) => "\n"`,
			func(*value.Task, []value.Value) value.Value { return newline }),
		entry.StaticMethod("System", "console", "", entry.Constant, "Returns nil: a program has no console.",
			`(System/console) => nil`, func(*value.Task, []value.Value) value.Value { return value.Nil }),
		entry.StaticMethod("System", "getenv", "| name:string", entry.Constant,
			"Returns the value of a variable of the environment, or all of them as a map. A program has none: the value is "+
				"nil, the map is empty.",
			`[(System/getenv "HOME") (System/getenv)] => [nil {}]`, func(_ *value.Task, a []value.Value) value.Value {
				if len(a) == 0 {
					return value.EmptyMap
				}
				return value.Nil
			}),
		entry.StaticMethod("UUID", "randomUUID", "", entry.Constant, "Returns a random UUID.",
			`(uuid? (java.util.UUID/randomUUID)) => true`,
			numbers.RandomUUID),
		entry.PureStatic("UUID", "fromString", "s", entry.Constant, "Parses a string as a UUID.",
			`(java.util.UUID/fromString "b6883c0a-0342-4007-9966-bc2dfa6b109e") => #uuid "b6883c0a-0342-4007-9966-bc2dfa6b109e"`,
			func(t *value.Task, a []value.Value) value.Value {
				v, err := t.UUIDFrom(entry.WantText(t, a[0], "fromString"))
				if err != nil {
					t.Fail(diag.IllegalArgument, "Invalid UUID string: %s", value.Show(t, a[0]))
				}
				return v
			}),
		entry.PureStatic("MapEntry", "create", "key val", entry.Constant, "Returns a map entry.",
			`(clojure.lang.MapEntry/create 1 2) => [1 2]`, mapEntry),
		entry.StaticMethod("Objects", "equals", "x y", entry.Walks, "Returns true if two values are equal.",
			`(java.util.Objects/equals 1 1) => true`, func(t *value.Task, a []value.Value) value.Value {
				if a[0].IsNil() || a[1].IsNil() {
					return value.Bool(a[0].IsNil() && a[1].IsNil())
				}
				return javaEquals(t, a)
			}),
	}
}

func mapEntry(t *value.Task, a []value.Value) value.Value { return t.Entry(a[0], a[1]) }

// copyEntry returns the entry of a key and a value, or of another entry.
func copyEntry(t *value.Task, a []value.Value) value.Value {
	if len(a) == 2 {
		return mapEntry(t, a)
	}
	if !a[0].Is(value.Vectors) || value.VecCount(a[0]) != 2 {
		t.FailWant("SimpleEntry", a[0], "an entry of a map")
	}
	return t.Entry(value.VecAt(a[0], 0), value.VecAt(a[0], 1))
}

var newline = value.ConstString("\n")

func dateConstructor() entry.Entry {
	e := clocked(entry.StaticMethod("new", "Date", "| millis | year month date | year month date hour minute | "+
		"year month date hour minute second", entry.Constant,
		"Returns the instant of milliseconds since 1970, or of a year from 1900 and so on. Without them, returns the "+
			"present, which needs the grant of tool/time.now.",
		`(java.util.Date. 0) => #inst "1970-01-01T00:00:00.000-00:00"`, func(t *value.Task, a []value.Value) value.Value {
			switch len(a) {
			case 0:
				return t.Inst(t.Host.Now() / 1e6)
			case 1:
				return t.Inst(value.ToLong(t, a[0]))
			}
			return java.DateOf(t, a)
		}))
	e.Examples = append(e.Examples, `(java.util.Date.) !not-granted`)
	return e
}

// constructors are the entries of the namespace "new", to which (Exception. "m") refers.
func constructors() []entry.Entry {
	entries := []entry.Entry{
		entry.StaticMethod("new", "String", "| x | x charset | x from n | x from n charset", entry.PerByte,
			"Returns a string: the given one, or one of characters or bytes, in UTF-8 or in a charset.", `(String. "a") => "a"`,
			func(t *value.Task, a []value.Value) value.Value {
				switch len(a) {
				case 0:
					return strs.EmptyString
				case 1:
					return strs.NewString(t, a[0])
				}
				return strs.StringOfParts(t, a)
			}),
		entry.StaticMethod("new", "Object", "", entry.Constant, "Returns an object that is equal only to itself.",
			`(= (Object.) (Object.)) => false`, func(t *value.Task, _ []value.Value) value.Value {
				return t.Object(t.RecordType(jclass.ObjectClass, nil, value.Nil).AsType(), nil)
			}),
		entry.StaticMethod("new", "StringWriter", "", entry.Constant,
			"Returns a string builder, which *out* can be bound to.",
			`(let [w (java.io.StringWriter.)] (binding [*out* w] (print "a")) (str w)) => "a"`,
			strs.NewBuilder(value.ClassWriter)),
		entry.StaticMethod("new", "StringBuffer", "| s", entry.Constant, "Returns a string builder.",
			`(str (.append (StringBuffer.) "a")) => "a"`, strs.NewBuilder(value.ClassBuffer)),
		entry.StaticMethod("new", "StringBuilder", "| s", entry.Constant, "Returns a string builder, for append.",
			`(str (.append (StringBuilder.) "a")) => "a"`, strs.NewBuilder(value.ClassBuilder)),
		entry.StaticMethod("new", "Long", "x", entry.Constant, "Returns an integer.", `(Long. "5") => 5`,
			numbers.ParseIn(64)),
		entry.StaticMethod("new", "Integer", "x", entry.Constant, "Returns an integer.", `(Integer. "5") => 5`,
			numbers.ParseIn(32)),
		entry.StaticMethod("new", "Double", "x", entry.Constant, "Returns a double.", `(Double. "5") => 5.0`,
			numbers.ParseFloat),
		entry.StaticMethod("new", "Float", "x", entry.Constant, "Returns a double with the precision of a float.",
			`(Float. "0.5") => 0.5`, numbers.NewFloat),
		entry.StaticMethod("new", "Short", "x", entry.Constant, "Returns an integer.", `(Short. "5") => 5`,
			numbers.ParseIn(16)),
		entry.StaticMethod("new", "Byte", "x", entry.Constant, "Returns an integer.", `(Byte. "5") => 5`,
			numbers.ParseIn(8)),
		entry.StaticMethod("new", "Character", "c:char", entry.Constant, "Returns a character.", `(Character. \a) => \a`,
			entry.Unary(entry.Identity)),
		entry.StaticMethod("new", "Boolean", "x", entry.Constant, "Returns a boolean.", `(Boolean. "true") => true`,
			strs.IsTrue),
		entry.StaticMethod("new", "BigDecimal", "x | x scale", entry.Constant, "Returns a decimal: for a "+
			"double, with all its digits; of an unscaled value and a scale; rounded by a MathContext.",
			`(BigDecimal. "1.5") => 1.5M`, numbers.NewDecimal),
		entry.StaticMethod("new", "BigInteger", "x | s radix", entry.PerByte, "Parses a string in a radix as a BigInteger; "+
			"returns that of bytes, with a sign if given.",
			`(BigInteger. "ff" 16) => 255`, numbers.NewBigInteger),
		entry.StaticMethod("new", "MapEntry", "key val", entry.Constant, "Returns a map entry.",
			`(clojure.lang.MapEntry. 1 2) => [1 2]`,
			mapEntry),
		entry.StaticMethod("new", "AbstractMap$SimpleEntry", "key val | entry", entry.Constant, "Returns a map entry.",
			`(java.util.AbstractMap$SimpleEntry. 1 2) => [1 2]`, copyEntry),
		entry.StaticMethod("new", "AbstractMap$SimpleImmutableEntry", "key val | entry", entry.Constant,
			"Returns a map entry.", `(java.util.AbstractMap$SimpleImmutableEntry. 1 2) => [1 2]`, copyEntry),
		entry.StaticMethod("new", "Locale", "language:string | language:string country:string", entry.PerByte,
			"Returns a locale. Words and numbers are in English whatever it is.",
			`(str (java.util.Locale. "de" "AT")) => "de_AT"`, func(t *value.Task, a []value.Value) value.Value {
				name := strings.ToLower(a[0].AsString().S)
				if len(a) > 1 && a[1].AsString().S != "" {
					name += "_" + strings.ToUpper(a[1].AsString().S)
				}
				return t.Symbol("", name)
			}),
		dateConstructor(),
	}
	for _, class := range jclass.ExceptionClasses {
		if strings.Contains(class, "$") {
			continue
		}
		if class == "clojure.lang.ExceptionInfo" {
			entries = append(entries, entry.StaticMethod("new", "ExceptionInfo", "msg data | msg data cause", entry.Constant,
				"Returns an "+
					"exception, as ex-info does.", `(ex-data (clojure.lang.ExceptionInfo. "m" {:a 1})) => {:a 1}`, exInfo))
			continue
		}
		entries = append(entries, entry.StaticMethod("new", jclass.SimpleName(class), "| msg | msg cause", entry.Constant,
			"Returns an exception.",
			"(ex-message ("+class+`. "m")) => "m"`, newJavaException(class)))
	}
	return entries
}

// newJavaException makes a constructor of an exception with a message, a cause, or both.
func newJavaException(class string) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		msg, cause := value.Nil, value.Nil
		switch {
		case len(a) == 2 && class == "java.text.ParseException" && a[1].IsInt(): // an offset in the text
			msg = a[0]
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
			t.Fail(diag.WrongType, "%s: got %s, want a message and an exception", jclass.SimpleName(class),
				value.Describe(t, msg))
		}
		return newException(t, class, msg, value.Nil, cause)
	}
}
