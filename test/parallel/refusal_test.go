//go:build probe

package parallel

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/runtime/limits"
)

// TestRefusalsInWorkers: a refused charge changes nothing, neither in workers nor in the evaluations that
// wait for them: programs have the same outcome as without it.
func TestRefusalsInWorkers(t *testing.T) {
	total := 0
	for seed := range uint64(60) {
		p := &program{r: rand.New(rand.NewPCG(seed, 5))}
		source := "(defn pm [f & colls] (apply pmap f colls))" + strings.Replace(p.text(), "[(pm", "(pr-str [(pm", 1) + ")"
		prog, err := ptc.Compile(context.Background(), "p", source, ptc.Options{})
		require.NoError(t, err)
		want := ptctest.Outcome(prog.Run(context.Background(), ptc.RunOptions{}))
		for _, every := range []int{0, 1, 3, 31} {
			refusals := ptctest.Refuse(every)
			res, err := prog.Run(context.Background(), ptc.RunOptions{})
			limits.Probe = nil
			require.Equal(t, want, ptctest.Outcome(res, err), "seed %d, a refusal after each %d charges, %d in all:\n%s", seed, every, *refusals, source)
			total += *refusals
		}
	}
	require.Greater(t, total, 10_000)
}
