package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/store"
)

var rounds = flag.Int("rounds", 12, "runs of TestClusterShareRandom with -thorough")

// regions writes to hosts of three regions, each in an operation of its own. It takes no guards: a node that is stopped
// loses them.
const regions = `
(defn change [region host]
  (:status (tool/http.post {:url (str data/url "/?key=" data/name "_" region "_" host) :body "x"})))
(let [done (pmap (fn [region]
                   (println "region" region)
                   (reduce + (pmap (fn [host] (change region host)) (range 100))))
                 (range 3))]
  (tool/http.post {:url (str data/url "/?key=" data/name "_end") :body "x"})
  (vec done))`

// TestClusterShareRandom kills, ends and stops nodes at random while three nodes share the elements of nested
// operations. Each write is made once, or is in doubt and settled by what the service has seen, and the value is that
// of a run on one node.
func TestClusterShareRandom(t *testing.T) {
	if !*thorough {
		t.Skip("slow: run it with -thorough")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	calls := newSlow(t, 50*time.Millisecond)
	c := prepareCluster(t, calls.flags()...)
	c.set("workers: 6\ncluster:\n  work_distribution: {work_unit_size: 5, share_from: 3}\n")
	c.startAll()
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(*rounds)*2*time.Minute)
	defer cancel()
	kinds := make(map[string]int)
	shared := 0
	for round := range *rounds {
		name := fmt.Sprint("r", round)
		run := c.submitted(ctx, store.Submission{Source: regions,
			Data: fmt.Appendf(nil, `{"name": %q, "url": %q}`, name, calls.URL)})
		var hands sync.WaitGroup
		for range 1 + rng.IntN(3) {
			time.Sleep(time.Duration(rng.IntN(3000)) * time.Millisecond)
			kinds[c.hurt(rng, &hands)]++
			hands.Wait() // one fault at a time
		}
		run = c.settledOn(ctx, run.ID, calls)
		require.Equal(t, store.Succeeded, run.State, "%s: %s", run.Reason, run.Text)
		require.Equal(t, "[20000 20000 20000]", strings.TrimSpace(run.Text))
		calls.mu.Lock()
		n := 0
		for key, times := range calls.writes {
			if strings.HasPrefix(key, name+"_") {
				require.Equal(t, 1, times, "write %s", key)
				n++
			}
		}
		calls.mu.Unlock()
		require.Equal(t, 301, n)
		if len(run.Units) > 1 {
			shared++
		}
		t.Logf("round %d: attempts %d, units %v", round, run.Attempts, run.Units)
	}
	t.Logf("%d runs, %d of them on several nodes, faults %v", *rounds, shared, kinds)
	require.Positive(t, shared)
}

// hurt does something to a node, and has it back after a time.
func (c *members) hurt(rng *rand.Rand, hands *sync.WaitGroup) (kind string) {
	name := fmt.Sprintf("node%d", 1+rng.IntN(3))
	n := c.nodes[name]
	pause := time.Duration(rng.IntN(6000)) * time.Millisecond
	switch rng.IntN(3) {
	case 0:
		kind = "kill"
		n.Kill()
	case 1:
		kind = "term"
		n.End(syscall.SIGTERM)
	case 2:
		n.Signal(syscall.SIGSTOP)
		hands.Go(func() {
			time.Sleep(pause)
			n.Signal(syscall.SIGCONT)
		})
		return "stop"
	}
	time.Sleep(pause)
	c.start(name).Ready()
	return kind
}

// submitted submits a run on any node that takes it.
func (c *members) submitted(ctx context.Context, sub store.Submission) (run store.Run) {
	c.t.Helper()
	require.Eventually(c.t, func() (done bool) {
		c.each(func(name string) bool {
			var err error
			run, err = c.at(name).Submit(ctx, sub, 0)
			done = err == nil
			return done
		})
		return done
	}, time.Minute, 100*time.Millisecond)
	return run
}

// each calls f with each node until it returns true.
func (c *members) each(f func(name string) bool) {
	for i := range 3 {
		if f(fmt.Sprintf("node%d", i+1)) {
			return
		}
	}
}

// settledOn waits for the end of a run on any node that answers, and settles its writes in doubt.
func (c *members) settledOn(ctx context.Context, id string, calls *slow) (run store.Run) {
	c.t.Helper()
	for ctx.Err() == nil {
		var err error
		c.each(func(name string) bool {
			asked, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			run, err = c.at(name).Get(asked, id)
			if err == nil && run.State == store.InDoubt {
				time.Sleep(200 * time.Millisecond) // what a service has got it has counted by then
				_, err = c.at(name).Settle(asked, id, calls.verdicts(run)...)
			}
			return err == nil
		})
		if err == nil && run.State.Final() {
			return run
		}
		time.Sleep(50 * time.Millisecond)
	}
	require.NoError(c.t, ctx.Err(), "run %s is %s: %s", id, run.State, run.Reason)
	return run
}

// verdicts returns the settlements of writes in doubt, by what the service has seen.
func (s *slow) verdicts(run store.Run) (all []effect.Settlement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range run.Pending {
		one := effect.Settlement{ID: p.ID, As: effect.Retry}
		if s.writes[key.FindStringSubmatch(string(p.Args))[1]] > 0 {
			one.As, one.Result = effect.Done, []byte(`{"status": 200, "url": "", "headers": {}}`)
		}
		all = append(all, one)
	}
	return all
}
