package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// topology starts three processes with a topology. nodes are further settings of each in the list of nodes.
func topology(t *testing.T, name string, nodes ...string) *members {
	t.Helper()
	c := prepareCluster(t)
	c.set("timeout: 10m\ncluster:\n  topology: " + name + "\n  work_distribution: {region_start_ms: 1000}\n")
	for _, file := range []string{"node1.yaml", "node2.yaml", "node3.yaml"} {
		file = filepath.Join(c.dir, file)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for i, more := range nodes {
			if more != "" {
				item := `    - name: "node` + string(rune('1'+i)) + `"` + "\n"
				require.Contains(t, string(text), item)
				text = []byte(strings.Replace(string(text), item, item+"      "+more+"\n", 1))
			}
		}
		require.NoError(t, os.WriteFile(file, text, 0o600))
	}
	c.startAll()
	return c
}

// submit submits a run that lasts until the end of the test, and waits until one of some nodes leads it.
func (c *members) submit(ctx context.Context, at string, labels map[string]string, by ...string) store.Run {
	c.t.Helper()
	run, err := c.at(at).Submit(ctx, store.Submission{Source: `(Thread/sleep 500000)`, Labels: labels}, 0)
	require.NoError(c.t, err)
	return c.led(ctx, at, run.ID, by...)
}

// led waits until one of some nodes leads a run.
func (c *members) led(ctx context.Context, at, id string, by ...string) store.Run {
	c.t.Helper()
	var last store.Run
	for ctx.Err() == nil {
		run, err := c.at(at).Get(ctx, id)
		if err == nil && run.State == store.Running && slices.Contains(by, run.Leader) {
			return run
		}
		if err == nil {
			last = run
		}
		time.Sleep(20 * time.Millisecond)
	}
	require.FailNow(c.t, "no node leads the run that should", "want one of %v, got %q: %s %s\n%s", by, last.Leader,
		last.State, last.Reason, c.nodes[at].Log())
	return last
}

// TestClusterActivePassive starts two nodes that work and a witness. One node leads all runs, whichever was asked, and
// the other one takes them over when it dies.
func TestClusterActivePassive(t *testing.T) {
	t.Parallel() // it mostly waits
	c := topology(t, "active-passive", "", "", "role: witness")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	run := c.submit(ctx, "node1", nil, "node1", "node2")
	active, passive := run.Leader, "node2"
	if active == "node2" {
		passive = "node1"
	}
	for _, at := range []string{passive, active, "node3"} {
		c.submit(ctx, at, map[string]string{"affinity": at}, active)
	}
	c.nodes[active].Kill()
	c.led(ctx, "node3", run.ID, passive)
	c.submit(ctx, "node3", nil, passive)

	c.start(active)
	c.until(ctx, "node3", is(active, "alive", "votes"))
	c.submit(ctx, active, nil, passive) // it stays
	_, err := c.at("node3").StepDown(ctx, "active")
	require.NoError(t, err)
	c.until(ctx, "node3", func(s wire.Cluster) bool {
		return slices.ContainsFunc(s.Duties, func(d wire.ClusterDuty) bool { return d.Duty == "active" && d.Node == active })
	})
	c.submit(ctx, passive, nil, active)
}

// TestClusterActiveActive starts three nodes in three regions. A run goes to its region, and to another one if that has
// died, unless it is strict.
func TestClusterActiveActive(t *testing.T) {
	if !*thorough {
		t.Skip("slow: run it with -thorough")
	}
	c := topology(t, "active-active", "region: east", "region: west", "region: north")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	east, west := map[string]string{"region": "east"}, map[string]string{"region": "west"}
	strict := map[string]string{"region": "west", "strict": "true"}
	for _, at := range []string{"node1", "node2", "node3"} {
		c.submit(ctx, at, east, "node1")
		c.submit(ctx, at, west, "node2")
		c.submit(ctx, at, strict, "node2")
	}
	loose, bound := c.submit(ctx, "node3", west, "node2"), c.submit(ctx, "node3", strict, "node2")
	c.nodes["node2"].Kill()
	c.led(ctx, "node1", loose.ID, "node1", "node3")
	c.submit(ctx, "node1", west, "node1", "node3")
	waits, err := c.at("node1").Get(ctx, bound.ID)
	require.NoError(t, err)
	assert.Empty(t, waits.Leader)
	c.start("node2")
	c.led(ctx, "node1", bound.ID, "node2")
}

// TestClusterHierarchical starts three nodes in two regions. Runs stay in their region while it has a node, and the
// coordinator moves them when it has none.
func TestClusterHierarchical(t *testing.T) {
	t.Parallel() // it mostly waits
	c := topology(t, "hierarchical", "region: east", "region: west", "region: west")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	east, west := map[string]string{"region": "east"}, map[string]string{"region": "west"}
	here := c.submit(ctx, "node3", east, "node1")
	there := c.submit(ctx, "node1", west, "node2", "node3")
	dies, stays := there.Leader, "node2"
	if dies == "node2" {
		stays = "node3"
	}
	c.nodes[dies].Kill()
	c.led(ctx, "node1", there.ID, stays)
	c.submit(ctx, "node1", west, stays)
	c.submit(ctx, stays, east, "node1")

	c.start(dies)
	c.until(ctx, stays, is(dies, "alive", "votes"))
	c.nodes["node1"].Kill()
	c.led(ctx, stays, here.ID, "node2", "node3")
	c.submit(ctx, stays, east, "node2", "node3")
}
