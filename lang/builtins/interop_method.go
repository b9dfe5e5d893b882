// This file defines the methods of Java's objects that programs written for
// Clojure call: entries of the namespace ".", which (.toUpperCase s) means.

package builtins

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// interop are the methods, static methods and constructors.
func interop() [][]Entry {
	return [][]Entry{objectMethods(), exceptionMethods(), otherStatics(), constructors(), objects}
}

// onString are the values that a method of strings can be called on.
var onString = value.Kinds(value.KindString)

// method makes the entry of a method that values of some kinds have.
func method(name, args string, on value.KindSet, cost Cost, doc, example string, fn value.NativeFunc) Entry {
	var arities []string
	for _, arity := range strings.Split(args, "|") {
		arities = append(arities, "x "+strings.TrimSpace(arity))
	}
	key := value.ConstKeyword(name)
	return Entry{NS: ".", Name: name, Args: strings.Join(arities, " | "), Doc: doc, Cost: cost,
		Examples: []string{example, "(." + name + " nil" +
			strings.Repeat(" 0", len(strings.Fields(strings.SplitN(args, "|", 2)[0]))) + ") !nil-value"},
		Fn: func(t *value.Task, a []value.Value) value.Value {
			if on.Has(value.KindString) && !a[0].Is(on) && a[0].Kind() == value.KindBuilder {
				a = append([]value.Value{builderText(t, a[0])}, a[1:]...)
			}
			if a[0].Is(ownMethods) || !a[0].Is(on) {
				if f := t.Method(a[0], key); !f.IsNil() {
					return t.Host.Call(f, a...)
				}
			}
			if !a[0].Is(on) {
				if x, ok := ownField(t, a[0], key); ok && len(a) == 1 {
					return x
				}
				noMethod(t, name, a[0], len(a)-1)
			}
			return fn(t, a)
		}}
}

// ownMethods are the values whose types may define methods of these names.
var ownMethods = value.Kinds(value.KindRecord, value.KindObject)

// ownField returns the field of a record or object that a keyword names.
func ownField(t *value.Task, v, key value.Value) (x value.Value, ok bool) {
	switch v.Kind() {
	case value.KindRecord:
		return t.MapGet(v, key)
	case value.KindObject:
		return v.AsObject().Field(t, key)
	}
	return value.Nil, false
}

func noMethod(t *value.Task, name string, x value.Value, args int) {
	const hint = "a task program has no Java; use the functions of the language"
	switch {
	case x.IsNil():
		t.Fail(diag.NilValue, ".%s: can't call a method of nil", name)
	case args == 0:
		t.FailHint(diag.IllegalArgument, hint, "No matching field found: %s for class %s", name, value.ClassName(x))
	}
	t.FailHint(diag.IllegalArgument, hint, "No matching method %s found taking %d args for class %s", name, args,
		value.ClassName(x))
}

// stringMethods are the methods of strings.
func stringMethods() []Entry {
	return []Entry{
		method("toUpperCase", "| locale", onString, PerByte, "Returns the string in upper case.",
			`(.toUpperCase "abc") => "ABC"`, caser("toUpperCase", 'a', upper)),
		method("toLowerCase", "| locale", onString, PerByte, "Returns the string in lower case.",
			`(.toLowerCase "ABC") => "abc"`, caser("toLowerCase", 'A', lower)),
		method("length", "", onString|value.Vectors|builderKind, Constant, "Returns the number of characters.",
			`(.length "abc") => 3`, length),
		method("substring", "start | start end", onString, PerByte,
			"Returns the characters from start (inclusive) to end (exclusive).", `(.substring "hello" 1 3) => "el"`, subs),
		method("startsWith", "prefix | prefix offset", onString, PerByte,
			"Returns true if the string begins with a prefix, at an offset if given.", `(.startsWith "hello" "he") => true`,
			startsWith),
		method("endsWith", "suffix", onString, PerByte, "Returns true if the string ends with a suffix.",
			`(.endsWith "hello" "lo") => true`, tester("endsWith", hasSuffix)),
		method("trim", "", onString, PerByte, "Returns the string without spaces and control characters at both ends.",
			`(.trim " a ") => "a"`,
			trimmer(func(t *value.Task, s string) string {
				return strings.TrimFunc(s, counted(t, func(r rune) bool { return r <= ' ' }))
			})),
		method("strip", "", onString, PerByte, "Returns the string without white space at both ends.",
			`(.strip " a ") => "a"`, trimmer(trim)),
		method("stripLeading", "", onString, PerByte, "Returns the string without white space at its start.",
			`(.stripLeading " a") => "a"`, trimmer(trimLeft)),
		method("stripTrailing", "", onString, PerByte, "Returns the string without white space at its end.",
			`(.stripTrailing "a ") => "a"`, trimmer(trimRight)),
		method("split", "regex | regex limit", onString|value.Kinds(value.KindRegex), PerByte,
			"Returns a vector of the parts of a string between the matches of a pattern. Called on a pattern, takes the string.",
			`(.split "a,b" ",") => ["a" "b"]`, methodSplit),
		method("replace", "target replacement | start end text", onString|builderKind, PerByte,
			"Replaces all occurrences of a string or character by another; in a string builder, the characters from start "+
				"(inclusive) to end (exclusive).", `(.replace "hello" "l" "L") => "heLLo"`, methodReplace),
		method("replaceAll", "regex replacement | replacement", onString|onMatcher, PerByte,
			"Replaces the matches of a pattern.", `(.replaceAll "a1b2" "\\d" "#") => "a#b#"`, replaceMatches(false)),
		method("replaceFirst", "regex replacement | replacement", onString|onMatcher, PerByte,
			"Replaces the first match of a pattern.", `(.replaceFirst "a1b2" "\\d" "#") => "a#b2"`, replaceMatches(true)),
		method("matches", "| regex", onString|onMatcher, PerByte, "Returns true if a pattern matches the whole string.",
			`(.matches "abc" "[a-c]+") => true`, methodMatches),
		method("charAt", "index", onString, Constant, "Returns the character at an index.", `(.charAt "abc" 1) => \b`,
			charAt),
		method("codePointAt", "index", onString, Constant, "Returns the code of the character at an index.",
			`(.codePointAt "abc" 0) => 97`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(charAt(t, a).AsChar()))
			}),
		method("subSequence", "start end", onString, PerByte,
			"Returns the characters from start (inclusive) to end (exclusive).", `(.subSequence "hello" 1 3) => "el"`, subs),
		method("contentEquals", "other", onString, PerByte, "Returns true if two strings are equal.",
			`(.contentEquals "a" "a") => true`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(value.Equal(t, a[0], str(t, a[1:])))
			}),
		method("regionMatches", "from other other-from length", onString, PerByte,
			"Returns true if parts of two strings are equal.", `(.regionMatches "hello" 1 "ell" 0 3) => true`, regionMatches),
		method("isBlank", "", onString, PerByte, "Returns true if the string has only white space.", `(.isBlank " ") => true`,
			blank),
		method("concat", "s", onString, PerByte, "Returns the string followed by another.", `(.concat "a" "b") => "ab"`,
			func(t *value.Task, a []value.Value) value.Value {
				wantText(t, a[1], "concat")
				return str(t, a)
			}),
		method("equalsIgnoreCase", "other", onString, PerByte, "Returns true if two strings are equal when case is ignored.",
			`(.equalsIgnoreCase "aB" "Ab") => true`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(a[1].IsString() && equalFold(t, a[0].AsString(), a[1].AsString()))
			}),
		method("compareToIgnoreCase", "other", onString, PerByte, "Compares two strings, ignoring case.",
			`(.compareToIgnoreCase "A" "b") => -1`, compareNoCase),
		method("getBytes", "| charset", onString, PerByte,
			"Returns a vector of the bytes of the string in UTF-8, from -128 to 127.", `(.getBytes "abc") => [97 98 99]`,
			getBytes),
		method("repeat", "n", onString, PerByte, "Returns the string n times.", `(.repeat "ab" 2) => "abab"`, methodRepeat),
		method("toCharArray", "", onString, PerByte, "Returns a vector of the characters.", `(.toCharArray "ab") => [\a \b]`,
			func(t *value.Task, a []value.Value) value.Value {
				it := t.Iter(a[0])
				return t.VectorOf(t.Length(a[0].AsString()), func(block []value.Value, _ int) {
					for i := range block {
						block[i], _ = it.Next()
					}
				})
			}),
		method("chars", "", onString, PerByte, "Returns a vector of the codes of the characters.", `(.chars "ab") => [97 98]`,
			func(t *value.Task, a []value.Value) value.Value {
				it := t.Iter(a[0])
				return t.VectorOf(t.Length(a[0].AsString()), func(block []value.Value, _ int) {
					for i := range block {
						c, _ := it.Next()
						block[i] = value.Int(int64(c.AsChar()))
					}
				})
			}),
		method("lines", "", onString, PerByte, "Returns a vector of the lines.", `(.lines "a\nb") => ["a" "b"]`, splitLines),
		method("intern", "", onString, Constant, "Returns the string itself.", `(.intern "a") => "a"`, unary(same)),
		method("pattern", "", value.Kinds(value.KindRegex)|onMatcher, PerByte,
			"Returns the source of a pattern, or the pattern of a matcher.", `(.pattern #"a+") => "a+"`,
			func(t *value.Task, a []value.Value) value.Value {
				if a[0].Kind() == value.KindMatcher {
					return matcher(t, a[0])[value.MatcherRegex]
				}
				return t.Str(a[0])
			}),
		method("matcher", "s", value.Kinds(value.KindRegex), Constant, "Returns a matcher.",
			`(re-find (.matcher #"a" "ba")) => "a"`, func(t *value.Task, a []value.Value) value.Value {
				wantChars(t, a[1], "matcher")
				return reMatcher(t, []value.Value{a[0], asString(t, a[1])})
			}),
	}
}

// caseInsensitive is String/CASE_INSENSITIVE_ORDER, a comparator.
var caseInsensitive = value.ConstNative(value.Native{Name: "String/CASE_INSENSITIVE_ORDER", Min: 2, Max: 2,
	Fn: func(t *value.Task, a []value.Value) value.Value {
		wantText(t, a[0], "compare")
		return compareNoCase(t, a)
	}})

func compareNoCase(t *value.Task, a []value.Value) value.Value {
	x, y := t.Buf(), t.Buf()
	lower(t, x, a[0].AsString().S)
	lower(t, y, wantText(t, a[1], "compareToIgnoreCase"))
	return value.Int(int64(value.Compare(t, x.Value(), y.Value())))
}

func getBytes(t *value.Task, a []value.Value) value.Value {
	s := a[0].AsString().S
	return t.VectorOf(len(s), func(block []value.Value, from int) {
		t.Work(int64(len(block)))
		for i := range block {
			block[i] = value.Int(int64(int8(s[from+i])))
		}
	})
}

// equalFold is strings.EqualFold, part by part: equal ones have as many characters.
func equalFold(t *value.Task, a, b *value.String) bool {
	if t.Length(a) != t.Length(b) {
		return false
	}
	x, y := a.S, b.S
	for x != "" && y != "" {
		n, m := value.TextPiece(x), 0
		for range x[:n] {
			_, size := utf8.DecodeRuneInString(y[m:])
			m += size
		}
		t.Work(int64(n) / 4)
		if !strings.EqualFold(x[:n], y[:m]) {
			return false
		}
		x, y = x[n:], y[m:]
	}
	return x == y
}

func length(t *value.Task, a []value.Value) value.Value {
	switch a[0].Kind() {
	case value.KindString:
		return value.Int(int64(t.Length(a[0].AsString())))
	case value.KindBuilder:
		return value.Int(int64(t.BuilderLength(a[0])))
	}
	return value.Int(int64(value.VecCount(a[0])))
}

func startsWith(t *value.Task, a []value.Value) value.Value {
	s, prefix := a[0].AsString(), wantText(t, a[1], "startsWith")
	t.Work(int64(len(prefix)) / 16)
	from := 0
	if len(a) == 3 {
		i := value.ToInt(t, a[2])
		if i < 0 || i > int64(t.Length(s)) {
			return value.False
		}
		from = t.Offset(s, int(i))
	}
	return value.Bool(hasPrefix(t, s.S[from:], prefix))
}

func regionMatches(t *value.Task, a []value.Value) value.Value {
	wantText(t, a[2], "regionMatches")
	from, other, n := value.ToInt(t, a[1]), value.ToInt(t, a[3]), value.ToInt(t, a[4])
	if from < 0 || other < 0 || from+n > int64(t.Length(a[0].AsString())) || other+n > int64(t.Length(a[2].AsString())) {
		return value.False
	}
	return value.Bool(n <= 0 || value.Equal(t, substring(t, a[0], from, from+n), substring(t, a[2], other, other+n)))
}

// pattern returns a compiled pattern of what a method takes for one.
func pattern(t *value.Task, v value.Value) value.Value {
	if v.Kind() == value.KindRegex {
		return v
	}
	return CompileRegex(t, wantText(t, v, "regex"))
}

func methodSplit(t *value.Task, a []value.Value) value.Value {
	if a[0].Kind() == value.KindRegex {
		wantChars(t, a[1], "split")
		return split(t, append([]value.Value{asString(t, a[1]), a[0]}, a[2:]...))
	}
	args := append([]value.Value{a[0], pattern(t, a[1])}, a[2:]...)
	return split(t, args)
}

func methodReplace(t *value.Task, a []value.Value) value.Value {
	switch {
	case len(a) == 4 && isBuilder(a[0]):
		return builderSplice(t, a)
	case len(a) == 4 || !a[0].IsString():
		noMethod(t, "replace", a[0], len(a)-1)
	}
	return replacePlain(t, a[0], charsPart(t, a[1], "replace"), charsPart(t, a[2], "replace"), false)
}

func replaceMatches(first bool) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		switch {
		case a[0].IsString() == (len(a) == 2):
			noMethod(t, "replaceAll", a[0], len(a)-1)
		case len(a) == 2:
			m := matcher(t, a[0])
			return replaceRegex(t, m[value.MatcherText], m[value.MatcherRegex], wantText(t, a[1], "replacement"), first)
		}
		return replaceRegex(t, a[0], pattern(t, a[1]), wantText(t, a[2], "replacement"), first)
	}
}

func methodMatches(t *value.Task, a []value.Value) value.Value {
	switch onString := a[0].IsString(); {
	case onString != (len(a) == 2):
		noMethod(t, "matches", a[0], len(a)-1)
	case !onString:
		return matchAll(t, a[0])
	}
	return value.Bool(!reMatches(t, []value.Value{pattern(t, a[1]), a[0]}).IsNil())
}

func charAt(t *value.Task, a []value.Value) value.Value {
	i := value.ToInt(t, a[1])
	if i < 0 || i >= int64(t.Length(a[0].AsString())) {
		indexError(t, "String index out of range: "+t.Str(value.Int(i)).AsString().S)
	}
	c, _ := t.Nth(a[0], int(i))
	return c
}

// repeated is about how many bytes are copied between two polls of repeat.
const repeated = 64 << 10

func methodRepeat(t *value.Task, a []value.Value) value.Value {
	s, n := a[0].AsString().S, value.ToInt(t, a[1])
	if n < 0 {
		t.Fail(diag.IllegalArgument, "count is negative: %d", n)
	}
	const most = 1 << 40
	total := int64(len(s)) * n
	if n > most || total > most {
		total = most
	}
	return t.StringOf(int(total), func(out []byte) {
		src := s
		for done := 0; done < len(out); {
			k := min(len(src), len(out)-done)
			t.Work(int64(k) / 16)
			t.CopyBytes(out[done:], src[:k])
			if done += k; done <= repeated { // as much again
				src = unsafe.String(&out[0], done)
			}
		}
	})
}

// quote is used by Pattern/quote.
func quote(t *value.Task, a []value.Value) value.Value {
	wantText(t, a[0], "quote")
	b := t.Buf()
	b.WriteString(`\Q`)
	b.WriteString(replacePlain(t, a[0], `\E`, `\E\\E\Q`, false).AsString().S)
	b.WriteString(`\E`)
	return b.Value()
}
