// This file defines the methods of Java's numbers.

package builtins

import (
	"math"

	"github.com/ptc-lang/ptc/lang/diag"
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
func numberMethods() []Entry {
	return []Entry{
		method("intValue", "", onNumber, Constant, "Returns the low 32 bits of a number.", `(.intValue 3.7) => 3`,
			cut(func(n int64) value.Value { return value.Int(int64(int32(n))) })),
		method("longValue", "", onNumber, Constant, "Returns the low 64 bits of a number.", `(.longValue 3.7) => 3`,
			cut(func(n int64) value.Value { return value.Int(n) })),
		method("shortValue", "", onNumber, Constant, "Returns the low 16 bits of a number.", `(.shortValue 3.7) => 3`,
			cut(func(n int64) value.Value { return value.Int(int64(int16(n))) })),
		method("byteValue", "", onNumber, Constant, "Returns the low 8 bits of a number.", `(.byteValue 3.7) => 3`,
			cut(func(n int64) value.Value { return value.Int(int64(int8(n))) })),
		method("doubleValue", "", onNumber, Constant, "Returns a number as a double.", `(.doubleValue 1/2) => 0.5`,
			func(t *value.Task, a []value.Value) value.Value { return value.Float(value.ToDouble(t, a[0])) }),
		method("floatValue", "", onNumber, Constant, "Returns a number rounded to a float.", `(.floatValue 1/2) => 0.5`,
			func(t *value.Task, a []value.Value) value.Value { return value.Float(value.ToFloat(t, a[0])) }),
		method("isNaN", "", value.Kinds(value.KindFloat), Constant, "Returns true if a double is not a number.",
			`(.isNaN ##NaN) => true`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Bool(a[0].AsFloat() != a[0].AsFloat())
			}),
		method("isInfinite", "", value.Kinds(value.KindFloat), Constant, "Returns true if a double is infinite.",
			`(.isInfinite ##Inf) => true`, func(_ *value.Task, a []value.Value) value.Value {
				f := a[0].AsFloat()
				return value.Bool(f == f && f-f != 0)
			}),
		method("negate", "", onBig, Constant, "Returns the negative of a number.", `(.negate 5M) => -5M`,
			javaBig(unary(value.Neg))),
		method("abs", "", onBig, Constant, "Returns the absolute value of a number.", `(.abs -5M) => 5M`,
			javaBig(unary(value.Abs))),
		method("signum", "", onBig, Constant, "Returns -1, 0 or 1 by the sign of a number.", `(.signum -5M) => -1`,
			func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(btoi(value.IsPos(t, a[0])) - btoi(value.IsNeg(t, a[0]))))
			}),
		method("add", "y", onBig, Constant, "Adds two numbers.", `(.add 1M 2M) => 3M`, javaBig(binary(value.Add))),
		method("subtract", "y", onBig, Constant, "Subtracts two numbers.", `(.subtract 3M 2M) => 1M`,
			javaBig(binary(value.Sub))),
		method("multiply", "y", onBig, Constant, "Multiplies two numbers.", `(.multiply 3M 2M) => 6M`,
			javaBig(binary(value.Mul))),
		method("mod", "y", value.Kinds(value.KindBigInt), Constant, "Returns a bigint modulo another.",
			`(.mod (biginteger 7) (biginteger 3)) => 1`, javaBig(binary(value.Mod))),
		method("divide", "y | y rounding | y scale rounding", onBig, Constant,
			"Divides a number: a bigint to an integer, a decimal exactly or to a scale with a RoundingMode.",
			`(.divide 10M 3M 2 java.math.RoundingMode/HALF_UP) => 3.33M`, javaBig(methodDivide)),
		method("remainder", "y", onBig, Constant, "Returns the remainder of an integer division.",
			`(.remainder (biginteger 7) (biginteger 3)) => 1`, javaBig(binary(value.Rem))),
		method("divideToIntegralValue", "y", onDecimal, Constant, "Returns the integer part of a quotient.",
			`(.divideToIntegralValue 7M 2M) => 3M`, binary(value.Quot)),
		method("max", "y", onBig, Constant, "Returns the greater of two numbers.", `(.max 1M 2M) => 2M`,
			javaBig(binary(value.Max))),
		method("min", "y", onBig, Constant, "Returns the lesser of two numbers.", `(.min 1M 2M) => 1M`,
			javaBig(binary(value.Min))),
		method("longValueExact", "", onBig, Constant, "Returns a whole number that fits 64 bits as an integer.",
			`(.longValueExact 5N) => 5`, exactInt(64)),
		method("intValueExact", "", onBig, Constant, "Returns a whole number that fits 32 bits as an integer.",
			`(.intValueExact 5M) => 5`, exactInt(32)),
		method("unscaledValue", "", onDecimal, Constant,
			"Returns the unscaled value of a decimal, its digits, as a BigInteger.", `(.unscaledValue 1.50M) => 150`,
			func(t *value.Task, a []value.Value) value.Value {
				return t.BigInteger(a[0].AsDecimal().D.Unscaled())
			}),
		method("movePointLeft", "n", onDecimal, Constant, "Moves the decimal point to the left.",
			`(.movePointLeft 123M 2) => 1.23M`, movePoint(1)),
		method("movePointRight", "n", onDecimal, Constant, "Moves the decimal point to the right.",
			`(.movePointRight 1.23M 1) => 12.3M`, movePoint(-1)),
		method("pow", "n", onBig, Constant, "Raises a number to a power.", `(.pow 2M 3) => 8M`, javaBig(methodPow)),
		method("toBigInteger", "", onBig, Constant, "Returns a number as a BigInteger.", `(.toBigInteger 5M) => 5`,
			unary(value.BigIntegerOf)),
		method("bitLength", "", value.Kinds(value.KindBigInt), Constant, "Returns the number of bits.",
			`(.bitLength 255N) => 8`, func(_ *value.Task, a []value.Value) value.Value {
				n := a[0].AsBigInt().N
				if n.Sign() < 0 { // in two's complement, -2^k takes k bits
					return value.Int(int64(n.BitLen()) - int64(btoi(n.TrailingZeroBits() == uint(n.BitLen()-1))))
				}
				return value.Int(int64(n.BitLen()))
			}),
		method("setScale", "scale | scale rounding", onDecimal, Constant,
			"Returns a decimal with the given number of digits after the point; rounding is a RoundingMode.",
			`(.setScale 1.255M 2 java.math.RoundingMode/HALF_UP) => 1.26M`, setScale),
		method("scale", "", onDecimal, Constant, "Returns the number of digits after the decimal point.",
			`(.scale 1.50M) => 2`, func(_ *value.Task, a []value.Value) value.Value {
				return value.Int(int64(a[0].AsDecimal().D.Scale()))
			}),
		method("precision", "", onDecimal, Constant, "Returns the number of digits.", `(.precision 1.50M) => 3`,
			func(t *value.Task, a []value.Value) value.Value {
				d := *a[0].AsDecimal().D
				t.Charge(num.PrecisionBytes(d))
				return value.Int(d.Precision())
			}),
		method("stripTrailingZeros", "", onDecimal, Constant, "Returns the decimal without trailing zeros.",
			`(.stripTrailingZeros 1.50M) => 1.5M`, func(t *value.Task, a []value.Value) value.Value {
				d := *a[0].AsDecimal().D
				t.Charge(num.StripBytes(d))
				return t.Decimal(d.StripTrailingZeros())
			}),
		method("toPlainString", "", onDecimal, Constant, "Returns the string of a decimal without an exponent.",
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
		if mode, ok := num.ParseRoundingMode(nameOf(t, []value.Value{v}).AsString().S); ok {
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
		noMethod(t, "divide", a[0], len(a)-1)
	case len(a) == 2:
		return value.Div(t, a[0], a[1])
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
		scale := int64(d.Scale()) + sign*value.ToInt(t, a[1])
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

// decimalValue returns a number as a decimal, or the decimal with digits and a scale.
func decimalValue(t *value.Task, a []value.Value) value.Value {
	if len(a) == 1 {
		return value.ToDecimal(t, a[0])
	}
	return t.Decimal(num.NewDecimal(value.BigIntOf(t, value.Int(value.ToLong(t, a[0]))).AsBigInt().N,
		int32(value.ToInt(t, a[1]))))
}

// newDecimal is (BigDecimal. x), which returns all digits of a double.
func newDecimal(t *value.Task, a []value.Value) value.Value {
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

// newBigInteger is (BigInteger. x) and (BigInteger. text radix).
func newBigInteger(t *value.Task, a []value.Value) value.Value {
	if len(a) == 1 {
		return value.BigIntegerOf(t, a[0])
	}
	n, ok := t.ParseBig(wantText(t, a[0], "BigInteger"), radixOf(t, a))
	if !ok {
		failNumber(t, a[0].AsString().S, int64(radixOf(t, a)))
	}
	return t.BigInteger(n)
}
