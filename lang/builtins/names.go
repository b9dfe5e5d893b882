// This file defines the functions on namespaces and vars, with which a program inspects its names.

package builtins

import (
	"maps"
	"slices"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var nameEntries = []entry.Entry{
	{NS: "clojure.core", Name: "ns-name", Args: "ns", Cost: entry.Constant, Fn: nsName,
		Doc:      "Returns the name of a namespace as a symbol.",
		Examples: []string{"(ns-name *ns*) => user", "(ns-name 'nope) !illegal-argument"}},
	{NS: "clojure.core", Name: "find-ns", Args: "sym:symbol", Cost: entry.Constant, Fn: findNS,
		Doc: "Returns the namespace of a name, nil if there is none.",
		Examples: []string{"(str (find-ns 'clojure.string)) => \"clojure.string\"", "(find-ns 'nope) => nil",
			"(find-ns 1) !wrong-type"}},
	{NS: "clojure.core", Name: "the-ns", Args: "ns", Cost: entry.Constant, Fn: theNS,
		Doc:      "Returns the namespace of a name; throws if there is none.",
		Examples: []string{"(str (the-ns 'user)) => \"user\"", "(the-ns 'nope) !illegal-argument"}},
	{NS: "clojure.core", Name: "all-ns", Args: "", Cost: entry.PerElement, Fn: allNS,
		Doc: "Returns all namespaces.", Examples: []string{"(contains? (set (map ns-name (all-ns))) 'clojure.core) => true"}},
	{NS: "clojure.core", Name: "ns-publics", Args: "ns", Cost: entry.PerElement,
		Facts: entry.FindsAny | entry.ReachesNames, Fn: nsVars(false),
		Doc:      "Returns a map from name to var of the public vars of a namespace.",
		Examples: []string{"(do (def x 1) (keys (ns-publics 'user))) => (x)", "(ns-publics 'nope) !illegal-argument"}},
	{NS: "clojure.core", Name: "ns-interns", Args: "ns", Cost: entry.PerElement,
		Facts: entry.FindsAny | entry.ReachesNames, Fn: nsVars(true),
		Doc:      "Returns a map from name to var of the vars that a namespace defines.",
		Examples: []string{"(do (defn- f [] 1) (keys (ns-interns 'user))) => (f)", "(ns-interns 'nope) !illegal-argument"}},
	{NS: "clojure.core", Name: "ns-map", Args: "ns", Cost: entry.PerElement, Facts: entry.FindsAny | entry.ReachesNames,
		Fn:       nsMap,
		Doc:      "Returns a map from name to var of the vars that a namespace or clojure.core defines.",
		Examples: []string{"(contains? (ns-map 'user) 'inc) => true", "(ns-map 'nope) !illegal-argument"}},
	{NS: "clojure.core", Name: "ns-aliases", Args: "ns", Cost: entry.PerElement, Fn: nsAliases,
		Doc: "Returns a map from alias to namespace.",
		Examples: []string{"(do (alias 's 'clojure.string) (str (get (ns-aliases *ns*) 's))) => \"clojure.string\"",
			"(ns-aliases 'nope) !illegal-argument"}},
	{NS: "clojure.core", Name: "ns-refers", Args: "ns", Cost: entry.PerElement, Facts: entry.FindsAny | entry.ReachesNames,
		Fn:       nsRefers,
		Doc:      "Returns a map from name to var of the vars of other namespaces that need no prefix in a namespace.",
		Examples: []string{"(get (ns-refers 'user) 'inc) => #'clojure.core/inc", "(ns-refers 'nope) !illegal-argument"}},
	{NS: "clojure.core", Name: "ns-imports", Args: "ns", Cost: entry.PerElement, Fn: nsImports,
		Doc:      "Returns an empty map: classes need no import.",
		Examples: []string{"(ns-imports 'user) => {}", "(ns-imports 'nope) !illegal-argument"}},
	{NS: "clojure.core", Name: "ns-unalias", Args: "ns sym:symbol", Cost: entry.Constant, Fn: nsUnalias,
		Doc: "Removes an alias from a namespace, for resolve and eval.",
		Examples: []string{"(do (alias 's 'clojure.string) (ns-unalias *ns* 's) (ns-aliases *ns*)) => {}",
			"(ns-unalias 'nope 's) !illegal-argument"}},
	{NS: "clojure.core", Name: "%create-ns", Args: "sym:symbol", Cost: entry.Constant, Fn: createNS, Private: true},
	{NS: "clojure.core", Name: "%in-ns", Args: "sym:symbol", Cost: entry.Constant, Fn: inNS, Private: true},
	{NS: "clojure.core", Name: "resolve", Args: "sym:symbol | env sym:symbol", Cost: entry.Constant,
		Facts: entry.FindsNamed | entry.ReachesNames, Fn: resolve,
		Doc:      "Returns the var or class that a symbol means, nil if it means nothing or is in env, a map or set.",
		Examples: []string{"(resolve 'inc) => #'clojure.core/inc", "(resolve 'nope) => nil", "(resolve 1) !wrong-type"}},
	{NS: "clojure.core", Name: "ns-resolve", Args: "ns sym:symbol | ns env sym:symbol", Cost: entry.Constant,
		Facts: entry.FindsNamed | entry.ReachesNames, Fn: nsResolve,
		Doc: "Returns the var or class that a symbol means in a namespace, nil if it means nothing or is in env, a map or " +
			"set.", Examples: []string{"(ns-resolve 'clojure.core 'map) => #'clojure.core/map",
			"(ns-resolve 'nope 'x) !illegal-argument"}},
	{NS: "clojure.core", Name: "requiring-resolve", Args: "sym:symbol", Cost: entry.Constant,
		Facts: entry.FindsNamed | entry.ReachesNames, Fn: requiringResolve,
		Doc: "Returns the var of a qualified symbol.",
		Examples: []string{"(requiring-resolve 'clojure.string/join) => #'clojure.string/join",
			"(requiring-resolve 'join) !illegal-argument"}},
	{NS: "clojure.core", Name: "find-var", Args: "sym:symbol", Cost: entry.Constant,
		Facts: entry.FindsNamed | entry.ReachesNames, Fn: findVar,
		Doc:      "Returns the var of a qualified symbol, nil if there is none.",
		Examples: []string{"(find-var 'clojure.core/map) => #'clojure.core/map", "(find-var 'map) !illegal-argument"}},
	{NS: "clojure.core", Name: "%find-lib", Args: "lib", Private: true, Cost: entry.Constant, Fn: findLib,
		Doc: "Fails if a library, given by its symbol or a vector that begins with it, does not exist."},
	{NS: "clojure.core", Name: "%interned", Args: "ns:string name:string message:string hint:string", Private: true,
		Cost: entry.Constant, Fn: interned,
		Doc: "Returns the value of a name that intern may have made."},
	{NS: "clojure.core", Name: "intern", Args: "ns name:symbol | ns name:symbol val", Cost: entry.Constant,
		Facts: entry.DefinesNames | entry.ReachesNames, Interns: true, Fn: intern,
		Doc: "Returns the var of a name in a namespace of the program. Creates the var if it is new, and sets its value if " +
			"given.", Examples: []string{"(do (intern *ns* 'q 5) @(resolve 'q)) => 5", "(intern 'nope 'q 5) !illegal-argument"}},
	{NS: "clojure.core", Name: "ns-unmap", Args: "ns sym:symbol", Cost: entry.Constant, Fn: nsUnmap,
		Doc:      "Removes a name from a namespace of the program, for resolve and eval.",
		Examples: []string{"(do (def x 1) (ns-unmap *ns* 'x) (resolve 'x)) => nil"}},
	{NS: "clojure.core", Name: "remove-ns", Args: "sym:symbol", Cost: entry.Constant, Fn: findNS,
		Doc:      "Returns the namespace, nil if there is none. Namespaces are never removed.",
		Examples: []string{"(remove-ns 'nope) => nil"}},
	{NS: "clojure.core", Name: "var-set", Args: "v:var val", Cost: entry.Constant, Fn: setVarBinding,
		Doc:      "Sets a var made by with-local-vars, or the innermost binding of a dynamic var. Returns the new value.",
		Examples: []string{"(with-local-vars [x 1] (var-set x 2) @x) => 2", "(do (def x 1) (var-set #'x 2)) !illegal-state"}},
	{NS: "clojure.core", Name: "thread-bound?", Args: "& vars:var", Cost: entry.PerArg, Fn: isThreadBound,
		Doc: "Returns true if all vars are bound by binding.",
		Examples: []string{"(do (def ^:dynamic *x* 1) [(thread-bound? #'*x*) (binding [*x* 2] (thread-bound? #'*x*))]) => " +
			"[false true]", "(thread-bound? 1) !wrong-type"}},
	{NS: "clojure.core", Name: "get-thread-bindings", Args: "", Cost: entry.PerElement, Fn: threadBindings,
		Doc:      "Returns a map from var to value of the current dynamic bindings.",
		Examples: []string{"(do (def ^:dynamic *x* 1) (binding [*x* 2] (get (get-thread-bindings) #'*x*))) => 2"}},
	{NS: "clojure.core", Name: "%local-var", Args: "val", Cost: entry.Constant, Fn: localVar, Private: true},
	{NS: "clojure.core", Name: "%bind-vars", Args: "m:map?", Cost: entry.PerElement, Fn: bindVars, Private: true},
	{NS: "clojure.core", Name: "pop-thread-bindings", Args: "", Cost: entry.Constant, Fn: popFrame,
		Doc:      "Removes the bindings of the last push-thread-bindings.",
		Examples: []string{"(pop-thread-bindings) !illegal-state"}},
	{NS: "clojure.core", Name: "%unbind-vars", Args: "m:map?", Cost: entry.PerElement, Fn: unbindVars, Private: true},
	{NS: "clojure.core", Name: "%expand", Args: "form", Cost: entry.Runs, Fn: expandOnce, Private: true},
}

// nsOf returns the name of a namespace, from the namespace itself or its symbol.
func nsOf(t *value.Task, v value.Value) string {
	switch v.Kind() {
	case value.KindNamespace:
		return v.AsNamespace().Name
	case value.KindSymbol:
		name := v.AsSymbol().Name
		if !t.Host.Names().Has(name) {
			t.FailClass("java.lang.Exception", diag.IllegalArgument, "No namespace: %s found", name)
		}
		return name
	case value.KindNil:
		t.Fail(diag.NilValue, "got nil, want a namespace")
	}
	t.Fail(diag.WrongType, "got %s, want a namespace or its name", value.Describe(t, v))
	return ""
}

func nsName(t *value.Task, args []value.Value) value.Value { return t.Symbol("", nsOf(t, args[0])) }

func findNS(t *value.Task, args []value.Value) value.Value {
	if name := args[0].AsSymbol().Name; t.Host.Names().Has(name) {
		return t.Namespace(name)
	}
	return value.Nil
}

func theNS(t *value.Task, args []value.Value) value.Value {
	return t.Namespace(nsOf(t, args[0]))
}

func allNS(t *value.Task, _ []value.Value) value.Value {
	all := t.Host.Names().All()
	t.Work(int64(len(all)))
	vals := t.Vals(len(all))
	for i, name := range all {
		vals[i] = t.Namespace(name)
	}
	return t.SeqOf(vals)
}

// nsVars returns the function ns-publics, or ns-interns for all.
func nsVars(all bool) value.NativeFunc {
	return func(t *value.Task, args []value.Value) value.Value {
		vars, _ := t.Host.Names().Vars(nsOf(t, args[0]), all)
		return varsByHash(t, slices.DeleteFunc(vars, func(v value.Value) bool { return classOrVar(t, v) != v }))
	}
}

// classOrVar returns the class that a var of deftype or defrecord holds, and any other var itself: Clojure
// has no such vars.
func classOrVar(t *value.Task, v value.Value) value.Value {
	of := v.AsVar()
	if root, _ := t.Host.VarRoot(of); root.Kind() == value.KindType && !root.AsType().Class &&
		root.AsType().Name == of.Sym.NS+"."+of.Sym.Name {
		return root
	}
	return v
}

// varsByHash returns a map from name to var that was filled in the order of a hash map, which is the order
// that Clojure's small maps of vars have, and so that in which tests run.
func varsByHash(t *value.Task, vars []value.Value) value.Value {
	kvs := t.Vals(2 * len(vars))
	for i, v := range vars {
		t.Work(1)
		kvs[2*i], kvs[2*i+1] = t.Symbol("", v.AsVar().Sym.Name), v
	}
	m := value.EmptyMap
	for it := value.NewMapIter(t.HashMapOf(kvs)); it.Next(); {
		m = t.MapAssoc(m, it.Key, it.Val)
	}
	return m
}

func addVars(t *value.Task, m value.Value, vars []value.Value) value.Value {
	for _, v := range vars {
		t.Work(1)
		m = t.MapAssoc(m, t.Symbol("", v.AsVar().Sym.Name), classOrVar(t, v))
	}
	return m
}

func nsMap(t *value.Task, args []value.Value) value.Value {
	names := t.Host.Names()
	core, _ := names.Vars("clojure.core", false)
	own, _ := names.Vars(nsOf(t, args[0]), true)
	return addVars(t, addVars(t, value.EmptyMap, core), own)
}

func nsAliases(t *value.Task, args []value.Value) value.Value {
	m := value.EmptyMap
	for _, alias := range t.Host.Names().Aliases(nsOf(t, args[0])) {
		t.Work(1)
		m = t.MapAssoc(m, t.Symbol("", alias.Name), t.Namespace(alias.NS))
	}
	return m
}

// nsRefers returns the names that need no prefix, including all of clojure.core.
func nsRefers(t *value.Task, args []value.Value) value.Value {
	ns := nsOf(t, args[0])
	core, _ := t.Host.Names().Vars("clojure.core", false)
	m := addVars(t, value.EmptyMap, core)
	refers := t.Host.Names().Refers(ns)
	for _, name := range slices.Sorted(maps.Keys(refers)) {
		t.Work(1)
		m = t.MapAssoc(m, t.Symbol("", name), refers[name])
	}
	return m
}

func nsUnalias(t *value.Task, args []value.Value) value.Value {
	t.Host.Names().Unalias(nsOf(t, args[0]), args[1].AsSymbol().Name)
	return value.Nil
}

func nsImports(t *value.Task, args []value.Value) value.Value {
	nsOf(t, args[0])
	return value.EmptyMap
}

func createNS(t *value.Task, args []value.Value) value.Value {
	name := args[0].AsSymbol().Name
	t.Host.Names().Create(name)
	return t.Namespace(name)
}

func inNS(t *value.Task, args []value.Value) value.Value {
	name := args[0].AsSymbol().Name
	t.Host.Names().Enter(name)
	return t.Namespace(name)
}

func resolve(t *value.Task, args []value.Value) value.Value {
	return resolveIn(t, t.Host.Names().Current(), args)
}

func nsResolve(t *value.Task, args []value.Value) value.Value {
	return resolveIn(t, nsOf(t, args[0]), args[1:])
}

// resolveIn resolves the last of the arguments in a namespace. A symbol in the environment before
// it, which has the locals around a macro call, means no var.
func resolveIn(t *value.Task, ns string, args []value.Value) value.Value {
	sym := args[len(args)-1]
	if len(args) == 2 && !args[0].IsNil() && t.Contains(args[0], sym) {
		return value.Nil
	}
	v := t.Host.Names().Resolve(ns, sym)
	if v.Kind() == value.KindVar {
		v = classOrVar(t, v)
	}
	return v
}

func qualified(t *value.Task, sym value.Value) {
	if sym.AsSymbol().NS == "" {
		t.Fail(diag.IllegalArgument, "Symbol must be namespace-qualified")
	}
}

func requiringResolve(t *value.Task, args []value.Value) value.Value {
	if args[0].AsSymbol().NS == "" {
		t.Fail(diag.IllegalArgument, "Not a qualified symbol: %s", args[0].AsSymbol().Name)
	}
	if ns := args[0].AsSymbol().NS; !t.Host.Names().Has(ns) {
		failNamespace(t, ns)
	}
	return resolve(t, args)
}

func failNamespace(t *value.Task, ns string) {
	t.FailClass("java.io.FileNotFoundException", diag.IllegalArgument, "Could not locate namespace %s", ns)
}

func findLib(t *value.Task, args []value.Value) value.Value {
	lib := args[0]
	if lib.Is(value.Vectors|value.Seqs) && t.Count(lib) > 0 {
		lib = t.First(lib)
	}
	if !lib.IsSymbol() {
		t.Fail(diag.WrongType, "require: got %s, want the symbol of a namespace", value.Describe(t, lib))
	}
	if name := lib.AsSymbol().Name; !t.Host.Names().Has(Canonical(name)) {
		failNamespace(t, name)
	}
	return value.Nil
}

func findVar(t *value.Task, args []value.Value) value.Value {
	qualified(t, args[0])
	if ns := args[0].AsSymbol().NS; !t.Host.Names().Has(ns) {
		t.Fail(diag.IllegalArgument, "No such namespace: %s", ns)
	}
	return resolve(t, args)
}

// keyMacro is the key in the metadata of a var that holds a macro.
var keyMacro = value.ConstKeyword("macro")

func interned(t *value.Task, args []value.Value) value.Value {
	sym := t.Symbol("", args[1].AsString().S)
	if v := t.Host.Names().Resolve(args[0].AsString().S, sym); v.Kind() == value.KindVar {
		if macro, _ := t.MapGet(value.MetaOf(v), keyMacro); macro.Truthy() {
			t.FailHint(diag.UnknownName, "define the macro in the program, not by eval or load-string",
				"Can't take value of a macro: #'%s/%s", args[0].AsString().S, args[1].AsString().S)
		}
		if _, ok := t.Host.VarRoot(v.AsVar()); ok {
			return t.Host.VarGet(v.AsVar())
		}
	}
	t.FailHint(diag.UnknownName, args[3].AsString().S, "%s", args[2].AsString().S)
	return value.Nil
}

func intern(t *value.Task, args []value.Value) value.Value {
	ns := nsOf(t, args[0])
	if loaded.Load().lookup(ns, args[1].AsSymbol().Name) != nil {
		t.FailHint(diag.NotSupported, "define a function of your own", "the builtin %s can't be redefined",
			args[1].AsSymbol().Name)
	}
	v := t.Host.Names().Intern(ns, args[1].AsSymbol().Name)
	if len(args) == 3 {
		t.Host.VarSet(v.AsVar(), args[2])
	}
	return v
}

func nsUnmap(t *value.Task, args []value.Value) value.Value {
	t.Host.Names().Unmap(nsOf(t, args[0]), args[1].AsSymbol().Name)
	return value.Nil
}

// localIndex marks the var of a name bound by with-local-vars, whose value is its
// Root.
const localIndex = -2

var unnamed = value.ConstSymbol("", "--unnamed--")

func localVar(t *value.Task, args []value.Value) value.Value {
	return t.Var(unnamed, localIndex, args[0], value.Nil)
}

func setVarBinding(t *value.Task, args []value.Value) value.Value {
	v := args[0].AsVar()
	if v.Index == localIndex {
		t.Owns(args[0], "var")
		v.Root = args[1]
		return args[1]
	}
	names := t.Host.Names()
	if !names.Bound(v) {
		t.FailHint(diag.IllegalState, "bind it first: (binding ["+v.Sym.Name+" …] …)",
			"Can't change/establish root binding of: %s with set", v.Sym.Name)
	}
	names.SetBinding(v, args[1])
	return args[1]
}

func isThreadBound(t *value.Task, args []value.Value) value.Value {
	for _, v := range args {
		if v.AsVar().Index != localIndex && !t.Host.Names().Bound(v.AsVar()) {
			return value.False
		}
	}
	return value.True
}

// bindVars binds the vars that are the keys of a map to its values.
func bindVars(t *value.Task, args []value.Value) value.Value {
	if args[0].IsNil() {
		return value.Nil
	}
	t.Host.Names().Bind(args[0])
	return value.Nil
}

func unbindVars(t *value.Task, args []value.Value) value.Value {
	if !args[0].IsNil() {
		t.Host.Names().Unbind(value.MapCount(args[0]))
	}
	return value.Nil
}

func popFrame(t *value.Task, _ []value.Value) value.Value {
	if !t.Host.Names().PopFrame() {
		t.Fail(diag.IllegalState, "Pop without matching push")
	}
	return value.Nil
}

func threadBindings(t *value.Task, _ []value.Value) value.Value {
	m := value.EmptyMap
	t.Host.Names().Bindings(func(v, x value.Value) { m = t.MapAssoc(m, v, x) })
	return m
}

// expandOnce returns the form expanded once and true, or the function of the macro
// that expands it and nil, or the form and false.
func expandOnce(t *value.Task, args []value.Value) value.Value {
	value.RealiseForm(t, args[0])
	out, macro, again := t.Host.Names().Expand(args[0])
	if !macro.IsNil() {
		return t.Vector(macro, value.Nil)
	}
	return t.Vector(out, value.Bool(again))
}
