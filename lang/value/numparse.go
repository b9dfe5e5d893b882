// This file parses the numbers that the reader accepts.

package value

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/ptc-lang/ptc/lang/internal/num"
)

// maxDigits bounds the length of a number in the source. No person writes longer numbers.
const maxDigits = 4096

// ParseNumber returns the number of a token: 12, -0x1F, 017, or 2r101 to 36rZZ, each with N for a
// bigint; 1.5 or 1e3, each with M for a decimal; or 1/2. The error describes the fault of a
// malformed token.
func (t *Task) ParseNumber(text string) (Value, error) {
	if len(text) > maxDigits {
		return Nil, fmt.Errorf("number too long: got %d characters, want at most %d", len(text), maxDigits)
	}
	if i := strings.IndexByte(text, '/'); i >= 0 {
		return t.parseRatio(text, text[:i], text[i+1:])
	}
	if v, ok, err := t.parseInteger(text); ok || err != nil {
		return v, err
	}
	return t.parseFloat(text)
}

func invalidNumber(text string) error {
	return fmt.Errorf("invalid number: %s", clip(text))
}

func splitSign(s string) (neg bool, rest string) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[0] == '-', s[1:]
	}
	return false, s
}

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// parseInteger reads an integer. ok is false if text has another form.
func (t *Task) parseInteger(text string) (v Value, ok bool, err error) {
	neg, s := splitSign(text)
	if i := radixMark(s); i > 0 {
		radix := int(s[0] - '0')
		if i == 2 {
			radix = radix*10 + int(s[1]-'0')
		}
		if radix < 2 || radix > 36 {
			return Nil, false, fmt.Errorf("radix out of range: %d, want 2 to 36", radix)
		}
		return t.parseDigits(text, s[i+1:], radix, neg, false)
	}
	s, isBig := strings.CutSuffix(s, "N")
	switch {
	case len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x':
		return t.parseDigits(text, s[2:], 16, neg, isBig)
	case !isDigits(s):
		return Nil, false, nil
	case len(s) > 1 && s[0] == '0':
		return t.parseDigits(text, s[1:], 8, neg, isBig)
	}
	return t.parseDigits(text, s, 10, neg, isBig)
}

// radixMark returns the index of the r in 2r101 or 36rZZ, or 0 if there is none.
func radixMark(s string) int {
	for i := 1; i <= 2 && i < len(s)-1; i++ {
		if s[i]|0x20 == 'r' && isDigits(s[:i]) && s[0] != '0' {
			return i
		}
	}
	return 0
}

func (t *Task) parseDigits(text, digits string, radix int, neg, isBig bool) (v Value, ok bool, err error) {
	if !alphanumeric(digits) {
		return Nil, false, invalidNumber(text)
	}
	n, ok := t.ParseBig(digits, radix)
	if !ok {
		return Nil, false, invalidNumber(text)
	}
	if neg {
		n.Neg(n)
	}
	if isBig {
		return t.BigInt(n), true, nil
	}
	return t.bigIntNorm(n), true, nil
}

// ParseBig reads an integer up to the maximum size.
func (t *Task) ParseBig(digits string, radix int) (n *big.Int, ok bool) {
	if len(digits) > num.MaxBits {
		return nil, false
	}
	// The conversion is quadratic: about 4 ms for the longest.
	t.Work(int64(len(digits)) * int64(len(digits)) >> 14)
	t.Charge(num.ParseBigIntBytes(digits, radix))
	return num.ParseBigInt(digits, radix)
}

func alphanumeric(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return s != ""
}

func (t *Task) parseRatio(text, numerator, denominator string) (Value, error) {
	neg, s := splitSign(numerator)
	if !isDigits(s) || !isDigits(denominator) {
		return Nil, invalidNumber(text)
	}
	n, ok := t.ParseBig(s, 10)
	d, fits := t.ParseBig(denominator, 10)
	if !ok || !fits {
		return Nil, fmt.Errorf("number out of range: %s", text)
	}
	if d.Sign() == 0 {
		return Nil, fmt.Errorf("invalid number: %s: divide by zero", text)
	}
	if neg {
		n.Neg(n)
	}
	// Two integers of 64 bits are divided as integers: 4/2 is 2, not 2N.
	return Div(t, t.bigIntNorm(n), t.bigIntNorm(d)), nil
}

// parseFloat reads a double or a decimal: digits, an optional point and further digits, and an
// optional exponent.
func (t *Task) parseFloat(text string) (Value, error) {
	number, decimal := strings.CutSuffix(text, "M")
	if !isFloat(number) {
		return Nil, invalidNumber(text)
	}
	if !decimal {
		f, _ := num.ParseDouble(number)
		return Float(f), nil
	}
	t.Charge(num.ParseBigIntBytes(number, 10))
	d, ok := num.ParseDecimal(number)
	if !ok {
		return Nil, fmt.Errorf("number out of range: %s", text)
	}
	return t.Decimal(d), nil
}

func isFloat(s string) bool {
	_, s = splitSign(s)
	whole, exponent, found := s, "", false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		whole, exponent, found = s[:i], s[i+1:], true
	}
	if found {
		if _, e := splitSign(exponent); !isDigits(e) {
			return false
		}
	}
	digits, fraction, _ := strings.Cut(whole, ".")
	return isDigits(digits) && (fraction == "" || isDigits(fraction))
}
