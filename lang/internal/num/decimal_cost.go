package num

// This file defines upper bounds, in bytes, of the allocations of Decimal operations. They saturate
// below about 2^36 for any operands. An operation that would exceed MaxBits fails before it
// allocates.

// opBytes bounds an operation on integers of at most the given bits: a power of ten, a product, a
// quotient and a few headers.
func opBytes(bits int64) int64 {
	if bits > 4*MaxBits {
		// The operation fails with ErrTooLarge. Only measuring the operands costs memory.
		bits = MaxBits
	}
	if bits <= karatsubaBits {
		return 6*wordBytes(bits) + bigOverhead
	}
	return 20*wordBytes(bits) + 2*bigOverhead
}

func scaleGap(d, e Decimal) int64 {
	gap := int64(d.scale) - int64(e.scale)
	return max(gap, -gap)
}

// PrecisionBytes bounds the bytes that d.Precision() allocates.
func PrecisionBytes(d Decimal) int64 {
	if d.BitLen() <= 63 {
		return 0
	}
	return powBytes(int64(d.BitLen()) + 4)
}

// NegBytes bounds the bytes that d.Neg() allocates.
func NegBytes(d Decimal) int64 { return wordBytes(int64(d.BitLen())) + 32 }

// CmpBytes bounds the bytes that d.Cmp(e) allocates. It is 0 for numbers of the same scale.
func CmpBytes(d, e Decimal) int64 {
	if d.scale == e.scale {
		return 0
	}
	return 3 * powBytes(int64(max(d.BitLen(), e.BitLen()))+8)
}

// StripBytes bounds the bytes thatStripTrailingZeros and HashCode allocate.
func StripBytes(d Decimal) int64 {
	if d.Sign() == 0 || d.big().Bit(0) == 1 {
		return 64
	}
	return stripBytes(int64(d.BitLen()))
}

func stripBytes(bits int64) int64 {
	// One division, and at most log2 of the size quotients that are kept.
	steps := int64(2)
	for n := bits; n > 1; n >>= 1 {
		steps++
	}
	return steps*2*wordBytes(bits) + 8*wordBytes(bits) + steps*64 + bigOverhead
}

// DecimalAddBytes bounds the bytes that Add, Sub and align of d and e allocate.
func DecimalAddBytes(d, e Decimal) int64 {
	gap := scaleGap(d, e)
	if gap == 0 {
		return AddBytes(d.big(), e.big())
	}
	return opBytes(int64(max(d.BitLen(), e.BitLen())) + bitsOf10(gap))
}

// DecimalMulBytes bounds the bytes thatMul allocates.
func DecimalMulBytes(d, e Decimal) int64 { return MulBytes(d.big(), e.big()) }

// DecimalDivBytes bounds the bytes thatDiv, Quo, Rem and Mod allocate.
func DecimalDivBytes(d, e Decimal) int64 {
	bits := int64(d.BitLen()) + 4*int64(e.BitLen())
	whole := bits
	if gap := bitsOf10(scaleGap(d, e)); gap < MaxBits {
		whole += 2 * gap
	}
	return stripBytes(whole) + 2*opBytes(whole)
}

// DivScaleBytes bounds the bytes thatDivScale allocates.
func DivScaleBytes(d, e Decimal, scale int32) int64 {
	bits := int64(d.BitLen()) + int64(e.BitLen())
	gap := int64(scale) + int64(e.scale) - int64(d.scale)
	if gap = bitsOf10(max(gap, -gap)); gap < MaxBits {
		bits += gap
	}
	return 4 * opBytes(bits+16)
}

// ContextBytes bounds the bytes thatan operation on d and e under mc allocates.
func ContextBytes(d, e Decimal, mc MathContext) int64 {
	bits := int64(d.BitLen()) + int64(e.BitLen())
	if p := bitsOf10(int64(max(0, mc.Precision))); p < MaxBits {
		bits += 2 * p
	}
	if gap := bitsOf10(scaleGap(d, e)); gap < MaxBits {
		bits += gap
	}
	return stripBytes(bits) + 2*opBytes(bits)
}

// SetScaleBytes bounds the bytes thatSetScale and ToBigInt allocate.
func SetScaleBytes(d Decimal, scale int32) int64 {
	gap := int64(scale) - int64(d.scale)
	if gap < 0 { // digits are dropped: no power is larger than d
		return opBytes(int64(d.BitLen()) + 16)
	}
	return opBytes(int64(d.BitLen()) + bitsOf10(gap))
}

// RoundBytes bounds the bytes thatRound allocates.
func RoundBytes(d Decimal) int64 { return 2 * opBytes(int64(d.BitLen())+16) }

// RationalizeBytes bounds the bytes thatd.Rationalize() allocates.
func RationalizeBytes(d Decimal) int64 {
	gap := int64(d.scale)
	return 2 * opBytes(int64(d.BitLen())+bitsOf10(max(gap, -gap)))
}

// DecimalStringBytes bounds the bytes thatString() and ToFloat() allocate.
func DecimalStringBytes(d Decimal) int64 {
	return stringBytes(int64(d.BitLen())) + 2*int64(digitsBound(d.BitLen())) + 64
}

// PlainStringBytes bounds the bytes thatPlainString() allocates.
func PlainStringBytes(d Decimal) int64 {
	return 2*allocBytes(d.PlainStringLen()) + StringBytes(d.big())
}
