// This file defines the macros that bind names: let, loop, fn, letfn and the
// conditional forms of let.

package macros

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

var bindingMacros = []entry.Entry{
	{NS: "clojure.core", Name: "let", Args: "bindings & body", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Facts: entry.BindsFreely | entry.EndsInBody, Macro: expandLet,
		Doc: "Evaluates body with names bound, in order, to the values of expressions. " +
			"A name may be a pattern: [a b & more :as all], {x :x, :keys [a b], :or {a 1}, :as m}.",
		Examples: []string{"(let [x 1 y (+ x 1)] [x y]) => [1 2]", "(let [[a & more] [1 2 3]] [a more]) => [1 (2 3)]",
			"(let [{:keys [a b] :or {b 2}} {:a 1}] [a b]) => [1 2]", "(let [x] x) !bad-form"}},
	{NS: "clojure.core", Name: "loop", Args: "bindings & body", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Facts: entry.BindsFreely | entry.EndsInBody, Macro: expandLoop,
		Doc: "Evaluates body with names bound, as let does. recur in tail position repeats it with new values for the names.",
		Examples: []string{"(loop [i 0 acc 1] (if (< i 5) (recur (inc i) (* 2 acc)) acc)) => 32",
			"(loop [[x & more] [1 2 3] n 0] (if x (recur more (+ n x)) n)) => 6", "(loop x 1) !bad-form"}},
	{NS: "clojure.core", Name: "fn", Args: "& sigs", Cost: entry.Syntax, Indent: entry.IndentBody,
		Facts: entry.BindsFreely | entry.EndsInBody, Macro: expandFn,
		Doc: "Returns a function: (fn name? [params] body…), or (fn name? ([params] body…) …) for several arities. " +
			"Params may be patterns; & and a name take the remaining arguments. A map {:pre [tests] :post [tests]} before the " +
			"body states conditions to check.",
		Examples: []string{"((fn [x] (* x x)) 5) => 25", "((fn ([] 0) ([a & more] (count more))) 1 2 3) => 2",
			"((fn [{:keys [a]}] a) {:a 1}) => 1", "((fn [x] {:pre [(pos? x)]} x) -1) !assertion-failed", "(fn x) !bad-form"}},
	{NS: "clojure.core", Name: "letfn", Args: "fnspecs & body", Cost: entry.Syntax, Indent: entry.IndentLocalFn,
		Facts: entry.BindsFreely | entry.EndsInBody, Macro: expandLetfn,
		Doc: "Evaluates body with local functions (name [params] body…) that may call each other.",
		Examples: []string{"(letfn [(ev? [n] (if (= n 0) true (od? (dec n)))) (od? [n] (if (= n 0) false (ev? (dec n))))] " +
			"(ev? 10)) => true"}},
	{NS: "clojure.core", Name: "if-let", Args: "bindings then | bindings then else", Cost: entry.Syntax,
		Indent: entry.IndentBlock1, Facts: entry.BindsFreely, Macro: expandIfLet,
		Doc:      "Evaluates then with a name bound to the value of a test, or evaluates else if the value is nil or false.",
		Examples: []string{"(if-let [x (get {:a 1} :a)] (inc x) :none) => 2", "(if-let [x nil] x :none) => :none"}},
	{NS: "clojure.core", Name: "if-some", Args: "bindings then | bindings then else", Cost: entry.Syntax,
		Indent: entry.IndentBlock1, Facts: entry.BindsFreely, Macro: expandIfSome,
		Doc:      "Evaluates then with a name bound to the value of a test, or evaluates else if the value is nil.",
		Examples: []string{"(if-some [x false] [x] :none) => [false]", "(if-some [x nil] [x] :none) => :none"}},
	{NS: "clojure.core", Name: "when-let", Args: "bindings & body", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Facts: entry.BindsFreely | entry.EndsInBody, Macro: expandWhenLet,
		Doc:      "Evaluates body with a name bound to the value of a test, unless that is nil or false.",
		Examples: []string{"(when-let [x (first [5])] (inc x)) => 6", "(when-let [x (first [])] x) => nil"}},
	{NS: "clojure.core", Name: "when-some", Args: "bindings & body", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Facts: entry.BindsFreely | entry.EndsInBody, Macro: expandWhenSome,
		Doc:      "Evaluates body with a name bound to the value of a test, unless that is nil.",
		Examples: []string{"(when-some [x false] [x]) => [false]", "(when-some [x nil] 1) => nil"}},
	{NS: "clojure.core", Name: "when-first", Args: "bindings & body", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Facts: entry.BindsFreely, Macro: expandWhenFirst,
		Doc:      "Evaluates body with a name bound to the first element of a collection, unless that is empty.",
		Examples: []string{"(when-first [x [nil 2]] [x]) => [nil]", "(when-first [x []] 1) => nil"}},
}

func expandLet(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(let [name expr …] body…)")
	return letPatterns(x, "let", form, args[0], args[1:])
}

// letPatterns makes a let of a binding vector that may hold patterns.
func letPatterns(x *expand.Expansion, macro string, at, bindings value.Value, body []value.Value) value.Value {
	pairs := x.Pairs(macro, at, bindings)
	for i := 0; i < len(pairs); i += 2 {
		if !expand.IsPlain(pairs[i]) || expand.IsNamed(pairs[i], "&") {
			return x.Call(at, body, expand.SymLet, x.Vec(destructure(x, macro, at, pairs, false)...))
		}
	}
	return x.Call(at, body, expand.SymLet, bindings)
}

// bindOne makes a let of one pattern bound to a symbol of the expansion.
func bindOne(x *expand.Expansion, macro string, at, pattern, sym value.Value, body []value.Value) value.Value {
	return x.Call(at, body, expand.SymLet, x.Vec(destructure(x, macro, at, []value.Value{pattern, sym}, true)...))
}

// expandLoop binds the whole values in the loop and destructures them inside it, because recur
// passes whole values.
func expandLoop(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(loop [name init …] body…)")
	pairs := x.Pairs("loop", form, args[0])
	var vars, inner []value.Value
	patterns, sees := false, false
	for i := 0; i < len(pairs); i += 2 {
		name := pairs[i]
		if patterns && (isPattern(name) || !isConstant(pairs[i+1])) {
			sees = true // an init may refer to the names of an earlier pattern
		}
		if isPattern(name) {
			patterns = true
			name = x.Gensym("loop")
			inner = append(inner, pairs[i], name)
		} else {
			x.PlainName("loop", form, name)
		}
		vars = append(vars, name, pairs[i+1])
	}
	if !patterns {
		return x.Call(form, args[1:], symLoop, args[0])
	}
	body := x.Call(form, args[1:], expand.SymLet, x.Vec(destructure(x, "loop", form, inner, true)...))
	if !sees {
		return x.List(form, symLoop, x.Vec(vars...), body)
	}
	outer := &destructurer{x: x, macro: "loop", at: form}
	again := make([]value.Value, 0, len(vars))
	for i := 0; i < len(vars); i += 2 {
		outer.add(vars[i], vars[i+1])
		if isPattern(pairs[i]) {
			outer.bind(pairs[i], vars[i], true)
		}
		again = append(again, vars[i], vars[i])
	}
	return x.List(form, expand.SymLet, x.Vec(outer.out...), x.List(form, symLoop, x.Vec(again...), body))
}

// isConstant reports whether a form refers to no name: an empty collection or no
// collection.
func isConstant(form value.Value) bool {
	switch {
	case expand.IsVector(form) || form.Is(value.Sets):
		return len(value.Items(form)) == 0
	case expand.IsMap(form):
		return value.MapCount(form) == 0
	}
	return !form.IsSymbol() && !expand.IsList(form)
}

func expandFn(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 0, -1, "(fn name? [params] body…)")
	name := value.Nil
	if len(args) > 0 && args[0].IsSymbol() {
		name, args = args[0], args[1:]
		x.PlainName("fn", form, name)
	}
	fn := fnForm(x, "fn", form, name, args)
	if meta := value.MetaOf(form); value.MapCount(meta) > 0 {
		return x.List(form, fnWithMeta, fn, meta)
	}
	return fn
}

// fnForm makes a fn* of a name, which may be nil, and the forms after it: params and body, or a
// list of those for each arity.
func fnForm(x *expand.Expansion, macro string, at, name value.Value, sigs []value.Value) value.Value {
	head := []value.Value{expand.SymFn}
	if !name.IsNil() {
		head = append(head, name)
	}
	if len(sigs) == 0 {
		x.Fail(at, "%s: want parameters, as in (%s [x] …)", macro, macro)
	}
	if expand.IsVector(sigs[0]) {
		return x.Call(at, arity(x, macro, at, sigs), head...)
	}
	for _, sig := range sigs {
		parts := expand.FormItems(sig)
		if !expand.IsList(sig) || len(parts) == 0 || !expand.IsVector(parts[0]) {
			x.Fail(at, "%s: got %s, want a vector of parameters, or an arity ([params] body…)", macro, value.Describe(x.T, sig))
		}
		head = append(head, x.List(sig, arity(x, macro, sig, parts)...))
	}
	return x.List(at, head...)
}

// arity returns the plain parameters and the body of one arity.
func arity(x *expand.Expansion, macro string, at value.Value, sig []value.Value) []value.Value {
	params, body := sig[0], sig[1:]
	conds := value.Nil
	if len(body) > 1 && expand.IsMap(body[0]) {
		conds, body = body[0], body[1:]
	} else if m := value.MetaOf(params); expand.IsMap(m) {
		conds = m
	}
	if !conds.IsNil() {
		body = conditions(x, macro, at, conds, body)
	}
	names, inner := splitParams(x, macro, at, value.Items(params))
	if len(inner) == 0 {
		return append([]value.Value{params}, body...)
	}
	plain := destructure(x, macro, at, inner, true)
	return []value.Value{x.Vec(names...), x.Call(at, body, expand.SymLet, x.Vec(plain...))}
}

// splitParams returns plain parameters, and the patterns with the parameters that replace them.
func splitParams(x *expand.Expansion, macro string, at value.Value, params []value.Value) (names,
	patterns []value.Value) {
	for i, p := range params {
		switch {
		case expand.IsNamed(p, "&"):
			if i != len(params)-2 || expand.IsNamed(params[i+1], "&") {
				x.Fail(p, "%s: want exactly one parameter behind &, for the rest of the arguments", macro)
			}
			names = append(names, p)
		case p.IsSymbol():
			x.PlainName(macro, p, p)
			names = append(names, p)
		default:
			g := x.Gensym("p")
			names = append(names, g)
			patterns = append(patterns, p, g)
		}
	}
	return names, patterns
}

// conditions puts the tests of a {:pre [...] :post [...]} map around a body.
func conditions(x *expand.Expansion, macro string, at, conds value.Value, body []value.Value) []value.Value {
	var pre, post []value.Value
	for it := value.NewMapIter(conds); it.Next(); {
		if !expand.IsKey(it.Key, "pre") && !expand.IsKey(it.Key, "post") {
			continue
		}
		items := value.Items(it.Val)
		if expand.IsList(it.Val) { // Clojure tests the elements of any collection: (pos? x) is pos?, and then x
			items = expand.FormItems(it.Val)
		} else if !expand.IsVector(it.Val) {
			x.Fail(at, "%s: got %s after :%s, want a vector of tests", macro, value.Describe(x.T, it.Val),
				it.Key.AsKeyword().Name)
		}
		tests := make([]value.Value, 0, 4)
		for _, test := range items {
			tests = append(tests, assertion(x, test, test, value.Nil))
		}
		if x.NoAssert {
			continue
		}
		if expand.IsKey(it.Key, "pre") {
			pre = tests
		} else {
			post = tests
		}
	}
	if post != nil {
		body = []value.Value{x.Call(at, append(post, symPercent), expand.SymLet, x.Vec(symPercent, x.Do(at, body)))}
	}
	return append(pre, body...)
}

func expandLetfn(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(letfn [(name [params] body…) …] body…)")
	if !expand.IsVector(args[0]) {
		x.Fail(form, "letfn: got %s, want a vector of functions (name [params] body…)", value.Describe(x.T, args[0]))
	}
	var bindings []value.Value
	for _, spec := range value.Items(args[0]) {
		parts := expand.FormItems(spec)
		if !expand.IsList(spec) || len(parts) < 2 || !expand.IsPlain(parts[0]) {
			x.Fail(form, "letfn: got %s, want a function (name [params] body…)", value.Describe(x.T, spec))
		}
		bindings = append(bindings, parts[0], fnForm(x, "letfn", spec, parts[0], parts[1:]))
	}
	return x.Call(form, args[1:], symLetfn, x.Vec(bindings...))
}

func expandIfLet(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, 3, "(if-let [name test] then else?)")
	return ifLet(x, "if-let", form, args, false)
}

func expandIfSome(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, 3, "(if-some [name test] then else?)")
	return ifLet(x, "if-some", form, args, true)
}

func ifLet(x *expand.Expansion, macro string, form value.Value, args []value.Value, some bool) value.Value {
	pattern, test := onePair(x, macro, form, args[0])
	els := value.Nil
	if len(args) == 3 {
		els = args[2]
	}
	g := x.Gensym("temp")
	then := bindOne(x, macro, form, pattern, g, args[1:2])
	choice := x.List(form, symIf, g, then, els)
	if some {
		choice = x.List(form, symIf, x.List(form, fnNil, g), els, then)
	}
	return x.List(form, expand.SymLet, x.Vec(g, test), choice)
}

func expandWhenLet(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(when-let [name test] body…)")
	return ifLet(x, "when-let", form, []value.Value{args[0], x.Do(form, args[1:])}, false)
}

func expandWhenSome(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(when-some [name test] body…)")
	return ifLet(x, "when-some", form, []value.Value{args[0], x.Do(form, args[1:])}, true)
}

func expandWhenFirst(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(when-first [name coll] body…)")
	pattern, coll := onePair(x, "when-first", form, args[0])
	g := x.Gensym("xs")
	inner := letPatterns(x, "when-first", form, x.Vec(pattern, x.List(form, fnFirst, g)), args[1:])
	return x.List(form, expand.SymLet, x.Vec(g, x.List(form, fnSeq, coll)), x.List(form, symIf, g, inner, value.Nil))
}

// onePair returns the pattern and the expression of a vector with exactly these two.
func onePair(x *expand.Expansion, macro string, at, bindings value.Value) (pattern, expr value.Value) {
	if !expand.IsVector(bindings) {
		x.Fail(at, "%s: got %s, want a vector [name expr]", macro, value.Describe(x.T, bindings))
	}
	items := value.Items(bindings)
	if len(items) != 2 {
		x.Fail(at, "%s: got %s in the binding vector, want exactly 2", macro, diag.Counted(len(items), "form"))
	}
	return items[0], items[1]
}
