// This file defines owned vectors, which assoc changes in place.
//
// A vector is owned while nothing refers to it but one register of the machine, and the compiler has proved that; see
// lang/compile/own.go. AssocLast makes an owned vector: it copies the nodes that it changes, and changes
// them in place the next time. Disown ends that, before a second reference to the vector is made. It takes
// no time, because the nodes are not touched: an edit token that no owned vector has marks nothing.

package value

// AssocLast is Assoc for a collection that nothing refers to afterwards. A vector that it returns is owned, so only one
// register may refer to it.
func (t *Task) AssocLast(coll, k, x Value) Value {
	if coll.Kind() != KindVector {
		return t.Assoc(coll, k, x)
	}
	v := coll.AsVector()
	i, ok := index(k)
	if !ok || i < 0 || i >= int(v.Count) {
		return t.Assoc(coll, k, x)
	}
	v = t.ownedSlot(v, i, x)
	return Value{h: &v.Header}
}

// VectorIn makes an owned vector of a copy of vals, 1 to maxSmall, so only one register may refer to it. If old is an
// owned vector of as many values, to which nothing refers any more, it is made in its memory.
func (t *Task) VectorIn(old Value, vals []Value) Value {
	if old.Kind() == KindVector {
		if v := as[Vector](old); v.ownTail && v.small && int(v.Count) == len(vals) && v.Meta == nil {
			v.hash = 0
			copy(v.tail.Vals, vals)
			return old
		}
	}
	v := t.smallVector(len(vals))
	v.ownTail = true
	copy(v.tail.Vals, vals)
	return Value{h: &v.Header}
}

// Disown makes a vector one that others may refer to.
func Disown(v Value) {
	if v.Kind() == KindVector {
		if v := v.AsVector(); v.ownTail || v.ownRoot { // others may be reading one that is not owned
			v.ownTail, v.ownRoot = false, false
		}
	}
}

// ownedSlot returns an owned vector with the values of v, but x at index i. It changes v if that is owned.
func (t *Task) ownedSlot(v *Vector, i int, x Value) *Vector {
	if v.small {
		if !v.ownTail {
			w := t.smallVector(int(v.Count))
			copy(w.tail.Vals, v.tail.Vals)
			w.Meta, w.ownTail = v.Meta, true
			v = w
		}
		v.tail.Vals[i] = x
		return v
	}
	if !v.ownTail && !v.ownRoot {
		v = t.vec(v, v.Count)
	}
	p := int(v.start) + i
	if off := tailOff(v.end()); p >= off {
		if !v.ownTail {
			n := v.end() - off
			v.tail, v.ownTail = t.newTail(v.tail.Vals[:n], tailCap(n)), true
		}
		v.tail.Vals[p-off] = x
		return v
	}
	if !v.ownRoot {
		v.root, v.ownRoot = t.editVNode(v.root, t.editToken()), true
	}
	t.editLeaf(v.root, v.shift, p).Vals[p&vecMask] = x
	return v
}
