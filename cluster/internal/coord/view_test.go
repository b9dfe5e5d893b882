package coord_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/coord"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// TestViewOfTools: an execution that waits for the bounds of tools on its node is listed and cancelled
// through another node, and an execution in two queues counts once.
func TestViewOfTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 3, 1)
		c.bound("aws.start", queue.Policy{Concurrency: 5})
		var all sync.WaitGroup
		var release []func()
		begin := func(node, action, name string) {
			a := c.nodes[node].Queues().Action(action)
			all.Go(func() {
				if _, err := a.Start(t.Context(), &effect.Execution{Name: name, Most: 1}); err != nil {
					var cancelled *queue.Cancelled
					require.ErrorAs(t, err, &cancelled)
					return
				}
				release = append(release, func() { require.NoError(t, a.Leave(name, effect.Succeeded)) })
			})
			synctest.Wait()
		}
		for i := range 3 {
			begin("node1", "exec.run", fmt.Sprint("a", i))
			begin("node1", "aws.start", fmt.Sprint("c", i))
		}
		for i := range 2 {
			begin("node2", "exec.run", fmt.Sprint("b", i))
		}
		q := c.nodes["node3"].Queues()
		stats, err := q.All(t.Context())
		require.NoError(t, err)
		require.Len(t, stats, 2)
		require.Equal(t, "aws.start 1 2 5", shown(stats[0]))
		require.Equal(t, "exec.run 2 3 2", shown(stats[1]), "the bounds are those of two nodes")
		require.Equal(t, []string{"c0 active", "c1 waiting", "c2 waiting"}, list(t, q, "aws.start", 1))
		for _, n := range []int{1, 2, 3, 10} {
			require.Equal(t, []string{"a0 active", "a1 waiting", "a2 waiting", "b0 active", "b1 waiting"},
				list(t, q, "exec.run", n))
		}
		for _, bad := range []string{"x", "/x", "node1/x"} {
			_, err = q.Executions(t.Context(), "exec.run", bad, 5)
			require.ErrorContains(t, err, `got the page "`+bad+`", want the next of a page`)
		}

		ok, err := q.Cancel(t.Context(), "exec.run", "b1")
		require.NoError(t, err)
		require.True(t, ok)
		ok, err = q.Cancel(t.Context(), "exec.run", "b1")
		require.NoError(t, err)
		require.False(t, ok)
		n, err := q.Clear(t.Context(), "exec.run")
		require.NoError(t, err)
		require.Equal(t, 2, n)
		n, err = q.Clear(t.Context(), "aws.start")
		require.NoError(t, err)
		require.Equal(t, 2, n)
		all.Wait()
		for _, leave := range release {
			leave()
		}
		require.Empty(t, list(t, q, "exec.run", 10))
	})
}

func shown(s queue.Stats) string {
	return fmt.Sprint(s.Action, " ", s.Active, " ", s.Waiting, " ", s.Limit)
}

// list returns the executions of an action in pages of a size: those of the nodes are in the order of their names.
func list(t *testing.T, q *coord.Queues, action string, size int) (all []string) {
	t.Helper()
	for after := ""; ; {
		page, err := q.Executions(t.Context(), action, after, size)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Executions), size)
		for _, e := range page.Executions {
			all = append(all, e.Name+" "+string(e.State))
		}
		if after = page.Next; after == "" {
			require.True(t, slices.IsSorted(all), "%v", all)
			return all
		}
	}
}
