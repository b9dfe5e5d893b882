// This file tests the queues and policies of a cluster.

package coord_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/coord"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// bound sets the policy of an action in the cluster.
func (c *cluster) bound(action string, p queue.Policy) {
	c.ready()
	for _, n := range c.nodes {
		require.NoError(c.t, n.Queues().Replace(c.t.Context(), queue.Policies{Actions: map[string]queue.Policy{action: p}}))
		break
	}
	synctest.Wait() // all nodes know it
}

// TestThreeSubmitters: executions that three nodes submit start in the order of their arrival, and no more
// run concurrently than the policy of the cluster allows.
func TestThreeSubmitters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 3, 1)
		c.bound("aws.start", queue.Policy{Concurrency: 1})
		var mu sync.Mutex
		var order []int
		var active, most atomic.Int32
		var all sync.WaitGroup
		for i := range 60 {
			a := c.nodes[c.names[i%3]].Queues().Action("aws.start")
			require.Equal(t, "at most 1 at once", a.Bounds())
			all.Go(func() {
				e := &effect.Execution{Name: fmt.Sprint("call", i), Run: fmt.Sprint("r", i%3)}
				w, err := a.Start(t.Context(), e)
				require.NoError(t, err)
				require.Equal(t, i >= 1, w.Kind == effect.WaitQueue, "%d: %+v", i, w)
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				most.Store(max(most.Load(), active.Add(1)))
				time.Sleep(time.Second)
				active.Add(-1)
				require.NoError(t, a.Leave(e.Name, effect.Succeeded))
			})
			synctest.Wait()
		}
		page, err := c.nodes["node2"].Queues().Executions(t.Context(), "aws.start", "", 100)
		require.NoError(t, err)
		require.Len(t, page.Executions, 60)
		require.Equal(t, 1, page.Stats.Active)
		require.Equal(t, "call1", page.Executions[1].Name)
		require.Len(t, c.nodes["node3"].Queues().Waiters(100), 59)
		all.Wait()
		require.True(t, slices.IsSorted(order), "got %v", order)
		require.EqualValues(t, 1, most.Load())
		synctest.Wait() // nobody waits for a Leave
		stats, err := c.nodes["node1"].Queues().All(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 60, stats[0].Completed)
		require.Zero(t, stats[0].Active)
	})
}

// TestOperator cancels executions of any node through any other one.
func TestOperator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 3, 1)
		c.bound("exec.run", queue.Policy{Concurrency: 1})
		first := c.nodes["node1"].Queues().Action("exec.run")
		_, err := first.Start(t.Context(), &effect.Execution{Name: "first"})
		require.NoError(t, err)
		var all sync.WaitGroup
		for i, name := range []string{"node1", "node2", "node3"} {
			all.Go(func() {
				_, err := c.nodes[name].Queues().Action("exec.run").Start(t.Context(), &effect.Execution{Name: fmt.Sprint(i)})
				var cancelled *queue.Cancelled
				require.ErrorAs(t, err, &cancelled)
				require.Equal(t, i != 1, cancelled.Cleared)
				require.Equal(t, diag.QueueCancelled, effect.FailureOf(err).Kind)
			})
		}
		synctest.Wait()
		ok, err := c.nodes["node3"].Queues().Cancel(t.Context(), "exec.run", "1")
		require.NoError(t, err)
		require.True(t, ok)
		n, err := c.nodes["node2"].Queues().Clear(t.Context(), "exec.run")
		require.NoError(t, err)
		require.Equal(t, 2, n)
		all.Wait()
		require.NoError(t, first.Leave("first", effect.Succeeded))
		require.Error(t, first.Leave("first", effect.Succeeded))
	})
}

// TestQuota: over three nodes and a change of the coordinator no window has more calls than the quota.
func TestQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls, window = 100, 10 * time.Second
		c := start(t, 4, 1)
		c.bound("http.post", queue.Policy{Quota: queue.Quota{Calls: calls, Window: window}})
		began := time.Now()
		var mu sync.Mutex
		var times []time.Duration
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var all sync.WaitGroup
		var refused, spared atomic.Int64
		for _, name := range c.names[:3] {
			a := c.nodes[name].Queues().Action("http.post")
			for range 4 {
				all.Go(func() {
					for ctx.Err() == nil {
						err := a.Admit(ctx)
						var v *queue.Violation
						switch {
						case err == nil:
							mu.Lock()
							times = append(times, time.Since(began))
							mu.Unlock()
						case effect.FailureOf(err).Kind == diag.PolicyViolation && effect.FailureOf(err).RetryAfter > 0:
							require.ErrorAs(t, err, &v)
							require.Equal(t, "http.post", v.Action)
							refused.Add(1)
						default:
							spared.Add(1)
						}
						time.Sleep(200 * time.Millisecond)
					}
				})
			}
		}
		time.Sleep(13 * time.Second)
		c.kill(c.coordinator())
		all.Wait()
		slices.Sort(times)
		most := 0
		for i := range times {
			j := i
			for j < len(times) && times[j]-times[i] < window {
				j++
			}
			most = max(most, j-i)
		}
		t.Logf("%d calls in a minute, at most %d in %s; %d refused", len(times), most, window, refused.Load())
		require.LessOrEqual(t, most, calls)
		require.Greater(t, len(times), 450)
		require.Positive(t, refused.Load())
	})
}

// TestPolicyRate: the errors of policies arrive from the coordinator unchanged.
func TestPolicyRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 3, 1)
		c.bound("http.get", queue.Policy{Rate: queue.Rate{Calls: 3, Per: time.Minute}})
		for i := range 3 {
			require.NoError(t, c.nodes[c.names[i]].Queues().Action("http.get").Admit(t.Context()))
		}
		err := c.nodes["node2"].Queues().Action("http.get").Admit(t.Context())
		var v *queue.Violation
		require.ErrorAs(t, err, &v)
		require.Equal(t, queue.OfRate, v.Kind)
		require.Equal(t, 3, v.Calls)
		require.ErrorContains(t, err, "the rate of the policy for action http.get is used up (3 calls in 1m); it can be")
		require.NoError(t, c.nodes["node2"].Queues().Action("other").Admit(t.Context()), "no policy binds it")
	})
}

// TestPoliciesReplaced: all nodes follow, also one that joins later, and waiting calls start when a limit is raised.
func TestPoliciesReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 3, 1)
		c.bound("exec.run", queue.Policy{Concurrency: 1})
		var started atomic.Int32
		var all sync.WaitGroup
		for i := range 6 {
			a := c.nodes[c.names[i%2]].Queues().Action("exec.run")
			all.Go(func() {
				e := &effect.Execution{Name: fmt.Sprint(i)}
				_, err := a.Start(t.Context(), e)
				require.NoError(t, err)
				started.Add(1)
				time.Sleep(5 * time.Minute)
				require.NoError(t, a.Leave(e.Name, effect.Succeeded))
			})
		}
		synctest.Wait()
		require.EqualValues(t, 1, started.Load())
		c.bound("exec.run", queue.Policy{Concurrency: 4})
		require.EqualValues(t, 4, started.Load())
		require.Error(t, c.nodes["node1"].SetPolicies(t.Context(), queue.Policies{Global: queue.Policy{Concurrency: -1}}))
		p := queue.Policies{Approve: effect.Approvals{Tools: []string{"exec.run"}}}
		require.NoError(t, c.nodes["node1"].SetPolicies(t.Context(), p))
		synctest.Wait()
		for _, n := range c.nodes {
			require.Equal(t, p.Approve, n.Queues().Approvals())
			require.Empty(t, n.Queues().Action("exec.run").Bounds())
		}
		require.EqualValues(t, 6, started.Load())
		c.leave("node3")
		n := c.join("node3")
		time.Sleep(lease)
		require.Equal(t, p.Approve, n.Queues().Approvals())
		all.Wait()
	})
}

// TestUnbound: a call that no policy binds needs no coordinator, and the bound of its tool holds on its node.
func TestUnbound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 3, 1)
		a := c.nodes["node1"].Queues().Action("exec.run")
		c.net.Partition([]string{"node1"}, []string{"node2", "node3"})
		c.engine.Cut("node1")
		time.Sleep(time.Minute)
		require.NoError(t, a.Admit(t.Context()))
		_, err := a.Start(t.Context(), &effect.Execution{Name: "1", Most: 1})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = a.Start(ctx, &effect.Execution{Name: "2", Most: 1})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, a.Leave("1", effect.Succeeded))
	})
}

// TestQueueOverTerms: executions under way keep their places when the coordinator dies, and waiters their order.
func TestQueueOverTerms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 4, 1)
		c.bound("exec.run", queue.Policy{Concurrency: 1})
		at, rest := c.coordinator(), c.others()
		var mu sync.Mutex
		var order []int
		var active, most atomic.Int32
		var all sync.WaitGroup
		for i := range 12 {
			a := c.nodes[rest[i%3]].Queues().Action("exec.run")
			all.Go(func() {
				e := &effect.Execution{Name: fmt.Sprint(i)}
				_, err := a.Start(t.Context(), e)
				require.NoError(t, err)
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				most.Store(max(most.Load(), active.Add(1)))
				time.Sleep(10 * time.Second)
				active.Add(-1)
				require.NoError(t, a.Leave(e.Name, effect.Succeeded))
			})
			synctest.Wait()
		}
		c.kill(at)
		all.Wait()
		require.True(t, slices.IsSorted(order), "got %v", order)
		require.EqualValues(t, 1, most.Load())
	})
}

// TestSameName: a call that is made again on another node waits for the previous one, which has its name.
func TestSameName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 3, 1)
		c.bound("exec.run", queue.Policy{Concurrency: 1})
		name := c.others()[0]
		_, err := c.nodes[name].Queues().Action("exec.run").Start(t.Context(), &effect.Execution{Name: "r1/0#1"})
		require.NoError(t, err)
		b := c.nodes[c.coordinator()].Queues().Action("exec.run")
		began := time.Now()
		c.kill(name)
		_, err = b.Start(t.Context(), &effect.Execution{Name: "r1/0#1"})
		require.NoError(t, err)
		require.Greater(t, time.Since(began), lease/2)
		require.NoError(t, b.Leave("r1/0#1", effect.Succeeded))
	})
}

// TestQueueCutOff: the places of a node that is cut off are given to others, and its Leave is an error.
func TestQueueCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(t, 3, 1)
		c.bound("exec.run", queue.Policy{Concurrency: 1})
		at, name := c.coordinator(), c.others()[0]
		a, b := c.nodes[name].Queues().Action("exec.run"), c.nodes[at].Queues().Action("exec.run")
		_, err := a.Start(t.Context(), &effect.Execution{Name: "1"})
		require.NoError(t, err)
		c.net.Cut(name, at)
		_, err = b.Start(t.Context(), &effect.Execution{Name: "2"})
		require.NoError(t, err)
		require.ErrorContains(t, a.Leave("1", effect.Succeeded), "its place in the queue of the cluster was lost")
		require.NoError(t, b.Leave("2", effect.Succeeded))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = a.Start(ctx, &effect.Execution{Name: "3"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "can't reach the coordinator")
	})
}

// TestNew: a node needs an engine, a network and a lease in whole seconds.
func TestNew(t *testing.T) {
	_, err := coord.New(coord.Options{})
	require.ErrorContains(t, err, "got an engine: false, a network: false; want both")
	_, err = coord.New(coord.Options{Engine: memory.New(memory.Options{}, "a").Member("a"),
		Network: peer.NewMemory(1).Join("a"), Lease: time.Second})
	require.ErrorContains(t, err, "want an election of whole seconds and a lease of at least twice that")
}
