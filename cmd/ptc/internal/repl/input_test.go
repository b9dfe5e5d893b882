package repl

import (
	"strings"
	"testing"
)

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"(+ 1  2)":                            "(+ 1  2)",
		"(a\n   b)":                           "(a b)",
		"(a ; first\n  b)\n":                  "(a b)",
		"(a \"x\n  y\")":                      `(a "x\n  y")`,
		"(re #\"a\nb\")":                      `(re #"a\nb")`,
		"[\n1,  2\n]":                         "[ 1,  2 ]",
		"(a \\;\n b)":                         `(a \; b)`,
		"1 (f\n 2)":                           "1 (f 2)",
		"#_\n(x) y":                           "#_ (x) y",
		"\n\n":                                "",
		"; only\n; comments":                  "",
		"(a\n ])":                             "",
		"(s/join \"\"\n  ::kw)":               `(s/join "" ::kw)`,
		"(def x \"ä\n\")":                     `(def x "ä\n")`,
		strings.Repeat("(a\n", 3) + ")\n)\n)": "(a (a (a ) ) )",
	} {
		if got, ok := oneLine(in); got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %t, want %q", in, got, ok, want)
		}
	}
}

func TestIndent(t *testing.T) {
	for in, want := range map[string]int{
		"":                             0,
		"(defn f [x]\n":                2,
		"(map inc\n":                   5,
		"(map\n":                       1,
		"[1\n":                         1,
		"{:a 1\n":                      1,
		"{:a\n":                        1,
		"#{1\n":                        2,
		"(let [a 1\n":                  6,
		"(let [a 1\n      b 2]\n":      2,
		"(cond\n  (a) 1\n":             2,
		"(f \"a\n":                     0,
		"(f 'x\n":                      3,
		"'\n":                          0,
		"(f ; (((\n":                   1,
		"(f \\(\n":                     3,
		"  (f\n   [a\n":                2,
		strings.Repeat("[", 70) + "\n": 0, // too deep
	} {
		r := &repl{cfg: Config{Interactive: true}, pending: in}
		if got := r.indent(); got != strings.Repeat(" ", want) {
			t.Errorf("%q: got %d blanks, want %d", in, len(got), want)
		}
	}
	if got := (&repl{pending: "(defn f [x]\n"}).indent(); got != "" {
		t.Errorf("without a person: %q", got)
	}
}

func TestNesting(t *testing.T) {
	for in, closed := range map[string]bool{
		"":            true,
		"(a)":         true,
		"(a":          false,
		"(a\n)":       true,
		`(a \)`:       false,
		`(a \))`:      true,
		`("\")"`:      false,
		"(\"\n)":      false,
		"(a ; )":      false,
		"[{(})]":      true,
		"\"a\\\\\"":   true,
		"\"a\\\"":     false,
		"(a))":        true,
		"\"a\n;b\" (": false,
	} {
		var n nesting
		for _, line := range strings.Split(in, "\n") {
			n.add(line)
		}
		if n.closed() != closed {
			t.Errorf("%q: closed is %t", in, !closed)
		}
	}
}
