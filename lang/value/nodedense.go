// This file changes dense nodes.

package value

import "math/bits"

// single makes a node of one entry.
func (e *nodeEdit) single(hash uint32, shift uint, k, v Value) *hnode {
	n := e.t.hnode(e.room(e.stride), e.edit)
	n.dataMap, n.count = position(hash, shift), 1
	e.setEntry(n, 0, k, v)
	return n
}

func (e *nodeEdit) dense() *denseNode {
	e.t.Charge(sizeDenseNode)
	return &denseNode{hnode: hnode{Header: e.t.nodeHeader(nodeDense), edit: e.edit}}
}

// ownDense returns d if it may be changed, else a copy.
func (e *nodeEdit) ownDense(d *denseNode) *denseNode {
	if e.owns(&d.hnode) {
		return d
	}
	n := e.dense()
	n.nodeMap, n.count, n.kids = d.nodeMap, d.count, d.kids
	return n
}

// toDense returns a dense node with the contents of n, and with kid in place of the entry at bit.
func (e *nodeEdit) toDense(n *hnode, bit uint32, kid *hnode, shift uint) *hnode {
	d := e.dense()
	d.nodeMap, d.count = n.dataMap|n.nodeMap, n.count+1
	for rest := d.nodeMap; rest != 0; rest &= rest - 1 {
		b := rest & -rest
		i := bits.TrailingZeros32(b)
		switch {
		case b == bit:
			d.kids[i] = kid
		case n.nodeMap&b != 0:
			d.kids[i] = n.below(b)
		default:
			at := n.dataAt(b, e.stride)
			k := *n.slot(at)
			d.kids[i] = e.single(hashKey(e.t, k), shift+hashBits, k, *n.slot(at + e.stride - 1))
		}
	}
	if e.owns(n) {
		e.t.creditNode(n)
	}
	return &d.hnode
}

// putDense is put at a dense node.
func (e *nodeEdit) putDense(d *denseNode, shift uint) *hnode {
	i := e.hash >> shift & 31
	kid := d.kids[i]
	var got *hnode
	if kid == nil {
		got = e.single(e.hash, shift+hashBits, e.key, e.val)
		e.added = true
	} else {
		got = e.put(kid, shift+hashBits)
		if got == kid && !e.added {
			return &d.hnode
		}
	}
	d = e.ownDense(d)
	d.kids[i] = got
	d.nodeMap |= 1 << i
	if e.added {
		d.count++
	}
	return &d.hnode
}

// putBelow is put at a root that may be changed. It does not recurse through the dense nodes that
// may be changed too, which are most of the path in a large transient.
func (e *nodeEdit) putBelow(root *denseNode) {
	var path [maxLevels]*denseNode
	depth, shift := 0, uint(0)
	for d := root; ; {
		path[depth] = d
		depth++
		i := e.hash >> shift & 31
		shift += hashBits
		kid := d.kids[i]
		if kid != nil && kid.flags == nodeDense && kid.edit == e.edit {
			d = kid.dense()
			continue
		}
		if kid == nil {
			d.kids[i] = e.single(e.hash, shift, e.key, e.val)
			d.nodeMap |= 1 << i
			e.added = true
		} else if got := e.put(kid, shift); got != kid {
			d.kids[i] = got
		}
		break
	}
	if e.added {
		for _, d := range path[:depth] {
			d.count++
		}
	}
}

// delDense is del at a dense node.
func (e *nodeEdit) delDense(d *denseNode, shift uint) *hnode {
	i := e.hash >> shift & 31
	kid := d.kids[i]
	var got *hnode
	switch {
	case kid.count > 2:
		got = e.del(kid, shift+hashBits)
	case kid.count == 2:
		k, v := e.other(kid)
		got = e.single(hashKey(e.t, k), shift+hashBits, k, v)
	case bits.OnesCount32(d.nodeMap) <= denseTo:
		return e.pack(d, i)
	}
	d = e.ownDense(d)
	d.kids[i] = got
	if got == nil {
		d.nodeMap &^= 1 << i
	}
	d.count--
	return &d.hnode
}

// pack returns a node with the slots of a dense node, except the node at i, whose only entry is
// removed.
func (e *nodeEdit) pack(d *denseNode, i uint32) *hnode {
	var dataMap uint32
	rest := d.nodeMap &^ (1 << i)
	for b := rest; b != 0; b &= b - 1 {
		if at := bits.TrailingZeros32(b); d.kids[at].count == 1 {
			dataMap |= 1 << at
		}
	}
	n := e.t.hnode(bits.OnesCount32(dataMap)*e.stride+bits.OnesCount32(rest&^dataMap), e.edit)
	n.dataMap, n.nodeMap, n.count = dataMap, rest&^dataMap, d.count-1
	for ; rest != 0; rest &= rest - 1 {
		b := rest & -rest
		kid := d.kids[bits.TrailingZeros32(b)]
		if dataMap&b == 0 {
			n.slot(n.kidAt(b)).h = &kid.Header
			continue
		}
		e.setEntry(n, n.dataAt(b, e.stride), *kid.slot(0), *kid.slot(e.stride - 1))
	}
	if e.owns(&d.hnode) {
		e.t.creditNode(&d.hnode)
	}
	return n
}
