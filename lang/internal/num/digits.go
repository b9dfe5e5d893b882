package num

// This file defines the conversion of digits to an integer. It does not use big.Int.SetString,
// which grows its result word by word: 14 MB of garbage for 157,000 digits, compared with 1 MB
// here.

import (
	"math/big"
	"math/bits"
)

// leafDigits is the number of digits that are converted one word at a time, which is quadratic:
// half a millisecond for this many.
const leafDigits = 20000

// fromDigits returns the integer of the given digit values, most significant
// first. It splits long numbers, so that most of the work is multiplication.
func fromDigits(digits []byte, radix int) *big.Int {
	if len(digits) <= leafDigits {
		return new(big.Int).SetBits(leafWords(digits, radix))
	}
	low := leafDigits
	for 2*low < len(digits) {
		low *= 2
	}
	cut := len(digits) - low
	n := new(big.Int).Exp(big.NewInt(int64(radix)), big.NewInt(int64(low)), nil)
	n.Mul(fromDigits(digits[:cut], radix), n)
	return n.Add(n, fromDigits(digits[cut:], radix))
}

// leafWords multiplies and adds in place, with as many digits at a time as fit a word.
func leafWords(digits []byte, radix int) []big.Word {
	perWord, full := wordDigits(uint(radix))
	words := make([]big.Word, 0, len(digits)/perWord+1)
	for len(digits) > 0 {
		n := len(digits) % perWord
		scale := full
		if n == 0 {
			n = perWord
		} else {
			scale = 0 // the first group is shorter: there is nothing to scale yet
		}
		var carry uint
		for _, d := range digits[:n] {
			carry = carry*uint(radix) + uint(d)
		}
		digits = digits[n:]
		for i, w := range words {
			hi, lo := bits.Mul(uint(w), scale)
			lo, c := bits.Add(lo, carry, 0)
			words[i], carry = big.Word(lo), hi+c
		}
		if carry != 0 {
			words = append(words, big.Word(carry))
		}
	}
	return words
}

// wordDigits returns the number of digits that always fit a word, and radix to that power.
func wordDigits(radix uint) (n int, power uint) {
	n, power = 1, radix
	for {
		hi, lo := bits.Mul(power, radix)
		if hi != 0 {
			return n, power
		}
		n, power = n+1, lo
	}
}
