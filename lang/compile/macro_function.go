// This file defines the functions of the macros of the library: the values of their vars.

package compile

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// macroFunction returns the function of a macro of the library. As in Clojure it takes the form, the environment and
// the arguments, and returns the expansion.
func macroFunction(e *entry.Entry) value.Value {
	return value.ConstNative(value.Native{Name: e.Qualified(), Min: 2, Max: -1,
		Fn: func(t *value.Task, a []value.Value) value.Value {
			form := t.Cons(t.Symbol(e.NS, e.Name), t.List(a[2:]...))
			return t.Host.Futures().Library("macroexpand-1", form)
		}})
}
