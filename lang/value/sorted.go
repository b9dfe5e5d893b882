// This file defines SortedMap and SortedSet.

package value

import (
	"math"

	"github.com/ptc-lang/ptc/lang/diag"
)

// SortedMap is a map in the order of its comparator.
type SortedMap struct {
	Header
	Count int32
	hash  uint32 // atomic; 0: not computed
	root  *tnode
	Cmp   Value // nil: Compare
	Meta  *Header
}

// SortedSet is a set in the order of its comparator.
type SortedSet struct {
	Header
	Count int32
	hash  uint32 // atomic; 0: not computed
	root  *tnode
	Cmp   Value // nil: Compare
	Meta  *Header
}

var (
	sizeSortedMap = objectSize[SortedMap]()
	sizeSortedSet = objectSize[SortedSet]()
)

// compareBy compares two values by a comparator as a sorted collection does. A nil comparator is
// Compare. A function returns a number, or true for less. Each call of a function of the program
// runs the builtin again, so that only a few are reasonable.
func (t *Task) compareBy(cmp, a, b Value) int {
	if cmp.h == nil {
		return Compare(t, a, b)
	}
	r := t.applyCmp(cmp, a, b)
	switch r.Kind() {
	case KindBool:
		if r.AsBool() {
			return -1
		}
		if t.applyCmp(cmp, b, a).Truthy() {
			return 1
		}
		return 0
	case KindInt:
		return int(int32(r.AsInt())) // Number.intValue
	case KindFloat:
		return int(int32(max(min(r.AsFloat(), math.MaxInt32), math.MinInt32)))
	case KindBigInt, KindRatio, KindDecimal:
		return Compare(t, r, Int(0))
	case KindNil:
		t.Fail(diag.NilValue, "comparator: got nil, want a number or boolean")
	}
	t.Fail(diag.WrongType, "comparator: got %s, want a number or boolean", ClassName(r))
	return 0
}

func (t *Task) applyCmp(cmp, a, b Value) Value {
	if cmp.h.kind == KindNative {
		return cmp.AsNative().Fn(t, []Value{a, b})
	}
	return t.Host.Call(cmp, a, b)
}

// checkComparator refuses a value that is not a java.util.Comparator. Functions are comparators, and objects with a
// method compare, but not every value that can be called.
func (t *Task) checkComparator(cmp Value) {
	if !cmp.Is(Kinds(KindNil, KindFn, KindNative, KindProtocolFn)) && t.Method(cmp, MethodCompare).IsNil() {
		t.failCast("comparator", cmp, "java.util.Comparator")
	}
}

// seek returns the index that a key has or would have, and its node.
func (n *tnode) seek(t *Task, cmp, k Value) (i int, at *tnode) {
	for n != nil {
		switch c := t.compareBy(cmp, k, n.key); {
		case c == 0:
			return i + int(n.left.size()), n
		case c < 0:
			n = n.left
		default:
			i += int(n.left.size()) + 1
			n = n.right
		}
	}
	return i, nil
}

func (m *SortedMap) find(t *Task, k Value) *Value {
	if _, n := m.root.seek(t, m.Cmp, k); n != nil {
		return &n.key
	}
	return nil
}

func (m *SortedMap) with(t *Task, root *tnode) Value {
	t.Charge(sizeSortedMap)
	n := &SortedMap{Header: t.header(KindSortedMap), Count: root.size(), root: root, Cmp: m.Cmp, Meta: m.Meta}
	return Value{h: &n.Header}
}

// checkFirst throws if k, a first key, could not be compared with a second one, because its kind
// has no order and its type does not implement Comparable.
func (t *Task) checkFirst(root *tnode, cmp, k Value) {
	if root == nil && cmp.h == nil && k.h != nil && !k.Is(orderedKinds) && t.Method(k, methodCompareTo).IsNil() {
		t.Fail(diag.WrongType, "Default comparator requires nil, Number, or Comparable: %s", t.Str(k).AsString().S)
	}
}

func (m *SortedMap) assoc(t *Task, k, v Value) Value {
	t.checkFirst(m.root, m.Cmp, k)
	i, n := m.root.seek(t, m.Cmp, k)
	switch {
	case n == nil:
		return m.with(t, m.root.insert(t, i, k, v))
	case Identical(n.val, v):
		return Value{h: &m.Header}
	}
	return m.with(t, m.root.replace(t, i, v))
}

func (m *SortedMap) dissoc(t *Task, k Value) Value {
	i, n := m.root.seek(t, m.Cmp, k)
	if n == nil {
		return Value{h: &m.Header}
	}
	return m.with(t, m.root.without(t, i))
}

func (s *SortedSet) find(t *Task, x Value) *Value {
	if _, n := s.root.seek(t, s.Cmp, x); n != nil {
		return &n.key
	}
	return nil
}

func (s *SortedSet) with(t *Task, root *tnode) Value {
	t.Charge(sizeSortedSet)
	n := &SortedSet{Header: t.header(KindSortedSet), Count: root.size(), root: root, Cmp: s.Cmp, Meta: s.Meta}
	return Value{h: &n.Header}
}

func (s *SortedSet) conj(t *Task, x Value) Value {
	t.checkFirst(s.root, s.Cmp, x)
	i, n := s.root.seek(t, s.Cmp, x)
	if n != nil {
		return Value{h: &s.Header}
	}
	return s.with(t, s.root.insert(t, i, x, Nil))
}

func (s *SortedSet) disj(t *Task, x Value) Value {
	i, n := s.root.seek(t, s.Cmp, x)
	if n == nil {
		return Value{h: &s.Header}
	}
	return s.with(t, s.root.without(t, i))
}

// SortedMapOf makes a sorted map of keys and values. For equal keys, the last value wins. If the
// comparator is a function of the program, kvs must be few.
func (t *Task) SortedMapOf(cmp Value, kvs []Value) Value {
	var root *tnode
	t.checkComparator(cmp)
	for i := 0; i < len(kvs); i += 2 {
		t.Work(1)
		t.checkFirst(root, cmp, kvs[i])
		at, n := root.seek(t, cmp, kvs[i])
		if n != nil {
			root = root.replace(t, at, kvs[i+1])
		} else {
			root = root.insert(t, at, kvs[i], kvs[i+1])
		}
	}
	return (&SortedMap{Cmp: cmp}).with(t, root)
}

// SortedSetOf makes a sorted set of vals. If the comparator is a function of the program, they must
// be few.
func (t *Task) SortedSetOf(cmp Value, vals []Value) Value {
	var root *tnode
	t.checkComparator(cmp)
	for _, x := range vals {
		t.Work(1)
		t.checkFirst(root, cmp, x)
		if at, n := root.seek(t, cmp, x); n == nil {
			root = root.insert(t, at, x, Nil)
		}
	}
	return (&SortedSet{Cmp: cmp}).with(t, root)
}

// SortedBy returns the comparator of a sorted map or set, nil if it has none.
func SortedBy(coll Value) Value {
	if coll.Kind() == KindSortedMap {
		return as[SortedMap](coll).Cmp
	}
	return as[SortedSet](coll).Cmp
}

// SortedPlace returns the number of entries of a sorted collection before key k, and whether k is
// in it.
func (t *Task) SortedPlace(coll, k Value) (i int, found bool) {
	root, cmp := sortedRoot(coll)
	i, n := root.seek(t, cmp, k)
	return i, n != nil
}

func sortedRoot(coll Value) (root *tnode, cmp Value) {
	switch coll.Kind() {
	case KindSortedMap:
		m := as[SortedMap](coll)
		return m.root, m.Cmp
	case KindSortedSet:
	default:
		badKind()
	}
	s := as[SortedSet](coll)
	return s.root, s.Cmp
}

// SortedPart returns the sorted collection of the entries from index i up to, but not including, j.
// It shares nodes where possible.
func (t *Task) SortedPart(coll Value, i, j int) Value {
	root, _ := sortedRoot(coll)
	part := root.upTo(t, j).from(t, i)
	if coll.h.kind == KindSortedMap {
		return as[SortedMap](coll).with(t, part)
	}
	return as[SortedSet](coll).with(t, part)
}

// ComparatorOf returns the comparator of a sorted collection, or nil for Compare.
func ComparatorOf(coll Value) Value {
	_, cmp := sortedRoot(coll)
	return cmp
}

// SortedOf makes a sorted collection like coll with other entries: keys in order and, for a map,
// their values. same reports whether the i-th key equals the one before. It is called for every
// index but the first, from the left. For equal keys, the first key and the last value are used.
func (t *Task) SortedOf(coll Value, keys, vals *Blocks, same func(i int) bool) Value {
	if isMap := vals != nil; isMap && coll.Kind() != KindSortedMap || !isMap && coll.Kind() != KindSortedSet {
		badKind()
	}
	n := keys.Len()
	ks, vs := t.Blocks(n), Blocks{}
	if vals != nil {
		vs = t.Blocks(n)
	}
	m := 0
	for i := range n {
		t.Work(1)
		if i == 0 || !same(i) {
			*ks.At(m) = *keys.At(i)
			m++
		}
		if vals != nil {
			*vs.At(m - 1) = *vals.At(i)
		}
	}
	if vals == nil {
		s := as[SortedSet](coll)
		t.checkFirst(nil, s.Cmp, *ks.At(0))
		return s.with(t, t.treeOf(&ks, nil, 0, m))
	}
	sm := as[SortedMap](coll)
	t.checkFirst(nil, sm.Cmp, *ks.At(0))
	return sm.with(t, t.treeOf(&ks, &vs, 0, m))
}

// treeOf builds the tree of the keys from index from up to to, which must be in order, and of their
// values if there are any.
func (t *Task) treeOf(keys, vals *Blocks, from, to int) *tnode {
	if from == to {
		return nil
	}
	t.Work(1)
	mid := int(uint(from+to) >> 1)
	val := Nil
	if vals != nil {
		val = *vals.At(mid)
	}
	return t.tnode(t.treeOf(keys, vals, from, mid), *keys.At(mid), val, t.treeOf(keys, vals, mid+1, to))
}
