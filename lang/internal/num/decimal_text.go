package num

// This file defines parsing, printing and conversions of Decimal.

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// ParseDecimal is new BigDecimal(String): an optional sign, digits with an optional point, and an
// optional exponent, without white space. ok is false for anything else, for a scale outside 32
// bits and for more digits than MaxBits allows. It allocates at most ParseBigIntBytes(s, 10).
func ParseDecimal(s string) (d Decimal, ok bool) {
	mantissa, exp := s, int64(0)
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa = s[:i]
		e, ok := ParseLong(s[i+1:], 10)
		if !ok || e < math.MinInt32 || e > math.MaxInt32 {
			return Decimal{}, false
		}
		exp = e
	}
	whole, frac, point := strings.Cut(mantissa, ".")
	text := mantissa
	fracDigits := 0
	if point {
		for range frac {
			fracDigits++
		}
		if frac != "" && (frac[0] == '-' || frac[0] == '+') {
			return Decimal{}, false
		}
		text = whole + frac
	}
	u, ok := ParseBigInt(text, 10)
	if !ok {
		return Decimal{}, false
	}
	scale := int64(fracDigits) - exp
	if scale != int64(int32(scale)) {
		return Decimal{}, false
	}
	return Decimal{u, int32(scale)}, true
}

// String is BigDecimal.toString: without an exponent if the scale is not negative and the exponent
// is at least -6, otherwise in the form 1.23E+7. Clojure's printer adds M. It allocates at most
// DecimalStringBytes(d).
func (d Decimal) String() string {
	if d.scale == 0 {
		return d.big().String()
	}
	text := d.big().Append(make([]byte, 0, digitsBound(d.BitLen())+2), 10)
	sign := 0
	if text[0] == '-' {
		sign = 1
	}
	coeff := text[sign:]
	adjusted := -int64(d.scale) + int64(len(coeff)) - 1
	if d.scale > 0 && adjusted >= -6 {
		return string(insertPoint(text, sign, int(d.scale)))
	}
	out := make([]byte, 0, len(text)+14)
	out = append(out, text[:sign+1]...)
	if len(coeff) > 1 {
		out = append(append(out, '.'), coeff[1:]...)
	}
	if adjusted != 0 {
		out = append(out, 'E')
		if adjusted > 0 {
			out = append(out, '+')
		}
		out = strconv.AppendInt(out, adjusted, 10)
	}
	return string(out)
}

// insertPoint inserts a point before the last scale digits of text, and zeros where needed. text
// begins with sign bytes of a sign.
func insertPoint(text []byte, sign, scale int) []byte {
	coeff := text[sign:]
	out := make([]byte, 0, len(text)+max(0, scale-len(coeff))+2)
	out = append(out, text[:sign]...)
	if cut := len(coeff) - scale; cut > 0 {
		out = append(append(out, coeff[:cut]...), '.')
		return append(out, coeff[cut:]...)
	}
	out = append(out, "0."...)
	for range scale - len(coeff) {
		out = append(out, '0')
	}
	return append(out, coeff...)
}

// PlainStringLen bounds the length in bytes of PlainString(). It depends on the scale and can be 2
// GB for a number of one digit.
func (d Decimal) PlainStringLen() int64 {
	n := int64(digitsBound(d.BitLen())) + 3
	if d.scale < 0 && d.Sign() == 0 {
		return n
	}
	return n + max(int64(d.scale), -int64(d.scale))
}

// PlainString is toPlainString: never with an exponent. It allocates at most PlainStringBytes(d).
// The caller must have checked PlainStringLen first.
func (d Decimal) PlainString() string {
	if d.scale == 0 || d.scale < 0 && d.Sign() == 0 {
		return d.big().String()
	}
	text := d.big().Append(make([]byte, 0, digitsBound(d.BitLen())+2), 10)
	if d.scale < 0 {
		var b strings.Builder
		b.Grow(len(text) - int(d.scale))
		b.Write(text)
		for range -int(d.scale) {
			b.WriteByte('0')
		}
		return b.String()
	}
	sign := 0
	if text[0] == '-' {
		sign = 1
	}
	return string(insertPoint(text, sign, int(d.scale)))
}

// ToFloat is doubleValue: the nearest double, infinite on overflow. It allocates
// at most DecimalStringBytes(d).
func (d Decimal) ToFloat() float64 {
	if u := d.big(); u.BitLen() <= 53 && d.scale >= -22 && d.scale <= 22 {
		// Both operands are exact doubles, so a single rounding is correct.
		f := float64(u.Int64())
		if d.scale < 0 {
			return f * floatPow10[-d.scale]
		}
		return f / floatPow10[d.scale]
	}
	f, _ := strconv.ParseFloat(d.String(), 64)
	return f
}

var floatPow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// ToBigInt is toBigInteger: d without its fraction. Errors: ErrTooLarge. It allocates at most
// SetScaleBytes(d, 0). The caller must not change the result.
func (d Decimal) ToBigInt() (*big.Int, error) {
	i, err := d.SetScale(0, Down)
	return i.big(), err
}

// Int64 returns d without its fraction, and whether that fits an int64.
func (d Decimal) Int64() (n int64, ok bool) {
	if d.Sign() == 0 {
		return 0, true
	}
	if int64(digitsBound(d.BitLen()))-int64(d.scale) > 21 {
		return 0, false // at least 10^19
	}
	i, err := d.ToBigInt()
	if err != nil || !i.IsInt64() {
		return 0, false
	}
	return i.Int64(), true
}
