// This file defines the conversions between numbers, their printing, and the operations on bits.

package value

import (
	"math"
	"math/big"
	"strconv"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/num"
)

// ToLong returns v, a number or character, as a 64-bit integer without its fraction: (long v). A
// number out of range throws.
func ToLong(t *Task, v Value) int64 {
	switch v.Kind() {
	case KindInt:
		return v.AsInt()
	case KindFloat:
		return floatToLong(t, v, v.AsFloat())
	case KindChar:
		return int64(v.AsChar())
	case KindBigInt:
		if n := v.AsBigInt().N; n.IsInt64() {
			return n.Int64()
		}
		t.outOfRange("long", v)
	case KindRatio:
		r := v.AsRatio().R
		t.chargeNumber(num.DivBytes(r.Num(), r.Denom()))
		n := new(big.Int).Quo(r.Num(), r.Denom())
		if !n.IsInt64() {
			t.outOfRange("long", v)
		}
		return n.Int64()
	case KindDecimal: // through a double, as clojure.lang.RT does
		return floatToLong(t, v, t.floatOf(v))
	}
	t.notNumber(v)
	return 0
}

func floatToLong(t *Task, v Value, f float64) int64 {
	switch {
	case f != f:
		return 0
	case f < math.MinInt64 || f > math.MaxInt64:
		t.outOfRange("long", v)
	case f == math.MaxInt64: // 2^63, to which Java's cast saturates
		return math.MaxInt64
	}
	return int64(f)
}

func (t *Task) outOfRange(what string, v Value) {
	t.Fail(diag.IllegalArgument, "Value out of range for %s: %s", what, t.Text(v))
}

// ToInt returns v as ToLong does, but throws beyond 32 bits: (int v).
func ToInt(t *Task, v Value) int64 {
	if v.IsFloat() && (v.AsFloat() < math.MinInt32 || v.AsFloat() > math.MaxInt32) {
		t.outOfRange("int", v)
	}
	n := ToLong(t, v)
	if n != int64(int32(n)) {
		t.Fail(diag.Arithmetic, "integer overflow")
	}
	return n
}

// ToDouble returns a number as a double: (double v).
func ToDouble(t *Task, v Value) float64 {
	if v.IsFloat() {
		return v.AsFloat()
	}
	t.numClass(v)
	return t.floatOf(v)
}

// ToFloat returns (float v): the double that prints as the nearest Java float does. It throws for a
// number beyond the range of a float.
func ToFloat(t *Task, v Value) float64 {
	f := ToDouble(t, v)
	const most = 3.4028235e38 // the greatest float in its own digits, which Float/MAX_VALUE has
	if f > most || f < -most {
		t.outOfRange("float", v)
	}
	var buf [32]byte
	f, _ = strconv.ParseFloat(string(num.AppendFloat32(buf[:0], float32(f))), 64)
	return f
}

// BigIntOf returns (bigint v) of a number or of a string with an integer.
func BigIntOf(t *Task, v Value) Value {
	switch v.Kind() {
	case KindBigInt:
		if b := v.AsBigInt(); b.IsJava() {
			return t.BigInt(b.N)
		}
		return v
	case KindFloat:
		return t.truncated(t.decimalOfFloat(v))
	case KindDecimal:
		return t.truncated(*v.AsDecimal().D)
	case KindRatio:
		r := v.AsRatio().R
		t.chargeNumber(num.DivBytes(r.Num(), r.Denom()))
		return t.BigInt(new(big.Int).Quo(r.Num(), r.Denom()))
	case KindString:
		n, ok := t.ParseBig(v.AsString().S, 10)
		if !ok {
			t.Fail(diag.NumberFormat, "For input string: %s", Show(t, v))
		}
		return t.BigInt(n)
	}
	t.numClass(v)
	t.chargeNumber(tempInt)
	return t.BigInt(big.NewInt(v.AsInt()))
}

// BigIntegerOf returns (biginteger v) of a number or of a string with an integer.
func BigIntegerOf(t *Task, v Value) Value {
	if v.Kind() == KindBigInt && v.AsBigInt().IsJava() {
		return v
	}
	return t.BigInteger(BigIntOf(t, v).AsBigInt().N)
}

// decimalOfFloat returns the decimal that a double prints as.
func (t *Task) decimalOfFloat(v Value) num.Decimal {
	t.Charge(512)
	d, err := num.FromFloatString(v.AsFloat())
	if err != nil {
		t.failNum(err)
	}
	return d
}

func (t *Task) truncated(d num.Decimal) Value {
	t.chargeNumber(num.SetScaleBytes(d, 0))
	n, err := d.ToBigInt()
	if err != nil {
		t.failNum(err)
	}
	return t.BigInt(n)
}

// ToDecimal returns (bigdec v) of a number or of a string with a decimal.
func ToDecimal(t *Task, v Value) Value {
	switch v.Kind() {
	case KindDecimal:
		return v
	case KindFloat:
		return t.Decimal(t.decimalOfFloat(v))
	case KindString:
		s := v.AsString().S
		if len(s) > num.MaxBits {
			t.tooLarge()
		}
		t.Work(int64(len(s)) * int64(len(s)) >> 14)
		t.chargeNumber(num.ParseBigIntBytes(s, 10))
		d, ok := num.ParseDecimal(s)
		if !ok {
			t.Fail(diag.NumberFormat, "not a decimal number: %s", Show(t, v))
		}
		return t.Decimal(d)
	}
	t.numClass(v)
	return t.Decimal(t.decimalOf(v))
}

// RationalizeV returns (rationalize v): a double or decimal becomes the ratio or bigint of its
// decimal digits, and other numbers are unchanged.
func RationalizeV(t *Task, v Value) Value {
	var d num.Decimal
	switch t.numClass(v) {
	case classFloat:
		d = t.decimalOfFloat(v)
	case classDecimal:
		d = *v.AsDecimal().D
	default:
		return v
	}
	t.chargeNumber(num.RationalizeBytes(d))
	n, den, err := d.Rationalize()
	if err != nil {
		t.failNum(err)
	}
	if den == nil {
		return t.BigInt(n)
	}
	t.chargeNumber(num.ReduceBytes(n, den))
	return t.ratio(new(big.Rat).SetFrac(n, den))
}

// appendNumber writes a number without N or M, and NaN and the infinities as Java does.
func (t *Task) appendNumber(b *Buf, v Value) {
	var buf [32]byte
	switch t.numClass(v) {
	case classInt:
		b.Write(strconv.AppendInt(buf[:0], v.AsInt(), 10))
	case classFloat:
		b.Write(num.AppendDouble(buf[:0], v.AsFloat()))
	case classBig:
		t.appendBig(b, v.AsBigInt().N)
	case classRatio:
		t.appendBig(b, v.AsRatio().R.Num())
		b.WriteByte('/')
		t.appendBig(b, v.AsRatio().R.Denom())
	default:
		d := *v.AsDecimal().D
		t.workText(d.Unscaled())
		t.chargeNumber(num.DecimalStringBytes(d))
		b.WriteString(d.String())
	}
}

func (t *Task) appendBig(b *Buf, n *big.Int) {
	t.workText(n)
	t.chargeNumber(num.StringBytes(n))
	b.WriteString(n.String())
}

// bitsOf returns an argument of an operation on bits. It must be a 64-bit integer; a bigint throws,
// as in Clojure.
func bitsOf(t *Task, v Value) int64 {
	if v.IsInt() {
		return v.AsInt()
	}
	if v.IsNil() {
		t.Fail(diag.NilValue, "got nil, want an integer")
	}
	t.FailHint(diag.IllegalArgument, "pass 64-bit integers", "bit operation not supported for: class %s", ClassName(v))
	return 0
}

// BitAnd returns a & b.
func BitAnd(t *Task, a, b Value) Value { return Int(bitsOf(t, a) & bitsOf(t, b)) }

// BitOr returns a | b.
func BitOr(t *Task, a, b Value) Value { return Int(bitsOf(t, a) | bitsOf(t, b)) }

// BitXor returns the exclusive or of a and b.
func BitXor(t *Task, a, b Value) Value { return Int(bitsOf(t, a) ^ bitsOf(t, b)) }

// BitAndNot returns a & ^b.
func BitAndNot(t *Task, a, b Value) Value { return Int(bitsOf(t, a) &^ bitsOf(t, b)) }

// BitNot returns ^a.
func BitNot(t *Task, a Value) Value { return Int(^bitsOf(t, a)) }

// ShiftLeft returns a << n. As in Java, only the low 6 bits of n are used.
func ShiftLeft(t *Task, a, n Value) Value { return Int(num.ShiftLeft(bitsOf(t, a), bitsOf(t, n))) }

// ShiftRight returns a >> n, which keeps the sign.
func ShiftRight(t *Task, a, n Value) Value { return Int(num.ShiftRight(bitsOf(t, a), bitsOf(t, n))) }

// UnsignedShiftRight returns a >>> n.
func UnsignedShiftRight(t *Task, a, n Value) Value {
	return Int(num.UnsignedShiftRight(bitsOf(t, a), bitsOf(t, n)))
}

// BitTest reports whether bit n of a is set.
func BitTest(t *Task, a, n Value) bool { return bitsOf(t, a)>>(uint64(bitsOf(t, n))&63)&1 != 0 }

// BitSet returns a with bit n set.
func BitSet(t *Task, a, n Value) Value { return Int(bitsOf(t, a) | bit(t, n)) }

// BitClear returns a with bit n cleared.
func BitClear(t *Task, a, n Value) Value { return Int(bitsOf(t, a) &^ bit(t, n)) }

// BitFlip returns a with bit n flipped.
func BitFlip(t *Task, a, n Value) Value { return Int(bitsOf(t, a) ^ bit(t, n)) }

func bit(t *Task, n Value) int64 { return num.ShiftLeft(1, bitsOf(t, n)) }
