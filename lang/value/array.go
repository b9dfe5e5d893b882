// This file defines arrays, the mutable collections that programs for Java use: object-array,
// long-array and the like.

package value

import "github.com/ptc-lang/ptc/lang/diag"

// Array is a mutable array of values. Elem is the type of its elements.
type Array struct {
	Header
	Elem ArrayElem
	Blocks
}

// ArrayElem is the type of an array's elements.
type ArrayElem uint8

// The types of elements.
const (
	ElemObject ArrayElem = iota
	ElemString
	ElemBoxedLong // java.lang.Long objects, as into-array makes from integers
	ElemLong
	ElemInt
	ElemShort
	ElemByte
	ElemDouble
	ElemFloat
	ElemChar
	ElemBool
	ElemArray
)

// Primitive reports whether the elements are primitive values in Java.
func (e ArrayElem) Primitive() bool { return e >= ElemLong && e <= ElemBool }

// arrayClasses are the class names of arrays, by element type.
var arrayClasses = [...]string{"[Ljava.lang.Object;", "[Ljava.lang.String;", "[Ljava.lang.Long;", "[J", "[I", "[S",
	"[B", "[D", "[F", "[C", "[Z",
	"[[Ljava.lang.Object;"}

// Name returns the name of the primitive type of the elements, or "" for objects.
func (e ArrayElem) Name() string { return arrayPrimitives[e] }

var arrayPrimitives = [...]string{ElemLong: "long", ElemInt: "int", ElemShort: "short", ElemByte: "byte",
	ElemDouble: "double",
	ElemFloat:  "float", ElemChar: "char", ElemBool: "boolean", ElemArray: ""}

var sizeArray = objectSize[Array]()

// Array returns an array whose elements are b.
func (t *Task) Array(elem ArrayElem, b Blocks) Value {
	t.Charge(sizeArray)
	return t.newIdentity(&(&Array{Header: t.header(KindArray), Elem: elem, Blocks: b}).Header)
}

// AsArray returns v as an array.
func (v Value) AsArray() *Array {
	if v.Kind() != KindArray {
		badKind()
	}
	return as[Array](v)
}

// Zero returns the initial element of a new array of the type.
func (e ArrayElem) Zero() Value {
	switch e {
	case ElemLong, ElemInt, ElemShort, ElemByte:
		return Int(0)
	case ElemDouble, ElemFloat:
		return Float(0)
	case ElemChar:
		return Char(0)
	case ElemBool:
		return False
	}
	return Nil
}

// ArrayElement converts x to the element type as Java does. A number that is too large is
// truncated.
func (t *Task) ArrayElement(e ArrayElem, x Value) Value {
	switch e {
	case ElemLong:
		if x.Is(Numbers) {
			return Int(ToLong(t, x))
		}
	case ElemInt:
		if x.Is(Numbers) {
			return Int(int64(int32(ToLong(t, x))))
		}
	case ElemShort:
		if x.Is(Numbers) {
			return Int(int64(int16(ToLong(t, x))))
		}
	case ElemByte:
		if x.Is(Numbers) {
			return Int(int64(int8(ToLong(t, x))))
		}
	case ElemDouble, ElemFloat:
		if x.Is(Numbers) {
			return Float(ToDouble(t, x))
		}
	case ElemChar:
		if x.IsChar() {
			return x
		}
	case ElemBool:
		return Bool(x.Truthy())
	case ElemString:
		if x.IsNil() || x.IsString() {
			return x
		}
	default:
		return x
	}
	t.Fail(diag.IllegalArgument, "array element type mismatch: got %s for an element of %s", Describe(t, x),
		arrayClasses[e])
	return Nil
}

// arraySeq returns a sequence of an array's current elements.
func (t *Task) arraySeq(a *Array) Value {
	b := t.CopyBlocks(&a.Blocks)
	return b.Onto(t, Nil)
}
