// This file defines arithmetic on decimals under *math-context*, which
// with-precision binds.

package value

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/num"
)

// mathContext returns the precision and rounding that with-precision has set. ok is false outside
// with-precision.
func (t *Task) mathContext() (mc num.MathContext, ok bool) {
	if t.Host == nil {
		return mc, false
	}
	v, bound := t.Host.Binding("*math-context*")
	if !bound || !v.Is(Vectors) || VecCount(v) != 2 {
		return mc, false
	}
	digits := ToInt(t, VecAt(v, 0))
	if digits < 0 {
		t.Fail(diag.IllegalArgument, "Digits < 0")
	}
	mode := VecAt(v, 1)
	if !mode.IsString() {
		mode = t.Str(mode)
	}
	rounding, known := num.ParseRoundingMode(mode.AsString().S)
	if !known {
		t.Fail(diag.IllegalArgument, "No enum constant java.math.RoundingMode.%s", mode.AsString().S)
	}
	return num.MathContext{Precision: int32(digits), Mode: rounding}, true
}

// contextArith is decimalArith under a math context.
func contextArith(t *Task, o op, a, b num.Decimal, mc num.MathContext) Value {
	t.chargeNumber(2 * num.ContextBytes(a, b, mc))
	t.workBig(a.Unscaled(), b.Unscaled())
	var d num.Decimal
	var err error
	switch o {
	case opAdd:
		d, err = a.AddContext(b, mc)
	case opSub:
		d, err = a.SubContext(b, mc)
	case opMul:
		d, err = a.MulContext(b, mc)
	case opDiv:
		d, err = a.DivContext(b, mc)
	case opQuot:
		d, err = a.QuoContext(b, mc)
	default:
		d, err = a.RemContext(b, mc)
	}
	if err != nil {
		t.failNum(err)
	}
	return t.Decimal(d)
}
