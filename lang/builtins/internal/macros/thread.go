// This file defines the threading macros: -> ->> as-> cond-> cond->> some->
// some->> doto .. and memfn.

package macros

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

var threadMacros = []entry.Entry{
	{NS: "clojure.core", Name: "->", Args: "x & forms", Cost: entry.Syntax, Facts: entry.Threads, Macro: expandThreadFirst,
		Doc: "Threads x through the forms: each form becomes the first argument of the next. A form that is not a " +
			"list is called.",
		Examples: []string{"(-> 5 (- 2) inc) => 4", "(-> {:a {:b 1}} :a :b) => 1"}},
	{NS: "clojure.core", Name: "->>", Args: "x & forms", Cost: entry.Syntax, Facts: entry.Threads, Macro: expandThreadLast,
		Doc: "Threads x through the forms: each form becomes the last argument of the next. A form that is not a list " +
			"is called.",
		Examples: []string{"(->> [1 2 3] (map inc) (filter even?)) => (2 4)", "(->> 2 (- 5)) => 3"}},
	{NS: "clojure.core", Name: "as->", Args: "expr name & forms", Cost: entry.Syntax, Indent: entry.IndentBlock2,
		Macro:    expandAs,
		Doc:      "Binds name to the value of expr, then to the value of each form in turn. Returns the last value.",
		Examples: []string{"(as-> [1 2] v (conj v 3) (count v)) => 3"}},
	{NS: "clojure.core", Name: "cond->", Args: "expr & clauses", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Macro: expandCondFirst,
		Doc:   "Takes alternating tests and forms. Threads expr, as -> does, through each form whose test is truthy.",
		Examples: []string{"(cond-> {:a 1} true (assoc :b 2) false (assoc :c 3)) => {:a 1, :b 2}",
			"(cond-> 1 true) !bad-form"}},
	{NS: "clojure.core", Name: "cond->>", Args: "expr & clauses", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Macro:    expandCondLast,
		Doc:      "Takes alternating tests and forms. Threads expr, as ->> does, through each form whose test is truthy.",
		Examples: []string{"(cond->> [1 2 3] true (map inc) nil (filter even?)) => (2 3 4)", "(cond->> 1 true) !bad-form"}},
	{NS: "clojure.core", Name: "some->", Args: "expr & forms", Cost: entry.Syntax, Macro: expandSomeFirst,
		Doc:      "Threads expr through the forms as -> does, until a value is nil.",
		Examples: []string{"(some-> {:a {:b 1}} :a :b inc) => 2", "(some-> {:a 1} :x inc) => nil"}},
	{NS: "clojure.core", Name: "some->>", Args: "expr & forms", Cost: entry.Syntax, Macro: expandSomeLast,
		Doc:      "Threads expr through the forms as ->> does, until a value is nil.",
		Examples: []string{"(some->> [1 2] (map inc) first) => 2", "(some->> nil (map inc)) => nil"}},
	{NS: "clojure.core", Name: "doto", Args: "x & forms", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Macro:    expandDoto,
		Doc:      "Evaluates the forms with the value of x as the first argument of each. Returns that value.",
		Examples: []string{"(deref (doto (atom 0) (swap! inc) (swap! + 5))) => 6"}},
	{NS: "clojure.core", Name: "..", Args: "x & members", Cost: entry.Syntax, Macro: expandDots,
		Doc:      "Calls methods in turn: (.. s trim toUpperCase) is (. (. s trim) toUpperCase).",
		Examples: []string{`(.. " a " trim toUpperCase) => "A"`, `(.. "abc" (substring 1)) => "bc"`}},
	{NS: "clojure.core", Name: "memfn", Args: "name & args", Cost: entry.Syntax, Macro: expandMemfn,
		Doc:      "Returns a function that calls a method of its first argument.",
		Examples: []string{`(map (memfn toUpperCase) ["a" "b"]) => ("A" "B")`, `((memfn substring from) "abc" 1) => "bc"`}},
}

// threadFirst puts expr after the head of a form.
func threadFirst(x *expand.Expansion, expr, form value.Value) value.Value {
	if !expand.IsList(form) {
		return x.List(form, form, expr)
	}
	items := expand.FormItems(form)
	if len(items) == 0 {
		x.Fail(form, "->: got (), want a function to call")
	}
	return x.Call(form, items[1:], items[0], expr)
}

// threadLast puts expr at the end of a form.
func threadLast(x *expand.Expansion, expr, form value.Value) value.Value {
	if !expand.IsList(form) {
		return x.List(form, form, expr)
	}
	items := expand.FormItems(form)
	if len(items) == 0 {
		x.Fail(form, "->>: got (), want a function to call")
	}
	return x.Call(form, []value.Value{expr}, items...)
}

// sameMeta copies the metadata of a step to its expansion.
func sameMeta(x *expand.Expansion, step, form value.Value) value.Value {
	if meta := value.MetaOf(form); expand.IsList(form) && value.MapCount(meta) > 0 {
		return value.WithMeta(x.T, step, meta)
	}
	return step
}

func expandThreadFirst(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(-> x form…)")
	out := args[0]
	for _, f := range args[1:] {
		out = sameMeta(x, threadFirst(x, out, f), f)
	}
	return out
}

func expandThreadLast(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(->> x form…)")
	out := args[0]
	for _, f := range args[1:] {
		out = sameMeta(x, threadLast(x, out, f), f)
	}
	return out
}

func expandAs(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, -1, "(as-> expr name form…)")
	return bindSteps(x, "as->", form, args[1], args[0], args[2:])
}

// bindSteps binds name to expr and then to each step; the value is the last one.
func bindSteps(x *expand.Expansion, macro string, form, name, expr value.Value, steps []value.Value) value.Value {
	bindings := []value.Value{name, expr}
	last := name
	for i, step := range steps {
		if i == len(steps)-1 {
			last = step
			break
		}
		bindings = append(bindings, name, step)
	}
	return letPatterns(x, macro, form, x.Vec(bindings...), []value.Value{last})
}

type threader func(x *expand.Expansion, expr, form value.Value) value.Value

func expandCondFirst(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(cond-> expr test form …)")
	return condThread(x, "cond->", form, args, func(x *expand.Expansion, expr,
		step value.Value) value.Value {
		return threadFirst(x, expr, step)
	})
}

func expandCondLast(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(cond->> expr test form …)")
	return condThread(x, "cond->>", form, args, func(x *expand.Expansion, expr,
		step value.Value) value.Value {
		return threadLast(x, expr, step)
	})
}

func condThread(x *expand.Expansion, macro string, form value.Value, args []value.Value, thread threader) value.Value {
	clauses := args[1:]
	if len(clauses)%2 != 0 {
		x.Fail(form, "%s: tests and forms come in pairs, got %s after the expression", macro,
			diag.Counted(len(clauses), "form"))
	}
	g := x.Gensym("cond")
	steps := make([]value.Value, 0, len(clauses)/2)
	for i := 0; i < len(clauses); i += 2 {
		steps = append(steps, x.List(clauses[i+1], symIf, clauses[i], thread(x, g, clauses[i+1]), g))
	}
	return bindSteps(x, macro, form, g, args[0], steps)
}

func expandSomeFirst(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(some-> expr form…)")
	return someThread(x, "some->", form, args, func(x *expand.Expansion, expr,
		step value.Value) value.Value {
		return threadFirst(x, expr, step)
	})
}

func expandSomeLast(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(some->> expr form…)")
	return someThread(x, "some->>", form, args, func(x *expand.Expansion, expr,
		step value.Value) value.Value {
		return threadLast(x, expr, step)
	})
}

func someThread(x *expand.Expansion, macro string, form value.Value, args []value.Value, thread threader) value.Value {
	g := x.Gensym("some")
	steps := make([]value.Value, 0, len(args)-1)
	for _, f := range args[1:] {
		steps = append(steps, x.List(f, symIf, x.List(f, fnNil, g), value.Nil, thread(x, g, f)))
	}
	return bindSteps(x, macro, form, g, args[0], steps)
}

func expandDoto(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(doto x form…)")
	g := x.Gensym("doto")
	body := make([]value.Value, 0, len(args))
	for _, f := range args[1:] {
		body = append(body, threadFirst(x, g, f))
	}
	return x.Let(form, []value.Value{g, args[0]}, append(body, g))
}

func expandDots(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, -1, "(.. x member…)")
	out := args[0]
	for _, member := range args[1:] {
		out = x.List(member, symDot, out, member)
	}
	return out
}

func expandMemfn(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(memfn method args…)")
	if !expand.IsPlain(args[0]) {
		x.Fail(form, "memfn: got %s, want the name of a method", value.Describe(x.T, args[0]))
	}
	target := x.Gensym("target")
	params := append([]value.Value{target}, args[1:]...)
	return x.List(form, expand.SymFn, x.Vec(params...), x.List(form, symDot, target, x.Call(form, args[1:], args[0])))
}
