// This file defines the methods of numbers that few programs call, and MathContext.

package numbers

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins/internal/strs"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/lang/value"
)

// MathContext is the class of a precision and a rounding mode. The slots are the number of digits and the number of the
// mode.
var MathContext = &value.JavaClass{Name: "java.math.MathContext", Data: true,
	Text: func(_ *value.Task, b *value.Buf, v value.Value) {
		mc := contextOf(v)
		b.WriteString("precision=" + strconv.Itoa(int(mc.Precision)) + " roundingMode=" + mc.Mode.String())
	},
	Hash: func(_ *value.Task, v value.Value) int32 { return contextOf(v).Precision }}

// ConstContext returns a MathContext that belongs to no evaluation.
func ConstContext(digits int64, mode num.RoundingMode) value.Value {
	return value.ConstJava(MathContext, value.Int(digits), value.Int(int64(mode)))
}

func contextOf(v value.Value) num.MathContext {
	s := v.AsJava().Vals
	return num.MathContext{Precision: int32(s[0].AsInt()), Mode: num.RoundingMode(s[1].AsInt())}
}

func wantContext(t *value.Task, v value.Value, what string) num.MathContext {
	t.WantJava(v, MathContext, what)
	return contextOf(v)
}

// decimalOr throws the error of an operation.
func decimalOr(t *value.Task, d num.Decimal, err error) value.Value {
	if err != nil {
		t.Fail(diag.Arithmetic, "%s", err.Error())
	}
	return t.Decimal(d)
}

func roundDecimal(t *value.Task, a []value.Value) value.Value {
	d, mc := *a[0].AsDecimal().D, wantContext(t, a[1], "round")
	t.Charge(num.RoundBytes(d))
	r, err := d.Round(mc)
	return decimalOr(t, r, err)
}

// divideContext is divide with a MathContext.
func divideContext(t *value.Task, a []value.Value) value.Value {
	d, e, mc := *a[0].AsDecimal().D, *value.ToDecimal(t, a[1]).AsDecimal().D, contextOf(a[2])
	t.Charge(2 * num.ContextBytes(d, e, mc))
	WorkProduct(t, d.Unscaled(), 4)
	q, err := d.DivContext(e, mc)
	return decimalOr(t, q, err)
}

// decimalSqrt returns the square root of a decimal to the digits of a MathContext, as Java does.
func decimalSqrt(t *value.Task, a []value.Value) value.Value {
	d, mc := *a[0].AsDecimal().D, wantContext(t, a[1], "sqrt")
	switch {
	case d.Sign() < 0:
		t.Fail(diag.Arithmetic, "Attempted square root of negative BigDecimal")
	case d.Sign() == 0:
		return t.Decimal(num.NewDecimal(new(big.Int), d.Scale()/2))
	case mc.Precision == 0:
		t.Fail(diag.IllegalArgument, "sqrt: want a MathContext with a precision")
	}
	preferred := d.Scale() / 2
	digits := int64(mc.Precision) + 2
	shift := 2*digits + int64(d.Precision())
	if (shift-int64(d.Scale()))%2 != 0 {
		shift++
	}
	n := d.Unscaled()
	t.Charge(32 * (int64(n.BitLen())/8 + shift + 64))
	WorkProduct(t, n, 64)
	scaled := new(big.Int).Mul(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), nil))
	root := new(big.Int).Sqrt(scaled)
	exact := new(big.Int).Mul(root, root).Cmp(scaled) == 0
	if !exact { // a digit by which the root is neither exact nor half-way
		root.Add(root.Mul(root, big.NewInt(10)), big.NewInt(1))
		shift += 2
	}
	r, err := num.NewDecimal(root, int32((shift+int64(d.Scale()))/2)).Round(mc)
	if err != nil || !exact {
		return decimalOr(t, r, err)
	}
	r = r.StripTrailingZeros()
	if r.Scale() < preferred {
		if wide, err := r.SetScale(preferred, num.Unnecessary); err == nil && wide.Precision() <= int64(mc.Precision) {
			r = wide
		}
	}
	return t.Decimal(r)
}

// engineering writes a decimal with an exponent that is a multiple of three.
func engineering(t *value.Task, a []value.Value) value.Value {
	d := *a[0].AsDecimal().D
	t.Charge(2 * num.DecimalStringBytes(d))
	digits := new(big.Int).Abs(d.Unscaled()).String()
	adjusted := -int64(d.Scale()) + int64(len(digits)-1)
	if d.Scale() >= 0 && adjusted >= -6 {
		return t.Str(a[0])
	}
	sig := adjusted % 3
	if sig < 0 {
		sig += 3
	}
	adjusted -= sig
	sig++
	text := digits
	switch {
	case d.Sign() == 0:
		switch sig {
		case 2:
			text, adjusted = "0.00", adjusted+3
		case 3:
			text, adjusted = "0.0", adjusted+3
		}
	case sig >= int64(len(digits)):
		text += strings.Repeat("0", int(sig)-len(digits))
	default:
		text = digits[:sig] + "." + digits[sig:]
	}
	if adjusted != 0 {
		sign := "+"
		if adjusted < 0 {
			sign = ""
		}
		text += "E" + sign + strconv.FormatInt(adjusted, 10)
	}
	if d.Sign() < 0 {
		text = "-" + text
	}
	return t.CopyString(text)
}

func quotAndRem(t *value.Task, a []value.Value) value.Value {
	b := t.Blocks(2)
	args := []value.Value{a[0], a[1]}
	for i, f := range []value.NativeFunc{entry.Binary(value.Quot), entry.Binary(value.Rem)} {
		*b.At(i) = javaBig(f)(t, args)
	}
	return t.Array(value.ElemObject, b)
}

// changeBit makes a method that changes a bit of a bigint.
func changeBit(f func(old uint) uint) value.NativeFunc {
	return func(t *value.Task, a []value.Value) value.Value {
		x, n := a[0].AsBigInt().N, value.ToInt(t, a[1])
		switch {
		case n < 0:
			t.Fail(diag.Arithmetic, "Negative bit address")
		case n > num.MaxBits:
			t.Fail(diag.Arithmetic, "number too large: bit %d", n)
		}
		t.Charge(2*num.AddBytes(x, x) + n/4)
		return t.BigInteger(new(big.Int).SetBit(x, int(n), f(x.Bit(int(n)))))
	}
}

// toBytes returns the bytes of a bigint in two's complement, the highest first.
func toBytes(t *value.Task, a []value.Value) value.Value {
	x := a[0].AsBigInt().N
	t.Charge(4 * num.AddBytes(x, x))
	n := uint(x.BitLen()/8 + 1)
	if x.Sign() < 0 && x.BitLen()%8 == 0 && x.TrailingZeroBits() == uint(x.BitLen()-1) { // -2^(8k-1)
		n--
	}
	if x.Sign() < 0 {
		x = new(big.Int).Add(x, new(big.Int).Lsh(big.NewInt(1), 8*n))
	}
	return strs.ByteArray(t, string(x.FillBytes(make([]byte, n))))
}

// ofBytes returns the BigInteger of bytes: with a sign and a magnitude, or in two's complement.
func ofBytes(t *value.Task, a []value.Value) value.Value {
	p := strs.BytesOf(t, a[len(a)-1], "BigInteger")
	if len(p)*8 > num.MaxBits {
		t.Fail(diag.Arithmetic, "number too large: %d bytes", len(p))
	}
	t.Charge(3*int64(len(p)) + 64)
	x := new(big.Int).SetBytes([]byte(p))
	if len(a) == 2 {
		sign := value.ToInt(t, a[0])
		switch {
		case sign < -1 || sign > 1:
			t.Fail(diag.NumberFormat, "Invalid signum value")
		case sign == 0 && x.Sign() != 0:
			t.Fail(diag.NumberFormat, "signum-magnitude mismatch")
		case sign < 0:
			x.Neg(x)
		}
		return t.BigInteger(x)
	}
	if p == "" {
		t.Fail(diag.NumberFormat, "Zero length BigInteger")
	}
	if p[0] >= 0x80 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(p))))
	}
	return t.BigInteger(x)
}

// LateMethods are methods of numbers that few programs call.
func LateMethods() []entry.Entry {
	of := func(name, args string, on value.KindSet, doc, example string, fn value.NativeFunc) entry.Entry {
		return entry.Method(name, args, on, entry.Constant, doc, example, fn)
	}
	return []entry.Entry{
		of("round", "context", onDecimal, "Returns a decimal rounded to the digits of a MathContext.",
			`(.round 1.25M (java.math.MathContext. 2)) => 1.3M`, roundDecimal),
		of("sqrt", "| context", onDecimal|OnBigInt, "Returns the square root: of a bigint its integer part, of a decimal to "+
			"the digits of a MathContext.", `(.sqrt 2M (java.math.MathContext. 4)) => 1.414M`,
			func(t *value.Task, a []value.Value) value.Value {
				if (a[0].Kind() == value.KindDecimal) != (len(a) == 2) {
					entry.NoMethod(t, "sqrt", a[0], len(a)-1)
				}
				if len(a) == 2 {
					return decimalSqrt(t, a)
				}
				return bigSqrt(t, a)
			}),
		of("getPrecision", "", value.Kinds(value.KindJava), "Returns the number of digits of a MathContext.",
			`(.getPrecision (java.math.MathContext. 5)) => 5`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(wantContext(t, a[0], "getPrecision").Precision))
			}),
		of("plus", "| amount | n unit", onDecimal, "Returns a decimal itself, or a date or time with an amount added.",
			`(.plus 1M) => 1M`, func(t *value.Task, a []value.Value) value.Value {
				if len(a) > 1 {
					entry.NoMethod(t, "plus", a[0], len(a)-1)
				}
				return a[0]
			}),
		of("ulp", "", onDecimal, "Returns the distance of a decimal to the next one with as many digits.",
			`(.ulp 1.50M) => 0.01M`, func(t *value.Task, a []value.Value) value.Value {
				return t.Decimal(num.NewDecimal(big.NewInt(1), a[0].AsDecimal().D.Scale()))
			}),
		of("scaleByPowerOfTen", "n", onDecimal, "Multiplies a decimal by a power of ten.",
			`(.scaleByPowerOfTen 1.5M 3) => 1.5E+3M`, func(t *value.Task, a []value.Value) value.Value {
				d := *a[0].AsDecimal().D
				scale := int64(d.Scale()) - value.ToInt(t, a[1])
				if scale > math.MaxInt32 || scale < math.MinInt32 {
					t.Fail(diag.Arithmetic, "Overflow")
				}
				return t.Decimal(num.NewDecimal(d.Unscaled(), int32(scale)))
			}),
		of("toEngineeringString", "", onDecimal, "Returns the string of a decimal with an exponent that is a multiple of "+
			"three.", `(.toEngineeringString 1E+4M) => "10E+3"`, engineering),
		of("toBigIntegerExact", "", onDecimal, "Returns a decimal without a fraction as a BigInteger.",
			`(.toBigIntegerExact 5M) => 5`, func(t *value.Task, a []value.Value) value.Value {
				n := value.BigIntegerOf(t, a[0])
				if !value.NumEqual(t, n, a[0]) {
					t.Fail(diag.Arithmetic, "Rounding necessary")
				}
				return n
			}),
		of("divideAndRemainder", "y", onBig, "Returns an array of the quotient and the remainder of a division.",
			`(vec (.divideAndRemainder (biginteger 7) (biginteger 2))) => [3 1]`, quotAndRem),
		of("setBit", "n", OnBigInt, "Returns a bigint with a bit set.", `(.setBit (biginteger 1) 2) => 5`,
			changeBit(func(uint) uint { return 1 })),
		of("clearBit", "n", OnBigInt, "Returns a bigint with a bit cleared.", `(.clearBit (biginteger 5) 0) => 4`,
			changeBit(func(uint) uint { return 0 })),
		of("flipBit", "n", OnBigInt, "Returns a bigint with a bit changed.", `(.flipBit (biginteger 5) 1) => 7`,
			changeBit(func(old uint) uint { return 1 - old })),
		of("not", "", OnBigInt, "Returns a bigint with all bits changed.", `(.not (biginteger 5)) => -6`,
			func(t *value.Task, a []value.Value) value.Value {
				x := a[0].AsBigInt().N
				t.Charge(num.AddBytes(x, x))
				return t.BigInteger(new(big.Int).Not(x))
			}),
		of("toByteArray", "", OnBigInt, "Returns the bytes of a bigint in two's complement, or those of a stream, as an "+
			"array.", `(vec (.toByteArray (biginteger 256))) => [1 0]`, toBytes),
	}
}
