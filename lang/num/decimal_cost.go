package num

// This file defines upper bounds, in bytes, of what Decimal operations allocate.
// They saturate below about 2^36 for any operands; an operation that would pass
// MaxBits fails before it allocates.

// opBytes bounds an operation on integers of at most so many bits: a power of
// ten, a product, a quotient and a few headers.
func opBytes(bits int64) int64 {
	if bits > 4*MaxBits {
		// Refused with ErrTooLarge: only measuring the operands costs.
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

// PrecisionBytes bounds what d.Precision() allocates.
func PrecisionBytes(d Decimal) int64 {
	if d.BitLen() <= 63 {
		return 0
	}
	return powBytes(int64(d.BitLen()) + 4)
}

// NegBytes bounds what d.Neg() allocates.
func NegBytes(d Decimal) int64 { return wordBytes(int64(d.BitLen())) + 32 }

// CmpBytes bounds what d.Cmp(e) allocates: numbers of one scale nothing.
func CmpBytes(d, e Decimal) int64 {
	if d.scale == e.scale {
		return 0
	}
	return 3 * powBytes(int64(max(d.BitLen(), e.BitLen()))+8)
}

// StripBytes bounds what StripTrailingZeros and HashCode allocate.
func StripBytes(d Decimal) int64 {
	if d.Sign() == 0 || d.big().Bit(0) == 1 {
		return 64
	}
	return stripBytes(int64(d.BitLen()))
}

func stripBytes(bits int64) int64 {
	// One division and at most log2 of the size quotients that are kept.
	steps := int64(2)
	for n := bits; n > 1; n >>= 1 {
		steps++
	}
	return steps*2*wordBytes(bits) + 8*wordBytes(bits) + steps*64 + bigOverhead
}

// DecimalAddBytes bounds what Add, Sub and (of d and e) align allocate.
func DecimalAddBytes(d, e Decimal) int64 {
	gap := scaleGap(d, e)
	if gap == 0 {
		return AddBytes(d.big(), e.big())
	}
	return opBytes(int64(max(d.BitLen(), e.BitLen())) + bitsOf10(gap))
}

// DecimalMulBytes bounds what Mul allocates.
func DecimalMulBytes(d, e Decimal) int64 { return MulBytes(d.big(), e.big()) }

// DecimalDivBytes bounds what Div, Quo, Rem and Mod allocate.
func DecimalDivBytes(d, e Decimal) int64 {
	bits := int64(d.BitLen()) + 4*int64(e.BitLen())
	whole := bits
	if gap := bitsOf10(scaleGap(d, e)); gap < MaxBits {
		whole += 2 * gap
	}
	return stripBytes(whole) + 2*opBytes(whole)
}

// DivScaleBytes bounds what DivScale allocates.
func DivScaleBytes(d, e Decimal, scale int32) int64 {
	bits := int64(d.BitLen()) + int64(e.BitLen())
	gap := int64(scale) + int64(e.scale) - int64(d.scale)
	if gap = bitsOf10(max(gap, -gap)); gap < MaxBits {
		bits += gap
	}
	return 4 * opBytes(bits+16)
}

// ContextBytes bounds what an operation on d and e under mc allocates.
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

// SetScaleBytes bounds what SetScale and ToBigInt allocate.
func SetScaleBytes(d Decimal, scale int32) int64 {
	gap := int64(scale) - int64(d.scale)
	if gap < 0 { // digits fall away: no power is larger than d
		return opBytes(int64(d.BitLen()) + 16)
	}
	return opBytes(int64(d.BitLen()) + bitsOf10(gap))
}

// RoundBytes bounds what Round allocates.
func RoundBytes(d Decimal) int64 { return 2 * opBytes(int64(d.BitLen())+16) }

// RationalizeBytes bounds what d.Rationalize() allocates.
func RationalizeBytes(d Decimal) int64 {
	gap := int64(d.scale)
	return 2 * opBytes(int64(d.BitLen())+bitsOf10(max(gap, -gap)))
}

// DecimalStringBytes bounds what String() and ToFloat() allocate.
func DecimalStringBytes(d Decimal) int64 {
	return stringBytes(int64(d.BitLen())) + 2*int64(digitsBound(d.BitLen())) + 64
}

// PlainStringBytes bounds what PlainString() allocates.
func PlainStringBytes(d Decimal) int64 {
	return 2*allocBytes(d.PlainStringLen()) + StringBytes(d.big())
}
