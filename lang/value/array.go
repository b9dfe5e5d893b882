// This file defines arrays, the mutable blocks of values that programs for Java
// use: object-array, long-array and the like.

package value

import "github.com/ptc-lang/ptc/lang/diag"

// Array is a row of values that its owner may change. Elem says what it holds.
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
	ElemBoxedLong // java.lang.Long objects, as into-array makes of integers
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

// Primitive says whether the elements are no objects in Java.
func (e ArrayElem) Primitive() bool { return e >= ElemLong && e <= ElemBool }

// arrayClasses are the names of the classes of arrays, by element type.
var arrayClasses = [...]string{"[Ljava.lang.Object;", "[Ljava.lang.String;", "[Ljava.lang.Long;", "[J", "[I", "[S", "[B", "[D", "[F", "[C", "[Z",
	"[[Ljava.lang.Object;"}

// Name gives the name of the primitive type of the elements, "" for objects.
func (e ArrayElem) Name() string { return arrayPrimitives[e] }

var arrayPrimitives = [...]string{ElemLong: "long", ElemInt: "int", ElemShort: "short", ElemByte: "byte", ElemDouble: "double",
	ElemFloat: "float", ElemChar: "char", ElemBool: "boolean", ElemArray: ""}

var sizeArray = objectSize[Array]()

// Array makes an array around a row.
func (t *Task) Array(elem ArrayElem, b Blocks) Value {
	t.Charge(sizeArray)
	return Value{h: &(&Array{Header: t.header(KindArray), Elem: elem, Blocks: b}).Header}
}

// AsArray sees an array.
func (v Value) AsArray() *Array {
	if v.Kind() != KindArray {
		badKind()
	}
	return as[Array](v)
}

// Zero gives what a new array of the element type holds.
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

// ArrayElement gives x as an element of the type, as Java converts it: of a number
// too large, what fits.
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
	t.Fail(diag.IllegalArgument, "array element type mismatch: got %s for an element of %s", Describe(t, x), arrayClasses[e])
	return Nil
}

// arraySeq gives the sequence of an array's elements as they are now.
func (t *Task) arraySeq(a *Array) Value {
	b := t.CopyBlocks(&a.Blocks)
	return b.Onto(t, Nil)
}
