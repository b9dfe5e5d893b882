package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/ptcdtest"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// patient is the setting of a node whose runs continue while nodes die and the machine is busy.
const patient = "timeout: 3m\n"

// join has a node join with ptcd cluster join, and starts it. dir is where its files go, below that of the cluster.
func (c *members) join(ctx context.Context, j wire.NewJoin, dir string, flags ...string) *ptcdtest.Process {
	c.t.Helper()
	return c.launch(j.Node, c.admitted(ctx, j, dir, flags...))
}

// launch starts a node that was admitted.
func (c *members) launch(node, dir string) *ptcdtest.Process {
	n := ptcdtest.Launch(c.t, []string{os.Args[0], "--config", filepath.Join(dir, node+".yaml")}, []string{asCommand + "=1"})
	c.nodes[node] = n
	return n
}

// admitted lets a node join which does not run yet, and returns its directory.
func (c *members) admitted(ctx context.Context, j wire.NewJoin, dir string, flags ...string) string {
	c.t.Helper()
	token, err := c.at("node1").NewJoin(ctx, j)
	require.NoError(c.t, err)
	require.NotEmpty(c.t, token.At)
	file, to := filepath.Join(c.t.TempDir(), "token"), filepath.Join(c.dir, dir)
	require.NoError(c.t, os.WriteFile(file, []byte(token.Token), 0o600))
	args := append([]string{"cluster", "join", "--at", token.At[0], "--token-file", file, "--master-key",
		filepath.Join(c.dir, "master.key"), "--dir", to}, flags...)
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(cmd.Environ(), asCommand+"=1")
	out, err := cmd.CombinedOutput()
	require.NoError(c.t, err, "%s", out)
	c.append(filepath.Join(dir, j.Node+".yaml"), patient)
	return to
}

// until waits until the state of the cluster, as a node knows it, is as wanted.
func (c *members) until(ctx context.Context, at string, want func(wire.Cluster) bool) {
	c.t.Helper()
	var last wire.Cluster
	var err error
	for ctx.Err() == nil {
		if last, err = c.at(at).Cluster(ctx); err == nil && want(last) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	require.FailNow(c.t, "the cluster is not as wanted", "%+v %v\n%s", last, err, c.nodes[at].Log())
}

// allAlive is the condition that the nodes are all alive.
func allAlive(c wire.Cluster) bool {
	return !slices.ContainsFunc(c.Members, func(m wire.ClusterMember) bool { return m.State != "alive" })
}

// is returns a condition on a node.
func is(node, state, engine string) func(wire.Cluster) bool {
	return func(c wire.Cluster) bool {
		for _, m := range c.Members {
			if m.Name == node {
				return m.State == state && m.Engine == engine
			}
		}
		return state == ""
	}
}

// TestClusterMembers changes a cluster while a run of it writes: a worker joins, runs are handed over, a dead voter is
// replaced, and the worker is removed. Each write is made once.
func TestClusterMembers(t *testing.T) {
	if !*thorough {
		t.Skip("slow: it waits for the leases of nodes that are killed")
	}
	w := newWriters(t)
	c := prepareCluster(t, w.flags()...)
	for i := range 3 {
		c.append(fmt.Sprintf("node%d.yaml", i+1), patient)
	}
	c.startAll()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	w.begin(ctx, c, "node1")
	c.join(ctx, wire.NewJoin{Node: "node4"}, "new4", w.flags()...).Ready()
	c.until(ctx, "node1", is("node4", "alive", "copies"))
	_, err := c.at("node1").NewJoin(ctx, wire.NewJoin{Node: "node4"})
	require.ErrorContains(t, err, "there is a node node4 already")
	_, err = c.at("node1").RemoveNode(ctx, "node4")
	require.ErrorContains(t, err, "node4 is alive")

	// All voters drain: the worker gets all runs, and the duties.
	for i := range 3 {
		_, err = c.at("node4").Drain(ctx, fmt.Sprintf("node%d", i+1), true)
		require.NoError(t, err)
	}
	_, err = c.at("node1").Drain(ctx, "node4", true)
	require.ErrorContains(t, err, "node4 is the last node that takes runs")
	c.until(ctx, "node2", func(s wire.Cluster) bool {
		for _, d := range s.Duties {
			if d.Node != "node4" && d.Duty != "engine" {
				return false
			}
		}
		return s.Members[3].Runs > 0 && s.Members[0].Runs+s.Members[1].Runs+s.Members[2].Runs == 0
	})
	for i := range 3 {
		s, err := c.at("node1").Drain(ctx, fmt.Sprintf("node%d", i+1), false)
		require.NoError(t, err)
		require.False(t, s.Members[i].Draining, "it shows the state before")
	}

	// A dead voter is replaced. Until the new one has the data, no other voter can be removed.
	c.nodes["node3"].Kill()
	delete(c.nodes, "node3")
	c.until(ctx, "node1", is("node3", "dead", "down"))
	to := c.admitted(ctx, wire.NewJoin{Node: "node3", Role: "voter", Replaces: true}, "new3", w.flags()...)
	c.until(ctx, "node2", is("node3", "joining", "down"))
	c.launch("node3", to).Ready()
	c.until(ctx, "node3", is("node3", "alive", "votes"))
	s, err := c.at("node2").Cluster(ctx)
	require.NoError(t, err)
	assert.Equal(t, []int{3, 3}, []int{s.Engine.Votes, s.Engine.Running})

	// The worker dies, and is removed: the run continues.
	c.nodes["node4"].Kill()
	delete(c.nodes, "node4")
	c.until(ctx, "node1", is("node4", "dead", "down"))
	_, err = c.at("node3").RemoveNode(ctx, "node4")
	require.NoError(t, err)
	c.until(ctx, "node2", is("node4", "", ""))
	c.until(ctx, "node2", func(s wire.Cluster) bool { // the lease of the coordinator of guards expires
		holder := holderOf(s, "guards")
		return holder != "" && holder != "node4"
	})

	// The engine's leader and a duty change.
	s, err = c.at("node2").Cluster(ctx)
	require.NoError(t, err)
	for _, duty := range []string{"engine", "guards", "schedules"} {
		before := holderOf(s, duty)
		s, err := c.at("node2").StepDown(ctx, duty)
		require.NoError(t, err)
		require.NotContains(t, []string{"", before}, holderOf(s, duty), "it shows the state before")
	}
	_, err = c.at("node2").Rebalance(ctx)
	require.NoError(t, err)

	w.end(ctx, c, "node2")
}

// TestClusterUpgrade upgrades a node, or with -thorough three nodes one after the other, while runs write. Nodes of
// two releases say that they run no replicas of each other's runs, and all of them serve. Each write is made once.
func TestClusterUpgrade(t *testing.T) {
	t.Parallel()
	w := newWriters(t)
	c := prepareCluster(t, w.flags()...)
	for i := range 3 {
		c.append(fmt.Sprintf("node%d.yaml", i+1), patient)
	}
	c.startAll()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for name := range c.nodes {
		c.until(ctx, name, allAlive)
	}
	upgraded := []string{"node1"}
	if *thorough {
		upgraded = []string{"node1", "node2", "node3"}
	}
	w.begin(ctx, c, "node3")
	for i, name := range upgraded {
		at := "node" + fmt.Sprint((i+1)%3+1)
		if name == "node3" {
			w.end(ctx, c, "node1") // they were submitted through it
		}
		if name == "node1" { // the others end without a drain before
			_, err := c.at(at).Drain(ctx, name, true)
			require.NoError(t, err)
			c.until(ctx, at, func(s wire.Cluster) bool { return s.Members[i].Draining && s.Members[i].Runs == 0 })
		}
		assert.Zero(t, c.nodes[name].End(syscall.SIGTERM), c.nodes[name].Log())
		c.start(name, asVersion+"=v9.9.9").Ready()
		c.until(ctx, at, is(name, "alive", "votes"))
		if name == "node1" {
			s, err := c.at(at).Drain(ctx, name, false)
			require.NoError(t, err)
			assert.Equal(t, "v9.9.9", s.Members[i].PTC)
			assert.Contains(t, s.Members[i].Problem, `PTC "v9.9.9" instead of`)
			assert.Contains(t, strings.Join(s.Warnings, "\n"), "run no replicas of each other's runs: it has PTC")
		}
		for each := range c.nodes {
			run, err := c.at(each).Submit(ctx, store.Submission{Source: "(+ 1 2)"}, 0)
			require.NoError(t, err)
			run, err = c.at(name).Wait(ctx, run.ID)
			require.NoError(t, err)
			assert.Equal(t, "3", string(run.Value), run.Text)
		}
	}
	if !*thorough {
		w.end(ctx, c, "node1")
		return
	}
	s, err := c.at("node2").Cluster(ctx)
	require.NoError(t, err)
	for _, m := range s.Members {
		assert.Empty(t, m.Problem)
	}
}

// holderOf returns the node that has a duty.
func holderOf(s wire.Cluster, duty string) string {
	for _, d := range s.Duties {
		if d.Duty == duty {
			return d.Node
		}
	}
	return ""
}

// writers are runs that write all the time, to a web service that counts.
type writers struct {
	*httptest.Server
	t       *testing.T
	mu      sync.Mutex
	writes  map[string]int // requests, by their keys
	runs    []string
	stopped chan struct{}
	done    chan error
}

func newWriters(t *testing.T) *writers {
	w := &writers{t: t, writes: make(map[string]int), stopped: make(chan struct{}), done: make(chan error, 1)}
	w.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.mu.Lock()
		w.writes[r.URL.Query().Get("key")]++
		w.mu.Unlock()
		time.Sleep(10 * time.Millisecond)
	}))
	t.Cleanup(w.Close)
	return w
}

// flags returns the flags that grant the web service.
func (w *writers) flags() []string {
	return []string{"--allow-http", strings.TrimPrefix(w.URL, "http://") + "=POST", "--allow-http-private", "127.0.0.1"}
}

// perRun is the number of writes of a run.
const perRun = 40

// begin submits runs through a node, two at a time, until end is called.
func (w *writers) begin(ctx context.Context, c *members, at string) {
	w.t.Helper()
	client := c.at(at)
	source := `(dotimes [i ` + fmt.Sprint(perRun) + `] (tool/http.post {:url (str "` + w.URL + `/?key=" data/n "-" i) :body "x"}))`
	go func() {
		for n := 0; ; n++ {
			select {
			case <-w.stopped:
				w.done <- nil
				return
			case <-time.After(200 * time.Millisecond):
			}
			run, err := client.Submit(ctx, store.Submission{Source: source, Data: json.RawMessage(fmt.Sprintf(`{"n": %d}`, n))}, 0)
			if err != nil {
				w.done <- err
				return
			}
			w.runs = append(w.runs, run.ID)
		}
	}()
}

// end stops the submissions, and wants each run to end and each write to be made once. One that was under way when its
// node was killed is in doubt; it was made, if the web service has it.
func (w *writers) end(ctx context.Context, c *members, at string) {
	w.t.Helper()
	close(w.stopped)
	require.NoError(w.t, <-w.done)
	client := c.at(at)
	for n, id := range w.runs {
		for {
			run, err := client.Wait(ctx, id)
			require.NoError(w.t, err, "run %d, %s", n, id)
			if run.State.Final() {
				require.Equal(w.t, store.Succeeded, run.State, run.Text)
				break
			}
			var all []effect.Settlement
			for _, p := range run.Pending {
				s := effect.Settlement{ID: p.ID, As: effect.Retry}
				var args struct{ URL string }
				require.NoError(w.t, json.Unmarshal(p.Args, &args), "%s", p.Args)
				u, err := url.Parse(args.URL)
				require.NoError(w.t, err)
				w.mu.Lock()
				made := w.writes[u.Query().Get("key")] > 0
				w.mu.Unlock()
				if made {
					s.As, s.Result = effect.Done, json.RawMessage(`{"status": 200, "url": "", "headers": {}}`)
				}
				all = append(all, s)
			}
			if len(all) > 0 {
				_, err = client.Settle(ctx, id, all...)
				require.NoError(w.t, err)
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	require.Len(w.t, w.writes, perRun*len(w.runs))
	for key, n := range w.writes {
		require.Equal(w.t, 1, n, key)
	}
	w.t.Logf("%d runs, %d writes", len(w.runs), len(w.writes))
}
