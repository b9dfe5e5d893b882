package ptc_test

import (
	"testing"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// BenchmarkObserver has the time of 20,000 elements that do nothing: without an observer, with one of operations, and
// with one of elements.
func BenchmarkObserver(b *testing.B) {
	prog, err := ptc.Compile(b.Context(), "p", "(dorun (pmap identity (range 20000)))", ptc.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for name, o := range map[string]*effect.Observer{"none": nil, "element": {Element: func(effect.Element) {}},
		"operation": {Operation: func(effect.Operation) func(diag.Code) { return nil }}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := prog.Run(b.Context(), ptc.RunOptions{Observer: o}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20000, "ns/element")
		})
	}
}
