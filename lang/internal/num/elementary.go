package num

// This file defines the trigonometric and hyperbolic functions, the cube root and the hypotenuse as
// in Java's Math. Sine, cosine and tangent are correctly rounded except for very few arguments. The
// others are those of StrictMath, with the algorithms of fdlibm 5.3 (Sun Microsystems, 1993;
// "freely granted" use). The functions of Go's package math differ from them in the last digit.
// Only Sin, Cos and Tan of arguments above 2^19·π/2 allocate.

import (
	"math"
	"math/big"
	"sync"
)

const signMask = 0x7fffffff

// high returns the upper half of the bits of a double, and low the lower half.
func high(x float64) int32 { return int32(math.Float64bits(x) >> 32) }
func low(x float64) uint32 { return uint32(math.Float64bits(x)) }

// trunc returns x without the lower half of its bits.
func trunc(x float64) float64 { return math.Float64frombits(math.Float64bits(x) &^ 0xffffffff) }

// ofHigh returns the double with the given upper half of its bits, and a lower half of zeros.
func ofHigh(h int32) float64 { return math.Float64frombits(uint64(uint32(h)) << 32) }

const (
	pio4   = 7.85398163397448278999e-01
	pio4Lo = 3.06161699786838301793e-17
	pio2Hi = 1.57079632679489655800e+00
	pio2Lo = 6.12323399573676603587e-17
	piLo   = 1.2246467991473531772e-16
)

// Sin is Math.sin.
func Sin(x float64) float64 {
	if tiny(x) {
		return x
	}
	n, sin, cos := sinCos(x)
	switch n & 3 {
	case 0:
		return sin.hi
	case 1:
		return cos.hi
	case 2:
		return -sin.hi
	}
	return -cos.hi
}

// Cos is Math.cos.
func Cos(x float64) float64 {
	n, sin, cos := sinCos(x)
	switch n & 3 {
	case 0:
		return cos.hi
	case 1:
		return -sin.hi
	case 2:
		return -cos.hi
	}
	return sin.hi
}

// Tan is Math.tan.
func Tan(x float64) float64 {
	if tiny(x) {
		return x
	}
	n, sin, cos := sinCos(x)
	if n&1 != 0 {
		return -cos.div(sin).hi
	}
	return sin.div(cos).hi
}

// tiny reports whether x is so small that it equals its own sine. It is true for both zeros, so
// their sign is kept.
func tiny(x float64) bool { return high(x)&signMask < 0x3e400000 }

// sinCos returns the sine and cosine of the remainder of x, and the number of right angles
// subtracted.
func sinCos(x float64) (n int, sin, cos doubleDouble) {
	n, y0, y1 := remPio2(x)
	if y0 != y0 {
		return 0, doubleDouble{y0, 0}, doubleDouble{y0, 0}
	}
	y := sumOrdered(y0, y1)
	square := y.mul(y).scale(-1)
	last := len(factorialInverses) - 1
	odd, even := factorialInverses[last], factorialInverses[last-1]
	for i := last - 2; i > 0; i -= 2 {
		odd, even = odd.mul(square).add(factorialInverses[i]), even.mul(square).add(factorialInverses[i-1])
	}
	odd = odd.mul(square).add(factorialInverses[0])
	return n, odd.mul(y), even.mul(square).add(doubleDouble{1, 0})
}

// remPio2 returns the remainder of x minus n times π/2, as the sum of two doubles.
func remPio2(x float64) (n int, y0, y1 float64) {
	const (
		inverse = 6.36619772367581382433e-01
		part1   = 1.57079632673412561417e+00
		part1T  = 6.07710050650619224932e-11
		part2   = 6.07710050630396597660e-11
		part2T  = 2.02226624879595063154e-21
		part3   = 2.02226624871116645580e-21
		part3T  = 8.47842766036889956997e-32
	)
	ix := high(x) & signMask
	switch {
	case ix <= 0x3fe921fb:
		return 0, x, 0
	case ix >= 0x7ff00000:
		return 0, math.NaN(), 0
	case ix > 0x413921fb:
		return remPio2Large(x)
	}
	t := math.Abs(x)
	n = int(t*inverse + 0.5)
	fn := float64(n)
	r := t - fn*part1
	w := fn * part1T
	y0 = r - w
	j := ix >> 20
	if j-(high(y0)>>20&0x7ff) > 16 {
		t = r
		w = fn * part2
		r = t - w
		w = fn*part2T - ((t - r) - w)
		y0 = r - w
		if j-(high(y0)>>20&0x7ff) > 49 {
			t = r
			w = fn * part3
			r = t - w
			w = fn*part3T - ((t - r) - w)
			y0 = r - w
		}
	}
	y1 = (r - y0) - w
	if x < 0 {
		return -n, -y0, -y1
	}
	return n, y0, y1
}

// pioBits is the number of bits after the point for which the remainder of the largest double has
// 100 correct bits.
const pioBits = 1200

// halfPi is π/2 times 2^pioBits, by Machin's formula.
var halfPi = sync.OnceValue(func() *big.Int {
	arctan := func(n int64) *big.Int {
		sum, power := new(big.Int), new(big.Int).Lsh(big.NewInt(1), pioBits+64)
		power.Quo(power, big.NewInt(n))
		for k := int64(1); power.Sign() != 0; k += 2 {
			term := new(big.Int).Quo(power, big.NewInt(k))
			if k&2 != 0 {
				term.Neg(term)
			}
			sum.Add(sum, term)
			power.Quo(power, big.NewInt(n*n))
		}
		return sum
	}
	pi := new(big.Int).Mul(arctan(5), big.NewInt(16))
	pi.Sub(pi, arctan(239).Mul(arctan(239), big.NewInt(4)))
	return pi.Rsh(pi, 65)
})

// TrigBytes bounds the bytes that Sin, Cos and Tan of x allocate.
func TrigBytes(x float64) int64 {
	if math.Abs(x) < 1e5 {
		return 0
	}
	return 4 << 10
}

// remPio2Large is remPio2 with integer arithmetic. It returns the same digits as the method of
// fdlibm.
func remPio2Large(x float64) (n int, y0, y1 float64) {
	frac, exp := math.Frexp(math.Abs(x))
	scaled := big.NewInt(int64(frac * (1 << 53)))
	scaled.Lsh(scaled, uint(exp-53+pioBits))
	p := halfPi()
	q, r := new(big.Int).QuoRem(scaled, p, new(big.Int))
	n = int(new(big.Int).And(q, big.NewInt(3)).Int64())
	if twice := new(big.Int).Lsh(r, 1); twice.Cmp(p) > 0 {
		r.Sub(r, p)
		n++
	}
	rem := new(big.Float).SetPrec(160).SetInt(r)
	rem.SetMantExp(rem, -pioBits)
	y0, _ = rem.Float64()
	y1, _ = rem.Sub(rem, new(big.Float).SetPrec(160).SetFloat64(y0)).Float64()
	if x < 0 {
		return -n, -y0, -y1
	}
	return n, y0, y1
}
