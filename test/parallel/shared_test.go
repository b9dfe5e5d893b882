// This file defines the test that the number of workers does not show in objects that evaluations share.

package parallel

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

// TestSharedPrograms runs random programs with as many workers as their operations nest, and with more.
func TestSharedPrograms(t *testing.T) {
	t.Parallel()
	seeds := 100
	switch {
	case testlevel.Small():
		seeds = 20
	case *thorough:
		seeds = 5000
	}
	for seed := range seeds {
		depth := 1 + seed%3
		source := ptctest.NewSharedPrograms(uint64(seed), depth).Program()
		want := ""
		for _, workers := range []int{depth, depth, 8} {
			prog, err := ptc.Compile(context.Background(), fmt.Sprint(seed), source, ptc.Options{Limits: ptc.Limits{
				Workers: workers, WorkerMemory: 4 << 20, Memory: 16 << 20, Timeout: time.Minute}})
			require.NoError(t, err)
			got := ended(prog, false)
			if want == "" {
				want = got
			}
			require.Equal(t, want, got, "program %d, %d workers\n%s", seed, workers, source)
		}
	}
}
