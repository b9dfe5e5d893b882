// This file defines Hash, Clojure's hasheq: equal values have equal hashes. The hashes are those of
// JVM Clojure, because the order of hash maps depends on them.

package value

import (
	"sync/atomic"

	"github.com/ptc-lang/ptc/lang/internal/murmur"
	"github.com/ptc-lang/ptc/lang/internal/num"
)

// Hash returns the hash of v. Strings, vectors, maps and sets cache it. Several evaluations may
// hash a shared value at the same time; all store the same number.
func Hash(t *Task, v Value) uint32 {
	if v.h == nil {
		return 0
	}
	switch v.h.kind {
	case KindKeyword:
		return uint32(v.bits)
	case KindInt:
		return uint32(murmur.HashLong(v.AsInt()))
	case KindString:
		return stringHash(t, v.AsString())
	case KindSymbol:
		return v.AsSymbol().hash
	case KindBool:
		return uint32(murmur.HashBool(v.AsBool()))
	case KindChar:
		return uint32(murmur.HashChar(v.AsChar()))
	case KindFloat, KindBigInt, KindRatio, KindDecimal:
		return numberHash(t, v)
	case KindVector:
		return cachedHash(t, v, &v.AsVector().hash, orderedHash)
	case KindArrayMap, KindHashMap, KindSortedMap, KindHashSet, KindSortedSet:
		return cachedHash(t, v, hashField(v), unorderedHash)
	case KindJava:
		return uint32(t.javaObjectHash(v, javaHash)) // a collection of Java has no hasheq
	case KindObject:
		if h, ok := t.objectHashOf(v); ok {
			return uint32(h)
		}
	case KindRecord:
		// Not cached, because a record is used as a key less often than it is made.
		return uint32(murmur.HashSymbol("", v.AsRecord().Type.Name)) ^ unorderedHash(t, v)
	}
	if v.Is(sequential) {
		return orderedHash(t, v)
	}
	return uint32(objectHash(t, v))
}

// sequential is the set of kinds that are equal if their elements are equal in order.
var sequential = Seqs | Vectors | Kinds(KindQueue)

// symbolHash returns the hash of a symbol.
func symbolHash(ns, name string) uint32 { return uint32(murmur.HashSymbol(ns, name)) }

// cachedHash returns the hash in field. The first call computes it.
func cachedHash(t *Task, v Value, field *uint32, compute func(*Task, Value) uint32) uint32 {
	if h := atomic.LoadUint32(field); h != 0 {
		return h
	}
	var h uint32
	t.forShared(v.h, func() { h = compute(t, v) })
	atomic.StoreUint32(field, h)
	return h
}

// forShared computes a value that is cached in an object. If the object is shared, a constant of
// the code, then whichever run comes first computes it. Its work is charged to none, because the
// usage of a run must not depend on others. The size of the source bounds the work.
func (t *Task) forShared(h *Header, f func()) {
	if h.owner == t.Owner {
		f()
		return
	}
	before, used := t.Worked(), t.Used()
	f()
	t.GiveBack(t.Worked() - before)
	t.SetUsed(used)
}

// javaTextHash is Java's String.hashCode.
func (t *Task) javaTextHash(s string) (h int32) {
	for s != "" {
		n := TextPiece(s)
		t.Work(int64(n) >> 4)
		h, s = murmur.JavaStringHashFrom(h, s[:n]), s[n:]
	}
	return h
}

func stringHash(t *Task, s *String) uint32 {
	if h := atomic.LoadUint32(&s.hash); h != 0 {
		return h
	}
	var java int32
	t.forShared(&s.Header, func() { java = t.javaTextHash(s.S) })
	h := uint32(murmur.HashInt(java))
	atomic.StoreUint32(&s.hash, h)
	return h
}

func numberHash(t *Task, v Value) uint32 {
	switch v.h.kind {
	case KindFloat:
		return uint32(num.HashDouble(v.AsFloat()))
	case KindBigInt:
		n := v.AsBigInt().N
		if n.IsInt64() {
			return uint32(murmur.HashLong(n.Int64()))
		}
		return uint32(num.BigIntHash(n))
	case KindRatio:
		r := v.AsRatio().R
		return uint32(num.RatioHash(r.Num(), r.Denom()))
	}
	d := *v.AsDecimal().D
	t.workBig(d.Unscaled(), d.Unscaled())
	t.Charge(num.StripBytes(d))
	return uint32(d.HashCode())
}

// orderedHash returns the hash of a sequence by its elements.
func orderedHash(t *Task, v Value) uint32 {
	t.enter()
	h, n := murmur.OrderedSeed, 0
	if v.Is(Vectors) {
		for n = 0; n < VecCount(v); n++ {
			t.Work(1)
			h = murmur.HashOrderedStep(h, int32(Hash(t, VecAt(v, n))))
		}
	} else {
		t.EachHash(v, func(x int32) { h, n = murmur.HashOrderedStep(h, x), n+1 })
	}
	t.leave()
	return uint32(murmur.MixCollHash(h, n))
}

// unorderedHash returns the hash of a map by its entries, or of a set by its members.
func unorderedHash(t *Task, v Value) uint32 {
	t.enter()
	h, n := murmur.UnorderedSeed, 0
	set := v.Is(Sets)
	for it := NewMapIter(v); it.Next(); n++ {
		t.Work(1)
		x := int32(Hash(t, it.Key))
		if !set {
			x = murmur.HashEntry(x, int32(Hash(t, it.Val)))
		}
		h = murmur.HashUnorderedStep(h, x)
	}
	t.leave()
	return uint32(murmur.MixCollHash(h, n))
}

// hashField returns the field in which a map or set caches its hash.
func hashField(v Value) *uint32 {
	switch v.h.kind {
	case KindArrayMap:
		return &as[ArrayMap](v).hash
	case KindHashMap:
		return &as[HashMap](v).hash
	case KindSortedMap:
		return &as[SortedMap](v).hash
	case KindHashSet:
		return &as[HashSet](v).hash
	}
	return &as[SortedSet](v).hash
}
