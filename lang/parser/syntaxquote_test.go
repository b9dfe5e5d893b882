package parser

import (
	"regexp"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/token"
)

// templates holds syntax-quotes and their expansions in JVM Clojure 1.11; c/ means clojure.core/.
var templates = []reading{
	{"`(a (clojure.core/unquote))", `(c/seq (c/concat (c/list (quote user/a)) (c/list nil)))`},
	{"`String", `(quote java.lang.String)`},
	{"`(String. x)", `(c/seq (c/concat (c/list (quote java.lang.String.)) (c/list (quote user/x))))`},
	{"`a", `(quote user/a)`},
	{"`a.b", `(quote a.b)`},
	{"`.a", `(quote .a)`},
	{"`a.", `(quote a.)`},
	{"`(a b#)", `(c/seq (c/concat (c/list (quote user/a)) (c/list (quote b__N__auto__))))`},
	{"`(a ~b ~@c)", `(c/seq (c/concat (c/list (quote user/a)) (c/list b) c))`},
	{"`[a ~b]", `(c/apply c/vector (c/seq (c/concat (c/list (quote user/a)) (c/list b))))`},
	{"`{:a ~b}", `(c/apply c/hash-map (c/seq (c/concat (c/list :a) (c/list b))))`},
	{"`#{a ~@b}", `(c/apply c/hash-set (c/seq (c/concat (c/list (quote user/a)) b)))`},
	{"`()", `(c/list)`},
	{"`[]", `(c/apply c/vector (c/seq (c/concat)))`},
	{"`{}", `(c/apply c/hash-map (c/seq (c/concat)))`},
	{"`nil", `(quote nil)`},
	{"`true", `(quote true)`},
	{"`:a", `:a`},
	{"`1", `1`},
	{"`\"s\"", `"s"`},
	{"`~a", `a`},
	{"``a", `(c/seq (c/concat (c/list (quote quote)) (c/list (quote user/a))))`},
	{"``(a ~b)", `(c/seq (c/concat (c/list (quote c/seq)) (c/list (c/seq (c/concat (c/list (quote c/concat)) (c/list (c/seq (c/concat (c/list (quote c/list)) (c/list (c/seq (c/concat (c/list (quote quote)) (c/list (quote user/a)))))))) (c/list (c/seq (c/concat (c/list (quote c/list)) (c/list (quote user/b))))))))))`},
	{"``(a ~~b)", `(c/seq (c/concat (c/list (quote c/seq)) (c/list (c/seq (c/concat (c/list (quote c/concat)) (c/list (c/seq (c/concat (c/list (quote c/list)) (c/list (c/seq (c/concat (c/list (quote quote)) (c/list (quote user/a)))))))) (c/list (c/seq (c/concat (c/list (quote c/list)) (c/list b)))))))))`},
	{"`(a `(b ~c ~~d))", `(c/seq (c/concat (c/list (quote user/a)) (c/list (c/seq (c/concat (c/list (quote c/seq)) (c/list (c/seq (c/concat (c/list (quote c/concat)) (c/list (c/seq (c/concat (c/list (quote c/list)) (c/list (c/seq (c/concat (c/list (quote quote)) (c/list (quote user/b)))))))) (c/list (c/seq (c/concat (c/list (quote c/list)) (c/list (quote user/c))))) (c/list (c/seq (c/concat (c/list (quote c/list)) (c/list d))))))))))))`},
	{"`^:a b", `(c/with-meta (quote user/b) (c/apply c/hash-map (c/seq (c/concat (c/list :a) (c/list (quote true))))))`},
	{"`^:a (b)", `(c/with-meta (c/seq (c/concat (c/list (quote user/b)))) (c/apply c/hash-map (c/seq (c/concat (c/list :a) (c/list (quote true))))))`},
	{"`^{:a ~x} [b]", `(c/with-meta (c/apply c/vector (c/seq (c/concat (c/list (quote user/b))))) (c/apply c/hash-map (c/seq (c/concat (c/list :a) (c/list x)))))`},
	{"`if", `(quote if)`},
	{"`&", `(quote &)`},
	{"`str/join", `(quote clojure.string/join)`},
	{"`a/b", `(quote a/b)`},
	{"`#(+ %)", `(c/seq (c/concat (c/list (quote fn*)) (c/list (c/apply c/vector (c/seq (c/concat (c/list (quote p1__N__N__auto__)))))) (c/list (c/seq (c/concat (c/list (quote c/+)) (c/list (quote p1__N__N__auto__)))))))`},
	{"`#'a", `(c/seq (c/concat (c/list (quote var)) (c/list (quote user/a))))`},
	{"`@a", `(c/seq (c/concat (c/list (quote c/deref)) (c/list (quote user/a))))`},
	{"`'a", `(c/seq (c/concat (c/list (quote quote)) (c/list (quote user/a))))`},
	{"`\\a", `\a`},
	{"`(quote a)", `(c/seq (c/concat (c/list (quote quote)) (c/list (quote user/a))))`},
	{"`let", `(quote c/let)`},
	{"`fn", `(quote c/fn)`},
	{"`fn*", `(quote fn*)`},
	{"`foo#", `(quote foo__N__auto__)`},
	{"`(let [a# 1] `(b# ~a#))", `(c/seq (c/concat (c/list (quote c/let)) (c/list (c/apply c/vector (c/seq (c/concat (c/list (quote a__N__auto__)) (c/list 1))))) (c/list (c/seq (c/concat (c/list (quote c/seq)) (c/list (c/seq (c/concat (c/list (quote c/concat)) (c/list (c/seq (c/concat (c/list (quote c/list)) (c/list (c/seq (c/concat (c/list (quote quote)) (c/list (quote user/b__N__auto__)))))))) (c/list (c/seq (c/concat (c/list (quote c/list)) (c/list (quote a__N__auto__)))))))))))))`},
	{"`1.5M", `1.5M`},
	{"`(1 . b)", `(c/seq (c/concat (c/list 1) (c/list (quote .)) (c/list (quote user/b))))`},
	{"`(.foo x)", `(c/seq (c/concat (c/list (quote .foo)) (c/list (quote user/x))))`},
	{"`(Foo. x)", `(c/seq (c/concat (c/list (quote Foo.)) (c/list (quote user/x))))`},
	{"`a.b.C.", `(quote a.b.C.)`},
	{"`c/x", `(quote c/x)`},
	{"`user/x", `(quote user/x)`},
	{"`foo.bar/x", `(quote foo.bar/x)`},
	{"`(~'x)", `(c/seq (c/concat (c/list (quote x))))`},
	{"`[~@x ~y z]", `(c/apply c/vector (c/seq (c/concat x (c/list y) (c/list (quote user/z)))))`},
	{"`(~@x)", `(c/seq (c/concat x))`},
	{"`(a . ~@b)", `(c/seq (c/concat (c/list (quote user/a)) (c/list (quote .)) b))`},
	{"`~~a", `(c/unquote a)`},
	{"`\"\"", `""`},
	{"`##Inf", `##Inf`},
	{"`#inst \"2020\"", `(quote #inst "2020-01-01T00:00:00.000-00:00")`},
}

func TestSyntaxQuote(t *testing.T) {
	for _, c := range templates {
		got := strings.ReplaceAll(readOne(t, c.source, aliased), "clojure.core/", "c/")
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
		}
	}
}

var madeName = regexp.MustCompile(`[a-z]\w*__\d+(__auto__|#)`)

func TestSyntaxQuoteWithoutResolver(t *testing.T) {
	for _, c := range []reading{
		{"`(let x/y z)", `(c/seq (c/concat (c/list (quote my.ns/let)) (c/list (quote full.x/y)) (c/list (quote my.ns/z))))`},
	} {
		got := readOne(t, c.source, Options{NS: "my.ns", Aliases: map[string]string{"x": "full.x"}})
		if got = strings.ReplaceAll(got, "clojure.core/", "c/"); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
		}
	}
}

// TestMadeNames checks that the names generated by #() and foo# are the same within one form and
// differ between forms.
func TestMadeNames(t *testing.T) {
	names := func(source string, opts Options) []string {
		task := newTask()
		forms, err := Parse(task, token.NewFile("test", source), opts)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, f := range forms {
			text := task.PrStr(f)
			found = append(found, madeName.FindAllString(text.AsString().S, -1)...)
		}
		return found
	}
	got := names("`(a# a# b#) `(a#) #(% %) #(%)", Options{})
	want := "a__1__auto__ a__1__auto__ b__1__auto__ a__13__auto__ p1__19# p1__19# p1__19# p1__26# p1__26#"
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	n := int64(100)
	got = names("`(a# `(a#)) #(%)", Options{NextID: func() int64 { n++; return n }})
	want = "a__102__auto__ a__101__auto__ p1__103# p1__103#"
	if strings.Join(got, " ") != want {
		t.Errorf("with NextID: got %v, want %s", got, want)
	}
}

// TestSyntaxQuoteBound checks that nested syntax-quotes, which grow exponentially, fail soon.
func TestSyntaxQuoteBound(t *testing.T) {
	task := newTask()
	_, err := Parse(task, token.NewFile("test", strings.Repeat("`", 400)+"a"), Options{})
	if err == nil || err.Code != diag.NestingTooDeep {
		t.Fatalf("got %v, want %s", err, diag.NestingTooDeep)
	}
	if used := task.Used(); used > 64<<20 {
		t.Errorf("%d bytes were charged before the error", used)
	}
}
