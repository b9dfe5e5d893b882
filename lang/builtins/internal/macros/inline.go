// This file makes functions of the methods in the body of defrecord and reify.

package macros

import (
	"slices"

	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/value"
)

// inline returns protocols and the maps of their methods alternately. owner is the
// name of the record, for traces.
func inline(x *expand.Expansion, macro string, form, owner value.Value, fields, specs []value.Value) []value.Value {
	var out []value.Value
	gs := groups(x, macro, form, specs)
	arities := aritiesOf(x, macro, form, fields, gs)
	for _, g := range gs {
		if !g.head.IsSymbol() {
			x.Fail(form, "%s: got %s, want the name of a protocol", macro, value.Describe(x.T, g.head))
		}
		class, isClass := jclass.Class(x.Resolve(g.head).AsSymbol().Name)
		if isClass && x.Resolve(g.head).AsSymbol().NS == "" {
			checkClass(x, macro, form, class.AsType().Name, g.methods)
		}
		out = append(out, g.head, inlineMethods(x, form, owner, arities, g.methods))
	}
	return out
}

// checkClass refuses the methods of Object that a record has already.
func checkClass(x *expand.Expansion, macro string, form value.Value, class string, methods []value.Value) {
	if class != "java.lang.Object" || macro != "defrecord" {
		return
	}
	for _, m := range methods {
		if items := method(x, macro, form, m); !expand.IsNamed(items[0], "toString") {
			x.Fail(m, "%s: method %s of Object cannot be implemented, only toString", macro, items[0].AsSymbol().Name)
		}
	}
}

// aritiesOf returns the arities of the methods in a definition, by name. They may be in several forms, and below
// several protocols: a class has one method for each name and number of parameters. If several differ only
// in hints, the first one counts.
func aritiesOf(x *expand.Expansion, macro string, form value.Value, fields []value.Value,
	gs []group) map[string][]value.Value {
	arities := make(map[string][]value.Value)
	type overload struct {
		name   string
		params int
	}
	seen := make(map[overload]bool)
	for _, g := range gs {
		for _, m := range g.methods {
			items := method(x, macro, form, m)
			name := items[0].AsSymbol().Name
			x.Method(name)
			if !expand.IsVector(items[1]) || len(value.Items(items[1])) == 0 {
				x.Fail(m, "%s: method %s wants a vector of parameters, with the object itself first", macro, name)
			}
			this := overload{name, len(value.Items(items[1]))}
			if !seen[this] {
				seen[this] = true
				arities[name] = append(arities[name], x.List(m, inlineArity(x, macro, m, fields, items[1:])...))
			}
		}
	}
	return arities
}

// inlineMethods makes a map from the keywords of methods to functions.
func inlineMethods(x *expand.Expansion, form, owner value.Value, arities map[string][]value.Value,
	methods []value.Value) value.Value {
	table := x.T.MapOf()
	for _, m := range methods {
		sym := expand.FormItems(m)[0]
		name := sym.AsSymbol().Name
		fn := x.Call(m, arities[name], expand.SymFn, methodName(x, name, owner))
		table = x.T.MapAssoc(table, keyword(x, sym), fn)
	}
	return table
}

// inlineArity makes one arity of a method. The fields that its body names are
// bound to the values in the object; parameters hide fields. As in Clojure, recur passes all parameters
// except the object.
func inlineArity(x *expand.Expansion, macro string, at value.Value, fields, sig []value.Value) []value.Value {
	names, patterns := splitParams(x, macro, at, plainParams(x, value.Items(sig[0])))
	body := sig[1:]
	words := wordsOf(slices.Concat(patterns, body))
	if len(patterns) > 0 {
		body = []value.Value{x.Call(at, body, expand.SymLet, x.Vec(destructure(x, macro, at, patterns, true)...))}
	}
	if words["recur"] && len(names) > 1 {
		var vars []value.Value
		for _, n := range names[1:] {
			if !expand.IsNamed(n, "&") {
				vars = append(vars, n, n)
			}
		}
		body = []value.Value{x.Call(at, body, symLoop, x.Vec(vars...))}
	} else if words["recur"] {
		body = []value.Value{x.Call(at, body, symLoop, x.Vec())}
	}
	this := x.Gensym("this")
	params := append([]value.Value{this}, names[1:]...)
	for _, p := range names {
		delete(words, p.AsSymbol().Name)
	}
	getter := fnGet
	if macro == "deftype" {
		getter = fnField
	}
	var bindings, mutable []value.Value
	for _, f := range fields {
		switch {
		case !words[f.AsSymbol().Name]:
		case isMutable(f):
			mutable = append(mutable, f)
		default:
			bindings = append(bindings, f, x.List(at, getter, this, keyword(x, f)))
		}
	}
	if len(mutable) > 0 {
		body = []value.Value{x.Call(at, body, symFields, this, x.Vec(mutable...))}
	}
	bindings = append(bindings, names[0], this)
	return []value.Value{x.Vec(params...), x.Let(at, bindings, body)}
}

// plainParams returns parameters without the namespaces that a syntax-quote adds, which Clojure ignores.
func plainParams(x *expand.Expansion, params []value.Value) []value.Value {
	out := make([]value.Value, len(params))
	for i, p := range params {
		out[i] = p
		if p.IsSymbol() && p.AsSymbol().NS != "" {
			out[i] = x.T.Symbol("", p.AsSymbol().Name)
		}
	}
	return out
}

// isMutable reports whether a field of a deftype may be changed.
func isMutable(field value.Value) bool {
	meta := value.MetaOf(field)
	return value.GetName(meta, "unsynchronized-mutable").Truthy() || value.GetName(meta, "volatile-mutable").Truthy()
}

// wordsOf returns the names of the symbols in forms.
func wordsOf(forms []value.Value) map[string]bool {
	words := make(map[string]bool)
	stack := append([]value.Value(nil), forms...)
	for len(stack) > 0 {
		form := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case form.IsSymbol():
			words[form.AsSymbol().Name] = true
		case expand.IsMap(form):
			stack = append(stack, mapItems(form)...)
		case expand.IsList(form), expand.IsVector(form), form.Is(value.Sets):
			stack = append(stack, value.Items(form)...)
		}
	}
	return words
}
