// This file defines the macros for protocols and records: defprotocol,
// extend-type, extend-protocol, defrecord and reify.

package macros

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

var typeMacros = []entry.Entry{
	{NS: "clojure.core", Name: "defprotocol", Args: "name & sigs", Cost: entry.Syntax, Indent: entry.IndentType,
		Facts: entry.DefinesNames, Macro: expandDefprotocol,
		Doc: "Defines a protocol, a named set of functions (name [this args…] doc?) that choose an implementation by the " +
			"type of their first argument.",
		Examples: []string{`(do (defprotocol Shape (area [s])) (extend-type Long Shape (area [n] (* n n))) (area 3)) => 9`,
			"(do (defprotocol P (m [x])) (m 1)) !illegal-argument"}},
	{NS: "clojure.core", Name: "extend-type", Args: "type & specs", Cost: entry.Syntax, Indent: entry.IndentExtend,
		Facts: entry.DefinesNames, Macro: expandExtendType,
		Doc: "Implements protocols for a type: (extend-type Type Protocol (method [this args…] body…) …). Type is a " +
			"record, a class such as String, Number or Object, or nil.",
		Examples: []string{"(do (defprotocol P (size [x])) (extend-type String P (size [s] (count s))) (size \"abc\")) => " +
			"3"}},
	{NS: "clojure.core", Name: "extend-protocol", Args: "protocol & specs", Cost: entry.Syntax, Indent: entry.IndentExtend,
		Facts: entry.DefinesNames, Macro: expandExtendProtocol,
		Doc: "Implements a protocol for several types: (extend-protocol Protocol Type (method [this args…] body…) …).",
		Examples: []string{"(do (defprotocol P (kind [x])) (extend-protocol P nil (kind [_] :nil) Number (kind [_] " +
			":number) Object (kind [_] :other)) (map kind [nil 1 :a])) => (:nil :number :other)"}},
	{NS: "clojure.core", Name: "defrecord", Args: "name fields & specs", Cost: entry.Syntax, Indent: entry.IndentType,
		Facts: entry.DefinesNames, Macro: expandDefrecord,
		Doc: "Defines a type of maps with fixed fields, and the functions ->Name and map->Name that make them: " +
			"(defrecord Name [fields…] Protocol (method [this args…] body…) …). The methods see the fields by name.",
		Examples: []string{"(do (defrecord Point [x y]) [(:x (->Point 1 2)) (= (->Point 1 2) (map->Point {:x 1 :y 2}))]) " +
			"=> [1 true]",
			"(do (defprotocol Shape (area [s])) (defrecord Box [w h] Shape (area [_] (* w h))) (area (->Box 2 3))) => 6",
			"(do (defrecord Point [x y]) (assoc (->Point 1 2) :x 5)) => #user.Point{:x 5, :y 2}"}},
	{NS: "clojure.core", Name: "reify", Args: "& specs", Cost: entry.Syntax, Indent: entry.IndentType, Macro: expandReify,
		Doc: "Returns an object that implements protocols: (reify Protocol (method [this args…] body…) …). The " +
			"methods see the surrounding locals.",
		Examples: []string{"(do (defprotocol P (total [x n])) (let [k 10] (total (reify P (total [_ n] (+ k n))) 5))) => " +
			"15"}},
}

// own returns the qualified symbol of a name defined in the current namespace, so
// that no local of the program hides it.
func own(x *expand.Expansion, name value.Value) value.Value {
	sym := x.T.Symbol(x.NS, name.AsSymbol().Name)
	sym.AsSymbol().Pos = name.AsSymbol().Pos
	return sym
}

func keyword(x *expand.Expansion, sym value.Value) value.Value {
	return x.T.Keyword("", sym.AsSymbol().Name)
}

var (
	keyTag      = value.ConstKeyword("tag")
	keyDoc      = value.ConstKeyword("doc")
	keyArglists = value.ConstKeyword("arglists")
	keyProtocol = value.ConstKeyword("protocol")
)

// expandDefprotocol defines the protocol, then each method.
func expandDefprotocol(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(defprotocol Name doc? (method [this args…] doc?) …)")
	name := args[0]
	x.PlainName("defprotocol", form, name)
	sigs, doc, viaMeta := args[1:], value.Nil, value.False
	if len(sigs) > 0 && sigs[0].IsString() {
		doc, sigs = sigs[0], sigs[1:]
	}
	for len(sigs) > 1 && sigs[0].IsKeyword() {
		if expand.IsKey(sigs[0], "extend-via-metadata") {
			viaMeta = sigs[1]
		}
		sigs = sigs[2:]
	}
	table := x.T.MapOf()
	var defs []value.Value
	for _, sig := range sigs {
		method, arities, mdoc := signature(x, form, sig)
		key := keyword(x, method)
		if _, dup := x.T.MapGet(table, key); dup {
			x.Fail(sig, "defprotocol: Function %s in protocol %s was redefined. Specify all arities in single definition: (%s "+
				"[a] [a b])",
				method.AsSymbol().Name, name.AsSymbol().Name, method.AsSymbol().Name)
		}
		lists := x.List(sig, arities...)
		tag, _ := x.T.MapGet(value.MetaOf(method), keyTag)
		table = x.T.MapAssoc(table, key, value.WithMeta(x.T, lists, x.T.MapOf(keyDoc, mdoc, keyTag, tag)))
		method = withMeta(x, method, []value.Value{keyArglists, x.Quote(lists), keyDoc, mdoc, keyProtocol,
			x.List(sig, symVar, own(x, name)), keyTag, value.Nil})
		defs = append(defs, define(x, sig, method, value.Nil, x.List(sig, fnProtocolFn, own(x, name), key)))
	}
	full := x.Str(x.NS + "/" + name.AsSymbol().Name)
	init := x.List(form, fnProtocol, full, x.Quote(table), viaMeta)
	out := []value.Value{expand.SymDo, define(x, form, name, doc, init)}
	return x.List(form, append(append(out, defs...), x.Quote(name))...)
}

// signature returns the parts of a method of a protocol: (name [this args…] … doc?).
func signature(x *expand.Expansion, form, sig value.Value) (name value.Value, arities []value.Value, doc value.Value) {
	items := expand.FormItems(sig)
	if !expand.IsList(sig) || len(items) == 0 || !expand.IsPlain(items[0]) {
		x.Fail(form, "defprotocol: got %s, want a method (name [this args…] doc?)", value.Describe(x.T, sig))
	}
	for _, item := range items[1:] {
		switch {
		case item.IsString():
			doc = item
		case expand.IsVector(item) && len(value.Items(item)) == 0:
			x.Fail(sig, "defprotocol: Definition of function %s in protocol must take at least one arg: the object it is "+
				"called on", items[0].AsSymbol().Name)
		case expand.IsVector(item):
			arities = append(arities, item)
		}
	}
	if len(arities) == 0 {
		x.Fail(sig, "defprotocol: method %s has no parameters, want (%s [this args…])", items[0].AsSymbol().Name,
			items[0].AsSymbol().Name)
	}
	return items[0], arities, doc
}

// group is the name of a protocol or type with the method forms after it.
type group struct {
	head    value.Value
	methods []value.Value
}

// groups splits specs into groups. The first of each is a name or, where a type
// is wanted, any expression.
func groups(x *expand.Expansion, macro string, form value.Value, specs []value.Value) []group {
	var out []group
	for i, spec := range specs {
		if len(out) > 0 && expand.IsList(spec) && i > 0 {
			g := &out[len(out)-1]
			g.methods = append(g.methods, spec)
			continue
		}
		if expand.IsList(spec) && macro != "extend-protocol" {
			x.Fail(form, "%s: got a method before the protocol it belongs to", macro)
		}
		out = append(out, group{head: spec})
	}
	return out
}

// expandExtendType makes (extend Type Protocol {:method (fn …)} …).
func expandExtendType(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(extend-type Type Protocol (method [this args…] body…) …)")
	out := []value.Value{fnExtend, args[0]}
	for _, g := range groups(x, "extend-type", form, args[1:]) {
		out = append(out, g.head, methodMap(x, "extend-type", form, args[0], g.methods))
	}
	return x.List(form, out...)
}

func expandExtendProtocol(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(extend-protocol Protocol Type (method [this args…] body…) …)")
	out := []value.Value{expand.SymDo}
	for _, g := range groups(x, "extend-protocol", form, args[1:]) {
		methods := methodMap(x, "extend-protocol", form, g.head, g.methods)
		out = append(out, x.List(form, fnExtend, g.head, args[0], methods))
	}
	return x.List(form, append(out, value.Nil)...)
}

// methodMap makes a map from keywords to functions of method forms. All arities of a method are in
// one form, as in fn.
func methodMap(x *expand.Expansion, macro string, form, owner value.Value, methods []value.Value) value.Value {
	table := x.T.MapOf()
	for _, m := range methods {
		items := method(x, macro, form, m)
		key := keyword(x, items[0])
		if old, dup := x.T.MapGet(table, key); dup && !sameArity(old, items[1]) { // else the last one counts
			x.Fail(m, "%s: method %s is given twice; write its arities together: (%s ([x] …) ([x y] …))",
				macro, items[0].AsSymbol().Name, items[0].AsSymbol().Name)
		}
		fn := fnForm(x, macro, m, methodName(x, items[0].AsSymbol().Name, owner), items[1:])
		table = x.T.MapAssoc(table, key, fn)
	}
	return table
}

// sameArity reports whether fn, the form of a method, has one arity, with as many parameters as a vector has.
func sameArity(fn, params value.Value) bool {
	if !expand.IsVector(params) {
		return false
	}
	for _, x := range expand.FormItems(fn) {
		if expand.IsVector(x) {
			return value.VecCount(x) == value.VecCount(params)
		}
	}
	return false
}

// method checks a method form and returns its items.
func method(x *expand.Expansion, macro string, form, m value.Value) []value.Value {
	items := expand.FormItems(m)
	if len(items) < 2 || !items[0].IsSymbol() {
		x.Fail(form, "%s: got %s, want a method (name [this args…] body…)", macro, value.Describe(x.T, m))
	}
	return items
}

// expandDefrecord defines the type, with the implementations in it, and the two functions that make
// records, which are declared first because methods may call them.
func expandDefrecord(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, -1, "(defrecord Name [fields…] Protocol (method [this args…] body…) …)")
	name := args[0]
	x.PlainName("defrecord", form, name)
	if !expand.IsVector(args[1]) {
		x.Fail(form, "defrecord: got %s, want a vector of fields", value.Describe(x.T, args[1]))
	}
	fields := value.Items(args[1])
	keys := make([]value.Value, 0, len(fields))
	seen := make(map[string]bool)
	for _, f := range fields {
		x.PlainName("defrecord", form, f)
		if seen[f.AsSymbol().Name] {
			x.Fail(form, "defrecord: field %s is given twice", f.AsSymbol().Name)
		}
		seen[f.AsSymbol().Name] = true
		keys = append(keys, keyword(x, f))
	}
	specs := args[2:]
	for len(specs) > 1 && specs[0].IsKeyword() {
		specs = specs[2:]
	}
	text := name.AsSymbol().Name
	class := strings.ReplaceAll(x.NS, "-", "_") + "." + text
	typ := append([]value.Value{fnRecordType, x.Str(class), x.Vec(keys...)},
		inline(x, "defrecord", form, name, fields, specs)...)
	positional, fromMap := x.T.Symbol("", "->"+text), x.T.Symbol("", "map->"+text)
	m := x.Gensym("m")
	return x.List(form, expand.SymDo,
		x.List(form, symDeclare, name, positional, fromMap),
		x.List(form, symDef, name, x.List(form, typ...)),
		x.List(form, symDef, positional, x.Str("Positional factory function for class "+class+"."),
			x.List(form, expand.SymFn, args[1], x.Call(form, fields, fnRecord, own(x, name)))),
		x.List(form, symDef, fromMap, x.Str("Factory function for class "+class+", taking a map of keywords to field "+
			"values."),
			x.List(form, expand.SymFn, x.Vec(m), x.List(form, fnMapRecord, own(x, name), m))),
		own(x, name))
}

func expandReify(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 0, -1, "(reify Protocol (method [this args…] body…) …)")
	impls := inline(x, "reify", form, x.T.Symbol("", "reify"), nil, args)
	return x.Call(form, impls, fnReify)
}
