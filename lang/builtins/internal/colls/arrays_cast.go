// This file defines the functions that check the type of an array.

package colls

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// arrayCasts are hints for Clojure's compiler. In PTC they only check.
func arrayCasts() []entry.Entry {
	return []entry.Entry{
		arrayCast("booleans", "boolean-array", value.ElemBool), arrayCast("bytes", "byte-array", value.ElemByte),
		arrayCast("chars", "char-array", value.ElemChar), arrayCast("doubles", "double-array", value.ElemDouble),
		arrayCast("floats", "float-array", value.ElemFloat), arrayCast("ints", "int-array", value.ElemInt),
		arrayCast("longs", "long-array", value.ElemLong), arrayCast("shorts", "short-array", value.ElemShort),
	}
}

func arrayCast(name, made string, elem value.ArrayElem) entry.Entry {
	return entry.Entry{NS: "clojure.core", Name: name, Args: "a", Cost: entry.Constant, Purity: entry.Pure,
		Doc:      "Returns an array as it is, if it was made by " + made + ".",
		Examples: []string{"(alength (" + name + " (" + made + " 2))) => 2", "(" + name + " [1]) !wrong-type"},
		Fn: func(t *value.Task, args []value.Value) value.Value {
			if v := args[0]; !v.IsNil() && (v.Kind() != value.KindArray || v.AsArray().Elem != elem) {
				t.Fail(diag.WrongType, "%s: got %s, want an array made by %s", name, value.Describe(t, v), made)
			}
			return args[0]
		}}
}
