package parser

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// newTask returns a task with the default bounds of a run.
func newTask() *value.Task {
	t := &value.Task{Owner: 1}
	t.Start(context.Background(), 256<<20, 1e9, time.Minute)
	return t
}

// aliased holds the options of the tests: one alias, special forms, and three names of core.
var aliased = Options{
	Aliases: map[string]string{"str": "clojure.string"},
	ResolveSymbol: func(ns, name string) (string, string) {
		switch {
		case ns != "":
			return ns, name
		case slices.Contains([]string{"quote", "var", "if", "&", "fn*"}, name):
			return "", name
		case name == "let" || name == "fn" || name == "+":
			return "clojure.core", name
		case name == "String":
			return "", "java.lang.String"
		}
		return "user", name
	},
}

// pr prints a form with its metadata. It replaces the numbers in generated names with N.
func pr(t *value.Task, form value.Value) string {
	b := t.Buf()
	t.PrintWith(b, form, value.PrintOptions{Readably: true, Meta: true, NamespaceMaps: true, Length: -1, Level: -1})
	return madeNumber.ReplaceAllString(b.String(), "__N")
}

var madeNumber = regexp.MustCompile(`__\d+`)

// readOne reads the first form of source.
func readOne(t *testing.T, source string, opts Options) string {
	t.Helper()
	task := newTask()
	form, _, eof, err := ParseOne(task, token.NewFile("test", source), 0, opts)
	if err != nil {
		return err.Error()
	}
	if eof {
		return "nothing"
	}
	return pr(task, form)
}

type reading struct{ source, want string }

// readings maps topics to sources and the first form that JVM Clojure 1.11 reads from each, printed
// as pr does with *print-meta*.
var readings = map[string][]reading{
	"Names": {
		{`a/b/c`, `a/b/c`},
		{`foo//`, `foo//`},
		{`/`, `/`},
		{`:/`, `:/`},
		{`:1`, `:1`},
		{`:1/a`, `:1/a`},
		{`::a`, `:user/a`},
		{`::str/a`, `:clojure.string/a`},
		{`:a:b`, `:a:b`},
		{`foo:bar`, `foo:bar`},
		{`a#`, `a#`},
		{`a'b`, `a'b`},
		{`+a`, `+a`},
		{`-`, `-`},
		{`.5`, `.5`},
		{`%`, `%`},
		{`%1`, `%1`},
		{`a,b`, `a`},
		{"a\u2003b", `a`},
		{"λ", "λ"},
		{`nil`, `nil`},
		{`true/x`, `true/x`},
		{`nil/a`, `nil/a`},
		{`:nil`, `:nil`},
		{`:true`, `:true`},
		{`a"b"`, `a`},
		{`a(b)`, `a`},
		{`a@b`, `a`},
		{`a~b`, `a`},
		{`a^b`, `a`},
		{`a;b`, `a`},
		{`a\b`, `a`},
		{`a{b}`, `a`},
		{`.`, `.`},
		{`..`, `..`},
		{`a.b/c`, `a.b/c`},
		{`a.b.c`, `a.b.c`},
		{"\u3000a", `a`},
		{`+.5`, `+.5`},
		{`-.5`, `-.5`},
		{`+-1`, `+-1`},
	},
	"Prefixes": {
		{`'a'`, `(quote a')`},
		{`#'a`, `(var a)`},
		{`@a`, `(clojure.core/deref a)`},
		{`~a`, `(clojure.core/unquote a)`},
		{`~@a`, `(clojure.core/unquote-splicing a)`},
	},
	"Numbers": {
		{`+1`, `1`},
		{`-1`, `-1`},
		{`1'`, `1`},
		{`1#`, `1`},
		{`0x1F`, `31`},
		{`017`, `15`},
		{`2r101`, `5`},
		{`36rZZ`, `1295`},
		{`1/2`, `1/2`},
		{`-1/2`, `-1/2`},
		{`4/2`, `2`},
		{`1N`, `1N`},
		{`1M`, `1M`},
		{`1.5M`, `1.5M`},
		{`1e3`, `1000.0`},
		{`1.e3`, `1000.0`},
		{`1.`, `1.0`},
		{`9223372036854775808`, `9223372036854775808N`},
		{`-0x10`, `-16`},
		{`0N`, `0N`},
		{`0xFFN`, `255N`},
		{`017N`, `15N`},
		{`1e400`, `##Inf`},
		{`##Inf`, `##Inf`},
		{`##-Inf`, `##-Inf`},
		{`##NaN`, `##NaN`},
		{`## Inf`, `##Inf`},
		{`1"a"`, `1`},
		{`1(`, `1`},
		{`+1N`, `1N`},
		{`-2r101`, `-5`},
		{`+0`, `0`},
		{`-0`, `0`},
		{`-0.0`, `-0.0`},
		{`00`, `0`},
		{`0.1`, `0.1`},
		{`1E5M`, `1E+5M`},
		{`0/5`, `0`},
		{`1e+3`, `1000.0`},
	},
	"Characters": {
		{`\a`, `\a`},
		{`\newline`, `\newline`},
		{`\u03bb`, "\\λ"},
		{`\o101`, `\A`},
		{`\u00Ac`, `\¬`},
		{`\(`, `\(`},
		{`\ `, `\space`},
		{`\a"b"`, `\a`},
		{`\,`, `\,`},
		{`\tab`, `\tab`},
		{`\o`, `\o`},
		{`\u`, `\u`},
		{`\o1`, "\\\u0001"},
		{`\o12`, `\newline`},
		{`\1`, `\1`},
		{`\é`, `\é`},
	},
	"Strings": {
		{`""`, `""`},
		{`"a\n\t\r\b\f\\\"b"`, `"a\n\t\r\b\f\\\"b"`},
		{"\"a\nb\"", `"a\nb"`},
		{`"\ud83d\ude00"`, `"😀"`},
		{`"λ → 😀"`, `"λ → 😀"`},
		{`"\0"`, "\"\u0000\""},
		{`"\377"`, `"ÿ"`},
		{`"\12"`, `"\n"`},
		{`"\1234"`, `"S4"`},
		{`"\01 "`, "\"\u0001 \""},
		{`"\u0041"`, `"A"`},
	},
	"Collections": {
		{`()`, `()`},
		{`[]`, `[]`},
		{`{}`, `{}`},
		{`#{}`, `#{}`},
		{`(a (b [c {:d #{e}}]))`, `(a (b [c {:d #{e}}]))`},
		{"[a\r\nb\rc,d]", `[a b c d]`},
		{`{1 2 1.0 3}`, `{1 2, 1.0 3}`},
		{`#{1 2 3 4 5 6 7 8 9 10}`, `#{7 1 4 6 3 2 9 5 10 8}`},
		{`{:a 1 :b 2 :c 3 :d 4 :e 5 :f 6 :g 7 :h 8 :i 9}`, `{:e 5, :g 7, :c 3, :h 8, :b 2, :d 4, :f 6, :i 9, :a 1}`},
		{`(1 . 2)`, `(1 . 2)`},
	},
	"FnLiterals": {
		{`#(+ %1 %2)`, `(fn* [p1__N# p2__N#] (+ p1__N# p2__N#))`},
		{`#(%)`, `(fn* [p1__N#] (p1__N#))`},
		{`#(foo %& %3)`, `(fn* [p1__N# p2__N# p3__N# & rest__N#] (foo rest__N# p3__N#))`},
		{`#(fn [x] %)`, `(fn* [p1__N#] (fn [x] p1__N#))`},
		{`#()`, `(fn* [] ())`},
		{`#(do %2)`, `(fn* [p1__N# p2__N#] (do p2__N#))`},
	},
	"Discard": {
		{`[1 #_2 3 #_#_4 5 6 #_(a #_b)]`, `[1 3 6]`},
		{`{:a #_1 2}`, `{:a 2}`},
		{`'#_a b`, `(quote b)`},
		{`#_a b`, `b`},
		{`#_#_a b c`, `c`},
		{"#!foo\n1", `1`},
		{";c\n2", `2`},
	},
	"Metadata": {
		{`^:a b`, `^{:a true} b`},
		{`^{:a 1} ^{:a 2 :b 3} b`, `^{:a 1, :b 3} b`},
		{`^String x`, `^String x`},
		{`^"S" x`, `^"S" x`},
		{`#^:a b`, `^{:a true} b`},
		{`^:a ^:b []`, `^{:b true, :a true} []`},
		{`^{:a 1} (x)`, `^{:a 1} (x)`},
		{`#^{:a 1}b`, `^{:a 1} b`},
		{`^:a^:b c`, `^{:b true, :a true} c`},
	},
	"NamespacedMaps": {
		{`#:a{:b 1 c 2 :d/e 3 :_/f 4}`, `{:a/b 1, a/c 2, :d/e 3, :f 4}`},
		{`#::{:b 1}`, `#:user{:b 1}`},
		{`#::str{:a 1}`, `#:clojure.string{:a 1}`},
		{`#:a {:b 1}`, `#:a{:b 1}`},
		{`#::{:_/a 1}`, `{:a 1}`},
	},
	"Tags": {
		{`#inst "2020"`, `#inst "2020-01-01T00:00:00.000-00:00"`},
		{`#inst "2020-01-02T03:04:05.678+01:00"`, `#inst "2020-01-02T02:04:05.678-00:00"`},
		{`#uuid "1-2-3-4-5"`, `#uuid "00000001-0002-0003-0004-000000000005"`},
		{`#uuid "00000000-0000-0000-0000-000000000001"`, `#uuid "00000000-0000-0000-0000-000000000001"`},
	},
	"Conditionals": {
		{`#?(:ptc 1 :clj 2)`, `1`},
		{`#?(:cljs 1 :default 2)`, `2`},
		{`[#?@(:cljs [1] :default (2 3)) 4]`, `[2 3 4]`},
		{`[#?(:clj #_ 1 2)]`, `[2]`},
		{`#?(:clj 1 :cljs)`, `1`},
		{`#?(:clj 1)`, `1`},
		{`(1 #?@(:clj [2 3]))`, `(1 2 3)`},
		{`(#?(:cljs #foo 1 :clj 2))`, `(2)`},
		{`'#?@(:clj [1 2])`, `(quote 1)`},
		{`(quote #?@(:clj [1 2]))`, `(quote 1 2)`},
		{`#_ #?@(:clj [1 2]) 3`, `3`},
		{`#?(:default 1 :clj 2)`, `1`},
		{`#?(:clj 1 :clj 2)`, `1`},
		{`(1 #?() 2)`, `(1 2)`},
	},
}

func TestRead(t *testing.T) {
	for name, cases := range readings {
		t.Run(name, func(t *testing.T) {
			for _, c := range cases {
				if got := readOne(t, c.source, aliased); got != c.want {
					t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
				}
			}
		})
	}
}

// differing holds the readings that differ from JVM Clojure on purpose.
var differing = []reading{
	{`#"a\"b"`, `(%regex "a\\\"b")`}, // the compiler makes the pattern
	{"`#\"x\"", `(%regex "x")`},
	{"\ufeffa", `a`}, // a byte order mark is skipped
	{`\😀`, `\😀`},     // a character is a code point, not a UTF-16 unit
	{`#?(:cljs 1)`, `nothing`},
}

func TestReadOtherwise(t *testing.T) {
	for _, c := range differing {
		if got := readOne(t, c.source, aliased); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
		}
	}
}

// ednReadings holds sources that clojure.edn/read-string reads differently from the Clojure reader.
var ednReadings = []reading{
	{`'a`, `'a`},
	{`a'b`, `a'b`},
	{`%1`, `%1`},
	{`a%`, `a%`},
	{`^:a b`, `^{:a true} b`},
	{`#:a{:b 1}`, `#:a{:b 1}`},
	{`#_a b`, `b`},
	{`#foo {:a 1}`, `#foo {:a 1}`},
	{`#my.ns/foo [1]`, `#my.ns/foo [1]`},
	{`#inst "2020"`, `#inst "2020-01-01T00:00:00.000-00:00"`},
	{`##Inf`, `##Inf`},
}

func TestReadEdn(t *testing.T) {
	for _, c := range ednReadings {
		if got := readOne(t, c.source, Options{Edn: true}); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
		}
	}
	for _, source := range []string{"@a", "`a", "~a", "a@b", "::a", "#'a", "#(a)", `#"a"`, "#?(:clj 1)", "#=(+ 1 2)", "#!x", "#::{:a 1}"} {
		if got := readOne(t, source, Options{Edn: true}); !strings.Contains(got, "syntax-error") {
			t.Errorf("%s: got %s, want an error", source, got)
		}
	}
}

func TestTags(t *testing.T) {
	opts := Options{Tags: func(t *value.Task, tag, form value.Value) (value.Value, bool) {
		if tag.AsSymbol().Name == "twice" {
			return t.Vector(form, form), true
		}
		return value.Nil, false
	}}
	for _, c := range []reading{
		{`#twice a`, `[a a]`},
		{`#my/twice #twice 1`, `[[1 1] [1 1]]`},
		{`#uuid "1-1-1-1-1"`, `#uuid "00000001-0001-0001-0001-000000000001"`},
		{`#other a`, `test:1:1: syntax-error: unknown tag #other`},
	} {
		for _, opts.Edn = range []bool{false, true} {
			if got := readOne(t, c.source, opts); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
			}
		}
	}
}

func TestFeatures(t *testing.T) {
	const source = "#?(:ptc 1 :bb 2 :default 3)"
	for _, c := range []struct {
		features []string
		want     string
	}{{nil, "1"}, {[]string{"bb"}, "2"}, {[]string{}, "3"}} {
		if got := readOne(t, source, Options{Features: c.features}); got != c.want {
			t.Errorf("%v: got %s, want %s", c.features, got, c.want)
		}
	}
}

func TestParseGivesAllForms(t *testing.T) {
	for _, c := range []struct {
		source string
		want   []string
	}{
		{"", nil},
		{" ,\n; only a comment", nil},
		{"#!/usr/bin/env ptc\n(a)\r\n b #_c :d", []string{"(a)", "b", ":d"}},
		{"#?(:cljs a) 'b", []string{"(quote b)"}},
		{"'#?@(:clj [a b]) c", []string{"(quote a)", "c"}}, // as LispReader, which drops b
	} {
		task := newTask()
		forms, err := Parse(task, token.NewFile("test", c.source), Options{})
		if err != nil {
			t.Errorf("%q: %v", c.source, err)
			continue
		}
		var got []string
		for _, f := range forms {
			got = append(got, pr(task, f))
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%q: got %q, want %q", c.source, got, c.want)
		}
	}
}

func TestParseOne(t *testing.T) {
	const source = "\ufeff(a [b])) ; c\n 1\"d\"e #_f  "
	file := token.NewFile("test", source)
	task := newTask()
	off := 0
	for _, c := range []struct{ want, left string }{
		{"(a [b])", ") ; c\n 1\"d\"e #_f  "},
		{"1", "\"d\"e #_f  "},
		{"\"d\"", "e #_f  "},
		{"e", " #_f  "},
	} {
		form, next, eof, err := ParseOne(task, file, off, Options{})
		if err != nil || eof || pr(task, form) != c.want || source[next:] != c.left {
			t.Fatalf("at %d: got %s, %q, %v, %v, want %s, %q", off, pr(task, form), source[next:], eof, err, c.want, c.left)
		}
		if off = next; c.want == "(a [b])" {
			off++ // after the superfluous bracket, which no form has consumed
		}
	}
	if _, next, eof, err := ParseOne(task, file, off, Options{}); !eof || err != nil || next != len(source) {
		t.Errorf("at the end: got %d, %v, %v", next, eof, err)
	}
}

func TestPositions(t *testing.T) {
	const source = "(a\n 'b #(c %) [d] `(e ~f) ^:g h ())"
	set := &token.FileSet{}
	set.Add("other", "12345")
	file := set.Add("test", source)
	forms, err := Parse(newTask(), file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	var walk func(v value.Value)
	walk = func(v value.Value) {
		switch {
		case v.IsSymbol() && v.AsSymbol().Pos != 0:
			seen[v.AsSymbol().Name] = source[file.Offset(v.AsSymbol().Pos):][:1]
		case v.Is(value.Vectors):
			for i := range value.VecCount(v) {
				walk(value.VecAt(v, i))
			}
		case v.Kind() == value.KindList && v.AsCons().Count > 0:
			if c := source[file.Offset(v.AsCons().Pos):][0]; !strings.ContainsRune("('#`~", rune(c)) {
				t.Errorf("a list has its place at %q", c)
			}
			for c := v; !c.IsNil(); c = value.Of(c.AsCons().Rest) {
				walk(c.AsCons().First)
			}
		}
	}
	walk(forms[0])
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "h"} {
		if seen[name] != name {
			t.Errorf("the symbol %s has its place at %q", name, seen[name])
		}
	}
	if got := source[file.Offset(forms[0].AsCons().Pos):][:2]; got != "(a" {
		t.Errorf("the first list has its place at %q", got)
	}
}

// TestDefinition checks that the lexer works with any grammar of the library.
func TestDefinition(t *testing.T) {
	tokens, err := newReader().kit.grammar.Lex("test", strings.NewReader("(a ;c\n :b '1 \"c\")) #{"))
	if err != nil {
		t.Fatal(err)
	}
	names := lexer.SymbolsByRune(definition{})
	var got []string
	for _, tok := range tokens {
		got = append(got, names[tok.Type]+" "+tok.Value)
	}
	const want = `List (|Symbol a|Keyword :b|Quote '|Number 1|String "c"|Close ))|Set #{|EOF `
	if text := strings.Join(got, "|"); text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}
