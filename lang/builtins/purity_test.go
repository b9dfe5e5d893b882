// This file defines the tests that hold builtins to the purity that they declare.

package builtins_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/lang/internal/entry"
)

// purityState is state that a call may change, and how a test finds out.
const purityState = `
(def arr (long-array [1 2])) (def objs (object-array [[1] nil]))
(def at (atom 1)) (def rf (ref 1)) (def vo (volatile! 1))
(def tv (transient [1 2])) (def tm (transient {:a 1})) (def sb (StringBuilder. "a")) (def re (re-matcher #"a" "banana"))
(def ^:dynamic *d* 1) (def e (ex-info "m" {})) (def d (delay 1)) (def r (reduced 1)) (def before nil) (def after nil)
(defn state []
  [(vec arr) (vec objs) @at @rf @vo (get tv 0) (get tm :a) (str sb) *d* (count (ns-publics 'user))])
(defn change! []
  (aset arr 0 7) (aset objs 0 [8]) (reset! at 7) (dosync (ref-set rf 7)) (vreset! vo 7) (assoc! tv 0 7) (assoc! tm :a 7)
  (.append sb "b") (re-find re))
(defmacro given [call] (list 'try call '(catch Throwable e [:failed (class e)])))
(defn failed? [v] (and (vector? v) (= :failed (first v))))
(defn alike? [a b]
  (try
    (or (seq? a) (identical? a b) (= a b) (and (fn? a) (fn? b)) (and (reduced? a) (reduced? b) (alike? @a @b))
      (and (= java.util.regex.Pattern (class a) (class b)) (= (str a) (str b))))
    (catch Throwable e true))) ; a sequence reads when somebody asks for its elements
`

// purityArgs are the arguments of the calls: mutable objects, and values of most kinds.
var purityArgs = []string{
	"arr", "objs", "at", "rf", "vo", "tv", "tm", "sb", "re", "#'*d*", "nil", "1", "-1.5", "2/3", "\"a\"", "\\a", ":a",
	"'a", "true",
	"[1 2]", "[]", "{:a 1}", "#{1}", "'(1 2)", "(map inc [1 2])", "(range 3)", "#\"a\"", "inc", "e", "d", "String", "r",
	"(first {:a 1})",
}

// purityCalls writes calls of a builtin with such arguments.
func purityCalls(e *entry.Entry) (calls []string) {
	call := func(args ...string) {
		if e.Takes(len(args)) {
			calls = append(calls, "(given ("+e.Qualified()+" "+strings.Join(args, " ")+"))\n")
		}
	}
	call()
	for _, a := range purityArgs {
		call(a)
		for _, other := range []string{a, "1", ":a"} {
			call(a, other)
			call(other, a)
		}
		call("[1 2]", a)
		call(a, "1", "1")
		call("{:a 1}", ":a", a)
	}
	return calls
}

// declared visits the functions of the library that declare a purity of at least least.
func declared(least entry.Purity, visit func(e *entry.Entry)) {
	for e := range builtins.Entries() {
		if e.Purity >= least && !e.IsForm() {
			visit(e)
		}
	}
}

// purityRun runs a program and returns its value.
func purityRun(t *testing.T, source string) string {
	t.Helper()
	res, err := ptc.Run(context.Background(), source, ptc.Options{})
	require.NoError(t, err)
	require.Empty(t, res.Prints)
	text, err := res.EDN()
	require.NoError(t, err)
	return text
}

// TestPurityChangesNothing: a builtin that is not impure changes nothing that it is given.
func TestPurityChangesNothing(t *testing.T) {
	n := 0
	declared(entry.Realises, func(e *entry.Entry) {
		n++
		if e.Calls.When != entry.CallsNone || !testlevel.Takes(n, 4) {
			return
		}
		source := purityState + "(def before (state))\n" + strings.Join(purityCalls(e), "") + "(= before (state))"
		require.Equal(t, "true", purityRun(t, source), e.Qualified())
	})
	require.Greater(t, n, 500)
}

// TestPurityReadsNothing: the value of a builtin that is pure is the same before and after
// all that it could look into has changed; and one that is total never fails.
func TestPurityReadsNothing(t *testing.T) {
	n := 0
	declared(entry.Pure, func(e *entry.Entry) {
		n++
		if e.Calls.When != entry.CallsNone || !testlevel.Takes(n, 4) {
			return
		}
		list := strings.Join(purityCalls(e), "")
		source := purityState + "(defn values! [] [" + list + "])\n(def before (values!)) (change!) (def after (values!))\n" +
			"(defn told [bad? & vs]" +
			" (keep (fn [[call & vs]] (when (apply bad? vs) call)) (apply map vector '[" + list + "] vs)))\n"
		if got := purityRun(t, source+"(told (complement alike?) before after)"); got != "()" {
			t.Errorf("%s reads what may change: %s", e.Qualified(), got)
		}
		if e.Purity < entry.Total {
			return
		}
		if got := purityRun(t, source+"(told failed? before)"); got != "()" {
			t.Errorf("%s is total, and fails: %s", e.Qualified(), got)
		}
	})
	require.Greater(t, n, 300)
}

// TestImpure: a function that is not known to be pure is impure, whatever its name.
func TestImpure(t *testing.T) {
	for _, name := range []string{
		"aset", "aset-long", "var-set", "intern", "ns-unmap", "remove-ns", "remove-method", "prefer-method", "limits",
		"return",
		"fail", "tools", "rand", "rand-int", "gensym", "re-find", "read-string", "deref", "force", "print", "pr", "println",
		"transient", "chunk-append", "extend", "bound?", "apply", "reduce", "mapv", "eval",
	} {
		e := builtins.Lookup("clojure.core", name)
		require.NotNil(t, e, name)
		require.Less(t, e.Purity, entry.Realises, name)
	}
	for _, name := range [][2]string{
		{"Thread", "sleep"}, {"Math", "random"}, {"clojure.math", "random"}, {"System", "nanoTime"}, {"UUID", "randomUUID"},
		{"new", "Object"}, {"new", "Date"},
	} {
		require.Equal(t, entry.Impure, builtins.Lookup(name[0], name[1]).Purity, name)
	}
	require.Equal(t, entry.Impure, new(entry.Entry).Purity)
}
