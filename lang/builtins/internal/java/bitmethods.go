// This file defines the methods of BitSet.

package java

import (
	"math/bits"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// bitSearch makes a method that looks for a bit from an index on.
func bitSearch(least int64, f func(t *value.Task, a *value.Array, from int, set bool) int, set bool) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		from := value.ToInt(t, a[1])
		if from < least {
			t.Fail(diag.OutOfRange, "fromIndex < %d: %d", least, from)
		}
		if from < 0 {
			return value.Int(-1)
		}
		return value.Int(int64(f(t, words(a[0]), int(from), set)))
	}
}

func bitMethods() []methods {
	const b = `(java.util.BitSet/valueOf (long-array [10]))`
	return []methods{{[]*value.JavaClass{BitSet}, []method{
		{"get", "index | from to", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			from, to := bitRange(t, a[1:])
			if len(a) == 3 {
				return partOfBits(t, a[0], from, to)
			}
			return value.Bool(word(words(a[0]), from/64)>>(from%64)&1 == 1)
		}},
		{"set", "index | index-or-from on-or-to | from to on", entry.PerElement, "", "",
			func(t *value.Task, a []value.Value) value.Value {
				f, at := setBits, a[1:]
				if on := a[len(a)-1]; len(a) == 4 || on.Kind() == value.KindBool {
					at = a[1 : len(a)-1]
					if !on.Truthy() {
						f = clearBits
					}
				}
				if len(at) == 0 {
					t.FailWant("set", a[1], "an index")
				}
				from, to := bitRange(t, at)
				return changeBits(t, a[0], from, to, len(a) < 4 && len(at) == len(a)-1 || a[len(a)-1].Truthy(), f)
			}},
		{"clear", "| index | from to", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			if len(a) == 1 {
				return changeBits(t, a[0], 0, words(a[0]).Len()*64, false, clearBits)
			}
			from, to := bitRange(t, a[1:])
			return changeBits(t, a[0], from, to, false, clearBits)
		}},
		{"flip", "index | from to", entry.PerElement, "Changes the bit of an index of a BitSet, or those of a range.",
			`(let [b ` + b + `] (.flip b 1) (str b)) => "{3}"`, func(t *value.Task, a []value.Value) value.Value {
				from, to := bitRange(t, a[1:])
				return changeBits(t, a[0], from, to, true, flipBits)
			}},
		{"cardinality", "", entry.PerElement, "Returns the number of bits of a BitSet that are set.",
			`(.cardinality ` + b + `) => 2`, func(t *value.Task, a []value.Value) value.Value {
				n, all := 0, words(a[0])
				for i := range all.Len() {
					t.Work(1)
					n += bits.OnesCount64(word(all, i))
				}
				return value.Int(int64(n))
			}},
		{"length", "", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.Int(int64(bitLength(t, words(a[0]))))
		}},
		{"size", "", entry.Constant, "", "", func(_ *value.Task, a []value.Value) value.Value {
			return value.Int(int64(words(a[0]).Len() * 64))
		}},
		{"isEmpty", "", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			return value.Bool(used(t, words(a[0])) == 0)
		}},
		{"nextSetBit", "from", entry.PerElement, "Returns the first index from one on whose bit is set, or -1.",
			`(.nextSetBit ` + b + ` 2) => 3`, bitSearch(0, nextBit, true)},
		{"nextClearBit", "from", entry.PerElement, "Returns the first index from one on whose bit is not set.",
			`(.nextClearBit ` + b + ` 1) => 2`, bitSearch(0, nextBit, false)},
		{"previousSetBit", "from", entry.PerElement, "Returns the last index up to one whose bit is set, or -1.",
			`(.previousSetBit ` + b + ` 2) => 1`, bitSearch(-1, previousBit, true)},
		{"previousClearBit", "from", entry.PerElement, "Returns the last index up to one whose bit is not set, or -1.",
			`(.previousClearBit ` + b + ` 1) => 0`, bitSearch(-1, previousBit, false)},
		{"and", "other", entry.PerElement, "", "", wordwise("and", false, func(w, o uint64) uint64 { return w & o })},
		{"or", "other", entry.PerElement, "", "", wordwise("or", true, setBits)},
		{"xor", "other", entry.PerElement, "", "", wordwise("xor", true, flipBits)},
		{"andNot", "other", entry.PerElement, "", "", wordwise("andNot", false, clearBits)},
		{"intersects", "other", entry.PerElement, "Returns true if two BitSets have a bit in common.",
			`(.intersects ` + b + ` (java.util.BitSet.)) => false`, func(t *value.Task, a []value.Value) value.Value {
				t.WantJava(a[1], BitSet, "intersects")
				one, other := words(a[0]), words(a[1])
				for i := range one.Len() {
					t.Work(1)
					if word(one, i)&word(other, i) != 0 {
						return value.True
					}
				}
				return value.False
			}},
		{"clone", "", entry.PerElement, "", "", func(t *value.Task, a []value.Value) value.Value {
			return t.JavaOf(BitSet, newWords(t, words(a[0]).Len(), words(a[0])))
		}},
		{"toLongArray", "", entry.PerElement, "Returns the words of a BitSet.",
			`(vec (.toLongArray ` + b + `)) => [10]`, func(t *value.Task, a []value.Value) value.Value {
				return newWords(t, used(t, words(a[0])), words(a[0]))
			}},
		{"toByteArray", "", entry.PerElement, "Returns the bytes of a BitSet.",
			`(vec (.toByteArray ` + b + `)) => [10]`, func(t *value.Task, a []value.Value) value.Value {
				from := words(a[0])
				made := t.Blocks((bitLength(t, from) + 7) / 8)
				for i := range (bitLength(t, from) + 7) / 8 {
					t.Work(1)
					*made.At(i) = value.Int(int64(int8(word(from, i/8) >> (i % 8 * 8))))
				}
				return t.Array(value.ElemByte, made)
			}},
	}}}
}
