// This file defines the builtins on vars, and the private ones for the machine and the expansions
// of the compiler.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var internals = []entry.Entry{
	{NS: "clojure.core", Name: "return", Args: "x", Cost: entry.Constant, Facts: entry.NeverReturns, Fn: returnEarly,
		Doc:      "Ends the program with the value x. No catch clause sees this, and no finally clause runs.",
		Examples: []string{"(do (return 1) 2) => 1"}},
	{NS: "clojure.core", Name: "fail", Args: "message:string | message:string data", Cost: entry.Constant,
		Facts: entry.NeverReturns, Fn: failRun,
		Doc: "Ends the program as failed, with a message and data. No catch clause sees this, and no finally clause " +
			"runs.",
		Examples: []string{"(fail \"no orders\") !failed", "(fail \"bad\" {:id 1}) !failed", "(fail 1) !wrong-type"}},
	{NS: "clojure.core", Name: "var-get", Args: "v:var", Cost: entry.Constant, Fn: varGet,
		Doc: "Returns the value of a var.", Examples: []string{"(= inc (var-get #'inc)) => true", "(var-get 1) !wrong-type"}},
	{NS: "clojure.core", Name: "%var-root", Args: "v:var want", Cost: entry.Constant, Fn: varRoot, Private: true,
		Doc: "Returns the root value of a var, ignoring bindings; throws for a var without one if want is true.",
		Examples: []string{"(do (def ^:dynamic *x* 1) (binding [*x* 2] (%var-root #'*x* true))) => 1",
			"(do (declare x) (%var-root #'x true)) !illegal-state"}},
	{NS: "clojure.core", Name: "bound?", Args: "& vars:var", Cost: entry.PerArg, Fn: isBound,
		Doc:      "Returns true if all vars have a value.",
		Examples: []string{"(do (declare x) (bound? #'x)) => false", "(bound? 1) !wrong-type"}},
	{NS: "clojure.core", Name: "%var-put", Args: "v:var val", Cost: entry.Constant, Fn: varSet, Private: true,
		Doc: "Sets the root value of a var.", Examples: []string{"(do (def x 1) (%var-put #'x 2) x) => 2"}},
	{NS: "clojure.core", Name: "%watched?", Args: "v:var", Cost: entry.Constant, Fn: isWatched, Private: true,
		Doc: "Returns true if a var has watches or a validator."},
	{NS: "clojure.core", Name: "%compile", Args: "form", Cost: entry.Runs, Fn: compileForm, Private: true,
		Doc:      "Returns the functions that run a form.",
		Examples: []string{"(count (%compile '(+ 1 2))) => 1", "(%compile '(no-such-name)) !unknown-name"}},
	{NS: "clojure.core", Name: "%fail-index", Args: "index", Cost: entry.Constant, Fn: failIndex, Private: true,
		Doc: "Fails for an index out of range.", Examples: []string{"(%fail-index 3) !index-out-of-range"}},
	{NS: "clojure.core", Name: "%has-field?", Args: "x key:keyword", Cost: entry.Constant, Fn: hasField, Private: true,
		Doc: "Returns true if x is a record or an object of the program with a field of that name."},
	{NS: "clojure.core", Name: "%field-named", Args: "x key:keyword", Cost: entry.Constant, Fn: fieldNamed, Private: true,
		Doc:      "Returns a field of a record by name, for (.-field x).",
		Examples: []string{"(do (defrecord P [a]) (.-a (->P 1))) => 1", "(.-a {:b 1}) !illegal-argument"}},
}

func returnEarly(t *value.Task, args []value.Value) value.Value {
	t.Host.Return(args[0])
	return value.Nil
}

func failRun(t *value.Task, args []value.Value) value.Value {
	data := value.Nil
	if len(args) == 2 {
		data = args[1]
	}
	t.Host.FailRun(args[0].AsString().S, data)
	return value.Nil
}

func varGet(t *value.Task, args []value.Value) value.Value { return t.Host.VarGet(args[0].AsVar()) }

// varRoot returns value.Unbound for a var without a root value, which %var-put puts back.
func varRoot(t *value.Task, args []value.Value) value.Value {
	v := args[0].AsVar()
	x, ok := t.Host.VarRoot(v)
	if !ok && args[1].Truthy() {
		t.FailHint(diag.IllegalState, "its definition has not run yet", "%s/%s is declared, but has no value", v.Sym.NS,
			v.Sym.Name)
	}
	return x
}

func varSet(t *value.Task, args []value.Value) value.Value {
	t.Host.VarSet(args[0].AsVar(), args[1])
	return args[1]
}

func isBound(t *value.Task, args []value.Value) value.Value {
	for _, v := range args {
		if _, ok := t.Host.VarRoot(v.AsVar()); !ok && !t.Host.Names().Bound(v.AsVar()) {
			return value.False
		}
	}
	return value.True
}

func compileForm(t *value.Task, args []value.Value) value.Value { return t.Host.Compile(args[0]) }

func failIndex(t *value.Task, args []value.Value) value.Value {
	t.Fail(diag.OutOfRange, "nth: index %s out of range", value.Show(t, args[0]))
	return value.Nil
}

func hasField(t *value.Task, args []value.Value) value.Value {
	_, ok := entry.OwnField(t, args[0], args[1])
	return value.Bool(ok)
}

func fieldNamed(t *value.Task, args []value.Value) value.Value {
	if v, ok := entry.OwnField(t, args[0], args[1]); ok {
		return v
	}
	if args[0].IsNil() {
		t.Fail(diag.NilValue, ".%s: can't call a method of nil", args[1].AsKeyword().Name)
	}
	t.FailHint(diag.IllegalArgument, "a task program has no Java; use (:"+args[1].AsKeyword().Name+" x) for maps",
		"No matching field found: %s for class %s", args[1].AsKeyword().Name, value.ClassName(args[0]))
	return value.Nil
}
