// This file defines the nodes of hash maps and hash sets: layout, allocation and look-up.

package value

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/internal/murmur"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// hnode is the beginning of a node of a hash trie; its slots follow in the same allocation. A node
// has a position for each value of 5 bits of the hash, with the lowest bits at the root. dataMap
// has a bit for each position with one entry, and nodeMap for each with a child node. The slots
// hold the entries from the front in order of position (stride values each: key and value in a map,
// the member in a set) and the child nodes from the back.
//
// Visited in order of position, entries come in the order of Clojure's PersistentHashMap, whose
// nodes branch on the same bits. A child node has at least two entries, unless it is a denseNode.
//
// Slots in the same allocation save an allocation and a cache miss per level compared with a slice.
// The variable size is the reason for the unsafe arithmetic here.
type hnode struct {
	Header                   // flags: nodeHash, nodeDense or nodeCollision
	edit             *Header // the transient that made the node and may change it, or nil
	dataMap, nodeMap uint32  // of a collisionNode: the hash, 0
	count            int32   // entries in the node and below
	cap              uint32  // slots
}

// denseNode is a node with a position for every value and no entries. A node becomes dense when it
// has 16 child nodes, and stays dense until fewer than 8 are left. A dense node is half as large as
// a node with as many slots. This matters in every persistent change, which copies the upper nodes:
// in a large map these are dense.
type denseNode struct {
	hnode
	kids [32]*hnode
}

const (
	denseFrom = 16
	denseTo   = 8
)

// collisionNode holds entries whose hashes are equal, in order of insertion.
type collisionNode struct {
	hnode
	vals []Value
}

const (
	hashBits  = 5
	frontSize = unsafe.Sizeof(hnode{})
	maxSlots  = 64
)

// nodeShape is an allocation of a node with a number of slots. There is one for each size class of
// the allocator up to 64 slots.
type nodeShape struct {
	slots uint32
	make  func() *hnode
	size  int64
	class limits.Class
}

type shapedNode[A any] struct {
	hnode
	//lint:ignore U1000 the slots are reached through the pointer of hnode
	slots A
}

func shape[A any]() nodeShape {
	var a A
	size := objectSize[shapedNode[A]]()
	return nodeShape{uint32(unsafe.Sizeof(a)) / uint32(valueSize),
		func() *hnode { return &new(shapedNode[A]).hnode }, size, classOf(size)}
}

var (
	nodeShapes = [...]nodeShape{
		shape[[1]Value](), shape[[2]Value](), shape[[3]Value](), shape[[4]Value](), shape[[5]Value](),
		shape[[6]Value](), shape[[7]Value](), shape[[8]Value](), shape[[9]Value](), shape[[10]Value](),
		shape[[11]Value](), shape[[12]Value](), shape[[13]Value](), shape[[14]Value](), shape[[16]Value](),
		shape[[18]Value](), shape[[20]Value](), shape[[22]Value](), shape[[24]Value](), shape[[26]Value](),
		shape[[28]Value](), shape[[30]Value](), shape[[33]Value](), shape[[37]Value](), shape[[41]Value](),
		shape[[45]Value](), shape[[53]Value](), shape[[61]Value](), shape[[maxSlots]Value](),
	}
	shapeOf           = shapesBySlots()
	sizeDenseNode     = objectSize[denseNode]()
	sizeCollisionNode = objectSize[collisionNode]()
)

// shapesBySlots returns the index of the smallest shape for each number of slots.
func shapesBySlots() (table [maxSlots + 1]uint8) {
	s := 0
	for n := range table {
		if int(nodeShapes[s].slots) < n {
			s++
		}
		table[n] = uint8(s)
	}
	return table
}

// hnode returns an empty node with room for n slots.
func (t *Task) hnode(n int, edit *Header) *hnode {
	s := &nodeShapes[shapeOf[n]]
	t.Charge(s.size)
	t.Born.Count(s.class)
	node := s.make()
	node.Header = Header{kind: KindNode, flags: nodeHash, owner: t.Owner}
	node.edit, node.cap = edit, s.slots
	return node
}

// nodeSize returns the charged size of a node.
func nodeSize(n *hnode) int64 {
	switch n.flags {
	case nodeCollision:
		return sizeCollisionNode + ValsSize(cap(n.collision().vals))
	case nodeDense:
		return sizeDenseNode
	}
	return nodeShapes[shapeOf[n.cap]].size
}

func (n *hnode) dense() *denseNode { return (*denseNode)(unsafe.Pointer(n)) }

func (n *hnode) collision() *collisionNode { return (*collisionNode)(unsafe.Pointer(n)) }

// slot returns the i-th slot, which must exist.
func (n *hnode) slot(i int) *Value {
	return (*Value)(unsafe.Add(unsafe.Pointer(n), frontSize+uintptr(i*valueSize)))
}

func (n *hnode) slots() []Value { return unsafe.Slice(n.slot(0), int(n.cap)) }

// dataLen returns the number of slots that hold entries.
func (n *hnode) dataLen(stride int) int { return bits.OnesCount32(n.dataMap) * stride }

// dataAt returns the slot of the entry at a position.
func (n *hnode) dataAt(bit uint32, stride int) int {
	return bits.OnesCount32(n.dataMap&(bit-1)) * stride
}

// kidAt returns the slot of the child node at a position.
func (n *hnode) kidAt(bit uint32) int {
	return int(n.cap) - 1 - bits.OnesCount32(n.nodeMap&(bit-1))
}

func (n *hnode) kid(slot int) *hnode { return pointer[hnode](n.slot(slot).h) }

// below returns the child node at a position that has one.
func (n *hnode) below(bit uint32) *hnode {
	if n.flags == nodeDense {
		return n.dense().kids[bits.TrailingZeros32(bit)]
	}
	return n.kid(n.kidAt(bit))
}

// position returns the bit of a hash's position in a node.
func position(hash uint32, shift uint) uint32 { return 1 << (hash >> shift & 31) }

// find returns the slots of the entry with a key, or nil. The key must not be nil.
func (n *hnode) find(t *Task, stride int, hash uint32, k Value) *Value {
	for shift := uint(0); ; shift += hashBits {
		switch n.flags {
		case nodeDense:
			if n = n.dense().kids[hash>>shift&31]; n == nil {
				return nil
			}
			continue
		case nodeCollision:
			return n.collision().find(t, stride, hash, k)
		}
		bit := position(hash, shift)
		if n.dataMap&bit != 0 {
			p := n.slot(n.dataAt(bit, stride))
			if keyEq(t, *p, k) {
				return p
			}
			return nil
		}
		if n.nodeMap&bit == 0 {
			return nil
		}
		n = n.kid(n.kidAt(bit))
	}
}

func (n *collisionNode) find(t *Task, stride int, hash uint32, k Value) *Value {
	if hash != n.dataMap {
		return nil
	}
	if i := n.index(t, stride, k); i >= 0 {
		return &n.vals[i]
	}
	return nil
}

func (n *collisionNode) index(t *Task, stride int, k Value) int {
	t.Work(int64(n.count))
	for i := 0; i < len(n.vals); i += stride {
		if keyEq(t, n.vals[i], k) {
			return i
		}
	}
	return -1
}

// second returns the value after a key in its slots.
func second(p *Value) *Value { return (*Value)(unsafe.Add(unsafe.Pointer(p), valueSize)) }

// entryAt returns the slots of the i-th entry in order.
func (n *hnode) entryAt(stride, i int) *Value {
	for {
		if n.flags == nodeCollision {
			return &n.collision().vals[i*stride]
		}
		below := n.nodeMap
		for {
			bit := below & -below
			before := bits.OnesCount32(n.dataMap & (bit - 1))
			// i counts the entries of this node and those of the child nodes not passed yet.
			if below == 0 || i < before {
				return n.slot(i * stride)
			}
			kid := n.below(bit)
			if i < before+int(kid.count) {
				n, i = kid, i-before
				break
			}
			i -= int(kid.count)
			below &= below - 1
		}
	}
}

// hashKey is Hash with a fast path for the most common keys. k must not be nil.
func hashKey(t *Task, k Value) uint32 {
	switch {
	case k.h.kind == KindKeyword:
		return uint32(k.bits)
	case k.h == &intHeader:
		return uint32(murmur.HashLong(int64(k.bits)))
	}
	return Hash(t, k)
}

// keyEq is Equal with a fast path for the most common keys.
func keyEq(t *Task, a, b Value) bool {
	if a.h == b.h {
		if a.h == &floatHeader {
			return math.Float64frombits(a.bits) == math.Float64frombits(b.bits)
		}
		return a.bits == b.bits
	}
	if a.h == nil || b.h == nil {
		return false
	}
	switch a.h.kind {
	case KindKeyword:
		return a.bits == b.bits && sameKeyword(a.h, b.h)
	case KindString:
		return b.h.kind == KindString && pointer[String](a.h).S == pointer[String](b.h).S
	}
	return Equal(t, a, b)
}

// sameKeyword reports whether two headers are keywords of the same name. a must be a keyword.
func sameKeyword(a, b *Header) bool {
	if b == nil || b.kind != KindKeyword {
		return false
	}
	x, y := pointer[Keyword](a), pointer[Keyword](b)
	return x.Name == y.Name && x.NS == y.NS
}
