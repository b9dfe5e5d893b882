package num

// This file defines the hashes that Clojure takes from Java's hashCode of numbers. Integers in the
// range of a long are hashed by murmur.HashLong, whatever their type.

import (
	"math"
	"math/big"
	"math/bits"
)

// BigIntHash is BigInteger.hashCode. Clojure uses it only for integers outside the range of a long.
// It does not allocate.
func BigIntHash(x *big.Int) int32 {
	words := x.Bits()
	var h uint32
	for i := len(words) - 1; i >= 0; i-- {
		w := uint64(words[i])
		if bits.UintSize == 64 { // a leading zero half leaves h at 0
			h = 31*h + uint32(w>>32)
		}
		h = 31*h + uint32(w)
	}
	if x.Sign() < 0 {
		h = -h
	}
	return int32(h)
}

// HashDouble is Clojure's hash of a double: Double.hashCode, except that -0.0 hashes to 0, because
// it is = to 0.0.
func HashDouble(f float64) int32 {
	if f == 0 {
		return 0
	}
	if math.IsNaN(f) {
		return 0x7ff80000 // Java has one bit pattern for all NaNs
	}
	b := math.Float64bits(f)
	return int32(b ^ b>>32)
}

// RatioHash is Ratio.hashCode: the exclusive or of the BigInteger hashes.
func RatioHash(num, den *big.Int) int32 {
	return BigIntHash(num) ^ BigIntHash(den)
}

// HashCode is Clojure's hash of a BigDecimal: BigDecimal.hashCode without trailing zeros, and 0 for
// zero of any scale. It allocates at most StripBytes(d).
func (d Decimal) HashCode() int32 {
	if d.Sign() == 0 {
		return 0
	}
	s := d.StripTrailingZeros()
	return 31*BigIntHash(s.unscaled) + s.scale
}
