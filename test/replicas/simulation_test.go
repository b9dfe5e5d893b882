//go:build unix

package replicas

import (
	"fmt"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/dist"
)

// TestSimulation measures how long 1, 3 and 10 nodes with 8 slots each take for 10,000 elements that wait 50 ms for a
// tool, with a log that takes 1, 5 and 50 ms for an append. It logs the figures.
func TestSimulation(t *testing.T) {
	if !*thorough {
		t.Skip("slow: run it with -thorough")
	}
	const elements, slots = 10_000, 8
	source := fmt.Sprintf(`(reduce + (pmap (fn [i] (tool/look {:order i :region ""})) (range %d)))`, elements)
	for _, delay := range []time.Duration{time.Millisecond, 5 * time.Millisecond, 50 * time.Millisecond} {
		var alone time.Duration
		for _, nodes := range []int{1, 3, 10} {
			w := newWorld(func() time.Duration { return 50 * time.Millisecond })
			c := newCluster(t, source, func(p *process) ptc.Options {
				return ptc.Options{Tools: w.tools(t, p), Limits: ptc.Limits{Workers: slots, Timeout: time.Hour}}
			}, dist.Policy{Elements: 100, Unit: 50}, dist.Faults{Delay: delay}, w)
			begin, before := time.Now(), processorTime(t)
			got := c.play("simulation", nodes, nil)
			took, used := time.Since(begin), processorTime(t)-before
			require.Contains(t, got, strconv.Itoa(elements*(elements+1)/2))
			if nodes == 1 {
				alone = took
			}
			t.Logf("delay %v, %d nodes: %v, %.0f elements/s, %.2f times as fast as one node; for each element %.0f µs of "+
				"processor time on all nodes, %.2f records, %.0f bytes of log", delay, nodes, took.Round(time.Millisecond),
				elements/took.Seconds(), alone.Seconds()/took.Seconds(), float64(used.Microseconds())/elements,
				float64(c.log.Len())/elements, float64(c.log.Bytes())/elements)
		}
	}
}

// processorTime returns the processor time of this process.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
