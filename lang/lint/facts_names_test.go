// This file defines the tests of facts that hold or do not: each is shown by calls of those that have it, and most
// by calls of all others too.

package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/builtins"
)

// having returns the entries that programs may use and that have a fact.
func having(t *testing.T, fact builtins.Facts) (all []*builtins.Entry) {
	t.Helper()
	for e := range builtins.Entries() {
		if e.Is(fact) {
			all = append(all, e)
		}
	}
	if len(all) == 0 {
		t.Fatal("no entry has the fact")
	}
	return all
}

// pureFunctions returns the functions of clojure.core whose calls change nothing and call no function.
func pureFunctions() (all []*builtins.Entry) {
	for e := range builtins.Entries() {
		if e.Purity >= builtins.Realises && e.NS == "clojure.core" && e.Macro == nil && !e.IsForm() && !e.Var {
			all = append(all, e)
		}
	}
	return all
}

// callsOf writes calls of a function with arguments from a list.
func callsOf(e *builtins.Entry, args []string) []string {
	return append(shortCalls(e, args), longCalls(e, args)...)
}

// shortCalls writes those with no argument and with one.
func shortCalls(e *builtins.Entry, args []string) []string {
	calls := callWith(e, nil)
	for _, a := range args {
		calls = callWith(e, calls, a)
	}
	return calls
}

// longCalls writes those with two and three.
func longCalls(e *builtins.Entry, args []string) (calls []string) {
	for _, a := range args {
		for _, b := range args {
			calls = callWith(e, calls, a, b)
			calls = callWith(e, calls, a, "0", b)
		}
	}
	return calls
}

// callWith adds a call, if the function takes so many arguments.
func callWith(e *builtins.Entry, calls []string, args ...string) []string {
	if e.Takes(len(args)) {
		calls = append(calls, "("+strings.Join(append([]string{e.Qualified()}, args...), " ")+")")
	}
	return calls
}

// whichCalls returns the calls whose values the function of a program holds for.
func whichCalls(t *testing.T, setup, holds string, calls []string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(setup + "\n(def holds? " + holds + ")\n(filterv some? [")
	for i, call := range calls {
		fmt.Fprintf(&b, "(try (if (holds? %s) %d nil) (catch Throwable e nil))\n", call, i)
	}
	b.WriteString("])")
	res, err := ptc.Run(t.Context(), b.String(), ptc.Options{Limits: ptc.Limits{Steps: 50_000_000}})
	if err != nil {
		t.Fatalf("%v\n%s", err, calls)
	}
	text, err := res.EDN()
	if err != nil {
		t.Fatal(err)
	}
	var which []string
	for _, word := range strings.Fields(strings.Trim(text, "[]")) {
		var i int
		fmt.Sscan(word, &i)
		which = append(which, calls[i])
	}
	return strings.Join(which, " ")
}

// TestReturnsFns: a call of a function that is not known to return functions returns none that it is given, and those
// that are known to do so do.
func TestReturnsFns(t *testing.T) {
	args := []string{"inc", "Object", "[inc]", "[[inc]]", "(reduced inc)", "{0 inc, inc inc}", "0", "(first {inc inc})", "(object-array [inc])", "nil", "{:a [inc]}", "[:a 0]"}
	// Where there is nothing to add or to leave out, these return what is no collection as it is.
	nonsense := []string{"(clojure.core/into inc nil)", "(clojure.core/nthrest inc 0)", "(clojure.core/chunk-cons nil inc)"}
	for _, e := range pureFunctions() {
		few := whichCalls(t, "", "fn?", shortCalls(e, args))
		more := whichCalls(t, "", "fn?", slices.DeleteFunc(longCalls(e, args), func(c string) bool { return slices.Contains(nonsense, c) }))
		switch {
		case few+more == "" && e.Is(builtins.ReturnsFns|builtins.ReturnsFnsOfOne):
			t.Errorf("%s is known to return functions, and returned none", e.Qualified())
		case more != "" && !e.Is(builtins.ReturnsFns), few != "" && !e.Is(builtins.ReturnsFns|builtins.ReturnsFnsOfOne):
			t.Errorf("%s returns functions: %.200s", e.Qualified(), few+more)
		}
	}
}

// TestMakesCells: what is known to make an atom, a ref or a volatile does, and no other function of clojure.core does.
func TestMakesCells(t *testing.T) {
	const cell = `(fn [x] (or (instance? clojure.lang.Atom x) (instance? clojure.lang.Ref x) (volatile? x)))`
	for e := range builtins.Entries() {
		if e.NS != "clojure.core" || e.Fn == nil && e.Source == "" || !e.Takes(1) || e.Is(builtins.NeverReturns) {
			continue
		}
		made := whichCalls(t, "", cell, []string{"(" + e.Qualified() + " 1)"}) != ""
		if made != e.Is(builtins.MakesCells) {
			t.Errorf("(%s 1) makes a cell: %v, and is known to: %v", e.Qualified(), made, e.Is(builtins.MakesCells))
		}
	}
}

// TestAlone: a comparison of one value has the same outcome for every value.
func TestAlone(t *testing.T) {
	args := []string{"nil", "false", "true", "1", `"a"`, "[]", "(map inc [1])", "##NaN", "inc"}
	for _, fact := range []builtins.Facts{builtins.TrueAlone, builtins.FalseAlone} {
		for _, e := range having(t, fact) {
			want := fmt.Sprint(fact == builtins.TrueAlone)
			for _, a := range args {
				if got, _ := newTicks(t).run(t, "("+e.Qualified()+" "+a+")"); got != want {
					t.Errorf("(%s %s) is %s, want %s", e.Name, a, got, want)
				}
			}
		}
	}
}

// TestCopies: a changed copy differs from the collection, which has not changed.
func TestCopies(t *testing.T) {
	for _, e := range having(t, builtins.Copies) {
		if e.Calls.When == builtins.CallsNone && e.Purity < builtins.Realises {
			t.Errorf("%s may change something", e.Qualified())
		}
		changed := false
		for _, example := range examples(e) {
			call := readForm(t, example).call(e)
			if call == nil || len(call.parts) < 3 {
				continue
			}
			first := call.parts[1].String()
			call.parts[1].text, call.parts[1].parts = "before", nil
			got, _ := newTicks(t).run(t, "(let [before "+first+" was (pr-str before) after "+call.String()+"] [(= was (pr-str before)) (= before after)])")
			if !strings.HasPrefix(got, "[true ") {
				t.Errorf("%s: %s", call, got)
			}
			changed = changed || got == "[true false]"
		}
		if !changed {
			t.Errorf("%s: no example returns a changed copy", e.Qualified())
		}
	}
}

// TestNeverReturns: nothing after a call is evaluated, whatever the call is.
func TestNeverReturns(t *testing.T) {
	for _, e := range having(t, builtins.NeverReturns) {
		for _, call := range callsOf(e, []string{"1", "nil", `"a"`, "{:a 1}"}) {
			if _, n := newTicks(t).run(t, "(do "+call+" (tool/tick {}))"); n != 0 {
				t.Errorf("%s returns", call)
			}
		}
	}
}

// TestEndless: of the calls with a given number of arguments those return an endless sequence which are known to.
func TestEndless(t *testing.T) {
	n := 0
	for e := range builtins.Entries() {
		if e.NS != "clojure.core" || e.Endless == builtins.EndlessNever {
			continue
		}
		n++
		calls := map[int]string{0: "", 1: " [1]", 2: " 1 inc", 3: " 1 9 2"}
		if e.Name == "iterate" {
			calls[2] = " inc 1"
		}
		if e.Name == "repeatedly" {
			calls[1] = " rand"
			calls[2] = " 1 rand"
		}
		for count, args := range calls {
			if !e.Takes(count) {
				continue
			}
			got, _ := newTicks(t).run(t, "(count (take 2000 ("+e.Name+args+")))")
			if endless := got == "2000"; endless != e.Endless.Of(count) {
				t.Errorf("(%s%s) has %s elements of 2000, and is known to be endless: %v", e.Name, args, got, e.Endless.Of(count))
			}
		}
	}
	if n < 5 {
		t.Errorf("%d entries make endless sequences", n)
	}
	for _, e := range having(t, builtins.Cuts) {
		if got, _ := newTicks(t).run(t, "(count ("+e.Name+" 3 (iterate inc 0)))"); got != "3" {
			t.Errorf("%s has %s elements, want 3", e.Name, got)
		}
	}
}

// TestEndlessElsewhere: what is not known to make an endless sequence makes none of finite arguments.
func TestEndlessElsewhere(t *testing.T) {
	const endless = "(fn [s] (and (seq? s) (= 5000 (count (take 5000 s)))))"
	for _, e := range pureFunctions() {
		if e.Endless == builtins.EndlessNever {
			// A partition whose step is 0 has no end in Clojure either.
			calls := slices.DeleteFunc(callsOf(e, []string{"[1 2]", "2", "inc", "nil", ":a"}), func(c string) bool { return strings.Contains(c, " 0 ") })
			if which := whichCalls(t, "", endless, calls); which != "" {
				t.Errorf("%s is endless: %.200s", e.Qualified(), which)
			}
		}
	}
}

// names defines what builtins may find by a name: private, public and referred vars, a macro that tells when it
// runs, and a test.
const names = `(ns other) (def shared 1)
(ns user (:require [clojure.test :as t] [other :refer [shared]]))
(defn- secret [] (tool/tick {})) (def open 1)
(defmacro ^:private told [] (tool/tick {}) 1)
(t/deftest checked (tool/tick {}))
(def vars (set ["#'user/secret" "#'user/open" "#'other/shared"]))
(defn found? [x] (cond (var? x) (contains? vars (str x)) (map? x) (some found? (vals x)) (coll? x) (some found? (take 99 x))))
`

// nameArgs are the arguments by which names are found.
var nameArgs = []string{"'user", "'secret", "'user/secret", "*ns*", `"secret"`, "'(user/told)", "'(secret)", "'user/checked"}

// TestReachesNames: calls of builtins that are not known to reach the names of a program return and run nothing of it,
// unless they are given a var; tests are run by their vars.
func TestReachesNames(t *testing.T) {
	c, reached := newTicks(t), 0
	for e := range builtins.Entries() {
		if !strings.HasPrefix(e.NS, "clojure.") || e.IsForm() || e.Var || e.Macro != nil && !e.Is(builtins.ReachesNames) ||
			e.Calls.When != builtins.CallsNone || e.Is(builtins.NeverReturns) {
			continue
		}
		args := nameArgs
		if e.NS == "clojure.test" || e.Name == "test" {
			args = append([]string{"#'checked", "[#'checked]"}, args...)
		}
		calls := callsOf(e, args)
		if e.Macro != nil {
			calls = []string{"(" + e.Qualified() + ")", "(" + e.Qualified() + " checked)"}
		}
		var b strings.Builder
		b.WriteString(names + "(def found false)\n(with-out-str\n")
		for _, call := range calls {
			if e.Macro == nil || e.Takes(strings.Count(call, " ")) {
				b.WriteString("(try (if (found? " + call + ") (def found true)) (catch Throwable e nil))\n")
			}
		}
		got, n := c.run(t, b.String()+") found")
		found := n > 0 || got == "true"
		reached += map[bool]int{true: 1}[found]
		if found != e.Is(builtins.ReachesNames) {
			t.Errorf("%s reaches the names of a program: %v, and is known to: %v", e.Qualified(), found, e.Is(builtins.ReachesNames))
		}
	}
	if reached < 15 {
		t.Errorf("%d builtins reach names", reached)
	}
}

// TestFinds: a builtin that is known to find vars may find eval, and then run any form; no other one can.
func TestFinds(t *testing.T) {
	const eval = `(fn found? [x] (cond (var? x) (= "#'clojure.core/eval" (str x)) (map? x) (some found? (vals x)) (coll? x) (some found? (take 99 x))))`
	args := []string{"'clojure.core", "'eval", "'clojure.core/eval", `"eval"`, "*ns*"}
	for e := range builtins.Entries() {
		if e.NS != "clojure.core" || e.IsForm() || e.Var || e.Macro != nil || e.Calls.When != builtins.CallsNone || e.Is(builtins.NeverReturns) {
			continue
		}
		found := whichCalls(t, "", eval, callsOf(e, args)) != ""
		if e.Name == "eval" {
			found = whichCalls(t, "", "#(= 3 %)", []string{"(eval '(+ 1 2))"}) != ""
		}
		if known := e.Is(builtins.FindsNamed | builtins.FindsAny); found != known {
			t.Errorf("%s finds any var: %v, and is known to: %v", e.Qualified(), found, known)
		}
		if named := whichCalls(t, "", eval, callsOf(e, []string{"'clojure.core", "'inc"})); named != "" && !e.Is(builtins.FindsAny) {
			t.Errorf("%s finds another var than that it is given the name of: %s", e.Qualified(), named)
		}
	}
}

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
	for _, e := range having(t, builtins.BindsFreely) {
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

// TestEndsInBody: the forms of a body can be left out but for the last one, and the linter finds them in the text.
func TestEndsInBody(t *testing.T) {
	for _, e := range having(t, builtins.EndsInBody) {
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
	for _, e := range having(t, builtins.Threads) {
		if got, _ := newTicks(t).run(t, "(macroexpand-1 '("+e.Name+" x (f) (g)))"); got != "(g (f x))" {
			t.Errorf("%s expands to %s", e.Name, got)
		}
	}
}

// TestUnevaluated: the forms of a call are not evaluated.
func TestUnevaluated(t *testing.T) {
	for _, e := range having(t, builtins.Unevaluated) {
		if got, n := newTicks(t).run(t, "("+e.Name+" (tool/tick {}))"); n != 0 || got != "nil" {
			t.Errorf("%s: %d calls, value %s", e.Name, n, got)
		}
	}
}

// TestTestsInOrder: the expression after the first test that holds is evaluated, and no further test.
func TestTestsInOrder(t *testing.T) {
	for _, e := range having(t, builtins.TestsInOrder) {
		got, n := newTicks(t).run(t, "("+e.Name+" (tool/tick {}) :no (nil? (tool/tick {})) :yes (tool/tick {}) :late :else :never)")
		if n != 2 || got != ":yes" {
			t.Errorf("%s: %d calls, value %s", e.Name, n, got)
		}
	}
}

// TestGuardsBody: the body of the macro runs within the private function that takes guards, once.
func TestGuardsBody(t *testing.T) {
	calls := map[string]string{"host-exclusive": `"h" `, "rate-limited": `"r" {:per-second 5} `, "global-exclusive": ""}
	for _, e := range having(t, builtins.GuardsBody) {
		source := "(" + e.Name + " " + calls[e.Name] + "(tool/tick {}) :done)"
		if got, n := newTicks(t).run(t, source); n != 1 || got != ":done" {
			t.Errorf("%s: %d calls, value %s", source, n, got)
		}
		if got, _ := newTicks(t).run(t, "(pr-str (macroexpand-1 '"+source+"))"); !strings.Contains(got, "clojure.core/%guarded") {
			t.Errorf("%s expands to %s", source, got)
		}
	}
	for e := range builtins.Entries() {
		if e.Macro == nil || e.NS != "clojure.core" || e.Is(builtins.GuardsBody) {
			continue
		}
		for _, example := range examples(e) {
			if call := readForm(t, example).call(e); call != nil {
				if got, _ := newTicks(t).run(t, "(pr-str (macroexpand-1 '"+call.String()+"))"); strings.Contains(got, "%guarded") {
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
		case e.Loop == builtins.LoopUnknown:
			continue
		case e.Loop == builtins.LoopCount:
			source = "(" + e.Name + " [i 3] (tool/tick {}))"
		case e.Loop == builtins.LoopLazy:
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

// TestMakes counts the calls of the functions that a function is made of, when that is called once.
func TestMakes(t *testing.T) {
	cases := map[string][]struct {
		source string
		most   int
	}{
		"comp":       {{"((comp (counted inc) (counted inc)) 1)", 2}},
		"complement": {{"((complement (counted nil?)) 1)", 1}, {"((complement (counted <)) 1 2 3)", 1}},
		"juxt":       {{"((juxt (counted inc) (counted dec)) 1)", 2}},
		"memoize":    {{"(let [f (memoize (counted inc))] (f 1) (f 1))", 1}},
		"every-pred": {{"((every-pred (counted pos?) (counted int?)) 1 2 3)", 6}},
		"some-fn":    {{"((some-fn (counted neg?) (counted nil?)) 1 2 3)", 6}},
		"partial":    {{"((partial (counted +) 1) 2)", 1}},
		"fnil":       {{"((fnil (counted inc) 1) nil)", 1}},
	}
	made := 0
	for e := range builtins.Entries() {
		if e.Makes == builtins.MakesUnknown {
			continue
		}
		made++
		if len(cases[e.Name]) == 0 {
			t.Errorf("%s makes functions, and has no case", e.Name)
		}
		for _, c := range cases[e.Name] {
			if got, n := newTicks(t).run(t, counting+c.source); n != c.most || strings.HasPrefix(got, "!") {
				t.Errorf("%s: %d calls, want %d; value %s", c.source, n, c.most, got)
			}
		}
	}
	if made != len(cases) {
		t.Errorf("%d entries make functions, want %d", made, len(cases))
	}
}

// TestCallsNone: a builtin that is pure and not known to call functions calls none of those that it is given.
func TestCallsNone(t *testing.T) {
	c := newTicks(t)
	for _, e := range pureFunctions() {
		if e.Calls.When != builtins.CallsNone {
			continue
		}
		var b strings.Builder
		b.WriteString("(defn f [& args] (tool/tick {}) 1)\n(defn given [g] (try (let [r (g)] (when (seq? r) (dorun (take 9 r))) 1) (catch Throwable e 1)))\n")
		for _, call := range callsOf(e, []string{"f", "[1 2 3]", "2", "{:a 1}", "nil"}) {
			if strings.Contains(call, "f") {
				b.WriteString("(given (fn [] " + call + "))\n")
			}
		}
		if got, n := c.run(t, b.String()); n != 0 {
			t.Errorf("%s calls functions %d times: %s", e.Qualified(), n, got)
		}
	}
}

// TestDefinesNames: the examples of what is known to define names change the names that a session has, and those of
// other macros and forms do not.
func TestDefinesNames(t *testing.T) {
	const world = `[(str *ns*) (sort (map str (all-ns))) (sort (map str (keys (ns-aliases *ns*)))) (sort (map str (keys (ns-refers *ns*))))
  (sort (map str (keys (ns-map *ns*)))) (for [n (all-ns)] [(str n) (count (ns-interns n))])]`
	for e := range builtins.Entries() {
		known := e.Is(builtins.DefinesNames)
		if e.NS != "clojure.core" && e.NS != "clojure.test" || !known && e.Macro == nil && !e.IsForm() {
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
			value := func(source string) string {
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
			before := value(world)
			value(example)
			changed = changed || value(world) != before
		}
		if known != changed {
			t.Errorf("%s changes names: %v, and is known to: %v", e.Qualified(), changed, known)
		}
	}
}
