package num

// This file compares the arithmetic on ratios with that of math/big.

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ptc-lang/ptc/internal/testlevel"
)

// ratios returns numerators and denominators of many sizes, with and without common factors.
func ratios(r *rand.Rand, size int) *big.Rat {
	n, d := randomBig(r, 1+r.IntN(size)), randomBig(r, 1+r.IntN(size))
	if r.IntN(2) == 0 {
		f := randomBig(r, 1+r.IntN(size))
		n, d = n.Mul(n, f), d.Mul(d, f)
	}
	if r.IntN(2) == 0 {
		n.Neg(n)
	}
	if r.IntN(20) == 0 {
		n.SetInt64(0)
	}
	return new(big.Rat).SetFrac(n, d)
}

func TestScratch(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range []int{8, 63, 64, 65, 128, 300, 2000, 20000} {
		for range testlevel.Size(60, 400) {
			a, b := ratios(r, size), ratios(r, size)
			an, ad, bn, bd := a.Num(), a.Denom(), b.Num(), b.Denom()
			s := NewScratch(an.BitLen() + ad.BitLen() + bn.BitLen() + bd.BitLen() + 1)
			check := func(what string, want *big.Rat) {
				t.Helper()
				if s.N.Cmp(want.Num()) != 0 || s.D.Cmp(want.Denom()) != 0 {
					t.Fatalf("%s of %v and %v: got %v/%v, want %v", what, a, b, s.N, s.D, want)
				}
			}
			s.Add(an, ad, bn, bd)
			check("the sum", new(big.Rat).Add(a, b))
			s.Sub(an, ad, bn, bd)
			check("the difference", new(big.Rat).Sub(a, b))
			s.Mul(an, ad, bn, bd)
			check("the product", new(big.Rat).Mul(a, b))
			if bn.Sign() == 0 {
				continue
			}
			s.Quo(an, ad, bn, bd)
			quo := new(big.Rat).Quo(a, b)
			check("the quotient", quo)
			s.Int(an, ad, bn, bd)
			n := new(big.Rat).SetInt(new(big.Int).Quo(quo.Num(), quo.Denom()))
			check("the integer part", n)
			s.Rem(an, ad, bn, bd)
			check("the remainder", new(big.Rat).Sub(a, n.Mul(n, b)))
			s.Set(new(big.Int).Mul(an, bn), new(big.Int).Mul(ad, bn))
			check("a fraction", a)
		}
	}
}

// TestScratchSuffices checks that an operation in a Scratch does not allocate.
func TestScratchSuffices(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, size := range []int{8, 64, 500, 3000, 16000} {
		a, b := ratios(r, size), ratios(r, size)
		an, ad, bn, bd := a.Num(), a.Denom(), b.Num(), b.Denom()
		s := NewScratch(an.BitLen() + ad.BitLen() + bn.BitLen() + bd.BitLen() + 1)
		allocs := testing.AllocsPerRun(20, func() {
			s.Add(an, ad, bn, bd)
			s.Mul(an, ad, bn, bd)
			if bn.Sign() != 0 {
				s.Quo(an, ad, bn, bd)
				s.Rem(an, ad, bn, bd)
			}
		})
		if allocs > 0 {
			t.Errorf("%d bits: %v allocations", size, allocs)
		}
	}
}

func BenchmarkRatioAdd(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, size := range []int{64, 1000, 8000} {
		x, y := new(big.Rat).SetFrac(randomBig(r, size), randomBig(r, size)),
			new(big.Rat).SetFrac(randomBig(r, size), randomBig(r, size))
		b.Run("big", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = new(big.Rat).Add(x, y)
			}
		})
		b.Run("scratch", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := NewScratch(4*size + 1)
				s.Add(x.Num(), x.Denom(), y.Num(), y.Denom())
				sink = s
			}
		})
	}
}
