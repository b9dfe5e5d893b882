// This file defines the maps and sets of java.util, and their order.

package java

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// The slots of a hash map or set. Those of TreeMap and TreeSet are the first only, a sorted map or set.
const (
	tableData  = iota // a map, or a set
	tableOrder        // a map from key to the number of its insertion
	tableNext         // the number of the next insertion
	tableSize         // the buckets that Java would have, a power of two
	tableSlots
)

// The classes of maps and sets.
var (
	HashMap       = tableClass("java.util.HashMap", "{")
	WeakHashMap   = tableClass("java.util.WeakHashMap", "{")
	Hashtable     = tableClass("java.util.Hashtable", "{")
	LinkedHashMap = tableClass("java.util.LinkedHashMap", "{")
	TreeMap       = tableClass("java.util.TreeMap", "{")
	HashSet       = tableClass("java.util.HashSet", "#{")
	LinkedHashSet = tableClass("java.util.LinkedHashSet", "#{")
	TreeSet       = tableClass("java.util.TreeSet", "#{")
)

func tableClass(name, open string) *value.JavaClass {
	class := &value.JavaClass{Name: name, Open: open, Text: collText,
		Coll: func(_ *value.Task, v value.Value) value.Value { return v.AsJava().Vals[tableData] }, Seq: tableSeq}
	if open == "{" {
		class.Text = mapText
	}
	return class
}

// isHashtable reports whether a table is a Hashtable. It knows the name, because the class refers to its functions.
func isHashtable(v value.Value) bool { return v.AsJava().Class.Name == "java.util.Hashtable" }

// isMap reports whether a table is a map, and not a set.
func isMap(v value.Value) bool { return v.AsJava().Class.Open == "{" }

// mapText writes a map as Java does: {a=1, b=null}.
func mapText(t *value.Task, b *value.Buf, v value.Value) { pairsText(t, b, v, '{', '}') }

// entriesText writes the entries of a map as Java does: [a=1, b=null].
func entriesText(t *value.Task, b *value.Buf, v value.Value) { pairsText(t, b, v, '[', ']') }

// pairsText writes entries between two delimiters.
func pairsText(t *value.Task, b *value.Buf, v value.Value, from, to byte) {
	b.WriteByte(from)
	first := true
	t.Each(v, func(e value.Value) bool {
		if !first {
			b.WriteString(", ")
		}
		first = false
		if !e.Is(value.Vectors) || value.VecCount(e) != 2 { // an element that the program added
			elementText(t, b, v, e)
			return !b.Full()
		}
		elementText(t, b, v, value.VecAt(e, 0))
		b.WriteByte('=')
		elementText(t, b, v, value.VecAt(e, 1))
		return !b.Full()
	})
	b.WriteByte(to)
}

// place is an element of a table with what its place in the order depends on.
type place struct {
	bucket uint32
	n      int64
	key    value.Value
}

const placeSize = 40

// tableSeq returns the entries of a map, or the members of a set, in the order of Java.
func tableSeq(t *value.Task, v value.Value) value.Value {
	slots := v.AsJava().Vals
	if len(slots) < tableSlots {
		return t.Seq(slots[tableData])
	}
	n := value.MapCount(slots[tableOrder])
	if n == 0 {
		return value.Nil
	}
	t.Charge(limits.ObjectSize(n * placeSize))
	t.Work(int64(n) * 4)
	places := make([]place, 0, n)
	linked := strings.HasPrefix(v.AsJava().Class.Name, "java.util.Linked")
	size := uint32(slots[tableSize].AsInt())
	for it := value.NewMapIter(slots[tableOrder]); it.Next(); {
		p := place{n: it.Val.AsInt(), key: it.Key}
		if !linked {
			h := uint32(value.JavaHash(t, it.Key))
			p.bucket = (h ^ h>>16) & (size - 1)
			if isHashtable(v) { // the last bucket comes first, and in it what was put last
				p.bucket, p.n = size-(h&(1<<31-1))%size, -p.n
			}
		}
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(cmp.Compare(a.bucket, b.bucket), cmp.Compare(a.n, b.n)) })
	vals := t.Vals(n)
	for i, p := range places {
		vals[i] = p.key
		if isMap(v) {
			x, _ := t.MapGet(slots[tableData], p.key)
			vals[i] = t.Entry(p.key, x)
		}
	}
	return t.Seq(t.VectorFrom(vals))
}

// tableKey fails if a key is nil, and a table has none: one in the order of compare.
func tableKey(t *value.Task, v, k value.Value) {
	if k.IsNil() && isHashtable(v) {
		t.Fail(diag.NilValue, "Hashtable: got nil, want a key")
	}
	if slots := v.AsJava().Vals; k.IsNil() && len(slots) < tableSlots && value.SortedBy(slots[tableData]).IsNil() {
		t.Fail(diag.NilValue, "%s: got nil, want a key", v.AsJava().Class.Name[len("java.util."):])
	}
}

// put sets the value of a key, or adds a member.
func put(t *value.Task, v, k, x value.Value) {
	slots := v.AsJava().Vals
	data := slots[tableData]
	if v.ClassIs(IdentityHashMap) {
		identityPut(t, v, k, x)
		return
	}
	tableKey(t, v, k)
	if x.IsNil() && isHashtable(v) {
		t.Fail(diag.NilValue, "Hashtable: got nil, want a value")
	}
	if isMap(v) {
		data = t.MapAssoc(data, k, x)
	} else {
		data = t.Conj(data, k)
	}
	if len(slots) < tableSlots {
		change(t, v, tableData, data)
		return
	}
	order, next, size := slots[tableOrder], slots[tableNext].AsInt(), slots[tableSize].AsInt()
	if _, ok := t.MapGet(order, k); !ok {
		order = t.MapAssoc(order, k, value.Int(next))
		for int64(value.MapCount(order)) > size*3/4 {
			size *= 2
			if isHashtable(v) {
				size++
			}
		}
	}
	t.Owns(v, "collection")
	slots[tableData], slots[tableOrder] = data, order
	slots[tableNext], slots[tableSize] = value.Int(next+1), value.Int(size)
}

// drop removes a key or member.
func drop(t *value.Task, v, k value.Value) {
	slots := v.AsJava().Vals
	if v.ClassIs(IdentityHashMap) {
		identityDrop(t, v, k)
		return
	}
	var data value.Value
	if isMap(v) {
		data = t.MapDissoc(slots[tableData], k)
	} else {
		data = t.SetDisj(slots[tableData], k)
	}
	if len(slots) < tableSlots {
		change(t, v, tableData, data)
		return
	}
	order := t.MapDissoc(slots[tableOrder], k)
	t.Owns(v, "collection")
	slots[tableData], slots[tableOrder] = data, order
}

// initialSize returns the buckets of a table for so many elements, or of a capacity.
func initialSize(least int64) int64 {
	size := int64(1)
	for size < least && size < 1<<30 {
		size *= 2
	}
	return size
}

// newTable makes the constructor of a table: empty, of a capacity, or of the elements of a collection.
func newTable(class *value.JavaClass) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		var coll value.Value
		size := int64(16)
		if class == Hashtable {
			size = 11
		}
		switch {
		case len(a) == 0:
		case a[0].IsInt():
			size = max(value.ToInt(t, a[0]), 1)
			if class != Hashtable {
				size = initialSize(size)
			}
		case a[0].IsNil():
			t.Fail(diag.NilValue, "%s: got nil, want a collection", class.Name)
		case isComparator(t, class, a[0]):
		default:
			coll = a[0]
			n := int64(t.Count(coll))
			if class == Hashtable {
				size = max(2*n, 11)
			} else if class.Open == "{" { // Java takes a power of two above n / 0.75
				size = initialSize(int64(float64(n)/0.75 + 1))
			} else {
				size = initialSize(max(int64(float32(n)/.75)+1, 16))
			}
		}
		v := emptyTable(t, class, size, a)
		if coll.IsNil() {
			return v
		}
		t.Each(coll, func(x value.Value) bool {
			if class.Open == "{" {
				if !x.Is(value.Vectors) || value.VecCount(x) != 2 {
					t.Fail(diag.WrongType, "%s: got %s, want a map", class.Name, value.Describe(t, coll))
				}
				put(t, v, value.VecAt(x, 0), value.VecAt(x, 1))
			} else {
				put(t, v, x, value.True)
			}
			return true
		})
		return v
	}
}

// isComparator reports whether the argument of the constructor of a table is the comparator of a sorted one.
func isComparator(t *value.Task, class *value.JavaClass, x value.Value) bool {
	if class != TreeMap && class != TreeSet {
		return false
	}
	return x.Kind() == value.KindObject && !t.Method(x, keyCompare).IsNil() || x.Is(value.Callables) && !x.Is(value.Colls)
}

var keyCompare = value.ConstKeyword("compare")

func emptyTable(t *value.Task, class *value.JavaClass, size int64, a []value.Value) value.Value {
	cmp := value.Nil
	if len(a) == 1 && isComparator(t, class, a[0]) {
		cmp = a[0]
	}
	switch class {
	case TreeMap:
		return t.JavaOf(class, t.SortedMapOf(cmp, nil))
	case TreeSet:
		return t.JavaOf(class, t.SortedSetOf(cmp, nil))
	}
	data := value.EmptySet
	if class.Open == "{" {
		data = value.EmptyMap
	}
	if class == IdentityHashMap {
		return t.JavaOf(class, data)
	}
	return t.JavaOf(class, data, value.EmptyMap, value.Int(0), value.Int(size))
}

func mapMethods() []method {
	get := func(t *value.Task, v, k value.Value) (value.Value, bool) {
		if v.ClassIs(IdentityHashMap) {
			return identityGet(t, v, k)
		}
		tableKey(t, v, k)
		return t.MapGet(v.AsJava().Vals[tableData], k)
	}
	return []method{
		{"get", "key", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			x, _ := get(t, a[0], a[1])
			return x
		}},
		{"getOrDefault", "key default", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			if x, ok := get(t, a[0], a[1]); ok {
				return x
			}
			return a[2]
		}},
		{"put", "key val", entry.Constant, "Sets the value of a key of a mutable map. Returns the old one, or nil.",
			`(let [m (java.util.HashMap.)] [(.put m :a 1) (.put m :a 2) (into {} m)]) => [nil 1 {:a 2}]`,
			func(t *value.Task, a []value.Value) value.Value {
				old, _ := get(t, a[0], a[1])
				put(t, a[0], a[1], a[2])
				return old
			}},
		{"putIfAbsent", "key val", entry.Constant,
			"Sets the value of a key that has none. Returns the old value, or nil.", "",
			func(t *value.Task, a []value.Value) value.Value {
				old, _ := get(t, a[0], a[1])
				if old.IsNil() {
					put(t, a[0], a[1], a[2])
				}
				return old
			}},
		{"putAll", "m", entry.PerElement, "Sets the values of all keys of a map.",
			`(let [m (java.util.HashMap.)] (.putAll m {:a 1}) (into {} m)) => {:a 1}`,
			func(t *value.Task, a []value.Value) value.Value {
				// All entries first, because the builtin must be repeatable until it changes something.
				made := t.JavaOf(a[0].AsJava().Class, a[0].AsJava().Vals...)
				t.Each(entriesOf(t, a[1], "putAll"), func(e value.Value) bool {
					put(t, made, value.VecAt(e, 0), value.VecAt(e, 1))
					return true
				})
				t.Owns(a[0], "collection")
				copy(a[0].AsJava().Vals, made.AsJava().Vals)
				return value.Nil
			}},
		{"remove", "key | key val", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			old, ok := get(t, a[0], a[1])
			if len(a) == 3 {
				if ok = ok && value.JavaEqual(t, old, a[2]); ok {
					drop(t, a[0], a[1])
				}
				return value.Bool(ok)
			}
			if ok {
				drop(t, a[0], a[1])
			}
			return old
		}},
		{"replace", "key val | key old new", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			old, ok := get(t, a[0], a[1])
			if len(a) == 4 {
				ok = ok && value.JavaEqual(t, old, a[2])
			}
			if ok {
				put(t, a[0], a[1], a[len(a)-1])
			}
			if len(a) == 4 {
				return value.Bool(ok)
			}
			return old
		}},
		{"containsKey", "key", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			_, ok := get(t, a[0], a[1])
			return value.Bool(ok)
		}},
		{"containsValue", "val", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			for it := value.NewMapIter(a[0].AsJava().Vals[tableData]); it.Next(); {
				t.Work(1)
				if value.JavaEqual(t, it.Val, a[1]) {
					return value.True
				}
			}
			return value.False
		}},
		{"keySet", "", entry.PerElement, "", "", part(0)}, {"values", "", entry.PerElement, "", "", part(1)},
		{"entrySet", "", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			return t.JavaOf(EntrySet, toVectorOrEmpty(t, a[0]))
		}},
	}
}

// entriesOf returns a map, or the object of one, or a collection of entries.
func entriesOf(t *value.Task, v value.Value, what string) value.Value {
	if v.IsNil() {
		t.Fail(diag.NilValue, "%s: got nil, want a map", what)
	}
	t.Each(v, func(e value.Value) bool {
		if !e.Is(value.Vectors) || value.VecCount(e) != 2 {
			t.FailWant(what, v, "a map")
		}
		return true
	})
	return v
}

func toVectorOrEmpty(t *value.Task, v value.Value) value.Value {
	return t.VectorFrom(t.ToVals(t.Seq(v)))
}

// part makes keySet and values. They are copies, which do not change with the map.
func part(i int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		vals := t.ToVals(t.Seq(a[0]))
		out := t.Vals(len(vals))
		for j, e := range vals {
			out[j] = value.VecAt(e, i)
		}
		class := ArrayList
		if i == 0 {
			set := emptyTable(t, LinkedHashSet, 16, nil)
			for _, k := range out {
				put(t, set, k, value.True)
			}
			return set
		}
		return t.JavaOf(class, t.VectorFrom(out))
	}
}

func setMethods() []method {
	has := func(t *value.Task, v, x value.Value) bool {
		tableKey(t, v, x)
		return t.Contains(v.AsJava().Vals[tableData], x)
	}
	each := func(f func(t *value.Task, set, x value.Value)) value.NativeFunc {
		return func(t *value.Task, a []value.Value) value.Value {
			if a[1].IsNil() {
				t.Fail(diag.NilValue, "%s: got nil, want a collection", a[0].AsJava().Class.Name)
			}
			made := t.JavaOf(a[0].AsJava().Class, a[0].AsJava().Vals...)
			before := t.Count(made)
			t.Each(a[1], func(x value.Value) bool {
				f(t, made, x)
				return true
			})
			t.Owns(a[0], "collection")
			copy(a[0].AsJava().Vals, made.AsJava().Vals)
			return value.Bool(t.Count(made) != before)
		}
	}
	return []method{
		{"add", "x", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			if has(t, a[0], a[1]) {
				return value.False
			}
			put(t, a[0], a[1], value.True)
			return value.True
		}},
		{"addAll", "coll", entry.PerElement, "", "", each(func(t *value.Task, set, x value.Value) {
			put(t, set, x,
				value.True)
		})},
		{"remove", "x", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			if !has(t, a[0], a[1]) {
				return value.False
			}
			drop(t, a[0], a[1])
			return value.True
		}},
		{"contains", "x", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.Bool(has(t, a[0], a[1]))
		}},
		{"iterator", "", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return t.Iterator(t.Seq(a[0]))
		}},
	}
}

// tableMethods are those of maps and sets.
func tableMethods() []method {
	return []method{
		{"clone", "", entry.Constant, "", "", clone},
		{"size", "", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.Int(int64(t.Count(a[0])))
		}},
		{"isEmpty", "", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.Bool(t.Count(a[0]) == 0)
		}},
		{"clear", "", entry.Constant, "", "", func(t *value.Task, a []value.Value) value.Value {
			slots := a[0].AsJava().Vals
			empty := t.Empty(slots[tableData])
			t.Owns(a[0], "collection")
			slots[tableData] = empty
			if len(slots) == tableSlots {
				slots[tableOrder] = value.EmptyMap
			}
			return value.Nil
		}},
	}
}

func tableStatics() []entry.Entry {
	var all []entry.Entry
	for _, class := range []*value.JavaClass{HashMap, WeakHashMap, IdentityHashMap, Hashtable, LinkedHashMap, TreeMap,
		HashSet, LinkedHashSet, TreeSet} {
		name := class.Name[len("java.util."):]
		empty := "{}"
		if class.Open != "{" {
			empty = "#{}"
		}
		all = append(all, entry.StaticMethod("new", name, "| x | capacity load-factor", entry.PerElement,
			"Returns a mutable map or set: empty, or of the entries or elements of a collection. Only the evaluation that made "+
				"it may change it.", `(into `+empty+` (java.util.`+name+`.)) => `+empty, newTable(class)))
	}
	return all
}

func collectionMethods() []methods {
	maps := []*value.JavaClass{HashMap, WeakHashMap, IdentityHashMap, Hashtable, LinkedHashMap, TreeMap}
	sets := []*value.JavaClass{HashSet, LinkedHashSet, TreeSet}
	return []methods{{append(slices.Clone(lists), EntrySet), listMethods()},
		{[]*value.JavaClass{Stack}, stackMethods(true)},
		{[]*value.JavaClass{ArrayDeque, LinkedList}, stackMethods(false)},
		{[]*value.JavaClass{PriorityQueue}, queueMethods()},
		{append(slices.Clone(maps), sets...), tableMethods()}, {maps, mapMethods()}, {sets, setMethods()},
		{[]*value.JavaClass{IdentityHashMap}, identityMethods()}, {[]*value.JavaClass{Hashtable}, hashtableMethods()},
		{append(slices.Clone(lists), EntrySet), bulkMethods(changedList)}, {sets, bulkMethods(changedSet)},
		{[]*value.JavaClass{Vector, Stack}, vectorMethods()}, {[]*value.JavaClass{ListIterator}, walkMethods()}}
}

// hashtableMethods are those that only a Hashtable has.
func hashtableMethods() []method {
	each := func(name, doc, example, part string) method {
		return method{name, "", entry.PerElement, doc, example, func(t *value.Task, a []value.Value) value.Value {
			return t.Iterator(t.Seq(a[0].AsJava().Class.Methods[part](t, a)))
		}}
	}
	return []method{
		each("keys", "Returns an enumeration of the keys of a Hashtable.",
			`(enumeration-seq (.keys (java.util.Hashtable. {:a 1}))) => (:a)`, "keySet"),
		each("elements", "Returns an enumeration of the values of a Hashtable.",
			`(enumeration-seq (.elements (java.util.Hashtable. {:a 1}))) => (1)`, "values"),
		{"contains", "val", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			return Hashtable.Methods["containsValue"](t, a)
		}},
	}
}
