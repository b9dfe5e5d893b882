// Package jtext formats and parses numbers and dates as java.text does, in the locale en-US.
package jtext

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/internal/num"
)

// Decimal is a pattern of DecimalFormat with its settings.
type Decimal struct {
	Prefix, Suffix, NegPrefix, NegSuffix       string
	MinInt, MaxInt, MinFrac, MaxFrac, Grouping int
	MinExp                                     int  // 0 without an exponent
	Point                                      bool // the point is written without a fraction, too
	Multiplier                                 int64
	Mode                                       num.RoundingMode
	// Grouping is GroupSize if Grouped is true, and else 0.
	GroupSize int
	Grouped   bool
	// The texts before and after the digits as the pattern has them.
	rawPrefix, rawSuffix, rawNegPrefix, rawNegSuffix string
	rawNegative                                      bool // the pattern has one for negative numbers
}

// noLimit is the number of digits of a number without an exponent.
const noLimit = math.MaxInt32

// CompileDecimal returns the pattern of a text.
func CompileDecimal(pattern string) (*Decimal, error) {
	d := &Decimal{Multiplier: 1, Mode: num.HalfEven}
	bad := func(why string) (*Decimal, error) {
		return nil, errors.New(why + ` in pattern "` + pattern + `"`)
	}
	rest := pattern
	var err error
	if d.Prefix, rest, err = d.affix(rest, true); err != nil {
		return bad(err.Error())
	}
	d.rawPrefix = pattern[:len(pattern)-len(rest)]
	left, zeros, right, point, grouping := 0, 0, 0, -1, -1
	i := 0
loop:
	for ; i < len(rest); i++ {
		switch c := rest[i]; c {
		case '#':
			if zeros > 0 {
				right++
			} else {
				left++
			}
			if grouping >= 0 && point < 0 {
				grouping++
			}
		case '0':
			if right > 0 {
				return bad("Unexpected '0'")
			}
			zeros++
			if grouping >= 0 && point < 0 {
				grouping++
			}
		case ',':
			grouping = 0
		case '.':
			if point >= 0 {
				return bad("Multiple decimal separators")
			}
			point = left + zeros + right
		case 'E':
			for i++; i < len(rest) && rest[i] == '0'; i++ {
				d.MinExp++
			}
			if left+zeros < 1 || d.MinExp < 1 {
				return bad("Malformed exponential pattern")
			}
			break loop
		default:
			break loop
		}
	}
	rest = rest[i:]
	digits := rest
	if d.Suffix, rest, err = d.affix(rest, false); err != nil {
		return bad(err.Error())
	}
	d.rawSuffix = digits[:len(digits)-len(rest)]
	if zeros == 0 && left > 0 && point >= 0 {
		n := max(point, 1)
		right, left, zeros = left-n, n-1, 1
	}
	if point >= 0 && (point < left || point > left+zeros) || grouping == 0 {
		return bad("Malformed pattern")
	}
	if point < 0 && right > 0 {
		return bad("Malformed pattern")
	}
	total := left + zeros + right
	d.MinInt, d.MaxInt = total-left, noLimit
	if point >= 0 {
		d.MinInt, d.MaxFrac, d.MinFrac = point-left, total-point, left+zeros-point
	}
	if d.MinExp > 0 {
		d.MaxInt = left + d.MinInt
	}
	d.Grouping, d.Point = max(grouping, 0), point == 0 || point == total
	d.GroupSize, d.Grouped = d.Grouping, grouping > 0
	d.NegPrefix, d.NegSuffix = "-"+d.Prefix, d.Suffix
	if strings.HasPrefix(rest, ";") {
		negative := &Decimal{}
		prefix, digits, _ := negative.affix(rest[1:], true)
		end := strings.TrimLeft(digits, "#0,.E")
		suffix, _, _ := negative.affix(end, false)
		d.rawNegative, d.rawNegPrefix, d.rawNegSuffix = true, rest[1:len(rest)-len(digits)], end
		if prefix != d.Prefix || suffix != d.Suffix {
			d.NegPrefix, d.NegSuffix = prefix, suffix
		}
	}
	return d, nil
}

// affix reads the text before or after the digits of a pattern.
func (d *Decimal) affix(s string, before bool) (text, rest string, err error) {
	var b strings.Builder
	quoted := false
	for i, r := range s {
		switch {
		case r == '\'':
			if i+1 < len(s) && s[i+1] == '\'' || i > 0 && s[i-1] == '\'' && !quoted {
				if i+1 < len(s) && s[i+1] == '\'' {
					b.WriteByte('\'')
				}
				continue
			}
			quoted = !quoted
		case quoted:
			b.WriteRune(r)
		case r == ';' || before && strings.ContainsRune("#0,.", r):
			return b.String(), s[i:], nil
		case !before && strings.ContainsRune("#0,.", r):
			return "", "", errors.New("Unquoted special character '" + string(r) + "'")
		case r == '%' || r == '\u2030':
			if d.Multiplier > 1 {
				return "", "", errors.New("Too many percent/per mille characters")
			}
			d.Multiplier = map[rune]int64{'%': 100, '\u2030': 1000}[r]
			b.WriteRune(r)
		case r == '\u00a4':
			b.WriteByte('$')
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), "", nil
}

// Float returns the text of a double.
func (d *Decimal) Float(f float64) string {
	if f != f {
		return "NaN"
	}
	negative := math.Signbit(f)
	f = math.Abs(f)
	if d.Multiplier != 1 {
		f *= float64(d.Multiplier)
	}
	if math.IsInf(f, 0) {
		return d.signed("∞", negative)
	}
	short, _ := num.FromFloatString(f)
	if d.MinExp == 0 && int64(short.Scale()) > int64(d.MaxFrac) && d.Mode >= num.HalfUp && d.Mode <= num.HalfEven {
		short, _ = num.FromFloat(f) // a half is one of the exact value
	}
	return d.text(short, negative)
}

// Number returns the text of a decimal.
func (d *Decimal) Number(x num.Decimal) string {
	x = num.NewDecimal(new(big.Int).Mul(x.Unscaled(), big.NewInt(d.Multiplier)), x.Scale())
	negative := x.Sign() < 0
	return d.text(x.Abs(), negative)
}

func (d *Decimal) signed(digits string, negative bool) string {
	if negative {
		return d.NegPrefix + digits + d.NegSuffix
	}
	return d.Prefix + digits + d.Suffix
}

// mode returns the rounding mode for an absolute value.
func (d *Decimal) mode(negative bool) num.RoundingMode {
	switch {
	case d.Mode == num.Ceiling && negative, d.Mode == num.Floor && !negative:
		return num.Down
	case d.Mode == num.Ceiling || d.Mode == num.Floor:
		return num.Up
	}
	return d.Mode
}

func (d *Decimal) text(x num.Decimal, negative bool) string {
	if d.MinExp > 0 {
		return d.signed(d.exponential(x, negative), negative)
	}
	if int64(x.Scale()) > int64(d.MaxFrac) {
		if r, err := x.SetScale(int32(d.MaxFrac), d.mode(negative)); err == nil {
			x = r
		}
	}
	whole, frac, _ := strings.Cut(x.PlainString(), ".")
	whole = strings.TrimLeft(whole, "0")
	frac = strings.TrimRight(frac, "0")
	if n := d.MinFrac - len(frac); n > 0 {
		frac += strings.Repeat("0", n)
	}
	if n := d.MinInt - len(whole); n > 0 {
		whole = strings.Repeat("0", n) + whole
	}
	if len(whole) > d.MaxInt {
		whole = whole[len(whole)-d.MaxInt:]
	}
	if whole == "" && frac == "" {
		whole = "0"
	}
	if d.Grouping > 0 {
		whole = grouped(whole, d.Grouping)
	}
	if frac != "" || d.Point {
		whole += "." + frac
	}
	return d.signed(whole, negative)
}

func grouped(s string, size int) string {
	var b strings.Builder
	for i := range len(s) {
		if i > 0 && (len(s)-i)%size == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// exponential writes a number with an exponent.
func (d *Decimal) exponential(x num.Decimal, negative bool) string {
	digits, at := digitsOf(x)
	if most := d.MaxInt + d.MaxFrac; most > 0 && len(digits) > most {
		if r, err := num.NewDecimal(x.Unscaled(), x.Scale()).Round(num.MathContext{Precision: int32(most),
			Mode: d.mode(negative)}); err == nil {
			digits, at = digitsOf(r)
		}
	}
	exponent, repeat, least := at, d.MaxInt, d.MinInt
	if repeat > 1 && repeat > d.MinInt {
		if exponent >= 1 {
			exponent = (exponent - 1) / repeat * repeat
		} else {
			exponent = (exponent - repeat) / repeat * repeat
		}
		least = 1
	} else {
		exponent -= least
	}
	whole := at - exponent
	if digits == "" {
		whole, exponent = least, 0
	}
	n := max(len(digits), d.MinInt+d.MinFrac, whole)
	digits += strings.Repeat("0", n-len(digits))
	text := digits[:whole]
	if n > whole || d.Point {
		text += "." + digits[whole:]
	}
	text += "E"
	if exponent < 0 {
		text, exponent = text+"-", -exponent
	}
	e := strconv.Itoa(exponent)
	return text + strings.Repeat("0", max(0, d.MinExp-len(e))) + e
}

// digitsOf returns the digits of a number without zeros at its ends, and the place of the point in them.
func digitsOf(x num.Decimal) (digits string, at int) {
	text := x.Unscaled().String()
	if text == "0" {
		return "", 0
	}
	return strings.TrimRight(text, "0"), len(text) - int(x.Scale())
}

// Parse reads a number at the beginning of a text. ok is false if there is none.
func (d *Decimal) Parse(s string) (x num.Decimal, negative, ok bool) {
	switch {
	case strings.HasPrefix(s, d.NegPrefix) && len(d.NegPrefix) > len(d.Prefix):
		negative, s = true, s[len(d.NegPrefix):]
	case strings.HasPrefix(s, d.Prefix):
		s = s[len(d.Prefix):]
	default:
		return x, false, false
	}
	text, digits, point := "", 0, false
	i := 0
loop:
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			text += string(c)
			digits++
		case c == ',' && d.Grouping > 0 && !point:
		case c == '.' && !point:
			text, point = text+".", true
		default:
			break loop
		}
	}
	if digits == 0 {
		return x, false, false
	}
	if i+1 < len(s) && s[i] == 'E' {
		j := i + 1
		if s[j] == '-' {
			j++
		}
		end := j
		for ; end < len(s) && s[end] >= '0' && s[end] <= '9'; end++ {
		}
		if end > j && end-j < 4 {
			text += s[i:end]
			i = end
		}
	}
	suffix := d.Suffix
	if negative {
		suffix = d.NegSuffix
	}
	if !strings.HasPrefix(s[i:], suffix) {
		return x, false, false
	}
	x, ok = num.ParseDecimal(strings.TrimSuffix(text, "."))
	return x, negative, ok
}
