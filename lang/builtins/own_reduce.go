// This file defines how objects reduce themselves: by methods in the definition of their type, or by an extension of a
// protocol of clojure.core.protocols.

package builtins

import "github.com/ptc-lang/ptc/lang/value"

var (
	keyReduce     = value.ConstKeyword("reduce")
	keyCollReduce = value.ConstKeyword("coll-reduce")

	keyKVReduce       = value.ConstKeyword("kvreduce")
	keyKVReduceMethod = value.ConstKeyword("kv-reduce")
)

// ownReduce returns a method of a type that implements IReduceInit, IReduce or CollReduce. IReduceInit has none
// without an initial value.
func ownReduce(t *value.Task, args []value.Value) value.Value {
	typ := value.TypeOf(args[0])
	if typ == nil || typ.Impls.IsNil() {
		return extendedReduce(t, args[0])
	}
	reduces, init, protocol := false, false, false
	for it := value.NewMapIter(typ.Impls); it.Next(); {
		t.Work(1)
		if it.Key.Kind() != value.KindType {
			protocol = protocol || it.Key.AsProtocol().Name == "clojure.core.protocols/CollReduce"
			continue
		}
		switch it.Key.AsType().Name {
		case "clojure.lang.IReduceInit":
			init = true
		case "clojure.lang.IReduce":
			reduces = true
		case "clojure.core.protocols.CollReduce":
			protocol = true
		}
	}
	switch {
	case reduces || init && args[1].Truthy():
		return t.Method(args[0], keyReduce)
	case protocol:
		return t.Method(args[0], keyCollReduce)
	}
	return extendedReduce(t, args[0])
}

// extendedReduce returns the method to which the program has extended CollReduce for x, nil if there is none.
func extendedReduce(t *value.Task, x value.Value) value.Value {
	return extended(t, "CollReduce", x, keyCollReduce)
}

// ownKVReduce returns a method of a type of the program that implements IKVReduce, or the program's extension of the
// protocol, which maps and vectors do not need.
func ownKVReduce(t *value.Task, args []value.Value) value.Value {
	for _, key := range []value.Value{keyKVReduce, keyKVReduceMethod} {
		if f := t.InterfaceMethod(args[0], key); !f.IsNil() {
			return f
		}
	}
	if value.TypeOf(args[0]) == nil && args[0].Is(value.Maps|value.Vectors) {
		return value.Nil
	}
	return extended(t, "IKVReduce", args[0], keyKVReduceMethod)
}

// extended returns the method of a protocol of clojure.core.protocols that the program has given for x.
func extended(t *value.Task, protocol string, x, method value.Value) value.Value {
	f, _ := implementation(t, libraryProtocols()["clojure.core.protocols"][protocol].AsProtocol(), method, x)
	return f
}
