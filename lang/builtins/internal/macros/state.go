// This file defines the macros around evaluation: delays, dynamic bindings,
// captured output, timing and comments.

package macros

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

var stateMacros = []entry.Entry{
	{NS: "clojure.core", Name: "comment", Args: "& body", Cost: entry.Syntax, Indent: entry.IndentBlock0,
		Facts: entry.Unevaluated, Macro: expandComment,
		Doc: "Ignores body. Returns nil.", Examples: []string{"(comment (anything here)) => nil"}},
	{NS: "clojure.core", Name: "delay", Args: "& body", Cost: entry.Syntax, Indent: entry.IndentBlock0, Macro: expandDelay,
		Doc: "Returns a delay, which evaluates body when its value is first wanted by deref or force, and keeps the " +
			"value.",
		Examples: []string{"(let [d (delay (+ 1 2))] [(realized? d) @d (realized? d)]) => [false 3 true]"}},
	{NS: "clojure.core", Name: "lazy-cat", Args: "& colls", Cost: entry.Syntax, Macro: expandLazyCat,
		Doc: "Returns a lazy sequence of the elements of collections. Each expression is evaluated when the sequence " +
			"reaches it.",
		Examples: []string{"(take 3 (lazy-cat [1 2] (repeat 0))) => (1 2 0)"}},
	{NS: "clojure.core", Name: "with-in-str", Args: "s & body", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Macro:    expandWithInStr,
		Doc:      "Evaluates body with *in* bound to a reader of a string.",
		Examples: []string{`(with-in-str "a\nb" [(read-line) (read-line) (read-line)]) => ["a" "b" nil]`}},
	{NS: "clojure.core", Name: "with-out-str", Args: "& body", Cost: entry.Syntax, Indent: entry.IndentBlock0,
		Macro:    expandWithOutStr,
		Doc:      "Evaluates body and returns its output as a string.",
		Examples: []string{`(with-out-str (print "a" 1)) => "a 1"`}},
	{NS: "clojure.core", Name: "binding", Args: "bindings & body", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Macro:    expandBinding,
		Doc:      "Evaluates body with dynamic vars bound to other values.",
		Examples: []string{"(do (def ^:dynamic *n* 1) (defn n [] *n*) [(binding [*n* 2] (n)) (n)]) => [2 1]"}},
	{NS: "clojure.core", Name: "with-redefs", Args: "bindings & body", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Macro:    expandWithRedefs,
		Doc:      "Evaluates body while names that the program defines have other values, for tests.",
		Examples: []string{"(do (defn f [] 1) [(with-redefs [f (fn [] 2)] (f)) (f)]) => [2 1]"}},
	{NS: "clojure.core", Name: "time", Args: "expr", Cost: entry.Syntax, Macro: expandTime,
		Doc:      "Evaluates expr and prints the time it took. Returns its value.",
		Examples: []string{`(count (re-seq #"Elapsed time: [0-9.]+ msecs" (with-out-str (time 1)))) => 1`}},
	{NS: "clojure.core", Name: "vswap!", Args: "vol f & args", Cost: entry.Syntax, Purity: entry.Changes,
		Calls: entry.Calls{When: entry.CallsNow, Times: entry.TimesOnce, First: 1, Last: 1, Least: 2}, Macro: expandVswap,
		Doc:      "Sets a volatile to (f value args…). Returns the new value.",
		Examples: []string{"(let [v (volatile! 1)] (vswap! v + 2 3)) => 6"}},
}

func expandComment(*expand.Expansion, value.Value) value.Value { return value.Nil }

func expandDelay(x *expand.Expansion, form value.Value) value.Value {
	return x.List(form, fnDelay, x.Thunk(form, expand.FormItems(form)[1:]))
}

func expandLazyCat(x *expand.Expansion, form value.Value) value.Value {
	args := expand.FormItems(form)[1:]
	out := []value.Value{fnConcat}
	for _, coll := range args {
		out = append(out, x.List(form, symLazy, coll))
	}
	return x.List(form, out...)
}

// expandWithOutStr collects the prints of body. If body throws, they are dropped.
func expandWithOutStr(x *expand.Expansion, form value.Value) value.Value {
	e := x.Gensym("e")
	drop := x.List(form, symCatch, symThrowable, e, x.List(form, fnPopOut), x.List(form, symThrow, e))
	// A writer that *out* is bound to must not get the prints of the body.
	out := x.Vec(expand.CoreSym("*out*"), x.T.Keyword("", "out"))
	body := x.Call(form, expand.FormItems(form)[1:], symBinding, out)
	try := x.List(form, expand.SymTry, body, drop)
	return x.List(form, expand.SymDo, x.List(form, fnPushOut), try, x.List(form, fnPopOut))
}

func expandBinding(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(binding [var value …] body…)")
	x.Pairs("binding", form, args[0])
	return x.Call(form, args[1:], symBinding, args[0])
}

// expandWithRedefs evaluates the new values before any name is changed, and
// changes the names back in any case.
func expandWithRedefs(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(with-redefs [name value …] body…)")
	pairs := x.Pairs("with-redefs", form, args[0])
	if len(pairs) == 0 {
		return x.Do(form, args[1:])
	}
	var bindings, set, reset []value.Value
	for i := 0; i < len(pairs); i += 2 {
		name := pairs[i]
		if !name.IsSymbol() {
			x.Fail(form, "with-redefs: got %s, want a name that the program defines", value.Describe(x.T, name))
		}
		old, next := x.Gensym("old"), x.Gensym("new")
		v := x.List(form, symVar, name)
		bindings = append(bindings, old, x.List(form, fnVarRoot, v, value.False), next, pairs[i+1])
		set = append(set, x.List(form, fnVarSet, v, next))
		reset = append(reset, x.List(form, fnVarSet, v, old))
	}
	body := append(set, x.Call(form, args[1:], expand.SymDo))
	return x.Let(form, bindings, []value.Value{x.Call(form, append(body, x.Call(form, reset, symFinally)), expand.SymTry)})
}

func expandTime(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, 1, "(time expr)")
	start, result := x.Gensym("start"), x.Gensym("result")
	bindings := []value.Value{start, x.List(form, fnClock), result, args[0]}
	return x.Let(form, bindings, []value.Value{x.List(form, fnElapsed, start), result})
}

func expandVswap(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, -1, "(vswap! volatile f args…)")
	next := x.Call(form, args[2:], args[1], x.List(form, fnDeref, args[0]))
	return x.List(form, fnVreset, args[0], next)
}
