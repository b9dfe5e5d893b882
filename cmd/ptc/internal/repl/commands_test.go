package repl

import (
	"os"
	"strings"
	"testing"
)

func TestCommands(t *testing.T) {
	for _, c := range []struct {
		lines    string
		out, err string // parts; "" wants nothing
	}{
		{":help", "  :time EXPR      evaluates an expression", ""},
		{":help me", "", "ptc: :help takes no argument; to evaluate the keyword, write (do :help)"},
		{":doc", "", "ptc: :doc takes NAME"},
		{":doc map", "the doc of map", ""},
		{":doc tool/double", "tool/double {:n int} -> int\n  Doubles a number.", ""},
		{"(defn f \"Says\n   it.\" ([] 1) ([a & b] 2))\n:doc f", "user/f\n  (f)\n  (f a & b)\n  Says\n  it.\n", ""},
		{"(ns a) (def x 1)\n(ns b)\n:doc a/x", "a/x\n", ""},
		{":doc mpa", "", "unknown name mpa; did you mean map?"},
		{":doc zzzzzz", "", "unknown name zzzzzz\n"},
		{":source map", "the source of map", ""},
		{":source nope", "", "unknown name nope"},
		{"(defn f [x]\nx) ; c\n:source f", "(defn f [x]\n  x)\n", ""},
		{"(do (def y 1))\n:source y", "(do (def y 1))\n", ""},
		{"(def y 1)\n(def y 2)\n:source y", "(def y 2)\n", ""},
		{":apropos MAP", "map\nmap-indexed\nmapv\n", ""},
		{":apropos doub", "tool/double\n", ""},
		{"(def own 1)\n:apropos own", "own\n", ""},
		{":apropos zzz", "", `no name has "zzz" in it`},
		{":tools", "tool/double {:n int} -> int\n  Doubles a number.\n", ""},
		{":limits", "the limits", ""},
		{":usage", "", "nothing has been evaluated yet"},
		{"(tool/double {:n 1})\n:usage", "2\ncalls 1\n", ""},
		{":time (+ 1 2)", "3\n", ""},
		{":time (+ 1 2)", " step\n", ""},
		{":time (/ 1 0)", "", "Divide by zero"},
		{":time (+ 1", "", "is not closed"},
		{":more", "", "there is nothing more"},
		{":trace", "", "nothing has failed yet"},
		{"(defn f [] (/ 1 0))\n(inc (f))", ":trace shows how it came to that", "Divide by zero"},
		{"(defn f [] (/ 1 0))\n(inc (f))\n:trace", "#'user/f", "  at user/f (session-1:1:12)"},
		{":journal", "", "nothing has been evaluated yet"},
		{"1\n:journal", "the last evaluation called no tool", ""},
		{"(tool/double {:n 4})\n:journal", "double {\"n\":4} ", ""},
		{"(try (tool/double {:n -4}) (catch Exception e 1))\n:journal", "double {\"n\":-4} ", ""},
		{"(def x 1)\n:reset\nx", "#'user/x\n", "error[unknown-name]"},
		{":reset\ndata/n", "\"1\"\n", ""},
		{"1\n:quit\n2", "1\n", ""},
		{"  :help  ", ":quit", ""},
	} {
		t.Run(c.lines, func(t *testing.T) {
			s := newSetup(t, strings.Split(c.lines, "\n")...)
			out, err := s.run(t)
			if !holds(out, c.out) || !holds(err, c.err) {
				t.Errorf("got  %q, %s\nwant %q, %s", out, err, c.out, c.err)
			}
		})
	}
}

func holds(text, part string) bool {
	if part == "" {
		return text == ""
	}
	return strings.Contains(text, part)
}

func TestJournalIsCut(t *testing.T) {
	s := newSetup(t, "(tool/double {:n 123456789})", ":journal")
	s.Width = func() int { return 20 }
	out, _ := s.run(t)
	if line := strings.Split(out, "\n")[1]; len([]rune(line)) != 20 || !strings.HasSuffix(line, "…") {
		t.Errorf("got %q", line)
	}
}

func TestFiles(t *testing.T) {
	inDir(t, "there.ptc")
	s := newSetup(t,
		":save a.ptc", // nothing is defined
		"(defn f [x]", "(* 2 x))", "(f 1)", "(def y (f 4))", "(def y 1)", "(def z 1) (def z 2)",
		`:save "a.ptc"`,                        // new
		":save there.ptc",                      // somebody's
		":reset", ":load a.ptc", "[y z (f 1)]", // as it was
		"(def w 1)", ":save a.ptc", // the session's own
		":load nope.ptc",
	)
	out, err := s.run(t)
	want := "#'user/f\n2\n#'user/y\n#'user/y\n#'user/z\n#'user/z\nwrote the definitions to a.ptc\nall definitions are forgotten\n#'user/z\n[1 2 2]\n#'user/w\nwrote the definitions to a.ptc\n"
	if out != want {
		t.Errorf("got  %q\nwant %q", out, want)
	}
	if want := "ptc: nothing is defined\nptc: there.ptc exists, and was not written by this session; use another name\nptc: nope.ptc: no such file or directory\n"; err != want {
		t.Errorf("got %s", err)
	}
	text, _ := os.ReadFile("a.ptc")
	if want := "(defn f [x]\n  (* 2 x))\n\n(def y 1)\n\n(def z 2)\n\n(def w 1)\n"; string(text) != want {
		t.Errorf("the file is %q", text)
	}
}

// TestSaveKeeps checks that a file of the session that somebody else has changed since stays unchanged, and
// that a deleted one is written again.
func TestSaveKeeps(t *testing.T) {
	inDir(t)
	r := newREPL(newSetup(t).Config)
	mine := func(text string) {
		if err := os.WriteFile("a.ptc", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		before func()
		text   string
		failed string
	}{
		{func() {}, "1", ""},
		{func() {}, "2", ""},
		{func() { mine("mine") }, "mine", "another program changed the file"},
		{func() { os.Remove("a.ptc") }, "4", ""},
		{func() { os.Remove("a.ptc"); mine("4") }, "5", ""},
	} {
		c.before()
		err := r.write("a.ptc", c.text)
		if text, _ := os.ReadFile("a.ptc"); string(text) != c.text || (err == nil) != (c.failed == "") || err != nil && !strings.Contains(err.Error(), c.failed) {
			t.Errorf("%s: the file has %q, %v", c.text, text, err)
		}
	}
}

// TestLoadFails holds that a file that fails changes nothing, and shows its own place.
func TestLoadFails(t *testing.T) {
	inDir(t)
	if err := os.WriteFile("bad.ptc", []byte("(def x 2)\n(/ 1 0)"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSetup(t, "(def x 1)", ":load bad.ptc", "x")
	out, err := s.run(t)
	if out != "#'user/x\n1\n" || !strings.Contains(err, "--> bad.ptc:2:1") {
		t.Errorf("got %q\n%s", out, err)
	}
}

// TestKept holds which definitions are kept when others take their place.
func TestKept(t *testing.T) {
	for _, c := range []struct{ forms, want []string }{
		{[]string{"(def a 1)", "(def a 2)"}, []string{"(def a 2)"}},
		{[]string{"(def a 1)", "(def b a)", "(def a 2)"}, []string{"(def a 1)", "(def b a)", "(def a 2)"}},
		{[]string{"(def a 1)", "(def b user/a)", "(def a 2)"}, []string{"(def a 1)", "(def b user/a)", "(def a 2)"}},
		{[]string{"(def ^{:doc \"x\"} a 1)", "(def ^long a 2)"}, []string{"(def ^long a 2)"}},
		{[]string{"(defmethod m :a [x] 1)", "(defmethod m :b [x] 1)"}, []string{"(defmethod m :a [x] 1)", "(defmethod m :b [x] 1)"}},
		{[]string{"(+ 1 2)", "a", "(map inc [1])", "'(def x 1) "}, []string{"'(def x 1) "}},
		{[]string{"(ns a.b (:require [clojure.set :as s]))", "(declare x)", "(extend-type T P (f [x] 1))"}, []string{"(ns a.b (:require [clojure.set :as s]))", "(declare x)", "(extend-type T P (f [x] 1))"}},
		{[]string{"(when true (defn f [] 1))", "(defn f [] 2)"}, []string{"(when true (defn f [] 1))", "(defn f [] 2)"}},
	} {
		var w written
		for _, f := range c.forms {
			w.add("user", f)
		}
		var got []string
		for _, d := range w.forms {
			got = append(got, d.text)
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%q: kept %q", c.forms, got)
		}
	}
}
