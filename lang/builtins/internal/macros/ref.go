// This file defines the macros of transactions.

package macros

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
)

var refMacros = []entry.Entry{
	{NS: "clojure.core", Name: "dosync", Args: "& exprs", Cost: entry.Syntax, Macro: expandDosync,
		Doc: "Evaluates exprs in a transaction. Changes of refs are kept if exprs return, and undone if they throw. " +
			"A nested transaction is part of the outer one.",
		Examples: []string{"(let [a (ref 1) b (ref 2)] (dosync (alter a dec) (alter b inc)) [@a @b]) => [0 3]",
			"(let [r (ref 1)] (try (dosync (alter r inc) (/ 1 0)) (catch ArithmeticException e nil)) @r) => 1"}},
	{NS: "clojure.core", Name: "sync", Args: "flags & body", Cost: entry.Syntax, Macro: expandSync,
		Doc:      "Evaluates exprs in a transaction, as dosync does. flags are ignored.",
		Examples: []string{"(let [r (ref 1)] (sync nil (alter r inc)) @r) => 2"}},
	{NS: "clojure.core", Name: "io!", Args: "& body", Cost: entry.Syntax, Macro: expandIO,
		Doc:      "Evaluates body; throws in a transaction. A string before body is the message.",
		Examples: []string{"(io! 1 2) => 2", "(dosync (io! (print 1))) !illegal-state"}},
}

func expandDosync(x *expand.Expansion, form value.Value) value.Value {
	return x.Call(form, expand.FormItems(form)[1:], expand.CoreSym("sync"), value.Nil)
}

// expandSync binds the transaction around the body: the transaction of an enclosing body, or a new one,
// which is committed at its end. Watches are called after the commit.
func expandSync(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(sync flags body…)")
	outer := x.Gensym("outer")
	log := x.List(form, symIf, outer, outer, x.List(form, expand.CoreSym("%new-atom"), x.Vec()))
	settled := x.List(form, expand.CoreSym("%settle"), outer, x.Call(form, args[1:], expand.SymDo))
	bound := x.List(form, symBinding, x.Vec(expand.CoreSym(value.TransactionVar), log), settled)
	return x.Let(form, []value.Value{outer, x.List(form, expand.CoreSym("%running"))},
		[]value.Value{x.List(form, expand.CoreSym("%notify"), bound)})
}

func expandIO(x *expand.Expansion, form value.Value) value.Value {
	body, message := expand.FormItems(form)[1:], x.Str("I/O in transaction")
	if len(body) > 0 && body[0].IsString() {
		message, body = body[0], body[1:]
	}
	return x.Call(form, body, expand.SymDo, x.List(form, expand.CoreSym("%no-transaction"), message))
}
