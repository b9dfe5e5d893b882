// This file defines the methods that all of Java's objects have, and those of classes, names,
// instants and exceptions.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/value"
)

// objectMethods are the methods of all objects, and of classes and names.
func objectMethods() []Entry {
	return []Entry{
		method("toString", "| radix", notNil, Walks, "Returns the string of a value, as str does; of a bigint in a radix.",
			`(.toString 255N 16) => "ff"`, toText),
		method("equals", "other", notNil, Walks, "Returns true if two values are equal and, if numbers, of the same class.",
			`(.equals 1 1.0) => false`, javaEquals),
		method("hashCode", "", notNil, Walks, "Returns Java's hash of a value.", `(.hashCode "abc") => 96354`,
			func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(value.JavaHash(t, a[0])))
			}),
		method("getClass", "", notNil, Constant, "Returns the class of a value.", `(.getClass "a") => java.lang.String`,
			func(t *value.Task, a []value.Value) value.Value { return ClassOf(t, a[0]) }),
		method("compareTo", "other", notNil, Walks, "Compares two values. Returns a number below 0, 0 or above 0.",
			`(.compareTo 1 2) => -1`, func(t *value.Task, a []value.Value) value.Value {
				if a[1].IsNil() {
					t.Fail(diag.NilValue, ".compareTo: can't compare with nil")
				}
				return value.Int(int64(value.Compare(t, a[0], a[1])))
			}),
		method("getName", "", value.Kinds(value.KindType, value.KindKeyword, value.KindSymbol, value.KindNamespace), Constant,
			"Returns the name of a class, keyword or symbol.", `(.getName String) => "java.lang.String"`, getName),
		method("getSimpleName", "", value.Kinds(value.KindType), Constant, "Returns the name of a class without its package.",
			`(.getSimpleName String) => "String"`, func(t *value.Task, a []value.Value) value.Value {
				return t.CopyString(simpleName(a[0].AsType().Name))
			}),
		method("getNamespace", "", value.Kinds(value.KindKeyword, value.KindSymbol), Constant,
			"Returns the namespace of a keyword or symbol.", `(.getNamespace :a/b) => "a"`, namespaceOf),
		method("sym", "", value.Kinds(value.KindKeyword), Constant, "Returns a keyword as a symbol.", `(.sym :a/b) => a/b`,
			symbol),
		method("isInstance", "x", value.Kinds(value.KindType), Constant, "Returns true if a value is of a class.",
			`(.isInstance String "a") => true`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Bool(IsA(a[1], a[0].AsType()))
			}),
		method("before", "other", value.Kinds(value.KindInst), Constant, "Returns true if an instant is before another.",
			`(.before #inst "2024" #inst "2025") => true`, instOrder(-1)),
		method("after", "other", value.Kinds(value.KindInst), Constant, "Returns true if an instant is after another.",
			`(.after #inst "2024" #inst "2025") => false`, instOrder(1)),
		method("getTime", "", value.Kinds(value.KindInst), Constant, "Returns the milliseconds since 1970.",
			`(.getTime #inst "1970-01-01T00:00:01Z") => 1000`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Int(a[0].AsInst().Millis)
			}),
	}
}

func toText(t *value.Task, a []value.Value) value.Value {
	if len(a) == 1 {
		return str(t, a)
	}
	if !a[0].Is(onBigInt) {
		noMethod(t, "toString", a[0], 1)
	}
	n := a[0].AsBigInt().N
	workProduct(t, n, 8)
	t.Charge(num.AddBytes(n, n) + 2*int64(n.BitLen()))
	return t.String(n.Text(radixOf(t, a)))
}

var notNil = value.AnyKind &^ value.Kinds(value.KindNil)

// instOrder makes the method that reports whether one instant compares to another by a sign.
func instOrder(sign int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		return value.Bool(value.Compare(t, a[0], a[1])*sign > 0)
	}
}

// ClassOf returns the class or record type of a value that is not nil.
func ClassOf(_ *value.Task, v value.Value) value.Value {
	if typ := value.TypeOf(v); typ != nil {
		return value.Of(&typ.Header)
	}
	if class, ok := Class(value.ClassName(v)); ok {
		return class
	}
	switch v.Kind() {
	case value.KindFn, value.KindNative, value.KindProtocolFn:
		class, _ := Class("clojure.lang.AFunction")
		return class
	}
	class, _ := Class("java.lang.Object")
	return class
}

// IsA reports whether v is of a class or record type.
func IsA(v value.Value, typ *value.RecordType) bool {
	if !typ.Class {
		return value.TypeOf(v) == typ
	}
	return InstanceOf(v, typ.Name)
}

func javaEquals(t *value.Task, a []value.Value) value.Value {
	return value.Bool(value.JavaEqual(t, a[0], a[1]))
}

func getName(t *value.Task, a []value.Value) value.Value {
	switch a[0].Kind() {
	case value.KindType:
		return t.CopyString(a[0].AsType().Name)
	case value.KindNamespace:
		return t.CopyString(a[0].AsNamespace().Name)
	}
	return nameOf(t, a)
}

// exceptionMethods are the methods of exceptions.
func exceptionMethods() []Entry {
	return []Entry{
		method("getMessage", "", onException, Constant, "Returns the message of an exception.",
			`(.getMessage (Exception. "m")) => "m"`, exMessage),
		method("getLocalizedMessage", "", onException, Constant, "Returns the message of an exception.",
			`(.getLocalizedMessage (Exception. "m")) => "m"`, exMessage),
		method("getCause", "", onException, Constant, "Returns the cause of an exception.",
			`(.getCause (Exception. "m")) => nil`, exCause),
		method("getData", "", onException, Constant, "Returns the data of an exception.",
			`(.getData (ex-info "m" {:a 1})) => {:a 1}`, exData),
		method("getStackTrace", "", onException, Constant,
			"Returns an empty vector: programs cannot see the machine's stack.", `(.getStackTrace (Exception. "m")) => []`,
			func(t *value.Task, _ []value.Value) value.Value { return t.Vector() }),
		method("getSuppressed", "", onException, Constant, "Returns an empty vector: nothing is suppressed.",
			`(.getSuppressed (Exception. "m")) => []`, func(t *value.Task, _ []value.Value) value.Value { return t.Vector() }),
		method("printStackTrace", "", onException, Walks, "Prints an exception.",
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
