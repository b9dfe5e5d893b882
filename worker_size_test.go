//go:build !race

// The race detector makes stacks larger.

package ptc

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/eval"
)

// TestSizeOfWorkers: a machine that waits in the pool takes less than 6 KB, and a
// worker that waits, with its machine and its goroutine, less than 10 KB.
func TestSizeOfWorkers(t *testing.T) {
	const n = 1000
	before := memoryInUse()
	machines := make([]*eval.Evaluation, n)
	for i := range machines {
		machines[i] = eval.New()
	}
	machine := (memoryInUse() - before) / n
	runtime.KeepAlive(machines)
	clear(machines)

	// Objects that the process makes once, such as the code of pmap, belong to no worker.
	_, err := Run(context.Background(), "(pmap (fn [_] (Thread/sleep 1)) (range 2))", Options{})
	require.NoError(t, err)
	p, err := Compile(context.Background(), "wait", "(pmap (fn [_] (Thread/sleep 60000)) (range 1000))", Options{Limits: Limits{Workers: n, Timeout: time.Minute}})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	r := &runner{m: eval.New(), opts: &p.opts, tools: p.tools, res: &Result{}}
	r.start(ctx, &p.pool, p.env, 1)
	r.root.Free() // makes the pool
	before = memoryInUse()
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.m.Run(p.prog.Forms[0])
	}()
	for r.root.Stats().Blocked < n {
		runtime.Gosched()
	}
	worker := (memoryInUse() - before) / n
	cancel()
	<-done
	r.root.Wait()
	t.Logf("a machine takes %d bytes, a worker that waits %d", machine, worker)
	require.Less(t, machine, int64(6<<10))
	require.Less(t, worker, int64(10<<10))
}

// memoryInUse returns the bytes that live, those of stacks included.
func memoryInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
