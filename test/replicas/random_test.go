package replicas

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/runtime/dist"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// TestRandom has several nodes, which die, execute random programs that depend on timing as much as
// possible: all nodes have the same outcome.
func TestRandom(t *testing.T) {
	each(t, count(125), func(t *testing.T, seed int) *cluster {
		rng := rand.New(rand.NewPCG(uint64(seed), 77))
		programs := ptctest.SmallPrograms
		if seed%8 == 0 {
			programs = ptctest.NewPrograms
		}
		source := programs(uint64(seed)).Program()
		if seed%8 == 4 {
			source = ptctest.NewSharedPrograms(uint64(seed), 2).Program()
		}
		l := ptc.Limits{Workers: []int{1, 2, 3, 4, 8, 32}[rng.IntN(6)], Memory: 8 << 20, WorkerMemory: 1 << 20,
			Timeout: time.Hour}
		w := newWorld(func() time.Duration { return 0 })
		c := newCluster(t, source, func(*process) ptc.Options { return ptc.Options{Tools: chanceTools(t), Limits: l} },
			dist.Policy{Elements: 2, Unit: 1 + rng.IntN(2), Computing: seed%2 == 0},
			dist.Faults{Delay: time.Duration(rng.IntN(3)) * 100 * time.Microsecond}, w)
		c.play(fmt.Sprintf("seed %d", seed), []int{1, 2, 3, 5}[rng.IntN(4)], func() {
			if seed%3 > 0 {
				c.chaos(rng, 1+rng.IntN(4), 5*time.Millisecond)
			}
		})
		return c
	})
}

// chanceTools are slow, and fail, at random.
func chanceTools(t *testing.T) *tool.Registry {
	fn := func(ctx context.Context, in struct {
		N int `json:"n"`
	}) (int, error) {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(time.Duration(rand.IntN(1_000_000))):
		}
		switch rand.IntN(8) {
		case 0:
			return 0, &tool.Error{Code: "busy", Message: "try again", Retryable: true, RetryAfter: time.Millisecond}
		case 1:
			return 0, errors.New("it is broken")
		}
		return in.N + rand.IntN(1000), nil
	}
	reg, err := tool.NewRegistry(ptctest.Clock(), tool.New("slow", "Is slow.", fn, tool.ReadOnly()),
		tool.New("few", "May be called seldom.", fn, tool.ReadOnly(), tool.MaxCalls(4), tool.Concurrency(1)))
	require.NoError(t, err)
	return reg
}
