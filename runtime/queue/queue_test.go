package queue_test

import (
	"context"
	"errors"
	"flag"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/queue"
)

var thorough = flag.Bool("thorough", false, "run the long proofs in full, not a sample of them")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// caller makes executions of one set, each in a goroutine, inside a bubble of synctest.
type caller struct {
	t       *testing.T
	set     *queue.Set
	started chan string
	errs    chan error
}

func newCaller(t *testing.T, o queue.Options) *caller {
	return &caller{t: t, set: queue.New(o), started: make(chan string, 10_000), errs: make(chan error, 10_000)}
}

// call has an execution arrive, and returns when it has started or waits.
func (c *caller) call(ctx context.Context, action, execution string, limit int) {
	go func() {
		if err := c.set.EnqueueAndWait(ctx, action, execution, limit, nil); err != nil {
			c.errs <- err
		} else {
			c.started <- execution
		}
	}()
	synctest.Wait()
}

// expect checks which executions have started since the last time.
func (c *caller) expect(executions ...string) {
	c.t.Helper()
	synctest.Wait()
	var got []string
	for len(c.started) > 0 {
		got = append(got, <-c.started)
	}
	require.ElementsMatch(c.t, executions, got)
}

// failed returns the one error since the last time.
func (c *caller) failed() error {
	c.t.Helper()
	synctest.Wait()
	require.Len(c.t, c.errs, 1)
	return <-c.errs
}

// counts returns stats without the times of waits and without the lanes.
func counts(s queue.Stats) queue.Stats {
	s.Waited, s.Longest, s.Lanes = 0, 0, queue.Stats{}.Lanes
	return s
}

func TestOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(t, queue.Options{})
		for i := range 1_000 {
			c.call(t.Context(), "a", strconv.Itoa(i), 1)
		}
		for i := range 1_000 {
			c.expect(strconv.Itoa(i)) // each completion has woken this one, and no other
			c.set.Complete("a", strconv.Itoa(i))
		}
		require.Equal(t, queue.Stats{Action: "a", Limit: 1, Enqueued: 1_000, Completed: 1_000}, counts(c.set.Stats("a")))
	})
}

func TestActionsAreIndependent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(t, queue.Options{})
		for _, action := range []string{"b", "a", "c"} {
			c.call(t.Context(), action, "1", 1)
			c.call(t.Context(), action, "2", 1)
		}
		c.expect("1", "1", "1")
		c.set.Complete("b", "1")
		c.expect("2")
		for i, action := range []string{"a", "b", "c"} {
			require.Equal(t, action, c.set.All()[i].Action)
			require.Equal(t, 1, c.set.Stats(action).Active)
		}
		c.set.ClearAll()
	})
}

// TestBlocking: the scheduler is told only of executions that have to wait, and then they have their
// place in the queue.
func TestBlocking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := queue.New(queue.Options{})
		told := 0
		blocking := func(wait func()) {
			told++
			require.Equal(t, 1, s.Stats("a").Waiting)
			wait()
			told++
		}
		require.NoError(t, s.EnqueueAndWait(t.Context(), "a", "1", 1, blocking))
		require.Equal(t, 0, told)
		go func() {
			time.Sleep(time.Second)
			s.Complete("a", "1")
		}()
		require.NoError(t, s.EnqueueAndWait(t.Context(), "a", "2", 1, blocking))
		require.Equal(t, 2, told)
		s.Complete("a", "2")
	})
}

func TestBlockingWithoutWaiting(t *testing.T) {
	s := queue.New(queue.Options{})
	require.NoError(t, s.EnqueueAndWait(t.Context(), "a", "1", 1, nil))
	require.ErrorContains(t, s.EnqueueAndWait(t.Context(), "a", "2", 1, func(func()) {}), "without having waited")
	require.Equal(t, 0, s.Stats("a").Waiting)
}

func TestLimitRaised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(t, queue.Options{})
		for i := range 6 {
			c.call(t.Context(), "a", strconv.Itoa(i), 1)
		}
		c.expect("0")
		c.call(t.Context(), "a", "6", 4)
		c.expect("1", "2", "3") // the ones that have waited longest, without the newest
		c.set.Complete("a", "2")
		c.expect("4")
		require.Equal(t, 4, c.set.Stats("a").Limit)
		c.call(t.Context(), "a", "7", queue.NoLimit)
		c.expect("5", "6", "7")
	})
}

func TestLimitLowered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(t, queue.Options{})
		for i := range 4 {
			c.call(t.Context(), "a", strconv.Itoa(i), 3)
		}
		c.expect("0", "1", "2")
		c.call(t.Context(), "a", "4", 1)
		for _, done := range []string{"0", "1"} {
			c.set.Complete("a", done)
			c.expect()
		}
		c.set.Complete("a", "2")
		c.expect("3")
		c.set.Complete("a", "3")
		c.expect("4")
	})
}

func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(t, queue.Options{Length: 2})
		for i := range 4 {
			c.call(t.Context(), "a", strconv.Itoa(i), 1)
		}
		var full *queue.Full
		require.ErrorAs(t, c.failed(), &full)
		require.Equal(t, queue.Full{Action: "a", Waiting: 2, Active: 1, Limit: 1}, *full)
		require.Equal(t, diag.QueueFull, full.Code())
		require.EqualError(t, full, "the queue of a is full: 2 executions wait, which is the limit, and 1 of at most 1 are under way")
		c.expect("0")
		c.call(t.Context(), "a", "4", 2) // a raise makes room
		c.expect("1")
		require.Equal(t, queue.Stats{Action: "a", Waiting: 2, Active: 2, Limit: 2, Enqueued: 4, Refused: 1}, counts(c.set.Stats("a")))
		c.set.ClearAll()
	})
}

func TestTimedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(t, queue.Options{Wait: time.Minute})
		c.call(t.Context(), "a", "0", 1)
		c.call(t.Context(), "a", "1", 1)
		time.Sleep(time.Second)
		c.call(t.Context(), "a", "2", 1)
		time.Sleep(58 * time.Second)
		require.Equal(t, 59*time.Second, c.set.Stats("a").Oldest)
		time.Sleep(time.Second)
		var out *queue.TimedOut
		require.ErrorAs(t, c.failed(), &out)
		require.Equal(t, queue.TimedOut{Action: "a", Execution: "1", Waited: time.Minute, Active: 1, Limit: 1}, *out)
		require.Equal(t, diag.QueueTimeout, out.Code())
		require.EqualError(t, out, "1 waited 1m in the queue of a, which is the limit, while 1 of at most 1 were under way")
		time.Sleep(time.Second)
		require.ErrorAs(t, c.failed(), &out)
		require.Equal(t, "2", out.Execution)
		require.Equal(t, queue.Stats{Action: "a", Active: 1, Limit: 1, Enqueued: 3, TimedOut: 2}, counts(c.set.Stats("a")))
	})
}

func TestDefaultWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(t, queue.Options{})
		c.call(t.Context(), "a", "0", 1)
		c.call(t.Context(), "a", "1", 1)
		time.Sleep(time.Hour - 1)
		require.Equal(t, 1, c.set.Stats("a").Waiting)
		time.Sleep(time.Nanosecond)
		require.ErrorContains(t, c.failed(), "1 waited 1h")
	})
}

// TestWaitIsPerArrival: the time that others have waited before does not count.
func TestWaitIsPerArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(t, queue.Options{Wait: time.Minute})
		c.call(t.Context(), "a", "0", 1)
		for i := range 5 {
			c.call(t.Context(), "a", strconv.Itoa(i+1), 1)
			time.Sleep(40 * time.Second)
			c.expect(strconv.Itoa(i))
			c.set.Complete("a", strconv.Itoa(i))
		}
		c.expect("5")
		require.Zero(t, c.set.Stats("a").TimedOut)
	})
}

func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(t, queue.Options{})
		why := errors.New("enough")
		cancelled, cancel := context.WithCancelCause(t.Context())
		late, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		c.call(t.Context(), "a", "0", 1)
		c.call(cancelled, "a", "1", 1)
		c.call(late, "a", "2", 1)
		c.call(t.Context(), "a", "3", 1)
		cancel(why)
		require.ErrorIs(t, c.failed(), why)
		time.Sleep(time.Second)
		require.ErrorIs(t, c.failed(), context.DeadlineExceeded)
		c.expect("0")
		c.set.Complete("a", "0")
		c.expect("3")
		c.call(cancelled, "b", "4", 1)
		require.EqualError(t, c.failed(), "4 stopped waiting for b: enough")
		require.Equal(t, queue.Stats{Action: "a", Active: 1, Limit: 1, Enqueued: 4, Completed: 1, Cancelled: 1, TimedOut: 1}, counts(c.set.Stats("a")))
		require.Equal(t, queue.Stats{Action: "b"}, counts(c.set.Stats("b")), "one whose context has ended never arrives")
	})
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(t, queue.Options{})
		for i := range 4 {
			c.call(t.Context(), "a", strconv.Itoa(i), 1)
		}
		require.False(t, c.set.Cancel("a", "0"), "it is active")
		require.False(t, c.set.Cancel("a", "9"))
		require.False(t, c.set.Cancel("b", "1"))
		require.True(t, c.set.Cancel("a", "2"))
		require.False(t, c.set.Cancel("a", "2"))
		var cancelled *queue.Cancelled
		require.ErrorAs(t, c.failed(), &cancelled)
		require.Equal(t, diag.QueueCancelled, cancelled.Code())
		require.EqualError(t, cancelled, "2 did not start: an operator cancelled it while it waited for a")
		c.expect("0")
		c.set.Complete("a", "0")
		c.expect("1")
		c.set.Complete("a", "1")
		c.expect("3")
		require.Equal(t, queue.Stats{Action: "a", Active: 1, Limit: 1, Enqueued: 4, Completed: 2, Cancelled: 1}, counts(c.set.Stats("a")))
	})
}

func TestClearAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(t, queue.Options{})
		for _, action := range []string{"a", "b"} {
			for i := range 3 {
				c.call(t.Context(), action, strconv.Itoa(i), 1)
			}
		}
		c.expect("0", "0")
		require.Equal(t, 4, c.set.ClearAll())
		synctest.Wait()
		require.Len(t, c.errs, 4)
		for range 4 {
			var cancelled *queue.Cancelled
			require.ErrorAs(t, <-c.errs, &cancelled)
			require.True(t, cancelled.Cleared)
			require.ErrorContains(t, cancelled, "an operator cleared the queue while it waited for")
		}
		for _, action := range []string{"a", "b"} {
			require.Equal(t, queue.Stats{Action: action, Active: 1, Limit: 1, Enqueued: 3, Cancelled: 2},
				counts(c.set.Stats(action)))
			c.set.Complete(action, "0")
		}
		c.call(t.Context(), "a", "1", 1) // the names are free again
		c.expect("1")
	})
}

func TestMistakes(t *testing.T) {
	s := queue.New(queue.Options{})
	enter := func(execution string, limit int) error {
		return s.EnqueueAndWait(t.Context(), "a", execution, limit, nil)
	}
	require.Error(t, s.Complete("a", "1"), "no such action")
	require.Error(t, enter("1", 0))
	require.NoError(t, enter("1", 1))
	require.Error(t, enter("1", 1), "active already")
	require.Error(t, s.Complete("a", "2"), "never heard of")
	require.Equal(t, queue.Stats{Action: "a", Active: 1, Limit: 1, Enqueued: 1}, counts(s.Stats("a")), "nothing has changed")
	s.Complete("a", "1")
	require.Error(t, s.Complete("a", "1"), "completed already")
	require.Equal(t, queue.Stats{Action: "a", Limit: 1, Enqueued: 1, Completed: 1}, counts(s.Stats("a")))
	for _, o := range []queue.Options{{Length: -1}, {Wait: -1}, {Idle: -1}} {
		set := queue.New(o)
		require.ErrorContains(t, set.EnqueueAndWait(t.Context(), "a", "1", 1, nil), "want none below 0")
		_, err := queue.NewEnforcer(queue.Policies{}, set)
		require.ErrorContains(t, err, "want none below 0")
	}
}

func TestCompleteOfOneThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCaller(t, queue.Options{})
		c.call(t.Context(), "a", "0", 1)
		c.call(t.Context(), "a", "1", 1)
		require.Error(t, c.set.Complete("a", "1"))
		require.Equal(t, 1, c.set.Stats("a").Waiting)
		c.set.Complete("a", "0")
		c.expect("0", "1")
	})
}
