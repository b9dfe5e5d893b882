package num

// This file defines Scratch, reusable memory for arithmetic on ratios. math/big allocates a block
// for each intermediate value, of about the size of the result: 17 times the memory that a sum
// keeps. A Scratch keeps them in one block.

import (
	"math/big"
	"math/bits"
)

// Scratch holds the intermediate values and the result (N and D) of one operation on ratios. The
// operands of its methods must not be part of it. The methods do not allocate.
type Scratch struct {
	N, D *big.Int

	n    [10]big.Int
	a, b *big.Int // of gcd
	t, s *big.Int
	q, r *big.Int
	x, y *big.Int // cofactors of one word
}

const (
	scratchInts  = 8 // values as long as the longest value
	scratchShort = 2 // values of a few words
	shortWords   = 4
	// spareWords is the number of words that a value may need beyond its own: for a carry, and for
	// the bits that a division shifts out.
	spareWords = 4
)

// scratchWords returns the words of a value of size bits, including the spare words.
func scratchWords(size int) int { return (size+bits.UintSize-1)/bits.UintSize + spareWords }

// ScratchBytes returns the bytes of the block that NewScratch allocates.
func ScratchBytes(size int) int {
	return (scratchInts*scratchWords(size) + scratchShort*shortWords) * bits.UintSize / 8
}

// NewScratch returns a Scratch for values of at most size bits. It allocates a block of
// ScratchBytes(size), and the Scratch itself, which has at most 512 bytes.
func NewScratch(size int) *Scratch {
	words := scratchWords(size)
	block := make([]big.Word, scratchInts*words+scratchShort*shortWords)
	s := &Scratch{}
	for i := range s.n {
		n := words
		if i >= scratchInts {
			n = shortWords
		}
		s.n[i].SetBits(block[:0:n])
		block = block[n:]
	}
	s.N, s.D, s.a, s.b, s.t, s.s = &s.n[0], &s.n[1], &s.n[2], &s.n[3], &s.n[4], &s.n[5]
	s.q, s.r, s.x, s.y = &s.n[6], &s.n[7], &s.n[8], &s.n[9]
	return s
}

// Add computes an/ad + bn/bd, in lowest terms.
func (s *Scratch) Add(an, ad, bn, bd *big.Int) {
	s.N.Mul(an, bd)
	s.N.Add(s.N, s.q.Mul(bn, ad))
	s.D.Mul(ad, bd)
	s.reduce()
}

// Sub computes an/ad - bn/bd, in lowest terms.
func (s *Scratch) Sub(an, ad, bn, bd *big.Int) {
	s.N.Mul(an, bd)
	s.N.Sub(s.N, s.q.Mul(bn, ad))
	s.D.Mul(ad, bd)
	s.reduce()
}

// Mul computes an/ad × bn/bd, in lowest terms.
func (s *Scratch) Mul(an, ad, bn, bd *big.Int) {
	s.N.Mul(an, bn)
	s.D.Mul(ad, bd)
	s.reduce()
}

// Quo computes the quotient of an/ad and bn/bd, in lowest terms. bn must not be 0.
func (s *Scratch) Quo(an, ad, bn, bd *big.Int) {
	s.Mul(an, ad, bd, bn)
}

// Int computes the integer part of the quotient of an/ad and bn/bd. bn must not be 0.
func (s *Scratch) Int(an, ad, bn, bd *big.Int) {
	s.a.Mul(an, bd)
	s.b.Mul(ad, bn)
	s.N.QuoRem(s.a, s.b, s.r)
	s.D.SetUint64(1)
}

// Rem computes the remainder of Int: (an×bd rem bn×ad) / (ad×bd).
func (s *Scratch) Rem(an, ad, bn, bd *big.Int) {
	s.a.Mul(an, bd)
	s.b.Mul(bn, ad)
	s.q.QuoRem(s.a, s.b, s.r)
	s.N, s.r = s.r, s.N
	s.D.Mul(ad, bd)
	s.reduce()
}

// Set computes n/d, in lowest terms. d must not be 0.
func (s *Scratch) Set(n, d *big.Int) {
	s.N.Set(n)
	s.D.Set(d)
	s.reduce()
}

// reduce converts N/D to lowest terms with a positive D.
func (s *Scratch) reduce() {
	if s.D.Sign() < 0 {
		s.N.Neg(s.N)
		s.D.Neg(s.D)
	}
	s.a.Abs(s.N)
	s.b.Set(s.D)
	s.gcd()
	if s.a.BitLen() == 1 {
		return
	}
	s.q.QuoRem(s.N, s.a, s.r)
	s.N, s.q = s.q, s.N
	s.q.QuoRem(s.D, s.a, s.r)
	s.D, s.q = s.q, s.D
}

// gcd sets a to the greatest common divisor of a and b. a must not be negative, and b must be
// positive.
func (s *Scratch) gcd() {
	for s.b.Sign() != 0 {
		switch {
		case s.a.IsUint64() && s.b.IsUint64():
			a, b := s.a.Uint64(), s.b.Uint64()
			for b != 0 {
				a, b = b, a%b
			}
			s.a.SetUint64(a)
			return
		case s.a.Cmp(s.b) >= 0 && len(s.b.Bits()) > 1 && s.lehmer():
		default:
			s.q.QuoRem(s.a, s.b, s.r)
			s.a, s.b, s.r = s.b, s.r, s.a
		}
	}
}

// leading is the number of leading bits of a and b that lehmer uses, so that its results fit 64
// bits.
const leading = 62

// lehmer performs as many steps of Euclid's algorithm as the leading bits of a and b determine
// (Knuth, The Art of Computer Programming, volume 2, 4.5.2, algorithm L). It reports whether there
// was a step. a must be at least b.
func (s *Scratch) lehmer() bool {
	shift := uint(s.a.BitLen() - leading)
	a, b := leadingBits(s.a, shift), leadingBits(s.b, shift)
	// The values after the steps are p×a + q×b and r×a + t×b.
	p, q, r, t := int64(1), int64(0), int64(0), int64(1)
	for b+r != 0 && b+t != 0 {
		n := (a + p) / (b + r)
		if n != (a+q)/(b+t) {
			break
		}
		p, r = r, p-n*r
		q, t = t, q-n*t
		a, b = b, a-n*b
	}
	if q == 0 {
		return false
	}
	s.combine(s.t, p, q)
	s.combine(s.s, r, t)
	s.a, s.t = s.t, s.a
	s.b, s.s = s.s, s.b
	return true
}

// combine sets z to p×a + q×b.
func (s *Scratch) combine(z *big.Int, p, q int64) {
	z.Mul(s.a, s.x.SetInt64(p))
	z.Add(z, s.q.Mul(s.b, s.y.SetInt64(q)))
}

// leadingBits returns n >> shift, which has at most 62 bits.
func leadingBits(n *big.Int, shift uint) int64 {
	words := n.Bits()
	i, off := int(shift/bits.UintSize), shift%bits.UintSize
	if i >= len(words) {
		return 0
	}
	lead := uint64(words[i]) >> off
	if off > 0 && i+1 < len(words) {
		lead |= uint64(words[i+1]) << (bits.UintSize - off)
	}
	return int64(lead)
}
