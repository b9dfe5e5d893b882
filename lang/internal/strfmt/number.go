package strfmt

// This file writes integers, signs, thousands separators and zero padding.

import (
	"math"
	"math/big"
	"strconv"
)

// digitsBound is an upper bound of the number of decimal digits of a big integer.
func digitsBound(x *big.Int) int64 { return int64(x.BitLen())*30103/100000 + 1 }

// numberBounds bounds the length of a number without padding, and the temporary memory that writing
// it takes.
func (p *piece) numberBounds() (output, work int64) {
	const sign = 2
	a := p.arg
	switch a.Kind {
	case Int, Int32:
		return 30 + sign, 0
	case BigInt:
		n := digitsBound(a.Big)
		if p.conv != 'd' {
			n = int64(a.Big.BitLen())/3 + 3
		}
		return n + n/3 + sign, 512 + 2*n + 8*int64(a.Big.BitLen())/8 + 8*n
	}
	prec := int64(6)
	if p.precision >= 0 {
		prec = int64(p.precision)
	}
	whole, digits := int64(310), int64(20)
	if a.Kind == Decimal {
		digits = digitsBound(a.Big)
		whole = max(1, digits-int64(a.Scale)) + 1
		work = 512 + 10*digits + int64(a.Big.BitLen())
	}
	if p.conv != 'f' { // at most as many integer digits as the precision
		whole = prec + 1
	}
	return whole + whole/3 + prec + 20 + sign, work + 64 + digits
}

// appendNumber writes a number with sign, separators and zeros, but not justified.
func (p *piece) appendNumber(dst []byte) []byte {
	a := p.arg
	switch {
	case p.conv == 'd':
		return p.appendInteger(dst)
	case p.conv == 'o' || p.conv == 'x':
		return p.appendRadix(dst)
	case a.Kind == Float && (math.IsNaN(a.Float) || math.IsInf(a.Float, 0)):
		return p.appendNonFinite(dst)
	}
	neg := a.Float < 0
	if a.Kind == Decimal {
		neg = a.Big.Sign() < 0
	}
	if a.Kind == Float && a.Float == 0 && math.Signbit(a.Float) {
		neg = true
	}
	begin := len(dst)
	dst = p.appendSign(dst, neg)
	start := len(dst)
	dst = p.finish(p.appendFloat(dst), begin, start, neg)
	return p.appendTrailingSign(dst, neg)
}

func (p *piece) appendSign(dst []byte, neg bool) []byte {
	switch {
	case neg && p.flags&flagParens != 0:
		return append(dst, '(')
	case neg:
		return append(dst, '-')
	case p.flags&flagPlus != 0:
		return append(dst, '+')
	case p.flags&flagSpace != 0:
		return append(dst, ' ')
	}
	return dst
}

func (p *piece) appendTrailingSign(dst []byte, neg bool) []byte {
	if neg && p.flags&flagParens != 0 {
		return append(dst, ')')
	}
	return dst
}

// appendNonFinite writes NaN without a sign and Infinity with one. Neither is padded with zeros.
func (p *piece) appendNonFinite(dst []byte) []byte {
	text := "NaN"
	if p.flags&flagUpper != 0 {
		text = "NAN"
	}
	if math.IsNaN(p.arg.Float) {
		return append(dst, text...)
	}
	text = "Infinity"
	if p.flags&flagUpper != 0 {
		text = "INFINITY"
	}
	neg := p.arg.Float < 0
	dst = append(p.appendSign(dst, neg), text...)
	return p.appendTrailingSign(dst, neg)
}

func (p *piece) appendInteger(dst []byte) []byte {
	neg := p.arg.Int < 0
	if p.arg.Kind == BigInt {
		neg = p.arg.Big.Sign() < 0
	}
	begin := len(dst)
	dst = p.appendSign(dst, neg)
	start := len(dst)
	if p.arg.Kind == BigInt {
		dst = append(dst, new(big.Int).Abs(p.arg.Big).String()...)
	} else if neg {
		dst = strconv.AppendUint(dst, -uint64(p.arg.Int), 10)
	} else {
		dst = strconv.AppendInt(dst, p.arg.Int, 10)
	}
	dst = p.finish(dst, begin, start, neg)
	return p.appendTrailingSign(dst, neg)
}

// finish inserts the separators into a number and pads it with zeros. The number begins at begin
// with its sign; its digits begin at start.
func (p *piece) finish(dst []byte, begin, start int, neg bool) []byte {
	if p.flags&flagGroup != 0 {
		end := start
		for end < len(dst) && dst[end] >= '0' && dst[end] <= '9' {
			end++
		}
		dst = group(dst, start, end)
	}
	if p.flags&flagZero != 0 {
		missing := int(p.width) - (len(dst) - begin)
		if neg && p.flags&flagParens != 0 {
			missing--
		}
		dst = insertRepeat(dst, start, '0', missing)
	}
	return dst
}

// group inserts commas into the digits dst[start:end].
func group(dst []byte, start, end int) []byte {
	commas := (end - start - 1) / 3
	if commas <= 0 {
		return dst
	}
	old := len(dst)
	dst = appendRepeat(dst, ',', commas)
	copy(dst[end+commas:], dst[end:old])
	from, to := end, end+commas
	for n := 0; from > start; n++ {
		if n > 0 && n%3 == 0 {
			to--
			dst[to] = ','
		}
		from--
		to--
		dst[to] = dst[from]
	}
	return dst
}

// widthMask returns the bits that are written of an integer. Java writes a negative byte with %02x in two digits, a
// short with %04x in four and an int with %08x in eight. Integers have no such types here, so the width decides, if the
// number fits it.
func (p *piece) widthMask() uint64 {
	if p.conv == 'x' && p.flags&flagZero != 0 && (p.width == 2 || p.width == 4 || p.width == 8) &&
		p.arg.Int < 0 && p.arg.Int >= -1<<(4*p.width-1) {
		return 1<<(4*p.width) - 1
	}
	return math.MaxUint64
}

// appendRadix writes %o and %x: longs as 64 bits of two's complement, big integers with a sign.
func (p *piece) appendRadix(dst []byte) []byte {
	base, prefix := 8, "0"
	if p.conv == 'x' {
		base, prefix = 16, "0x"
	}
	if p.flags&flagAlt == 0 {
		prefix = ""
	}
	begin := len(dst)
	a := p.arg
	neg := a.Kind == BigInt && a.Big.Sign() < 0
	if a.Kind == BigInt {
		dst = p.appendSign(dst, neg)
	}
	dst = append(dst, prefix...)
	start := len(dst)
	switch a.Kind {
	case BigInt:
		dst = append(dst, new(big.Int).Abs(a.Big).Text(base)...)
	case Int32:
		dst = strconv.AppendUint(dst, uint64(uint32(a.Int)), base)
	default:
		dst = strconv.AppendUint(dst, uint64(a.Int)&p.widthMask(), base)
	}
	if p.flags&flagZero != 0 {
		missing := int(p.width) - (len(dst) - begin)
		if neg && p.flags&flagParens != 0 {
			missing--
		}
		dst = insertRepeat(dst, start, '0', missing)
	}
	if p.flags&flagUpper != 0 {
		for i := begin; i < len(dst); i++ {
			if dst[i] >= 'a' && dst[i] <= 'z' {
				dst[i] -= 'a' - 'A'
			}
		}
	}
	return p.appendTrailingSign(dst, neg)
}
