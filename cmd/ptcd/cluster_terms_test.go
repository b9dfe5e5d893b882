//go:build unix

package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/store"
)

var terms = flag.Int("terms", 200, "the number of nodes that TestClusterTerms ends")

// termWays are the situations in which TestClusterTerms ends a node.
var termWays = []string{"in peace", "in an election", "while it starts", "while another one starts",
	"while the others are stopped"}

// TestClusterTerms ends nodes with SIGTERM again and again, while runs of all nodes make calls. Each ends
// in time, and the runs continue.
func TestClusterTerms(t *testing.T) {
	if !*thorough {
		t.Skip("slow: run it with -thorough")
	}
	calls := newSlow(t, 20*time.Millisecond)
	c := prepareCluster(t, calls.flags()...)
	c.set("timeout: 1h\nworkers: 4\ncluster:\n" +
		"  work_distribution: {work_unit_size: 5, share_from: 3, max_crashes: 1000}\n")
	c.startAll()
	var runs []string
	for i := range 4 {
		run, err := c.at(nodeName(1+i%3)).Submit(t.Context(), store.Submission{Source: fmt.Sprintf(`
			(count (pmap (fn [i] (tool/http.get (str "%s/?i=" i))) (range 1000000)))`, calls.URL)}, 0)
		require.NoError(t, err)
		runs = append(runs, run.ID)
	}
	e := &terminator{members: c, rng: rand.New(rand.NewPCG(1, 2)), took: make(map[string][]time.Duration)}
	for n := range *terms {
		e.one(termWays[n%len(termWays)])
	}
	for _, way := range termWays {
		all := e.took[way]
		slices.Sort(all)
		t.Logf("%s: %d ends %s: %v least, %v median, %v of 90 %%, %v most", load(), len(all), way, all[0], all[len(all)/2],
			all[len(all)*9/10], all[len(all)-1])
	}
	t.Logf("%d steps of ends took over a second:\n%s", len(e.slow), strings.Join(e.slow, ""))
	for _, id := range runs {
		run, err := c.at("node1").Get(t.Context(), id)
		require.NoError(t, err)
		require.False(t, run.State.Final(), "%s %s", run.State, run.Text)
	}
}

// terminator ends nodes, and keeps how long that took.
type terminator struct {
	*members
	rng  *rand.Rand
	took map[string][]time.Duration
	slow []string
}

// pause waits for a time by chance.
func (e *terminator) pause(most int) { time.Sleep(time.Duration(e.rng.IntN(most)) * time.Millisecond) }

// end ends a node, which exits with one of the codes.
func (e *terminator) end(way, name string, codes ...int) {
	begin := time.Now()
	code := e.nodes[name].End(syscall.SIGTERM)
	took := time.Since(begin)
	e.took[way] = append(e.took[way], took)
	log := e.nodes[name].Log()
	require.Contains(e.t, codes, code, "%s: %s after %v\n%s", way, name, took, log)
	for line := range strings.Lines(log) {
		if strings.Contains(line, "the end of the service") {
			e.slow = append(e.slow, way+": "+line[strings.Index(line, "msg="):])
			require.NotContains(e.t, line, "does not wait any longer", "%s", log)
		}
	}
}

// one ends one node, and waits until all run again.
func (e *terminator) one(way string) {
	names := e.names()
	e.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	name, other := names[0], names[1]
	switch way {
	case "in peace":
		e.end(way, name, exitOK)
		e.start(name)
	case "in an election":
		e.lead(e.t.Context(), other, true)
		e.nodes[other].Kill()
		e.pause(400)
		e.end(way, name, exitOK)
		e.start(other)
		e.start(name)
	case "while it starts":
		e.nodes[name].Kill()
		e.start(name)
		e.pause(1500)
		e.end(way, name, exitOK, exitFailed, -1) // -1: it did not take signals yet
		e.start(name)
	case "while another one starts":
		e.nodes[other].Kill()
		e.start(other)
		e.pause(500)
		e.end(way, name, exitOK)
		e.start(name)
	case "while the others are stopped":
		for _, n := range names[1:] {
			require.NoError(e.t, e.nodes[n].Signal(syscall.SIGSTOP))
		}
		e.pause(8000)
		e.end(way, name, exitOK)
		for _, n := range names[1:] {
			require.NoError(e.t, e.nodes[n].Signal(syscall.SIGCONT))
		}
		e.start(name)
	}
	for _, n := range e.names() {
		e.nodes[n].Ready()
	}
	e.settle(e.t.Context(), other)
}
