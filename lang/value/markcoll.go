// This file marks collections.

package value

import "math/bits"

// scanColl is scan for the collections and their nodes. Sizes are those charged when the objects
// were made. It is long on purpose: one case per kind.
func (m *Marker) scanColl(h *Header) {
	switch h.kind {
	case KindVector:
		m.scanVector(pointer[Vector](h))
	case KindArrayMap:
		o := pointer[ArrayMap](h)
		m.live += arrayMapSize(len(o.kv))
		countArrayMap(&m.found, len(o.kv))
		m.pushVals(o.kv)
		m.push(o.Meta)
	case KindHashMap:
		o := pointer[HashMap](h)
		m.live += sizeHashMap
		m.pushNode(o.root)
		if o.nilEntry != nil {
			m.push(&o.nilEntry.Header)
		}
		m.push(o.Meta)
	case KindHashSet:
		o := pointer[HashSet](h)
		m.live += sizeHashSet
		m.pushNode(o.root)
		m.push(o.Meta)
	case KindSortedMap:
		o := pointer[SortedMap](h)
		m.live += sizeSortedMap
		m.pushTree(o.root)
		m.push(o.Cmp.h)
		m.push(o.Meta)
	case KindSortedSet:
		o := pointer[SortedSet](h)
		m.live += sizeSortedSet
		m.pushTree(o.root)
		m.push(o.Cmp.h)
		m.push(o.Meta)
	case KindNode:
		m.scanNode(h)
	default:
		m.scanTransient(h)
	}
}

func (m *Marker) pushNode(n *hnode) {
	if n != nil {
		m.push(&n.Header)
	}
}

func (m *Marker) pushTree(n *tnode) {
	if n != nil {
		m.push(&n.Header)
	}
}

func (m *Marker) scanVector(v *Vector) {
	m.push(v.Meta)
	if v.small {
		m.live += sizeSmallVec[v.Count]
		m.found.Count(smallVecClass[v.Count])
		m.pushVals(v.tail.Vals)
		return
	}
	m.live += sizeVector
	m.found.Count(vectorClass)
	m.push(&v.tail.Header)
	if v.root != nil {
		m.push(&v.root.Header)
	}
}

// scanNode scans an inner node. Its flags determine its type.
func (m *Marker) scanNode(h *Header) {
	m.found.Count(nodeClass[h.flags])
	switch h.flags {
	case nodeVector:
		n := pointer[vnode](h)
		m.live += sizeVNode
		m.push(n.edit)
		for _, kid := range n.kids {
			m.push(kid)
		}
	case nodeTree:
		n := pointer[tnode](h)
		m.live += sizeTNode
		m.push(n.key.h)
		m.push(n.val.h)
		m.pushTree(n.left)
		m.pushTree(n.right)
	case nodeToken:
		m.live += sizeEditToken
	case nodeDense:
		n := pointer[denseNode](h)
		m.live += sizeDenseNode
		m.push(n.edit)
		for _, kid := range n.kids {
			m.pushNode(kid)
		}
	case nodeCollision:
		n := pointer[hnode](h)
		m.live += nodeSize(n)
		m.push(n.edit)
		countVals(&m.found, cap(n.collision().vals))
		m.pushVals(n.collision().vals)
	default:
		n := pointer[hnode](h)
		m.live += nodeSize(n)
		m.found.Count(classOfNode(n))
		m.push(n.edit)
		m.pushSlots(n)
	}
}

// pushSlots pushes the slots of a node that are in use. The others are nil.
func (m *Marker) pushSlots(n *hnode) {
	s := n.slots()
	m.pushVals(s[:min(2*bits.OnesCount32(n.dataMap), len(s))])
	m.pushVals(s[len(s)-bits.OnesCount32(n.nodeMap):])
}

func (m *Marker) scanTransient(h *Header) {
	switch h.kind {
	case KindTransientVector:
		o := pointer[TransientVector](h)
		m.live += sizeTransientVector
		if o.tail != nil {
			m.push(&o.tail.Header)
		}
		if o.root != nil {
			m.push(&o.root.Header)
		}
	case KindTransientMap:
		o := pointer[TransientMap](h)
		m.live += sizeTransientMap
		m.block(o.kv)
		m.pushNode(o.root)
		if o.nilEntry != nil {
			m.push(&o.nilEntry.Header)
		}
	case KindTransientSet:
		o := pointer[TransientSet](h)
		m.live += sizeTransientSet
		m.pushNode(o.root)
	}
}
