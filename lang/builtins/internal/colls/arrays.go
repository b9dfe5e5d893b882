// This file defines arrays: blocks of values that programs for Java change in
// place.

package colls

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

func arrays() []entry.Entry {
	return []entry.Entry{
		newArray("object-array", value.ElemObject, "(vec (object-array 2)) => [nil nil]"),
		newArray("long-array", value.ElemLong, "(vec (long-array [1 2])) => [1 2]"),
		newArray("int-array", value.ElemInt, "(vec (int-array 2)) => [0 0]"),
		newArray("short-array", value.ElemShort, "(vec (short-array 1)) => [0]"),
		newArray("byte-array", value.ElemByte, "(vec (byte-array [1 2])) => [1 2]"),
		newArray("double-array", value.ElemDouble, "(vec (double-array [1 2])) => [1.0 2.0]"),
		newArray("float-array", value.ElemFloat, "(vec (float-array 1)) => [0.0]"),
		newArray("char-array", value.ElemChar, `(vec (char-array "ab")) => [\a \b]`),
		newArray("boolean-array", value.ElemBool, "(vec (boolean-array 1)) => [false]"),
		{NS: "clojure.core", Name: "make-array", Args: "type len:int | type len:int & more:int", Cost: entry.PerElement,
			Fn: makeArray,
			Doc: "Returns a new array of a class or of a primitive type such as Integer/TYPE. With several lengths, " +
				"returns an array of arrays.",
			Examples: []string{"(vec (make-array Long/TYPE 2)) => [0 0]", "(vec (make-array String 1)) => [nil]",
				"(make-array Long :a) !wrong-type"}},
		{NS: "clojure.core", Name: "into-array", Args: "coll:seqable | type coll:seqable", Cost: entry.PerElement,
			Fn:  intoArray,
			Doc: "Returns an array of the elements of a collection.",
			Examples: []string{"(vec (into-array [1 2])) => [1 2]", "(vec (into-array String [\"a\"])) => [\"a\"]",
				"(into-array 1) !illegal-argument"}},
		{NS: "clojure.core", Name: "to-array", Args: "coll:seqable", Cost: entry.PerElement, Fn: toArray,
			Doc:      "Returns an array of the elements of a collection.",
			Examples: []string{"(alength (to-array [1 2])) => 2", "(to-array 1) !illegal-argument"}},
		{NS: "clojure.core", Name: "to-array-2d", Args: "coll:seqable", Cost: entry.PerElement, Fn: toArray2D,
			Doc:      "Returns an array of arrays of the elements of collections.",
			Examples: []string{"(aget (to-array-2d [[1 2] [3 4]]) 1 0) => 3", "(to-array-2d 1) !illegal-argument"}},
		{NS: "clojure.core", Name: "alength", Args: "a", Cost: entry.Constant, Purity: entry.Pure, Fn: arrayLength,
			Doc:      "Returns the number of elements of an array.",
			Examples: []string{"(alength (int-array 3)) => 3", "(alength [1]) !illegal-argument"}},
		{NS: "clojure.core", Name: "aget", Args: "a index | a index & more", Cost: entry.Constant, Purity: entry.Reads,
			Facts: entry.ReturnsFns, Fn: arrayGet,
			Doc: "Returns an element of an array, or of an array of arrays.",
			Examples: []string{"(aget (int-array [5 6]) 1) => 6", "(aget (int-array 1) 1) !index-out-of-range",
				"(aget [1] 0) !illegal-argument"}},
		{NS: "clojure.core", Name: "aclone", Args: "a", Cost: entry.PerElement, Fn: arrayClone,
			Doc: "Returns a copy of an array.", Examples: []string{"(let [a (int-array [1]) b (aclone a)] (aset b 0 2) (aget " +
				"a 0)) => 1", "(aclone [1]) !illegal-argument"}},
		arraySetter("aset"), arraySetter("aset-int"), arraySetter("aset-long"), arraySetter("aset-short"),
		arraySetter("aset-byte"),
		arraySetter("aset-double"), arraySetter("aset-float"), arraySetter("aset-char"), arraySetter("aset-boolean"),
	}
}

func arraySetter(name string) entry.Entry {
	return entry.Entry{NS: "clojure.core", Name: name, Args: "a index x | a index more & more-x", Cost: entry.Constant,
		Fn:  arraySet,
		Doc: "Sets an element of an array, or of an array of arrays. Returns the new element.",
		Examples: []string{"(let [a (object-array 2)] (" + name + " a 0 5) (vec a)) => [5 nil]",
			"(" + name + " [1] 0 1) !illegal-argument"}}
}

func newArray(name string, elem value.ArrayElem, example string) entry.Entry {
	return entry.Entry{NS: "clojure.core", Name: name, Args: "size-or-coll | size init", Cost: entry.PerElement,
		Doc: "Returns an array of a size, filled with a value, or of the elements of a collection. Only the " +
			"evaluation that made an array can change it.",
		Examples: []string{example, "(" + name + " -1) !illegal-argument"},
		Fn: func(t *value.Task, args []value.Value) value.Value {
			if args[0].Is(value.Numbers) {
				init := elem.Zero()
				if len(args) == 2 && !args[1].Is(value.Seqables) {
					init = t.ArrayElement(elem, args[1])
				}
				a := filled(t, elem, value.ToInt(t, args[0]), init)
				if len(args) == 2 && args[1].Is(value.Seqables) {
					fill(t, a.AsArray(), args[1])
				}
				return a
			}
			return arrayOf(t, elem, args[0])
		}}
}

// filled returns an array with n elements x.
func filled(t *value.Task, elem value.ArrayElem, n int64, x value.Value) value.Value {
	if n < 0 {
		t.FailClass("java.lang.NegativeArraySizeException", diag.IllegalArgument, "%d", n)
	}
	row := t.Blocks(int(n))
	if !x.IsNil() {
		for _, vals := range row.All() {
			for i := range vals {
				if i&15 == 0 {
					t.Work(1)
				}
				vals[i] = x
			}
		}
	}
	return t.Array(elem, row)
}

// fill puts the first elements of a collection into a new array.
func fill(t *value.Task, a *value.Array, coll value.Value) {
	for i, it := 0, t.Iter(coll); i < a.Len(); i++ {
		x, ok := it.Next()
		if !ok {
			return
		}
		*a.At(i) = t.ArrayElement(a.Elem, x)
	}
}

func arrayOf(t *value.Task, elem value.ArrayElem, coll value.Value) value.Value {
	if !coll.Is(value.Seqables) {
		t.Seq(coll) // fails, as Clojure does
	}
	row := t.BlocksOf(coll)
	if elem != value.ElemObject {
		for _, vals := range row.All() {
			for i, x := range vals {
				if i&15 == 0 {
					t.Work(1)
				}
				vals[i] = t.ArrayElement(elem, x)
			}
		}
	}
	return t.Array(elem, row)
}

// elemOf returns the element type for a class.
func elemOf(t *value.Task, class value.Value) value.ArrayElem {
	if class.Kind() != value.KindType {
		t.Fail(diag.WrongType, "got %s, want a class", value.Describe(t, class))
	}
	switch class.AsType().Name {
	case "long":
		return value.ElemLong
	case "int":
		return value.ElemInt
	case "short":
		return value.ElemShort
	case "byte":
		return value.ElemByte
	case "double":
		return value.ElemDouble
	case "float":
		return value.ElemFloat
	case "char":
		return value.ElemChar
	case "boolean":
		return value.ElemBool
	case "java.lang.String":
		return value.ElemString
	}
	return value.ElemObject
}

// maxDimensions is Java's maximum number of dimensions of an array.
const maxDimensions = 255

func makeArray(t *value.Task, args []value.Value) value.Value {
	lens := args[1:]
	if len(lens) > maxDimensions {
		t.Fail(diag.IllegalArgument, "make-array: got %d dimensions, want at most %d", len(lens), maxDimensions)
	}
	return nestedArray(t, elemOf(t, args[0]), lens)
}

func nestedArray(t *value.Task, elem value.ArrayElem, lens []value.Value) value.Value {
	n := value.ToInt(t, lens[0])
	if len(lens) == 1 {
		return filled(t, elem, n, elem.Zero())
	}
	a := filled(t, value.ElemArray, n, value.Nil)
	for i := range a.AsArray().Len() {
		*a.AsArray().At(i) = nestedArray(t, elem, lens[1:])
	}
	return a
}

func intoArray(t *value.Task, args []value.Value) value.Value {
	if len(args) == 2 {
		return arrayOf(t, elemOf(t, args[0]), args[1])
	}
	made := arrayOf(t, value.ElemObject, args[0])
	a := made.AsArray()
	if a.Len() > 0 {
		switch a.At(0).Kind() {
		case value.KindString:
			a.Elem = value.ElemString
		case value.KindInt:
			a.Elem = value.ElemBoxedLong
		}
	}
	for _, vals := range a.All() {
		for i, x := range vals {
			if i&15 == 0 {
				t.Work(1)
			}
			if a.Elem == value.ElemString && !x.IsNil() && !x.IsString() || a.Elem == value.ElemBoxedLong && !x.IsNil() &&
				!x.IsInt() {
				t.Fail(diag.IllegalArgument, "array element type mismatch")
			}
		}
	}
	return made
}

func toArray(t *value.Task, args []value.Value) value.Value {
	return arrayOf(t, value.ElemObject, args[0])
}

func toArray2D(t *value.Task, args []value.Value) value.Value {
	row := t.BlocksOf(args[0])
	for i := range row.Len() {
		*row.At(i) = arrayOf(t, value.ElemObject, *row.At(i))
	}
	return t.Array(value.ElemArray, row)
}

func wantArray(t *value.Task, who string, v value.Value, n int) *value.Array {
	if v.IsNil() {
		t.Fail(diag.NilValue, "%s: got nil, want an array", who)
	}
	if v.Kind() != value.KindArray {
		t.FailHint(diag.IllegalArgument, who+" works on arrays; for a vector use nth, assoc and count",
			"No matching method %s found taking %d args", who, n)
	}
	return v.AsArray()
}

// slot returns a pointer to an element.
func slot(t *value.Task, a *value.Array, index value.Value) *value.Value {
	i := value.ToInt(t, index)
	if i < 0 || i >= int64(a.Len()) {
		t.FailClass("java.lang.ArrayIndexOutOfBoundsException", diag.OutOfRange, "Index %d out of bounds for length %d", i,
			a.Len())
	}
	return a.At(int(i))
}

func arrayLength(t *value.Task, args []value.Value) value.Value {
	return value.Int(int64(wantArray(t, "alength", args[0], 1).Len()))
}

func arrayGet(t *value.Task, args []value.Value) value.Value {
	x := args[0]
	for _, i := range args[1:] {
		x = *slot(t, wantArray(t, "aget", x, len(args)), i)
	}
	return x
}

func arraySet(t *value.Task, args []value.Value) value.Value {
	a := args[0]
	n := len(args)
	for _, i := range args[1 : n-2] {
		a = *slot(t, wantArray(t, "aset", a, n), i)
	}
	arr := wantArray(t, "aset", a, n)
	place := slot(t, arr, args[n-2])
	x := t.ArrayElement(arr.Elem, args[n-1])
	if x.IsInt() && args[n-1].IsInt() && x != args[n-1] {
		t.Fail(diag.IllegalArgument, "Value out of range for %s: %d", arr.Elem.Name(), args[n-1].AsInt())
	}
	t.Owns(a, "array")
	*place = x
	return x
}

func arrayClone(t *value.Task, args []value.Value) value.Value {
	a := wantArray(t, "aclone", args[0], 1)
	return t.Array(a.Elem, t.CopyBlocks(&a.Blocks))
}
