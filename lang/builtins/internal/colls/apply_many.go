// This file defines the calls by apply of builtins that make collections, with more arguments than one block holds.

package colls

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// manyMap is hash-map.
func manyMap(t *value.Task, _ value.NativeFunc, args value.Value) value.Value {
	m := t.Transient(value.EmptyMap)
	for it := t.Iter(args); ; {
		var pair [2]value.Value
		n := entry.Take(it, pair[:])
		wantPairs(t, "hash-map", pair[:n])
		if n == 0 {
			return t.Persistent(m)
		}
		t.TAssoc(m, pair[0], pair[1])
	}
}

// manyListed is list.
func manyListed(t *value.Task, _ value.NativeFunc, args value.Value) value.Value {
	row := t.BlocksOf(args)
	l := value.EmptyList
	for i := row.Len() - 1; i >= 0; i-- {
		t.Work(1)
		l = t.ListConj(*row.At(i), l)
	}
	return l
}

// manySet is hash-set.
func manySet(t *value.Task, _ value.NativeFunc, args value.Value) value.Value {
	return addTo(t, t.Transient(value.EmptySet), args)
}

// manySorted is sorted-set.
func manySorted(t *value.Task, _ value.NativeFunc, args value.Value) value.Value {
	row := t.BlocksOf(args)
	return sortedFrom(t, t.SortedSetOf(value.Nil, nil), row, value.Blocks{})
}

// manyVector is vector.
func manyVector(t *value.Task, _ value.NativeFunc, args value.Value) value.Value {
	return vectorOf(t, args)
}
