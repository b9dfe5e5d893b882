// This file defines ArrayMap, the map of few entries that keeps them in the
// order of insertion.

package value

import (
	"unsafe"

	"github.com/ptc-lang/ptc/lang/diag"
)

// ArrayMap is a map as a block of keys and values. Maps of up to 8 entries are
// of this type unless they were larger; array-map makes longer ones. A block of
// up to 8 entries is part of the same allocation as the map.
type ArrayMap struct {
	Header
	hash uint32 // atomic; 0: not computed
	Meta *Header
	kv   []Value
}

// maxArray is the most entries that assoc keeps in an array map.
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
	mapShapes = [maxArray + 1]mapShape{
		{func() *ArrayMap { return new(ArrayMap) }, sizeArrayMap},
		arrayShape[[2]Value](), arrayShape[[4]Value](), arrayShape[[6]Value](), arrayShape[[8]Value](),
		arrayShape[[10]Value](), arrayShape[[12]Value](), arrayShape[[14]Value](), arrayShape[[16]Value](),
	}
	sizeArrayMap = objectSize[ArrayMap]()
)

// EmptyMap is {}.
var EmptyMap = Value{h: &(&ArrayMap{Header: Header{kind: KindArrayMap}}).Header}

// arrayMapSize gives the charged size of an array map of n entries.
func arrayMapSize(n int) int64 {
	if n <= maxArray {
		return mapShapes[n].size
	}
	return sizeArrayMap + ValsSize(2*n)
}

// arrayMap makes an array map of n entries for the caller to fill.
func (t *Task) arrayMap(n int, meta *Header) *ArrayMap {
	t.Charge(arrayMapSize(n))
	var m *ArrayMap
	if n <= maxArray {
		m = mapShapes[n].make()
	} else {
		m = &ArrayMap{kv: make([]Value, 2*n)}
	}
	m.Header, m.Meta = t.header(KindArrayMap), meta
	return m
}

// arrayMapOf makes an array map of a copy of kvs, whose keys are distinct.
func (t *Task) arrayMapOf(kvs []Value, meta *Header) Value {
	if len(kvs) == 0 && meta == nil {
		return EmptyMap
	}
	m := t.arrayMap(len(kvs)/2, meta)
	copy(m.kv, kvs)
	return Value{h: &m.Header}
}

// indexOf gives the place of a key among keys and values, -1 if it is not there.
// The frequent kinds of keys have loops of their own.
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
	i := indexOf(t, m.kv, k)
	switch {
	case i >= 0 && Identical(m.kv[i+1], v):
		return Value{h: &m.Header}
	case i >= 0:
		n := t.arrayMap(len(m.kv)/2, m.Meta)
		copy(n.kv, m.kv)
		n.kv[i+1] = v
		return Value{h: &n.Header}
	case len(m.kv) >= 2*maxArray:
		return t.hashMapOf(m.kv, m.Meta, k, v)
	}
	n := t.arrayMap(len(m.kv)/2+1, m.Meta)
	copy(n.kv, m.kv)
	n.kv[len(m.kv)], n.kv[len(m.kv)+1] = k, v
	return Value{h: &n.Header}
}

func (m *ArrayMap) dissoc(t *Task, k Value) Value {
	i := indexOf(t, m.kv, k)
	if i < 0 {
		return Value{h: &m.Header}
	}
	if len(m.kv) == 2 {
		return t.arrayMapOf(nil, m.Meta)
	}
	n := t.arrayMap(len(m.kv)/2-1, m.Meta)
	copy(n.kv, m.kv[:i])
	copy(n.kv[i:], m.kv[i+2:])
	return Value{h: &n.Header}
}

// MaxRecord is the most keys that RecordMap takes.
const MaxRecord = maxArray

// RecordMap makes a map of distinct keys, at most MaxRecord. Its values are for the
// caller to set, before anybody else sees it: each second of entries.
func (t *Task) RecordMap(keys []Value) (m Value, entries []Value) {
	if len(keys) == 0 {
		return EmptyMap, nil
	}
	a := t.arrayMap(len(keys), nil)
	for i, k := range keys {
		a.kv[2*i] = k
	}
	return Value{h: &a.Header}, a.kv
}

// MapOf makes a map of keys and values; of equal keys the last value wins.
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

// ArrayMapOf makes an array map of any size of keys and values; of equal keys
// the first place and the last value count.
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

// MapLiteral makes the map of a literal and refuses equal keys.
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
