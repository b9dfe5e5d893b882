// This file defines the macros of clojure.pprint.

package macros

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

// PprintEntries returns the macros of clojure.pprint, for the late table.
func PprintEntries() []entry.Entry {
	return []entry.Entry{{NS: "clojure.pprint", Name: "with-pprint-dispatch", Args: "f & body", Cost: entry.Syntax,
		Indent: entry.IndentBlock1, Macro: expandWithDispatch,
		Doc: "Evaluates body. In it pprint prints a value by a function of the value.",
		Examples: []string{`(with-out-str (clojure.pprint/with-pprint-dispatch (fn [x] (print "a" x)) ` +
			`(clojure.pprint/pprint 1))) => "a 1\n"`}}}
}

func expandWithDispatch(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(with-pprint-dispatch f body…)")
	dispatch := value.ConstSymbol("clojure.pprint", "*print-pprint-dispatch*")
	return x.Call(form, args[1:], symBinding, x.Vec(dispatch, args[0]))
}
