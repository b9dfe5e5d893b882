// This file defines clojure.string. The functions that call functions of the program are in
// prelude/string.ptc.

package strs

import (
	"strings"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jregex"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// stringFunctions are those of clojure.string.
func stringFunctions() []entry.Entry {
	return []entry.Entry{
		{NS: "clojure.string", Name: "upper-case", Args: "s", Cost: entry.PerByte, Purity: entry.Reads,
			Fn:  caser("upper-case", 'a', upper),
			Doc: "Returns s in upper case.", Examples: []string{`(clojure.string/upper-case "aé") => ` +
				`"AÉ"`, "(clojure.string/upper-case nil) !nil-value"}},
		{NS: "clojure.string", Name: "lower-case", Args: "s", Cost: entry.PerByte, Purity: entry.Reads,
			Fn:  caser("lower-case", 'A', lower),
			Doc: "Returns s in lower case.", Examples: []string{`(clojure.string/lower-case "AÉ") => ` +
				`"aé"`, "(clojure.string/lower-case nil) !nil-value"}},
		{NS: "clojure.string", Name: "capitalize", Args: "s", Cost: entry.PerByte, Purity: entry.Reads,
			Fn:       caser("capitalize", 0, capitalize),
			Doc:      "Returns s with its first character in upper case and the others in lower case.",
			Examples: []string{`(clojure.string/capitalize "hELLO") => "Hello"`, "(clojure.string/capitalize nil) !nil-value"}},
		{NS: "clojure.string", Name: "trim", Args: "s:chars", Cost: entry.PerByte, Purity: entry.Reads, Fn: trimmer(Trim),
			Doc:      "Returns s without the white space at both ends.",
			Examples: []string{`(clojure.string/trim " a ") => "a"`, "(clojure.string/trim nil) !nil-value"}},
		{NS: "clojure.string", Name: "triml", Args: "s:chars", Cost: entry.PerByte, Purity: entry.Reads,
			Fn:       trimmer(trimLeft),
			Doc:      "Returns s without the white space at its start.",
			Examples: []string{`(clojure.string/triml " a ") => "a "`, "(clojure.string/triml nil) !nil-value"}},
		{NS: "clojure.string", Name: "trimr", Args: "s:chars", Cost: entry.PerByte, Purity: entry.Reads,
			Fn:       trimmer(trimRight),
			Doc:      "Returns s without the white space at its end.",
			Examples: []string{`(clojure.string/trimr " a ") => " a"`, "(clojure.string/trimr nil) !nil-value"}},
		{NS: "clojure.string", Name: "trim-newline", Args: "s:chars", Cost: entry.PerByte, Purity: entry.Reads,
			Fn:       trimmer(trimNewlines),
			Doc:      "Returns s without trailing newlines and carriage returns.",
			Examples: []string{`(clojure.string/trim-newline "a\n") => "a"`, "(clojure.string/trim-newline nil) !nil-value"}},
		{NS: "clojure.string", Name: "blank?", Args: "s:chars?", Cost: entry.PerByte, Purity: entry.Reads, Fn: blank,
			Doc: "Returns true if s is nil, empty or only white space.",
			Examples: []string{`(clojure.string/blank? " ") => true`, `(clojure.string/blank? "a") => false`,
				"(clojure.string/blank? 1) !wrong-type"}},
		{NS: "clojure.string", Name: "reverse", Args: "s:chars", Cost: entry.PerByte, Purity: entry.Reads, Fn: reverseString,
			Doc:      "Returns the characters of s in reverse order.",
			Examples: []string{`(clojure.string/reverse "abc") => "cba"`, "(clojure.string/reverse nil) !nil-value"}},
		{NS: "clojure.string", Name: "join", Args: "coll:seqable | separator coll:seqable", Cost: entry.Walks,
			Purity: entry.Realises, Fn: join,
			Doc:      "Returns the strings of the elements of coll, joined with the separator.",
			Examples: []string{`(clojure.string/join ", " [1 2 3]) => "1, 2, 3"`, "(clojure.string/join 1) !illegal-argument"}},
		{NS: "clojure.string", Name: "starts-with?", Args: "s substr", Cost: entry.PerByte, Purity: entry.Reads,
			Fn:  Tester("starts-with?", hasPrefix),
			Doc: "Returns true if s starts with substr.",
			Examples: []string{`(clojure.string/starts-with? "abc" "a") => true`,
				`(clojure.string/starts-with? nil "a") !nil-value`}},
		{NS: "clojure.string", Name: "ends-with?", Args: "s substr", Cost: entry.PerByte, Purity: entry.Reads,
			Fn:  Tester("ends-with?", hasSuffix),
			Doc: "Returns true if s ends with substr.",
			Examples: []string{`(clojure.string/ends-with? "abc" "c") => true`,
				`(clojure.string/ends-with? nil "a") !nil-value`}},
		{NS: "clojure.string", Name: "includes?", Args: "s substr", Cost: entry.PerByte, Purity: entry.Reads,
			Fn:       Tester("includes?", Includes),
			Doc:      "Returns true if s contains substr.",
			Examples: []string{`(clojure.string/includes? "abc" "b") => true`, `(clojure.string/includes? nil "a") !nil-value`}},
		{NS: "clojure.string", Name: "index-of", Args: "s value | s value from-index:num", Cost: entry.PerByte,
			Purity: entry.Reads, Fn: indexer("index-of", IndexFrom),
			Doc: "Returns the index of a string or character in s, searching from from-index; nil if there is none.",
			Examples: []string{`(clojure.string/index-of "hello" "l") => 2`, `(clojure.string/index-of "hello" \z) => nil`,
				`(clojure.string/index-of nil "a") !nil-value`}},
		{NS: "clojure.string", Name: "last-index-of", Args: "s value | s value from-index:num", Cost: entry.PerByte,
			Purity: entry.Reads, Fn: indexer("last-index-of", LastIndexFrom),
			Doc: "Returns the last index of a string or character in s, searching backward from from-index; nil if there is " +
				"none.", Examples: []string{`(clojure.string/last-index-of "hello" "l") => 3`,
				`(clojure.string/last-index-of nil "a") !nil-value`}},
		{NS: "clojure.string", Name: "split", Args: "s:chars re:regex | s:chars re:regex limit:num", Cost: entry.PerByte,
			Purity: entry.Reads, Fn: split,
			Doc: "Returns a vector of the parts of s between the matches of re, at most limit parts. Without limit, trailing " +
				"empty parts are dropped.", Examples: []string{`(clojure.string/split "a,b,c" #",") => ["a" "b" ` +
				`"c"]`, `(clojure.string/split "a,b,c" #"," 2) => ["a" "b,c"]`, `(clojure.string/split "a" ",") !wrong-type`}},
		{NS: "clojure.string", Name: "split-lines", Args: "s:chars", Cost: entry.PerByte, Purity: entry.Reads, Fn: splitLines,
			Doc: "Returns a vector of the lines of s.",
			Examples: []string{`(clojure.string/split-lines "a\nb\r\nc") => ["a" "b" "c"]`,
				"(clojure.string/split-lines nil) !nil-value"}},
		{NS: "clojure.string", Name: "re-quote-replacement", Args: "s:chars", Cost: entry.PerByte, Purity: entry.Reads,
			Fn:  quoteReplacement,
			Doc: "Returns s quoted, so that replace takes it literally.",
			Examples: []string{`(clojure.string/re-quote-replacement "$1") => "\\$1"`,
				"(clojure.string/re-quote-replacement nil) !nil-value"}},
		{NS: "clojure.core", Name: "%escape", Args: "s cmap:map", Cost: entry.PerByte, Private: true, Fn: escapeByMap,
			Doc: "Returns s with each character that is a key of cmap replaced by its value."},
		{NS: "clojure.core", Name: "%replace", Args: "s match replacement first", Cost: entry.PerByte, Private: true,
			Fn: replaceText, Doc: "Returns s with all matches, or only the first, replaced by a string."},
		{NS: "clojure.core", Name: "%match-parts", Args: "s re:regex first", Cost: entry.PerByte, Private: true,
			Fn:  matchParts,
			Doc: "Returns the strings between matches and the groups of the matches in turn, nil if there is no match."},
		{NS: "clojure.core", Name: "%by-function?", Args: "match replacement", Cost: entry.Constant, Private: true,
			Fn:  byFunction,
			Doc: "Returns true if a pattern is to be replaced by the values of a function."},
		{NS: "clojure.core", Name: "%chars", Args: "s:chars", Cost: entry.PerByte, Private: true,
			Fn:  entry.Unary(entry.Identity),
			Doc: "Returns the string of a CharSequence."},
		{NS: "clojure.core", Name: "%replacement", Args: "s:string", Cost: entry.Constant, Private: true,
			Fn:  entry.Unary(entry.Identity),
			Doc: "Returns s; throws if it is not a string."},
	}
}

func blank(t *value.Task, a []value.Value) value.Value {
	if a[0].IsNil() {
		return value.True
	}
	return value.Bool(trimLeft(t, a[0].AsString().S) == "")
}

func reverseString(t *value.Task, a []value.Value) value.Value {
	s := a[0].AsString().S
	return t.StringOf(len(s), func(out []byte) {
		to := len(s)
		for i := 0; i < len(s); {
			t.Work(1)
			_, size := utf8.DecodeRuneInString(s[i:])
			to -= size
			copy(out[to:], s[i:i+size])
			i += size
		}
	})
}

func join(t *value.Task, a []value.Value) value.Value {
	separator := ""
	if len(a) == 2 {
		separator = t.Str(a[0]).AsString().S
	}
	b := t.Buf()
	first := true
	t.Each(a[len(a)-1], func(x value.Value) bool {
		if !first {
			b.WriteString(separator)
		}
		first = false
		t.StrTo(b, x)
		return true
	})
	return b.Value()
}

func splitLines(t *value.Task, a []value.Value) value.Value {
	s := a[0].AsString().S
	out := t.ValBuf()
	empty := 0
	add := func(line string) {
		if line == "" {
			empty++
			return
		}
		for ; empty > 0; empty-- {
			out.Add(EmptyString)
		}
		out.Add(t.CopyString(line))
	}
	found := false
	for {
		i := index(t, s, "\n")
		if i < 0 {
			break
		}
		t.Work(4)
		found = true
		add(strings.TrimSuffix(s[:i], "\r"))
		s = s[i+1:]
	}
	add(s)
	if !found && out.Len() == 0 {
		return t.Vector(a[0])
	}
	return out.Vector()
}

func quoteReplacement(t *value.Task, a []value.Value) value.Value {
	s := a[0].AsString().S
	b := t.Buf()
	for s != "" {
		piece := s[:value.TextPiece(s)]
		t.Work(int64(len(piece)) / 4)
		t.Charge(limits.BytesSize(2 * len(piece)))
		b.WriteString(jregex.QuoteReplacement(piece))
		s = s[len(piece):]
	}
	return b.Value()
}

func escapeByMap(t *value.Task, a []value.Value) value.Value {
	s := text(t, a[0], "escape")
	b := t.Buf()
	for _, r := range s {
		t.Work(1)
		if v := t.Get(a[1], value.Char(r), value.Nil); !v.IsNil() {
			t.StrTo(b, v)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Value()
}

// replaceText is replace, or with a true fourth argument replace-first, for replacements that are
// not functions.
func replaceText(t *value.Task, a []value.Value) value.Value {
	if a[0].IsNil() {
		t.Fail(diag.NilValue, "replace: got nil, want a string")
	}
	s := t.Str(a[0])
	first := a[3].Truthy()
	switch match := entry.AsString(t, a[1]); match.Kind() {
	case value.KindChar:
		if !a[2].IsChar() && (!first || a[2].Is(functionKinds)) {
			failReplacement(t, a[2], "a character")
		}
		return replacePlain(t, s, string(match.AsChar()), t.Str(a[2]).AsString().S, first)
	case value.KindString:
		if first && !a[2].IsNil() && !a[2].Is(functionKinds) { // Clojure takes the string of anything there
			return replacePlain(t, s, match.AsString().S, t.Str(a[2]).AsString().S, first)
		}
		return replacePlain(t, s, match.AsString().S, entry.WantChars(t, a[2], "replace"), first)
	case value.KindRegex:
		return replaceRegex(t, s, match, entry.WantChars(t, a[2], "replace"), first)
	}
	t.FailHint(diag.IllegalArgument, "got "+value.Describe(t, a[1])+", want a string, character or pattern",
		"Invalid match arg: %s", t.Text(a[1]))
	return value.Nil
}

// functionKinds are the kinds of functions, which can replace matches of patterns only.
var functionKinds = value.Kinds(value.KindFn, value.KindNative)

func byFunction(t *value.Task, a []value.Value) value.Value {
	if a[0].Kind() != value.KindRegex || a[1].Is(value.Kinds(value.KindNil, value.KindString)) {
		return value.False
	}
	_, chars := t.Chars(a[1])
	return value.Bool(!chars)
}

func failReplacement(t *value.Task, v value.Value, want string) {
	if v.IsNil() {
		t.Fail(diag.NilValue, "replace: got nil, want %s", want)
	}
	t.Fail(diag.WrongType, "replace: got %s, want %s", value.Describe(t, v), want)
}

func replacePlain(t *value.Task, s value.Value, match, replacement string, first bool) value.Value {
	in := s.AsString().S
	i := index(t, in, match)
	if i < 0 {
		return s
	}
	b := t.Buf()
	for from := 0; ; {
		b.WriteString(in[from:i])
		b.WriteString(replacement)
		from = i + len(match)
		if match == "" && i < len(in) { // an empty match stands between all characters
			_, size := utf8.DecodeRuneInString(in[i:])
			b.WriteString(in[i : i+size*entry.Btoi(!first)])
			from = i + size*entry.Btoi(!first)
		}
		next := index(t, in[from:], match)
		if first || next < 0 || match == "" && i == len(in) {
			b.WriteString(in[from:])
			return b.Value()
		}
		t.Work(1)
		i = from + next
	}
}
