package strfmt

// This file defines %e, %f and %g. Doubles and decimals are both converted to decimal digits first,
// which are then rounded half up. Java also rounds the digits that Double.toString prints, so 1.005
// becomes 1.01 with %.2f.

import (
	"math"
	"math/big"
	"strconv"
)

// decimal is 0.d1d2d3… × 10^exp.
type decimal struct {
	digits []byte // ASCII, at least one; no leading zeros except in "0"
	exp    int64
	// zeroExp is the exponent of a Decimal that is zero: minus its scale. It is 0 for doubles.
	zeroExp int64
	big     bool // whether the argument is a Decimal
}

// tiny is a bound below which doubles have less than two digits of precision.
const tiny = 1e-321

// isZero reports whether the value is zero.
func (x *decimal) isZero() bool { return x.digits[0] == '0' }

// decimalOf returns the digits of the magnitude of an argument.
func decimalOf(a *Arg, buf []byte) decimal {
	if a.Kind == Decimal {
		digits := new(big.Int).Abs(a.Big).Append(nil, 10)
		return decimal{digits, int64(len(digits)) - int64(a.Scale), -int64(a.Scale), true}
	}
	f := math.Abs(a.Float)
	text := strconv.AppendFloat(buf[:0], f, 'e', -1, 64)
	if f != 0 && f < tiny {
		// Java prints two digits where one is enough. It makes a difference for the smallest
		// numbers only: 4.9E-324.
		two := strconv.AppendFloat(buf[:0:16], f, 'e', 1, 64)
		if g, err := strconv.ParseFloat(string(two), 64); err == nil && g == f {
			text = two
		} else {
			text = strconv.AppendFloat(buf[:0], f, 'e', -1, 64)
		}
	}
	e := len(text) - 1
	exp := int64(0)
	for unit := int64(1); text[e] >= '0' && text[e] <= '9'; e-- {
		exp += unit * int64(text[e]-'0')
		unit *= 10
	}
	if text[e] == '-' {
		exp = -exp
	}
	e-- // the letter e
	if e > 1 {
		text[1] = text[0]
		text = text[1:e]
	} else {
		text = text[:1]
	}
	return decimal{text, exp + 1, 0, false}
}

// round keeps at most n digits, rounded half up, and at least one.
func (x *decimal) round(n int64) {
	if n >= int64(len(x.digits)) {
		return
	}
	if n < 0 || n == 0 && x.digits[0] < '5' {
		x.digits = append(x.digits[:0], '0')
		return
	}
	up := x.digits[n] >= '5'
	x.digits = x.digits[:n]
	if !up {
		return
	}
	for i := n - 1; i >= 0; i-- {
		if x.digits[i] != '9' {
			x.digits[i]++
			x.digits = x.digits[:i+1]
			return
		}
	}
	x.digits = append(x.digits[:0], '1')
	x.exp++
}

// appendFloat writes the magnitude of a finite number.
func (p *piece) appendFloat(dst []byte) []byte {
	var buf [32]byte
	x := decimalOf(p.arg, buf[:])
	prec := int64(6)
	if p.precision >= 0 {
		prec = int64(p.precision)
	}
	switch p.conv {
	case 'f':
		return p.appendPlain(dst, x, prec)
	case 'e':
		return p.appendScientific(dst, x, prec)
	}
	return p.appendGeneral(dst, x, max(1, prec))
}

// appendGeneral writes %g: without an exponent if the value, rounded to prec digits, lies in
// [10^-4, 10^prec).
func (p *piece) appendGeneral(dst []byte, x decimal, prec int64) []byte {
	if x.isZero() {
		if x.zeroExp != 0 { // a decimal zero with a scale
			return p.appendScientific(dst, x, prec-1)
		}
		return p.appendPlain(dst, x, prec-1)
	}
	x.round(prec)
	if e := x.exp - 1; e >= -4 && e < prec {
		return p.appendPlain(dst, x, prec-1-e)
	}
	return p.appendScientific(dst, x, prec-1)
}

// appendPlain writes the integer part and prec digits of fraction.
func (p *piece) appendPlain(dst []byte, x decimal, prec int64) []byte {
	if !x.isZero() {
		x.round(x.exp + prec)
	}
	if x.isZero() {
		x.exp = 1
	}
	digits := x.digits
	whole := min(max(x.exp, 0), int64(len(digits)))
	if x.exp <= 0 {
		dst = append(dst, '0')
	}
	dst = append(dst, digits[:whole]...)
	dst = appendRepeat(dst, '0', int(x.exp-whole))
	digits = digits[whole:]
	if prec == 0 && p.flags&flagAlt == 0 {
		return dst
	}
	dst = append(dst, '.')
	zeros := min(max(-x.exp, 0), prec)
	dst = appendRepeat(dst, '0', int(zeros))
	dst = append(dst, digits...)
	return appendRepeat(dst, '0', int(prec-zeros)-len(digits))
}

// appendScientific writes one digit, prec digits of fraction, and an exponent of at least two
// digits.
func (p *piece) appendScientific(dst []byte, x decimal, prec int64) []byte {
	before := len(x.digits)
	exp := x.zeroExp
	if !x.isZero() {
		x.round(prec + 1)
		exp = x.exp - 1
	}
	dst = append(dst, x.digits[0])
	if prec > 0 || p.flags&flagAlt != 0 {
		dst = append(dst, '.')
	}
	dst = append(dst, x.digits[1:]...)
	dst = appendRepeat(dst, '0', int(prec)-(len(x.digits)-1))
	letter := byte('e')
	if p.flags&flagUpper != 0 {
		letter = 'E'
	}
	sign := byte('+')
	if exp < 0 {
		sign, exp = '-', -exp
	}
	dst = append(dst, letter, sign)
	// Java writes e+9, with one digit, for a decimal of ten digits and scale 0.
	if exp < 10 && !(x.big && exp == 9 && sign == '+' && before == 10 && x.zeroExp == 0 && prec >= 9) {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, exp, 10)
}
