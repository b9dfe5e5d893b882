package num

// This file defines arithmetic on Java longs with explicit overflow. All
// functions are small enough to be inlined.

import (
	"math"
	"math/bits"
)

// AddInt64 returns a+b, wrapped, and whether it is exact.
func AddInt64(a, b int64) (sum int64, ok bool) {
	s := a + b
	return s, (a^s)&(b^s) >= 0
}

// SubInt64 returns a-b, wrapped, and whether it is exact.
func SubInt64(a, b int64) (diff int64, ok bool) {
	d := a - b
	return d, (a^b)&(a^d) >= 0
}

// MulInt64 returns a*b, wrapped, and whether it is exact.
func MulInt64(a, b int64) (product int64, ok bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// The signed high word is the unsigned one minus each operand that is multiplied by a sign bit
	// worth -2^64.
	h := int64(hi) - a>>63&b - b>>63&a
	p := int64(lo)
	return p, h == p>>63
}

// AbsInt64 returns |a|. As in Java and in clojure.core/abs, the minimum has no positive
// counterpart: AbsInt64 returns it unchanged, with ok false.
func AbsInt64(a int64) (abs int64, ok bool) {
	m := a >> 63
	return a ^ m - m, a != math.MinInt64
}

// QuotInt64 returns a/b truncated towards zero. ok is false if b is 0. The one overflow,
// minimum/-1, wraps to the minimum as in Java.
func QuotInt64(a, b int64) (quot int64, ok bool) {
	if b == 0 {
		return 0, false
	}
	return a / b, true
}

// RemInt64 returns the remainder of QuotInt64, with the sign of a.
func RemInt64(a, b int64) (rem int64, ok bool) {
	if b == 0 {
		return 0, false
	}
	return a % b, true
}

// ModInt64 returns a modulo b, with the sign of b (floor division).
func ModInt64(a, b int64) (mod int64, ok bool) {
	if b == 0 {
		return 0, false
	}
	m := a % b
	if m != 0 && m^b < 0 {
		m += b
	}
	return m, true
}

// FloorDivInt64 returns a/b rounded towards negative infinity (Math.floorDiv).
func FloorDivInt64(a, b int64) (quot int64, ok bool) {
	if b == 0 {
		return 0, false
	}
	q := a / b
	if a%b != 0 && a^b < 0 {
		q--
	}
	return q, true
}

// ShiftLeft is Java's a << n, which uses only the low 6 bits of n.
func ShiftLeft(a, n int64) int64 { return a << (uint64(n) & 63) }

// ShiftRight is Java's a >> n, which keeps the sign and uses only the low 6 bits of n.
func ShiftRight(a, n int64) int64 { return a >> (uint64(n) & 63) }

// UnsignedShiftRight is Java's a >>> n, which uses only the low 6 bits of n.
func UnsignedShiftRight(a, n int64) int64 {
	return int64(uint64(a) >> (uint64(n) & 63))
}
