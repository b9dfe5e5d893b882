// This file adds entries to a hash trie and removes them.

package value

import "math/bits"

// nodeEdit is one change of a hash trie. Nodes that edit made are changed in place, and others are
// copied. edit is nil for persistent operations.
//
// Every charge comes before the first change of a node. A node that is changed in place is reached
// only through such nodes, so no node above a changed node is copied.
type nodeEdit struct {
	t        *Task
	edit     *Header
	key, val Value
	hash     uint32
	stride   int
	added    bool
}

func (e *nodeEdit) owns(n *hnode) bool { return e.edit != nil && n.edit == e.edit }

// own returns n if it may be changed, else a copy.
func (e *nodeEdit) own(n *hnode) *hnode {
	if e.owns(n) {
		return n
	}
	d, s := n.dataLen(e.stride), bits.OnesCount32(n.nodeMap)
	m := e.t.hnode(d+s, e.edit)
	m.dataMap, m.nodeMap, m.count = n.dataMap, n.nodeMap, n.count
	to, from := m.slots(), n.slots()
	copy(to, from[:d])
	copy(to[len(to)-s:], from[len(from)-s:])
	return m
}

// room returns the number of slots to allocate for n entries and child nodes: half as many again if the
// node will be changed in place. A new node of one entry gets room for 2 and one of two for 3, which saves
// a quarter of the allocations compared with exact sizes.
func (e *nodeEdit) room(n int) int {
	if e.edit == nil {
		return n
	}
	return min(max((n+n/2)/e.stride, n/e.stride+1)*e.stride, maxSlots)
}

// putRoot is put for a whole trie, which may be empty.
func (e *nodeEdit) putRoot(root *hnode) *hnode {
	switch {
	case root == nil:
		e.added = true
		return e.single(e.hash, 0, e.key, e.val)
	case e.owns(root) && root.flags == nodeDense:
		e.putBelow(root.dense())
		return root
	}
	return e.put(root, 0)
}

// put returns the trie with the entry added. It sets added if the key is new.
func (e *nodeEdit) put(n *hnode, shift uint) *hnode {
	switch n.flags {
	case nodeDense:
		return e.putDense(n.dense(), shift)
	case nodeCollision:
		return e.putCollision(n.collision(), shift)
	}
	bit := position(e.hash, shift)
	switch {
	case n.dataMap&bit != 0:
		return e.putData(n, bit, shift)
	case n.nodeMap&bit == 0:
		e.added = true
		return e.insert(n, bit)
	}
	kid := n.kid(n.kidAt(bit))
	got := e.put(kid, shift+hashBits)
	if got == kid && !e.added {
		return n
	}
	n = e.own(n)
	n.slot(n.kidAt(bit)).h = &got.Header
	if e.added {
		n.count++
	}
	return n
}

// putData is put at a position that has an entry.
func (e *nodeEdit) putData(n *hnode, bit uint32, shift uint) *hnode {
	i := n.dataAt(bit, e.stride)
	k := n.slot(i)
	if keyEq(e.t, *k, e.key) {
		if e.stride == 1 || Identical(*second(k), e.val) {
			return n
		}
		n = e.own(n)
		*n.slot(i + 1) = e.val
		return n
	}
	var v Value
	if e.stride == 2 {
		v = *second(k)
	}
	kid := e.pair(shift+hashBits, hashKey(e.t, *k), *k, v)
	e.added = true
	if bits.OnesCount32(n.nodeMap)+1 >= denseFrom {
		return e.toDense(n, bit, kid, shift)
	}
	return e.dataToNode(n, bit, kid)
}

// pair returns a node of two entries: one with hash h, k and v, and the new one.
func (e *nodeEdit) pair(shift uint, h uint32, k, v Value) *hnode {
	if h == e.hash {
		n := e.t.collisionNode(e.edit, h, 2, 2*e.stride)
		e.addTo(n, k, v)
		e.addTo(n, e.key, e.val)
		return &n.hnode
	}
	a, b := position(h, shift), position(e.hash, shift)
	if a == b {
		kid := e.pair(shift+hashBits, h, k, v)
		n := e.t.hnode(1, e.edit)
		n.nodeMap, n.count = a, 2
		n.slot(int(n.cap) - 1).h = &kid.Header
		return n
	}
	n := e.t.hnode(e.room(2*e.stride), e.edit)
	n.dataMap, n.count = a|b, 2
	e.setEntry(n, n.dataAt(a, e.stride), k, v)
	e.setEntry(n, n.dataAt(b, e.stride), e.key, e.val)
	return n
}

func (e *nodeEdit) setEntry(n *hnode, i int, k, v Value) {
	*n.slot(i) = k
	if e.stride == 2 {
		*n.slot(i + 1) = v
	}
}

// resized returns a node with the entries and child nodes of n, and extra more slots than n uses.
// It moves the entries from slot gap on up by open.
func (e *nodeEdit) resized(n *hnode, extra, gap, open int) *hnode {
	d, s := n.dataLen(e.stride), bits.OnesCount32(n.nodeMap)
	m := e.t.hnode(e.room(d+s+extra), e.edit)
	m.dataMap, m.nodeMap, m.count = n.dataMap, n.nodeMap, n.count
	to, from := m.slots(), n.slots()
	copy(to, from[:gap])
	if gap < d {
		copy(to[gap+open:], from[gap:d])
	}
	if s > 0 {
		copy(to[len(to)-s:], from[len(from)-s:])
	}
	if e.owns(n) {
		e.t.creditNode(n)
	}
	return m
}

// insert adds the new entry at a free position.
func (e *nodeEdit) insert(n *hnode, bit uint32) *hnode {
	i, d := n.dataAt(bit, e.stride), n.dataLen(e.stride)
	if e.owns(n) && d+bits.OnesCount32(n.nodeMap)+e.stride <= int(n.cap) {
		if i < d {
			s := n.slots()
			copy(s[i+e.stride:d+e.stride], s[i:d])
		}
	} else {
		n = e.resized(n, e.stride, i, e.stride)
	}
	e.setEntry(n, i, e.key, e.val)
	n.dataMap |= bit
	n.count++
	return n
}

// dataToNode replaces an entry by kid, which contains it.
func (e *nodeEdit) dataToNode(n *hnode, bit uint32, kid *hnode) *hnode {
	n = e.own(n)
	s := n.slots()
	i, d := n.dataAt(bit, e.stride), n.dataLen(e.stride)
	copy(s[i:], s[i+e.stride:d])
	clear(s[d-e.stride : d])
	at := n.kidAt(bit)
	low := len(s) - bits.OnesCount32(n.nodeMap)
	copy(s[low-1:], s[low:at+1])
	s[at] = Value{h: &kid.Header}
	n.dataMap &^= bit
	n.nodeMap |= bit
	n.count++
	return n
}

// nodeToData replaces a child node by its only remaining entry k, v.
func (e *nodeEdit) nodeToData(n *hnode, bit uint32, k, v Value) *hnode {
	i, d, used := n.dataAt(bit, e.stride), n.dataLen(e.stride), bits.OnesCount32(n.nodeMap)
	if !e.owns(n) || d+used-1+e.stride > int(n.cap) {
		n = e.resized(n, e.stride-1, d, 0)
	}
	s := n.slots()
	at, low := n.kidAt(bit), len(s)-used
	copy(s[low+1:], s[low:at])
	clear(s[low : low+1])
	copy(s[i+e.stride:d+e.stride], s[i:d])
	e.setEntry(n, i, k, v)
	n.dataMap |= bit
	n.nodeMap &^= bit
	n.count--
	return n
}

// del returns the trie without the entry of the key, which must exist, or nil if nothing is left.
func (e *nodeEdit) del(n *hnode, shift uint) *hnode {
	switch n.flags {
	case nodeDense:
		return e.delDense(n.dense(), shift)
	case nodeCollision:
		return e.delCollision(n.collision())
	}
	bit := position(e.hash, shift)
	if n.dataMap&bit != 0 {
		return e.delData(n, bit)
	}
	kid := n.kid(n.kidAt(bit))
	if kid.count == 2 {
		k, v := e.other(kid)
		return e.nodeToData(n, bit, k, v)
	}
	got := e.del(kid, shift+hashBits)
	n = e.own(n)
	n.slot(n.kidAt(bit)).h = &got.Header
	n.count--
	return n
}

func (e *nodeEdit) delData(n *hnode, bit uint32) *hnode {
	if n.count == 1 {
		return nil
	}
	n = e.own(n)
	s := n.slots()
	i, d := n.dataAt(bit, e.stride), n.dataLen(e.stride)
	copy(s[i:], s[i+e.stride:d])
	clear(s[d-e.stride : d])
	n.dataMap &^= bit
	n.count--
	return n
}

// other returns the entry of a node of two entries that does not have the key.
func (e *nodeEdit) other(n *hnode) (k, v Value) {
	for n.flags != nodeCollision && n.dataMap == 0 {
		n = n.kid(int(n.cap) - 1)
	}
	vals := n.slots()
	if n.flags == nodeCollision {
		vals = n.collision().vals
	}
	if keyEq(e.t, vals[0], e.key) {
		vals = vals[e.stride:]
	}
	return vals[0], vals[e.stride-1]
}
