package num

// This file defines logarithms, the exponential function and powers as in Java's Math: correctly
// rounded except for very few arguments. The functions of Go's package math are off by up to
// several units in the last digit, which is visible in the interest of ten years. The functions
// here compute with pairs of doubles, of about 100 bits.

import "math"

// doubleDouble is the unrounded sum of two doubles. lo is at most half a unit in the last digit of
// hi.
type doubleDouble struct{ hi, lo float64 }

// sumOrdered is a+b for |a| at least |b|.
func sumOrdered(a, b float64) doubleDouble {
	s := a + b
	return doubleDouble{s, b - (s - a)}
}

func sum(a, b float64) doubleDouble {
	s := a + b
	v := s - a
	return doubleDouble{s, (a - (s - v)) + (b - v)}
}

func product(a, b float64) doubleDouble {
	p := float64(a * b) // rounded, and not fused with the addition after it
	return doubleDouble{p, math.FMA(a, b, -p)}
}

func (x doubleDouble) add(y doubleDouble) doubleDouble {
	s, t := sum(x.hi, y.hi), sum(x.lo, y.lo)
	s = sumOrdered(s.hi, s.lo+t.hi)
	return sumOrdered(s.hi, s.lo+t.lo)
}

func (x doubleDouble) mul(y doubleDouble) doubleDouble {
	p := product(x.hi, y.hi)
	return sumOrdered(p.hi, p.lo+(x.hi*y.lo+x.lo*y.hi))
}

func (x doubleDouble) scale(f float64) doubleDouble { // f is a power of two
	return doubleDouble{x.hi * f, x.lo * f}
}

func (x doubleDouble) div(y doubleDouble) doubleDouble {
	q := x.hi / y.hi
	r := x.add(doubleDouble{-q, 0}.mul(y))
	q2 := r.hi / y.hi
	r = r.add(doubleDouble{-q2, 0}.mul(y))
	return sumOrdered(q, q2).add(doubleDouble{r.hi / y.hi, 0})
}

var (
	ln2     = doubleDouble{6.93147180559945286227e-01, 2.31904681384629955842e-17}
	perLn10 = doubleDouble{4.34294481903251816668e-01, 1.09831965021676507e-17}
)

const (
	logTerms  = 22 // the next term is below 2^-110 of the first
	expTerms  = 11
	sinTerms  = 25 // 1/25!, below 2^-80, times a power below 2^-9
	halvings  = 8  // of the argument of the exponential series
	maxPower2 = 1100.0
)

// oddInverses are 1, 1/3, 1/5 …, the coefficients of the series of the inverse hyperbolic tangent.
var oddInverses = func() (c [logTerms]doubleDouble) {
	for i := range c {
		c[i] = doubleDouble{1, 0}.div(doubleDouble{float64(2*i + 1), 0})
	}
	return c
}()

// factorialInverses are 1, 1/2, 1/6 …, the coefficients of the series of exp(x)-1, sine and
// cosine.
var factorialInverses = func() (c [sinTerms]doubleDouble) {
	f := doubleDouble{1, 0}
	for i := range c {
		f = f.div(doubleDouble{float64(i + 1), 0})
		c[i] = f
	}
	return c
}()

// logPair is the logarithm of a positive finite number.
func logPair(x float64) doubleDouble {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	s := doubleDouble{m - 1, 0}.div(sum(m, 1))
	square := s.mul(s)
	p := oddInverses[logTerms-1]
	for i := logTerms - 2; i >= 0; i-- {
		p = p.mul(square).add(oddInverses[i])
	}
	log := s.mul(p).scale(2)
	if k == 0 {
		return log
	}
	return doubleDouble{float64(k), 0}.mul(ln2).add(log)
}

// expOf is e to the power of t.
func expOf(t doubleDouble) float64 {
	switch k := t.hi / ln2.hi; {
	case k > maxPower2:
		return math.Inf(1)
	case k < -maxPower2:
		return 0
	}
	k := math.Round(t.hi / ln2.hi)
	r := t.add(doubleDouble{-k, 0}.mul(ln2)).scale(1.0 / (1 << halvings))
	p := factorialInverses[expTerms-1]
	for i := expTerms - 2; i >= 0; i-- {
		p = p.mul(r).add(factorialInverses[i])
	}
	p = p.mul(r) // exp(r)-1
	for range halvings {
		p = p.scale(2).add(p.mul(p))
	}
	return math.Ldexp(p.add(doubleDouble{1, 0}).hi, int(k))
}

// Exp is Math.exp.
func Exp(x float64) float64 {
	if x != x || math.IsInf(x, 0) {
		return math.Exp(x)
	}
	return expOf(doubleDouble{x, 0})
}

// Log is Math.log.
func Log(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log(x)
	}
	return logPair(x).hi
}

// Log10 is Math.log10.
func Log10(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 1) {
		return math.Log10(x)
	}
	return logPair(x).mul(perLn10).hi
}

// Pow is Math.pow. As in Java, ±1 to an infinite or NaN power is NaN.
func Pow(x, y float64) float64 {
	switch {
	case y != y || math.Abs(x) == 1 && math.IsInf(y, 0):
		return math.NaN()
	case x == 0 || x != x || y == 0 || math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Pow(x, y)
	case x < 0 && y != math.Trunc(y):
		return math.NaN()
	}
	if y == math.Trunc(y) && math.Abs(y) <= maxProducts {
		if r := powInt(x, int(y)); math.Abs(r) > 1e-280 && math.Abs(r) < 1e280 {
			return r
		}
	}
	// A power beyond these bounds is infinite or 0 already. Its product with the logarithm could be
	// infinity minus infinity.
	r := expOf(logPair(math.Abs(x)).mul(doubleDouble{max(-0x1p70, min(y, 0x1p70)), 0}))
	if x < 0 && math.Mod(y, 2) != 0 {
		return -r
	}
	return r
}

// maxProducts is the largest exponent that is computed by multiplication, which loses 20 of the
// bits.
const maxProducts = 1 << 20

// powInt is x^n by squaring, at a tenth of the work of using the logarithm. Results near the bounds
// of a double are not exact.
func powInt(x float64, n int) float64 {
	r, power := doubleDouble{1, 0}, doubleDouble{x, 0}
	for left := max(n, -n); ; power = power.mul(power) {
		if left&1 != 0 {
			r = r.mul(power)
		}
		if left >>= 1; left == 0 {
			break
		}
	}
	if n < 0 {
		r = doubleDouble{1, 0}.div(r)
	}
	return r.hi
}
