package strfmt

// This file defines the parsing of a format string into directives.

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxWidth is the largest width or precision accepted. Java accepts up to 2^31-1, which is 2 GB
// from a format string of 12 characters.
const MaxWidth = 1_000_000

type flags uint16

const (
	flagLeft  flags = 1 << iota // -
	flagUpper                   // set by an upper-case conversion
	flagAlt                     // #
	flagPlus                    // +
	flagSpace
	flagZero   // 0
	flagGroup  // ,
	flagParens // (
	flagPrevious
)

// flagChars holds the flags in the order of their bits; ^ means flagUpper.
const flagChars = "-^#+ 0,(<"

func flagOf(c byte) flags { return 1 << strings.IndexByte(flagChars, c) }

func (f flags) String() string {
	var b strings.Builder
	for i := range len(flagChars) {
		if f&(1<<i) != 0 {
			b.WriteByte(flagChars[i])
		}
	}
	return b.String()
}

// directive is literal text or a conversion.
type directive struct {
	text      string // literal text if conv is 0
	conv      byte   // lower case
	flags     flags
	index     int32 // 1 for the first argument; 0: next, -1: previous, -2: none
	width     int32 // -1 if absent
	precision int32 // -1 if absent
}

const (
	indexNext     = 0
	indexPrevious = -1
	indexNone     = -2
)

// directiveBytes is the size of a directive in memory.
const directiveBytes = 40

// ParseBytes bounds the bytes that Prepare allocates for a format string, without the strings of
// the arguments.
func ParseBytes(format string, args int) int64 {
	n := 2*int64(strings.Count(format, "%")) + 2
	return 512 + n*3*(directiveBytes+pieceBytes) + 8*int64(args)
}

// String returns the directive as error messages show it.
func (d *directive) String() string {
	b := append([]byte{'%'}, (d.flags &^ flagUpper).String()...)
	if d.index > 0 {
		b = append(strconv.AppendInt(b, int64(d.index), 10), '$')
	}
	if d.width >= 0 {
		b = strconv.AppendInt(b, int64(d.width), 10)
	}
	if d.precision >= 0 {
		b = strconv.AppendInt(append(b, '.'), int64(d.precision), 10)
	}
	return string(append(b, d.convChar()))
}

func (d *directive) convChar() byte {
	if d.flags&flagUpper != 0 {
		return d.conv - 'a' + 'A'
	}
	return d.conv
}

// parse splits a format string: %[index$][flags][width][.precision]conversion.
func parse(format string, work func(n int64)) ([]directive, error) {
	out := make([]directive, 0, 2*strings.Count(format, "%")+1)
	for format != "" {
		n := strings.IndexByte(format, '%')
		work(4)
		if n < 0 {
			n = len(format)
		}
		if n > 0 {
			out = append(out, directive{text: format[:n]})
			format = format[n:]
			continue
		}
		d, size, err := parseDirective(format)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
		format = format[size:]
	}
	return out, nil
}

// parseDirective parses the conversion at the start of s, which begins with %.
func parseDirective(s string) (d directive, size int, err error) {
	d = directive{width: -1, precision: -1}
	i := 1
	number := func() string {
		start := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return s[start:i]
	}
	index := number()
	if index != "" && i < len(s) && s[i] == '$' {
		i++
	} else {
		index, i = "", 1
	}
	flagStart := i
	for i < len(s) && strings.IndexByte(flagChars, s[i]) >= 0 && s[i] != '^' {
		i++
	}
	flagText := s[flagStart:i]
	width, precision := number(), ""
	if i < len(s) && s[i] == '.' {
		i++
		if precision = number(); precision == "" {
			return d, 0, unknown(s)
		}
	}
	date := i+1 < len(s) && s[i]|0x20 == 't' && isLetter(s[i+1])
	if i >= len(s) || !isLetter(s[i]) && s[i] != '%' {
		return d, 0, unknown(s)
	}
	if err := d.set(index, flagText, width, precision); err != nil {
		return d, 0, err
	}
	if date {
		return d, 0, fail("NotSupported", "date conversion %"+s[i:i+2]+" is not supported")
	}
	if err := d.convert(s[i]); err != nil {
		return d, 0, err
	}
	return d, i + 1, d.check()
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// unknown returns an error that names the character after the %, or the % itself at the end of the
// format.
func unknown(s string) error {
	name := "%"
	if len(s) > 1 {
		_, size := utf8.DecodeRuneInString(s[1:])
		name = s[1 : 1+size]
	}
	return fail("UnknownFormatConversionException", "Conversion = '"+name+"'")
}

// set stores the parts before the conversion.
func (d *directive) set(index, flagText, width, precision string) error {
	if index != "" {
		n, err := strconv.ParseInt(index, 10, 32)
		switch {
		case err != nil:
			return fail("IllegalFormatArgumentIndexException", "Format argument index: (not representable as int)")
		case n == 0:
			return fail("IllegalFormatArgumentIndexException", "Illegal format argument index = 0")
		}
		d.index = int32(n)
	}
	for _, c := range []byte(flagText) {
		f := flagOf(c)
		if d.flags&f != 0 {
			return fail("DuplicateFormatFlagsException", "Flags = '"+f.String()+"'")
		}
		d.flags |= f
	}
	if d.flags&flagPrevious != 0 {
		d.index = indexPrevious
	}
	var err error
	if d.width, err = size("width", width, "IllegalFormatWidthException"); err != nil {
		return err
	}
	d.precision, err = size("precision", precision, "IllegalFormatPrecisionException")
	return err
}

// size parses a width or precision. It returns -1 for "".
func size(what, digits, class string) (int32, error) {
	if digits == "" {
		return -1, nil
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0, fail(class, "-2147483648") // Java reports this number
	}
	if n > MaxWidth {
		return 0, fail("LimitExceeded", "format "+what+" "+digits+" exceeds the limit of "+strconv.Itoa(MaxWidth))
	}
	return int32(n), nil
}

// convert stores the conversion character.
func (d *directive) convert(c byte) error {
	switch c {
	case 'a', 'A':
		return fail("NotSupported", "hexadecimal float conversion %"+string(c)+" is not supported")
	case 'b', 'h', 's', 'c', 'd', 'o', 'x', 'e', 'f', 'g':
		d.conv = c
	case 'B', 'H', 'S', 'C', 'X', 'E', 'G':
		d.conv = c - 'A' + 'a'
		d.flags |= flagUpper
	case 'n', '%':
		d.conv = c
		d.index = indexNone
	default:
		return fail("UnknownFormatConversionException", "Conversion = '"+string(c)+"'")
	}
	return nil
}

// check rejects the combinations that Java rejects whatever the argument is.
func (d *directive) check() error {
	switch d.conv {
	case 'b', 'h', 's':
		if d.conv != 's' && d.flags&flagAlt != 0 {
			return d.mismatch(flagAlt)
		}
		if err := d.checkLeft(); err != nil {
			return err
		}
		return d.badFlags("+ 0,(")
	case 'c':
		if d.precision >= 0 {
			return d.badPrecision()
		}
		if err := d.badFlags("#+ 0,("); err != nil {
			return err
		}
		return d.checkLeft()
	case 'n', '%':
		return d.checkText()
	}
	return d.checkNumeric()
}

func (d *directive) checkNumeric() error {
	if d.width < 0 && d.flags&(flagLeft|flagZero) != 0 {
		return fail("MissingFormatWidthException", d.String())
	}
	for _, both := range []flags{flagPlus | flagSpace, flagLeft | flagZero} {
		if d.flags&both == both {
			return fail("IllegalFormatFlagsException", "Flags = '"+d.flags.String()+"'")
		}
	}
	switch d.conv {
	case 'd', 'o', 'x':
		if d.precision >= 0 {
			return d.badPrecision()
		}
		if d.conv == 'd' {
			return d.badFlags("#")
		}
		return d.badFlags(",")
	case 'e':
		return d.badFlags(",")
	case 'g':
		return d.badFlags("#")
	}
	return nil
}

func (d *directive) checkText() error {
	switch {
	case d.precision >= 0:
		return d.badPrecision()
	case d.conv == 'n' && d.width >= 0:
		return fail("IllegalFormatWidthException", strconv.Itoa(int(d.width)))
	case d.flags != 0 && (d.conv == 'n' || d.flags != flagLeft):
		return fail("IllegalFormatFlagsException", "Flags = '"+d.flags.String()+"'")
	}
	return d.checkLeft()
}

// checkLeft requires a width with the flag -.
func (d *directive) checkLeft() error {
	if d.width < 0 && d.flags&flagLeft != 0 {
		return fail("MissingFormatWidthException", d.String())
	}
	return nil
}

func (d *directive) badPrecision() error {
	return fail("IllegalFormatPrecisionException", strconv.Itoa(int(d.precision)))
}

// badFlags returns an error for the first flag of bad that is set, or nil.
func (d *directive) badFlags(bad string) error {
	for _, c := range []byte(bad) {
		if f := flagOf(c); d.flags&f != 0 {
			return d.mismatch(f)
		}
	}
	return nil
}

func (d *directive) mismatch(f flags) error {
	return fail("FormatFlagsConversionMismatchException", "Conversion = "+string(d.conv)+", Flags = "+f.String())
}
