// This file defines MapIter, which iterates over maps and sets.

package value

import (
	"math/bits"
	"unsafe"
)

// MapIter iterates over the entries of a map or the members of a set in the order of seq. It does
// not allocate, and charges no work:
//
//	for it := NewMapIter(m); it.Next(); {
//		use(it.Key, it.Val)
//	}
//
// NewMapIter returns a pointer, which stays on the caller's stack, because a loop variable of its
// size would be copied in every iteration. For a set, Key and Val are both the member.
type MapIter struct {
	Key, Val Value

	run    []Value // slots to return next
	at     int     // index into run
	skip   int     // entries still to skip
	stride int
	depth  int
	frames [maxLevels]trieFrame
	keys   []Value // the keys of the current values: fields of a record or shared keys
	vals   []Value
	ext    *Header // further entries of a record
	field  int     // index into keys
	tree   *tnode  // a sorted collection; next is the position after buf
	next   int
	desc   bool
	buf    [treeRun]*tnode
	bufLen int
	bufAt  int
}

// maxLevels is the largest number of levels of a trie: 7 of 5 bits and a collision node.
const maxLevels = 8

// trieFrame is the position of the iteration in a node: the slots of entries already returned and
// the positions of child nodes still to visit.
type trieFrame struct {
	node *hnode
	kids uint32
	done int32
}

// NewMapIter returns an iterator over a map, record or set. nil is empty.
func NewMapIter(coll Value) *MapIter {
	it := new(MapIter)
	it.init(coll, 0)
	return it
}

// init starts at the i-th entry.
func (it *MapIter) init(coll Value, i int) {
	it.skip, it.stride = i, mapStride
	switch coll.Kind() {
	case KindArrayMap:
		m := as[ArrayMap](coll)
		if m.shared() {
			it.keys, it.vals, it.field = m.keys(), m.kv[1:], i
		} else {
			it.run, it.at = m.kv, 2*i
		}
	case KindHashMap:
		m := as[HashMap](coll)
		if m.nilEntry != nil {
			it.setRun(unsafe.Slice(&m.nilEntry.Key, 2))
		}
		it.push(m.root)
	case KindHashSet:
		s := as[HashSet](coll)
		it.stride = setStride
		if s.hasNil {
			it.setRun(nilMember[:])
		}
		it.push(s.root)
	case KindSortedMap:
		it.tree, it.next = as[SortedMap](coll).root, i
	case KindSortedSet:
		it.tree, it.next, it.stride = as[SortedSet](coll).root, i, setStride
	case KindRecord:
		r := as[Record](coll)
		it.keys, it.vals, it.ext, it.field = r.Type.Fields, r.Vals, r.Ext, i
	}
}

// Next advances to the next entry. It returns false after the last.
func (it *MapIter) Next() bool {
	if it.at >= len(it.run) {
		return it.more()
	}
	it.Key = it.run[it.at]
	it.Val = it.run[it.at+it.stride-1]
	it.at += it.stride
	return true
}

// setRun sets the slots to return, without those to skip.
func (it *MapIter) setRun(run []Value) {
	skip := min(it.skip, len(run)/it.stride)
	it.skip -= skip
	it.run, it.at = run, skip*it.stride
}

// push descends into a node, unless all of it is skipped.
func (it *MapIter) push(n *hnode) {
	if n == nil {
		return
	}
	if int(n.count) <= it.skip {
		it.skip -= int(n.count)
		return
	}
	it.frames[it.depth] = trieFrame{node: n, kids: n.nodeMap}
	it.depth++
}

// more finds the next run, field or part of a tree.
func (it *MapIter) more() bool {
	for it.depth > 0 {
		f := &it.frames[it.depth-1]
		n := f.node
		if n.flags == nodeCollision {
			it.depth--
			it.setRun(n.collision().vals)
		} else {
			it.step(f, n)
		}
		if it.at < len(it.run) {
			return it.Next()
		}
	}
	switch {
	case it.keys != nil || it.ext != nil:
		return it.moreFields()
	case it.tree != nil:
		return it.moreTree()
	}
	return false
}

// step continues in a node: it takes the entries before the next child node, or descends into that.
func (it *MapIter) step(f *trieFrame, n *hnode) {
	bit := f.kids & -f.kids
	end := int32(bits.OnesCount32(n.dataMap&(bit-1)) * it.stride)
	start := f.done
	if start < end {
		f.done = end
		if bit == 0 {
			it.depth--
		}
		it.setRun(n.slots()[start:end])
		return
	}
	if bit == 0 {
		it.depth--
		return
	}
	f.kids &= f.kids - 1
	it.push(n.below(bit))
}

// moreFields returns the next value whose key is stored elsewhere. After the last, it continues
// with the further entries of a record.
func (it *MapIter) moreFields() bool {
	if i := it.field; i < len(it.vals) {
		it.Key, it.Val = it.keys[i], it.vals[i]
		it.field++
		return true
	}
	it.keys = nil
	if it.ext == nil {
		return false
	}
	ext, i := Of(it.ext), it.field-len(it.vals)
	it.ext = nil
	it.init(ext, i)
	return it.Next()
}

// moreTree returns the next entry of a sorted collection.
func (it *MapIter) moreTree() bool {
	if it.bufAt == it.bufLen {
		it.bufLen, it.bufAt = it.tree.collect(it.next, it.desc, &it.buf), 0
		it.next += it.bufLen
		if it.bufLen == 0 {
			it.tree = nil
			return false
		}
	}
	n := it.buf[it.bufAt]
	it.bufAt++
	it.Key, it.Val = n.key, n.val
	if it.stride == setStride {
		it.Val = n.key
	}
	return true
}
