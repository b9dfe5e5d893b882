package num

// This file defines rounding modes, and the integer division, mostly by powers of ten, on which
// decimal arithmetic is built.

import (
	"math"
	"math/big"
)

// RoundingMode is java.math.RoundingMode.
type RoundingMode uint8

// The rounding modes, in Java's order.
const (
	Up          RoundingMode = iota // away from zero
	Down                            // towards zero
	Ceiling                         // towards positive infinity
	Floor                           // towards negative infinity
	HalfUp                          // nearest; ties away from zero
	HalfDown                        // nearest; ties towards zero
	HalfEven                        // nearest; ties to the even digit
	Unnecessary                     // fail unless exact
)

var roundingNames = [...]string{"UP", "DOWN", "CEILING", "FLOOR", "HALF_UP", "HALF_DOWN", "HALF_EVEN", "UNNECESSARY"}

// String returns Java's name of the mode, such as HALF_UP. with-precision takes the same names.
func (m RoundingMode) String() string {
	if int(m) < len(roundingNames) {
		return roundingNames[m]
	}
	return "UNKNOWN"
}

// ParseRoundingMode returns the mode with a Java name.
func ParseRoundingMode(name string) (m RoundingMode, ok bool) {
	for i, n := range roundingNames {
		if n == name {
			return RoundingMode(i), true
		}
	}
	return 0, false
}

// MathContext is java.math.MathContext: a number of significant digits, where 0 means unlimited,
// and the mode of rounding to them. with-precision uses HalfUp by default.
type MathContext struct {
	Precision int32
	Mode      RoundingMode
}

// divRound returns n/d rounded by mode, and whether it was exact.
func divRound(n, d *big.Int, mode RoundingMode) (q *big.Int, exact bool, err error) {
	q, r := new(big.Int).QuoRem(n, d, new(big.Int))
	if r.Sign() == 0 {
		return q, true, nil
	}
	sign := n.Sign() * d.Sign()
	half := 0
	if mode >= HalfUp && mode <= HalfEven {
		half = r.Lsh(r, 1).CmpAbs(d)
	}
	away := false
	switch mode {
	case Up:
		away = true
	case Ceiling:
		away = sign > 0
	case Floor:
		away = sign < 0
	case HalfUp:
		away = half >= 0
	case HalfDown:
		away = half > 0
	case HalfEven:
		away = half > 0 || half == 0 && q.Bit(0) == 1
	case Unnecessary:
		return nil, false, ErrRoundingNecessary
	}
	if away {
		q.Add(q, big.NewInt(int64(sign)))
	}
	return q, false, nil
}

// dropDigits divides x by 10^n, rounded by mode. If x is much shorter than n digits, the power is
// not computed: any quotient below a tenth rounds the same.
func dropDigits(x *big.Int, n int64, mode RoundingMode) (*big.Int, error) {
	if x.Sign() == 0 {
		return x, nil
	}
	if most := int64(digitsBound(x.BitLen())); n > most+1 {
		x, n = big.NewInt(int64(x.Sign())), 2
	}
	q, _, err := divRound(x, raise(One, n), mode)
	return q, err
}

// One is the integer 1. It must not be changed.
var One = big.NewInt(1)

// smallPow10 holds the powers of ten that fit an int64.
var smallPow10 = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
	1e17, 1e18}

// pow10 returns 10^n, or ErrTooLarge.
func pow10(n int64) (*big.Int, error) { return raiseLimited(One, n) }

// raiseLimited returns x×10^n, or ErrTooLarge.
func raiseLimited(x *big.Int, n int64) (*big.Int, error) {
	if int64(x.BitLen())+bitsOf10(n) > MaxBits {
		return nil, ErrTooLarge
	}
	return raise(x, n), nil
}

// raise returns x×10^n. The caller has checked that n is moderate.
func raise(x *big.Int, n int64) *big.Int {
	if n < int64(len(smallPow10)) {
		p := big.NewInt(smallPow10[n])
		return p.Mul(x, p)
	}
	p := new(big.Int).Exp(big.NewInt(5), big.NewInt(n), nil)
	if x != One {
		p.Mul(p, x)
	}
	return p.Lsh(p, uint(n))
}

// digits returns the number of decimal digits of x, 1 for 0. It computes a power of ten only if the
// number of bits leaves two answers, which happens in 3 of 10 cases.
func digits(x *big.Int) int64 {
	bits := x.BitLen()
	if bits <= 63 {
		n := x.Int64()
		if n < 0 {
			n = -n
		}
		d := int64(1)
		for int(d) < len(smallPow10) && n >= smallPow10[d] {
			d++
		}
		return d
	}
	low := int64(float64(bits-1) * math.Log10(2))
	high := int64(float64(bits) * math.Log10(2))
	if low == high {
		return low + 1
	}
	if x.CmpAbs(raise(One, high)) >= 0 {
		return high + 1
	}
	return high
}
