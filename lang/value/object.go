// This file defines the objects of deftype and reify: they have identity and methods, and those of
// deftype also have fields.

package value

import "github.com/ptc-lang/ptc/lang/diag"

// Object is an instance of a type made by deftype, or the result of reify. It is equal to itself
// only, unless its type defines equality. Only its own methods change its fields.
type Object struct {
	Header
	Type *RecordType
	Vals []Value
	Meta *Header
}

var sizeObject = objectSize[Object]()

// Object makes an object from the values of its fields, a block from Vals.
func (t *Task) Object(typ *RecordType, vals []Value) Value {
	t.Charge(sizeObject)
	return t.newIdentity(&(&Object{Header: t.header(KindObject), Type: typ, Vals: vals}).Header)
}

// AsObject returns v as an object.
func (v Value) AsObject() *Object {
	if v.Kind() != KindObject {
		badKind()
	}
	return as[Object](v)
}

// TypeOf returns the type of a record or object, or nil for other values.
func TypeOf(v Value) *RecordType {
	switch v.Kind() {
	case KindRecord:
		return v.AsRecord().Type
	case KindObject:
		return v.AsObject().Type
	}
	return nil
}

// Field returns a field of an object by its keyword.
func (o *Object) Field(t *Task, key Value) (x Value, ok bool) {
	for i, f := range o.Type.Fields {
		if keyEq(t, f, key) {
			return o.Vals[i], true
		}
	}
	return Nil, false
}

// Method returns a method in the definition of v's type, of any protocol or interface, or nil if
// there is none.
func (t *Task) Method(v, name Value) Value {
	typ := TypeOf(v)
	if typ == nil || typ.methods.IsNil() {
		return Nil
	}
	f, _ := t.MapGet(typ.methods, name)
	return f
}

// The methods with which types implement operations of the language.
var (
	methodToString  = ConstKeyword("toString")
	methodSeq       = ConstKeyword("seq")
	methodCount     = ConstKeyword("count")
	methodValAt     = ConstKeyword("valAt")
	methodNth       = ConstKeyword("nth")
	methodEquals    = ConstKeyword("equals")
	methodEquiv     = ConstKeyword("equiv")
	methodHash      = ConstKeyword("hashCode")
	methodHashEq    = ConstKeyword("hasheq")
	methodCompareTo = ConstKeyword("compareTo")
	// MethodDeref and the other exported methods are the ones that the machine calls.
	MethodDeref   = ConstKeyword("deref")
	MethodInvoke  = ConstKeyword("invoke")
	MethodCompare = ConstKeyword("compare")
	MethodCall    = ConstKeyword("call")
	MethodRun     = ConstKeyword("run")
)

// FunctionalMethods are the methods of the interfaces of java.util.function: a call of an object that implements one
// calls its method.
var FunctionalMethods = []Value{ConstKeyword("apply"), ConstKeyword("accept"), ConstKeyword("test"),
	ConstKeyword("get"),
	ConstKeyword("applyAsInt"), ConstKeyword("applyAsLong"), ConstKeyword("applyAsDouble"), ConstKeyword("getAsInt"),
	ConstKeyword("getAsLong"), ConstKeyword("getAsDouble"), ConstKeyword("getAsBoolean")}

// objectSeq returns the sequence of an object whose type implements Seqable, which may be an object that SeqView
// returns. If the type implements IReduceInit or Iterable instead, the sequence holds the elements that it reduces or
// iterates over.
func (t *Task) objectSeq(v Value) Value {
	f := t.Method(v, methodSeq)
	if f.IsNil() {
		all, ok := t.own(v, methodReduce, collectFn, EmptyVector)
		if !ok {
			all, ok = t.own(v, methodCollReduce, collectFn, EmptyVector)
		}
		if !ok {
			all, ok = t.own(v, methodIterator)
		}
		if ok {
			return t.ownSeq(v, all)
		}
		if s, ok := t.Chars(v); ok {
			return t.Seq(s)
		}
		if t.isSeq(v) {
			return v // of a proxy of ASeq, whose method seq returns the object
		}
		t.FailSeq(v)
	}
	return t.ownSeq(v, t.Host.Call(f, v))
}

// objectCount returns the count of an object by its method, or the number of elements of its sequence if its type
// implements a collection that is not Counted.
func (t *Task) objectCount(v Value) int {
	if t.declares(v, uncountedInterfaces...) && !t.declares(v, countedInterfaces...) {
		return t.countSeq(t.Seq(v))
	}
	f := t.Method(v, methodCount)
	if f.IsNil() {
		if s, ok := t.Chars(v); ok {
			return t.Count(s)
		}
		t.FailHint(diag.NotSupported, "got "+Describe(t, v)+", want a collection or string",
			"count not supported on this type: %s", simpleName(v))
	}
	return int(ToLong(t, t.Host.Call(f, v)))
}

// sequentialInterfaces are those of objects whose elements nth finds by walking.
var sequentialInterfaces = []string{"clojure.lang.Sequential", "clojure.lang.IndexedSeq", "clojure.lang.IChunkedSeq",
	"clojure.lang.IPersistentList"}

// The interfaces of collections, without and with a method that counts the elements.
var (
	uncountedInterfaces = []string{"clojure.lang.ISeq", "clojure.lang.IPersistentCollection", "clojure.lang.Associative",
		"clojure.lang.IPersistentStack", "clojure.lang.IPersistentList"}
	countedInterfaces = []string{"clojure.lang.Counted", "clojure.lang.Indexed", "clojure.lang.IndexedSeq",
		"clojure.lang.IPersistentMap", "clojure.lang.IPersistentVector", "clojure.lang.IPersistentSet"}
)

// objectGet returns the value of a key in an object whose type implements ILookup.
func (t *Task) objectGet(v, k, notFound Value) Value {
	f := t.Method(v, methodValAt)
	switch {
	case f.IsNil():
		if x, ok := t.own(v, methodGet, k); ok && !x.IsNil() {
			return x
		}
		return notFound
	case notFound.IsNil():
		return t.Host.Call(f, v, k)
	}
	return t.Host.Call(f, v, k, notFound)
}

// GetOr is Get of a call that passes notFound, which may be nil: an object is asked by its method with that parameter.
func (t *Task) GetOr(coll, k, notFound Value) Value {
	if notFound.IsNil() && coll.Kind() == KindObject {
		if f := t.Method(coll, methodValAt); !f.IsNil() {
			return t.Host.Call(f, coll, k, notFound)
		}
	}
	return t.Get(coll, k, notFound)
}

// objectEqual reports whether a, an object, is equal to b by a's own method.
func (t *Task) objectEqual(a, b Value) bool {
	f := t.Method(a, methodEquiv)
	if f.IsNil() {
		f = t.Method(a, methodEquals)
	}
	return !f.IsNil() && t.Host.Call(f, a, b).Truthy()
}

// objectHashOf returns the hash of an object by its own method.
func (t *Task) objectHashOf(v Value) (h int32, ok bool) {
	f := t.Method(v, methodHashEq)
	if f.IsNil() {
		f = t.Method(v, methodHash)
	}
	if f.IsNil() {
		return 0, false
	}
	return int32(ToLong(t, t.Host.Call(f, v))), true
}

// compareOwn compares by the method compareTo of a's type. ok is false if it has none.
func (t *Task) compareOwn(a, b Value) (c int, ok bool) {
	f := t.Method(a, methodCompareTo)
	if f.IsNil() {
		return 0, false
	}
	return int(ToLong(t, t.Host.Call(f, a, b))), true
}
