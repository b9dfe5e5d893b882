// This file defines the tests of the facts of macros and special forms.

package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/lang/value"
)

// macroCalls are calls of macros: with a binding that nothing uses, x, and with a body of three forms, of which the
// second is nothing but a constant.
var macroCalls = map[string]string{
	"let": "(let [x 1] 0 :here 2)", "loop": "(loop [x 1] 0 :here 2)", "fn": "((fn [x] 0 :here 2) 1)", "do": "(let [] (do 0 :here 2))",
	"letfn": "(letfn [(x [] 1)] 0 :here 2)", "if-let": "(if-let [x 1] 2 3)", "if-some": "(if-some [x 1] 2 3)",
	"when-let": "(when-let [x 1] 0 :here 2)", "when-some": "(when-some [x 1] 0 :here 2)", "when-first": "(when-first [x [1]] 0 :here 2)",
	"when": "(when (rand) 0 :here 2)", "when-not": "(when-not (neg? (rand)) 0 :here 2)",
	"for": "(vec (for [x [1]] 2))", "doseq": "(doseq [x [1]] 0 :here 2)", "dotimes": "(dotimes [x 1] 0 :here 2)",
	"defn": "(do (defn f [x] 0 :here 2) (f 1))", "defn-": "(do (defn- f [x] 0 :here 2) (f 1))",
	"defmethod": "(do (defmulti m :k) (defmethod m 1 [x] 2) (m {:k 1}))", "defmacro": "(do (defmacro m [x] 2) (m 1))",
}

// TestBindsFreely: a name that nothing uses can be renamed, and nothing else changes.
func TestBindsFreely(t *testing.T) {
	for _, e := range having(t, entry.BindsFreely) {
		source := macroCalls[e.Name]
		renamed := strings.NewReplacer("[x", "[_x", "(x ", "(_x ").Replace(source)
		was, _ := newTicks(t).run(t, source)
		if got, _ := newTicks(t).run(t, renamed); source == "" || renamed == source || got != was || strings.HasPrefix(got, "!") {
			t.Errorf("%s: %s is %s, renamed it is %s", e.Name, source, was, got)
		}
		if fixed, n, err := ptc.Fix(t.Context(), "t.ptc", source, ptc.Options{}); err != nil || n == 0 || !strings.Contains(fixed, renamed) {
			t.Errorf("%s: fixed to %s, want %s", e.Name, fixed, renamed)
		}
	}
}

// TestEndsInBody: all forms of a body except the last can be omitted, and the linter finds them in the text.
func TestEndsInBody(t *testing.T) {
	for _, e := range having(t, entry.EndsInBody) {
		source := macroCalls[e.Name]
		if e.Name == "for" {
			source = "(vec (for [y [1 2] :let [z (do y :here y)]] z))"
		}
		was, _ := newTicks(t).run(t, source)
		shorter := strings.Replace(source, " :here", "", 1)
		if got, _ := newTicks(t).run(t, shorter); got != was || shorter == source || strings.HasPrefix(got, "!") {
			t.Errorf("%s: %s is %s, without the form it is %s", e.Name, source, was, got)
		}
		if found := warned(ptc.Check(t.Context(), "t.ptc", source, ptc.Options{})); !slices.Contains(found, "unused-value :here") {
			t.Errorf("%s: %s: got %s", e.Name, source, found)
		}
	}
}

// TestThreads: a call of the macro becomes a call, which evaluates nothing besides.
func TestThreads(t *testing.T) {
	for _, e := range having(t, entry.Threads) {
		if got, _ := newTicks(t).run(t, "(macroexpand-1 '("+e.Name+" x (f) (g)))"); got != "(g (f x))" {
			t.Errorf("%s expands to %s", e.Name, got)
		}
	}
}

// TestUnevaluated: the forms of a call are not evaluated.
func TestUnevaluated(t *testing.T) {
	for _, e := range having(t, entry.Unevaluated) {
		if got, n := newTicks(t).run(t, "("+e.Name+" (tool/tick {}))"); n != 0 || got != "nil" {
			t.Errorf("%s: %d calls, value %s", e.Name, n, got)
		}
	}
}

// TestTestsInOrder: the expression after the first test that holds is evaluated, and no further test.
func TestTestsInOrder(t *testing.T) {
	for _, e := range having(t, entry.TestsInOrder) {
		got, n := newTicks(t).run(t, "("+e.Name+" (tool/tick {}) :no (nil? (tool/tick {})) :yes (tool/tick {}) :late :else :never)")
		if n != 2 || got != ":yes" {
			t.Errorf("%s: %d calls, value %s", e.Name, n, got)
		}
	}
}

// expansion returns the expansion of a call of a macro of the library as text, "" if it has none. A program does not
// see the expansions that have private names.
func expansion(t *testing.T, e *entry.Entry, source string) (text string) {
	t.Helper()
	task := &value.Task{}
	task.Start(t.Context(), 1<<24, 1<<24, time.Minute)
	form, _, _, perr := parser.ParseOne(task, token.NewFile("", source), 0, parser.Options{NS: "user"})
	if perr != nil {
		t.Fatal(perr)
	}
	no := func(value.Value) bool { return false }
	defer func() {
		if recover() != nil { // of Fail, or of a form that means something only in a program
			text = ""
		}
	}()
	return value.Show(task, e.Macro(&expand.Expansion{T: task, NS: "user",
		Gensym:  func(prefix string) value.Value { return task.Symbol("", prefix+"__1") },
		Fail:    func(_ value.Value, format string, args ...any) { panic(fmt.Sprintf(format, args...)) },
		IsLocal: no, IsDefined: no, IsMacro: no, Resolve: func(sym value.Value) value.Value { return sym },
		Place: func(value.Value) string { return "-" }, Method: func(string) {},
		MacroNamed: func(string) (value.Value, bool) { return value.Nil, false }}, form))
}

// TestGuardsBody: the body of the macro runs within the private function that takes guards, once.
func TestGuardsBody(t *testing.T) {
	calls := map[string]string{"host-exclusive": `"h" `, "rate-limited": `"r" {:per-second 5} `, "global-exclusive": ""}
	for _, e := range having(t, entry.GuardsBody) {
		source := "(" + e.Name + " " + calls[e.Name] + "(tool/tick {}) :done)"
		if got, n := newTicks(t).run(t, source); n != 1 || got != ":done" {
			t.Errorf("%s: %d calls, value %s", source, n, got)
		}
		if got := expansion(t, e, source); !strings.Contains(got, "clojure.core/%guarded") {
			t.Errorf("%s expands to %s", source, got)
		}
	}
	for e := range builtins.Entries() {
		if e.Macro == nil || e.NS != "clojure.core" || e.Is(entry.GuardsBody) {
			continue
		}
		for _, example := range examples(e) {
			if call := readForm(t, example).call(e); call != nil {
				if strings.Contains(expansion(t, e, call.String()), "%guarded") {
					t.Errorf("%s takes a guard, and is not known to", call)
				}
			}
		}
	}
}

// TestLoops counts how often the bodies of macros are evaluated.
func TestLoops(t *testing.T) {
	n := 0
	for e := range builtins.Entries() {
		want, later, source := 3, false, ""
		switch {
		case e.Loop == entry.LoopUnknown:
			continue
		case e.Loop == entry.LoopCount:
			source = "(" + e.Name + " [i 3] (tool/tick {}))"
		case e.Loop == entry.LoopLazy:
			source, later = "("+e.Name+" [i [1 2 3]] (tool/tick {}))", true
		case e.Name == "areduce":
			source = "(areduce (long-array 3) i r 0 (do (tool/tick {}) r))"
		case e.Name == "amap":
			source = "(amap (long-array 3) i r (do (tool/tick {}) 1))"
		}
		n++
		if _, calls := newTicks(t).run(t, source); calls != want {
			t.Errorf("%s: %d calls, want %d", source, calls, want)
		}
		if _, calls := newTicks(t).run(t, "(do "+source+" 1)"); later != (calls == 0) {
			t.Errorf("%s: %d calls before it is read", source, calls)
		}
	}
	if n != 4 {
		t.Errorf("%d macros loop", n)
	}
}

// TestDefinesNames: the examples of what is known to define names change the names that a session has, and those of
// other macros and forms do not.
func TestDefinesNames(t *testing.T) {
	const world = `[(str *ns*) (sort (map str (all-ns))) (sort (map str (keys (ns-aliases *ns*)))) (sort (map str (keys (ns-refers *ns*))))
  (sort (map str (keys (ns-map *ns*)))) (for [n (all-ns)] [(str n) (count (ns-interns n))])]`
	evaluated := func(s *ptc.Session, source string) string {
		res, err := s.Eval(t.Context(), source, ptc.EvalOptions{})
		if err != nil { // the names that source has are gone
			return err.Error()
		}
		text, err := res.EDN()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := evaluated(ptc.NewSession(ptc.Options{}), world)
	n := 0
	for e := range builtins.Entries() {
		known := e.Is(entry.DefinesNames)
		if e.NS != "clojure.core" && e.NS != "clojure.test" || !known && e.Macro == nil && !e.IsForm() {
			continue
		}
		if n++; !testlevel.Takes(n, 8) {
			continue
		}
		changed := false
		for _, example := range examples(e) {
			form := readForm(t, example)
			call := form.call(e)
			if call == nil || !known && call != form {
				continue
			}
			s := ptc.NewSession(ptc.Options{})
			evaluated(s, example)
			changed = changed || evaluated(s, world) != before
		}
		if known != changed {
			t.Errorf("%s changes names: %v, and is known to: %v", e.Qualified(), changed, known)
		}
	}
}
