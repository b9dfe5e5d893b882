// This file defines the benchmarks of the conversion of inputs.

package ptc_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ptc-lang/ptc"
)

// benchAddress and benchOrder are records of a host with the features of real ones: nesting, times, optional fields.
type benchAddress struct {
	City string `json:"city"`
	Zip  string `json:"zip"`
}

type benchOrder struct {
	ID      int          `json:"id"`
	Region  string       `json:"region"`
	Total   float64      `json:"total"`
	Paid    bool         `json:"paid,omitempty"`
	Tags    []string     `json:"tags"`
	Address benchAddress `json:"address"`
}

type benchEvent struct {
	Name string    `json:"name"`
	At   time.Time `json:"at"`
}

// benchInputs returns inputs of n records, by the name of their shape.
func benchInputs(n int) map[string]any {
	maps := make([]map[string]any, n)
	orders := make([]benchOrder, n)
	events := make([]benchEvent, n)
	totals := make([]map[string]float64, n)
	for i := range n {
		region := fmt.Sprintf("region-%02d", i%20)
		maps[i] = map[string]any{"id": i, "region": region, "total": float64(i) / 4, "paid": i%2 == 0}
		orders[i] = benchOrder{i, region, float64(i) / 4, i%2 == 0, []string{"a", "b"}, benchAddress{region, "12345"}}
		events[i] = benchEvent{region, time.Unix(int64(i), 0).UTC()}
		totals[i] = map[string]float64{"net": float64(i), "gross": float64(i) * 1.5}
	}
	return map[string]any{"maps": maps, "structs": orders, "times": events, "typed maps": totals}
}

// BenchmarkConvert runs a program that only counts its input.
func BenchmarkConvert(b *testing.B) {
	prog, err := ptc.Compile(context.Background(), "count.ptc", "(count data/x)", ptc.Options{})
	if err != nil {
		b.Fatal(err)
	}
	inputs := benchInputs(1000)
	inputs["one struct"] = benchOrder{1, "north", 2, true, []string{"a"}, benchAddress{"x", "1"}}
	for _, name := range []string{"maps", "structs", "times", "typed maps", "one struct"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := prog.Run(context.Background(), ptc.RunOptions{Data: map[string]any{"x": inputs[name]}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
