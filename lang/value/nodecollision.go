// This file changes collision nodes.

package value

// collisionNode returns an empty collision node for count entries with room for n values.
func (t *Task) collisionNode(edit *Header, hash uint32, count int32, n int) *collisionNode {
	t.Charge(sizeCollisionNode + ValsSize(n))
	c := &collisionNode{hnode: hnode{Header: t.nodeHeader(nodeCollision), edit: edit, dataMap: hash, count: count}}
	countVals(&t.Born, n)
	c.vals = make([]Value, 0, n)
	return c
}

// putCollision is put at a collision node.
func (e *nodeEdit) putCollision(n *collisionNode, shift uint) *hnode {
	if e.hash != n.dataMap {
		return e.splitCollision(n, shift)
	}
	if i := n.index(e.t, e.stride, e.key); i >= 0 {
		if e.stride == 1 || Identical(n.vals[i+1], e.val) {
			return &n.hnode
		}
		n = e.ownCollision(n, len(n.vals))
		n.vals[i+1] = e.val
		return &n.hnode
	}
	n = e.ownCollision(n, len(n.vals)+e.stride)
	e.addTo(n, e.key, e.val)
	n.count++
	e.added = true
	return &n.hnode
}

// addTo appends an entry to a collision node that has room for it.
func (e *nodeEdit) addTo(n *collisionNode, k, v Value) {
	n.vals = append(n.vals, k)
	if e.stride == 2 {
		n.vals = append(n.vals, v)
	}
}

// ownCollision returns n if it may be changed and has room for room values, else a copy that has.
func (e *nodeEdit) ownCollision(n *collisionNode, room int) *collisionNode {
	if e.owns(&n.hnode) && room <= cap(n.vals) {
		return n
	}
	if e.edit != nil && room > len(n.vals) {
		room += room / 2
	}
	e.t.Work(int64(n.count))
	m := e.t.collisionNode(e.edit, n.dataMap, n.count, room)
	m.vals = append(m.vals, n.vals...)
	return m
}

// splitCollision makes a node from the collision node and an entry with another hash.
func (e *nodeEdit) splitCollision(n *collisionNode, shift uint) *hnode {
	a, b := position(n.dataMap, shift), position(e.hash, shift)
	if a == b {
		kid := e.splitCollision(n, shift+hashBits)
		m := e.t.hnode(1, e.edit)
		m.nodeMap, m.count = a, kid.count
		m.slot(int(m.cap) - 1).h = &kid.Header
		return m
	}
	m := e.t.hnode(e.stride+1, e.edit)
	m.dataMap, m.nodeMap, m.count = b, a, n.count+1
	m.slot(int(m.cap) - 1).h = &n.Header
	e.setEntry(m, 0, e.key, e.val)
	e.added = true
	return m
}

// delCollision removes the entry from a collision node of more than two entries. As in Clojure, a
// transient moves the last entry into the gap.
func (e *nodeEdit) delCollision(n *collisionNode) *hnode {
	i := n.index(e.t, e.stride, e.key)
	n = e.ownCollision(n, len(n.vals))
	last := len(n.vals) - e.stride
	if e.edit != nil {
		copy(n.vals[i:i+e.stride], n.vals[last:])
	} else {
		copy(n.vals[i:], n.vals[i+e.stride:])
	}
	clear(n.vals[last:])
	n.vals = n.vals[:last]
	n.count--
	return &n.hnode
}
