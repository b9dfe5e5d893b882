package parser

import (
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/limits"
)

func TestTokens(t *testing.T) {
	const source = "(defn ^:private f ; why\n  [x] #_y, {:a #\"\\d;\" \\( \"a;b\"})\n#?(:clj ~@x) #:n{:a 1}#(+ % 1)"
	const want = "Open ( | Atom defn | Prefix ^ | Atom :private | Atom f | Open [ | Atom x | Close ] | " +
		"Prefix #_ | Atom y | Open { | Atom :a | Atom #\"\\d;\" | Atom \\( | Atom \"a;b\" | Close } | Close ) | " +
		"Prefix #? | Open ( | Atom :clj | Prefix ~@ | Atom x | Close ) | " +
		"Prefix #:n | Open { | Atom :a | Atom 1 | Close } | Open #( | Atom + | Atom % | Atom 1 | Close )"
	tokens, err := Tokens(token.NewFile("t", source), limits.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{Atom: "Atom", Open: "Open", Close: "Close", Prefix: "Prefix"}
	var got []string
	for _, tok := range tokens {
		got = append(got, names[tok.Kind]+" "+source[tok.Start:tok.End])
	}
	if text := strings.Join(got, " | "); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// TestTokensTakes holds sources with errors that depend on values, which Tokens does not check.
func TestTokensTakes(t *testing.T) {
	for _, source := range []string{
		"::s/k", "#::s{:a 1}", "#my/tag [1]", "{:a 1 :a 2}", "#{1 1}", "{#?@(:clj [1 2])}", "{#?(:cljs 1) :a 1}", "^1 x",
		"{:a #_b 1}", "{^:m a 'b}", "{#?(:clj :a) 1 :b}",
	} {
		if _, err := Tokens(token.NewFile("t", source), limits.Limits{}); err != nil {
			t.Errorf("%s: %v", source, err)
		}
	}
}

func TestTokensErrors(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"(", `"(" opened at 1:1 is not closed`},
		{")", `unmatched ")"`},
		{"(]", `"]" does not match "("`},
		{"(a '", "needs a form after it"},
		{"(')", `got ")"`},
		{`"a`, "closing quote is missing"},
		{`"\q"`, "bad escape"},
		{"1x", "invalid number 1x"},
		{"a/", "a name is missing"},
		{":", "its name is missing"},
		{`\foo`, "unknown character"},
		{"##Foo", "unknown symbolic value"},
		{"{:a}", "a map needs pairs"},
		{"#?[]", `a reader conditional needs (`},
		{"#?", "unexpected end of the source after #?"},
		{"#:a[]", "a namespaced map needs {"},
		{"#:1{}", "must name a namespace"},
		{"#(#(a))", "nested #()"},
		{"“a”", "odd character"},
		{"; \xff", "not UTF-8"},
		{"^a", "needs a form after it"},
	} {
		_, err := Tokens(token.NewFile("t", c.source), limits.Limits{})
		if err == nil || !strings.Contains(err.Message, c.want) {
			t.Errorf("%s: got %v, want %s", c.source, err, c.want)
		}
	}
}

// TestTokensBounds tests the largest source within each bound and the smallest beyond it.
func TestTokensBounds(t *testing.T) {
	for _, c := range []struct {
		source string
		code   diag.Code
	}{
		{strings.Repeat("(", 10) + strings.Repeat(")", 10), ""},
		{strings.Repeat("(", 11), diag.NestingTooDeep},
		{strings.Repeat("'", 10) + "a", ""},
		{strings.Repeat("'", 11), diag.NestingTooDeep},
		{strings.Repeat("a ", 50), ""},
		{strings.Repeat("a ", 50) + "a", diag.SourceTooLarge},
	} {
		_, err := Tokens(token.NewFile("t", c.source), limits.Limits{Nesting: 10, SourceBytes: 100})
		if err == nil && c.code != "" || err != nil && err.Code != c.code {
			t.Errorf("%.20s: got %v, want the code %q", c.source, err, c.code)
		}
	}
}

// TestBatchSizes checks that a reader begins with a short list of tokens and gets a full list for a
// longer source, whatever it read before.
func TestBatchSizes(t *testing.T) {
	r := newReader()
	defer readers.Put(r)
	if n := len(r.kit.batch); n != smallBatch+1 {
		t.Errorf("a new reader has room for %d tokens, want %d", n, smallBatch+1)
	}
	r.suit("1")
	if n := len(r.kit.batch); n != smallBatch+1 {
		t.Errorf("for one byte: room for %d tokens, want %d", n, smallBatch+1)
	}
	r.suit(strings.Repeat("1 ", 100))
	if n := len(r.kit.batch); n != batchTokens+1 {
		t.Errorf("for 200 bytes: room for %d tokens, want %d", n, batchTokens+1)
	}
}
