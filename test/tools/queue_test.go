package tools

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/internal/ptctest"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// submitters are runs of one program that share a queue whose action runs one call at a time.
type submitters struct {
	t       *testing.T
	queues  *queue.Enforcer
	prog    *ptc.Program
	release chan struct{} // closed when calls may end
	runs    sync.WaitGroup

	mu    sync.Mutex
	order []int
}

func newSubmitters(t *testing.T) *submitters {
	s := &submitters{t: t, queues: &queue.Enforcer{}, release: make(chan struct{})}
	mark := tool.New("deploy.mark", "Takes its turn.", func(ctx context.Context, in struct {
		N int `json:"n"`
	}) (int, error) {
		s.mu.Lock()
		s.order = append(s.order, in.N)
		s.mu.Unlock()
		select {
		case <-s.release:
		case <-ctx.Done():
		}
		return in.N, ctx.Err()
	}, tool.Concurrency(1))
	tools, err := tool.NewRegistry(mark)
	require.NoError(t, err)
	s.prog, err = ptc.Compile(t.Context(), "mark.ptc", `(try (tool/deploy.mark {:n data/n}) (catch Exception e (ex-data e)))`,
		ptc.Options{Tools: tools, Queue: s.queues, Limits: ptc.Limits{Timeout: 10 * time.Minute}})
	require.NoError(t, err)
	return s
}

// submit starts a run, and returns when its call is under way or in the queue.
func (s *submitters) submit(n int, p effect.Priority, done func(*ptc.Result, error)) {
	before := s.queues.Queues().Stats("deploy.mark").Enqueued
	s.runs.Go(func() {
		res, err := s.prog.Run(context.Background(),
			ptc.RunOptions{ID: fmt.Sprint("run-", n), Priority: p, Data: map[string]any{"n": n}})
		done(res, err)
	})
	require.Eventually(s.t, func() bool { return s.queues.Queues().Stats("deploy.mark").Enqueued > before },
		time.Minute, 10*time.Microsecond)
}

// finish lets the calls end, and returns the order of their beginnings.
func (s *submitters) finish() []int {
	close(s.release)
	s.runs.Wait()
	return s.order
}

// TestOrderOfSubmission: 1,000 runs of 8 submitters that take turns begin their calls of one action in the order of
// their submission.
func TestOrderOfSubmission(t *testing.T) {
	const n, submitters = 1_000, 8
	s := newSubmitters(t)
	ptctest.InTurn(submitters, n, func(k int) {
		s.submit(k, effect.NormalPriority, func(_ *ptc.Result, err error) {
			if err != nil {
				t.Error(err)
			}
		})
	})
	stats := s.queues.Queues().Stats("deploy.mark")
	require.Equal(t, n-1, stats.Waiting)
	order := s.finish()
	require.True(t, slices.IsSorted(order), "%v", order)
	require.Len(t, order, n)
}

// TestPriorityOfRun: the calls of a run have its priority, and operators see and cancel them by the name of the run.
func TestPriorityOfRun(t *testing.T) {
	s := newSubmitters(t)
	ignore := func(_ *ptc.Result, err error) {
		if err != nil {
			t.Error(err)
		}
	}
	var cancelled string
	s.submit(0, effect.NormalPriority, ignore)
	s.submit(1, effect.LowPriority, ignore)
	s.submit(2, effect.NormalPriority, ignore)
	s.submit(3, effect.HighPriority, ignore)
	s.submit(4, effect.HighPriority, func(res *ptc.Result, err error) {
		ignore(res, err)
		cancelled, _ = res.EDN()
	})
	page, err := s.queues.Queues().Executions("deploy.mark", "", 10)
	require.NoError(t, err)
	var runs []string
	for _, e := range page.Executions {
		runs = append(runs, e.Run)
		require.Equal(t, "0#1", e.ID)
		require.False(t, e.Since.IsZero())
	}
	require.Equal(t, []string{"run-0", "run-3", "run-4", "run-2", "run-1"}, runs)
	require.True(t, s.queues.Queues().Cancel("deploy.mark", page.Executions[2].Name))
	require.Equal(t, []int{0, 3, 2, 1}, s.finish())
	require.Contains(t, cancelled, ":code :queue-cancelled")
	require.Contains(t, cancelled, ":retryable? false")

	_, err = s.prog.Run(t.Context(), ptc.RunOptions{Priority: 7, Data: map[string]any{"n": 1}})
	require.ErrorContains(t, err, "want HighPriority, NormalPriority or LowPriority")
}
