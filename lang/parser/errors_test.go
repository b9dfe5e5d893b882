package parser

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
)

// failures are sources with an error: the part of the source that the error shows, its message, a
// part of its hint, and the text missing at the end, if more text could complete the source.
var failures = []struct{ source, shown, message, hint, expected string }{
	// Brackets.
	{"(a", "(", `unexpected end of the source: "(" opened at 1:1 is not closed`, "missing at the end: )", ")"},
	{"(a {:b [c", "[", `unexpected end of the source: "[" opened at 1:8 is not closed`, "missing at the end: ]})", "]"},
	{"(a #(b #{c", "#{", `unexpected end of the source: "#{" opened at 1:8 is not closed`, "missing at the end: }))", "}"},
	{"(defn f [x]\n  (g x)\n\n(defn h [y] y)\n", "(", `unexpected end of the source: "(" opened at 1:1 is not closed`,
		"the form at 4:1 begins a line while the one at 1:1 is still open", ")"},
	{"(a)\n(b\n(c)\n(d\n", "(", `unexpected end of the source: "(" opened at 4:1 is not closed`, "the form at 3:1 begins a line while the one at 2:1 is still open", ")"},
	{"[a)", ")", `")" does not match "[", opened at 1:1`, `write "]" here, or close the "[" first`, ""},
	{"(f\n  {:a 1)", ")", `")" does not match "{", opened at 2:3`, `put the missing "}" before it; then it closes the "(" at 1:1`, ""},
	{"(a))", ")", `unmatched ")": no bracket is open here`, "remove it", ""},
	{"a]})", "]", `unmatched "]": no bracket is open here`, "remove it", ""},
	{"#:a{:b", "#:a{", `unexpected end of the source: "#:a{" opened at 1:1 is not closed`, "}", "}"},
	{"#?(:clj", "#?(", `unexpected end of the source: "#?(" opened at 1:1 is not closed`, ")", ")"},

	// Prefixes.
	{"'", "'", "unexpected end of the source: ' at 1:1 needs a form after it", "", "form"},
	{"(a\n @", "@", "unexpected end of the source: @ at 2:2 needs a form after it", "", "form"},
	{"^:a", "^", "unexpected end of the source: ^ at 1:1 needs a form after it", "", "form"},
	{"#foo", "#foo", "unexpected end of the source: #foo at 1:1 needs a form after it", "", "form"},
	{"#_ ;c", "#_", "unexpected end of the source: #_ at 1:1 needs a form after it", "", "form"},
	{"(a ')", "')", `' needs a form after it, got ")"`, "add the form, or remove '", ""},
	{"(a #_)", "#_)", `#_ needs a form after it, got ")"`, "remove #_", ""},
	{"^1 a", "1", "metadata must be a keyword, a symbol, a string or a map, got 1", "^{:key value}", ""},
	{"^:a 1", "1", "metadata can be put on symbols and collections only, got 1", "", ""},
	{"`~@a", "`~@a", "~@ stands alone in a syntax-quote: there is nothing to splice into", "`(~@forms)", ""},

	// Strings and characters.
	{`(a "b c)`, `"`, "unexpected end of the source in a string: its closing quote is missing", `\"`, `"`},
	{"(a \"b\nc)", `"`, "unexpected end of the source in a string: its closing quote is missing; it begins at 1:4", "", `"`},
	{`"a\"`, `"`, "unexpected end of the source in a string: its closing quote is missing", "", `"`},
	{`"a\`, `"`, "unexpected end of the source in a string: its closing quote is missing", "", `"`},
	{`#"a\"`, `#"`, "unexpected end of the source in a regex: its closing quote is missing", "", `"`},
	{`"a\d"`, `\d`, `bad escape in a string: \d`, `write \\ for a backslash`, ""},
	{`"\é"`, `\é`, `bad escape in a string: \é`, "", ""},
	{`"\u12g4"`, `\u12g4`, `bad escape in a string: \u takes exactly 4 hexadecimal digits`, "", ""},
	{`"\u1"`, `\u1`, `bad escape in a string: \u takes exactly 4 hexadecimal digits`, "", ""},
	{`"\ud800"`, `\ud800`, `bad escape in a string: \ud800 is half of a surrogate pair`, "", ""},
	{`"\ud800A"`, `\ud800`, `bad escape in a string: \ud800 is half of a surrogate pair`, "", ""},
	{`"\400"`, `\400`, `bad escape in a string: an octal escape has 3 digits, at most \377`, "", ""},
	{`"\0a"`, `\0a`, `bad escape in a string: an octal escape has 3 digits, at most \377`, "", ""},
	{`"\8"`, `\8`, `bad escape in a string: \8`, "", ""},
	{`\foo`, `\foo`, `unknown character \foo`, "newline", ""},
	{`\(a`, `\(a`, `unknown character \(a`, "", ""},
	{`\u12`, `\u12`, `bad character \u12: \u takes exactly 4 hexadecimal digits`, "", ""},
	{`\ud800`, `\ud800`, `bad character \ud800: it is half of a surrogate pair`, "", ""},
	{`\o400`, `\o400`, `bad character \o400: \o takes 1 to 3 octal digits, at most 377`, "", ""},
	{`\o8`, `\o8`, `bad character \o8: \o takes 1 to 3 octal digits, at most 377`, "", ""},
	{`\o7777777777777`, `\o7777777777777`, `bad character \o7777777777777: \o takes 1 to 3 octal digits, at most 377`, "", ""},
	{`\`, `\`, `a character is missing after \`, `\space`, ""},

	// Numbers.
	{"12a", "12a", "invalid number 12a", "a symbol cannot begin with a digit", ""},
	{"1_000", "1_000", "invalid number 1_000", "without _", ""},
	{"089", "089", "invalid number 089", "octal", ""},
	{"-089", "-089", "invalid number -089", "octal", ""},
	{"37r1", "37r1", "invalid number 37r1: radix out of range: 37, want 2 to 36", "", ""},
	{"1/0", "1/0", "invalid number 1/0: divide by zero", "", ""},
	{"1.2.3", "1.2.3", "invalid number 1.2.3", "", ""},
	{"##Foo", "##Foo", "unknown symbolic value ##Foo", "##NaN", ""},

	// Names.
	{"a:", "a:", `invalid symbol "a:": it ends in a colon`, "write :a", ""},
	{"a/", "a/", `invalid symbol "a/": a name is missing after /`, "", ""},
	{"/a", "/a", `invalid symbol "/a": a namespace is missing before /`, "", ""},
	{"a/1", "a/1", `invalid symbol "a/1": neither a namespace nor the name after it can begin with a digit`, "", ""},
	{"a::b", "a::b", `invalid symbol "a::b": it has two colons in a row`, "", ""},
	{":", ":", `invalid keyword ":": its name is missing`, "", ""},
	{"::", "::", `invalid keyword "::": its name is missing`, "", ""},
	{":a/", ":a/", `invalid keyword ":a/": a name is missing after /`, "", ""},
	{"::st/a", "::st/a", "unknown namespace alias st in ::st/a", ":as st", ""},
	{"::clojure.string/a", "::clojure.string/a", "unknown namespace alias clojure.string in ::clojure.string/a", "its full name with one colon", ""},
	{"::stri/a", "::stri/a", "unknown namespace alias stri in ::stri/a", "did you mean str?", ""},
	{"#::st{:a 1}", "#::st", "unknown namespace alias st in #::st", "", ""},

	// Maps and sets.
	{"(a {:b})", "{:b}", "a map needs pairs of keys and values, but has 1 form; the last, :b, has no value", "", ""},
	{"{:a 1 (b\n c) #_2}", "{:a 1 (b\n c) #_2}", "a map needs pairs of keys and values, but has 3 forms; the last, (b…, has no value", "", ""},
	{"{:a 1\n :a 2}", ":a", "duplicate key :a, first at 1:2", "", ""},
	{"{(f) 1 (f) 2}", "(f)", "duplicate key (f), first at 1:2", "", ""},
	{"{1.0 1 1.0 2}", "1.0", "duplicate key 1.0, first at 1:2", "", ""},
	{"#{a \"b\" \"b\"}", `"b"`, `duplicate element "b", first at 1:5`, "", ""},
	{"#{1 2 3 4 5 6 7 8 9 10 3}", "3", "duplicate element 3, first at 1:7", "", ""},
	{"#:a{:b 1 :a/b 2}", ":a/b", "duplicate key :a/b, first at 1:5", "", ""},
	{"#:a[b]", "#:a[", "a namespaced map needs { after its namespace, got [", "#:name{", ""},
	{"#:a", "#:a", `unexpected end of the source after #:a, which needs "{"`, "", "{"},
	{"#:a/b{}", "#:a/b", "a namespaced map must name a namespace, got #:a/b", "", ""},
	{"#:{}", "#:", "a namespaced map must name a namespace, got #:", "", ""},

	// Tokens that begin with #.
	{"#(a #(b))", "#(", "nested #(): its % would mean two things", "(fn [x] …)", ""},
	{"#(a %21)", "%21", "bad parameter %21 in #()", "%1 to %20", ""},
	{"#(a %b)", "%b", "bad parameter %b in #()", "", ""},
	{"'#=(a)", "#=", "#= (evaluation while reading) is not supported in data", "write the expression itself", ""},
	{"#<a>", "#<", "unreadable form: #< is how an object without a literal is printed", "", ""},
	{"#", "#", "nothing follows #", "#{…}", ""},
	{"# a", "# ", `no form begins with "# "`, "", ""},
	{"#1", "#1", `no form begins with "#1"`, "", ""},
	{"#foo 1", "#foo", "unknown tag #foo", "#inst and #uuid", ""},
	{`#a.B "x"`, "#a.B", "unknown tag #a.B", "a record literal takes a map or a vector", ""},
	{"#inst 1", "1", "#inst takes a string, got 1", "", ""},
	{`#inst "2020-13"`, `"2020-13"`, "#inst: month is 13, want 1 to 12", "", ""},
	{`#uuid "x"`, `"x"`, `#uuid: got "x", want a UUID like 123e4567-e89b-12d3-a456-426614174000`, "", ""},
	{"#?[:clj 1]", "#?[", "a reader conditional needs ( after #?, got [", "", ""},
	{"#?", "#?", `unexpected end of the source after #?, which needs "("`, "", "("},
	{"#?(:clj)", "#?(:clj)", "a reader conditional needs a form after each feature", "", ""},
	{"#?(1 2)", "1", "a feature is a keyword, got 1", "", ""},
	{"#?(:else 1)", ":else", "the feature :else is reserved", ":default", ""},
	{"#?@(:clj [1])", "#?@(:clj [1])", "#?@ cannot be used at the top level: there is nothing to splice into", "", ""},
	{"(#?@(:clj {a b}))", "{a b}", "#?@ splices a vector or a list, got {a b}", "", ""},

	// Invalid bytes and characters.
	{"(a \xff)", "\xff", "the source is not UTF-8: a byte 0xff here", "save the file as UTF-8", ""},
	{"\"a\xc3\"", "\xc3", "the source is not UTF-8: a byte 0xc3 here", "", ""},
	{"a ; \x80\n", "\x80", "the source is not UTF-8: a byte 0x80 here", "", ""},
	{"#! \x80\n", "\x80", "the source is not UTF-8: a byte 0x80 here", "", ""},
	{"\\\x80", "\x80", "the source is not UTF-8: a byte 0x80 here", "", ""},
	{"a\xed\xa0\x80", "\xed", "the source is not UTF-8: a byte 0xed here", "", ""},
	{"(a\x00)", "\x00", "odd character: U+0000, which is invisible", "remove it", ""},
	{"a\u200bb", "\u200b", "odd character: U+200B, which is invisible", "", ""},
	{"(a\u00a0b)", "\u00a0", "odd character: no-break space (U+00A0)", "write a space", ""},
	{"(say “hi”)", "“", "odd character '“' (U+201C)", `write "`, ""},
	{"（a）", "（", "odd character '（' (U+FF08)", "write (", ""},
}

func TestErrors(t *testing.T) {
	for _, c := range failures {
		file := token.NewFile("test", c.source)
		_, err := Parse(newTask(), file, aliased)
		if err == nil {
			t.Errorf("%q: got no error", c.source)
			continue
		}
		if shown := c.source[err.Span.Start:err.Span.End]; shown != c.shown || err.Span.File != file {
			t.Errorf("%q: the error shows %q, want %q", c.source, shown, c.shown)
		}
		if err.Code != diag.SyntaxError || err.Message != c.message || !strings.Contains(err.Hint, c.hint) {
			t.Errorf("%q:\n got %s: %s (%s)\nwant %s (… %s)", c.source, err.Code, err.Message, err.Hint, c.message, c.hint)
		}
		expected := ""
		if incomplete(err) {
			expected = err.Data.(Unclosed).Expected
		}
		if expected != c.expected {
			t.Errorf("%q: %q would complete it, want %q", c.source, expected, c.expected)
		}
	}
}

// TestErrorComesWhenItIsRead checks that ParseOne returns the forms before an error and does not
// look beyond its form.
func TestErrorComesWhenItIsRead(t *testing.T) {
	for _, bad := range []string{`"`, ")", "\xff", "#", "12a", "[}"} {
		file := token.NewFile("test", "(a) b "+bad)
		off := 0
		for _, want := range []string{"(a)", "b"} {
			task := newTask()
			form, next, eof, err := ParseOne(task, file, off, Options{})
			if err != nil || eof || pr(task, form) != want {
				t.Fatalf("before %q: got %v, %v, %v", bad, form, eof, err)
			}
			off = next
		}
		if _, _, _, err := ParseOne(newTask(), file, off, Options{}); err == nil {
			t.Errorf("%q: got no error", bad)
		}
	}
}

func TestUnclosedInJSON(t *testing.T) {
	_, err := Parse(newTask(), token.NewFile("test", "(a\n  [b"), Options{})
	got, jsonErr := json.Marshal(err)
	if want := `"data":{"expected":"]","line":2,"column":3}`; jsonErr != nil || !strings.Contains(string(got), want) {
		t.Errorf("got %s, %v, want %s in it", got, jsonErr, want)
	}
}

func TestIncompleteOfNoError(t *testing.T) {
	if incomplete(nil) {
		t.Error("got true")
	}
}
