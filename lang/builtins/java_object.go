// This file defines the methods that all of Java's objects have, and those of classes, names,
// instants and exceptions.

package builtins

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins/internal/java"
	"github.com/ptc-lang/ptc/lang/builtins/internal/numbers"
	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/value"
)

// javaEntries are the entries for classes of Java that have no package of their own below this one.
func javaEntries() [][]entry.Entry {
	return [][]entry.Entry{clojureStatics(), compilerEntries(), varMethods(), objectMethods(), exceptionMethods(),
		otherStatics(), constructors(), objects}
}

// objectMethods are the methods of all objects, and of classes and names.
func objectMethods() []entry.Entry {
	return []entry.Entry{
		entry.Method("toString", "| radix", entry.NotNil, entry.Walks,
			"Returns the string of a value, as str does; of a bigint in a radix.",
			`(.toString 255N 16) => "ff"`, toText),
		entry.Method("equals", "other", entry.NotNil, entry.Walks,
			"Returns true if two values are equal and, if numbers, of the same class.",
			`(.equals 1 1.0) => false`, javaEquals),
		entry.Method("hashCode", "", entry.NotNil, entry.Walks, "Returns Java's hash of a value.",
			`(.hashCode "abc") => 96354`,
			func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(value.JavaHash(t, a[0])))
			}),
		entry.Method("getClass", "", entry.NotNil, entry.Constant, "Returns the class of a value.",
			`(.getClass "a") => java.lang.String`,
			func(t *value.Task, a []value.Value) value.Value { return jclass.ClassOf(t, a[0]) }),
		entry.Method("compareTo", "other", entry.NotNil, entry.Walks,
			"Compares two values. Returns a number below 0, 0 or above 0.",
			`(.compareTo 1 2) => -1`, func(t *value.Task, a []value.Value) value.Value {
				if a[1].IsNil() {
					t.Fail(diag.NilValue, ".compareTo: can't compare with nil")
				}
				return value.Int(int64(value.Compare(t, a[0], a[1])))
			}),
		entry.Method("getName", "", value.Kinds(value.KindType, value.KindKeyword, value.KindSymbol,
			value.KindNamespace, value.KindFuture),
			entry.Constant,
			"Returns the name of a class, keyword, symbol or thread.", `(.getName String) => "java.lang.String"`,
			func(t *value.Task, a []value.Value) value.Value {
				if a[0].Kind() == value.KindFuture {
					return threadName(t, a[0])
				}
				return getName(t, a)
			}),
		entry.Method("getSimpleName", "", value.Kinds(value.KindType), entry.Constant,
			"Returns the name of a class without its package.",
			`(.getSimpleName String) => "String"`, func(t *value.Task, a []value.Value) value.Value {
				return t.CopyString(simpleClassName(a[0].AsType().Name))
			}),
		entry.Method("getNamespace", "", value.Kinds(value.KindKeyword, value.KindSymbol), entry.Constant,
			"Returns the namespace of a keyword or symbol.", `(.getNamespace :a/b) => "a"`, strs.NamespaceOf),
		entry.Method("isInstance", "x", value.Kinds(value.KindType), entry.Constant, "Returns true if a value is of a class.",
			`(.isInstance String "a") => true`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Bool(jclass.IsA(a[1], a[0].AsType()))
			}),
		entry.Method("isAssignableFrom", "other", value.Kinds(value.KindType), entry.Constant,
			"Returns true if a class is another one, or the other one extends it.",
			`(.isAssignableFrom Number Long) => true`, func(t *value.Task, a []value.Value) value.Value {
				if a[1].Kind() != value.KindType {
					t.Fail(diag.NilValue, "isAssignableFrom: got %s, want a class", value.Describe(t, a[1]))
				}
				return value.Bool(a[0] == a[1] || typeExtends(a[1].AsType(), a[0].AsType()))
			}),
		entry.Method("isArray", "", value.Kinds(value.KindType), entry.Constant, "Returns true for the class of an array.",
			`(.isArray String) => false`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Bool(strings.HasPrefix(a[0].AsType().Name, "["))
			}),
		entry.Method("before", "other", value.Kinds(value.KindInst), entry.Constant,
			"Returns true if an instant is before another.",
			`(.before #inst "2024" #inst "2025") => true`, instOrder(-1)),
		entry.Method("after", "other", value.Kinds(value.KindInst), entry.Constant,
			"Returns true if an instant is after another.",
			`(.after #inst "2024" #inst "2025") => false`, instOrder(1)),
		entry.Method("toInstant", "", value.Kinds(value.KindInst), entry.Constant, "Returns the Instant of a Date, or of a "+
			"date and time of java.time.", `(str (.toInstant #inst "2024")) => "2024-01-01T00:00:00Z"`,
			func(t *value.Task, a []value.Value) value.Value { return java.InstantOf(t, a[0]) }),
		entry.Method("getTime", "", value.Kinds(value.KindInst), entry.Constant, "Returns the milliseconds since 1970.",
			`(.getTime #inst "1970-01-01T00:00:01Z") => 1000`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Int(a[0].AsInst().Millis)
			}),
	}
}

func toText(t *value.Task, a []value.Value) value.Value {
	if len(a) == 1 {
		return strs.Str(t, a)
	}
	if !a[0].Is(numbers.OnBigInt) {
		entry.NoMethod(t, "toString", a[0], 1)
	}
	n := a[0].AsBigInt().N
	numbers.WorkProduct(t, n, 8)
	t.Charge(num.AddBytes(n, n) + 2*int64(n.BitLen()))
	return t.String(n.Text(numbers.RadixOf(t, a)))
}

// instOrder makes the method that reports whether one instant compares to another by a sign.
func instOrder(sign int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		return value.Bool(value.Compare(t, a[0], a[1])*sign > 0)
	}
}

func javaEquals(t *value.Task, a []value.Value) value.Value {
	return value.Bool(value.JavaEqual(t, a[0], a[1]))
}

func getName(t *value.Task, a []value.Value) value.Value {
	switch a[0].Kind() {
	case value.KindType:
		return t.CopyString(a[0].AsType().Name)
	case value.KindNamespace:
		return nsName(t, a)
	}
	return strs.NameOf(t, a)
}

// simpleClassName returns the name of a class without its package and the class around it. The class of a function is
// in no other.
func simpleClassName(name string) string {
	if jclass.SupersOf(name) == jclass.Function {
		return name[strings.LastIndexByte(name, '.')+1:]
	}
	return jclass.SimpleName(name)
}

// exceptionMethods are the methods of exceptions.
func exceptionMethods() []entry.Entry {
	return []entry.Entry{
		entry.Method("getMessage", "", onException, entry.Constant, "Returns the message of an exception.",
			`(.getMessage (Exception. "m")) => "m"`, exMessage),
		entry.Method("getLocalizedMessage", "", onException, entry.Constant, "Returns the message of an exception.",
			`(.getLocalizedMessage (Exception. "m")) => "m"`, exMessage),
		entry.Method("getCause", "", onException, entry.Constant, "Returns the cause of an exception.",
			`(.getCause (Exception. "m")) => nil`, exCause),
		entry.Method("getData", "", onException, entry.Constant, "Returns the data of an exception.",
			`(.getData (ex-info "m" {:a 1})) => {:a 1}`, exData),
		entry.Method("getStackTrace", "", onException|onFuture, entry.Constant,
			"Returns an empty array, or that of a stack which is always the same for a thread: programs cannot see the "+
				"machine's stack.", `(alength (.getStackTrace (Exception. "m"))) => 0`,
			func(t *value.Task, a []value.Value) value.Value {
				if a[0].Kind() == value.KindFuture && !value.IsSort(a[0], value.SortThread) {
					entry.NoMethod(t, "getStackTrace", a[0], 0)
				}
				if a[0].Kind() == value.KindFuture {
					return coreFn("object-array")(t, []value.Value{java.ThreadTrace(t)})
				}
				return t.Array(value.ElemObject, value.Blocks{})
			}),
		entry.Method("setStackTrace", "trace", onException, entry.Constant,
			"Returns nil. It has no effect: programs cannot see the machine's stack.",
			`(.setStackTrace (Exception. "m") (into-array [])) => nil`,
			func(*value.Task, []value.Value) value.Value { return value.Nil }),
		entry.Method("getSuppressed", "", onException, entry.Constant, "Returns an empty vector: nothing is suppressed.",
			`(.getSuppressed (Exception. "m")) => []`, func(t *value.Task, _ []value.Value) value.Value { return t.Vector() }),
		entry.Method("printStackTrace", "", onException, entry.Walks, "Prints an exception.",
			`(with-out-str (.printStackTrace (Exception. "m"))) => "java.lang.Exception: m\n"`,
			func(t *value.Task, a []value.Value) value.Value {
				b := t.Buf()
				t.StrTo(b, a[0])
				b.WriteByte('\n')
				t.Host.Print(b.Leave())
				return value.Nil
			}),
	}
}

var onException = value.Kinds(value.KindException)
