// This file defines the lists and queues of java.util.

package java

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// A list has a vector as its only slot, which is replaced with each change, so that a sequence of a list is that of its
// elements at the time.
var (
	ArrayList  = listClass("java.util.ArrayList", "[")
	LinkedList = listClass("java.util.LinkedList", "(")
	ArrayDeque = listClass("java.util.ArrayDeque", "")
	Stack      = listClass("java.util.Stack", "[")
	Vector     = listClass("java.util.Vector", "[")
	// PriorityQueue has a vector with a binary heap as Java's, and the comparator, or nil.
	PriorityQueue = listClass("java.util.PriorityQueue", "")
)

// EntrySet is the class of what entrySet returns: a list of the entries at the time, which Java writes as k=v.
var EntrySet = &value.JavaClass{Name: "java.util.HashMap$EntrySet", Open: "#{", Text: entriesText, Unindexed: true,
	Coll: ArrayList.Coll, Seq: ArrayList.Seq}

var lists = []*value.JavaClass{ArrayList, LinkedList, ArrayDeque, Stack, Vector, PriorityQueue}

func listClass(name, open string) *value.JavaClass {
	return &value.JavaClass{Name: name, Open: open, Text: collText, Unindexed: open != "[",
		Coll: func(_ *value.Task, v value.Value) value.Value { return v.AsJava().Vals[0] },
		Seq:  func(t *value.Task, v value.Value) value.Value { return t.Seq(v.AsJava().Vals[0]) }}
}

// collText writes a collection as Java does: [1, a, null].
func collText(t *value.Task, b *value.Buf, v value.Value) {
	b.WriteByte('[')
	first := true
	t.Each(v, func(x value.Value) bool {
		if !first {
			b.WriteString(", ")
		}
		first = false
		elementText(t, b, v, x)
		return !b.Full()
	})
	b.WriteByte(']')
}

// elementText writes an element of a collection. An element that is the collection would have no end.
func elementText(t *value.Task, b *value.Buf, of, x value.Value) {
	switch {
	case x.IsNil():
		b.WriteString("null")
	case value.Identical(x, of):
		b.WriteString("(this Collection)")
	default:
		t.StrTo(b, x)
	}
}

// change sets a slot of a collection.
func change(t *value.Task, v value.Value, slot int, x value.Value) {
	t.Owns(v, "collection")
	v.AsJava().Vals[slot] = x
}

// element returns an element that is added to a list or queue. Queues except LinkedList hold no nil.
func element(t *value.Task, v, x value.Value) value.Value {
	if x.IsNil() && (v.ClassIs(ArrayDeque) || v.ClassIs(PriorityQueue)) {
		t.Fail(diag.NilValue, "queue: got nil, want an element")
	}
	return x
}

// items returns the vector of a list.
func items(v value.Value) value.Value { return v.AsJava().Vals[0] }

func count(v value.Value) int { return value.VecCount(items(v)) }

// newList makes the constructor of a list: empty, of a capacity, or of the elements of a collection.
func newList(class *value.JavaClass) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		vec := value.EmptyVector
		if len(a) == 1 && a[0].IsInt() && a[0].AsInt() < 0 && class != ArrayDeque {
			t.Fail(diag.IllegalArgument, "Illegal Capacity: %d", a[0].AsInt())
		}
		if len(a) == 1 && !a[0].IsInt() {
			vec = toVector(t, a[0], class.Name)
		}
		v := t.JavaOf(class, vec)
		for i := range value.VecCount(vec) {
			element(t, v, value.VecAt(vec, i))
		}
		return v
	}
}

// toVector returns a new vector of the elements of a collection.
func toVector(t *value.Task, coll value.Value, what string) value.Value {
	if coll.IsNil() {
		t.Fail(diag.NilValue, "%s: got nil, want a collection", what)
	}
	return t.VectorFrom(t.ToVals(t.Seq(coll)))
}

// indexArg returns an index that must be below the limit.
func indexArg(t *value.Task, v value.Value, limit int) int {
	i := value.ToInt(t, v)
	if i < 0 || i >= int64(limit) {
		t.Fail(diag.OutOfRange, "Index %d out of bounds for length %d", i, limit)
	}
	return int(i)
}

// indexIn returns the index of an element of a list, as indexArg. Vector and Stack throw an exception of arrays.
func indexIn(t *value.Task, list, v value.Value, limit int) int {
	if i := value.ToInt(t, v); (list.ClassIs(Vector) || list.ClassIs(Stack)) && (i < 0 || i >= int64(limit)) {
		t.FailClass("java.lang.ArrayIndexOutOfBoundsException", diag.OutOfRange, "Array index out of range: %d", i)
	}
	return indexArg(t, v, limit)
}

// splice returns the vector of the elements of a list with those from one index to another replaced.
func splice(t *value.Task, vec value.Value, from, to int, by ...value.Value) value.Value {
	n := value.VecCount(vec)
	vals := t.Vals(n - (to - from) + len(by))
	t.Work(int64(n))
	for i := range from {
		vals[i] = value.VecAt(vec, i)
	}
	copy(vals[from:], by)
	for i := to; i < n; i++ {
		vals[from+len(by)+i-to] = value.VecAt(vec, i)
	}
	return t.VectorFrom(vals)
}

// indexOf returns the index of an element, -1 if there is none.
func indexOf(t *value.Task, vec, x value.Value, last bool) int {
	found, n := -1, value.VecCount(vec)
	for i := range n {
		t.Work(1)
		if value.JavaEqual(t, x, value.VecAt(vec, i)) {
			found = i
			if !last {
				break
			}
		}
	}
	return found
}

// elementAt makes a method that returns the first or last element: it calls empty if there is none.
func elementAt(last, remove bool, empty func(t *value.Task) value.Value) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		n := count(a[0])
		if n == 0 {
			return empty(t)
		}
		i := 0
		if last {
			i = n - 1
		}
		x := value.VecAt(items(a[0]), i)
		switch {
		case !remove:
		case last:
			change(t, a[0], 0, t.Pop(items(a[0])))
		default:
			change(t, a[0], 0, withoutFirst(t, items(a[0])))
		}
		return x
	}
}

// withoutFirst returns the vector without its first element, as subvec does.
func withoutFirst(t *value.Task, vec value.Value) value.Value {
	return t.SubVec(t.AsVec(vec), 1, value.VecCount(vec))
}

// clone returns a copy of an object, whose slots do not change.
func clone(t *value.Task, a []value.Value) value.Value {
	return t.JavaOf(a[0].AsJava().Class, a[0].AsJava().Vals...)
}

func orNil(*value.Task) value.Value { return value.Nil }

func noElement(t *value.Task) value.Value {
	t.FailClass("java.util.NoSuchElementException", diag.OutOfRange, "")
	return value.Nil
}

func listMethods() []method {
	add := func(t *value.Task, a []value.Value) value.Value {
		if len(a) == 3 {
			at := indexIn(t, a[0], a[1], count(a[0])+1)
			change(t, a[0], 0, splice(t, items(a[0]), at, at, a[2]))
			return value.Nil
		}
		change(t, a[0], 0, t.Conj(items(a[0]), element(t, a[0], a[1])))
		return value.True
	}
	addFirst := func(result value.Value) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			change(t, a[0], 0, t.ConjFirst(t.AsVec(items(a[0])), element(t, a[0], a[1])))
			return result
		}
	}
	addLast := func(result value.Value) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			change(t, a[0], 0, t.Conj(items(a[0]), element(t, a[0], a[1])))
			return result
		}
	}
	return []method{
		{"add", "x | index x", entry.PerElement, "Adds an element to a list, queue or set.",
			`(let [l (java.util.ArrayList.)] (.add l 1) (.add l 0 2) (vec l)) => [2 1]`, add},
		{"addAll", "coll | index coll", entry.PerElement, "Adds all elements of a collection, at an index if given.",
			`(let [l (java.util.ArrayList. [1])] (.addAll l [2 3]) (vec l)) => [1 2 3]`,
			func(t *value.Task, a []value.Value) value.Value {
				if len(a) == 3 {
					return addAllAt(t, a)
				}
				more := toVector(t, a[1], "addAll")
				all := items(a[0])
				for i := range value.VecCount(more) {
					t.Work(1)
					all = t.Conj(all, element(t, a[0], value.VecAt(more, i)))
				}
				change(t, a[0], 0, all)
				return value.Bool(value.VecCount(more) > 0)
			}},
		{"get", "index", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.VecAt(items(a[0]), indexIn(t, a[0], a[1], count(a[0])))
		}},
		{"set", "index x", entry.Constant, "Sets an element of a list. Returns the old one.",
			`(let [l (java.util.ArrayList. [1 2])] [(.set l 0 9) (vec l)]) => [1 [9 2]]`,
			func(t *value.Task, a []value.Value) value.Value {
				i := indexIn(t, a[0], a[1], count(a[0]))
				old := value.VecAt(items(a[0]), i)
				change(t, a[0], 0, t.Assoc(items(a[0]), value.Int(int64(i)), a[2]))
				return old
			}},
		{"remove", "| x", entry.PerElement, "Removes an element, by its index if it is an integer and the object a list.",
			`(let [l (java.util.ArrayList. [:a :b])] [(.remove l :a) (vec l)]) => [true [:b]]`, listRemove},
		{"size", "", entry.Constant, "", "", func(_ *value.Task, a []value.Value) value.Value {
			return value.Int(int64(count(a[0])))
		}},
		{"isEmpty", "", entry.Constant, "", "", func(_ *value.Task, a []value.Value) value.Value {
			return value.Bool(count(a[0]) == 0)
		}},
		{"clear", "", entry.Constant, "Removes all elements.",
			`(let [l (java.util.ArrayList. [1])] (.clear l) (vec l)) => []`,
			func(t *value.Task, a []value.Value) value.Value {
				change(t, a[0], 0, value.EmptyVector)
				return value.Nil
			}},
		{"contains", "x", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.Bool(indexOf(t, items(a[0]), a[1], false) >= 0)
		}},
		{"indexOf", "x", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.Int(int64(indexOf(t, items(a[0]), a[1], false)))
		}},
		{"lastIndexOf", "x", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.Int(int64(indexOf(t, items(a[0]), a[1], true)))
		}},
		{"subList", "from to", entry.PerElement, "Returns a list of the elements from one index to another, which does not " +
			"change with the first.", `(vec (.subList (java.util.ArrayList. [1 2 3]) 1 3)) => [2 3]`,
			func(t *value.Task, a []value.Value) value.Value {
				to := indexArg(t, a[2], count(a[0])+1)
				if from := value.ToInt(t, a[1]); from > int64(to) {
					t.Fail(diag.IllegalArgument, "fromIndex(%d) > toIndex(%d)", from, to)
				}
				from := indexArg(t, a[1], to+1)
				vals := t.Vals(to - from)
				for i := range vals {
					vals[i] = value.VecAt(items(a[0]), from+i)
				}
				return t.JavaOf(ArrayList, t.VectorFrom(vals))
			}},
		{"iterator", "", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return t.Iterator(t.Seq(a[0]))
		}},
		{"clone", "", entry.PerElement, "Returns a copy of a list, map, set or BitSet.",
			`(let [l (java.util.ArrayList. [1]) c (.clone l)] (.add c 2) [(vec l) (vec c)]) => [[1] [1 2]]`, clone},
		{"listIterator", "| index", entry.Constant, "Returns an iterator that walks over a list in both directions.",
			`(.next (.listIterator (java.util.ArrayList. [1 2]) 1)) => 2`, newListIterator},
		{"toArray", "", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			return t.Array(value.ElemObject, t.BlocksOf(items(a[0])))
		}},
		{"addFirst", "x", entry.PerElement, "Adds an element before the first.",
			`(let [l (java.util.ArrayDeque. [1])] (.addFirst l 0) (vec l)) => [0 1]`, addFirst(value.Nil)},
		{"offerFirst", "x", entry.PerElement, "Adds an element before the first. Returns true.", "", addFirst(value.True)},
		{"addLast", "x", entry.Constant, "Adds an element after the last.", "", addLast(value.Nil)},
		{"offer", "x", entry.Constant, "Adds an element to a queue. Returns true.", "", addLast(value.True)},
		{"offerLast", "x", entry.Constant, "Adds an element after the last. Returns true.", "", addLast(value.True)},
		{"peekFirst", "", entry.Constant, "Returns the first element, nil if there is none.", "", elementAt(false,
			false, orNil)},
		{"peekLast", "", entry.Constant, "Returns the last element, nil if there is none.", "", elementAt(true, false,
			orNil)},
		{"getFirst", "", entry.Constant, "Returns the first element; throws if there is none.", "",
			elementAt(false, false, noElement)},
		{"getLast", "", entry.Constant, "Returns the last element; throws if there is none.", "",
			elementAt(true, false, noElement)},
		{"element", "", entry.Constant, "Returns the first element; throws if there is none.", "",
			elementAt(false, false, noElement)},
		{"poll", "", entry.PerElement, "Removes the first element of a queue, and returns it, or nil if there is none.",
			`(let [q (java.util.ArrayDeque. [1 2])] [(.poll q) (.poll q) (.poll q)]) => [1 2 nil]`, elementAt(false,
				true, orNil)},
		{"pollFirst", "", entry.PerElement, "Removes the first element, and returns it, or nil.", "", elementAt(false,
			true, orNil)},
		{"pollLast", "", entry.PerElement, "Removes the last element, and returns it, or nil.", "", elementAt(true,
			true, orNil)},
		{"removeFirst", "", entry.PerElement, "Removes the first element, and returns it.", "", elementAt(false, true,
			noElement)},
		{"removeLast", "", entry.PerElement, "Removes the last element, and returns it.", "", elementAt(true, true,
			noElement)},
	}
}

// listRemove removes the element at an index, the first element that is equal, or the first of a queue.
func listRemove(t *value.Task, a []value.Value) value.Value {
	if len(a) == 1 {
		return elementAt(false, true, noElement)(t, a)
	}
	byIndex := a[1].IsInt() && !a[0].ClassIs(ArrayDeque)
	i := 0
	if byIndex {
		i = indexIn(t, a[0], a[1], count(a[0]))
	} else if i = indexOf(t, items(a[0]), a[1], false); i < 0 {
		return value.False
	}
	x := value.VecAt(items(a[0]), i)
	change(t, a[0], 0, splice(t, items(a[0]), i, i+1))
	if byIndex {
		return x
	}
	return value.True
}

// stackMethods are those whose meaning differs: a Stack has its top at the end, a deque at the front.
func stackMethods(top bool) []method {
	peek, pop := elementAt(top, false, orNil), elementAt(top, true, noElement)
	if top {
		noTop := func(t *value.Task) value.Value {
			t.FailClass("java.util.EmptyStackException", diag.IllegalState, "")
			return value.Nil
		}
		peek, pop = elementAt(true, false, noTop), elementAt(true, true, noTop)
	}
	push := func(t *value.Task, a []value.Value) value.Value {
		if top {
			change(t, a[0], 0, t.Conj(items(a[0]), a[1]))
			return a[1]
		}
		change(t, a[0], 0, t.ConjFirst(t.AsVec(items(a[0])), element(t, a[0], a[1])))
		return value.Nil
	}
	return []method{
		{"push", "x", entry.PerElement, "Adds an element to a stack.",
			`(let [s (java.util.Stack.)] (.push s 1) (.push s 2) (.pop s)) => 2`, push},
		{"pop", "", entry.PerElement, "Removes the top of a stack, and returns it.", "", pop},
		{"peek", "", entry.Constant, "Returns the top of a stack, or the first element of a queue.",
			`(.peek (java.util.ArrayDeque. [1 2])) => 1`, peek},
		{"empty", "", entry.Constant, "Returns true if a stack is empty.", "", func(_ *value.Task,
			a []value.Value) value.Value {
			return value.Bool(count(a[0]) == 0)
		}},
	}
}
