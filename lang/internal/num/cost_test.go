package num

// This file checks that the cost functions are upper bounds of the allocations of their operations.

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/testlevel"
)

var sink any

// allocated returns the bytes that f allocates. If the first run exceeds the bound, it returns the
// minimum of a few runs, since the runtime itself allocates now and then.
func allocated(bound int64, f func() any) int64 {
	least := int64(1) << 62
	var before, after runtime.MemStats
	for try := 0; try < 3 && least > bound; try++ {
		runtime.ReadMemStats(&before)
		sink = f()
		runtime.ReadMemStats(&after)
		least = min(least, int64(after.TotalAlloc-before.TotalAlloc))
	}
	return least
}

func randomBig(r *rand.Rand, bits int) *big.Int {
	words := make([]big.Word, bits/64+1)
	for i := range words {
		words[i] = big.Word(r.Uint64())
	}
	x := new(big.Int).SetBits(words)
	x.SetBit(x, 64*len(words)-1, 1) // a fixed length before the shift
	return x.Rsh(x, uint(64*len(words)-bits))
}

func result[T any](v T, _ error) any { return v }

func TestCostBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("reads memory statistics thousands of times")
	}
	r := rand.New(rand.NewPCG(1, 2))
	worst := map[string]float64{}
	check := func(name string, bound int64, f func() any) {
		t.Helper()
		got := allocated(bound, f)
		if got > bound {
			t.Errorf("%s allocates %d bytes, bound is %d", name, got, bound)
		}
		size := "small "
		if bound > 10000 {
			size = "large "
		}
		worst[size+name] = max(worst[size+name], float64(got)/float64(max(bound, 1)))
	}
	sizes := []int{1, 64, 200, 1300, 5000, 100000, MaxBits / 2}
	for i, n := range sizes {
		for j, m := range sizes {
			if !testlevel.Takes(i+j, 3) {
				continue
			}
			checkBig(check, randomBig(r, n), randomBig(r, m))
			for _, gap := range []int32{0, 1, 300, 100000} {
				checkDecimal(check, NewDecimal(randomBig(r, n), gap), NewDecimal(randomBig(r, m), int32(r.IntN(30))))
			}
		}
	}
	for name, w := range worst {
		t.Logf("%-17s reaches %.0f %% of its bound", name, 100*w)
	}
}

type checker func(name string, bound int64, f func() any)

func checkBig(check checker, a, b *big.Int) {
	check("add", AddBytes(a, b), func() any { return new(big.Int).Add(a, b) })
	check("mul", MulBytes(a, b), func() any { return new(big.Int).Mul(a, b) })
	check("div", DivBytes(a, b), func() any { q, r := new(big.Int).QuoRem(a, b, new(big.Int)); return []any{q, r} })
	check("reduce", ReduceBytes(a, b), func() any { n, d := ReduceRatio(a, b); return []any{n, d} })
	check("string", StringBytes(a), func() any { return a.String() })
	text := a.String()
	check("parse", ParseBigIntBytes(text, 10), func() any { n, _ := ParseBigInt(text, 10); return n })
	if n := uint64(b.BitLen()); PowBits(a, n) <= MaxBits {
		check("pow", PowBytes(a, n), func() any { return new(big.Int).Exp(a, new(big.Int).SetUint64(n), nil) })
	}
	check("lsh", ShiftLeftBytes(a, uint32(b.BitLen())), func() any { return new(big.Int).Lsh(a, uint(b.BitLen())) })
}

func checkDecimal(check checker, a, b Decimal) {
	mc := MathContext{Precision: b.Scale() + 1, Mode: HalfUp}
	check("decadd", DecimalAddBytes(a, b), func() any { return result(a.Add(b)) })
	check("decmul", DecimalMulBytes(a, b)+64, func() any { return result(a.Mul(b)) })
	check("decdiv", DecimalDivBytes(a, b), func() any { return result(a.Div(b)) })
	for _, scale := range []int32{-20, 0, 40} {
		check("decdivscale", DivScaleBytes(a, b, scale), func() any { return result(a.DivScale(b, scale, HalfEven)) })
	}
	check("decquo", DecimalDivBytes(a, b), func() any { return result(a.Quo(b)) })
	check("decrem", DecimalDivBytes(a, b), func() any { return result(a.Rem(b)) })
	check("cmp", CmpBytes(a, b)+64, func() any { return a.Cmp(b) })
	check("strip", StripBytes(a)+64, func() any { return a.StripTrailingZeros() })
	check("precision", PrecisionBytes(a)+64, func() any { return a.Precision() })
	check("decstring", DecimalStringBytes(a), func() any { return a.String() })
	check("plain", PlainStringBytes(a), func() any { return a.PlainString() })
	check("rationalize", RationalizeBytes(a), func() any { n, d, _ := a.Rationalize(); return []any{n, d} })
	check("setscale", SetScaleBytes(a, b.Scale()), func() any { return result(a.SetScale(b.Scale(), HalfUp)) })
	check("round", RoundBytes(a), func() any { return result(a.Round(mc)) })
	check("addctx", ContextBytes(a, b, mc), func() any { return result(a.AddContext(b, mc)) })
	check("divctx", ContextBytes(a, b, mc), func() any { return result(a.DivContext(b, mc)) })
	check("remctx", ContextBytes(a, b, mc), func() any { return result(a.RemContext(b, mc)) })
}

// Powers of ten and two are the worst case of stripping zeros.
func TestStripBound(t *testing.T) {
	for _, n := range []int64{10, 1000, 40000, 150000} {
		x := NewDecimal(raise(One, n), 0)
		if got := allocated(StripBytes(x), func() any { return x.StripTrailingZeros() }); got > StripBytes(x) {
			t.Errorf("10^%d: stripping allocates %d bytes, bound is %d", n, got, StripBytes(x))
		}
		x = NewDecimal(new(big.Int).Lsh(One, uint(3*n)), 0)
		if got := allocated(StripBytes(x), func() any { return x.StripTrailingZeros() }); got > StripBytes(x) {
			t.Errorf("2^%d: stripping allocates %d bytes, bound is %d", 3*n, got, StripBytes(x))
		}
	}
}

// Operations for which Java would allocate gigabytes are refused cheaply.
func TestHugeScalesAreRefused(t *testing.T) {
	huge, _ := ParseDecimal("1E+2000000000")
	tiny, _ := ParseDecimal("3E-2000000000")
	one := FromInt64(1)
	wide := MathContext{Precision: 2000000000, Mode: HalfUp}
	cases := map[string]func() error{
		"add":         func() error { _, err := huge.Add(one); return err },
		"sub":         func() error { _, err := one.Sub(tiny); return err },
		"quo":         func() error { _, err := huge.Quo(tiny); return err },
		"rem":         func() error { _, err := huge.Rem(FromInt64(7)); return err },
		"setscale":    func() error { _, err := huge.SetScale(0, Down); return err },
		"bigint":      func() error { _, err := huge.ToBigInt(); return err },
		"divctx":      func() error { _, err := one.DivContext(FromInt64(3), wide); return err },
		"rationalize": func() error { _, _, err := tiny.Rationalize(); return err },
	}
	for name, f := range cases {
		var err error
		if got := allocated(10000, func() any { err = f(); return nil }); got > 10000 {
			t.Errorf("%s allocates %d bytes", name, got)
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if c := huge.Cmp(tiny); c != 1 {
		t.Errorf("cmp: got %d", c)
	}
	if s := fmt.Sprint(huge.HashCode(), tiny, one.CmpAbs(huge), huge.ToFloat(), tiny.ToFloat()); !strings.HasSuffix(s,
		"3E-2000000000 -1 +Inf 0") {
		t.Error(s)
	}
	sum, err := huge.AddContext(one, MathContext{5, HalfUp})
	if err != nil || sum.String() != "1.0000E+2000000000" {
		t.Errorf("condensed sum: %v, %v", sum, err)
	}
}
