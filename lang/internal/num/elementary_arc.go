package num

// This file defines the inverse trigonometric and the hyperbolic functions, Cbrt
// and Hypot.

import "math"

var (
	atanHi = [...]float64{4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01,
		1.57079632679489655800e+00}
	atanLo = [...]float64{2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17,
		6.12323399573676603587e-17}
	// atanTerms are the coefficients of the series.
	atanTerms = [...]float64{3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01,
		-1.11111104054623557880e-01, 9.09088713343650656196e-02, -7.69187620504482999495e-02, 6.66107313738753120669e-02,
		-5.83357013379057348645e-02, 4.97687799461593236017e-02, -3.65315727442169155270e-02, 1.62858201153657823623e-02}
)

// Atan is Math.atan.
func Atan(x float64) float64 {
	hx := high(x)
	ix := hx & signMask
	if x != x || ix >= 0x44100000 {
		return math.Atan(x)
	}
	id := -1
	switch {
	case ix < 0x3e200000:
		return x
	case ix < 0x3fdc0000:
	case ix < 0x3fe60000:
		id, x = 0, (2*math.Abs(x)-1)/(2+math.Abs(x))
	case ix < 0x3ff30000:
		id, x = 1, (math.Abs(x)-1)/(math.Abs(x)+1)
	case ix < 0x40038000:
		id, x = 2, (math.Abs(x)-1.5)/(1+1.5*math.Abs(x))
	default:
		id, x = 3, -1/math.Abs(x)
	}
	t := &atanTerms
	z := x * x
	w := z * z
	s1 := z * (t[0] + w*(t[2]+w*(t[4]+w*(t[6]+w*(t[8]+w*t[10])))))
	s2 := w * (t[1] + w*(t[3]+w*(t[5]+w*(t[7]+w*t[9]))))
	if id < 0 {
		return x - x*(s1+s2)
	}
	z = atanHi[id] - ((x*(s1+s2) - atanLo[id]) - x)
	if hx < 0 {
		return -z
	}
	return z
}

// Atan2 is Math.atan2.
func Atan2(y, x float64) float64 {
	if x != x || y != y || x == 0 || y == 0 || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return math.Atan2(y, x)
	}
	if x == 1 {
		return Atan(y)
	}
	var z float64
	switch k := (high(y)&signMask - high(x)&signMask) >> 20; {
	case k > 60:
		z = pio2Hi + 0.5*piLo
	case x < 0 && k < -60:
		z = 0
	default:
		z = Atan(math.Abs(y / x))
	}
	switch {
	case x > 0 && y > 0:
		return z
	case x > 0:
		return -z
	case y > 0:
		return math.Pi - (z - piLo)
	}
	return (z - piLo) - math.Pi
}

// arcRatio is the rational function that Asin and Acos share.
func arcRatio(z float64) float64 {
	const (
		p0 = 1.66666666666666657415e-01
		p1 = -3.25565818622400915405e-01
		p2 = 2.01212532134862925881e-01
		p3 = -4.00555345006794114027e-02
		p4 = 7.91534994289814532176e-04
		p5 = 3.47933107596021167570e-05
		q1 = -2.40339491173441421878e+00
		q2 = 2.02094576023350569471e+00
		q3 = -6.88283971605453293030e-01
		q4 = 7.70381505559019352791e-02
	)
	p := z * (p0 + z*(p1+z*(p2+z*(p3+z*(p4+z*p5)))))
	return p / (1 + z*(q1+z*(q2+z*(q3+z*q4))))
}

// Acos is Math.acos.
func Acos(x float64) float64 {
	switch a := math.Abs(x); {
	case !(a < 1):
		return math.Acos(x)
	case a < 0.5:
		if high(x)&signMask <= 0x3c600000 {
			return pio2Hi + pio2Lo
		}
		return pio2Hi - (x - (pio2Lo - x*arcRatio(x*x)))
	case x < 0:
		z := (1 + x) * 0.5
		s := math.Sqrt(z)
		return math.Pi - 2*(s+(arcRatio(z)*s-pio2Lo))
	}
	z := (1 - x) * 0.5
	s := math.Sqrt(z)
	df := trunc(s)
	c := (z - df*df) / (s + df)
	return 2 * (df + (arcRatio(z)*s + c))
}

// Asin is Math.asin.
func Asin(x float64) float64 {
	ix := high(x) & signMask
	switch a := math.Abs(x); {
	case !(a < 1):
		return math.Asin(x)
	case ix < 0x3e400000:
		return x
	case a < 0.5:
		return x + x*arcRatio(x*x)
	}
	t := (1 - math.Abs(x)) * 0.5
	s := math.Sqrt(t)
	r := arcRatio(t)
	if ix >= 0x3fef3333 {
		t = pio2Hi - (2*(s+s*r) - pio2Lo)
	} else {
		w := trunc(s)
		c := (t - w*w) / (s + w)
		p := 2*s*r - (pio2Lo - 2*c)
		t = pio4 - (p - (pio4 - 2*w))
	}
	return math.Copysign(t, x)
}

// maxExp is the largest argument for which exp is finite.
const maxExp = 7.09782712893383973096e+02

// exp is StrictMath.exp of a number of at least 0.1. Sinh and Cosh are built on it. Java's Math.exp
// is a different function; its digits are those of Exp.
func exp(x float64) float64 {
	const (
		ln2Hi = 6.93147180369123816490e-01
		ln2Lo = 1.90821492927058770002e-10
		p1    = 1.66666666666666019037e-01
		p2    = -2.77777777770155933842e-03
		p3    = 6.61375632143793436117e-05
		p4    = -1.65339022054652515390e-06
		p5    = 4.13813679705723846039e-08
	)
	if x > maxExp {
		return math.Inf(1)
	}
	k, hi, lo := 0, x, 0.0
	switch {
	case high(x) > 0x3ff0a2b1:
		k = int(math.Log2E*x + 0.5)
		hi, lo = x-float64(k)*ln2Hi, float64(k)*ln2Lo
	case high(x) > 0x3fd62e42:
		k, hi, lo = 1, x-ln2Hi, ln2Lo
	}
	x = hi - lo
	t := x * x
	c := x - t*(p1+t*(p2+t*(p3+t*(p4+t*p5))))
	if k == 0 {
		return 1 - ((x*c)/(c-2) - x)
	}
	return math.Ldexp(1-((lo-(x*c)/(2-c))-hi), k)
}

// Sinh is Math.sinh.
func Sinh(x float64) float64 {
	h, a := math.Copysign(0.5, x), math.Abs(x)
	switch {
	case x != x || math.IsInf(x, 0) || a < 0x1p-28:
		return x
	case a < 1:
		t := math.Expm1(a)
		return h * (2*t - t*t/(t+1))
	case a < 22:
		t := math.Expm1(a)
		return h * (t + t/(t+1))
	case a < maxExp:
		return h * exp(a)
	}
	w := exp(0.5 * a)
	return (h * w) * w
}

// Cosh is Math.cosh.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x || math.IsInf(x, 0):
		return x * x
	case high(a) < 0x3fd62e43:
		t := math.Expm1(a)
		w := 1 + t
		if high(a) < 0x3c800000 {
			return w
		}
		return 1 + t*t/(w+w)
	case a < 22:
		t := exp(a)
		return 0.5*t + 0.5/t
	case a < maxExp:
		return 0.5 * exp(a)
	}
	w := exp(0.5 * a)
	return (0.5 * w) * w
}

// Tanh is Math.tanh.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	z := 1.0
	switch {
	case x != x:
		return x
	case a < 0x1p-55:
		return x * (1 + x)
	case a < 1:
		t := math.Expm1(-2 * a)
		z = -t / (t + 2)
	case a < 22:
		z = 1 - 2/(math.Expm1(2*a)+2)
	}
	return math.Copysign(z, x)
}

// Cbrt is Math.cbrt.
func Cbrt(x float64) float64 {
	const (
		b1 = 715094163
		b2 = 696219795
		c  = 5.42857142857142815906e-01
		d  = -7.05306122448979611050e-01
		e  = 1.41428571428571436819e+00
		f  = 1.60714285714285720630e+00
		g  = 3.57142857142857150787e-01
	)
	if x == 0 || x != x || math.IsInf(x, 0) {
		return x
	}
	a := math.Abs(x)
	t := ofHigh(high(a)/3 + b1)
	if high(a) < 0x00100000 {
		t = a * 0x1p54
		t = math.Float64frombits(uint64(uint32(high(t)/3+b2))<<32 | uint64(low(t)))
	}
	r := t * t / a
	s := c + r*t
	t *= g + f/(s+e+d/s)
	t = ofHigh(high(t) + 1)
	s = t * t
	r = a / s
	r = (r - t) / (t + t + r)
	return math.Copysign(t+t*r, x)
}

// Hypot is Math.hypot.
func Hypot(x, y float64) float64 {
	a, b := math.Abs(x), math.Abs(y)
	if a < b {
		a, b = b, a
	}
	if b == 0 || !(a <= math.MaxFloat64) || b != b {
		return math.Hypot(x, y)
	}
	if high(a)-high(b) > 0x3c00000 {
		return a + b
	}
	scale := 1.0
	switch {
	case high(a) > 0x5f300000:
		a, b, scale = a*0x1p-600, b*0x1p-600, 0x1p600
	case high(b) < 0x00100000:
		a, b, scale = a*0x1p1022, b*0x1p1022, 0x1p-1022
	case high(b) < 0x20b00000:
		a, b, scale = a*0x1p600, b*0x1p600, 0x1p-600
	}
	w := a - b
	if w > b {
		t1 := trunc(a)
		t2 := a - t1
		return scale * math.Sqrt(t1*t1-(b*(-b)-t2*(a+t1)))
	}
	a += a
	y1 := trunc(b)
	y2 := b - y1
	t1 := trunc(a)
	t2 := a - t1
	return scale * math.Sqrt(t1*y1-(w*(-w)-(t1*y2+t2*b)))
}
