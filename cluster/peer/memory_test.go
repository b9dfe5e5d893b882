package peer_test

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/peer"
	"github.com/ptc-lang/ptc/cluster/peer/peertest"
)

// memoryCluster is a Memory for the tests of all implementations.
type memoryCluster struct{ *peer.Memory }

func (c memoryCluster) Join(t *testing.T, node, release string) peertest.Node {
	n := c.JoinRelease(node, release)
	peer.LimitMemoryCalls(n, c.MaxCalls())
	t.Cleanup(n.Close)
	return n
}

func (c memoryCluster) MaxCalls() int                  { return 100 }
func (c memoryCluster) Cut(_ *testing.T, a, b string)  { c.Memory.Cut(a, b) }
func (c memoryCluster) Heal(_ *testing.T, a, b string) { c.Memory.Heal(a, b) }

func TestMemory(t *testing.T) {
	peertest.Test(t, func(*testing.T) peertest.Cluster { return memoryCluster{peer.NewMemory(1)} })
}

// pair returns two nodes; b counts the calls of "count".
func pair(t *testing.T, m *peer.Memory) (a, b *peer.MemoryNode, handled *atomic.Int64) {
	a, b, handled = m.Join("a"), m.Join("b"), new(atomic.Int64)
	t.Cleanup(a.Close)
	t.Cleanup(b.Close)
	b.Handle("count", func(context.Context, string, []byte) ([]byte, error) { return fmt.Append(nil, handled.Add(1)), nil })
	return a, b, handled
}

func TestMemoryDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := peer.NewMemory(1)
		a, b, _ := pair(t, m)
		defer b.Close()
		m.Delay(10*time.Millisecond, 30*time.Millisecond)
		took := map[time.Duration]bool{}
		for range 50 {
			begin := time.Now()
			_, err := a.Call(t.Context(), "b", "count", nil)
			require.NoError(t, err)
			d := time.Since(begin)
			require.GreaterOrEqual(t, d, 20*time.Millisecond)
			require.LessOrEqual(t, d, 60*time.Millisecond)
			took[d] = true
		}
		assert.Greater(t, len(took), 40)
		m.DelayLink("a", "b", time.Second, time.Second)
		begin := time.Now()
		_, err := a.Call(t.Context(), "b", "count", nil)
		require.NoError(t, err)
		assert.Equal(t, 2*time.Second, time.Since(begin))
		begin = time.Now()
		a.Handle("self", func(context.Context, string, []byte) ([]byte, error) { return nil, nil })
		_, err = a.Call(t.Context(), "a", "self", nil)
		require.NoError(t, err)
		assert.Zero(t, time.Since(begin))
	})
}

// losses returns the outcomes of 400 calls: true for an answer.
func losses(t *testing.T, seed uint64, f peer.Faults) (answered []bool, handled int) {
	m := peer.NewMemory(seed)
	a, b, count := pair(t, m)
	defer b.Close()
	m.Fail(f)
	for range 400 {
		_, err := a.Call(t.Context(), "b", "count", nil)
		if err != nil {
			require.ErrorIs(t, err, peer.ErrUnreachable)
		}
		answered = append(answered, err == nil)
	}
	return answered, int(count.Load())
}

func TestMemoryFaults(t *testing.T) {
	answered := func(all []bool) (n int) {
		for _, ok := range all {
			if ok {
				n++
			}
		}
		return n
	}
	before, handled := losses(t, 1, peer.Faults{Before: 0.25})
	assert.Equal(t, answered(before), handled)
	assert.InDelta(t, 300, handled, 40)
	after, handled := losses(t, 1, peer.Faults{After: 0.25})
	assert.Equal(t, 400, handled)
	assert.InDelta(t, 300, answered(after), 40)
	twice, handled := losses(t, 1, peer.Faults{Twice: 0.25})
	assert.Equal(t, 400, answered(twice))
	assert.InDelta(t, 500, handled, 40)

	again, _ := losses(t, 1, peer.Faults{Before: 0.25})
	assert.Equal(t, before, again)
	other, _ := losses(t, 2, peer.Faults{Before: 0.25})
	assert.NotEqual(t, before, other)
}

// TestMemoryDrop drops requests, answers, and streams under way.
func TestMemoryDrop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := peer.NewMemory(1)
		a, b, handled := pair(t, m)
		defer b.Close()
		m.Drop("a", "b")
		begin := time.Now()
		_, err := a.Call(t.Context(), "b", "count", nil)
		require.ErrorIs(t, err, peer.ErrUnreachable)
		assert.Equal(t, peer.Patience, time.Since(begin))
		assert.Zero(t, handled.Load())
		m.Heal("a", "b")
		m.Drop("b", "a")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = a.Call(ctx, "b", "count", nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.EqualValues(t, 1, handled.Load())
		m.HealAll()
		_, err = a.Call(t.Context(), "b", "count", nil)
		require.NoError(t, err)

		// A handler that waits is cut off after Patience too.
		ended := make(chan error, 1)
		b.Handle("wait", func(ctx context.Context, _ string, _ []byte) ([]byte, error) {
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil, ctx.Err()
		})
		time.AfterFunc(time.Second, func() { m.Drop("b", "a") })
		begin = time.Now()
		_, err = a.Call(t.Context(), "b", "wait", nil)
		require.ErrorIs(t, err, peer.ErrUnreachable)
		assert.Equal(t, time.Second+peer.Patience, time.Since(begin))
		require.ErrorIs(t, <-ended, peer.ErrUnreachable)
	})
}

func TestMemoryPartition(t *testing.T) {
	m := peer.NewMemory(1)
	names := []string{"a", "b", "c", "d"}
	nodes := map[string]*peer.MemoryNode{}
	for _, name := range names {
		nodes[name] = m.Join(name)
		nodes[name].Handle("hi", func(context.Context, string, []byte) ([]byte, error) { return nil, nil })
		defer nodes[name].Close()
	}
	reached := func(name string) (all []string) {
		for _, to := range names {
			if _, err := nodes[name].Call(t.Context(), to, "hi", nil); err == nil {
				all = append(all, to)
			}
		}
		return all
	}
	m.Partition([]string{"a", "b"}, []string{"c"})
	assert.Equal(t, []string{"a", "b", "d"}, reached("a"))
	assert.Equal(t, []string{"c", "d"}, reached("c"))
	assert.Equal(t, names, reached("d"))
	m.Partition([]string{"a"}, []string{"b", "c"})
	assert.Equal(t, []string{"a", "d"}, reached("a"))
	assert.Equal(t, []string{"b", "c", "d"}, reached("b"))
	sent, arrived := m.Sent("a", "b")
	assert.Equal(t, []int{2, 1}, []int{sent, arrived})
	m.HealAll()
	for _, name := range names {
		assert.Equal(t, names, reached(name))
	}
}

// TestMemoryClose closes a node that handles and calls.
func TestMemoryClose(t *testing.T) {
	m := peer.NewMemory(1)
	a, b, _ := pair(t, m)
	begun := make(chan struct{})
	var ended atomic.Bool
	b.Handle("wait", func(ctx context.Context, _ string, _ []byte) ([]byte, error) {
		close(begun)
		<-ctx.Done()
		ended.Store(true)
		return []byte("late"), nil
	})
	result := make(chan error)
	go func() {
		_, err := a.Call(context.Background(), "b", "wait", nil)
		result <- err
	}()
	<-begun
	b.Close()
	assert.True(t, ended.Load())
	require.ErrorIs(t, <-result, peer.ErrUnreachable)

	// A new node of the name is another one.
	again := m.Join("b")
	defer again.Close()
	b.Close()
	_, err := a.Call(t.Context(), "b", "count", nil)
	var refusal *peer.Error
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, peer.CodeMethod, refusal.Code)
}

// TestMemoryStreamWriter requires the writer of a stream whose reader has closed it to fail.
func TestMemoryStreamWriter(t *testing.T) {
	a, b, _ := pair(t, peer.NewMemory(1))
	failed := make(chan error, 1)
	b.Stream("ticks", func(_ context.Context, _ string, _ []byte, w io.Writer) error {
		for {
			if _, err := w.Write([]byte("x")); err != nil {
				failed <- err
				return err
			}
		}
	})
	s, err := a.Open(t.Context(), "b", "ticks", nil)
	require.NoError(t, err)
	_, err = io.ReadFull(s, make([]byte, 10))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Error(t, <-failed)
}

func TestErrorText(t *testing.T) {
	assert.EqualError(t, &peer.Error{Code: "busy", Message: "b is busy"}, "b is busy (busy)")
}
