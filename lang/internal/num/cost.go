package num

// This file defines the size limit of integers, and upper bounds of the bytes that operations
// allocate, for callers that charge memory first. The bounds include temporary memory and were
// checked against runtime.MemStats.TotalAlloc (TestCostBounds). None of these functions allocates.

import (
	"errors"
	"math"
	"math/big"
)

// MaxBits limits the size of one integer: 16 KB, or 39,000 digits, which is enough for the
// factorial of 10,000. One operation may run between two polls for cancellation: printing an
// integer of this size takes 2 ms, reading it 4 ms, and the greatest common divisor of two that
// have this many bits together 7 ms. At 64 KB these times are 31, 14 and 64 ms. Functions of this
// package that can grow a value return ErrTooLarge instead of exceeding it. Callers that use
// big.Int directly must compare the bits first (MulBits, PowBits).
const MaxBits = 16 << 10 * 8

// ErrTooLarge is the error of an operation whose result, or an intermediate value, would exceed
// MaxBits.
var ErrTooLarge = errors.New("number too large")

// bigOverhead covers the headers of the few big.Int values that an operation makes (24 bytes and a
// minimum allocation each).
const bigOverhead = 256

// allocBytes bounds the memory that the allocator returns for n bytes. Its size classes differ by
// less than a sixth up to 32 KB, and by pages of 8 KB above.
func allocBytes(n int64) int64 {
	if n > 28<<10 {
		return n + 8<<10
	}
	return n + n/6 + 32
}

// wordBytes returns the bytes of the words of an integer of the given bits, with the four words of
// slack that math/big adds.
func wordBytes(bits int64) int64 { return allocBytes((bits+63)/64*8 + 32) }

// karatsubaBits is a size up to which math/big multiplies and divides without extra working memory
// (its thresholds are 40 words and more).
const karatsubaBits = 40 * 32

// bitsOf10 is an upper bound of the bits of 10^n.
func bitsOf10(n int64) int64 { return n*3322/1000 + n/1000 + 1 }

// digitsBound is an upper bound of the decimal digits of an integer.
func digitsBound(bits int) int { return int(int64(bits)*30103/100000) + 1 }

// digitBits is an upper bound of the bits of an integer with the given digits.
func digitBits(digits, radix int) int64 {
	return int64(math.Ceil(float64(digits)*math.Log2(float64(radix)))) + 1
}

// AddBytes bounds the bytes that Add or Sub of big.Int allocates, including the result.
func AddBytes(a, b *big.Int) int64 {
	return wordBytes(int64(max(a.BitLen(), b.BitLen()))+1) + 32
}

// MulBits is an upper bound of the size in bits of a*b.
func MulBits(a, b *big.Int) int64 { return int64(a.BitLen()) + int64(b.BitLen()) }

// MulBytes bounds the bytes that Mul of big.Int allocates: the product and the working memory of
// Karatsuba multiplication.
func MulBytes(a, b *big.Int) int64 { return mulBytes(int64(a.BitLen()), int64(b.BitLen())) }

func mulBytes(a, b int64) int64 {
	if a+b <= karatsubaBits {
		return wordBytes(a+b) + 64
	}
	return 6*wordBytes(a+b) + 64
}

// DivBytes bounds the bytes that QuoRem, Quo or Rem of big.Int allocates.
func DivBytes(a, b *big.Int) int64 { return divBytes(int64(a.BitLen()), int64(b.BitLen())) }

func divBytes(a, b int64) int64 {
	if max(a, b) <= karatsubaBits {
		return 3*wordBytes(max(a, b)) + bigOverhead
	}
	return 12*wordBytes(max(a, b)) + bigOverhead
}

// ReduceBytes bounds the bytes that ReduceRatio (a GCD and two divisions) allocates.
func ReduceBytes(n, d *big.Int) int64 {
	a, b := int64(n.BitLen()), int64(d.BitLen())
	return 4*divBytes(a, b) + 2*wordBytes(a) + 2*wordBytes(b) + bigOverhead
}

// PowBits is an upper bound of the size in bits of base^n.
func PowBits(base *big.Int, n uint64) int64 {
	b := uint64(base.BitLen())
	if b != 0 && n > math.MaxInt64/b {
		return math.MaxInt64
	}
	return int64(b * n)
}

// PowBytes bounds the bytes that Exp(base, n, nil) of big.Int allocates. It returns math.MaxInt64
// if the bound exceeds an int64.
func PowBytes(base *big.Int, n uint64) int64 {
	return powBytes(PowBits(base, n))
}

// powBytes bounds the bytes of computing a power of the given bits. Repeated squaring alternates
// between two buffers that grow by doubling.
func powBytes(bits int64) int64 {
	if bits > math.MaxInt64/16 {
		return math.MaxInt64
	}
	return 12*wordBytes(bits) + 2*bigOverhead
}

// ShiftLeftBytes bounds the bytes that Lsh of big.Int by n bits allocates.
func ShiftLeftBytes(a *big.Int, n uint32) int64 {
	return wordBytes(int64(a.BitLen())+int64(n)) + 32
}

// StringBytes bounds the bytes that the decimal string of x allocates, including the string.
func StringBytes(x *big.Int) int64 { return stringBytes(int64(x.BitLen())) }

func stringBytes(bits int64) int64 {
	if bits > karatsubaBits { // divided by powers of ten, with working memory
		return 4*int64(digitsBound(int(bits))) + 20*wordBytes(bits) + 2*bigOverhead
	}
	return 2*int64(digitsBound(int(bits))) + 8*wordBytes(bits) + bigOverhead
}

// ParseBigIntBytes bounds the bytes that ParseBigInt and ParseDecimal allocate.
func ParseBigIntBytes(s string, radix int) int64 {
	n := 2*allocBytes(int64(len(s))) + wordBytes(digitBits(len(s), radix)) + 128
	if len(s) > leafDigits {
		n += 16 * wordBytes(digitBits(len(s), radix))
	}
	return n
}
