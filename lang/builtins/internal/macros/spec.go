// This file defines the macros of clojure.spec.alpha. Each expands to a call of a function of
// clojure.spec.impl with the
// forms of its arguments, in which names are resolved, and with their values; see late/spec_object.ptc.

package macros

import (
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

const specNS = "clojure.spec.alpha"

// SpecEntries returns the macros of clojure.spec.alpha, for the late table.
func SpecEntries() []entry.Entry {
	pairs := "& keys-and-specs"
	return []entry.Entry{
		specMacro("def", "name spec", 2, 2, expandSpecDef, "Defines a spec by a qualified keyword or a symbol, or "+
			"removes it if spec is nil. Returns the name.",
			"(do (s/def ::n int?) (s/valid? ::n 1)) => true", "(s/def :n int?) !exception"),
		specMacro("fdef", "name & specs", 1, -1, expandSpecFdef, "Defines the specs of a function: :args of its "+
			"arguments, :ret and :fn.", "(do (defn f [x] x) (s/fdef f :args (s/cat :x int?))) => user/f"),
		specMacro("spec", "form & opts", 1, 3, specCall("spec-of"), "Returns a spec of a predicate, a spec or "+
			"a regex. A regex in it matches a sequence of its own.",
			"(s/conform (s/cat :a (s/spec (s/* int?))) [[1 2]]) => {:a [1 2]}"),
		specMacro("and", "& specs", 0, -1, specCall("all-of"), "Returns a spec that conforms a value by "+
			"all specs in turn.",
			"(s/valid? (s/and int? even?) 3) => false"),
		specMacro("or", pairs, 0, -1, specCall("one-of"), "Returns a spec that conforms a value by the first spec "+
			"that matches, to [key value].", "(s/conform (s/or :n int? :s string?) \"a\") => [:s \"a\"]",
			"(s/or :n) !exception"),
		specMacro("nilable", "spec", 1, 1, specCall("nilable-of"), "Returns a spec of nil and what "+
			"conforms to spec.",
			"(s/valid? (s/nilable int?) nil) => true"),
		specMacro("tuple", "& specs", 1, -1, specCall("tuple-of"), "Returns a spec of a vector with one "+
			"element per spec.",
			"(s/valid? (s/tuple int? string?) [1 \"a\"]) => true"),
		specMacro("merge", "& specs", 0, -1, specCall("merged"), "Returns a spec of a map that conforms "+
			"to all specs.",
			"(s/valid? (s/merge (s/keys) (s/map-of int? any?)) {1 2}) => true"),
		specMacro("conformer", "f | f unform", 1, 2, specCall("conforming"), "Returns a spec that "+
			"conforms a value to "+
			"(f value).", "(s/conform (s/conformer inc dec) 1) => 2"),
		specMacro("multi-spec", "multimethod retag", 2, 2, specCall("multi"), "Returns a spec of the "+
			"values that conform to the "+
			"spec that a multimethod returns for them.",
			"(do (defmulti m :t) (defmethod m :a [_] (s/keys)) (s/valid? (s/multi-spec m :t) {:t :b})) => false"),
		specMacro("fspec", "& specs", 0, -1, specCall("function-spec"), "Returns a spec of a function. "+
			"It does not call the function.",
			"(s/valid? (s/fspec :args (s/cat :x int?)) inc) => true"),
		specMacro("int-in", "start end", 2, 2, specCall("integer-range"), "Returns a spec of the "+
			"integers from start up to "+
			"end, which is not one of them.", "(s/valid? (s/int-in 0 5) 5) => false"),
		specMacro("inst-in", "start end", 2, 2, specCall("instant-range"), "Returns a spec of the "+
			"instants from start up to "+
			"end, which is not one of them.", "(s/valid? (s/inst-in #inst \"2020\" #inst \"2021\") #inst "+
			"\"2020-06\") => true"),
		specMacro("double-in", "& opts", 0, -1, specCall("double-range"), "Returns a spec of floats; "+
			"the options are "+
			":min, :max, :infinite? and :NaN?.", "(s/valid? (s/double-in :min 0.0 :max 1.0) 0.5) => true"),
		specMacro("every", "spec & opts", 1, -1, rawSpecCall("some-elements"), "Returns a spec of a "+
			"collection whose elements match "+
			"spec; of a large one, about 100 are checked. The options are :kind, :count, :min-count, "+
			":max-count, :distinct and :into.",
			"(s/valid? (s/every int?) [1 :a]) => false"),
		specMacro("coll-of", "spec & opts", 1, -1, rawSpecCall("all-elements"), "Returns a spec of a "+
			"collection whose "+
			"elements all conform to spec. The options are those of every.",
			"(s/conform (s/coll-of int? :into #{}) [1 1]) => #{1}"),
		specMacro("every-kv", "key-spec val-spec & opts", 2, -1, rawSpecCall("some-entries"), "Returns "+
			"a spec of a map whose keys "+
			"and values match specs; of a large one, 101 entries are checked. The options are those of every.",
			"(s/valid? (s/every-kv int? int?) {1 :a}) => false"),
		specMacro("map-of", "key-spec val-spec & opts", 2, -1, rawSpecCall("all-entries"), "Returns a "+
			"spec of a map whose keys and "+
			"values all conform to specs. The options are those of every, and :conform-keys.",
			"(s/valid? (s/map-of int? int?) {1 2}) => true"),
		specMacro("keys", "& opts", 0, -1, quotedSpecCall("keys-of"), "Returns a spec of a map that has "+
			"keys. The options :req, "+
			":opt, :req-un and :opt-un have vectors of the names of their specs, and (or …) and (and …) of them.",
			"(do (s/def ::n int?) (s/valid? (s/keys :req-un [::n]) {:n \"a\"})) => false",
			"(s/keys :req [:n]) !exception"),
		specMacro("keys*", "& opts", 0, -1, quotedSpecCall("keys-regex"), "Returns a regex of keys and "+
			"values, which conform to a map "+
			"as keys has it.", "(s/conform (s/keys*) [:a 1]) => {:a 1}"),
		specMacro("cat", pairs, 0, -1, specCall("cat-regex"), "Returns a regex of parts in order, which "+
			"conform to a map by key.",
			"(s/conform (s/cat :n int? :s string?) [1 \"a\"]) => {:n 1, :s \"a\"}", "(s/cat :n) !exception"),
		specMacro("alt", pairs, 0, -1, specCall("alt-regex"), "Returns a regex of one of the parts, "+
			"which conforms to [key value].",
			"(s/conform (s/alt :n int? :s string?) [1]) => [:n 1]", "(s/alt :n) !exception"),
		specMacro("*", "spec", 1, 1, specCall("any-number"), "Returns a regex of any number of a part.",
			"(s/conform (s/* int?) [1 2]) => [1 2]"),
		specMacro("+", "spec", 1, 1, specCall("at-least-one"), "Returns a regex of one or more of a part.",
			"(s/valid? (s/+ int?) []) => false"),
		specMacro("?", "spec", 1, 1, specCall("optional"), "Returns a regex of an optional part.",
			"(s/conform (s/cat :n (s/? int?)) []) => {}"),
		specMacro("&", "spec & preds", 1, -1, specCall("amp-regex"), "Returns a regex whose conformed "+
			"value conforms to preds.",
			"(s/valid? (s/& (s/* int?) seq) []) => false"),
		specMacro("assert", "spec x", 2, 2, expandSpecAssert, "Returns x. If check-asserts has been "+
			"called with true, "+
			"throws if x does not conform to spec.", "(s/assert int? 1) => 1"),
	}
}

// specMacro returns a macro. In its examples, s/ is the alias of the namespace.
func specMacro(name, args string, least, most int,
	expandTo func(*expand.Expansion, value.Value, []value.Value) value.Value,
	doc string, examples ...string) entry.Entry {
	for i, e := range examples {
		examples[i] = strings.ReplaceAll(e, "(s/", "("+specNS+"/")
	}
	return entry.Entry{NS: specNS, Name: name, Args: args, Cost: entry.Syntax, Doc: doc, Examples: examples,
		Macro: func(x *expand.Expansion, form value.Value) value.Value {
			return expandTo(x, form, x.Args(form, least, most, "("+name+" "+args+")"))
		}}
}

func specFn(name string) value.Value { return value.ConstSymbol("clojure.spec.impl", name) }

// specCall returns the expansion to a call with the resolved forms and the values of the arguments.
func specCall(name string) func(*expand.Expansion, value.Value, []value.Value) value.Value {
	fn := specFn(name)
	return func(x *expand.Expansion, form value.Value, args []value.Value) value.Value {
		return x.List(form, fn, resolvedForms(x, form, args), x.Vec(args...))
	}
}

// rawSpecCall returns the expansion that also passes the unevaluated forms.
func rawSpecCall(name string) func(*expand.Expansion, value.Value, []value.Value) value.Value {
	fn := specFn(name)
	return func(x *expand.Expansion, form value.Value, args []value.Value) value.Value {
		return x.List(form, fn, resolvedForms(x, form, args), x.Vec(args...), x.Quote(x.Vec(args...)))
	}
}

// quotedSpecCall returns the expansion that passes only the forms.
func quotedSpecCall(name string) func(*expand.Expansion, value.Value, []value.Value) value.Value {
	fn := specFn(name)
	return func(x *expand.Expansion, form value.Value, args []value.Value) value.Value {
		return x.List(form, fn, x.Quote(x.Vec(args...)))
	}
}

func resolvedForms(x *expand.Expansion, at value.Value, args []value.Value) value.Value {
	forms := make([]value.Value, len(args))
	for i, arg := range args {
		forms[i] = specForm(x, at, arg)
	}
	return x.Quote(x.Vec(forms...))
}

// specForm returns a form with the names in it resolved, and with (fn [%] …) for a literal function.
func specForm(x *expand.Expansion, at, form value.Value) value.Value {
	if form.IsSymbol() {
		return specName(x, form)
	}
	if !form.Is(value.Colls) {
		return form
	}
	items := []value.Value{}
	for item := range value.Leaves(form) {
		items = append(items, item)
	}
	if len(items) == 3 && expand.IsList(form) && expand.IsNamed(items[0], "fn*") && expand.IsVector(items[1]) {
		return specFunction(x, at, items)
	}
	for i := range items {
		items[i] = specForm(x, at, items[i])
	}
	return likeForm(x, form, items)
}

// specFunction returns the form of a literal function, whose parameters get the names that the program wrote.
func specFunction(x *expand.Expansion, at value.Value, items []value.Value) value.Value {
	params := value.Items(items[1])
	names := make(map[symbolName]value.Value, len(params))
	shown := make([]value.Value, len(params))
	for i, p := range params {
		shown[i] = x.T.Symbol("", "%"+strconv.Itoa(i+1))
		if len(params) == 1 {
			shown[i] = symPercent
		}
		if p.IsSymbol() {
			names[symbolName{"", p.AsSymbol().Name}] = shown[i]
		}
	}
	s := substitution{x: x, at: at, macro: "spec", names: names}
	body := specForm(x, at, s.apply(items[2]))
	return x.List(at, expand.CoreSym("fn"), x.Vec(shown...), body)
}

// specName resolves a symbol. A symbol that names nothing is returned unchanged.
func specName(x *expand.Expansion, sym value.Value) value.Value {
	if r := x.Resolve(sym); !expand.IsPlain(sym) || r.AsSymbol().NS != x.NS || x.IsDefined(sym) {
		return r
	}
	return sym
}

func expandSpecDef(x *expand.Expansion, form value.Value, args []value.Value) value.Value {
	k := args[0]
	if k.IsSymbol() {
		k = x.Resolve(k)
	}
	return x.List(form, specFn("define"), x.Quote(k), x.Quote(specForm(x, form, args[1])), args[1])
}

func expandSpecFdef(x *expand.Expansion, form value.Value, args []value.Value) value.Value {
	return x.List(form, value.ConstSymbol(specNS, "def"), args[0],
		x.Call(form, args[1:], value.ConstSymbol(specNS, "fspec")))
}

func expandSpecAssert(x *expand.Expansion, form value.Value, args []value.Value) value.Value {
	return x.List(form, specFn("asserted"), args[0], args[1])
}
