// This file defines the tests of facts that hold or do not: each is shown by calls of those that have it, and most
// by calls of all others too.

package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
)

// having returns the entries that programs may use and that have a fact.
func having(t *testing.T, fact entry.Facts) (all []*entry.Entry) {
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
func pureFunctions() (all []*entry.Entry) {
	for e := range builtins.Entries() {
		if e.Purity >= entry.Realises && e.NS == "clojure.core" && e.Macro == nil && !e.IsForm() && !e.Var {
			all = append(all, e)
		}
	}
	return all
}

// callsOf writes calls of a function with arguments from a list.
func callsOf(e *entry.Entry, args []string) []string {
	return append(shortCalls(e, args), longCalls(e, args)...)
}

// shortCalls writes those with no argument and with one.
func shortCalls(e *entry.Entry, args []string) []string {
	calls := callWith(e, nil)
	for _, a := range args {
		calls = callWith(e, calls, a)
	}
	return calls
}

// longCalls writes those with two and three.
func longCalls(e *entry.Entry, args []string) (calls []string) {
	for _, a := range args {
		for _, b := range args {
			calls = callWith(e, calls, a, b)
			calls = callWith(e, calls, a, "0", b)
		}
	}
	return calls
}

// callWith adds a call, if the function takes so many arguments.
func callWith(e *entry.Entry, calls []string, args ...string) []string {
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
	// Where there is nothing to add or to leave out, these return a value that is not a collection unchanged.
	nonsense := []string{"(clojure.core/into inc nil)", "(clojure.core/nthrest inc 0)", "(clojure.core/chunk-cons nil inc)"}
	for i, e := range pureFunctions() {
		if !testlevel.Takes(i, 4) {
			continue
		}
		few := whichCalls(t, "", "fn?", shortCalls(e, args))
		more := whichCalls(t, "", "fn?", slices.DeleteFunc(longCalls(e, args), func(c string) bool { return slices.Contains(nonsense, c) }))
		switch {
		case few+more == "" && e.Is(entry.ReturnsFns|entry.ReturnsFnsOfOne):
			t.Errorf("%s is known to return functions, and returned none", e.Qualified())
		case more != "" && !e.Is(entry.ReturnsFns), few != "" && !e.Is(entry.ReturnsFns|entry.ReturnsFnsOfOne):
			t.Errorf("%s returns functions: %.200s", e.Qualified(), few+more)
		}
	}
}

// TestMakesCells: what is known to make an atom, a ref or a volatile does, and no other function of clojure.core does.
func TestMakesCells(t *testing.T) {
	const cell = `(fn [x] (or (instance? clojure.lang.Atom x) (instance? clojure.lang.Ref x) (volatile? x)))`
	for e := range builtins.Entries() {
		if e.NS != "clojure.core" || e.Fn == nil && e.Source == "" || !e.Takes(1) || e.Is(entry.NeverReturns) {
			continue
		}
		made := whichCalls(t, "", cell, []string{"(" + e.Qualified() + " 1)"}) != ""
		if made != e.Is(entry.MakesCells) {
			t.Errorf("(%s 1) makes a cell: %v, and is known to: %v", e.Qualified(), made, e.Is(entry.MakesCells))
		}
	}
}

// TestAlone: a comparison of one value has the same outcome for every value.
func TestAlone(t *testing.T) {
	args := []string{"nil", "false", "true", "1", `"a"`, "[]", "(map inc [1])", "##NaN", "inc"}
	for _, fact := range []entry.Facts{entry.TrueAlone, entry.FalseAlone} {
		for _, e := range having(t, fact) {
			want := fmt.Sprint(fact == entry.TrueAlone)
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
	for _, e := range having(t, entry.Copies) {
		if e.Calls.When == entry.CallsNone && e.Purity < entry.Realises {
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
	for _, e := range having(t, entry.NeverReturns) {
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
		if e.NS != "clojure.core" || e.Endless == entry.EndlessNever {
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
	for _, e := range having(t, entry.Cuts) {
		if got, _ := newTicks(t).run(t, "(count ("+e.Name+" 3 (iterate inc 0)))"); got != "3" {
			t.Errorf("%s has %s elements, want 3", e.Name, got)
		}
	}
}

// TestEndlessElsewhere: what is not known to make an endless sequence makes none of finite arguments.
func TestEndlessElsewhere(t *testing.T) {
	const endless = "(fn [s] (and (seq? s) (= 5000 (count (take 5000 s)))))"
	for _, e := range pureFunctions() {
		if e.Endless == entry.EndlessNever {
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
	c, n, reached := newTicks(t), 0, 0
	for e := range builtins.Entries() {
		if !strings.HasPrefix(e.NS, "clojure.") || e.IsForm() || e.Var || e.Macro != nil && !e.Is(entry.ReachesNames) ||
			e.Calls.When != entry.CallsNone || e.Is(entry.NeverReturns) {
			continue
		}
		if n++; !testlevel.Takes(n, 4) {
			continue
		}
		args := nameArgs
		if e.NS == "clojure.test" || e.Name == "test" {
			args = append([]string{"#'checked", "[#'checked]"}, args...)
		}
		if strings.HasPrefix(e.Name, "load-") {
			args = []string{`"(user/told)"`, `(java.io.StringReader. "(user/told)")`}
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
		got, ticks := c.run(t, b.String()+") found")
		found := ticks > 0 || got == "true"
		reached += map[bool]int{true: 1}[found]
		if found != e.Is(entry.ReachesNames) {
			t.Errorf("%s reaches the names of a program: %v, and is known to: %v", e.Qualified(), found, e.Is(entry.ReachesNames))
		}
	}
	if reached < testlevel.Size(3, 15) {
		t.Errorf("%d builtins reach names", reached)
	}
}

// TestFinds: a builtin that is known to find vars may find eval, and then run any form; no other one can.
func TestFinds(t *testing.T) {
	const eval = `(fn found? [x] (cond (var? x) (= "#'clojure.core/eval" (str x)) (map? x) (some found? (vals x)) (coll? x) (some found? (take 99 x))))`
	args := []string{"'clojure.core", "'eval", "'clojure.core/eval", `"eval"`, "*ns*"}
	for e := range builtins.Entries() {
		if e.NS != "clojure.core" || e.IsForm() || e.Var || e.Macro != nil || e.Calls.When != entry.CallsNone || e.Is(entry.NeverReturns) {
			continue
		}
		found := whichCalls(t, "", eval, callsOf(e, args)) != ""
		if e.Name == "eval" {
			found = whichCalls(t, "", "#(= 3 %)", []string{"(eval '(+ 1 2))"}) != ""
		}
		if strings.HasPrefix(e.Name, "load-") {
			found = whichCalls(t, "", "#(= 3 %)", callsOf(e, []string{`"(+ 1 2)"`, `(java.io.StringReader. "(+ 1 2)")`})) != ""
		}
		if known := e.Is(entry.FindsNamed | entry.FindsAny); found != known {
			t.Errorf("%s finds any var: %v, and is known to: %v", e.Qualified(), found, known)
		}
		if named := whichCalls(t, "", eval, callsOf(e, []string{"'clojure.core", "'inc"})); named != "" && !e.Is(entry.FindsAny) {
			t.Errorf("%s finds another var than that it is given the name of: %s", e.Qualified(), named)
		}
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
		if e.Makes == entry.MakesUnknown {
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
		if e.Calls.When != entry.CallsNone {
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
