// This file defines the comparison of numbers: ==, <, min, max and the signs.

package value

import (
	"math"
	"math/big"

	"github.com/ptc-lang/ptc/lang/internal/num"
)

// NumEqual reports whether two numbers have the same value, whatever their types: clojure.core/==.
func NumEqual(t *Task, a, b Value) bool {
	if a.IsInt() && b.IsInt() {
		return a.bits == b.bits
	}
	c, ordered := numOrder(t, a, b)
	return c == 0 && ordered
}

// Lt reports whether a < b.
func Lt(t *Task, a, b Value) bool {
	if a.IsInt() && b.IsInt() {
		return a.AsInt() < b.AsInt()
	}
	c, ordered := numOrder(t, a, b)
	return c < 0 && ordered
}

// Lte reports whether a <= b.
func Lte(t *Task, a, b Value) bool {
	if a.IsInt() && b.IsInt() {
		return a.AsInt() <= b.AsInt()
	}
	c, ordered := numOrder(t, a, b)
	return c <= 0 && ordered
}

// Gt reports whether a > b.
func Gt(t *Task, a, b Value) bool { return Lt(t, b, a) }

// Gte reports whether a >= b.
func Gte(t *Task, a, b Value) bool { return Lte(t, b, a) }

// numOrder compares two numbers in the class that arith would use for them. They are not ordered if
// one is NaN.
func numOrder(t *Task, a, b Value) (c int, ordered bool) {
	if x, ok := smallFloat(a); ok && b.IsFloat() {
		return cmp(x, b.AsFloat()), x == x && b.AsFloat() == b.AsFloat()
	}
	ca, cb := t.numClass(a), t.numClass(b)
	switch max(ca, cb) {
	case classInt:
		return cmp(a.AsInt(), b.AsInt()), true
	case classBig:
		return cmpBig(a, b), true
	case classRatio:
		ra, rb := t.ratOf(a), t.ratOf(b)
		t.chargeNumber(ratioOpBytes(ra.Num().BitLen() + ra.Denom().BitLen() + rb.Num().BitLen() + rb.Denom().BitLen()))
		return ra.Cmp(rb), true
	case classDecimal:
		da, db := t.decimalOf(a), t.decimalOf(b)
		t.chargeNumber(num.CmpBytes(da, db))
		return da.Cmp(db), true
	default:
		fa, fb := t.floatOf(a), t.floatOf(b)
		if fa != fa || fb != fb {
			return 0, false
		}
		return cmp(fa, fb), true
	}
}

func cmp[T int | int32 | int64 | float64 | uint32](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// cmpBig compares two integers, at least one of which is a bigint, without allocating. A bigint outside
// 64 bits is larger in magnitude than every int.
func cmpBig(a, b Value) int {
	if a.IsInt() {
		return -cmpBig(b, a)
	}
	n := a.AsBigInt().N
	if !b.IsInt() {
		return n.Cmp(b.AsBigInt().N)
	}
	if n.IsInt64() {
		return cmp(n.Int64(), b.AsInt())
	}
	return n.Sign()
}

// numEqual is = on a number and another value. It requires the same value in the
// same category (integers, ratios, decimals, doubles).
func numEqual(t *Task, a, b Value) bool {
	switch a.Kind() {
	case KindInt:
		return b.Kind() == KindBigInt && cmpBig(a, b) == 0 || b.IsInt() && a.bits == b.bits
	case KindBigInt:
		return b.Is(Integers) && cmpBig(a, b) == 0
	case KindFloat:
		return b.IsFloat() && a.AsFloat() == b.AsFloat()
	case KindRatio:
		return b.Kind() == KindRatio && sameRatio(a.AsRatio().R, b.AsRatio().R)
	}
	if b.Kind() != KindDecimal {
		return false
	}
	da, db := *a.AsDecimal().D, *b.AsDecimal().D
	t.chargeNumber(num.CmpBytes(da, db))
	return da.Cmp(db) == 0
}

// sameRatio compares fractions in lowest terms.
func sameRatio(a, b *big.Rat) bool {
	return a.Num().Cmp(b.Num()) == 0 && a.Denom().Cmp(b.Denom()) == 0
}

// sign returns the sign of a number: 0 for NaN.
func sign(t *Task, v Value) int {
	switch t.numClass(v) {
	case classInt:
		return cmp(v.AsInt(), 0)
	case classBig:
		return v.AsBigInt().N.Sign()
	case classRatio:
		return v.AsRatio().R.Sign()
	case classDecimal:
		return v.AsDecimal().D.Sign()
	}
	return cmp(v.AsFloat(), 0)
}

// IsZero reports whether a number is 0.
func IsZero(t *Task, v Value) bool {
	if v.IsFloat() {
		return v.AsFloat() == 0
	}
	return sign(t, v) == 0
}

// IsPos reports whether a number is above 0.
func IsPos(t *Task, v Value) bool { return sign(t, v) > 0 }

// IsNeg reports whether a number is below 0.
func IsNeg(t *Task, v Value) bool { return sign(t, v) < 0 }

// isNaN reports whether v is the double NaN.
func isNaN(v Value) bool { return v.IsFloat() && math.IsNaN(v.AsFloat()) }

// Max returns the greater of two numbers. It returns NaN if one is NaN, and b if they are equal.
func Max(t *Task, a, b Value) Value {
	if v, ok := floatExtreme(a, b, math.Max); ok {
		return v
	}
	if Lt(t, b, a) {
		return a
	}
	return b
}

// Min returns the smaller of two numbers. It returns NaN if one is NaN, and b if they are equal.
func Min(t *Task, a, b Value) Value {
	if v, ok := floatExtreme(a, b, math.Min); ok {
		return v
	}
	if Lt(t, a, b) {
		return a
	}
	return b
}

// floatExtreme returns f of two doubles, or whichever of the two numbers is NaN.
func floatExtreme(a, b Value, f func(x, y float64) float64) (v Value, ok bool) {
	switch {
	case isNaN(a):
		return a, true
	case isNaN(b):
		return b, true
	case a.IsFloat() && b.IsFloat():
		return Float(f(a.AsFloat(), b.AsFloat())), true
	}
	return Nil, false
}
