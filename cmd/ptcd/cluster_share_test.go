package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	remote "github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/store"
)

// TestClusterShare kills a node that follows a run, and then the one that leads it, in the middle of a parallel
// operation that three nodes share. The value is that of a run on one node, and each write is made once, or is in doubt
// and settled.
func TestClusterShare(t *testing.T) {
	t.Parallel()
	calls := newSlow(t, 50*time.Millisecond)
	c := prepareCluster(t, calls.flags()...)
	c.set("workers: 4\napproval: [http.request]\ncluster:\n  work_distribution: {work_unit_size: 5, share_from: 3}\n")
	c.startAll()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c.asks(ctx, calls)
	c.asksBesideIdle(ctx, calls)
	c.approves(ctx, calls)
	source := `(println "begin")
	           (let [all (pmap (fn [i] (tool/http.post {:url (str "` + calls.URL + `/?key=" i) :body "x"}) (* i i)) (range 300))]
	             (println "sum" (reduce + all))
	             (count all))`
	enough := calls.gather(300)
	run, err := c.at("node1").Submit(ctx, store.Submission{Source: source}, 0)
	require.NoError(t, err)
	c.working(ctx, run.ID)
	run, err = c.at("node1").Get(ctx, run.ID)
	require.NoError(t, err)
	leader := run.Leader
	var others []string
	for name := range c.nodes {
		if name != leader {
			others = append(others, name)
		}
	}
	c.nodes[others[0]].Kill()
	c.start(others[0])
	c.nodes[others[0]].Ready()
	t.Logf("the follower was killed and is back after %d writes", calls.total())
	c.nodes[leader].Kill()
	left := others[1]
	c.start(leader)
	enough()
	run = c.settled(ctx, left, run.ID, calls)
	require.Equal(t, store.Succeeded, run.State, run.Text)
	assert.Equal(t, "300", string(run.Value))
	assert.Equal(t, "begin\nsum 8955050\n", run.Prints)
	assert.Len(t, calls.writes, 300+160+20)
	for key, n := range calls.writes {
		assert.Equal(t, 1, n, "write %s", key)
	}
	t.Logf("units %v", run.Units)
	c.replays(ctx, left, run.ID)
}

// replays wants the journal of a run to be one that replays, with a page that draws it.
func (c *members) replays(ctx context.Context, at, id string) {
	c.t.Helper()
	var page, text bytes.Buffer
	require.NoError(c.t, c.at(at).Trace(ctx, id, &page))
	assert.Contains(c.t, page.String(), "http.post")
	require.NoError(c.t, c.at(at).Journal(ctx, id, &text))
	file := filepath.Join(c.t.TempDir(), "journal")
	require.NoError(c.t, os.WriteFile(file, text.Bytes(), 0o600))
	s, err := parse([]string{"--config", filepath.Join(c.dir, "node1.yaml")})
	require.NoError(c.t, err)
	granted, err := s.granted()
	require.NoError(c.t, err)
	defer granted.Close()
	tools, err := granted.Registry(c.t.Context())
	require.NoError(c.t, err)
	res, err := ptc.Replay(ctx, ptc.JournalFile{Path: file}, ptc.Options{Tools: tools}, ptc.RunOptions{})
	require.NoError(c.t, err)
	value, err := res.EDN()
	require.NoError(c.t, err)
	assert.Equal(c.t, "300", value)
	assert.Equal(c.t, "begin\nsum 8955050\n", res.Prints)
}

// key finds the key of a write in its arguments.
var key = regexp.MustCompile(`\?key=(\w+)`)

// asks has elements on all nodes ask people, who answer on whatever node.
func (c *members) asks(ctx context.Context, calls *slow) {
	c.t.Helper()
	run, err := c.at("node2").Submit(ctx, store.Submission{Source: `
		(reduce + (pmap (fn [i]
		                  (when (zero? (mod i 20)) (ask {:question (str "Go on with " i "?")}))
		                  (tool/http.post {:url (str "` + calls.URL + `/?key=asked_" i) :body "x"})
		                  i)
		                (range 160)))`}, 0)
	require.NoError(c.t, err)
	answered := make(map[string]bool)
	require.Eventually(c.t, func() bool {
		for name := range c.nodes {
			run, err = c.at(name).Get(ctx, run.ID)
			require.NoError(c.t, err)
			c.doubts(ctx, name, run, calls)
			for _, p := range run.Pending {
				_, err := c.at(name).Answer(ctx, run.ID, p.ID, "yes")
				answered[p.ID] = answered[p.ID] || err == nil
			}
		}
		return run.State.Final()
	}, time.Minute, 20*time.Millisecond)
	require.Equal(c.t, store.Succeeded, run.State, run.Text)
	assert.Equal(c.t, "12720", string(run.Value))
	assert.Len(c.t, answered, 8)
	assert.Greater(c.t, len(run.Units), 1)
}

// asksBesideIdle has all slots of a leader wait for answers, in two elements of an operation. Other nodes take part,
// and can't get at all that is left: they have slots to follow one of the elements. The run asks all the same.
func (c *members) asksBesideIdle(ctx context.Context, calls *slow) {
	c.t.Helper()
	few := limits.Default()
	few.Workers = 3
	run, err := c.at("node3").Submit(ctx, store.Submission{Limits: few, Source: `
		(defn look [] (tool/http.get "` + calls.URL + `/"))
		(reduce + (flatten (pmap (fn [r]
		                           (pmap (fn [i]
		                                   (look)
		                                   (when (zero? i)
		                                     (dotimes [_ 30] (look)) ; the others take part meanwhile
		                                     (ask {:question (str "Go on with " r "?")}))
		                                   i)
		                                 (range 40)))
		                         (range 3))))`}, 0)
	require.NoError(c.t, err)
	answered := 0
	require.Eventually(c.t, func() bool {
		run, err = c.at("node1").Get(ctx, run.ID)
		require.NoError(c.t, err)
		for _, p := range run.Pending {
			if run.State != store.Waiting {
				break
			}
			if _, err := c.at("node2").Answer(ctx, run.ID, p.ID, "yes"); err == nil {
				answered++
			}
		}
		return run.State.Final()
	}, time.Minute, 20*time.Millisecond, "%+v", run)
	require.Equal(c.t, store.Succeeded, run.State, run.Text)
	assert.Equal(c.t, "2340", string(run.Value))
	assert.Equal(c.t, 3, answered)
}

// approves has calls on all nodes wait for an approval. An approval of the tool, on whatever node, reaches all of them.
func (c *members) approves(ctx context.Context, calls *slow) {
	c.t.Helper()
	run, err := c.at("node3").Submit(ctx, store.Submission{Source: `
		(count (pmap (fn [i]
		               (if (zero? (mod i 10))
		                 (tool/http.request {:method "POST" :url (str "` + calls.URL + `/?key=approved_" i) :body "x"})
		                 (tool/http.get (str "` + calls.URL + `/?key=read_" i))))
		             (range 200)))`}, 0)
	require.NoError(c.t, err)
	of := func(name string) map[string]bool {
		run, err = c.at(name).Get(ctx, run.ID)
		require.NoError(c.t, err)
		c.doubts(ctx, name, run, calls)
		ids := make(map[string]bool)
		for _, p := range run.Pending {
			ids[p.ID] = true
		}
		return ids
	}
	var waiting map[string]bool
	require.Eventually(c.t, func() bool {
		waiting = of("node1")
		return len(waiting) >= 6 // more than one node has workers for
	}, time.Minute, 10*time.Millisecond)
	for !run.State.Final() {
		for name := range c.nodes {
			_, err = c.at(name).Settle(ctx, run.ID, effect.Settlement{ID: "http.request", As: effect.Approve})
			if err == nil {
				for id := range of(name) {
					assert.False(c.t, waiting[id], "%s is still pending", id)
				}
				waiting = nil
			}
			of(name)
		}
	}
	require.Equal(c.t, store.Succeeded, run.State, run.Text)
	assert.Equal(c.t, "200", string(run.Value))
}

// doubts settles the writes of a run that are in doubt, by what the service has seen. There are some if a node loses
// its lease on a busy machine.
func (c *members) doubts(ctx context.Context, at string, run store.Run, calls *slow) {
	if all := calls.verdicts(run); len(all) > 0 {
		c.t.Logf("%d writes in doubt: %s", len(all), serve.Settled(all))
		_, _ = c.at(at).Settle(ctx, run.ID, all...)
	}
}

// settled waits for the end of a run, and settles its writes in doubt by what the service has seen.
func (c *members) settled(ctx context.Context, at, id string, calls *slow) (run store.Run) {
	c.t.Helper()
	for {
		run, err := c.at(at).Wait(ctx, id)
		require.NoError(c.t, err)
		if run.State != store.InDoubt {
			return run
		}
		all := calls.verdicts(run)
		c.t.Logf("%d writes in doubt: %s", len(all), serve.Settled(all))
		_, err = c.at(at).Settle(ctx, id, all...)
		if refused := (*remote.Error)(nil); errors.As(err, &refused) && refused.Code == serve.ErrUnavailable.Code ||
			errors.Is(err, serve.ErrNotPending) {
			continue // a leader has just died
		}
		require.NoError(c.t, err)
	}
}
