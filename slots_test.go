// This file defines the test that no run keeps a slot.

package ptc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/eval"
)

// TestSlotsAreFreeAfterRuns: after a run, also one that a bound of the run, a worker or a scope has ended, all slots
// are free.
func TestSlotsAreFreeAfterRuns(t *testing.T) {
	const workers = 5
	r := rand.New(rand.NewPCG(1, 2))
	leaves := []string{"i", "(inc i)", "(/ i 0)", "(do (Thread/sleep 1) i)", "(vec (range 100000))",
		"(with-limits {:ms 1} (loop [] (recur)))", "(with-limits {:workers 2} (pmap inc [1 2 3]))",
		"(fail \"no\")", "(host-exclusive \"h\" (pmap inc [1 2 3]))"}
	ops := []string{"(vec (psettle (fn [i] %s) (range 6)))", "(vec (pmap (fn [i] %s) (range 6)))",
		"(mapv deref (mapv (fn [i] (future %s)) (range 6)))",
		"(pany (fn [i] %s) (range 4))", "(pcalls (fn [] (let [i 1] %s)) (fn [] (let [i 2] %[1]s)))",
		"(try (vec (pmap (fn [i] %s) (range 4))) (catch Throwable e 1))"}
	for n := range 60 {
		body := leaves[r.IntN(len(leaves))]
		for range 1 + r.IntN(3) {
			body = fmt.Sprintf(ops[r.IntN(len(ops))], body)
		}
		opts := Options{Limits: Limits{Workers: workers, Timeout: time.Duration(5+r.IntN(200)) * time.Millisecond,
			WorkerMemory: 1 << 20, Steps: 1_000_000}}
		p, err := Compile(t.Context(), "p", "(let [i 1] "+body+")", opts)
		for errors.Is(err, &Error{Code: diag.Timeout}) { // the machine was busy
			p, err = Compile(t.Context(), "p", "(let [i 1] "+body+")", opts)
		}
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		if n%5 == 0 {
			time.AfterFunc(time.Duration(r.IntN(4000))*time.Microsecond, cancel)
		}
		run := &runner{m: eval.New(), opts: &p.opts, tools: p.tools, res: &Result{}}
		run.start(ctx, &p.pool, p.env, uint64(n+1))
		v, failed := run.m.Run(p.prog.Forms[0])
		run.end(ctx, v, failed)
		require.Equal(t, workers, run.root.Free(), body)
		require.Zero(t, run.root.Stats().Workers, body)
		cancel()
	}
}
