package mcp_test

import (
	"context"
	"slices"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// BenchmarkCancel measures, between processes, the time from a cancellation to the answer of the next call, which a
// server of one program at a time begins when the cancelled one has ended. The way none is that of the next call alone.
func BenchmarkCancel(b *testing.B) {
	flags := []string{"--concurrent", "1", "--timeout", "1h", "--steps", "1000000000000000"}
	for _, way := range []string{"stdio", "http"} {
		var c *sdk.ClientSession
		if way == "stdio" {
			c, _ = connect(b, flags...)
		} else {
			var err error
			c, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(b.Context(),
				&sdk.StreamableClientTransport{Endpoint: listen(b, flags...).url, HTTPClient: authorized()}, nil)
			require.NoError(b, err)
			defer c.Close()
		}
		for name, source := range map[string]string{"none": "",
			"loop": `(loop [i 0] (recur (inc i)))`,
			"pmap": `(doall (pmap (fn [_] (loop [i 0] (recur (inc i)))) (range 8)))`,
			"sort": `(loop [] (sort (range 20000)) (recur))`,
		} {
			b.Run(way+"/"+name, func(b *testing.B) {
				var took []time.Duration
				for b.Loop() {
					ctx, cancel := context.WithCancel(b.Context())
					over := make(chan struct{})
					go func() {
						defer close(over)
						if source != "" {
							_, _ = value(ctx, c, map[string]any{"program": source})
						}
					}()
					time.Sleep(30 * time.Millisecond) // so that it computes
					at := time.Now()
					cancel()
					_, err := value(b.Context(), c, map[string]any{"program": "1"})
					took = append(took, time.Since(at))
					require.NoError(b, err)
					<-over
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
				b.ReportMetric(float64(took[len(took)*9/10].Microseconds())/1000, "ms-90%")
				b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "ms-most")
			})
		}
	}
}
