package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// TestClusterMinority stops two of three processes that share a run. The third begins no effect, takes no
// run, and answers reads from its own state, marked as stale. When the others continue, so does the run,
// and each write is made once.
func TestClusterMinority(t *testing.T) {
	t.Parallel() // it mostly waits
	calls := newSlow(t, 50*time.Millisecond)
	c := prepareCluster(t, calls.flags()...)
	c.set("workers: 4\ncluster:\n  work_distribution: {work_unit_size: 5}\n")
	c.startAll()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	source := `(count (pmap (fn [i] (tool/http.post {:url (str "` + calls.URL + `/?key=" i) :body "x"})) (range 200)))`
	enough := calls.gather(200)
	run, err := c.at("node1").Submit(ctx, store.Submission{Source: source}, 0)
	require.NoError(t, err)
	session, err := c.at("node1").BeginSession(ctx, wire.NewSession{})
	require.NoError(t, err)
	c.working(ctx, run.ID)
	enough()
	left := "node3"
	stopped := []string{"node1", "node2"}
	for _, name := range stopped {
		require.NoError(t, c.nodes[name].Signal(syscall.SIGSTOP))
	}
	var seen wire.Cluster
	require.Eventually(t, func() bool {
		_, text := c.request(left, http.MethodGet, "/v1/cluster", nil)
		return json.Unmarshal([]byte(text), &seen) == nil && seen.Reach != "majority"
	}, time.Minute, 100*time.Millisecond)
	before := calls.total()
	status, text := c.request(left, http.MethodGet, "/v1/runs/"+run.ID, nil)
	require.Equal(t, http.StatusOK, status, text)
	var known store.Run
	require.NoError(t, json.Unmarshal([]byte(text), &known))
	assert.True(t, known.Stale)
	assert.Equal(t, store.Running, known.State)
	assert.Contains(t, c.get(left, "/v1/runs"), `"stale":true`)
	assert.Contains(t, c.get(left, "/runs/"+run.ID), "reaches no majority")
	status, text = c.request(left, http.MethodGet, "/v1/sessions/"+session.ID, nil)
	assert.Equal(t, http.StatusServiceUnavailable, status, "only its node knows the session: %s", text)
	submit, cut := context.WithTimeout(ctx, 3*time.Second)
	_, err = c.at(left).Submit(submit, store.Submission{Source: "1"}, 0)
	cut()
	require.Error(t, err, "no run is taken")
	assert.Equal(t, before, calls.total(), "no effect begins")

	for _, name := range stopped {
		require.NoError(t, c.nodes[name].Signal(syscall.SIGCONT))
	}
	require.Eventually(t, func() bool {
		_, text := c.request(left, http.MethodGet, "/v1/cluster", nil)
		return json.Unmarshal([]byte(text), &seen) == nil && seen.Reach == "majority"
	}, time.Minute, 100*time.Millisecond)
	run = c.settledOn(ctx, run.ID, calls)
	require.Equal(t, store.Succeeded, run.State, run.Text)
	assert.False(t, run.Stale)
	assert.Equal(t, "200", string(run.Value))
	for i := range 200 {
		assert.Equal(t, 1, calls.writes[strconv.Itoa(i)], "write %d", i)
	}
}

// working waits until each node has run elements of a run.
func (c *members) working(ctx context.Context, id string) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		all, err := c.at("node1").Units(ctx, id)
		working := 0
		for _, u := range all {
			if u.Elements > 0 {
				working++
			}
		}
		return err == nil && working == len(c.nodes)
	}, time.Minute, 20*time.Millisecond)
}
