package format

import (
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
)

// indents are the columns of the forms of (name a / b / c), where a certain number of forms is on the first
// line and each further form begins a new line, with the names that are laid out so.
var indents = []struct {
	in     entry.Indent
	names  string
	source string // after the name
	want   string
}{
	{entry.IndentCall, "map str deref with-meta some-function", " a\nb)", " a\n~b)\n"},
	{entry.IndentBody, "fn defn def defmethod deftest with-redefs-fn with-bindings defthing with-thing", " a\nb\nc)", " a\n  b\n  c)\n"},
	{entry.IndentBlock0, "do try cond comment lazy-seq finally delay", "\na\nb)", "\n  a\n  b)\n"},
	{entry.IndentBlock0, "do try finally", " a\nb)", " a\n~b)\n"},
	{entry.IndentBlock1, "when let if loop doseq for case ns testing struct-map while", " a\nb\nc)", " a\n  b\n  c)\n"},
	{entry.IndentBlock1, "when let if", " a b\nc)", " a b\n~c)\n"},
	{entry.IndentBlock2, "catch as-> condp are", " a b\nc\nd)", " a b\n  c\n  d)\n"},
	{entry.IndentType, "defrecord defprotocol reify deftype", " a\n[b]\n(c [d]\ne))", " a\n  [b]\n  (c [d]\n    e))\n"},
	{entry.IndentExtend, "extend-type extend-protocol", " a\nb\n(c [d]\ne))", " a\n  b\n  (c [d]\n    e))\n"},
	{entry.IndentProxy, "proxy", " [a] []\n(c [d]\ne))", " [a] []\n  (c [d]\n    e))\n"},
	{entry.IndentLocalFn, "letfn", " [(f [a]\nb)]\n(c d\ne))", " [(f [a]\n          b)]\n  (c d\n     e))\n"},
}

// TestIndents holds each layout to names that have it.
func TestIndents(t *testing.T) {
	covered := make(map[entry.Indent]bool)
	for _, c := range indents {
		covered[c.in] = true
		for _, name := range strings.Fields(c.names) {
			want := "(" + name + strings.ReplaceAll(c.want, "~", strings.Repeat(" ", len(name)+2))
			if got := formatted(t, name, "("+name+c.source); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			if e := builtins.Named(name); e != nil && e.Indent != c.in {
				t.Errorf("%s is indented as %d, want %d", name, e.Indent, c.in)
			}
		}
	}
	for in := range rules {
		if !covered[entry.Indent(in)] {
			t.Errorf("layout %d has no case", in)
		}
	}
}

// TestRuleOf: a namespace is omitted, names of the library are not guessed at, and others are by how they begin.
func TestRuleOf(t *testing.T) {
	for symbol, want := range map[string]entry.Indent{
		"t/testing": entry.IndentBlock1, "clojure.core/when": entry.IndentBlock1, "/": entry.IndentCall, "a/": entry.IndentCall,
		"with-meta": entry.IndentCall, "with-anything": entry.IndentBody, "defanything": entry.IndentBody, "default-x": entry.IndentCall,
		"deflate": entry.IndentCall, "defer": entry.IndentCall, "def": entry.IndentBody, "definitely": entry.IndentBody, "map": entry.IndentCall,
	} {
		if got := ruleOf(symbol); got != rules[want] {
			t.Errorf("%s: %+v, want %+v", symbol, got, rules[want])
		}
	}
}
