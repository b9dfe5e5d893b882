package facts

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
)

// TestReview has a node that does not follow the others: it learns of their changes when it reviews its
// known facts, and immediately when a read must be fresh or a run has moved there.
func TestReview(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := memory.New(memory.Options{}, "node1", "node2")
		var compared atomic.Int64
		o := func(name string) Options {
			return Options{Engine: nodes.Member(name), Node: name, Unfollowed: true, Entropy: time.Minute,
				Fresh: 10 * time.Second, Synced: func(time.Duration) { compared.Add(1) }}
		}
		one, two := open(t, o("node1")), open(t, o("node2"))
		put(t, one, "h", "a", "1")
		old, now := map[string]string{"a": "1"}, map[string]string{"a": "2"}
		require.Equal(t, old, get(t, two, "h", Session))
		put(t, one, "h", "a", "2")
		synctest.Wait()
		require.Equal(t, old, get(t, two, "h", Eventual))
		require.Equal(t, old, get(t, two, "h", Session), "it was read a moment ago")
		two.Expire()
		require.Equal(t, old, get(t, two, "h", Eventual))
		require.Equal(t, now, get(t, two, "h", Session))
		put(t, one, "h", "a", "3")
		time.Sleep(50 * time.Second)
		require.Equal(t, now, get(t, two, "h", Eventual))
		time.Sleep(11 * time.Second)
		require.Equal(t, map[string]string{"a": "3"}, get(t, two, "h", Eventual))
		require.EqualValues(t, 2, compared.Load(), "each node has compared once")
	})
}
