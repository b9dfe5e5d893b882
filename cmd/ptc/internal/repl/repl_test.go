package repl

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/tool"
)

func TestSession(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines string
		out   string
		err   string // a part; "" wants none
	}{
		{"a value", "(+ 1 2)", "3\n", ""},
		{"several forms", "1 :a nil", "1\n:a\nnil\n", ""},
		{"nothing", "\n  \n; x\n#_ 1", "", ""},
		{"a form of several lines", "(+ 1\n2\n3)", "6\n", ""},
		{"a string of several lines", "\"a\nb\"", "\"a\\nb\"\n", ""},
		{"two forms that share a line", "(+ 1\n2) (+ 3\n4)", "3\n7\n", ""},
		{"definitions", "(def x 5)\nx", "#'user/x\n5\n", ""},
		{"last values", "1\n2\n3\n[*1 *2 *3]", "1\n2\n3\n[3 2 1]\n", ""},
		{"the last exception", "(throw (ex-info \"no\" {:a 1}))\n(ex-data *e)", "{:a 1}\n", "error[exception]: no"},
		{"what is printed", `(print "a")`, "a\nnil\n", ""},
		{"what is printed, with its line end", `(println "a")`, "a\nnil\n", ""},
		{"a definition that fails", "(def x 1)\n(def x (/ 1 0))\nx", "#'user/x\n1\n", "error[arithmetic]: Divide by zero"},
		{"an error shows its place", "(+ 1 (foo))", "", "1 | (+ 1 (foo))\n  |       ^^^"},
		{"the rest of a line that fails", "(/ 1 0) 2", "", "Divide by zero"},
		{"what can't be read", "(+ 1 ])\n5", "5\n", "error[syntax-error]"},
		{"input that is dropped", "(+ 1\n^C\n7", "7\n", ""},
		{"a keyword", ":foo", ":foo\n", ""},
		{"a keyword behind an unfinished form", "[1\n:help]", "[1 :help]\n", ""},
		{"data", "data/n", "\"1\"\n", ""},
		{"a namespace", "(ns a.b)\n(def x 1)", "nil\n#'a.b/x\n", ""},
		{"an alias", "(require '[clojure.set :as s]) ::s/x", "nil\n:clojure.set/x\n", ""},
		{"a value that is laid out", "(range 20)", "(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n 16 17 18 19)\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSetup(t, strings.Split(c.lines, "\n")...)
			out, err := s.run(t)
			if out != c.out || !strings.Contains(err, c.err) || c.err == "" && err != "" {
				t.Errorf("got  %q, %s\nwant %q, %s", out, err, c.out, c.err)
			}
		})
	}
}

// TestPiped checks the differences without a terminal.
func TestPiped(t *testing.T) {
	s := newSetup(t, "(def x", "  (range 40)) (/ 1 0) (first x)", "x", ":more", "(+ 1")
	s.Interactive = false
	e := Run(context.Background(), s.Config)
	var failed *ptc.Error
	if !errors.As(e, &failed) || failed.Code != diag.Arithmetic {
		t.Errorf("ended with %v, want the first error", e)
	}
	if want := "#'user/x\n0\n(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39)\n"; s.out.String() != want {
		t.Errorf("got  %q\nwant %q", s.out.String(), want)
	}
	for _, part := range []string{"Divide by zero", "there is nothing more", `"(" opened at 1:1 is not closed`} {
		if !strings.Contains(s.err.String(), part) {
			t.Errorf("the errors lack %q:\n%s", part, s.err.String())
		}
	}
	if len(s.script.remembered) > 0 {
		t.Errorf("remembered %q", s.script.remembered)
	}
}

// TestInterrupt stops a running form from within, and continues the session.
func TestInterrupt(t *testing.T) {
	interrupts := make(chan os.Signal, 1)
	s := newSetup(t, "(def x 1)", "(do (def x 2) (tool/stop) (loop [] (recur)))", "x")
	stop := tool.New("stop", "Interrupts.", func(context.Context, struct{}) (int, error) {
		interrupts <- os.Interrupt
		return 0, nil
	})
	if err := s.Options.Tools.Add(stop); err != nil {
		t.Fatal(err)
	}
	s.Interrupts = interrupts
	out, err := s.run(t)
	if out != "#'user/x\n1\n" || !strings.Contains(err, "error[cancelled]") {
		t.Errorf("got %q\n%s", out, err)
	}
}

// TestEnd holds that a session ends with its context.
func TestEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := newSetup(t, "(tool/end)", "1")
	end := tool.New("end", "Ends.", func(context.Context, struct{}) (int, error) {
		cancel()
		return 0, nil
	})
	if err := s.Options.Tools.Add(end); err != nil {
		t.Fatal(err)
	}
	if err := Run(ctx, s.Config); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestWatch(t *testing.T) {
	var calls []string
	s := newSetup(t, "(+ 1 2)", ":help")
	s.Watch = func() func() {
		calls = append(calls, "begin")
		return func() { calls = append(calls, "end") }
	}
	s.run(t)
	if got := strings.Join(calls, " "); got != "begin end" {
		t.Errorf("got %s", got)
	}
}

func TestPrompts(t *testing.T) {
	s := newSetup(t, "(ns abc)", "(let [x 1", "y 2]", `(str "a`, `b" x))`)
	s.run(t)
	want := []string{"user=> ", "abc=> ", " #_=>       ", " #_=>   ", " #_=> "}
	if got := s.script.shown; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestColor(t *testing.T) {
	for _, color := range []bool{false, true} {
		s := newSetup(t, "(/ 1 0)", "(range 2000)")
		s.Color = color
		s.run(t)
		all := s.script.shown[0] + s.out.String() + s.err.String()
		if got := strings.Count(all, "\x1b["); (got > 5) != color || !color && got != 0 {
			t.Errorf("colour %t: %d escapes in %q", color, got, all)
		}
	}
}

func TestPages(t *testing.T) {
	s := newSetup(t, "(vec (repeat 100 [1]))", ":more", ":more", ":more", `(apply str (repeat 10000 "ä"))`, ":more")
	s.Width = func() int { return 10 }
	out, err := s.run(t)
	notes := regexp.MustCompile(`(?m)^\.\.\. .*$`).FindAllString(out, -1)
	if got := strings.Join(notes, "|"); got != "... 60 lines left out, :more shows more|... 20 lines left out, :more shows more|... 5906 characters left out, :more shows more|... 1810 characters left out, :more shows more" {
		t.Errorf("got %s", got)
	}
	if n := strings.Count(out, "[1]"); n != 100 {
		t.Errorf("shown %d of 100 elements", n)
	}
	if n := strings.Count(out, "ä"); n != 8191 {
		t.Errorf("shown %d characters", n)
	}
	if err != "ptc: there is nothing more\n" {
		t.Errorf("got %s", err)
	}
}

// TestLongForm holds that the brackets of a form are counted if it is long.
func TestLongForm(t *testing.T) {
	lines := []string{"(count ["}
	for range 2000 {
		lines = append(lines, `"a long line with \" ( \\" \( ; (`)
	}
	s := newSetup(t, append(lines, "])", "1")...)
	if out, err := s.run(t); out != "4000\n1\n" {
		t.Errorf("got %q\n%s", out, err)
	}
}
