// This file defines java.lang.reflect.Method.

package java

import (
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// Method is the class of the methods that get properties. The slots are the class, the name and the class of the
// result.
var Method = &value.JavaClass{Name: "java.lang.reflect.Method", Data: true, Text: reflectedText,
	Hash: func(t *value.Task, v value.Value) int32 {
		slots := v.AsJava().Vals
		return value.JavaHash(t, t.CopyString(slots[0].AsType().Name)) ^ value.JavaHash(t, slots[1])
	}}

func reflectedText(_ *value.Task, b *value.Buf, v value.Value) {
	slots := v.AsJava().Vals
	b.WriteString("public " + slots[2].AsType().Name + " " + slots[0].AsType().Name + "." + slots[1].AsString().S + "()")
}

func reflectedMethods() []methods {
	slot := func(i int) value.NativeFunc {
		return func(_ *value.Task, a []value.Value) value.Value { return a[0].AsJava().Vals[i] }
	}
	return []methods{{[]*value.JavaClass{Method}, []method{
		{"getName", "", entry.Constant, "", "", slot(1)},
		{"getReturnType", "", entry.Constant, "Returns the class of what a method of a class returns.",
			`(.getReturnType (first (.getMethods clojure.lang.Keyword))) => java.lang.Class`, slot(2)},
		{"getParameterTypes", "", entry.Constant, "Returns an array of the classes of a method's parameters: an empty one.",
			`(count (.getParameterTypes (first (.getMethods clojure.lang.Keyword)))) => 0`,
			func(t *value.Task, _ []value.Value) value.Value { return t.Array(value.ElemObject, value.Blocks{}) }},
		{"getParameterCount", "", entry.Constant, "Returns the number of a method's parameters: 0.",
			`(.getParameterCount (first (.getMethods clojure.lang.Keyword))) => 0`,
			func(_ *value.Task, _ []value.Value) value.Value { return value.Int(0) }},
	}}}
}
