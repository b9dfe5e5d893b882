// This file defines java.util.IdentityHashMap, whose keys are compared by identical?.

package java

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// IdentityHashMap has one slot: a map from the hash of keys to the vector of their entries. Java has an order of
// addresses. Here it depends on the hashes alone, so that it is the same in every run.
var IdentityHashMap = &value.JavaClass{Name: "java.util.IdentityHashMap", Open: "{", Text: mapText,
	Coll: identityMap, Seq: func(t *value.Task, v value.Value) value.Value { return t.Seq(identityEntries(t, v)) }}

// identityEntries returns the entries of a map as a vector.
func identityEntries(t *value.Task, v value.Value) value.Value {
	all := t.Transient(value.EmptyVector)
	for it := value.NewMapIter(v.AsJava().Vals[tableData]); it.Next(); {
		for i := range value.VecCount(it.Val) {
			t.Work(1)
			all = t.TConj(all, value.VecAt(it.Val, i))
		}
	}
	return t.Persistent(all)
}

// identityMap returns the map that an IdentityHashMap is compared with. It has one of several equal keys.
func identityMap(t *value.Task, v value.Value) value.Value {
	m := t.Transient(value.EmptyMap)
	t.Each(identityEntries(t, v), func(e value.Value) bool {
		m = t.TAssoc(m, value.VecAt(e, 0), value.VecAt(e, 1))
		return true
	})
	return t.Persistent(m)
}

// bucket returns the hash of a key, and the entries of that hash. A sequence may have no end, and is not hashed.
func bucket(t *value.Task, v, k value.Value) (hash, entries value.Value) {
	hash = value.Int(0)
	if !k.Is(value.Seqs) {
		hash = value.Int(int64(value.IdentityHash(t, k)))
	}
	entries, ok := t.MapGet(v.AsJava().Vals[tableData], hash)
	if !ok {
		entries = value.EmptyVector
	}
	return hash, entries
}

// identityIndex returns the index of the entry of a key among those of a bucket, their number if there is none.
func identityIndex(t *value.Task, entries, k value.Value) int {
	n := value.VecCount(entries)
	for i := range n {
		t.Work(1)
		if value.Same(value.VecAt(value.VecAt(entries, i), 0), k) {
			return i
		}
	}
	return n
}

func identityGet(t *value.Task, v, k value.Value) (value.Value, bool) {
	_, entries := bucket(t, v, k)
	if i := identityIndex(t, entries, k); i < value.VecCount(entries) {
		return value.VecAt(value.VecAt(entries, i), 1), true
	}
	return value.Nil, false
}

func identityPut(t *value.Task, v, k, x value.Value) {
	hash, entries := bucket(t, v, k)
	entries = t.Assoc(entries, value.Int(int64(identityIndex(t, entries, k))), t.Entry(k, x))
	change(t, v, tableData, t.MapAssoc(v.AsJava().Vals[tableData], hash, entries))
}

func identityDrop(t *value.Task, v, k value.Value) {
	hash, entries := bucket(t, v, k)
	at := identityIndex(t, entries, k)
	kept := t.Transient(value.EmptyVector)
	for i := range value.VecCount(entries) {
		if i != at {
			kept = t.TConj(kept, value.VecAt(entries, i))
		}
	}
	change(t, v, tableData, t.MapAssoc(v.AsJava().Vals[tableData], hash, t.Persistent(kept)))
}

// identityMethods are the methods that differ from those of other maps.
func identityMethods() []method {
	return []method{
		{"size", "", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.Int(int64(value.VecCount(identityEntries(t, a[0]))))
		}},
		{"containsValue", "val", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			entries := identityEntries(t, a[0])
			for i := range value.VecCount(entries) {
				t.Work(1)
				if value.Same(value.VecAt(value.VecAt(entries, i), 1), a[1]) {
					return value.True
				}
			}
			return value.False
		}},
	}
}
