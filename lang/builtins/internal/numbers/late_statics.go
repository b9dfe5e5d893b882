// This file defines the static methods of Java's numbers that few programs call.

package numbers

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/value"
)

// LateStatics are static methods and constructors of numbers that few programs call.
func LateStatics() []entry.Entry {
	list := append(unsignedStatics(), narrowStatics()...)
	list = append(list, floatStatics()...)
	return append(list, entry.PureStatic("new", "MathContext", "digits | digits rounding", entry.Constant,
		"Returns a number of digits and a RoundingMode, HALF_UP if none is given, for operations on decimals.",
		`(.round 1.25M (java.math.MathContext. 2)) => 1.3M`, func(t *value.Task, a []value.Value) value.Value {
			digits, mode := value.ToInt(t, a[0]), num.HalfUp
			if digits < 0 {
				t.Fail(diag.IllegalArgument, "Digits < 0")
			}
			if len(a) == 2 {
				mode = roundingMode(t, a[1])
			}
			return t.JavaOf(MathContext, value.Int(digits), value.Int(int64(mode)))
		}))
}

// onInts makes a static method of two ints.
func onInts(f func(x, y int32) int64) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		return value.Int(f(int32(value.ToInt(t, a[0])), int32(value.ToInt(t, a[1]))))
	}
}

func divisor(t *value.Task, v value.Value) uint32 {
	n := uint32(value.ToInt(t, v))
	if n == 0 {
		t.Fail(diag.Arithmetic, "/ by zero")
	}
	return n
}

func compareOrdered[T int | uint32 | int64](x, y T) int64 {
	return int64(entry.Btoi(x > y) - entry.Btoi(x < y))
}

// unsignedStatics are the methods of Integer on unsigned numbers and on bits.
func unsignedStatics() []entry.Entry {
	of := func(name, args, doc, example string, fn value.NativeFunc) entry.Entry {
		return entry.PureStatic("Integer", name, args, entry.Constant, doc, example, fn)
	}
	return []entry.Entry{
		of("compareUnsigned", "x y", "Compares two integers as unsigned ones.", `(Integer/compareUnsigned 1 -1) => -1`,
			onInts(func(x, y int32) int64 { return compareOrdered(uint32(x), uint32(y)) })),
		of("divideUnsigned", "x y", "Divides integers as unsigned ones.", `(Integer/divideUnsigned -1 2) => 2147483647`,
			func(t *value.Task, a []value.Value) value.Value {
				y := divisor(t, a[1])
				return value.Int(int64(int32(uint32(value.ToInt(t, a[0])) / y)))
			}),
		of("remainderUnsigned", "x y", "Returns the remainder of integers as unsigned ones.",
			`(Integer/remainderUnsigned -1 2) => 1`, func(t *value.Task, a []value.Value) value.Value {
				y := divisor(t, a[1])
				return value.Int(int64(int32(uint32(value.ToInt(t, a[0])) % y)))
			}),
		of("hashCode", "n", "Returns the hash of an int: the int.", `(Integer/hashCode 5) => 5`,
			onLong(32, func(n int64) int64 { return n })),
	}
}

// narrowStatics are the methods of Short and Byte.
func narrowStatics() []entry.Entry {
	var list []entry.Entry
	for _, of := range []struct {
		class string
		bits  int
	}{{"Short", 16}, {"Byte", 8}} {
		static := func(name, args, doc, example string, fn value.NativeFunc) {
			list = append(list, entry.PureStatic(of.class, name, args, entry.Constant, doc, "("+of.class+"/"+name+" "+example,
				fn))
		}
		mask := int64(1)<<of.bits - 1
		unsigned := func(t *value.Task, a []value.Value) value.Value { return value.Int(value.ToLong(t, a[0]) & mask) }
		static("valueOf", "s | s radix", "Parses a string as an integer, or checks a number.", `"5") => 5`, ParseIn(of.bits))
		static("toString", "n", "Returns the string of an integer.", `5) => "5"`, intToString)
		static("compare", "x y", "Returns the difference of two integers.", "3 1) => 2", entry.Binary(value.Sub))
		static("toUnsignedInt", "n", "Returns an integer as an unsigned one.", "-1) => "+strconv.FormatInt(mask, 10),
			unsigned)
		static("toUnsignedLong", "n", "Returns an integer as an unsigned one.", "-1) => "+strconv.FormatInt(mask, 10),
			unsigned)
		static("hashCode", "n", "Returns the hash of an integer: the integer.", "5) => 5",
			onLong(64, func(n int64) int64 { return n }))
	}
	return append(list, entry.PureStatic("Short", "reverseBytes", "n", entry.Constant, "Reverses the bytes.",
		"(Short/reverseBytes 1) => 256", onLong(64,
			func(n int64) int64 { return int64(int16(bits.ReverseBytes16(uint16(n)))) })))
}

// floatStatics are methods of Float and Double.
func floatStatics() []entry.Entry {
	of := func(name, args, doc, example string, fn value.NativeFunc) entry.Entry {
		return entry.PureStatic("Float", name, args, entry.Constant, doc, example, fn)
	}
	float := func(t *value.Task, v value.Value) float32 { return float32(value.ToDouble(t, v)) }
	bitsOf := func(t *value.Task, a []value.Value) value.Value {
		f := float(t, a[0])
		if f != f {
			return value.Int(0x7fc00000)
		}
		return value.Int(int64(int32(math.Float32bits(f))))
	}
	return []entry.Entry{
		of("intBitsToFloat", "n", "Returns the float with the bits of an integer, as a double.",
			`(Float/intBitsToFloat 1065353216) => 1.0`, func(t *value.Task, a []value.Value) value.Value {
				return value.Float(value.ToFloat(t, value.Float(float64(math.Float32frombits(uint32(value.ToInt(t, a[0])))))))
			}),
		of("floatToIntBits", "x:num", "Returns the bits of a float.", `(Float/floatToIntBits 1.0) => 1065353216`, bitsOf),
		of("floatToRawIntBits", "x:num", "Returns the bits of a float.", `(Float/floatToRawIntBits 1.0) => 1065353216`,
			bitsOf),
		of("compare", "x:num y:num", "Compares two floats; NaN is above all.", `(Float/compare 1.0 2.0) => -1`,
			compareFloats),
		of("isNaN", "x:num", "Returns true if a float is not a number.", `(Float/isNaN 1.0) => false`,
			onDouble(func(f float64) bool { return f != f })),
		of("isInfinite", "x:num", "Returns true if a float is infinite.", `(Float/isInfinite 1.0) => false`,
			onDouble(func(f float64) bool { return math.IsInf(f, 0) })),
		of("isFinite", "x:num", "Returns true if a float is neither infinite nor NaN.", `(Float/isFinite 1.0) => true`,
			onDouble(func(f float64) bool { return !math.IsInf(f, 0) && f == f })),
		of("sum", "x y", "Adds two numbers.", `(Float/sum 1.0 2.0) => 3.0`, entry.Binary(value.Add)),
		of("max", "x y", "Returns the greater number.", `(Float/max 1.0 2.0) => 2.0`, mathPick("max", value.Max)),
		of("min", "x y", "Returns the lesser number.", `(Float/min 1.0 2.0) => 1.0`, mathPick("min", value.Min)),
		of("toString", "x:num", "Returns the string of a float.", `(Float/toString 1.5) => "1.5"`,
			func(t *value.Task, a []value.Value) value.Value { return t.Str(value.Float(value.ToDouble(t, a[0]))) }),
		entry.PureStatic("Double", "toHexString", "x:num", entry.Constant, "Returns a double in hexadecimal.",
			`(Double/toHexString 1.0) => "0x1.0p0"`, func(t *value.Task, a []value.Value) value.Value {
				return t.CopyString(hexDouble(value.ToDouble(t, a[0])))
			}),
	}
}

// hexDouble writes a double as Double.toHexString does.
func hexDouble(f float64) string {
	switch {
	case f != f:
		return "NaN"
	case math.IsInf(f, 0):
		return map[bool]string{true: "Infinity", false: "-Infinity"}[f > 0]
	}
	sign := ""
	if math.Signbit(f) {
		sign, f = "-", -f
	}
	if f == 0 {
		return sign + "0x0.0p0"
	}
	b := math.Float64bits(f)
	digits := strings.TrimRight(strconv.FormatUint(b&(1<<52-1)|1<<52, 16)[1:], "0")
	if digits == "" {
		digits = "0"
	}
	if exponent := int(b >> 52); exponent > 0 {
		return sign + "0x1." + digits + "p" + strconv.Itoa(exponent-1023)
	}
	return sign + "0x0." + digits + "p-1022"
}
