// This file defines java.lang.StackTraceElement. Programs cannot see the machine's stack: they make elements, or get
// the ones of a stack that is always the same.

package java

import (
	"strconv"

	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/murmur"
	"github.com/ptc-lang/ptc/lang/value"
)

// StackTraceElement is a call: the slots are the class, the method, the file and the line.
var StackTraceElement = &value.JavaClass{Name: "java.lang.StackTraceElement", Data: true, Text: elementOfTraceText,
	Hash: func(_ *value.Task, v value.Value) int32 {
		slots := v.AsJava().Vals
		return 31*murmur.JavaStringHash(slots[0].AsString().S) + murmur.JavaStringHash(slots[1].AsString().S)
	}}

func elementOfTraceText(_ *value.Task, b *value.Buf, v value.Value) {
	slots := v.AsJava().Vals
	b.WriteString(slots[0].AsString().S + "." + slots[1].AsString().S + "(")
	switch file, line := slots[2], slots[3].AsInt(); {
	case line == -2:
		b.WriteString("Native Method")
	case file.IsNil():
		b.WriteString("Unknown Source")
	case line < 0:
		b.WriteString(file.AsString().S)
	default:
		b.WriteString(file.AsString().S + ":" + strconv.FormatInt(line, 10))
	}
	b.WriteString(")")
}

// ThreadTrace returns the stack of a thread, as in a function that the program calls.
func ThreadTrace(t *value.Task) value.Value {
	element := func(class, method, file string) value.Value {
		return t.JavaOf(StackTraceElement, t.CopyString(class), t.CopyString(method), t.CopyString(file), value.Int(1))
	}
	return t.Vector(element("java.lang.Thread", "getStackTrace", "Thread.java"),
		element("user$main", "invoke", "NO_SOURCE_FILE"), element("clojure.lang.AFn", "run", "AFn.java"))
}

func traceMethods() []methods {
	slot := func(i int) value.NativeFunc {
		return func(_ *value.Task, a []value.Value) value.Value { return a[0].AsJava().Vals[i] }
	}
	return []methods{{[]*value.JavaClass{StackTraceElement}, []method{
		{"getClassName", "", entry.Constant, "Returns the class of a call.",
			`(.getClassName (StackTraceElement. "a.B" "run" "B.java" 7)) => "a.B"`, slot(0)},
		{"getMethodName", "", entry.Constant, "Returns the method of a call.",
			`(.getMethodName (StackTraceElement. "a.B" "run" "B.java" 7)) => "run"`, slot(1)},
		{"getFileName", "", entry.Constant, "Returns the file of a call, or nil.",
			`(.getFileName (StackTraceElement. "a.B" "run" "B.java" 7)) => "B.java"`, slot(2)},
		{"getLineNumber", "", entry.Constant, "", "", slot(3)},
	}}}
}

func traceStatics() []entry.Entry {
	return []entry.Entry{entry.StaticMethod("new", "StackTraceElement",
		"class:string method:string file line:int", entry.Constant, "Returns an element of a stack trace.",
		`(str (StackTraceElement. "a.B" "run" "B.java" 7)) => "a.B.run(B.java:7)"`,
		func(t *value.Task, a []value.Value) value.Value { return t.JavaOf(StackTraceElement, a...) })}
}
