// This file defines the static methods and constructors of Java's classes.

package builtins

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/num"
	"github.com/ptc-lang/ptc/lang/value"
)

// static makes the entry of a static method.
func static(class, name, args string, cost Cost, doc, example string, fn value.NativeFunc) Entry {
	return Entry{NS: class, Name: name, Args: args, Doc: doc, Examples: []string{example}, Cost: cost, Fn: fn}
}

// numberStatics are the static methods of Long, Integer, Double and the like.
func numberStatics() []Entry {
	return []Entry{
		static("Long", "parseLong", "s | s radix", PerByte, "Gives the integer that a text spells.", `(Long/parseLong "12") => 12`, parseIn(64)),
		static("Long", "valueOf", "s | s radix", PerByte, "Gives the integer that a text spells; a number as an integer.", `(Long/valueOf "12") => 12`, parseIn(64)),
		static("Integer", "parseInt", "s | s radix", PerByte, "Gives the integer of 32 bits that a text spells.", `(Integer/parseInt "ff" 16) => 255`, parseIn(32)),
		static("Integer", "valueOf", "s | s radix", PerByte, "Gives the integer that a text spells; a number as an integer.", `(Integer/valueOf "12") => 12`, parseIn(32)),
		static("Short", "parseShort", "s | s radix", PerByte, "Gives the integer of 16 bits that a text spells.", `(Short/parseShort "12") => 12`, parseIn(16)),
		static("Byte", "parseByte", "s | s radix", PerByte, "Gives the integer of 8 bits that a text spells.", `(Byte/parseByte "12") => 12`, parseIn(8)),
		static("Double", "parseDouble", "s", PerByte, "Gives the double that a text spells.", `(Double/parseDouble "1.5") => 1.5`, parseFloat),
		static("Double", "valueOf", "s", PerByte, "Gives the double that a text spells; a number as a double.", `(Double/valueOf "1.5") => 1.5`, parseFloat),
		static("Float", "parseFloat", "s", PerByte, "Gives the double that a text spells.", `(Float/parseFloat "1.5") => 1.5`, parseFloat),
		static("Float", "valueOf", "s", PerByte, "Gives the double that a text spells; a number as a double.", `(Float/valueOf "1.5") => 1.5`, parseFloat),
		static("Long", "toString", "n | n radix", Constant, "Gives the text of an integer.", `(Long/toString 255 16) => "ff"`, intToString),
		static("Integer", "toString", "n | n radix", Constant, "Gives the text of an integer.", `(Integer/toString 255 16) => "ff"`, intToString),
		static("Double", "toString", "x:num", Constant, "Gives the text of a double.", `(Double/toString 1.5) => "1.5"`, func(t *value.Task, a []value.Value) value.Value {
			return t.Str(value.Float(value.ToDouble(t, a[0])))
		}),
		static("Long", "toBinaryString", "n", Constant, "Gives the bits of an integer.", `(Long/toBinaryString 5) => "101"`, unsignedText(2, 64)),
		static("Long", "toHexString", "n", Constant, "Gives an integer in hexadecimal.", `(Long/toHexString 255) => "ff"`, unsignedText(16, 64)),
		static("Long", "toOctalString", "n", Constant, "Gives an integer in octal.", `(Long/toOctalString 8) => "10"`, unsignedText(8, 64)),
		static("Integer", "toBinaryString", "n", Constant, "Gives the bits of an integer.", `(Integer/toBinaryString 5) => "101"`, unsignedText(2, 32)),
		static("Integer", "toHexString", "n", Constant, "Gives an integer in hexadecimal.", `(Integer/toHexString 255) => "ff"`, unsignedText(16, 32)),
		static("Integer", "toOctalString", "n", Constant, "Gives an integer in octal.", `(Integer/toOctalString 8) => "10"`, unsignedText(8, 32)),
		static("Long", "compare", "x y", Constant, "Compares two integers.", `(Long/compare 1 2) => -1`, compareInts),
		static("Integer", "compare", "x y", Constant, "Compares two integers.", `(Integer/compare 1 2) => -1`, compareInts),
		static("Double", "compare", "x:num y:num", Constant, "Compares two doubles; NaN is above all.", `(Double/compare 1.0 2.0) => -1`, compareFloats),
		static("Long", "max", "x y", Constant, "Gives the greater integer.", `(Long/max 1 2) => 2`, binary(value.Max)),
		static("Long", "min", "x y", Constant, "Gives the lesser integer.", `(Long/min 1 2) => 1`, binary(value.Min)),
		static("Long", "sum", "x y", Constant, "Adds two integers.", `(Long/sum 1 2) => 3`, binary(value.Add)),
		static("Integer", "max", "x y", Constant, "Gives the greater integer.", `(Integer/max 1 2) => 2`, binary(value.Max)),
		static("Integer", "min", "x y", Constant, "Gives the lesser integer.", `(Integer/min 1 2) => 1`, binary(value.Min)),
		static("Integer", "sum", "x y", Constant, "Adds two integers.", `(Integer/sum 1 2) => 3`, binary(value.Add)),
		static("Double", "max", "x y", Constant, "Gives the greater number.", `(Double/max 1.0 2.0) => 2.0`, mathPick("max", value.Max)),
		static("Double", "min", "x y", Constant, "Gives the lesser number.", `(Double/min 1.0 2.0) => 1.0`, mathPick("min", value.Min)),
		static("Double", "sum", "x y", Constant, "Adds two numbers.", `(Double/sum 1.0 2.0) => 3.0`, binary(value.Add)),
		static("Long", "signum", "n", Constant, "Gives -1, 0 or 1.", `(Long/signum -5) => -1`, onLong(64, func(n int64) int64 { return int64(btoi(n > 0) - btoi(n < 0)) })),
		static("Integer", "signum", "n", Constant, "Gives -1, 0 or 1.", `(Integer/signum -5) => -1`, onLong(32, func(n int64) int64 { return int64(btoi(n > 0) - btoi(n < 0)) })),
		static("Long", "bitCount", "n", Constant, "Counts the bits that are set.", `(Long/bitCount 255) => 8`, onLong(64, func(n int64) int64 { return int64(bits.OnesCount64(uint64(n))) })),
		static("Integer", "bitCount", "n", Constant, "Counts the bits that are set.", `(Integer/bitCount 7) => 3`, onLong(32, func(n int64) int64 { return int64(bits.OnesCount32(uint32(n))) })),
		static("Long", "numberOfLeadingZeros", "n", Constant, "Counts the zeros above the highest bit.", `(Long/numberOfLeadingZeros 1) => 63`, onLong(64, func(n int64) int64 { return int64(bits.LeadingZeros64(uint64(n))) })),
		static("Integer", "numberOfLeadingZeros", "n", Constant, "Counts the zeros above the highest bit.", `(Integer/numberOfLeadingZeros 1) => 31`, onLong(32, func(n int64) int64 { return int64(bits.LeadingZeros32(uint32(n))) })),
		static("Long", "numberOfTrailingZeros", "n", Constant, "Counts the zeros below the lowest bit.", `(Long/numberOfTrailingZeros 8) => 3`, onLong(64, func(n int64) int64 { return int64(bits.TrailingZeros64(uint64(n))) })),
		static("Integer", "numberOfTrailingZeros", "n", Constant, "Counts the zeros below the lowest bit.", `(Integer/numberOfTrailingZeros 8) => 3`, onLong(32, func(n int64) int64 { return int64(bits.TrailingZeros32(uint32(n))) })),
		static("Long", "highestOneBit", "n", Constant, "Gives the highest bit.", `(Long/highestOneBit 100) => 64`, onLong(64, highestBit)),
		static("Long", "lowestOneBit", "n", Constant, "Gives the lowest bit.", `(Long/lowestOneBit 12) => 4`, onLong(64, func(n int64) int64 { return n & -n })),
		static("Integer", "highestOneBit", "n", Constant, "Gives the highest bit.", `(Integer/highestOneBit 100) => 64`, onLong(32, func(n int64) int64 { return int64(int32(highestBit(int64(uint32(n))))) })),
		static("Long", "reverse", "n", Constant, "Reverses the bits.", `(Long/reverse 1) => -9223372036854775808`, onLong(64, func(n int64) int64 { return int64(bits.Reverse64(uint64(n))) })),
		static("Integer", "reverse", "n", Constant, "Reverses the bits.", `(Integer/reverse 1) => -2147483648`, onLong(32, func(n int64) int64 { return int64(int32(bits.Reverse32(uint32(n)))) })),
		static("Double", "isNaN", "x:num", Constant, "Says whether a double is not a number.", `(Double/isNaN ##NaN) => true`, onDouble(func(f float64) bool { return f != f })),
		static("Double", "isInfinite", "x:num", Constant, "Says whether a double is infinite.", `(Double/isInfinite ##Inf) => true`, onDouble(func(f float64) bool { return math.IsInf(f, 0) })),
		static("Double", "isFinite", "x:num", Constant, "Says whether a double is neither infinite nor NaN.", `(Double/isFinite 1.0) => true`, onDouble(func(f float64) bool { return !math.IsInf(f, 0) && f == f })),
		static("Double", "doubleToLongBits", "x:num", Constant, "Gives the bits of a double.", `(Double/doubleToLongBits 0.0) => 0`, func(t *value.Task, a []value.Value) value.Value {
			return value.Int(int64(math.Float64bits(value.ToDouble(t, a[0]))))
		}),
		static("BigInteger", "valueOf", "n", Constant, "Gives an integer as a bigint.", `(java.math.BigInteger/valueOf 5) => 5N`, unary(value.BigIntOf)),
		static("BigDecimal", "valueOf", "x", Constant, "Gives a number as a decimal.", `(java.math.BigDecimal/valueOf 1.5) => 1.5M`, unary(value.ToDecimal)),
	}
}

// parseIn makes a parser of integers of some bits; a number is checked instead.
func parseIn(width int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		switch {
		case a[0].IsNil():
			t.Fail(diag.NumberFormat, "Cannot parse null string")
		case a[0].Is(value.Numbers) && len(a) == 1:
			return value.Int(value.ToLong(t, a[0]))
		}
		s, radix := wantText(t, a[0], "parse"), int64(10)
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

// parseHint tells of the functions that do not fail.
const parseHint = "parse-long and parse-double give nil for a text that is no number"

func failNumber(t *value.Task, s string, radix int64) {
	const most = 200
	if len(s) > most {
		s = s[:most] + "…"
	}
	if radix != 10 {
		t.FailHint(diag.NumberFormat, parseHint, `For input string: "%s" under radix %d`, s, radix)
	}
	t.FailHint(diag.NumberFormat, parseHint, `For input string: "%s"`, s)
}

func parseFloat(t *value.Task, a []value.Value) value.Value {
	if a[0].Is(value.Numbers) {
		return value.Float(value.ToDouble(t, a[0]))
	}
	s := wantText(t, a[0], "parseDouble")
	t.Work(int64(len(s)))
	f, ok := num.ParseDouble(s)
	if !ok {
		if trim(t, s) == "" {
			t.Fail(diag.NumberFormat, "empty String")
		}
		failNumber(t, s, 10)
	}
	return value.Float(f)
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
	return value.Int(int64(btoi(x > y) - btoi(x < y)))
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
	return value.Int(int64(btoi(i > j) - btoi(i < j)))
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

// textStatics are the static methods of String, Character and Boolean.
func textStatics() []Entry {
	return []Entry{
		static("String", "valueOf", "x", Walks, "Gives the text of a value.", `(String/valueOf 1) => "1"`, func(t *value.Task, a []value.Value) value.Value {
			if a[0].IsNil() {
				t.Fail(diag.NilValue, "String/valueOf: got nil")
			}
			return t.Str(a[0])
		}),
		static("String", "join", "separator coll:seqable", PerElement, "Gives the texts of a collection with a separator between them.", `(String/join "," ["a" "b"]) => "a,b"`, join),
		static("String", "format", "fmt:string args:seqable", Walks, "Fills a text in, as format does, from a collection of values.", `(String/format "%s-%s" [1 2]) => "1-2"`, func(t *value.Task, a []value.Value) value.Value {
			args := t.ToVals(a[1])
			all := t.Vals(len(args) + 1)
			all[0] = a[0]
			copy(all[1:], args)
			return format(t, all)
		}),
		characterTest("isDigit", "digit", `(Character/isDigit \5) => true`, unicode.IsDigit),
		characterTest("isLetter", "letter", `(Character/isLetter \a) => true`, unicode.IsLetter),
		characterTest("isLetterOrDigit", "letter or digit", `(Character/isLetterOrDigit \a) => true`, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }),
		characterTest("isUpperCase", "capital letter", `(Character/isUpperCase \A) => true`, func(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) }),
		characterTest("isLowerCase", "small letter", `(Character/isLowerCase \a) => true`, func(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }),
		characterTest("isWhitespace", "white space", `(Character/isWhitespace \space) => true`, isSpace),
		characterTest("isSpaceChar", "space of Unicode", `(Character/isSpaceChar \space) => true`, func(r rune) bool { return unicode.In(r, unicode.Zs, unicode.Zl, unicode.Zp) }),
		characterTest("isISOControl", "control character", `(Character/isISOControl \tab) => true`, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }),
		static("Character", "isAlphabetic", "code:num", Constant, "Says whether the character of a code is alphabetic.", `(Character/isAlphabetic 97) => true`, func(t *value.Task, a []value.Value) value.Value {
			r := rune(value.ToInt(t, a[0]))
			return value.Bool(unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_Alphabetic, r))
		}),
		static("Character", "toUpperCase", "c", Constant, "Gives a character in upper case.", `(Character/toUpperCase \a) => \A`, onChar(unicode.ToUpper)),
		static("Character", "toLowerCase", "c", Constant, "Gives a character in lower case.", `(Character/toLowerCase \A) => \a`, onChar(unicode.ToLower)),
		static("Character", "getNumericValue", "c", Constant, "Gives the value of a digit, or of a letter as a digit; -1 if it has none.", `(Character/getNumericValue \7) => 7`, func(t *value.Task, a []value.Value) value.Value {
			return value.Int(digitOf(charArg(t, a[0]), 36))
		}),
		static("Character", "digit", "c radix", Constant, "Gives the value of a digit, -1 if it is none.", `(Character/digit \f 16) => 15`, func(t *value.Task, a []value.Value) value.Value {
			return value.Int(digitOf(charArg(t, a[0]), value.ToInt(t, a[1])))
		}),
		static("Character", "forDigit", "n radix", Constant, "Gives the digit of a value.", `(Character/forDigit 11 16) => \b`, func(t *value.Task, a []value.Value) value.Value {
			n, radix := value.ToInt(t, a[0]), value.ToInt(t, a[1])
			if n < 0 || radix < 2 || radix > 36 || n >= radix {
				return value.Char(0)
			}
			return value.Char(rune("0123456789abcdefghijklmnopqrstuvwxyz"[n]))
		}),
		static("Character", "toString", "c", Constant, "Gives a character as a string.", `(Character/toString \a) => "a"`, func(t *value.Task, a []value.Value) value.Value {
			return t.Str(value.Char(charArg(t, a[0])))
		}),
		static("Character", "valueOf", "c:char", Constant, "Gives the character itself.", `(Character/valueOf \a) => \a`, unary(same)),
		static("Character", "toChars", "code", Constant, "Gives a vector of the character of a code.", `(Character/toChars 97) => [\a]`, func(t *value.Task, a []value.Value) value.Value {
			return t.Vector(value.Char(charArg(t, a[0])))
		}),
		static("Boolean", "parseBoolean", "s", Constant, `Says whether a text is "true" in any case.`, `(Boolean/parseBoolean "TRUE") => true`, isTrue),
		static("Boolean", "valueOf", "s", Constant, `Says whether a text is "true" in any case; a boolean itself.`, `(Boolean/valueOf "true") => true`, isTrue),
		static("Boolean", "toString", "b", Constant, "Gives the text of a boolean.", `(Boolean/toString true) => "true"`, unary((*value.Task).Str)),
	}
}

func isTrue(t *value.Task, a []value.Value) value.Value {
	if a[0].Kind() == value.KindBool {
		return a[0]
	}
	if a[0].IsNil() {
		return value.False
	}
	s := wantText(t, a[0], "parseBoolean")
	return value.Bool(len(s) == 4 && (s[0]|32) == 't' && (s[1]|32) == 'r' && (s[2]|32) == 'u' && (s[3]|32) == 'e')
}

// charArg gives the character that a method of Character is called with: itself or
// its code.
func charArg(t *value.Task, v value.Value) rune {
	switch {
	case v.IsChar():
		return v.AsChar()
	case v.IsInt():
		return rune(value.ToInt(t, v))
	}
	t.Fail(diag.IllegalArgument, "No matching method of Character found for %s", value.ClassName(v))
	return 0
}

func characterTest(name, what, example string, f func(r rune) bool) Entry {
	return static("Character", name, "c", Constant, "Says whether a character is a "+what+".", example, func(t *value.Task, a []value.Value) value.Value {
		return value.Bool(f(charArg(t, a[0])))
	})
}

func onChar(f func(r rune) rune) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		r := f(charArg(t, a[0]))
		if a[0].IsInt() {
			return value.Int(int64(r))
		}
		return value.Char(r)
	}
}

func digitOf(r rune, radix int64) int64 {
	n := int64(-1)
	switch {
	case r >= '0' && r <= '9':
		n = int64(r - '0')
	case r|32 >= 'a' && r|32 <= 'z' && r < 128:
		n = int64(r|32-'a') + 10
	case unicode.IsDigit(r): // digits come in runs of ten
		for n = 0; n < 9 && unicode.IsDigit(r-rune(n)-1); n++ {
		}
	}
	if n >= radix {
		return -1
	}
	return n
}

// otherStatics are the static methods of System, UUID and Pattern.
func otherStatics() []Entry {
	return []Entry{
		static("System", "currentTimeMillis", "", Constant, "Gives the milliseconds since 1970.", `(pos? (System/currentTimeMillis)) => true`, func(t *value.Task, _ []value.Value) value.Value {
			return value.Int(t.Host.Now() / 1e6)
		}),
		static("System", "nanoTime", "", Constant, "Gives a time in nanoseconds, to measure with.", `(pos? (System/nanoTime)) => true`, func(t *value.Task, _ []value.Value) value.Value {
			return value.Int(t.Host.Now())
		}),
		static("System", "lineSeparator", "", Constant, "Gives the line end.", `(System/lineSeparator) => "\n"`, func(*value.Task, []value.Value) value.Value { return newline }),
		static("UUID", "randomUUID", "", Constant, "Gives a random UUID.", `(uuid? (java.util.UUID/randomUUID)) => true`, randomUUID),
		static("UUID", "fromString", "s", Constant, "Gives the UUID that a text spells.", `(java.util.UUID/fromString "b6883c0a-0342-4007-9966-bc2dfa6b109e") => #uuid "b6883c0a-0342-4007-9966-bc2dfa6b109e"`, func(t *value.Task, a []value.Value) value.Value {
			v, err := t.UUIDFrom(wantText(t, a[0], "fromString"))
			if err != nil {
				t.Fail(diag.IllegalArgument, "Invalid UUID string: %s", value.Show(t, a[0]))
			}
			return v
		}),
		static("MapEntry", "create", "key val", Constant, "Gives a map entry.", `(clojure.lang.MapEntry/create 1 2) => [1 2]`, mapEntry),
		static("Pattern", "compile", "s", PerByte, "Gives a pattern.", `(java.util.regex.Pattern/compile "a+") => #"a+"`, rePattern),
		static("Pattern", "quote", "s", PerByte, "Gives a pattern's source that matches a text literally.", `(re-find (re-pattern (java.util.regex.Pattern/quote "a.b")) "xa.b") => "a.b"`, quote),
		static("Pattern", "matches", "regex s:string", PerByte, "Says whether a pattern matches the whole of a text.", `(java.util.regex.Pattern/matches "a+" "aa") => true`, func(t *value.Task, a []value.Value) value.Value {
			return methodMatches(t, []value.Value{a[1], a[0]})
		}),
		static("Objects", "equals", "x y", Walks, "Says whether two values are equal.", `(java.util.Objects/equals 1 1) => true`, func(t *value.Task, a []value.Value) value.Value {
			if a[0].IsNil() || a[1].IsNil() {
				return value.Bool(a[0].IsNil() && a[1].IsNil())
			}
			return javaEquals(t, a)
		}),
	}
}

func mapEntry(t *value.Task, a []value.Value) value.Value { return t.Entry(a[0], a[1]) }

var newline = value.ConstString("\n")

// constructors are the entries of the namespace "new", which (Exception. "m")
// means.
func constructors() []Entry {
	entries := []Entry{
		static("new", "String", "| x", PerByte, "Gives a string itself.", `(String. "a") => "a"`, func(t *value.Task, a []value.Value) value.Value {
			if len(a) == 0 {
				return emptyString
			}
			return newString(t, a[0])
		}),
		static("new", "Object", "", Constant, "Gives an object that is equal to itself only.", `(= (Object.) (Object.)) => false`, func(t *value.Task, _ []value.Value) value.Value {
			return t.Object(t.RecordType(objectClass, nil, value.Nil).AsType(), nil)
		}),
		static("new", "StringWriter", "", Constant, "Gives a string builder, which *out* can be bound to.", `(let [w (java.io.StringWriter.)] (binding [*out* w] (print "a")) (str w)) => "a"`, newBuilder),
		static("new", "StringBuffer", "| s", Constant, "Gives a string builder.", `(str (.append (StringBuffer.) "a")) => "a"`, newBuilder),
		static("new", "StringBuilder", "| s", Constant, "Gives a string builder, for append.", `(str (.append (StringBuilder.) "a")) => "a"`, newBuilder),
		static("new", "Long", "x", Constant, "Gives an integer.", `(Long. "5") => 5`, parseIn(64)),
		static("new", "Integer", "x", Constant, "Gives an integer.", `(Integer. "5") => 5`, parseIn(32)),
		static("new", "Double", "x", Constant, "Gives a double.", `(Double. "5") => 5.0`, parseFloat),
		static("new", "Boolean", "x", Constant, "Gives a boolean.", `(Boolean. "true") => true`, isTrue),
		static("new", "BigDecimal", "x", Constant, "Gives a decimal.", `(BigDecimal. "1.5") => 1.5M`, unary(value.ToDecimal)),
		static("new", "BigInteger", "x", Constant, "Gives a bigint.", `(BigInteger. "5") => 5N`, unary(value.BigIntOf)),
		static("new", "MapEntry", "key val", Constant, "Gives a map entry.", `(clojure.lang.MapEntry. 1 2) => [1 2]`, mapEntry),
		static("new", "Date", "| millis", Constant, "Gives an instant: now, or of milliseconds since 1970.", `(inst? (java.util.Date.)) => true`, func(t *value.Task, a []value.Value) value.Value {
			if len(a) == 1 {
				return t.Inst(value.ToLong(t, a[0]))
			}
			return t.Inst(t.Host.Now() / 1e6)
		}),
	}
	for _, class := range exceptionClasses {
		if strings.Contains(class, "$") {
			continue
		}
		if class == "clojure.lang.ExceptionInfo" {
			entries = append(entries, static("new", "ExceptionInfo", "msg data | msg data cause", Constant, "Gives an exception, as ex-info does.", `(ex-data (clojure.lang.ExceptionInfo. "m" {:a 1})) => {:a 1}`, exInfo))
			continue
		}
		entries = append(entries, static("new", simpleName(class), "| msg | msg cause", Constant, "Gives an exception.",
			"(ex-message ("+class+`. "m")) => "m"`, newJavaException(class)))
	}
	return entries
}

// newString makes a string of a string, of characters or of bytes.
func newString(t *value.Task, x value.Value) value.Value {
	switch {
	case x.IsString():
		return x
	case isBuilder(x):
		return builderText(t, x)
	case !x.Is(value.Colls | value.Kinds(value.KindArray)):
		if x.IsNil() {
			t.Fail(diag.NilValue, "String: got nil, want a string")
		}
		t.Fail(diag.IllegalArgument, "No matching ctor found for class java.lang.String: got %s", value.Describe(t, x))
	}
	b := t.Buf()
	t.Each(x, func(c value.Value) bool {
		if c.IsInt() {
			b.Write([]byte{byte(c.AsInt())})
		} else {
			t.StrTo(b, c)
		}
		return true
	})
	if !utf8.Valid(b.Bytes()) {
		return t.CopyString(strings.ToValidUTF8(string(b.Bytes()), "\ufffd"))
	}
	return b.Value()
}

// newJavaException makes a constructor of an exception: of a message and a cause,
// or of either.
func newJavaException(class string) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		msg, cause := value.Nil, value.Nil
		switch {
		case len(a) == 2:
			msg, cause = a[0], a[1]
		case len(a) == 1 && a[0].Kind() == value.KindException:
			msg, cause = t.Str(a[0]), a[0]
		case len(a) == 1:
			msg = a[0]
		}
		if class == "java.lang.AssertionError" && !msg.IsNil() && !msg.IsString() {
			msg = t.Str(msg)
		}
		if !msg.IsNil() && !msg.IsString() || !cause.IsNil() && cause.Kind() != value.KindException {
			t.Fail(diag.WrongType, "%s: got %s, want a message and an exception", simpleName(class), value.Describe(t, msg))
		}
		return newException(t, class, msg, value.Nil, cause)
	}
}
