// This file defines the macros that evaluate a body with vars, bindings, a precision, resources to
// close, or a lock.

package macros

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

var withMacros = []entry.Entry{
	{NS: "clojure.core", Name: "with-local-vars", Args: "bindings & body", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Macro:    expandWithLocalVars,
		Doc:      "Evaluates body with names bound to new vars, read by @ or var-get and set by var-set.",
		Examples: []string{"(with-local-vars [x 1] (var-set x (inc @x)) (var-get x)) => 2"}},
	{NS: "clojure.core", Name: "with-bindings", Args: "binding-map & body", Cost: entry.Syntax, Indent: entry.IndentBody,
		Macro:    expandWithBindings,
		Doc:      "Evaluates body with the dynamic vars that are the keys of a map bound to its values.",
		Examples: []string{"(do (def ^:dynamic *x* 1) (with-bindings {#'*x* 7} *x*)) => 7"}},
	{NS: "clojure.core", Name: "bound-fn", Args: "& fn-tail", Cost: entry.Syntax, Indent: entry.IndentBody,
		Macro:    expandBoundFn,
		Doc:      "Returns a function that runs with the dynamic bindings of the place where it is made.",
		Examples: []string{"(do (def ^:dynamic *x* 1) (let [f (binding [*x* 2] (bound-fn [] *x*))] (f))) => 2"}},
	{NS: "clojure.core", Name: "with-precision", Args: "precision & exprs", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Macro: expandWithPrecision,
		Doc: "Evaluates exprs with decimal arithmetic rounded to a number of digits: (with-precision 10 :rounding " +
			"HALF_UP exprs…).",
		Examples: []string{"(with-precision 5 (/ 1M 3M)) => 0.33333M",
			"(with-precision 3 :rounding FLOOR (/ 2M 3M)) => 0.666M"}},
	{NS: "clojure.core", Name: "locking", Args: "x & body", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Macro:    expandPlain(1),
		Doc:      "Evaluates body; x is not locked, because a program has one thread.",
		Examples: []string{"(locking :x 1 2) => 2"}},
	{NS: "clojure.core", Name: "with-open", Args: "bindings & body", Cost: entry.Syntax, Indent: entry.IndentBlock1,
		Macro:    expandWithOpen,
		Doc:      "Evaluates body with names bound to values, then calls the method close of each, in reverse order.",
		Examples: []string{"(with-open [c (reify java.io.Closeable (close [_] (print \"closed\")))] 1) => 1"}},
}

// expandPlain makes a body of the forms after the first n, which are evaluated
// before it.
func expandPlain(n int) entry.MacroFunc {
	return func(x *expand.Expansion, form value.Value) value.Value {
		return x.Call(form, x.Args(form, n, -1, "(locking x body…)"), expand.SymDo)
	}
}

func expandWithLocalVars(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(with-local-vars [name value …] body…)")
	pairs := x.Pairs("with-local-vars", form, args[0])
	var bindings []value.Value
	for i := 0; i < len(pairs); i += 2 {
		x.PlainName("with-local-vars", form, pairs[i])
		bindings = append(bindings, pairs[i], x.List(form, expand.CoreSym("%local-var"), pairs[i+1]))
	}
	return x.Let(form, bindings, args[1:])
}

func expandWithBindings(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(with-bindings map body…)")
	return x.List(form, expand.CoreSym("with-bindings*"), args[0], x.Thunk(form, args[1:]))
}

func expandBoundFn(x *expand.Expansion, form value.Value) value.Value {
	fn := x.Call(form, expand.FormItems(form)[1:], expand.CoreSym("fn"))
	return x.List(form, expand.CoreSym("bound-fn*"), fn)
}

// expandWithPrecision binds *math-context* to a vector of digits and rounding.
func expandWithPrecision(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(with-precision digits :rounding mode? exprs…)")
	mode, body := x.T.Symbol("", "HALF_UP"), args[1:]
	if len(body) > 1 && expand.IsKey(body[0], "rounding") {
		mode, body = body[1], body[2:]
	}
	if mode.IsSymbol() {
		mode = x.Str(mode.AsSymbol().Name)
	}
	return x.Call(form, body, symBinding, x.Vec(expand.CoreSym("*math-context*"), x.Vec(args[0], mode)))
}

func expandWithOpen(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(with-open [name value …] body…)")
	pairs := x.Pairs("with-open", form, args[0])
	body := x.Do(form, args[1:])
	for i := len(pairs) - 2; i >= 0; i -= 2 {
		x.PlainName("with-open", form, pairs[i])
		end := x.List(form, symFinally, x.List(form, x.T.Symbol("", ".close"), pairs[i]))
		body = x.Let(form, pairs[i:i+2], []value.Value{x.List(form, expand.SymTry, body, end)})
	}
	return body
}

// expandWithInStr binds *in*.
func expandWithInStr(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(with-in-str s body…)")
	return x.Call(form, args[1:], symBinding, x.Vec(expand.CoreSym("*in*"), x.List(form,
		expand.CoreSym("%string-reader"), args[0])))
}
