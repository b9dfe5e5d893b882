// This file defines the tests of topologies, of the balance and of draining nodes.

package place_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/load"
	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/cluster/member"
)

// TestActivePassive: with two workers and a witness, the standby takes nothing while the active node lives, is promoted
// when it dies, and stays active when the other one is back.
func TestActivePassive(t *testing.T) {
	infos := named(3)
	infos[2].Witness = true
	cluster(t, place.Options{Topology: place.ActivePassive}, infos, 3, func(w *world) {
		for i := range 9 {
			w.add(w.names[i%3], place.Job{Run: fmt.Sprint("run", i)}, 4, time.Second)
		}
		time.Sleep(9 * time.Second)
		active, standby := "node01", "node02"
		if w.led()[active] == 0 {
			active, standby = standby, active
		}
		require.Equal(t, map[string]int{active: 9}, w.led())
		h, ok := w.nodes["node03"].m.Holder(place.DutyActive)
		require.True(t, ok)
		require.Equal(t, active, h.Node)

		w.kill(active)
		began := time.Now()
		for w.led()[standby] == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		require.Less(t, time.Since(began), 4*time.Second)
		w.wait(time.Minute)
		require.Zero(t, w.led()["node03"])

		for _, i := range infos[:2] {
			if i.Name == active {
				w.restart(i, 3)
			}
		}
		time.Sleep(5 * time.Second)
		before := w.led()[active]
		w.add(active, place.Job{Run: "more"}, 1, time.Second)
		time.Sleep(3 * time.Second)
		require.Equal(t, before, w.led()[active])
		require.NoError(t, w.nodes[active].m.StepDown(context.Background(), place.DutyActive))
		time.Sleep(time.Second)
		w.add(standby, place.Job{Run: "last"}, 1, time.Second)
		time.Sleep(3 * time.Second)
		require.Equal(t, []string{active}, w.run("last").by)
		w.wait(time.Minute)
	})
}

// regions returns infos of nodes in regions.
func regions(of ...string) (all []member.Info) {
	for i, region := range of {
		all = append(all, member.Info{Name: fmt.Sprintf("node%02d", i+1), Capacity: 4, Region: region})
	}
	return all
}

// TestRegions: runs stay in their region while it has room; others help after a time, unless the region is strict.
func TestRegions(t *testing.T) {
	cluster(t, place.Options{}, regions("east", "east", "west"), 2, func(w *world) {
		for i := range 6 {
			w.add("node01", place.Job{Run: fmt.Sprint("west", i), Region: "west"}, 1, time.Minute)
			w.add("node01", place.Job{Run: fmt.Sprint("strict", i), Region: "west", Strict: true}, 1, time.Second)
		}
		w.add("node01", place.Job{Run: "nowhere", Region: "south", Strict: true}, 1, time.Second)
		w.add("node01", place.Job{Run: "anywhere", Region: "south"}, 1, time.Second)
		time.Sleep(5 * time.Second)
		require.Equal(t, []int{1, 3}, []int{w.led()["node01"] + w.led()["node02"], w.led()["node03"]})
		require.NotEmpty(t, w.run("anywhere").by, "there is no node of its region")
		require.Contains(t, w.nodes["node01"].q.Why("nowhere"), `no node can take it: node01 is in the region "east" instead of "south"`)
		time.Sleep(10 * time.Second)
		require.Greater(t, w.led()["node01"]+w.led()["node02"], 1)
		_, err := w.nodes["node01"].q.Remove(context.Background(), "nowhere")
		require.NoError(t, err)
		w.mu.Lock()
		delete(w.runs, "nowhere")
		w.mu.Unlock()
		w.wait(10 * time.Minute)
		for i := range 6 {
			require.Equal(t, []string{"node03"}, w.run(fmt.Sprint("strict", i)).by)
		}
	})
}

// TestHierarchical: the runs are divided over regions, and those of a region over its nodes. When a region dies the
// coordinator moves its runs.
func TestHierarchical(t *testing.T) {
	cluster(t, place.Options{Topology: place.Hierarchical}, regions("east", "east", "west", "west", "north", "hub", "hub"), 2,
		func(w *world) {
			for i := range 56 {
				w.add("node06", place.Job{Run: fmt.Sprintf("run%02d", i)}, 1, 10*time.Second)
			}
			w.add("node06", place.Job{Run: "asked", Region: "west"}, 1, 10*time.Second)
			time.Sleep(time.Second)
			within := make(map[string]int)
			for _, u := range w.nodes["node03"].q.Units() {
				within[u.Within]++
			}
			require.Equal(t, map[string]int{"east": 16, "west": 17, "north": 8, "hub": 16}, within, "by capacity")
			for _, n := range w.names {
				require.Equal(t, 2, w.led()[n])
			}
			w.kill("node05")
			w.wait(5 * time.Minute)
			require.Contains(t, []string{"node03", "node04"}, w.run("asked").by[0])
			require.Equal(t, 2, w.led()["node05"])
		})
}

// TestHierarchicalLast: the run that the only node of a region led goes to another region when that node dies, although
// no run has waited for the node.
func TestHierarchicalLast(t *testing.T) {
	cluster(t, place.Options{Topology: place.Hierarchical}, regions("east", "west", "west"), 2, func(w *world) {
		w.add("node02", place.Job{Run: "run", Region: "east"}, 1, time.Minute)
		time.Sleep(time.Second)
		require.Equal(t, map[string]int{"node01": 1}, w.led())
		w.kill("node01")
		w.wait(2 * time.Minute)
		require.Contains(t, []string{"node02", "node03"}, w.run("run").by[1])
	})
}

// TestBalance: queued runs move from the node with the highest score to that with the lowest, above the threshold only
// and in a batch.
func TestBalance(t *testing.T) {
	o := place.Options{Strategy: place.Affinity, HeadStart: time.Hour}
	cluster(t, o, named(3), 1, func(w *world) {
		for i := range 30 {
			w.add("node01", place.Job{Run: fmt.Sprintf("run%02d", i), Affinity: "x", By: "ann"}, 1, 10*time.Minute)
		}
		queues := func() (all []int) {
			for _, name := range w.names {
				all = append(all, w.nodes[name].q.Stats().Prefer)
			}
			return all
		}
		time.Sleep(20 * time.Second)
		require.Len(t, w.led(), 3)
		sum, most, moves := 0, 0, 0
		for _, n := range queues() {
			sum, most = sum+n, max(most, n)
		}
		for _, name := range w.names {
			moves += w.nodes[name].q.Stats().Moves
		}
		require.Equal(t, 27, sum)
		require.Less(t, most, 20)
		require.Positive(t, moves)
		before := queues()
		for _, name := range w.names {
			w.nodes[name].setLoad(load.Load{CPU: 0.1})
		}
		time.Sleep(30 * time.Second)
		require.Equal(t, before, queues(), "all are as busy")
	})
}

// TestRebalance: people spread the queued runs, below all thresholds and against their affinity.
func TestRebalance(t *testing.T) {
	o := place.Options{Strategy: place.Affinity, HeadStart: time.Hour, Imbalance: 1}
	cluster(t, o, named(3), 1, func(w *world) {
		for i := range 30 {
			w.add("node01", place.Job{Run: fmt.Sprintf("run%02d", i), Affinity: "x", By: "ann"}, 1, 10*time.Minute)
		}
		time.Sleep(3 * time.Second)
		busy := 0
		for _, name := range w.names {
			busy = max(busy, w.nodes[name].q.Stats().Prefer)
		}
		require.Greater(t, busy, 20)
		moved, err := w.nodes["node02"].q.Rebalance(context.Background())
		require.NoError(t, err)
		require.Positive(t, moved)
		time.Sleep(time.Second)
		_, waits := w.nodes["node03"].q.ByNode()
		for _, name := range w.names {
			require.InDelta(t, 9, waits[name], 1, "%v", waits)
		}
		_, err = w.nodes["node02"].q.Rebalance(context.Background()) // two nodes have taken a run since
		require.NoError(t, err)
		time.Sleep(time.Second)
		again, err := w.nodes["node01"].q.Rebalance(context.Background())
		require.NoError(t, err)
		require.Zero(t, again)
	})
}

// TestDrain: a draining node takes nothing and hands its queue back; its active runs end there.
func TestDrain(t *testing.T) {
	cluster(t, place.Options{HeadStart: time.Hour}, named(2), 1, func(w *world) {
		for i := range 10 {
			w.add("node01", place.Job{Run: fmt.Sprint("run", i)}, 1, 5*time.Second)
		}
		time.Sleep(time.Second)
		require.Positive(t, w.nodes["node02"].q.Stats().Prefer)
		require.NoError(t, w.nodes["node01"].m.Drain(context.Background(), "node02", true))
		time.Sleep(3 * time.Second)
		require.Zero(t, w.nodes["node02"].q.Stats().Prefer)
		require.Contains(t, w.nodes["node01"].q.Why("run9"), "waits for room on node01")
		w.wait(5 * time.Minute)
		require.Equal(t, map[string]int{"node01": 9, "node02": 1}, w.led())
		for i := range 10 {
			require.Len(t, w.run(fmt.Sprint("run", i)).by, 1)
		}
	})
}
