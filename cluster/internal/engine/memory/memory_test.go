package memory_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
	"github.com/ptc-lang/ptc/cluster/internal/engine/enginetest"
	"github.com/ptc-lang/ptc/cluster/internal/engine/memory"
)

// cluster adapts a cluster to the tests of the contract.
type cluster struct{ *memory.Cluster }

func name(i int) string { return fmt.Sprintf("node%d", i+1) }

func (c cluster) Member(i int) engine.Engine { return c.Cluster.Member(name(i)) }
func (c cluster) Cut(i int)                  { c.Cluster.Cut(name(i)) }
func (c cluster) Stop(i int)                 { c.Crash(name(i)) }
func (c cluster) Start(i int)                { c.Cluster.Start(name(i)) }

func open(_ *testing.T, o enginetest.Options) enginetest.Cluster {
	var names []string
	for i := range o.Members {
		names = append(names, name(i))
	}
	return cluster{memory.New(memory.Options{Timeout: time.Second, Quota: o.Quota}, names...)}
}

func TestContract(t *testing.T) { enginetest.Run(t, enginetest.Harness{Open: open, Bubble: true}) }

// bubble runs a test with a cluster of three members. At its end no goroutine may be left.
func bubble(t *testing.T, f func(t *testing.T, c *memory.Cluster)) {
	synctest.Test(t, func(t *testing.T) { f(t, memory.New(memory.Options{}, "a", "b", "c")) })
}

func put(t *testing.T, e engine.Engine, key string) engine.Result {
	t.Helper()
	r, err := e.Apply(t.Context(), nil, engine.Put(key, nil))
	require.NoError(t, err)
	return r
}

func TestSplit(t *testing.T) {
	bubble(t, func(t *testing.T, c *memory.Cluster) {
		c.Split([]string{"b", "c"}, []string{"a"})
		put(t, c.Member("b"), "k")
		begin := time.Now()
		_, _, err := c.Member("a").Get(t.Context(), "k")
		require.ErrorIs(t, err, engine.ErrUnavailable)
		require.Equal(t, 5*time.Second, time.Since(begin))
		c.Split()
		_, _, err = c.Member("b").Get(t.Context(), "k")
		require.ErrorIs(t, err, engine.ErrUnavailable)
		c.Heal()
		_, ok, err := c.Member("a").Get(t.Context(), "k")
		require.NoError(t, err)
		require.True(t, ok)
	})
}

// TestPause stops the holder of a lease, as SIGSTOP does: it learns late that it has lost the lease.
func TestPause(t *testing.T) {
	bubble(t, func(t *testing.T, c *memory.Cluster) {
		a, b := c.Member("a"), c.Member("b")
		lease, err := a.Grant(t.Context(), 2*time.Second)
		require.NoError(t, err)
		held, err := a.Apply(t.Context(), nil, engine.Op{Key: "boss", Lease: lease.ID()})
		require.NoError(t, err)
		c.Pause("a")
		done := make(chan engine.Result)
		go func() {
			r, err := a.Apply(t.Context(), []engine.Condition{engine.CreatedAt("boss", held.Revision)}, engine.Put("k", nil))
			require.NoError(t, err)
			done <- r
		}()
		time.Sleep(time.Minute)
		_, ok, err := b.Get(t.Context(), "boss")
		require.NoError(t, err)
		require.False(t, ok)
		select {
		case <-lease.Lost():
			t.Fatal("a paused member has noticed the end of its lease")
		case <-done:
			t.Fatal("a paused member has worked")
		default:
		}
		c.Resume("a")
		<-lease.Lost()
		require.False(t, (<-done).Done, "the fence does not hold")
	})
}

func TestDelay(t *testing.T) {
	bubble(t, func(t *testing.T, c *memory.Cluster) {
		c.Delay("a", 100*time.Millisecond)
		begin := time.Now()
		put(t, c.Member("a"), "k")
		require.Equal(t, 100*time.Millisecond, time.Since(begin))
		put(t, c.Member("b"), "k")
		require.Equal(t, 100*time.Millisecond, time.Since(begin))
		for wait, made := range map[time.Duration]bool{40 * time.Millisecond: false, 60 * time.Millisecond: true} {
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			_, err := c.Member("a").Apply(ctx, nil, engine.Put(wait.String(), nil))
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded)
			_, ok, err := c.Member("b").Get(t.Context(), wait.String())
			require.NoError(t, err)
			require.Equal(t, made, ok)
		}
	})
}

func TestDropAnswers(t *testing.T) {
	bubble(t, func(t *testing.T, c *memory.Cluster) {
		a := c.Member("a")
		c.DropAnswers("a", 1)
		append := func() (engine.Result, error) {
			return a.Apply(t.Context(), []engine.Condition{engine.Absent("log/1")}, engine.Put("log/1", nil))
		}
		_, err := append()
		require.ErrorIs(t, err, engine.ErrUnavailable)
		r, err := append()
		require.NoError(t, err)
		require.False(t, r.Done)
		require.Equal(t, c.Revision(), r.Found[0].Created, "it was made")
	})
}

// TestFullAgain requires deletes and a compaction to make room.
func TestFullAgain(t *testing.T) {
	c := memory.New(memory.Options{Quota: 1000}, "a")
	a := c.Member("a")
	_, err := a.Apply(t.Context(), nil, engine.Put("k", make([]byte, 2000)))
	require.NoError(t, err)
	_, err = a.Apply(t.Context(), nil, engine.Put("l", nil))
	require.ErrorIs(t, err, engine.ErrFull)
	r, err := a.Apply(t.Context(), nil, engine.Delete("k"))
	require.NoError(t, err)
	require.NoError(t, a.Compact(t.Context(), r.Revision))
	put(t, a, "l")
	status, err := a.Status(t.Context())
	require.NoError(t, err)
	require.Empty(t, status.Alarms)
}

func TestCrash(t *testing.T) {
	bubble(t, func(t *testing.T, c *memory.Cluster) {
		a := c.Member("a")
		lease, err := a.Grant(t.Context(), time.Second)
		require.NoError(t, err)
		_, err = a.Apply(t.Context(), nil, engine.Op{Key: "held", Lease: lease.ID()})
		require.NoError(t, err)
		for _, n := range []string{"a", "b", "c"} {
			c.Crash(n)
		}
		<-lease.Lost()
		_, err = a.Status(t.Context())
		require.ErrorIs(t, err, engine.ErrClosed)
		time.Sleep(time.Minute)
		again := c.Start("a")
		require.NotEqual(t, a, again)
		c.Start("b")
		_, err = a.Status(t.Context())
		require.ErrorIs(t, err, engine.ErrClosed, "the member before")
		time.Sleep(2 * time.Second)
		_, ok, err := again.Get(t.Context(), "held")
		require.NoError(t, err)
		require.False(t, ok, "the lease outlives its holder and the cluster")
	})
}

func BenchmarkApply(b *testing.B) {
	c := memory.New(memory.Options{}, "a", "b", "c")
	a := c.Member("a")
	value := make([]byte, 200)
	for i := 0; b.Loop(); i++ {
		if _, err := a.Apply(b.Context(), nil, engine.Put(fmt.Sprintf("log/%09d", i), value)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRepeatSlow makes a commit that takes longer than the first attempts wait.
func TestRepeatSlow(t *testing.T) {
	bubble(t, func(t *testing.T, c *memory.Cluster) {
		c.Delay("a", 4*engine.Attempt)
		r, err := engine.Repeat(t.Context(), c.Member("a"), time.Minute, nil, engine.Put("k", nil))
		require.NoError(t, err)
		require.True(t, r.Done)
	})
}
