// This file defines the fuzz targets: every program ends within its bounds and never in an error of the
// interpreter, and in every session a form that fails leaves no trace.

package hostile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/diag"
)

// fuzzLimits are small: most mutations of a program loop, or fail.
var fuzzLimits = ptc.Limits{Memory: 2 << 20, Steps: 50_000, Timeout: 5 * time.Second, Depth: 2_000,
	SourceBytes: 64 << 10,
	OutputBytes: 16 << 10, ResultBytes: 64 << 10}

// seeds adds the programs of the tests of the language, and those of the oracle.
func seeds(f *testing.F) {
	f.Helper()
	for _, pattern := range []string{"../../spec/tests/*/*.ptc", "../../spec/oracle/programs/*.clj"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s: %v", pattern, err)
		}
		for i, name := range files {
			if !testlevel.Takes(i, 8) {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	for i, h := range hostilePrograms {
		if len(h.source) < 2_000 && testlevel.Takes(i, 8) {
			f.Add(h.source)
		}
	}
}

func FuzzEval(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, source string) {
		res, err := ptctest.RunWith(context.Background(), source, ptc.Options{Limits: fuzzLimits}, ptc.RunOptions{Seed: 1})
		sound(t, err)
		if err == nil {
			_, err = res.EDN()
			sound(t, err)
		}
		if err == nil && res.Usage.Memory > fuzzLimits.Memory {
			t.Errorf("the account ends with %d bytes, the cap is %d", res.Usage.Memory, fuzzLimits.Memory)
		}
	})
}

// sound refuses errors of the interpreter, and those of no kind.
func sound(t *testing.T, err error) {
	t.Helper()
	var e *ptc.Error
	switch {
	case err == nil:
	case !errors.As(err, &e):
		t.Fatalf("%T is no *ptc.Error: %v", err, err)
	case e.Code == diag.Internal:
		t.Fatalf("internal error: %s\n%s", e.Message, e.Stack)
	case e.Code == diag.Timeout:
		t.Fatalf("the bound on steps did not end it: %v", e)
	}
}

// sessionForm finds the places where a text may be cut into separate evaluations.
var sessionForm = regexp.MustCompile(`\n\s*\n|\n\(`)

func FuzzSession(f *testing.F) {
	seeds(f)
	f.Add("(def a 1)\n\n(def a (/ 1 0))\n\n(def b a)\n\n(throw (ex-info \"x\" {}))")
	f.Add("A\n(#(or`%&))")
	f.Add("(def a (atom 1))\n\n(do (swap! a inc) (nth [] 1))\n\n@a")
	f.Fuzz(func(t *testing.T, source string) {
		opts, given := ptc.Options{Limits: fuzzLimits}, ptc.EvalOptions{Seed: 1}
		all, some := ptc.NewSession(opts), ptc.NewSession(opts)
		for i, form := range split(source) {
			if i == 12 {
				break
			}
			if strings.Contains(form, "!") || strings.Contains(form, "set") || strings.Contains(form, "*e") {
				continue // cells that were changed stay changed
			}
			_, err := all.Eval(context.Background(), form, given)
			sound(t, err)
			if err == nil {
				some.Eval(context.Background(), form, given)
			}
		}
		if got, want := state(all), state(some); got != want {
			t.Errorf("with forms that failed:    %s\nwithout them: %s", got, want)
		}
	})
}

// split cuts a text into what is evaluated apart.
func split(source string) []string {
	var forms []string
	for {
		at := sessionForm.FindStringIndex(source)
		if at == nil {
			return append(forms, source)
		}
		forms = append(forms, source[:at[0]])
		source = source[at[0]+1:]
	}
}

// generated finds the numbers of generated names, which forms that fail use up too, as in Clojure.
var generated = regexp.MustCompile(`__\d+`)

// state shows what a session has defined and computed.
func state(s *ptc.Session) string {
	var b strings.Builder
	for _, probe := range []string{"*1", "*2", "a", "b", "f", "x", "xs", "m", "*ns*"} {
		res, err := s.Eval(context.Background(), "(let [v "+probe+"] (if (fn? v) :fn (pr-str v)))", ptc.EvalOptions{})
		if err != nil {
			b.WriteString(" " + string(code(err)))
			continue
		}
		text, _ := res.EDN()
		b.WriteString(" " + text)
	}
	return generated.ReplaceAllString(b.String(), "__N")
}

func code(err error) diag.Code {
	var e *ptc.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
