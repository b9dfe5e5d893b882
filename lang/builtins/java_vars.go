// This file defines the methods of clojure.lang.Var.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// varMethods are questions about vars, and about their roots.
func varMethods() []entry.Entry {
	marked := func(name, key, doc, example string, not bool) entry.Entry {
		k := value.ConstKeyword(key)
		return entry.Method(name, "", onVar, entry.Constant, doc, example, func(t *value.Task, a []value.Value) value.Value {
			mark, _ := t.MapGet(value.MetaOf(a[0]), k)
			return value.Bool(mark.Truthy() != not)
		})
	}
	hasRoot := func(t *value.Task, a []value.Value) value.Value {
		_, ok := t.Host.VarRoot(a[0].AsVar())
		return value.Bool(ok)
	}
	return []entry.Entry{
		entry.Method("isDynamic", "", onVar, entry.Constant, "Returns true if binding can bind a var.",
			`[(.isDynamic #'inc) (.isDynamic #'*out*)] => [false true]`, func(t *value.Task, a []value.Value) value.Value {
				v := a[0].AsVar()
				row := loaded.Load().row(v.Sym.NS, v.Sym.Name)
				mark, _ := t.MapGet(value.MetaOf(a[0]), value.ConstKeyword("dynamic"))
				return value.Bool(mark.Truthy() || v.Index < 0 && row != nil && row.entry.Dynamic())
			}),
		marked("isMacro", "macro", "Returns true if a var holds a macro.", `(.isMacro #'when) => true`, false),
		marked("isPublic", "private", "Returns true if a var is not private.", `(.isPublic #'inc) => true`, true),
		entry.Method("hasRoot", "", onVar, entry.Constant, "Returns true if a var has a value outside of binding.",
			`(do (declare later) [(.hasRoot #'later) (.hasRoot #'inc)]) => [false true]`, hasRoot),
		entry.Method("isBound", "", onVar, entry.Constant, "Returns true if a var has a value.",
			`(do (declare later) [(.isBound #'later) (.isBound #'inc)]) => [false true]`, isBound),
		entry.Method("getRawRoot", "", onVar, entry.Constant, "Returns the value of a var outside of binding.",
			`(do (def x 1) (.getRawRoot #'x)) => 1`, func(t *value.Task, a []value.Value) value.Value {
				return varRoot(t, []value.Value{a[0], value.True})
			}),
		entry.Method("toSymbol", "", onVar, entry.Constant, "Returns the qualified name of a var.",
			`(.toSymbol #'inc) => clojure.core/inc`, func(t *value.Task, a []value.Value) value.Value {
				s := a[0].AsVar().Sym
				return t.Symbol(s.NS, s.Name)
			}),
	}
}
