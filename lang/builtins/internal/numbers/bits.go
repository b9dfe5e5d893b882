// This file defines the static methods of Java's numbers that treat them as bits, or as unsigned
// integers, and those of the other small classes.

package numbers

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode"

	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// bitStatics are static methods of Long, Integer, Double, Float, Boolean, Character and Objects.
func bitStatics() []entry.Entry {
	return []entry.Entry{
		entry.PureStatic("Long", "rotateLeft", "n distance", entry.Constant, "Rotates the bits to the left.",
			`(Long/rotateLeft 1 63) => -9223372036854775808`, rotate(64, 1)),
		entry.PureStatic("Long", "rotateRight", "n distance", entry.Constant, "Rotates the bits to the right.",
			`(Long/rotateRight 2 1) => 1`, rotate(64, -1)),
		entry.PureStatic("Integer", "rotateLeft", "n distance", entry.Constant, "Rotates the bits of 32 to the left.",
			`(Integer/rotateLeft 1 31) => -2147483648`, rotate(32, 1)),
		entry.PureStatic("Integer", "rotateRight", "n distance", entry.Constant, "Rotates the bits of 32 to the right.",
			`(Integer/rotateRight 2 1) => 1`, rotate(32, -1)),
		entry.PureStatic("Long", "reverseBytes", "n", entry.Constant, "Reverses the bytes.",
			`(Long/reverseBytes 1) => 72057594037927936`,
			onLong(64, func(n int64) int64 { return int64(bits.ReverseBytes64(uint64(n))) })),
		entry.PureStatic("Integer", "reverseBytes", "n", entry.Constant, "Reverses the bytes of 32 bits.",
			`(Integer/reverseBytes 1) => 16777216`, onLong(32,
				func(n int64) int64 { return int64(int32(bits.ReverseBytes32(uint32(n)))) })),
		entry.PureStatic("Integer", "lowestOneBit", "n", entry.Constant, "Returns the lowest set bit alone.",
			`(Integer/lowestOneBit 12) => 4`, onLong(32, func(n int64) int64 { return int64(int32(n & -n)) })),
		entry.PureStatic("Integer", "toUnsignedLong", "n", entry.Constant, "Returns 32 bits as an unsigned integer.",
			`(Integer/toUnsignedLong -1) => 4294967295`, onLong(32, func(n int64) int64 { return int64(uint32(n)) })),
		entry.PureStatic("Long", "toUnsignedString", "n | n radix", entry.Constant,
			"Returns the string of 64 bits as an unsigned integer.", `(Long/toUnsignedString -1) => "18446744073709551615"`,
			unsignedString(64)),
		entry.PureStatic("Integer", "toUnsignedString", "n | n radix", entry.Constant,
			"Returns the string of 32 bits as an unsigned integer.", `(Integer/toUnsignedString -1) => "4294967295"`,
			unsignedString(32)),
		entry.PureStatic("Long", "parseUnsignedLong", "s | s radix", entry.PerByte,
			"Parses a string as an unsigned integer of 64 bits.",
			`(Long/parseUnsignedLong "18446744073709551615") => -1`, parseUnsigned(64)),
		entry.PureStatic("Integer", "parseUnsignedInt", "s | s radix", entry.PerByte,
			"Parses a string as an unsigned integer of 32 bits.", `(Integer/parseUnsignedInt "ffffffff" 16) => -1`,
			parseUnsigned(32)),
		entry.PureStatic("Long", "compareUnsigned", "x y", entry.Constant, "Compares two integers as unsigned.",
			`(Long/compareUnsigned 1 -1) => -1`, func(t *value.Task, a []value.Value) value.Value {
				x, y := uint64(value.ToLong(t, a[0])), uint64(value.ToLong(t, a[1]))
				return value.Int(int64(entry.Btoi(x > y) - entry.Btoi(x < y)))
			}),
		entry.PureStatic("Long", "divideUnsigned", "x y", entry.Constant, "Divides two integers as unsigned.",
			`(Long/divideUnsigned -1 2) => 9223372036854775807`, unsigned(func(x, y uint64) int64 { return int64(x / y) })),
		entry.PureStatic("Long", "remainderUnsigned", "x y", entry.Constant, "Returns the remainder of an unsigned division.",
			`(Long/remainderUnsigned -1 10) => 5`, unsigned(func(x, y uint64) int64 { return int64(x % y) })),
		entry.PureStatic("Long", "decode", "s", entry.PerByte,
			"Parses a string in decimal, hexadecimal (0x) or octal (0) as an integer.",
			`(Long/decode "0x1F") => 31`, decodeIn(64)),
		entry.PureStatic("Integer", "decode", "s", entry.PerByte,
			"Parses a string in decimal, hexadecimal (0x) or octal (0) as an integer of 32 bits.",
			`(Integer/decode "#FF") => 255`, decodeIn(32)),
		entry.PureStatic("Long", "hashCode", "n:num", entry.Constant, "Returns Java's hash of an integer.",
			`(Long/hashCode 5) => 5`,
			javaHash),
		entry.PureStatic("Double", "hashCode", "x:num", entry.Constant, "Returns Java's hash of a double.",
			`(Double/hashCode 1.5) => 1073217536`, javaHash),
		entry.PureStatic("Boolean", "hashCode", "b", entry.Constant, "Returns Java's hash of a boolean.",
			`(Boolean/hashCode true) => 1231`, javaHash),
		entry.PureStatic("Character", "hashCode", "c", entry.Constant, "Returns Java's hash of a character.",
			`(Character/hashCode \a) => 97`, javaHash),
		entry.PureStatic("Double", "longBitsToDouble", "n", entry.Constant, "Returns the double of some bits.",
			`(Double/longBitsToDouble 4607182418800017408) => 1.0`, func(t *value.Task, a []value.Value) value.Value {
				return value.Float(math.Float64frombits(uint64(value.ToLong(t, a[0]))))
			}),
		entry.PureStatic("Double", "doubleToRawLongBits", "x:num", entry.Constant, "Returns the bits of a double.",
			`(Double/doubleToRawLongBits 0.0) => 0`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(doubleBits(value.ToDouble(t, a[0])))
			}),
		entry.PureStatic("Float", "floatToIntBits", "x:num", entry.Constant, "Returns the bits of a float.",
			`(Float/floatToIntBits 1.0) => 1065353216`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(int32(math.Float32bits(float32(value.ToDouble(t, a[0]))))))
			}),
		entry.PureStatic("Float", "compare", "x:num y:num", entry.Constant, "Compares two floats; NaN is above all.",
			`(Float/compare 1.0 2.0) => -1`, compareFloats),
		entry.PureStatic("Boolean", "logicalAnd", "x y", entry.Constant, "Returns true if both are true.",
			`(Boolean/logicalAnd true false) => false`, logical(func(x, y bool) bool { return x && y })),
		entry.PureStatic("Boolean", "logicalOr", "x y", entry.Constant, "Returns true if either is true.",
			`(Boolean/logicalOr true false) => true`, logical(func(x, y bool) bool { return x || y })),
		entry.PureStatic("Boolean", "logicalXor", "x y", entry.Constant, "Returns true if exactly one is true.",
			`(Boolean/logicalXor true false) => true`, logical(func(x, y bool) bool { return x != y })),
		entry.PureStatic("Boolean", "compare", "x y", entry.Constant, "Compares two booleans.",
			`(Boolean/compare true false) => 1`,
			func(_ *value.Task, a []value.Value) value.Value {
				return value.Int(int64(entry.Btoi(a[0].Truthy()) - entry.Btoi(a[1].Truthy())))
			}),
		entry.PureStatic("Character", "compare", "x:char y:char", entry.Constant, "Compares two characters by their codes.",
			`(Character/compare \a \c) => -2`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Int(int64(a[0].AsChar()) - int64(a[1].AsChar()))
			}),
		strs.CharacterTest("isJavaIdentifierStart", "character that a name of Java may begin with",
			`(Character/isJavaIdentifierStart \_) => true`, func(r rune) bool {
				return unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Sc, unicode.Pc)
			}),
		strs.CharacterTest("isJavaIdentifierPart", "character that a name of Java may have",
			`(Character/isJavaIdentifierPart \1) => true`, func(r rune) bool {
				return unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Sc, unicode.Pc, unicode.Nd, unicode.Mn, unicode.Mc,
					unicode.Cf) || r <= 8 || r >= 0xe && r <= 0x1b || r >= 0x7f && r <= 0x9f
			}),
		entry.StaticMethod("Math", "multiplyHigh", "x y", entry.Constant, "Returns the upper 64 bits of a product.",
			`(Math/multiplyHigh 9223372036854775807 4) => 1`, func(t *value.Task, a []value.Value) value.Value {
				x, y := value.ToLong(t, a[0]), value.ToLong(t, a[1])
				high, _ := bits.Mul64(uint64(x), uint64(y))
				return value.Int(int64(high) - x>>63&y - y>>63&x)
			}),
		entry.StaticMethod("Objects", "hashCode", "x", entry.Walks, "Returns Java's hash of a value, 0 for nil.",
			`(java.util.Objects/hashCode nil) => 0`, javaHash),
		entry.StaticMethod("Objects", "hash", "xs:seqable", entry.Walks, "Returns Java's hash of a list of values.",
			`(java.util.Objects/hash (to-array [1 2])) => 994`, func(t *value.Task, a []value.Value) value.Value {
				hash := int32(1)
				t.Each(a[0], func(x value.Value) bool {
					hash = 31*hash + int32(javaHash(t, []value.Value{x}).AsInt())
					return true
				})
				return value.Int(int64(hash))
			}),
		entry.StaticMethod("Objects", "isNull", "x", entry.Constant, "Returns true if a value is nil.",
			`(java.util.Objects/isNull nil) => true`, entry.IsKind(value.Kinds(value.KindNil))),
		entry.StaticMethod("Objects", "nonNull", "x", entry.Constant, "Returns true if a value is not nil.",
			`(java.util.Objects/nonNull 1) => true`, entry.IsKind(entry.NotNil)),
		entry.StaticMethod("Objects", "requireNonNull", "x | x message:string", entry.Constant,
			"Returns x; throws if it is nil.",
			`(java.util.Objects/requireNonNull 1 "no value") => 1`, func(t *value.Task, a []value.Value) value.Value {
				switch {
				case a[0].IsNil() && len(a) == 2:
					t.Fail(diag.NilValue, "%s", a[1].AsString().S)
				case a[0].IsNil():
					t.Fail(diag.NilValue, "Objects/requireNonNull: got nil")
				}
				return a[0]
			}),
		entry.StaticMethod("Objects", "toString", "x | x default", entry.Walks,
			"Returns the string of a value, null or default for nil.",
			`(java.util.Objects/toString nil "none") => "none"`, func(t *value.Task, a []value.Value) value.Value {
				switch {
				case !a[0].IsNil():
					return t.Str(a[0])
				case len(a) == 2:
					return a[1]
				}
				return strs.NullString
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

// RadixOf returns the radix after the first argument of a method, 10 if there is none.
func RadixOf(t *value.Task, a []value.Value) int {
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
		return t.String(strconv.FormatUint(n, RadixOf(t, a)))
	}
}

func parseUnsigned(width int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		s := entry.WantText(t, a[0], "parseUnsigned")
		t.Work(int64(len(s)))
		n, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), RadixOf(t, a), width)
		if err != nil {
			failNumber(t, s, int64(RadixOf(t, a)))
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
		s := entry.WantText(t, a[0], "decode")
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
