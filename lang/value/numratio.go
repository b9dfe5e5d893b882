// This file defines the arithmetic on ratios, whose intermediate values are in one block
// (num.Scratch).

package value

import (
	"math/big"
	"math/bits"
	"slices"
	"sync"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/num"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// ratioParts returns the numerator and the denominator of an int, bigint or ratio. The caller must
// not change them.
func (t *Task) ratioParts(v Value) (n, d *big.Int) {
	if v.Kind() == KindRatio {
		r := v.AsRatio().R
		return r.Num(), r.Denom()
	}
	return t.bigOf(v), num.One
}

// scratchHeader is the size of a num.Scratch without its block.
const scratchHeader = 512

// scratch returns memory for an operation on ratios whose products have at most size bits.
func (t *Task) scratch(size int) *num.Scratch {
	n := num.ScratchBytes(size + 1)
	t.Charge(scratchHeader + limits.BytesSize(n))
	countBytes(&t.Born, n)
	countBytes(&t.Born, scratchHeader)
	return num.NewScratch(size + 1)
}

// newRat returns a ratio that has a denominator, unlike a new big.Rat.
func newRat() *big.Rat {
	half.once.Do(func() { half.rat.SetFrac64(1, 2) })
	r := new(big.Rat)
	*r = half.rat
	return r
}

// half is the ratio that newRat copies. The first call of newRat makes it.
var half struct {
	once sync.Once
	rat  big.Rat
}

// ratioOf makes a ratio of the result in s, or a bigint if the denominator is 1.
func (t *Task) ratioOf(s *num.Scratch) Value {
	if s.D.IsInt64() && s.D.Int64() == 1 {
		return t.CopyBigInt(s.N)
	}
	if max(s.N.BitLen(), s.D.BitLen()) > num.MaxBits {
		t.tooLarge()
	}
	t.Charge(sizeRatio + sizeRatHeader + limits.BytesSize(8*len(s.N.Bits())) + limits.BytesSize(8*len(s.D.Bits())))
	r := newRat()
	r.Num().SetBits(slices.Clone(s.N.Bits()))
	r.Denom().SetBits(slices.Clone(s.D.Bits()))
	if s.N.Sign() < 0 {
		r.Num().Neg(r.Num())
	}
	countRat(&t.Born, r)
	return Value{h: &(&Ratio{Header: t.header(KindRatio), R: r}).Header}
}

func ratioArith(t *Task, o op, x, y Value) Value {
	an, ad := t.ratioParts(x)
	bn, bd := t.ratioParts(y)
	size := an.BitLen() + ad.BitLen() + bn.BitLen() + bd.BitLen()
	if size > num.MaxBits/2 { // the cross products have twice as many bits
		t.tooLarge()
	}
	if o >= opDiv && bn.Sign() == 0 {
		t.Fail(diag.Arithmetic, "Divide by zero")
	}
	if size <= shortRatio && o <= opDiv {
		return t.shortRatioArith(o, an.Int64(), ad.Int64(), bn.Int64(), bd.Int64())
	}
	t.workGCD(an, bd)
	t.workGCD(ad, bn)
	s := t.scratch(size)
	switch o {
	case opAdd:
		s.Add(an, ad, bn, bd)
	case opSub:
		s.Sub(an, ad, bn, bd)
	case opMul:
		s.Mul(an, ad, bn, bd)
	case opDiv:
		s.Quo(an, ad, bn, bd)
	case opQuot:
		s.Int(an, ad, bn, bd)
	default:
		s.Rem(an, ad, bn, bd)
	}
	return t.ratioOf(s)
}

// ratioOpBytes bounds the bytes that an operation on ratios allocates if its cross products have at
// most the given bits.
func ratioOpBytes(bits int) int64 { return int64(bits)*8 + 4096 }

// shortRatio is the number of bits that the parts of two ratios may have together, so that their
// products and the sum of these fit 64 bits.
const shortRatio = 62

// shortRatioArith is ratioArith for two ratios of few bits.
func (t *Task) shortRatioArith(o op, an, ad, bn, bd int64) Value {
	var n, d int64
	switch o {
	case opAdd:
		n, d = an*bd+bn*ad, ad*bd
	case opSub:
		n, d = an*bd-bn*ad, ad*bd
	case opMul:
		n, d = an*bn, ad*bd
	default:
		n, d = an*bd, ad*bn
	}
	if d < 0 {
		n, d = -n, -d
	}
	a, b := n, d
	for b != 0 {
		a, b = b, a%b
	}
	a = max(a, -a)
	return t.reducedRatio(n/a, d/a)
}

// reducedRatio makes a ratio in lowest terms, or a bigint if d is 1.
func (t *Task) reducedRatio(n, d int64) Value {
	if d == 1 {
		t.Need(sizeBigInt + tempInt)
		return t.BigInt(big.NewInt(n))
	}
	t.Charge(sizeRatio + sizeRatHeader + 2*limits.BytesSize(8))
	r := newRat()
	r.Num().SetBits(make([]big.Word, 0, 64/bits.UintSize)).SetInt64(n) // not in the words of half
	r.Denom().SetBits(make([]big.Word, 0, 64/bits.UintSize)).SetInt64(d)
	countRat(&t.Born, r)
	return Value{h: &(&Ratio{Header: t.header(KindRatio), R: r}).Header}
}
