// This file defines the transients: collections that are changed in place until
// they are made persistent.

package value

import "github.com/ptc-lang/ptc/lang/diag"

// TransientVector is a vector under construction. Its header marks the nodes that it made. ownTail
// means that it made its tail and may change the values in it. It may append to any tail that
// VecConj may append to.
type TransientVector struct {
	Header
	Count   int32
	start   int32
	root    *vnode
	tail    *Chunk
	shift   uint8
	ownTail bool
	done    bool
}

// TransientMap is a map under construction: a block of keys and values until it outgrows that, then
// a hash trie. Its header marks the nodes that it made.
type TransientMap struct {
	Header
	count    int32
	limit    int32 // values that kv may hold
	kv       []Value
	root     *hnode
	nilEntry *MapEntry
	hashed   bool
	done     bool
}

// TransientSet is a set under construction.
type TransientSet struct {
	Header
	count  int32
	root   *hnode
	hasNil bool
	done   bool
}

var (
	sizeTransientVector = objectSize[TransientVector]()
	sizeTransientMap    = objectSize[TransientMap]()
	sizeTransientSet    = objectSize[TransientSet]()
)

// Transient returns a transient of a vector, array map, hash map or hash set.
func (t *Task) Transient(coll Value) Value {
	switch coll.Kind() {
	case KindVector:
		return t.transientVector(coll.AsVector())
	case KindArrayMap:
		return t.transientArray(as[ArrayMap](coll))
	case KindHashMap:
		m := as[HashMap](coll)
		t.Charge(sizeTransientMap)
		tm := &TransientMap{Header: t.header(KindTransientMap), count: m.Count, root: m.root, nilEntry: m.nilEntry,
			hashed: true}
		return Value{h: &tm.Header}
	case KindHashSet:
		s := as[HashSet](coll)
		t.Charge(sizeTransientSet)
		ts := &TransientSet{Header: t.header(KindTransientSet), count: s.Count, root: s.root, hasNil: s.hasNil}
		return Value{h: &ts.Header}
	}
	t.failCast("transient", coll, "clojure.lang.IEditableCollection")
	return Nil
}

// live throws if a transient belongs to another evaluation or was made persistent.
func (t *Task) live(tr Value, done bool) {
	t.Owns(tr, "transient")
	if done {
		t.FailClass("java.lang.IllegalAccessError", diag.IllegalState, "Transient used after persistent! call")
	}
}

func (t *Task) liveVector(tr Value) *TransientVector {
	v := as[TransientVector](tr)
	if v.done || v.owner != t.Owner {
		t.live(tr, v.done)
	}
	return v
}

func (t *Task) liveMap(tr Value) *TransientMap {
	m := as[TransientMap](tr)
	if m.done || m.owner != t.Owner {
		t.live(tr, m.done)
	}
	return m
}

func (t *Task) liveSet(tr Value) *TransientSet {
	s := as[TransientSet](tr)
	if s.done || s.owner != t.Owner {
		t.live(tr, s.done)
	}
	return s
}

// Persistent returns the collection of a transient. The transient cannot be used any more.
func (t *Task) Persistent(tr Value) Value {
	switch tr.Kind() {
	case KindTransientVector:
		return t.persistentVector(t.liveVector(tr))
	case KindTransientMap:
		return t.persistentMap(t.liveMap(tr))
	case KindTransientSet:
		s := t.liveSet(tr)
		t.Charge(sizeHashSet)
		p := &HashSet{Header: t.header(KindHashSet), Count: s.count, root: s.root, hasNil: s.hasNil}
		s.root, s.done = nil, true
		return Value{h: &p.Header}
	}
	t.failCast("persistent!", tr, "clojure.lang.ITransientCollection")
	return Nil
}

// TConj adds an element to a transient and returns it.
func (t *Task) TConj(tr, x Value) Value {
	switch tr.Kind() {
	case KindTransientVector:
		t.liveVector(tr).conj(t, x)
		return tr
	case KindTransientMap:
		t.liveMap(tr)
		return t.tconjMap(tr, x)
	case KindTransientSet:
		t.liveSet(tr).conj(t, x)
		return tr
	}
	t.failCast("conj!", tr, "clojure.lang.ITransientCollection")
	return Nil
}

// tconjMap adds an entry, a pair, or all entries of a map or sequence. It adds several entries one
// by one. If a charge is refused in between, the entries are added again from the start, with the
// same result.
func (t *Task) tconjMap(tr, x Value) Value {
	m := as[TransientMap](tr)
	switch x.Kind() {
	case KindMapEntry:
		m.assoc(t, x.AsEntry().Key, x.AsEntry().Val)
	case KindVector:
		k, v := t.pairOf("conj!", tr, x.AsVector())
		m.assoc(t, k, v)
	default:
		if k, ok := t.EntryPart(x, SeqKeys); ok {
			v, _ := t.EntryPart(x, SeqVals)
			m.assoc(t, k, v)
			break
		}
		t.Each(x, func(e Value) bool {
			k, v := t.entryOf("conj!", e)
			m.assoc(t, k, v)
			return true
		})
	}
	return tr
}

// TAssoc sets the value of a key or an index in a transient and returns it.
func (t *Task) TAssoc(tr, k, v Value) Value {
	switch tr.Kind() {
	case KindTransientMap:
		t.liveMap(tr).assoc(t, k, v)
		return tr
	case KindTransientVector:
		vec := t.liveVector(tr)
		i, ok := index(k)
		if !ok {
			t.FailHint(diag.IllegalArgument, "assoc! takes an index for a vector, got "+Describe(t, k), "Key must be integer")
		}
		if i < 0 || i > int(vec.Count) {
			t.Fail(diag.OutOfRange, "assoc!: index %d out of range [0, %d]", i, vec.Count)
		}
		vec.assoc(t, i, v)
		return tr
	}
	t.failCast("assoc!", tr, "clojure.lang.ITransientAssociative")
	return Nil
}

// TDissoc removes a key from a transient map and returns it.
func (t *Task) TDissoc(tr, k Value) Value {
	if tr.Kind() != KindTransientMap {
		t.failCast("dissoc!", tr, "clojure.lang.ITransientMap")
	}
	t.liveMap(tr).dissoc(t, k)
	return tr
}

// TDisj removes a member from a transient set and returns it.
func (t *Task) TDisj(tr, x Value) Value {
	if tr.Kind() != KindTransientSet {
		t.failCast("disj!", tr, "clojure.lang.ITransientSet")
	}
	t.liveSet(tr).disj(t, x)
	return tr
}

// TPop removes the last value of a transient vector and returns it.
func (t *Task) TPop(tr Value) Value {
	if tr.Kind() != KindTransientVector {
		t.failCast("pop!", tr, "clojure.lang.ITransientVector")
	}
	t.liveVector(tr).pop(t)
	return tr
}

// TCount returns the count of a transient.
func TCount(tr Value) int {
	switch tr.h.kind {
	case KindTransientVector:
		return int(as[TransientVector](tr).Count)
	case KindTransientMap:
		return int(as[TransientMap](tr).count)
	}
	return int(as[TransientSet](tr).count)
}

// transients are the kinds of transients.
var transients = Kinds(KindTransientVector, KindTransientMap, KindTransientSet)

// liveCount is TCount of a transient that must still be in use.
func (t *Task) liveCount(tr Value) int {
	switch tr.h.kind {
	case KindTransientVector:
		t.liveVector(tr)
	case KindTransientMap:
		t.liveMap(tr)
	case KindTransientSet:
		t.liveSet(tr)
	}
	return TCount(tr)
}

// TGet returns the value of a key or index, or the member, of a transient.
func (t *Task) TGet(tr, k Value) (Value, bool) {
	switch tr.h.kind {
	case KindTransientVector:
		v := t.liveVector(tr)
		i, ok := index(k)
		if !ok || i < 0 || i >= int(v.Count) {
			return Nil, false
		}
		return v.nth(i), true
	case KindTransientMap:
		if p := t.liveMap(tr).find(t, k); p != nil {
			return *second(p), true
		}
	case KindTransientSet:
		s := t.liveSet(tr)
		if k.h == nil {
			return Nil, s.hasNil
		}
		if s.root != nil {
			if p := s.root.find(t, setStride, hashKey(t, k), k); p != nil {
				return *p, true
			}
		}
	}
	return Nil, false
}
