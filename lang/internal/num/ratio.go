package num

// This file defines the operations of Clojure's Ratio that big.Rat lacks: reduction that
// distinguishes integers from ratios, printing, conversion to double and decimal, and rationalize.

import (
	"math/big"
)

// ReduceRatio divides n by d as Clojure's / does for integers: the result is in lowest terms with a
// positive denominator, and den is nil if the result is an integer. d must not be 0. It allocates
// at most ReduceBytes(n, d). It does not change n and d, but may return them.
func ReduceRatio(n, d *big.Int) (num, den *big.Int) {
	if n.Sign() == 0 {
		return new(big.Int), nil
	}
	num, den = n, d
	g := new(big.Int).GCD(nil, nil, new(big.Int).Abs(n), new(big.Int).Abs(d))
	if g.BitLen() > 1 {
		num, den = new(big.Int).Quo(n, g), new(big.Int).Quo(d, g)
	}
	if den.Sign() < 0 {
		num, den = new(big.Int).Neg(num), new(big.Int).Neg(den)
	}
	if den.BitLen() == 1 {
		return num, nil
	}
	return num, den
}

// RatioString returns "n/d". It allocates at most StringBytes(num) +
// StringBytes(den).
func RatioString(num, den *big.Int) string {
	buf := make([]byte, 0, digitsBound(num.BitLen())+digitsBound(den.BitLen())+2)
	buf = append(num.Append(buf, 10), '/')
	return string(den.Append(buf, 10))
}

// decimal64 is java.math.MathContext.DECIMAL64, with which Clojure converts a ratio to a double.
var decimal64 = MathContext{Precision: 16, Mode: HalfEven}

// RatioFloat is Ratio.doubleValue: the quotient rounded to 16 digits, half even, and then to a
// double. Like Clojure's, the result is not always the double nearest to the ratio. It allocates at
// most DivBytes of the two as decimals.
func RatioFloat(num, den *big.Int) float64 {
	d, err := RatioDecimal(num, den, decimal64)
	if err != nil { // possible only beyond MaxBits
		f, _ := new(big.Rat).SetFrac(num, den).Float64()
		return f
	}
	return d.ToFloat()
}

// RatioDecimal converts a ratio to a decimal. If mc is the zero MathContext, the result is exact,
// or the error is ErrNonTerminating.
func RatioDecimal(num, den *big.Int, mc MathContext) (Decimal, error) {
	n, d := FromBigInt(num), FromBigInt(den)
	if mc.Precision == 0 {
		return n.Div(d)
	}
	return n.DivContext(d, mc)
}

// Rationalize is clojure.core/rationalize of a decimal. den is nil for an integer. It allocates at
// most RationalizeBytes(d). The error is ErrTooLarge.
func (d Decimal) Rationalize() (num, den *big.Int, err error) {
	if d.scale <= 0 {
		n, err := d.ToBigInt()
		return n, nil, err
	}
	p, err := pow10(int64(d.scale))
	if err != nil {
		return nil, nil, err
	}
	num, den = ReduceRatio(d.big(), p)
	return num, den, nil
}
