package mcp_test

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/mcp"
)

// BenchmarkCancel measures the time from a cancellation by the client to the end of the run: by a closed stream for new
// clients, and by notifications/cancelled for old ones. The run computes, computes in parallel, or waits for a tool.
func BenchmarkCancel(b *testing.B) {
	for era := range eras {
		for name, source := range map[string]string{
			"loop": `(tool/begun {}) (loop [i 0] (recur (inc i)))`,
			"pmap": `(tool/begun {}) (doall (pmap (fn [_] (loop [i 0] (recur (inc i)))) (range 8)))`,
			"sort": `(tool/begun {}) (loop [] (sort (range 20000)) (recur))`,
			"tool": `(tool/slow {})`,
		} {
			b.Run(era+"/"+name, func(b *testing.B) {
				procs := runtime.GOMAXPROCS(0) // and a spare one, as ptc mcp has it
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs + 1))
				w := newWorld()
				ended := make(chan time.Time, 1)
				limits := ptc.Limits{Steps: 1 << 50, Timeout: time.Hour}
				run := ptc.Options{Tools: tools(b, w), Limits: limits, Processors: ptc.NewProcessors(procs)}
				run.Processors.Responsive()
				s := serve(b, mcp.Options{Run: run,
					Trace: func(ctx context.Context, _ string, _ *ptc.RunOptions) (context.Context, func(*ptc.Result, error)) {
						return ctx, func(*ptc.Result, error) { ended <- time.Now() }
					}})
				c := dial(b, s, era, nil)
				var took []time.Duration
				for b.Loop() {
					ctx, cancel := context.WithCancel(b.Context())
					over := make(chan struct{})
					go func() {
						defer close(over)
						_, _ = tryRun(ctx, c, program(source)) // cancelled
					}()
					<-w.started
					time.Sleep(time.Millisecond) // so that it computes
					at := time.Now()
					cancel()
					took = append(took, (<-ended).Sub(at))
					<-over
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
				b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "ms-most")
			})
		}
	}
}
