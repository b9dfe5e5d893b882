// This file defines ArrayMap, a map of few entries that keeps them in the order of insertion.

package value

import (
	"unsafe"

	"github.com/ptc-lang/ptc/lang/diag"
)

// ArrayMap is a map as a block of keys and values. Maps of up to 8 entries have this type unless
// they were larger before; array-map makes longer ones. A block of up to 8 entries is part of the
// same allocation as the map.
//
// Maps that are made with the same keys, such as the records of an input and literals, share a
// chunk of keys: kv is then that chunk followed by the values. A record of 4 entries takes 128
// bytes instead of 176, and its keys are adjacent in memory for a look-up.
type ArrayMap struct {
	Header
	hash uint32 // atomic; 0: not computed
	Meta *Header
	kv   []Value
}

// flagShared in the header of an array map means that kv begins with the chunk of keys.
const flagShared = 1

// maxArray is the largest number of entries that assoc keeps in an array map.
const maxArray = 8

type shapedMap[A any] struct {
	ArrayMap
	slots A
}

type mapShape struct {
	make func() *ArrayMap
	size int64
}

func arrayShape[A any]() mapShape {
	return mapShape{func() *ArrayMap {
		s := new(shapedMap[A])
		s.kv = unsafe.Slice((*Value)(unsafe.Pointer(&s.slots)), int(unsafe.Sizeof(s.slots))/valueSize)
		return &s.ArrayMap
	}, objectSize[shapedMap[A]]()}
}

var (
	// mapShapes are the array maps with inline blocks, by the number of values.
	mapShapes = [2*maxArray + 1]mapShape{
		{func() *ArrayMap { return new(ArrayMap) }, sizeArrayMap}, {},
		arrayShape[[2]Value](), arrayShape[[3]Value](), arrayShape[[4]Value](), arrayShape[[5]Value](),
		arrayShape[[6]Value](), arrayShape[[7]Value](), arrayShape[[8]Value](), arrayShape[[9]Value](),
		arrayShape[[10]Value](), {}, arrayShape[[12]Value](), {}, arrayShape[[14]Value](), {}, arrayShape[[16]Value](),
	}
	sizeArrayMap = objectSize[ArrayMap]()
)

// EmptyMap is {}.
var EmptyMap = Value{h: &(&ArrayMap{Header: Header{kind: KindArrayMap}}).Header}

// arrayMapSize returns the charged size of an array map with a block of n values.
func arrayMapSize(n int) int64 {
	if n < len(mapShapes) {
		return mapShapes[n].size
	}
	return sizeArrayMap + ValsSize(n)
}

// arrayMap makes an array map with a block of n values for the caller to fill.
func (t *Task) arrayMap(n int, meta *Header) *ArrayMap {
	t.Charge(arrayMapSize(n))
	var m *ArrayMap
	if n < len(mapShapes) {
		m = mapShapes[n].make()
	} else {
		m = &ArrayMap{kv: make([]Value, n)}
	}
	countArrayMap(&t.Born, n)
	m.Header, m.Meta = t.plainHeader(KindArrayMap), meta
	return m
}

// arrayMapOf makes an array map of a copy of kvs, whose keys must be distinct.
func (t *Task) arrayMapOf(kvs []Value, meta *Header) Value {
	if len(kvs) == 0 && meta == nil {
		return EmptyMap
	}
	m := t.arrayMap(len(kvs), meta)
	copy(m.kv, kvs)
	return Value{h: &m.Header}
}

// copyOf returns a copy of m with its own metadata.
func (m *ArrayMap) copyOf(t *Task, meta *Header) *ArrayMap {
	n := t.arrayMap(len(m.kv), meta)
	n.flags = m.flags
	copy(n.kv, m.kv)
	return n
}

func (m *ArrayMap) shared() bool { return m.flags&flagShared != 0 }

// keys returns the shared keys. m must have the flag flagShared.
func (m *ArrayMap) keys() []Value { return pointer[Chunk](m.kv[0].h).Vals }

func (m *ArrayMap) count() int {
	if m.shared() {
		return len(m.kv) - 1
	}
	return len(m.kv) / 2
}

// entry returns pointers to the key and the value of the i-th entry.
func (m *ArrayMap) entry(i int) (key, val *Value) {
	if m.shared() {
		return &m.keys()[i], &m.kv[i+1]
	}
	return &m.kv[2*i], &m.kv[2*i+1]
}

// find returns the index of the value of a key in kv, or -1 if the key is missing.
func (m *ArrayMap) find(t *Task, k Value) int {
	i := -1
	if m.shared() {
		if i = keyIndex(t, m.keys(), k); i >= 0 {
			i++
		}
	} else if i = indexOf(t, m.kv, k); i >= 0 {
		i++
	}
	return i
}

// keyIndex returns the index of a key among keys, or -1 if it is missing.
func keyIndex(t *Task, keys []Value, k Value) int {
	if k.IsKeyword() {
		for i := range keys {
			if keys[i].bits == k.bits && (keys[i].h == k.h || sameKeyword(k.h, keys[i].h)) {
				return i
			}
		}
		return -1
	}
	for i := range keys {
		if keyEq(t, keys[i], k) {
			return i
		}
	}
	return -1
}

// pairs returns the keys and values in turn. It copies them to buf if they are not stored like
// that.
func (m *ArrayMap) pairs(buf *[2 * maxArray]Value) []Value {
	if !m.shared() {
		return m.kv
	}
	for i, k := range m.keys() {
		buf[2*i], buf[2*i+1] = k, m.kv[i+1]
	}
	return buf[:2*m.count()]
}

// indexOf returns the index of a key among keys and values, or -1 if it is missing. The common
// kinds of keys have separate loops.
func indexOf(t *Task, kv []Value, k Value) int {
	if len(kv) > 2*maxArray {
		t.Work(int64(len(kv) / 2))
	}
	switch k.Kind() {
	case KindKeyword:
		for i := 0; i < len(kv); i += 2 {
			if kv[i].bits == k.bits && (kv[i].h == k.h || sameKeyword(k.h, kv[i].h)) {
				return i
			}
		}
	case KindInt:
		for i := 0; i < len(kv); i += 2 {
			if h := kv[i].h; h == k.h && kv[i].bits == k.bits || h != nil && h.kind == KindBigInt && Equal(t, kv[i], k) {
				return i
			}
		}
	case KindString:
		s := k.AsString().S
		for i := 0; i < len(kv); i += 2 {
			if h := kv[i].h; h == k.h || h != nil && h.kind == KindString && pointer[String](h).S == s {
				return i
			}
		}
	default:
		for i := 0; i < len(kv); i += 2 {
			if keyEq(t, kv[i], k) {
				return i
			}
		}
	}
	return -1
}

func (m *ArrayMap) assoc(t *Task, k, v Value) Value {
	i := m.find(t, k)
	if i >= 0 && Identical(m.kv[i], v) {
		return Value{h: &m.Header}
	}
	if i >= 0 {
		n := m.copyOf(t, m.Meta)
		n.kv[i] = v
		return Value{h: &n.Header}
	}
	var buf [2 * maxArray]Value
	kv := m.pairs(&buf)
	if len(kv) >= 2*maxArray {
		return t.hashMapOf(kv, m.Meta, k, v)
	}
	n := t.arrayMap(len(kv)+2, m.Meta)
	copy(n.kv, kv)
	n.kv[len(kv)], n.kv[len(kv)+1] = k, v
	return Value{h: &n.Header}
}

func (m *ArrayMap) dissoc(t *Task, k Value) Value {
	var buf [2 * maxArray]Value
	kv := m.pairs(&buf)
	i := indexOf(t, kv, k)
	if i < 0 {
		return Value{h: &m.Header}
	}
	if len(kv) == 2 {
		return t.arrayMapOf(nil, m.Meta)
	}
	n := t.arrayMap(len(kv)-2, m.Meta)
	copy(n.kv, kv[:i])
	copy(n.kv[i:], kv[i+2:])
	return Value{h: &n.Header}
}

// MaxRecord is the largest number of keys that RecordMap accepts.
const MaxRecord = maxArray

// RecordMap makes a map of values whose keys are those of a chunk. The chunk must have as many
// distinct keys as there are values, at most MaxRecord.
func (t *Task) RecordMap(keys *Chunk, vals []Value) Value {
	if len(vals) == 0 {
		return EmptyMap
	}
	m := t.arrayMap(len(vals)+1, nil)
	m.flags = flagShared
	m.kv[0] = Value{h: &keys.Header}
	copy(m.kv[1:], vals)
	return Value{h: &m.Header}
}

// MapOf makes a map of keys and values. For equal keys, the last value wins.
func (t *Task) MapOf(kvs ...Value) Value {
	var block [2 * maxArray]Value
	kv := block[:0]
	for i := 0; i < len(kvs); i += 2 {
		switch j := indexOf(t, kv, kvs[i]); {
		case j >= 0:
			kv[j+1] = kvs[i+1]
		case len(kv) == len(block):
			return t.hashMapOf(kv, nil, kvs[i:]...)
		default:
			kv = append(kv, kvs[i], kvs[i+1])
		}
	}
	return t.arrayMapOf(kv, nil)
}

// ArrayMapOf makes an array map of any size from keys and values. For equal keys, the first
// position and the last value win.
func (t *Task) ArrayMapOf(kvs []Value) Value {
	block := t.Vals(len(kvs))
	n := 0
	for i := 0; i < len(kvs); i += 2 {
		if j := indexOf(t, block[:n], kvs[i]); j >= 0 {
			block[j+1] = kvs[i+1]
			continue
		}
		block[n], block[n+1] = kvs[i], kvs[i+1]
		n += 2
	}
	return t.arrayMapOf(block[:n], nil)
}

// MapLiteral makes the map of a literal. Equal keys are an error.
func (t *Task) MapLiteral(kvs []Value) Value {
	if len(kvs) > 2*maxArray {
		return t.hashMapLiteral(kvs)
	}
	for i := 0; i < len(kvs); i += 2 {
		if indexOf(t, kvs[:i], kvs[i]) >= 0 {
			t.duplicateKey(kvs[i])
		}
	}
	return t.arrayMapOf(kvs, nil)
}

func (t *Task) duplicateKey(k Value) {
	t.Fail(diag.IllegalArgument, "Duplicate key: %s", t.Str(k).AsString().S)
}
