package num

// This file holds the tests of number parsing that need no JVM results.

import (
	"math/big"
	"strings"
	"testing"
)

func TestParseBigIntSplits(t *testing.T) {
	for _, n := range []int{1, 18, 19, 20, 37, 38, leafDigits, leafDigits + 1, 39000} {
		text := strings.Repeat("9830147256", n/10+1)[:n]
		want, _ := new(big.Int).SetString(text, 10)
		if got, ok := ParseBigInt("-"+text, 10); !ok || got.Neg(got).Cmp(want) != 0 {
			t.Errorf("%d digits: wrong value, ok %v", n, ok)
		}
	}
	hex := "-" + strings.Repeat("0f", 100)
	want, _ := new(big.Int).SetString(hex, 16)
	if got, ok := ParseBigInt(hex, 16); !ok || got.Cmp(want) != 0 {
		t.Errorf("hexadecimal: got %v", got)
	}
}

func TestParseBigIntLimit(t *testing.T) {
	if _, ok := ParseBigInt(strings.Repeat("9", 40000), 10); ok {
		t.Error("a number above MaxBits is accepted")
	}
	if _, ok := ParseBigInt(strings.Repeat("9", 39000), 10); !ok {
		t.Error("a number below MaxBits is refused")
	}
}

func FuzzParseDecimal(f *testing.F) {
	for _, s := range []string{"1", "-1.50", "1E+5", ".5", "5.", "1e-7", "+0.0e0", "1E2147483647"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, ok := ParseDecimal(s)
		if !ok {
			return
		}
		// The adjusted exponent of a printed number may exceed the range that parses.
		if e, ok := ParseDecimal(d.String()); ok && !e.Equal(d) {
			t.Errorf("%q prints as %s, which reads as %s", s, d, e)
		}
		if d.Cmp(d.StripTrailingZeros()) != 0 {
			t.Errorf("%q: stripping changes the value", s)
		}
	})
}
