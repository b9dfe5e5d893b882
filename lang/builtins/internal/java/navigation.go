// This file defines the methods of TreeMap and TreeSet that find neighbours.

package java

import (
	"math"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// sorted returns the sorted map or set of an object.
func sorted(v value.Value) value.Value { return v.AsJava().Vals[tableData] }

// item returns the key, member or entry at an index of a sorted collection; it calls empty if there is none.
func item(t *value.Task, coll value.Value, i int, whole bool, empty func(*value.Task) value.Value) value.Value {
	if i < 0 || i >= t.Count(coll) {
		return empty(t)
	}
	k, v := value.EntryAt(coll, i)
	if whole {
		return t.Entry(k, v)
	}
	return k
}

// near makes a method that returns the nearest key before or after k, or k itself if same is true.
func near(after, same, whole bool) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		coll := sorted(a[0])
		i, found := t.SortedPlace(coll, a[1])
		switch {
		case found && same:
		case after && found:
			i++
		case !after:
			i--
		}
		return item(t, coll, i, whole, orNil)
	}
}

// end makes a method that returns the first or last key, and removes it if remove is true.
func end(last, remove, whole bool, empty func(*value.Task) value.Value) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		coll, i := sorted(a[0]), 0
		if last {
			i = t.Count(coll) - 1
		}
		x := item(t, coll, i, whole, empty)
		if remove && t.Count(coll) > 0 {
			drop(t, a[0], item(t, coll, i, false, empty))
		}
		return x
	}
}

// part of a sorted collection, as an object of the same class.
func slice(t *value.Task, v value.Value, i, j int) value.Value {
	coll := sorted(v)
	if i >= j {
		return t.JavaOf(v.AsJava().Class, t.Empty(coll))
	}
	return t.JavaOf(v.AsJava().Class, t.SortedPart(coll, i, j))
}

// bound returns the index at which the keys from k on begin; those after k if open is true.
func bound(t *value.Task, coll, k value.Value, open bool) int {
	i, found := t.SortedPlace(coll, k)
	if found && open {
		i++
	}
	return i
}

func head(t *value.Task, a []value.Value) value.Value {
	return slice(t, a[0], 0, bound(t, sorted(a[0]), a[1], len(a) == 3 && a[2].Truthy()))
}

func tail(t *value.Task, a []value.Value) value.Value {
	return slice(t, a[0], bound(t, sorted(a[0]), a[1], len(a) == 3 && !a[2].Truthy()), t.Count(sorted(a[0])))
}

func inside(t *value.Task, a []value.Value) value.Value {
	from, to, open, closed := a[1], a[2], false, false
	if len(a) == 5 {
		to, open, closed = a[3], !a[2].Truthy(), a[4].Truthy()
	}
	return slice(t, a[0], bound(t, sorted(a[0]), from, open), bound(t, sorted(a[0]), to, closed))
}

// descending returns a linked copy in the opposite order.
func descending(t *value.Task, a []value.Value) value.Value {
	class := LinkedHashSet
	if isMap(a[0]) {
		class = LinkedHashMap
	}
	coll := sorted(a[0])
	made := emptyTable(t, class, 16, nil)
	for i := t.Count(coll) - 1; i >= 0; i-- {
		t.Work(1)
		k, v := value.EntryAt(coll, i)
		put(t, made, k, v)
	}
	return made
}

func navigationMethods() []methods {
	const m, s = `(java.util.TreeMap. {1 :a 3 :b 5 :c})`, `(java.util.TreeSet. [1 3 5])`
	one := func(name, args, doc, example string, fn value.NativeFunc) method {
		return method{name, args, entry.PerElement, doc, example, fn}
	}
	maps := []method{
		one("firstKey", "", "Returns the least key; throws if there is none.", `(.firstKey `+m+`) => 1`,
			end(false, false, false, noElement)),
		one("lastKey", "", "Returns the greatest key; throws if there is none.", `(.lastKey `+m+`) => 5`,
			end(true, false, false, noElement)),
		one("floorKey", "k", "Returns the greatest key up to k, or nil.", `(.floorKey `+m+` 4) => 3`, near(false,
			true, false)),
		one("ceilingKey", "k", "Returns the least key from k on, or nil.", `(.ceilingKey `+m+` 3) => 3`,
			near(true, true, false)),
		one("lowerKey", "k", "Returns the greatest key below k, or nil.", `(.lowerKey `+m+` 3) => 1`, near(false,
			false, false)),
		one("higherKey", "k", "Returns the least key above k, or nil.", `(.higherKey `+m+` 5) => nil`, near(true,
			false, false)),
		one("floorEntry", "k", "Returns the entry of the greatest key up to k, or nil.", `(.floorEntry `+m+` 4) => [3 :b]`,
			near(false, true, true)),
		one("ceilingEntry", "k", "Returns the entry of the least key from k on, or nil.", "", near(true, true, true)),
		one("lowerEntry", "k", "Returns the entry of the greatest key below k, or nil.", "", near(false, false, true)),
		one("higherEntry", "k", "Returns the entry of the least key above k, or nil.", "", near(true, false, true)),
		one("firstEntry", "", "Returns the entry of the least key, or nil.", `(.firstEntry `+m+`) => [1 :a]`,
			end(false, false, true, orNil)),
		one("lastEntry", "", "Returns the entry of the greatest key, or nil.", "", end(true, false, true, orNil)),
		one("pollFirstEntry", "", "Removes the entry of the least key, and returns it, or nil.", `(.pollFirstEntry `+m+
			`) => [1 :a]`, end(false, true, true, orNil)),
		one("pollLastEntry", "", "Removes the entry of the greatest key, and returns it, or nil.", "", end(true,
			true, true, orNil)),
		one("headMap", "to | to inclusive", "Returns a map of the entries below a key, which does not change with the first.",
			`(into {} (.headMap `+m+` 3)) => {1 :a}`, head),
		one("tailMap", "from | from inclusive", "Returns a map of the entries from a key on.", `(into {} (.tailMap `+m+
			` 5)) => {5 :c}`, tail),
		one("subMap", "from to | from inclusive to inclusive", "Returns a map of the entries between two keys.",
			`(into {} (.subMap `+m+` 2 4)) => {3 :b}`, inside),
		one("descendingMap", "", "Returns a map with the keys in the opposite order.", `(vec (keys (.descendingMap `+m+
			`))) => [5 3 1]`, descending),
		one("navigableKeySet", "", "Returns a set of the keys.", "", part(0)),
		one("descendingKeySet", "", "Returns a set of the keys in the opposite order.", "",
			func(t *value.Task, a []value.Value) value.Value { return part(0)(t, []value.Value{descending(t, a)}) }),
	}
	sets := []method{
		one("first", "", "Returns the least member; throws if there is none.", "", end(false, false, false, noElement)),
		one("last", "", "Returns the greatest member; throws if there is none.", `(.last `+s+`) => 5`,
			end(true, false, false, noElement)),
		one("floor", "k", "Returns the greatest member up to k, or nil.", `(.floor `+s+` 4) => 3`, near(false, true, false)),
		one("ceiling", "k", "Returns the least member from k on, or nil.", `(.ceiling `+s+` 4) => 5`, near(true,
			true, false)),
		one("lower", "k", "Returns the greatest member below k, or nil.", `(.lower `+s+` 1) => nil`, near(false,
			false, false)),
		one("higher", "k", "Returns the least member above k, or nil.", `(.higher `+s+` 1) => 3`, near(true, false, false)),
		one("pollFirst", "", "", "", end(false, true, false, orNil)), one("pollLast", "", "", "", end(true, true,
			false, orNil)),
		one("headSet", "to | to inclusive", "Returns a set of the members below one.",
			`(vec (.headSet `+s+` 3)) => [1]`, head),
		one("tailSet", "from | from inclusive", "Returns a set of the members from one on.", "", tail),
		one("subSet", "from to | from inclusive to inclusive", "Returns a set of the members between two.", "", inside),
		one("descendingSet", "", "Returns a set of the members in the opposite order.", "", descending),
	}
	return []methods{{[]*value.JavaClass{TreeMap}, maps}, {[]*value.JavaClass{TreeSet}, sets}}
}

// arrayStatics are the methods of Arrays that make arrays.
func arrayStatics() []entry.Entry {
	part := func(t *value.Task, what string, v value.Value, from, to int64) value.Value {
		if v.Kind() != value.KindArray {
			t.FailWant(what, v, "an array")
		}
		a := v.AsArray()
		if to < from {
			t.Fail(diag.IllegalArgument, "%d > %d", from, to)
		}
		if from < 0 || from > int64(a.Len()) || to > math.MaxInt32 {
			t.FailClass("java.lang.ArrayIndexOutOfBoundsException", diag.OutOfRange, "")
		}
		made := t.Blocks(int(to - from))
		for i := range int(to - from) {
			t.Work(1)
			if at := int(from) + i; at < a.Len() {
				*made.At(i) = *a.At(at)
			} else {
				*made.At(i) = a.Elem.Zero()
			}
		}
		return t.Array(a.Elem, made)
	}
	return []entry.Entry{
		entry.StaticMethod("Arrays", "copyOf", "a n", entry.PerElement, "Returns a copy of an array with n elements.",
			`(vec (java.util.Arrays/copyOf (int-array [1]) 2)) => [1 0]`,
			func(t *value.Task, a []value.Value) value.Value {
				n := value.ToInt(t, a[1])
				if n < 0 {
					t.FailClass("java.lang.NegativeArraySizeException", diag.IllegalArgument, "")
				}
				return part(t, "Arrays/copyOf", a[0], 0, n)
			}),
		entry.StaticMethod("Arrays", "copyOfRange", "a from to", entry.PerElement,
			"Returns an array of the elements from one index to another.",
			`(vec (java.util.Arrays/copyOfRange (int-array [1 2 3]) 1 3)) => [2 3]`,
			func(t *value.Task, a []value.Value) value.Value {
				return part(t, "Arrays/copyOfRange", a[0], value.ToInt(t, a[1]), value.ToInt(t, a[2]))
			}),
	}
}
