// Package value defines the values of the language: their representation, the Task that allocates
// and accounts for them, equality, hashing, order, printing and the persistent collections.
//
// A Value is 16 bytes: a pointer to a Header and 64 bits. Integers, floats, booleans and characters
// are stored in the bits, and the pointer points to one of a few static headers. Everything else is
// an object whose first field is its Header, so that one load yields the kind of any value. Values
// are immutable, except for the cells (atom, volatile, transient …), which only the evaluation that
// made them may change.
package value

import (
	"math"
	"unsafe"
)

// Kind is the kind of a value.
type Kind uint8

// The kinds. Only the tables of this package depend on the order within groups.
const (
	KindNil Kind = iota
	KindBool
	KindInt
	KindFloat
	KindChar
	KindBigInt
	KindRatio
	KindDecimal
	KindString
	KindKeyword
	KindSymbol
	KindList        // Cons object, counted: (list 1 2), '(1 2), ()
	KindCons        // Cons object: (cons 1 seq)
	KindChunkedCons // a chunk of elements and the rest
	KindLazy
	KindRange
	KindVecSeq
	KindStrSeq
	KindMapSeq
	KindVector
	KindMapEntry
	KindArrayMap
	KindHashMap
	KindSortedMap
	KindHashSet
	KindSortedSet
	KindRecord
	KindQueue
	KindFn     // compiled closure
	KindNative // builtin written in Go
	KindVar
	KindMultiFn
	KindProtocol
	KindProtocolFn
	KindAtom
	KindRef    // an atom that transactions change
	KindFuture // a future, promise, agent or latch
	KindVolatile
	KindDelay
	KindReduced
	KindRegex
	KindUUID
	KindInst
	KindException
	KindTransientVector
	KindTransientMap
	KindTransientSet
	KindType // a record type or a class name
	KindNamespace
	KindTagged  // tagged literal
	KindArray   // mutable array
	KindObject  // instance of a deftype, or result of reify
	KindBuilder // StringBuilder, StringBuffer, StringWriter; these three are boxes
	KindMatcher
	KindIterator
	KindJava    // an object of a JavaClass
	KindNode    // inner node of a collection; never seen by a program
	KindChunk   // block of values; internal
	KindBox     // mutable internal block of values (sort buffers, iteration state)
	KindSorting // sort in progress; internal
	kindCount
)

// KindSet is a set of kinds.
type KindSet uint64

// Has reports whether k is in the set.
func (s KindSet) Has(k Kind) bool { return s>>k&1 != 0 }

// Kinds returns the set of the kinds named.
func Kinds(ks ...Kind) KindSet {
	var s KindSet
	for _, k := range ks {
		s |= 1 << k
	}
	return s
}

// ListForms are the kinds that a form which is a call may have: read, or built by a macro.
var ListForms = Kinds(KindList, KindCons, KindChunkedCons, KindLazy, KindVecSeq, KindMapSeq)

// Sets of related kinds.
var (
	Numbers   = Kinds(KindInt, KindFloat, KindBigInt, KindRatio, KindDecimal)
	Integers  = Kinds(KindInt, KindBigInt)
	Seqs      = Kinds(KindList, KindCons, KindChunkedCons, KindLazy, KindRange, KindVecSeq, KindStrSeq, KindMapSeq)
	Vectors   = Kinds(KindVector, KindMapEntry)
	Maps      = Kinds(KindArrayMap, KindHashMap, KindSortedMap, KindRecord)
	Sets      = Kinds(KindHashSet, KindSortedSet)
	Colls     = Seqs | Vectors | Maps | Sets | Kinds(KindQueue)
	Seqables  = Colls | Kinds(KindNil, KindString, KindArray, KindObject, KindBuilder, KindJava)
	Callables = Vectors | Maps&^Kinds(KindRecord) | Sets | Kinds(KindFn, KindNative, KindKeyword, KindSymbol, KindVar,
		KindMultiFn, KindProtocolFn,
		KindTransientVector, KindTransientMap, KindTransientSet)
	Typed   = Kinds(KindRecord, KindObject) // their types may define methods
	AnyKind = KindSet(1<<kindCount - 1)
)

// Header is the first field of every object. Only the owning evaluation writes mark. Others read
// kind and owner, which never change.
type Header struct {
	kind  Kind
	flags uint8
	mark  uint16 // epoch of the last mark that found the object live
	owner uint32 // the evaluation that it is charged to; 0: a constant, charged to none
}

// Kind returns the kind of the object.
func (h *Header) Kind() Kind { return h.kind }

// Owner returns the evaluation that made the object, or 0 for a constant.
func (h *Header) Owner() uint32 { return h.owner }

// Value is any value of the language. The zero Value is nil.
type Value struct {
	h    *Header
	bits uint64
}

// Headers of the values that are stored in the bits alone.
var (
	falseHeader = Header{kind: KindBool}
	trueHeader  = Header{kind: KindBool}
	intHeader   = Header{kind: KindInt}
	floatHeader = Header{kind: KindFloat}
	charHeader  = Header{kind: KindChar}
)

// The constants of the language.
var (
	Nil   = Value{}
	False = Value{h: &falseHeader}
	True  = Value{h: &trueHeader, bits: 1}
)

// Int returns an integer.
func Int(i int64) Value { return Value{&intHeader, uint64(i)} }

// Float returns a double.
func Float(f float64) Value { return Value{&floatHeader, math.Float64bits(f)} }

// Char returns a character, a Unicode code point.
func Char(r rune) Value { return Value{&charHeader, uint64(r)} }

// Bool returns true or false.
func Bool(b bool) Value {
	if b {
		return True
	}
	return False
}

// Kind returns the kind of v.
func (v Value) Kind() Kind {
	if v.h == nil {
		return KindNil
	}
	return v.h.kind
}

// Is reports whether the kind of v is in the set.
func (v Value) Is(s KindSet) bool { return s.Has(v.Kind()) }

// IsNil reports whether v is nil.
func (v Value) IsNil() bool { return v.h == nil }

// Truthy reports whether v is neither nil nor false.
func (v Value) Truthy() bool { return v.h != nil && v.h != &falseHeader }

// IsInt reports whether v is a 64-bit integer.
func (v Value) IsInt() bool { return v.h == &intHeader }

// IsFloat reports whether v is a double.
func (v Value) IsFloat() bool { return v.h == &floatHeader }

// IsChar reports whether v is a character.
func (v Value) IsChar() bool { return v.h == &charHeader }

// IsString reports whether v is a string.
func (v Value) IsString() bool { return v.h != nil && v.h.kind == KindString }

// IsKeyword reports whether v is a keyword.
func (v Value) IsKeyword() bool { return v.h != nil && v.h.kind == KindKeyword }

// IsSymbol reports whether v is a symbol.
func (v Value) IsSymbol() bool { return v.h != nil && v.h.kind == KindSymbol }

// AsInt returns the integer in v. v must be an integer.
func (v Value) AsInt() int64 { return int64(v.bits) }

// AsFloat returns the double in v. v must be a double.
func (v Value) AsFloat() float64 { return math.Float64frombits(v.bits) }

// AsChar returns the character in v. v must be a character.
func (v Value) AsChar() rune { return rune(v.bits) }

// AsBool returns the boolean in v. v must be a boolean.
func (v Value) AsBool() bool { return v.h == &trueHeader }

// Header returns the header of v, or nil for nil. The header of an object belongs to it alone, so
// it is the object's identity.
func (v Value) Header() *Header { return v.h }

// Bits returns the payload of v.
func (v Value) Bits() uint64 { return v.bits }

// Identical reports whether a and b are the same object or the same scalar.
func Identical(a, b Value) bool { return a.h == b.h && a.bits == b.bits }

// Of returns an object as a value, or nil for a nil pointer.
func Of(h *Header) Value {
	if h == nil {
		return Value{}
	}
	if h.kind == KindKeyword {
		return Value{h, uint64((*Keyword)(unsafe.Pointer(h)).hash)}
	}
	return Value{h, 0}
}

// as returns v as an object of type T. The caller has checked the kind.
func as[T any](v Value) *T { return (*T)(unsafe.Pointer(v.h)) }

// SetInt makes v an integer. It writes the header only if necessary, because a pointer store costs
// a write barrier.
func (v *Value) SetInt(i int64) {
	if v.h != &intHeader {
		v.h = &intHeader
	}
	v.bits = uint64(i)
}

// SetFloat makes v a double.
func (v *Value) SetFloat(f float64) {
	if v.h != &floatHeader {
		v.h = &floatHeader
	}
	v.bits = math.Float64bits(f)
}

// Same is identical?: the same object, the same scalar, the same keyword, or the same interned string.
func Same(a, b Value) bool {
	if a.h == b.h {
		return a.bits == b.bits
	}
	if a.IsKeyword() && b.IsKeyword() && a.bits == b.bits {
		x, y := a.AsKeyword(), b.AsKeyword()
		return x.Name == y.Name && x.NS == y.NS
	}
	return bothInterned(a, b) && a.AsString().S == b.AsString().S
}

// unbound is the header of Unbound.
var unbound = Header{kind: KindNode}

// Unbound is the value of a global that has no value yet. Programs never see it.
var Unbound = Value{h: &unbound}
