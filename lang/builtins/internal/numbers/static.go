// This file defines the static methods of Java's numbers.

package numbers

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/value"
)

// numberStatics are the static methods of Long, Integer, Double and the like.
func numberStatics() []entry.Entry {
	return []entry.Entry{
		entry.PureStatic("Long", "parseLong", "s | s radix", entry.PerByte, "Parses a string as an integer.",
			`(Long/parseLong "12") => 12`, ParseIn(64)),
		entry.PureStatic("Long", "valueOf", "s | s radix", entry.PerByte,
			"Parses a string as an integer, or converts a number to an integer.", `(Long/valueOf "12") => 12`, ParseIn(64)),
		entry.PureStatic("Integer", "parseInt", "s | s radix", entry.PerByte, "Parses a string as an integer of 32 bits.",
			`(Integer/parseInt "ff" 16) => 255`, ParseIn(32)),
		entry.PureStatic("Integer", "valueOf", "s | s radix", entry.PerByte,
			"Parses a string as an integer, or converts a number to an integer.", `(Integer/valueOf "12") => 12`, ParseIn(32)),
		entry.PureStatic("Short", "parseShort", "s | s radix", entry.PerByte, "Parses a string as an integer of 16 bits.",
			`(Short/parseShort "12") => 12`, ParseIn(16)),
		entry.PureStatic("Byte", "parseByte", "s | s radix", entry.PerByte, "Parses a string as an integer of 8 bits.",
			`(Byte/parseByte "12") => 12`, ParseIn(8)),
		double(entry.PureStatic("Double", "parseDouble", "s", entry.PerByte, "Parses a string as a double.",
			`(Double/parseDouble "1.5") => 1.5`, ParseFloat)),
		entry.PureStatic("Double", "valueOf", "s", entry.PerByte,
			"Parses a string as a double, or converts a number to a double.",
			`(Double/valueOf "1.5") => 1.5`, ParseFloat),
		entry.PureStatic("Float", "parseFloat", "s", entry.PerByte, "Parses a string as a double.",
			`(Float/parseFloat "1.5") => 1.5`,
			ParseFloat),
		entry.PureStatic("Float", "valueOf", "s", entry.PerByte,
			"Parses a string as a double, or converts a number to a double.",
			`(Float/valueOf "1.5") => 1.5`, ParseFloat),
		entry.PureStatic("Long", "toString", "n | n radix", entry.Constant, "Returns the string of an integer.",
			`(Long/toString 255 16) => "ff"`, intToString),
		entry.PureStatic("Integer", "toString", "n | n radix", entry.Constant, "Returns the string of an integer.",
			`(Integer/toString 255 16) => "ff"`, intToString),
		entry.PureStatic("Double", "toString", "x:num", entry.Constant, "Returns the string of a double.",
			`(Double/toString 1.5) => "1.5"`, func(t *value.Task, a []value.Value) value.Value {
				return t.Str(value.Float(value.ToDouble(t, a[0])))
			}),
		entry.PureStatic("Long", "toBinaryString", "n", entry.Constant, "Returns the bits of an integer.",
			`(Long/toBinaryString 5) => "101"`, unsignedText(2, 64)),
		entry.PureStatic("Long", "toHexString", "n", entry.Constant, "Returns an integer in hexadecimal.",
			`(Long/toHexString 255) => "ff"`, unsignedText(16, 64)),
		entry.PureStatic("Long", "toOctalString", "n", entry.Constant, "Returns an integer in octal.",
			`(Long/toOctalString 8) => "10"`,
			unsignedText(8, 64)),
		entry.PureStatic("Integer", "toBinaryString", "n", entry.Constant, "Returns the bits of an integer.",
			`(Integer/toBinaryString 5) => "101"`, unsignedText(2, 32)),
		entry.PureStatic("Integer", "toHexString", "n", entry.Constant, "Returns an integer in hexadecimal.",
			`(Integer/toHexString 255) => "ff"`, unsignedText(16, 32)),
		entry.PureStatic("Integer", "toOctalString", "n", entry.Constant, "Returns an integer in octal.",
			`(Integer/toOctalString 8) => "10"`, unsignedText(8, 32)),
		entry.PureStatic("Long", "compare", "x y", entry.Constant, "Compares two integers.", `(Long/compare 1 2) => -1`,
			compareInts),
		entry.PureStatic("Integer", "compare", "x y", entry.Constant, "Compares two integers.", `(Integer/compare 1 2) => -1`,
			compareInts),
		entry.PureStatic("Double", "compare", "x:num y:num", entry.Constant, "Compares two doubles; NaN is above all.",
			`(Double/compare 1.0 2.0) => -1`, compareFloats),
		entry.PureStatic("Long", "max", "x y", entry.Constant, "Returns the greater integer.", `(Long/max 1 2) => 2`,
			entry.Binary(value.Max)),
		entry.PureStatic("Long", "min", "x y", entry.Constant, "Returns the lesser integer.", `(Long/min 1 2) => 1`,
			entry.Binary(value.Min)),
		entry.PureStatic("Long", "sum", "x y", entry.Constant, "Adds two integers.", `(Long/sum 1 2) => 3`,
			entry.Binary(value.Add)),
		entry.PureStatic("Integer", "max", "x y", entry.Constant, "Returns the greater integer.", `(Integer/max 1 2) => 2`,
			entry.Binary(value.Max)),
		entry.PureStatic("Integer", "min", "x y", entry.Constant, "Returns the lesser integer.", `(Integer/min 1 2) => 1`,
			entry.Binary(value.Min)),
		entry.PureStatic("Integer", "sum", "x y", entry.Constant, "Adds two integers.", `(Integer/sum 1 2) => 3`,
			entry.Binary(value.Add)),
		entry.PureStatic("Double", "max", "x y", entry.Constant, "Returns the greater number.", `(Double/max 1.0 2.0) => 2.0`,
			mathPick("max", value.Max)),
		entry.PureStatic("Double", "min", "x y", entry.Constant, "Returns the lesser number.", `(Double/min 1.0 2.0) => 1.0`,
			mathPick("min", value.Min)),
		entry.PureStatic("Double", "sum", "x y", entry.Constant, "Adds two numbers.", `(Double/sum 1.0 2.0) => 3.0`,
			entry.Binary(value.Add)),
		entry.PureStatic("Long", "signum", "n", entry.Constant, "Returns -1, 0 or 1.", `(Long/signum -5) => -1`,
			onLong(64, func(n int64) int64 { return int64(entry.Btoi(n > 0) - entry.Btoi(n < 0)) })),
		entry.PureStatic("Integer", "signum", "n", entry.Constant, "Returns -1, 0 or 1.", `(Integer/signum -5) => -1`,
			onLong(32, func(n int64) int64 { return int64(entry.Btoi(n > 0) - entry.Btoi(n < 0)) })),
		entry.PureStatic("Long", "bitCount", "n", entry.Constant, "Returns the number of bits that are set.",
			`(Long/bitCount 255) => 8`,
			onLong(64, func(n int64) int64 { return int64(bits.OnesCount64(uint64(n))) })),
		entry.PureStatic("Integer", "bitCount", "n", entry.Constant, "Returns the number of bits that are set.",
			`(Integer/bitCount 7) => 3`, onLong(32, func(n int64) int64 { return int64(bits.OnesCount32(uint32(n))) })),
		entry.PureStatic("Long", "numberOfLeadingZeros", "n", entry.Constant,
			"Returns the number of zero bits above the highest set bit.", `(Long/numberOfLeadingZeros 1) => 63`,
			onLong(64, func(n int64) int64 { return int64(bits.LeadingZeros64(uint64(n))) })),
		entry.PureStatic("Integer", "numberOfLeadingZeros", "n", entry.Constant,
			"Returns the number of zero bits above the highest set bit.", `(Integer/numberOfLeadingZeros 1) => 31`,
			onLong(32, func(n int64) int64 { return int64(bits.LeadingZeros32(uint32(n))) })),
		entry.PureStatic("Long", "numberOfTrailingZeros", "n", entry.Constant,
			"Returns the number of zero bits below the lowest set bit.", `(Long/numberOfTrailingZeros 8) => 3`,
			onLong(64, func(n int64) int64 { return int64(bits.TrailingZeros64(uint64(n))) })),
		entry.PureStatic("Integer", "numberOfTrailingZeros", "n", entry.Constant,
			"Returns the number of zero bits below the lowest set bit.", `(Integer/numberOfTrailingZeros 8) => 3`,
			onLong(32, func(n int64) int64 { return int64(bits.TrailingZeros32(uint32(n))) })),
		entry.PureStatic("Long", "highestOneBit", "n", entry.Constant, "Returns the highest set bit alone.",
			`(Long/highestOneBit 100) => 64`, onLong(64, highestBit)),
		entry.PureStatic("Long", "lowestOneBit", "n", entry.Constant, "Returns the lowest set bit alone.",
			`(Long/lowestOneBit 12) => 4`,
			onLong(64, func(n int64) int64 { return n & -n })),
		entry.PureStatic("Integer", "highestOneBit", "n", entry.Constant, "Returns the highest set bit alone.",
			`(Integer/highestOneBit 100) => 64`, onLong(32,
				func(n int64) int64 { return int64(int32(highestBit(int64(uint32(n))))) })),
		entry.PureStatic("Long", "reverse", "n", entry.Constant, "Reverses the bits.",
			`(Long/reverse 1) => -9223372036854775808`,
			onLong(64, func(n int64) int64 { return int64(bits.Reverse64(uint64(n))) })),
		entry.PureStatic("Integer", "reverse", "n", entry.Constant, "Reverses the bits.",
			`(Integer/reverse 1) => -2147483648`,
			onLong(32, func(n int64) int64 { return int64(int32(bits.Reverse32(uint32(n)))) })),
		entry.PureStatic("Double", "isNaN", "x:num", entry.Constant, "Returns true if a double is not a number.",
			`(Double/isNaN ##NaN) => true`, onDouble(func(f float64) bool { return f != f })),
		entry.PureStatic("Double", "isInfinite", "x:num", entry.Constant, "Returns true if a double is infinite.",
			`(Double/isInfinite ##Inf) => true`, onDouble(func(f float64) bool { return math.IsInf(f, 0) })),
		entry.PureStatic("Double", "isFinite", "x:num", entry.Constant,
			"Returns true if a double is neither infinite nor NaN.",
			`(Double/isFinite 1.0) => true`, onDouble(func(f float64) bool { return !math.IsInf(f, 0) && f == f })),
		entry.PureStatic("Double", "doubleToLongBits", "x:num", entry.Constant, "Returns the bits of a double.",
			`(Double/doubleToLongBits 0.0) => 0`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(doubleBits(value.ToDouble(t, a[0])))
			}),
		entry.PureStatic("BigInteger", "valueOf", "n", entry.Constant, "Returns an integer as a BigInteger.",
			`(java.math.BigInteger/valueOf 5) => 5`, entry.Unary(value.BigIntegerOf)),
		entry.PureStatic("BigDecimal", "valueOf", "x | unscaled scale", entry.Constant,
			"Returns a number as a decimal, or the decimal of an unscaled value and its number of digits after the point.",
			`(java.math.BigDecimal/valueOf 150 2) => 1.50M`, decimalValue),
	}
}

// doubleBits returns the bits of a double. All NaN are one.
func doubleBits(f float64) int64 {
	if f != f {
		return 0x7ff8000000000000
	}
	return int64(math.Float64bits(f))
}

// ParseIn makes a parser of integers with a number of bits. It only checks an argument that is a
// number.
func ParseIn(width int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		switch {
		case a[0].IsNil():
			t.Fail(diag.NumberFormat, "Cannot parse null string")
		case a[0].Is(value.Numbers) && len(a) == 1:
			return value.Int(value.ToLong(t, a[0]))
		}
		s, radix := entry.WantText(t, a[0], "parse"), int64(10)
		if len(a) == 2 {
			radix = value.ToInt(t, a[1])
		}
		t.Work(int64(len(s)))
		n, ok := num.ParseLong(s, int(radix))
		if !ok || n != n<<(64-width)>>(64-width) {
			failNumber(t, s, radix)
		}
		return value.Int(n)
	}
}

// parseHint is the hint that names the parse functions that return nil instead of failing.
const parseHint = "parse-long and parse-double return nil for a string that is not a number"

func failNumber(t *value.Task, s string, radix int64) {
	const most = 200
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	if radix != 10 {
		t.FailHint(diag.NumberFormat, parseHint, `For input string: "%s" under radix %d`, s, radix)
	}
	t.FailHint(diag.NumberFormat, parseHint, `For input string: "%s"`, s)
}

// ParseFloat is Double/parseDouble.
func ParseFloat(t *value.Task, a []value.Value) value.Value {
	if a[0].Is(value.Numbers) {
		return value.Float(value.ToDouble(t, a[0]))
	}
	s := entry.WantText(t, a[0], "parseDouble")
	t.Work(int64(len(s)))
	f, ok := num.ParseDouble(s)
	if !ok {
		if strs.Trim(t, s) == "" {
			t.Fail(diag.NumberFormat, "empty String")
		}
		failNumber(t, s, 10)
	}
	return value.Float(f)
}

// NewFloat returns a number, or that in a string, with the precision of a float.
func NewFloat(t *value.Task, a []value.Value) value.Value {
	return value.Float(value.ToFloat(t, ParseFloat(t, a)))
}

func intToString(t *value.Task, a []value.Value) value.Value {
	radix := 10
	if len(a) == 2 {
		if r := value.ToInt(t, a[1]); r >= 2 && r <= 36 {
			radix = int(r)
		}
	}
	return t.String(strconv.FormatInt(value.ToLong(t, a[0]), radix))
}

func unsignedText(radix, width int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		n := uint64(value.ToLong(t, a[0])) << (64 - width) >> (64 - width)
		return t.String(strconv.FormatUint(n, radix))
	}
}

func compareInts(t *value.Task, a []value.Value) value.Value {
	x, y := value.ToLong(t, a[0]), value.ToLong(t, a[1])
	return value.Int(int64(entry.Btoi(x > y) - entry.Btoi(x < y)))
}

func compareFloats(t *value.Task, a []value.Value) value.Value {
	x, y := value.ToDouble(t, a[0]), value.ToDouble(t, a[1])
	switch {
	case x < y:
		return value.Int(-1)
	case x > y:
		return value.Int(1)
	}
	i, j := int64(math.Float64bits(x)), int64(math.Float64bits(y))
	return value.Int(int64(entry.Btoi(i > j) - entry.Btoi(i < j)))
}

func onLong(width int, f func(n int64) int64) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		if width == 32 {
			return value.Int(f(value.ToInt(t, a[0])))
		}
		return value.Int(f(value.ToLong(t, a[0])))
	}
}

func highestBit(n int64) int64 {
	if n == 0 {
		return 0
	}
	return int64(uint64(1) << (63 - bits.LeadingZeros64(uint64(n))))
}

func onDouble(f func(x float64) bool) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value { return value.Bool(f(value.ToDouble(t, a[0]))) }
}
