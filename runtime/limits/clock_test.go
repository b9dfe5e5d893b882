package limits

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// started returns a meter with a limit of time.
func started(ctx context.Context, timeout time.Duration) *Meter {
	m := &Meter{}
	m.Start(ctx, 1<<20, 1<<20, timeout)
	return m
}

// TestClock: a pause counts neither for the deadline nor for the context that ends with it.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := started(t.Context(), 10*time.Second)
		ctx, cancel := m.Timed()
		defer cancel()
		child, end := context.WithCancel(ctx)
		defer end()
		time.Sleep(4 * time.Second)
		m.Clock().Stop()
		m.Clock().Stop()
		time.Sleep(time.Hour)
		require.Equal(t, 6*time.Second, m.Left())
		m.Clock().Start()
		m.Clock().Start()
		require.Equal(t, time.Hour, m.Clock().Lost())
		until, _ := ctx.Deadline()
		require.Equal(t, 6*time.Second, time.Until(until))
		time.Sleep(6*time.Second - 1)
		require.NoError(t, ctx.Err())
		m.Look()
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		require.Equal(t, context.DeadlineExceeded, ctx.Err())
		require.Error(t, child.Err())
		require.Equal(t, context.DeadlineExceeded, context.Cause(child))
		stop := Stop{Bound: BoundTime, Limit: int64(10 * time.Second), At: Moment{At: AtLook, Nth: 2}}
		require.PanicsWithValue(t, stop, m.Look)
	})
}

// TestClockScopes: the deadline of a scope that begins after a pause does not gain by it.
func TestClockScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := started(t.Context(), time.Hour)
		m.Clock().Stop()
		time.Sleep(time.Minute)
		m.Clock().Start()
		was := m.Narrow(0, time.Second, 0)
		require.Equal(t, time.Second, m.Left())
		m.Clock().Stop()
		time.Sleep(time.Minute)
		m.Clock().Start()
		require.Equal(t, time.Second, m.Left())
		m.Widen(was)
		require.Equal(t, time.Hour, m.Left())
	})
}

// TestClockOver: the clock does not stop between the end of a context and the moment at which its
// evaluation finds that its time is over; otherwise the evaluation would find the opposite.
func TestClockOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := started(t.Context(), time.Second)
		ctx, cancel := m.Timed()
		<-ctx.Done()
		m.Clock().Stop()
		time.Sleep(time.Second)
		m.Clock().Start()
		require.Negative(t, m.Left())
		cancel()
		m.Clock().Stop()
		time.Sleep(time.Second)
		require.Equal(t, time.Second, m.Clock().Lost())
		m.Clock().Start()
		other, cancelOther := m.Timed()
		cancelOther()
		require.Equal(t, context.Canceled, other.Err())
	})
}

// TestClockParent: the context of the host ends as it would without a clock.
func TestClockParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		m := started(host, time.Minute)
		ctx, stop := m.Timed()
		defer stop()
		m.Clock().Stop()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Equal(t, context.DeadlineExceeded, ctx.Err())
		m.Clock().Start()
	})
}
