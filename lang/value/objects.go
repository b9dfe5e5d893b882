// This file defines the objects behind values: their layout, their size in
// bytes and how a Value is seen as one of them.

package value

import (
	"math/big"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/jregex"
	"github.com/ptc-lang/ptc/lang/num"
	"github.com/ptc-lang/ptc/lang/token"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// String is a text. S holds exactly its bytes: it is never a part of a larger
// block that the string would keep alive.
type String struct {
	Header
	S     string
	hash  uint32 // atomic; 0: not computed
	runes int32  // atomic; code points + 1, 0: not computed
}

// Keyword is a name that stands for itself. Two keywords of the same name are
// equal; the hash travels in the bits of its Value, so that different ones are
// told apart without looking at them.
type Keyword struct {
	Header
	NS, Name string
	hash     uint32
}

// Symbol is a name. Pos is its place in the source it was read from.
type Symbol struct {
	Header
	NS, Name string
	Meta     *Header
	hash     uint32
	Pos      token.Pos
}

// Cons is a cell of a list: of a counted one (KindList; Count cells from here
// on) or of any sequence (KindCons). The empty list is a KindList with Count 0.
// Rest is nil at the end of a sequence.
type Cons struct {
	Header
	First Value
	Rest  *Header
	Meta  *Header
	Count int32
	Pos   token.Pos
}

// Chunk is a block of values: the leaf of a vector, or a chunk of a sequence.
// Within the capacity of Vals, the owner may append to a vector's last leaf in
// place; a reader never looks beyond its own count.
type Chunk struct {
	Header
	Vals []Value
}

// ChunkedCons is a sequence: Vals[Off:End] of a chunk, then Rest.
type ChunkedCons struct {
	Header
	Chunk    *Chunk
	Rest     *Header
	Meta     *Header
	Off, End int32
}

// Lazy is a sequence computed when asked for. Until then Fn is its function of
// no arguments; afterwards Fn is nil and Seq the sequence, nil if it is empty.
type Lazy struct {
	Header
	Fn   *Header
	Seq  *Header
	Meta *Header
}

// Range is the sequence of integers from Start below (or above) End, by Step. It
// comes in chunks of 32 counted from where the first range began: Skip tells how
// many elements of the chunk were before Start.
type Range struct {
	Header
	Start, End, Step int64
	Meta             *Header
	Skip             int32
}

// VecSeq is the sequence of a vector's elements from Index on.
type VecSeq struct {
	Header
	Vec   *Vector
	Meta  *Header
	Index int32
	Step  int32 // 1, or -1 for rseq
}

// StrSeq is the sequence of a string's characters from byte Off on.
type StrSeq struct {
	Header
	Str  *String
	Meta *Header
	Off  int32
}

// MapSeq is the sequence of a map's entries, keys or values, or of a set's
// members, from the Index-th on.
type MapSeq struct {
	Header
	Coll  *Header
	Meta  *Header
	Index int32
	Mode  SeqMode
	Desc  bool // from the last to the first; sorted collections only
}

// SeqMode tells what a MapSeq gives of each entry.
type SeqMode uint8

// The modes of a MapSeq.
const (
	SeqEntries SeqMode = iota
	SeqKeys
	SeqVals
)

// MapEntry is a pair that is also a vector of two.
type MapEntry struct {
	Header
	Key, Val Value
}

// BigInt is an integer of any size. N is never changed.
type BigInt struct {
	Header
	N *big.Int
}

// Ratio is a fraction in lowest terms with a denominator above 1.
type Ratio struct {
	Header
	R *big.Rat
}

// Decimal is a decimal number with a scale.
type Decimal struct {
	Header
	D *num.Decimal
}

// FnCode is what the closures of one fn form share. The compiled form begins
// with it.
type FnCode struct {
	Name string
	NS   string
}

// Fn is a compiled function and the values it closes over.
type Fn struct {
	Header
	Code *FnCode
	Up   []Value
	Meta *Header
}

// NativeFunc is a builtin: a Go function of the arguments, which it must not
// keep or change. It may be run again from its start (see Task), so it changes
// nothing before its last charge.
type NativeFunc func(t *Task, args []Value) Value

// Native is a builtin as a value.
type Native struct {
	Header
	Name     string
	Fn       NativeFunc
	Min, Max int // number of arguments; Max < 0: any number
	Params   []KindSet
	ParamDoc []string
	Entry    any // the table entry it comes from
}

// Var is a global as a value: (var x), #'x.
type Var struct {
	Header
	Sym   *Symbol
	Index int32 // into the globals of the run; -1: the var of a builtin, whose value is Root
	Root  Value
	Meta  *Header
}

// Atom is a cell with watches and a validator.
type Atom struct {
	Header
	Val       Value
	Watches   Value
	Validator Value
	Meta      *Header
}

// Volatile is a plain cell.
type Volatile struct {
	Header
	Val Value
}

// Delay is a value computed at most once: by Fn until it is nil.
type Delay struct {
	Header
	Fn   *Header
	Val  Value
	Fail Value // the exception, if Fn threw
}

// Reduced wraps a result that ends a reduction.
type Reduced struct {
	Header
	Val Value
}

// Regex is a compiled pattern.
type Regex struct {
	Header
	Source string
	RE     *jregex.Regexp
	Size   int64 // bytes charged for RE
}

// UUID is a universally unique identifier.
type UUID struct {
	Header
	B [16]byte
}

// Inst is an instant: milliseconds since 1970-01-01T00:00:00Z.
type Inst struct {
	Header
	Millis int64
}

// Exception is what throw throws: made by ex-info, or by a failing builtin.
type Exception struct {
	Header
	Code   diag.Code
	Class  string // the Java class it stands for
	Msg    Value  // string or nil
	Data   Value  // map or nil
	Cause  Value  // exception or nil
	Hint   string
	Span   token.Span
	Frames []diag.Frame
}

// RecordType is a type made by defrecord, or the class of other values. Two
// records are of one type if they point to the same RecordType.
type RecordType struct {
	Header
	Name   string  // "user.Point"; of a class, its Java name
	Fields []Value // keywords; nil for a class
	Impls  Value   // map from protocol to map from method keyword to function; nil if there is none
	Class  bool
}

// Record is a map with fixed fields. Vals holds the fields' values; Ext, if not
// nil, further entries.
type Record struct {
	Header
	Type *RecordType
	Vals []Value
	Ext  *Header
	Meta *Header
}

// Queue is a persistent FIFO queue: Front is a sequence, Rear a vector.
type Queue struct {
	Header
	Front *Header
	Rear  *Header
	Meta  *Header
	Count int32
}

// MultiFn is a function that chooses a method by the value of Dispatch.
type MultiFn struct {
	Header
	Name      string
	Dispatch  Value
	Methods   Value // map from dispatch value to function
	Prefers   Value // map from dispatch value to set of dispatch values
	Hierarchy Value // atom or nil for the global one
	Default   Value // dispatch value of the default method
}

// Protocol is a named set of methods and, by type, their implementations.
type Protocol struct {
	Header
	Name  string
	Sigs  Value // map from method keyword to argument vectors
	Impls Value // map from type key to map from method keyword to function
}

// ProtocolFn is a method of a protocol as a function.
type ProtocolFn struct {
	Header
	Protocol *Protocol
	Method   Value // keyword
}

// Namespace is a name space as a value.
type Namespace struct {
	Header
	Name string
}

// Tagged is a tagged literal without a reader.
type Tagged struct {
	Header
	Tag  Value
	Form Value
}

// Box is a mutable block of values that only the machine and the prelude see.
type Box struct {
	Header
	Vals []Value
}

// The sizes of the fixed parts, in charged bytes.
var (
	sizeString      = objectSize[String]()
	sizeKeyword     = objectSize[Keyword]()
	sizeSymbol      = objectSize[Symbol]()
	sizeCons        = objectSize[Cons]()
	sizeChunk       = objectSize[Chunk]()
	sizeChunkedCons = objectSize[ChunkedCons]()
	sizeLazy        = objectSize[Lazy]()
	sizeRange       = objectSize[Range]()
	sizeVecSeq      = objectSize[VecSeq]()
	sizeStrSeq      = objectSize[StrSeq]()
	sizeMapSeq      = objectSize[MapSeq]()
	sizeMapEntry    = objectSize[MapEntry]()
	sizeBigInt      = objectSize[BigInt]()
	sizeRatio       = objectSize[Ratio]()
	sizeDecimal     = objectSize[Decimal]()
	sizeFn          = objectSize[Fn]()
	sizeNative      = objectSize[Native]()
	sizeVar         = objectSize[Var]()
	sizeAtom        = objectSize[Atom]()
	sizeVolatile    = objectSize[Volatile]()
	sizeDelay       = objectSize[Delay]()
	sizeReduced     = objectSize[Reduced]()
	sizeRegex       = objectSize[Regex]()
	sizeUUID        = objectSize[UUID]()
	sizeInst        = objectSize[Inst]()
	sizeException   = objectSize[Exception]()
	sizeRecordType  = objectSize[RecordType]()
	sizeRecord      = objectSize[Record]()
	sizeQueue       = objectSize[Queue]()
	sizeMultiFn     = objectSize[MultiFn]()
	sizeProtocol    = objectSize[Protocol]()
	sizeProtocolFn  = objectSize[ProtocolFn]()
	sizeNamespace   = objectSize[Namespace]()
	sizeTagged      = objectSize[Tagged]()
	sizeBox         = objectSize[Box]()
)

func objectSize[T any]() int64 {
	var zero T
	return limits.ObjectSize(int(unsafe.Sizeof(zero)))
}

// valueSize is the size of a Value in bytes.
const valueSize = int(unsafe.Sizeof(Value{}))

// ValsSize gives the charged bytes of a block of n values.
func ValsSize(n int) int64 { return limits.ObjectSize(n * valueSize) }

// The As functions see a value as its object. The caller has checked the kind; they
// check again, because a wrong one would read memory as what it is not: such a bug
// becomes an internal error of the run instead of a fault of the process.

//go:noinline
func badKind() { panic("value: an object was taken for one of another kind") }

// AsString sees a string.
func (v Value) AsString() *String {
	if v.Kind() != KindString {
		badKind()
	}
	return as[String](v)
}

// AsKeyword sees a keyword.
func (v Value) AsKeyword() *Keyword {
	if v.Kind() != KindKeyword {
		badKind()
	}
	return as[Keyword](v)
}

// AsSymbol sees a symbol.
func (v Value) AsSymbol() *Symbol {
	if v.Kind() != KindSymbol {
		badKind()
	}
	return as[Symbol](v)
}

// AsCons sees a list or cons cell.
func (v Value) AsCons() *Cons {
	if v.Kind() != KindList && v.Kind() != KindCons {
		badKind()
	}
	return as[Cons](v)
}

// AsFn sees a compiled function.
func (v Value) AsFn() *Fn {
	if v.Kind() != KindFn {
		badKind()
	}
	return as[Fn](v)
}

// AsNative sees a builtin.
func (v Value) AsNative() *Native {
	if v.Kind() != KindNative {
		badKind()
	}
	return as[Native](v)
}

// AsVector sees a vector (KindVector).
func (v Value) AsVector() *Vector {
	if v.Kind() != KindVector {
		badKind()
	}
	return as[Vector](v)
}

// AsEntry sees a map entry.
func (v Value) AsEntry() *MapEntry {
	if v.Kind() != KindMapEntry {
		badKind()
	}
	return as[MapEntry](v)
}

// AsLazy sees a lazy sequence.
func (v Value) AsLazy() *Lazy {
	if v.Kind() != KindLazy {
		badKind()
	}
	return as[Lazy](v)
}

// AsChunkedCons sees a chunked sequence.
func (v Value) AsChunkedCons() *ChunkedCons {
	if v.Kind() != KindChunkedCons {
		badKind()
	}
	return as[ChunkedCons](v)
}

// AsRange sees a range.
func (v Value) AsRange() *Range {
	if v.Kind() != KindRange {
		badKind()
	}
	return as[Range](v)
}

// AsVecSeq sees the sequence of a vector.
func (v Value) AsVecSeq() *VecSeq {
	if v.Kind() != KindVecSeq {
		badKind()
	}
	return as[VecSeq](v)
}

// AsStrSeq sees the sequence of a string.
func (v Value) AsStrSeq() *StrSeq {
	if v.Kind() != KindStrSeq {
		badKind()
	}
	return as[StrSeq](v)
}

// AsMapSeq sees the sequence of a map or set.
func (v Value) AsMapSeq() *MapSeq {
	if v.Kind() != KindMapSeq {
		badKind()
	}
	return as[MapSeq](v)
}

// AsBigInt sees a big integer.
func (v Value) AsBigInt() *BigInt {
	if v.Kind() != KindBigInt {
		badKind()
	}
	return as[BigInt](v)
}

// AsRatio sees a ratio.
func (v Value) AsRatio() *Ratio {
	if v.Kind() != KindRatio {
		badKind()
	}
	return as[Ratio](v)
}

// AsDecimal sees a decimal.
func (v Value) AsDecimal() *Decimal {
	if v.Kind() != KindDecimal {
		badKind()
	}
	return as[Decimal](v)
}

// AsVar sees a var.
func (v Value) AsVar() *Var {
	if v.Kind() != KindVar {
		badKind()
	}
	return as[Var](v)
}

// AsAtom sees an atom.
func (v Value) AsAtom() *Atom {
	if v.Kind() != KindAtom {
		badKind()
	}
	return as[Atom](v)
}

// AsVolatile sees a volatile.
func (v Value) AsVolatile() *Volatile {
	if v.Kind() != KindVolatile {
		badKind()
	}
	return as[Volatile](v)
}

// AsDelay sees a delay.
func (v Value) AsDelay() *Delay {
	if v.Kind() != KindDelay {
		badKind()
	}
	return as[Delay](v)
}

// AsReduced sees a reduced result.
func (v Value) AsReduced() *Reduced {
	if v.Kind() != KindReduced {
		badKind()
	}
	return as[Reduced](v)
}

// AsRegex sees a pattern.
func (v Value) AsRegex() *Regex {
	if v.Kind() != KindRegex {
		badKind()
	}
	return as[Regex](v)
}

// AsUUID sees a UUID.
func (v Value) AsUUID() *UUID {
	if v.Kind() != KindUUID {
		badKind()
	}
	return as[UUID](v)
}

// AsInst sees an instant.
func (v Value) AsInst() *Inst {
	if v.Kind() != KindInst {
		badKind()
	}
	return as[Inst](v)
}

// AsException sees an exception.
func (v Value) AsException() *Exception {
	if v.Kind() != KindException {
		badKind()
	}
	return as[Exception](v)
}

// AsType sees a record type or class.
func (v Value) AsType() *RecordType {
	if v.Kind() != KindType {
		badKind()
	}
	return as[RecordType](v)
}

// AsRecord sees a record.
func (v Value) AsRecord() *Record {
	if v.Kind() != KindRecord {
		badKind()
	}
	return as[Record](v)
}

// AsQueue sees a queue.
func (v Value) AsQueue() *Queue {
	if v.Kind() != KindQueue {
		badKind()
	}
	return as[Queue](v)
}

// AsMultiFn sees a multimethod.
func (v Value) AsMultiFn() *MultiFn {
	if v.Kind() != KindMultiFn {
		badKind()
	}
	return as[MultiFn](v)
}

// AsProtocol sees a protocol.
func (v Value) AsProtocol() *Protocol {
	if v.Kind() != KindProtocol {
		badKind()
	}
	return as[Protocol](v)
}

// AsProtocolFn sees a protocol method.
func (v Value) AsProtocolFn() *ProtocolFn {
	if v.Kind() != KindProtocolFn {
		badKind()
	}
	return as[ProtocolFn](v)
}

// AsNamespace sees a namespace.
func (v Value) AsNamespace() *Namespace {
	if v.Kind() != KindNamespace {
		badKind()
	}
	return as[Namespace](v)
}

// AsTagged sees a tagged literal.
func (v Value) AsTagged() *Tagged {
	if v.Kind() != KindTagged {
		badKind()
	}
	return as[Tagged](v)
}

// AsBox sees a box.
func (v Value) AsBox() *Box {
	if v.Kind() != KindBox {
		badKind()
	}
	return as[Box](v)
}

// AsChunk sees a chunk.
func (v Value) AsChunk() *Chunk {
	if v.Kind() != KindChunk {
		badKind()
	}
	return as[Chunk](v)
}
