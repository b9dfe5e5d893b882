package api_test

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
)

// thorough has the order of 1,000 submissions tested, which takes a minute.
var thorough = flag.Bool("thorough", false, "submit 1,000 runs")

// turns is a service with a tool that allows one call at a time, and that records the order of the calls.
type turns struct {
	*fixture
	release chan struct{} // closed when calls may end

	mu    sync.Mutex
	order []int
}

func newTurns(t *testing.T) *turns {
	s := &turns{release: make(chan struct{})}
	call := tool.New("deploy.app", "Deploys.", func(ctx context.Context, in struct {
		Host string `json:"host"`
		N    int    `json:"n"`
	}) (int, error) {
		s.mu.Lock()
		s.order = append(s.order, in.N)
		s.mu.Unlock()
		select {
		case <-s.release:
		case <-ctx.Done():
		}
		return in.N, ctx.Err()
	}, tool.Hint(effect.Hint{Kind: effect.HostExclusive}), tool.Timeout(10*time.Minute))
	tools, err := tool.NewRegistry(call)
	require.NoError(t, err)
	policies := queue.Policies{Actions: map[string]queue.Policy{"deploy.app": {Concurrency: 1}, "other": {Concurrency: 2}}}
	queues, err := queue.NewEnforcer(policies, nil)
	require.NoError(t, err)
	s.fixture = newFixture(t, serve.Options{Memory: 1 << 40, Run: ptc.Options{Tools: tools, Queue: queues,
		Limits: limits.Limits{Timeout: 10 * time.Minute}}})
	t.Cleanup(func() { s.finish() })
	return s
}

func (s *turns) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.release:
	default:
		close(s.release)
	}
}

const stats = "/v1/actions/deploy.app/queue-stats"

// submit submits a run by HTTP, and returns when its call is under way or in the queue.
func (s *turns) submit(n int, priority string) (run store.Run) {
	var before, now queue.Stats
	s.want(200, "GET", stats, "", &before)
	source := `(try (tool/deploy.app {:host (str \"h\" data/n) :n data/n}) (catch Exception e (:code (ex-data e))))`
	body := fmt.Sprintf(`{"source": "%s", "data": {"n": %d}, "priority": "%s", "limits": {"workers": 1}}`, source, n, priority)
	s.want(201, "POST", "/v1/runs", body, &run)
	require.Eventually(s.t, func() bool {
		s.want(200, "GET", stats, "", &now)
		return now.Enqueued > before.Enqueued
	}, time.Minute, 100*time.Microsecond)
	return run
}

// TestOrderOfSubmission: submitters that take turns get the one place of an action in the order of their submissions.
func TestOrderOfSubmission(t *testing.T) {
	n, submitters := 60, 4
	if *thorough {
		n = 1_000
	}
	s := newTurns(t)
	var last store.Run
	ptctest.InTurn(submitters, n, func(k int) { last = s.submit(k, "") })
	var now queue.Stats
	s.want(200, "GET", stats, "", &now)
	require.Equal(t, n-1, now.Waiting)
	s.finish()
	s.want(200, "GET", "/v1/runs/"+last.ID+"?wait=60s", "", nil)
	require.Eventually(t, func() bool {
		s.want(200, "GET", stats, "", &now)
		return now.Completed == int64(n)
	}, time.Minute, time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	require.True(t, slices.IsSorted(s.order), "%v", s.order)
	require.Len(t, s.order, n)
}

// TestActions: an operator sees who waits, with the run, the host and the priority, cancels one and clears the queue.
func TestActions(t *testing.T) {
	s := newTurns(t)
	runs := []store.Run{s.submit(0, ""), s.submit(1, "low"), s.submit(2, ""), s.submit(3, "high"), s.submit(4, "low")}

	var all wire.Actions
	s.want(200, "GET", "/v1/actions?limit=1", "", &all)
	require.Equal(t, "deploy.app", all.Next)
	require.Equal(t, "at most 1 at once", all.Actions[0].Policies)
	require.Equal(t, 4, all.Actions[0].Waiting)
	s.want(200, "GET", "/v1/actions?after="+all.Next, "", &all)
	require.Len(t, all.Actions, 1)
	require.Equal(t, "other", all.Actions[0].Action)
	require.Equal(t, 2, all.Actions[0].Limit, "of an action that was never called")
	s.problem(404, "not-found", "GET", "/v1/actions/nobody/queue-stats", "")
	s.problem(422, "invalid", "GET", "/v1/actions/deploy.app/executions?after=x", "")

	var page, more queue.Page
	s.want(200, "GET", "/v1/actions/deploy.app/executions?limit=2", "", &page)
	s.want(200, "GET", "/v1/actions/deploy.app/executions?after="+page.Next, "", &more)
	require.Empty(t, more.Next)
	got := append(page.Executions, more.Executions...)
	order := []int{0, 3, 2, 1, 4}
	for i, e := range got {
		assert.Equal(t, runs[order[i]].ID, e.Run)
		assert.Equal(t, fmt.Sprint("h", order[i]), e.Host)
		assert.Equal(t, "0#1", e.ID)
		assert.Equal(t, i > 0, e.State == queue.Waiting)
	}
	assert.Equal(t, 2, got[4].Position)

	cancel := "/v1/actions/deploy.app/executions/" + url.PathEscape(got[2].Name) + "/cancel"
	s.want(200, "POST", cancel, "", nil)
	s.problem(404, "not-found", "POST", cancel, "")
	s.problem(404, "not-found", "POST", "/v1/actions/deploy.app/executions/"+url.PathEscape(got[0].Name)+"/cancel", "")
	var run store.Run
	require.Eventually(t, func() bool {
		s.want(200, "GET", "/v1/runs/"+runs[2].ID, "", &run)
		return run.State == store.Succeeded
	}, time.Minute, time.Millisecond)
	require.JSONEq(t, `"queue-cancelled"`, string(run.Value), "the program has caught it")

	var guards guard.Stats
	s.want(200, "GET", "/v1/guards", "", &guards)
	require.Equal(t, 4, guards.Held)
	require.Equal(t, runs[0].ID, guards.Hosts[0].Run)
	require.Equal(t, "h0", guards.Hosts[0].Host)
	require.False(t, guards.Hosts[0].Since.IsZero())
	require.NotNil(t, guards.Rates, "an empty list is no null")

	var cleared wire.Cleared
	s.want(200, "POST", "/v1/actions/deploy.app/clear", "", &cleared)
	require.Equal(t, 3, cleared.Cancelled)
	var now queue.Stats
	s.want(200, "GET", stats, "", &now)
	require.EqualValues(t, 4, now.Cancelled)
	require.Positive(t, now.Waited)
	require.Equal(t, effect.HighPriority, now.Lanes[0].Priority)
}

// TestPolicies: replaced policies apply to calls that wait, and are read as they were written.
func TestPolicies(t *testing.T) {
	s := newTurns(t)
	for i := range 4 {
		s.submit(i, "")
	}
	var p wire.Policies
	s.want(200, "GET", "/v1/policies", "", &p)
	require.Equal(t, "actions:\n  deploy.app:\n    concurrency: 1\n  other:\n    concurrency: 2\n", p.Text)
	wider := `{"text": "actions: {deploy.app: {concurrency: 3}}"}`
	s.want(200, "POST", "/v1/policies/validate", wider, &p)
	var now queue.Stats
	s.want(200, "GET", stats, "", &now)
	require.Equal(t, 1, now.Active, "validation changes nothing")
	s.want(200, "PUT", "/v1/policies", wider, &p)
	require.Equal(t, "actions:\n  deploy.app:\n    concurrency: 3\n", p.Text)
	s.want(200, "GET", stats, "", &now)
	require.Equal(t, 3, now.Active)
	require.Equal(t, 3, now.Limit)

	for _, method := range []string{"PUT /v1/policies", "POST /v1/policies/validate"} {
		var verb, path string
		fmt.Sscan(method, &verb, &path)
		wrong := s.problem(422, "bad-policy", verb, path, `{"text": "actions:\n  deploy.app: {concurency: 3}\n"}`)
		assert.Contains(t, string(wrong.Program), "concurency")
	}
	s.want(200, "GET", "/v1/policies", "", &p)
	require.Contains(t, p.Text, "concurrency: 3", "a mistake changes nothing")

	s.finish()
	wrong := s.problem(422, "bad-policy", "PUT", "/v1/policies", `{"text": "approve: [deploy.ap]"}`)
	assert.Contains(t, string(wrong.Program), "there is no tool deploy.ap; did you mean deploy.app?")
	s.want(200, "PUT", "/v1/policies", `{"text": "approve: [deploy.app]"}`, &p)
	require.Equal(t, "approve: [deploy.app]\n", p.Text)
	var run store.Run
	s.want(201, "POST", "/v1/runs?wait=60s", `{"source": "(tool/deploy.app {:host \"h\" :n 1})"}`, &run)
	require.Equal(t, store.Waiting, run.State, "later calls wait for an approval")
	require.Equal(t, "h", run.Pending[0].Host)
	s.want(200, "PUT", "/v1/policies", `{"text": ""}`, &p)
	require.Empty(t, p.Text)
	s.want(201, "POST", "/v1/runs?wait=60s", `{"source": "(tool/deploy.app {:host \"h\" :n 1})"}`, &run)
	require.Equal(t, store.Succeeded, run.State)
}

// TestExecutions: a job of another system takes its turn among the calls of programs, and its completion lets the next
// one start.
func TestExecutions(t *testing.T) {
	s := newTurns(t)
	const begin, limited = "/v1/actions/deploy.app/executions", "/v1/actions/limited/executions"
	var first, second, third queue.External
	s.want(201, "POST", begin, `{"name": "job 1", "host": "db1"}`, &first)
	require.Equal(t, queue.Active, first.State)
	s.want(201, "POST", begin, `{"priority": "high", "lease": "5m"}`, &second)
	s.want(201, "POST", begin+"?wait=1ms", `{}`, &third)
	require.Equal(t, queue.Waiting, third.State)
	run := s.submit(7, "")

	var page queue.Page
	s.want(200, "GET", begin, "", &page)
	require.Equal(t, "job 1", page.Executions[0].Run)
	require.Equal(t, run.ID, page.Executions[3].Run)
	s.problem(409, "not-active", "POST", "/v1/executions/"+second.ID+"/complete", `{"outcome": "success"}`)
	s.problem(422, "invalid", "POST", "/v1/executions/"+second.ID+"/complete", `{"outcome": "unknown"}`)
	s.problem(404, "not-found", "POST", "/v1/executions/none/complete", `{"outcome": "success"}`)
	s.problem(422, "invalid", "POST", begin, `{"lease": "-1s"}`)
	s.problem(404, "not-found", "POST", "/v1/actions/a.new.name/executions", `{}`)

	var done queue.External
	s.want(200, "POST", "/v1/executions/"+first.ID+"/complete", `{"outcome": "failure"}`, &done)
	require.Equal(t, effect.EndFailed, *done.Ending)
	s.want(200, "GET", "/v1/executions/"+second.ID+"?wait=10s", "", &done)
	require.Equal(t, queue.Active, done.State)
	s.want(200, "POST", "/v1/executions/"+third.ID+"/complete", `{"outcome": "cancel"}`, &done)
	require.Equal(t, queue.Ended, done.State)
	s.want(200, "POST", "/v1/executions/"+second.ID+"/complete", `{"outcome": "success"}`, nil)
	s.finish()
	var ended store.Run
	require.Eventually(t, func() bool {
		s.want(200, "GET", "/v1/runs/"+run.ID, "", &ended)
		return ended.State == store.Succeeded
	}, time.Minute, time.Millisecond)
	require.Equal(t, "7", string(ended.Value))

	s.want(200, "PUT", "/v1/policies", `{"text": "actions: {limited: {quota: {calls: 1, window: 1h}}}"}`, nil)
	s.want(201, "POST", limited, `{"lease": "1ms"}`, nil)
	s.problem(429, "policy-violation", "POST", limited, `{}`)
	_, header, _ := s.do("POST", limited, `{}`)
	require.NotEmpty(t, header.Get("Retry-After"))
}

// TestCompleteCall: a system that does the work of a call completes it by the key that it has got, whether the run is
// in memory or parked.
func TestCompleteCall(t *testing.T) {
	for _, linger := range []time.Duration{time.Minute, time.Nanosecond} {
		keys := make(chan string, 1)
		job := tool.New("job", "Begins a job.", func(ctx context.Context, _ struct{}) (int, error) {
			keys <- tool.CallID(ctx)
			return 0, tool.Pending("job 7")
		}, tool.Async())
		tools, err := tool.NewRegistry(job)
		require.NoError(t, err)
		f := newFixture(t, serve.Options{Linger: linger, Run: ptc.Options{Tools: tools}})
		source := `{"source": "(try (tool/job {}) (catch Exception e (:code (ex-data e))))"}`
		begin := func() (run store.Run, path string) {
			f.want(201, "POST", "/v1/runs?wait=30s", source, &run)
			require.Contains(t, []store.State{store.Waiting, store.Parked}, run.State)
			key := <-keys
			require.Equal(t, run.ID+"/0#1", key)
			return run, "/v1/executions/" + url.PathEscape(key) + "/complete"
		}
		end := func(run store.Run) string {
			require.Eventually(t, func() bool {
				f.want(200, "GET", "/v1/runs/"+run.ID, "", &run)
				return run.State.Final()
			}, time.Minute, time.Millisecond)
			return string(run.Value)
		}
		run, path := begin()
		f.problem(422, "invalid", "POST", path, `{"outcome": "success", "result": "no number"}`)
		f.problem(422, "invalid", "POST", path, `{"outcome": "failure", "result": 7}`)
		f.problem(404, "not-found", "POST", "/v1/executions/"+run.ID+"%2Fjob/complete", `{"outcome": "success", "result": 7}`)
		f.problem(404, "not-found", "POST", "/v1/executions/none%2F0%231/complete", `{"outcome": "success", "result": 7}`)
		var done queue.External
		f.want(200, "POST", path, `{"outcome": "success", "result": 7}`, &done)
		require.Equal(t, queue.Ended, done.State)
		require.Equal(t, "7", end(run))
		status, _, _ := f.do("POST", path, `{"outcome": "success", "result": 7}`)
		require.Equal(t, 409, status)

		run, path = begin()
		f.want(200, "POST", path, `{"outcome": "timeout"}`, nil)
		require.Equal(t, `"timeout"`, end(run))
	}
}
