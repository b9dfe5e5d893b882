package serve_test

import (
	"flag"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
)

var thorough = flag.Bool("thorough", false, "have 1,000 runs wait at once")

// TestManyRuns requires runs that wait in calls to take so little memory that 1,000 take less than 256 MB,
// and none after their end.
func TestManyRuns(t *testing.T) {
	runs := uint64(200)
	if *thorough {
		runs = 1000
	}
	g := newGate()
	e := start(t, serve.Options{Memory: 1 << 40, Run: ptc.Options{Tools: g.tools(t)}})
	first, _, err := e.Submit(t.Context(), store.Submission{Source: "(count [])"}, ann) // it makes the tables of the language
	require.NoError(t, err)
	require.Equal(t, "0", wait(t, e, first.ID).Text)
	ids := make([]string, runs)
	objects, before := heap()
	goroutines := runtime.NumGoroutine()
	for i := range ids {
		run, _, err := e.Submit(t.Context(), store.Submission{Limits: limits.Limits{Workers: 2},
			Source: fmt.Sprintf(`(def table (vec (range 1000))) (tool/gate.wait "%d") (count table)`, i)}, ann)
		require.NoError(t, err)
		ids[i] = run.ID
	}
	for range runs {
		g.await(t)
	}
	_, during := heap()
	t.Logf("%d KB for each run", (during-before)/runs>>10)
	assert.Less(t, (during-before)/runs, uint64(256<<10))
	close(g.leave)
	for _, id := range ids {
		require.Equal(t, "1000", wait(t, e, id).Text)
	}
	require.Eventually(t, func() bool { return e.Stats().Running == 0 }, time.Minute, time.Millisecond)
	var after uint64
	assert.Eventually(t, func() bool { // on a goroutine of its own. Go keeps stacks for others to come
		after, _ = heap()
		return runtime.NumGoroutine() <= goroutines+1 && after < objects+(during-before)/4
	}, time.Minute, 10*time.Millisecond)
	t.Logf("%d KB for each run that has ended, %d goroutines, %d before", (after-objects)/runs>>10, runtime.NumGoroutine(), goroutines)
}

// heap returns the live bytes of the heap, and those together with the stacks.
func heap() (objects, all uint64) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, m.HeapAlloc + m.StackInuse
}
