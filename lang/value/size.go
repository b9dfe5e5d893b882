// This file defines the charged sizes of objects and blocks.

package value

import (
	"unsafe"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// The sizes of the fixed parts, in charged bytes.
var (
	sizeString      = leafSize[String]()
	sizeKeyword     = leafSize[Keyword]()
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
	sizeBigInt      = leafSize[BigInt]()
	sizeRatio       = leafSize[Ratio]()
	sizeDecimal     = leafSize[Decimal]()
	sizeFn          = objectSize[Fn]()
	sizeNative      = objectSize[Native]()
	sizeVar         = objectSize[Var]()
	sizeAtom        = objectSize[Atom]()
	sizeRef         = objectSize[Ref]()
	sizeVolatile    = objectSize[Volatile]()
	sizeDelay       = objectSize[Delay]()
	sizeReduced     = objectSize[Reduced]()
	sizeRegex       = objectSize[Regex]()
	sizeUUID        = leafSize[UUID]()
	sizeInst        = leafSize[Inst]()
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

// markSlot is the memory of an object's slot in a markStack. It is charged with the object, so that
// no mark needs memory that was not charged.
const markSlot = 8

// objectSize returns the charged bytes of an object.
func objectSize[T any]() int64 { return leafSize[T]() + markSlot }

// leafSize returns the charged bytes of a leaf, or of a value that is not an object.
func leafSize[T any]() int64 {
	var zero T
	return limits.ObjectSize(int(unsafe.Sizeof(zero)))
}

// valueSize is the size of a Value in bytes.
const valueSize = int(unsafe.Sizeof(Value{}))

// ValsSize returns the charged bytes of a block of n values.
func ValsSize(n int) int64 { return limits.ObjectSize(n * valueSize) }
