package num

// This file defines decimal arithmetic without a MathContext. The scale of each
// result is Java's preferred scale.

import (
	"math"
	"math/big"
)

// Add returns d+e with the larger of the two scales. Errors: ErrTooLarge. It
// allocates at most DecimalAddBytes(d, e).
func (d Decimal) Add(e Decimal) (Decimal, error) {
	a, b, scale, err := align(d, e)
	if err != nil {
		return Decimal{}, err
	}
	return Decimal{new(big.Int).Add(a, b), scale}, nil
}

// Sub returns d-e with the larger of the two scales. Errors: ErrTooLarge. It
// allocates at most DecimalAddBytes(d, e).
func (d Decimal) Sub(e Decimal) (Decimal, error) {
	a, b, scale, err := align(d, e)
	if err != nil {
		return Decimal{}, err
	}
	return Decimal{new(big.Int).Sub(a, b), scale}, nil
}

// align converts two numbers to the larger of their scales.
func align(d, e Decimal) (a, b *big.Int, scale int32, err error) {
	a, b = d.big(), e.big()
	diff := int64(d.scale) - int64(e.scale)
	switch {
	case diff == 0:
		return a, b, d.scale, nil
	case diff < 0:
		a, err = raiseNonZero(a, -diff)
		return a, b, e.scale, err
	}
	b, err = raiseNonZero(b, diff)
	return a, b, d.scale, err
}

func raiseNonZero(x *big.Int, n int64) (*big.Int, error) {
	if x.Sign() == 0 {
		return x, nil
	}
	return raiseLimited(x, n)
}

// Mul returns d×e with the sum of the scales. Errors: ErrTooLarge,
// ErrScaleOverflow, ErrScaleUnderflow. It allocates at most MulBytes of the
// unscaled values.
func (d Decimal) Mul(e Decimal) (Decimal, error) {
	if MulBits(d.big(), e.big()) > MaxBits {
		return Decimal{}, ErrTooLarge
	}
	return withScale(new(big.Int).Mul(d.big(), e.big()), int64(d.scale)+int64(e.scale))
}

// Div returns the exact quotient d/e. Its scale is d's minus e's, or larger if the digits need it.
// Errors: ErrDivideByZero, ErrNonTerminating, ErrTooLarge and those of the scale. It allocates at
// most DecimalDivBytes(d, e).
func (d Decimal) Div(e Decimal) (Decimal, error) {
	preferred := int64(d.scale) - int64(e.scale)
	if e.Sign() == 0 {
		return Decimal{}, ErrDivideByZero
	}
	if d.Sign() == 0 {
		return withScale(bigZero, preferred)
	}
	num, den := ReduceRatio(d.big(), e.big())
	if den == nil {
		return withScale(num, preferred)
	}
	twos := int64(den.TrailingZeroBits())
	rest := new(big.Int).Rsh(den, uint(twos))
	rest, fives := stripPowers(rest, 5, int64(rest.BitLen()))
	if rest.BitLen() != 1 {
		return Decimal{}, ErrNonTerminating
	}
	// num/(2^twos×5^fives) × 10^k is an integer for k = max(twos, fives): multiply by the other
	// prime only.
	k := max(twos, fives)
	if int64(num.BitLen())+3*k > MaxBits {
		return Decimal{}, ErrTooLarge
	}
	if k > fives {
		p := new(big.Int).Exp(big.NewInt(5), big.NewInt(k-fives), nil)
		num = p.Mul(p, num)
	} else {
		num = new(big.Int).Lsh(num, uint(k-twos))
	}
	return withScale(num, preferred+k)
}

// DivScale is divide(e, scale, mode): d/e with scale digits after the point. Errors:
// ErrDivideByZero, ErrTooLarge, ErrRoundingNecessary. It allocates at most DivScaleBytes(d, e,
// scale).
func (d Decimal) DivScale(e Decimal, scale int32, mode RoundingMode) (Decimal, error) {
	if e.Sign() == 0 {
		return Decimal{}, ErrDivideByZero
	}
	a, b := d.big(), e.big()
	gap := int64(scale) + int64(e.scale) - int64(d.scale)
	var err error
	if gap >= 0 {
		a, err = raiseLimited(a, gap)
	} else {
		b, err = raiseLimited(b, -gap)
	}
	if err != nil {
		return Decimal{}, err
	}
	q, _, err := divRound(a, b, mode)
	if err != nil {
		return Decimal{}, err
	}
	return Decimal{q, scale}, nil
}

// Quo is divideToIntegralValue, Clojure's quot: the integer part of d/e. Errors:
// ErrDivideByZero, ErrTooLarge. It allocates at most DecimalDivBytes(d, e).
func (d Decimal) Quo(e Decimal) (Decimal, error) {
	if e.Sign() == 0 {
		return Decimal{}, ErrDivideByZero
	}
	preferred := max(math.MinInt32, min(math.MaxInt32, int64(d.scale)-int64(e.scale)))
	if d.CmpAbs(e) < 0 {
		return Decimal{nil, int32(preferred)}, nil
	}
	a, b := d.big(), e.big()
	diff := int64(e.scale) - int64(d.scale)
	if diff > 0 {
		// The quotient is an integer already, so the zeros need not be written out.
		if q, r := new(big.Int).QuoRem(a, b, new(big.Int)); r.Sign() == 0 {
			return withScale(q, -diff)
		}
	}
	var err error
	if diff >= 0 {
		a, err = raiseLimited(a, diff)
	} else {
		b, err = raiseLimited(b, -diff)
	}
	if err != nil {
		return Decimal{}, err
	}
	q := Decimal{new(big.Int).Quo(a, b), 0}
	if preferred > 0 {
		return q.SetScale(int32(preferred), Unnecessary)
	}
	return q.stripTo(preferred), nil
}

// Rem is remainder: d minus Quo times e, with the sign of d. Its errors and memory are those of
// Quo, twice.
func (d Decimal) Rem(e Decimal) (Decimal, error) {
	q, err := d.Quo(e)
	if err != nil {
		return Decimal{}, err
	}
	p, err := q.Mul(e)
	if err != nil {
		return Decimal{}, err
	}
	return d.Sub(p)
}

// Mod is clojure.core/mod: Rem, but with the sign of e.
func (d Decimal) Mod(e Decimal) (Decimal, error) {
	m, err := d.Rem(e)
	if err != nil || m.Sign() == 0 || m.Sign() == e.Sign() {
		return m, err
	}
	return m.Add(e)
}
