package num

// This file parses the number syntax of Java's parse functions. None of these functions allocates,
// except ParseBigInt.

import (
	"math"
	"math/big"
	"strconv"
	"unicode"
)

// ParseLong is Long.parseLong, and clojure.core/parse-long for radix 10: an optional sign and
// digits, which may be non-ASCII decimal digits or full-width letters. ok is false for anything
// else, for overflow, and for a radix outside 2 to 36.
func ParseLong(s string, radix int) (n int64, ok bool) {
	if radix < 2 || radix > 36 || s == "" {
		return 0, false
	}
	neg := s[0] == '-'
	if neg || s[0] == '+' {
		s = s[1:]
	}
	if s == "" {
		return 0, false
	}
	limit := uint64(math.MaxInt64)
	if neg {
		limit++
	}
	var u uint64
	for _, r := range s {
		d := digit(r, radix)
		if d < 0 || u > (limit-uint64(d))/uint64(radix) {
			return 0, false
		}
		u = u*uint64(radix) + uint64(d)
	}
	if neg {
		return -int64(u), true
	}
	return int64(u), true
}

// ParseInt is Integer.parseInt, which is ParseLong in the range of 32 bits.
func ParseInt(s string, radix int) (n int32, ok bool) {
	l, ok := ParseLong(s, radix)
	if !ok || l != int64(int32(l)) {
		return 0, false
	}
	return int32(l), true
}

// digit is Character.digit for a UTF-16 code unit: the value of r in radix, or -1.
func digit(r rune, radix int) int {
	d := -1
	switch {
	case r < 0x80:
		d = asciiDigit(r)
	case r >= 0x10000: // two UTF-16 code units, neither of which is a digit
		return -1
	case r >= 0xff21 && r <= 0xff3a:
		d = int(r-0xff21) + 10
	case r >= 0xff41 && r <= 0xff5a:
		d = int(r-0xff41) + 10
	default:
		d = decimalDigit(r)
	}
	if d >= radix {
		return -1
	}
	return d
}

func asciiDigit(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r >= 'a' && r <= 'z':
		return int(r-'a') + 10
	case r >= 'A' && r <= 'Z':
		return int(r-'A') + 10
	}
	return -1
}

// decimalDigit returns the value of a Unicode decimal digit. Unicode encodes digits in runs of ten,
// so the value is the distance from the start of a range.
func decimalDigit(r rune) int {
	for _, rg := range unicode.Nd.R16 {
		if r < rune(rg.Lo) {
			break
		}
		if r <= rune(rg.Hi) {
			return int(r-rune(rg.Lo)) % 10
		}
	}
	return -1
}

// ParseBigInt is new BigInteger(s, radix), with the digits of ParseLong. It returns ok false also
// for a number that could exceed MaxBits. It allocates at most ParseBigIntBytes(s, radix).
func ParseBigInt(s string, radix int) (n *big.Int, ok bool) {
	if l, ok := ParseLong(s, radix); ok {
		return big.NewInt(l), true
	}
	if radix < 2 || radix > 36 || s == "" || digitBits(len(s), radix) > MaxBits {
		return nil, false
	}
	neg := s[0] == '-'
	if neg || s[0] == '+' {
		s = s[1:]
	}
	text := make([]byte, 0, len(s))
	for _, r := range s {
		d := digit(r, radix)
		if d < 0 {
			return nil, false
		}
		text = append(text, byte(d))
	}
	if len(text) == 0 {
		return nil, false
	}
	n = fromDigits(text, radix)
	if neg {
		n.Neg(n)
	}
	return n, true
}

// ParseDouble is Double.parseDouble, and clojure.core/parse-double. It accepts NaN, Infinity, or a
// decimal or hexadecimal number that may end in d, D, f or F, with an optional sign, surrounded by
// white space (all characters up to U+0020). Overflow returns an infinity and underflow 0, as in
// Java.
func ParseDouble(s string) (f float64, ok bool) {
	s = trim(s)
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	switch {
	case s == "NaN":
		return math.NaN(), true
	case s == "Infinity":
		f = math.Inf(1)
	default:
		s, ok = floatSyntax(s)
		if !ok {
			return 0, false
		}
		f, _ = strconv.ParseFloat(s, 64) // the only remaining error is the range
	}
	if neg {
		f = -f
	}
	return f, true
}

// trim is Java's String.trim.
func trim(s string) string {
	for s != "" && s[0] <= ' ' {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}

// floatSyntax checks an unsigned number and removes the type suffix.
func floatSyntax(s string) (number string, ok bool) {
	i, hex := 0, false
	isDigit := func(c byte) bool { return c >= '0' && c <= '9' }
	inMantissa := isDigit
	exponent := byte('e')
	if len(s) > 1 && s[0] == '0' && s[1]|0x20 == 'x' {
		i, hex, exponent = 2, true, 'p'
		inMantissa = func(c byte) bool { d := asciiDigit(rune(c)); return d >= 0 && d < 16 }
	}
	run := func(in func(byte) bool) int {
		start := i
		for i < len(s) && in(s[i]) {
			i++
		}
		return i - start
	}
	digits := run(inMantissa)
	if i < len(s) && s[i] == '.' {
		i++
		digits += run(inMantissa)
	}
	if digits == 0 {
		return "", false
	}
	if i < len(s) && s[i]|0x20 == exponent {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if run(isDigit) == 0 {
			return "", false
		}
	} else if hex {
		return "", false
	}
	if i == len(s)-1 && (s[i]|0x20 == 'd' || s[i]|0x20 == 'f') {
		return s[:i], true
	}
	return s, i == len(s)
}
