// This file defines the hashes of Java: hashCode of Clojure's data, which is visible in (str (map
// inc [1 2])), and the hashes of objects that are only equal to themselves.

package value

import (
	"encoding/binary"
	"math"

	"github.com/ptc-lang/ptc/lang/internal/murmur"
	"github.com/ptc-lang/ptc/lang/internal/num"
)

// javaHash returns Java's hashCode of v.
func javaHash(t *Task, v Value) int32 {
	switch v.Kind() {
	case KindNil:
		return 0
	case KindInt:
		return foldLong(v.AsInt())
	case KindFloat:
		if v.AsFloat() == 0 {
			return foldLong(int64(math.Float64bits(v.AsFloat()))) // -0.0 and 0.0 are different objects
		}
	case KindString:
		return t.javaTextHash(v.AsString().S)
	case KindSymbol:
		return symbolHashCode(v.AsSymbol().NS, v.AsSymbol().Name)
	case KindKeyword:
		const golden = 0x9e3779b9 - 1<<32
		return symbolHashCode(v.AsKeyword().NS, v.AsKeyword().Name) + golden
	case KindBigInt:
		switch n := v.AsBigInt().N; {
		case v.AsBigInt().IsJava():
			return num.BigIntHash(n)
		case n.IsInt64():
			return foldLong(n.Int64())
		}
	case KindJava:
		return t.javaObjectHash(v, javaHash)
	case KindDecimal:
		d := v.AsDecimal().D
		return 31*num.BigIntHash(d.Unscaled()) + d.Scale()
	}
	switch {
	case v.Is(sequential):
		return javaSeqHash(t, v)
	case v.Is(Maps | Sets):
		return javaSumHash(t, v)
	}
	return int32(Hash(t, v))
}

func foldLong(n int64) int32 { return int32(n ^ int64(uint64(n)>>32)) }

func symbolHashCode(ns, name string) int32 {
	return murmur.HashCombine(murmur.JavaStringHash(name), murmur.JavaStringHash(ns))
}

func javaSeqHash(t *Task, v Value) int32 {
	t.enter()
	h := int32(1)
	t.Each(v, func(x Value) bool {
		h = 31*h + javaHash(t, x)
		return true
	})
	t.leave()
	return h
}

func javaSumHash(t *Task, v Value) int32 {
	t.enter()
	h := int32(0)
	set := v.Is(Sets)
	for it := NewMapIter(v); it.Next(); {
		t.Work(1)
		x := javaHash(t, it.Key)
		if !set {
			x ^= javaHash(t, it.Val)
		}
		h += x
	}
	t.leave()
	return h
}

// objectHash returns the hash of a value that is not a number, name, string or collection. A
// cell or object that is only equal to itself has its identity hash, a function that of its name. Unlike a hash of the
// address these are the same in every run, so that a set of functions has the same order in every run.
// The price is collisions among closures of one function, which cost time only.
func objectHash(t *Task, v Value) int32 {
	switch v.h.kind {
	case KindUUID:
		b := &v.AsUUID().B
		return foldLong(int64(binary.BigEndian.Uint64(b[:8]) ^ binary.BigEndian.Uint64(b[8:])))
	case KindInst:
		return foldLong(v.AsInst().Millis)
	case KindTagged:
		o := v.asTagged()
		t.enter()
		h := javaHash(t, o.Form)
		switch {
		case !o.conditional():
			h += 31 * javaHash(t, o.Tag)
		case o.Tag.AsBool():
			h = 31*h + 1
		default:
			h *= 31
		}
		t.leave()
		return h
	case KindFn:
		return fnHash(v.AsFn())
	case KindNative:
		return murmur.JavaStringHash(v.AsNative().Name)
	case KindVar:
		return symbolHashCode(v.AsVar().Sym.NS, v.AsVar().Sym.Name)
	case KindMultiFn:
		return murmur.JavaStringHash(v.AsMultiFn().Name)
	case KindProtocol:
		return murmur.JavaStringHash(v.AsProtocol().Name)
	case KindProtocolFn:
		return murmur.JavaStringHash(v.AsProtocolFn().Protocol.Name) ^ int32(Hash(t, v.AsProtocolFn().Method))
	case KindRegex:
		return murmur.JavaStringHash(v.AsRegex().Source)
	case KindType:
		return murmur.JavaStringHash(v.AsType().Name)
	case KindNamespace:
		return murmur.JavaStringHash(v.AsNamespace().Name)
	case KindException:
		return javaHash(t, v.AsException().Msg)
	}
	if v.bits != 0 {
		return int32(v.bits)
	}
	return murmur.HashInt(int32(v.h.kind))
}

// fnHash returns the hash of a closure. It combines the name and the captured scalars, which differ
// between most closures of one function.
func fnHash(f *Fn) int32 {
	h := symbolHashCode(f.Code.NS, f.Code.Name)
	for _, up := range f.Up {
		if up.Is(scalars) {
			h = 31*h + foldLong(int64(up.bits))
		}
	}
	return h
}

// scalars are the kinds whose values fit the bits of a Value; the bits of a keyword are its hash.
var scalars = Kinds(KindBool, KindInt, KindFloat, KindChar, KindKeyword)
