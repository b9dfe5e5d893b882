// This file defines the functions on classes, instants and tagged literals.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/builtins/internal/java"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/internal/murmur"
	"github.com/ptc-lang/ptc/lang/value"
)

// objects are functions on values that represent objects of the host.
var objects = []entry.Entry{
	{NS: "clojure.core", Name: "inst-ms", Args: "inst", Cost: entry.Constant, Purity: entry.Pure, Fn: instMillis,
		Doc:      "Returns the milliseconds since 1970 of an instant.",
		Examples: []string{`(inst-ms #inst "1970-01-01T00:00:01Z") => 1000`, "(inst-ms 1) !illegal-argument"}},
	{NS: "clojure.core", Name: "tagged-literal", Args: "tag form", Cost: entry.Constant, Purity: entry.Pure,
		Fn:       taggedLiteral,
		Doc:      "Returns a tagged literal, which has a :tag and a :form.",
		Examples: []string{"(tagged-literal 'a 1) => #a 1", "(tagged-literal 1 1) !wrong-type"}},
	{NS: "clojure.core", Name: "reader-conditional", Args: "form splicing?", Cost: entry.Constant, Purity: entry.Pure,
		Fn: func(t *value.Task, a []value.Value) value.Value {
			return t.ReaderConditional(a[0], a[1].Truthy())
		},
		Doc:      "Returns a reader conditional, which has a :form and a :splicing?.",
		Examples: []string{"(reader-conditional '(:clj 1) false) => #?(:clj 1)"}},
	{NS: "clojure.core", Name: "hash-combine", Args: "x y", Cost: entry.Walks, Purity: entry.Pure, Fn: hashCombine,
		Doc:      "Mixes a hash with the hash of another value.",
		Examples: []string{"(hash-combine 1 2) => -1640531462", `(hash-combine "a" 1) !wrong-type`}},
	{NS: "clojure.core", Name: "cast", Args: "class x", Cost: entry.Constant, Purity: entry.Pure, Facts: entry.ReturnsFns,
		Fn:       cast,
		Doc:      "Returns x if it is nil or an instance of a class; throws otherwise.",
		Examples: []string{"(cast Number 1) => 1", "(cast String 1) !wrong-type"}},
	{NS: "clojure.core", Name: "clojure-version", Args: "", Cost: entry.Constant, Purity: entry.Total,
		Fn:       func(*value.Task, []value.Value) value.Value { return clojureVersion },
		Doc:      "Returns the version of Clojure that the language follows.",
		Examples: []string{`(clojure-version) => "1.11.1"`}},
}

var clojureVersion = value.ConstString("1.11.1")

func instMillis(t *value.Task, a []value.Value) value.Value {
	if millis, ok := java.InstantMillis(t, a[0]); ok {
		return value.Int(millis)
	}
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
	case !a[1].IsNil() && !jclass.IsA(a[1], a[0].AsType()):
		t.Fail(diag.WrongType, "Cannot cast %s to %s", value.ClassName(a[1]), a[0].AsType().Name)
	}
	return a[1]
}
