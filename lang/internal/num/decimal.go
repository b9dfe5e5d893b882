package num

// This file defines Decimal (java.math.BigDecimal): construction, properties,
// comparison, scale and rounding.

import (
	"errors"
	"math"
	"math/big"
)

// Decimal is an immutable decimal number unscaled × 10^-scale, with the semantics of
// java.math.BigDecimal: 1.0M and 1.00M differ in scale, print differently and compare equal. The
// zero Decimal is 0M. Decimals must be compared with Cmp, not with ==.
type Decimal struct {
	unscaled *big.Int // nil means 0; never changed once stored here
	scale    int32
}

// Errors of decimal operations. Their messages are Java's.
var (
	ErrDivideByZero       = errors.New("Divide by zero")
	ErrNonTerminating     = errors.New("Non-terminating decimal expansion; no exact representable decimal result.")
	ErrRoundingNecessary  = errors.New("Rounding necessary")
	ErrDivisionImpossible = errors.New("Division impossible")
	ErrScaleOverflow      = errors.New("Overflow")  // the scale is below the minimum int
	ErrScaleUnderflow     = errors.New("Underflow") // the scale is above the maximum int
	ErrNotFinite          = errors.New("Infinite or NaN")
)

var bigZero = new(big.Int)

// NewDecimal returns unscaled × 10^-scale. The caller must not change unscaled
// afterwards.
func NewDecimal(unscaled *big.Int, scale int32) Decimal {
	return Decimal{unscaled, scale}
}

// FromBigInt returns x with scale 0. The caller must not change x afterwards.
func FromBigInt(x *big.Int) Decimal { return Decimal{x, 0} }

// FromInt64 returns n with scale 0. It allocates at most 40 bytes.
func FromInt64(n int64) Decimal { return Decimal{big.NewInt(n), 0} }

// FromFloat is new BigDecimal(double): the exact value of f, of up to 767
// digits. It fails with ErrNotFinite, and allocates at most 8 KB.
func FromFloat(f float64) (Decimal, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Decimal{}, ErrNotFinite
	}
	if f == 0 {
		return Decimal{}, nil
	}
	frac, exp := math.Frexp(f)
	m := int64(frac * (1 << 53))
	exp -= 53
	for m&1 == 0 {
		m >>= 1
		exp++
	}
	n := big.NewInt(m)
	if exp >= 0 {
		return Decimal{n.Lsh(n, uint(exp)), 0}, nil
	}
	five := new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(-exp)), nil)
	return Decimal{n.Mul(n, five), int32(-exp)}, nil
}

// FromFloatString is BigDecimal.valueOf(double): the number that FormatDouble
// prints. It fails with ErrNotFinite, and allocates at most 512 bytes.
func FromFloatString(f float64) (Decimal, error) {
	var buf [32]byte
	d, ok := ParseDecimal(string(AppendDouble(buf[:0], f)))
	if !ok {
		return Decimal{}, ErrNotFinite
	}
	return d, nil
}

// big returns the unscaled value, which the caller must not change.
func (d Decimal) big() *big.Int {
	if d.unscaled == nil {
		return bigZero
	}
	return d.unscaled
}

// Unscaled returns the unscaled value, which the caller must not change.
func (d Decimal) Unscaled() *big.Int { return d.big() }

// Scale returns the number of digits after the point. It is negative for multiples of powers of
// ten.
func (d Decimal) Scale() int32 { return d.scale }

// Sign is signum: -1, 0 or 1.
func (d Decimal) Sign() int { return d.big().Sign() }

// BitLen returns the size of the unscaled value in bits.
func (d Decimal) BitLen() int { return d.big().BitLen() }

// Precision returns the number of digits of the unscaled value, 1 for zero. It
// allocates at most PrecisionBytes(d).
func (d Decimal) Precision() int64 { return digits(d.big()) }

// Neg returns -d. It allocates at most NegBytes(d).
func (d Decimal) Neg() Decimal {
	return Decimal{new(big.Int).Neg(d.big()), d.scale}
}

// Abs returns |d|. It allocates at most NegBytes(d).
func (d Decimal) Abs() Decimal {
	if d.Sign() >= 0 {
		return d
	}
	return d.Neg()
}

// Cmp is compareTo: it compares the values and ignores the scales. It allocates
// at most CmpBytes(d, e).
func (d Decimal) Cmp(e Decimal) int {
	ds, es := d.Sign(), e.Sign()
	switch {
	case ds != es:
		return max(-1, min(1, ds-es))
	case ds == 0:
		return 0
	case d.scale == e.scale:
		return d.big().Cmp(e.big())
	}
	return ds * d.CmpAbs(e)
}

// CmpAbs compares |d| with |e|. It allocates at most CmpBytes(d, e).
func (d Decimal) CmpAbs(e Decimal) int {
	switch {
	case d.Sign() == 0 || e.Sign() == 0:
		return d.big().CmpAbs(e.big())
	case d.scale == e.scale:
		return d.big().CmpAbs(e.big())
	}
	dx, ex := d.Precision()-int64(d.scale), e.Precision()-int64(e.scale)
	if dx != ex {
		if dx < ex {
			return -1
		}
		return 1
	}
	// The precisions differ by as much as the scales, so aligning makes the shorter number only as
	// long as the longer one.
	if diff := int64(d.scale) - int64(e.scale); diff < 0 {
		return raise(d.big(), -diff).CmpAbs(e.big())
	} else {
		return d.big().CmpAbs(raise(e.big(), diff))
	}
}

// Equal is BigDecimal.equals, which distinguishes 1.0 and 1.00.
func (d Decimal) Equal(e Decimal) bool {
	return d.scale == e.scale && d.big().Cmp(e.big()) == 0
}

// StripTrailingZeros returns the number equal to d that has the smallest scale. Zero becomes 0 with
// scale 0. It allocates at most StripBytes(d).
func (d Decimal) StripTrailingZeros() Decimal {
	if d.Sign() == 0 {
		return Decimal{}
	}
	return d.stripTo(math.MinInt32)
}

// stripTo removes trailing zeros while the scale is above preferred.
func (d Decimal) stripTo(preferred int64) Decimal {
	most := int64(d.scale) - preferred
	if d.Sign() == 0 || most <= 0 {
		return d
	}
	u, n := stripPowers(d.big(), 10, min(most, int64(d.big().TrailingZeroBits())))
	return Decimal{u, int32(int64(d.scale) - n)}
}

// stripPowers divides x by base as often as the division is exact, at most limit times. It tries
// base^(2^k) from the largest k down. Java divides by ten each time, which is quadratic.
func stripPowers(x *big.Int, base int64, limit int64) (*big.Int, int64) {
	if limit <= 0 {
		return x, 0
	}
	powers := []*big.Int{big.NewInt(base)}
	for n := int64(2); n <= limit && 2*powers[len(powers)-1].BitLen()-1 <= x.BitLen(); n *= 2 {
		p := powers[len(powers)-1]
		powers = append(powers, new(big.Int).Mul(p, p))
	}
	var count int64
	q, r := new(big.Int), new(big.Int)
	for i := len(powers) - 1; i >= 0; i-- {
		// The largest power may divide x more than once if the size of x, not the limit, ended the
		// list.
		for count+1<<i <= limit {
			if q.QuoRem(x, powers[i], r); r.Sign() != 0 {
				break
			}
			x, q = q, new(big.Int)
			count += 1 << i
		}
	}
	return x, count
}

// SetScale returns d with another scale. Dropped digits are rounded; in mode Unnecessary they are
// the error ErrRoundingNecessary. It allocates at most SetScaleBytes(d, scale).
func (d Decimal) SetScale(scale int32, mode RoundingMode) (Decimal, error) {
	diff := int64(scale) - int64(d.scale)
	switch {
	case diff == 0:
		return d, nil
	case d.Sign() == 0:
		return Decimal{nil, scale}, nil
	case diff > 0:
		u, err := raiseLimited(d.big(), diff)
		return Decimal{u, scale}, err
	}
	u, err := dropDigits(d.big(), -diff, mode)
	if err != nil {
		return Decimal{}, err
	}
	return Decimal{u, scale}, nil
}

// Round returns d rounded to the precision of mc. Precision 0 means no rounding. It allocates at
// most RoundBytes(d).
func (d Decimal) Round(mc MathContext) (Decimal, error) {
	if mc.Precision <= 0 {
		return d, nil
	}
	for {
		drop := d.Precision() - int64(mc.Precision)
		if drop <= 0 {
			return d, nil
		}
		u, err := dropDigits(d.big(), drop, mc.Mode)
		if err != nil {
			return Decimal{}, err
		}
		// Rounding up 99…9 adds a digit, hence the loop.
		if d, err = withScale(u, int64(d.scale)-drop); err != nil {
			return Decimal{}, err
		}
	}
}

// withScale checks that a scale fits an int32. For zero, it clamps the scale.
func withScale(u *big.Int, scale int64) (Decimal, error) {
	s := max(math.MinInt32, min(math.MaxInt32, scale))
	if s != scale && u.Sign() != 0 {
		if scale < 0 {
			return Decimal{}, ErrScaleOverflow
		}
		return Decimal{}, ErrScaleUnderflow
	}
	return Decimal{u, int32(s)}, nil
}
