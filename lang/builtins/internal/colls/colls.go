// Package colls defines the builtins on collections, sequences and arrays, and the methods of Java's collections.
// The functions that call functions of the program are in the prelude.
package colls

import (
	"slices"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// Entries returns the builtins on collections.
func Entries() [][]entry.Entry {
	return [][]entry.Entry{seqMakers, chunkNatives, readyNatives, boxNatives, sortNatives, collChanges, collLookups,
		collMakers,
		transients, heldNatives, sortedNatives, sortedMakers, arrays(), arrayCasts(), collectionMethods(),
		persistentMethods(), interfaceMethods()}
}

var collChanges = []entry.Entry{
	{NS: "clojure.core", Name: "conj", Args: "| coll | coll x | coll x & xs", Cost: entry.PerArg, Purity: entry.Pure,
		Facts: entry.ReturnsFnsOfOne | entry.Copies, Many: entry.FromLeft(2), Fn: conj,
		Doc: "Returns coll with the elements added: at the end of a vector, at the front of a list or sequence, as " +
			"entries of a map.",
		Examples: []string{"(conj [1] 2 3) => [1 2 3]", "(conj '(1) 2) => (2 1)", "(conj {} [:a 1]) => {:a 1}",
			"(conj nil 1) => (1)", "(conj 1 2) !wrong-type"}},
	{NS: "clojure.core", Name: "assoc", Args: "m k v | m k v & kvs", Cost: entry.PerArg, Purity: entry.Pure,
		Facts: entry.Copies, Many: entry.FromLeft(3), Intrinsic: entry.IntrinsicAssoc, Fn: assoc,
		Doc: "Returns a map with the keys set to the values, or a vector with the indices set. nil is an empty map.",
		Examples: []string{"(assoc {:a 1} :b 2) => {:a 1, :b 2}", "(assoc [1 2] 0 :x) => [:x 2]",
			"(assoc nil :a 1) => {:a 1}", "(assoc [1] 5 0) !index-out-of-range", "(assoc 1 :a 2) !wrong-type"}},
	{NS: "clojure.core", Name: "dissoc", Args: "m | m:maplike? k | m:maplike? k & ks", Cost: entry.PerArg,
		Purity: entry.Pure, Facts: entry.ReturnsFnsOfOne | entry.Copies, Many: entry.FromLeft(2), Fn: dissoc,
		Doc:      "Returns a map without the keys.",
		Examples: []string{"(dissoc {:a 1 :b 2} :a) => {:b 2}", "(dissoc nil :a) => nil", "(dissoc [1] 0) !wrong-type"}},
	{NS: "clojure.core", Name: "disj", Args: "s | s:setlike? x | s:setlike? x & xs", Cost: entry.PerArg,
		Purity: entry.Pure, Facts: entry.ReturnsFnsOfOne | entry.Copies, Many: entry.FromLeft(2), Fn: disj,
		Doc:      "Returns a set without the members.",
		Examples: []string{"(disj #{1 2} 1) => #{2}", "(disj nil 1) => nil", "(disj [1] 1) !wrong-type"}},
	{NS: "clojure.core", Name: "merge", Args: "& maps", Cost: entry.PerElement, Purity: entry.Pure,
		Facts: entry.ReturnsFnsOfOne | entry.Copies, Many: entry.FromLeft(0), Fn: merge,
		Doc: "Returns the first map with the entries of the others added. The last value of a key wins. nil is an " +
			"empty map.",
		Examples: []string{"(merge {:a 1} {:b 2} nil {:a 3}) => {:a 3, :b 2}", "(merge nil) => nil",
			"(merge {} 1) !illegal-argument"}},
	{NS: "clojure.core", Name: "pop", Args: "coll", Cost: entry.Constant, Purity: entry.Pure, Fn: pop,
		Doc: "Returns a vector without its last element, a list or queue without its first.",
		Examples: []string{"(pop [1 2]) => [1]", "(pop '(1 2)) => (2)", "(pop nil) => nil", "(pop []) !illegal-state",
			"(pop #{}) !wrong-type"}},
	{NS: "clojure.core", Name: "empty", Args: "coll", Cost: entry.Constant, Purity: entry.Pure, Facts: entry.TakesAny,
		Fn:       emptyOf,
		Doc:      "Returns an empty collection of the same kind, nil if the argument is not a collection.",
		Examples: []string{"(empty [1]) => []", "(empty {:a 1}) => {}", "(empty 1) => nil"}},
	{NS: "clojure.core", Name: "subvec", Args: "v:vector start:num | v:vector start:num end:num", Cost: entry.PerElement,
		Purity: entry.Pure, Fn: subvec,
		Doc: "Returns a vector of the elements from start (inclusive) to end (exclusive).",
		Examples: []string{"(subvec [1 2 3] 1) => [2 3]", "(subvec [1 2 3] 0 1) => [1]",
			"(subvec [1] 2) !index-out-of-range"}},
	{NS: "clojure.core", Name: "with-meta", Args: "x meta", Cost: entry.PerElement, Purity: entry.Realises, Fn: withMeta,
		Doc:      "Returns x with m, a map or nil, as its metadata.",
		Examples: []string{"(meta (with-meta [1] {:a 1})) => {:a 1}", "(with-meta 1 {}) !wrong-type"}},
}

var collLookups = []entry.Entry{
	{NS: "clojure.core", Name: "get", Args: "coll k | coll k not-found", Cost: entry.Constant, Purity: entry.Reads,
		Intrinsic: entry.IntrinsicGet, Facts: entry.ReturnsFns | entry.TakesAny, Fn: get,
		Doc: "Returns the value of a key in a map, the element at an index of a vector or string, or the member of a " +
			"set; nil or not-found if there is none.",
		Examples: []string{"(get {:a 1} :a) => 1", "(get [1 2] 1) => 2", "(get {} :a :none) => :none", "(get 1 2) => nil"}},
	{NS: "clojure.core", Name: "contains?", Args: "coll k", Cost: entry.Constant, Purity: entry.Reads,
		Facts: entry.TestsType, Fn: contains,
		Doc: "Returns true if a map has the key, a set the member, a vector or string the index.",
		Examples: []string{"(contains? {:a nil} :a) => true", "(contains? [5] 5) => false",
			"(contains? '(1) 1) !illegal-argument"}},
	{NS: "clojure.core", Name: "find", Args: "m k", Cost: entry.Constant, Purity: entry.Reads, Fn: find,
		Doc:      "Returns the map entry of a key, nil if there is none.",
		Examples: []string{"(find {:a 1} :a) => [:a 1]", "(find {} :a) => nil", "(find #{1} 1) !illegal-argument"}},
	{NS: "clojure.core", Name: "key", Args: "e", Cost: entry.Constant, Purity: entry.Pure, Facts: entry.ReturnsFns,
		Fn:  keyOf,
		Doc: "Returns the key of a map entry.", Examples: []string{"(key (first {:a 1})) => :a", "(key [1 2]) !wrong-type"}},
	{NS: "clojure.core", Name: "val", Args: "e", Cost: entry.Constant, Purity: entry.Pure, Facts: entry.ReturnsFns,
		Fn:  valOf,
		Doc: "Returns the value of a map entry.", Examples: []string{"(val (first {:a 1})) => 1", "(val [1 2]) !wrong-type"}},
	{NS: "clojure.core", Name: "peek", Args: "coll", Cost: entry.Constant, Purity: entry.Pure, Facts: entry.ReturnsFns,
		Fn:       peek,
		Doc:      "Returns the last element of a vector, the first of a list or queue; nil if it is empty.",
		Examples: []string{"(peek [1 2]) => 2", "(peek '(1 2)) => 1", "(peek []) => nil", "(peek #{1}) !wrong-type"}},
	{NS: "clojure.core", Name: "meta", Args: "x", Cost: entry.Constant, Purity: entry.Reads, Fn: metaOf,
		Doc:      "Returns the metadata of x, nil if it has none.",
		Examples: []string{"(meta ^:a [1]) => {:a true}", "(meta 1) => nil"}},
}

func conj(t *value.Task, args []value.Value) value.Value {
	if len(args) == 0 {
		return value.EmptyVector
	}
	coll := args[0]
	for _, x := range args[1:] {
		coll = t.Conj(coll, x)
	}
	return coll
}

func assoc(t *value.Task, args []value.Value) value.Value {
	m := args[0]
	if len(args)%2 == 0 {
		t.Fail(diag.IllegalArgument, "assoc expects even number of arguments after map/vector, found odd number")
	}
	for i := 1; i < len(args); i += 2 {
		m = t.Assoc(m, args[i], args[i+1])
	}
	return m
}

func dissoc(t *value.Task, args []value.Value) value.Value {
	m := args[0]
	for _, k := range args[1:] {
		m = t.MapDissoc(m, k)
	}
	return m
}

func disj(t *value.Task, args []value.Value) value.Value {
	s := args[0]
	if s.IsNil() {
		return s
	}
	for _, x := range args[1:] {
		s = t.SetDisj(s, x)
	}
	return s
}

// bulkAdd is the number of entries from which adding them through a transient is faster.
const bulkAdd = 8

func merge(t *value.Task, args []value.Value) value.Value {
	acc := value.Nil
	any := slices.ContainsFunc(args, value.Value.Truthy)
	for i, m := range args {
		switch {
		case !any:
		case i == 0:
			acc = m
		default:
			if !acc.Truthy() {
				acc = value.EmptyMap
			}
			acc = addAll(t, acc, m)
		}
	}
	return acc
}

// addAll is (conj m x), for a map x of many entries through a transient.
func addAll(t *value.Task, m, x value.Value) value.Value {
	if !m.Is(hashedMaps) || !x.Is(value.Maps) || value.MapCount(x) < bulkAdd {
		return t.Conj(m, x)
	}
	return withMetaOf(t, m, t.Persistent(t.TConj(t.Transient(m), x)))
}

// hashedMaps are the maps that have transients.
var hashedMaps = value.Kinds(value.KindArrayMap, value.KindHashMap)

// editable are the collections that have transients.
var editable = value.Kinds(value.KindVector, value.KindArrayMap, value.KindHashMap, value.KindHashSet)

// withMetaOf returns x with the metadata of like.
func withMetaOf(t *value.Task, like, x value.Value) value.Value {
	if m := value.MetaOf(like); !m.IsNil() {
		return value.WithMeta(t, x, m)
	}
	return x
}

func pop(t *value.Task, args []value.Value) value.Value { return t.Pop(args[0]) }

func peek(t *value.Task, args []value.Value) value.Value { return t.Peek(args[0]) }

func emptyOf(t *value.Task, args []value.Value) value.Value { return t.Empty(args[0]) }

func subvec(t *value.Task, args []value.Value) value.Value {
	v := t.AsVec(args[0])
	start, end := value.ToInt(t, args[1]), int64(v.Count)
	if len(args) == 3 {
		end = value.ToInt(t, args[2])
	}
	if start < 0 || end < start || end > int64(v.Count) {
		t.Fail(diag.OutOfRange, "subvec: got [%d, %d) of a vector of %s", start, end, diag.Counted(v.Count, "element"))
	}
	return t.SubVec(v, int(start), int(end))
}

func withMeta(t *value.Task, args []value.Value) value.Value {
	if args[0].IsNil() {
		t.Fail(diag.NilValue, "with-meta: got nil, which has no metadata")
	}
	if x, ok := onObject(t, args[0], methodWithMeta, args[1]); ok {
		return x
	}
	return value.WithMeta(t, args[0], args[1])
}

func get(t *value.Task, args []value.Value) value.Value {
	if len(args) == 3 {
		return t.GetOr(args[0], args[1], args[2])
	}
	return t.Get(args[0], args[1], value.Nil)
}

func contains(t *value.Task, args []value.Value) value.Value {
	if args[0].IsString() && !args[1].Is(value.Numbers) {
		t.FailHint(diag.IllegalArgument, "contains? takes an index for a string; use str/includes? to search for a substring",
			"contains? not supported on type: java.lang.String")
	}
	return value.Bool(t.Contains(args[0], args[1]))
}

func find(t *value.Task, args []value.Value) value.Value {
	m, k := args[0], args[1]
	switch {
	case m.IsNil():
		return value.Nil
	case m.Is(value.Maps):
		if key, val, ok := t.MapFind(m, k); ok {
			return t.Entry(key, val)
		}
		return value.Nil
	case m.Is(value.Vectors), m.Is(value.Kinds(value.KindTransientVector, value.KindTransientMap)):
		if t.Contains(m, k) {
			return t.Entry(k, t.Get(m, k, value.Nil))
		}
		return value.Nil
	}
	if entry, ok := t.ObjectFind(m, k); ok {
		return entry
	}
	if coll, ok := t.JavaColl(m); ok && coll.Is(value.Maps) {
		return find(t, []value.Value{coll, k})
	}
	t.Fail(diag.IllegalArgument, "find not supported on type: %s", value.ClassName(m))
	return value.Nil
}

func keyOf(t *value.Task, args []value.Value) value.Value {
	return entryPartOf(t, "key", args[0], value.SeqKeys)
}

func valOf(t *value.Task, args []value.Value) value.Value {
	return entryPartOf(t, "val", args[0], value.SeqVals)
}

// entryPartOf returns the key or the value of an entry.
func entryPartOf(t *value.Task, who string, v value.Value, mode value.SeqMode) value.Value {
	switch {
	case v.Kind() == value.KindMapEntry && mode == value.SeqKeys:
		return v.AsEntry().Key
	case v.Kind() == value.KindMapEntry:
		return v.AsEntry().Val
	case v.IsNil():
		t.Fail(diag.NilValue, "%s: got nil, want a map entry", who)
	}
	x, ok := t.EntryPart(v, mode)
	if !ok {
		t.FailHint(diag.WrongType, "first and second take any pair", "%s: got %s, want a map entry", who,
			value.Describe(t, v))
	}
	return x
}

// VarMetadata is the cell with the metadata that programs gave to vars: a map from
// the var's symbol. Vars themselves are constants of the code.
const VarMetadata = "metadata of vars"

func metaOf(t *value.Task, args []value.Value) value.Value {
	if args[0].Kind() == value.KindVar {
		if m, ok := t.MapGet(t.Host.Cell(VarMetadata).AsAtom().Val, value.Of(&args[0].AsVar().Sym.Header)); ok {
			return m
		}
	}
	if m, ok := onObject(t, args[0], methodMeta); ok {
		return m
	}
	return value.MetaOf(args[0])
}
