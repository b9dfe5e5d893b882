// Package numbers defines the builtins on numbers: arithmetic, bits, conversions, clojure.math and Java's numbers.
package numbers

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// Entries returns the builtins on numbers.
func Entries() [][]entry.Entry {
	return [][]entry.Entry{arithmetic(), bitFunctions(), unchecked(), conversions(), randomness(), mathFunctions(),
		numberMethods(), bigIntMethods(), numberStatics(), bitStatics()}
}

// arithmetic are the operators. The compiler has instructions for most of their calls with two
// arguments.
func arithmetic() []entry.Entry {
	return []entry.Entry{
		{NS: "clojure.core", Name: "+", Args: "| x:num? | x:num y:num & more:num", Cost: entry.PerArg, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicAdd, Doubles: entry.DoubleOfArgs, Unchecked: "|unchecked-add", Many: entry.FromLeft(2),
			Fn:  fold(value.Add, value.Int(0)),
			Doc: "Returns the sum of the numbers; throws if an integer overflows 64 bits. (+) is 0.",
			Examples: []string{"(+ 1 2 3) => 6", "(+ 1 0.5) => 1.5", `(+ 1 "2") !wrong-type`,
				"(+ 9223372036854775807 1) !arithmetic"}},
		{NS: "clojure.core", Name: "*", Args: "| x:num? | x:num y:num & more:num", Cost: entry.PerArg, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicMul, Doubles: entry.DoubleOfArgs, Unchecked: "|unchecked-multiply",
			Many: entry.FromLeft(2), Fn: fold(value.Mul, value.Int(1)),
			Doc:      "Returns the product of the numbers; throws if an integer overflows 64 bits. (*) is 1.",
			Examples: []string{"(* 2 3 4) => 24", "(* 1/2 4) => 2N", `(* 2 "3") !wrong-type`}},
		{NS: "clojure.core", Name: "-", Args: "x:num | x:num y:num & more:num", Cost: entry.PerArg, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicSub, Doubles: entry.DoubleOfArgs, Unchecked: "unchecked-negate|unchecked-subtract",
			Many: entry.FromLeft(2), Fn: reduceNum(value.Sub, value.Neg),
			Doc:      "Subtracts the other numbers from the first; negates a single number.",
			Examples: []string{"(- 10 1 2) => 7", "(- 5) => -5", "(- nil) !nil-value"}},
		{NS: "clojure.core", Name: "/", Args: "x:num | x:num y:num & more:num", Cost: entry.PerArg, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicDiv, Doubles: entry.DoubleOfArgs, Many: entry.FromLeft(2), Fn: reduceNum(divide, inverse),
			Doc: "Divides the first number by the others; integers that do not divide evenly yield a ratio. Inverts a single " +
				"number.", Examples: []string{"(/ 12 2 3) => 2", "(/ 1 3) => 1/3", "(/ 1 0.0) => ##Inf", "(/ 1 0) !arithmetic"}},
		{NS: "clojure.core", Name: "+'", Args: "| x:num? | x:num y:num & more:num", Cost: entry.PerArg, Purity: entry.Pure,
			Many: entry.FromLeft(2), Fn: fold(value.AddP, value.Int(0)),
			Doc:      "Returns the sum of the numbers; integers become bigints if needed.",
			Examples: []string{"(+' 9223372036854775807 1) => 9223372036854775808N", `(+' 1 "2") !wrong-type`}},
		{NS: "clojure.core", Name: "*'", Args: "| x:num? | x:num y:num & more:num", Cost: entry.PerArg, Purity: entry.Pure,
			Many: entry.FromLeft(2), Fn: fold(value.MulP, value.Int(1)),
			Doc:      "Returns the product of the numbers; integers become bigints if needed.",
			Examples: []string{"(*' 9223372036854775807 2) => 18446744073709551614N", `(*' 1 "2") !wrong-type`}},
		{NS: "clojure.core", Name: "-'", Args: "x:num | x:num y:num & more:num", Cost: entry.PerArg, Purity: entry.Pure,
			Many: entry.FromLeft(2), Fn: reduceNum(value.SubP, value.NegP),
			Doc:      "Subtracts the other numbers from the first; integers become bigints if needed.",
			Examples: []string{"(-' -9223372036854775808 1) => -9223372036854775809N", "(-' nil) !nil-value"}},
		{NS: "clojure.core", Name: "inc", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicInc, Doubles: entry.DoubleOfArgs, Unchecked: "unchecked-inc", Fn: entry.Unary(value.Inc),
			Doc:      "Returns x + 1; throws if an integer overflows 64 bits.",
			Examples: []string{"(inc 1) => 2", "(inc 1.5) => 2.5", "(inc nil) !nil-value"}},
		{NS: "clojure.core", Name: "dec", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicDec, Doubles: entry.DoubleOfArgs, Unchecked: "unchecked-dec", Fn: entry.Unary(value.Dec),
			Doc:      "Returns x - 1; throws if an integer overflows 64 bits.",
			Examples: []string{"(dec 1) => 0", "(dec nil) !nil-value"}},
		{NS: "clojure.core", Name: "inc'", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       entry.Unary(value.IncP),
			Doc:      "Returns x + 1, a bigint if needed.",
			Examples: []string{"(inc' 9223372036854775807) => 9223372036854775808N", "(inc' nil) !nil-value"}},
		{NS: "clojure.core", Name: "dec'", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       entry.Unary(value.DecP),
			Doc:      "Returns x - 1, a bigint if needed.",
			Examples: []string{"(dec' -9223372036854775808) => -9223372036854775809N", "(dec' nil) !nil-value"}},
		{NS: "clojure.core", Name: "quot", Args: "num:num div:num", Cost: entry.Constant, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicQuot, Fn: entry.Binary(value.Quot),
			Doc:      "Returns the integer part of num / div.",
			Examples: []string{"(quot 7 2) => 3", "(quot -7 2) => -3", "(quot 1 0) !arithmetic"}},
		{NS: "clojure.core", Name: "rem", Args: "num:num div:num", Cost: entry.Constant, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicRem, Fn: entry.Binary(value.Rem),
			Doc:      "Returns the remainder of num / div, with the sign of num.",
			Examples: []string{"(rem 7 3) => 1", "(rem -7 3) => -1", "(rem 1 0) !arithmetic"}},
		{NS: "clojure.core", Name: "mod", Args: "num:num div:num", Cost: entry.Constant, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicMod, Fn: entry.Binary(value.Mod),
			Doc:      "Returns num modulo div, with the sign of div.",
			Examples: []string{"(mod 7 3) => 1", "(mod -7 3) => 2", "(mod 1 0) !arithmetic"}},
		{NS: "clojure.core", Name: "max", Args: "x | x:num y:num & more:num", Cost: entry.PerArg, Purity: entry.Pure,
			Facts: entry.ReturnsFnsOfOne, Many: entry.FromLeft(2), Fn: reduceNum(value.Max, entry.Identity),
			Doc:      "Returns the greatest of the numbers; NaN if any is NaN.",
			Examples: []string{"(max 1 3 2) => 3", `(max 1 "a") !wrong-type`}},
		{NS: "clojure.core", Name: "min", Args: "x | x:num y:num & more:num", Cost: entry.PerArg, Purity: entry.Pure,
			Facts: entry.ReturnsFnsOfOne, Many: entry.FromLeft(2), Fn: reduceNum(value.Min, entry.Identity),
			Doc:      "Returns the least of the numbers; NaN if any is NaN.",
			Examples: []string{"(min 1 3 2) => 1", `(min 1 "a") !wrong-type`}},
		{NS: "clojure.core", Name: "abs", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure, Fn: entry.Unary(value.Abs),
			Doc: "Returns the absolute value of x.", Examples: []string{"(abs -3) => 3", "(abs -1.5) => 1.5", "(abs nil) " +
				"!nil-value"}},
		{NS: "clojure.core", Name: "<", Args: "x | x:num y:num & more", Cost: entry.PerArg, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicLess, Facts: entry.TrueAlone, Many: entry.InOrder, Fn: ordered(value.Lt),
			Doc:      "Returns true if each number is less than the next.",
			Examples: []string{"(< 1 2 3) => true", "(< 1 1) => false", `(< 1 "a") !wrong-type`}},
		{NS: "clojure.core", Name: "<=", Args: "x | x:num y:num & more", Cost: entry.PerArg, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicLessEqual, Facts: entry.TrueAlone, Many: entry.InOrder, Fn: ordered(value.Lte),
			Doc:      "Returns true if each number is less than or equal to the next.",
			Examples: []string{"(<= 1 1 2) => true", `(<= 1 "a") !wrong-type`}},
		{NS: "clojure.core", Name: ">", Args: "x | x:num y:num & more", Cost: entry.PerArg, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicGreater, Facts: entry.TrueAlone, Many: entry.InOrder, Fn: ordered(value.Gt),
			Doc:      "Returns true if each number is greater than the next.",
			Examples: []string{"(> 3 2 1) => true", `(> 1 "a") !wrong-type`}},
		{NS: "clojure.core", Name: ">=", Args: "x | x:num y:num & more", Cost: entry.PerArg, Purity: entry.Pure,
			Intrinsic: entry.IntrinsicGreaterEqual, Facts: entry.TrueAlone, Many: entry.InOrder, Fn: ordered(value.Gte),
			Doc:      "Returns true if each number is greater than or equal to the next.",
			Examples: []string{"(>= 2 2 1) => true", `(>= 1 "a") !wrong-type`}},
		{NS: "clojure.core", Name: "numerator", Args: "r", Cost: entry.Constant, Purity: entry.Pure, Fn: numerator,
			Doc: "Returns the numerator of a ratio.", Examples: []string{"(numerator 2/3) => 2", "(numerator 1) !wrong-type"}},
		{NS: "clojure.core", Name: "denominator", Args: "r", Cost: entry.Constant, Purity: entry.Pure, Fn: denominator,
			Doc:      "Returns the denominator of a ratio.",
			Examples: []string{"(denominator 2/3) => 3", "(denominator 1) !wrong-type"}},
		{NS: "clojure.core", Name: "rationalize", Args: "x:num", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       entry.Unary(value.RationalizeV),
			Doc:      "Returns a double or decimal as a ratio of its digits, any other number itself.",
			Examples: []string{"(rationalize 1.5) => 3/2", "(rationalize nil) !nil-value"}},
	}
}

// bitFunctions work on 64-bit integers.
func bitFunctions() []entry.Entry {
	return []entry.Entry{
		{NS: "clojure.core", Name: "bit-and", Args: "x y & more", Cost: entry.PerArg, Purity: entry.Pure,
			Many: entry.FromLeft(2), Fn: reduceNum(value.BitAnd, nil),
			Doc: "Returns the bitwise and.", Examples: []string{"(bit-and 12 10) => 8", "(bit-and 1 1.5) !illegal-argument"}},
		{NS: "clojure.core", Name: "bit-or", Args: "x y & more", Cost: entry.PerArg, Purity: entry.Pure,
			Many: entry.FromLeft(2), Fn: reduceNum(value.BitOr, nil),
			Doc: "Returns the bitwise or.", Examples: []string{"(bit-or 12 10) => 14", "(bit-or 1 1.5) !illegal-argument"}},
		{NS: "clojure.core", Name: "bit-xor", Args: "x y & more", Cost: entry.PerArg, Purity: entry.Pure,
			Many: entry.FromLeft(2), Fn: reduceNum(value.BitXor, nil),
			Doc: "Returns the bitwise exclusive or.", Examples: []string{"(bit-xor 12 10) => 6", "(bit-xor 1 1.5) " +
				"!illegal-argument"}},
		{NS: "clojure.core", Name: "bit-and-not", Args: "x y & more", Cost: entry.PerArg, Purity: entry.Pure,
			Many: entry.FromLeft(2), Fn: reduceNum(value.BitAndNot, nil),
			Doc:      "Returns the bits of x that are not set in y.",
			Examples: []string{"(bit-and-not 12 10) => 4", "(bit-and-not 1 1.5) !illegal-argument"}},
		{NS: "clojure.core", Name: "bit-not", Args: "x", Cost: entry.Constant, Purity: entry.Pure,
			Fn:  entry.Unary(value.BitNot),
			Doc: "Inverts all bits.", Examples: []string{"(bit-not 5) => -6", "(bit-not 1.5) !illegal-argument"}},
		{NS: "clojure.core", Name: "bit-shift-left", Args: "x n", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       entry.Binary(value.ShiftLeft),
			Doc:      "Shifts bits left by n; only the low 6 bits of n count.",
			Examples: []string{"(bit-shift-left 1 10) => 1024", "(bit-shift-left 1.5 1) !illegal-argument"}},
		{NS: "clojure.core", Name: "bit-shift-right", Args: "x n", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       entry.Binary(value.ShiftRight),
			Doc:      "Shifts bits right by n, keeping the sign.",
			Examples: []string{"(bit-shift-right -8 1) => -4", "(bit-shift-right 1.5 1) !illegal-argument"}},
		{NS: "clojure.core", Name: "unsigned-bit-shift-right", Args: "x n", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       entry.Binary(value.UnsignedShiftRight),
			Doc:      "Shifts bits right by n, filling with zeros.",
			Examples: []string{"(unsigned-bit-shift-right -1 63) => 1", "(unsigned-bit-shift-right 1.5 1) !illegal-argument"}},
		{NS: "clojure.core", Name: "bit-test", Args: "x n", Cost: entry.Constant, Purity: entry.Pure,
			Fn:       func(t *value.Task, a []value.Value) value.Value { return value.Bool(value.BitTest(t, a[0], a[1])) },
			Doc:      "Returns true if bit n of x is set.",
			Examples: []string{"(bit-test 5 2) => true", "(bit-test 1.5 1) !illegal-argument"}},
		{NS: "clojure.core", Name: "bit-set", Args: "x n", Cost: entry.Constant, Purity: entry.Pure,
			Fn:  entry.Binary(value.BitSet),
			Doc: "Sets bit n of x.", Examples: []string{"(bit-set 0 3) => 8", "(bit-set 1.5 1) !illegal-argument"}},
		{NS: "clojure.core", Name: "bit-clear", Args: "x n", Cost: entry.Constant, Purity: entry.Pure,
			Fn:  entry.Binary(value.BitClear),
			Doc: "Clears bit n of x.", Examples: []string{"(bit-clear 15 0) => 14", "(bit-clear 1.5 1) !illegal-argument"}},
		{NS: "clojure.core", Name: "bit-flip", Args: "x n", Cost: entry.Constant, Purity: entry.Pure,
			Fn:  entry.Binary(value.BitFlip),
			Doc: "Flips bit n of x.", Examples: []string{"(bit-flip 0 2) => 4", "(bit-flip 1.5 1) !illegal-argument"}},
	}
}

type (
	unaryOp   = func(t *value.Task, a value.Value) value.Value
	binaryOp  = func(t *value.Task, a, b value.Value) value.Value
	compareOp = func(t *value.Task, a, b value.Value) bool
)

// fold makes a builtin that combines any number of arguments. Without arguments it returns zero.
func fold(f binaryOp, zero value.Value) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		switch len(a) {
		case 0:
			return zero
		case 1:
			return a[0]
		}
		return reduceArgs(t, f, a)
	}
}

// reduceNum makes a builtin that combines one or more arguments; one returns f1 of it.
func reduceNum(f binaryOp, f1 unaryOp) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		if len(a) == 1 {
			return f1(t, a[0])
		}
		return reduceArgs(t, f, a)
	}
}

func reduceArgs(t *value.Task, f binaryOp, a []value.Value) value.Value {
	acc := a[0]
	for _, x := range a[1:] {
		t.Work(1)
		acc = f(t, acc, x)
	}
	return acc
}

// ordered makes a builtin that compares each argument with the next.
func ordered(f compareOp) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		for i := 1; i < len(a); i++ {
			t.Work(1)
			if !f(t, a[i-1], a[i]) {
				return value.False
			}
		}
		return value.True
	}
}

func inverse(t *value.Task, x value.Value) value.Value { return divide(t, value.Int(1), x) }

// divide refuses a zero of any kind, as Clojure does for numbers whose types its compiler does not
// know. The form (/ 1 0.0) is an instruction and returns ##Inf.
func divide(t *value.Task, x, y value.Value) value.Value {
	return value.DivNonzero(t, x, y)
}

func ratio(t *value.Task, x value.Value) *value.Ratio {
	if x.Kind() != value.KindRatio {
		if x.IsNil() {
			t.Fail(diag.NilValue, "got nil, want a ratio")
		}
		t.Fail(diag.WrongType, "got %s, want a ratio", value.Describe(t, x))
	}
	return x.AsRatio()
}

func numerator(t *value.Task, a []value.Value) value.Value {
	return t.BigInteger(ratio(t, a[0]).R.Num())
}

func denominator(t *value.Task, a []value.Value) value.Value {
	return t.BigInteger(ratio(t, a[0]).R.Denom())
}
