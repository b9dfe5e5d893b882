// This file defines the static methods of Java's numbers that treat them as bits, or as unsigned
// integers, and those of the other small classes.

package builtins

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/value"
)

// bitStatics are static methods of Long, Integer, Double, Float, Boolean, Character and Objects.
func bitStatics() []Entry {
	return []Entry{
		pureStatic("Long", "rotateLeft", "n distance", Constant, "Rotates the bits to the left.",
			`(Long/rotateLeft 1 63) => -9223372036854775808`, rotate(64, 1)),
		pureStatic("Long", "rotateRight", "n distance", Constant, "Rotates the bits to the right.",
			`(Long/rotateRight 2 1) => 1`, rotate(64, -1)),
		pureStatic("Integer", "rotateLeft", "n distance", Constant, "Rotates the bits of 32 to the left.",
			`(Integer/rotateLeft 1 31) => -2147483648`, rotate(32, 1)),
		pureStatic("Integer", "rotateRight", "n distance", Constant, "Rotates the bits of 32 to the right.",
			`(Integer/rotateRight 2 1) => 1`, rotate(32, -1)),
		pureStatic("Long", "reverseBytes", "n", Constant, "Reverses the bytes.", `(Long/reverseBytes 1) => 72057594037927936`,
			onLong(64, func(n int64) int64 { return int64(bits.ReverseBytes64(uint64(n))) })),
		pureStatic("Integer", "reverseBytes", "n", Constant, "Reverses the bytes of 32 bits.",
			`(Integer/reverseBytes 1) => 16777216`, onLong(32,
				func(n int64) int64 { return int64(int32(bits.ReverseBytes32(uint32(n)))) })),
		pureStatic("Integer", "lowestOneBit", "n", Constant, "Returns the lowest set bit alone.",
			`(Integer/lowestOneBit 12) => 4`, onLong(32, func(n int64) int64 { return n & -n })),
		pureStatic("Integer", "toUnsignedLong", "n", Constant, "Returns 32 bits as an unsigned integer.",
			`(Integer/toUnsignedLong -1) => 4294967295`, onLong(32, func(n int64) int64 { return int64(uint32(n)) })),
		pureStatic("Long", "toUnsignedString", "n | n radix", Constant,
			"Returns the string of 64 bits as an unsigned integer.", `(Long/toUnsignedString -1) => "18446744073709551615"`,
			unsignedString(64)),
		pureStatic("Integer", "toUnsignedString", "n | n radix", Constant,
			"Returns the string of 32 bits as an unsigned integer.", `(Integer/toUnsignedString -1) => "4294967295"`,
			unsignedString(32)),
		pureStatic("Long", "parseUnsignedLong", "s | s radix", PerByte, "Parses a string as an unsigned integer of 64 bits.",
			`(Long/parseUnsignedLong "18446744073709551615") => -1`, parseUnsigned(64)),
		pureStatic("Integer", "parseUnsignedInt", "s | s radix", PerByte,
			"Parses a string as an unsigned integer of 32 bits.", `(Integer/parseUnsignedInt "ffffffff" 16) => -1`,
			parseUnsigned(32)),
		pureStatic("Long", "compareUnsigned", "x y", Constant, "Compares two integers as unsigned.",
			`(Long/compareUnsigned 1 -1) => -1`, func(t *value.Task, a []value.Value) value.Value {
				x, y := uint64(value.ToLong(t, a[0])), uint64(value.ToLong(t, a[1]))
				return value.Int(int64(btoi(x > y) - btoi(x < y)))
			}),
		pureStatic("Long", "divideUnsigned", "x y", Constant, "Divides two integers as unsigned.",
			`(Long/divideUnsigned -1 2) => 9223372036854775807`, unsigned(func(x, y uint64) int64 { return int64(x / y) })),
		pureStatic("Long", "remainderUnsigned", "x y", Constant, "Returns the remainder of an unsigned division.",
			`(Long/remainderUnsigned -1 10) => 5`, unsigned(func(x, y uint64) int64 { return int64(x % y) })),
		pureStatic("Long", "decode", "s", PerByte, "Parses a string in decimal, hexadecimal (0x) or octal (0) as an integer.",
			`(Long/decode "0x1F") => 31`, decodeIn(64)),
		pureStatic("Integer", "decode", "s", PerByte,
			"Parses a string in decimal, hexadecimal (0x) or octal (0) as an integer of 32 bits.",
			`(Integer/decode "#FF") => 255`, decodeIn(32)),
		pureStatic("Long", "hashCode", "n:num", Constant, "Returns Java's hash of an integer.", `(Long/hashCode 5) => 5`,
			javaHash),
		pureStatic("Double", "hashCode", "x:num", Constant, "Returns Java's hash of a double.",
			`(Double/hashCode 1.5) => 1073217536`, javaHash),
		pureStatic("Boolean", "hashCode", "b", Constant, "Returns Java's hash of a boolean.",
			`(Boolean/hashCode true) => 1231`, javaHash),
		pureStatic("Character", "hashCode", "c", Constant, "Returns Java's hash of a character.",
			`(Character/hashCode \a) => 97`, javaHash),
		pureStatic("Double", "longBitsToDouble", "n", Constant, "Returns the double of some bits.",
			`(Double/longBitsToDouble 4607182418800017408) => 1.0`, func(t *value.Task, a []value.Value) value.Value {
				return value.Float(math.Float64frombits(uint64(value.ToLong(t, a[0]))))
			}),
		pureStatic("Double", "doubleToRawLongBits", "x:num", Constant, "Returns the bits of a double.",
			`(Double/doubleToRawLongBits 0.0) => 0`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(math.Float64bits(value.ToDouble(t, a[0]))))
			}),
		pureStatic("Float", "floatToIntBits", "x:num", Constant, "Returns the bits of a float.",
			`(Float/floatToIntBits 1.0) => 1065353216`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(int32(math.Float32bits(float32(value.ToDouble(t, a[0]))))))
			}),
		pureStatic("Float", "compare", "x:num y:num", Constant, "Compares two floats; NaN is above all.",
			`(Float/compare 1.0 2.0) => -1`, compareFloats),
		pureStatic("Boolean", "logicalAnd", "x y", Constant, "Returns true if both are true.",
			`(Boolean/logicalAnd true false) => false`, logical(func(x, y bool) bool { return x && y })),
		pureStatic("Boolean", "logicalOr", "x y", Constant, "Returns true if either is true.",
			`(Boolean/logicalOr true false) => true`, logical(func(x, y bool) bool { return x || y })),
		pureStatic("Boolean", "logicalXor", "x y", Constant, "Returns true if exactly one is true.",
			`(Boolean/logicalXor true false) => true`, logical(func(x, y bool) bool { return x != y })),
		pureStatic("Boolean", "compare", "x y", Constant, "Compares two booleans.", `(Boolean/compare true false) => 1`,
			func(_ *value.Task, a []value.Value) value.Value {
				return value.Int(int64(btoi(a[0].Truthy()) - btoi(a[1].Truthy())))
			}),
		pureStatic("Character", "compare", "x:char y:char", Constant, "Compares two characters by their codes.",
			`(Character/compare \a \c) => -2`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Int(int64(a[0].AsChar()) - int64(a[1].AsChar()))
			}),
		characterTest("isJavaIdentifierStart", "character that a name of Java may begin with",
			`(Character/isJavaIdentifierStart \_) => true`, func(r rune) bool {
				return unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Sc, unicode.Pc)
			}),
		characterTest("isJavaIdentifierPart", "character that a name of Java may have",
			`(Character/isJavaIdentifierPart \1) => true`, func(r rune) bool {
				return unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Sc, unicode.Pc, unicode.Nd, unicode.Mn, unicode.Mc,
					unicode.Cf) || r <= 8 || r >= 0xe && r <= 0x1b || r >= 0x7f && r <= 0x9f
			}),
		static("Math", "multiplyHigh", "x y", Constant, "Returns the upper 64 bits of a product.",
			`(Math/multiplyHigh 9223372036854775807 4) => 1`, func(t *value.Task, a []value.Value) value.Value {
				x, y := value.ToLong(t, a[0]), value.ToLong(t, a[1])
				high, _ := bits.Mul64(uint64(x), uint64(y))
				return value.Int(int64(high) - x>>63&y - y>>63&x)
			}),
		static("Objects", "hashCode", "x", Walks, "Returns Java's hash of a value, 0 for nil.",
			`(java.util.Objects/hashCode nil) => 0`, javaHash),
		static("Objects", "hash", "xs:seqable", Walks, "Returns Java's hash of a list of values.",
			`(java.util.Objects/hash (to-array [1 2])) => 994`, func(t *value.Task, a []value.Value) value.Value {
				hash := int32(1)
				t.Each(a[0], func(x value.Value) bool {
					hash = 31*hash + int32(javaHash(t, []value.Value{x}).AsInt())
					return true
				})
				return value.Int(int64(hash))
			}),
		static("Objects", "isNull", "x", Constant, "Returns true if a value is nil.",
			`(java.util.Objects/isNull nil) => true`, is(value.Kinds(value.KindNil))),
		static("Objects", "nonNull", "x", Constant, "Returns true if a value is not nil.",
			`(java.util.Objects/nonNull 1) => true`, is(notNil)),
		static("Objects", "requireNonNull", "x | x message:string", Constant, "Returns x; throws if it is nil.",
			`(java.util.Objects/requireNonNull 1 "no value") => 1`, func(t *value.Task, a []value.Value) value.Value {
				switch {
				case a[0].IsNil() && len(a) == 2:
					t.Fail(diag.NilValue, "%s", a[1].AsString().S)
				case a[0].IsNil():
					t.Fail(diag.NilValue, "Objects/requireNonNull: got nil")
				}
				return a[0]
			}),
		static("Objects", "toString", "x | x default", Walks, "Returns the string of a value, null or default for nil.",
			`(java.util.Objects/toString nil "none") => "none"`, func(t *value.Task, a []value.Value) value.Value {
				switch {
				case !a[0].IsNil():
					return t.Str(a[0])
				case len(a) == 2:
					return a[1]
				}
				return nullString
			}),
	}
}

func javaHash(t *value.Task, a []value.Value) value.Value {
	if a[0].IsNil() {
		return value.Int(0)
	}
	return value.Int(int64(value.JavaHash(t, a[0])))
}

// intOf returns the low bits of an integer. A width of 32 is Java's int.
func intOf(t *value.Task, v value.Value, width int) int64 {
	if width == 32 {
		return value.ToInt(t, v)
	}
	return value.ToLong(t, v)
}

func rotate(width, sign int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		n, by := intOf(t, a[0], width), sign*int(value.ToInt(t, a[1]))
		if width == 32 {
			return value.Int(int64(int32(bits.RotateLeft32(uint32(n), by))))
		}
		return value.Int(int64(bits.RotateLeft64(uint64(n), by)))
	}
}

// radixOf returns the radix after the first argument of a method, 10 if there is none.
func radixOf(t *value.Task, a []value.Value) int {
	if len(a) == 2 {
		if r := value.ToInt(t, a[1]); r >= 2 && r <= 36 {
			return int(r)
		}
	}
	return 10
}

func unsignedString(width int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		n := uint64(intOf(t, a[0], width)) << (64 - width) >> (64 - width)
		return t.String(strconv.FormatUint(n, radixOf(t, a)))
	}
}

func parseUnsigned(width int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		s := wantText(t, a[0], "parseUnsigned")
		t.Work(int64(len(s)))
		n, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), radixOf(t, a), width)
		if err != nil {
			failNumber(t, s, int64(radixOf(t, a)))
		}
		return value.Int(int64(n) << (64 - width) >> (64 - width))
	}
}

func unsigned(f func(x, y uint64) int64) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		x, y := uint64(value.ToLong(t, a[0])), uint64(value.ToLong(t, a[1]))
		if y == 0 {
			t.Fail(diag.Arithmetic, "/ by zero")
		}
		return value.Int(f(x, y))
	}
}

// decodeIn makes the method decode for integers with a number of bits.
func decodeIn(width int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		s := wantText(t, a[0], "decode")
		t.Work(int64(len(s)))
		digits, sign, radix := strings.TrimPrefix(s, "+"), "", 10
		if digits == s {
			if digits = strings.TrimPrefix(s, "-"); digits != s {
				sign = "-"
			}
		}
		for _, prefix := range []string{"0x", "0X", "#", "0"} {
			if rest, ok := strings.CutPrefix(digits, prefix); ok && rest != "" {
				digits, radix = rest, 16
				if prefix == "0" {
					radix = 8
				}
				break
			}
		}
		n, err := strconv.ParseInt(sign+digits, radix, width)
		if err != nil || strings.ContainsAny(digits, "+-_") {
			failNumber(t, s, 10)
		}
		return value.Int(n)
	}
}

func logical(f func(x, y bool) bool) value.NativeFunc {
	return func(_ *value.Task, a []value.Value) value.Value { return value.Bool(f(a[0].Truthy(), a[1].Truthy())) }
}
