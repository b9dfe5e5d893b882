package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// TestClusterViews starts three processes, and uses the views of a single service through each of them.
func TestClusterViews(t *testing.T) {
	t.Parallel()
	s := newSerial(t)
	c := newCluster(t, s.flags...)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	c.policies(ctx)
	c.turns(ctx, s)
	c.outside(ctx)
	c.sessions(ctx)
	c.pending(ctx, s)
	c.schedules(ctx)
}

// serial is a web service that notes the order of its requests.
type serial struct {
	url   string
	flags []string // that grant it
	hold  chan struct{}

	mu    sync.Mutex
	order []int
}

func newSerial(t *testing.T) *serial {
	s := &serial{hold: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.URL.Query().Get("n"))
		if !assert.NoError(t, err) {
			return
		}
		s.mu.Lock()
		s.order = append(s.order, n)
		s.mu.Unlock()
		select {
		case <-s.hold:
		case <-r.Context().Done(): // so that a test that fails ends
		}
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	s.flags = []string{"--allow-http", strings.TrimPrefix(s.url, "http://") + "=GET", "--allow-http-private", "127.0.0.1"}
	return s
}

// policies puts policies through one node, and reads them through the others.
func (c *members) policies(ctx context.Context) {
	_, err := c.at("node1").SetPolicies(ctx, "actions: {http.get: {concurrency: 1}, job: {concurrency: 1}}")
	require.NoError(c.t, err)
	for name := range c.nodes {
		require.Eventually(c.t, func() bool {
			text, err := c.at(name).Policies(ctx)
			return err == nil && strings.Contains(text, "http.get")
		}, time.Minute, time.Millisecond)
	}
	_, err = c.at("node2").SetPolicies(ctx, "actions: {http.get: {concurrency: -1}}")
	require.ErrorContains(c.t, err, "concurrency")
}

// turns: runs that are submitted to three nodes get the one place of an action in the order in which their calls came.
// Any node lists them, cancels one and shows who holds guards.
func (c *members) turns(ctx context.Context, s *serial) {
	const action, n = "http.get", 12
	var runs [n + 1]store.Run
	ptctest.InTurn(3, n+1, func(k int) {
		at := c.at("node" + strconv.Itoa(k%3+1))
		sub := store.Submission{Source: `(host-exclusive (str "host" ` + strconv.Itoa(k) + `)
			(try (:status (tool/http.get "` + s.url + "/?n=" + strconv.Itoa(k) + `"))
			     (catch Exception e (:code (ex-data e)))))`}
		run, err := at.Submit(ctx, sub, 0)
		require.NoError(c.t, err)
		runs[k] = run
		require.Eventually(c.t, func() bool {
			stats, err := c.at("node2").QueueStats(ctx, action)
			require.NoError(c.t, err)
			return stats.Enqueued == int64(k+1)
		}, time.Minute, time.Millisecond)
	})
	for name := range c.nodes {
		listed := 0
		for e, err := range c.at(name).Executions(ctx, action) {
			require.NoError(c.t, err)
			assert.Equal(c.t, runs[listed].ID, e.Run)
			assert.Equal(c.t, listed > 0, e.State == queue.Waiting)
			listed++
			if listed == n+1 && name == "node3" {
				require.NoError(c.t, c.at(name).CancelExecution(ctx, action, e.Name))
			}
		}
		assert.LessOrEqual(c.t, n, listed)
		guards, err := c.at(name).Guards(ctx, 100)
		require.NoError(c.t, err)
		assert.LessOrEqual(c.t, n, guards.Held)
	}
	run, err := c.at("node1").Wait(ctx, runs[n].ID)
	require.NoError(c.t, err)
	assert.Equal(c.t, `"queue-cancelled"`, string(run.Value), run.Text)
	close(s.hold)
	for _, one := range runs[:n] {
		run, err := c.at("node2").Wait(ctx, one.ID)
		require.NoError(c.t, err)
		require.Equal(c.t, "200", string(run.Value), run.Text)
	}
	require.Len(c.t, s.order, n)
	assert.True(c.t, slices.IsSorted(s.order), "%v", s.order)
	for a, err := range c.at("node3").Actions(ctx) {
		require.NoError(c.t, err)
		if a.Action == action {
			assert.EqualValues(c.t, n, a.Completed)
			assert.Equal(c.t, "at most 1 at once", a.Policies)
		}
	}
}

// outside: executions outside of the cluster wait for each other, whichever node is asked.
func (c *members) outside(ctx context.Context) {
	first, err := c.at("node1").BeginExecution(ctx, "job", wire.NewExecution{}, 0)
	require.NoError(c.t, err)
	second, err := c.at("node2").BeginExecution(ctx, "job", wire.NewExecution{}, 0)
	require.NoError(c.t, err)
	require.Equal(c.t, queue.Waiting, second.State)
	_, err = c.at("node3").CompleteExecution(ctx, second.ID, effect.Succeeded)
	require.ErrorContains(c.t, err, "want one that is active")
	_, err = c.at("node3").CompleteExecution(ctx, first.ID, effect.Succeeded)
	require.NoError(c.t, err)
	second, err = c.at("node3").Execution(ctx, second.ID, time.Minute)
	require.NoError(c.t, err)
	require.Equal(c.t, queue.Active, second.State)
	_, err = c.at("node1").CompleteExecution(ctx, second.ID, effect.Succeeded)
	require.NoError(c.t, err)
}

// sessions: a session is used through every node, listed by each, and gone when its node is.
func (c *members) sessions(ctx context.Context) {
	s, err := c.at("node3").BeginSession(ctx, wire.NewSession{})
	require.NoError(c.t, err)
	require.True(c.t, strings.HasPrefix(s.ID, "node3."), s.ID)
	for i, name := range []string{"node1", "node2", "node3"} {
		out, err := c.at(name).Evaluate(ctx, s.ID, `(defonce n (atom 0)) (swap! n inc)`)
		require.NoError(c.t, err)
		assert.Equal(c.t, strconv.Itoa(i+1), string(out.Value), out.Text)
		all, err := c.at(name).Sessions(ctx)
		require.NoError(c.t, err)
		require.Len(c.t, all, 1)
		assert.Equal(c.t, s.ID, all[0].ID)
	}
	resp := c.post("node1", "/sessions/"+s.ID+"/end", nil)
	require.Equal(c.t, http.StatusSeeOther, resp)
	_, err = c.at("node2").Session(ctx, s.ID)
	require.ErrorContains(c.t, err, "there is no such session any more")
	_, err = c.at("node2").Session(ctx, "node9."+s.ID[len("node3."):])
	require.ErrorContains(c.t, err, "the session was on the node node9")
}

// pending checks that the pending effects of a run, while it continues and when it rests, are listed and
// answered through the nodes that do not lead it.
func (c *members) pending(ctx context.Context, s *serial) {
	s.hold = make(chan struct{})
	run, err := c.at("node1").Submit(ctx, store.Submission{Source: `
		(pcalls #(:status (tool/http.get "` + s.url + `/?n=100")) #(ask {:question "First?"}) #(ask {:question "Second?"}))`}, 0)
	require.NoError(c.t, err)
	var leader string
	for name := range c.nodes {
		require.Eventually(c.t, func() bool { // also through the nodes that do not lead it, while a call is under way
			for r, err := range c.at(name).Pending(ctx, "") {
				if err == nil && r.ID == run.ID && len(r.Pending) == 2 {
					run = r
					return true
				}
			}
			return false
		}, time.Minute, 10*time.Millisecond, name)
		now, err := c.at(name).Get(ctx, run.ID)
		require.NoError(c.t, err)
		leader = now.Leader
	}
	var others []string
	for name := range c.nodes {
		if name != leader {
			others = append(others, name)
		}
	}
	first, second := run.Pending[0], run.Pending[1]
	_, err = c.at(others[0]).CompleteExecution(ctx, run.ID+"/"+first.ID, effect.Succeeded)
	require.NoError(c.t, err)
	form := url.Values{"asked": {run.ID + "/" + second.ID}, "as:" + run.ID + "/" + second.ID: {"done"},
		"text:" + run.ID + "/" + second.ID: {"yes"}, "kind:" + run.ID + "/" + second.ID: {"question"}}
	require.Equal(c.t, http.StatusSeeOther, c.post(others[1], "/pending", form))
	close(s.hold)
	run, err = c.at(others[0]).Wait(ctx, run.ID)
	require.NoError(c.t, err)
	assert.Equal(c.t, `[200,null,"yes"]`, string(run.Value), run.Text)
}

// schedules: any node takes a schedule, and the node that runs them can die.
func (c *members) schedules(ctx context.Context) {
	ref := wire.ScheduleRef{Name: "nightly"}
	_, err := c.at("node1").PutSchedule(ctx, ref, wire.NewSchedule{ScheduleSetting: wire.ScheduleSetting{Cron: "0 3 * * *",
		Run: store.Submission{Source: "(+ 1 2)"}}})
	require.NoError(c.t, err)
	var runs []store.Run
	for name := range c.nodes {
		run, err := c.at(name).RunSchedule(ctx, ref, "once")
		require.NoError(c.t, err)
		runs = append(runs, run)
	}
	assert.Equal(c.t, runs[0].ID, runs[1].ID)
	assert.Equal(c.t, runs[0].ID, runs[2].ID)
	var state wire.Cluster
	c.until(ctx, "node1", func(s wire.Cluster) bool {
		state = s
		return holderOf(s, "schedules") != ""
	})
	holder := holderOf(state, "schedules")
	require.Contains(c.t, c.nodes[holder].Log(), "duty=schedules")
	c.nodes[holder].Kill()
	delete(c.nodes, holder)
	for name := range c.nodes {
		run, err := c.at(name).RunSchedule(ctx, ref, "once")
		require.NoError(c.t, err)
		assert.Equal(c.t, runs[0].ID, run.ID)
		one, err := c.at(name).Schedule(ctx, ref, 1)
		require.NoError(c.t, err)
		require.Len(c.t, one.Last, 1)
		assert.Len(c.t, one.Next, 1)
		run, err = c.at(name).Wait(ctx, run.ID)
		require.NoError(c.t, err)
		assert.Equal(c.t, "3", string(run.Value))
	}
}
