// This file defines the functions that make collections of their arguments, the transients, and the natives
// that the prelude uses for collections in memory.

package colls

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var collMakers = []entry.Entry{
	{NS: "clojure.core", Name: "vector", Args: "& xs", Cost: entry.PerArg, Purity: entry.Total, Many: manyVector,
		Fn:  makeVector,
		Doc: "Returns a vector of the arguments.", Examples: []string{"(vector 1 2) => [1 2]"}},
	{NS: "clojure.core", Name: "hash-map", Args: "& kvs", Cost: entry.PerArg, Purity: entry.Pure, Many: manyMap,
		Fn:       hashMap,
		Doc:      "Returns a hash map of alternating keys and values.",
		Examples: []string{"(hash-map :a 1) => {:a 1}", "(hash-map :a) !illegal-argument"}},
	{NS: "clojure.core", Name: "array-map", Args: "& kvs", Cost: entry.PerArg, Purity: entry.Pure, Fn: arrayMap,
		Doc:      "Returns a map of alternating keys and values that keeps their order.",
		Examples: []string{"(array-map :b 1 :a 2) => {:b 1, :a 2}", "(array-map :a) !illegal-argument"}},
	{NS: "clojure.core", Name: "hash-set", Args: "& xs", Cost: entry.PerArg, Purity: entry.Pure, Many: manySet,
		Fn:  hashSet,
		Doc: "Returns a set of the arguments.", Examples: []string{"(hash-set 1 1) => #{1}"}},
	{NS: "clojure.core", Name: "sorted-map", Args: "& kvs", Cost: entry.Sorts, Purity: entry.Pure, Fn: sortedMap,
		Doc:      "Returns a sorted map of alternating keys and values, ordered by compare.",
		Examples: []string{"(sorted-map :b 1 :a 2) => {:a 2, :b 1}", "(sorted-map 1 2 :a 3) !wrong-type"}},
	{NS: "clojure.core", Name: "sorted-set", Args: "& xs", Cost: entry.Sorts, Purity: entry.Pure, Many: manySorted,
		Fn:       sortedSet,
		Doc:      "Returns a sorted set of the arguments, ordered by compare.",
		Examples: []string{"(sorted-set 3 1 2) => #{1 2 3}", "(sorted-set 1 :a) !wrong-type"}},
	{NS: "clojure.core", Name: "%sorted-map", Args: "cmp", Private: true, Cost: entry.Constant, Fn: emptySortedMap,
		Doc: "Returns the empty sorted map with a comparator."},
	{NS: "clojure.core", Name: "%sorted-set", Args: "cmp", Private: true, Cost: entry.Constant, Fn: emptySortedSet,
		Doc: "Returns the empty sorted set with a comparator."},
	{NS: "clojure.core", Name: "%object?", Args: "x", Private: true, Cost: entry.Constant,
		Fn:  entry.IsKind(value.Kinds(value.KindObject)),
		Doc: "Returns true for an object of deftype or reify."},
	{NS: "clojure.core", Name: "%cells-before", Args: "xs rest", Private: true, Cost: entry.PerElement, Fn: cellsBefore,
		Doc: "Returns a list of the elements of a vector, and the rest after them, which may be an object."},
	{NS: "clojure.core", Name: "%map-entry", Args: "k v", Private: true, Cost: entry.Constant, Fn: makeEntry,
		Doc: "Returns a map entry."},
}

func makeVector(t *value.Task, args []value.Value) value.Value { return t.Vector(args...) }

func hashMap(t *value.Task, args []value.Value) value.Value {
	wantPairs(t, "hash-map", args)
	if len(args) == 0 {
		return value.EmptyMap
	}
	return t.HashMapOf(args)
}

func arrayMap(t *value.Task, args []value.Value) value.Value {
	wantPairs(t, "array-map", args)
	if len(args) == 0 {
		return value.EmptyMap
	}
	return t.ArrayMapOf(args)
}

func wantPairs(t *value.Task, who string, kvs []value.Value) {
	if len(kvs)%2 != 0 {
		t.FailHint(diag.IllegalArgument, who+" takes alternating keys and values", "No value supplied for key: %s",
			t.Text(kvs[len(kvs)-1]))
	}
}

func hashSet(t *value.Task, args []value.Value) value.Value { return t.SetOf(args...) }

func sortedMap(t *value.Task, args []value.Value) value.Value {
	wantPairs(t, "sorted-map", args)
	n := len(args) / 2
	if n < leastBulk {
		return t.SortedMapOf(value.Nil, args)
	}
	keys, vals := t.Blocks(n), t.Blocks(n)
	for i := range n {
		*keys.At(i), *vals.At(i) = args[2*i], args[2*i+1]
	}
	return sortedFrom(t, t.SortedMapOf(value.Nil, nil), keys, vals)
}

func sortedSet(t *value.Task, args []value.Value) value.Value {
	if len(args) < leastBulk {
		return t.SortedSetOf(value.Nil, args)
	}
	keys := t.Vals(len(args))
	t.CopyVals(keys, args)
	return sortedFrom(t, t.SortedSetOf(value.Nil, nil), value.Blocks{Vals: keys}, value.Blocks{})
}

func emptySortedMap(t *value.Task, args []value.Value) value.Value {
	return t.SortedMapOf(storedComparator(t, args[0]), nil)
}

func emptySortedSet(t *value.Task, args []value.Value) value.Value {
	return t.SortedSetOf(storedComparator(t, args[0]), nil)
}

// storedComparator returns the comparator that a sorted collection stores: nil for compare.
func storedComparator(t *value.Task, cmp value.Value) value.Value {
	if !cmp.Is(sortableBy) {
		t.Fail(diag.WrongType, "got %s, want a function as comparator", value.Describe(t, cmp))
	}
	if cmp.Kind() == value.KindNative && cmp.AsNative().Name == "compare" {
		return value.Nil
	}
	return cmp
}

func makeEntry(t *value.Task, args []value.Value) value.Value { return t.Entry(args[0], args[1]) }

var transients = []entry.Entry{
	{NS: "clojure.core", Name: "transient", Args: "coll", Cost: entry.Constant, Fn: transient,
		Doc:      "Returns a transient copy of a vector, map or set, which conj!, assoc! and the like change in place.",
		Examples: []string{"(persistent! (conj! (transient [1]) 2)) => [1 2]", "(transient '(1)) !wrong-type"}},
	{NS: "clojure.core", Name: "persistent!", Args: "tcoll", Cost: entry.Constant, Fn: persistent,
		Doc: "Returns the persistent collection of a transient. The transient cannot be used after that.",
		Examples: []string{"(persistent! (transient {})) => {}", "(persistent! []) !wrong-type",
			"(let [t (transient [])] (persistent! t) (conj! t 1)) !illegal-state"}},
	{NS: "clojure.core", Name: "conj!", Args: "| tcoll | tcoll x", Cost: entry.Constant, Fn: conjBang,
		Doc:      "Adds x to a transient. Returns the transient.",
		Examples: []string{"(persistent! (conj! (transient #{}) 1)) => #{1}", "(conj! [] 1) !wrong-type"}},
	{NS: "clojure.core", Name: "assoc!", Args: "tcoll k v | tcoll k v & kvs", Cost: entry.PerArg, Fn: assocBang,
		Doc:      "Sets the value of a key or index in a transient. Returns the transient.",
		Examples: []string{"(persistent! (assoc! (transient {}) :a 1)) => {:a 1}", "(assoc! {} :a 1) !wrong-type"}},
	{NS: "clojure.core", Name: "dissoc!", Args: "tmap k | tmap k & ks", Cost: entry.PerArg, Fn: dissocBang,
		Doc:      "Removes a key from a transient map. Returns the transient.",
		Examples: []string{"(persistent! (dissoc! (transient {:a 1}) :a)) => {}", "(dissoc! {} :a) !wrong-type"}},
	{NS: "clojure.core", Name: "disj!", Args: "tset | tset x | tset x & xs", Cost: entry.PerArg, Fn: disjBang,
		Doc:      "Removes a member from a transient set. Returns the transient.",
		Examples: []string{"(persistent! (disj! (transient #{1}) 1)) => #{}", "(disj! #{} 1) !wrong-type"}},
	{NS: "clojure.core", Name: "pop!", Args: "tvec", Cost: entry.Constant, Fn: popBang,
		Doc:      "Removes the last element of a transient vector. Returns the transient.",
		Examples: []string{"(persistent! (pop! (transient [1 2]))) => [1]", "(pop! (transient [])) !illegal-state"}},
}

func transient(t *value.Task, args []value.Value) value.Value {
	if args[0].IsNil() {
		t.Fail(diag.NilValue, "transient: got nil, want a vector, map or set")
	}
	if x, ok := onObject(t, args[0], methodAsTransient); ok {
		return x
	}
	return t.Transient(args[0])
}

func persistent(t *value.Task, args []value.Value) value.Value {
	if x, ok := onObject(t, args[0], methodPersistent); ok {
		return x
	}
	return t.Persistent(args[0])
}

func conjBang(t *value.Task, args []value.Value) value.Value {
	switch len(args) {
	case 0:
		return t.Transient(value.EmptyVector)
	case 1:
		return args[0]
	}
	if x, ok := onObject(t, args[0], methodConj, args[1]); ok {
		return x
	}
	return t.TConj(args[0], args[1])
}

func assocBang(t *value.Task, args []value.Value) value.Value {
	if len(args)%2 == 0 {
		t.Fail(diag.IllegalArgument, "assoc!: No value supplied for key: %s", value.Show(t, args[len(args)-1]))
	}
	coll := args[0]
	for i := 1; i < len(args); i += 2 {
		if x, ok := onObject(t, coll, methodAssoc, args[i], args[i+1]); ok {
			coll = x
			continue
		}
		t.TAssoc(coll, args[i], args[i+1])
	}
	return coll
}

func dissocBang(t *value.Task, args []value.Value) value.Value {
	coll := args[0]
	for _, k := range args[1:] {
		if x, ok := onObject(t, coll, methodWithout, k); ok {
			coll = x
			continue
		}
		t.TDissoc(coll, k)
	}
	return coll
}

func disjBang(t *value.Task, args []value.Value) value.Value {
	coll := args[0]
	for _, x := range args[1:] {
		if rest, ok := onObject(t, coll, methodDisjoin, x); ok {
			coll = rest
			continue
		}
		t.TDisj(coll, x)
	}
	return coll
}

func popBang(t *value.Task, args []value.Value) value.Value {
	if x, ok := onObject(t, args[0], methodPop); ok {
		return x
	}
	return t.TPop(args[0])
}

// onObject calls a method of an interface that the type of an object implements. ok is false for other values.
func onObject(t *value.Task, v, name value.Value, args ...value.Value) (x value.Value, ok bool) {
	if v.Kind() != value.KindObject {
		return value.Nil, false
	}
	return t.CallOwn(v, name, append([]value.Value(nil), args...)...)
}

func cellsBefore(t *value.Task, args []value.Value) value.Value {
	rest := args[1]
	for i := value.VecCount(args[0]) - 1; i >= 0; i-- {
		t.Work(1)
		rest = t.Cons(value.VecAt(args[0], i), rest)
	}
	return rest
}
