// This file defines the operations that derive a vector from another: conj, assoc, pop, subvec.

package value

import "github.com/ptc-lang/ptc/lang/diag"

// tailCap returns the capacity of a new tail for n values.
func tailCap(n int) int {
	c := 4
	for c < n {
		c *= 2
	}
	return c
}

// newTail returns a chunk with the values of vals and room for more.
func (t *Task) newTail(vals []Value, capacity int) *Chunk {
	t.Charge(sizeChunk + ValsSize(capacity))
	countVals(&t.Born, capacity)
	block := make([]Value, len(vals), capacity)
	copy(block, vals)
	return &Chunk{Header: t.header(KindChunk), Vals: block}
}

// extends reports whether a vector that sees n values of c may append a value to c in place. Nobody
// appends to a constant, which others may be reading.
func (t *Task) extends(c *Chunk, n int) bool {
	return len(c.Vals) == n && n < cap(c.Vals) && c.owner == t.Owner && c.owner != 0
}

// vec returns a vector like v with another count.
func (t *Task) vec(v *Vector, count int32) *Vector {
	t.Charge(sizeVector)
	return &Vector{Header: t.vectorHeader(), Count: count, root: v.root, tail: v.tail, Meta: v.Meta,
		start: v.start, shift: v.shift}
}

// vecConj appends x.
func (t *Task) vecConj(v *Vector, x Value) Value {
	end := v.end()
	off := tailOff(end)
	n := end - off
	switch {
	case t.extends(v.tail, n):
		w := t.vec(v, v.Count+1)
		v.tail.Vals = append(v.tail.Vals, x)
		return Value{h: &w.Header}
	case n < vecWidth:
		tail := t.newTail(v.tail.Vals[:n], tailCap(n+1))
		tail.Vals = append(tail.Vals, x)
		w := t.vec(v, v.Count+1)
		w.tail = tail
		return Value{h: &w.Header}
	case end >= maxCount:
		t.Fail(diag.IllegalArgument, "conj: a vector holds at most %d elements", maxCount)
	}
	w := t.vec(v, v.Count+1)
	w.root, w.shift = t.pushTail(v.root, v.shift, nil, off, v.tail, false)
	w.tail = t.newTail(nil, vecWidth)
	w.tail.Vals = append(w.tail.Vals, x)
	return Value{h: &w.Header}
}

// pushTail puts the full chunk c at position off of the trie. owned reports whether edit made c. It
// returns the new root and its shift.
func (t *Task) pushTail(root *vnode, shift uint8, edit *Header, off int, c *Chunk, owned bool) (*vnode, uint8) {
	switch {
	case root == nil:
		root, shift = t.vnode(edit), vecBits
	case off>>vecBits >= 1<<shift: // the trie is full: add a level on top
		top := t.vnode(edit)
		top.kids[0] = &root.Header
		root, shift = top, shift+vecBits
	default:
		root = t.editVNode(root, edit)
	}
	n := root
	for level := shift; level > vecBits; level -= vecBits {
		i := off >> level & vecMask
		var kid *vnode
		if h := n.kids[i]; h != nil {
			kid = t.editVNode(pointer[vnode](h), edit)
		} else {
			kid = t.vnode(edit)
		}
		n.kids[i] = &kid.Header
		n = kid
	}
	n.setLeaf(off>>vecBits&vecMask, c, owned)
	return root, shift
}

// setLeaf sets the i-th child to a chunk.
func (n *vnode) setLeaf(i int, c *Chunk, owned bool) {
	n.kids[i] = &c.Header
	n.own &^= 1 << i
	if owned {
		n.own |= 1 << i
	}
}

// editVNode returns n if edit made it, else a copy that edit may change.
func (t *Task) editVNode(n *vnode, edit *Header) *vnode {
	if edit != nil && n.edit == edit {
		return n
	}
	t.Charge(sizeVNode)
	return &vnode{Header: t.nodeHeader(nodeVector), edit: edit, kids: n.kids}
}

// vecAssoc sets the i-th value to x, or appends if i is the count. i must be in [0, count].
func (t *Task) vecAssoc(v *Vector, i int, x Value) Value {
	if i == int(v.Count) {
		return t.vecConj(v, x)
	}
	if v.small {
		w := t.smallVector(int(v.Count))
		copy(w.tail.Vals, v.tail.Vals)
		w.tail.Vals[i], w.Meta = x, v.Meta
		return Value{h: &w.Header}
	}
	w := t.vec(v, v.Count)
	p := int(v.start) + i
	if off := tailOff(v.end()); p >= off {
		n := v.end() - off
		w.tail = t.newTail(v.tail.Vals[:n], tailCap(n))
		w.tail.Vals[p-off] = x
		return Value{h: &w.Header}
	}
	w.root = t.editVNode(v.root, nil)
	n := w.root
	for level := v.shift; level > vecBits; level -= vecBits {
		kid := t.editVNode(pointer[vnode](n.kids[p>>level&vecMask]), nil)
		n.kids[p>>level&vecMask] = &kid.Header
		n = kid
	}
	at := p >> vecBits & vecMask
	leaf := t.newTail(pointer[Chunk](n.kids[at]).Vals, vecWidth)
	leaf.Vals[p&vecMask] = x
	n.kids[at] = &leaf.Header
	return Value{h: &w.Header}
}

// vecPop returns v without its last value.
func (t *Task) vecPop(v *Vector) Value {
	switch {
	case v.Count == 0:
		t.Fail(diag.IllegalState, "Can't pop empty vector")
	case v.Count == 1:
		return t.emptyVector(v.Meta)
	case v.small:
		w := t.smallVector(int(v.Count) - 1)
		copy(w.tail.Vals, v.tail.Vals)
		w.Meta = v.Meta
		return Value{h: &w.Header}
	}
	w := t.vec(v, v.Count-1)
	t.retail(w, v)
	return Value{h: &w.Header}
}

// retail sets the tail of w, which ends earlier than v in the same trie.
func (t *Task) retail(w, v *Vector) {
	end := w.end()
	off := tailOff(end)
	if off == tailOff(v.end()) {
		return
	}
	w.tail = trieLeaf(v.root, v.shift, end-1)
	w.root, w.shift = t.cutTrie(v.root, v.shift, nil, off)
}

// cutTrie returns the trie without the part from position off to its end. It copies the path to
// off, and keeps nothing after off alive.
func (t *Task) cutTrie(root *vnode, shift uint8, edit *Header, off int) (*vnode, uint8) {
	if off == 0 {
		return nil, 0
	}
	for shift > vecBits && off <= 1<<shift {
		root, shift = pointer[vnode](root.kids[0]), shift-vecBits
	}
	if off == vecWidth<<shift { // the trie is full up to off
		return root, shift
	}
	root = t.editVNode(root, edit)
	n := root
	for level := shift; ; level -= vecBits {
		i := off >> level & vecMask
		if off&(1<<level-1) == 0 {
			clear(n.kids[i:])
			return root, shift
		}
		clear(n.kids[i+1:])
		kid := t.editVNode(pointer[vnode](n.kids[i]), edit)
		n.kids[i] = &kid.Header
		n = kid
	}
}

// emptyVector returns [] with meta.
func (t *Task) emptyVector(meta *Header) Value {
	if meta == nil {
		return EmptyVector
	}
	t.Charge(sizeVector)
	return Value{h: &(&Vector{Header: t.vectorHeader(), tail: &emptyChunk, Meta: meta}).Header}
}

// SubVec returns the values of v from index from up to, but not including, to. Both must be in
// range. It shares the trie of v unless the part is small, or less than half of the values that it would
// keep alive. So a loop that takes subvec of subvec is linear and does not keep the dropped parts alive.
func (t *Task) SubVec(v *Vector, from, to int) Value {
	n := to - from
	if n == 0 {
		return EmptyVector
	}
	if n <= vecWidth || 2*n < v.end() {
		return t.copyOf(v, from, n)
	}
	w := t.vec(v, int32(n))
	w.Meta = nil
	w.start += int32(from)
	t.retail(w, v)
	return Value{h: &w.Header}
}

// copyOf returns a vector of n values of v from index from.
func (t *Task) copyOf(v *Vector, from, n int) Value {
	if n <= maxSmall {
		w := t.smallVector(n)
		for i := range w.tail.Vals {
			w.tail.Vals[i] = VecNth(v, from+i)
		}
		return Value{h: &w.Header}
	}
	block := t.Vals(n)
	t.Work(int64(n / 8))
	for i := 0; i < n; {
		vals, first := v.chunkFor(from + i)
		i += copy(block[i:], vals[from+i-first:])
	}
	return t.VectorFrom(block)
}
