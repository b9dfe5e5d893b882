// This file adds many elements at once to a sorted collection: it sorts them and builds the tree,
// because a persistent change for each would make a path of nodes. The machine calls the comparator
// of a program (see %sort-calls), because a builtin can't call it that often.

package colls

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var sortedMakers = []entry.Entry{
	{NS: "clojure.core", Name: "%sorted-start", Args: "to b:box", Private: true, Cost: entry.Sorts, Fn: sortedStart,
		Doc: "Returns the sorted collection to with the values of a box, a sort to continue if the program's comparator " +
			"must be called, or nil if adding them one by one is better."},
	{NS: "clojure.core", Name: "%comparator", Args: "sc", Private: true, Cost: entry.Constant, Fn: comparatorOf,
		Doc: "Returns the comparator of a sorted collection."},
	{NS: "clojure.core", Name: "%before?", Args: "r", Private: true, Cost: entry.Constant, Fn: isBefore,
		Doc: "Returns true if a comparator's result means that its first argument comes first."},
	{NS: "clojure.core", Name: "%sort-keys", Args: "state", Private: true, Cost: entry.Constant, Fn: sortKeys,
		Doc: "Returns a box of the keys of a finished sort."},
	{NS: "clojure.core", Name: "%sorted-end", Args: "to state same:box", Private: true, Cost: entry.PerElement,
		Fn: sortedEnd,
		Doc: "Returns the collection to with the elements of a finished sort, which include those of to; same holds the " +
			"positions of keys that equal the key before."},
}

// leastBulk is the number of elements from which they are sorted and not added one by one.
const leastBulk = 16

func comparatorOf(_ *value.Task, args []value.Value) value.Value { return value.ComparatorOf(args[0]) }

func isBefore(t *value.Task, args []value.Value) value.Value {
	return value.Bool(value.IsBefore(t, args[0]))
}

func sortKeys(t *value.Task, args []value.Value) value.Value {
	return t.BoxOf(*args[0].AsSorting().Keys())
}

func sortedStart(t *value.Task, args []value.Value) value.Value {
	to, items := args[0], &args[1].AsBox().Blocks
	n := items.Len()
	if !to.Is(SortedKinds) || n < leastBulk || n < t.Count(to)/leastBulk {
		return value.Nil
	}
	keys, vals, ok := sortedEntries(t, to, items)
	if !ok {
		return value.Nil
	}
	cmp := value.ComparatorOf(to)
	if !cmp.IsNil() && cmp.Kind() != value.KindNative {
		return t.Sorting(keys, vals)
	}
	return sortedFrom(t, to, keys, vals)
}

// sortedEntries returns new rows with the keys, and for a map the values, of a sorted collection
// and then of items. ok is false if one of the items is not an entry.
func sortedEntries(t *value.Task, to value.Value, items *value.Blocks) (keys, vals value.Blocks, ok bool) {
	have := t.Count(to)
	keys = t.Blocks(have + items.Len())
	isMap := to.Kind() == value.KindSortedMap
	if isMap {
		vals = t.Blocks(keys.Len())
	}
	i := 0
	for it := value.NewMapIter(to); it.Next(); i++ {
		t.Work(1)
		*keys.At(i) = it.Key
		if isMap {
			*vals.At(i) = it.Val
		}
	}
	if !isMap {
		keys.Move(t, i, items, 0, items.Len())
		return keys, vals, true
	}
	for _, block := range items.All() {
		for _, x := range block {
			if !x.Is(value.Vectors) || value.VecCount(x) != 2 {
				return keys, vals, false
			}
			t.Work(1)
			*keys.At(i), *vals.At(i) = value.VecAt(x, 0), value.VecAt(x, 1)
			i++
		}
	}
	return keys, vals, true
}

// sortedFrom makes a sorted collection like to from keys and values, which it overwrites. Its
// comparator is a builtin.
func sortedFrom(t *value.Task, to value.Value, keys, vals value.Blocks) value.Value {
	less := lessBy(t, value.ComparatorOf(to), &keys)
	of := &vals
	if to.Kind() == value.KindSortedSet {
		of = nil
	}
	sortRows(t, less, &keys, of)
	return t.SortedOf(to, &keys, of, func(i int) bool { return !less(keys.At(i-1), keys.At(i)) })
}

func sortedEnd(t *value.Task, args []value.Value) value.Value {
	s, same := args[1].AsSorting(), &args[2].AsBox().Blocks
	vals := s.Sorted()
	if args[0].Kind() == value.KindSortedSet {
		vals = nil
	}
	next := 0
	return t.SortedOf(args[0], s.Keys(), vals, func(i int) bool {
		if next < same.Len() && same.At(next).AsInt() == int64(i) {
			next++
			return true
		}
		return false
	})
}
