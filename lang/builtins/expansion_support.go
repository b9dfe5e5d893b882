// This file defines the functions that the expansions of condp, case, assert,
// time and destructuring call, and those under clojure.test.

package builtins

import (
	"strconv"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

var assertNatives = []entry.Entry{
	{NS: "clojure.core", Name: "%no-match", Args: "x", Private: true, Cost: entry.Constant, Fn: noMatch},
	{NS: "clojure.core", Name: "%assert-failed", Args: "message:string", Private: true, Cost: entry.Constant,
		Fn: assertFailed},
	{NS: "clojure.core", Name: "%kwargs", Args: "x", Private: true, Cost: entry.PerElement, Fn: kwargs},
	{NS: "clojure.test", Name: "%state", Args: "", Private: true, Cost: entry.Constant, Fn: testState},
	{NS: "clojure.test", Name: "%current-ns", Args: "", Private: true, Cost: entry.Constant, Fn: currentNS},
	{NS: "clojure.test", Name: "%own-namespaces", Args: "", Private: true, Cost: entry.PerElement, Fn: ownNamespaces},
	{NS: "clojure.core", Name: "%taps", Args: "", Private: true, Cost: entry.Constant, Fn: taps,
		Doc: "Returns the atom with the functions that tap> calls."},
	{NS: "clojure.test", Name: "%place", Args: "e:exception", Private: true, Cost: entry.Constant, Fn: exceptionPlace},
	{NS: "clojure.core", Name: "%clock", Args: "", Private: true, Cost: entry.Constant, Fn: clock},
	{NS: "clojure.core", Name: "%elapsed", Args: "start:int", Private: true, Cost: entry.Constant, Fn: elapsed},
}

// noMatch fails for a value without a clause in a case or condp.
func noMatch(t *value.Task, args []value.Value) value.Value {
	text := ""
	if !args[0].IsNil() {
		text = t.Str(args[0]).AsString().S
	}
	t.FailHint(diag.NoMatch, "add a default as the last form", "No matching clause: %s", text)
	return value.Nil
}

func assertFailed(t *value.Task, args []value.Value) value.Value {
	t.Fail(diag.AssertFailed, "%s", args[0].AsString().S)
	return value.Nil
}

// kwargs returns the map that an associative pattern destructures: x itself, or for a sequence of keyword
// arguments the map of its alternating keys and values. A single or last value without a partner is a map
// of further entries.
func kwargs(t *value.Task, args []value.Value) value.Value {
	x := args[0]
	if !x.Is(value.Seqs) {
		return x
	}
	kvs := t.ToVals(x)
	n := len(kvs)
	switch {
	case n == 0:
		return value.EmptyMap
	case n == 1:
		return kvs[0]
	case n%2 == 1:
		return t.Conj(t.ArrayMapOf(kvs[:n-1]), kvs[n-1])
	}
	return t.ArrayMapOf(kvs)
}

func clock(t *value.Task, _ []value.Value) value.Value { return value.Int(t.Host.Elapsed()) }

// elapsed prints the time since start, as time does.
func elapsed(t *value.Task, args []value.Value) value.Value {
	ms := float64(t.Host.Elapsed()-args[0].AsInt()) / 1e6
	t.Host.Print("\"Elapsed time: " + strconv.FormatFloat(ms, 'f', -1, 64) + " msecs\"\n")
	return value.Nil
}

// currentNS returns the name of the last namespace of the program.
func currentNS(t *value.Task, _ []value.Value) value.Value {
	return t.Symbol("", t.Host.Names().Current())
}

// ownNamespaces returns the names of the namespaces that only the program has.
func ownNamespaces(t *value.Task, _ []value.Value) value.Value {
	library := make(map[string]bool)
	t.Charge(limits.ObjectSize(librarySpaces))
	for _, t := range []*table{loaded.Load(), late()} {
		for i := range t.order {
			library[t.order[i].entry.NS] = true
		}
	}
	out := t.ValBuf()
	for _, name := range t.Host.Names().All() {
		t.Work(1)
		if !library[name] {
			out.Add(t.Symbol("", name))
		}
	}
	return out.Vector()
}

// librarySpaces bounds the bytes of a set of the library's namespaces and classes.
const librarySpaces = 16 << 10

// testState returns the atom in which clojure.test keeps the state of the running tests; see
// prelude/test.ptc.
func testState(t *value.Task, _ []value.Value) value.Value { return t.Host.Cell("clojure.test/state") }

// taps returns the atom with the functions that tap> calls, in order.
func taps(t *value.Task, _ []value.Value) value.Value { return t.Host.Cell("clojure.core/taps") }

// exceptionPlace returns the place where an exception was thrown: "file:line".
func exceptionPlace(t *value.Task, args []value.Value) value.Value {
	span := args[0].AsException().Span
	if span.IsZero() {
		return t.String("-")
	}
	line, _ := span.File.LineCol(span.Start)
	return t.String(span.File.Name + ":" + strconv.Itoa(line))
}
