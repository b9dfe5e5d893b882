// This file defines HashMap, a map of any number of entries.

package value

import "github.com/ptc-lang/ptc/runtime/limits"

// HashMap is a map as a hash trie. The entry with the key nil is stored separately and comes first,
// as in Clojure.
type HashMap struct {
	Header
	Count    int32
	hash     uint32 // atomic; 0: not computed
	root     *hnode // nil if the map has no entry except that of nil
	nilEntry *MapEntry
	Meta     *Header
}

// Strides: slots of an entry.
const (
	setStride = 1
	mapStride = 2
)

// editToken marks the nodes that a builtin makes and may change until it ends.
type editToken struct{ Header }

var (
	sizeHashMap   = objectSize[HashMap]()
	sizeEditToken = limits.BytesSize(8) + markSlot
)

func (t *Task) editToken() *Header {
	t.Charge(sizeEditToken)
	return &(&editToken{Header: t.nodeHeader(nodeToken)}).Header
}

// hashMapOf makes a hash map of two lists of keys and values.
func (t *Task) hashMapOf(kvs []Value, meta *Header, more ...Value) Value {
	t.Charge(sizeHashMap)
	m := &HashMap{Header: t.header(KindHashMap), Meta: meta}
	b := trieBuilder{nodeEdit: nodeEdit{t: t, edit: t.editToken(), stride: mapStride}}
	for _, part := range [2][]Value{kvs, more} {
		for i := 0; i < len(part); i += 2 {
			t.Work(2)
			if part[i].h == nil {
				m.nilEntry = t.Entry(Nil, part[i+1]).AsEntry()
				continue
			}
			b.add(part[i], part[i+1])
		}
	}
	m.root = b.root
	m.recount()
	return Value{h: &m.Header}
}

func (m *HashMap) recount() {
	m.Count = 0
	if m.root != nil {
		m.Count = m.root.count
	}
	if m.nilEntry != nil {
		m.Count++
	}
}

// trieBuilder builds a trie that is not shared yet.
type trieBuilder struct {
	nodeEdit
	root *hnode
}

// add adds an entry with a non-nil key. It reports whether the key is new.
func (b *trieBuilder) add(k, v Value) bool {
	b.key, b.val, b.hash, b.added = k, v, hashKey(b.t, k), false
	b.root = b.putRoot(b.root)
	return b.added
}

// HashMapOf makes a hash map of keys and values. There must be at least one entry.
func (t *Task) HashMapOf(kvs []Value) Value {
	if len(kvs) == 0 {
		return EmptyMap
	}
	return t.hashMapOf(kvs, nil)
}

// hashMapLiteral makes a hash map. Equal keys are an error.
func (t *Task) hashMapLiteral(kvs []Value) Value {
	m := t.hashMapOf(kvs, nil)
	if MapCount(m) < len(kvs)/2 {
		b := trieBuilder{nodeEdit: nodeEdit{t: t, edit: t.editToken(), stride: setStride}}
		nils := 0
		for i := 0; i < len(kvs); i += 2 {
			if kvs[i].h == nil {
				nils++
			}
			if nils > 1 || kvs[i].h != nil && !b.add(kvs[i], Nil) {
				t.duplicateKey(kvs[i])
			}
		}
	}
	return m
}

// find returns the entry of a key, as a pointer to its two slots, or nil.
func (m *HashMap) find(t *Task, k Value) *Value {
	if k.h == nil {
		if m.nilEntry == nil {
			return nil
		}
		return &m.nilEntry.Key
	}
	if m.root == nil {
		return nil
	}
	return m.root.find(t, mapStride, hashKey(t, k), k)
}

// with returns a map like m with another trie and another entry of nil.
func (m *HashMap) with(t *Task, root *hnode, nilEntry *MapEntry) Value {
	t.Charge(sizeHashMap)
	n := &HashMap{Header: t.header(KindHashMap), root: root, nilEntry: nilEntry, Meta: m.Meta}
	n.recount()
	return Value{h: &n.Header}
}

func (m *HashMap) assoc(t *Task, k, v Value) Value {
	if k.h == nil {
		if m.nilEntry != nil && Identical(m.nilEntry.Val, v) {
			return Value{h: &m.Header}
		}
		return m.with(t, m.root, t.Entry(Nil, v).AsEntry())
	}
	e := nodeEdit{t: t, key: k, val: v, hash: hashKey(t, k), stride: mapStride}
	root := e.putRoot(m.root)
	if root == m.root {
		return Value{h: &m.Header}
	}
	return m.with(t, root, m.nilEntry)
}

func (m *HashMap) dissoc(t *Task, k Value) Value {
	switch {
	case m.find(t, k) == nil:
		return Value{h: &m.Header}
	case k.h == nil:
		return m.with(t, m.root, nil)
	}
	e := nodeEdit{t: t, key: k, hash: hashKey(t, k), stride: mapStride}
	return m.with(t, e.del(m.root, 0), m.nilEntry)
}
