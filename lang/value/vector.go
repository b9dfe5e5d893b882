// This file defines Vector: its layout, how it is built and read.

package value

import "unsafe"

// Vector is a persistent vector: a trie of width 32 whose leaves are chunks of 32 values, and a
// tail with the last 1 to 32 values. A position in the trie is start + index: subvec shares the
// trie of a longer vector.
//
// The tail's chunk may be longer than the part that this vector sees. conj appends to the chunk in
// place if its owner made it and nothing has been appended before. So a loop of conj allocates
// little more than one Vector per step. The price: a vector that was dropped can keep up to 31
// values alive in a chunk that it shares.
type Vector struct {
	Header
	Count int32
	hash  uint32 // atomic; 0: not computed
	root  *vnode // nil if all values are in the tail
	tail  *Chunk
	Meta  *Header
	start int32
	shift uint8 // bits of the position below those of the root
	small bool  // tail and values are part of the same allocation
	// ownRoot and ownTail mean that the vector is owned, and may be changed in place: the root, and the
	// nodes that its edit made, or the tail. See vecowned.go.
	ownRoot, ownTail bool
}

const (
	vecBits  = 5
	vecWidth = 1 << vecBits
	vecMask  = vecWidth - 1
	// maxSmall is the largest number of values that share the allocation of their vector. With it,
	// the block stays in the exact size classes.
	maxSmall = 8
	// maxCount bounds the count of a collection. It is far above the limits of memory.
	maxCount = 1<<31 - 1 - vecWidth
)

// vnode is an inner node of a vector. Its children are vnodes or, in the lowest nodes, chunks. own
// has a bit for each chunk below that the transient edit made and may change.
type vnode struct {
	Header
	edit *Header
	own  uint32
	kids [vecWidth]*Header
}

var (
	sizeVector = objectSize[Vector]()
	sizeVNode  = objectSize[vnode]()
)

// Flags in the header of a KindNode. They determine its type.
const (
	nodeHash uint8 = iota
	nodeDense
	nodeCollision
	nodeVector
	nodeTree
	nodeToken
)

var emptyChunk = Chunk{Header: Header{kind: KindChunk}}

// EmptyVector is [].
var EmptyVector = Value{h: &(&Vector{Header: Header{kind: KindVector}, tail: &emptyChunk}).Header}

// smallVec is a vector with its values. Only this vector sees the chunk, so the whole is one object
// for the account.
type smallVec[A any] struct {
	Vector
	leaf Chunk
	vals A
}

func newSmallVec[A any](n int) *Vector {
	s := new(smallVec[A])
	s.leaf.Vals = unsafe.Slice((*Value)(unsafe.Pointer(&s.vals)), n)
	s.tail = &s.leaf
	return &s.Vector
}

var newSmallVecs = [maxSmall + 1]func(n int) *Vector{
	1: newSmallVec[[1]Value], 2: newSmallVec[[2]Value], 3: newSmallVec[[3]Value], 4: newSmallVec[[4]Value],
	5: newSmallVec[[5]Value], 6: newSmallVec[[6]Value], 7: newSmallVec[[7]Value], 8: newSmallVec[[8]Value],
}

// sizeSmallVec is the size of a small vector of n values.
var sizeSmallVec = [maxSmall + 1]int64{
	1: objectSize[smallVec[[1]Value]](), 2: objectSize[smallVec[[2]Value]](),
	3: objectSize[smallVec[[3]Value]](), 4: objectSize[smallVec[[4]Value]](),
	5: objectSize[smallVec[[5]Value]](), 6: objectSize[smallVec[[6]Value]](),
	7: objectSize[smallVec[[7]Value]](), 8: objectSize[smallVec[[8]Value]](),
}

// smallVector returns a vector of n values, 1 to maxSmall, for the caller to fill.
func (t *Task) smallVector(n int) *Vector {
	t.Charge(sizeSmallVec[n])
	v := newSmallVecs[n](n)
	t.Born.Count(smallVecClass[n])
	v.Header = t.plainHeader(KindVector)
	v.tail.Header = t.plainHeader(KindChunk)
	v.Count, v.small = int32(n), true
	return v
}

// Vector makes a vector of a copy of vals.
func (t *Task) Vector(vals ...Value) Value {
	switch n := len(vals); {
	case n == 0:
		return EmptyVector
	case n <= maxSmall:
		v := t.smallVector(n)
		//lint:ignore S1001 a call of copy costs more than the elements
		for i, x := range vals {
			v.tail.Vals[i] = x
		}
		return Value{h: &v.Header}
	case n <= vecWidth:
		block := t.Vals(n)
		copy(block, vals)
		return t.vectorOfChunk(t.Chunk(block))
	default:
		return t.bigVector(n, func(block []Value, from int) { copy(block, vals[from:]) })
	}
}

// pair makes the vector [a b].
func (t *Task) pair(a, b Value) Value {
	v := t.smallVector(2)
	v.tail.Vals[0], v.tail.Vals[1] = a, b
	return Value{h: &v.Header}
}

// VectorFrom returns a vector of vals, a block from Vals that the caller must not use afterwards.
func (t *Task) VectorFrom(vals []Value) Value {
	switch n := len(vals); {
	case n == 0:
		return EmptyVector
	case n <= vecWidth && cap(vals) <= vecWidth:
		return t.vectorOfChunk(t.Chunk(vals))
	default:
		return t.Vector(vals...)
	}
}

// vectorOfChunk returns a vector of a chunk of up to 32 values.
func (t *Task) vectorOfChunk(c *Chunk) Value {
	t.Charge(sizeVector)
	v := &Vector{Header: t.vectorHeader(), Count: int32(len(c.Vals)), tail: c}
	return Value{h: &v.Header}
}

// VectorOf returns a vector of n values. It calls fill for one block after another, from the first
// value to the last, with the index of the block's first value.
func (t *Task) VectorOf(n int, fill func(block []Value, from int)) Value {
	switch {
	case n == 0:
		return EmptyVector
	case n <= maxSmall:
		v := t.smallVector(n)
		fill(v.tail.Vals, 0)
		return Value{h: &v.Header}
	case n <= vecWidth:
		vals := t.Vals(n)
		fill(vals, 0)
		return t.vectorOfChunk(t.Chunk(vals))
	}
	return t.bigVector(n, fill)
}

// bigVector returns a vector of more than 32 values, built from the bottom up.
func (t *Task) bigVector(n int, fill func(block []Value, from int)) Value {
	tailLen := (n-1)&vecMask + 1
	inTrie := n - tailLen
	t.Charge(int64(inTrie>>vecBits)*(sizeChunk+ValsSize(vecWidth)) + sizeChunk + ValsSize(tailLen) + sizeVector)
	v := &Vector{Header: t.vectorHeader(), Count: int32(n), shift: vecBits}
	for inTrie>>vecBits > 1<<v.shift {
		v.shift += vecBits
	}
	v.root = t.trieOf(0, inTrie, v.shift, fill)
	v.tail = t.leafOf(inTrie, n, fill)
	return Value{h: &v.Header}
}

// leafOf returns a chunk of the values in a range. The caller has charged it.
func (t *Task) leafOf(from, to int, fill func(block []Value, from int)) *Chunk {
	countVals(&t.Born, to-from)
	block := make([]Value, to-from)
	fill(block, from)
	return &Chunk{Header: t.header(KindChunk), Vals: block}
}

// trieOf returns the node at a level of shift bits over a range. The length of the range must be a
// multiple of 32.
func (t *Task) trieOf(from, to int, shift uint8, fill func(block []Value, from int)) *vnode {
	n := t.vnode(nil)
	step := vecWidth << (shift - vecBits)
	for i := 0; from < to; i++ {
		end := min(from+step, to)
		if shift == vecBits {
			t.Work(vecWidth / 4)
			n.kids[i] = &t.leafOf(from, end, fill).Header
		} else {
			n.kids[i] = &t.trieOf(from, end, shift-vecBits, fill).Header
		}
		from = end
	}
	return n
}

// vnode makes an empty inner node that edit may change.
func (t *Task) vnode(edit *Header) *vnode {
	t.Charge(sizeVNode)
	return &vnode{Header: t.nodeHeader(nodeVector), edit: edit}
}

// tailOff returns the position of the first value in the tail of a trie that ends before position
// end.
func tailOff(end int) int {
	if end == 0 {
		return 0
	}
	return (end - 1) &^ vecMask
}

// end returns the position after the last value.
func (v *Vector) end() int { return int(v.start) + int(v.Count) }

// Short returns the values of a vector that has no trie, and nil for other vectors.
func (v *Vector) Short() []Value {
	if v.root != nil || v.start != 0 {
		return nil
	}
	return v.tail.Vals[:v.Count]
}

// VecNth returns the i-th value of v. i must be in range.
func VecNth(v *Vector, i int) Value {
	p := int(v.start) + i
	if off := tailOff(v.end()); p >= off {
		return v.tail.Vals[p-off]
	}
	return trieLeaf(v.root, v.shift, p).Vals[p&vecMask]
}

// trieLeaf returns the leaf that contains position p.
func trieLeaf(n *vnode, shift uint8, p int) *Chunk {
	for ; shift > vecBits; shift -= vecBits {
		n = pointer[vnode](n.kids[p>>shift&vecMask])
	}
	return pointer[Chunk](n.kids[p>>vecBits&vecMask])
}

// chunkAt returns the leaf or tail that contains position p, and the position of its first value.
func (v *Vector) chunkAt(p int) (c *Chunk, first int) {
	if off := tailOff(v.end()); p >= off {
		return v.tail, off
	}
	return trieLeaf(v.root, v.shift, p), p &^ vecMask
}

// chunkFor returns the part of v that contains the i-th value: the values of a leaf that v sees,
// and the index of the first of them. i must be in range.
func (v *Vector) chunkFor(i int) (vals []Value, first int) {
	c, at := v.chunkAt(int(v.start) + i)
	end := min(v.end()-at, vecWidth)
	skip := max(int(v.start)-at, 0)
	return c.Vals[skip:end:end], at + skip - int(v.start)
}

// VectorItems calls f with the parts of v in order until f returns false.
func vectorItems(v *Vector, f func(vals []Value) bool) {
	for i := 0; i < int(v.Count); {
		vals, first := v.chunkFor(i)
		if !f(vals) {
			return
		}
		i = first + len(vals)
	}
}

// AsVec returns a vector or, for a map entry, the vector of its two parts.
func (t *Task) AsVec(v Value) *Vector {
	if v.h.kind == KindMapEntry {
		e := v.AsEntry()
		return t.pair(e.Key, e.Val).AsVector()
	}
	return v.AsVector()
}

// VecCount returns the count of a vector or map entry.
func VecCount(v Value) int {
	if v.h.kind == KindMapEntry {
		return 2
	}
	return int(v.AsVector().Count)
}

// VecAt returns the i-th value of a vector or map entry. i must be in range.
func VecAt(v Value, i int) Value {
	if v.h.kind != KindMapEntry {
		return VecNth(v.AsVector(), i)
	}
	if i == 0 {
		return v.AsEntry().Key
	}
	return v.AsEntry().Val
}
