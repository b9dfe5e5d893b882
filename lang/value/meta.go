// This file defines metadata on values.

package value

import (
	"strings"
	"unsafe"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// metaField returns the field that holds an object's metadata, or nil if its kind has none. It is
// long on purpose: one case per kind.
func metaField(h *Header) **Header {
	switch h.kind {
	case KindSymbol:
		return &pointer[Symbol](h).Meta
	case KindList, KindCons:
		return &pointer[Cons](h).Meta
	case KindChunkedCons:
		return &pointer[ChunkedCons](h).Meta
	case KindLazy:
		return &pointer[Lazy](h).Meta
	case KindRange:
		return &pointer[Range](h).Meta
	case KindVecSeq:
		return &pointer[VecSeq](h).Meta
	case KindStrSeq:
		return &pointer[StrSeq](h).Meta
	case KindMapSeq:
		return &pointer[MapSeq](h).Meta
	case KindVector:
		return &pointer[Vector](h).Meta
	case KindArrayMap:
		return &pointer[ArrayMap](h).Meta
	case KindHashMap:
		return &pointer[HashMap](h).Meta
	case KindSortedMap:
		return &pointer[SortedMap](h).Meta
	case KindHashSet:
		return &pointer[HashSet](h).Meta
	case KindSortedSet:
		return &pointer[SortedSet](h).Meta
	case KindRecord:
		return &pointer[Record](h).Meta
	case KindQueue:
		return &pointer[Queue](h).Meta
	case KindFn:
		return &pointer[Fn](h).Meta
	case KindAtom, KindRef, KindFuture:
		return &pointer[Atom](h).Meta
	case KindObject:
		return &pointer[Object](h).Meta
	}
	return nil
}

// MetaOf returns the metadata of v: a map or nil.
func MetaOf(v Value) Value {
	switch v.Kind() {
	case KindNil:
		return Nil
	case KindVar:
		return Of(v.AsVar().Meta) // not a metaField: a var has no copies
	}
	if p := metaField(v.h); p != nil {
		return Of(*p)
	}
	return Nil
}

// metaKinds are the kinds that WithMeta accepts.
var metaKinds = Colls&^Kinds(KindMapEntry) | Kinds(KindSymbol, KindFn, KindObject)

// WithMeta returns v with other metadata, a map or nil.
func WithMeta(t *Task, v, meta Value) Value {
	if !v.Is(metaKinds) {
		t.failCast("with-meta", v, "clojure.lang.IObj")
	}
	if meta.h != nil && !meta.Is(Maps) {
		t.failCast("with-meta", meta, "clojure.lang.IPersistentMap")
	}
	if v.h.kind == KindLazy {
		return t.lazyWithMeta(as[Lazy](v), meta.h)
	}
	c := t.clone(v.h)
	*metaField(c) = meta.h
	return Of(c)
}

// lazyWithMeta realises a lazy sequence, as Clojure does.
func (t *Task) lazyWithMeta(l *Lazy, meta *Header) Value {
	if l.Meta == meta {
		return Value{h: &l.Header}
	}
	s := t.seqOfLazy(l)
	t.Charge(sizeLazy)
	return Value{h: &(&Lazy{Header: t.header(KindLazy), Seq: s.h, Meta: meta}).Header}
}

// clone returns a copy of an object of a kind with metadata. It does not copy the hash, which other
// evaluations may be writing. It is long on purpose: one case per kind.
func (t *Task) clone(h *Header) *Header {
	switch h.kind {
	case KindSymbol:
		s := pointer[Symbol](h)
		t.Charge(limits.BytesSize(len(s.NS)) + limits.BytesSize(len(s.Name)))
		return cloned(t, sizeSymbol, Symbol{NS: strings.Clone(s.NS), Name: strings.Clone(s.Name), hash: s.hash, Pos: s.Pos},
			h)
	case KindList, KindCons:
		return cloned(t, sizeCons, *pointer[Cons](h), h)
	case KindChunkedCons:
		return cloned(t, sizeChunkedCons, *pointer[ChunkedCons](h), h)
	case KindRange:
		return cloned(t, sizeRange, *pointer[Range](h), h)
	case KindVecSeq:
		return cloned(t, sizeVecSeq, *pointer[VecSeq](h), h)
	case KindStrSeq:
		return cloned(t, sizeStrSeq, *pointer[StrSeq](h), h)
	case KindMapSeq:
		return cloned(t, sizeMapSeq, *pointer[MapSeq](h), h)
	case KindQueue:
		return cloned(t, sizeQueue, *pointer[Queue](h), h)
	case KindVector:
		return t.cloneVector(pointer[Vector](h))
	case KindArrayMap:
		return &pointer[ArrayMap](h).copyOf(t, nil).Header
	case KindHashMap:
		m := pointer[HashMap](h)
		return cloned(t, sizeHashMap, HashMap{Count: m.Count, root: m.root, nilEntry: m.nilEntry}, h)
	case KindHashSet:
		s := pointer[HashSet](h)
		return cloned(t, sizeHashSet, HashSet{Count: s.Count, root: s.root, hasNil: s.hasNil}, h)
	case KindSortedMap:
		m := pointer[SortedMap](h)
		return cloned(t, sizeSortedMap, SortedMap{Count: m.Count, root: m.root, Cmp: m.Cmp}, h)
	case KindSortedSet:
		s := pointer[SortedSet](h)
		return cloned(t, sizeSortedSet, SortedSet{Count: s.Count, root: s.root, Cmp: s.Cmp}, h)
	case KindRecord:
		return &t.copyRecord(pointer[Record](h)).Header
	}
	if h.kind == KindObject {
		o := pointer[Object](h)
		vals := t.Vals(len(o.Vals))
		copy(vals, o.Vals)
		return t.Object(o.Type, vals).h
	}
	f := pointer[Fn](h)
	n := t.Fn(f.Code, len(f.Up))
	copy(n.Up, f.Up)
	return &n.Header
}

// cloned returns an object with the contents o and the kind of h. Every object begins with its
// Header.
func cloned[T any](t *Task, size int64, o T, h *Header) *Header {
	t.Charge(size)
	n := &o
	header := (*Header)(unsafe.Pointer(n))
	*header = t.header(h.kind)
	return header
}

// cloneVector copies the values of a small vector too, because they are part of it.
func (t *Task) cloneVector(v *Vector) *Header {
	if !v.small {
		return &t.vec(v, v.Count).Header
	}
	n := t.smallVector(int(v.Count))
	copy(n.tail.Vals, v.tail.Vals)
	return &n.Header
}
