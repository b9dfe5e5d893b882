// This file counts blocks by their size class when they are allocated and when a mark finds them
// live. Go's allocator keeps blocks of one class together, see limits.Class.

package value

import (
	"math/big"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// kindClass maps a kind to the class of its fixed part. It is limits.NoClass for strings, vectors,
// array maps, closures and nodes: their fixed part varies, so the functions that make them count it.
var kindClass = func() (table [256]limits.Class) {
	for kind, size := range map[Kind]int64{
		KindSymbol: sizeSymbol, KindList: sizeCons, KindCons: sizeCons,
		KindChunkedCons: sizeChunkedCons, KindLazy: sizeLazy, KindRange: sizeRange, KindVecSeq: sizeVecSeq,
		KindStrSeq: sizeStrSeq, KindMapSeq: sizeMapSeq, KindMapEntry: sizeMapEntry, KindHashMap: sizeHashMap,
		KindSortedMap: sizeSortedMap, KindHashSet: sizeHashSet, KindSortedSet: sizeSortedSet, KindRecord: sizeRecord,
		KindQueue: sizeQueue, KindVar: sizeVar, KindMultiFn: sizeMultiFn, KindProtocol: sizeProtocol,
		KindProtocolFn: sizeProtocolFn, KindAtom: sizeAtom, KindRef: sizeRef, KindVolatile: sizeVolatile,
		KindDelay:   sizeDelay,
		KindReduced: sizeReduced, KindRegex: sizeRegex,
		KindException: sizeException, KindTransientVector: sizeTransientVector, KindTransientMap: sizeTransientMap,
		KindTransientSet: sizeTransientSet, KindType: sizeRecordType, KindNamespace: sizeNamespace,
		KindTagged: sizeTagged, KindArray: sizeArray, KindObject: sizeObject, KindChunk: sizeChunk, KindBox: sizeBox,
		KindBuilder: sizeBox, KindMatcher: sizeBox, KindIterator: sizeBox,
		KindSorting: sizeSorting,
	} {
		table[kind] = classOf(size)
	}
	for kind, size := range map[Kind]int64{KindKeyword: sizeKeyword, KindBigInt: sizeBigInt, KindRatio: sizeRatio,
		KindDecimal: sizeDecimal, KindUUID: sizeUUID, KindInst: sizeInst} {
		table[kind] = limits.ObjectClass(size)
	}
	return table
}()

// nodeClass maps the flags of a node to the class of its fixed part. It is limits.NoClass for hash
// nodes, whose shapes vary.
var nodeClass = [256]limits.Class{
	nodeVector:    classOf(sizeVNode),
	nodeTree:      classOf(sizeTNode),
	nodeToken:     limits.BytesClass(sizeEditToken - markSlot),
	nodeDense:     classOf(sizeDenseNode),
	nodeCollision: classOf(sizeCollisionNode),
}

var (
	smallVecClass     = classesOf(sizeSmallVec[:], markSlot)
	inlineStringClass = classesOf([]int64{sizeString, sizeString + 16, sizeString + 32, sizeString + 48, sizeString + 64},
		0)
	vectorClass  = classOf(sizeVector)
	stringClass  = limits.ObjectClass(sizeString)
	bigIntClass  = limits.ObjectClass(sizeBigHeader)
	ratClass     = limits.ObjectClass(sizeRatHeader)
	wordsClass   = limits.BytesClass(wordsBytes)
	decimalClass = limits.ObjectClass(sizeDecHeader)
)

// classOf returns the class of an object of a charged size.
func classOf(size int64) limits.Class { return limits.ObjectClass(size - markSlot) }

// classesOf returns the classes of blocks whose charge exceeds their size by more.
func classesOf(sizes []int64, more int64) []limits.Class {
	table := make([]limits.Class, len(sizes))
	for i, size := range sizes {
		table[i] = limits.ObjectClass(size - more)
	}
	return table
}

// header returns the header of a new object of a kind and counts its fixed part.
func (t *Task) header(k Kind) Header {
	t.Born.Count(kindClass[k])
	return t.plainHeader(k)
}

// plainHeader returns the header of an object that its maker counts, or that is part of a larger
// one.
func (t *Task) plainHeader(k Kind) Header { return Header{kind: k, owner: t.Owner} }

// nodeHeader returns the header of a node other than a hash node, and counts its fixed part. flags
// determine the type of the node.
func (t *Task) nodeHeader(flags uint8) Header {
	t.Born.Count(nodeClass[flags])
	return Header{kind: KindNode, flags: flags, owner: t.Owner}
}

// vectorHeader returns the header of a vector that is not a small one.
func (t *Task) vectorHeader() Header {
	t.Born.Count(vectorClass)
	return t.plainHeader(KindVector)
}

// creditNode credits a node that has been replaced.
func (t *Task) creditNode(n *hnode) {
	t.Free(classOfNode(n))
	t.Credit(nodeSize(n))
}

// CreditVals credits a block of n values that has been replaced.
func (t *Task) CreditVals(n int) {
	size := ValsSize(n)
	t.Free(limits.ObjectClass(size))
	t.Credit(size)
}

// classOfNode returns the class of the fixed part of a node of a hash trie.
func classOfNode(n *hnode) limits.Class {
	if n.flags == nodeHash {
		return nodeShapes[shapeOf[n.cap]].class
	}
	return nodeClass[n.flags]
}

// chargeNumber charges the temporary memory of arithmetic. Up to smallNumber it is the memory of
// numbers of a few words, whose blocks are mostly of the class of five words, because math/big
// leaves room for four more. The class of larger ones is not known.
func (t *Task) chargeNumber(n int64) {
	t.Charge(n)
	if n <= smallNumber {
		t.Born[wordsClass] += int32(n / wordsBytes)
	}
}

// chargeWords charges a temporary block of n words for arithmetic.
func (t *Task) chargeWords(n int) {
	t.Charge(limits.BytesSize(8 * n))
	countBytes(&t.Born, 8*n)
}

// smallNumber is the memory of an operation on ratios whose products have 256 bits.
const (
	smallNumber = 6144
	wordsBytes  = 48
)

// countVals counts a block of n values.
func countVals(b *limits.Counts, n int) {
	size := ValsSize(n)
	b.CountBlock(limits.ObjectClass(size), size)
}

// countBytes counts a block of n bytes.
func countBytes(b *limits.Counts, n int) {
	size := limits.BytesSize(n)
	b.CountBlock(limits.BytesClass(size), size)
}

func countBig(b *limits.Counts, n *big.Int) {
	b.Count(bigIntClass)
	countBytes(b, 8*cap(n.Bits()))
}

func countRat(b *limits.Counts, r *big.Rat) {
	b.Count(ratClass)
	countBytes(b, 8*cap(r.Num().Bits()))
	countBytes(b, 8*cap(r.Denom().Bits()))
}

func countArrayMap(b *limits.Counts, n int) {
	if n < len(mapShapes) {
		b.Count(classOf(mapShapes[n].size))
		return
	}
	b.Count(classOf(sizeArrayMap))
	countVals(b, n)
}

// countString counts a string and its bytes, which are one block if they were allocated together.
func countString(b *limits.Counts, s *String) {
	if s.inline() {
		b.Count(inlineStringClass[(len(s.S)+15)/16])
		return
	}
	b.Count(stringClass)
	countBytes(b, len(s.S))
}
