// This file defines the macros of clojure.pprint and clojure.test.tap.

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

// TapEntries returns the macro of clojure.test.tap, for the late table.
func TapEntries() []entry.Entry {
	return []entry.Entry{{NS: "clojure.test.tap", Name: "with-tap-output", Args: "& body", Cost: entry.Syntax,
		Indent: entry.IndentBody, Macro: expandWithTap,
		Doc: "Evaluates body. In it the results of tests are printed as TAP.",
		Examples: []string{"(with-out-str (clojure.test.tap/with-tap-output (clojure.test/is true))) => " +
			`"ok () (:)\n# expected:true\n#   actual:true\n"`}}}
}

func expandWithTap(x *expand.Expansion, form value.Value) value.Value {
	report := value.ConstSymbol("clojure.test.tap", "tap-report")
	return x.Call(form, expand.FormItems(form)[1:], expand.CoreSym("binding"), x.Vec(testSym("report"), report))
}

func expandWithDispatch(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(with-pprint-dispatch f body…)")
	dispatch := value.ConstSymbol("clojure.pprint", "*print-pprint-dispatch*")
	return x.Call(form, args[1:], symBinding, x.Vec(dispatch, args[0]))
}
