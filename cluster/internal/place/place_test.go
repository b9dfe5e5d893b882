package place_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/load"
	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// TestSpread: runs are spread by capacity, and each runs once.
func TestSpread(t *testing.T) {
	cluster(t, place.Options{}, named(3), 4, func(w *world) {
		for i := range 12 {
			w.add("node01", place.Job{Run: fmt.Sprint("run", i)}, 2, time.Second)
		}
		time.Sleep(time.Second)
		require.Equal(t, map[string]int{"node01": 4, "node02": 4, "node03": 4}, w.led())
		by, ok := w.nodes["node02"].q.Leader("run0")
		require.True(t, ok)
		require.Equal(t, w.run("run0").by[0], by)
		require.Contains(t, w.nodes["node02"].q.Why("run0"), "led by node0")
		w.wait(time.Minute)
		time.Sleep(time.Second)
		require.Empty(t, w.nodes["node03"].q.Units())
		require.Zero(t, w.nodes["node01"].q.Stats().Waiting)
	})
}

// TestDeadLeader: the runs of a node that is killed continue elsewhere, from where they were.
func TestDeadLeader(t *testing.T) {
	cluster(t, place.Options{}, named(3), 4, func(w *world) {
		for i := range 6 {
			w.add("node01", place.Job{Run: fmt.Sprint("run", i)}, 10, time.Second)
		}
		time.Sleep(4500 * time.Millisecond)
		killed := w.run("run0").by[0]
		began := time.Now()
		w.kill(killed)
		for len(w.run("run0").by) == 1 {
			time.Sleep(10 * time.Millisecond)
		}
		took := time.Since(began)
		require.Less(t, took, 3500*time.Millisecond, "one lease, and the time of a commit")
		t.Logf("the next node leads after %s", took)
		w.wait(time.Minute)
		require.NotEqual(t, killed, w.run("run0").by[1])
		for i := range 6 {
			r := w.run(fmt.Sprint("run", i))
			require.Equal(t, slices.Repeat([]int{1}, 10), r.done)
			require.Equal(t, 1, r.ended)
		}
	})
}

// TestMinority: a leader that is cut off stops before another one leads, and a node without a majority takes nothing.
func TestMinority(t *testing.T) {
	cluster(t, place.Options{}, named(3), 4, func(w *world) {
		w.add("node01", place.Job{Run: "a"}, 20, 500*time.Millisecond)
		time.Sleep(2 * time.Second)
		first := w.run("a").by[0]
		rest := slices.DeleteFunc(slices.Clone(w.names), func(n string) bool { return n == first })
		w.split([]string{first}, rest)
		w.add(rest[0], place.Job{Run: "b"}, 1, time.Second)
		time.Sleep(10 * time.Second)
		require.Len(t, w.run("a").by, 2)
		require.Zero(t, w.nodes[first].q.Stats().Led)
		require.Equal(t, 1, w.nodes[first].q.Stats().Lost)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		require.Error(t, w.nodes[first].q.Add(ctx, place.Job{Run: "c"}))
		cancel()
		w.heal()
		w.wait(time.Minute)
	})
}

// TestSymmetric: while no part is a majority, no run continues; after that all do.
func TestSymmetric(t *testing.T) {
	cluster(t, place.Options{}, named(4), 4, func(w *world) {
		for i := range 8 {
			w.add("node01", place.Job{Run: fmt.Sprint("run", i)}, 20, 500*time.Millisecond)
		}
		time.Sleep(2 * time.Second)
		w.split(w.names[:2], w.names[2:])
		time.Sleep(5 * time.Second)
		at := w.run("run3").done
		at = slices.Clone(at)
		time.Sleep(20 * time.Second)
		require.Equal(t, at, w.run("run3").done)
		w.heal()
		w.wait(time.Minute)
	})
}

// TestLostAnswers: a node that leads runs without knowing it finds out, and nothing runs twice.
func TestLostAnswers(t *testing.T) {
	cluster(t, place.Options{}, named(3), 4, func(w *world) {
		for i := range 30 {
			for _, name := range w.names {
				w.eng.DropAnswers(name, i%3)
			}
			j := place.Job{Run: fmt.Sprint("run", i)}
			w.mu.Lock()
			w.runs[j.Run] = &simulated{effects: 1, each: 100 * time.Millisecond, done: make([]int, 1)}
			w.mu.Unlock()
			for w.nodes["node01"].q.Add(context.Background(), j) != nil {
				time.Sleep(10 * time.Millisecond)
			}
		}
		w.wait(time.Minute)
		time.Sleep(5 * time.Second)
		require.Empty(t, w.nodes["node01"].q.Units())
		for i := range 30 {
			require.Equal(t, 1, w.run(fmt.Sprint("run", i)).ended)
		}
	})
}

// TestPriority: the lanes share the starts 16 : 4 : 1.
func TestPriority(t *testing.T) {
	cluster(t, place.Options{}, named(1), 1, func(w *world) {
		w.add("node01", place.Job{Run: "first"}, 1, time.Second)
		for _, p := range effect.Priorities {
			for i := range 21 {
				w.add("node01", place.Job{Run: fmt.Sprintf("%s%02d", p, i), Priority: p}, 1, 10*time.Millisecond)
			}
		}
		w.wait(time.Minute)
		count := make(map[byte]int)
		for _, run := range w.started()[1:22] {
			count[run[0]]++
		}
		require.Equal(t, map[byte]int{'h': 16, 'n': 4, 'l': 1}, count)
	})
}

// TestFair: three submitters at three nodes take turns, and the runs of each are started as they were added.
func TestFair(t *testing.T) {
	cluster(t, place.Options{}, named(3), 1, func(w *world) {
		for i := range 3 {
			w.add("node01", place.Job{Run: fmt.Sprint("first", i)}, 1, 20*time.Second)
		}
		for i := range 20 { // one submitter has many, the others come later with few
			w.add("node01", place.Job{Run: fmt.Sprintf("a%02d", i), By: "ann"}, 1, time.Second)
		}
		for i := range 5 {
			w.add("node02", place.Job{Run: fmt.Sprintf("b%02d", i), By: "bob"}, 1, time.Second)
			w.add("node03", place.Job{Run: fmt.Sprintf("c%02d", i), By: "cid"}, 1, time.Second)
		}
		w.wait(2 * time.Minute)
		order := w.started()[3:]
		of := func(by string) (runs []string) {
			for _, run := range order {
				if strings.HasPrefix(run, by) {
					runs = append(runs, run)
				}
			}
			return runs
		}
		for _, by := range []string{"a", "b", "c"} {
			require.True(t, slices.IsSorted(of(by)), "%v", of(by))
		}
		require.ElementsMatch(t, append(of("b"), of("c")...), slices.DeleteFunc(slices.Clone(order[:16]),
			func(run string) bool { return run[0] == 'a' }), "%v", order)
	})
}

// TestInterleaved: submitters that add one run after the other have them started in the order of all.
func TestInterleaved(t *testing.T) {
	cluster(t, place.Options{}, named(3), 1, func(w *world) {
		for i := range 3 {
			w.add("node01", place.Job{Run: fmt.Sprint("first", i)}, 1, 20*time.Second)
		}
		var want []string
		for i := range 8 {
			for k, by := range []string{"ann", "bob", "cid"} {
				run := fmt.Sprintf("%02d%s", i, by)
				w.add(w.names[k], place.Job{Run: run, By: by}, 1, time.Second)
				time.Sleep(10 * time.Millisecond)
				want = append(want, run)
			}
		}
		w.wait(2 * time.Minute)
		got := w.started()[3:]
		for i := 0; i < len(got); i += 3 { // the three slots are free at the same moment
			require.ElementsMatch(t, want[i:i+3], got[i:i+3])
		}
	})
}

// TestDeadline: the earliest deadline of a submitter is first, without taking turns from others, and a run whose
// deadline passes while it waits is ended.
func TestDeadline(t *testing.T) {
	cluster(t, place.Options{}, named(1), 1, func(w *world) {
		w.add("node01", place.Job{Run: "first"}, 1, 10*time.Second)
		w.add("node01", place.Job{Run: "a1", By: "ann"}, 1, time.Second)
		w.add("node01", place.Job{Run: "a2", By: "ann"}, 1, time.Second)
		w.add("node01", place.Job{Run: "b1", By: "bob"}, 1, time.Second)
		w.add("node01", place.Job{Run: "b2", By: "bob"}, 1, time.Second)
		w.add("node01", place.Job{Run: "a3", By: "ann", Deadline: time.Hour}, 1, time.Second)
		w.add("node01", place.Job{Run: "a4", By: "ann", Deadline: time.Minute}, 1, time.Second)
		w.add("node01", place.Job{Run: "late", By: "cid", Deadline: 5 * time.Second}, 1, time.Second)
		w.wait(time.Minute)
		require.Equal(t, []string{"first", "late", "a4", "b1", "a3", "b2", "a1", "a2"}, w.started())
		late := w.run("late")
		require.True(t, late.expired)
		require.Zero(t, late.done[0])
		require.Less(t, late.first, 11*time.Second)
		require.Equal(t, 1, w.nodes["node01"].q.Stats().Expired)
		require.False(t, w.run("a4").expired)
	})
}

// TestDeadlineOfRunning: a run that is taken knows the time that it has left.
func TestDeadlineOfRunning(t *testing.T) {
	cluster(t, place.Options{}, named(1), 1, func(w *world) {
		w.add("node01", place.Job{Run: "first"}, 1, 10*time.Second)
		w.add("node01", place.Job{Run: "a", Deadline: time.Minute}, 1, time.Second)
		w.add("node01", place.Job{Run: "b"}, 1, time.Second)
		w.wait(time.Minute)
		require.InDelta(t, 50, w.run("a").left.Seconds(), 3)
		require.Zero(t, w.run("b").left)
	})
}

// TestDelay: a run with a delay starts after it, also when the coordinator dies in the meantime.
func TestDelay(t *testing.T) {
	cluster(t, place.Options{}, named(3), 1, func(w *world) {
		began := time.Since(w.begin)
		w.add("node01", place.Job{Run: "a", Delay: 20 * time.Second}, 1, time.Second)
		time.Sleep(10 * time.Second)
		require.Contains(t, w.nodes["node02"].q.Why("a"), "waits for another 1")
		h, ok := w.nodes["node01"].m.Holder(place.DutyCoordinator)
		require.True(t, ok)
		w.kill(h.Node)
		w.wait(time.Minute)
		waited := w.run("a").first - began
		require.GreaterOrEqual(t, waited, 20*time.Second)
		require.Less(t, waited, 27*time.Second)
	})
}

// TestCapabilities: a run is taken only where its tools are granted, and says which are missing.
func TestCapabilities(t *testing.T) {
	infos := named(3)
	infos[0].Tools, infos[1].Tools = []string{"ssh", "http"}, []string{"http"}
	infos[2].Labels = map[string]string{"disk": "fast"}
	cluster(t, place.Options{}, infos, 2, func(w *world) {
		for i := range 4 {
			w.add("node03", place.Job{Run: fmt.Sprint("ssh", i), Tools: []string{"http", "ssh"}}, 1, time.Second)
			w.add("node01", place.Job{Run: fmt.Sprint("disk", i), Labels: map[string]string{"disk": "fast"}}, 1, time.Second)
		}
		w.add("node01", place.Job{Run: "sql", Tools: []string{"http", "sql"}}, 1, time.Second)
		time.Sleep(20 * time.Second)
		require.Equal(t, []string{"sql"}, w.left())
		require.Equal(t, map[string]int{"node01": 4, "node03": 4}, w.led())
		require.Equal(t, "no node can take it: node01 does not grant sql; node02 does not grant sql; "+
			"node03 does not grant http, sql", w.nodes["node02"].q.Why("sql"))
		w.stop("node02")
		infos[1].Tools = []string{"sql", "http"}
		w.start(infos[1], 1)
		w.wait(time.Minute)
		require.Equal(t, []string{"node02"}, w.run("sql").by)
		require.Empty(t, w.nodes["node02"].q.Why("none"))
	})
}

// TestLarge: a run that needs the whole of a node is not overtaken forever, and one that no node has room for says so.
func TestLarge(t *testing.T) {
	cluster(t, place.Options{}, named(2), 4, func(w *world) {
		for i := range 40 {
			w.add("node01", place.Job{Run: fmt.Sprintf("small%02d", i), By: "ann", Memory: 300}, 1, time.Second)
			if i == 10 {
				w.add("node01", place.Job{Run: "large", By: "bob", Memory: 1000}, 1, time.Second)
			}
		}
		w.wait(2 * time.Minute)
		require.Less(t, slices.Index(w.started(), "large"), 25)
	})
}

// TestRemove: a run that waits can be removed, one that is led can't.
func TestRemove(t *testing.T) {
	cluster(t, place.Options{}, named(2), 1, func(w *world) {
		for _, run := range []string{"a", "b", "c"} {
			w.add("node01", place.Job{Run: run}, 1, 5*time.Second)
		}
		w.add("node01", place.Job{Run: "a"}, 1, 5*time.Second) // again
		time.Sleep(time.Second)
		require.Equal(t, "waits for room on node01, node02", w.nodes["node01"].q.Why("c"))
		removed, err := w.nodes["node02"].q.Remove(context.Background(), "c")
		require.NoError(t, err)
		require.True(t, removed)
		removed, err = w.nodes["node02"].q.Remove(context.Background(), "c")
		require.NoError(t, err)
		require.False(t, removed)
		_, err = w.nodes["node02"].q.Remove(context.Background(), "a")
		require.ErrorIs(t, err, place.ErrLed)
		time.Sleep(20 * time.Second)
		require.Equal(t, []string{"c"}, w.left())
	})
}

// TestStrategies: which node is preferred, while all have room.
func TestStrategies(t *testing.T) {
	for _, c := range []struct {
		strategy place.Strategy
		affinity bool
		want     map[string]int
	}{
		{place.RoundRobin, false, map[string]int{"node01": 4, "node02": 4, "node03": 4}},
		{place.Capacity, false, map[string]int{"node01": 4, "node02": 4, "node03": 4}},
		{place.Affinity, true, map[string]int{"node01": 12}},
		{place.Affinity, false, map[string]int{"node01": 4, "node02": 4, "node03": 4}},
		{place.Adaptive, true, map[string]int{"node01": 8, "node02": 2, "node03": 2}}, // twice its capacity is enough
	} {
		t.Run(fmt.Sprint(c.strategy, c.affinity), func(t *testing.T) {
			cluster(t, place.Options{Strategy: c.strategy}, named(3), 20, func(w *world) {
				for i := range 12 {
					j := place.Job{Run: fmt.Sprint("run", i)}
					if c.affinity {
						j.Affinity = "rack7"
					}
					w.add("node01", j, 1, time.Minute)
					time.Sleep(100 * time.Millisecond)
				}
				require.Equal(t, c.want, w.led())
			})
		})
	}
	_, err := place.New(place.Options{})
	require.Error(t, err)
}

// TestPull: a preferred node that has no room does not hold a run up.
func TestPull(t *testing.T) {
	cluster(t, place.Options{Strategy: place.Affinity}, named(3), 2, func(w *world) {
		for i := range 6 {
			w.add("node01", place.Job{Run: fmt.Sprint("run", i), Affinity: "x"}, 1, time.Minute)
		}
		time.Sleep(2 * time.Second)
		require.Equal(t, map[string]int{"node01": 2, "node02": 2, "node03": 2}, w.led())
	})
}

// TestThresholds: a node whose processor is busy takes nothing, and one whose memory is full hands its queue back.
func TestThresholds(t *testing.T) {
	cluster(t, place.Options{Strategy: place.RoundRobin}, named(2), 2, func(w *world) {
		w.nodes["node01"].setLoad(load.Load{CPU: 0.81})
		time.Sleep(3 * time.Second)
		for i := range 4 {
			w.add("node02", place.Job{Run: fmt.Sprint("run", i)}, 1, 10*time.Second)
		}
		time.Sleep(5 * time.Second)
		require.Equal(t, map[string]int{"node02": 2}, w.led())
		w.nodes["node01"].setLoad(load.Load{CPU: 0.75})
		time.Sleep(3 * time.Second)
		require.Equal(t, map[string]int{"node02": 2}, w.led(), "it has to fall further")
		w.nodes["node01"].setLoad(load.Load{CPU: 0.6})
		time.Sleep(3 * time.Second)
		require.Equal(t, map[string]int{"node01": 2, "node02": 2}, w.led())
		w.wait(time.Minute)

		for i := range 20 {
			w.add("node02", place.Job{Run: fmt.Sprint("more", i)}, 1, 10*time.Second)
		}
		time.Sleep(time.Second)
		require.InDelta(t, 8, w.nodes["node01"].q.Stats().Prefer, 2)
		w.nodes["node02"].setLoad(load.Load{Memory: 0.1})
		w.nodes["node01"].setLoad(load.Load{Memory: 0.9})
		time.Sleep(4 * time.Second)
		require.Equal(t, 0, w.nodes["node01"].q.Stats().Prefer)
		require.Positive(t, w.nodes["node01"].q.Stats().Moved)
		w.nodes["node01"].setLoad(load.Load{})
		w.wait(5 * time.Minute)
	})
}
