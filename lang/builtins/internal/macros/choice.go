// This file defines the macros that choose: if-not, cond, condp, case, and
// assert.

package macros

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

var choiceMacros = []entry.Entry{
	{NS: "clojure.core", Name: "if-not", Args: "test then | test then else", Cost: entry.Syntax,
		Indent: entry.IndentBlock1, Macro: expandIfNot,
		Doc:      "Evaluates then if test is nil or false, otherwise else.",
		Examples: []string{"(if-not false 1 2) => 1", "(if-not 0 1) => nil"}},
	{NS: "clojure.core", Name: "cond", Args: "& clauses", Cost: entry.Syntax, Indent: entry.IndentBlock0,
		Facts: entry.TestsInOrder, Macro: expandCond,
		Doc: "Takes alternating tests and expressions. Returns the value of the expression after the first truthy " +
			"test, nil if there is none. :else as the last test is the default.",
		Examples: []string{`(let [n 5] (cond (< n 0) "neg" (= n 0) "zero" :else "pos")) => "pos"`, "(cond false 1) => nil",
			"(cond 1) !bad-form"}},
	{NS: "clojure.core", Name: "condp", Args: "pred expr & clauses", Cost: entry.Syntax, Indent: entry.IndentBlock2,
		Macro: expandCondp,
		Doc: "Takes alternating test expressions and results. Returns the result after the first test for which (pred test " +
			"expr) is truthy. " +
			"With test :>> f, the result is f of the value of pred. A single last expression is the default; without one, no " +
			"match is an error.",
		Examples: []string{"(condp = 2 1 :one 2 :two) => :two", "(condp some [1 2 3] #{9} :>> inc #{2} :>> dec) => 1",
			"(condp = 5 1 :one :other) => :other", "(condp = 5 1 :one) !no-match"}},
	{NS: "clojure.core", Name: "case", Args: "expr & clauses", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Macro: expandCase,
		Doc: "Takes alternating constants and expressions, and an optional default. Returns the value of the expression " +
			"after the constant that equals the value of expr. " +
			"Constants are not evaluated; a list (a b) stands for several. Without a default, no match is an error.",
		Examples: []string{"(case 3 1 :one (2 3) :few :many) => :few", `(case "a" "a" 1 0) => 1`, "(case 'x x 1 y 2) => 1",
			"(case 9 1 :one) !no-match"}},
	{NS: "clojure.core", Name: "assert", Args: "x | x message", Cost: entry.Syntax, Macro: expandAssert,
		Doc:      "Throws an AssertionError if x is nil or false.",
		Examples: []string{"(assert (= 1 1)) => nil", `(assert (= 1 2) "no") !assertion-failed`}},
}

func expandIfNot(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, 3, "(if-not test then else?)")
	return x.Call(form, args[1:], symIf, x.List(form, symNot, args[0]))
}

func expandCond(x *expand.Expansion, form value.Value) value.Value {
	args := expand.FormItems(form)[1:]
	if len(args)%2 != 0 {
		x.Fail(form, "cond requires an even number of forms, got %d: alternating tests and expressions, :else for the last "+
			"test",
			len(args))
	}
	out := value.Nil
	for i := len(args) - 2; i >= 0; i -= 2 {
		if args[i].IsKeyword() && i == len(args)-2 {
			out = args[i+1]
			continue
		}
		place := args[i]
		if expand.FormPos(place) == 0 {
			place = form
		}
		out = x.List(place, symIf, args[i], args[i+1], out)
	}
	return out
}

func expandCondp(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, -1, "(condp pred expr test result … default?)")
	var bindings []value.Value
	pred, expr := args[0], x.Gensym("expr")
	if !pred.IsSymbol() {
		pred = x.Gensym("pred")
		bindings = append(bindings, pred, args[0])
	}
	bindings = append(bindings, expr, args[1])
	starts := condpClauses(args)
	out := x.List(form, fnNoMatch, expr)
	for i := len(starts) - 1; i >= 0; i-- {
		at := starts[i]
		end := len(args)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		clause := args[at:end]
		if len(clause) == 1 {
			out = clause[0]
			continue
		}
		test := x.List(form, pred, clause[0], expr)
		if len(clause) == 2 {
			out = x.List(form, symIf, test, clause[1], out)
			continue
		}
		g := x.Gensym("p")
		out = x.List(form, expand.SymLet, x.Vec(g, test), x.List(form, symIf, g, x.List(clause[2], clause[2], g), out))
	}
	return x.Let(form, bindings, []value.Value{out})
}

// condpClauses returns the indexes at which the clauses begin. A clause has three forms if the
// second is :>>, else two. A single form at the end is the default.
func condpClauses(args []value.Value) []int {
	var starts []int
	for i := 2; i < len(args); {
		starts = append(starts, i)
		if i+2 < len(args) && expand.IsKey(args[i+1], ">>") {
			i++
		}
		i += 2
	}
	return starts
}

// expandCase makes (case* g [(constants…) expr …] default).
func expandCase(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(case expr constant result … default?)")
	clauses := args[1:]
	var bindings []value.Value
	g := args[0]
	if !g.IsSymbol() || !x.IsLocal(g) {
		g = x.Gensym("case")
		bindings = append(bindings, g, args[0])
	}
	def := x.List(form, fnNoMatch, g)
	if len(clauses)%2 != 0 {
		def = clauses[len(clauses)-1]
		clauses = clauses[:len(clauses)-1]
	}
	if len(clauses) == 0 {
		return x.Let(form, bindings, []value.Value{def})
	}
	seen := x.T.SetOf()
	table := make([]value.Value, 0, len(clauses))
	for i := 0; i < len(clauses); i += 2 {
		consts := clauses[i]
		if !expand.IsList(consts) {
			consts = x.List(form, consts)
		}
		for _, c := range expand.FormItems(consts) {
			if _, dup := x.T.SetGet(seen, c); dup {
				x.Fail(form, "Duplicate case test constant: %s", value.Describe(x.T, c))
			}
			seen = x.T.SetConj(seen, c)
		}
		table = append(table, consts, clauses[i+1])
	}
	return x.Let(form, bindings, []value.Value{x.List(form, symCase, g, x.Vec(table...), def)})
}

func expandAssert(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, 2, "(assert test message?)")
	message := value.Nil
	if len(args) == 2 {
		message = args[1]
	}
	if x.NoAssert {
		return value.Nil
	}
	return assertion(x, form, args[0], message)
}

// assertion makes the form that throws an AssertionError unless test holds.
func assertion(x *expand.Expansion, at, test, message value.Value) value.Value {
	text := []value.Value{fnStr, x.Str("Assert failed: ")}
	if !message.IsNil() {
		text = append(text, message, x.Str("\n"))
	}
	text = append(text, x.List(at, fnPrStr, x.Quote(test)))
	fail := x.List(at, fnAssertFailed, x.List(at, text...))
	return x.List(at, symIf, test, value.Nil, fail)
}
