// This file changes transient vectors.

package value

import "github.com/ptc-lang/ptc/lang/diag"

func (t *Task) transientVector(v *Vector) Value {
	tail, own := v.tail, false
	if v.small {
		tail, own = t.newTail(v.tail.Vals, tailCap(int(v.Count)+1)), true
	}
	t.Charge(sizeTransientVector)
	tv := &TransientVector{Header: t.header(KindTransientVector), Count: v.Count, start: v.start,
		root: v.root, tail: tail, shift: v.shift, ownTail: own}
	return Value{h: &tv.Header}
}

func (t *Task) persistentVector(v *TransientVector) Value {
	p := t.Built(Value{h: &v.Header})
	v.root, v.tail, v.done = nil, nil, true
	return p
}

// Built returns the vector of a transient that nobody changes any more, which Persistent ensures.
// Built changes nothing, so it can be run again.
func (t *Task) Built(tr Value) Value {
	v := as[TransientVector](tr)
	if v.Count == 0 {
		return EmptyVector
	}
	t.Charge(sizeVector)
	p := &Vector{Header: t.vectorHeader(), Count: v.Count, start: v.start, root: v.root, tail: v.tail, shift: v.shift}
	return Value{h: &p.Header}
}

func (v *TransientVector) end() int { return int(v.start) + int(v.Count) }

func (v *TransientVector) nth(i int) Value {
	p := int(v.start) + i
	if off := tailOff(v.end()); p >= off {
		return v.tail.Vals[p-off]
	}
	return trieLeaf(v.root, v.shift, p).Vals[p&vecMask]
}

// conj appends x.
func (v *TransientVector) conj(t *Task, x Value) {
	tail := v.tail
	n := (v.end()-1)&vecMask + 1 // 32 at position 0, where the tail is too short for it
	if !t.extends(tail, n) && !(v.ownTail && n < cap(tail.Vals)) {
		v.grow(t)
		tail = v.tail
	}
	n = len(tail.Vals)
	tail.Vals = tail.Vals[:n+1]
	tail.Vals[n] = x
	v.Count++
}

// grow makes room in the tail for one more value.
func (v *TransientVector) grow(t *Task) {
	n := v.end() - tailOff(v.end())
	if n < vecWidth {
		v.setTail(t, n, tailCap(n+1))
		return
	}
	if v.end() >= maxCount {
		t.Fail(diag.IllegalArgument, "conj!: a vector holds at most %d elements", maxCount)
	}
	tail := t.newTail(nil, vecWidth)
	v.root, v.shift = t.pushTail(v.root, v.shift, &v.Header, tailOff(v.end()), v.tail, v.ownTail)
	v.tail, v.ownTail = tail, true
}

// setTail makes a new tail for v with n values of the current one.
func (v *TransientVector) setTail(t *Task, n, capacity int) {
	tail := t.newTail(v.tail.Vals[:n], capacity)
	if v.ownTail {
		t.Free(kindClass[KindChunk])
		t.Credit(sizeChunk)
		t.CreditVals(cap(v.tail.Vals))
	}
	v.tail, v.ownTail = tail, true
}

// assoc sets the i-th value, or appends if i is the count.
func (v *TransientVector) assoc(t *Task, i int, x Value) {
	if i == int(v.Count) {
		v.conj(t, x)
		return
	}
	p := int(v.start) + i
	if off := tailOff(v.end()); p >= off {
		if !v.ownTail {
			n := v.end() - off
			v.setTail(t, n, tailCap(n))
		}
		v.tail.Vals[p-off] = x
		return
	}
	v.ownLeaf(t, p).Vals[p&vecMask] = x
}

// ownLeaf returns the leaf that contains position p, copied if v may not change it.
func (v *TransientVector) ownLeaf(t *Task, p int) *Chunk {
	v.root = t.editVNode(v.root, &v.Header)
	return t.editLeaf(v.root, v.shift, p)
}

// editLeaf returns the leaf below n that contains position p. The edit that made n may change it: it copies the nodes
// and the leaf that it has not made.
func (t *Task) editLeaf(n *vnode, shift uint8, p int) *Chunk {
	for level := shift; level > vecBits; level -= vecBits {
		kid := t.editVNode(pointer[vnode](n.kids[p>>level&vecMask]), n.edit)
		n.kids[p>>level&vecMask] = &kid.Header
		n = kid
	}
	i := p >> vecBits & vecMask
	leaf := pointer[Chunk](n.kids[i])
	if n.own>>i&1 == 0 {
		leaf = t.newTail(leaf.Vals, vecWidth)
		n.setLeaf(i, leaf, true)
	}
	return leaf
}

// pop removes the last value.
func (v *TransientVector) pop(t *Task) {
	end := v.end()
	off := tailOff(end)
	switch {
	case v.Count == 0:
		t.Fail(diag.IllegalState, "Can't pop empty vector")
	case v.Count == 1:
		v.start, v.root, v.shift, v.tail, v.ownTail = 0, nil, 0, &emptyChunk, false
	case end-off > 1:
		if v.ownTail {
			n := end - off - 1
			v.tail.Vals[n] = Nil
			v.tail.Vals = v.tail.Vals[:n]
		}
	default:
		v.popLeaf(t, off-vecWidth)
	}
	v.Count--
}

// popLeaf makes the leaf at position off, the last of the trie, the new tail.
func (v *TransientVector) popLeaf(t *Task, off int) {
	n := v.root
	for level := v.shift; level > vecBits; level -= vecBits {
		n = pointer[vnode](n.kids[off>>level&vecMask])
	}
	i := off >> vecBits & vecMask
	leaf, own := pointer[Chunk](n.kids[i]), n.edit == &v.Header && n.own>>i&1 != 0
	v.root, v.shift = t.cutTrie(v.root, v.shift, &v.Header, off)
	v.tail, v.ownTail = leaf, own
}
