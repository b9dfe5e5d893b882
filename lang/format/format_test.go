package format

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
)

// formatted formats a source, and checks that a second time changes nothing.
func formatted(t *testing.T, name, source string) string {
	t.Helper()
	text, err := Format(name, source)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, source)
	}
	again, err := Format(name, text)
	if err != nil {
		t.Fatalf("%s, again: %v", name, err)
	}
	if again != text {
		t.Errorf("formatting again changes the text\nfirst:\n%s\nagain:\n%s", text, again)
	}
	return text
}

// TestLayout checks texts with their formatted form. Most of the formatted forms equal those of cljfmt.
func TestLayout(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"nothing", "", ""},
		{"only blanks", " \n\t\n ", ""},
		{"final newline", "a", "a\n"},
		{"blank lines", "\n\n(a)\n\n\n\n(b)\n(c)\n\n", "(a)\n\n(b)\n(c)\n"},
		{"line ends", "(a\r\n b)\r\n\r\n\r\n(c)\r(d)", "(a\n b)\n\n(c)\n(d)\n"},
		{"blanks", "( a   b\t[ 1  2 ] )", "(a b [1 2])\n"},
		{"missing blanks", `(a(b)"c"[d]{:e f}#{g}\h[i]@j)`, `(a (b) "c" [d] {:e f} #{g} \h [i] @j)` + "\n"},
		{"closing brackets", "(a\n  (b\n  )\n)", "(a\n (b))\n"},
		{"opening brackets", "(\n\n  a\n  b)", "(a\n b)\n"},
		{"byte order mark", "\ufeff(a)", "(a)\n"},

		{"call", "(foo a\nb\n  c)", "(foo a\n     b\n     c)\n"},
		{"call, first argument below", "(foo\na\nb)", "(foo\n a\n b)\n"},
		{"keyword call", "(:k m\nd)", "(:k m\n    d)\n"},
		{"list call", "((f g) a\nb)", "((f g) a\n       b)\n"},
		{"data list", "'(1 2\n3 4)", "'(1 2\n  3 4)\n"},
		{"signs", "(+ a\nb)\n(- a\nb)\n'(-1 a\nb)", "(+ a\n   b)\n(- a\n   b)\n'(-1 a\n  b)\n"},
		{"collections", "[a\nb]\n{:a 1\n:b 2}\n#{a\nb}", "[a\n b]\n{:a 1\n :b 2}\n#{a\n  b}\n"},
		{"after a long string", "(f \"a\nbc\" d\ne)", "(f \"a\nbc\" d\n   e)\n"},

		{"defn", "(defn f\n\"Doc.\"\n[x]\n(g x))", "(defn f\n  \"Doc.\"\n  [x]\n  (g x))\n"},
		{"arities", "(defn f\n([] 1)\n([x]\nx))", "(defn f\n  ([] 1)\n  ([x]\n   x))\n"},
		{"fn", "(fn [x]\nx)\n(fn f [x] a\nx)", "(fn [x]\n  x)\n(fn f [x] a\n  x)\n"},
		{"let", "(let [a 1\nb 2]\na\nb)", "(let [a 1\n      b 2]\n  a\n  b)\n"},
		{"let, bindings below", "(let\n[a 1]\na)", "(let\n [a 1]\n  a)\n"},
		{"body on the first line", "(when a b\nc)", "(when a b\n      c)\n"},
		{"if", "(if a\nb\nc)\n(if a b\nc)", "(if a\n  b\n  c)\n(if a b\n    c)\n"},
		{"cond", "(cond\na b\n:else c)\n(cond a b\nc d)", "(cond\n  a b\n  :else c)\n(cond a b\n      c d)\n"},
		{"case", "(case x\n1 :a\n:b)", "(case x\n  1 :a\n  :b)\n"},
		{"condp", "(condp = x\n1 :a)", "(condp = x\n  1 :a)\n"},
		{"threading", "(-> a\nb\nc)\n(cond-> a\nb c)\n(as-> a x\nb)", "(-> a\n    b\n    c)\n(cond-> a\n  b c)\n(as-> a x\n  b)\n"},
		{"try", "(try\na\n(catch Exception e\nb)\n(finally\nc))", "(try\n  a\n  (catch Exception e\n    b)\n  (finally\n    c))\n"},
		{"loops", "(loop [a 1]\n(recur 2))\n(doseq [a b]\nc)\n(for [a b\n:when c]\nd)", "(loop [a 1]\n  (recur 2))\n(doseq [a b]\n  c)\n(for [a b\n      :when c]\n  d)\n"},
		{"ns", "(ns a\n(:require [b]\n[c]))", "(ns a\n  (:require [b]\n            [c]))\n"},
		{"record", "(defrecord A\n[x]\nP\n(m [_]\nx))", "(defrecord A\n  [x]\n  P\n  (m [_]\n    x))\n"},
		{"protocol", "(defprotocol P\n(m [x]\n\"Doc.\"))", "(defprotocol P\n  (m [x]\n    \"Doc.\"))\n"},
		{"extend", "(extend-type A\nP\n(m [x]\ny))", "(extend-type A\n  P\n  (m [x]\n    y))\n"},
		{"letfn", "(letfn [(f [x]\ny)\n(g [x]\ny)]\n(f 1))", "(letfn [(f [x]\n          y)\n        (g [x]\n          y)]\n  (f 1))\n"},
		{"tests", "(deftest a\n(testing \"b\"\n(is (= 1\n2))\n(are [x] (= x\n1)\n2)))", "(deftest a\n  (testing \"b\"\n    (is (= 1\n           2))\n    (are [x] (= x\n                1)\n      2)))\n"},
		{"own names", "(defthing a\nb)\n(with-thing a\nb)\n(default a\nb)\n(with-meta a\nb)", "(defthing a\n  b)\n(with-thing a\n  b)\n(default a\n         b)\n(with-meta a\n           b)\n"},
		{"namespaces", "(clojure.core/let [a 1]\na)\n(/ a\nb)", "(clojure.core/let [a 1]\n  a)\n(/ a\n   b)\n"},
		{"lazy-seq", "(lazy-seq\na)", "(lazy-seq\n  a)\n"},
		{"function literal", "#(let [a %]\na)\n#(f a\nb)\n#(\na\nb)", "#(let [a %]\n   a)\n#(f a\n    b)\n#(a\n  b)\n"},

		{"quote", "' a ` b ~ c ~@ d @ e #' f", "'a `b ~c ~@d @e #'f\n"},
		{"unquote a deref", "(~ @a ~@b)", "(~ @a ~@b)\n"},
		{"metadata", "(def ^ :private^{:a 1}x 1)\n^a\n[b]", "(def ^:private ^{:a 1} x 1)\n^a\n[b]\n"},
		{"metadata above a name", "(defn ^:private\nf [x]\ny)", "(defn ^:private\n  f [x]\n  y)\n"},
		{"discard", "(a #_b #_ c\nd)\n(foo #_x\ny\nz)", "(a #_b #_ c\n d)\n(foo #_x\n y\n z)\n"},
		{"discard counts nothing", "(let #_a [b c]\nd)", "(let #_a [b c]\n  d)\n"},
		{"discards", "(a #_ #_b c d\ne)", "(a #_ #_b c d\n            e)\n"},
		{"tags", `(a #inst"2020" #foo[1])`, `(a #inst "2020" #foo [1])` + "\n"},
		{"reader conditionals", "#? (:clj a\n:cljs b)\n[#?@ (:clj [a\nb])]", "#?(:clj a\n   :cljs b)\n[#?@(:clj [a\n           b])]\n"},
		{"map with a namespace", "#:a {:b 1\n:c 2}", "#:a{:b 1\n    :c 2}\n"},
		{"numbers", "(a ##Inf ## NaN 2r101 1/2 1.5M)", "(a ##Inf ## NaN 2r101 1/2 1.5M)\n"},
		{"characters", `(a \( \; \space \, \" b)`, `(a \( \; \space \, \" b)` + "\n"},
		{"regex", `(a #"(;\"" b)`, `(a #"(;\"" b)` + "\n"},
		{"strings stay", "(a \"x  \n\n\n  y\\\" ; \r\n\")", "(a \"x  \n\n\n  y\\\" ; \r\n\")\n"},

		{"commas", "{:a 1 ,:b 2,\n:c 3,}", "{:a 1, :b 2,\n :c 3}\n"},
		{"commas that show a place", "(->> a (map f ,,,) (g ,,, b))", "(->> a (map f ,,,) (g ,,, b))\n"},

		{"comments", ";; a  \n(b ;c\n  ;; d\ne)  ;;f", ";; a\n(b ;c\n ;; d\n e)  ;;f\n"},
		{"comment at the end", "(a\n b ; c\n)", "(a\n b ; c\n )\n"},
		{"comment at the start", "(;; a\nb)\n(\n;; a\nb)", "( ;; a\n b)\n(\n ;; a\n b)\n"},
		{"comment and blank lines", "; a\n\n\n\n; b\n(c\n; d\n\n\n; e\nf)", "; a\n\n; b\n(c\n ; d\n\n ; e\n f)\n"},
		{"comment in a prefix", "'; a\nb", "' ; a\nb\n"},
		{"shebang", "#!/usr/bin/env ptc\n(a)", "#!/usr/bin/env ptc\n(a)\n"},
		{"only a comment", ";", ";\n"},

		{"column", "{:a    1\n:bcd   2}", "{:a   1\n :bcd 2}\n"},
		{"no column", "{:a    1\n:bcd  2}", "{:a 1\n :bcd 2}\n"},
		{"column of a let", "(let [a   1\n      bcd 2]\n  a)", "(let [a   1\n      bcd 2]\n  a)\n"},
		{"column behind what grows", "{:a [f g]   1\n :b [f  h]   2}", "{:a [f g] 1\n :b [f h] 2}\n"},
		{"two columns", "[aaa 1    :x\n b   1000 :y]", "[aaa 1    :x\n b   1000 :y]\n"},
		{"table", "[[:a   1 x]\n [:bcd 2 y]]", "[[:a   1 x]\n [:bcd 2 y]]\n"},
		{"top-level table", "(def a   1)\n(def bcd 2)\n\n(def e   3)", "(def a   1)\n(def bcd 2)\n\n(def e 3)\n"},
		{"column behind a long form", "(cond\n  a     1\n  (f b\n     c) 2)", "(cond\n  a     1\n  (f b\n     c) 2)\n"},
		{"first argument stands in no column", "(f   a\n   (g   b\n     c))", "(f a\n   (g b\n      c))\n"},
		{"column in a conditional", "#?(:clj  a\n   :cljs b)", "#?(:clj  a\n   :cljs b)\n"},
		{"comments in no column", "(a ; x\n bcd  ; y\n e    ; z\n )", "(a ; x\n bcd  ; y\n e    ; z\n )\n"},
		{"comments stay in their column", "( a   ; x\n   bc ; y\n d)", "(a  ; x\n bc ; y\n d)\n"},
		{"comment that goes on", "(foo) ; a\n      ; b\n      ;; c\n(bar)", "(foo) ; a\n      ; b\n;; c\n(bar)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := formatted(t, c.name, c.source); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		source string
		code   diag.Code
		place  string
	}{
		{"(a\n  (b)", diag.SyntaxError, "p.ptc:1:1"},
		{"(a))", diag.SyntaxError, "p.ptc:1:4"},
		{"(a]", diag.SyntaxError, "p.ptc:1:3"},
		{`(a "b)`, diag.SyntaxError, "p.ptc:1:4"},
		{"{:a}", diag.SyntaxError, "p.ptc:1:1"},
		{"08", diag.SyntaxError, "p.ptc:1:1"},
		{strings.Repeat("[", 100_000), diag.NestingTooDeep, "p.ptc:1:513"},
		{strings.Repeat("a ", 1<<20), diag.SourceTooLarge, "p.ptc:1:1"},
		{"(" + strings.Repeat("a", 1<<19) + " b\nc\nd)", diag.SourceTooLarge, "-"},
	} {
		text, err := Format("p.ptc", c.source)
		if err == nil || err.Code != c.code || err.Span.String() != c.place {
			t.Errorf("%.20s: got %v, want %s at %s", c.source, err, c.code, c.place)
		}
		if text != "" {
			t.Errorf("%.20s: got a text beside the error", c.source)
		}
	}
}

// TestManyColumns has more columns than the walks can settle.
func TestManyColumns(t *testing.T) {
	var b strings.Builder
	b.WriteByte('[')
	for _, cell := range []string{"a   ", "bb  "} {
		b.WriteString(strings.Repeat(cell, 2*maxWalks) + "\n")
	}
	b.WriteByte(']')
	if got := formatted(t, "columns", b.String()); strings.Contains(got, "  ") {
		t.Error("the columns are kept")
	}
}

// sources returns the programs of the repository that can be read.
func sources(tb testing.TB) map[string]string {
	all := make(map[string]string)
	for _, top := range []string{"../../examples", "../../spec", "../../bench", "../builtins"} {
		err := filepath.WalkDir(top, func(path string, _ os.DirEntry, err error) error {
			if ext := filepath.Ext(path); err != nil || ext != ".ptc" && ext != ".clj" {
				return err
			}
			text, err := os.ReadFile(path)
			if !strings.Contains(string(text), ";! syntax-error") { // these are not to be read
				all[path] = string(text)
			}
			return err
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	if len(all) < 100 {
		tb.Fatalf("%d programs found, want those of examples/ and spec/", len(all))
	}
	return all
}

// TestPrograms formats the programs of the repository, unchanged and with their indentation spoilt.
func TestPrograms(t *testing.T) {
	all := sources(t)
	for i, path := range slices.Sorted(maps.Keys(all)) {
		if !testlevel.Takes(i, 8) {
			continue
		}
		source := all[path]
		text := formatted(t, path, source)
		spoilt := strings.ReplaceAll(strings.ReplaceAll(text, "\n (", "\n("), "  [", "\t [")
		if strings.Contains(text, `"`) {
			spoilt = text // a string may contain the replaced text
		}
		formatted(t, path, spoilt)
	}
}

// TestRandom formats sources made at random of all kinds of tokens, with white
// space in which forms and comments often come to stand under each other.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for good := 0; good < testlevel.Size(500, 5000); {
		var b strings.Builder
		writeForms(&b, r, 4)
		if _, err := Format("random", b.String()); err != nil && err.Code == diag.SyntaxError {
			continue // a prefix had only discarded forms after it
		}
		good++
		formatted(t, "random", b.String())
		if t.Failed() {
			t.Fatalf("source:\n%s", b.String())
		}
	}
}

func writeForms(b *strings.Builder, r *rand.Rand, depth int) {
	spaces := []string{" ", " ", " ", "  ", "   ", "      ", "\n", "\n", "\n  ", "\n     ", "\n\n\n", ", ", ",, ", " ; c\n", "  ;; d\n   ", "\n   ; c\n", "\t"}
	atoms := []string{"a", "bb", "cccccc", "let", "defn", "if", "reify", "cond", ":k", "1", `"s"`, "\"s\nt\"", `\(`, `"\""`, `#"r"`, `#inst "2020"`}
	prefixes := []string{"'", "~", "@", "~@", "#'", "#_", "#_ ", "^:m ", "^{:a 1}\n", "#tag ", "' ", "~ "}
	brackets := []string{"()", "()", "()", "[]", "{}", "#{}", "#?()"}
	for range r.IntN(8) {
		for r.IntN(6) == 0 {
			b.WriteString(prefixes[r.IntN(len(prefixes))])
		}
		if depth > 0 && r.IntN(3) == 0 {
			pair := brackets[r.IntN(len(brackets))]
			if pair == "{}" { // which would need an even number of forms
				pair = "[]"
			}
			b.WriteString(pair[:len(pair)-1])
			writeForms(b, r, depth-1)
			b.WriteByte(pair[len(pair)-1])
		} else {
			b.WriteString(atoms[r.IntN(len(atoms))])
		}
		b.WriteString(spaces[r.IntN(len(spaces))])
	}
}

func FuzzFormat(f *testing.F) {
	for path, source := range sources(f) {
		if strings.Contains(path, "0") && len(source) < 2000 {
			f.Add(source)
		}
	}
	f.Add("(a ~ @b '#_c d #?@(:clj [^:x ^{:y 1} z]) #:q{:r 1} ; t\n ; u\n)")
	f.Add("[[a   1]\n [bb  2]]; x\n")
	f.Fuzz(func(t *testing.T, source string) {
		text, err := Format("fuzz", source)
		if err != nil {
			if err.Code == diag.Internal {
				t.Fatal(err)
			}
			return
		}
		again, err := Format("fuzz", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if again != text {
			t.Errorf("formatting again changes the text\nfirst:\n%s\nagain:\n%s", text, again)
		}
	})
}

func BenchmarkFormat(b *testing.B) {
	source, err := os.ReadFile("../../examples/sales/report.ptc")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		if _, err := Format("report.ptc", string(source)); err != nil {
			b.Fatal(err)
		}
	}
}
