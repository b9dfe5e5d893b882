package main

import (
	"strings"
	"testing"
)

// TestRepl tests ptc repl without a terminal.
func TestRepl(t *testing.T) {
	data := write(t, "data.json", `{"n": 20, "xs": [1, 2]}`)
	for _, c := range []struct {
		name  string
		stdin string
		args  []string
		want  wants
	}{
		{"a value and nothing else", "(+ 1 2)\n", nil, wants{0, "3\n", ""}},
		{"no line end", "(+ 1 2)", nil, wants{0, "3\n", ""}},
		{"nothing", "", nil, wants{0, "", ""}},
		{"data", "data/n", []string{"--data", data}, wants{0, "20\n", ""}},
		{"arguments", "data/x", []string{"--arg", "x=y"}, wants{0, "\"y\"\n", ""}},
		{"limits", "(vec (range 1000000))", []string{"--memory", "1MB"}, wants{4, "", "error[memory-exceeded]"}},
		{"each evaluation has its own time", "(Thread/sleep 60000)\n(+ 1 2)", []string{"--timeout", "500ms"}, wants{4, "3\n", "error[timeout]"}},
		{"a failure", "(throw (ex-info \"no\" {}))\n1", nil, wants{1, "1\n", "error[exception]"}},
		{"no grant", "(tool/time.now {})", nil, wants{5, "", "error[not-granted]"}},
		{"a grant", "(pos? (:ms (tool/time.now {})))", []string{"--allow-time"}, wants{1, "", ""}},
		{"documentation", ":doc reduce", nil, wants{0, "clojure.core/reduce\n  (reduce f coll)\n", ""}},
		{"source", ":source reduce", nil, wants{0, "reduce", ""}},
		{"source of what is built in", ":source vector", nil, wants{0, "clojure.core/vector is built in", ""}},
		{"the bounds", ":limits", []string{"--workers", "3"}, wants{0, "  --workers            3            maximum number of parallel workers alive at once\n", ""}},
		{"usage", "(+ 1 2)\n:usage", nil, wants{0, "steps ", ""}},
		{"names with an alias", ":apropos upper-c", nil, wants{0, "clojure.string/upper-case\nstr/upper-case\n", ""}},
		{"arguments of the command", "", []string{"x.ptc"}, wants{2, "", "repl takes no arguments, got \"x.ptc\"; to load a file, type :load x.ptc"}},
		{"data from the standard input", "", []string{"--data", "-"}, wants{2, "", "--data takes a file"}},
		{"a policy", "1", []string{"--policy", "no-such-file"}, wants{2, "", "no-such-file"}},
		{"what only run has", "", []string{"--journal", "x"}, wants{2, "", "repl has no flag --journal"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ptcWith(c.stdin, append([]string{"repl"}, c.args...)...)
			if c.name == "a grant" { // the result of the tool does not matter
				if strings.Contains(got.err, "not-granted") {
					t.Errorf("got %+v", got)
				}
				return
			}
			c.want.check(t, got)
		})
	}
}

// TestNoProgress checks that only terminals get the line of progress.
func TestNoProgress(t *testing.T) {
	want := outcome{0, "100\n", ""}
	if got := ptcWith("", "run", "--progress", "-e", "(count (pmap inc (range 100)))"); got != want {
		t.Errorf("got %+v", got)
	}
}
