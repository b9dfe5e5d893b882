// This file defines how the JSON decoder reads strings and numbers.

package jsonio

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/limits"
)

func (d *decoder) string() value.Value {
	raw, plain := d.scan()
	if plain {
		return d.known.String(unsafe.String(unsafe.SliceData(raw), len(raw)))
	}
	return d.unescape(raw)
}

// scan finds the end of a string and reports whether it has no escapes.
func (d *decoder) scan() (raw []byte, plain bool) {
	start := d.pos + 1
	plain = true
	for i := start; i < len(d.data); i++ {
		if (i-start)&15 == 15 {
			d.t.Work(1)
		}
		switch c := d.data[i]; {
		case c == '"':
			d.pos = i + 1
			return d.data[start:i], plain
		case c == '\\':
			plain = false
			i++
		case c < ' ':
			d.pos = i
			d.fail("unexpected control character %s in a string", strconv.QuoteRune(rune(c)))
		}
	}
	d.pos = len(d.data)
	d.fail("a string does not end")
	return nil, false
}

// unescape makes a string of raw, which lies before pos.
func (d *decoder) unescape(raw []byte) value.Value {
	b := d.t.Buf()
	end := d.pos
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			part := raw[i:]
			if n := bytes.IndexByte(part, '\\'); n >= 0 {
				part = part[:n]
			}
			b.Write(part)
			i += len(part)
			continue
		}
		d.t.Work(1)
		d.pos = end - 1 - len(raw) + i
		i += d.escape(b, raw[i+1:]) + 1
	}
	d.pos = end
	return b.Value()
}

// jsonEscapes are the escapes of one character.
var jsonEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape writes the character of an escape and returns the length of it after the
// backslash. Half a surrogate pair becomes U+FFFD.
func (d *decoder) escape(b *value.Buf, s []byte) int {
	if s[0] != 'u' {
		c := jsonEscapes[s[0]]
		if c == 0 {
			d.fail(`unknown escape \%c`, s[0])
		}
		b.WriteByte(c)
		return 1
	}
	r := d.hex(s[1:])
	if utf16.IsSurrogate(r) && len(s) >= 11 && s[5] == '\\' && s[6] == 'u' {
		if pair := utf16.DecodeRune(r, d.hex(s[7:])); pair != utf8.RuneError {
			b.WriteRune(pair)
			return 11
		}
	}
	b.WriteRune(r)
	return 5
}

func (d *decoder) hex(s []byte) rune {
	if len(s) >= 4 {
		if n, err := strconv.ParseUint(string(s[:4]), 16, 32); err == nil {
			return rune(n)
		}
	}
	d.fail(`\u wants four hexadecimal digits`)
	return 0
}

// maxJSONNumber bounds the length of a number.
const maxJSONNumber = 4096

func (d *decoder) number() value.Value {
	start := d.pos
	if d.data[d.pos] == '-' {
		d.pos++
	}
	first := d.pos
	d.digits()
	if d.data[first] == '0' && d.pos > first+1 {
		d.pos = first + 1
		d.fail("unexpected digit after 0")
	}
	whole := true
	if d.pos < len(d.data) && d.data[d.pos] == '.' {
		whole = false
		d.pos++
		d.digits()
	}
	if d.pos < len(d.data) && d.data[d.pos]|32 == 'e' {
		whole = false
		d.pos++
		if d.pos < len(d.data) && (d.data[d.pos] == '+' || d.data[d.pos] == '-') {
			d.pos++
		}
		d.digits()
	}
	text := d.data[start:d.pos]
	if len(text) > maxJSONNumber {
		d.fail("number of %d characters, at most %d", len(text), maxJSONNumber)
	}
	if whole {
		return d.integer(text)
	}
	return d.fraction(string(text))
}

func (d *decoder) digits() {
	from := d.pos
	for d.pos < len(d.data) && d.data[d.pos] >= '0' && d.data[d.pos] <= '9' {
		if d.pos++; (d.pos-from)&15 == 0 {
			d.t.Work(1)
		}
	}
	if d.pos == from {
		d.fail("unexpected %s, want a digit", d.here())
	}
}

func (d *decoder) integer(text []byte) value.Value {
	if len(text) <= 18 {
		n, neg := int64(0), text[0] == '-'
		for _, c := range text {
			if c != '-' {
				n = n*10 + int64(c-'0')
			}
		}
		if neg {
			n = -n
		}
		return value.Int(n)
	}
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return value.Int(n)
	}
	d.t.Charge(num.ParseBigIntBytes(string(text), 10))
	n, _ := new(big.Int).SetString(string(text), 10)
	return d.t.BigInt(n)
}

func (d *decoder) fraction(text string) value.Value {
	d.t.Work(int64(len(text)))
	if d.decimals {
		d.t.Charge(num.ParseBigIntBytes(text, 10) + limits.BytesSize(len(text)))
		if dec, ok := num.ParseDecimal(text); ok {
			return d.t.Decimal(dec)
		}
		d.fail("number %s is too large", text)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && d.finite && math.IsInf(f, 0) {
		d.fail("number %s is too large for a float", short(text))
	}
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		d.fail("bad number %s", text)
	}
	return value.Float(f)
}
