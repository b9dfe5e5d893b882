package etcd

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// BenchmarkAppend measures one append after the other, of 300 bytes, on the leader or any other member.
func BenchmarkAppend(b *testing.B) {
	for _, members := range []int{1, 3} {
		b.Run(fmt.Sprintf("%d members", members), func(b *testing.B) {
			e := openInProcess(b, members, func(*Options) {}).engine(0)
			value := make([]byte, 300)
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				begin, key := time.Now(), fmt.Sprintf("log/%09d", i)
				_, err := e.Apply(b.Context(), []engine.Condition{engine.Absent(key)}, engine.Put(key, value))
				if err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}
