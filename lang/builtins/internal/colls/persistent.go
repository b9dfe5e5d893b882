// This file defines the methods of Clojure's own interfaces, which types that wrap a collection
// forward to it, and further methods of Java's lists and maps.

package colls

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// onSeqable are the collections that have a sequence.
var (
	onSeqable = value.Colls
	onAssoc   = value.Maps | value.Vectors
	onStack   = value.Vectors | value.Kinds(value.KindList, value.KindQueue)
)

// persistentMethods are methods of collections that are functions under another name, and
// those of iterators.
func persistentMethods() []entry.Entry {
	return []entry.Entry{
		entry.Method("seq", "| ascending", onSeqable, entry.Constant,
			"Returns the sequence of a collection, of a sorted one up or down.", `(.seq [1]) => (1)`, methodSeq),
		entry.Method("first", "", value.Seqs, entry.Constant, "Returns the first element of a sequence.",
			`(.first '(1 2)) => 1`,
			entry.Unary((*value.Task).First)),
		entry.Method("next", "", value.Seqs|iteratorKind, entry.Constant,
			"Returns the sequence after the first element, nil if it is empty; for an iterator, the next element.",
			`(.next '(1 2)) => (2)`, methodNext),
		entry.Method("more", "", value.Seqs, entry.Constant, "Returns a sequence without its first element.",
			`(.more '(1 2)) => (2)`,
			entry.Unary((*value.Task).Rest)),
		entry.Method("cons", "x", onSeqable, entry.Constant, "Adds an element to a collection, as conj does.",
			`(.cons [1] 2) => [1 2]`,
			conj),
		entry.Method("empty", "", onSeqable, entry.Constant, "Returns the empty collection of the same kind.",
			`(.empty [1]) => []`,
			entry.Unary((*value.Task).Empty)),
		entry.Method("equiv", "y", entry.NotNil, entry.Walks, "Returns true if two values are equal, as = does.",
			`(.equiv [1] '(1)) => true`,
			func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(value.Equal(t, a[0], a[1]))
			}),
		entry.Method("assoc", "k v", onAssoc|onTransient, entry.Constant, "Sets the value of a key.",
			`(.assoc {:a 1} :b 2) => {:a 1, :b 2}`, changeEither(assoc, assocBang)),
		entry.Method("without", "k", value.Maps|onTransient, entry.Constant, "Removes a key.",
			`(.without {:a 1} :a) => {}`, changeEither(dissoc, dissocBang)),
		entry.Method("disjoin", "x", value.Sets|onTransient, entry.Constant, "Removes a member.",
			`(.disjoin #{1 2} 1) => #{2}`, changeEither(disj, disjBang)),
		entry.Method("entryAt", "k", onAssoc, entry.Constant, "Returns the entry of a key.", `(.entryAt {:a 1} :a) => [:a 1]`,
			find),
		entry.Method("peek", "", onStack, entry.Constant, "Returns the last element of a vector, the first of a list.",
			`(.peek [1 2]) => 2`, peek),
		entry.Method("pop", "", onStack, entry.Constant, "Removes the last element of a vector, the first of a list.",
			`(.pop [1 2]) => [1]`, pop),
		entry.Method("rseq", "", value.Vectors|SortedKinds, entry.Constant,
			"Returns the sequence from the last element to the first.",
			`(.rseq [1 2]) => (2 1)`, rseq),
		entry.Method("key", "", value.Vectors, entry.Constant, "Returns the key of a map entry.",
			`(.key (first {:a 1})) => :a`,
			entryPart("key", 0)),
		entry.Method("val", "", value.Vectors, entry.Constant, "Returns the value of a map entry.",
			`(.val (first {:a 1})) => 1`,
			entryPart("val", 1)),
		entry.Method("meta", "", onSeqable|value.Kinds(value.KindSymbol, value.KindFn, value.KindVar), entry.Constant,
			"Returns the metadata of a value.", `(.meta ^:a [1]) => {:a true}`, metaOf),
		entry.Method("withMeta", "meta", onSeqable|value.Kinds(value.KindSymbol, value.KindFn), entry.Constant,
			"Returns a value with other metadata.", `(meta (.withMeta [1] {:a 1})) => {:a 1}`, withMeta),
		entry.Method("containsValue", "x", value.Maps, entry.PerElement, "Returns true if a map has a value.",
			`(.containsValue {:a 1} 1) => true`, func(t *value.Task, a []value.Value) value.Value {
				has := false
				t.Each(t.MapSeqOf(a[0], value.SeqVals, false), func(x value.Value) bool {
					has = value.JavaEqual(t, a[1], x)
					return !has
				})
				return value.Bool(has)
			}),
		entry.Method("containsAll", "coll", onSeqable, entry.PerElement,
			"Returns true if a collection has all elements of another.",
			`(.containsAll [1 2 3] [1 2]) => true`, containsAll),
		entry.Method("subList", "start end", onSeqable, entry.PerElement,
			"Returns the elements from start (inclusive) to end (exclusive).", `(.subList [1 2 3 4] 1 3) => [2 3]`, subList),
		entry.Method("toArray", "", onSeqable, entry.PerElement, "Returns an array of the elements.",
			`(vec (.toArray [1 2])) => [1 2]`,
			toArray),
		entry.Method("iterator", "", onSeqable, entry.Constant, "Returns an iterator, for hasNext and next.",
			`(.next (.iterator [1 2])) => 1`, newIterator),
		entry.Method("hasNext", "", iteratorKind, entry.Constant, "Returns true if an iterator has another element.",
			`(.hasNext (.iterator [])) => false`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(!t.Seq(a[0].AsBox().Vals[0]).IsNil())
			}),
	}
}

// changeEither makes a method of a function on collections and one on transients.
func changeEither(change, bang value.NativeFunc) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		if a[0].Is(onTransient) {
			return bang(t, a)
		}
		return change(t, a)
	}
}

func methodSeq(t *value.Task, a []value.Value) value.Value {
	switch {
	case len(a) == 1:
		return t.SeqView(a[0])
	case !a[0].Is(SortedKinds):
		entry.NoMethod(t, "seq", a[0], 1)
	}
	return t.MapSeqOf(a[0], value.SeqEntries, !a[1].Truthy())
}

func containsAll(t *value.Task, a []value.Value) value.Value {
	if a[1].IsNil() {
		t.Fail(diag.NilValue, "containsAll: got nil, want a collection")
	}
	has := true
	t.Each(a[1], func(x value.Value) bool {
		if a[0].Is(value.Sets) {
			has = t.Contains(a[0], x)
		} else {
			has = indexIn(t, a[0], x, false) >= 0
		}
		return has
	})
	return value.Bool(has)
}

func subList(t *value.Task, a []value.Value) value.Value {
	v := a[0]
	if !v.Is(value.Vectors) {
		v = vectorOf(t, v)
	}
	return subvec(t, []value.Value{v, a[1], a[2]})
}

var iteratorKind = value.Kinds(value.KindIterator)

func newIterator(t *value.Task, a []value.Value) value.Value { return t.Iterator(t.Seq(a[0])) }

func methodNext(t *value.Task, a []value.Value) value.Value {
	if a[0].Is(value.Seqs) {
		return t.NextView(a[0])
	}
	vals := a[0].AsBox().Vals
	left := t.Seq(vals[0])
	if left.IsNil() {
		t.FailClass("java.util.NoSuchElementException", diag.IllegalState, "the iterator has no more elements")
	}
	t.Owns(a[0], "iterator")
	next := t.First(left)
	vals[0] = t.Rest(left)
	return next
}
