// This file defines BitSet.

package java

import (
	"math/bits"
	"strconv"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// BitSet is the class of sets of small integers. The only slot is an array of words of 64 bits, as many as Java would
// have. A change of more words than there are replaces the array.
var BitSet = &value.JavaClass{Name: "java.util.BitSet", Text: bitsText, Hash: bitsHash, Equal: bitsEqual}

// words returns the array of a BitSet.
func words(v value.Value) *value.Array { return v.AsJava().Vals[0].AsArray() }

// word returns a word of an array, 0 beyond its end.
func word(a *value.Array, i int) uint64 {
	if i >= a.Len() {
		return 0
	}
	return uint64(a.At(i).AsInt())
}

func setWord(a *value.Array, i int, w uint64) { *a.At(i) = value.Int(int64(w)) }

// newWords returns an array of n words, which begins with those of another one.
func newWords(t *value.Task, n int, from *value.Array) value.Value {
	made := t.Blocks(n)
	for i := range n {
		t.Work(1)
		w := uint64(0)
		if from != nil {
			w = word(from, i)
		}
		*made.At(i) = value.Int(int64(w))
	}
	return t.Array(value.ElemLong, made)
}

// ownWords returns the array of a BitSet that is about to change, with n words at least. All that can fail comes first.
func ownWords(t *value.Task, v value.Value, n int) *value.Array {
	a := words(v)
	if n <= a.Len() {
		t.Owns(v, "BitSet")
		return a
	}
	made := newWords(t, max(2*a.Len(), n), a)
	change(t, v, 0, made)
	return made.AsArray()
}

// used returns the number of words up to the last that is not 0.
func used(t *value.Task, a *value.Array) int {
	n := a.Len()
	for n > 0 && word(a, n-1) == 0 {
		t.Work(1)
		n--
	}
	return n
}

// bitLength returns the index after the last bit.
func bitLength(t *value.Task, a *value.Array) int {
	n := used(t, a)
	if n == 0 {
		return 0
	}
	return n*64 - bits.LeadingZeros64(word(a, n-1))
}

// bitIndex returns an index of a bit.
func bitIndex(t *value.Task, v value.Value, what string) int {
	i := value.ToInt(t, v)
	if i < 0 {
		t.Fail(diag.OutOfRange, "%s < 0: %d", what, i)
	}
	return int(i)
}

// bitRange returns the bits that arguments name: one, or those from one to another.
func bitRange(t *value.Task, a []value.Value) (from, to int) {
	if len(a) == 1 {
		from = bitIndex(t, a[0], "bitIndex")
		return from, from + 1
	}
	from, to = bitIndex(t, a[0], "fromIndex"), bitIndex(t, a[1], "toIndex")
	if from > to {
		t.Fail(diag.OutOfRange, "fromIndex: %d > toIndex: %d", from, to)
	}
	return from, to
}

// mask returns the bits of a word that are in a range.
func mask(i, from, to int) uint64 {
	m := ^uint64(0)
	if from > i*64 {
		m <<= from - i*64
	}
	if to < i*64+64 {
		m &= 1<<(to-i*64) - 1
	}
	return m
}

// changeBits changes the bits of a range by a function of a word and the bits. grows means that it makes room for them.
func changeBits(t *value.Task, v value.Value, from, to int, grows bool, f func(w, bits uint64) uint64) value.Value {
	last := (to + 63) / 64
	if from == to {
		last = 0
	}
	if !grows {
		last = min(last, words(v).Len())
	}
	t.Work(int64(max(last-from/64, 0)))
	a := ownWords(t, v, last)
	for i := from / 64; i < last; i++ {
		setWord(a, i, f(word(a, i), mask(i, from, to)))
	}
	return value.Nil
}

func setBits(w, bits uint64) uint64   { return w | bits }
func clearBits(w, bits uint64) uint64 { return w &^ bits }
func flipBits(w, bits uint64) uint64  { return w ^ bits }

// nextBit returns the first index from one on whose bit is set, or clear; -1 if there is none.
func nextBit(t *value.Task, a *value.Array, from int, set bool) int {
	for i := from / 64; i < a.Len(); i++ {
		t.Work(1)
		w := word(a, i)
		if !set {
			w = ^w
		}
		if w &= mask(i, from, i*64+64); w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	if set {
		return -1
	}
	return max(from, a.Len()*64)
}

// previousBit returns the last index up to one whose bit is set, or clear; -1 if there is none.
func previousBit(t *value.Task, a *value.Array, from int, set bool) int {
	if !set && from >= a.Len()*64 {
		return from
	}
	for i := min(from/64, a.Len()-1); i >= 0; i-- {
		t.Work(1)
		w := word(a, i)
		if !set {
			w = ^w
		}
		if w &= mask(i, 0, min(from+1, i*64+64)); w != 0 {
			return i*64 + 63 - bits.LeadingZeros64(w)
		}
	}
	return -1
}

func bitsText(t *value.Task, b *value.Buf, v value.Value) {
	a := words(v)
	b.WriteByte('{')
	for i := nextBit(t, a, 0, true); i >= 0 && !b.Full(); {
		b.WriteString(strconv.Itoa(i))
		if i = nextBit(t, a, i+1, true); i >= 0 {
			b.WriteString(", ")
		}
	}
	b.WriteByte('}')
}

func bitsHash(t *value.Task, v value.Value) int32 {
	a, h := words(v), uint64(1234)
	for i := used(t, a) - 1; i >= 0; i-- {
		t.Work(1)
		h ^= word(a, i) * uint64(i+1)
	}
	return int32(h>>32 ^ h)
}

func bitsEqual(t *value.Task, v, other value.Value) bool {
	a, b := words(v), words(other)
	for i := range max(a.Len(), b.Len()) {
		t.Work(1)
		if word(a, i) != word(b, i) {
			return false
		}
	}
	return true
}

// wordwise makes a method that changes each word by that of another BitSet. grows means that it takes more words.
func wordwise(name string, grows bool, f func(w, other uint64) uint64) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		t.WantJava(a[1], BitSet, name)
		other, n := words(a[1]), words(a[0]).Len()
		if grows {
			n = max(n, used(t, other))
		}
		t.Work(int64(n))
		own := ownWords(t, a[0], n)
		for i := range n {
			setWord(own, i, f(word(own, i), word(other, i)))
		}
		return value.Nil
	}
}

// partOfBits returns a BitSet of the bits of a range.
func partOfBits(t *value.Task, v value.Value, from, to int) value.Value {
	a := words(v)
	to = max(min(to, bitLength(t, a)), from)
	made := newWords(t, (to-from+63)/64, nil)
	for i := range made.AsArray().Len() {
		t.Work(1)
		at := from + i*64
		w := word(a, at/64) >> (at % 64)
		if at%64 > 0 {
			w |= word(a, at/64+1) << (64 - at%64)
		}
		setWord(made.AsArray(), i, w&mask(i, 0, min(to-from, i*64+64)))
	}
	return t.JavaOf(BitSet, made)
}

func newBitSet(t *value.Task, a []value.Value) value.Value {
	n := int64(64)
	if len(a) == 1 {
		if n = value.ToInt(t, a[0]); n < 0 {
			t.FailClass("java.lang.NegativeArraySizeException", diag.IllegalArgument, "nbits < 0: %d", n)
		}
	}
	return t.JavaOf(BitSet, newWords(t, int((n+63)/64), nil))
}

// bitsOf returns a BitSet of an array of words or bytes.
func bitsOf(t *value.Task, a []value.Value) value.Value {
	if a[0].Kind() != value.KindArray || a[0].AsArray().Elem != value.ElemLong && a[0].AsArray().Elem != value.ElemByte {
		t.FailWant("BitSet/valueOf", a[0], "an array of longs or bytes")
	}
	from := a[0].AsArray()
	if from.Elem == value.ElemLong {
		return t.JavaOf(BitSet, newWords(t, used(t, from), from))
	}
	n := used(t, from)
	made := newWords(t, (n+7)/8, nil)
	for i := range n {
		t.Work(1)
		w := word(made.AsArray(), i/8)
		setWord(made.AsArray(), i/8, w|uint64(uint8(from.At(i).AsInt()))<<(i%8*8))
	}
	return t.JavaOf(BitSet, made)
}

func bitStatics() []entry.Entry {
	return []entry.Entry{
		entry.StaticMethod("new", "BitSet", "| n", entry.PerElement, "Returns a mutable set of small integers, its bits.",
			`(.cardinality (java.util.BitSet.)) => 0`, newBitSet),
		entry.StaticMethod("BitSet", "valueOf", "array", entry.PerElement, "Returns a BitSet of an array of longs or bytes.",
			`(str (java.util.BitSet/valueOf (long-array [5]))) => "{0, 2}"`, bitsOf),
	}
}
