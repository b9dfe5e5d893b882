// This file defines the methods of vars, and of the watches of cells.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// onCell are the values that have watches.
var onCell = value.Kinds(value.KindAtom, value.KindRef, value.KindVar)

// varMethods are the methods.
func varMethods() []entry.Entry {
	flag := func(key value.Value) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			x, _ := t.MapGet(value.MetaOf(a[0]), key)
			return value.Bool(x.Truthy())
		}
	}
	return []entry.Entry{
		entry.Method("isBound", "", onVar, entry.Constant, "Returns true if a var has a value.",
			`(.isBound #'inc) => true`, isBound),
		entry.Method("hasRoot", "", onVar, entry.Constant, "Returns true if a var has a root value.",
			`(.hasRoot #'inc) => true`, func(t *value.Task, a []value.Value) value.Value {
				_, ok := t.Host.VarRoot(a[0].AsVar())
				return value.Bool(ok)
			}),
		entry.Method("getRawRoot", "", onVar, entry.Constant, "Returns the root value of a var, ignoring bindings.",
			`(do (def ^:dynamic *x* 1) (binding [*x* 2] (.getRawRoot #'*x*))) => 1`,
			func(t *value.Task, a []value.Value) value.Value { return varRoot(t, []value.Value{a[0], value.True}) }),
		entry.Method("isMacro", "", onVar, entry.Constant, "Returns true for the var of a macro.",
			`(.isMacro #'when) => true`, flag(keyMacro)),
		entry.Method("isDynamic", "", onVar, entry.Constant, "Returns true if a var can be bound.",
			`[(.isDynamic #'inc) (.isDynamic #'*out*)] => [false true]`, func(t *value.Task, a []value.Value) value.Value {
				v := a[0].AsVar()
				row := loaded.Load().row(v.Sym.NS, v.Sym.Name)
				mark, _ := t.MapGet(value.MetaOf(a[0]), value.ConstKeyword("dynamic"))
				return value.Bool(mark.Truthy() || v.Index < 0 && row != nil && row.entry.Dynamic())
			}),
		entry.Method("isPublic", "", onVar, entry.Constant, "Returns true if a var is not private.",
			`(.isPublic #'inc) => true`, func(t *value.Task, a []value.Value) value.Value {
				x, _ := t.MapGet(value.MetaOf(a[0]), value.ConstKeyword("private"))
				return value.Bool(!x.Truthy())
			}),
		entry.Method("toSymbol", "", onVar, entry.Constant, "Returns the qualified name of a var.",
			`(.toSymbol #'inc) => clojure.core/inc`, func(t *value.Task, a []value.Value) value.Value {
				return t.Symbol(a[0].AsVar().Sym.NS, a[0].AsVar().Sym.Name)
			}),
		entry.Method("getWatches", "", onCell, entry.Constant, "Returns a map of the watches of an atom, ref or var.",
			`(.getWatches (atom 1)) => {}`, func(t *value.Task, a []value.Value) value.Value {
				if m := watches(t, a); !m.IsNil() {
					return m
				}
				return value.EmptyMap
			}),
		entry.Method("getValidator", "", onCell, entry.Constant, "Returns the validator of an atom, ref or var.",
			`(.getValidator (atom 1)) => nil`, getValidator),
	}
}
