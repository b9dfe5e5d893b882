// This file defines further methods of Clojure's interfaces: those of sorted collections, transients, references and
// comparators.

package colls

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// The methods with which the types of a program implement the functions on transients and metadata.
var (
	methodAsTransient = value.ConstKeyword("asTransient")
	methodPersistent  = value.ConstKeyword("persistent")
	methodConj        = value.ConstKeyword("conj")
	methodAssoc       = value.ConstKeyword("assoc")
	methodWithout     = value.ConstKeyword("without")
	methodDisjoin     = value.ConstKeyword("disjoin")
	methodPop         = value.ConstKeyword("pop")
	methodMeta        = value.ConstKeyword("meta")
	methodWithMeta    = value.ConstKeyword("withMeta")
)

var onTransient = value.Kinds(value.KindTransientVector, value.KindTransientMap, value.KindTransientSet)

// interfaceMethods are methods of Clojure's interfaces that programs call on values.
func interfaceMethods() []entry.Entry {
	return []entry.Entry{
		entry.Method("seqFrom", "key ascending", SortedKinds, entry.PerElement,
			"Returns the sequence of a sorted collection from a key on, up or down.",
			`(.seqFrom (sorted-set 1 2 3) 2 true) => (2 3)`, seqFrom),
		entry.Method("entryKey", "entry", SortedKinds, entry.Constant,
			"Returns the key by which a sorted collection orders an entry.",
			`(.entryKey (sorted-map 1 2) (first {3 4})) => 3`, func(t *value.Task, a []value.Value) value.Value {
				if a[0].Kind() == value.KindSortedSet {
					return a[1]
				}
				return keyOf(t, a[1:])
			}),
		entry.Method("compare", "x y", value.Callables, entry.Walks,
			"Compares two values by a function, which returns a number, or true for less.",
			`(.compare > 1 2) => 1`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(t.CompareBy(a[0], a[1], a[2])))
			}),
		entry.Method("assocN", "index x", value.Vectors|value.Kinds(value.KindTransientVector), entry.Constant,
			"Sets an element of a vector.", `(.assocN [1] 0 2) => [2]`, func(t *value.Task, a []value.Value) value.Value {
				if a[0].Is(onTransient) {
					return assocBang(t, a)
				}
				return t.Assoc(a[0], a[1], a[2])
			}),
		entry.Method("asTransient", "", editable, entry.Constant, "Returns a transient with the elements of a collection.",
			`(persistent! (.asTransient [1])) => [1]`, transient),
		entry.Method("persistent", "", onTransient, entry.Constant, "Returns the collection of a transient.",
			`(.persistent (transient [1])) => [1]`, persistent),
		entry.Method("conj", "x", onTransient, entry.Constant, "Adds an element to a transient.",
			`(persistent! (.conj (transient [1]) 2)) => [1 2]`, conjBang),
		entry.Method("hasheq", "", entry.NotNil, entry.Walks, "Returns the hash of a value, as hash does.",
			`(= (.hasheq :a) (hash :a)) => true`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(int32(value.Hash(t, a[0]))))
			}),
	}
}

// seqFrom returns the part of a sorted collection from a key on, in a direction.
func seqFrom(t *value.Task, a []value.Value) value.Value {
	at, found := t.SortedPlace(a[0], a[1])
	lo, hi := at, t.Count(a[0])
	desc := !a[2].Truthy()
	if desc {
		lo, hi = 0, at
		if found {
			hi++
		}
	}
	if lo >= hi {
		return value.Nil
	}
	return sortedPart(t, a[0], lo, hi, desc)
}
