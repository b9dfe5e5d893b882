// This file defines the methods of Java's numbers.

package numbers

import (
	"math"

	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/value"
)

// The kinds of numbers that methods can be called on.
var (
	onNumber  = value.Numbers
	onDecimal = value.Kinds(value.KindDecimal)
	onBig     = value.Kinds(value.KindBigInt, value.KindDecimal)
)

// numberMethods are the methods of numbers.
func numberMethods() []entry.Entry {
	return []entry.Entry{
		entry.Method("intValue", "", onNumber, entry.Constant, "Returns the low 32 bits of a number.", `(.intValue 3.7) => 3`,
			intValue),
		entry.Method("longValue", "", onNumber, entry.Constant, "Returns the low 64 bits of a number.",
			`(.longValue 3.7) => 3`,
			cut(func(n int64) value.Value { return value.Int(n) })),
		entry.Method("shortValue", "", onNumber, entry.Constant, "Returns the low 16 bits of a number.",
			`(.shortValue 3.7) => 3`,
			cut(func(n int64) value.Value { return value.Int(int64(int16(n))) })),
		entry.Method("byteValue", "", onNumber, entry.Constant, "Returns the low 8 bits of a number.",
			`(.byteValue 3.7) => 3`,
			cut(func(n int64) value.Value { return value.Int(int64(int8(n))) })),
		entry.Method("doubleValue", "", onNumber, entry.Constant, "Returns a number as a double.",
			`(.doubleValue 1/2) => 0.5`,
			func(t *value.Task, a []value.Value) value.Value { return value.Float(value.ToDouble(t, a[0])) }),
		entry.Method("floatValue", "", onNumber, entry.Constant, "Returns a number rounded to a float.",
			`(.floatValue 1/2) => 0.5`,
			func(t *value.Task, a []value.Value) value.Value { return value.Float(value.ToFloat(t, a[0])) }),
		entry.Method("isNaN", "", value.Kinds(value.KindFloat), entry.Constant, "Returns true if a double is not a number.",
			`(.isNaN ##NaN) => true`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Bool(a[0].AsFloat() != a[0].AsFloat())
			}),
		entry.Method("isInfinite", "", value.Kinds(value.KindFloat), entry.Constant, "Returns true if a double is infinite.",
			`(.isInfinite ##Inf) => true`, func(_ *value.Task, a []value.Value) value.Value {
				f := a[0].AsFloat()
				return value.Bool(f == f && f-f != 0)
			}),
		entry.Method("numerator", "", value.Kinds(value.KindRatio), entry.Constant,
			"Returns the numerator of a ratio.", `(.numerator 2/3) => 2`, numerator),
		entry.Method("denominator", "", value.Kinds(value.KindRatio), entry.Constant,
			"Returns the denominator of a ratio.", `(.denominator 2/3) => 3`, denominator),
		entry.Method("negate", "", onBig, entry.Constant, "Returns the negative of a number.", `(.negate 5M) => -5M`,
			javaBig(entry.Unary(value.Neg))),
		entry.Method("abs", "", onBig, entry.Constant, "Returns the absolute value of a number.", `(.abs -5M) => 5M`,
			javaBig(entry.Unary(value.Abs))),
		entry.Method("signum", "", onBig, entry.Constant, "Returns -1, 0 or 1 by the sign of a number.",
			`(.signum -5M) => -1`,
			func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(entry.Btoi(value.IsPos(t, a[0])) - entry.Btoi(value.IsNeg(t, a[0]))))
			}),
		entry.Method("add", "y | index y", onBig, entry.Constant, "Adds two numbers.", `(.add 1M 2M) => 3M`,
			javaBig(entry.Binary(value.Add))),
		entry.Method("subtract", "y", onBig, entry.Constant, "Subtracts two numbers.", `(.subtract 3M 2M) => 1M`,
			javaBig(entry.Binary(value.Sub))),
		entry.Method("multiply", "y", onBig, entry.Constant, "Multiplies two numbers.", `(.multiply 3M 2M) => 6M`,
			javaBig(entry.Binary(value.Mul))),
		entry.Method("mod", "y", value.Kinds(value.KindBigInt), entry.Constant, "Returns a bigint modulo another.",
			`(.mod (biginteger 7) (biginteger 3)) => 1`, func(t *value.Task, a []value.Value) value.Value {
				positiveModulus(t, a[1], "mod")
				return javaBig(entry.Binary(value.Mod))(t, a)
			}),
		entry.Method("divide", "y | y rounding-or-context | y scale rounding", onBig, entry.Constant,
			"Divides a number: a bigint to an integer, a decimal exactly or to a scale with a RoundingMode.",
			`(.divide 10M 3M 2 java.math.RoundingMode/HALF_UP) => 3.33M`, javaBig(methodDivide)),
		entry.Method("remainder", "y", onBig, entry.Constant, "Returns the remainder of an integer division.",
			`(.remainder (biginteger 7) (biginteger 3)) => 1`, javaBig(entry.Binary(value.Rem))),
		entry.Method("divideToIntegralValue", "y", onDecimal, entry.Constant, "Returns the integer part of a quotient.",
			`(.divideToIntegralValue 7M 2M) => 3M`, entry.Binary(value.Quot)),
		entry.Method("max", "y", onBig, entry.Constant, "Returns the greater of two numbers.", `(.max 1M 2M) => 2M`,
			javaBig(entry.Binary(firstOf(value.Max)))),
		entry.Method("min", "y", onBig, entry.Constant, "Returns the lesser of two numbers.", `(.min 1M 2M) => 1M`,
			javaBig(entry.Binary(firstOf(value.Min)))),
		entry.Method("longValueExact", "", onBig, entry.Constant, "Returns a whole number that fits 64 bits as an integer.",
			`(.longValueExact 5N) => 5`, exactInt(64)),
		entry.Method("intValueExact", "", onBig, entry.Constant, "Returns a whole number that fits 32 bits as an integer.",
			`(.intValueExact 5M) => 5`, exactInt(32)),
		entry.Method("unscaledValue", "", onDecimal, entry.Constant,
			"Returns the unscaled value of a decimal, its digits, as a BigInteger.", `(.unscaledValue 1.50M) => 150`,
			func(t *value.Task, a []value.Value) value.Value {
				return t.BigInteger(a[0].AsDecimal().D.Unscaled())
			}),
		entry.Method("movePointLeft", "n", onDecimal, entry.Constant, "Moves the decimal point to the left.",
			`(.movePointLeft 123M 2) => 1.23M`, movePoint(1)),
		entry.Method("movePointRight", "n", onDecimal, entry.Constant, "Moves the decimal point to the right.",
			`(.movePointRight 1.23M 1) => 12.3M`, movePoint(-1)),
		entry.Method("pow", "n", onBig, entry.Constant, "Raises a number to a power.", `(.pow 2M 3) => 8M`,
			javaBig(methodPow)),
		entry.Method("toBigInteger", "", onBig, entry.Constant, "Returns a number as a BigInteger.",
			`(.toBigInteger 5M) => 5`,
			entry.Unary(value.BigIntegerOf)),
		entry.Method("bitLength", "", value.Kinds(value.KindBigInt), entry.Constant, "Returns the number of bits.",
			`(.bitLength 255N) => 8`, func(_ *value.Task, a []value.Value) value.Value {
				n := a[0].AsBigInt().N
				if n.Sign() < 0 { // in two's complement, -2^k takes k bits
					return value.Int(int64(n.BitLen()) - int64(entry.Btoi(n.TrailingZeroBits() == uint(n.BitLen()-1))))
				}
				return value.Int(int64(n.BitLen()))
			}),
		entry.Method("setScale", "scale | scale rounding", onDecimal, entry.Constant,
			"Returns a decimal with the given number of digits after the point; rounding is a RoundingMode.",
			`(.setScale 1.255M 2 java.math.RoundingMode/HALF_UP) => 1.26M`, setScale),
		entry.Method("scale", "", onDecimal, entry.Constant, "Returns the number of digits after the decimal point.",
			`(.scale 1.50M) => 2`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Int(int64(a[0].AsDecimal().D.Scale()))
			}),
		entry.Method("precision", "", onDecimal, entry.Constant, "Returns the number of digits.", `(.precision 1.50M) => 3`,
			func(t *value.Task, a []value.Value) value.Value {
				d := *a[0].AsDecimal().D
				t.Charge(num.PrecisionBytes(d))
				return value.Int(d.Precision())
			}),
		entry.Method("stripTrailingZeros", "", onDecimal, entry.Constant, "Returns the decimal without trailing zeros.",
			`(.stripTrailingZeros 1.50M) => 1.5M`, func(t *value.Task, a []value.Value) value.Value {
				d := *a[0].AsDecimal().D
				t.Charge(num.StripBytes(d))
				return t.Decimal(d.StripTrailingZeros())
			}),
		entry.Method("toPlainString", "", onDecimal, entry.Constant, "Returns the string of a decimal without an exponent.",
			`(.toPlainString 1E+3M) => "1000"`, func(t *value.Task, a []value.Value) value.Value {
				d := *a[0].AsDecimal().D
				t.Charge(num.PlainStringBytes(d))
				return t.CopyString(d.PlainString())
			}),
	}
}

// maxPower bounds the exponent of pow; the size of the result is bounded by the
// multiplications.
const maxPower = 100_000

func methodPow(t *value.Task, a []value.Value) value.Value {
	n := value.ToInt(t, a[1])
	if n < 0 || n > maxPower {
		t.Fail(diag.Arithmetic, "Invalid operation: power %d", n)
	}
	result := value.BigIntOf(t, value.Int(1))
	if a[0].Kind() == value.KindDecimal {
		result = value.ToDecimal(t, result)
	}
	for base := a[0]; ; base = value.Mul(t, base, base) {
		if n&1 == 1 {
			result = value.Mul(t, result, base)
		}
		if n >>= 1; n == 0 {
			return result
		}
	}
}

func setScale(t *value.Task, a []value.Value) value.Value {
	d := *a[0].AsDecimal().D
	scale := int32(value.ToInt(t, a[1]))
	mode := num.Unnecessary
	if len(a) == 3 {
		mode = roundingMode(t, a[2])
	}
	t.Charge(num.SetScaleBytes(d, scale))
	r, err := d.SetScale(scale, mode)
	if err != nil {
		t.Fail(diag.Arithmetic, "%s", err.Error())
	}
	return t.Decimal(r)
}

// roundingMode returns the mode for a constant of RoundingMode, or for one of the old numbers of
// BigDecimal.
func roundingMode(t *value.Task, v value.Value) num.RoundingMode {
	if v.IsInt() && v.AsInt() >= 0 && v.AsInt() <= int64(num.Unnecessary) {
		return num.RoundingMode(v.AsInt())
	}
	if v.IsSymbol() || v.IsKeyword() {
		if mode, ok := num.ParseRoundingMode(strs.NameOf(t, []value.Value{v}).AsString().S); ok {
			return mode
		}
	}
	t.Fail(diag.IllegalArgument, "got %s, want a rounding mode such as java.math.RoundingMode/HALF_UP",
		value.Describe(t, v))
	return 0
}

// methodDivide divides bigints to an integer. The quotient of decimals has the scale of the first
// one, unless the arguments have another with the rounding.
func methodDivide(t *value.Task, a []value.Value) value.Value {
	switch {
	case a[0].Kind() == value.KindBigInt && len(a) == 2:
		return value.Quot(t, a[0], a[1])
	case a[0].Kind() == value.KindBigInt:
		entry.NoMethod(t, "divide", a[0], len(a)-1)
	case len(a) == 2:
		return value.Div(t, a[0], a[1])
	case len(a) == 3 && a[2].ClassIs(MathContext):
		return divideContext(t, a)
	}
	d, e := *a[0].AsDecimal().D, *value.ToDecimal(t, a[1]).AsDecimal().D
	scale := d.Scale()
	if len(a) == 4 {
		scale = int32(value.ToInt(t, a[2]))
	}
	t.Charge(num.DivScaleBytes(d, e, scale))
	q, err := d.DivScale(e, scale, roundingMode(t, a[len(a)-1]))
	if err != nil {
		t.Fail(diag.Arithmetic, "%s", err.Error())
	}
	return t.Decimal(q)
}

// exactInt makes a conversion that refuses values that are not integers with a number of bits.
func exactInt(width int) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		if a[0].Kind() == value.KindDecimal && !value.NumEqual(t, a[0], value.BigIntOf(t, a[0])) {
			t.Fail(diag.Arithmetic, "Rounding necessary")
		}
		n := value.BigIntOf(t, a[0]).AsBigInt().N
		if !n.IsInt64() || width == 32 && n.Int64() != int64(int32(n.Int64())) {
			t.Fail(diag.Arithmetic, "BigInteger out of %s range", map[int]string{32: "int", 64: "long"}[width])
		}
		return value.Int(n.Int64())
	}
}

// movePoint makes a shift of a decimal's point; the result has no negative scale.
func movePoint(sign int64) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		d := *a[0].AsDecimal().D
		n := value.ToInt(t, a[1])
		if n == 0 {
			return a[0]
		}
		scale := int64(d.Scale()) + sign*n
		if scale > math.MaxInt32 || scale < math.MinInt32 {
			t.Fail(diag.Arithmetic, "Overflow")
		}
		d = num.NewDecimal(d.Unscaled(), int32(scale))
		if scale < 0 {
			return setScale(t, []value.Value{t.Decimal(d), value.Int(0)})
		}
		return t.Decimal(d)
	}
}

func decimalValue(t *value.Task, a []value.Value) value.Value {
	if len(a) == 1 {
		return value.ToDecimal(t, a[0])
	}
	return t.Decimal(num.NewDecimal(value.BigIntegerOf(t, a[0]).AsBigInt().N,
		int32(value.ToInt(t, a[1]))))
}

// intValue is the method intValue. A double beyond the ints becomes the least or the greatest.
func intValue(t *value.Task, a []value.Value) value.Value {
	if a[0].IsFloat() {
		return value.Int(min(max(javaLong(a[0].AsFloat()), math.MinInt32), math.MaxInt32))
	}
	return cut(func(n int64) value.Value { return value.Int(int64(int32(n))) })(t, a)
}

// NewDecimal is (BigDecimal. x), which returns all digits of a double; with a MathContext rounded; or, of an unscaled
// value and a scale, the decimal.
func NewDecimal(t *value.Task, a []value.Value) value.Value {
	switch {
	case len(a) == 2 && a[1].ClassIs(MathContext):
		return roundDecimal(t, []value.Value{NewDecimal(t, a[:1]), a[1]})
	case len(a) == 2:
		return t.Decimal(num.NewDecimal(bigArg(t, a[0], "BigDecimal"), int32(value.ToInt(t, a[1]))))
	}
	if !a[0].IsFloat() {
		return value.ToDecimal(t, a[0])
	}
	t.Charge(8 << 10) // the most that FromFloat may allocate
	d, err := num.FromFloat(a[0].AsFloat())
	if err != nil {
		t.Fail(diag.NumberFormat, "Infinite or NaN")
	}
	return t.Decimal(d)
}

// NewBigInteger is (BigInteger. x), (BigInteger. bytes), (BigInteger. text radix) and (BigInteger. signum magnitude).
func NewBigInteger(t *value.Task, a []value.Value) value.Value {
	switch {
	case a[len(a)-1].Kind() == value.KindArray:
		return ofBytes(t, a)
	case len(a) == 1:
		return value.BigIntegerOf(t, a[0])
	}
	if r := value.ToInt(t, a[1]); r < 2 || r > 36 {
		t.FailClass("java.lang.NumberFormatException", diag.IllegalArgument, "Radix out of range")
	}
	n, ok := t.ParseBig(entry.WantText(t, a[0], "BigInteger"), RadixOf(t, a))
	if !ok {
		failNumber(t, a[0].AsString().S, int64(RadixOf(t, a)))
	}
	return t.BigInteger(n)
}

// firstOf makes a function of two numbers return the first of equal ones.
func firstOf(pick func(t *value.Task, a, b value.Value) value.Value) func(t *value.Task, a, b value.Value) value.Value {
	return func(t *value.Task, a, b value.Value) value.Value { return pick(t, b, a) }
}
