package num

// This file defines the trigonometric and hyperbolic functions, the cube root and
// the hypotenuse as Java's StrictMath does: by the algorithms of fdlibm 5.3 (Sun
// Microsystems, 1993; "freely granted" use). Those of Go's package math differ
// from them in the last digit. Only arguments of Sin, Cos and Tan above 2^19·π/2
// allocate.

import (
	"math"
	"math/big"
	"sync"
)

const signMask = 0x7fffffff

// high gives the upper half of the bits of a double, low the lower one.
func high(x float64) int32 { return int32(math.Float64bits(x) >> 32) }
func low(x float64) uint32 { return uint32(math.Float64bits(x)) }

// trunc gives x without the lower half of its bits.
func trunc(x float64) float64 { return math.Float64frombits(math.Float64bits(x) &^ 0xffffffff) }

// ofHigh gives the double of an upper half.
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
	n, y0, y1 := remPio2(x)
	switch n & 3 {
	case 0:
		return kernelSin(y0, y1)
	case 1:
		return kernelCos(y0, y1)
	case 2:
		return -kernelSin(y0, y1)
	}
	return -kernelCos(y0, y1)
}

// Cos is Math.cos.
func Cos(x float64) float64 {
	n, y0, y1 := remPio2(x)
	switch n & 3 {
	case 0:
		return kernelCos(y0, y1)
	case 1:
		return -kernelSin(y0, y1)
	case 2:
		return -kernelCos(y0, y1)
	}
	return kernelSin(y0, y1)
}

// Tan is Math.tan.
func Tan(x float64) float64 {
	n, y0, y1 := remPio2(x)
	return kernelTan(y0, y1, n&1 != 0)
}

// kernelSin is the sine of x+y, |x| at most π/4, y the tail of x.
func kernelSin(x, y float64) float64 {
	if high(x)&signMask < 0x3e400000 {
		return x
	}
	const (
		s1 = -1.66666666666666324348e-01
		s2 = 8.33333333332248946124e-03
		s3 = -1.98412698298579493134e-04
		s4 = 2.75573137070700676789e-06
		s5 = -2.50507602534068634195e-08
		s6 = 1.58969099521155010221e-10
	)
	z := x * x
	v := z * x
	r := s2 + z*(s3+z*(s4+z*(s5+z*s6)))
	return x - ((z*(0.5*y-v*r) - y) - v*s1)
}

// kernelCos is the cosine of x+y.
func kernelCos(x, y float64) float64 {
	const (
		c1 = 4.16666666666666019037e-02
		c2 = -1.38888888888741095749e-03
		c3 = 2.48015872894767294178e-05
		c4 = -2.75573143513906633035e-07
		c5 = 2.08757232129817482790e-09
		c6 = -1.13596475577881948265e-11
	)
	ix := high(x) & signMask
	if ix < 0x3e400000 {
		return 1
	}
	z := x * x
	r := z * (c1 + z*(c2+z*(c3+z*(c4+z*(c5+z*c6)))))
	if ix < 0x3fd33333 {
		return 1 - (0.5*z - (z*r - x*y))
	}
	qx := 0.28125
	if ix <= 0x3fe90000 {
		qx = ofHigh(ix - 0x00200000)
	}
	hz := 0.5*z - qx
	return (1 - qx) - (hz - (z*r - x*y))
}

var tanTerms = [...]float64{3.33333333333334091986e-01, 1.33333333333201242699e-01, 5.39682539762260521377e-02,
	2.18694882948595424599e-02, 8.86323982359930005737e-03, 3.59207910759131235356e-03, 1.45620945432529025516e-03,
	5.88041240820264096874e-04, 2.46463134818469906812e-04, 7.81794442939557092300e-05, 7.14072491382608190305e-05,
	-1.85586374855275456654e-05, 2.59073051863633712884e-05}

// kernelTan is the tangent of x+y, or -1 by it if invert.
func kernelTan(x, y float64, invert bool) float64 {
	hx := high(x)
	ix := hx & signMask
	if ix < 0x3e300000 {
		if !invert {
			return x
		}
		return minusInverse(x+y, x, y)
	}
	large := ix >= 0x3fe59428
	if large {
		if hx < 0 {
			x, y = -x, -y
		}
		x, y = (pio4-x)+(pio4Lo-y), 0
	}
	t := &tanTerms
	z := x * x
	w := z * z
	r := t[1] + w*(t[3]+w*(t[5]+w*(t[7]+w*(t[9]+w*t[11]))))
	v := z * (t[2] + w*(t[4]+w*(t[6]+w*(t[8]+w*(t[10]+w*t[12])))))
	s := z * x
	r = y + z*(s*(r+v)+y)
	r += t[0] * s
	w = x + r
	if large {
		v := 1.0
		if invert {
			v = -1
		}
		return float64(1-((hx>>30)&2)) * (v - 2*(x-(w*w/(w+v)-r)))
	}
	if !invert {
		return w
	}
	return minusInverse(w, x, r)
}

// minusInverse is -1/w, for w = x+tail.
func minusInverse(w, x, tail float64) float64 {
	z := trunc(w)
	v := tail - (z - x)
	a := -1 / w
	t := trunc(a)
	return t + a*(1+t*z+t*v)
}

// remPio2 gives x less n times π/2 as the sum of two doubles.
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

// pioBits is the precision, in bits behind the point, that leaves 100 right ones
// of the remainder of the largest double.
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

// TrigBytes bounds what Sin, Cos and Tan of x allocate.
func TrigBytes(x float64) int64 {
	if math.Abs(x) < 1e5 {
		return 0
	}
	return 4 << 10
}

// remPio2Large is remPio2 by integers: fdlibm's way gives the same digits.
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
