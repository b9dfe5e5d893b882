// This file tests when a preference does not hold: because of the capacity of nodes, their load, and a long queue.

package place_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/load"
	"github.com/ptc-lang/ptc/cluster/internal/place"
)

// TestCapacities: a node gets runs in proportion to its capacity.
func TestCapacities(t *testing.T) {
	infos := named(2)
	infos[0].Capacity, infos[1].Capacity = 2, 6
	cluster(t, place.Options{Strategy: place.Capacity, HeadStart: time.Hour}, infos, 20, func(w *world) {
		for i := range 16 {
			w.add("node01", place.Job{Run: fmt.Sprint("run", i)}, 1, time.Minute)
			time.Sleep(100 * time.Millisecond)
		}
		require.Equal(t, map[string]int{"node01": 4, "node02": 12}, w.led())
	})
}

// TestAdaptive: an affinity holds until its node takes no further runs, and again when it does.
func TestAdaptive(t *testing.T) {
	for strategy, elsewhere := range map[place.Strategy]bool{place.Adaptive: true, place.Affinity: false} {
		t.Run(string(strategy), func(t *testing.T) {
			cluster(t, place.Options{Strategy: strategy, HeadStart: time.Minute}, named(3), 20, func(w *world) {
				add := func(run string) string {
					w.add("node01", place.Job{Run: run, Affinity: "rack7"}, 1, 10*time.Second)
					time.Sleep(time.Second)
					for _, u := range w.nodes["node01"].q.Units() {
						if u.Run == run {
							return u.Prefer
						}
					}
					return ""
				}
				at := add("first")
				w.nodes[at].setLoad(load.Load{CPU: 0.9})
				time.Sleep(3 * time.Second)
				require.Equal(t, elsewhere, add("loaded") != at)
				w.nodes[at].setLoad(load.Load{})
				time.Sleep(3 * time.Second)
				require.Equal(t, at, add("last"))
				w.wait(5 * time.Minute)
			})
		})
	}
}

// TestLongQueue: a node for which more runs wait than the threshold hands those beyond it back, until fewer wait.
func TestLongQueue(t *testing.T) {
	o := place.Options{Strategy: place.Affinity, HeadStart: time.Hour, Imbalance: 1,
		Thresholds: load.Thresholds{Queue: 10}}
	cluster(t, o, named(3), 1, func(w *world) {
		for i := range 20 {
			w.add("node01", place.Job{Run: fmt.Sprintf("run%02d", i), Affinity: "x"}, 1, 10*time.Minute)
		}
		time.Sleep(5 * time.Second)
		sum := 0
		for _, name := range w.names {
			stats := w.nodes[name].q.Stats()
			require.LessOrEqual(t, stats.Prefer, 10, name)
			sum += stats.Prefer + stats.Led
		}
		require.Equal(t, 20, sum)
	})
}

// TestShare: the number of active runs of a tenant does not exceed its share, even if all nodes have room
// for one at the same moment.
func TestShare(t *testing.T) {
	cluster(t, place.Options{Strategy: place.RoundRobin}, named(3), 100, func(w *world) {
		w.share.Store(2)
		var adding sync.WaitGroup
		for i := range 60 {
			adding.Go(func() {
				tenant := fmt.Sprint("tenant", i%10)
				w.add(w.names[i%3], place.Job{Run: fmt.Sprint("run", i), Tenant: tenant, By: "ann"}, 1, 10*time.Second)
			})
		}
		adding.Wait()
		time.Sleep(5 * time.Second)
		led := make(map[string]int)
		for _, u := range w.nodes["node01"].q.Units() {
			if u.Leader != "" {
				led[u.Tenant]++
			}
		}
		for i := range 10 {
			require.Equal(t, 2, led[fmt.Sprint("tenant", i)])
		}
		w.wait(5 * time.Minute)
	})
}
