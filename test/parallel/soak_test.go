package parallel

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

var soakRuns = flag.Int("soak", 0, "runs of TestSoak; 0 for a sample")

// TestSoak makes many runs of random programs that nest parallel operations, many of
// which fail, hit a bound or are cancelled at a random moment. Afterwards the heap and the number of
// goroutines are the same as before.
func TestSoak(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 0))
	var progs []*ptc.Program
	for len(progs) < 100 {
		p := &program{r: r}
		opts := ptc.Options{Limits: ptc.Limits{Workers: 1 + r.IntN(8), Steps: 200_000, Memory: 4 << 20,
			WorkerMemory: 1 << 20, Timeout: 5 * time.Second}}
		if r.IntN(2) == 0 {
			opts.OnFull = ptc.OnFullFail
		}
		prog, err := ptc.Compile(context.Background(), "soak", "(defn pm [f & colls] (apply pmap f colls))"+p.text()+soakTail(r), opts)
		require.NoError(t, err)
		progs = append(progs, prog)
	}
	runs := *soakRuns
	switch {
	case runs > 0:
	case testlevel.Small():
		runs = 500
	default:
		runs = 3000
	}
	codes := map[string]int{}
	soak(t, r, progs, runs/10, codes)
	goroutines, heap := runtime.NumGoroutine(), liveHeap()
	soak(t, r, progs, runs, codes)
	t.Logf("how %d runs ended: %v", runs, codes)
	// Those that cancelled a run may still be on their way out.
	for range 60_000 {
		if runtime.NumGoroutine() <= goroutines {
			break
		}
		time.Sleep(time.Millisecond)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines, "goroutines")
	require.Less(t, liveHeap(), heap+2<<20, "bytes of live heap")
}

// soakTail returns a last form that ends, waits, fills its memory or never ends.
func soakTail(r *rand.Rand) string {
	return []string{"", "(pmap (fn [x] (Thread/sleep 1) x) (range 5))", "(pmap (fn [x] (vec (range 100000))) [1 2])",
		"(pmap (fn [x] (loop [] (recur))) [1 2 3])", "(pany (fn [x] (Thread/sleep x) x) [1 50 50])"}[r.IntN(5)]
}

func soak(t *testing.T, r *rand.Rand, progs []*ptc.Program, runs int, codes map[string]int) {
	for range runs {
		ctx, cancel := context.WithCancel(context.Background())
		if r.IntN(4) == 0 {
			time.AfterFunc(time.Duration(r.IntN(2000))*time.Microsecond, cancel)
		}
		_, err := progs[r.IntN(len(progs))].Run(ctx, ptc.RunOptions{})
		cancel()
		var e *ptc.Error
		if errors.As(err, &e) {
			require.NotEqualValues(t, "internal", e.Code, "%v\n%s", err, e.Stack)
			codes[string(e.Code)]++
		} else {
			codes["ok"]++
		}
	}
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
