// This file defines how entries of methods and static methods of Java are made.

package entry

import (
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// BuilderText returns the string of a string builder.
func BuilderText(t *value.Task, v value.Value) value.Value {
	if parts := v.AsBox().Vals[1:]; len(parts) == 1 {
		return parts[0]
	}
	return t.Str(v)
}

// Method makes the entry of a method of values of some kinds.
func Method(name, args string, on value.KindSet, cost Cost, doc, example string, fn value.NativeFunc) Entry {
	var arities []string
	for _, arity := range strings.Split(args, "|") {
		arities = append(arities, "x "+strings.TrimSpace(arity))
	}
	key := value.ConstKeyword(name)
	return Entry{NS: ".", Name: name, Args: strings.Join(arities, " | "), Doc: doc, Cost: cost,
		Method: name != "hashCode" && name != "hasheq", // see asDeclared
		Examples: []string{example, "(." + name + " nil" +
			strings.Repeat(" 0", len(strings.Fields(strings.SplitN(args, "|", 2)[0]))) + ") !nil-value"},
		Fn: func(t *value.Task, a []value.Value) value.Value {
			if a[0].Kind() == value.KindJava {
				if method := a[0].AsJava().Class.Methods[name]; method != nil {
					return method(t, a)
				}
			}
			if on.Has(value.KindString) && !a[0].Is(on) && a[0].Kind() == value.KindBuilder {
				a = append([]value.Value{BuilderText(t, a[0])}, a[1:]...)
			}
			if a[0].Is(value.Typed) || !a[0].Is(on) {
				if f := t.Method(a[0], key); !f.IsNil() {
					return asDeclared(name, t.Host.Call(f, a...))
				}
			}
			if !a[0].Is(on) {
				if x, ok := OwnField(t, a[0], key); ok && len(a) == 1 {
					return x
				}
				NoMethod(t, name, a[0], len(a)-1)
			}
			return fn(t, a)
		}}
}

// asDeclared returns the result of a method of a program's type as the interface declares it: hashes are ints.
func asDeclared(name string, x value.Value) value.Value {
	if (name == "hashCode" || name == "hasheq") && x.IsInt() {
		return value.Int(int64(int32(x.AsInt())))
	}
	return x
}

// OwnField returns the field of a record or object that a keyword names.
func OwnField(t *value.Task, v, key value.Value) (x value.Value, ok bool) {
	switch v.Kind() {
	case value.KindRecord:
		return t.MapGet(v, key)
	case value.KindObject:
		return v.AsObject().Field(t, key)
	}
	return value.Nil, false
}

// changing are the methods that change collections of Java.
var changing = []string{"add", "addAll", "clear", "put", "putAll", "remove", "removeAll", "retainAll", "set"}

// NoMethod throws for a value that has no method or field of a name.
func NoMethod(t *value.Task, name string, x value.Value, args int) {
	const hint = "a task program has no Java; use the functions of the language"
	switch {
	case x.IsNil():
		t.Fail(diag.NilValue, ".%s: can't call a method of nil", name)
	case x.Is(value.Colls) && slices.Contains(changing, name):
		e := t.NewException(diag.NotSupported, "."+name+": the collections of the language do not change")
		e.Hint = "use conj, assoc, disj and dissoc, which return another collection"
		e.Class = "java.lang.UnsupportedOperationException"
		t.Throw(e)
	case args == 0:
		t.FailHint(diag.IllegalArgument, hint, "No matching field found: %s for class %s", name, value.ClassName(x))
	}
	t.FailHint(diag.IllegalArgument, hint, "No matching method %s found taking %d args for class %s", name, args,
		value.ClassName(x))
}

// NotNil are all kinds but that of nil.
var NotNil = value.AnyKind &^ value.Kinds(value.KindNil)

// StaticMethod makes the entry of a static method.
func StaticMethod(class, name, args string, cost Cost, doc, example string, fn value.NativeFunc) Entry {
	return Entry{NS: class, Name: name, Args: args, Doc: doc, Examples: []string{example}, Cost: cost, Fn: fn}
}

// PureStatic makes the entry of a static method that is pure.
func PureStatic(class, name, args string, cost Cost, doc, example string, fn value.NativeFunc) Entry {
	e := StaticMethod(class, name, args, cost, doc, example, fn)
	e.Purity = Pure
	return e
}
