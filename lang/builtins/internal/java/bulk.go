// This file defines the methods that compare a collection with all elements of another, those of Vector, and
// ListIterator.

package java

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// collection returns the elements of an argument as Java wants it: a collection, which a map or a string is not.
func collection(t *value.Task, v value.Value, what string) value.Value {
	switch {
	case v.IsNil():
		t.Fail(diag.NilValue, "%s: got nil, want a collection", what)
	case v.IsString(), v.Is(value.Maps), v.Kind() == value.KindArray, v.Kind() == value.KindJava && isMap(v):
		t.FailWant(what, v, "a collection")
	}
	return v
}

// membersOf returns a set of the elements of a collection: the collection itself if it is a set.
func membersOf(t *value.Task, v value.Value, what string) value.Value {
	v = collection(t, v, what)
	if v.Is(value.Sets) {
		return v
	}
	set := t.Transient(value.EmptySet)
	t.Each(v, func(x value.Value) bool {
		set = t.TConj(set, x)
		return true
	})
	return t.Persistent(set)
}

// changedList keeps the elements of a list that are members of a set, or the ones that are not. It reports
// whether elements were removed.
func changedList(t *value.Task, list, set value.Value, members bool) bool {
	vec, some := items(list), t.Transient(value.EmptyVector)
	for i := range value.VecCount(vec) {
		t.Work(1)
		if x := value.VecAt(vec, i); t.Contains(set, x) == members {
			some = t.TConj(some, x)
		}
	}
	kept := t.Persistent(some)
	if list.ClassIs(PriorityQueue) {
		kept = heapified(t, kept, list.AsJava().Vals[1])
	}
	fewer := value.VecCount(kept) < value.VecCount(vec)
	change(t, list, 0, kept)
	return fewer
}

// changedSet is changedList for sets.
func changedSet(t *value.Task, v, set value.Value, members bool) bool {
	made := t.JavaOf(v.AsJava().Class, v.AsJava().Vals...)
	t.Each(v, func(x value.Value) bool {
		if t.Contains(set, x) != members {
			drop(t, made, x)
		}
		return true
	})
	fewer := t.Count(made) < t.Count(v)
	t.Owns(v, "collection")
	copy(v.AsJava().Vals, made.AsJava().Vals)
	return fewer
}

// bulkMethods are those of lists and sets. keep changes one.
func bulkMethods(keep func(t *value.Task, coll, set value.Value, members bool) bool) []method {
	return []method{
		{"removeAll", "coll", entry.PerElement, "Removes all elements of a collection. Returns true if there were any.",
			`(let [l (java.util.ArrayList. [1 2 1])] [(.removeAll l [1]) (vec l)]) => [true [2]]`,
			func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(keep(t, a[0], membersOf(t, a[1], "removeAll"), false))
			}},
		{"retainAll", "coll", entry.PerElement, "Removes what is not an element of a collection. Returns true if there " +
			"was anything.", `(let [l (java.util.ArrayList. [1 2 1])] [(.retainAll l [1]) (vec l)]) => [true [1 1]]`,
			func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(keep(t, a[0], membersOf(t, a[1], "retainAll"), true))
			}},
		{"containsAll", "coll", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			all, members := collection(t, a[1], "containsAll"), a[0].AsJava().Vals[0]
			if !members.Is(value.Sets) {
				members = membersOf(t, a[0], "containsAll")
			}
			has := true
			t.Each(all, func(x value.Value) bool {
				t.Work(1)
				if a[0].ClassIs(TreeSet) {
					tableKey(t, a[0], x)
				}
				has = t.Contains(members, x)
				return has
			})
			return value.Bool(has)
		}},
	}
}

// addAllAt adds the elements of a collection to a list, at an index.
func addAllAt(t *value.Task, a []value.Value) value.Value {
	if a[0].AsJava().Class.Unindexed && !a[0].ClassIs(LinkedList) {
		entry.NoMethod(t, "addAll", a[0], 2)
	}
	at, vec := indexIn(t, a[0], a[1], count(a[0])+1), items(a[0])
	more := toVector(t, a[2], "addAll")
	all := t.SubVec(t.AsVec(vec), 0, at)
	add := func(from value.Value, i int) {
		for ; i < value.VecCount(from); i++ {
			t.Work(1)
			all = t.Conj(all, value.VecAt(from, i))
		}
	}
	add(more, 0)
	add(vec, at)
	change(t, a[0], 0, all)
	return value.Bool(value.VecCount(more) > 0)
}

// vectorMethods are those of Vector, which are older than lists.
func vectorMethods() []method {
	const v = `(java.util.Vector. [1 2])`
	last := func(last bool) value.NativeFunc { return elementAt(last, false, noElement) }
	insert := func(t *value.Task, list, x, index value.Value) value.Value {
		at := indexIn(t, list, index, count(list)+1)
		change(t, list, 0, splice(t, items(list), at, at, x))
		return value.Nil
	}
	remove := func(t *value.Task, list value.Value, i int) {
		change(t, list, 0, splice(t, items(list), i, i+1))
	}
	return []method{
		{"elementAt", "index", entry.Constant, "Returns an element of a Vector.", `(.elementAt ` + v + ` 1) => 2`,
			func(t *value.Task, a []value.Value) value.Value {
				return value.VecAt(items(a[0]), indexIn(t, a[0], a[1], count(a[0])))
			}},
		{"firstElement", "", entry.Constant, "Returns the first element of a Vector; throws if there is none.", "",
			last(false)},
		{"lastElement", "", entry.Constant, "Returns the last element of a Vector; throws if there is none.", "",
			last(true)},
		{"addElement", "x", entry.Constant, "Adds an element to a Vector.",
			`(let [v ` + v + `] (.addElement v 3) (vec v)) => [1 2 3]`, func(t *value.Task, a []value.Value) value.Value {
				change(t, a[0], 0, t.Conj(items(a[0]), a[1]))
				return value.Nil
			}},
		{"insertElementAt", "x index", entry.PerElement, "Adds an element to a Vector at an index.", "",
			func(t *value.Task, a []value.Value) value.Value { return insert(t, a[0], a[1], a[2]) }},
		{"setElementAt", "x index", entry.Constant, "Sets an element of a Vector.", "",
			func(t *value.Task, a []value.Value) value.Value {
				i := indexIn(t, a[0], a[2], count(a[0]))
				change(t, a[0], 0, t.Assoc(items(a[0]), value.Int(int64(i)), a[1]))
				return value.Nil
			}},
		{"removeElementAt", "index", entry.PerElement, "Removes the element of a Vector at an index.", "",
			func(t *value.Task, a []value.Value) value.Value {
				remove(t, a[0], indexIn(t, a[0], a[1], count(a[0])))
				return value.Nil
			}},
		{"removeElement", "x", entry.PerElement, "Removes an element of a Vector. Returns true if there was one.", "",
			func(t *value.Task, a []value.Value) value.Value {
				i := indexOf(t, items(a[0]), a[1], false)
				if i >= 0 {
					remove(t, a[0], i)
				}
				return value.Bool(i >= 0)
			}},
		{"removeAllElements", "", entry.Constant, "Removes all elements of a Vector.", "",
			func(t *value.Task, a []value.Value) value.Value {
				change(t, a[0], 0, value.EmptyVector)
				return value.Nil
			}},
		{"search", "x", entry.PerElement, "Returns how far an element is from the top of a Stack, which is 1; -1 if there " +
			"is none.", `(.search (doto (java.util.Stack.) (.push :a) (.push :b)) :a) => 2`,
			func(t *value.Task, a []value.Value) value.Value {
				i := indexOf(t, items(a[0]), a[1], true)
				if i < 0 {
					return value.Int(-1)
				}
				return value.Int(int64(count(a[0]) - i))
			}},
	}
}

// ListIterator walks over a list in both directions, and sees its changes. The slots are the list, the index of the
// next element, that of the last one which was returned, -1 if there is none, and whether the list is a copy, which
// must not change.
var ListIterator = &value.JavaClass{Name: "java.util.ListIterator"}

func newListIterator(t *value.Task, a []value.Value) value.Value {
	at := 0
	if len(a) == 2 {
		at = indexArg(t, a[1], count(a[0])+1)
	}
	return t.JavaOf(ListIterator, a[0], value.Int(int64(at)), value.Int(-1), value.False)
}

// newCopyIterator returns a ListIterator over the current elements of a list of java.util.concurrent.
func newCopyIterator(t *value.Task, a []value.Value) value.Value {
	v := newListIterator(t, append([]value.Value{unshared(t, a[0])}, a[1:]...))
	v.AsJava().Vals[3] = value.True
	return v
}

// walkMethods are those of ListIterator.
func walkMethods() []method {
	const l = `(.listIterator (java.util.ArrayList. [1 2]))`
	index := func(by int64) value.NativeFunc {
		return func(_ *value.Task, a []value.Value) value.Value { return value.Int(a[0].AsJava().Vals[1].AsInt() + by) }
	}
	walk := func(by int64) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			s := a[0].AsJava().Vals
			i := s[1].AsInt() + min(by, 0)
			if i < 0 || i >= int64(count(s[0])) {
				return noElement(t)
			}
			t.Owns(a[0], "iterator")
			s[1], s[2] = value.Int(s[1].AsInt()+by), value.Int(i)
			return value.VecAt(items(s[0]), int(i))
		}
	}
	// changing makes a method that changes the list and returns where the iterator is afterwards.
	type changes = func(t *value.Task, list value.Value, next, last int, a []value.Value) int
	changing := func(last bool, f changes) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			s := a[0].AsJava().Vals
			if s[3].Truthy() {
				t.Fail(diag.NotSupported, "the iterator is over a copy of the list, and can't change the list")
			}
			if last && (s[2].AsInt() < 0 || s[2].AsInt() >= int64(count(s[0]))) || s[1].AsInt() > int64(count(s[0])) {
				t.FailClass("java.lang.IllegalStateException", diag.IllegalState, "")
			}
			t.Owns(a[0], "iterator")
			s[1] = value.Int(int64(f(t, s[0], int(s[1].AsInt()), int(s[2].AsInt()), a)))
			return value.Nil
		}
	}
	return []method{
		{"hasNext", "", entry.Constant, "", "", func(_ *value.Task, a []value.Value) value.Value {
			return value.Bool(a[0].AsJava().Vals[1].AsInt() < int64(count(a[0].AsJava().Vals[0])))
		}},
		{"next", "", entry.Constant, "", "", walk(1)},
		{"hasPrevious", "", entry.Constant, "Returns true if a ListIterator has an element before the next one.",
			`(.hasPrevious ` + l + `) => false`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Bool(a[0].AsJava().Vals[1].AsInt() > 0)
			}},
		{"previous", "", entry.Constant, "Returns the element before the next one of a ListIterator, and moves back.",
			`(let [i ` + l + `] (.next i) (.previous i)) => 1`, walk(-1)},
		{"nextIndex", "", entry.Constant, "Returns the index of the next element of a ListIterator.",
			`(.nextIndex ` + l + `) => 0`, index(0)},
		{"previousIndex", "", entry.Constant, "Returns the index of the element before the next one of a ListIterator.",
			`(.previousIndex ` + l + `) => -1`, index(-1)},
		{"set", "x", entry.Constant, "", "", changing(true,
			func(t *value.Task, list value.Value, next, last int, a []value.Value) int {
				change(t, list, 0, t.Assoc(items(list), value.Int(int64(last)), a[1]))
				return next
			})},
		{"remove", "", entry.PerElement, "", "", changing(true,
			func(t *value.Task, list value.Value, next, last int, a []value.Value) int {
				change(t, list, 0, splice(t, items(list), last, last+1))
				a[0].AsJava().Vals[2] = value.Int(-1)
				return min(next, max(last, next-1))
			})},
		{"add", "x", entry.PerElement, "", "", changing(false,
			func(t *value.Task, list value.Value, next, _ int, a []value.Value) int {
				change(t, list, 0, splice(t, items(list), next, next, a[1]))
				a[0].AsJava().Vals[2] = value.Int(-1)
				return next + 1
			})},
	}
}
