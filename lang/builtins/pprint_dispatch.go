// This file defines simple-dispatch, with which programs define how pprint prints values of a type.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// dispatchNatives are the functions for programs that define a dispatch of pprint.
func dispatchNatives() []entry.Entry {
	dispatch := dynamic("*print-pprint-dispatch*", `clojure.pprint/*print-pprint-dispatch* => nil`,
		"The function of a value with which pprint prints, bound by with-pprint-dispatch; nil for simple-dispatch.",
		value.Nil)
	suppress := dynamic("*print-suppress-namespaces*",
		`(with-out-str (binding [clojure.pprint/*print-suppress-namespaces* true] (`+
			`clojure.pprint/pprint '(a/b :a/b)))) => "(b :a/b)\n"`, "If true, pprint omits the namespaces of symbols.",
		value.False)
	margin := dynamic("*print-right-margin*",
		`(with-out-str (binding [clojure.pprint/*print-right-margin* 5] (clojure.pprint/pprint [100 200]))) => `+
			`"[100\n 200]\n"`,
		"The column that lines of pprint do not reach; nil for no limit.", value.Int(rightMargin))
	margin.Settable = true
	dispatch.NS, suppress.NS, margin.NS = "clojure.pprint", "clojure.pprint", "clojure.pprint"
	return []entry.Entry{dispatch, suppress, margin,
		{NS: "clojure.pprint", Name: "%plain", Args: "x", Cost: entry.Walks, Private: true, Fn: prettyPlain,
			Doc: "Prints a value as pprint does, without a newline, ignoring its method of simple-dispatch."},
		{NS: "clojure.pprint", Name: "%method", Args: "x", Private: true, Cost: entry.PerElement, Fn: prettyMethodOf,
			Doc: "Returns the program's method of simple-dispatch for x, nil if there is none."}}
}

// isDispatch reports whether a value is simple-dispatch.
func isDispatch(v value.Value) bool { return isPrelude(v, "clojure.pprint", "simple-dispatch") }

// isLayout reports whether a value is a function that lays out values like pprint without a dispatch.
func isLayout(v value.Value) bool {
	return isDispatch(v) || isPrelude(v, "clojure.pprint", "code-dispatch")
}

const dispatchCell = "clojure.pprint/simple-dispatch"

// wantDispatch returns the run's own multimethod of simple-dispatch. Its dispatch is the function itself, which calls
// the methods.
func wantDispatch(t *value.Task, fn value.Value) *value.MultiFn {
	of := t.Host.Cell(dispatchCell)
	if of.AsAtom().Val.IsNil() {
		t.Owns(of, "simple-dispatch")
		of.AsAtom().Val = t.MultiFn("simple-dispatch", fn, value.ConstKeyword("default"), value.Nil)
	}
	return of.AsAtom().Val.AsMultiFn()
}

// prettyMethods returns the program's methods of simple-dispatch, nil if there are none.
func prettyMethods(t *value.Task) *value.MultiFn {
	m := t.Host.Cell(dispatchCell).AsAtom().Val
	if m.IsNil() {
		return nil
	}
	return m.AsMultiFn()
}

func prettyMethodOf(t *value.Task, a []value.Value) value.Value {
	m := prettyMethods(t)
	if m == nil {
		return value.Nil
	}
	return methodToPrint(t, m, a[0])
}

func prettyPlain(t *value.Task, a []value.Value) value.Value {
	b := t.Buf()
	layOut(t, b, a[0], true)
	emit(t, b.Leave())
	return value.Nil
}

// prettyBy returns the output of f, a function of a value.
func prettyBy(t *value.Task, f, v value.Value) string {
	return t.Host.Futures().Library("%pretty-by", f, v).AsString().S
}

// byMethod writes v by the program's method for it, if there is one.
func (p *prettyPrinter) byMethod(b *value.Buf, v value.Value) bool {
	if p.methods == nil || value.Identical(v, p.plain) {
		return false
	}
	f := methodToPrint(p.t, p.methods, v)
	if f.IsNil() {
		return false
	}
	b.WriteString(prettyBy(p.t, f, v))
	return true
}
