// This file defines the functions on classes, namespaces, instants and tagged
// literals.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/murmur"
	"github.com/ptc-lang/ptc/lang/value"
)

// objects are functions on values that stand for something of the host.
var objects = []Entry{
	{NS: "clojure.core", Name: "inst-ms", Args: "inst", Cost: Constant, Fn: instMillis,
		Doc: "Gives the milliseconds since 1970 of an instant.", Examples: []string{`(inst-ms #inst "1970-01-01T00:00:01Z") => 1000`, "(inst-ms 1) !illegal-argument"}},
	{NS: "clojure.core", Name: "tagged-literal", Args: "tag form", Cost: Constant, Fn: taggedLiteral,
		Doc: "Gives a tagged literal, which has a :tag and a :form.", Examples: []string{"(tagged-literal 'a 1) => #a 1", "(tagged-literal 1 1) !wrong-type"}},
	{NS: "clojure.core", Name: "hash-combine", Args: "x y", Cost: Walks, Fn: hashCombine,
		Doc: "Mixes a hash with the hash of another value.", Examples: []string{"(hash-combine 1 2) => -1640531462", `(hash-combine "a" 1) !wrong-type`}},
	{NS: "clojure.core", Name: "cast", Args: "class x", Cost: Constant, Fn: cast,
		Doc: "Gives x if it is nil or of a class; throws otherwise.", Examples: []string{"(cast Number 1) => 1", "(cast String 1) !wrong-type"}},
	{NS: "clojure.core", Name: "ns-name", Args: "ns", Cost: Constant, Fn: nsName,
		Doc: "Gives the name of a namespace as a symbol.", Examples: []string{"(ns-name *ns*) => user", "(ns-name 1) !wrong-type"}},
	{NS: "clojure.core", Name: "find-ns", Args: "sym:symbol", Cost: Constant, Fn: findNS,
		Doc: "Gives the namespace of a name, nil if the library has none.", Examples: []string{"(find-ns 'nope) => nil", "(find-ns 1) !wrong-type"}},
	{NS: "clojure.core", Name: "the-ns", Args: "ns", Cost: Constant, Fn: theNS,
		Doc: "Gives the namespace of a name, or the namespace itself.", Examples: []string{"(str (the-ns 'clojure.core)) => \"clojure.core\"", "(the-ns 'nope) !illegal-argument"}},
	{NS: "clojure.core", Name: "clojure-version", Args: "", Cost: Constant, Fn: func(*value.Task, []value.Value) value.Value { return clojureVersion },
		Doc: "Gives the version of Clojure that the language follows.", Examples: []string{`(clojure-version) => "1.11.1"`}},
}

var clojureVersion = value.ConstString("1.11.1")

func instMillis(t *value.Task, a []value.Value) value.Value {
	if a[0].Kind() != value.KindInst {
		t.Fail(diag.IllegalArgument, "inst-ms: got %s, want an instant", value.Describe(t, a[0]))
	}
	return value.Int(a[0].AsInst().Millis)
}

func taggedLiteral(t *value.Task, a []value.Value) value.Value {
	if !a[0].IsSymbol() {
		t.Fail(diag.WrongType, "tagged-literal: got %s for the tag, want a symbol", value.Describe(t, a[0]))
	}
	return t.Tagged(a[0], a[1])
}

func hashCombine(t *value.Task, a []value.Value) value.Value {
	x := value.ToLong(t, a[0])
	return value.Int(int64(murmur.HashCombine(int32(x), value.JavaHash(t, a[1]))))
}

func cast(t *value.Task, a []value.Value) value.Value {
	switch {
	case a[0].Kind() != value.KindType:
		t.Fail(diag.WrongType, "cast: got %s, want a class", value.Describe(t, a[0]))
	case !a[1].IsNil() && !IsA(a[1], a[0].AsType()):
		t.Fail(diag.WrongType, "Cannot cast %s to %s", value.ClassName(a[1]), a[0].AsType().Name)
	}
	return a[1]
}

func nsName(t *value.Task, a []value.Value) value.Value {
	switch a[0].Kind() {
	case value.KindNamespace:
		return t.Symbol("", a[0].AsNamespace().Name)
	case value.KindSymbol:
		return a[0]
	}
	t.Fail(diag.WrongType, "ns-name: got %s, want a namespace", value.Describe(t, a[0]))
	return value.Nil
}

func findNS(t *value.Task, a []value.Value) value.Value {
	name := Canonical(a[0].AsSymbol().Name)
	if name == "user" || name == "clojure.core" {
		return t.Namespace(name)
	}
	for _, e := range loaded.Load().order {
		if e.NS == name {
			return t.Namespace(e.NS)
		}
	}
	return value.Nil
}

func theNS(t *value.Task, a []value.Value) value.Value {
	if a[0].Kind() == value.KindNamespace {
		return a[0]
	}
	if a[0].IsSymbol() {
		if ns := findNS(t, a); !ns.IsNil() {
			return ns
		}
	}
	t.Fail(diag.IllegalArgument, "No namespace: %s found", value.Show(t, a[0]))
	return value.Nil
}
