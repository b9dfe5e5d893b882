// This file defines how many elements at once come into a sorted collection: they
// are sorted, and the tree is built of them, where one persistent change for each
// would make a path of nodes. The comparator of a program is called by the machine
// (see %sort-calls), as no builtin can call it so often.

package builtins

import "github.com/ptc-lang/ptc/lang/value"

var sortedMakers = []Entry{
	{NS: "clojure.core", Name: "%sorted-start", Args: "to b:box", Private: true, Cost: Sorts, Fn: sortedStart,
		Doc: "The sorted collection to with the values of a box; a sort under way if a comparator of the program is to be called; nil if they are better added one by one."},
	{NS: "clojure.core", Name: "%comparator", Args: "sc", Private: true, Cost: Constant, Fn: comparatorOf,
		Doc: "The comparator of a sorted collection."},
	{NS: "clojure.core", Name: "%before?", Args: "r", Private: true, Cost: Constant, Fn: isBefore,
		Doc: "Says whether a comparator's value means that its first argument comes first."},
	{NS: "clojure.core", Name: "%sort-keys", Args: "state", Private: true, Cost: Constant, Fn: sortKeys,
		Doc: "A box of the keys of a sort that has ended."},
	{NS: "clojure.core", Name: "%sorted-end", Args: "to state same:box", Private: true, Cost: PerElement, Fn: sortedEnd,
		Doc: "The collection to with the elements of a sort that has ended, those of to among them; same holds the places of keys that equal the one before."},
}

// leastBulk is how many elements are sorted rather than added one by one.
const leastBulk = 16

func comparatorOf(_ *value.Task, args []value.Value) value.Value { return value.ComparatorOf(args[0]) }

func isBefore(t *value.Task, args []value.Value) value.Value {
	return value.Bool(value.IsBefore(t, args[0]))
}

func sortKeys(t *value.Task, args []value.Value) value.Value {
	return t.Box(args[0].AsSorting().Keys())
}

func sortedStart(t *value.Task, args []value.Value) value.Value {
	to, items := args[0], args[1].AsBox().Vals
	n := len(items)
	if n < leastBulk || n < t.Count(to)/leastBulk {
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

// sortedEntries gives the keys, and of a map the values, of a sorted collection and
// then those of items, as blocks of their own. ok is false if one of the items is no
// entry.
func sortedEntries(t *value.Task, to value.Value, items []value.Value) (keys, vals []value.Value, ok bool) {
	have := t.Count(to)
	keys = t.Vals(have + len(items))
	t.Work(int64(len(keys)))
	isMap := to.Kind() == value.KindSortedMap
	if isMap {
		vals = t.Vals(len(keys))
	}
	i := 0
	for it := value.NewMapIter(to); it.Next(); i++ {
		keys[i] = it.Key
		if isMap {
			vals[i] = it.Val
		}
	}
	if !isMap {
		copy(keys[i:], items)
		return keys, nil, true
	}
	for _, x := range items {
		if !x.Is(value.Vectors) || value.VecCount(x) != 2 {
			return nil, nil, false
		}
		keys[i], vals[i] = value.VecAt(x, 0), value.VecAt(x, 1)
		i++
	}
	return keys, vals, true
}

// sortedFrom makes a sorted collection like to of keys and values, which are given
// up. Its comparator is a builtin.
func sortedFrom(t *value.Task, to value.Value, keys, vals []value.Value) value.Value {
	n := len(keys)
	s := sorter{t: t, less: lessBy(t, value.ComparatorOf(to), keys), keys: keys, tmpKeys: t.Vals(n), vals: vals, tmpVals: t.Vals(len(vals)), both: vals != nil}
	if vals == nil {
		s.vals, s.tmpVals = s.keys, s.tmpKeys
	}
	s.sort(0, n)
	return t.SortedOf(to, keys, vals, func(i int) bool { return !s.less(&keys[i-1], &keys[i]) })
}

func sortedEnd(t *value.Task, args []value.Value) value.Value {
	s, same := args[1].AsSorting(), args[2].AsBox().Vals
	vals := s.Sorted()
	if args[0].Kind() == value.KindSortedSet {
		vals = nil
	}
	next := 0
	return t.SortedOf(args[0], s.Keys(), vals, func(i int) bool {
		if next < len(same) && same[next].AsInt() == int64(i) {
			next++
			return true
		}
		return false
	})
}
