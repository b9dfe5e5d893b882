// This file defines the collections of java.util.concurrent: those of java.util, which futures may change.

package java

import (
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// The classes of java.util.concurrent, each with the one of java.util that it is like. An object has an atom, which
// holds the slots of an object of that class as a vector, and the capacity, 0 if there is none.
var (
	ConcurrentHashMap     = shared("java.util.concurrent.ConcurrentHashMap", HashMap, "{")
	ConcurrentSkipListMap = shared("java.util.concurrent.ConcurrentSkipListMap", TreeMap, "{")
	ConcurrentSkipListSet = shared("java.util.concurrent.ConcurrentSkipListSet", TreeSet, "#{")
	ConcurrentLinkedQueue = shared("java.util.concurrent.ConcurrentLinkedQueue", ArrayDeque, "")
	ConcurrentLinkedDeque = shared("java.util.concurrent.ConcurrentLinkedDeque", ArrayDeque, "")
	LinkedBlockingQueue   = shared("java.util.concurrent.LinkedBlockingQueue", ArrayDeque, "")
	LinkedBlockingDeque   = shared("java.util.concurrent.LinkedBlockingDeque", ArrayDeque, "")
	ArrayBlockingQueue    = shared("java.util.concurrent.ArrayBlockingQueue", ArrayDeque, "")
	PriorityBlockingQueue = shared("java.util.concurrent.PriorityBlockingQueue", PriorityQueue, "")
	CopyOnWriteArrayList  = shared("java.util.concurrent.CopyOnWriteArrayList", ArrayList, "[")
)

// sharedClasses are these classes.
var sharedClasses = []*value.JavaClass{ConcurrentHashMap, ConcurrentSkipListMap, ConcurrentSkipListSet,
	ConcurrentLinkedQueue,
	ConcurrentLinkedDeque, LinkedBlockingQueue, LinkedBlockingDeque, ArrayBlockingQueue,
	PriorityBlockingQueue, CopyOnWriteArrayList}

func shared(name string, like *value.JavaClass, open string) *value.JavaClass {
	return &value.JavaClass{Name: name, Like: like, Open: open, Unindexed: open == "", Text: sharedText, Coll: sharedColl,
		Seq: sharedSeq}
}

func sharedText(t *value.Task, b *value.Buf, v value.Value) { like(v).Text(t, b, unshared(t, v)) }

func sharedColl(t *value.Task, v value.Value) value.Value { return like(v).Coll(t, unshared(t, v)) }

func sharedSeq(t *value.Task, v value.Value) value.Value { return like(v).Seq(t, unshared(t, v)) }

// like returns the class that the class of a shared object is like.
func like(v value.Value) *value.JavaClass { return v.AsJava().Class.Like }

// unshared returns an object of java.util with the present contents of a shared one.
func unshared(t *value.Task, v value.Value) value.Value {
	slots := seen(t, v)
	vals := t.Vals(value.VecCount(slots))
	for i := range vals {
		vals[i] = value.VecAt(slots, i)
	}
	return t.Java(like(v), vals)
}

// readOnly are the methods that change nothing.
const readOnly = "get getOrDefault containsKey containsValue size isEmpty contains keySet values entrySet iterator " +
	"peek peekFirst peekLast indexOf lastIndexOf getFirst getLast element subList firstKey lastKey floorKey " +
	"ceilingKey lowerKey higherKey floorEntry ceilingEntry lowerEntry higherEntry firstEntry lastEntry headMap " +
	"tailMap subMap floor ceiling lower higher first last headSet tailSet subSet descendingMap descendingSet " +
	"descendingKeySet containsAll"

// sharedMethod makes the method of a shared class from that of its like.
func sharedMethod(name string, of *value.JavaClass, fn value.NativeFunc) value.NativeFunc {
	changes := !slices.Contains(strings.Fields(readOnly), name)
	return func(t *value.Task, a []value.Value) value.Value {
		if changes {
			orderedCell(t, a[0])
		}
		if of == HashMap || of == TreeMap {
			for _, x := range a[1:] {
				if x.IsNil() && name != "getOrDefault" && name != "remove" || a[1].IsNil() {
					t.Fail(diag.NilValue, "%s: got nil, want a key or value", name)
				}
			}
		}
		if full := isFull(t, a[0]); full && (name == "offer" || name == "offerLast" || name == "offerFirst") {
			return value.False
		} else if full && strings.HasPrefix(name, "add") {
			t.Fail(diag.IllegalState, "Queue full")
		}
		made := unshared(t, a[0])
		args := t.Vals(len(a))
		args[0] = made
		copy(args[1:], a[1:])
		x := fn(t, args)
		if changes && (name == "putAll" || name == "addAll") {
			holdsNoNil(t, made)
		}
		if changes {
			setCell(t, a[0], t.Vector(made.AsJava().Vals...))
		}
		return x
	}
}

// holdsNoNil throws if a map has nil as a key or a value: those of java.util.concurrent hold none.
func holdsNoNil(t *value.Task, v value.Value) {
	if !v.ClassIs(HashMap) && !v.ClassIs(TreeMap) {
		return
	}
	for it := value.NewMapIter(v.AsJava().Vals[tableData]); it.Next(); {
		t.Work(1)
		if it.Key.IsNil() || it.Val.IsNil() {
			t.Fail(diag.NilValue, "putAll: got nil, want a key or value")
		}
	}
}

// isFull reports whether a queue has as many elements as it can hold.
func isFull(t *value.Task, v value.Value) bool {
	n := v.AsJava().Vals[1].AsInt()
	return n > 0 && int64(value.VecCount(value.VecAt(seen(t, v), 0))) >= n
}

// setShared sets the methods of the shared classes.
func setShared() {
	for _, class := range sharedClasses {
		class.Methods = make(map[string]value.NativeFunc)
		for name, fn := range class.Like.Methods {
			if name == "clone" {
				continue // which would be of java.util
			}
			class.Methods[name] = sharedMethod(name, class.Like, fn)
		}
		if class.Methods["listIterator"] != nil {
			class.Methods["listIterator"] = newCopyIterator
		}
		if strings.Contains(class.Name, "Blocking") {
			class.Methods["take"] = library("%take-first", nil)
			class.Methods["put"] = library("%put-last", nil)
			class.Methods["poll"] = library("%poll-first", class.Methods["poll"])
		}
		if class.Unindexed {
			class.Methods["remainingCapacity"] = remainingCapacity
		}
	}
}

// library makes a method that calls a function of the prelude, unless it has no argument and there is a plain method.
func library(name string, plain value.NativeFunc) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		if plain != nil && len(a) == 1 {
			return plain(t, a)
		}
		return t.Host.Futures().Library(name, a...)
	}
}

// newConcurrent makes a HashMap with the buckets that a ConcurrentHashMap would have.
func newConcurrent(t *value.Task, a []value.Value) value.Value {
	switch {
	case len(a) == 0 || a[0].IsNil():
		return newTable(HashMap)(t, a)
	case a[0].IsInt():
		return emptyTable(t, HashMap, initialSize(int64(1+float64(max(value.ToInt(t, a[0]), 0))/0.75)), nil)
	}
	all := newTable(LinkedHashMap)(t, a)
	n := int64(t.Count(all))
	v := emptyTable(t, HashMap, max(16, initialSize(n+n/2+1)), nil)
	t.Each(a[0], func(e value.Value) bool {
		put(t, v, value.VecAt(e, 0), value.VecAt(e, 1))
		return true
	})
	return v
}

func remainingCapacity(t *value.Task, a []value.Value) value.Value {
	n := a[0].AsJava().Vals[1].AsInt()
	if n == 0 {
		return value.Int(1<<31 - 1)
	}
	return value.Int(n - int64(value.VecCount(value.VecAt(seen(t, a[0]), 0))))
}

func sharedStatics() []entry.Entry {
	var all []entry.Entry
	add := func(class *value.JavaClass, args, example string, made value.NativeFunc) {
		name := class.Name[len("java.util.concurrent."):]
		bounded := strings.Contains(name, "Blocking") && !strings.HasPrefix(name, "Priority")
		all = append(all, entry.StaticMethod("new", name, args, entry.PerElement,
			"Returns a mutable collection that futures may change, one after another: empty, or of the elements "+
				"of a collection.",
			strings.ReplaceAll(example, "%", "(java.util.concurrent."+name+".)"),
			func(t *value.Task, a []value.Value) value.Value {
				capacity := value.Int(0)
				if bounded && len(a) > 0 && a[0].IsInt() {
					if capacity = a[0]; capacity.AsInt() < 1 {
						t.Fail(diag.IllegalArgument, "%s: got %d, want a capacity above 0", name, capacity.AsInt())
					}
				}
				like := made(t, a[:min(len(a), 1)])
				holdsNoNil(t, like)
				return t.JavaOf(class, t.Atom(t.Vector(like.AsJava().Vals...)), capacity)
			}))
	}
	add(ConcurrentHashMap, "| x | capacity load-factor | capacity load-factor level", `(into {} %) => {}`, newConcurrent)
	add(ConcurrentSkipListMap, "| x", `(into {} %) => {}`, newTable(TreeMap))
	add(ConcurrentSkipListSet, "| x", `(into #{} %) => #{}`, newTable(TreeSet))
	for _, class := range []*value.JavaClass{ConcurrentLinkedQueue, ConcurrentLinkedDeque, LinkedBlockingQueue,
		LinkedBlockingDeque} {
		add(class, "| x", `(vec %) => []`, newList(ArrayDeque))
	}
	add(ArrayBlockingQueue, "n | n fair", `(vec (java.util.concurrent.ArrayBlockingQueue. 2)) => []`, newList(ArrayDeque))
	add(PriorityBlockingQueue, "| x | capacity comparator", `(vec %) => []`, newPriorityQueue)
	add(CopyOnWriteArrayList, "| x", `(vec %) => []`, newList(ArrayList))
	return append(all, entry.Method("take", "", 0, entry.Constant,
		"Removes the first element of a blocking queue, and returns it. It waits for one. It is an error to wait for what "+
			"nothing can add any more.",
		`(let [q (java.util.concurrent.LinkedBlockingQueue.)] (future (.put q 1)) (.take q)) => 1`, nil),
		entry.Method("remainingCapacity", "", 0, entry.Constant,
			"Returns how many elements a blocking queue can still take.",
			`(.remainingCapacity (java.util.concurrent.ArrayBlockingQueue. 2)) => 2`, nil))
}
