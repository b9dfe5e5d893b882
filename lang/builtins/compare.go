// This file defines equality, order, hash and the questions about types.

package builtins

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/internal/murmur"
	"github.com/ptc-lang/ptc/lang/value"
)

func comparisons() []entry.Entry {
	return []entry.Entry{
		{NS: "clojure.core", Name: "=", Args: "x | x y | x y & more", Cost: entry.Walks, Purity: entry.Realises,
			Intrinsic: entry.IntrinsicEqual, Facts: entry.TrueAlone, Many: entry.InOrder, Fn: equal,
			Doc: "Returns true if the values are equal. Numbers of different categories are never equal: (= 1 1.0) is " +
				"false.",
			Examples: []string{"(= [1 2] '(1 2)) => true", "(= 1 1.0) => false"}},
		{NS: "clojure.core", Name: "not=", Args: "x | x y | x y & more", Cost: entry.Walks, Purity: entry.Realises,
			Intrinsic: entry.IntrinsicNotEqual, Facts: entry.FalseAlone, Fn: notEqual,
			Many: func(t *value.Task, _ value.NativeFunc, args value.Value) value.Value {
				return value.Bool(!entry.InOrder(t, equal, args).Truthy())
			},
			Doc:      "Returns true if the values are not all equal.",
			Examples: []string{"(not= 1 2) => true", "(not= 1 1 1) => false"}},
		{NS: "clojure.core", Name: "==", Args: "x | x y | x y & more", Cost: entry.PerArg, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicNumEqual, Facts: entry.TrueAlone, Many: entry.InOrder, Fn: numEqual,
			Doc:      "Returns true if numbers have the same value, whatever their types.",
			Examples: []string{"(== 1 1.0 1N) => true", "(== 1 :a) !wrong-type"}},
		{NS: "clojure.core", Name: "identical?", Args: "x y", Cost: entry.Constant, Purity: entry.Total,
			Intrinsic: entry.IntrinsicIdentical, Fn: identical,
			Doc:      "Returns true if x and y are the same object.",
			Examples: []string{"(identical? :a :a) => true", "(identical? [1] [2]) => false"}},
		{NS: "clojure.core", Name: "compare", Args: "x y", Cost: entry.Walks, Purity: entry.Realises, Fn: compare,
			Doc: "Returns a negative number, 0 or a positive number if x comes before, equals or comes after y. nil comes " +
				"first.", Examples: []string{"(compare 1 2) => -1", "(compare \"b\" \"a\") => 1", "(compare nil 1) => -1",
				"(compare 1 :a) !wrong-type"}},
		{NS: "clojure.core", Name: "hash", Args: "x", Cost: entry.Walks, Purity: entry.Realises, Fn: hash,
			Doc:      "Returns the hash of x; equal values have equal hashes.",
			Examples: []string{"(hash 1) => 1392991556", "(= (hash [1]) (hash '(1))) => true"}},
		{NS: "clojure.core", Name: "hash-ordered-coll", Args: "coll:seqable", Cost: entry.Walks, Purity: entry.Realises,
			Fn:       hashOrdered,
			Doc:      "Returns the hash of a sequential collection of the elements of coll.",
			Examples: []string{"(= (hash-ordered-coll [1 2]) (hash [1 2])) => true", "(hash-ordered-coll 1) !illegal-argument"}},
		{NS: "clojure.core", Name: "hash-unordered-coll", Args: "coll:seqable", Cost: entry.Walks, Purity: entry.Realises,
			Fn:  hashUnordered,
			Doc: "Returns the hash of a set of the elements of coll.",
			Examples: []string{"(= (hash-unordered-coll [1 2]) (hash #{1 2})) => true",
				"(hash-unordered-coll 1) !illegal-argument"}},
		{NS: "clojure.core", Name: "mix-collection-hash", Args: "basis:int count:int", Cost: entry.Constant,
			Purity: entry.Pure, Fn: mixHash,
			Doc:      "Returns the hash of a collection of count elements whose combined hash is basis.",
			Examples: []string{"(mix-collection-hash 1 0) => -2017569654", "(mix-collection-hash nil 0) !nil-value"}},
		{NS: "clojure.core", Name: "distinct?", Args: "x | x y | x y & more", Cost: entry.PerArg, Purity: entry.Realises,
			Fn:       areDistinct,
			Doc:      "Returns true if no two of the values are equal.",
			Examples: []string{"(distinct? 1 2 3) => true", "(distinct? 1 2 1) => false"}},
	}
}

func equal(t *value.Task, args []value.Value) value.Value {
	for i := 1; i < len(args); i++ {
		if !value.Equal(t, args[i-1], args[i]) {
			return value.False
		}
	}
	return value.True
}

func notEqual(t *value.Task, args []value.Value) value.Value {
	return value.Bool(!equal(t, args).AsBool())
}

func numEqual(t *value.Task, args []value.Value) value.Value {
	for i := 1; i < len(args); i++ {
		if !value.NumEqual(t, args[i-1], args[i]) {
			return value.False
		}
	}
	return value.True
}

func identical(_ *value.Task, args []value.Value) value.Value {
	return value.Bool(value.Same(args[0], args[1]))
}

func compare(t *value.Task, args []value.Value) value.Value {
	return value.Int(int64(value.Compare(t, args[0], args[1])))
}

func hash(t *value.Task, args []value.Value) value.Value {
	return value.Int(int64(int32(value.Hash(t, args[0]))))
}

func hashOrdered(t *value.Task, args []value.Value) value.Value {
	h, n := murmur.OrderedSeed, 0
	t.EachHash(args[0], func(x int32) { h, n = murmur.HashOrderedStep(h, x), n+1 })
	return value.Int(int64(murmur.MixCollHash(h, n)))
}

func hashUnordered(t *value.Task, args []value.Value) value.Value {
	h, n := murmur.UnorderedSeed, 0
	t.EachHash(args[0], func(x int32) { h, n = murmur.HashUnorderedStep(h, x), n+1 })
	return value.Int(int64(murmur.MixCollHash(h, n)))
}

func mixHash(_ *value.Task, args []value.Value) value.Value {
	return value.Int(int64(murmur.MixCollHash(int32(args[0].AsInt()), int(args[1].AsInt()))))
}

func areDistinct(t *value.Task, args []value.Value) value.Value {
	seen := t.Transient(value.EmptySet)
	for _, x := range args {
		t.TConj(seen, x)
	}
	return value.Bool(value.TCount(seen) == len(args))
}

func typeEntries() []entry.Entry {
	return []entry.Entry{
		{NS: "clojure.core", Name: "class", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Pure, Fn: classOf,
			Doc:      "Returns the class that x has in Clojure on the JVM, nil for nil.",
			Examples: []string{"(= (class 1) Long) => true", "(class nil) => nil"}},
		{NS: "clojure.core", Name: "type", Args: "x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Pure, Fn: typeOfValue,
			Doc:      "Returns the :type of x's metadata, or else its class.",
			Examples: []string{"(type ^{:type :t} [1]) => :t", "(= (type 1) Long) => true"}},
		{NS: "clojure.core", Name: "instance?", Args: "c x", Facts: entry.TestsType,
			Cost: entry.Constant, Purity: entry.Pure, Fn: isInstance,
			Doc: "Returns true if x is an instance of the class c.",
			Examples: []string{"(instance? String \"a\") => true", "(instance? Number \"a\") => false",
				"(instance? 1 1) !wrong-type"}},
	}
}

func classOf(t *value.Task, args []value.Value) value.Value {
	x := args[0]
	switch x.Kind() {
	case value.KindNil:
		return value.Nil
	case value.KindRecord, value.KindObject:
		return value.Of(&value.TypeOf(x).Header)
	}
	return classOfValue(t, x)
}

// classOfValue returns the class of a value that is not nil, a record or an object.
func classOfValue(t *value.Task, x value.Value) value.Value {
	name := value.ClassName(x)
	c, ok := jclass.Class(name)
	switch {
	case ok:
		return c
	case x.Kind() == value.KindNative:
		if e, ok := x.AsNative().Entry.(*entry.Entry); ok {
			name = e.NS + name[strings.LastIndexByte(name, '$'):]
		}
	case x.Kind() != value.KindFn:
		c, _ = jclass.Class(jclass.Function)
		return c
	}
	return t.Class(name) // each function has its own class
}

var typeKey = value.ConstKeyword("type")

func typeOfValue(t *value.Task, args []value.Value) value.Value {
	if m := value.MetaOf(args[0]); !m.IsNil() {
		if v, ok := t.MapGet(m, typeKey); ok && !v.IsNil() {
			return v
		}
	}
	return classOf(t, args)
}

func isInstance(t *value.Task, args []value.Value) value.Value {
	switch args[0].Kind() {
	case value.KindType:
		return value.Bool(jclass.InstanceOf(args[1], args[0].AsType().Name))
	case value.KindProtocol: // the interface of the protocol
		typ := value.TypeOf(args[1])
		return value.Bool(typ != nil && !inlineMethods(t, typ, args[0]).IsNil())
	case value.KindNil:
		t.Fail(diag.NilValue, "instance?: got nil, want a class")
	}
	t.Fail(diag.WrongType, "instance?: got %s, want a class", value.Describe(t, args[0]))
	return value.Nil
}
