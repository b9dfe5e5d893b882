// This file defines the conversions between numbers, characters and text, the
// unchecked operations and random numbers.

package numbers

import (
	"math"
	"math/big"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/value"
)

// conversions make numbers of other values.
func conversions() []entry.Entry {
	return []entry.Entry{
		{NS: "clojure.core", Name: "int", Args: "x", Cost: entry.Constant, Purity: entry.Pure, Unchecked: "unchecked-int",
			Fn: toInt,
			Doc: "Returns a number without its fraction, or the code of a character, as an integer of 32 bits; throws if it " +
				"is out of range.", Examples: []string{"(int 3.9) => 3", `(int \a) => 97`, "(int 3000000000) !arithmetic"}},
		{NS: "clojure.core", Name: "long", Args: "x", Cost: entry.Constant, Purity: entry.Pure, Fn: toLong,
			Doc:      "Returns a number without its fraction, or the code of a character, as an integer.",
			Examples: []string{"(long 3.9) => 3", "(long 1e30) !illegal-argument"}},
		{NS: "clojure.core", Name: "short", Args: "x", Cost: entry.Constant, Purity: entry.Pure, Unchecked: "unchecked-short",
			Fn:       narrow("short", math.MinInt16, math.MaxInt16),
			Doc:      "Returns x as an integer of 16 bits.",
			Examples: []string{"(short 5.5) => 5", "(short 40000) !illegal-argument"}},
		{NS: "clojure.core", Name: "byte", Args: "x", Cost: entry.Constant, Purity: entry.Pure, Unchecked: "unchecked-byte",
			Fn:  narrow("byte", math.MinInt8, math.MaxInt8),
			Doc: "Returns x as an integer of 8 bits.", Examples: []string{"(byte 5.5) => 5", "(byte 200) !illegal-argument"}},
		{NS: "clojure.core", Name: "double", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Doubles: entry.DoubleAlways,
			Fn:      func(t *value.Task, a []value.Value) value.Value { return value.Float(value.ToDouble(t, a[0])) },
			Doc:     "Returns a number as a double.", Examples: []string{"(double 1/4) => 0.25", `(double "1") !wrong-type`}},
		{NS: "clojure.core", Name: "float", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Doubles:   entry.DoubleAlways,
			Unchecked: "unchecked-float", Fn: func(t *value.Task,
				a []value.Value) value.Value {
				return value.Float(value.ToFloat(t, a[0]))
			},
			Doc:      "Returns a number rounded to the precision of a float, as a double.",
			Examples: []string{"(float 1/4) => 0.25", "(float 1e300) !illegal-argument"}},
		{NS: "clojure.core", Name: "bigint", Args: "x", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       entry.Unary(value.BigIntOf),
			Doc:      "Returns a number without its fraction, or a string parsed as an integer, as a bigint.",
			Examples: []string{"(bigint 5) => 5N", `(bigint "12") => 12N`, `(bigint "x") !number-format`}},
		{NS: "clojure.core", Name: "biginteger", Args: "x", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       entry.Unary(value.BigIntegerOf),
			Doc:      "Returns a number, or a string parsed as one, as a BigInteger of Java; arithmetic treats it as a bigint.",
			Examples: []string{"(biginteger 5) => 5", `(biginteger "x") !number-format`}},
		{NS: "clojure.core", Name: "bigdec", Args: "x", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       entry.Unary(value.ToDecimal),
			Doc:      "Returns a number, or a string parsed as one, as a decimal.",
			Examples: []string{"(bigdec 1.5) => 1.5M", `(bigdec "x") !number-format`}},
		{NS: "clojure.core", Name: "num", Args: "x:num?", Cost: entry.Constant, Purity: entry.Pure,
			Fn:  entry.Unary(entry.Identity),
			Doc: "Returns the number x.", Examples: []string{"(num 5) => 5", `(num "a") !wrong-type`}},
		{NS: "clojure.core", Name: "boolean", Args: "x", Cost: entry.Constant, Purity: entry.Total,
			Fn:       func(_ *value.Task, a []value.Value) value.Value { return value.Bool(a[0].Truthy()) },
			Doc:      "Returns false for nil and false, true for everything else.",
			Examples: []string{"(boolean nil) => false", "(boolean 0) => true"}},
		{NS: "clojure.core", Name: "parse-long", Args: "s", Cost: entry.PerByte, Purity: entry.Pure, Fn: parseLong,
			Doc:      "Parses a string as an integer; returns nil if it is not one.",
			Examples: []string{`(parse-long "-42") => -42`, `(parse-long "4x") => nil`, "(parse-long nil) !illegal-argument"}},
		{NS: "clojure.core", Name: "parse-double", Args: "s", Cost: entry.PerByte, Purity: entry.Pure, Fn: parseDouble,
			Doc: "Parses a string as a double; returns nil if it is not one.",
			Examples: []string{`(parse-double "1.5e3") => 1500.0`, `(parse-double "x") => nil`,
				"(parse-double 1) !illegal-argument"}},
		{NS: "clojure.core", Name: "parse-boolean", Args: "s", Cost: entry.Constant, Purity: entry.Pure, Fn: parseBoolean,
			Doc: `Returns true for "true", false for "false", nil for any other string.`,
			Examples: []string{`(parse-boolean "true") => true`, `(parse-boolean "yes") => nil`,
				"(parse-boolean nil) !illegal-argument"}},
		{NS: "clojure.core", Name: "parse-uuid", Args: "s:string", Cost: entry.Constant, Purity: entry.Pure, Fn: parseUUID,
			Doc: "Parses a string as a UUID; returns nil if it is not one.",
			Examples: []string{`(parse-uuid "b6883c0a-0342-4007-9966-bc2dfa6b109e") => #uuid ` +
				`"b6883c0a-0342-4007-9966-bc2dfa6b109e"`, `(parse-uuid "x") => nil`, "(parse-uuid nil) !nil-value"}},
	}
}

func toInt(t *value.Task, a []value.Value) value.Value  { return value.Int(value.ToInt(t, a[0])) }
func toLong(t *value.Task, a []value.Value) value.Value { return value.Int(value.ToLong(t, a[0])) }

// narrow makes a conversion to an integer type of Java.
func narrow(name string, least, most int64) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		n := value.ToLong(t, a[0])
		if n < least || n > most || a[0].IsFloat() && (a[0].AsFloat() < float64(least) || a[0].AsFloat() > float64(most)) {
			t.Fail(diag.IllegalArgument, "Value out of range for %s: %s", name, value.Show(t, a[0]))
		}
		return value.Int(n)
	}
}

// wantString refuses arguments of the parse functions that are not strings.
func wantString(t *value.Task, v value.Value) string {
	if v.IsString() {
		return v.AsString().S
	}
	got := value.ClassName(v)
	t.Fail(diag.IllegalArgument, "Expected string, got %s", got)
	return ""
}

func parseLong(t *value.Task, a []value.Value) value.Value {
	s := wantString(t, a[0])
	t.Work(int64(len(s)))
	if n, ok := num.ParseLong(s, 10); ok {
		return value.Int(n)
	}
	return value.Nil
}

func parseDouble(t *value.Task, a []value.Value) value.Value {
	s := wantString(t, a[0])
	t.Work(int64(len(s)))
	if f, ok := num.ParseDouble(s); ok {
		return value.Float(f)
	}
	return value.Nil
}

func parseBoolean(t *value.Task, a []value.Value) value.Value {
	switch wantString(t, a[0]) {
	case "true":
		return value.True
	case "false":
		return value.False
	}
	return value.Nil
}

func parseUUID(t *value.Task, a []value.Value) value.Value {
	if v, err := t.UUIDFrom(a[0].AsString().S); err == nil {
		return v
	}
	return value.Nil
}

// unchecked are the operations that wrap instead of throwing.
func unchecked() []entry.Entry {
	return []entry.Entry{
		{NS: "clojure.core", Name: "unchecked-add", Args: "x:num y:num", Cost: entry.Constant, Purity: entry.Pure,
			Fn:  wrapping(func(a, b int64) int64 { return a + b }, value.Add),
			Doc: "Adds; 64-bit integers wrap around.",
			Examples: []string{"(unchecked-add 9223372036854775807 1) => -9223372036854775808",
				"(unchecked-add 1 nil) !nil-value"}},
		{NS: "clojure.core", Name: "unchecked-subtract", Args: "x:num y:num", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       wrapping(func(a, b int64) int64 { return a - b }, value.Sub),
			Doc:      "Subtracts; 64-bit integers wrap around.",
			Examples: []string{"(unchecked-subtract 5 3) => 2", "(unchecked-subtract 1 nil) !nil-value"}},
		{NS: "clojure.core", Name: "unchecked-multiply", Args: "x:num y:num", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       wrapping(func(a, b int64) int64 { return a * b }, value.Mul),
			Doc:      "Multiplies; 64-bit integers wrap around.",
			Examples: []string{"(unchecked-multiply 6 7) => 42", "(unchecked-multiply 1 nil) !nil-value"}},
		{NS: "clojure.core", Name: "unchecked-inc", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       wrapping1(func(a int64) int64 { return a + 1 }, value.Inc),
			Doc:      "Returns x + 1; a 64-bit integer wraps around.",
			Examples: []string{"(unchecked-inc 9223372036854775807) => -9223372036854775808", "(unchecked-inc nil) !nil-value"}},
		{NS: "clojure.core", Name: "unchecked-dec", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       wrapping1(func(a int64) int64 { return a - 1 }, value.Dec),
			Doc:      "Returns x - 1; a 64-bit integer wraps around.",
			Examples: []string{"(unchecked-dec 5) => 4", "(unchecked-dec nil) !nil-value"}},
		{NS: "clojure.core", Name: "unchecked-negate", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       wrapping1(func(a int64) int64 { return -a }, value.Neg),
			Doc:      "Returns -x; a 64-bit integer wraps around.",
			Examples: []string{"(unchecked-negate 5) => -5", "(unchecked-negate nil) !nil-value"}},
		uncheckedInt("unchecked-add-int", "x y", "Adds integers of 32 bits, which wrap around.",
			"(unchecked-add-int 2147483647 1) => -2147483648", func(a, b int32) int32 { return a + b }),
		uncheckedInt("unchecked-subtract-int", "x y", "Subtracts integers of 32 bits, which wrap around.",
			"(unchecked-subtract-int 5 3) => 2", func(a, b int32) int32 { return a - b }),
		uncheckedInt("unchecked-multiply-int", "x y", "Multiplies integers of 32 bits, which wrap around.",
			"(unchecked-multiply-int 65536 65536) => 0", func(a, b int32) int32 { return a * b }),
		uncheckedInt("unchecked-inc-int", "x", "Returns x + 1 in 32 bits.", "(unchecked-inc-int 2147483647) => -2147483648",
			func(a, _ int32) int32 { return a + 1 }),
		uncheckedInt("unchecked-dec-int", "x", "Returns x - 1 in 32 bits.", "(unchecked-dec-int 5) => 4",
			func(a, _ int32) int32 { return a - 1 }),
		uncheckedInt("unchecked-negate-int", "x", "Returns -x in 32 bits.", "(unchecked-negate-int 5) => -5",
			func(a, _ int32) int32 { return -a }),
		{NS: "clojure.core", Name: "unchecked-divide-int", Args: "x y", Cost: entry.Constant, Purity: entry.Pure,
			Fn:  divideInt(value.Quot),
			Doc: "Divides integers of 32 bits.", Examples: []string{"(unchecked-divide-int 7 2) => 3", "(unchecked-divide-int " +
				"7 0) !arithmetic"}},
		{NS: "clojure.core", Name: "unchecked-remainder-int", Args: "x y", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       divideInt(value.Rem),
			Doc:      "Returns the remainder of integers of 32 bits.",
			Examples: []string{"(unchecked-remainder-int 7 2) => 1", "(unchecked-remainder-int 7 0) !arithmetic"}},
		{NS: "clojure.core", Name: "unchecked-long", Args: "x", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       cut(func(n int64) value.Value { return value.Int(n) }),
			Doc:      "Returns the low 64 bits of a number.",
			Examples: []string{"(unchecked-long 1.9) => 1", "(unchecked-long nil) !nil-value"}},
		{NS: "clojure.core", Name: "unchecked-int", Args: "x", Cost: entry.Constant, Purity: entry.Pure, Fn: uncheckedToInt,
			Doc:      "Returns the low 32 bits of a number.",
			Examples: []string{"(unchecked-int 2147483648) => -2147483648", "(unchecked-int nil) !nil-value"}},
		{NS: "clojure.core", Name: "unchecked-short", Args: "x", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       cut(func(n int64) value.Value { return value.Int(int64(int16(n))) }),
			Doc:      "Returns the low 16 bits of a number.",
			Examples: []string{"(unchecked-short 32768) => -32768", "(unchecked-short nil) !nil-value"}},
		{NS: "clojure.core", Name: "unchecked-byte", Args: "x", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       cut(func(n int64) value.Value { return value.Int(int64(int8(n))) }),
			Doc:      "Returns the low 8 bits of a number.",
			Examples: []string{"(unchecked-byte 200) => -56", "(unchecked-byte nil) !nil-value"}},
		{NS: "clojure.core", Name: "unchecked-char", Args: "x", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       cut(func(n int64) value.Value { return value.Char(rune(uint16(n))) }),
			Doc:      "Returns the character of the low 16 bits of a number.",
			Examples: []string{`(unchecked-char 65) => \A`, "(unchecked-char nil) !nil-value"}},
		{NS: "clojure.core", Name: "unchecked-double", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Fn:  func(t *value.Task, a []value.Value) value.Value { return value.Float(value.ToDouble(t, a[0])) },
			Doc: "Returns a number as a double.", Examples: []string{"(unchecked-double 1) => 1.0", "(unchecked-double nil) " +
				"!nil-value"}},
		{NS: "clojure.core", Name: "unchecked-float", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Fn: func(t *value.Task, a []value.Value) value.Value {
				return value.Float(float64(float32(value.ToDouble(t, a[0]))))
			}, Doc: "Returns a number rounded to a float.",
			Examples: []string{"(unchecked-float 1) => 1.0", "(unchecked-float nil) !nil-value"}},
	}
}

func wrapping(f func(a, b int64) int64, other binaryOp) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		if a[0].IsInt() && a[1].IsInt() {
			return value.Int(f(a[0].AsInt(), a[1].AsInt()))
		}
		return other(t, a[0], a[1])
	}
}

func wrapping1(f func(a int64) int64, other unaryOp) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		if a[0].IsInt() {
			return value.Int(f(a[0].AsInt()))
		}
		return other(t, a[0])
	}
}

func uncheckedInt(name, args, doc, example string, f func(a, b int32) int32) entry.Entry {
	return entry.Entry{NS: "clojure.core", Name: name, Args: args, Doc: doc, Cost: entry.Constant, Purity: entry.Pure,
		Examples: []string{example, "(" + name + strings.Repeat(" nil", (len(args)+1)/2) + ") !nil-value"},
		Fn: func(t *value.Task, a []value.Value) value.Value {
			x := int32(value.ToInt(t, a[0]))
			return value.Int(int64(f(x, int32(value.ToInt(t, a[len(a)-1])))))
		}}
}

func divideInt(f binaryOp) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		q := f(t, value.Int(value.ToInt(t, a[0])), value.Int(value.ToInt(t, a[1])))
		return value.Int(int64(int32(q.AsInt())))
	}
}

// uncheckedToInt cuts integers to 32 bits; a double is cast as Java does.
func uncheckedToInt(t *value.Task, a []value.Value) value.Value {
	if a[0].IsFloat() {
		return value.Int(min(max(javaLong(a[0].AsFloat()), math.MinInt32), math.MaxInt32))
	}
	return cutToInt(t, a)
}

var cutToInt = cut(func(n int64) value.Value { return value.Int(int64(int32(n))) })

// cut makes a conversion that takes the low bits of any number.
func cut(f func(n int64) value.Value) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		switch v := a[0]; v.Kind() {
		case value.KindFloat:
			return f(javaLong(v.AsFloat()))
		case value.KindBigInt, value.KindDecimal:
			return f(lowBits(t, value.BigIntOf(t, v).AsBigInt().N))
		default:
			return f(value.ToLong(t, v))
		}
	}
}

// lowBits returns the low 64 bits of an integer in two's complement.
func lowBits(t *value.Task, n *big.Int) int64 {
	t.Charge(64)
	low := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64))
	return int64(low.Uint64())
}

// javaLong is Java's cast of a double to long: NaN returns 0, the rest saturates.
func javaLong(f float64) int64 {
	switch {
	case f != f:
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// randomness are the functions that use the run's seeded source.
func randomness() []entry.Entry {
	return []entry.Entry{
		{NS: "clojure.core", Name: "rand", Args: "| n:num", Cost: entry.Constant,
			Fn: func(t *value.Task, a []value.Value) value.Value {
				scale := 1.0
				if len(a) == 1 {
					scale = value.ToDouble(t, a[0])
				}
				return value.Float(random(t) * scale)
			}, Doc: "Returns a random double from 0 (inclusive) to n (exclusive, default 1). The run's seed determines it.",
			Examples: []string{"(< -1 (rand) 1) => true", `(rand "a") !wrong-type`}},
		{NS: "clojure.core", Name: "rand-int", Args: "n:num", Cost: entry.Constant,
			Fn: func(t *value.Task, a []value.Value) value.Value {
				f := random(t) * value.ToDouble(t, a[0])
				if f >= math.MaxInt32+1 || f <= math.MinInt32-1 {
					t.Fail(diag.IllegalArgument, "Value out of range for int: %v", f)
				}
				return value.Int(int64(f))
			}, Doc: "Returns a random integer from 0 (inclusive) to n (exclusive).",
			Examples: []string{"(< -1 (rand-int 5) 5) => true", `(rand-int "a") !wrong-type`}},
		{NS: "clojure.core", Name: "rand-nth", Args: "coll", Cost: entry.PerElement, Fn: randNth,
			Doc:      "Returns a random element of a vector or sequence.",
			Examples: []string{"(contains? #{1 2} (rand-nth [1 2])) => true", "(rand-nth []) !index-out-of-range"}},
		{NS: "clojure.core", Name: "shuffle", Args: "coll", Cost: entry.PerElement, Fn: shuffle,
			Doc:      "Returns a vector of the elements of a collection in random order.",
			Examples: []string{"(sort (shuffle [3 1 2])) => (1 2 3)", "(shuffle nil) !nil-value"}},
		{NS: "clojure.core", Name: "random-uuid", Args: "", Cost: entry.Constant, Fn: RandomUUID,
			Doc:      "Returns a random UUID (version 4). The run's seed determines it.",
			Examples: []string{"(uuid? (random-uuid)) => true"}},
	}
}

// random returns a double in [0, 1).
func random(t *value.Task) float64 { return float64(t.Host.Random()>>11) / (1 << 53) }

// randomBelow returns an integer in [0, n).
func randomBelow(t *value.Task, n int) int { return int(random(t) * float64(n)) }

func randNth(t *value.Task, a []value.Value) value.Value {
	coll := a[0]
	if coll.IsNil() {
		return value.Nil
	}
	if !coll.Is(value.Seqs | value.Vectors | value.Kinds(value.KindString, value.KindQueue)) {
		t.Fail(diag.NotSupported, "nth not supported on this type: %s", value.ClassName(coll))
	}
	n := t.Count(coll)
	if n == 0 {
		t.Fail(diag.OutOfRange, "rand-nth: the collection is empty")
	}
	x, _ := t.Nth(coll, randomBelow(t, n))
	return x
}

func shuffle(t *value.Task, a []value.Value) value.Value {
	coll := a[0]
	switch {
	case coll.IsNil():
		t.Fail(diag.NilValue, "shuffle: got nil, want a collection")
	case !coll.Is(value.Colls &^ value.Maps):
		t.Fail(diag.WrongType, "shuffle: got %s, want a collection", value.Describe(t, coll))
	}
	row := t.BlocksOf(coll)
	for i := row.Len() - 1; i > 0; i-- {
		t.Work(4)
		x, y := row.At(i), row.At(randomBelow(t, i+1))
		*x, *y = *y, *x
	}
	return row.Vector(t, 0)
}

// RandomUUID is random-uuid.
func RandomUUID(t *value.Task, _ []value.Value) value.Value {
	var b [16]byte
	hi, lo := t.Host.Random(), t.Host.Random()
	for i := range 8 {
		b[i], b[8+i] = byte(hi>>(8*i)), byte(lo>>(8*i))
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return t.UUID(b)
}
