package replicas

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/dist"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// TestScopeEndsInBegin has the time of a scope end while the log takes the beginning of a write. The
// evaluation continues, and nothing is in doubt.
func TestScopeEndsInBegin(t *testing.T) {
	w := newWorld(func() time.Duration { return 0 })
	c := newCluster(t, `(tool/pay {:order 1 :region "a"})
(mapv (fn [i] (try (with-limits {:ms 10} (tool/pay {:order i :region "x"})) (catch Exception e :late))) (range 20 23))`,
		options(t, w), dist.Policy{Elements: 2, Unit: 2}, dist.Faults{Delay: 40 * time.Millisecond}, w)
	c.decide = func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error) {
		t.Error("there is something to settle:", all)
		return w.settle(ctx, all)
	}
	require.Equal(t, "\n[:late :late :late] <nil>", c.play("scope", 1, nil))
}
