// This file defines arithmetic on values: the operations by name and their fast paths on integers
// and doubles. numtower.go handles the other numbers.

package value

import (
	"math"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/num"
)

// Add returns a+b. It throws if an integer result exceeds 64 bits.
func Add(t *Task, a, b Value) Value {
	if a.IsInt() && b.IsInt() {
		if s, ok := num.AddInt64(a.AsInt(), b.AsInt()); ok {
			return Int(s)
		}
	}
	return arith(t, opAdd, a, b)
}

// Sub returns a-b. It throws if an integer result exceeds 64 bits.
func Sub(t *Task, a, b Value) Value {
	if a.IsInt() && b.IsInt() {
		if d, ok := num.SubInt64(a.AsInt(), b.AsInt()); ok {
			return Int(d)
		}
	}
	return arith(t, opSub, a, b)
}

// Mul returns a×b. It throws if an integer result exceeds 64 bits.
func Mul(t *Task, a, b Value) Value {
	if a.IsInt() && b.IsInt() {
		if p, ok := num.MulInt64(a.AsInt(), b.AsInt()); ok {
			return Int(p)
		}
	}
	return arith(t, opMul, a, b)
}

// AddP is Add that returns a bigint instead of throwing: +'.
func AddP(t *Task, a, b Value) Value {
	if a.IsInt() && b.IsInt() {
		if s, ok := num.AddInt64(a.AsInt(), b.AsInt()); ok {
			return Int(s)
		}
		return bigArith(t, opAdd, t.bigOf(a), t.bigOf(b))
	}
	return arith(t, opAdd, a, b)
}

// SubP is Sub that returns a bigint instead of throwing: -'.
func SubP(t *Task, a, b Value) Value {
	if a.IsInt() && b.IsInt() {
		if d, ok := num.SubInt64(a.AsInt(), b.AsInt()); ok {
			return Int(d)
		}
		return bigArith(t, opSub, t.bigOf(a), t.bigOf(b))
	}
	return arith(t, opSub, a, b)
}

// MulP is Mul that returns a bigint instead of throwing: *'.
func MulP(t *Task, a, b Value) Value {
	if a.IsInt() && b.IsInt() {
		if p, ok := num.MulInt64(a.AsInt(), b.AsInt()); ok {
			return Int(p)
		}
		return bigArith(t, opMul, t.bigOf(a), t.bigOf(b))
	}
	return arith(t, opMul, a, b)
}

// Div returns a/b. The quotient of integers is an integer or a ratio. A divisor of 0 throws, unless
// one of the two is a double.
func Div(t *Task, a, b Value) Value { return arith(t, opDiv, a, b) }

// DivNonzero divides, and refuses a zero of any kind, as Clojure does for numbers whose types its
// compiler does not know. NaN may be divided by zero.
func DivNonzero(t *Task, a, b Value) Value {
	zero := b.IsInt() && b.AsInt() == 0 || b.IsFloat() && b.AsFloat() == 0
	if zero && !(a.IsFloat() && a.AsFloat() != a.AsFloat()) {
		t.Fail(diag.Arithmetic, "Divide by zero")
	}
	return Div(t, a, b)
}

// Quot returns the integer part of a/b.
func Quot(t *Task, a, b Value) Value { return arith(t, opQuot, a, b) }

// Rem returns the remainder of Quot, with the sign of a.
func Rem(t *Task, a, b Value) Value { return arith(t, opRem, a, b) }

// Mod returns a modulo b, with the sign of b.
func Mod(t *Task, a, b Value) Value {
	if a.IsInt() && b.IsInt() {
		if m, ok := num.ModInt64(a.AsInt(), b.AsInt()); ok {
			return Int(m)
		}
	}
	if a.IsInt() && b.IsInt() && b.AsInt() == 0 {
		t.divideByZero(opDiv)
	}
	m := Rem(t, a, b)
	if IsZero(t, m) || IsPos(t, a) == IsPos(t, b) {
		return m
	}
	return Add(t, m, b)
}

// Neg returns -a. It throws for the smallest integer.
func Neg(t *Task, a Value) Value {
	if a.IsInt() {
		return Sub(t, Int(0), a)
	}
	return negate(t, a)
}

// NegP is Neg that returns a bigint instead of throwing: (-' a).
func NegP(t *Task, a Value) Value {
	if a.IsInt() {
		return SubP(t, Int(0), a)
	}
	return negate(t, a)
}

// negate is Neg for numbers other than 64-bit integers.
func negate(t *Task, a Value) Value {
	switch t.numClass(a) {
	case classFloat:
		return Float(-a.AsFloat())
	case classDecimal:
		d := *a.AsDecimal().D
		t.Need(sizeDecimal + sizeDecHeader + num.NegBytes(d))
		return t.Decimal(d.Neg())
	}
	return arith(t, opSub, Int(0), a)
}

// Inc returns a+1. It throws for the largest integer.
func Inc(t *Task, a Value) Value { return Add(t, a, Int(1)) }

// Dec returns a-1. It throws for the smallest integer.
func Dec(t *Task, a Value) Value { return Sub(t, a, Int(1)) }

// IncP is Inc that returns a bigint instead of throwing: inc'.
func IncP(t *Task, a Value) Value { return AddP(t, a, Int(1)) }

// DecP is Dec that returns a bigint instead of throwing: dec'.
func DecP(t *Task, a Value) Value { return SubP(t, a, Int(1)) }

// Abs returns |a|. As in Java, the smallest integer has no positive counterpart and is returned
// unchanged.
func Abs(t *Task, a Value) Value {
	if a.IsInt() {
		n, _ := num.AbsInt64(a.AsInt())
		return Int(n)
	}
	if a.IsFloat() {
		return Float(math.Abs(a.AsFloat()))
	}
	if IsNeg(t, a) {
		return negate(t, a)
	}
	if a.Kind() == KindBigInt {
		return BigIntOf(t, a)
	}
	return a
}

// op is a binary operation.
type op uint8

const (
	opAdd op = iota
	opSub
	opMul
	opDiv
	opQuot
	opRem
)

// opNames are the beginnings of messages about an operand that is not a number.
var opNames = [...]string{opAdd: "+: ", opSub: "-: ", opMul: "*: ", opDiv: "/: ", opQuot: "quot: ", opRem: "rem: "}

// arith performs a binary operation on numbers of any class.
func arith(t *Task, o op, a, b Value) Value {
	if a.IsFloat() || b.IsFloat() {
		x, ok1 := smallFloat(a)
		y, ok2 := smallFloat(b)
		if ok1 && ok2 {
			return Float(floatArith(t, o, x, y))
		}
	}
	for _, v := range [2]Value{a, b} {
		if !v.Is(Numbers) {
			t.notNumberFor(opNames[o], v)
		}
	}
	ca, cb := t.numClass(a), t.numClass(b)
	switch max(ca, cb) {
	case classInt:
		return intArith(t, o, a, b)
	case classBig:
		return bigArith(t, o, t.bigOf(a), t.bigOf(b))
	case classRatio:
		return ratioArith(t, o, a, b)
	case classDecimal:
		return decimalArith(t, o, t.decimalOf(a), t.decimalOf(b))
	default:
		return Float(floatArith(t, o, t.floatOf(a), t.floatOf(b)))
	}
}

// smallFloat converts a double or a 64-bit integer to a double.
func smallFloat(v Value) (f float64, ok bool) {
	switch v.h {
	case &floatHeader:
		return v.AsFloat(), true
	case &intHeader:
		return float64(v.AsInt()), true
	}
	return 0, false
}

func intArith(t *Task, o op, va, vb Value) Value {
	a, b := va.AsInt(), vb.AsInt()
	var n int64
	ok := true
	switch o {
	case opAdd:
		n, ok = num.AddInt64(a, b)
	case opSub:
		n, ok = num.SubInt64(a, b)
	case opMul:
		n, ok = num.MulInt64(a, b)
	default:
		if b == 0 {
			t.divideByZero(o)
		}
		switch o {
		case opQuot:
			n, _ = num.QuotInt64(a, b)
		case opRem:
			n, _ = num.RemInt64(a, b)
		default:
			return t.divideInts(a, b)
		}
	}
	if !ok {
		t.FailHint(diag.Arithmetic, "use +', -', *', inc' or dec' for numbers of any size", "long overflow")
	}
	return Int(n)
}

// divideInts divides as clojure.lang.Numbers does on longs, including the wrap of the smallest long
// in its algorithm.
func (t *Task) divideInts(a, b int64) Value {
	u, v := a, b
	for v != 0 {
		u, v = v, u%v
	}
	a, b = a/u, b/u
	if b == 1 {
		return Int(a)
	}
	if b < 0 && b != math.MinInt64 {
		a, b = -a, -b // as Java does: the smallest integer stays unchanged
	}
	return t.smallRatio(a, b) // it accepts a negative b, even the smallest integer
}

func floatArith(t *Task, o op, a, b float64) float64 {
	switch o {
	case opAdd:
		return a + b
	case opSub:
		return a - b
	case opMul:
		return a * b
	case opDiv:
		return a / b
	}
	if b == 0 {
		t.Fail(diag.Arithmetic, "Divide by zero")
	}
	q := a / b
	if math.IsNaN(q) || math.IsInf(q, 0) {
		t.Fail(diag.NumberFormat, "Infinite or NaN")
	}
	q = math.Trunc(q) + 0 // + 0: an integer part of -0.0 becomes 0.0
	if o == opQuot {
		return q
	}
	return a - q*b
}

// divideByZero fails as Clojure does. Its quot and rem of longs leave the error to Java.
func (t *Task) divideByZero(o op) {
	if o == opQuot || o == opRem {
		t.Fail(diag.Arithmetic, "/ by zero")
	}
	t.Fail(diag.Arithmetic, "Divide by zero")
}
