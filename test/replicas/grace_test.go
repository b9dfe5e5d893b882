package replicas

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/dist"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/journal"
)

// TestGraceCountsForNoLimit has a node die in the midst of a write. The next one waits until the call can't be under
// way any more, which is longer than the run may take: it asks about the write then, and the run ends as usual.
func TestGraceCountsForNoLimit(t *testing.T) {
	for name, source := range map[string]string{"run": `(tool/pay {:order 1 :region "a"})`,
		"element": `(first (pmap (fn [i] (tool/pay {:order i :region "a"})) [1 2 3]))`,
		"beside": `(- (reduce + (pmap (fn [i] (if (= i 3) (tool/pay {:order 1 :region "a"}) (tool/look {:order i :region "a"})))
(range 8))) 32)`,
		"scope": `(with-limits {:ms 1000} (tool/pay {:order 1 :region "a"}))`} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var pause atomic.Int64
				pause.Store(int64(20 * time.Second))
				w := newWorld(func() time.Duration { return time.Duration(pause.Load()) })
				most := ptc.Limits{Timeout: 5 * time.Second}
				opts := func(p *process) ptc.Options {
					o := options(t, w)(p)
					o.Limits = most.Or(o.Limits)
					return o
				}
				c := newCluster(t, source, opts, dist.Policy{Elements: 2, Unit: 1}, dist.Faults{}, w)
				c.grace = 20 * time.Second
				ctx, kill := context.WithCancel(t.Context())
				dies := &process{}
				joined := make(chan *dist.Node, 1)
				go func() {
					_ = dist.Run(ctx, dist.Options{Log: c.log, Key: key, Platform: platform}, "dies",
						func(n *dist.Node) { joined <- n }, func(ctx context.Context, j *journal.Journal) error {
							prog, err := ptc.Compile(ctx, "p.ptc", source, opts(dies))
							if err == nil {
								_, err = prog.Run(ctx, ptc.RunOptions{Journal: j})
							}
							return err
						})
				}()
				died := <-joined
				time.Sleep(time.Second)
				w.end(dies)
				died.End(errKilled)
				require.NoError(t, dist.Declare(ctx, c.log, died.Name(), false))
				kill()

				pause.Store(0)
				began, asked := time.Now(), time.Duration(0)
				c.decide = func(ctx context.Context, all []effect.Pending) ([]effect.Settlement, error) {
					asked = time.Since(began)
					return w.settle(ctx, all)
				}
				require.Equal(t, "\n2 <nil>", c.play("grace", 1, nil))
				require.GreaterOrEqual(t, asked, c.grace)
			})
		})
	}
}
