// This file tests the internal shape of collections: counts, positions, and that no invisible part
// keeps values alive.

package value

import (
	"math/bits"
	"testing"
)

// checkVecShape checks the trie and the tail of a vector.
func checkVecShape(tt *testing.T, v *Vector) {
	tt.Helper()
	off := tailOff(v.end())
	if n := v.end() - off; v.Count > 0 && (n < 1 || n > len(v.tail.Vals)) {
		tt.Fatalf("tail of %d, used %d", len(v.tail.Vals), n)
	}
	checkUnused(tt, v.tail.Vals)
	if (v.root == nil) != (off == 0) {
		tt.Fatalf("trie of a vector that ends at %d: %v", v.end(), v.root != nil)
	}
	if v.root != nil {
		checkVNode(tt, v.root, v.shift, off)
	}
}

// checkVNode checks a node that holds n positions, starting with its first.
func checkVNode(tt *testing.T, n *vnode, shift uint8, count int) {
	tt.Helper()
	step := 1 << shift
	for i, h := range n.kids {
		part := min(count-i*step, step)
		switch {
		case part <= 0:
			if h != nil {
				tt.Fatalf("node at shift %d keeps child %d after its end", shift, i)
			}
		case shift > vecBits:
			checkVNode(tt, pointer[vnode](h), shift-vecBits, part)
		case len(pointer[Chunk](h).Vals) != vecWidth:
			tt.Fatalf("leaf of %d", len(pointer[Chunk](h).Vals))
		}
	}
}

// checkUnused checks that the spare capacity of a block is empty.
func checkUnused(tt *testing.T, block []Value) {
	tt.Helper()
	for _, x := range block[len(block):cap(block)] {
		if x.h != nil {
			tt.Fatal("a value is left in spare capacity")
		}
	}
}

// checkTrie checks a node whose entries share the hash bits below shift.
func checkTrie(tt *testing.T, t *Task, n *hnode, stride int, shift uint, prefix uint32) int32 {
	tt.Helper()
	low := uint32(1)<<min(shift, 31) - 1
	count := int32(0)
	entry := func(k Value, mask, want uint32) {
		count++
		if hashKey(t, k)&mask != want&mask {
			tt.Fatalf("entry at shift %d in the wrong place", shift)
		}
	}
	switch n.flags {
	case nodeCollision:
		vals := n.collision().vals
		checkUnused(tt, vals)
		for i := 0; i < len(vals); i += stride {
			entry(vals[i], 1<<32-1, n.dataMap)
		}
	default:
		if n.dataMap&n.nodeMap != 0 {
			tt.Fatal("a position is taken twice")
		}
		for rest := n.dataMap; rest != 0; rest &= rest - 1 {
			bit := rest & -rest
			entry(*n.slot(n.dataAt(bit, stride)), low|31<<shift, prefix|uint32(bits.TrailingZeros32(bit))<<shift)
		}
		for rest := n.nodeMap; rest != 0; rest &= rest - 1 {
			bit := rest & -rest
			kid := n.below(bit)
			if kid.count < 2 && n.flags != nodeDense {
				tt.Fatal("an entry is alone in its node")
			}
			count += checkTrie(tt, t, kid, stride, shift+hashBits, prefix|uint32(bits.TrailingZeros32(bit))<<shift)
		}
		checkSlots(tt, n, stride)
	}
	if count != n.count {
		tt.Fatalf("node counts %d, has %d", n.count, count)
	}
	return count
}

// checkSlots checks that unused slots and positions are empty.
func checkSlots(tt *testing.T, n *hnode, stride int) {
	tt.Helper()
	if n.flags == nodeDense {
		for i, kid := range n.dense().kids {
			if (kid != nil) != (n.nodeMap>>i&1 == 1) {
				tt.Fatalf("position %d of a dense node", i)
			}
		}
		return
	}
	slots := n.slots()
	for _, x := range slots[n.dataLen(stride) : len(slots)-bits.OnesCount32(n.nodeMap)] {
		if x.h != nil {
			tt.Fatal("a value is left in a slot out of use")
		}
	}
}

func checkTries(tt *testing.T, t *Task, m, s Value) {
	tt.Helper()
	if m.Kind() == KindHashMap && as[HashMap](m).root != nil {
		checkTrie(tt, t, as[HashMap](m).root, mapStride, 0, 0)
	}
	if root := as[HashSet](s).root; root != nil {
		checkTrie(tt, t, root, setStride, 0, 0)
	}
}
