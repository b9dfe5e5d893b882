package hostile

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/budget"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// TestWidestLimits runs a program under the widest value of each bound, alone and together.
// One beyond it is an error, and not cut.
func TestWidestLimits(t *testing.T) {
	const source = `(defn down [n] (if (pos? n) (inc (down (dec n))) 0))
		(println "x") [(reduce + (pmap (fn [x] (* x x)) (range 10))) (down 100) (with-limits {:workers 2} (first (pmap inc [1]))) (read-string "[[1]]")]`
	run := func(l ptc.Limits) string { return ptctest.Eval(t, source, ptc.Options{Limits: l}) }
	want := run(ptc.Limits{})
	most := reflect.ValueOf(limits.Most())
	for i := range most.NumField() {
		var l ptc.Limits
		field, name := reflect.ValueOf(&l).Elem().Field(i), most.Type().Field(i).Name
		field.SetInt(most.Field(i).Int())
		assert.Equal(t, want, run(l), name)
		field.SetInt(most.Field(i).Int() + 1)
		_, err := ptc.Compile(context.Background(), "p.ptc", source, ptc.Options{Limits: l})
		var e *ptc.Error
		require.ErrorAs(t, err, &e, name)
		assert.Equal(t, diag.IllegalArgument, e.Code, name)
		assert.Contains(t, e.Message, "want at most", name)
	}
	assert.Equal(t, want, run(limits.Most()))
	assert.EqualValues(t, budget.MaxCapacity, limits.Most().Workers, "no bound on workers is cut")
}

// TestWideScopes has with-limits with bounds that are no narrower than those around it: they
// change nothing, however wide they are.
func TestWideScopes(t *testing.T) {
	for _, bound := range []string{":bytes", ":steps", ":ms", ":calls", ":workers"} {
		for _, n := range []string{"9223372036854775807", "9223372036854775000", "9e18"} {
			assert.Equal(t, "[0 1 2]", ptctest.Eval(t, "(with-limits {"+bound+" "+n+"} (vec (pmap identity (range 3))))", ptc.Options{}), bound+" "+n)
		}
		for _, n := range []string{"0", "-1", "1e19", "9223372036854775808", "1.5", "nil", "1/2"} {
			got := ptctest.Eval(t, "(try (with-limits {"+bound+" "+n+"} 1) (catch :illegal-argument e (ex-message e)))", ptc.Options{})
			assert.Contains(t, got, "want a whole number from 1 to 9223372036854775807", bound+" "+n)
		}
	}
}
