package ptc

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkPrints reports the cost of an element that does nothing, of one that prints, and
// of one that prints within a nested operation.
func BenchmarkPrints(b *testing.B) {
	for _, c := range []struct {
		name, program string
		elements      int
	}{
		{"nothing", `(do (pmap identity (range 10000)) nil)`, 10000},
		{"print", `(do (pmap (fn [x] (print x "")) (range 10000)) nil)`, 10000},
		{"nested", `(do (pmap (fn [x] (pmap (fn [y] (print y "")) (range 10))) (range 1000)) nil)`, 10000},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := Compile(context.Background(), "prints", c.program, Options{})
			require.NoError(b, err)
			for b.Loop() {
				_, err := p.Run(context.Background(), RunOptions{Output: func(Print) {}})
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.elements), "ns/element")
		})
	}
}
