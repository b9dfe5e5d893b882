package num

// This file defines decimal arithmetic under a MathContext, as inside clojure.core/with-precision.
// With Precision 0, each operation equals the one without a context.

import (
	"math"
	"math/big"
)

// AddContext is add(e, mc). It allocates at most ContextBytes(d, e, mc).
func (d Decimal) AddContext(e Decimal, mc MathContext) (Decimal, error) {
	if mc.Precision <= 0 {
		return d.Add(e)
	}
	if d.Sign() == 0 || e.Sign() == 0 {
		return addZero(d, e, mc)
	}
	if d.scale != e.scale {
		d, e = condense(d, e, mc)
	}
	sum, err := d.Add(e)
	if err != nil {
		return Decimal{}, err
	}
	return sum.Round(mc)
}

// SubContext is subtract(e, mc). It allocates at most ContextBytes(d, e, mc).
func (d Decimal) SubContext(e Decimal, mc MathContext) (Decimal, error) {
	return d.AddContext(e.Neg(), mc)
}

// addZero adds two numbers, at least one of which is zero. The sum is the other number, with a scale as
// near to the larger scale as the precision allows.
func addZero(d, e Decimal, mc MathContext) (Decimal, error) {
	preferred := max(d.scale, e.scale)
	if d.Sign() == 0 {
		d = e
	}
	if d.Sign() == 0 {
		return Decimal{nil, preferred}, nil
	}
	r, err := d.Round(mc)
	if err != nil || r.scale == preferred {
		return r, err
	}
	if r.scale > preferred {
		return r.stripTo(int64(preferred)), nil
	}
	room := int64(mc.Precision) - r.Precision()
	if room >= int64(preferred)-int64(r.scale) {
		return r.SetScale(preferred, Unnecessary)
	}
	return r.SetScale(int32(int64(r.scale)+room), Unnecessary)
}

// condense replaces the smaller of two numbers by a single digit if all its digits lie beyond those
// that the sum keeps. The digit still affects rounding, and 1E+1000000M + 1M needs no million
// zeros. (BigDecimal.preAlign.)
func condense(d, e Decimal, mc MathContext) (Decimal, Decimal) {
	large, small := &d, &e
	if d.scale > e.scale {
		large, small = &e, &d
	}
	ulp := int64(large.scale) - large.Precision() + int64(mc.Precision)
	high := int64(small.scale) - small.Precision() + 1
	if high > int64(large.scale)+2 && high > ulp+2 {
		scale := max(int64(large.scale), ulp) + 3
		if scale <= math.MaxInt32 {
			*small = Decimal{big.NewInt(int64(small.Sign())), int32(scale)}
		}
	}
	return d, e
}

// MulContext is multiply(e, mc). It allocates at most ContextBytes(d, e, mc).
func (d Decimal) MulContext(e Decimal, mc MathContext) (Decimal, error) {
	p, err := d.Mul(e)
	if err != nil {
		return Decimal{}, err
	}
	return p.Round(mc)
}

// NegContext is negate(mc).
func (d Decimal) NegContext(mc MathContext) (Decimal, error) { return d.Neg().Round(mc) }

// DivContext is divide(e, mc): an exact quotient with the scale nearest to the preferred one, or a
// quotient rounded to the precision. Errors: ErrDivideByZero, ErrRoundingNecessary, ErrTooLarge and
// those of the scale. It allocates at most ContextBytes(d, e, mc).
func (d Decimal) DivContext(e Decimal, mc MathContext) (Decimal, error) {
	if mc.Precision <= 0 {
		return d.Div(e)
	}
	if e.Sign() == 0 {
		return Decimal{}, ErrDivideByZero
	}
	preferred := int64(d.scale) - int64(e.scale)
	if d.Sign() == 0 {
		return withScale(bigZero, preferred)
	}
	xp, yp := digits(d.big()), digits(e.big())
	if cmpNormalized(d.big(), xp, e.big(), yp) > 0 {
		yp-- // so that the quotient has exactly the requested digits
	}
	x, y := d.big(), e.big()
	raiseBy := int64(mc.Precision) + yp - xp
	var err error
	if raiseBy > 0 {
		x, err = raiseLimited(x, raiseBy)
	} else {
		y, err = raiseLimited(y, -raiseBy)
	}
	if err != nil {
		return Decimal{}, err
	}
	u, exact, err := divRound(x, y, mc.Mode)
	if err != nil {
		return Decimal{}, err
	}
	q, err := withScale(u, preferred+raiseBy)
	if err != nil {
		return Decimal{}, err
	}
	if exact {
		q = q.stripTo(preferred)
	}
	return q.Round(mc)
}

// cmpNormalized compares the magnitudes of 0.x and 0.y.
func cmpNormalized(x *big.Int, xp int64, y *big.Int, yp int64) int {
	if xp < yp {
		return raise(x, yp-xp).CmpAbs(y)
	}
	return x.CmpAbs(raise(y, xp-yp))
}

// QuoContext is divideToIntegralValue(e, mc). It returns ErrDivisionImpossible if the integer part
// has more digits than the precision. It allocates at most ContextBytes(d, e, mc).
func (d Decimal) QuoContext(e Decimal, mc MathContext) (Decimal, error) {
	if mc.Precision <= 0 || e.Sign() == 0 || d.CmpAbs(e) < 0 {
		return d.Quo(e)
	}
	preferred := int64(d.scale) - int64(e.scale)
	q, err := d.DivContext(e, MathContext{mc.Precision, Down})
	if err != nil {
		return Decimal{}, err
	}
	if q.scale < 0 {
		if rest, err := subProduct(d, q, e); err != nil {
			return Decimal{}, err
		} else if rest.CmpAbs(e) >= 0 {
			return Decimal{}, ErrDivisionImpossible
		}
	} else if q, err = q.SetScale(0, Down); err != nil {
		return Decimal{}, err
	}
	if room := int64(mc.Precision) - q.Precision(); preferred > int64(q.scale) && room > 0 {
		return q.SetScale(int32(int64(q.scale)+min(room, preferred-int64(q.scale))), Unnecessary)
	}
	return q.stripTo(preferred), nil
}

// RemContext is remainder(e, mc): d minus QuoContext times e, exactly.
func (d Decimal) RemContext(e Decimal, mc MathContext) (Decimal, error) {
	q, err := d.QuoContext(e, mc)
	if err != nil {
		return Decimal{}, err
	}
	return subProduct(d, q, e)
}

func subProduct(d, q, e Decimal) (Decimal, error) {
	p, err := q.Mul(e)
	if err != nil {
		return Decimal{}, err
	}
	return d.Sub(p)
}
