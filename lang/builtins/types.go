// This file defines the functions on record types and protocols, and how a
// method of a protocol finds its implementation.

package builtins

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/jclass"
	"github.com/ptc-lang/ptc/lang/value"
)

// typeNatives are the functions on types and multimethods, and the functions that the expansions of their
// macros call.
func typeNatives() [][]entry.Entry {
	return [][]entry.Entry{protocolNatives, libraryNatives, multiNatives, assertNatives}
}

var protocolNatives = []entry.Entry{
	{NS: "clojure.core", Name: "%record-type", Args: "name:string fields:vector & impls", Private: true,
		Cost: entry.PerArg, Fn: recordType},
	{NS: "clojure.core", Name: "%basis", Args: "type", Private: true, Cost: entry.PerElement, Fn: typeBasis,
		Doc: "Returns the fields of a type, as its static method getBasis."},
	{NS: "clojure.core", Name: "%record", Args: "type & vals", Private: true, Cost: entry.PerArg, Fn: makeRecord},
	{NS: "clojure.core", Name: "%map->record", Args: "type m", Private: true, Cost: entry.PerElement, Fn: mapToRecord},
	{NS: "clojure.core", Name: "%object", Args: "type & vals", Private: true, Cost: entry.PerArg, Fn: makeObject},
	{NS: "clojure.core", Name: "%set-field", Args: "object key:keyword x", Private: true, Cost: entry.Constant,
		Fn: setField},
	{NS: "clojure.core", Name: "%invoke-method", Args: "key:keyword object & args", Private: true, Cost: entry.Runs,
		Intrinsic: entry.IntrinsicMethod, Fn: invokeMethod},
	{NS: "clojure.core", Name: "%purity?", Args: "f least:int", Private: true, Cost: entry.Constant, Fn: hasPurity,
		Doc: "Returns true if f is a function of the program that is at least as pure as purity."},
	{NS: "clojure.core", Name: "%lack", Args: "code:string message:string hint:string", Private: true,
		Cost: entry.Constant, Purity: entry.Pure, Fn: lack,
		Doc: "Fails for a name that the language does not have."},
	{NS: "clojure.core", Name: "%has-method?", Args: "x key:keyword", Private: true, Cost: entry.Constant, Fn: hasMethod},
	{NS: "clojure.core", Name: "%own-reduce", Args: "x init", Private: true, Cost: entry.Constant, Fn: ownReduce,
		Doc: "Returns the method with which x reduces itself, with an initial value if init is true; nil if it has none."},
	{NS: "clojure.core", Name: "%own-kv-reduce", Args: "x", Private: true, Cost: entry.Constant, Fn: ownKVReduce,
		Doc: "Returns the method with which x reduces its keys and values; nil if it has none."},
	{NS: "clojure.core", Name: "%reify", Args: "& impls", Private: true, Cost: entry.PerArg, Fn: reify},
	{NS: "clojure.core", Name: "%protocol", Args: "name:string sigs via-meta", Private: true, Cost: entry.Constant,
		Fn: makeProtocol},
	{NS: "clojure.core", Name: "%protocol-fn", Args: "protocol method:keyword", Private: true, Cost: entry.Constant,
		Fn: makeProtocolFn},
	{NS: "clojure.core", Name: "extend", Args: "type & protocols-and-methods", Cost: entry.PerArg,
		Indent: entry.IndentBlock1, Facts: entry.DefinesNames, Fn: extend,
		Doc: "Implements protocols for a type by maps from method keyword to function.",
		Examples: []string{"(do (defprotocol P (f [x])) (extend Long P {:f inc}) (f 1)) => 2",
			"(extend Long 1 {}) !illegal-argument"}},
	{NS: "clojure.core", Name: "extends?", Args: "protocol type", Cost: entry.Constant, Fn: extendsP,
		Doc: "Returns true if a type implements a protocol, by extend or in its own definition.",
		Examples: []string{"(do (defprotocol P (f [x])) (extend-type Long P (f [x] x)) [(extends? P Long) (extends? P " +
			"String)]) => [true false]"}},
	{NS: "clojure.core", Name: "extenders", Args: "protocol", Cost: entry.PerElement, Fn: extenders,
		Doc:      "Returns the types that a protocol was extended to.",
		Examples: []string{"(do (defprotocol P (f [x])) (extend-type Long P (f [x] x)) (count (extenders P))) => 1"}},
	{NS: "clojure.core", Name: "satisfies?", Args: "protocol x", Facts: entry.TestsType,
		Cost: entry.Constant, Fn: satisfies,
		Doc: "Returns true if x implements a protocol.",
		Examples: []string{"(do (defprotocol P (f [x])) (extend-type Long P (f [x] x)) [(satisfies? P 1) (satisfies? P " +
			":a)]) => [true false]"}},
}

// implMap makes the map of implementations of protocols and their method maps,
// given alternately.
func implMap(t *value.Task, what string, impls []value.Value) value.Value {
	m := value.Nil
	for i := 0; i+1 < len(impls); i += 2 {
		p, methods := impls[i], impls[i+1]
		switch p.Kind() {
		case value.KindProtocol:
			checkMethods(t, what, p.AsProtocol(), methods, impls)
		case value.KindType:
		default:
			t.Fail(diag.IllegalArgument, "%s: %s is not a protocol", what, value.Describe(t, p))
		}
		m = t.MapAssoc(m, p, methods)
	}
	return m
}

// checkMethods refuses methods that the protocol does not have, and no other one of the definition. As in Clojure, a
// method may stand after the name of another interface than its own, such as toString.
func checkMethods(t *value.Task, what string, p *value.Protocol, methods value.Value, impls []value.Value) {
	for it := value.NewMapIter(methods); it.Next(); {
		if _, ok := t.MapGet(p.Sigs, it.Key); !ok && !declaredElsewhere(t, it.Key, impls) {
			t.Fail(diag.IllegalArgument, "%s: protocol %s has no method %s", what, p.Name, it.Key.AsKeyword().Name)
		}
	}
}

// declaredElsewhere reports whether a method is one of Object, of another protocol of a definition or, as far as is
// known, of one of its interfaces.
func declaredElsewhere(t *value.Task, method value.Value, impls []value.Value) bool {
	switch method.AsKeyword().Name {
	case "toString", "equals", "hashCode":
		return true
	}
	for i := 0; i+1 < len(impls); i += 2 {
		switch p := impls[i]; p.Kind() {
		case value.KindProtocol:
			if _, ok := t.MapGet(p.AsProtocol().Sigs, method); ok {
				return true
			}
		case value.KindType:
			if name := p.AsType().Name; name != jclass.ObjectClass && name != jclass.TypeSupers {
				return true
			}
		}
	}
	return false
}

func recordType(t *value.Task, args []value.Value) value.Value {
	impls := implMap(t, "defrecord", args[2:])
	return t.RecordType(args[0].AsString().S, t.ToVals(args[1]), impls)
}

func makeRecord(t *value.Task, args []value.Value) value.Value {
	vals := t.Vals(len(args) - 1)
	copy(vals, args[1:])
	return t.Record(args[0].AsType(), vals, value.Nil)
}

// mapToRecord makes a record of a map, or of a value that conj adds to a map. Entries that are not
// fields stay in the record.
func mapToRecord(t *value.Task, args []value.Value) value.Value {
	typ, m := args[0].AsType(), args[1]
	if !m.Is(value.Maps) {
		m = value.EmptyMap
		t.Each(args[1], func(x value.Value) bool {
			m = t.Conj(m, x)
			return true
		})
	}
	vals := t.Vals(len(typ.Fields))
	ext := value.Nil
	for it := value.NewMapIter(m); it.Next(); {
		t.Work(1)
		if i := fieldIndex(t, typ, it.Key); i >= 0 {
			vals[i] = it.Val
		} else {
			ext = t.MapAssoc(ext, it.Key, it.Val)
		}
	}
	return t.Record(typ, vals, ext)
}

// fieldIndex returns the index of the field that a key names, -1 if there is none.
func fieldIndex(t *value.Task, typ *value.RecordType, key value.Value) int {
	for i, f := range typ.Fields {
		if value.Equal(t, f, key) {
			return i
		}
	}
	return -1
}

// reify makes an object without fields, of a new type that holds the methods.
func reify(t *value.Task, args []value.Value) value.Value {
	typ := t.RecordType("user.reify", nil, implMap(t, "reify", args))
	return t.Object(typ.AsType(), nil)
}

func makeObject(t *value.Task, args []value.Value) value.Value {
	vals := t.Vals(len(args) - 1)
	copy(vals, args[1:])
	return t.Object(args[0].AsType(), vals)
}

// setField changes a mutable field of an object.
// typeBasis returns the vector of the names of a type's fields.
func typeBasis(t *value.Task, a []value.Value) value.Value {
	if a[0].Kind() != value.KindType {
		t.Fail(diag.WrongType, "getBasis: got %s, want a type", value.Describe(t, a[0]))
	}
	fields := a[0].AsType().Fields
	return t.VectorOf(len(fields), func(block []value.Value, from int) {
		for i := range block {
			block[i] = t.Symbol("", fields[from+i].AsKeyword().Name)
		}
	})
}

func setField(t *value.Task, args []value.Value) value.Value {
	if args[0].Kind() != value.KindObject {
		t.Fail(diag.IllegalArgument, "No matching field found: %s for class %s", args[1].AsKeyword().Name,
			value.ClassName(args[0]))
	}
	o := args[0].AsObject()
	i := fieldIndex(t, o.Type, args[1])
	if i < 0 {
		t.Fail(diag.IllegalArgument, "No matching field found: %s for class %s", args[1].AsKeyword().Name, o.Type.Name)
	}
	t.Owns(args[0], "object")
	o.Vals[i] = args[2]
	return args[2]
}

// callables are the values that the methods of functional interfaces call.
var callables = value.Callables

// InterfaceMethod reports whether a name is one of a method of the functional
// interfaces, which every function has, and which a type may implement.
func InterfaceMethod(name string) bool {
	switch name {
	case "invoke", "compare", "call", "run", "apply", "accept", "test":
		return true
	}
	return false
}

// invokeMethod calls a method in the definition of an object's type, or returns its
// field of that name.
func invokeMethod(t *value.Task, args []value.Value) value.Value {
	key, object, rest := args[0], args[1], args[2:]
	name := key.AsKeyword().Name
	switch f := t.Method(object, key); {
	case !f.IsNil():
		return t.Host.Call(f, args[1:]...)
	case object.Is(callables) && InterfaceMethod(name):
		return t.Host.Call(object, rest...)
	case value.IsSort(object, value.SortThread) && name == "run" && len(rest) == 0:
		return t.Host.Futures().Library("%run-thread", object)
	case len(rest) == 0:
		return fieldNamed(t, []value.Value{object, key})
	}
	entry.NoMethod(t, name, object, len(rest))
	return value.Nil
}

func lack(t *value.Task, args []value.Value) value.Value {
	t.FailHint(diag.Code(args[0].AsString().S), args[2].AsString().S, "%s", args[1].AsString().S)
	return value.Nil
}

// hasMethod reports whether an object's type implements a method of an interface.
func hasMethod(t *value.Task, args []value.Value) value.Value {
	return value.Bool(!t.InterfaceMethod(args[0], args[1]).IsNil())
}

// viaMetaKey marks, among the signatures of a protocol, that objects may carry
// its methods in their metadata.
var viaMetaKey = value.ConstKeyword("%extend-via-metadata")

func makeProtocol(t *value.Task, args []value.Value) value.Value {
	sigs := args[1]
	if args[2].Truthy() {
		sigs = t.MapAssoc(sigs, viaMetaKey, value.True)
	}
	return t.Protocol(args[0].AsString().S, sigs)
}

func makeProtocolFn(t *value.Task, args []value.Value) value.Value {
	return t.ProtocolFn(wantProtocol(t, "defprotocol", args[0]), args[1])
}

func wantProtocol(t *value.Task, who string, v value.Value) *value.Protocol {
	if v.Kind() != value.KindProtocol {
		t.Fail(diag.IllegalArgument, "%s: %s is not a protocol", who, value.Describe(t, v))
	}
	return v.AsProtocol()
}

// extend sets the methods of a type; they replace all methods of an earlier extension of the same protocol,
// as in Clojure. A protocol as the type means its interface, which types have that implement it in their
// definition.
func extend(t *value.Task, args []value.Value) value.Value {
	typ := args[0]
	if !typ.IsNil() && typ.Kind() != value.KindType && typ.Kind() != value.KindProtocol {
		t.Fail(diag.IllegalArgument, "extend: got %s for a type, want a class, a record type or nil", value.Describe(t, typ))
	}
	if len(args)%2 != 1 {
		t.Fail(diag.IllegalArgument, "extend: got %s after the type, want protocols and maps of methods in pairs",
			diag.Counted(len(args)-1, "argument"))
	}
	impls := make([]value.Value, 0, len(args)/2)
	for i := 1; i < len(args); i += 2 {
		p := extensible(t, wantProtocol(t, "extend", args[i]))
		if !args[i+1].Is(value.Maps) {
			t.Fail(diag.IllegalArgument, "extend: got %s, want a map from method keyword to function",
				value.Describe(t, args[i+1]))
		}
		if typ.Kind() == value.KindType && inlineMethods(t, typ.AsType(), args[i]).Kind() != value.KindNil {
			t.Fail(diag.IllegalArgument, "class %s already directly implements interface %s for protocol:#'%s",
				typ.AsType().Name,
				strings.ReplaceAll(p.Name, "/", "."), p.Name)
		}
		impls = append(impls, t.MapAssoc(p.Impls, typ, args[i+1]))
	}
	for i, m := range impls {
		ownProtocol(t, args[1+2*i].AsProtocol()).Impls = m
	}
	return value.Nil
}

// inlineMethods returns the methods of a protocol in the definition of a type, nil
// if it does not implement it there.
func inlineMethods(t *value.Task, typ *value.RecordType, protocol value.Value) value.Value {
	m, ok := t.MapGet(typ.Impls, protocol)
	if !ok && protocol.Kind() == value.KindProtocol {
		return implementsLibrary(t, typ, protocol.AsProtocol())
	}
	return m
}

func extendsP(t *value.Task, args []value.Value) value.Value {
	p := wantProtocol(t, "extends?", args[0])
	if _, ok := t.MapGet(p.Impls, args[1]); ok {
		return value.True
	}
	if own := ownProtocol(t, p); own != nil {
		if _, ok := t.MapGet(own.Impls, args[1]); ok {
			return value.True
		}
	}
	return value.Bool(args[1].Kind() == value.KindType && !inlineMethods(t, args[1].AsType(), args[0]).IsNil())
}

func extenders(t *value.Task, args []value.Value) value.Value {
	p := wantProtocol(t, "extenders", args[0])
	if own := ownProtocol(t, p); own != nil {
		p = own
	}
	return t.MapSeqOf(p.Impls, value.SeqKeys, false)
}

func satisfies(t *value.Task, args []value.Value) value.Value {
	p := wantProtocol(t, "satisfies?", args[0])
	if typ := value.TypeOf(args[1]); typ != nil && !inlineMethods(t, typ, args[0]).IsNil() {
		return value.True
	}
	return value.Bool(!extension(t, p, args[1]).IsNil() || p.Library() && !extensionIn(t, p.Impls, args[1]).IsNil())
}

// ProtocolImpl returns the function that implements a method for its first argument.
func ProtocolImpl(t *value.Task, f *value.ProtocolFn, args []value.Value) value.Value {
	p := f.Protocol
	name := f.Method.AsKeyword().Name
	if len(args) == 0 {
		t.Fail(diag.IllegalArgument, "%s: got no arguments, want the object to call it on first", name)
	}
	x := args[0]
	if impl, ok := implementation(t, p, f.Method, x); ok {
		return impl
	}
	t.FailHint(diag.IllegalArgument, "extend the protocol to it: (extend-protocol "+simpleSymbol(p.Name)+" Type "+
		"("+name+" [x] …))",
		"No implementation of method: :%s of protocol: #'%s found for class: %s", name, p.Name, value.ClassName(x))
	return value.Nil
}

// implementation returns the function that implements a method for x: from the definition of a record, else from
// metadata if the protocol allows that, else from the extensions.
func implementation(t *value.Task, p *value.Protocol, method, x value.Value) (impl value.Value, ok bool) {
	if typ := value.TypeOf(x); typ != nil {
		if methods := inlineMethods(t, typ, value.Of(&p.Header)); !methods.IsNil() {
			if impl, ok := t.MapGet(methods, method); ok {
				return impl, true
			}
			if impl := t.Method(x, method); !impl.IsNil() { // which stands after another interface
				return impl, true
			}
		}
	}
	if impl := metaImpl(t, p, method.AsKeyword().Name, x); !impl.IsNil() {
		return impl, true
	}
	if methods := extension(t, p, x); !methods.IsNil() {
		return t.MapGet(methods, method)
	}
	return value.Nil, false
}

func simpleSymbol(qualified string) string {
	_, name := value.SplitName(qualified)
	return name
}

// metaImpl looks for a method in the metadata of x, under its qualified symbol.
func metaImpl(t *value.Task, p *value.Protocol, name string, x value.Value) value.Value {
	meta := value.MetaOf(x)
	if meta.IsNil() {
		return value.Nil
	}
	if _, ok := t.MapGet(p.Sigs, viaMetaKey); !ok {
		return value.Nil
	}
	ns, _ := value.SplitName(p.Name)
	impl, _ := t.MapGet(meta, t.Symbol(ns, name))
	return impl
}

// extension returns the methods by which a protocol was extended to the type of x,
// or to the nearest of its ancestors; nil if there are none.
func extension(t *value.Task, p *value.Protocol, x value.Value) value.Value {
	if p = ownProtocol(t, p); p == nil {
		return value.Nil
	}
	return extensionIn(t, p.Impls, x)
}

// extensionIn looks for the methods of an extension among those of a protocol.
func extensionIn(t *value.Task, impls, x value.Value) value.Value {
	if x.IsNil() {
		m, _ := t.MapGet(impls, value.Nil)
		return m
	}
	if m, ok := t.MapGet(impls, typeOf(t, x)); ok {
		return m
	}
	best, methods := "", value.Nil
	for it := value.NewMapIter(impls); it.Next(); {
		t.Work(1)
		class, of := interfaceOf(t, it.Key, x)
		if of && (best == "" || nearer(class, best)) {
			best, methods = class, it.Val
		}
	}
	return methods
}

// interfaceOf returns the name of a class, or of the interface of a protocol or of a definterface, and reports whether
// x, which is not nil, is of it.
func interfaceOf(t *value.Task, of, x value.Value) (name string, ok bool) {
	switch typ := value.TypeOf(x); {
	case of.IsNil():
		return "", false
	case of.Kind() == value.KindType && of.AsType().Class:
		return of.AsType().Name, jclass.InstanceOf(x, of.AsType().Name)
	case typ == nil:
		return "", false
	case of.Kind() == value.KindProtocol:
		return of.AsProtocol().Name, !inlineMethods(t, typ, of).IsNil()
	default:
		return of.AsType().Name, !inlineMethods(t, typ, of).IsNil()
	}
}

// nearer reports whether, for a value of both classes, class is nearer than other: because it
// extends other, or because it is a class and other is an interface.
func nearer(class, other string) bool {
	switch {
	case other == jclass.ObjectClass:
		return true
	case class == jclass.ObjectClass || jclass.Extends(other, class):
		return false
	case jclass.Extends(class, other):
		return true
	}
	return isClassName(class) && !isClassName(other)
}

// isClassName reports whether a name among those that other classes extend belongs
// to a class, not to an interface.
func isClassName(name string) bool {
	simple := jclass.SimpleName(name)
	return name == "java.lang.Number" || strings.HasPrefix(name, "clojure.lang.A") && simple != "Associative" ||
		simple == "Obj" || simple == "RestFn" || diag.ParentClass(name) != ""
}

// typeOf returns the type of a value that is not nil: the record type, or the class.
func typeOf(t *value.Task, x value.Value) value.Value {
	if typ := value.TypeOf(x); typ != nil {
		return value.Of(&typ.Header)
	}
	return classOfValue(t, x)
}

func hasPurity(_ *value.Task, a []value.Value) value.Value {
	return value.Bool(a[0].Kind() == value.KindFn && int64(a[0].AsFn().Code.Purity) >= a[1].AsInt())
}
