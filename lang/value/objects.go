// This file defines the memory layout of the objects behind values.

package value

import (
	"math/big"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/jregex"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/token"
)

// String is a string. S holds exactly its bytes. It is never a part of a larger block, which the
// string would keep alive.
type String struct {
	Header
	S     string
	hash  uint32 // atomic; 0: not computed
	runes int32  // atomic; code points + 1, 0: not computed
}

// Keyword is a name that evaluates to itself. Two keywords of the same name are equal. The hash is
// in the bits of the Value, so that most different keywords are told apart without reading the
// object.
type Keyword struct {
	Header
	NS, Name string
	hash     uint32
}

// Symbol is a name. Pos is its position in the source.
type Symbol struct {
	Header
	NS, Name string
	Meta     *Header
	hash     uint32
	Pos      token.Pos
}

// Cons is a cell of a list, either of a counted list (KindList; Count is the number of cells from
// here on) or of any sequence (KindCons). The empty list is a KindList with Count 0. Rest is nil at
// the end of a sequence.
type Cons struct {
	Header
	First Value
	Rest  *Header
	Meta  *Header
	Count int32
	Pos   token.Pos
}

// Chunk is a block of values: the leaf of a vector, or a chunk of a sequence. The owner may append
// to a vector's last leaf in place, within the capacity of Vals. A reader never looks beyond its
// own count.
type Chunk struct {
	Header
	Vals []Value
}

// ChunkedCons is the sequence of Vals[Off:End] of a chunk, followed by Rest.
type ChunkedCons struct {
	Header
	Chunk    *Chunk
	Rest     *Header
	Meta     *Header
	Off, End int32
}

// Lazy is a sequence that is computed on demand. Until then Fn is its function of no arguments.
// Afterwards Fn is nil and Seq is the sequence, or nil if it is empty.
type Lazy struct {
	Header
	Fn   *Header
	Seq  *Header
	Meta *Header
}

// Range is the sequence of integers from Start below (or above) End, by Step. It has chunks of 32
// elements, counted from the start of the first range. Skip is the number of elements of the chunk
// before Start.
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
	Desc  bool // from last to first; sorted collections only
}

// SeqMode selects the part of each entry that a MapSeq contains.
type SeqMode uint8

// The modes of a MapSeq.
const (
	SeqEntries SeqMode = iota
	SeqKeys
	SeqVals
)

// MapEntry is a pair of key and value that is also a vector of two.
type MapEntry struct {
	Header
	Key, Val Value
}

// BigInt is an integer of any size. N is never changed. If the flags mark it as Java's, its class
// is BigInteger and it is printed without an N.
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

// FnCode is the part that the closures of one fn form share. The compiled form begins with it.
type FnCode struct {
	Name string
	NS   string
	// Purity is the known purity of calls of the function, a builtins.Purity.
	Purity uint8
}

// Fn is a compiled function with its captured values.
type Fn struct {
	Header
	Code *FnCode
	Up   []Value
	Meta *Header
}

// NativeFunc is a builtin: a Go function of the arguments, which it must not keep or change. It may
// be run again from its start (see Task), so it changes nothing before its last charge.
type NativeFunc func(t *Task, args []Value) Value

// Native is a builtin as a value.
type Native struct {
	Header
	Name     string
	Fn       NativeFunc
	Min, Max int // number of arguments; Max < 0: any number
	Params   []KindSet
	ParamDoc []string
	Entry    any // the table entry that defines it
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

// Volatile is a cell without watches and validator.
type Volatile struct {
	Header
	Val Value
}

// Delay is a value that is computed at most once. Fn computes it, and is nil afterwards.
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

// Exception is the value that throw throws. ex-info or a failing builtin makes it.
type Exception struct {
	Header
	Code  diag.Code
	Class string // its Java class
	Msg   Value  // string or nil
	Data  Value  // map or nil
	Cause Value  // exception or nil
	Hint  string
	Span  token.Span
	Way   *Way // of an exception that has left a parallel worker, or that a tool has caused; nil of others
}

// Way is the path of an exception through parallel operations: the calls that were active in
// workers, and the elements that they ran, innermost first. It begins with the error of a tool, if there is one:
// as a field of Exception that would make every exception larger.
type Way struct {
	Tool     bool  // the call of a tool has failed
	Err      error // the error of the tool's function; nil if the call was refused, or is recorded
	Frames   []diag.Frame
	Elements []diag.Element
	Text     int64 // bytes of the strings of an exception that was decoded: those of others are constants
}

// Sizes of a frame, an element and an error of a Way, including their strings.
const (
	wayFrame   = 160
	wayElement = 512
	wayError   = 64
)

// Size returns the approximate size of w in bytes.
func (w *Way) Size() int64 {
	if w == nil {
		return 0
	}
	n := w.Text + int64(len(w.Frames))*wayFrame + int64(len(w.Elements))*wayElement
	if w.Tool { // with an error or not: a replay has none, and the same memory
		n += wayError
	}
	return n
}

// RecordType is a type made by defrecord, or the class of other values. Two records have the same
// type if they point to the same RecordType.
type RecordType struct {
	Header
	Name   string  // "user.Point"; for a class, its Java name
	Fields []Value // keywords; nil for a class
	Impls  Value   // map from protocol to map from method keyword to function, or nil
	// The maps from method keyword to function of all of Impls, and of those for interfaces and protocols of the
	// library alone. nil if there are none.
	methods, own Value
	Class        bool
}

// Record is a map with fixed fields. Vals holds the values of the fields. Ext, if not nil, holds
// further entries.
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

// Namespace is a namespace as a value.
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

// Box is a mutable array of values that only the machine and the prelude use.
type Box struct {
	Header
	Blocks
}
