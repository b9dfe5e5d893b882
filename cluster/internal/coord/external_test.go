// This file tests executions outside of the cluster.

package coord_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// TestExternals: any node sees and ends an execution, they share the places of the cluster with calls, and survive the
// coordinator.
func TestExternals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 3, 1)
		c.bound("job.run", queue.Policy{Concurrency: 1})
		at, a, b := c.coordinator(), c.nodes[c.others()[0]], c.nodes[c.others()[1]]
		first, err := a.Externals().Begin(t.Context(), "job.run", "t1", effect.Execution{}, 0)
		require.NoError(t, err)
		first, err = b.Externals().Wait(t.Context(), first.ID)
		require.NoError(t, err)
		require.Equal(t, queue.Active, first.State)
		second, err := b.Externals().Begin(t.Context(), "job.run", "t1", effect.Execution{}, 0)
		require.NoError(t, err)
		synctest.Wait()
		third, err := a.Externals().Begin(t.Context(), "job.run", "t2", effect.Execution{}, time.Minute)
		require.NoError(t, err)
		synctest.Wait()
		page, err := a.Queues().Executions(t.Context(), "job.run", "", 10)
		require.NoError(t, err)
		require.Len(t, page.Executions, 3)
		require.Equal(t, "external/"+second.ID, page.Executions[1].Name)

		_, err = a.Externals().Complete(t.Context(), second.ID, effect.Succeeded)
		require.ErrorAs(t, err, new(*queue.NotActive), "it waits")
		c.kill(at)
		time.Sleep(2 * lease)
		p, err := b.Externals().Get(t.Context(), first.ID)
		require.NoError(t, err)
		require.Equal(t, queue.Active, p.State)
		p, err = b.Externals().Complete(t.Context(), first.ID, effect.EndFailed)
		require.NoError(t, err)
		require.Equal(t, queue.Ended, p.State)
		require.Equal(t, effect.EndFailed, *p.Ending)
		second, err = a.Externals().Wait(t.Context(), second.ID)
		require.NoError(t, err)
		require.Equal(t, queue.Active, second.State)

		time.Sleep(time.Minute)
		third, err = b.Externals().Get(t.Context(), third.ID)
		require.NoError(t, err)
		require.Equal(t, queue.Ended, third.State)
		require.Equal(t, effect.EndTimedOut, *third.Ending)
		_, err = b.Externals().Get(t.Context(), "node1.unknown")
		require.Error(t, err)
		_, err = b.Externals().Get(t.Context(), strings.TrimPrefix(third.ID, "node"))
		require.Error(t, err)
		fourth, err := b.Externals().Begin(t.Context(), "free", "t1", effect.Execution{}, 0)
		require.NoError(t, err)
		require.Equal(t, queue.Active, fourth.State, "no policy binds it")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		waits, err := a.Externals().Begin(t.Context(), "job.run", "t1", effect.Execution{}, 0)
		require.NoError(t, err)
		waits, err = b.Externals().Wait(ctx, waits.ID)
		require.NoError(t, err)
		require.Equal(t, queue.Waiting, waits.State)
		waits, err = b.Externals().Complete(t.Context(), waits.ID, effect.EndCancelled)
		require.NoError(t, err)
		require.Equal(t, queue.Ended, waits.State)
		synctest.Wait()
		page, err = a.Queues().Executions(t.Context(), "job.run", "", 10)
		require.NoError(t, err)
		require.Len(t, page.Executions, 1, fmt.Sprint(page))
	})
}
