// This file defines the methods of Java's strings that programs written for
// Clojure call: entries of the namespace ".", which (.toUpperCase s) means.

package strs

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// OnString are the values that have methods of strings.
var OnString = value.Kinds(value.KindString)

// stringMethods are the methods of strings.
func stringMethods() []entry.Entry {
	return []entry.Entry{
		entry.Method("toUpperCase", "| locale", OnString, entry.PerByte, "Returns the string in upper case.",
			`(.toUpperCase "abc") => "ABC"`, caser("toUpperCase", 'a', upper)),
		entry.Method("toLowerCase", "| locale", OnString, entry.PerByte, "Returns the string in lower case.",
			`(.toLowerCase "ABC") => "abc"`, caser("toLowerCase", 'A', lower)),
		entry.Method("length", "", OnString|value.Vectors|builderKind, entry.Constant, "Returns the number of characters.",
			`(.length "abc") => 3`, length),
		entry.Method("substring", "start | start end", OnString, entry.PerByte,
			"Returns the characters from start (inclusive) to end (exclusive).", `(.substring "hello" 1 3) => "el"`, subs),
		entry.Method("startsWith", "prefix | prefix offset", OnString, entry.PerByte,
			"Returns true if the string begins with a prefix, at an offset if given.", `(.startsWith "hello" "he") => true`,
			startsWith),
		entry.Method("endsWith", "suffix", OnString, entry.PerByte, "Returns true if the string ends with a suffix.",
			`(.endsWith "hello" "lo") => true`, Tester("endsWith", hasSuffix)),
		entry.Method("trim", "", OnString, entry.PerByte,
			"Returns the string without spaces and control characters at both ends.",
			`(.trim " a ") => "a"`,
			trimmer(func(t *value.Task, s string) string {
				return strings.TrimFunc(s, counted(t, func(r rune) bool { return r <= ' ' }))
			})),
		entry.Method("strip", "", OnString, entry.PerByte, "Returns the string without white space at both ends.",
			`(.strip " a ") => "a"`, trimmer(Trim)),
		entry.Method("stripLeading", "", OnString, entry.PerByte, "Returns the string without white space at its start.",
			`(.stripLeading " a") => "a"`, trimmer(trimLeft)),
		entry.Method("stripTrailing", "", OnString, entry.PerByte, "Returns the string without white space at its end.",
			`(.stripTrailing "a ") => "a"`, trimmer(trimRight)),
		entry.Method("split", "regex | regex limit", OnString|value.Kinds(value.KindRegex), entry.PerByte,
			"Returns a vector of the parts of a string between the matches of a pattern. Called on a pattern, takes the string.",
			`(.split "a,b" ",") => ["a" "b"]`, methodSplit),
		entry.Method("replace", "target replacement | start end text", OnString|builderKind, entry.PerByte,
			"Replaces all occurrences of a string or character by another; in a string builder, the characters from start "+
				"(inclusive) to end (exclusive).", `(.replace "hello" "l" "L") => "heLLo"`, methodReplace),
		entry.Method("replaceAll", "regex replacement | replacement", OnString|onMatcher, entry.PerByte,
			"Replaces the matches of a pattern.", `(.replaceAll "a1b2" "\\d" "#") => "a#b#"`, replaceMatches(false)),
		entry.Method("replaceFirst", "regex replacement | replacement", OnString|onMatcher, entry.PerByte,
			"Replaces the first match of a pattern.", `(.replaceFirst "a1b2" "\\d" "#") => "a#b2"`, replaceMatches(true)),
		entry.Method("matches", "| regex", OnString|onMatcher, entry.PerByte,
			"Returns true if a pattern matches the whole string.",
			`(.matches "abc" "[a-c]+") => true`, methodMatches),
		entry.Method("charAt", "index", OnString, entry.Constant, "Returns the character at an index.",
			`(.charAt "abc" 1) => \b`,
			charAt),
		entry.Method("codePointAt", "index", OnString, entry.Constant, "Returns the code of the character at an index.",
			`(.codePointAt "abc" 0) => 97`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(charAt(t, a).AsChar()))
			}),
		entry.Method("codePointCount", "start end", OnString, entry.Constant,
			"Returns the number of characters from start (inclusive) to end (exclusive).",
			`(.codePointCount "abc" 0 2) => 2`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(t.Length(subs(t, a).AsString())))
			}),
		entry.Method("offsetByCodePoints", "index n", OnString, entry.Constant,
			"Returns the index of the character n after that at an index.", `(.offsetByCodePoints "abc" 0 1) => 1`,
			func(t *value.Task, a []value.Value) value.Value {
				at, n := value.ToInt(t, a[1]), value.ToInt(t, a[2])
				subs(t, []value.Value{a[0], value.Int(min(at, at+n)), value.Int(max(at, at+n))})
				return value.Int(at + n)
			}),
		entry.Method("subSequence", "start end", OnString, entry.PerByte,
			"Returns the characters from start (inclusive) to end (exclusive).", `(.subSequence "hello" 1 3) => "el"`, subs),
		entry.Method("contentEquals", "other", OnString, entry.PerByte, "Returns true if two strings are equal.",
			`(.contentEquals "a" "a") => true`, func(t *value.Task, a []value.Value) value.Value {
				if a[1].IsNil() {
					t.FailWant("contentEquals", a[1], "a string")
				}
				return value.Bool(value.Equal(t, a[0], Str(t, a[1:])))
			}),
		entry.Method("regionMatches", "from other other-from length", OnString, entry.PerByte,
			"Returns true if parts of two strings are equal.", `(.regionMatches "hello" 1 "ell" 0 3) => true`, regionMatches),
		entry.Method("isBlank", "", OnString, entry.PerByte, "Returns true if the string has only white space.",
			`(.isBlank " ") => true`,
			blank),
		entry.Method("concat", "s", OnString, entry.PerByte, "Returns the string followed by another.",
			`(.concat "a" "b") => "ab"`,
			func(t *value.Task, a []value.Value) value.Value {
				entry.WantText(t, a[1], "concat")
				return Str(t, a)
			}),
		entry.Method("equalsIgnoreCase", "other", OnString, entry.PerByte,
			"Returns true if two strings are equal when case is ignored.",
			`(.equalsIgnoreCase "aB" "Ab") => true`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(a[1].IsString() && equalFold(t, a[0].AsString(), a[1].AsString()))
			}),
		entry.Method("compareToIgnoreCase", "other", OnString, entry.PerByte, "Compares two strings, ignoring case.",
			`(.compareToIgnoreCase "A" "b") => -1`, compareNoCase),
		entry.Method("getBytes", "| charset", OnString, entry.PerByte,
			"Returns an array of the bytes of the string, in UTF-8 or in a charset.", `(vec (.getBytes "abc")) => [97 98 99]`,
			getBytes),
		entry.Method("repeat", "n", OnString, entry.PerByte, "Returns the string n times.", `(.repeat "ab" 2) => "abab"`,
			methodRepeat),
		entry.Method("toCharArray", "", OnString, entry.PerByte, "Returns an array of the characters.",
			`(vec (.toCharArray "ab")) => [\a \b]`, entry.Unary(CharArray)),
		entry.Method("chars", "", OnString, entry.PerByte, "Returns a vector of the codes of the characters.",
			`(.chars "ab") => [97 98]`,
			func(t *value.Task, a []value.Value) value.Value {
				it := t.Iter(a[0])
				return t.VectorOf(t.Length(a[0].AsString()), func(block []value.Value, _ int) {
					for i := range block {
						c, _ := it.Next()
						block[i] = value.Int(int64(c.AsChar()))
					}
				})
			}),
		entry.Method("lines", "", OnString, entry.PerByte, "Returns a vector of the lines.", `(.lines "a\nb") => ["a" "b"]`,
			splitLines),
		entry.Method("intern", "", OnString, entry.PerByte, "Returns a string that is identical to an equal literal.",
			`(identical? (.intern (str "a" "b")) "ab") => true`,
			func(t *value.Task, a []value.Value) value.Value { return t.InternedString(a[0].AsString().S) }),
		entry.Method("pattern", "", value.Kinds(value.KindRegex)|onMatcher, entry.PerByte,
			"Returns the source of a pattern, or the pattern of a matcher.", `(.pattern #"a+") => "a+"`,
			func(t *value.Task, a []value.Value) value.Value {
				if a[0].Kind() == value.KindMatcher {
					return matcher(t, a[0])[value.MatcherRegex]
				}
				return t.Str(a[0])
			}),
		entry.Method("matcher", "s", value.Kinds(value.KindRegex), entry.Constant, "Returns a matcher.",
			`(re-find (.matcher #"a" "ba")) => "a"`, func(t *value.Task, a []value.Value) value.Value {
				entry.WantChars(t, a[1], "matcher")
				return reMatcher(t, []value.Value{a[0], entry.AsString(t, a[1])})
			}),
	}
}

// CaseInsensitive is String/CASE_INSENSITIVE_ORDER, a comparator.
var CaseInsensitive = value.ConstNative(value.Native{Name: "String/CASE_INSENSITIVE_ORDER", Min: 2, Max: 2,
	Fn: func(t *value.Task, a []value.Value) value.Value {
		entry.WantText(t, a[0], "compare")
		return compareNoCase(t, a)
	}})

func compareNoCase(t *value.Task, a []value.Value) value.Value {
	x, y := t.Buf(), t.Buf()
	lower(t, x, a[0].AsString().S)
	lower(t, y, entry.WantText(t, a[1], "compareToIgnoreCase"))
	return value.Int(int64(value.Compare(t, x.Value(), y.Value())))
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
	s, prefix := a[0].AsString(), entry.WantText(t, a[1], "startsWith")
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
	entry.WantText(t, a[2], "regionMatches")
	from, other, n := value.ToInt(t, a[1]), value.ToInt(t, a[3]), value.ToInt(t, a[4])
	if from < 0 || other < 0 || from+n > int64(t.Length(a[0].AsString())) || other+n > int64(t.Length(a[2].AsString())) {
		return value.False
	}
	return value.Bool(n <= 0 || value.Equal(t, Substring(t, a[0], from, from+n), Substring(t, a[2], other, other+n)))
}

// pattern returns the compiled pattern for an argument that is a string or a pattern.
func pattern(t *value.Task, v value.Value) value.Value {
	if v.Kind() == value.KindRegex {
		return v
	}
	return compileRegex(t, entry.WantText(t, v, "regex"))
}

func methodSplit(t *value.Task, a []value.Value) value.Value {
	if a[0].Kind() == value.KindRegex {
		entry.WantChars(t, a[1], "split")
		return split(t, append([]value.Value{entry.AsString(t, a[1]), a[0]}, a[2:]...))
	}
	args := append([]value.Value{a[0], pattern(t, a[1])}, a[2:]...)
	return split(t, args)
}

func methodReplace(t *value.Task, a []value.Value) value.Value {
	switch {
	case len(a) == 4 && IsBuilder(a[0]):
		return builderSplice(t, a)
	case len(a) == 4 || !a[0].IsString():
		entry.NoMethod(t, "replace", a[0], len(a)-1)
	}
	return replacePlain(t, a[0], charsPart(t, a[1], "replace"), charsPart(t, a[2], "replace"), false)
}

func replaceMatches(first bool) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		switch {
		case a[0].IsString() == (len(a) == 2):
			entry.NoMethod(t, "replaceAll", a[0], len(a)-1)
		case len(a) == 2:
			m := matcher(t, a[0])
			return replaceRegex(t, m[value.MatcherText], m[value.MatcherRegex], entry.WantText(t, a[1], "replacement"), first)
		}
		return replaceRegex(t, a[0], pattern(t, a[1]), entry.WantText(t, a[2], "replacement"), first)
	}
}

func methodMatches(t *value.Task, a []value.Value) value.Value {
	switch onString := a[0].IsString(); {
	case onString != (len(a) == 2):
		entry.NoMethod(t, "matches", a[0], len(a)-1)
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

// repeated is the approximate number of bytes that repeat copies between two polls.
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

// quote implements Pattern/quote.
func quote(t *value.Task, a []value.Value) value.Value {
	entry.WantText(t, a[0], "quote")
	b := t.Buf()
	b.WriteString(`\Q`)
	b.WriteString(replacePlain(t, a[0], `\E`, `\E\\E\Q`, false).AsString().S)
	b.WriteString(`\E`)
	return b.Value()
}
