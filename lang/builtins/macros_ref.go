// This file defines the macros of transactions.

package builtins

import "github.com/ptc-lang/ptc/lang/value"

var refMacros = []Entry{
	{NS: "clojure.core", Name: "dosync", Args: "& exprs", Cost: Syntax, Macro: expandDosync,
		Doc: "Evaluates exprs in a transaction. Changes of refs are kept if exprs return, and undone if they throw. " +
			"A nested transaction is part of the outer one.",
		Examples: []string{"(let [a (ref 1) b (ref 2)] (dosync (alter a dec) (alter b inc)) [@a @b]) => [0 3]",
			"(let [r (ref 1)] (try (dosync (alter r inc) (/ 1 0)) (catch ArithmeticException e nil)) @r) => 1"}},
	{NS: "clojure.core", Name: "sync", Args: "flags & body", Cost: Syntax, Macro: expandSync,
		Doc:      "Evaluates exprs in a transaction, as dosync does. flags are ignored.",
		Examples: []string{"(let [r (ref 1)] (sync nil (alter r inc)) @r) => 2"}},
	{NS: "clojure.core", Name: "io!", Args: "& body", Cost: Syntax, Macro: expandIO,
		Doc:      "Evaluates body; throws in a transaction. A string before body is the message.",
		Examples: []string{"(io! 1 2) => 2", "(dosync (io! (print 1))) !illegal-state"}},
}

func expandDosync(x *Expansion, form value.Value) value.Value {
	return x.call(form, formItems(form)[1:], coreSym("sync"), value.Nil)
}

// expandSync binds the transaction around the body: that of the body around it, or a new one, which
// is committed at its end. Watches are called after the commit.
func expandSync(x *Expansion, form value.Value) value.Value {
	args := x.args(form, 1, -1, "(sync flags body…)")
	outer := x.Gensym("outer")
	log := x.list(form, symIf, outer, outer, x.list(form, coreSym("%new-atom"), x.vec()))
	settled := x.list(form, coreSym("%settle"), outer, x.call(form, args[1:], symDo))
	bound := x.list(form, symBinding, x.vec(coreSym(value.TransactionVar), log), settled)
	return x.let(form, []value.Value{outer, x.list(form, coreSym("%running"))},
		[]value.Value{x.list(form, coreSym("%notify"), bound)})
}

func expandIO(x *Expansion, form value.Value) value.Value {
	body, message := formItems(form)[1:], x.str("I/O in transaction")
	if len(body) > 0 && body[0].IsString() {
		message, body = body[0], body[1:]
	}
	return x.call(form, body, symDo, x.list(form, coreSym("%no-transaction"), message))
}
