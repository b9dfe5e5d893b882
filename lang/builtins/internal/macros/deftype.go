// This file defines the macros deftype, definterface and proxy.

package macros

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

var deftypeMacros = []entry.Entry{
	{NS: "clojure.core", Name: "deftype", Args: "name fields & specs", Cost: entry.Syntax, Indent: entry.IndentType,
		Facts: entry.DefinesNames, Macro: expandDeftype,
		Doc: "Defines a type of objects with fields, and the function ->Name that makes them: " +
			"(deftype Name [fields…] Protocol (method [this args…] body…) …). The methods see the fields by name; set! " +
			"changes those marked ^:unsynchronized-mutable. An object is equal to itself only, and no map.",
		Examples: []string{"(do (defprotocol Shape (area [s])) (deftype Box [w h] Shape (area [_] (* w h))) (area (->Box 2 " +
			"3))) => 6",
			"(do (defprotocol C (hit [c])) (deftype Counter [^:unsynchronized-mutable n] C (hit [_] (set! n (inc n)) n)) (let " +
				"[c (Counter. 0)] (hit c) (hit c))) => 2",
			"(do (deftype T [a]) (.-b (->T 1))) !illegal-argument"}},
	{NS: "clojure.core", Name: "definterface", Args: "name & sigs", Cost: entry.Syntax, Indent: entry.IndentType,
		Facts: entry.DefinesNames, Macro: expandDefinterface,
		Doc: "Defines a protocol whose methods are written without the object: (definterface Name (method [args…]) …).",
		Examples: []string{"(do (definterface Shape (area [])) (deftype Sq [a] Shape (area [_] (* a a))) (.area (->Sq 3))) " +
			"=> 9"}},
	{NS: "clojure.core", Name: "gen-interface", Args: "& options", Cost: entry.Syntax, Facts: entry.DefinesNames,
		Macro: expandGenInterface,
		Doc: "Defines an interface of the current namespace: (gen-interface :name my.ns.Name :methods [[method [Type…] " +
			"Type]…]).",
		Examples: []string{"(do (gen-interface :name user.Sized :methods [[size [] int]]) (.size (reify user.Sized (size " +
			"[_] 3)))) => 3", "(gen-interface :name 1) !bad-form"}},
	{NS: "clojure.core", Name: "proxy", Args: "classes args & methods", Cost: entry.Syntax, Indent: entry.IndentProxy,
		Macro: expandProxy,
		Doc: "Returns an object with methods of interfaces, in which this is the object: (proxy [Interface…] [] " +
			"(method [args…] body…) …).",
		Examples: []string{"(str (proxy [Object] [] (toString [] \"me\"))) => \"me\""}},
}

// expandDeftype defines the type and the function that makes its objects, which
// is declared first since methods may call it.
func expandDeftype(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, -1, "(deftype Name [fields…] Protocol (method [this args…] body…) …)")
	name := args[0]
	x.PlainName("deftype", form, name)
	if !expand.IsVector(args[1]) {
		x.Fail(form, "deftype: got %s, want a vector of fields", value.Describe(x.T, args[1]))
	}
	fields := value.Items(args[1])
	var keys, params []value.Value
	for _, f := range fields {
		x.PlainName("deftype", form, f)
		keys = append(keys, keyword(x, f))
		params = append(params, x.T.Symbol("", f.AsSymbol().Name))
	}
	specs := args[2:]
	for len(specs) > 1 && specs[0].IsKeyword() {
		specs = specs[2:]
	}
	text := name.AsSymbol().Name
	class := strings.ReplaceAll(x.NS, "-", "_") + "." + text
	positional := x.T.Symbol("", "->"+text)
	typ := append([]value.Value{fnRecordType, x.Str(class), x.Vec(keys...)},
		inline(x, "deftype", form, name, fields, specs)...)
	typ = append(typ, x.T.Symbol("", "clojure.lang.IType"), x.T.MapOf()) // what tells it from a record
	return x.List(form, expand.SymDo,
		x.List(form, symDeclare, name, positional),
		x.List(form, symDef, name, x.List(form, typ...)),
		x.List(form, symDef, positional, x.Str("Positional factory function for class "+class+"."),
			x.List(form, expand.SymFn, x.Vec(params...), x.Call(form, params, fnObject, own(x, name)))),
		own(x, name))
}

// expandDefinterface makes a protocol of the methods, with the object as an additional first
// parameter. The methods are no functions. A method may be declared several times, with other parameters.
func expandDefinterface(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(definterface Name (method [args…]) …)")
	name := args[0]
	x.PlainName("definterface", form, name)
	table := x.T.MapOf()
	for _, sig := range args[1:] {
		items := method(x, "definterface", form, sig)
		if !expand.IsVector(items[1]) {
			x.Fail(sig, "definterface: want (method [args…])")
		}
		params := append([]value.Value{x.T.Symbol("", "this")}, value.Items(items[1])...)
		x.Method(items[0].AsSymbol().Name)
		key := keyword(x, items[0])
		overloads, _ := x.T.MapGet(table, key)
		table = x.T.MapAssoc(table, key, x.T.Conj(overloads, x.Vec(params...)))
	}
	full := x.Str(x.NS + "/" + name.AsSymbol().Name)
	return x.List(form, expand.SymDo, define(x, form, name, value.Nil, x.List(form, fnProtocol, full, x.Quote(table),
		value.False)), own(x, name))
}

// expandProxy makes reify with the methods, with this as an additional first parameter.
func expandProxy(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, -1, "(proxy [Interface…] [] (method [args…] body…) …)")
	if !expand.IsVector(args[0]) || len(value.Items(args[0])) == 0 {
		x.Fail(form, "proxy: want a vector of interfaces")
	}
	classes := value.Items(args[0])
	if local, ok := proxyLocal(x, form, classes, args[2:]); ok {
		return local
	}
	out := []value.Value{expand.CoreSym("reify")}
	out = append(out, classes[1:]...)
	out = append(out, classes[0])
	this := x.T.Symbol("", "this")
	for _, m := range args[2:] {
		items := method(x, "proxy", form, m)
		if expand.IsVector(items[1]) {
			params := append([]value.Value{this}, value.Items(items[1])...)
			out = append(out, x.Call(m, items[2:], items[0], x.Vec(params...)))
			continue
		}
		for _, arity := range items[1:] {
			sub := expand.FormItems(arity)
			params := append([]value.Value{this}, value.Items(sub[0])...)
			out = append(out, x.Call(m, sub[1:], items[0], x.Vec(params...)))
		}
	}
	return x.List(form, out...)
}

// proxyLocal expands a proxy of ThreadLocal with its one method:
// (proxy [ThreadLocal] [] (initialValue [] body…)).
func proxyLocal(x *expand.Expansion, form value.Value, classes, methods []value.Value) (out value.Value, ok bool) {
	if len(classes) != 1 || len(methods) != 1 || !classes[0].IsSymbol() ||
		strings.TrimPrefix(classes[0].AsSymbol().Name, "java.lang.") != "ThreadLocal" {
		return value.Nil, false
	}
	items := method(x, "proxy", form, methods[0])
	if items[0].AsSymbol().Name != "initialValue" || !expand.IsVector(items[1]) || len(value.Items(items[1])) > 0 {
		return value.Nil, false
	}
	first := x.Call(form, items[2:], expand.CoreSym("fn"), x.Vec())
	return x.List(form, x.T.Symbol("ThreadLocal", "withInitial"), first), true
}

// expandGenInterface makes definterface. Only the numbers of parameters count.
func expandGenInterface(x *expand.Expansion, form value.Value) value.Value {
	options := expand.FormItems(form)[1:]
	var name, methods value.Value
	for i := 0; i+1 < len(options); i += 2 {
		switch {
		case expand.IsKey(options[i], "name"):
			name = options[i+1]
		case expand.IsKey(options[i], "methods"):
			methods = options[i+1]
		}
	}
	if !name.IsSymbol() || !strings.HasPrefix(name.AsSymbol().Name, strings.ReplaceAll(x.NS, "-", "_")+".") {
		x.Fail(form, "gen-interface: want :name with the name of a class of the namespace %s", x.NS)
	}
	text := name.AsSymbol().Name
	out := []value.Value{expand.CoreSym("definterface"), x.T.Symbol("", text[strings.LastIndexByte(text, '.')+1:])}
	specs, _ := value.FormItems(methods)
	for _, m := range specs {
		sig, _ := value.FormItems(m)
		if len(sig) < 2 || !sig[0].IsSymbol() || !expand.IsVector(sig[1]) {
			x.Fail(form, "gen-interface: want methods such as [name [Type…] Type]")
		}
		params := make([]value.Value, len(value.Items(sig[1])))
		for i := range params {
			params[i] = x.Gensym("arg")
		}
		out = append(out, x.List(form, sig[0], x.Vec(params...)))
	}
	return x.List(form, out...)
}
