// This file defines the methods of Java's collections and numbers.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// onColl are the values that have methods of collections.
var onColl = value.Colls

// collectionMethods are the methods of maps, sets, lists and map entries.
func collectionMethods() []Entry {
	return []Entry{
		method("get", "key", onColl, PerElement, "Returns the value of a key or the element at an index.",
			`(.get {:a 1} :a) => 1`, collGet),
		method("getOrDefault", "key default", value.Maps, Constant, "Returns the value of a key, or else default.",
			`(.getOrDefault {:a 1} :b 2) => 2`, func(t *value.Task, a []value.Value) value.Value {
				return t.Get(a[0], a[1], a[2])
			}),
		method("nth", "index | index default", onColl, PerElement, "Returns the element at an index.", `(.nth [1 2] 0) => 1`,
			collNth),
		method("valAt", "key | key default", value.Maps|value.Vectors, Constant, "Returns the value of a key.",
			`(.valAt {:a 1} :a) => 1`, func(t *value.Task, a []value.Value) value.Value {
				notFound := value.Nil
				if len(a) == 3 {
					notFound = a[2]
				}
				return t.Get(a[0], a[1], notFound)
			}),
		method("containsKey", "key", value.Maps|value.Vectors, Constant, "Returns true if a map has a key.",
			`(.containsKey {:a 1} :a) => true`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(t.Contains(a[0], a[1]))
			}),
		method("contains", "x", onColl|onString, PerElement,
			"Returns true if a string has the substring, a set the member, a list the element.", `(.contains [1 2] 2) => true`,
			collContains),
		method("indexOf", "x | x from", onColl|onString, PerElement,
			"Returns the index of an element, or of a substring; -1 if there is none.", `(.indexOf [1 2 3] 3) => 2`,
			collIndexOf),
		method("lastIndexOf", "x | x from", onColl|onString, PerElement,
			"Returns the last index of an element, or of a substring; -1 if there is none.", `(.lastIndexOf "hello" "l") => 3`,
			collLastIndexOf),
		method("isEmpty", "", onColl|onString, Constant, "Returns true if a string or collection is empty.",
			`(.isEmpty []) => true`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(t.Seq(a[0]).IsNil())
			}),
		method("size", "", onColl, PerElement, "Returns the number of elements.", `(.size [1 2]) => 2`, collCount),
		method("count", "", onColl|onString, PerElement, "Returns the number of elements.", `(.count [1 2]) => 2`, collCount),
		method("keySet", "", value.Maps, PerElement, "Returns the set of the keys.", `(.keySet {:a 1}) => #{:a}`,
			func(t *value.Task, a []value.Value) value.Value {
				return setHeld(t, []value.Value{t.MapSeqOf(a[0], value.SeqKeys, false)})
			}),
		method("values", "", value.Maps, Constant, "Returns the values.", `(.values {:a 1}) => (1)`,
			func(t *value.Task, a []value.Value) value.Value {
				return t.MapSeqOf(a[0], value.SeqVals, false)
			}),
		method("entrySet", "", value.Maps, PerElement, "Returns the set of the entries.", `(.entrySet {:a 1}) => #{[:a 1]}`,
			func(t *value.Task, a []value.Value) value.Value {
				return setHeld(t, a)
			}),
		method("getKey", "", value.Vectors, Constant, "Returns the key of a map entry.", `(.getKey (first {:a 1})) => :a`,
			entryPart("getKey", 0)),
		method("getValue", "", value.Vectors, Constant, "Returns the value of a map entry.",
			`(.getValue (first {:a 1})) => 1`, entryPart("getValue", 1)),
	}
}

func collGet(t *value.Task, a []value.Value) value.Value {
	if a[0].Is(value.Maps | value.Sets) {
		return t.Get(a[0], a[1], value.Nil)
	}
	return collNth(t, a)
}

func collNth(t *value.Task, a []value.Value) value.Value {
	i := value.ToInt(t, a[1])
	if x, ok := t.Nth(a[0], int(i)); ok {
		return x
	}
	if len(a) == 3 {
		return a[2]
	}
	t.Fail(diag.OutOfRange, "index %d out of range", i)
	return value.Nil
}

func collContains(t *value.Task, a []value.Value) value.Value {
	switch {
	case a[0].IsString():
		return tester("contains", includes)(t, a)
	case a[0].Is(value.Sets):
		return value.Bool(t.Contains(a[0], a[1]))
	case a[0].Is(value.Maps):
		noMethod(t, "contains", a[0], 1)
	}
	return value.Bool(indexIn(t, a[0], a[1], false) >= 0)
}

func collIndexOf(t *value.Task, a []value.Value) value.Value {
	if !a[0].IsString() {
		return value.Int(indexIn(t, a[0], a[1], false))
	}
	from := int64(0)
	if len(a) == 3 {
		from = value.ToInt(t, a[2])
	}
	return value.Int(int64(indexFrom(t, a[0].AsString(), codeOrText(t, a[1]), from)))
}

func collLastIndexOf(t *value.Task, a []value.Value) value.Value {
	if !a[0].IsString() {
		return value.Int(indexIn(t, a[0], a[1], true))
	}
	from := int64(t.Length(a[0].AsString()))
	if len(a) == 3 {
		from = value.ToInt(t, a[2])
	}
	return value.Int(int64(lastIndexFrom(t, a[0].AsString(), codeOrText(t, a[1]), from)))
}

// codeOrText returns the string that indexOf searches for: a string itself, or the character of a code.
func codeOrText(t *value.Task, v value.Value) string {
	if v.IsInt() {
		return string(rune(v.AsInt()))
	}
	return part(t, v, "indexOf")
}

// indexIn returns the index of the first, or last, element equal to x, -1 if there
// is none.
func indexIn(t *value.Task, coll, x value.Value, last bool) int64 {
	found, i := int64(-1), int64(0)
	t.Each(coll, func(y value.Value) bool {
		if value.Equal(t, x, y) {
			found = i
		}
		i++
		return last || found < 0
	})
	return found
}

func collCount(t *value.Task, a []value.Value) value.Value { return value.Int(int64(t.Count(a[0]))) }

func entryPart(name string, i int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		if a[0].Kind() != value.KindMapEntry {
			noMethod(t, name, a[0], 0)
		}
		return value.VecAt(a[0], i)
	}
}
