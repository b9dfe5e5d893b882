// This file defines the macros that define names: defn, defonce, defmulti and similar ones.

package macros

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

var defMacros = []entry.Entry{
	{NS: "clojure.core", Name: "defn", Args: "name & sigs", Cost: entry.Syntax, Indent: entry.IndentBody,
		Facts: entry.DefinesNames | entry.BindsFreely | entry.EndsInBody, Macro: expandDefn,
		Doc: "Defines a function: (defn name doc? attrs? [params] body…), or with several arities ([params] body…).",
		Examples: []string{"(do (defn add [a b] (+ a b)) (add 1 2)) => 3",
			`(do (defn f "Doc." ([] 0) ([x & more] (count more))) [(f) (f 1 2)]) => [0 1]`, "(defn f x) !bad-form"}},
	{NS: "clojure.core", Name: "defn-", Args: "name & sigs", Cost: entry.Syntax, Indent: entry.IndentBody,
		Facts: entry.DefinesNames | entry.BindsFreely | entry.EndsInBody, Macro: expandDefnPrivate,
		Doc:      "Defines a function that other namespaces do not see.",
		Examples: []string{"(do (defn- sq [x] (* x x)) (sq 3)) => 9"}},
	{NS: "clojure.core", Name: "defonce", Args: "name expr", Cost: entry.Syntax, Indent: entry.IndentBody,
		Facts: entry.DefinesNames, Macro: expandDefonce,
		Doc:      "Defines a name unless it has a value. expr is evaluated only in that case.",
		Examples: []string{"(do (defonce limit 1) (defonce limit 2) limit) => 1"}},
	{NS: "clojure.core", Name: "defmulti", Args: "name & options", Cost: entry.Syntax, Indent: entry.IndentBody,
		Facts: entry.DefinesNames, Macro: expandDefmulti,
		Doc: "Defines a function that chooses a method by the value of dispatch-fn for its arguments: " +
			"(defmulti name doc? attrs? dispatch-fn options…). The options are :default, the dispatch value of the method for " +
			"all others, and :hierarchy.",
		Examples: []string{"(do (defmulti area :shape) (defmethod area :square [{:keys [side]}] (* side side)) (area " +
			"{:shape :square :side 3})) => 9",
			"(do (defmulti f identity) (f 1)) !illegal-argument"}},
	{NS: "clojure.core", Name: "defmethod", Args: "multifn dispatch-val & fn-tail", Cost: entry.Syntax,
		Indent: entry.IndentBody, Facts: entry.DefinesNames | entry.BindsFreely, Macro: expandDefmethod,
		Doc: "Adds to a multimethod the method for a dispatch value: (defmethod name value [params] body…). :default " +
			"is for all other values.",
		Examples: []string{"(do (defmulti kind class) (defmethod kind :default [_] :other) (kind 1)) => :other"}},
	{NS: "clojure.core", Name: "defstruct", Args: "name & keys", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Facts: entry.DefinesNames, Macro: expandDefstruct,
		Doc:      "Defines a basis for struct: the keys of its maps.",
		Examples: []string{"(do (defstruct point :x :y) (struct point 1 2)) => {:x 1, :y 2}"}},
	{NS: "clojure.core", Name: "definline", Args: "name & decl", Cost: entry.Syntax, Indent: entry.IndentBody,
		Facts: entry.DefinesNames, Macro: expandDefinline,
		Doc:      "Defines a macro by the template that replaces a call.",
		Examples: []string{"(do (definline twice [x] `(+ ~x ~x)) (twice 2)) => 4"}},
}

func expandDefn(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(defn name doc? attrs? [params] body…)")
	return defn(x, "defn", form, args, nil)
}

func expandDefnPrivate(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(defn- name doc? attrs? [params] body…)")
	return defn(x, "defn-", form, args, []value.Value{value.ConstKeyword("private"), value.True})
}

// defn makes (def name doc? (fn* …)). The fn* has no name, which would be a local: the body refers to
// the value of the name when it runs, so that the name can be redefined.
func defn(x *expand.Expansion, macro string, form value.Value, args, attrs []value.Value) value.Value {
	name, sigs := args[0], args[1:]
	if !name.IsSymbol() {
		x.Fail(form, "%s: got %s, want a name first", macro, value.Describe(x.T, name))
	}
	doc, meta, sigs := docAndAttrs(sigs)
	attrs = append(attrs, meta...)
	if n := len(sigs) - 1; n > 0 && expand.IsMap(sigs[n]) && expand.IsList(sigs[0]) {
		attrs = append(attrs, mapItems(sigs[n])...)
		sigs = sigs[:n]
	}
	if len(sigs) == 0 {
		x.Fail(form, "%s: want parameters behind the name, as in (%s %s [x] …)", macro, macro, name.AsSymbol().Name)
	}
	fn := fnForm(x, macro, form, value.Nil, sigs)
	first := []value.Value{value.ConstKeyword("arglists"), x.Quote(x.List(form, paramLists(sigs)...))}
	if !doc.IsNil() {
		first = append(first, value.ConstKeyword("doc"), doc)
	}
	return define(x, form, withMeta(x, name, append(first, attrs...)), value.Nil, fn)
}

// paramLists returns the parameter vectors of a function's arities.
func paramLists(sigs []value.Value) []value.Value {
	if expand.IsVector(sigs[0]) {
		return sigs[:1]
	}
	lists := make([]value.Value, 0, len(sigs))
	for _, sig := range sigs {
		lists = append(lists, expand.FormItems(sig)[0])
	}
	return lists
}

// docAndAttrs removes a doc string and a map of attributes from the front of a definition. It returns
// the attributes as alternating keys and values.
func docAndAttrs(sigs []value.Value) (doc value.Value, attrs, rest []value.Value) {
	if len(sigs) > 1 && sigs[0].IsString() {
		doc, sigs = sigs[0], sigs[1:]
	}
	if len(sigs) > 1 && expand.IsMap(sigs[0]) {
		attrs, sigs = mapItems(sigs[0]), sigs[1:]
	}
	return doc, attrs, sigs
}

// define makes (def name doc? init).
func define(x *expand.Expansion, form, name, doc, init value.Value) value.Value {
	if doc.IsNil() {
		return x.List(form, symDef, name, init)
	}
	return x.List(form, symDef, name, doc, init)
}

// withMeta returns a symbol with further metadata, given as alternating keys and values. It takes precedence over the
// symbol's own, as in Clojure.
func withMeta(x *expand.Expansion, sym value.Value, attrs []value.Value) value.Value {
	if len(attrs) == 0 {
		return sym
	}
	meta := x.T.MapOf()
	if own := value.MetaOf(sym); expand.IsMap(own) {
		meta = own
	}
	for i := 0; i < len(attrs); i += 2 {
		meta = x.T.MapAssoc(meta, attrs[i], attrs[i+1])
	}
	out := value.WithMeta(x.T, sym, meta)
	out.AsSymbol().Pos = sym.AsSymbol().Pos
	return out
}

// mapItems returns the keys and values of a map form alternately.
func mapItems(form value.Value) []value.Value {
	var items []value.Value
	for it := value.NewMapIter(form); it.Next(); {
		items = append(items, it.Key, it.Val)
	}
	return items
}

func expandDefonce(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, 2, "(defonce name expr)")
	bound := x.List(form, fnBound, x.List(form, symDef, args[0]))
	return x.List(form, symIf, bound, value.Nil, x.List(form, symDef, args[0], args[1]))
}

func expandDefmulti(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, -1, "(defmulti name doc? attrs? dispatch-fn options…)")
	name := args[0]
	x.PlainName("defmulti", form, name)
	doc, attrs, rest := docAndAttrs(args[1:])
	if len(rest)%2 != 1 {
		x.Fail(form, "defmulti: got %s after the name, want the dispatch function, then options in pairs",
			diag.Counted(len(rest), "form"))
	}
	def, hierarchy := value.ConstKeyword("default"), value.Nil
	for i := 1; i < len(rest); i += 2 {
		switch {
		case expand.IsKey(rest[i], "default"):
			def = rest[i+1]
		case expand.IsKey(rest[i], "hierarchy"):
			hierarchy = rest[i+1]
		default:
			x.Fail(form, "defmulti: got the option %s, there are :default and :hierarchy", value.Describe(x.T, rest[i]))
		}
	}
	// As in Clojure, a multimethod that is already defined stays unchanged.
	init := x.List(form, fnMulti, x.Str(name.AsSymbol().Name), rest[0], def, hierarchy)
	known := x.List(form, fnIsMulti, x.List(form, symDef, name))
	return x.List(form, symIf, known, value.Nil, define(x, form, withMeta(x, name, attrs), doc, init))
}

// expandDefmethod names the method after the multimethod and the dispatch value,
// for traces; the name has a space, so that it hides no name of the program.
func expandDefmethod(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 3, -1, "(defmethod multifn dispatch-value [params] body…)")
	if !args[0].IsSymbol() {
		x.Fail(form, "defmethod: got %s, want the name of a multimethod", value.Describe(x.T, args[0]))
	}
	tail := args[2:]
	s := x.Resolve(args[0]).AsSymbol()
	if s.Name == "print-dup" && (s.NS == "" || s.NS == "clojure.core" || s.NS == x.NS) {
		return value.Nil // methods of print-dup have no effect
	}
	if text, ok := assertMethod(x, args[0], args[1]); ok {
		return x.Call(form, tail, expand.CoreSym("defmacro"), x.T.Symbol("", text))
	}
	name := methodName(x, args[0].AsSymbol().Name, args[1])
	if tail[0].IsSymbol() && len(tail) > 1 {
		name, tail = tail[0], tail[1:]
	}
	return x.List(form, fnAddMethod, args[0], args[1], fnForm(x, "defmethod", form, name, tail))
}

// methodName makes the name of the function that implements a method for a dispatch value or type.
func methodName(x *expand.Expansion, method string, owner value.Value) value.Value {
	switch owner.Kind() {
	case value.KindKeyword:
		return x.T.Symbol("", method+" :"+owner.AsKeyword().Name)
	case value.KindSymbol:
		return x.T.Symbol("", method+" "+owner.AsSymbol().Name)
	}
	return x.T.Symbol("", method+" method")
}

func expandDefstruct(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(defstruct name keys…)")
	return x.List(form, symDef, args[0], x.Call(form, args[1:], expand.CoreSym("create-struct")))
}

func expandDefinline(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, -1, "(definline name doc? attrs? [params] template)")
	return x.Call(form, args, expand.CoreSym("defmacro"))
}
