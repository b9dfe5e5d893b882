// This file defines PriorityQueue, and the constructors of lists and queues.

package java

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// before reports whether an element of a priority queue comes before another.
func before(t *value.Task, cmp, a, b value.Value) bool {
	if cmp.IsNil() {
		return value.Compare(t, a, b) < 0
	}
	c := t.Host.Call(cmp, a, b)
	if c.Kind() == value.KindBool { // a predicate as a comparator
		return c.Truthy()
	}
	return value.ToLong(t, c) < 0
}

// siftUp returns the heap with an element added, as Java's siftUp.
func siftUp(t *value.Task, heap, cmp, x value.Value) value.Value {
	return siftUpFrom(t, t.Conj(heap, x), cmp, value.VecCount(heap), x)
}

// siftUpFrom returns the heap with the element x at k moved up.
func siftUpFrom(t *value.Task, heap, cmp value.Value, k int, x value.Value) value.Value {
	for k > 0 {
		parent := (k - 1) / 2
		e := value.VecAt(heap, parent)
		if !before(t, cmp, x, e) {
			break
		}
		heap = t.Assoc(heap, value.Int(int64(k)), e)
		k = parent
	}
	return t.Assoc(heap, value.Int(int64(k)), x)
}

// siftDown returns the heap with the element at k moved down, as Java's siftDown.
func siftDown(t *value.Task, heap, cmp value.Value, k int, x value.Value) value.Value {
	n := value.VecCount(heap)
	for k < n/2 {
		child := 2*k + 1
		c := value.VecAt(heap, child)
		if right := child + 1; right < n && before(t, cmp, value.VecAt(heap, right), c) {
			child, c = right, value.VecAt(heap, right)
		}
		if !before(t, cmp, c, x) && (cmp.IsNil() || !before(t, cmp, c, x)) {
			break
		}
		heap = t.Assoc(heap, value.Int(int64(k)), c)
		k = child
	}
	return t.Assoc(heap, value.Int(int64(k)), x)
}

// dequeue removes the least element of a heap, which is not empty.
func dequeue(t *value.Task, v value.Value) value.Value {
	heap, cmp := items(v), v.AsJava().Vals[1]
	least, n := value.VecAt(heap, 0), value.VecCount(heap)
	last := value.VecAt(heap, n-1)
	heap = t.Pop(heap)
	if n > 1 {
		heap = siftDown(t, heap, cmp, 0, last)
	}
	change(t, v, 0, heap)
	return least
}

// withoutPlace returns the heap without the element at an index, as Java's removeAt.
func withoutPlace(t *value.Task, heap, cmp value.Value, i int) value.Value {
	last := value.VecCount(heap) - 1
	x := value.VecAt(heap, last)
	heap = t.Pop(heap)
	if i == last {
		return heap
	}
	heap = siftDown(t, heap, cmp, i, x)
	if value.Identical(value.VecAt(heap, i), x) {
		heap = siftUpFrom(t, heap, cmp, i, x)
	}
	return heap
}

// heapified returns a vector as a heap, as Java's heapify.
func heapified(t *value.Task, vec, cmp value.Value) value.Value {
	for k := value.VecCount(vec)/2 - 1; k >= 0; k-- {
		t.Work(1)
		vec = siftDown(t, vec, cmp, k, value.VecAt(vec, k))
	}
	return vec
}

func queueMethods() []method {
	offer := func(t *value.Task, a []value.Value) value.Value {
		change(t, a[0], 0, siftUp(t, items(a[0]), a[0].AsJava().Vals[1], element(t, a[0], a[1])))
		return value.True
	}
	poll := func(empty func(*value.Task) value.Value) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			if count(a[0]) == 0 {
				return empty(t)
			}
			return dequeue(t, a[0])
		}
	}
	return []method{
		{"add", "x", entry.PerElement, "", "", offer}, {"offer", "x", entry.PerElement, "", "", offer},
		{"addAll", "coll", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			more := toVector(t, a[1], "addAll")
			for i := range value.VecCount(more) {
				element(t, a[0], value.VecAt(more, i))
			}
			change(t, a[0], 0, heapOf(t, items(a[0]), a[0].AsJava().Vals[1], more))
			return value.Bool(value.VecCount(more) > 0)
		}},
		{"poll", "", entry.PerElement, "", "", poll(orNil)},
		{"remove", "| x", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			if len(a) == 1 {
				return poll(noElement)(t, a)
			}
			i := indexOf(t, items(a[0]), a[1], false)
			if i < 0 {
				return value.False
			}
			change(t, a[0], 0, withoutPlace(t, items(a[0]), a[0].AsJava().Vals[1], i))
			return value.True
		}},
		{"peek", "", entry.Constant, "", "", elementAt(false, false, orNil)},
		{"element", "", entry.Constant, "", "", elementAt(false, false, noElement)},
	}
}

// heapOf returns a heap with the elements of a collection added.
func heapOf(t *value.Task, heap, cmp, coll value.Value) value.Value {
	t.Each(coll, func(x value.Value) bool {
		heap = siftUp(t, heap, cmp, x)
		return true
	})
	return heap
}

func newPriorityQueue(t *value.Task, a []value.Value) value.Value {
	cmp, heap := value.Nil, value.EmptyVector
	for _, x := range a {
		switch {
		case x.IsInt():
			if x.AsInt() < 1 {
				t.Fail(diag.IllegalArgument, "PriorityQueue: got the capacity %d, want one above 0", x.AsInt())
			}
		case x.Is(value.Callables) && !x.Is(value.Colls):
			cmp = x
		case x.Kind() == value.KindObject && !x.IsNil():
			cmp = x
		default:
			heap = heapified(t, toVector(t, x, "PriorityQueue"), cmp)
		}
	}
	v := t.JavaOf(PriorityQueue, heap, cmp)
	if value.VecCount(heap) > 0 {
		element(t, v, value.VecAt(heap, 0)) // nil comes first
	}
	return v
}

// listStatics are the constructors of lists and queues.
func listStatics() []entry.Entry {
	var all []entry.Entry
	for _, class := range lists[:5] {
		name := class.Name[len("java.util."):]
		all = append(all, entry.StaticMethod("new", name, "| coll-or-capacity", entry.PerElement,
			"Returns a mutable list or queue: empty, or of the elements of a collection. Only the evaluation that made it may "+
				"change it.", `(vec (java.util.`+name+`.)) => []`, newList(class)))
	}
	return append(all, entry.StaticMethod("new", "PriorityQueue", "| x | capacity comparator", entry.PerElement,
		"Returns a mutable priority queue: empty, with a comparator, or of the elements of a collection.",
		`(let [q (java.util.PriorityQueue. [3 1 2])] [(.poll q) (.poll q)]) => [1 2]`, newPriorityQueue))
}
