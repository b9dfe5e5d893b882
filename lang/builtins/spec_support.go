// This file defines the functions under clojure.spec.alpha that are written in Go.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var specNatives = []entry.Entry{
	{NS: "clojure.spec.impl", Name: "state", Args: "", Private: true, Cost: entry.Constant, Fn: specState},
	explainOut(),
	{NS: "clojure.spec.impl", Name: "printer", Args: "", Private: true, Cost: entry.Constant, Fn: explainPrinter},
	{NS: "clojure.spec.impl", Name: "dispatch", Args: "f", Private: true, Cost: entry.Constant, Fn: specDispatch},
}

// specState returns the atom in which clojure.spec.alpha keeps its state; see late/spec_object.ptc.
func specState(t *value.Task, _ []value.Value) value.Value { return t.Host.Cell("clojure.spec/state") }

// specDispatch returns the dispatch function of a multimethod.
func specDispatch(t *value.Task, args []value.Value) value.Value {
	if args[0].Kind() != value.KindMultiFn {
		t.Fail(diag.WrongType, "multi-spec: got %s, want a multimethod", value.Describe(t, args[0]))
	}
	return args[0].AsMultiFn().Dispatch
}

// explainOut is the dynamic var with the function of explain-out.
func explainOut() entry.Entry {
	e := settable("*explain-out*", `clojure.spec.alpha/*explain-out* => nil`,
		"The function of a map of explain-data by which explain and explain-str print; nil for explain-printer.", value.Nil)
	e.NS = "clojure.spec.alpha"
	return e
}

// explainPrinter returns the value of *explain-out*.
func explainPrinter(t *value.Task, _ []value.Value) value.Value {
	f, _ := t.Host.Binding("clojure.spec.alpha/*explain-out*")
	return f
}
