//go:build probe

package ptc_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// TestRefusalsInWorkers: a refused charge changes nothing, in workers and in those who
// wait for them: programs give what they give without.
func TestRefusalsInWorkers(t *testing.T) {
	total := 0
	for seed := range uint64(60) {
		p := &program{r: rand.New(rand.NewPCG(seed, 5))}
		source := "(defn pm [f & colls] (apply pmap f colls))" + strings.Replace(p.text(), "[(pm", "(pr-str [(pm", 1) + ")"
		prog, err := ptc.Compile("p", source, ptc.Options{})
		require.NoError(t, err)
		want := told(prog.Run(context.Background(), ptc.Input{}))
		for _, every := range []int{0, 1, 3, 31} {
			refusals := refuse(every)
			res, err := prog.Run(context.Background(), ptc.Input{})
			limits.Probe = nil
			require.Equal(t, want, told(res, err), "seed %d, a refusal after each %d charges, %d in all:\n%s", seed, every, *refusals, source)
			total += *refusals
		}
	}
	require.Greater(t, total, 10_000)
}

// refuse has charges of every account refused after each so many that are granted, but
// one execution of an instruction once at most.
func refuse(every int) (refused *int) {
	type account struct {
		granted int
		last    int64
	}
	var mu sync.Mutex
	accounts := map[*limits.Meter]*account{}
	refused = new(int)
	limits.Probe = func(m *limits.Meter, _ int64) {
		mu.Lock()
		defer mu.Unlock()
		a := accounts[m]
		if a == nil {
			a = &account{last: -1}
			accounts[m] = a
		}
		if a.granted++; a.granted <= every || m.MachineSteps() == a.last || *refused == 5000 {
			return
		}
		a.granted, a.last = 0, m.MachineSteps()
		*refused++
		panic(limits.Refused{Bytes: 1})
	}
	return refused
}
