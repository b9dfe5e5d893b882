package value

// This file compares the arithmetic on ratios with that of math/big, around the sizes at which it changes.

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/ptc-lang/ptc/internal/testlevel"
)

func TestRatioArithmetic(tt *testing.T) {
	t := oracleTask(tt)
	r := rand.New(rand.NewSource(1))
	for i := range testlevel.Size(5_000, 20_000) {
		t.SetUsed(0)
		bits := []int{2, 10, 15, 16, 17, 31, 33, 60, 63, 64, 200}[i%11]
		ratio := func() *big.Rat {
			x := new(big.Rat).SetFrac(randomBig(r, 1+r.Intn(bits)), randomBig(r, 1+r.Intn(bits)))
			if r.Intn(2) == 0 {
				x.Neg(x)
			}
			return x
		}
		a, b := ratio(), ratio()
		va, vb := t.ratio(new(big.Rat).Set(a)), t.ratio(new(big.Rat).Set(b))
		if va.Kind() != KindRatio && vb.Kind() != KindRatio {
			continue
		}
		quo := new(big.Rat).Quo(a, b)
		whole := new(big.Rat).SetInt(new(big.Int).Quo(quo.Num(), quo.Denom()))
		for name, c := range map[string]struct{ got, want Value }{
			"+":    {Add(t, va, vb), t.ratio(new(big.Rat).Add(a, b))},
			"-":    {Sub(t, va, vb), t.ratio(new(big.Rat).Sub(a, b))},
			"*":    {Mul(t, va, vb), t.ratio(new(big.Rat).Mul(a, b))},
			"/":    {Div(t, va, vb), t.ratio(new(big.Rat).Quo(a, b))},
			"quot": {Quot(t, va, vb), t.ratio(new(big.Rat).Set(whole))},
			"rem":  {Rem(t, va, vb), t.ratio(new(big.Rat).Sub(a, new(big.Rat).Mul(whole, b)))},
		} {
			if got, want := t.PrStr(c.got).AsString().S, t.PrStr(c.want).AsString().S; got != want {
				tt.Fatalf("(%s %v %v): got %s, want %s", name, a, b, got, want)
			}
		}
	}
	if half.rat.String() != "1/2" {
		tt.Errorf("the ratio that is copied is %v now", &half.rat)
	}
}
