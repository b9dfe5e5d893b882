// This file defines the methods of Java's collections.

package colls

import (
	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// onColl are the values that have methods of collections.
var onColl = value.Colls

// collectionMethods are the methods of maps, sets, lists and map entries.
func collectionMethods() []entry.Entry {
	return []entry.Entry{
		entry.Method("get", "| key | timeout unit", onColl|value.Kinds(value.KindFuture), entry.PerElement,
			"Returns the value of a key, the element at an index, or the value of a future; waits for that value.",
			`(.get {:a 1} :a) => 1`, collGet),
		entry.Method("getOrDefault", "key default", value.Maps, entry.Constant,
			"Returns the value of a key, or else default.",
			`(.getOrDefault {:a 1} :b 2) => 2`, func(t *value.Task, a []value.Value) value.Value {
				return t.Get(a[0], a[1], a[2])
			}),
		entry.Method("nth", "index | index default", onColl, entry.PerElement, "Returns the element at an index.",
			`(.nth [1 2] 0) => 1`,
			collNth),
		entry.Method("valAt", "key | key default", value.Maps|value.Vectors|value.Sets|onTransient,
			entry.Constant, "Returns the value of a key.",
			`(.valAt {:a 1} :a) => 1`, func(t *value.Task, a []value.Value) value.Value {
				notFound := value.Nil
				if len(a) == 3 {
					notFound = a[2]
				}
				return t.Get(a[0], a[1], notFound)
			}),
		entry.Method("containsKey", "key", value.Maps|value.Vectors, entry.Constant, "Returns true if a map has a key.",
			`(.containsKey {:a 1} :a) => true`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(t.Contains(a[0], a[1]))
			}),
		entry.Method("contains", "x", onColl|strs.OnString|onTransient, entry.PerElement,
			"Returns true if a string has the substring, a set the member, a list the element.", `(.contains [1 2] 2) => true`,
			collContains),
		entry.Method("indexOf", "x | x from", onColl|strs.OnString, entry.PerElement,
			"Returns the index of an element, or of a substring; -1 if there is none.", `(.indexOf [1 2 3] 3) => 2`,
			collIndexOf),
		entry.Method("lastIndexOf", "x | x from", onColl|strs.OnString, entry.PerElement,
			"Returns the last index of an element, or of a substring; -1 if there is none.", `(.lastIndexOf "hello" "l") => 3`,
			collLastIndexOf),
		entry.Method("isEmpty", "", onColl|strs.OnString, entry.Constant, "Returns true if a string or collection is empty.",
			`(.isEmpty []) => true`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(t.Seq(a[0]).IsNil())
			}),
		entry.Method("size", "", onColl, entry.PerElement, "Returns the number of elements.", `(.size [1 2]) => 2`,
			collCount),
		entry.Method("count", "", onColl|strs.OnString|onTransient, entry.PerElement, "Returns the number of elements.",
			`(.count [1 2]) => 2`, collCount),
		entry.Method("keySet", "", value.Maps, entry.PerElement, "Returns the set of the keys.", `(.keySet {:a 1}) => #{:a}`,
			func(t *value.Task, a []value.Value) value.Value {
				return setHeld(t, []value.Value{t.MapSeqOf(a[0], value.SeqKeys, false)})
			}),
		entry.Method("values", "", value.Maps, entry.Constant, "Returns the values.", `(.values {:a 1}) => (1)`,
			func(t *value.Task, a []value.Value) value.Value {
				return t.MapSeqOf(a[0], value.SeqVals, false)
			}),
		entry.Method("entrySet", "", value.Maps, entry.PerElement, "Returns the set of the entries.",
			`(.entrySet {:a 1}) => #{[:a 1]}`,
			func(t *value.Task, a []value.Value) value.Value {
				return setHeld(t, a)
			}),
		entry.Method("getKey", "", value.Vectors, entry.Constant, "Returns the key of a map entry.",
			`(.getKey (first {:a 1})) => :a`,
			entryPart("getKey", 0)),
		entry.Method("getValue", "", value.Vectors, entry.Constant, "Returns the value of a map entry.",
			`(.getValue (first {:a 1})) => 1`, entryPart("getValue", 1)),
	}
}

func collGet(t *value.Task, a []value.Value) value.Value {
	switch {
	case a[0].Kind() == value.KindFuture && len(a) != 2:
		return t.Host.Futures().Library("%get-future", a...)
	case len(a) != 2 || a[0].Kind() == value.KindFuture:
		entry.NoMethod(t, "get", a[0], len(a)-1)
	case a[0].Is(value.Maps | value.Sets):
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
		return strs.Tester("contains", strs.Includes)(t, a)
	case a[0].Is(value.Sets | onTransient):
		return value.Bool(t.Contains(a[0], a[1]))
	case a[0].Is(value.Maps):
		entry.NoMethod(t, "contains", a[0], 1)
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
	return value.Int(int64(strs.IndexFrom(t, a[0].AsString(), codeOrText(t, a[1]), from)))
}

func collLastIndexOf(t *value.Task, a []value.Value) value.Value {
	if !a[0].IsString() {
		return value.Int(indexIn(t, a[0], a[1], true))
	}
	from := int64(t.Length(a[0].AsString()))
	if len(a) == 3 {
		from = value.ToInt(t, a[2])
	}
	return value.Int(int64(strs.LastIndexFrom(t, a[0].AsString(), codeOrText(t, a[1]), from)))
}

// codeOrText returns the string that indexOf searches for: a string itself, or the character of a code.
func codeOrText(t *value.Task, v value.Value) string {
	if v.IsInt() {
		return string(rune(v.AsInt()))
	}
	return strs.Part(t, v, "indexOf")
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
			entry.NoMethod(t, name, a[0], 0)
		}
		return value.VecAt(a[0], i)
	}
}
