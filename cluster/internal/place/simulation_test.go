// This file defines the simulation: many runs on ten nodes, while nodes are killed, cut off, paused and drained.

package place_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/place"
	"github.com/ptc-lang/ptc/cluster/member"
	"github.com/ptc-lang/ptc/internal/testlevel"
	"github.com/ptc-lang/ptc/runtime/effect"
)

var (
	thorough = flag.Bool("thorough", false, "run 20 simulations of 2,000 runs")
	seed     = flag.Uint64("seed", 0, "run the simulation of one seed")
)

// TestSimulation: whatever happens to nodes, each run ends once, each effect is done once and never with a fence
// below that of an earlier one, and no run waits forever.
func TestSimulation(t *testing.T) {
	seeds, runs := []uint64{1, 2}, 300
	if testlevel.Small() {
		seeds, runs = seeds[:1], 100
	}
	if *thorough {
		seeds, runs = seeds[:0], 2000
		for i := range 20 {
			seeds = append(seeds, uint64(i+1))
		}
	}
	if *seed != 0 {
		seeds = []uint64{*seed}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) { simulate(t, seed, runs, true) })
	}
}

// TestCost has the number of commits of a run when nothing goes wrong.
func TestCost(t *testing.T) {
	runs := 300
	switch {
	case *thorough:
		runs = 2000
	case testlevel.Small():
		runs = 100
	}
	simulate(t, 7, runs, false)
}

func simulate(t *testing.T, seed uint64, runs int, faults bool) {
	infos := named(10)
	for i := range infos {
		infos[i].Region = []string{"east", "west"}[i%2]
		infos[i].Tools = []string{"http"}
		if i%3 == 0 {
			infos[i].Tools = append(infos[i].Tools, "ssh")
		}
	}
	cluster(t, place.Options{}, infos, 4, func(w *world) {
		r := rand.New(rand.NewPCG(seed, 1))
		began := time.Now()
		chaos := chaos{w: w, r: r, infos: infos}
		for i := range runs {
			j := place.Job{Run: fmt.Sprintf("run%04d", i), By: []string{"ann", "bob", "cid"}[r.IntN(3)],
				Memory: 100 + r.Int64N(200), Priority: effect.Priority(r.IntN(3) - 1), Tools: []string{"http"}}
			switch r.IntN(10) {
			case 0:
				j.Tools = append(j.Tools, "ssh")
			case 1:
				j.Region, j.Strict = "east", r.IntN(2) == 0
			case 2:
				j.Affinity = fmt.Sprint("host", r.IntN(20))
			case 3:
				j.Deadline = time.Hour
			case 4:
				j.Delay = time.Duration(r.IntN(10)) * time.Second
			case 5:
				j.Memory = 900
			}
			chaos.add(j)
			if faults && r.IntN(15) == 0 {
				chaos.disturb()
			}
			time.Sleep(time.Duration(r.IntN(100)) * time.Millisecond)
		}
		chaos.repair()
		w.wait(20 * time.Minute)
		took := time.Since(began)
		time.Sleep(10 * time.Second)
		slowest, attempts := time.Duration(0), 0
		for id, run := range w.runs {
			require.Equal(t, 1, run.ended, id)
			require.Equal(t, slices.Repeat([]int{1}, run.effects), run.done, id)
			attempts += len(run.by)
			slowest = max(slowest, run.first)
		}
		for _, name := range w.names {
			require.Empty(t, w.nodes[name].q.Units())
			require.Empty(t, w.nodes[name].busy)
		}
		require.Zero(t, w.fences)
		least, most := runs, 0
		for _, name := range w.names {
			least, most = min(least, w.led()[name]), max(most, w.led()[name])
		}
		for _, name := range slices.Clone(w.names) {
			w.stop(name)
		}
		s := w.sum
		sent := 0
		for _, a := range w.names {
			for _, b := range w.names {
				if a != b {
					n, _ := w.net.Sent(a, b)
					sent += n
				}
			}
		}
		t.Logf("seed %d: %d runs in %s, %d leads, %d to %d on a node, %d faults; %.2f commits a run (%d conflicts, %d moved); "+
			"%.1f heartbeats a second", seed, runs, took.Round(time.Second), attempts, least, most, chaos.faults,
			float64(s.Commits)/float64(runs), s.Conflicts, s.Moved, float64(sent)/time.Since(w.begin).Seconds())
		if !faults {
			require.Equal(t, runs, attempts)
			require.Less(t, float64(s.Commits)/float64(runs), 4.0, "one to add, one to take and one to finish, and some conflicts")
			require.Less(t, most, 3*least+10, "all nodes have worked")
		}
	})
}

// chaos disturbs the nodes of a world. At most four of ten are down or cut off at once, so that there is a majority.
type chaos struct {
	w      *world
	r      *rand.Rand
	infos  []member.Info
	down   []string // killed
	cut    []string
	drain  []string
	faults int
}

// add adds a run by a node that reaches a majority, again and again until it is added.
func (c *chaos) add(j place.Job) {
	c.w.mu.Lock()
	n := c.r.IntN(4)
	each := time.Duration(100+c.r.IntN(2000)) * time.Millisecond
	c.w.runs[j.Run] = &simulated{effects: n, each: each, done: make([]int, n)}
	c.w.mu.Unlock()
	for {
		by := c.w.names[c.r.IntN(len(c.w.names))]
		if slices.Contains(c.down, by) || slices.Contains(c.cut, by) {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err := c.w.nodes[by].q.Add(ctx, j)
		cancel()
		if err == nil {
			return
		}
	}
}

// disturb makes one thing worse or better.
func (c *chaos) disturb() {
	c.faults++
	name := c.w.names[c.r.IntN(len(c.w.names))]
	bad := slices.Contains(c.down, name) || slices.Contains(c.cut, name)
	many := len(c.down)+len(c.cut) >= 4
	switch c.r.IntN(6) {
	case 0, 1:
		if bad || many {
			c.restart()
			return
		}
		c.down = append(c.down, name)
		c.w.kill(name)
	case 2:
		if bad || many {
			c.heal()
			return
		}
		c.cut = append(c.cut, name)
		c.partition()
	case 3:
		c.restart()
	case 4:
		c.heal()
	case 5:
		if bad {
			return
		}
		on := !slices.Contains(c.drain, name)
		if on && len(c.drain) >= 2 {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if c.w.nodes[name].m.Drain(ctx, name, on) == nil && on {
			c.drain = append(c.drain, name)
		}
		if !on {
			c.drain = slices.DeleteFunc(c.drain, func(n string) bool { return n == name })
		}
		c.w.eng.DropAnswers(name, c.r.IntN(3))
	}
}

// partition cuts the nodes that are cut off from the others; they still reach each other.
func (c *chaos) partition() {
	var rest []string
	for _, name := range c.w.names {
		if !slices.Contains(c.cut, name) {
			rest = append(rest, name)
		}
	}
	c.w.split(rest, c.cut)
}

func (c *chaos) heal() {
	c.cut = nil
	c.w.heal()
}

func (c *chaos) restart() {
	for _, name := range c.down {
		for _, i := range c.infos {
			if i.Name == name {
				c.w.restart(i, 4)
			}
		}
	}
	c.down = nil
	if len(c.cut) > 0 {
		c.partition()
	}
}

// repair makes everything well.
func (c *chaos) repair() {
	c.heal()
	c.restart()
	time.Sleep(10 * time.Second)
	for _, name := range c.w.names {
		for c.w.nodes[name].m.Drain(context.Background(), name, false) != nil {
			time.Sleep(100 * time.Millisecond)
		}
	}
}
