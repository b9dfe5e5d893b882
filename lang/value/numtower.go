// This file defines the numbers beyond 64 bits: bigints, ratios and decimals, their charged sizes
// and their arithmetic.
//
// Before it begins, an operation charges an upper bound of the bytes it allocates, including
// temporary memory (package num computes the bounds). At the end it charges the exact size of its
// result.

package value

import (
	"errors"
	"math/big"
	"slices"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// numClass is the class of a number, in increasing order. An operation on two numbers uses the
// later class.
type numClass uint8

const (
	classInt numClass = iota
	classBig
	classRatio
	classDecimal
	classFloat
)

// numClass returns the class of v. It throws if v is not a number.
func (t *Task) numClass(v Value) numClass {
	switch v.Kind() {
	case KindInt:
		return classInt
	case KindFloat:
		return classFloat
	case KindBigInt:
		return classBig
	case KindRatio:
		return classRatio
	case KindDecimal:
		return classDecimal
	}
	t.notNumber(v)
	return 0
}

// failNum throws an error of package num.
func (t *Task) failNum(err error) {
	if errors.Is(err, num.ErrTooLarge) {
		t.tooLarge()
	}
	if errors.Is(err, num.ErrNotFinite) {
		t.Fail(diag.NumberFormat, "Infinite or NaN")
	}
	t.Fail(diag.Arithmetic, "%s", err)
}

func (t *Task) tooLarge() {
	t.Fail(diag.Arithmetic, "number too large: a number may have at most %d bits, about %d digits",
		num.MaxBits, num.MaxBits*3/10)
}

var (
	sizeBigHeader = limits.ObjectSize(32) // big.Int
	sizeRatHeader = limits.ObjectSize(64) // big.Rat
	sizeDecHeader = limits.ObjectSize(16) // num.Decimal
)

// wordsSize returns the charged bytes of the digits of n.
func wordsSize(n *big.Int) int64 { return limits.BytesSize(cap(n.Bits()) * 8) }

// bigSize returns the charged bytes of n.
func bigSize(n *big.Int) int64 { return sizeBigHeader + wordsSize(n) }

// ratSize returns the charged bytes of r.
func ratSize(r *big.Rat) int64 { return sizeRatHeader + wordsSize(r.Num()) + wordsSize(r.Denom()) }

// decimalSize returns the charged bytes of d.
func decimalSize(d *num.Decimal) int64 { return sizeDecHeader + bigSize(d.Unscaled()) }

// BigInt makes a bigint of n, which must not be changed afterwards. It throws if n exceeds the
// maximum size of a number.
func (t *Task) BigInt(n *big.Int) Value {
	if n.BitLen() > num.MaxBits {
		t.tooLarge()
	}
	t.Charge(sizeBigInt + bigSize(n))
	countBig(&t.Born, n)
	return Value{h: &(&BigInt{Header: t.header(KindBigInt), N: n}).Header}
}

// CopyBigInt makes a bigint of a copy of n, and throws as BigInt does.
func (t *Task) CopyBigInt(n *big.Int) Value {
	if n.BitLen() > num.MaxBits {
		t.tooLarge()
	}
	t.Charge(sizeBigInt + sizeBigHeader + limits.BytesSize(len(n.Bits())*8))
	own := new(big.Int).SetBits(slices.Clone(n.Bits()))
	if n.Sign() < 0 {
		own.Neg(own)
	}
	countBig(&t.Born, own)
	return Value{h: &(&BigInt{Header: t.header(KindBigInt), N: own}).Header}
}

// flagJava marks a bigint that is a BigInteger.
const flagJava = 1

// BigInteger makes a BigInteger of n, which must not be changed afterwards.
func (t *Task) BigInteger(n *big.Int) Value {
	v := t.BigInt(n)
	v.h.flags = flagJava
	return v
}

// IsJava reports whether a bigint is a BigInteger.
func (b *BigInt) IsJava() bool { return b.flags == flagJava }

// bigIntNorm returns n as an integer if it fits 64 bits, else as a bigint.
func (t *Task) bigIntNorm(n *big.Int) Value {
	if n.IsInt64() {
		return Int(n.Int64())
	}
	return t.BigInt(n)
}

// ratio makes a ratio of r, which must not be changed afterwards, or a bigint if its denominator is
// 1.
func (t *Task) ratio(r *big.Rat) Value {
	if r.IsInt() {
		// Not r's own numerator, which would keep the whole of r alive.
		t.Charge(sizeBigHeader)
		return t.BigInt(new(big.Int).Set(r.Num()))
	}
	if max(r.Num().BitLen(), r.Denom().BitLen()) > num.MaxBits {
		t.tooLarge()
	}
	t.Charge(sizeRatio + ratSize(r))
	countRat(&t.Born, r)
	return Value{h: &(&Ratio{Header: t.header(KindRatio), R: r}).Header}
}

// smallRatBytes bounds the temporary memory of a big.Rat of a few words.
const smallRatBytes = 512

// smallRatio makes a/b, in lowest terms with b > 1.
func (t *Task) smallRatio(a, b int64) Value {
	t.chargeNumber(smallRatBytes)
	return t.ratio(new(big.Rat).SetFrac64(a, b))
}

// Decimal makes a decimal.
func (t *Task) Decimal(d num.Decimal) Value {
	t.Charge(sizeDecimal + decimalSize(&d))
	t.Born.Count(decimalClass)
	countBig(&t.Born, d.Unscaled())
	return Value{h: &(&Decimal{Header: t.header(KindDecimal), D: &d}).Header}
}

// tempInt bounds a big.Int made from an int64: header and words.
const tempInt = 32 + 64

// bigOf returns an int or bigint as a big.Int. The caller must not change it.
func (t *Task) bigOf(v Value) *big.Int {
	if v.IsInt() {
		t.chargeNumber(tempInt)
		return big.NewInt(v.AsInt())
	}
	return v.AsBigInt().N
}

// ratOf returns an int, bigint or ratio as a big.Rat. The caller must not change it.
func (t *Task) ratOf(v Value) *big.Rat {
	if v.Kind() == KindRatio {
		return v.AsRatio().R
	}
	if v.IsInt() {
		t.chargeNumber(smallRatBytes)
		return new(big.Rat).SetInt64(v.AsInt())
	}
	n := v.AsBigInt().N
	t.chargeNumber(smallRatBytes + bigSize(n))
	return new(big.Rat).SetInt(n)
}

// decimalOf returns a number other than a double as a decimal. It throws for a ratio that has no
// finite decimal.
func (t *Task) decimalOf(v Value) num.Decimal {
	switch v.Kind() {
	case KindInt:
		t.chargeNumber(tempInt)
		return num.FromInt64(v.AsInt())
	case KindBigInt:
		return num.FromBigInt(v.AsBigInt().N)
	case KindRatio:
		r := v.AsRatio().R
		t.chargeNumber(num.DecimalDivBytes(num.FromBigInt(r.Num()), num.FromBigInt(r.Denom())))
		mc, _ := t.mathContext()
		d, err := num.RatioDecimal(r.Num(), r.Denom(), mc)
		if err != nil {
			t.failNum(err)
		}
		return d
	}
	return *v.AsDecimal().D
}

// floatOf returns a number as a double, as Java's doubleValue does.
func (t *Task) floatOf(v Value) float64 {
	switch v.Kind() {
	case KindInt:
		return float64(v.AsInt())
	case KindFloat:
		return v.AsFloat()
	case KindBigInt:
		n := v.AsBigInt().N
		if n.BitLen() > 53 {
			t.Charge(2*bigSize(n) + tempInt)
		}
		f, _ := n.Float64()
		return f
	case KindRatio:
		r := v.AsRatio().R
		n, d := num.FromBigInt(r.Num()), num.FromBigInt(r.Denom())
		t.chargeNumber(num.ContextBytes(n, d, num.MathContext{Precision: 16}))
		return num.RatioFloat(r.Num(), r.Denom())
	}
	d := *v.AsDecimal().D
	t.chargeNumber(2 * num.DecimalStringBytes(d))
	return d.ToFloat()
}

func bigArith(t *Task, o op, a, b *big.Int) Value {
	z := new(big.Int)
	switch o {
	case opAdd, opSub:
		t.Need(sizeBigInt + num.AddBytes(a, b))
		if o == opAdd {
			z.Add(a, b)
		} else {
			z.Sub(a, b)
		}
		return t.BigInt(z)
	case opMul:
		if num.MulBits(a, b) > num.MaxBits+1 {
			t.tooLarge()
		}
		t.workBig(a, b)
		t.Need(sizeBigInt + num.MulBytes(a, b))
		return t.BigInt(z.Mul(a, b))
	}
	if b.Sign() == 0 {
		t.Fail(diag.Arithmetic, "Divide by zero")
	}
	t.workBig(a, b)
	switch o {
	case opQuot:
		t.chargeDivision(a, b)
		return t.BigInt(z.Quo(a, b))
	case opRem:
		t.chargeDivision(a, b)
		if len(b.Bits()) == 1 {
			t.chargeWords(len(a.Bits()) + mathWords) // the quotient
		}
		return t.BigInt(z.Rem(a, b))
	}
	return t.divideBig(a, b)
}

// mathWords is the number of spare words that math/big allocates with a number.
const mathWords = 4

// chargeDivision charges the memory of a division in addition to its result: the quotient or the
// remainder, which has the size of a plus one word. A division by one word needs no value of this
// size.
func (t *Task) chargeDivision(a, b *big.Int) {
	t.Need(sizeBigInt + 2*num.DivBytes(a, b))
	t.Charge(tempInt)
	if len(b.Bits()) > 1 {
		t.chargeWords(len(a.Bits()) + 1 + mathWords)
	}
}

// divideBig returns a/b as an integer or a ratio. The parts of a ratio have at most MaxBits bits
// together, because they are reduced to lowest terms without a poll.
func (t *Task) divideBig(a, b *big.Int) Value {
	if num.MulBits(a, b) > num.MaxBits {
		t.chargeDivision(a, b)
		q, r := new(big.Int).QuoRem(a, b, new(big.Int))
		if r.Sign() != 0 {
			t.tooLarge()
		}
		return t.BigInt(q)
	}
	t.workGCD(a, b)
	s := t.scratch(a.BitLen() + b.BitLen())
	s.Set(a, b)
	return t.ratioOf(s)
}

// workBig accounts for a multiplication or division of a and b. The largest one takes about 0.7 ms. A unit
// is 10 ns; the work is quadratic in the words.
func (t *Task) workBig(a, b *big.Int) {
	t.Work(int64(len(a.Bits())) * int64(len(b.Bits())) >> 9)
}

// workGCD accounts for the greatest common divisor of a and b, which takes 80 times as long.
func (t *Task) workGCD(a, b *big.Int) {
	t.Work(int64(len(a.Bits())) * int64(len(b.Bits())) >> 3)
}

// workText accounts for printing n. The longest number takes about 2 ms.
func (t *Task) workText(n *big.Int) {
	t.Work(int64(len(n.Bits())) * int64(len(n.Bits())) >> 6)
}

// chargeAligned charges the memory of a sum of decimals in addition to its result: one of them at
// the scale of the other.
func (t *Task) chargeAligned(a, b num.Decimal) {
	if a.Scale() == b.Scale() {
		t.Need(sizeDecimal + sizeDecHeader + num.DecimalAddBytes(a, b))
		return
	}
	t.chargeNumber(num.DecimalAddBytes(a, b))
}

func decimalArith(t *Task, o op, a, b num.Decimal) Value {
	if mc, ok := t.mathContext(); ok {
		return contextArith(t, o, a, b, mc)
	}
	var d num.Decimal
	var err error
	switch o {
	case opAdd:
		t.chargeAligned(a, b)
		d, err = a.Add(b)
	case opSub:
		t.chargeAligned(a, b)
		d, err = a.Sub(b)
	case opMul:
		t.Need(sizeDecimal + sizeDecHeader + num.DecimalMulBytes(a, b))
		d, err = a.Mul(b)
	case opDiv:
		t.chargeNumber(num.DecimalDivBytes(a, b))
		d, err = a.Div(b)
	case opQuot:
		t.chargeNumber(num.DecimalDivBytes(a, b))
		d, err = a.Quo(b)
	default:
		t.chargeNumber(2 * num.DecimalDivBytes(a, b))
		d, err = a.Rem(b)
	}
	t.workBig(a.Unscaled(), b.Unscaled())
	if err != nil {
		t.failNum(err)
	}
	return t.Decimal(d)
}
